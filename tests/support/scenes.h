/* Small scenes that several tests share, and the few calls that every test of a world makes. */
#ifndef DLP_TESTS_SCENES_H
#define DLP_TESTS_SCENES_H

#include "dollop/dollop.h"
#include "motion/world.h"
#include "space/shape.h"
#include "truth.h"

#include <stdio.h>
#include <string.h>

// Texts.

// About 1900 particles in the corner of a tank.
#define DAM_WITH(extra)                                                                                      \
    "frames: {rate: 400, count: 10}\n"                                                                       \
    "substances:\n"                                                                                          \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    particle: {spacing: 0.016, jitter: 0.05}\n" extra                                                   \
    "    shape: {box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}\n"                                             \
    "obstacles:\n"                                                                                           \
    "  - name: tank\n"                                                                                       \
    "    box: {min: [0, 0, 0], max: [0.5, 0.2, 0.4], inside: true}\n"                                        \
    "probes: {load: {body: tank}}\n"

static const char dam_scene[] = DAM_WITH("");
static const char individual_scene[] = DAM_WITH("    adapt: {time: true}\n");
static const char continuity_scene[] = DAM_WITH("    density_from: continuity\n    diffusion: 0.1\n");

// A paddle turns in a pool into which a jet falls and out of which a corner is drained.
#define BUSY_WITH(extra)                                                                                     \
    "frames: {rate: 400, count: 10}\n"                                                                       \
    "substances:\n"                                                                                          \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    particle: {spacing: 0.016}\n" extra "    shape: {box: {min: [0, 0, 0], max: [0.3, 0.2, 0.1]}}\n"    \
    "obstacles:\n"                                                                                           \
    "  - name: tank\n"                                                                                       \
    "    box: {min: [0, 0, 0], max: [0.3, 0.2, 0.4], inside: true}\n"                                        \
    "  - name: paddle\n"                                                                                     \
    "    box: {min: [0.08, 0.09, 0.03], max: [0.2, 0.11, 0.3]}\n"                                            \
    "    pivot: [0.14, 0.1, 0]\n"                                                                            \
    "    rotation: {keys: [[0, [0, 0, 0]], [0.2, [0, 0, 90]]]}\n"                                            \
    "emitters:\n"                                                                                            \
    "  - {substance: water, position: [0.24, 0.1, 0.3], radius: 0.03, speed: 2,\n"                           \
    "     start: 0.004}\n"                                                                                   \
    "sinks:\n"                                                                                               \
    "  - box: {min: [0, 0, 0], max: [0.06, 0.2, 0.05]}\n"                                                    \
    "    start: 0.006\n"                                                                                     \
    "probes: {load: {body: paddle}}\n"
static const char busy_scene[] = BUSY_WITH("    adapt: {time: true}\n");

// Thresholds so high that much of them sleeps within a few frames.
#define SLEEPY "    restraint: {rest: 0.05, full: 0.2, friction: 0.5}\n"
static const char restrained_scene[] = DAM_WITH("    adapt: {restraint: true}\n" SLEEPY);
static const char restrained_busy_scene[] = BUSY_WITH("    adapt: {time: true, restraint: true}\n" SLEEPY);

static const char two_sizes_scene[] = "frames: {rate: 400, count: 10}\n"
                                      "substances:\n"
                                      "  water:\n"
                                      "    material: water\n"
                                      "    particle: {spacing: 0.018}\n"
                                      "    shape: {box: {min: [0, 0, 0], max: [0.18, 0.18, 0.18]}}\n"
                                      "  oil:\n"
                                      "    material: oil\n"
                                      "    particle: {spacing: 0.012}\n"
                                      "    adapt: {time: true}\n"
                                      "    shape: {sphere: {center: [0.27, 0.1, 0.1], radius: 0.07}}\n"
                                      "    velocity: [-1, 0, 0]\n"
                                      "obstacles:\n"
                                      "  - box: {min: [0, 0, 0], max: [0.4, 0.18, 0.4], inside: true}\n";

// Shear flow around the period over a floor with a sphere on it.
static const char periodic_scene[] = "frames: {rate: 400, count: 10}\n"
                                     "periodic: [x, y]\n"
                                     "domain: {min: [0, 0, -0.2], max: [0.256, 0.16, 0.4]}\n"
                                     "substances:\n"
                                     "  water:\n"
                                     "    material: water\n"
                                     "    particle: {spacing: 0.016, jitter: 0.1}\n"
                                     "    shape: {box: {min: [0, 0, 0], max: [0.256, 0.16, 0.16]}}\n"
                                     "    velocity: [1.5, 0.4, 0]\n"
                                     "obstacles:\n"
                                     "  - box: {min: [0, 0, -0.1], max: [0.256, 0.16, 0]}\n"
                                     "  - sphere: {center: [0.128, 0.08, 0.03], radius: 0.03}\n";

// A block that splits where it hits the floor and merges inside; in the plane, since sizes grow faster there.
#define ADAPTIVE_WITH(dimension, box, floor, extra)                                                          \
    "dimension: " dimension "\n"                                                                             \
    "frames: {rate: 100, count: 10}\n"                                                                       \
    "substances:\n"                                                                                          \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    adapt: {space: true, time: true" extra "}\n"                                                        \
    "    restraint: {rest: 0.05, full: 0.2, friction: 0.5}\n"                                                \
    "    shape: {box: " box "}\n"                                                                            \
    "obstacles:\n"                                                                                           \
    "  - {box: {" floor ", inside: true}}\n"
static const char adaptive_scene[] = ADAPTIVE_WITH("3", "{min: [0, 0, 0.02], max: [0.3, 0.3, 0.34]}",
                                                   "min: [0, 0, 0], max: [0.5, 0.3, 0.6]", ", accuracy: 0.3");
static const char adaptive_plane_scene[] =
    ADAPTIVE_WITH("2", "{min: [0, 0.02], max: [0.6, 0.7]}", "min: [0, 0], max: [1, 1]", "");

// All three ways of adaptivity at once.
static const char restrained_adaptive_scene[] =
    ADAPTIVE_WITH("3", "{min: [0, 0, 0], max: [0.5, 0.3, 0.24]}", "min: [0, 0, 0], max: [0.5, 0.3, 0.6]",
                  ", accuracy: 0.3, restraint: true");

typedef struct named_scene {
    const char *name, *text;
} named_scene;

static const named_scene all_scenes[] = {{"dam", dam_scene},
                                         {"individual steps", individual_scene},
                                         {"paddle, emitter and sink", busy_scene},
                                         {"two sizes", two_sizes_scene},
                                         {"continuity", continuity_scene},
                                         {"periodic", periodic_scene},
                                         {"adaptive", adaptive_scene},
                                         {"adaptive in the plane", adaptive_plane_scene},
                                         {"restrained", restrained_scene},
                                         {"restrained, with paddle, emitter and sink", restrained_busy_scene},
                                         {"adaptive in all ways", restrained_adaptive_scene}};
enum { SCENE_COUNT = sizeof all_scenes / sizeof all_scenes[0] };

// Worlds.

typedef struct setup {
    dlp_scene *scene;
    dlp_world *world;
} setup;

static inline void expect_ok(dlp_status status, const dlp_error *error)
{
    if (status != DLP_OK) fail_msg("status %d: %s", (int)status, error->message);
}

// The scenes of the tests are YAML: a build that cannot read it leaves them out.
static inline void need_yaml(void)
{
#if !defined(DLP_HAVE_YAML)
    print_message("skipped: this build reads no YAML\n");
    skip();
#endif
}

static inline void need_checkpoints(void)
{
#if !defined(DLP_HAVE_HDF5)
    print_message("skipped: this build has no checkpoints\n");
    skip();
#endif
}

static inline setup make_setup_in(const char *folder, const char *text, const dlp_world_options *options)
{
    need_yaml();
    dlp_error error = {0};
    setup s = {0};
    expect_ok(dlp_scene_read_text(text, strlen(text), "test", folder, &s.scene, &error), &error);
    expect_ok(dlp_world_create(s.scene, options, &s.world, &error), &error);
    return s;
}

static inline setup make_setup(const char *text)
{
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1};
    return make_setup_in(NULL, text, &options);
}

static inline void release_setup(setup *s)
{
    dlp_world_destroy(s->world);
    dlp_scene_destroy(s->scene);
    *s = (setup){0};
}

static inline void step_frames(dlp_world *world, int32_t count)
{
    dlp_error error = {0};
    for (int32_t k = 0; k < count; k++) expect_ok(dlp_world_step_frame(world, &error), &error);
}

static inline dlp_view field_of(const dlp_world *world, dlp_field field)
{
    dlp_error error = {0};
    dlp_view view = {.size = sizeof view};
    expect_ok(dlp_world_field(world, field, &view, &error), &error);
    return view;
}

static inline const double *positions_of(const dlp_world *world)
{
    return field_of(world, DLP_FIELD_POSITION).data;
}

static inline const float *velocities_of(const dlp_world *world)
{
    return field_of(world, DLP_FIELD_VELOCITY).data;
}

static inline dlp_stats stats_of(dlp_world *world)
{
    dlp_error error = {0};
    dlp_stats stats = {.size = sizeof stats};
    expect_ok(dlp_world_stats(world, &stats, &error), &error);
    return stats;
}

static inline double energy_of(dlp_world *world)
{
    const dlp_stats stats = stats_of(world);
    return stats.kinetic_energy + stats.potential_energy;
}

// The smallest signed distance of any particle from an obstacle, where it stands now.
static inline double least_distance(const dlp_world *world, int32_t obstacle)
{
    const dlp_view x = field_of(world, DLP_FIELD_POSITION);
    const double *at = x.data;
    const dlp_body *body = &dlp_world_bodies(world)->items[obstacle];
    double least = 1e30;
    for (int32_t i = 0; i < x.count; i++) {
        const dlp_vec3 local = dlp_to_body(&body->pose, dlp_vec(at[3 * i], at[3 * i + 1], at[3 * i + 2]));
        least = fmin(least, dlp_shape_distance(body->shape, local));
    }
    return least;
}

// Bits.

static inline size_t size_of_type(dlp_type type)
{
    return type == DLP_FLOAT64 || type == DLP_INT64 ? 8 : 4;
}

static inline void assert_same_field(const dlp_world *a, const dlp_world *b, dlp_field field,
                                     const char *what)
{
    const dlp_view p = field_of(a, field), q = field_of(b, field);
    if (p.count != q.count) fail_msg("%s: %d particles, not %d", what, q.count, p.count);
    const size_t size = size_of_type(p.type) * (size_t)p.components;
    for (int32_t i = 0; i < p.count; i++) {
        const size_t at = (size_t)i * size;
        if (memcmp((const char *)p.data + at, (const char *)q.data + at, size) != 0)
            fail_msg("%s: %s of particle %d of %d differs", what, dlp_field_name(field), i, p.count);
    }
}

// Every field of every particle, in the same order in memory.
static inline void assert_same_world(const dlp_world *a, const dlp_world *b, const char *what)
{
    assert_true(dlp_world_time(a) == dlp_world_time(b));
    assert_int_equal(dlp_world_frame(a), dlp_world_frame(b));
    assert_same_field(a, b, DLP_FIELD_ID, what);
    for (int field = 0; field < DLP_FIELD_COUNT; field++) assert_same_field(a, b, (dlp_field)field, what);
}

#endif
