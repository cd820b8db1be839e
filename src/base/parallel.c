/* A team of threads that waits for loops. The caller of a loop works as thread 0. A loop is cut into pieces,
 * pieces are dealt to the threads in equal runs, and who is done early takes pieces from the others. */
#include "base/parallel.h"
#include "base/memory.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

// Before it sleeps a worker polls this often for the next loop: 50 to 200 microseconds, longer than the
// serial code between two loops of a step, and short enough that an idle team costs next to nothing.
enum { SPIN_COUNT = 4000 };

// Bytes between fields that different threads write: two cache lines, since processors fetch them in pairs.
enum { APART = 128 };

// The pieces of the present loop that one thread does first; a thread whose share is empty goes on with those
// of the others. Every piece is given out once, by the addition to `next`; `next` may pass `end`.
typedef struct thread_share {
    _Alignas(APART / 2) _Atomic int32_t next;  // the first piece that nobody has taken
    int32_t end;                               // constant while the loop is open
    char padding[APART - 2 * sizeof(int32_t)];
} thread_share;

// What a thread of a team is started with.
typedef struct worker {
    dlp_team *team;  // borrowed
    pthread_t handle;
    int32_t index;  // 1 .. size - 1
} worker;

struct dlp_team {
    int32_t size;           // threads, the caller included; 1 after the workers have ended
    worker *workers;        // the first size - 1 are threads, none where the host's threads work
    thread_share *shares;   // one per thread
    dlp_task_system tasks;  // the host's; `enqueue` is NULL where there is none

    // the present loop; written by the caller alone, and constant while the gate is open or a worker is in it
    dlp_range_fn *fn;
    void *context;
    int32_t count, grain;
    bool is_running;  // for the assertion that loops do not nest

    pthread_mutex_t lock;  // guards sleeping and waking, nothing else
    pthread_cond_t woken;
    char padding[APART];

    // Who may work: the loop's number (grows by one per loop) above GATE_BITS, then whether it is open, then
    // how many workers are in it. A worker that comes late finds it closed and reads nothing of the loop, so
    // the caller waits only for those that came. All accesses are sequentially consistent: opening publishes
    // the loop and its shares to who enters, leaving publishes the worker's results to the caller.
    _Atomic uint64_t gate;
    char gate_padding[APART];
    _Atomic int32_t sleeping_count;  // workers that wait for `woken`
    _Atomic bool is_ending;          // the next loop that opens is the end of the workers
};

enum { GATE_BITS = 32 };
#define GATE_OPEN (UINT64_C(1) << 31)
#define GATE_IN   (GATE_OPEN - 1) /* mask of the count */

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// The work of a loop.

// Takes pieces of one share until it is empty. The load before the addition keeps `next` from growing without
// bound when many threads look at an empty share. Relaxed order is enough: the addition alone decides who
// gets a piece, and results are published by the gate.
static void run_share(dlp_team *team, thread_share *of, int32_t thread)
{
    while (atomic_load_explicit(&of->next, memory_order_relaxed) < of->end) {
        const int32_t piece = atomic_fetch_add_explicit(&of->next, 1, memory_order_relaxed);
        if (piece >= of->end) return;
        const int32_t begin = piece * team->grain;
        const int32_t end = team->count - begin < team->grain ? team->count : begin + team->grain;
        team->fn(team->context, begin, end, thread);
    }
}

// The thread's own share first, then those of the threads after it, cyclically.
static void run_pieces(dlp_team *team, int32_t thread)
{
    for (int32_t k = 0; k < team->size; k++) {
        const int32_t owner = thread + k < team->size ? thread + k : thread + k - team->size;
        run_share(team, &team->shares[owner], thread);
    }
}

// Shares are runs of consecutive pieces whose lengths differ by at most one; the first is the caller's. They
// depend on count, grain and team size alone, so that in loops of equal length a thread gets the same items.
static void deal_shares(dlp_team *team)
{
    const int64_t piece_count = (team->count - 1) / team->grain + 1, size = team->size;
    int32_t begin = 0;
    for (int64_t k = 0; k < size; k++) {
        const int32_t end = (int32_t)((piece_count * (k + 1) + size - 1) / size);
        atomic_store_explicit(&team->shares[k].next, begin, memory_order_relaxed);
        team->shares[k].end = end;
        begin = end;
    }
}

// Workers.

// Waits until there is a loop after the one of number `seen`, and returns its number.
static uint64_t await_loop(dlp_team *team, uint64_t seen)
{
    for (int32_t k = 0; k < SPIN_COUNT; k++) {
        const uint64_t gate = atomic_load(&team->gate);
        if (gate >> GATE_BITS != seen) return gate >> GATE_BITS;
        pause_briefly();
    }
    // No wake-up is lost: the worker raises sleeping_count before it reads the gate, and the caller writes
    // the gate before it reads sleeping_count, so at least one of the two sees the other.
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleeping_count, 1);
    while (atomic_load(&team->gate) >> GATE_BITS == seen) pthread_cond_wait(&team->woken, &team->lock);
    atomic_fetch_sub(&team->sleeping_count, 1);
    pthread_mutex_unlock(&team->lock);
    return atomic_load(&team->gate) >> GATE_BITS;
}

// Counts the worker into the loop of this number; false where that is closed or over.
static bool enter(dlp_team *team, uint64_t number)
{
    uint64_t gate = atomic_load(&team->gate);
    while (gate >> GATE_BITS == number && (gate & GATE_OPEN) != 0)
        if (atomic_compare_exchange_weak(&team->gate, &gate, gate + 1)) return true;
    return false;
}

// The life of a worker: one pass per loop until the team ends. It may miss loops that others finish first.
static void *work(void *argument)
{
    const worker *self = argument;
    dlp_team *team = self->team;
    for (uint64_t number = 0;;) {
        number = await_loop(team, number);
        if (atomic_load(&team->is_ending)) return NULL;
        if (!enter(team, number)) continue;
        run_pieces(team, self->index);
        atomic_fetch_sub(&team->gate, 1);
    }
}

// Starts the next loop with no worker in it, and wakes who sleeps. The gate was closed and empty before.
static void open_gate(dlp_team *team)
{
    const uint64_t number = (atomic_load(&team->gate) >> GATE_BITS) + 1;
    assert((atomic_load(&team->gate) & (GATE_OPEN | GATE_IN)) == 0);
    atomic_store(&team->gate, number << GATE_BITS | GATE_OPEN);
    if (atomic_load(&team->sleeping_count) == 0) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->woken);
    pthread_mutex_unlock(&team->lock);
}

// Lets nobody in any more and waits for the workers that are in: after it all of the loop's writes are
// visible.
static void close_gate(dlp_team *team)
{
    uint64_t gate = atomic_fetch_and(&team->gate, ~GATE_OPEN);
    for (int32_t spins = 0; (gate & GATE_IN) != 0; spins++) {
        if (spins < SPIN_COUNT)
            pause_briefly();
        else
            sched_yield();
        gate = atomic_load(&team->gate);
    }
}

// The host's threads.

// The host runs each index once, on any of its threads and at any time before `finish` returns: the index,
// not the host's thread, says whose scratch is used, so that no two runs share it.
static void run_task(void *context, int32_t index)
{
    run_pieces(context, index + 1);
}

// The caller works too: were the host's threads all busy, it would do every piece alone.
static void run_hosted(dlp_team *team)
{
    const dlp_task_system *tasks = &team->tasks;
    void *handle = tasks->enqueue(run_task, team, team->size - 1, tasks->user);
    run_pieces(team, 0);
    tasks->finish(handle, tasks->user);
}

// Loops.

void dlp_parallel_for(dlp_team *team, int32_t count, int32_t grain, dlp_range_fn *fn, void *context)
{
    if (count <= 0) return;
    assert(grain >= 1);
    // the same pieces as with threads, in order
    if (team == NULL || team->size == 1 || count <= grain) {
        for (int32_t begin = 0; begin < count; begin += grain) {
            const int32_t end = count - begin < grain ? count : begin + grain;
            fn(context, begin, end, 0);
            if (end == count) return;
        }
        return;
    }
    assert(!team->is_running);
    team->is_running = true;
    team->fn = fn;
    team->context = context;
    team->count = count;
    team->grain = grain;
    deal_shares(team);
    if (team->tasks.enqueue != NULL) {
        run_hosted(team);
    } else {
        open_gate(team);
        run_pieces(team, 0);
        close_gate(team);
    }
    team->is_running = false;
}

// The smallest multiple of `grain` that cuts the items into at most `block_limit` blocks (all of them where
// that is fewer). It depends on the number of items alone, never on the threads: what is summed block by
// block has the same bits for every team.
static int32_t block_of(int32_t count, int32_t grain, int32_t block_limit)
{
    const int64_t grains = ((int64_t)count + grain - 1) / grain;
    const int64_t block = (grains + block_limit - 1) / block_limit * grain;
    return block < count ? (int32_t)block : count;
}

// Results of blocks lie on the stack, so that a loop makes no heap call; the number of blocks is bounded
// instead.
enum { REDUCE_BYTES = 32768, COMPACT_BLOCKS = 4096 };

// What the blocks of a reduction share.
typedef struct reduce_pass {
    const dlp_reduction *reduction;
    char *results;  // one per block, `reduction->size` bytes each
    int32_t block;  // items of a block
} reduce_pass;

static void reduce_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const reduce_pass *pass = context;
    const dlp_reduction *r = pass->reduction;
    _Alignas(64) char result[DLP_REDUCE_SIZE];  // on a cache line of its own while it is written
    char *to = pass->results + (size_t)(begin / pass->block) * r->size;
    memcpy(result, to, r->size);
    r->reduce(r->context, begin, end, result);
    memcpy(to, result, r->size);
}

void dlp_parallel_reduce(dlp_team *team, int32_t count, int32_t grain, const dlp_reduction *reduction,
                         void *result)
{
    assert(reduction->size <= DLP_REDUCE_SIZE);
    if (count <= 0) return;
    _Alignas(64) char results[REDUCE_BYTES];
    const int32_t block = block_of(count, grain, (int32_t)(REDUCE_BYTES / reduction->size));
    const int32_t block_count = (count - 1) / block + 1;
    assert((size_t)block_count * reduction->size <= sizeof results);
    for (int32_t k = 0; k < block_count; k++)
        memcpy(results + (size_t)k * reduction->size, result, reduction->size);
    reduce_pass pass = {reduction, results, block};
    dlp_parallel_for(team, count, block, reduce_blocks, &pass);
    // in the order of the blocks, by the caller: floating-point sums depend on it
    for (int32_t k = 0; k < block_count; k++)
        reduction->combine(result, results + (size_t)k * reduction->size);
}

// A NaN in `later` leaves minima and maxima as they are.
#define DEFINE_COMBINE(name, type, expression)                                                               \
    void name(void *result, const void *later)                                                               \
    {                                                                                                        \
        type *a = result;                                                                                    \
        const type *b = later;                                                                               \
        *a = (expression);                                                                                   \
    }
DEFINE_COMBINE(dlp_combine_sum_int64, int64_t, *a + *b)
DEFINE_COMBINE(dlp_combine_min_int32, int32_t, *b < *a ? *b : *a)
DEFINE_COMBINE(dlp_combine_max_int32, int32_t, *b > *a ? *b : *a)
DEFINE_COMBINE(dlp_combine_min_double, double, *b < *a ? *b : *a)
DEFINE_COMBINE(dlp_combine_max_double, double, *b > *a ? *b : *a)
#undef DEFINE_COMBINE

// A compaction asks every block twice: how many it lists, and then, once all places are known, for the list.
typedef struct compact_pass {
    dlp_select_fn *select;
    void *context;
    int32_t *places;  // per block: first the number of wanted items, then the place of the first one in `out`
    int32_t *out;
    int32_t block;
} compact_pass;

static void count_wanted(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const compact_pass *pass = context;
    pass->places[begin / pass->block] = pass->select(pass->context, begin, end, NULL);
}

static void list_wanted(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const compact_pass *pass = context;
    pass->select(pass->context, begin, end, pass->out + pass->places[begin / pass->block]);
}

int32_t dlp_parallel_compact(dlp_team *team, int32_t count, int32_t grain, dlp_select_fn *select,
                             void *context, int32_t *out)
{
    if (count <= 0) return 0;
    if (team == NULL || team->size == 1 || count <= grain) return select(context, 0, count, out);
    int32_t places[COMPACT_BLOCKS];
    const int32_t block = block_of(count, grain, COMPACT_BLOCKS);
    assert((count - 1) / block < COMPACT_BLOCKS);
    compact_pass pass = {select, context, places, out, block};
    dlp_parallel_for(team, count, block, count_wanted, &pass);
    int32_t wanted = 0;
    for (int32_t k = 0; k <= (count - 1) / block; k++) {
        const int32_t here = places[k];
        places[k] = wanted;
        wanted += here;
    }
    if (wanted > 0) dlp_parallel_for(team, count, block, list_wanted, &pass);
    return wanted;
}

enum { SCAN_GRAIN = 8192 };

// A scan in two passes: sums of blocks, then running sums within each from what came before it.
typedef struct scan_pass {
    int32_t *numbers;
    int32_t *sums;  // per block: first its own sum, then that of all blocks before it
    int32_t block;
} scan_pass;

static void sum_block(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const scan_pass *pass = context;
    int32_t sum = 0;
    for (int32_t k = begin; k < end; k++) sum += pass->numbers[k];
    pass->sums[begin / pass->block] = sum;
}

static void scan_block(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const scan_pass *pass = context;
    int32_t sum = pass->sums[begin / pass->block];
    for (int32_t k = begin; k < end; k++) pass->numbers[k] = sum += pass->numbers[k];
}

int32_t dlp_parallel_scan(dlp_team *team, int32_t *numbers, int32_t count)
{
    if (count <= 0) return 0;
    int32_t sums[COMPACT_BLOCKS];
    const int32_t block = block_of(count, SCAN_GRAIN, COMPACT_BLOCKS);
    assert((count - 1) / block < COMPACT_BLOCKS);
    scan_pass pass = {numbers, sums, block};
    dlp_parallel_for(team, count, block, sum_block, &pass);
    int32_t before = 0;
    for (int32_t k = 0; k <= (count - 1) / block; k++) {
        const int32_t here = sums[k];
        sums[k] = before;
        before += here;
    }
    dlp_parallel_for(team, count, block, scan_block, &pass);
    return before;
}

// Bytes of a piece: a shorter copy takes less time than starting a loop does.
enum { COPY_BYTES = 65536 };

// A copy, or where `from` is NULL a fill with `value`.
typedef struct byte_pass {
    char *to;
    const char *from;
    size_t bytes;
    int value;
} byte_pass;

static void do_bytes(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const byte_pass *pass = context;
    const size_t first = (size_t)begin * COPY_BYTES, last = (size_t)end * COPY_BYTES;
    const size_t bytes = (last < pass->bytes ? last : pass->bytes) - first;
    if (pass->from != NULL)
        memcpy(pass->to + first, pass->from + first, bytes);
    else
        memset(pass->to + first, pass->value, bytes);
}

void dlp_parallel_copy(dlp_team *team, void *to, const void *from, size_t bytes)
{
    assert(from != NULL || bytes == 0);
    byte_pass pass = {.to = to, .from = from, .bytes = bytes};
    dlp_parallel_for(team, (int32_t)((bytes + COPY_BYTES - 1) / COPY_BYTES), 1, do_bytes, &pass);
}

void dlp_parallel_set(dlp_team *team, void *to, int value, size_t bytes)
{
    byte_pass pass = {.to = to, .bytes = bytes, .value = value};
    dlp_parallel_for(team, (int32_t)((bytes + COPY_BYTES - 1) / COPY_BYTES), 1, do_bytes, &pass);
}

// Creation and destruction.

// Ends the first `started` workers and waits for them. The team then is one of the caller alone, whose
// destruction finds no worker left to end.
static void end_workers(dlp_team *team, int32_t started)
{
    atomic_store(&team->is_ending, true);
    open_gate(team);
    for (int32_t k = 0; k < started; k++) pthread_join(team->workers[k].handle, NULL);
    team->size = 1;
}

static dlp_status start_workers(dlp_team *team, dlp_error *error)
{
    for (int32_t k = 0; k < team->size - 1; k++) {
        team->workers[k] = (worker){.team = team, .index = k + 1};
        if (pthread_create(&team->workers[k].handle, NULL, work, &team->workers[k]) != 0) {
            end_workers(team, k);
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "threads: the system allows only %d; set fewer threads",
                            k + 1);
        }
    }
    return DLP_OK;
}

// A team that has no thread yet; NULL with a message where there is not enough memory.
static dlp_team *make_team(int32_t size, dlp_error *error)
{
    dlp_team *team = dlp_alloc(1, sizeof *team, "threads");
    thread_share *shares = dlp_alloc((size_t)size, sizeof *shares, "threads");
    worker *workers = dlp_alloc((size_t)size, sizeof *workers, "threads");
    if (team == NULL || shares == NULL || workers == NULL) {
        dlp_free(team);
        dlp_free(shares);
        dlp_free(workers);
        dlp_fail(error, DLP_OUT_OF_MEMORY, "threads: not enough memory for a team of %d", size);
        return NULL;
    }
    team->size = size;
    team->shares = shares;
    team->workers = workers;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->woken, NULL);
    return team;
}

dlp_status dlp_team_create(int32_t thread_count, dlp_team **out_team, dlp_error *error)
{
    *out_team = NULL;
    if (thread_count < 0)
        return dlp_fail(error, DLP_INVALID, "thread_count: %d; must be 0 (as many as processors) or more",
                        thread_count);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int32_t size = thread_count > 0 ? thread_count : (int32_t)(processors > 0 ? processors : 1);
    if (size > DLP_MAX_THREADS) size = DLP_MAX_THREADS;
    dlp_team *team = make_team(size, error);
    if (team == NULL) return DLP_OUT_OF_MEMORY;
    const dlp_status status = start_workers(team, error);
    if (status != DLP_OK) {
        dlp_team_destroy(team);
        return status;
    }
    *out_team = team;
    return DLP_OK;
}

dlp_status dlp_team_create_hosted(const dlp_task_system *tasks, dlp_team **out_team, dlp_error *error)
{
    *out_team = NULL;
    // fields that the host was compiled without stay zero
    dlp_task_system own = {0};
    if (tasks->size < sizeof tasks->size || tasks->size > 65536)
        return dlp_fail(error, DLP_INVALID, "task system: size: %zu bytes; set it to sizeof(dlp_task_system)",
                        tasks->size);
    memcpy(&own, tasks, tasks->size < sizeof own ? tasks->size : sizeof own);
    if (!(own.thread_count >= 1 && own.thread_count <= DLP_MAX_THREADS))
        return dlp_fail(error, DLP_INVALID, "task system: thread_count: %d; must be 1 to %d",
                        own.thread_count, DLP_MAX_THREADS);
    if (own.enqueue == NULL || own.finish == NULL)
        return dlp_fail(error, DLP_INVALID, "task system: %s is missing; both callbacks are needed",
                        own.enqueue == NULL ? "enqueue" : "finish");
    dlp_team *team = make_team(own.thread_count, error);
    if (team == NULL) return DLP_OUT_OF_MEMORY;
    team->tasks = own;
    *out_team = team;
    return DLP_OK;
}

void dlp_team_destroy(dlp_team *team)
{
    if (team == NULL) return;
    if (team->size > 1 && team->tasks.enqueue == NULL) end_workers(team, team->size - 1);
    pthread_cond_destroy(&team->woken);
    pthread_mutex_destroy(&team->lock);
    dlp_free(team->workers);
    dlp_free(team->shares);
    dlp_free(team);
}

int32_t dlp_team_size(const dlp_team *team)
{
    return team != NULL ? team->size : 1;
}
