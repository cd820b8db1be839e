/* What a checkpoint brings into the solids is looked at before it is used. */
#include "solids.h"

// As a load ends: values first, one by one, then what they say together.
static dlp_status end_load(dlp_solid *solid, dlp_error *error)
{
    dlp_manifest manifest = {0};
    dlp_solid_manifest(solid, &manifest);
    const dlp_status status = dlp_manifest_check_values(&manifest, error);
    dlp_manifest_release(&manifest);
    return status == DLP_OK ? dlp_solid_end_load(solid, error) : status;
}

// The load is refused with a value that no run can have left, and taken with the one it had.
#define REFUSED(place, value)                                                                                \
    do {                                                                                                     \
        const __typeof__(place) kept = (place);                                                              \
        dlp_error error = {0};                                                                               \
        (place) = (value);                                                                                   \
        assert_int_equal(end_load(s->solid, &error), DLP_IO);                                                \
        assert_non_null(strstr(error.message, "solid"));                                                     \
        (place) = kept;                                                                                      \
    } while (0)

static void refuse_clocks(const solid_setup *s)
{
    dlp_solid_state *now = &s->solid->state;
    REFUSED(now->clock.start, (double)NAN);
    REFUSED(now->clock.start, now->clock.start - 1);  // not that of the world's interval
    REFUSED(now->clock.end, now->clock.end + 1);
    REFUSED(now->clock.end, 1e300);
    REFUSED(now->clock.step_count, INT32_MAX);  // would never end
    REFUSED(now->clock.step_count, 0);
    REFUSED(now->clock.step, -1);
    REFUSED(now->clock.step, now->clock.step_count + 1);
    REFUSED(now->clock.tick, -1);
    REFUSED(now->clock.tick, DLP_SOLID_STEP_TICKS);
    REFUSED(now->clock.tick, 1);  // no multiple of the stride
    REFUSED(now->clock.stride, 0);
    REFUSED(now->clock.stride, -DLP_SOLID_STEP_TICKS);
    REFUSED(now->clock.stride, 3);
    REFUSED(now->clock.stride, 2 * DLP_SOLID_STEP_TICKS);
    REFUSED(now->last_step, -1e-3);
    REFUSED(now->last_step, HUGE_VAL);
    REFUSED(now->stiffening, (double)NAN);
    REFUSED(now->stiffening, 1e9);  // would need as many sub-steps
    REFUSED(now->counts.substeps, -1);
    REFUSED(now->counts.dt_max, (double)NAN);
}

static void refuse_particles(const solid_setup *s)
{
    const dlp_solid_particles *p = &s->solid->state.particles;
    double *const numbers[] = {p->position,      p->velocity, p->step_displacement,
                               p->last_velocity, p->x0,       p->start_place};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        REFUSED(numbers[k][4], (double)NAN);
        REFUSED(numbers[k][4], 1e200);  // its square is not finite
    }
    REFUSED(p->mass[1], 0);
    REFUSED(p->mass[1], 1e-300);  // its inverse is no float
    REFUSED(p->rotation[4], 2);
    REFUSED(p->plastic[9], 1e30f);
    REFUSED(p->displacement[3], NAN);
    REFUSED(p->pressing[1], -1);
    REFUSED(p->pressing[1], NAN);
    REFUSED(p->contact_time[1], -1);
    REFUSED(p->contact_time[1], INFINITY);
    REFUSED(p->substance[1], 1);
    REFUSED(p->body[1], 1);
    REFUSED(p->pin[1], 1);
    REFUSED(p->pin[1], -2);
    REFUSED(p->layer[1], 3);
    REFUSED(p->id[1], -1);
}

static void values_that_no_run_can_have_left_are_not_loaded(void **state)
{
    (void)state;
    dlp_error error = {0};
    solid_setup setup = make_box(dlp_vec(0.2, 0.1, 0.1), 0.02), *s = &setup;
    hold_box(s, dlp_vec(-1, -1, -1), dlp_vec(0.05, 1, 1));
    open_solid(s);
    assert_int_equal(end_load(s->solid, &error), DLP_OK);  // before the first interval
    settle(s, 0.05);
    assert_int_equal(end_load(s->solid, &error), DLP_OK);
    refuse_clocks(s);
    refuse_particles(s);
    assert_int_equal(end_load(s->solid, &error), DLP_OK);
    close_solid(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_no_run_can_have_left_are_not_loaded),
    };
    return cmocka_run_group_tests_name("solid_checkpoint", tests, NULL, NULL);
}
