/* What an active surface does to its own field: it carries it along without changing its shape, and moves it
 * by a bounded distance to keep a volume. */
#include "bodies.h"

// Mean radius of what is enclosed.
static double radius_of(const dlp_surface *surface)
{
    return cbrt(3 * dlp_surface_volume(surface) / (4 * DLP_PI));
}

// The largest distance of the vertices from a ball about `center`, less that ball's radius, of both signs.
static double roughness_of(const dlp_surface *surface, dlp_vec3 center, double radius)
{
    const dlp_mesh *mesh = &dlp_surface_mesh_of(surface)->mesh;
    double worst = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        worst = fmax(worst, fabs(dlp_length(dlp_sub(mesh->vertices[v], center)) - radius));
    return worst;
}

// A ball of 16 cells that moves by parts of a cell, different along each axis, for ten frames. It follows the
// particles by a hundredth per frame, so that nearly all that is seen was carried along. Over a length of 16
// cells, its radius, a spline of third order has an error of 1/16^3 of a cell, 2e-4, per frame: for ten of
// them twice that. The field's bumps are a spacing (two cells) long and 0.02 cells high; they may double.
static void a_surface_that_is_carried_along_keeps_its_shape(void **state)
{
    (void)state;
    const double radius = 8, cell = 0.5;
    const dlp_vec3 center = {0.31, -0.17, 0.23}, step = {0.37 * cell, -0.71 * cell, 1.45 * cell};
    body b = make_ball(center, radius);
    dlp_surface_settings settings = settings_for(DLP_SURFACE_ACTIVE, cell);
    settings.memory = 100;
    settings.smoothing = 0;
    settings.volume = 0;
    dlp_surface *surface = make_surface(&settings);
    update_surface(surface, &b);
    const double mean = radius_of(surface), rough = roughness_of(surface, center, mean);
    for (int32_t frame = 1; frame <= 10; frame++) {
        for (int32_t k = 0; k < b.count; k++) move_particle(&b, k, dlp_add(place_of(&b, k), step));
        update_surface(surface, &b);
        const dlp_vec3 there = dlp_add(center, dlp_mul(step, frame));
        assert_near(radius_of(surface), mean, 0.004 * cell);
        assert_true(roughness_of(surface, there, mean) < rough + 0.04 * cell);
    }
    dlp_surface_destroy(surface);
    release_body(&b);
}

// How far the correction of the volume moves the surface of a ball outward, in spacings, when it has all the
// time it wants.
static double move_of(const body *b, double iso)
{
    dlp_surface_settings settings = settings_for(DLP_SURFACE_ACTIVE, 0.5);
    settings.smoothing = settings.memory = 0;  // the field is the distance to the iso surface, and the offset
    settings.iso = iso;
    double radius[2];
    for (int32_t k = 0; k < 2; k++) {
        settings.volume = k;
        dlp_surface *surface = make_surface(&settings);
        for (int32_t frame = 0; frame < 8; frame++) update_surface(surface, b);
        radius[k] = radius_of(surface);
        dlp_surface_destroy(surface);
    }
    return radius[1] - radius[0];
}

// Where every particle stands twice in its place, all together have twice the volume of the surface near
// them. It wants to move by more than a spacing, and may by a quarter. The tolerance is a fiftieth of a cell:
// the mesh is of second order.
static void the_volume_moves_the_surface_by_a_quarter_of_a_spacing_at_most(void **state)
{
    (void)state;
    body b = make_ball(dlp_vec(0, 0, 0), 6);
    const int32_t count = b.count;
    for (int32_t k = 0; k < count; k++)
        add_particle(&b, place_of(&b, k), (double)b.radii[k] / cbrt(3 / (4 * DLP_PI)));
    assert_near(move_of(&b, 1), 0.25, 0.01);
    release_body(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_surface_that_is_carried_along_keeps_its_shape),
        cmocka_unit_test(the_volume_moves_the_surface_by_a_quarter_of_a_spacing_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
