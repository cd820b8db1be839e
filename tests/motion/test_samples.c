/* Contact samples: the surfaces that bodies show, and what is handed back to them. */
#include "scenes.h"
#include "base/memory.h"
#include "matter/norm.h"
#include "motion/samples.h"
#include "motion/setting.h"
#include "motion/sph/sph.h"

enum { DIMENSION = 3 };
#define SPACING 0.05

static const char ball_scene[] =
    "frames: {rate: 100, count: 10}\n"
    "substances: {water: {material: water, particle: {spacing: 0.05}, shape: {sphere: {center: [5, 5, 5], "
    "radius: 0.1}}}}\n"
    "obstacles:\n"
    "  - {name: ball, sphere: {radius: 0.5}, pivot: [0, 0, 0.2],\n"
    "     position: {keys: [[0, [0, 0, 0]], [1, [2, 0, 0]]]},\n"
    "     rotation: {keys: [[0, [0, 0, 0]], [1, [0, 0, 90]]]}}\n"
    "  - {name: floor, box: {min: [-3, -3, -2], max: [3, 3, -1]}}\n";

// Of the cubic spline's kind, normalised in space: what a consumer would give.
static double weight(const void *context, double r, double h)
{
    (void)context;
    const double q = r / h;
    return q >= 2 ? 0 : 21 / (16 * DLP_PI * h * h * h) * pow(1 - q / 2, 4) * (1 + 2 * q);
}

typedef struct fixture {
    setup scene;
    dlp_setting *setting;
    dlp_team *team;
    dlp_sample_set set;
    dlp_samples samples;
} fixture;

static void make_ball(fixture *f, int32_t threads)
{
    dlp_error error = {0};
    f->scene = make_setup(ball_scene);
    f->setting = dlp_alloc(1, sizeof *f->setting, "test");
    const dlp_scene_def *def;
    expect_ok(dlp_scene_resolve(f->scene.scene, &def, &error), &error);
    expect_ok(dlp_setting_init(f->setting, def, 1, &error), &error);
    expect_ok(dlp_team_create(threads, &f->team, &error), &error);
    const dlp_box everywhere = {{-1, -1, -1}, {1, 1, 1}};
    const dlp_sample_request request = {.shape = f->setting->bodies.items[0].shape,
                                        .region = everywhere,
                                        .dimension = DIMENSION,
                                        .spacing = SPACING,
                                        .h = 1.3 * SPACING,
                                        .kernel = DLP_KERNEL_WENDLAND,
                                        .weight = weight,
                                        .team = f->team};
    expect_ok(dlp_sample_set_make(&request, &f->set, &error), &error);
}

// All samples of the ball, as a consumer that is near all of them takes them.
static void take_all(fixture *f)
{
    dlp_error error = {0};
    dlp_samples *s = &f->samples;
    expect_ok(dlp_samples_reserve(s, f->set.count, &error), &error);
    dlp_samples_clear(s);
    s->sets = &f->set;
    s->count = f->set.count;
    for (int32_t k = 0; k < s->count; k++) {
        s->owner[k] = s->set[k] = 0;
        s->point[k] = k;
        s->by_owner[k] = k;
        s->volume[k] = f->set.volume[k];
    }
    expect_ok(dlp_samples_add_run(s, 0, 0, s->count, &error), &error);
}

static void release(fixture *f)
{
    dlp_samples_release(&f->samples);
    dlp_sample_set_release(&f->set);
    dlp_setting_release(f->setting);
    dlp_free(f->setting);
    dlp_team_destroy(f->team);
    release_setup(&f->scene);
}

// Two layers reach 2h deep: their volume is that of the shell, within what a lattice on a sphere of ten
// spacings leaves open.
static void samples_lie_in_layers_below_the_surface(void **state)
{
    (void)state;
    fixture f = {0};
    make_ball(&f, 1);
    const double depth = ceil(2 * 1.3) * SPACING;
    double volume = 0;
    for (int32_t k = 0; k < f.set.count; k++) {
        const double r = dlp_length(f.set.at[k]);
        assert_true(r < 0.5 && r > 0.5 - depth - SPACING);  // rounding may add a point of the next layer
        assert_near(dlp_dot(f.set.normal[k], f.set.at[k]), r, 1e-9);
        volume += (double)f.set.volume[k];
    }
    const double shell = 4 * DLP_PI / 3 * (pow(0.5, 3) - pow(0.5 - depth, 3));
    assert_near(volume, shell, 0.1 * shell);
    release(&f);
}

static void samples_move_with_their_body(void **state)
{
    (void)state;
    fixture f = {0};
    make_ball(&f, 1);
    take_all(&f);
    dlp_setting_begin(f.setting, 0, 1);
    const int64_t half = DLP_INTERVAL_TICKS / 2;
    dlp_setting_set_tick(f.setting, half);
    dlp_samples_place(&f.samples, f.team, &f.setting->bodies, half);
    assert_true(dlp_samples_hold(&f.samples, half) && !dlp_samples_hold(&f.samples, half + 1));
    const double angle = DLP_PI / 4, omega = DLP_PI / 2;
    for (int32_t k = 0; k < f.samples.count; k++) {
        const dlp_vec3 x = f.set.at[k];
        const dlp_vec3 at =
            dlp_vec(cos(angle) * x.x - sin(angle) * x.y + 1, sin(angle) * x.x + cos(angle) * x.y, x.z);
        const double *place = f.samples.position + 3 * k;
        const float *v = f.samples.velocity + 3 * k;
        assert_near(place[0], at.x, 1e-12);
        assert_near(place[1], at.y, 1e-12);
        assert_near(place[2], at.z, 1e-12);
        assert_near((double)v[0], 2 - omega * at.y, 1e-6);  // v + omega x r, in floats
        assert_near((double)v[1], omega * (at.x - 1), 1e-6);
        assert_near((double)v[2], 0, 1e-6);
    }
    dlp_samples_begin(&f.samples);  // another interval has ticks of its own
    assert_false(dlp_samples_hold(&f.samples, half));
    release(&f);
}

// A pressure of p on a closed surface of samples has no resultant; a force f at each adds up, and so do
// moments.
static void forces_are_handed_back_as_loads_and_impulses(void **state)
{
    (void)state;
    dlp_body_load loads[2][2] = {0};
    for (int32_t t = 0; t < 2; t++) {
        fixture f = {0};
        make_ball(&f, t == 0 ? 1 : 3);
        take_all(&f);
        dlp_setting_begin(f.setting, 0, 1);
        dlp_samples_place(&f.samples, f.team, &f.setting->bodies, 0);
        dlp_vec3 sum = {0}, moment = {0};
        for (int32_t k = 0; k < f.samples.count; k++) {
            float *force = f.samples.force + 3 * k;
            const dlp_vec3 x = f.set.at[k];
            const dlp_vec3 f_k = dlp_vec(1 + x.z, -x.x, 2 * x.y);
            force[0] = (float)f_k.x;
            force[1] = (float)f_k.y;
            force[2] = (float)f_k.z;
            const dlp_vec3 stored = dlp_vec((double)force[0], (double)force[1], (double)force[2]);
            sum = dlp_add(sum, stored);
            moment = dlp_add(moment, dlp_cross(dlp_sub(x, dlp_vec(0, 0, 0.2)), stored));
        }
        dlp_body_load *load = loads[t];
        load[0].force = dlp_vec(10, 0, 0);  // what it was when the step began
        dlp_samples_hand_back(&f.samples, f.team, &f.setting->bodies, 0.5, load);
        const double scale = f.samples.count;
        assert_near(load[0].force.x, sum.x, 1e-12 * scale);
        assert_near(load[0].torque.y, moment.y, 1e-12 * scale);
        assert_near(load[0].torque.z, moment.z, 1e-12 * scale);
        assert_near(load[0].impulse.x, 0.25 * (10 + sum.x), 1e-12 * scale);
        assert_near(load[0].angular_impulse.z, 0.25 * moment.z, 1e-12 * scale);
        assert_true(load[1].force.x == 0 && load[1].impulse.x == 0);
        release(&f);
    }
    assert_memory_equal(loads[0], loads[1], sizeof loads[0]);
}

// What the solver has taken is what bodies feel: the forces at its samples add up to the load.
static void the_samples_of_a_solver_bear_its_load(void **state)
{
    (void)state;
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1, .measures_loads = true};
    setup s = make_setup_in(NULL, dam_scene, &options);
    step_frames(s.world, 2);
    const dlp_sph *sph = dlp_sph_of(s.world);
    const dlp_samples *samples = dlp_sph_solver.samples(sph);
    assert_true(samples->count > 100);
    double force[3] = {0};
    for (int32_t k = 0; k < samples->count; k++)
        for (int axis = 0; axis < 3; axis++) force[axis] += (double)samples->force[3 * k + axis];
    double load = 0, size = 0;
    for (int32_t k = 0; k < dlp_world_item_count(s.world, DLP_ITEM_OBSTACLE); k++) {
        load += dlp_world_body_load(s.world, k).force.z;
        size += fabs(dlp_world_body_load(s.world, k).force.z);
    }
    assert_near(force[2], load, 1e-6 * size);  // the same floats in another order
    assert_true(size > 0);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_lie_in_layers_below_the_surface),
        cmocka_unit_test(samples_move_with_their_body),
        cmocka_unit_test(forces_are_handed_back_as_loads_and_impulses),
        cmocka_unit_test(the_samples_of_a_solver_bear_its_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
