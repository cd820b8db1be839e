/* Moving segments that pass through one another. */
#include "base/random.h"
#include "space/crossing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static dlp_moving_segment still(dlp_vec3 from, dlp_vec3 to)
{
    return (dlp_moving_segment){{from, to}, {from, to}};
}

static dlp_moving_segment moved(dlp_vec3 from, dlp_vec3 to, dlp_vec3 way)
{
    return (dlp_moving_segment){{from, to}, {dlp_add(from, way), dlp_add(to, way)}};
}

static void an_edge_that_passes_over_a_segment_meets_it(void **state)
{
    (void)state;
    const dlp_moving_segment link = still(dlp_vec(-1, 0, 0), dlp_vec(1, 0, 0));
    const dlp_vec3 down = dlp_vec(0, 0, -2);
    const dlp_moving_segment over = moved(dlp_vec(0, -1, 1), dlp_vec(0, 1, 1), down);
    const dlp_moving_segment beside = moved(dlp_vec(1.1, -1, 1), dlp_vec(1.1, 1, 1), down);
    const dlp_moving_segment short_of = moved(dlp_vec(0, 0.1, 1), dlp_vec(0, 1, 1), down);
    const dlp_moving_segment stops = moved(dlp_vec(0, -1, 1), dlp_vec(0, 1, 1), dlp_vec(0, 0, -0.9));
    assert_true(dlp_segments_meet(&over, &link));
    assert_true(dlp_segments_meet(&link, &over));
    assert_false(dlp_segments_meet(&beside, &link));
    assert_false(dlp_segments_meet(&short_of, &link));
    assert_false(dlp_segments_meet(&stops, &link));
}

// The volume is 10 (t - 0.6) (t - 0.9), and mirrored in time 10 (t - 0.4) (t - 0.1): positive at both ends,
// zero twice on one side of its least value in either half.
static void what_passes_and_comes_back_within_a_step_is_met(void **state)
{
    (void)state;
    const dlp_moving_segment link = still(dlp_vec(-5, 0, 0), dlp_vec(5, 0, 0));
    const dlp_moving_segment late = {{dlp_vec(0, 0, 0.54), dlp_vec(0, 1, 0.54)},
                                     {dlp_vec(0, -1, -0.96), dlp_vec(0, 0, 0.04)}};
    const dlp_moving_segment early = {{late.after[0], late.after[1]}, {late.before[0], late.before[1]}};
    const dlp_moving_segment reversed = still(link.before[1], link.before[0]);
    assert_true(dlp_segments_meet(&late, &link));
    assert_true(dlp_segments_meet(&late, &reversed));
    assert_true(dlp_segments_meet(&early, &link));
    assert_true(dlp_segments_meet(&early, &reversed));
}

static void what_moves_along_with_the_edge_is_not_met(void **state)
{
    (void)state;
    const dlp_vec3 way = dlp_vec(0.3, 0.2, -2);
    const dlp_moving_segment link = moved(dlp_vec(-1, 0, 0), dlp_vec(1, 0, 0), way);
    const dlp_moving_segment edge = moved(dlp_vec(0, -1, 1), dlp_vec(0, 1, 1), way);
    assert_false(dlp_segments_meet(&edge, &link));
}

static dlp_vec3 random_vec(uint64_t trial, uint64_t which)
{
    return dlp_vec(dlp_random(trial, which, 1) - 0.5, dlp_random(trial, which, 2) - 0.5,
                   dlp_random(trial, which, 3) - 0.5);
}

// A chain of segments that hangs together, and a long edge that sweeps through all of space: exactly the
// segments whose ends lie on two sides of the swept plane are met, in one step or in many, while the chain
// moves along with its world.
static void a_chain_is_cut_where_it_passes_the_plane_however_many_steps_that_takes(void **state)
{
    (void)state;
    enum { LINKS = 40 };
    for (uint64_t trial = 0; trial < 50; trial++) {
        const int steps = trial % 2 == 0 ? 1 : 7;
        const dlp_vec3 drift = random_vec(trial, 99);
        for (uint64_t n = 0; n < LINKS; n++) {
            const dlp_vec3 p = random_vec(trial, n), q = random_vec(trial, n + 1);
            bool is_met = false;
            for (int k = 0; k < steps; k++) {
                const double t0 = (double)k / steps, t1 = (k + 1.0) / steps;
                const dlp_vec3 d0 = dlp_mul(drift, t0), d1 = dlp_mul(drift, t1);
                const dlp_moving_segment link = {{dlp_add(p, d0), dlp_add(q, d0)},
                                                 {dlp_add(p, d1), dlp_add(q, d1)}};
                const dlp_vec3 low = dlp_vec(0.01, -9, 3), high = dlp_vec(0.01, 9, 3),
                               fall = dlp_vec(0, 0, -6);
                const dlp_vec3 e0 = dlp_along(d0, fall, t0), e1 = dlp_along(d1, fall, t1);
                const dlp_moving_segment edge = {{dlp_add(low, e0), dlp_add(high, e0)},
                                                 {dlp_add(low, e1), dlp_add(high, e1)}};
                is_met = is_met || dlp_segments_meet(&edge, &link);
            }
            assert_int_equal(is_met, (p.x < 0.01) != (q.x < 0.01));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_that_passes_over_a_segment_meets_it),
        cmocka_unit_test(what_passes_and_comes_back_within_a_step_is_met),
        cmocka_unit_test(what_moves_along_with_the_edge_is_not_met),
        cmocka_unit_test(a_chain_is_cut_where_it_passes_the_plane_however_many_steps_that_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
