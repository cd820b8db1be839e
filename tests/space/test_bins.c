/* Points in hashed cells: a search finds all of them, however many, and always in the same order. */
#include "base/memory.h"
#include "base/random.h"
#include "space/bins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dlp_error error;

typedef struct crowd {
    dlp_bins bins;
    dlp_vec3 *points;
    int32_t count;
} crowd;

static double share(uint64_t key)
{
    return (double)(dlp_hash(key) >> 11) * 0x1p-53;
}

// `count` points in a cube of edge `size` about the origin, in cells of edge 1.
static crowd make_crowd(int32_t count, double size)
{
    crowd c = {.count = count, .points = malloc((size_t)count * sizeof(dlp_vec3))};
    assert_int_equal(dlp_bins_init(&c.bins, 1, count, &error), DLP_OK);
    for (int32_t k = 0; k < count; k++) {
        const uint64_t key = 3 * (uint64_t)k;
        c.points[k] =
            dlp_vec(size * (share(key) - 0.5), size * (share(key + 1) - 0.5), size * (share(key + 2) - 0.5));
        assert_int_equal(dlp_bins_add(&c.bins, k, c.points[k], &error), DLP_OK);
    }
    return c;
}

static void release_crowd(crowd *c)
{
    dlp_bins_release(&c->bins);
    free(c->points);
}

// All points within the distance, each once.
static void assert_finds_all(const crowd *c, dlp_vec3 x, double distance)
{
    uint8_t *times_found = calloc((size_t)c->count, 1);
    dlp_bins_search near = dlp_bins_near(&c->bins, c->points, x, distance);
    for (int32_t j; (j = dlp_bins_next(&near)) >= 0;) times_found[j]++;
    assert_int_equal(dlp_bins_next(&near), -1);  // and stays at the end
    for (int32_t k = 0; k < c->count; k++)
        assert_int_equal(times_found[k], dlp_length(dlp_sub(c->points[k], x)) < distance);
    free(times_found);
}

static void a_search_finds_what_brute_force_finds(void **state)
{
    (void)state;
    crowd c = make_crowd(3000, 8);
    for (int32_t k = 0; k < 100; k++)
        assert_finds_all(&c, c.points[k], 0.25 + 0.75 * share(1000 + (uint64_t)k));
    release_crowd(&c);
}

// Searches used to end at 64, 128, 256 or 4096 points without a word.
static void a_crowd_is_not_cut_off(void **state)
{
    (void)state;
    crowd c = make_crowd(20000, 0.5);
    assert_finds_all(&c, dlp_vec(0, 0, 0), 1);
    assert_finds_all(&c, dlp_vec(0.3, -0.2, 0.1), 0.2);
    release_crowd(&c);
}

static void two_searches_at_once_give_the_same_order(void **state)
{
    (void)state;
    crowd c = make_crowd(2000, 3);
    dlp_bins_search a = dlp_bins_near(&c.bins, c.points, c.points[7], 1);
    dlp_bins_search b = dlp_bins_near(&c.bins, c.points, c.points[7], 1);
    int32_t one, other, count = 0;
    do {
        one = dlp_bins_next(&a);
        other = dlp_bins_next(&b);
        assert_int_equal(one, other);
        count += one >= 0;
    } while (one >= 0);
    assert_true(count > 10);
    release_crowd(&c);
}

static void empty_bins_have_nobody(void **state)
{
    (void)state;
    dlp_bins bins;
    assert_int_equal(dlp_bins_init(&bins, 1, 0, &error), DLP_OK);
    dlp_bins_search near = dlp_bins_near(&bins, NULL, dlp_vec(0, 0, 0), 1);
    assert_int_equal(dlp_bins_next(&near), -1);
    dlp_bins_release(&bins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_finds_what_brute_force_finds),
        cmocka_unit_test(a_crowd_is_not_cut_off),
        cmocka_unit_test(two_searches_at_once_give_the_same_order),
        cmocka_unit_test(empty_bins_have_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
