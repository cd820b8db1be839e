/* Cloth and obstacles with the real solver, without a world: what tests of contacts share. */
#ifndef DLP_TESTS_CLOTH_SCENES_H
#define DLP_TESTS_CLOTH_SCENES_H

#include "cloths.h"
#include "cloth_rig.h"

enum { STAGE_OBSTACLES = 3 };

typedef struct stage {
    cloth_setup s;
    dlp_obstacle_def defs[STAGE_OBSTACLES];
    dlp_obstacle obstacles[STAGE_OBSTACLES];
    dlp_track tracks[STAGE_OBSTACLES];
    double times[STAGE_OBSTACLES][2], places[STAGE_OBSTACLES][6];
} stage;

/* A level sheet that meets itself, in still air. */
static inline stage *make_stage(double size, double spacing)
{
    stage *st = dlp_alloc(1, sizeof *st, "test");
    st->s = make_cloth(size, spacing);
    st->s.substance.cloth.thickness = 1e-3;
    st->s.substance.cloth.friction = 0.3;
    st->s.substance.cloth.meets_itself = true;
    st->s.substance.cloth.inner_damping = 0.002;
    st->s.substance.cloth.damping = 0.5;
    return st;
}

static inline dlp_obstacle_def *stage_obstacle(stage *st, dlp_shape_def shape, double friction)
{
    dlp_obstacle_def *def = &st->defs[st->s.scene.obstacle_count++];
    *def = (dlp_obstacle_def){.name = "o", .shape = shape, .friction = friction};
    return def;
}

/* Moves an obstacle along a straight line between two moments. */
static inline void stage_motion(stage *st, int32_t k, double start, double end, dlp_vec3 way)
{
    st->times[k][0] = start;
    st->times[k][1] = end;
    st->places[k][3] = way.x;
    st->places[k][4] = way.y;
    st->places[k][5] = way.z;
    st->tracks[k] =
        (dlp_track){.components = 3, .key_count = 2, .times = st->times[k], .values = st->places[k]};
    st->defs[k].position_track = &st->tracks[k];
}

static inline void open_stage(stage *st, int32_t threads)
{
    cloth_setup *s = &st->s;
    const dlp_world_options options = {0};
    dlp_error error = {0};
    s->scene.obstacles = st->defs;
    s->scene.substances = &s->substance;
    s->scene.substance_count = 1;
    s->scene.attachments = s->attachments;
    for (int32_t k = 0; k < s->scene.obstacle_count; k++)
        assert_int_equal(dlp_obstacle_init(&st->obstacles[k], &st->defs[k], &s->scene, &error), DLP_OK);
    assert_int_equal(dlp_team_create(threads, &s->team, &error), DLP_OK);
    if (dlp_cloth_create(&s->scene, st->obstacles, &options, s->team, &s->cloth, &error) != DLP_OK)
        fail_msg("%s", error.message);
}

static inline void close_stage(stage *st)
{
    close_cloth(&st->s);
    for (int32_t k = 0; k < st->s.scene.obstacle_count; k++) dlp_obstacle_release(&st->obstacles[k]);
    dlp_free(st);
}

static inline int32_t stage_intersections(const stage *st)
{
    const dlp_cloth *c = st->s.cloth;
    return count_intersections(c->particles.position, c->triangles, c->triangle_count);
}

static inline double stage_mass(const stage *st)
{
    double mass = 0;
    for (int32_t i = 0; i < st->s.cloth->particles.count; i++) mass += st->s.cloth->particles.mass[i];
    return mass;
}

static inline double stage_energy(const stage *st)
{
    dlp_stats stats = {0};
    dlp_cloth_measure(st->s.cloth, &stats);
    return stats.kinetic_energy + stats.potential_energy;
}

/* How deep the deepest particle is inside an obstacle, m. */
static inline double stage_depth(const stage *st, int32_t obstacle)
{
    double depth = -1e30;
    const dlp_frame frame = dlp_obstacle_frame(&st->obstacles[obstacle], st->s.time);
    for (int32_t i = 0; i < st->s.cloth->particles.count; i++)
        depth = fmax(depth, -dlp_shape_distance(st->obstacles[obstacle].shape,
                                                dlp_to_body(&frame, place_of(&st->s, i))));
    return depth;
}

#endif
