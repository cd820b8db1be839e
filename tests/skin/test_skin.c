/* Surfaces of bodies at rest. Truths: the volume and area of balls, rings, boxes; the order of the grid; the
 * volume that drops of a few particles stand for; rigid motion; the rest of a body after its damaged
 * particles. All bodies have a spacing of about 1 m. */
#include "bodies.h"

static const dlp_surface_kind kinds[] = {DLP_SURFACE_ISO, DLP_SURFACE_ACTIVE};
enum { KINDS = 2 };

static void rest(dlp_surface *surface, const body *b, int32_t frames)
{
    for (int32_t frame = 0; frame < frames; frame++) update_surface(surface, b);
}

// Gate M1: volume within 1 %, area within 2 %; an active surface from its first frame on.
static void expect_measures(const body *b, double volume, double area)
{
    for (int k = 0; k < KINDS; k++) {
        dlp_surface *surface = wrap(b, kinds[k], 0.5);
        const dlp_mesh_report report = expect_sound(surface);
        assert_int_equal(report.components, 1);
        assert_near(report.volume, volume, 0.01 * volume);
        assert_near(report.area, area, 0.02 * area);
        dlp_surface_destroy(surface);
    }
}

static void a_ball_has_its_volume_and_area(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double radius = k == 0 ? 8 : 12;
        body b = make_ball(dlp_vec(0.31, -0.17, 0.23), radius);
        expect_measures(&b, 4 * DLP_PI / 3 * pow(radius, 3), 4 * DLP_PI * radius * radius);
        release_body(&b);
    }
}

static void a_ring_has_its_volume_and_area(void **state)
{
    (void)state;
    const double large = 12, tube = 5;
    body b = make_body();
    add_shape(&b, &(dlp_shape_def){.kind = DLP_SHAPE_TORUS, .radius = large, .tube = tube}, 1);
    expect_measures(&b, 2 * DLP_PI * DLP_PI * large * tube * tube, 4 * DLP_PI * DLP_PI * large * tube);
    release_body(&b);
}

// Against an eighth of a spacing, errors that fall with the square of the cell are as 63 to 15 to 3.
static void the_volume_is_of_second_order_in_the_cell(void **state)
{
    (void)state;
    body b = make_ball(dlp_vec(0.31, -0.17, 0.23), 6);
    double volumes[4];
    for (int k = 0; k < 4; k++) {
        dlp_surface *surface = wrap(&b, DLP_SURFACE_ISO, pow(0.5, k));
        volumes[k] = expect_sound(surface).volume;
        dlp_surface_destroy(surface);
    }
    double errors[3];
    for (int k = 0; k < 3; k++) errors[k] = fabs(volumes[k] / volumes[3] - 1);
    assert_near(errors[0] / errors[1], 63.0 / 15, 1);
    assert_near(errors[1] / errors[2], 15.0 / 3, 1.25);
    release_body(&b);
}

static void mixed_sizes_make_one_closed_body(void **state)
{
    (void)state;
    body b = make_body();
    add_shape(&b, &(dlp_shape_def){.kind = DLP_SHAPE_BOX, .min = {0, 0, 0}, .max = {12, 24, 24}}, 1);
    add_shape(&b, &(dlp_shape_def){.kind = DLP_SHAPE_BOX, .min = {12, 0, 0}, .max = {24, 24, 24}}, 2);
    for (int k = 0; k < KINDS; k++) {
        dlp_surface *surface = wrap(&b, kinds[k], 0.5);
        const dlp_mesh_report report = expect_sound(surface);
        assert_int_equal(report.components, 1);
        assert_near(report.volume, 24.0 * 24 * 24, 0.03 * 24 * 24 * 24);
        dlp_surface_destroy(surface);
    }
    release_body(&b);
}

// The first particles of a dense packing: 1, 2 in touch, a tetrahedron, a ball of 13.
static body make_drop(int32_t count)
{
    body b = make_body();
    const double a = pow(2, 1.0 / 6);  // m: of nearest neighbours whose cells have 1 m3
    const dlp_vec3 few[4] = {
        {0, 0, 0}, {a, 0, 0}, {a / 2, a * sqrt(3) / 2, 0}, {a / 2, a * sqrt(3) / 6, a * sqrt(2.0 / 3)}};
    for (int32_t k = 0; k < count && count <= 4; k++) add_particle(&b, few[k], 1);
    for (int i = -1; i <= 1 && count == 13; i++)
        for (int j = -1; j <= 1; j++)
            for (int k = -1; k <= 1; k++)
                if ((i + j + k) % 2 == 0) add_particle(&b, dlp_mul(dlp_vec(i, j, k), a / sqrt(2)), 1);
    for (int32_t k = 0; k < b.count; k++) {
        b.positions[3 * k] += 0.31;
        b.positions[3 * k + 1] -= 0.17;
        b.positions[3 * k + 2] += 0.23;
    }
    assert_int_equal(b.count, count);
    return b;
}

static void a_drop_that_comes_later_is_as_large_as_one_from_the_start(void **state)
{
    (void)state;
    const dlp_surface_settings settings = settings_for(DLP_SURFACE_ACTIVE, 0.5);
    body nothing = make_body(), b = make_drop(13);
    dlp_surface *late = make_surface(&settings), *early = make_surface(&settings);
    update_surface(late, &nothing);
    update_surface(late, &b);
    update_surface(early, &b);
    assert_true(dlp_surface_volume(late) == dlp_surface_volume(early));
    dlp_surface_destroy(late);
    dlp_surface_destroy(early);
    release_body(&nothing);
    release_body(&b);
}

static void particles_of_absurd_sizes_do_not_stop_the_others(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        body b = make_drop(13);
        add_particle(&b, dlp_vec(20, 0, 0), 1e-4);
        add_particle(&b, dlp_vec(30, 0, 0), 1e30);
        dlp_surface *surface = wrap(&b, kinds[k], 0.5);
        assert_true(dlp_surface_volume(surface) > 10);
        expect_sound(surface);
        dlp_surface_destroy(surface);
        release_body(&b);
    }
}

static void drops_of_a_few_particles_keep_their_volume(void **state)
{
    (void)state;
    const struct {
        int32_t count;
        double tolerance;
    } drops[] = {{1, 0.33}, {2, 0.3}, {4, 0.15}, {13, 0.15}};  // the first is two and a half cells wide
    for (size_t d = 0; d < sizeof drops / sizeof drops[0]; d++)
        for (int k = 0; k < KINDS; k++) {
            body b = make_drop(drops[d].count);
            dlp_surface *surface = wrap(&b, kinds[k], 0.5);
            expect_sound(surface);
            rest(surface, &b, 12);  // within which an active one makes its volume good
            const dlp_mesh_report report = expect_sound(surface);
            assert_int_equal(report.components, 1);
            assert_near(report.volume, b.count, drops[d].tolerance * b.count);
            dlp_surface_destroy(surface);
            release_body(&b);
        }
}

// As smooth as honey is by default.
static void normals_of_a_smooth_ball_are_radial(void **state)
{
    (void)state;
    const dlp_vec3 center = dlp_vec(0.31, -0.17, 0.23);
    body b = make_ball(center, 12);
    dlp_surface_settings settings = settings_for(DLP_SURFACE_ACTIVE, 0.5);
    settings.smoothing = 1;
    dlp_surface *surface = make_surface(&settings);
    update_surface(surface, &b);
    const dlp_surface_mesh *mesh = dlp_surface_mesh_of(surface);
    double sum = 0;
    for (int32_t v = 0; v < mesh->mesh.vertex_count; v++) {
        const dlp_vec3 radial = dlp_normalize(dlp_sub(mesh->mesh.vertices[v], center), dlp_vec(1, 0, 0));
        const float *n = mesh->normals + 3 * v;
        const double c = dlp_dot(radial, dlp_vec((double)n[0], (double)n[1], (double)n[2]));
        const double angle = 180 / DLP_PI * acos(fmin(fmax(c, -1), 1));
        sum += angle * angle;
    }
    assert_near(sqrt(sum / mesh->mesh.vertex_count), 0, 2.5);  // degrees: a twentieth of a spacing in one
    dlp_surface_destroy(surface);
    release_body(&b);
}

static void vertices_have_the_velocity_of_a_rigid_translation(void **state)
{
    (void)state;
    body b = make_ball(dlp_vec(0, 0, 0), 5);
    const float velocity[3] = {1.5f, -0.25f, 3};
    for (int32_t k = 0; k < 3 * b.count; k++) b.velocities[k] = velocity[k % 3];
    for (int k = 0; k < KINDS; k++) {
        dlp_surface *surface = wrap(&b, kinds[k], 0.5);
        const dlp_surface_mesh *mesh = dlp_surface_mesh_of(surface);
        for (int32_t v = 0; v < 3 * mesh->mesh.vertex_count; v++)
            assert_near((double)mesh->velocities[v], (double)velocity[v % 3], 3e-6);
        dlp_surface_destroy(surface);
    }
    release_body(&b);
}

// Motion.

static const dlp_vec3 step_of_a_frame = {2.9, -1.7, 1.25};  // 3.59 spacings

// Root of the mean square distance of a mesh's vertices from another one: along the normal of the nearest
// one.
static double distance_of_meshes(const dlp_surface_mesh *a, const dlp_surface_mesh *b, dlp_vec3 shift)
{
    double sum = 0;
    for (int32_t v = 0; v < a->mesh.vertex_count; v++) {
        const dlp_vec3 x = dlp_sub(a->mesh.vertices[v], shift);
        double nearest = HUGE_VAL;
        int32_t best = 0;
        for (int32_t w = 0; w < b->mesh.vertex_count; w++) {
            const dlp_vec3 d = dlp_sub(x, b->mesh.vertices[w]);
            if (dlp_dot(d, d) < nearest) {
                nearest = dlp_dot(d, d);
                best = w;
            }
        }
        const float *n = b->normals + 3 * best;
        const dlp_vec3 normal = dlp_vec((double)n[0], (double)n[1], (double)n[2]);
        const double distance = dlp_dot(dlp_sub(x, b->mesh.vertices[best]), normal);
        sum += distance * distance;
    }
    return sqrt(sum / a->mesh.vertex_count);
}

// Of what is inside: the sum of tetrahedra from the origin.
static dlp_vec3 center_of(const dlp_mesh *mesh)
{
    dlp_vec3 sum = {0};
    double volume = 0;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *c = mesh->triangles[t];
        const dlp_vec3 p = mesh->vertices[c[0]], q = mesh->vertices[c[1]], r = mesh->vertices[c[2]];
        const double part = dlp_dot(p, dlp_cross(q, r)) / 6;
        sum = dlp_add(sum, dlp_mul(dlp_add(p, dlp_add(q, r)), part / 4));
        volume += part;
    }
    return dlp_mul(sum, 1 / volume);
}

static void an_active_surface_does_not_lag_behind_a_fast_body(void **state)
{
    (void)state;
    const double radius = 8, volume = 4 * DLP_PI / 3 * pow(radius, 3);
    body still = make_ball(dlp_vec(0.31, -0.17, 0.23), radius),
         moved = make_ball(dlp_vec(0.31, -0.17, 0.23), radius);
    dlp_surface *at_rest = wrap(&still, DLP_SURFACE_ACTIVE, 0.5),
                *in_motion = wrap(&moved, DLP_SURFACE_ACTIVE, 0.5);
    for (int frame = 0; frame < 12; frame++) {
        for (int32_t k = 0; k < moved.count; k++)
            move_particle(&moved, k, dlp_add(place_of(&moved, k), step_of_a_frame));
        update_surface(at_rest, &still);
        update_surface(in_motion, &moved);
        const dlp_mesh_report report = expect_sound(in_motion);
        assert_near(report.volume, volume, 0.01 * volume);
    }
    const dlp_vec3 way = dlp_mul(step_of_a_frame, 12);
    const dlp_surface_mesh *there = dlp_surface_mesh_of(in_motion), *here = dlp_surface_mesh_of(at_rest);
    const dlp_vec3 lag = dlp_sub(dlp_sub(center_of(&there->mesh), center_of(&here->mesh)), way);
    assert_near(dlp_length(lag), 0, 0.05);
    assert_near(distance_of_meshes(there, here, way), 0, 0.05);
    dlp_surface_destroy(at_rest);
    dlp_surface_destroy(in_motion);
    release_body(&still);
    release_body(&moved);
}

static void an_active_surface_keeps_the_volume_of_a_turning_body(void **state)
{
    (void)state;
    const double radius = 8, volume = 4 * DLP_PI / 3 * pow(radius, 3), c = cos(0.3), s = sin(0.3);
    body b = make_ball(dlp_vec(3, 0, 0), radius);
    dlp_surface *surface = wrap(&b, DLP_SURFACE_ACTIVE, 0.5);
    double worst = 0;
    for (int frame = 0; frame < 20; frame++) {
        for (int32_t k = 0; k < b.count; k++) {
            const dlp_vec3 x = place_of(&b, k);
            move_particle(&b, k, dlp_vec(c * x.x - s * x.y, s * x.x + c * x.y, x.z));
        }
        update_surface(surface, &b);
        worst = fmax(worst, fabs(expect_sound(surface).volume / volume - 1));
    }
    assert_near(worst, 0, 0.02);
    dlp_surface_destroy(surface);
    release_body(&b);
}

// Bits.

static dlp_surface *wrap_moving(const dlp_surface_settings *settings, int32_t frames)
{
    body b = make_ball(dlp_vec(0.31, -0.17, 0.23), 6);
    for (int32_t k = 0; k < 3 * b.count; k++) b.velocities[k] = (float)(k % 7);
    dlp_surface *surface = make_surface(settings);
    for (int32_t frame = 0; frame < frames; frame++) {
        for (int32_t k = 0; k < b.count; k++)
            move_particle(&b, k, dlp_add(dlp_mul(place_of(&b, k), 1.02), step_of_a_frame));
        update_surface(surface, &b);
    }
    release_body(&b);
    return surface;
}

static void threads_and_targets_give_the_same_bits(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_team *team;
    assert_int_equal(dlp_team_create(2, &team, &error), DLP_OK);
    dlp_target best;
    assert_int_equal(dlp_target_choose(NULL, &best, &error), DLP_OK);
    for (int k = 0; k < KINDS; k++) {
        dlp_surface_settings settings = settings_for(kinds[k], 0.5);
        dlp_surface *one = wrap_moving(&settings, 3);
        settings.team = team;
        dlp_surface *two = wrap_moving(&settings, 3);
        settings.target = best;
        dlp_surface *wide = wrap_moving(&settings, 3);
        expect_same_mesh(dlp_surface_mesh_of(one), dlp_surface_mesh_of(two));
        expect_same_mesh(dlp_surface_mesh_of(one), dlp_surface_mesh_of(wide));
        dlp_surface_destroy(one);
        dlp_surface_destroy(two);
        dlp_surface_destroy(wide);
    }
    dlp_team_destroy(team);
}

// Bad input.

static void nothing_has_an_empty_surface(void **state)
{
    (void)state;
    body b = make_body();
    for (int k = 0; k < KINDS; k++) {
        dlp_surface *surface = wrap(&b, kinds[k], 0.5);
        assert_int_equal(dlp_surface_mesh_of(surface)->mesh.vertex_count, 0);
        assert_true(dlp_surface_volume(surface) == 0 && dlp_surface_area(surface) == 0);
        add_particle(&b, dlp_vec(0, 0, 0), 1);  // something appears ...
        update_surface(surface, &b);
        expect_sound(surface);
        b.count = 0;  // ... and goes
        update_surface(surface, &b);
        assert_int_equal(dlp_surface_mesh_of(surface)->mesh.vertex_count, 0);
        dlp_surface_destroy(surface);
    }
    release_body(&b);
}

static void damaged_particles_are_left_out(void **state)
{
    (void)state;
    body good = make_ball(dlp_vec(0, 0, 0), 4), bad = make_ball(dlp_vec(0, 0, 0), 4);
    const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e30, -1e30, 1e300};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++)
        for (int axis = 0; axis < 3; axis++) {
            const double x[3] = {axis == 0 ? odd[k] : 0, axis == 1 ? odd[k] : 0, axis == 2 ? odd[k] : 0};
            add_particle(&bad, dlp_vec(x[0], x[1], x[2]), 1);
        }
    const float radii[] = {0, -1, NAN, INFINITY};
    for (size_t k = 0; k < sizeof radii / sizeof radii[0]; k++) {
        add_particle(&bad, dlp_vec(4, 0, 0), 1);
        bad.radii[bad.count - 1] = radii[k];
    }
    for (int k = 0; k < KINDS; k++) {
        dlp_surface *a = wrap(&good, kinds[k], 0.5), *b = wrap(&bad, kinds[k], 0.5);
        for (int frame = 0; frame < 2; frame++) {
            expect_sound(b);
            expect_same_mesh(dlp_surface_mesh_of(a), dlp_surface_mesh_of(b));
            update_surface(a, &good);
            update_surface(b, &bad);
        }
        dlp_surface_destroy(a);
        dlp_surface_destroy(b);
    }
    release_body(&good);
    release_body(&bad);
}

static void odd_motion_leaves_the_surface_closed(void **state)
{
    (void)state;
    const float odd[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f};
    body b = make_ball(dlp_vec(0, 0, 0), 4);
    dlp_surface *surface = wrap(&b, DLP_SURFACE_ACTIVE, 0.5);
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        for (int32_t i = 0; i < 3 * b.count; i += 5) b.displacements[i] = odd[k];
        update_surface(surface, &b);
        expect_sound(surface);
    }
    memset(b.displacements, 0, 3 * (size_t)b.count * sizeof(float));
    for (int frame = 0; frame < 20; frame++) update_surface(surface, &b);  // and it recovers
    assert_near(expect_sound(surface).volume, 4 * DLP_PI / 3 * 64, 0.02 * 4 * DLP_PI / 3 * 64);
    dlp_surface_destroy(surface);
    release_body(&b);
}

// Ten times the particles have 10^(2/3) = 4.64 times the surface; a fifth more for what grows by doubling.
static void memory_grows_like_the_surface(void **state)
{
    (void)state;
    size_t bytes[2];
    for (int k = 0; k < 2; k++) {
        const size_t before = dlp_memory_of("skin");
        body b = make_ball(dlp_vec(0, 0, 0), k == 0 ? 12 : 12 * cbrt(10));
        dlp_surface *surface = wrap(&b, DLP_SURFACE_ACTIVE, 0.5);
        update_surface(surface, &b);
        bytes[k] = dlp_memory_of("skin") - before;
        dlp_surface_destroy(surface);
        assert_int_equal(dlp_memory_of("skin"), before);
        release_body(&b);
    }
    assert_true((double)bytes[1] < 1.2 * pow(10, 2.0 / 3) * (double)bytes[0]);
}

static void a_cell_of_no_size_is_refused(void **state)
{
    (void)state;
    const double cells[] = {0, -1, (double)NAN, (double)INFINITY};
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
        dlp_error error = {0};
        dlp_surface *surface;
        const dlp_surface_settings settings = settings_for(DLP_SURFACE_ISO, cells[k]);
        assert_int_equal(dlp_surface_create(&settings, &surface, &error), DLP_INVALID);
        assert_null(surface);
        assert_non_null(strstr(error.message, "surface.cell"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_has_its_volume_and_area),
        cmocka_unit_test(a_ring_has_its_volume_and_area),
        cmocka_unit_test(the_volume_is_of_second_order_in_the_cell),
        cmocka_unit_test(mixed_sizes_make_one_closed_body),
        cmocka_unit_test(drops_of_a_few_particles_keep_their_volume),
        cmocka_unit_test(a_drop_that_comes_later_is_as_large_as_one_from_the_start),
        cmocka_unit_test(particles_of_absurd_sizes_do_not_stop_the_others),
        cmocka_unit_test(normals_of_a_smooth_ball_are_radial),
        cmocka_unit_test(vertices_have_the_velocity_of_a_rigid_translation),
        cmocka_unit_test(an_active_surface_does_not_lag_behind_a_fast_body),
        cmocka_unit_test(an_active_surface_keeps_the_volume_of_a_turning_body),
        cmocka_unit_test(threads_and_targets_give_the_same_bits),
        cmocka_unit_test(nothing_has_an_empty_surface),
        cmocka_unit_test(damaged_particles_are_left_out),
        cmocka_unit_test(odd_motion_leaves_the_surface_closed),
        cmocka_unit_test(memory_grows_like_the_surface),
        cmocka_unit_test(a_cell_of_no_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
