/* Sorting, cells and neighbour lists: against brute force, for any number of threads and instruction set. */
#include "base/memory.h"
#include "base/random.h"
#include "space/neighbours.h"
#include "space/sort.h"

#include <stdlib.h>
#include <string.h>
#include "truth.h"

enum { POINTS = 3000 };

// A cloud of random points in one or two layers, as a solver would set it up.
typedef struct fixture {
    dlp_units units;
    dlp_vec3 x[POINTS];
    int32_t at[3][POINTS + 16];
    float reach[POINTS + 16];
    dlp_layer layers[2];
    int32_t layer_count;
} fixture;

typedef struct sort_item {
    uint64_t key;
    int32_t index;
} sort_item;

static int by_key(const void *a, const void *b)
{
    const sort_item *p = a, *q = b;
    return p->key < q->key ? -1 : p->key > q->key ? 1 : p->index - q->index;
}

// Sorts points by (level, cell) and indexes the layers.
static void arrange(fixture *f, const float *wanted, const dlp_vec3 *points)
{
    static sort_item items[POINTS];
    static dlp_cell cells[POINTS], sorted[POINTS];
    static uint64_t keys[POINTS];
    dlp_cell low = {INT32_MAX, INT32_MAX, INT32_MAX};
    for (int i = 0; i < POINTS; i++) {
        const int32_t level = dlp_level_of(&f->units, (double)wanted[i]);
        const int64_t at[3] = {dlp_units_of(&f->units, 0, points[i].x),
                               dlp_units_of(&f->units, 1, points[i].y),
                               dlp_units_of(&f->units, 2, points[i].z)};
        cells[i] = dlp_cell_of(&f->units, level, at);
        low = (dlp_cell){cells[i].x < low.x ? cells[i].x : low.x, cells[i].y < low.y ? cells[i].y : low.y,
                         cells[i].z < low.z ? cells[i].z : low.z};
    }
    for (int i = 0; i < POINTS; i++) {
        const uint64_t level = (uint64_t)dlp_level_of(&f->units, (double)wanted[i]);
        items[i] = (sort_item){level << 60 | dlp_cell_key(cells[i], low), i};
    }
    qsort(items, POINTS, sizeof items[0], by_key);
    f->layer_count = 0;
    for (int i = 0; i < POINTS; i++) {
        const int old = items[i].index;
        f->x[i] = points[old];
        f->reach[i] = wanted[old];
        for (int axis = 0; axis < 3; axis++)
            f->at[axis][i] =
                (int32_t)(uint32_t)dlp_units_of(&f->units, axis, dlp_component(points[old], axis));
        sorted[i] = cells[old];
        keys[i] = items[i].key & (UINT64_MAX >> 4);
        if (i == 0 || items[i].key >> 60 != items[i - 1].key >> 60) {
            f->layers[f->layer_count] =
                (dlp_layer){.begin = i, .level = (int32_t)(items[i].key >> 60), .low = low};
            f->layer_count++;
        }
        dlp_layer *layer = &f->layers[f->layer_count - 1];
        layer->end = i + 1;
        layer->reach = fmax(layer->reach, (double)f->reach[i]);
    }
    for (int k = 0; k < f->layer_count; k++) {
        dlp_layer *layer = &f->layers[k];
        assert_int_equal(dlp_layer_index(layer, keys + layer->begin, sorted + layer->begin, NULL, NULL),
                         DLP_OK);
    }
}

static double distance(const fixture *f, int i, int j)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double d = dlp_component(f->x[i], axis) - dlp_component(f->x[j], axis);
        if (f->units.is_periodic[axis]) d -= f->units.period[axis] * round(d / f->units.period[axis]);
        sum += d * d;
    }
    return sqrt(sum);
}

static bool lists_hold(const dlp_lists *lists, int i, int j)
{
    const int32_t *list = dlp_list_of(lists, i);
    int found = 0;
    for (int32_t k = 0; k < dlp_list_end(lists, i, 0); k++) found += list[k] == j;
    assert_true(found <= 1);
    return found == 1;
}

static void compare_with_brute_force(fixture *f, dlp_lists *lists, dlp_target target, dlp_team *team,
                                     bool mixed)
{
    const dlp_point_cloud cloud = {.units = &f->units,
                                   .at = {f->at[0], f->at[1], f->at[2]},
                                   .reach = mixed ? f->reach : NULL,
                                   .layers = f->layers,
                                   .layer_count = f->layer_count,
                                   .point_count = POINTS};
    const dlp_list_def def = {.cloud = &cloud, .count = POINTS, .group_count = 1, .group_layers = {3}};
    assert_int_equal(dlp_lists_build(lists, &def, target, team, NULL), DLP_OK);
    for (int i = 0; i < POINTS; i++) {
        int count = 0;
        for (int j = 0; j < POINTS; j++) {
            if (i == j) continue;
            const double m = 0.5 * (double)(f->reach[i] + f->reach[j]),
                         h = 0.5 * (double)(f->reach[i] - f->reach[j]);
            const double reach = sqrt(m * m + 1.25 * h * h), d = distance(f, i, j);
            if (fabs(d - reach) < 1e-4 * reach) continue;  // a position is rounded to 4e-6 of a cell
            assert_int_equal(lists_hold(lists, i, j), d < reach);
            count += d < reach;
        }
        assert_true(dlp_list_end(lists, i, 0) % 8 == 0 && dlp_list_end(lists, i, 0) >= count);
    }
}

static fixture *make_cloud(const bool periodic[3], double second_reach, double spread)
{
    static fixture f;
    static dlp_vec3 points[POINTS];
    static float reach[POINTS];
    memset(&f, 0, sizeof f);
    const dlp_box domain = {{0, 0, 0}, {1, 1, 1}};
    assert_int_equal(dlp_units_init(&f.units, 0.1, periodic, &domain, NULL), DLP_OK);
    for (int i = 0; i < POINTS; i++) {
        points[i] = dlp_vec(spread * (dlp_random((uint64_t)i, 1, 1) - 0.3), dlp_random((uint64_t)i, 1, 2),
                            dlp_random((uint64_t)i, 1, 3));
        reach[i] = (float)(i % 5 == 0 ? second_reach : 0.1);
    }
    arrange(&f, reach, points);
    return &f;
}

static void release_cloud(fixture *f)
{
    for (int k = 0; k < 2; k++) dlp_layer_release(&f->layers[k]);
}

static void lists_hold_exactly_what_brute_force_finds(void **state)
{
    (void)state;
    const bool open[3] = {false, false, false};
    fixture *f = make_cloud(open, 0.1, 1);
    dlp_lists lists = {0};
    compare_with_brute_force(f, &lists, DLP_TARGET_PLAIN, NULL, false);
    dlp_lists_release(&lists);
    release_cloud(f);
}

static void mixed_reaches_see_out_to_their_quadratic_mean(void **state)
{
    (void)state;
    const bool open[3] = {false, false, false};
    fixture *f = make_cloud(open, 0.27, 1);
    assert_int_equal(f->layer_count, 2);
    dlp_lists lists = {0};
    compare_with_brute_force(f, &lists, DLP_TARGET_PLAIN, NULL, true);
    dlp_lists_release(&lists);
    release_cloud(f);
}

static void periodic_axes_see_across_the_border(void **state)
{
    (void)state;
    const bool periodic[3] = {true, false, true};
    fixture *f = make_cloud(periodic, 0.1, 0.7);
    dlp_lists lists = {0};
    compare_with_brute_force(f, &lists, DLP_TARGET_PLAIN, NULL, false);
    dlp_lists_release(&lists);
    release_cloud(f);
}

static void narrow_periodic_axes_are_seen_around(void **state)
{
    (void)state;
    const bool periodic[3] = {true, true, true};
    fixture *f = make_cloud(periodic, 0.33, 1);  // three supports are the least there may be
    dlp_lists lists = {0};
    compare_with_brute_force(f, &lists, DLP_TARGET_PLAIN, NULL, true);
    dlp_lists_release(&lists);
    release_cloud(f);
}

static void lists_are_the_same_for_any_thread_count_and_instruction_set(void **state)
{
    (void)state;
    const bool open[3] = {false, false, false};
    fixture *f = make_cloud(open, 0.27, 1);
    dlp_target best;
    assert_int_equal(dlp_target_choose(NULL, &best, NULL), DLP_OK);
    dlp_team *team;
    assert_int_equal(dlp_team_create(3, &team, NULL), DLP_OK);
    dlp_lists one = {0}, many = {0};
    compare_with_brute_force(f, &one, DLP_TARGET_PLAIN, NULL, true);
    compare_with_brute_force(f, &many, best, team, true);
    for (int i = 0; i < POINTS; i++) {
        const int32_t length = dlp_list_end(&one, i, 1);
        assert_int_equal(length, dlp_list_end(&many, i, 1));
        assert_memory_equal(dlp_list_of(&one, i), dlp_list_of(&many, i), (size_t)length * sizeof(int32_t));
    }
    dlp_lists_release(&one);
    dlp_lists_release(&many);
    dlp_team_destroy(team);
    release_cloud(f);
}

// Around the period too, a float holds the difference of two neighbours as it is.
static void differences_along_a_periodic_axis_are_exact(void **state)
{
    (void)state;
    const bool periodic[3] = {true, true, false};
    const double lengths[] = {0.31, 1, 7.7, 3000};
    for (int k = 0; k < 4; k++) {
        dlp_units units;
        const dlp_box domain = {{-0.3, 0, 0}, {lengths[k] - 0.3, lengths[k], 0}};
        assert_int_equal(dlp_units_init(&units, 0.1, periodic, &domain, NULL), DLP_OK);
        for (int n = 0; n < 1000; n++) {
            const double x = lengths[k] * n / 1000, y = x + 0.3 * sin(n);
            const int64_t a = dlp_units_of(&units, 0, x), b = dlp_units_of(&units, 0, y);
            const int32_t difference = (int32_t)((uint32_t)b - (uint32_t)a);
            assert_true((double)(float)difference == difference);
            const double d = remainder(y - x, lengths[k]);
            const double coarsest = units.unit[0] * (1 << units.shift[0]);
            assert_true(coarsest <= dlp_cell_size(&units, 0, 0) / (1 << 17));
            // half a period either way is the same place
            if (fabs(fabs(d) - lengths[k] / 2) > 1e-3)
                assert_near(difference * units.unit[0], d, 2 * coarsest);
        }
    }
}

static void far_from_the_origin_positions_are_as_fine_as_near_it(void **state)
{
    (void)state;
    const bool open[3] = {false, false, false};
    dlp_units units;
    assert_int_equal(dlp_units_init(&units, 0.1, open, &(dlp_box){{0, 0, 0}, {0, 0, 0}}, NULL), DLP_OK);
    for (double origin = 0; origin < 40000; origin += 9999.5) {
        const int64_t a = dlp_units_of(&units, 0, origin), b = dlp_units_of(&units, 0, origin + 0.05);
        const int32_t difference = (int32_t)((uint32_t)b - (uint32_t)a);
        assert_near(difference * units.unit[0], 0.05, 2 * units.unit[0]);
        assert_true(dlp_units_near((uint32_t)a, b) == a);
    }
}

static void a_periodic_domain_too_small_for_its_particles_is_refused(void **state)
{
    (void)state;
    const bool periodic[3] = {true, false, false};
    dlp_units units;
    dlp_error error = {0};
    assert_int_equal(dlp_units_init(&units, 0.5, periodic, &(dlp_box){{0, 0, 0}, {1, 1, 1}}, &error),
                     DLP_INVALID);
    assert_non_null(strstr(error.message, "domain: 1 m along the periodic axis x"));
}

static void sorting_is_stable_and_the_same_for_any_thread_count(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    void *memory = malloc((size_t)DLP_SORT_BYTES * COUNT);
    dlp_team *team;
    assert_int_equal(dlp_team_create(4, &team, NULL), DLP_OK);
    for (int pass = 0; pass < 2; pass++) {
        dlp_sorter sorter = {0};
        assert_int_equal(dlp_sorter_prepare(&sorter, memory, COUNT, NULL), DLP_OK);
        for (int k = 0; k < COUNT; k++) sorter.keys[k] = dlp_hash((uint64_t)k) % 5000 << 20;
        dlp_sorter_sort(&sorter, COUNT, pass == 0 ? NULL : team);
        for (int k = 0; k < COUNT; k++) {
            assert_true(sorter.keys[k] == dlp_hash((uint64_t)sorter.order[k]) % 5000 << 20);
            if (k == 0) continue;
            assert_true(sorter.keys[k - 1] < sorter.keys[k] ||
                        (sorter.keys[k - 1] == sorter.keys[k] && sorter.order[k - 1] < sorter.order[k]));
        }
        dlp_sorter_release(&sorter);
    }
    dlp_team_destroy(team);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_hold_exactly_what_brute_force_finds),
        cmocka_unit_test(mixed_reaches_see_out_to_their_quadratic_mean),
        cmocka_unit_test(periodic_axes_see_across_the_border),
        cmocka_unit_test(narrow_periodic_axes_are_seen_around),
        cmocka_unit_test(lists_are_the_same_for_any_thread_count_and_instruction_set),
        cmocka_unit_test(differences_along_a_periodic_axis_are_exact),
        cmocka_unit_test(far_from_the_origin_positions_are_as_fine_as_near_it),
        cmocka_unit_test(a_periodic_domain_too_small_for_its_particles_is_refused),
        cmocka_unit_test(sorting_is_stable_and_the_same_for_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
