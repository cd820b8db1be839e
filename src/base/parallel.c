#include "base/parallel.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

// Before it sleeps a worker looks this often for the next loop: about 20 microseconds, more than the serial
// code between two loops of a step, less than anybody would notice.
enum { SPIN_COUNT = 4000 };

typedef struct worker {
    dlp_team *team;
    pthread_t handle;
    int32_t index;
} worker;

struct dlp_team {
    int32_t size;
    worker *workers;  // size - 1 of them; the caller is thread 0
    pthread_mutex_t lock;
    pthread_cond_t woken;
    _Atomic uint32_t loop_number;  // grows by one a loop; workers wait for it to change
    _Atomic int32_t busy_count;    // workers that have not finished the present loop
    _Atomic int32_t next_piece;
    bool is_ending;
    dlp_range_fn *fn;
    void *context;
    int32_t count, grain;
};

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void run_pieces(dlp_team *team, int32_t thread)
{
    const int32_t piece_count = (team->count - 1) / team->grain + 1;
    for (;;) {
        const int32_t piece = atomic_fetch_add(&team->next_piece, 1);
        if (piece >= piece_count) return;
        const int32_t begin = piece * team->grain;
        const int32_t end = team->count - begin < team->grain ? team->count : begin + team->grain;
        team->fn(team->context, begin, end, thread);
    }
}

static void await_loop(dlp_team *team, uint32_t seen)
{
    for (int32_t k = 0; k < SPIN_COUNT; k++) {
        if (atomic_load(&team->loop_number) != seen) return;
        pause_briefly();
    }
    pthread_mutex_lock(&team->lock);
    while (atomic_load(&team->loop_number) == seen) pthread_cond_wait(&team->woken, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static void *work(void *argument)
{
    const worker *self = argument;
    dlp_team *team = self->team;
    for (uint32_t seen = 0;; seen++) {
        await_loop(team, seen);
        if (team->is_ending) return NULL;
        run_pieces(team, self->index);
        atomic_fetch_sub(&team->busy_count, 1);
    }
}

static void announce_loop(dlp_team *team)
{
    atomic_store(&team->busy_count, team->size - 1);
    atomic_store(&team->next_piece, 0);
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->loop_number, 1);
    pthread_cond_broadcast(&team->woken);
    pthread_mutex_unlock(&team->lock);
}

void dlp_parallel_for(dlp_team *team, int32_t count, int32_t grain, dlp_range_fn *fn, void *context)
{
    if (count <= 0) return;
    if (team == NULL || team->size == 1 || count <= grain) {
        for (int32_t begin = 0; begin < count; begin += grain) {
            const int32_t end = count - begin < grain ? count : begin + grain;
            fn(context, begin, end, 0);
            if (end == count) return;
        }
        return;
    }
    team->fn = fn;
    team->context = context;
    team->count = count;
    team->grain = grain;
    announce_loop(team);
    run_pieces(team, 0);
    for (int32_t spins = 0; atomic_load(&team->busy_count) > 0; spins++) {
        if (spins < SPIN_COUNT)
            pause_briefly();
        else
            sched_yield();
    }
}

static void end_workers(dlp_team *team, int32_t started)
{
    team->is_ending = true;
    announce_loop(team);
    for (int32_t k = 0; k < started; k++) pthread_join(team->workers[k].handle, NULL);
    team->size = 1;
}

static dlp_status start_workers(dlp_team *team, dlp_error *error)
{
    for (int32_t k = 0; k < team->size - 1; k++) {
        team->workers[k] = (worker){.team = team, .index = k + 1};
        if (pthread_create(&team->workers[k].handle, NULL, work, &team->workers[k]) != 0) {
            end_workers(team, k);
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "threads: the system gives only %d", k + 1);
        }
    }
    return DLP_OK;
}

dlp_status dlp_team_create(int32_t thread_count, dlp_team **out_team, dlp_error *error)
{
    *out_team = NULL;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int32_t size = thread_count > 0 ? thread_count : (int32_t)(processors > 0 ? processors : 1);
    if (size > DLP_MAX_THREADS) size = DLP_MAX_THREADS;
    dlp_team *team = dlp_alloc(1, sizeof *team, "threads");
    worker *workers = dlp_alloc((size_t)size, sizeof *workers, "threads");
    if (team == NULL || workers == NULL) {
        dlp_free(team);
        dlp_free(workers);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "threads: no room for a team of %d", size);
    }
    team->size = size;
    team->workers = workers;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->woken, NULL);
    const dlp_status status = start_workers(team, error);
    if (status != DLP_OK) {
        dlp_team_destroy(team);
        return status;
    }
    *out_team = team;
    return DLP_OK;
}

void dlp_team_destroy(dlp_team *team)
{
    if (team == NULL) return;
    if (team->size > 1) end_workers(team, team->size - 1);
    pthread_cond_destroy(&team->woken);
    pthread_mutex_destroy(&team->lock);
    dlp_free(team->workers);
    dlp_free(team);
}

int32_t dlp_team_size(const dlp_team *team)
{
    return team != NULL ? team->size : 1;
}
