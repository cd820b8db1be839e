/* Walls: substance rests on them without a gap or a leak, whatever they are made of, and presses on them with
 * its weight. */
#include "scenes.h"
#include "test_folder.h"

#define S 0.0125  // m: the spacing of the pools in the plane

static const char pool2d[] = "dimension: 2\n"
                             "frames: {rate: 20, count: 20}\n"
                             "substances:\n"
                             "  water: {material: water, particle: {spacing: 0.0125}, adapt: {time: true},\n"
                             "          shape: {box: {min: [0, 0], max: [0.3, 0.15]}}}\n"
                             "obstacles:\n"
                             "  - box: {min: [0, 0], max: [0.3, 0.4], inside: true}\n"
                             "probes: {load: {body: obstacle0}}\n";

// What is measured.

typedef struct pool {
    int32_t count;
    double lowest_mean;  // m above the floor, of the particles within a spacing of it
    double lowest_count;
    double mean;     // m above the floor
    double fastest;  // m/s
} pool;

// Heights along `up` above the point `floor`, of the particles of one substance (-1: of all).
static pool measure_pool(const dlp_world *world, int32_t which, dlp_vec3 floor, dlp_vec3 up, double spacing)
{
    const dlp_view view = field_of(world, DLP_FIELD_POSITION);
    const int32_t *substance = field_of(world, DLP_FIELD_SUBSTANCE).data;
    const double *x = view.data;
    const float *v = velocities_of(world);
    pool p = {0};
    for (int32_t i = 0; i < view.count; i++) {
        if (which >= 0 && substance[i] != which) continue;
        const double height = dlp_dot(up, dlp_sub(dlp_vec(x[3 * i], x[3 * i + 1], x[3 * i + 2]), floor));
        p.count++;
        p.mean += height;
        p.lowest_count += height < spacing;
        p.lowest_mean += height < spacing ? height : 0;
        const double speed =
            sqrt((double)(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]));
        p.fastest = fmax(p.fastest, speed);
    }
    p.mean /= p.count;
    p.lowest_mean /= p.lowest_count;
    return p;
}

// Rests half a spacing above the floor, in a layer as dense as any other, and as high as its volume says.
static void assert_rests(const pool *p, double spacing, double area, int dimension, double height)
{
    const double layer = area / pow(spacing, dimension - 1);
    assert_near(p->lowest_mean / spacing, 0.5, 0.1);
    assert_near(p->lowest_count / layer, 0.95, 0.15);  // a row of the hexagonal start has 0.93
    assert_near(2 * p->mean / height, 1, 0.01);
    assert_true(p->fastest < 0.05);
}

// Height that the substance's volume has over an area.
static double rest_height(dlp_world *world, double density, double area)
{
    return stats_of(world).mass / density / area;
}

// Mean over some frames of the force of all substances along `down` on one obstacle (-1: on all).
static double mean_load(dlp_world *world, int32_t obstacle, dlp_vec3 down, int32_t frames)
{
    double sum = 0;
    for (int32_t k = 0; k < frames; k++) {
        step_frames(world, 1);
        for (int32_t o = 0; o < dlp_world_scene(world)->obstacle_count; o++)
            if (obstacle < 0 || o == obstacle) sum += dlp_dot(dlp_world_body_load(world, o).mean_force, down);
    }
    return sum / frames;
}

// Pools.

static void a_pool_in_a_box_rests_without_gap_leak_or_layer(void **state)
{
    (void)state;
    setup s = make_setup(pool2d);
    step_frames(s.world, 20);
    const pool p = measure_pool(s.world, -1, dlp_vec(0, 0, 0), dlp_vec(0, 1, 0), S);
    assert_true(least_distance(s.world, 0) > 0);
    assert_rests(&p, S, 0.3, 2, rest_height(s.world, 1000, 0.3));
    release_setup(&s);
}

static double probe_of(const dlp_world *world, int32_t probe)
{
    double values[3];
    int32_t count;
    dlp_error error = {0};
    expect_ok(dlp_world_probe(world, probe, values, &count, &error), &error);
    return values[0];
}

// On a wall, behind its face by less than a spacing, and from below the floor: the level is that of the pool,
// though half of what is around such places is no substance.
static void the_height_on_a_wall_is_that_of_the_pool(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\n"
                         "frames: {rate: 20, count: 20}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.0125}, adapt: {time: true},\n"
                         "          shape: {box: {min: [0, 0], max: [0.3, 0.15]}}}\n"
                         "obstacles:\n"
                         "  - box: {min: [0, 0], max: [0.3, 0.4], inside: true}\n"
                         "probes:\n"
                         "  left: {line: {from: [0, 0], to: [0, 0.3]}}\n"
                         "  right: {line: {from: [0.3, 0], to: [0.3, 0.3]}}\n"
                         "  behind: {line: {from: [0.304, 0], to: [0.304, 0.3]}}\n"
                         "  middle: {line: {from: [0.15, -0.1], to: [0.15, 0.3]}}\n"
                         "  dry: {line: {from: [0.3, 0.25], to: [0.3, 0.4]}}\n");
    for (int32_t frame = 0; frame < 8; frame++) {
        const double level = rest_height(s.world, 1000, 0.3);
        for (int32_t k = 0; k < 3; k++) assert_near(probe_of(s.world, k), level, 0.5 * S);
        assert_near(probe_of(s.world, 3), 0.1 + level, 0.5 * S);
        assert_near(probe_of(s.world, 4), 0, 0);
        step_frames(s.world, 1);
    }
    release_setup(&s);
}

static void a_pool_in_space_rests_and_presses_with_its_weight(void **state)
{
    (void)state;
    setup s = make_setup("frames: {rate: 20, count: 20}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.02}, adapt: {time: true},\n"
                         "          shape: {box: {min: [0, 0, 0], max: [0.2, 0.16, 0.16]}}}\n"
                         "obstacles:\n"
                         "  - box: {min: [0, 0, 0], max: [0.2, 0.16, 0.4], inside: true}\n"
                         "probes: {load: {body: obstacle0}}\n");
    step_frames(s.world, 16);
    const double load = mean_load(s.world, 0, dlp_vec(0, 0, -1), 4);
    assert_near(load / (9.81 * stats_of(s.world).mass), 1, 0.03);
    const pool p = measure_pool(s.world, -1, dlp_vec(0, 0, 0), dlp_vec(0, 0, 1), 0.02);
    assert_true(least_distance(s.world, 0) > 0);
    assert_rests(&p, 0.02, 0.2 * 0.16, 3, rest_height(s.world, 1000, 0.2 * 0.16));
    release_setup(&s);
}

static void the_load_on_the_floor_is_the_weight(void **state)
{
    (void)state;
    setup s = make_setup(pool2d);
    step_frames(s.world, 16);
    const double load = mean_load(s.world, 0, dlp_vec(0, -1, 0), 4);
    assert_near(load / (9.81 * stats_of(s.world).mass), 1, 0.03);
    const dlp_body_force now = dlp_world_body_load(s.world, 0);
    // the torque about the corner: the weight acts in the middle; the sides' pushes cancel but for their
    // lever
    assert_near(now.torque.z / (now.force.y * 0.15), 1, 0.05);
    assert_near(now.mean_force.x / load, 0, 0.02);
    release_setup(&s);
}

// Mean force on all bodies over the next frame, and what the substance gained in it, over its weight: 0, -1
// and 0 along x, y and z (or 0, 0, -1), whatever happens.
static dlp_vec3 balance_of_frame(dlp_world *world, double frame)
{
    const dlp_vec3 before = stats_of(world).momentum;
    const double weight = 9.81 * stats_of(world).mass;
    step_frames(world, 1);
    dlp_vec3 given = dlp_mul(dlp_sub(stats_of(world).momentum, before), 1 / frame);
    for (int32_t o = 0; o < dlp_world_scene(world)->obstacle_count; o++)
        given = dlp_add(given, dlp_world_body_load(world, o).mean_force);
    return dlp_mul(given, 1 / weight);
}

// Each particle sees the wall points of its own size alone, and only those take its force. Where obstacles
// meet, the corner between them is the floor's, which is named first: half a spacing of the walls' lower
// edge, where the pressure is highest.
static void walls_of_separate_boxes_carry_what_coarse_particles_press(void **state)
{
    (void)state;
    setup s = make_setup(
        "dimension: 2\n"
        "frames: {rate: 20, count: 30}\n"
        "substances:\n"
        "  water: {material: water, particle: {spacing: 0.0125}, adapt: {time: true, space: true},\n"
        "          shape: {box: {min: [0, 0], max: [0.6, 0.4]}}}\n"
        "obstacles:\n"
        "  - box: {min: [-0.2, -0.2], max: [0.8, 0]}\n"
        "  - box: {min: [-0.2, 0], max: [0, 0.8]}\n"
        "  - box: {min: [0.6, 0], max: [0.8, 0.8]}\n"
        "probes: {load: {body: obstacle0}}\n");
    double down = 0, left = 0, right = 0;
    for (int32_t frame = 0; frame < 24; frame++) {
        const dlp_vec3 given = balance_of_frame(s.world, 1.0 / 20);
        assert_near(given.x, 0, 2e-3);
        assert_near(given.y, -1, 2e-3);
        if (frame < 8) continue;  // it still settles
        down -= dlp_world_body_load(s.world, 0).mean_force.y / 16;
        left -= dlp_world_body_load(s.world, 1).mean_force.x / 16;
        right += dlp_world_body_load(s.world, 2).mean_force.x / 16;
    }
    const double weight = 9.81 * 1000 * 0.6 * 0.4, push = 0.5 * 9.81 * 1000 * 0.4 * 0.4;
    const double corner = 9.81 * 1000 * 0.4 * 0.5 * S / push;
    assert_near(down / weight, 1, 0.02);
    assert_near(left / push, 1 - corner, 0.02);
    assert_near(right / push, 1 - corner, 0.02);
    release_setup(&s);
}

// What the bodies took in a frame is what the substance lost (and gravity gave), however few particles are
// due at a step. Only rounding of floats, and what particles on longer steps are not told at once, lies
// between.
static void the_impulse_on_bodies_is_what_the_substance_lost(void **state)
{
    (void)state;
    setup s = make_setup("frames: {rate: 50, count: 20}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.04}, adapt: {time: true},\n"
                         "          shape: {box: {min: [0, 0, 0], max: [0.4, 0.2, 0.4]}}}\n"
                         "obstacles:\n"
                         "  - box: {min: [0, 0, 0], max: [1.2, 0.2, 0.8], inside: true}\n"
                         "  - box: {min: [0.6, 0.05, 0], max: [0.7, 0.15, 0.8]}\n"
                         "probes: {load: {body: obstacle0}}\n");
    for (int32_t k = 0; k < 20; k++) {
        const dlp_vec3 given = balance_of_frame(s.world, 1.0 / 50);
        assert_near(given.x, 0, 2e-3);
        assert_near(given.y, 0, 2e-3);
        assert_near(given.z, -1, 2e-3);
    }
    release_setup(&s);
}

static void a_tilted_box_with_tilted_gravity_is_the_same_pool(void **state)
{
    (void)state;
    const double angle = 33 * DLP_PI / 180;
    char text[1024];
    snprintf(text, sizeof text,
             "dimension: 2\n"
             "frames: {rate: 20, count: 20}\n"
             "gravity: [%.15g, %.15g]\n"
             "substances:\n"
             "  water: {material: water, particle: {spacing: 0.0125}, adapt: {time: true},\n"
             "          shape: {box: {min: [0, 0], max: [0.3, 0.15]}, rotate: [0, 0, 33]}}\n"
             "obstacles:\n"
             "  - {box: {min: [0, 0], max: [0.3, 0.4], inside: true}, rotate: [0, 0, 33]}\n"
             "probes: {load: {body: obstacle0}}\n",
             9.81 * sin(angle), -9.81 * cos(angle));
    const dlp_vec3 up = dlp_vec(-sin(angle), cos(angle), 0), floor = dlp_vec(0, 0, 0);
    setup tilted = make_setup(text), level = make_setup(pool2d);
    step_frames(tilted.world, 16);
    step_frames(level.world, 16);
    const double load = mean_load(tilted.world, 0, dlp_mul(up, -1), 4);
    assert_near(load / mean_load(level.world, 0, dlp_vec(0, -1, 0), 4), 1, 0.01);
    const pool p = measure_pool(tilted.world, -1, floor, up, S);
    const pool q = measure_pool(level.world, -1, floor, dlp_vec(0, 1, 0), S);
    assert_int_equal(p.count, q.count);
    assert_true(least_distance(tilted.world, 0) > 0);
    assert_near(p.mean / q.mean, 1, 0.01);
    assert_rests(&p, S, 0.3, 2, rest_height(tilted.world, 1000, 0.3));
    release_setup(&tilted);
    release_setup(&level);
}

static void a_half_filled_sphere_holds_its_water(void **state)
{
    (void)state;
    setup s = make_setup("frames: {rate: 20, count: 20}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.014}, adapt: {time: true},\n"
                         "          shape: {intersection: [{sphere: {radius: 0.12}},\n"
                         "                                 {box: {min: [-1, -1, -1], max: [1, 1, 0]}}]}}\n"
                         "obstacles:\n"
                         "  - sphere: {radius: 0.12, inside: true}\n"
                         "probes: {load: {body: obstacle0}}\n");
    step_frames(s.world, 16);
    const double load = mean_load(s.world, 0, dlp_vec(0, 0, -1), 4);
    const double mass = stats_of(s.world).mass;
    assert_near(mass / (1000 * 2 * DLP_PI / 3 * pow(0.12, 3)), 1, 0.01);
    assert_near(load / (9.81 * mass), 1, 0.03);
    assert_true(least_distance(s.world, 0) > 0);
    const pool p = measure_pool(s.world, -1, dlp_vec(0, 0, 0), dlp_vec(0, 0, 1), 0.014);
    // the centroid of a hemisphere; a lattice that meets a round wall settles by a tenth of its spacing
    assert_near(p.mean, -0.375 * 0.12, 0.15 * 0.014);
    assert_true(p.fastest < 0.05);
    release_setup(&s);
}

static void write_cube(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < 8; k++)
        fprintf(file, "v %g %g %g\n", k & 1 ? 0.36 : -0.1, k & 2 ? 0.26 : -0.1, k & 4 ? 0.0 : -0.2);
    fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
    assert_int_equal(fclose(file), 0);
}

static void a_pool_rests_on_a_mesh(void **state)
{
    (void)state;
    write_cube(in_folder("cube.obj"));
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1};
    setup s = make_setup_in(test_folder,
                            "frames: {rate: 20, count: 20}\n"
                            "substances:\n"
                            "  water: {material: water, particle: {spacing: 0.02}, adapt: {time: true},\n"
                            "          shape: {box: {min: [0, 0, 0], max: [0.2, 0.16, 0.12]}}}\n"
                            "obstacles:\n"
                            "  - {name: cube, mesh: {file: cube.obj}}\n"
                            "  - box: {min: [0, 0, -0.3], max: [0.2, 0.16, 0.4], inside: true}\n"
                            "probes: {load: {body: cube}}\n",
                            &options);
    step_frames(s.world, 16);
    // walls are frozen substance: those at the sides carry a part of what stands within a support of them
    const double load = mean_load(s.world, -1, dlp_vec(0, 0, -1), 4);
    assert_near(load / (9.81 * stats_of(s.world).mass), 1, 0.03);
    const pool p = measure_pool(s.world, -1, dlp_vec(0, 0, 0), dlp_vec(0, 0, 1), 0.02);
    assert_true(least_distance(s.world, 0) > 0);
    assert_true(least_distance(s.world, 1) > 0);
    assert_rests(&p, 0.02, 0.2 * 0.16, 3, rest_height(s.world, 1000, 0.2 * 0.16));
    release_setup(&s);
}

static void a_pool_between_touching_obstacles_finds_no_seam(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\n"
                         "frames: {rate: 20, count: 20}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.0125}, adapt: {time: true},\n"
                         "          shape: {box: {min: [0, 0], max: [0.3, 0.15]}}}\n"
                         "obstacles:\n"
                         "  - {name: floor, box: {min: [-0.2, -0.2], max: [0.5, 0]}}\n"
                         "  - {name: left, box: {min: [-0.2, 0], max: [0, 0.4]}}\n"
                         "  - {name: right, box: {min: [0.3, 0], max: [0.5, 0.4]}}\n"
                         "probes: {load: {body: floor}}\n");
    step_frames(s.world, 16);
    const double load = mean_load(s.world, 0, dlp_vec(0, -1, 0), 4);
    assert_near(load / (9.81 * stats_of(s.world).mass), 1, 0.05);
    for (int32_t k = 0; k < 3; k++) assert_true(least_distance(s.world, k) > 0);
    const pool p = measure_pool(s.world, -1, dlp_vec(0, 0, 0), dlp_vec(0, 1, 0), S);
    assert_rests(&p, S, 0.3, 2, rest_height(s.world, 1000, 0.3));
    release_setup(&s);
}

static void a_periodic_floor_has_no_seam(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\n"
                         "frames: {rate: 20, count: 20}\n"
                         "periodic: [x]\n"
                         "domain: {min: [0, -1], max: [0.3, 1]}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.0125}, adapt: {time: true},\n"
                         "          shape: {box: {min: [0, 0], max: [0.3, 0.15]}}}\n"
                         "obstacles:\n"
                         "  - {name: floor, box: {min: [0, -0.2], max: [0.3, 0]}}\n"
                         "probes: {load: {body: floor}}\n");
    step_frames(s.world, 16);
    const double load = mean_load(s.world, 0, dlp_vec(0, -1, 0), 4);
    assert_near(load / (9.81 * stats_of(s.world).mass), 1, 0.03);
    const pool p = measure_pool(s.world, -1, dlp_vec(0, 0, 0), dlp_vec(0, 1, 0), S);
    assert_rests(&p, S, 0.3, 2, rest_height(s.world, 1000, 0.3));
    release_setup(&s);
}

// Sheets.

// Water stands high on the left of a sheet, and half as high on its right where there is any.
static setup part_pools(double thickness, bool is_right_filled)
{
    char text[1024], low[256] = "";
    if (is_right_filled)
        snprintf(low, sizeof low,
                 "  low: {material: water, particle: {spacing: 0.0125}, adapt: {time: true},\n"
                 "        shape: {box: {min: [%.15g, 0], max: [0.4, 0.1]}}}\n",
                 0.2 + thickness / 2);
    snprintf(text, sizeof text,
             "dimension: 2\n"
             "frames: {rate: 20, count: 20}\n"
             "substances:\n"
             "  high: {material: water, particle: {spacing: 0.0125}, adapt: {time: true},\n"
             "         shape: {box: {min: [0, 0], max: [%.15g, 0.2]}}}\n"
             "%s"
             "obstacles:\n"
             "  - box: {min: [0, 0], max: [0.4, 0.4], inside: true}\n"
             "  - sheet: {center: [0.2, 0.2], normal: [1, 0], size: [0.4, 0.4], thickness: %.15g}\n"
             "probes: {load: {body: obstacle1}}\n",
             0.2 - thickness / 2, low, thickness);
    return make_setup(text);
}

static const double thicknesses[] = {0.2 * S, S};

static void a_sheet_lets_nothing_through(void **state)
{
    setup s = part_pools(*(const double *)*state, true);
    step_frames(s.world, 20);
    const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
    const int32_t *substance = field_of(s.world, DLP_FIELD_SUBSTANCE).data;
    for (int32_t i = 0; i < x.count; i++) {
        const bool is_left = ((const double *)x.data)[3 * i] < 0.2;
        if (is_left != (substance[i] == 0)) fail_msg("particle %d of %d is on the wrong side", i, x.count);
    }
    assert_true(least_distance(s.world, 0) > 0);
    assert_true(least_distance(s.world, 1) > 0);
    release_setup(&s);
}

// The low pool lies as it would lie alone.
static void pressure_does_not_reach_through_a_sheet(void **state)
{
    setup s = part_pools(*(const double *)*state, true);
    step_frames(s.world, 40);
    const pool p = measure_pool(s.world, 1, dlp_vec(0, 0, 0), dlp_vec(0, 1, 0), S);
    assert_near(2 * p.mean / 0.1, 1, 0.01);
    assert_true(p.fastest < 0.05);
    release_setup(&s);
}

static void a_sheet_carries_the_pressure_of_the_pool_beside_it(void **state)
{
    setup s = part_pools(*(const double *)*state, false);
    step_frames(s.world, 16);
    const double push = mean_load(s.world, 1, dlp_vec(1, 0, 0), 4);
    // rho g H^2 / 2; of the lowest of sixteen rows, which has an eighth of the load, the floor's points
    // beyond the sheet carry up to half
    assert_near(push / (1000 * 9.81 * 0.2 * 0.2 / 2), 1, 0.0625);
    release_setup(&s);
}

static void a_fast_blob_does_not_pass_a_thin_sheet(void **state)
{
    (void)state;
    setup s =
        make_setup("dimension: 2\n"
                   "gravity: [0, 0]\n"
                   "frames: {rate: 200, count: 20}\n"
                   "substances:\n"
                   "  water: {material: water, particle: {spacing: 0.01}, adapt: {time: true},\n"
                   "          velocity: [20, 3],\n"
                   "          shape: {sphere: {center: [0.1, 0.2], radius: 0.05}}}\n"
                   "obstacles:\n"
                   "  - box: {min: [0, 0], max: [0.4, 0.4], inside: true}\n"
                   "  - sheet: {center: [0.2, 0.2], normal: [1, 0], size: [0.42, 0.42], thickness: 0.001}\n");
    for (int frame = 0; frame < 20; frame++) {
        step_frames(s.world, 1);
        const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
        for (int32_t i = 0; i < x.count; i++) assert_true(((const double *)x.data)[3 * i] < 0.2);
        assert_true(least_distance(s.world, 0) > 0);
    }
    release_setup(&s);
}

static void a_fast_blob_in_space_does_not_pass_a_thin_sheet(void **state)
{
    (void)state;
    setup s = make_setup("gravity: [0, 0, 0]\n"
                         "frames: {rate: 200, count: 20}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.02}, velocity: [0, 1, -20],\n"
                         "          shape: {sphere: {center: [0.2, 0.2, 0.3], radius: 0.06}}}\n"
                         "obstacles:\n"
                         "  - box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4], inside: true}\n"
                         "  - sheet: {center: [0.2, 0.2, 0.2], size: [0.42, 0.42], thickness: 0.002}\n");
    for (int frame = 0; frame < 8; frame++) {
        step_frames(s.world, 1);
        const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
        for (int32_t i = 0; i < x.count; i++) assert_true(((const double *)x.data)[3 * i + 2] > 0.2);
    }
    release_setup(&s);
}

// Motion.

static void a_moving_box_pushes_the_pool_and_stays_empty(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\n"
                         "frames: {rate: 50, count: 20}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.0125}, adapt: {time: true},\n"
                         "          shape: {box: {min: [0.1, 0], max: [0.5, 0.15]}}}\n"
                         "obstacles:\n"
                         "  - box: {min: [0, 0], max: [0.5, 0.6], inside: true}\n"
                         "  - box: {min: [0, 0.002], max: [0.1, 0.5]}\n"
                         "    position: {keys: [[0, [0, 0]], [0.4, [0.2, 0]]]}\n");
    double before = 0, after = 0;
    const double *x = positions_of(s.world);
    const int32_t count = dlp_world_particle_count(s.world);
    for (int32_t i = 0; i < count; i++) before += x[3 * i] / count;
    for (int frame = 0; frame < 20; frame++) {
        step_frames(s.world, 1);
        assert_true(least_distance(s.world, 0) > 0);
        assert_true(least_distance(s.world, 1) > 0);
    }
    x = positions_of(s.world);
    for (int32_t i = 0; i < count; i++) {
        after += x[3 * i] / count;
        assert_true(x[3 * i] > 0.3);  // nothing has got behind the piston
    }
    assert_near(after, 0.4, 0.02);
    assert_near(before, 0.3, 0.01);
    release_setup(&s);
}

static void a_box_that_falls_onto_a_pool_leaves_no_particle_inside(void **state)
{
    (void)state;
    setup s = make_setup("frames: {rate: 50, count: 20}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.02}, adapt: {time: true},\n"
                         "          shape: {box: {min: [0, 0, 0], max: [0.3, 0.2, 0.1]}}}\n"
                         "obstacles:\n"
                         "  - box: {min: [0, 0, 0], max: [0.3, 0.2, 0.6], inside: true}\n"
                         "  - box: {min: [-0.05, -0.05, -0.05], max: [0.05, 0.05, 0.05]}\n"
                         "    position: {keys: [[0, [0.12, 0.1, 0.2]], [0.1, [0.12, 0.1, 0.09]]]}\n"
                         "    rotation: {keys: [[0, [0, 0, 0]], [0.2, [40, 0, 60]]]}\n");
    for (int frame = 0; frame < 12; frame++) {
        step_frames(s.world, 1);
        assert_true(least_distance(s.world, 0) > 0);
        assert_true(least_distance(s.world, 1) > 0);
    }
    release_setup(&s);
}

#define SHEET_TEST(test, k)                                                                                  \
    {                                                                                                        \
#test ": " #k, test, NULL, NULL, (void *)(uintptr_t)&thicknesses[k]                                  \
    }

// A height field has no end, and nothing but the emitter says where things happen: its walls must be there
// nevertheless, or particles would lie as near as contact lets them.
static void a_stream_keeps_its_distance_all_along_a_height_field(void **state)
{
    (void)state;
    setup s = make_setup(
        "dimension: 2\n"
        "frames: {rate: 10, count: 12}\n"
        "substances:\n"
        "  water: {material: water, particle: {spacing: 0.02}}\n"
        "obstacles:\n"
        "  - height: {min: [0, 0], max: [4, 0], values: [0, 0, 0]}\n"
        "emitters:\n"
        "  - {substance: water, position: [0, 0.08], direction: [1, 0], radius: 0.06, speed: 2}\n");
    step_frames(s.world, 12);
    const double *x = positions_of(s.world);
    double mean = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < dlp_world_particle_count(s.world); i++) {
        if (x[3 * i] < 1 || x[3 * i] > 2 || x[3 * i + 1] > 0.015) continue;
        mean += x[3 * i + 1];
        count++;
    }
    assert_true(count > 20);
    assert_near(mean / count, 0.01, 0.0015);  // half a spacing
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_keeps_its_distance_all_along_a_height_field),
        cmocka_unit_test(a_pool_in_a_box_rests_without_gap_leak_or_layer),
        cmocka_unit_test(the_height_on_a_wall_is_that_of_the_pool),
        cmocka_unit_test(a_pool_in_space_rests_and_presses_with_its_weight),
        cmocka_unit_test(the_load_on_the_floor_is_the_weight),
        cmocka_unit_test(the_impulse_on_bodies_is_what_the_substance_lost),
        cmocka_unit_test(walls_of_separate_boxes_carry_what_coarse_particles_press),
        cmocka_unit_test(a_tilted_box_with_tilted_gravity_is_the_same_pool),
        cmocka_unit_test(a_half_filled_sphere_holds_its_water),
        cmocka_unit_test(a_pool_rests_on_a_mesh),
        cmocka_unit_test(a_pool_between_touching_obstacles_finds_no_seam),
        cmocka_unit_test(a_periodic_floor_has_no_seam),
        SHEET_TEST(a_sheet_lets_nothing_through, 0),
        SHEET_TEST(a_sheet_lets_nothing_through, 1),
        SHEET_TEST(pressure_does_not_reach_through_a_sheet, 0),
        SHEET_TEST(pressure_does_not_reach_through_a_sheet, 1),
        SHEET_TEST(a_sheet_carries_the_pressure_of_the_pool_beside_it, 0),
        SHEET_TEST(a_sheet_carries_the_pressure_of_the_pool_beside_it, 1),
        cmocka_unit_test(a_fast_blob_does_not_pass_a_thin_sheet),
        cmocka_unit_test(a_fast_blob_in_space_does_not_pass_a_thin_sheet),
        cmocka_unit_test(a_moving_box_pushes_the_pool_and_stays_empty),
        cmocka_unit_test(a_box_that_falls_onto_a_pool_leaves_no_particle_inside),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
