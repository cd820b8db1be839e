/* Which particles carry a vertex of a solid's rest mesh. */
#include "scenes.h"
#include "skin/embedded_mesh.h"
#include "solids.h"

static const dlp_vec3 tip[3] = {{0.405, 0.405, -0.165}, {0.408, 0.405, -0.165}, {0.405, 0.408, -0.165}};

// A triangle eight spacings below a slab, carried by all of its particles.
static dlp_embedded_mesh embedded_tip(const solid_setup *s)
{
    dlp_error error = {0};
    dlp_mesh mesh = {0};
    dlp_embedded_mesh embedded;
    const int32_t count = s->solid->state.particles.count;
    int32_t *members = calloc((size_t)count, sizeof *members);
    assert_non_null(members);
    for (int32_t i = 0; i < count; i++) members[i] = i;
    for (int k = 0; k < 3; k++) expect_ok(dlp_mesh_add_vertex(&mesh, tip[k], &error), &error);
    expect_ok(dlp_mesh_add_triangle(&mesh, 0, 1, 2, &error), &error);
    const dlp_embedded_mesh_def def = {.solid = s->solid,
                                       .scene = &s->scene,
                                       .cell = 0.01,
                                       .team = s->team,
                                       .mesh = &mesh,
                                       .members = members,
                                       .member_count = count};
    expect_ok(dlp_embedded_mesh_create(&def, &embedded, &error), &error);
    dlp_mesh_release(&mesh);
    free(members);
    return embedded;
}

static double distance_to(const solid_setup *s, int32_t i, dlp_vec3 x)
{
    return dlp_length(dlp_sub(dlp_solid_get(s->solid->state.particles.x0, i), x));
}

// However many others are almost as near.
static void a_far_vertex_is_carried_by_the_nearest_particles(void **state)
{
    (void)state;
    solid_setup s = make_box(dlp_vec(0.8, 0.8, 0.24), 0.02);
    open_solid(&s);
    dlp_embedded_mesh embedded = embedded_tip(&s);
    for (int k = 0; k < 3; k++) {
        double nearest = 1e30, carrier = 1e30;
        for (int32_t i = 0; i < s.solid->state.particles.count; i++)
            nearest = fmin(nearest, distance_to(&s, i, tip[k]));
        for (int32_t n = embedded.begin[k]; n < embedded.begin[k] + embedded.binding_counts[k]; n++)
            carrier = fmin(carrier, distance_to(&s, embedded.particles[n], tip[k]));
        assert_near(carrier, nearest, 1e-12);
    }
    dlp_embedded_mesh_release(&embedded);
    close_solid(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_far_vertex_is_carried_by_the_nearest_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
