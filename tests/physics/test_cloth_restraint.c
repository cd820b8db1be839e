/* Restrained cloth against the same cloth without restraint: where it comes to rest, what that costs, and
 * that nothing violent makes it less stable. */
#include "cloths.h"

static int32_t count_restrained(const cloth_setup *s)
{
    int32_t count = 0;
    for (int32_t i = 0; i < s->cloth->state.particles.count; i++)
        count += s->cloth->state.particles.state[i] == 2;
    return count;
}

// A cloth that swings down and comes to rest.

// Level at first, held by two corners.
static void hang(cloth_setup *s, bool is_restrained, double stiffness, dlp_restraint_form form)
{
    const double size = 0.8, spacing = 0.05;
    *s = make_cloth(size, spacing);
    s->substance.cloth.stretch_warp = s->substance.cloth.stretch_weft = stiffness;
    s->substance.cloth.damping = 1;
    s->substance.cloth.bend = 1e-4;  // so that there is but one way to hang
    s->substance.adapt_restraint = is_restrained;
    s->substance.restraint.form = form;
    attach(s, dlp_vec(-size / 2, -size / 2, 0), 1e-3);
    attach(s, dlp_vec(-size / 2, size / 2, 0), 1e-3);
    open_cloth(s);
    s->cloth->params.is_first_order = true;  // as what is restrained and hangs is: the same swings
}

static double distance_between(const cloth_setup *a, const cloth_setup *b)
{
    double sum = 0;
    for (int32_t i = 0; i < a->cloth->state.particles.count; i++) {
        const dlp_vec3 d = dlp_sub(place_of(a, i), place_of(b, i));
        sum += dlp_dot(d, d);
    }
    return sqrt(sum / a->cloth->state.particles.count);
}

// Cost is counted in products of a particle's row with a vector: nearly all of a step's time.
static void a_restrained_cloth_comes_to_rest_where_the_plain_one_does_for_less(void **state)
{
    (void)state;
    const double stiffnesses[] = {1000, 3000};
    for (int k = 0; k < 2; k++) {
        cloth_setup plain, restrained;
        hang(&plain, false, stiffnesses[k], DLP_RESTRAINT_CONVEX);
        hang(&restrained, true, stiffnesses[k], DLP_RESTRAINT_CONVEX);
        int64_t plain_cost = 0, held_cost = 0;
        for (int second = 0; second < 20; second++) {
            advance_cloth(&plain, 1);
            advance_cloth(&restrained, 1);
            plain_cost += plain.cloth->state.counts.products;
            held_cost += restrained.cloth->state.counts.products;
        }
        assert_true(distance_between(&plain, &restrained) < 0.1 * 0.05);
        assert_int_equal(count_restrained(&restrained), restrained.cloth->state.particles.count);
        assert_int_equal(restrained.cloth->state.counts.solves, 0);
        assert_int_equal(restrained.cloth->state.counts.force_evaluations, 0);
        assert_true((double)plain_cost > 2.7 * (double)held_cost);
        close_cloth(&plain);
        close_cloth(&restrained);
    }
}

static void only_what_is_disturbed_wakes(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(2, 0.05);
    s.substance.adapt_restraint = true;
    s.substance.cloth.damping = 4;
    s.substance.cloth.stretch_warp = s.substance.cloth.stretch_weft = 20;
    s.scene.gravity = dlp_vec(0, 0, 0);
    for (int side = -1; side <= 1; side += 2) {
        dlp_attachment_def *a = attach(&s, dlp_vec(0, 0, 0), 0);
        a->shape = (dlp_shape_def){
            .kind = DLP_SHAPE_BOX, .min = dlp_vec(side - 0.01, -2, -1), .max = dlp_vec(side + 0.01, 2, 1)};
    }
    open_cloth(&s);
    for (int k = 0; k < 5; k++) advance_cloth(&s, 1.0 / 60);
    assert_int_equal(count_restrained(&s), s.cloth->state.particles.count);
    s.cloth->state.particles.velocity[3 * (20 * 41 + 20) + 2] = 1;
    advance_cloth(&s, 1.0 / 60);
    const int32_t awake = s.cloth->state.particles.count - count_restrained(&s);
    assert_in_range(awake, 5, s.cloth->state.particles.count / 3);
    close_cloth(&s);
}

// Disturbance.

typedef enum disturbance { SHAKE, PULL, HIT, LET_GO } disturbance;

typedef struct outcome {
    double speed, strain, energy;  // m/s, 1, J above the start: the largest after the event
} outcome;

enum { CELLS = 10 };
#define EDGE  0.5
#define EVENT 3.0

static double largest_strain(const cloth_setup *s)
{
    double largest = 0;
    for (int32_t t = 0; t < s->cloth->params.triangles.count; t++)
        for (int k = 0; k < 3; k++) {
            const int32_t a = dlp_cloth_corners_of(&s->cloth->state.corners, t)[k],
                          b = dlp_cloth_corners_of(&s->cloth->state.corners, t)[(k + 1) % 3];
            const double now = dlp_length(dlp_sub(place_of(s, a), place_of(s, b)));
            const bool is_side = abs(a - b) == 1 || abs(a - b) == CELLS + 1;
            if (is_side) largest = fmax(largest, now / (EDGE / CELLS) - 1);
        }
    return largest;
}

static double energy_of(const cloth_setup *s)
{
    dlp_stats stats = {.size = sizeof stats};
    dlp_cloth_measure(s->cloth, &stats);
    return stats.kinetic_energy + stats.potential_energy;
}

static cloth_setup make_hanging(double ratio, double step, bool is_restrained)
{
    const double spacing = EDGE / CELLS, mass = 0.15 * spacing * spacing;
    cloth_setup s = make_cloth(EDGE, spacing);
    const double stiffness = ratio * mass / (step * step);
    s.substance.cloth.stretch_warp = s.substance.cloth.stretch_weft = stiffness;
    s.substance.cloth.shear = 0.1 * stiffness;
    s.substance.cloth.damping = 2;
    s.substance.adapt_restraint = is_restrained;
    s.substance.shape.axis = dlp_vec(0, 1, 0);
    s.scene.step = step;
    dlp_attachment_def *top = attach(&s, dlp_vec(0, 0, 0), 0);
    top->shape = (dlp_shape_def){
        .kind = DLP_SHAPE_BOX, .min = dlp_vec(-1, -1, EDGE / 2 - 1e-3), .max = dlp_vec(1, 1, 1)};
    return s;
}

// Hangs until `EVENT`, then something happens; what it did within 0.6 s.
// Restrained, of first order as what is restrained is, or plain.
typedef enum scheme { RESTRAINED, FIRST_ORDER, PLAIN } scheme;

static outcome disturb(disturbance kind, double ratio, double step, scheme kind_of_step)
{
    static const double SHAKE_TIMES[] = {EVENT, EVENT + 0.1, EVENT + 0.3, EVENT + 0.4};
    static const double SHAKE_PLACES[] = {0, 0, 0, 0, 0.5, 0, 0, -0.5, 0, 0, 0, 0};
    static const double PULL_TIMES[] = {EVENT, EVENT + 0.02};
    static const double PULL_PLACES[] = {0, 0, 0, 0.4, 0, 0};
    double times[4], places[12];
    memcpy(times, kind == SHAKE ? SHAKE_TIMES : PULL_TIMES,
           kind == SHAKE ? sizeof SHAKE_TIMES : sizeof PULL_TIMES);
    memcpy(places, kind == SHAKE ? SHAKE_PLACES : PULL_PLACES,
           kind == SHAKE ? sizeof SHAKE_PLACES : sizeof PULL_PLACES);
    cloth_setup s = make_hanging(ratio, step, kind_of_step == RESTRAINED);
    s.tracks[0] =
        (dlp_track){.components = 3, .key_count = kind == SHAKE ? 4 : 2, .times = times, .values = places};
    if (kind == SHAKE) s.attachments[0].position_track = &s.tracks[0];
    if (kind == PULL) {
        dlp_attachment_def *corner = attach(&s, dlp_vec(EDGE / 2, 0, -EDGE / 2), 1e-3);
        corner->start = EVENT;
        corner->position_track = &s.tracks[0];
    }
    open_cloth(&s);
    s.cloth->params.is_first_order = kind_of_step != PLAIN;
    while (s.time < EVENT - 1e-9) advance_cloth(&s, step);
    for (int32_t i = 0; kind == HIT && i < s.cloth->state.particles.count; i++)
        if (fabs(place_of(&s, i).x) < 0.08 && fabs(place_of(&s, i).z) < 0.08)
            s.cloth->state.particles.velocity[3 * i + 1] += 5;
    if (kind == LET_GO) s.attachments[0].stop = EVENT;
    const double before = energy_of(&s);
    outcome out = {0, 0, -1e30};
    while (s.time < EVENT + 0.6 - 1e-9) {
        advance_cloth(&s, step);
        out.speed = fmax(out.speed, fastest_of(&s));
        out.strain = fmax(out.strain, largest_strain(&s));
        out.energy = fmax(out.energy, energy_of(&s) - before);
        assert_true(isfinite(energy_of(&s)));
    }
    close_cloth(&s);
    return out;
}

// Hidden momentum counts as speed: nothing may be kicked. A stiff cloth multiplies what differs in the first
// step, hence the shares.
static void a_disturbed_restrained_cloth_is_as_stable_as_a_plain_one(void **state)
{
    (void)state;
    const double steps[] = {0.01, 1.0 / 60};
    for (int h = 0; h < 2; h++)
        for (disturbance kind = SHAKE; kind <= LET_GO; kind++)
            for (double ratio = 0.1; ratio < 2e4; ratio *= 10) {
                const outcome plain = disturb(kind, ratio, steps[h], FIRST_ORDER);
                const outcome restrained = disturb(kind, ratio, steps[h], RESTRAINED);
                assert_true(restrained.speed < 1.2 * plain.speed + 0.1);
                assert_true(restrained.strain < 1.15 * plain.strain + 0.02);
                assert_true(restrained.energy < 1.15 * plain.energy + 1e-2);
                // what nothing drives from outside gains no energy
                if (kind == HIT || kind == LET_GO) {
                    assert_true(restrained.energy < 1e-3);
                    assert_true(disturb(kind, ratio, steps[h], PLAIN).energy < 1e-3);
                }
            }
}

// A stiff cloth that is shaken keeps its lengths: what a linearised step would stretch is done in shorter
// ones.
static void a_stiff_cloth_does_not_stretch_when_it_is_shaken(void **state)
{
    (void)state;
    assert_true(disturb(SHAKE, 1000, 0.01, true).strain < 0.15);
    assert_true(disturb(SHAKE, 1e4, 1.0 / 60, true).strain < 0.15);
    assert_true(disturb(HIT, 1e4, 1.0 / 60, true).strain < 0.1);
}

// The forms of the paper run as well, for comparison.
static void the_paper_forms_hang_a_soft_cloth(void **state)
{
    (void)state;
    for (int form = DLP_RESTRAINT_ENERGY; form <= DLP_RESTRAINT_MOMENTUM; form++) {
        cloth_setup plain, s;
        hang(&plain, false, 10, DLP_RESTRAINT_CONVEX);
        hang(&s, true, 10, (dlp_restraint_form)form);
        s.scene.step = plain.scene.step = 2e-3;
        for (int k = 0; k < 50; k++) {
            advance_cloth(&plain, 0.01);
            advance_cloth(&s, 0.01);
        }
        assert_true(distance_between(&plain, &s) < 0.05 * 0.8);
        close_cloth(&plain);
        close_cloth(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restrained_cloth_comes_to_rest_where_the_plain_one_does_for_less),
        cmocka_unit_test(only_what_is_disturbed_wakes),
        cmocka_unit_test(a_disturbed_restrained_cloth_is_as_stable_as_a_plain_one),
        cmocka_unit_test(a_stiff_cloth_does_not_stretch_when_it_is_shaken),
        cmocka_unit_test(the_paper_forms_hang_a_soft_cloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
