/* Surfaces of solids: the mesh of the rest shape goes with the particles; pieces have their own. */
#include "base/memory.h"
#include "meshes.h"
#include "record/reskin.h"
#include "scenes.h"
#include "skin/embedded_mesh.h"
#include "skin/skin.h"
#include "solids.h"
#include "test_folder.h"

// By hand: particles put where a map takes them.

typedef struct affine {
    dlp_vec3 rows[3], shift;
} affine;

static dlp_vec3 mapped(const affine *m, dlp_vec3 x)
{
    return dlp_add(dlp_vec(dlp_dot(m->rows[0], x), dlp_dot(m->rows[1], x), dlp_dot(m->rows[2], x)), m->shift);
}

static affine turn_by(dlp_vec3 degrees, dlp_vec3 shift)
{
    const dlp_transform f = dlp_transform_of(shift, degrees);
    return (affine){{f.rows[0], f.rows[1], f.rows[2]}, shift};
}

static void map_solid(solid_setup *s, const affine *m)
{
    for (int32_t i = 0; i < s->solid->state.particles.count; i++)
        dlp_solid_set(s->solid->state.particles.position, i,
                      mapped(m, dlp_solid_get(s->solid->state.particles.x0, i)));
}

static dlp_embedded_mesh embedded_of(solid_setup *s, double cell)
{
    dlp_error error = {0};
    dlp_embedded_mesh embedded;
    const dlp_embedded_mesh_def def = {.solid = s->solid, .scene = &s->scene, .cell = cell, .team = s->team};
    expect_ok(dlp_embedded_mesh_create(&def, &embedded, &error), &error);
    assert_true(embedded.deformed.mesh.vertex_count > 0);
    return embedded;
}

static dlp_solid_map *maps_of(const dlp_solid *solid)
{
    const size_t count = (size_t)solid->state.particles.count;
    dlp_solid_map *maps = calloc(count, sizeof *maps);
    float *velocities = calloc(3 * count, sizeof *velocities);
    assert_true(maps != NULL && velocities != NULL);
    for (size_t k = 0; k < 3 * count; k++) velocities[k] = (float)solid->state.particles.velocity[k];
    dlp_solid_find_maps(solid, solid->state.particles.position, velocities, maps);
    free(velocities);
    return maps;
}

static void move_embedded(const solid_setup *s, dlp_embedded_mesh *embedded)
{
    dlp_error error = {0};
    dlp_solid_map *maps = maps_of(s->solid);
    expect_ok(dlp_embedded_mesh_move(embedded, maps, &(dlp_particle_view){.count = 0}, &error), &error);
    free(maps);
}

// A box that stands askew.
static void open_body(solid_setup *s, double jitter)
{
    *s = make_box(dlp_vec(0.24, 0.16, 0.12), 0.02);
    s->substance.jitter = jitter;
    s->substance.shape.translate = dlp_vec(3, -2, 1);
    s->substance.shape.rotate = dlp_vec(10, 20, 30);
    open_solid(s);
}

static void assert_carried(const dlp_embedded_mesh *embedded, const affine *m, double tolerance)
{
    for (int32_t v = 0; v < embedded->deformed.mesh.vertex_count; v++) {
        const dlp_vec3 truth = mapped(m, embedded->x0[v]);
        assert_near(dlp_length(dlp_sub(embedded->deformed.mesh.vertices[v], truth)), 0, tolerance);
    }
}

// Coefficients of the gradient are floats: relative errors of some 1e-7 of the two spacings across which it
// acts.
static void turns_and_affine_maps_carry_the_mesh_as_it_is(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        solid_setup s;
        open_body(&s, k == 0 ? 0 : 0.2);
        dlp_embedded_mesh embedded = embedded_of(&s, 0.01);
        const affine still = turn_by(dlp_vec(0, 0, 0), dlp_vec(0, 0, 0)),
                     turned = turn_by(dlp_vec(70, -130, 20), dlp_vec(5, 6, -7)),
                     sheared = {{{1.2, 0.4, 0}, {0, 0.7, -0.1}, {0.2, 0, 1.1}}, {1, 0, -2}};
        const affine *const maps[] = {&still, &turned, &sheared};
        for (int n = 0; n < 3; n++) {
            map_solid(&s, maps[n]);
            move_embedded(&s, &embedded);
            assert_carried(&embedded, maps[n], 1e-7);
        }
        dlp_embedded_mesh_release(&embedded);
        close_solid(&s);
    }
}

static void the_volume_within_grows_with_the_stretch(void **state)
{
    (void)state;
    solid_setup s;
    open_body(&s, 0);
    dlp_embedded_mesh embedded = embedded_of(&s, 0.01);
    const double volume = 0.24 * 0.16 * 0.12;
    move_embedded(&s, &embedded);
    assert_near(embedded.volume, volume, 1e-6 * volume);
    const affine stretched = {{{1.2, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    map_solid(&s, &stretched);
    move_embedded(&s, &embedded);
    assert_near(embedded.volume, 1.2 * volume, 1e-6 * volume);
    assert_near(embedded.area, dlp_mesh_area(&embedded.deformed.mesh), 1e-12);
    dlp_embedded_mesh_release(&embedded);
    close_solid(&s);
}

static void spin_solid(solid_setup *s, dlp_vec3 omega, dlp_vec3 drift)
{
    for (int32_t i = 0; i < s->solid->state.particles.count; i++)
        dlp_solid_set(s->solid->state.particles.velocity, i,
                      dlp_add(dlp_cross(omega, place_of(s, i)), drift));
}

static void assert_spins(const dlp_embedded_mesh *embedded, dlp_vec3 omega, dlp_vec3 drift, double tolerance)
{
    for (int32_t v = 0; v < embedded->deformed.mesh.vertex_count; v++) {
        const dlp_vec3 truth = dlp_add(dlp_cross(omega, embedded->deformed.mesh.vertices[v]), drift);
        const float *velocity = embedded->deformed.velocities + 3 * (size_t)v;
        for (int axis = 0; axis < 3; axis++)
            assert_near((double)velocity[axis], dlp_component(truth, axis), tolerance);
    }
}

// omega x r, of a body that is turned and sheared too; written as floats.
static void vertices_of_a_spinning_body_have_its_velocity(void **state)
{
    (void)state;
    solid_setup s;
    open_body(&s, 0.1);
    dlp_embedded_mesh embedded = embedded_of(&s, 0.01);
    const affine m = {{{0, -1.1, 0.2}, {1, 0.3, 0}, {0, 0, 0.9}}, {0.5, 0, 0}};
    const dlp_vec3 omega = dlp_vec(1, -2, 3), drift = dlp_vec(0.1, 0.2, 0.3);
    map_solid(&s, &m);
    spin_solid(&s, omega, drift);
    move_embedded(&s, &embedded);
    assert_spins(&embedded, omega, drift, 2e-6);
    dlp_embedded_mesh_release(&embedded);
    close_solid(&s);
}

// One layer of particles has no neighbours along its normal: there the mesh turns with the sheet.
static void a_single_layer_carries_both_of_its_faces(void **state)
{
    (void)state;
    solid_setup s = make_box(dlp_vec(0.2, 0.14, 0.02), 0.02);
    open_solid(&s);
    assert_int_equal(s.solid->state.particles.count, 70);
    dlp_embedded_mesh embedded = embedded_of(&s, 0.01);
    const affine turned = turn_by(dlp_vec(140, 20, 90), dlp_vec(1, 2, 3));
    map_solid(&s, &turned);
    const dlp_vec3 omega = dlp_vec(2, 3, -1);
    spin_solid(&s, omega, dlp_vec(0, 0, 0));
    move_embedded(&s, &embedded);
    assert_carried(&embedded, &turned, 1e-8);
    assert_spins(&embedded, omega, dlp_vec(0, 0, 0), 2e-6);
    dlp_embedded_mesh_release(&embedded);
    close_solid(&s);
}

// A row of particles turns as little as its line does; how it spins about itself nothing tells.
static void a_single_row_turns_with_its_line(void **state)
{
    (void)state;
    const double degrees[] = {0, 50, 179.9999};
    for (int k = 0; k < 3; k++) {
        solid_setup s = make_box(dlp_vec(0.2, 0.02, 0.02), 0.02);
        open_solid(&s);
        assert_int_equal(s.solid->state.particles.count, 10);
        dlp_embedded_mesh embedded = embedded_of(&s, 0.01);
        const affine turned = turn_by(dlp_vec(0, degrees[k], 0), dlp_vec(1, 2, 3));
        const dlp_vec3 line = dlp_vec(turned.rows[0].x, turned.rows[1].x, turned.rows[2].x);
        const dlp_vec3 omega = dlp_cross(line, dlp_vec(1, 2, 3));
        map_solid(&s, &turned);
        spin_solid(&s, omega, dlp_vec(0, 0, 0));
        move_embedded(&s, &embedded);
        if (k < 2) assert_carried(&embedded, &turned, 1e-8);
        assert_spins(&embedded, omega, dlp_vec(0, 0, 0), 4e-6);
        assert_near(embedded.volume, 0.2 * 0.02 * 0.02, 1e-10);
        dlp_embedded_mesh_release(&embedded);
        close_solid(&s);
    }
}

static void maps_have_the_gradients_of_single_particles(void **state)
{
    (void)state;
    solid_setup s;
    open_body(&s, 0.2);
    for (int32_t i = 0; i < s.solid->state.particles.count; i++) {
        const dlp_vec3 x = dlp_solid_get(s.solid->state.particles.x0, i);
        dlp_solid_set(s.solid->state.particles.position, i,
                      dlp_add(x, dlp_vec(x.y * x.z, 0.3 * x.x * x.x, sin(x.x))));
    }
    dlp_solid_map *maps = maps_of(s.solid);
    for (int32_t i = 0; i < s.solid->state.particles.count; i++) {
        double f[9];
        dlp_solid_gradient(s.solid, i, f);
        for (int k = 0; k < 9; k++) assert_near(maps[i].gradient[k], f[k], 1e-5);
    }
    free(maps);
    close_solid(&s);
}

// In a world.

#define BODY_WITH(shape, more)                                                                               \
    "frames: {rate: 50, count: 8}\n"                                                                         \
    "substances:\n"                                                                                          \
    "  body:\n"                                                                                              \
    "    material: jelly\n"                                                                                  \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    shape: " shape more

static const char bar_scene[] = BODY_WITH("{box: {min: [0, 0, 0], max: [0.2, 0.08, 0.08]}}\n",
                                          "attachments:\n"
                                          "  - {substance: body, hold: true,\n"
                                          "     box: {min: [-1, -1, -1], max: [0.03, 1, 1]}}\n");

static dlp_surface_view view_of(dlp_skin *skin, int32_t surface)
{
    dlp_error error = {0};
    dlp_surface_view view = {.size = sizeof view};
    expect_ok(dlp_skin_update(skin, &error), &error);
    expect_ok(dlp_skin_surface(skin, surface, &view, &error), &error);
    return view;
}

static dlp_skin *skin_of(const setup *s)
{
    dlp_error error = {0};
    dlp_skin *skin;
    expect_ok(dlp_skin_create(s->world, &skin, &error), &error);
    return skin;
}

static void assert_sound(const dlp_skin *skin, int32_t components)
{
    dlp_surface_mesh_report report;
    assert_int_equal(dlp_surface_mesh_check(dlp_skin_mesh_at(skin, 0), &report, NULL), DLP_OK);
    assert_true(report.is_sound && report.mesh.is_watertight);
    assert_int_equal(report.mesh.components, components);
}

static void a_bent_bar_stays_closed_and_manifold(void **state)
{
    (void)state;
    setup s = make_setup(bar_scene);
    dlp_skin *skin = skin_of(&s);
    const dlp_surface_view straight = view_of(skin, 0);
    const double volume = 0.2 * 0.08 * 0.08;
    assert_near(straight.volume, volume, 1e-6 * volume);
    assert_near(stats_of(s.world).volume, straight.volume, 1e-15);
    assert_false(straight.is_cloth);
    assert_null(dlp_skin_surface_at(skin, 0));
    const int32_t triangle_count = straight.triangle_count;
    step_frames(s.world, 6);
    const dlp_surface_view bent = view_of(skin, 0);
    assert_int_equal(bent.triangle_count, triangle_count);
    assert_sound(skin, 1);
    assert_near(bent.volume, volume, 0.05 * volume);
    double lowest = 1;
    for (int32_t v = 0; v < bent.vertex_count; v++) lowest = fmin(lowest, bent.vertices[v].z);
    assert_true(lowest < -0.01);
    dlp_skin_destroy(skin);
    release_setup(&s);
}

static void write_mesh(const char *name, const dlp_mesh *mesh)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        fprintf(file, "v %.17g %.17g %.17g\n", mesh->vertices[v].x, mesh->vertices[v].y, mesh->vertices[v].z);
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        fprintf(file, "f %d %d %d\n", mesh->triangles[t][0] + 1, mesh->triangles[t][1] + 1,
                mesh->triangles[t][2] + 1);
    fclose(file);
}

// Its own triangles, twice as large, turned and moved; each copy goes with its own particles.
static void a_mesh_file_is_its_own_surface_copy_by_copy(void **state)
{
    (void)state;
    dlp_mesh torus = torus_mesh(24, 12, 0.05, 0.02);
    write_mesh("torus.obj", &torus);
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1};
    setup s = make_setup_in(test_folder,
                            BODY_WITH("{mesh: {file: torus.obj}, scale: 2, rotate: [90, 0, 0],\n"
                                      "            translate: [1, 2, 3],\n"
                                      "            copies: {count: [2, 1, 2], spacing: [0.3, 0, 0.3]}}\n",
                                      ""),
                            &options);
    dlp_skin *skin = skin_of(&s);
    const dlp_surface_view view = view_of(skin, 0);
    assert_int_equal(view.vertex_count, 4 * torus.vertex_count);
    assert_int_equal(view.triangle_count, 4 * torus.triangle_count);
    const dlp_transform frame = dlp_transform_of(dlp_vec(1, 2, 3), dlp_vec(90, 0, 0));
    for (int32_t v = 0; v < view.vertex_count; v++) {
        const int32_t copy = v / torus.vertex_count;
        const dlp_vec3 x = dlp_to_world(&frame, dlp_mul(torus.vertices[v % torus.vertex_count], 2));
        const dlp_vec3 truth = dlp_add(x, dlp_vec(0.3 * (copy % 2), 0, 0.3 * (copy / 2)));
        assert_near(dlp_length(dlp_sub(view.vertices[v], truth)), 0, 1e-8);
    }
    assert_sound(skin, 4);
    step_frames(s.world, 2);
    view_of(skin, 0);
    assert_sound(skin, 4);
    dlp_mesh_release(&torus);
    dlp_skin_destroy(skin);
    release_setup(&s);
}

// Two cubes at a fifth of a spacing from one another: each vertex goes with its own.
static void bodies_side_by_side_keep_their_own_vertices(void **state)
{
    (void)state;
    solid_setup s = make_box(dlp_vec(0.08, 0.08, 0.08), 0.02);
    s.substance.shape.copies[0] = 2;
    s.substance.shape.copies[1] = s.substance.shape.copies[2] = 1;
    s.substance.shape.spacing = dlp_vec(0.084, 0, 0);
    open_solid(&s);
    dlp_embedded_mesh embedded = embedded_of(&s, 0.01);
    const affine left = turn_by(dlp_vec(0, 0, 0), dlp_vec(-1, 0, 0)),
                 right = turn_by(dlp_vec(0, 40, 0), dlp_vec(1, 0, 0));
    for (int32_t i = 0; i < 128; i++)
        dlp_solid_set(s.solid->state.particles.position, i,
                      mapped(i < 64 ? &left : &right, dlp_solid_get(s.solid->state.particles.x0, i)));
    move_embedded(&s, &embedded);
    const int32_t half = embedded.deformed.mesh.vertex_count / 2;
    for (int32_t v = 0; v < 2 * half; v++)
        assert_near(dlp_length(dlp_sub(embedded.deformed.mesh.vertices[v],
                                       mapped(v < half ? &left : &right, embedded.x0[v]))),
                    0, 1e-7);
    dlp_embedded_mesh_release(&embedded);
    close_solid(&s);
}

// A needle far longer than the support, with no particles but at its foot, stands on a cube.
static void a_spike_without_particles_goes_with_the_body(void **state)
{
    (void)state;
    dlp_mesh cube = cube_mesh();
    for (int32_t v = 0; v < cube.vertex_count; v++) cube.vertices[v] = dlp_mul(cube.vertices[v], 0.1);
    dlp_mesh_add_vertex(&cube, dlp_vec(0.05, 0.05, 1), NULL);
    const int32_t tip = cube.vertex_count - 1;
    for (int32_t t = 0, count = cube.triangle_count; t < count; t++) {
        int32_t *c = cube.triangles[t];
        const bool is_top =
            cube.vertices[c[0]].z > 0.09 && cube.vertices[c[1]].z > 0.09 && cube.vertices[c[2]].z > 0.09;
        if (!is_top || c[0] == tip || c[1] == tip) continue;
        const int32_t a = c[0], b = c[1], e = c[2];
        c[2] = tip;
        dlp_mesh_add_triangle(&cube, b, e, tip, NULL);
        dlp_mesh_add_triangle(&cube, e, a, tip, NULL);
        break;
    }
    write_mesh("spike.obj", &cube);
    solid_setup s = make_box(dlp_vec(0, 0, 0), 0.02);
    s.substance.shape = (dlp_shape_def){.kind = DLP_SHAPE_MESH, .file = (char *)"spike.obj"};
    s.scene.folder = test_folder;
    open_solid(&s);
    dlp_embedded_mesh embedded = embedded_of(&s, 0.01);
    const affine turned = turn_by(dlp_vec(0, 0, 90), dlp_vec(1, 2, 3));
    map_solid(&s, &turned);
    move_embedded(&s, &embedded);
    assert_carried(&embedded, &turned, 2e-6);  // a metre away
    dlp_embedded_mesh_release(&embedded);
    dlp_mesh_release(&cube);
    close_solid(&s);
}

// Cut.

// Takes all links away that cross the plane normal . x = `place` at rest and have their middles in a box.
static void cut_in(dlp_solid *solid, dlp_vec3 normal, double place, dlp_vec3 low, dlp_vec3 high)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    dlp_error error = {0};
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
            if (links.neighbour[n] < 0) continue;
            const dlp_vec3 a = dlp_solid_get(solid->state.particles.x0, i),
                           b = dlp_solid_get(solid->state.particles.x0, links.neighbour[n]),
                           middle = dlp_mul(dlp_add(a, b), 0.5);
            const bool is_within =
                middle.y > low.y && middle.z > low.z && middle.y < high.y && middle.z < high.z;
            if (is_within && (dlp_dot(normal, a) < place) != (dlp_dot(normal, b) < place))
                links.neighbour[n] = -1;
        }
    expect_ok(dlp_solid_find_fragments(solid, &error), &error);
    expect_ok(dlp_solid_color_constraints(solid, &error), &error);
}

static void cut_at(dlp_solid *solid, double place, double low)
{
    cut_in(solid, dlp_vec(1, 0, 0), place, dlp_vec(-1, -1, low), dlp_vec(1, 1, 1));
}

static dlp_solid *solid_of(const setup *s)
{
    return (dlp_solid *)(uintptr_t)dlp_solid_of(s->world);
}

static void move_beyond(dlp_solid *solid, double place, double rest_low, dlp_vec3 way)
{
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        if (solid->state.particles.x0[3 * i] > place && solid->state.particles.x0[3 * i + 2] > rest_low)
            dlp_solid_set(solid->state.particles.position, i,
                          dlp_add(dlp_solid_get(solid->state.particles.position, i), way));
}

static double mesh_volume_beyond(const dlp_surface_view *view, double place)
{
    double volume = 0;
    for (int32_t t = 0; t < view->triangle_count; t++) {
        const dlp_vec3 a = view->vertices[view->triangles[t][0]], b = view->vertices[view->triangles[t][1]],
                       c = view->vertices[view->triangles[t][2]];
        if ((a.x + b.x + c.x) / 3 > place) volume += dlp_dot(a, dlp_cross(b, c)) / 6;
    }
    return volume;
}

// The pieces stand as the knife left them, without a gap, and are two bodies to the eye.
static void pieces_that_touch_have_surfaces_of_their_own(void **state)
{
    (void)state;
    setup s = make_setup(bar_scene);
    dlp_skin *skin = skin_of(&s);
    const double volume = 0.2 * 0.08 * 0.08;
    cut_at(solid_of(&s), 0.08, -1);
    const dlp_surface_view near = view_of(skin, 0);
    assert_sound(skin, 2);
    assert_near(near.volume, volume, 5e-3 * volume);  // less a hair at the cut
    move_beyond(solid_of(&s), 0.08, -1, dlp_vec(1, 0, 0));
    const dlp_surface_view apart = view_of(skin, 0);
    assert_sound(skin, 2);
    assert_near(apart.volume, near.volume, 1e-6 * volume);
    assert_near(mesh_volume_beyond(&apart, 0.5), 0.12 * 0.08 * 0.08, 5e-3 * volume);
    dlp_skin_destroy(skin);
    release_setup(&s);
}

// Askew through the lattice: a face lies where the knife went to less than half a spacing, mostly far nearer,
// and away from it the bar has the corners it had.
static void cut_faces_lie_where_the_knife_went(void **state)
{
    (void)state;
    setup s = make_setup(bar_scene);
    dlp_skin *skin = skin_of(&s);
    const dlp_vec3 normal = dlp_normalize(dlp_vec(1, 0.3, 0.5), dlp_vec(1, 0, 0));
    const double place = dlp_dot(normal, dlp_vec(0.1, 0.04, 0.04)), spacing = 0.02;
    cut_in(solid_of(&s), normal, place, dlp_vec(-1, -1, -1), dlp_vec(1, 1, 1));
    const dlp_surface_view cut = view_of(skin, 0);
    assert_sound(skin, 2);
    assert_near(cut.volume, 0.2 * 0.08 * 0.08, 0.01 * 0.2 * 0.08 * 0.08);
    double sum = 0, corner = 1, count = 0;
    for (int32_t v = 0; v < cut.vertex_count; v++) {
        const dlp_vec3 x = cut.vertices[v];
        corner = fmin(corner, dlp_length(dlp_sub(x, dlp_vec(0.2, 0.08, 0.08))));
        if (fmin(fmin(x.y, 0.08 - x.y), fmin(x.z, 0.08 - x.z)) < 0.01 || x.x < 0.02 || x.x > 0.18) continue;
        const double away = dlp_dot(normal, x) - place;
        assert_near(away, 0, 0.5 * spacing);
        sum += away * away;
        count++;
    }
    assert_true(count > 100 && sqrt(sum / count) < 0.2 * spacing);
    assert_near(corner, 0, 1e-8);
    dlp_skin_destroy(skin);
    release_setup(&s);
}

// A slit that does not part the bar is closed until it stands open.
static void a_slit_shows_when_it_stands_open(void **state)
{
    (void)state;
    setup s = make_setup(bar_scene);
    dlp_skin *skin = skin_of(&s);
    const int32_t triangle_count = view_of(skin, 0).triangle_count;
    cut_at(solid_of(&s), 0.08, 0.04);
    assert_int_equal(dlp_solid_fragment_count(solid_of(&s)), 1);
    assert_int_equal(view_of(skin, 0).triangle_count, triangle_count);
    move_beyond(solid_of(&s), 0.08, 0.04, dlp_vec(0.06, 0, 0));
    const dlp_surface_view open = view_of(skin, 0);
    assert_sound(skin, 1);
    for (int32_t v = 0; v < open.vertex_count; v++)  // nothing spans it
        assert_false(open.vertices[v].z > 0.06 && fabs(open.vertices[v].x - 0.11) < 0.02);
    dlp_skin_destroy(skin);
    release_setup(&s);
}

static const char cubes_scene[] = BODY_WITH("{box: {min: [0, 0, 0], max: [0.16, 0.08, 0.08]},\n"
                                            "            copies: {count: [1, 3, 1], spacing: [0, 0.1, 0]}}\n",
                                            "");

// Of three boxes the middle one is cut: the others keep every triangle.
static void bodies_beside_one_that_is_cut_keep_their_mesh(void **state)
{
    (void)state;
    setup s = make_setup(cubes_scene);
    dlp_skin *skin = skin_of(&s);
    const dlp_surface_view whole = view_of(skin, 0);
    const int32_t count = whole.vertex_count / 3;
    dlp_vec3 first[2000];
    assert_true(count <= 2000);
    memcpy(first, whole.vertices, (size_t)count * sizeof *first);
    cut_in(solid_of(&s), dlp_vec(1, 0, 0), 0.08, dlp_vec(-1, 0.09, -1), dlp_vec(1, 0.19, 1));
    const dlp_surface_view cut = view_of(skin, 0);
    assert_sound(skin, 4);
    assert_memory_equal(cut.vertices, first, (size_t)count * sizeof *first);
    assert_near(cut.volume, 3 * 0.16 * 0.08 * 0.08, 0.03 * 3 * 0.16 * 0.08 * 0.08);
    dlp_skin_destroy(skin);
    release_setup(&s);
}

// Bits.

static void assert_same_surface(const dlp_surface_view *a, const dlp_surface_view *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    const size_t count = (size_t)a->vertex_count;
    assert_memory_equal(a->vertices, b->vertices, count * sizeof *a->vertices);
    assert_memory_equal(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof *a->triangles);
    assert_memory_equal(a->normals, b->normals, 3 * count * sizeof(float));
    assert_memory_equal(a->velocities, b->velocities, 3 * count * sizeof(float));
    assert_true(a->volume == b->volume && a->area == b->area);
}

static void more_threads_change_no_bit_of_a_surface(void **state)
{
    (void)state;
    const dlp_world_options options = {.size = sizeof options, .thread_count = 3};
    setup one = make_setup(bar_scene), three = make_setup_in(NULL, bar_scene, &options);
    dlp_skin *first = skin_of(&one), *second = skin_of(&three);
    step_frames(one.world, 3);
    step_frames(three.world, 3);
    const dlp_surface_view a = view_of(first, 0), b = view_of(second, 0);
    assert_same_surface(&a, &b);
    dlp_skin_destroy(first);
    dlp_skin_destroy(second);
    release_setup(&one);
    release_setup(&three);
}

// Also of pieces.
static void a_resumed_run_has_the_same_surfaces(void **state)
{
    (void)state;
    need_checkpoints();
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        dlp_error error = {0};
        setup straight = make_setup(bar_scene), loaded = make_setup(bar_scene);
        dlp_skin *first = skin_of(&straight), *second = skin_of(&loaded);
        view_of(first, 0);
        step_frames(straight.world, 2);
        if (is_cut) cut_at(solid_of(&straight), 0.08, -1);
        view_of(first, 0);
        expect_ok(dlp_world_save(straight.world, in_folder("state.h5"), &error), &error);
        expect_ok(dlp_world_load(loaded.world, in_folder("state.h5"), &error), &error);
        step_frames(straight.world, 2);
        step_frames(loaded.world, 2);
        const dlp_surface_view a = view_of(first, 0), b = view_of(second, 0);
        assert_same_surface(&a, &b);
        assert_sound(second, is_cut ? 2 : 1);
        dlp_skin_destroy(first);
        dlp_skin_destroy(second);
        release_setup(&straight);
        release_setup(&loaded);
    }
}

// Made again.

#define PAIR_WITH(more)                                                                                      \
    "frames: {rate: 100, count: 3}\n"                                                                        \
    "substances:\n"                                                                                          \
    "  plate:\n"                                                                                             \
    "    material: rubber\n"                                                                                 \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    velocity: [0.3, 0, 1]\n"                                                                            \
    "    shape: {sheet: {center: [0.5, 0, 0.3], normal: [0, 1, 1], size: [0.1, 0.1], thickness: "            \
    "0.02}}\n" more "  honey:\n"                                                                             \
    "    material: honey\n"                                                                                  \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    shape: {box: {min: [0, 0, 0], max: [0.08, 0.08, 0.08]}}\n"

static void record(setup *s, const char *folder, int32_t frames)
{
    dlp_error error = {0};
    const dlp_recorder_def def = {
        .size = sizeof def, .folder = folder, .scene = s->scene, .mode = DLP_RUN_FRESH};
    dlp_recorder *recorder;
    expect_ok(dlp_recorder_open(&def, &recorder, &error), &error);
    expect_ok(dlp_recorder_frame(recorder, s->world, &error), &error);
    for (int32_t k = 0; k < frames; k++) {
        step_frames(s->world, 1);
        expect_ok(dlp_recorder_frame(recorder, s->world, &error), &error);
    }
    dlp_recorder_close(recorder);
}

static dlp_surface_view made_again(const char *folder, int32_t frame, dlp_run *run, dlp_reskin **out_reskin)
{
    dlp_error error = {0};
    dlp_surface_view view = {.size = sizeof view};
    expect_ok(dlp_run_open(folder, NULL, NULL, run, &error), &error);
    const dlp_reskin_def def = {.run = run, .folder = in_folder("again")};
    expect_ok(dlp_reskin_create(&def, out_reskin, &error), &error);
    expect_ok(dlp_reskin_make(*out_reskin, frame, &error), &error);
    expect_ok(dlp_skin_surface(dlp_reskin_skin(*out_reskin), 0, &view, &error), &error);
    return view;
}

// A single layer, whose normal is no neighbours' matter, beside honey.
static void surfaces_made_again_are_those_of_the_run(void **state)
{
    (void)state;
    setup s = make_setup(PAIR_WITH(""));
    dlp_skin *skin;
    dlp_reskin *reskin;
    dlp_run run;
    record(&s, in_folder("run"), 3);
    skin = skin_of(&s);
    const dlp_surface_view first = view_of(skin, 0), second = made_again(in_folder("run"), 3, &run, &reskin);
    assert_string_equal(second.name, "plate");
    assert_same_surface(&first, &second);
    dlp_skin_destroy(skin);
    dlp_reskin_destroy(reskin);
    dlp_run_close(&run);
    release_setup(&s);
}

// The frames tell the pieces: made again, each has its own surface where the run had it. Slopes at the cut
// are those of the neighbours that are left, not of their substitutes.
static void pieces_are_made_again_from_recorded_frames(void **state)
{
    (void)state;
    setup s = make_setup(BODY_WITH("{box: {min: [0, 0, 0], max: [0.2, 0.08, 0.08]}}\n",
                                   "blades:\n"
                                   "  - {from: [0.08, -1, 1], to: [0.08, 1, 1], stop: 0.02,\n"
                                   "     position: {keys: [[0, [0, 0, 0]], [0.02, [0, 0, -2]]]}}\n"));
    dlp_reskin *reskin;
    dlp_run run;
    record(&s, in_folder("cut"), 3);
    dlp_skin *skin = skin_of(&s);
    const dlp_surface_view first = view_of(skin, 0), second = made_again(in_folder("cut"), 3, &run, &reskin);
    assert_int_equal(dlp_solid_fragment_count(solid_of(&s)), 2);
    assert_sound(dlp_reskin_skin(reskin), 2);
    assert_int_equal(first.vertex_count, second.vertex_count);
    for (int32_t v = 0; v < first.vertex_count; v++)
        assert_near(dlp_length(dlp_sub(first.vertices[v], second.vertices[v])), 0, 1e-3);
    dlp_skin_destroy(skin);
    dlp_reskin_destroy(reskin);
    dlp_run_close(&run);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_and_affine_maps_carry_the_mesh_as_it_is),
        cmocka_unit_test(the_volume_within_grows_with_the_stretch),
        cmocka_unit_test(vertices_of_a_spinning_body_have_its_velocity),
        cmocka_unit_test(a_single_layer_carries_both_of_its_faces),
        cmocka_unit_test(a_single_row_turns_with_its_line),
        cmocka_unit_test(maps_have_the_gradients_of_single_particles),
        cmocka_unit_test(a_bent_bar_stays_closed_and_manifold),
        cmocka_unit_test(a_mesh_file_is_its_own_surface_copy_by_copy),
        cmocka_unit_test(bodies_side_by_side_keep_their_own_vertices),
        cmocka_unit_test(a_spike_without_particles_goes_with_the_body),
        cmocka_unit_test(pieces_that_touch_have_surfaces_of_their_own),
        cmocka_unit_test(cut_faces_lie_where_the_knife_went),
        cmocka_unit_test(a_slit_shows_when_it_stands_open),
        cmocka_unit_test(bodies_beside_one_that_is_cut_keep_their_mesh),
        cmocka_unit_test(more_threads_change_no_bit_of_a_surface),
        cmocka_unit_test(a_resumed_run_has_the_same_surfaces),
        cmocka_unit_test(surfaces_made_again_are_those_of_the_run),
        cmocka_unit_test(pieces_are_made_again_from_recorded_frames),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
