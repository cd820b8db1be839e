/* Contacts of cloth alone: sheets of loose particles against obstacles, each other and the air. */
#include "cloth_contact_fixture.h"

#include "base/random.h"

#define G 9.81

static double any(uint64_t k)
{
    return dlp_random(k, 0, 0);
}
static dlp_vec3 any_point(uint64_t k)
{
    return dlp_vec(any(3 * k) - 0.5, any(3 * k + 1) - 0.5, any(3 * k + 2) - 0.5);
}

// Nearness.

// Truth: the smallest of a fine raster of both parts' points.
static double raster_distance(dlp_cloth_contact_kind kind, const dlp_vec3 x[4])
{
    enum { N = 200 };
    double least = 1e30;
    for (int a = 0; a <= N; a++)
        for (int b = 0; b <= N; b++) {
            const double s = (double)a / N, t = (double)b / N;
            dlp_vec3 apart;
            if (kind == DLP_CLOTH_EDGE_EDGE) {
                apart =
                    dlp_sub(dlp_along(x[0], dlp_sub(x[1], x[0]), s), dlp_along(x[2], dlp_sub(x[3], x[2]), t));
            } else {
                const dlp_vec3 to = dlp_along(dlp_along(x[1], dlp_sub(x[2], x[1]), s),
                                              dlp_sub(x[3], dlp_along(x[1], dlp_sub(x[2], x[1]), s)), t);
                apart = dlp_sub(x[0], to);
            }
            least = fmin(least, dlp_length(apart));
        }
    return least;
}

static void the_nearest_points_are_as_near_as_any(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        const dlp_vec3 x[4] = {any_point(4 * k), any_point(4 * k + 1), any_point(4 * k + 2),
                               any_point(4 * k + 3)};
        for (int kind = 0; kind < 2; kind++) {
            const dlp_cloth_closest closest = dlp_cloth_closest_points((dlp_cloth_contact_kind)kind, x);
            const double truth = raster_distance((dlp_cloth_contact_kind)kind, x);
            assert_true(closest.distance <= truth + 1e-12);
            assert_true(closest.distance >= truth - 0.01);  // the raster is 0.005 of a side of up to 1.7 wide
        }
    }
}

// Truth: the four points' volume changes its sign only by passing through a plane; 2000 places on the way.
static void what_passes_through_is_always_found(void **state)
{
    (void)state;
    int32_t passed = 0;
    for (uint64_t k = 0; k < 400; k++) {
        dlp_vec3 from[4], to[4];
        for (uint64_t c = 0; c < 4; c++) {
            from[c] = any_point(8 * k + c);
            to[c] = any_point(8 * k + 4 + c);
        }
        for (int kind = 0; kind < 2; kind++) {
            const double gap = 1e-3,
                         start = dlp_cloth_closest_points((dlp_cloth_contact_kind)kind, from).distance;
            double first = 2;
            for (int s = 0; s <= 2000 && first > 1; s++) {
                dlp_vec3 x[4];
                for (int c = 0; c < 4; c++) x[c] = dlp_along(from[c], dlp_sub(to[c], from[c]), s / 2000.0);
                if (dlp_cloth_closest_points((dlp_cloth_contact_kind)kind, x).distance < gap)
                    first = s / 2000.0;
            }
            const double share = dlp_cloth_time_of_impact((dlp_cloth_contact_kind)kind, from, to, gap);
            if (start > 10 * gap && first <= 1) {
                assert_true(share <= first + 1e-9);
                passed++;
            }
        }
    }
    assert_true(passed > 20);
}

// Obstacles.

static dlp_shape_def box_shape(dlp_vec3 min, dlp_vec3 max)
{
    return (dlp_shape_def){.kind = DLP_SHAPE_BOX, .min = min, .max = max};
}

static void a_fast_sheet_does_not_pass_a_thin_plate(void **state)
{
    (void)state;
    contact_fixture *r = make_fixture(1e-3, 0.3);
    add_sheet(r, 12, 12, dlp_vec(-0.11, -0.11, 0.25), dlp_vec(0.02, 0, 0), dlp_vec(0, 0.02, 0));
    add_obstacle(r, box_shape(dlp_vec(-1, -1, -5e-4), dlp_vec(1, 1, 5e-4)), 0.3, 0.5);
    start_fixture(r);
    set_velocity(r, 0, r->p.count, dlp_vec(3, 0, -20));
    const double before = kinetic_energy(r);
    for (int k = 0; k < 6; k++) {
        step_fixture(r, 1.0 / 60);
        for (int32_t i = 0; i < r->p.count; i++) assert_true(r->x[3 * i + 2] > 9.99e-4);
        assert_true(kinetic_energy(r) <= before * (1 + 1e-12));
    }
    destroy_fixture(r);
}

// The ball is smaller than a cell and meets the middle of one at 20 m/s: no particle is near.
static void a_ball_smaller_than_a_cell_does_not_slip_through(void **state)
{
    (void)state;
    const dlp_shape_def ball = {.kind = DLP_SHAPE_SPHERE, .center = {0.022, 0.004, 0}, .radius = 4e-3};
    contact_fixture *r = make_fixture(1e-3, 0);
    add_sheet(r, 6, 6, dlp_vec(-0.05, -0.05, 0.2), dlp_vec(0.02, 0, 0), dlp_vec(0, 0.02, 0));
    add_obstacle(r, ball, 0, 0);
    start_fixture(r);
    set_velocity(r, 0, r->p.count, dlp_vec(0, 0, -20));
    step_fixture(r, 1.0 / 60);
    double nearest = 1e30, height = -1;
    for (int32_t t = 0; t < r->triangles.count; t++) {
        const int32_t *c = dlp_cloth_corners_of(&r->corners, t);
        const dlp_vec3 x[4] = {ball.center, dlp_get3(r->x, c[0]), dlp_get3(r->x, c[1]), dlp_get3(r->x, c[2])};
        const dlp_cloth_closest closest = dlp_cloth_closest_points(DLP_CLOTH_VERTEX_FACE, x);
        assert_true(closest.distance > 4e-3);
        if (closest.distance < nearest) height = -closest.apart.z;
        nearest = fmin(nearest, closest.distance);
    }
    assert_true(height > 4e-3);  // the triangle that met it is still above
    destroy_fixture(r);
}

static contact_fixture *lay_on_slope(double degrees, double friction)
{
    const double a = degrees * DLP_PI / 180;
    contact_fixture *r = make_fixture(1e-3, 0.3);
    add_sheet(r, 6, 6, dlp_vec(0, 0, 1e-3), dlp_vec(0.02, 0, 0), dlp_vec(0, 0.02, 0));
    add_obstacle(r, box_shape(dlp_vec(-5, -5, -1), dlp_vec(50, 5, 0)), friction, 0.2);
    r->scene.gravity = dlp_vec(G * sin(a), 0, -G * cos(a));
    start_fixture(r);
    return r;
}

static void below_the_angle_of_friction_a_sheet_stays(void **state)
{
    (void)state;
    contact_fixture *r = lay_on_slope(26, 0.5);  // atan 0.5 = 26.6 degrees
    for (int k = 0; k < 60; k++) step_fixture(r, 1.0 / 60);
    const double x = r->x[0];
    assert_near(x, 0, 3e-4);  // it may slip while it lands
    for (int k = 0; k < 60; k++) step_fixture(r, 1.0 / 60);
    assert_near(r->x[0], x, 0);
    destroy_fixture(r);
}

static void above_it_a_sheet_slides_as_coulomb_says(void **state)
{
    (void)state;
    contact_fixture *r = lay_on_slope(35, 0.5);
    const double a = 35 * DLP_PI / 180, truth = G * (sin(a) - 0.5 * cos(a));
    for (int k = 0; k < 20; k++) step_fixture(r, 1.0 / 60);
    const double v = r->v[0];
    for (int k = 0; k < 60; k++) step_fixture(r, 1.0 / 60);
    assert_near(r->v[0] - v, truth, 1e-9 * truth);
    assert_near(r->v[2], 0, 1e-12);
    destroy_fixture(r);
}

// Cloth and cloth.

static contact_fixture *make_crash(void)
{
    contact_fixture *r = make_fixture(2e-3, 0.3);
    add_sheet(r, 12, 12, dlp_vec(-0.11, -0.11, 0.03), dlp_vec(0.02, 0, 0), dlp_vec(0, 0.02, 0.001));
    add_sheet(r, 11, 11, dlp_vec(-0.1, -0.09, 0), dlp_vec(0.017, 0.006, 0), dlp_vec(-0.006, 0.017, 0));
    start_fixture(r);
    set_velocity(r, 0, 144, dlp_vec(0.5, 0, -8));
    set_velocity(r, 144, r->p.count, dlp_vec(0, 0.3, 4));
    for (int32_t i = 0; i < r->p.count; i++)
        dlp_put3(r->v, i, dlp_along(dlp_get3(r->v, i), any_point((uint64_t)i), 2));
    return r;
}

static void sheets_that_crash_keep_momentum_and_do_not_cross(void **state)
{
    (void)state;
    contact_fixture *r = make_crash();
    const dlp_vec3 before = total_momentum(r);
    double energy = kinetic_energy(r);
    for (int k = 0; k < 8; k++) {
        step_fixture(r, 1.0 / 200);
        assert_int_equal(count_intersections(r->x, r->corner, r->triangles.count), 0);
        assert_true(kinetic_energy(r) <= energy * (1 + 1e-9));
        energy = kinetic_energy(r);
    }
    const dlp_vec3 after = total_momentum(r);
    assert_near(after.x, before.x, 1e-12);
    assert_near(after.y, before.y, 1e-12);
    assert_near(after.z, before.z, 1e-12);
    assert_true(r->contact.scratch.self.impact_count > 0);
    destroy_fixture(r);
}

static void contacts_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    double truth[3 * 400] = {0};
    for (int32_t threads = 1; threads <= 5; threads += 2) {
        contact_fixture *r = make_crash();
        assert_int_equal(dlp_team_create(threads, &r->parts.team, NULL), DLP_OK);
        for (int k = 0; k < 6; k++) step_fixture(r, 1.0 / 200);
        const size_t size = 3 * (size_t)r->p.count * sizeof(double);
        if (threads == 1) memcpy(truth, r->x, size);
        assert_memory_equal(truth, r->x, size);
        dlp_team_destroy(r->parts.team);
        destroy_fixture(r);
    }
}

// Air.

// A flat sheet that falls reaches sqrt(2 m g / (rho C A)).
static void a_falling_sheet_reaches_its_terminal_speed(void **state)
{
    (void)state;
    contact_fixture *r = make_fixture(1e-3, 0);
    add_sheet(r, 6, 6, dlp_vec(0, 0, 0), dlp_vec(0.02, 0, 0), dlp_vec(0, 0.02, 0));
    r->scene.air_density = 1.2;
    start_fixture(r);
    const double step = 1.0 / 60;
    double mass = 0;
    for (int32_t i = 0; i < r->p.count; i++) {  // as a sheet's: by the area around it
        r->mass[i] = 0;
        for (int32_t k = r->contact.scratch.facets.begin[i]; k < r->contact.scratch.facets.begin[i + 1]; k++)
            r->mass[i] += r->fabric.weight * r->rest[r->contact.scratch.facets.list[k]].area / 3;
        mass += r->mass[i];
    }
    for (int k = 0; k < 600; k++) {
        dlp_cloth_contact_update_wind(&r->contact, &r->parts, NULL);
        for (int32_t i = 0; i < r->p.count; i++) {
            const double force = r->contact.scratch.air.force[3 * i + 2] - r->mass[i] * G;
            r->v[3 * i + 2] += step * force / (r->mass[i] + step * r->contact.scratch.air.damping[6 * i + 2]);
        }
    }
    assert_near(mass, 0.2 * 0.01, 1e-15);
    assert_near(-r->v[2], sqrt(2 * mass * G / (1.2 * 1.2 * 0.01)), 1e-9);
    destroy_fixture(r);
}

// Silk in a storm at a long step: it takes on the wind's speed and never more.
static void a_storm_takes_light_cloth_along_and_no_faster(void **state)
{
    (void)state;
    contact_fixture *r = make_fixture(1e-3, 0);
    add_sheet(r, 6, 6, dlp_vec(0, 0, 0), dlp_vec(0, 0.02, 0), dlp_vec(0, 0, 0.02));
    r->scene.air_density = 1.2;
    r->scene.wind = dlp_vec(30, 0, 0);
    start_fixture(r);
    for (int32_t i = 0; i < r->p.count; i++) r->mass[i] = 0.02 * 4e-4;  // 20 g/m2
    double last = 0;
    for (int k = 0; k < 200; k++) {
        dlp_cloth_contact_update_wind(&r->contact, &r->parts, NULL);
        for (int32_t i = 0; i < r->p.count; i++)
            r->v[3 * i] += r->contact.scratch.air.force[3 * i] / 60 /
                           (r->mass[i] + r->contact.scratch.air.damping[6 * i] / 60);
        assert_true(r->v[3 * 14] >= last && r->v[3 * 14] <= 30);
        last = r->v[3 * 14];
    }
    assert_true(last > 29);
    destroy_fixture(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_points_are_as_near_as_any),
        cmocka_unit_test(what_passes_through_is_always_found),
        cmocka_unit_test(a_fast_sheet_does_not_pass_a_thin_plate),
        cmocka_unit_test(a_ball_smaller_than_a_cell_does_not_slip_through),
        cmocka_unit_test(below_the_angle_of_friction_a_sheet_stays),
        cmocka_unit_test(above_it_a_sheet_slides_as_coulomb_says),
        cmocka_unit_test(sheets_that_crash_keep_momentum_and_do_not_cross),
        cmocka_unit_test(contacts_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_falling_sheet_reaches_its_terminal_speed),
        cmocka_unit_test(a_storm_takes_light_cloth_along_and_no_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
