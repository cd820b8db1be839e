/* Loops, reductions and lists on threads: against brute force, for any number of threads, our own or a
 * host's. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include "truth.h"

enum { ITEMS = 100003, TEAM_COUNT = 6 };

static const int32_t team_sizes[TEAM_COUNT] = {1, 2, 3, 5, 16, 33};

static float values[ITEMS];
static int32_t marks[ITEMS];

static void fill_values(void)
{
    for (int32_t k = 0; k < ITEMS; k++) values[k] = (float)(1e3 * dlp_random(7, (uint64_t)k, 1) - 500);
}

static dlp_team *make_team(int32_t size)
{
    dlp_team *team;
    assert_int_equal(dlp_team_create(size, &team, NULL), DLP_OK);
    assert_int_equal(dlp_team_size(team), size);
    return team;
}

// Loops.

static void mark(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    int32_t *of = context;
    for (int32_t k = begin; k < end; k++) of[k]++;
}

static void check_every_item_once(dlp_team *team)
{
    static const int32_t counts[] = {0, 1, 2, 7, 63, 64, 65, 1000, ITEMS};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        memset(marks, 0, sizeof marks);
        for (int pass = 0; pass < 30; pass++) dlp_parallel_for(team, counts[c], 64, mark, marks);
        for (int32_t k = 0; k < ITEMS; k++) assert_int_equal(marks[k], k < counts[c] ? 30 : 0);
    }
}

static void every_item_is_done_once(void **state)
{
    (void)state;
    check_every_item_once(NULL);
    for (int t = 0; t < TEAM_COUNT; t++) {
        dlp_team *team = make_team(team_sizes[t]);
        check_every_item_once(team);
        dlp_team_destroy(team);
    }
}

typedef struct piece_check {
    int32_t count, grain, thread_count;
    bool is_right;
} piece_check;

static void check_piece(void *context, int32_t begin, int32_t end, int32_t thread)
{
    piece_check *check = context;
    const int32_t rest = check->count - begin;
    if (begin % check->grain != 0 || end - begin != (rest < check->grain ? rest : check->grain) ||
        thread < 0 || thread >= check->thread_count)
        check->is_right = false;
}

static void pieces_start_at_multiples_of_the_grain(void **state)
{
    (void)state;
    for (int t = 0; t < TEAM_COUNT; t++) {
        dlp_team *team = make_team(team_sizes[t]);
        piece_check check = {ITEMS, 96, team_sizes[t], true};
        dlp_parallel_for(team, ITEMS, 96, check_piece, &check);
        assert_true(check.is_right);
        dlp_team_destroy(team);
    }
}

// Workers fall asleep between loops that are far apart, and must all wake, or leave the work to others.
static void a_team_wakes_from_sleep(void **state)
{
    (void)state;
    dlp_team *team = make_team(5);
    memset(marks, 0, sizeof marks);
    for (int pass = 0; pass < 20; pass++) {
        const struct timespec nap = {.tv_nsec = 2000000};
        nanosleep(&nap, NULL);
        dlp_parallel_for(team, 1000, 10, mark, marks);
    }
    for (int32_t k = 0; k < 1000; k++) assert_int_equal(marks[k], 20);
    dlp_team_destroy(team);
}

// Reductions.

typedef struct sums {
    double sum, least, most;
    int64_t positive;
    int64_t first;  // that is above 499, or INT32_MAX
} sums;

static const sums nothing = {0, 1e30, -1e30, 0, INT32_MAX};

static void add_values(void *context, int32_t begin, int32_t end, void *result)
{
    const float *of = context;
    sums *s = result;
    for (int32_t k = begin; k < end; k++) {
        const double x = (double)of[k];
        s->sum += x;
        s->least = x < s->least ? x : s->least;
        s->most = x > s->most ? x : s->most;
        s->positive += x > 0;
        if (x > 499 && k < s->first) s->first = k;
    }
}

static void join_sums(void *result, const void *later)
{
    sums *s = result;
    const sums *l = later;
    s->sum += l->sum;
    s->least = l->least < s->least ? l->least : s->least;
    s->most = l->most > s->most ? l->most : s->most;
    s->positive += l->positive;
    s->first = l->first < s->first ? l->first : s->first;
}

static const dlp_reduction sum_values = {add_values, join_sums, values, sizeof(sums)};

static void a_reduction_gives_what_brute_force_gives(void **state)
{
    (void)state;
    fill_values();
    sums truth = nothing;
    add_values(values, 0, ITEMS, &truth);
    dlp_team *team = make_team(3);
    sums found = nothing;
    dlp_parallel_reduce(team, ITEMS, 256, &sum_values, &found);
    assert_near(found.sum, truth.sum, 1e-7);  // only the order of adding differs: 1e5 terms of 500 at 1e-16
    assert_true(found.least == truth.least && found.most == truth.most);
    assert_true(found.positive == truth.positive && found.first == truth.first);
    dlp_team_destroy(team);
}

static void a_reduction_has_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    fill_values();
    static const int32_t counts[] = {1, 100, 4096, 77777, ITEMS};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        sums alone = nothing;
        dlp_parallel_reduce(NULL, counts[c], 16, &sum_values, &alone);  // so many blocks that they are joined
        for (int t = 0; t < TEAM_COUNT; t++) {
            dlp_team *team = make_team(team_sizes[t]);
            sums found = nothing;
            dlp_parallel_reduce(team, counts[c], 16, &sum_values, &found);
            assert_memory_equal(&found, &alone, sizeof alone);
            dlp_team_destroy(team);
        }
    }
}

static void a_reduction_of_nothing_is_what_it_was_given(void **state)
{
    (void)state;
    sums found = nothing;
    dlp_parallel_reduce(NULL, 0, 16, &sum_values, &found);
    assert_memory_equal(&found, &nothing, sizeof found);
}

static void find_least(void *context, int32_t begin, int32_t end, void *result)
{
    const int32_t *of = context;
    int32_t *least = result;
    for (int32_t k = begin; k < end; k++) *least = of[k] < *least ? of[k] : *least;
}

static void the_least_number_is_found_wherever_it_stands(void **state)
{
    (void)state;
    dlp_team *team = make_team(5);
    const dlp_reduction least = {find_least, dlp_combine_min_int32, marks, sizeof(int32_t)};
    for (int32_t k = 0; k < ITEMS; k++) marks[k] = 10;
    for (int32_t at = 0; at < ITEMS; at += 9973) {
        marks[at] = at - ITEMS;
        int32_t found = INT32_MAX;
        dlp_parallel_reduce(team, ITEMS, 512, &least, &found);
        assert_int_equal(found, at - ITEMS);
        marks[at] = 10;
    }
    dlp_team_destroy(team);
}

// Lists.

typedef struct above {
    const float *values;
    float limit;
} above;

static int32_t select_above(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const above *a = context;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (!(a->values[k] > a->limit)) continue;
        if (out != NULL) out[count] = k;
        count++;
    }
    return count;
}

static void a_list_holds_what_brute_force_finds_in_its_order(void **state)
{
    (void)state;
    fill_values();
    static int32_t truth[ITEMS], found[ITEMS];
    static const float limits[] = {-1000, -400, 0, 499.5f, 1000};  // all, most, half, few, none
    static const int32_t grains[] = {1, 100, 4096};  // one item a block: so many that they are joined
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
        above a = {values, limits[l]};
        const int32_t count = select_above(&a, 0, ITEMS, truth);
        for (int t = 0; t < TEAM_COUNT; t++) {
            dlp_team *team = make_team(team_sizes[t]);
            for (int g = 0; g < 3; g++) {
                memset(found, 0xff, sizeof found);
                assert_int_equal(dlp_parallel_compact(team, ITEMS, grains[g], select_above, &a, found),
                                 count);
                assert_memory_equal(found, truth, (size_t)count * sizeof(int32_t));
                for (int32_t k = count; k < ITEMS; k++) assert_int_equal(found[k], -1);  // nothing past it
            }
            dlp_team_destroy(team);
        }
    }
    assert_int_equal(dlp_parallel_compact(NULL, 0, 1, select_above, NULL, NULL), 0);
}

static void a_scan_sums_what_stands_before(void **state)
{
    (void)state;
    static int32_t truth[ITEMS];
    for (int32_t k = 0, sum = 0; k < ITEMS; k++) truth[k] = sum += k % 7 - 1;
    for (int t = 0; t < TEAM_COUNT; t++) {
        dlp_team *team = make_team(team_sizes[t]);
        for (int32_t k = 0; k < ITEMS; k++) marks[k] = k % 7 - 1;
        assert_int_equal(dlp_parallel_scan(team, marks, ITEMS), truth[ITEMS - 1]);
        assert_memory_equal(marks, truth, sizeof truth);
        assert_int_equal(dlp_parallel_scan(team, marks, 0), 0);
        dlp_team_destroy(team);
    }
}

static void copies_and_fills_reach_the_last_byte(void **state)
{
    (void)state;
    enum { BYTES = 300001 };
    static unsigned char from[BYTES], to[BYTES + 8];
    for (int32_t k = 0; k < BYTES; k++) from[k] = (unsigned char)(k * 7 % 251);
    dlp_team *team = make_team(3);
    dlp_parallel_set(team, to, 0xa5, BYTES);
    for (int32_t k = 0; k < BYTES + 8; k++) assert_int_equal(to[k], k < BYTES ? 0xa5 : 0);
    dlp_parallel_copy(team, to, from, BYTES);
    assert_memory_equal(to, from, BYTES);
    assert_int_equal(to[BYTES], 0);
    dlp_team_destroy(team);
}

static void loops_make_no_heap_call(void **state)
{
    (void)state;
    static int32_t found[ITEMS];
    above a = {values, 0};
    sums s = nothing;
    dlp_team *team = make_team(3);
    const int64_t before = dlp_memory_call_count();
    dlp_parallel_for(team, ITEMS, 64, mark, marks);
    dlp_parallel_reduce(team, ITEMS, 64, &sum_values, &s);
    dlp_parallel_compact(team, ITEMS, 64, select_above, &a, found);
    assert_int_equal(dlp_memory_call_count(), before);
    dlp_team_destroy(team);
}

// A host's task system: a few threads that take tasks from one queue.

typedef struct job {
    void (*task)(void *context, int32_t k);
    void *context;
    int32_t count, next, done;
} job;

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t threads[4];
    job job;
    bool is_ending, is_idle;  // idle: nothing runs before `finish`, and then on the caller's thread
    int32_t call_count;
} pool;

// Runs one task of the queue, if there is one; the lock is held before and after.
static bool run_one(pool *p)
{
    if (p->job.next == p->job.count) return false;
    const int32_t k = p->job.next++;
    pthread_mutex_unlock(&p->lock);
    p->job.task(p->job.context, k);
    pthread_mutex_lock(&p->lock);
    p->job.done++;
    pthread_cond_broadcast(&p->changed);
    return true;
}

static void *run_pool(void *argument)
{
    pool *p = argument;
    pthread_mutex_lock(&p->lock);
    while (!p->is_ending)
        if (!run_one(p)) pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void *enqueue(void (*task)(void *context, int32_t k), void *context, int32_t count, void *user)
{
    pool *p = user;
    pthread_mutex_lock(&p->lock);
    p->job = (job){task, context, count, 0, 0};
    p->call_count++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return &p->job;
}

static void finish(void *handle, void *user)
{
    pool *p = user;
    assert_ptr_equal(handle, &p->job);
    pthread_mutex_lock(&p->lock);
    while (p->job.done < p->job.count)
        if (!run_one(p)) pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void start_pool(pool *p)
{
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    for (int k = 0; k < 4 && !p->is_idle; k++)
        assert_int_equal(pthread_create(&p->threads[k], NULL, run_pool, p), 0);
}

static void stop_pool(pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->is_ending = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (int k = 0; k < 4 && !p->is_idle; k++) pthread_join(p->threads[k], NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
}

static void check_hosted(pool *p, int32_t thread_count)
{
    start_pool(p);
    const dlp_task_system tasks = {
        .size = sizeof tasks, .thread_count = thread_count, .enqueue = enqueue, .finish = finish, .user = p};
    dlp_team *team;
    assert_int_equal(dlp_team_create_hosted(&tasks, &team, NULL), DLP_OK);
    assert_int_equal(dlp_team_size(team), thread_count);
    check_every_item_once(team);
    assert_true(thread_count == 1 ? p->call_count == 0 : p->call_count > 0);
    piece_check pieces = {ITEMS, 96, thread_count, true};
    dlp_parallel_for(team, ITEMS, 96, check_piece, &pieces);
    assert_true(pieces.is_right);
    sums alone = nothing, found = nothing;
    dlp_parallel_reduce(NULL, ITEMS, 64, &sum_values, &alone);
    dlp_parallel_reduce(team, ITEMS, 64, &sum_values, &found);
    assert_memory_equal(&found, &alone, sizeof alone);
    dlp_team_destroy(team);
    stop_pool(p);
}

static void a_hosts_threads_do_every_item_once(void **state)
{
    (void)state;
    fill_values();
    for (int t = 0; t < TEAM_COUNT; t++) {
        pool busy = {0}, idle = {.is_idle = true};
        check_hosted(&busy, team_sizes[t]);
        check_hosted(&idle, team_sizes[t]);
    }
}

static void refuse(dlp_task_system tasks, const char *message)
{
    dlp_team *team;
    dlp_error error;
    assert_int_equal(dlp_team_create_hosted(&tasks, &team, &error), DLP_INVALID);
    assert_null(team);
    assert_string_equal(error.message, message);
}

static void a_task_system_that_lacks_something_is_refused(void **state)
{
    (void)state;
    const dlp_task_system whole = {
        .size = sizeof whole, .thread_count = 4, .enqueue = enqueue, .finish = finish};
    dlp_task_system t = whole;
    t.size = 0;
    refuse(t, "task system: size: 0 bytes; set it to sizeof(dlp_task_system)");
    t = whole;
    t.thread_count = 0;
    refuse(t, "task system: thread_count: 0; must be 1 to 256");
    t = whole;
    t.enqueue = NULL;
    refuse(t, "task system: enqueue is missing; both callbacks are needed");
    t = whole;
    t.finish = NULL;
    refuse(t, "task system: finish is missing; both callbacks are needed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(pieces_start_at_multiples_of_the_grain),
        cmocka_unit_test(a_team_wakes_from_sleep),
        cmocka_unit_test(a_reduction_gives_what_brute_force_gives),
        cmocka_unit_test(a_reduction_has_the_same_bits_for_any_thread_count),
        cmocka_unit_test(a_reduction_of_nothing_is_what_it_was_given),
        cmocka_unit_test(the_least_number_is_found_wherever_it_stands),
        cmocka_unit_test(a_list_holds_what_brute_force_finds_in_its_order),
        cmocka_unit_test(a_scan_sums_what_stands_before),
        cmocka_unit_test(copies_and_fills_reach_the_last_byte),
        cmocka_unit_test(loops_make_no_heap_call),
        cmocka_unit_test(a_hosts_threads_do_every_item_once),
        cmocka_unit_test(a_task_system_that_lacks_something_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
