/* Cloth and obstacles with the real solver, without a world: what tests of contacts share. */
#ifndef DLP_TESTS_CLOTH_SCENES_H
#define DLP_TESTS_CLOTH_SCENES_H

#include "cloths.h"
#include "cloth_contact_fixture.h"

enum { SCENE_OBSTACLES = 3 };

typedef struct contact_scene {
    cloth_setup s;
    dlp_obstacle_def defs[SCENE_OBSTACLES];
    dlp_track tracks[SCENE_OBSTACLES];
    double times[SCENE_OBSTACLES][2], places[SCENE_OBSTACLES][6];
} contact_scene;

/* A level sheet that meets itself, in still air. */
static inline contact_scene *make_contact_scene(double size, double spacing)
{
    contact_scene *st = dlp_alloc(1, sizeof *st, "test");
    st->s = make_cloth(size, spacing);
    st->s.substance.cloth.thickness = 1e-3;
    st->s.substance.cloth.friction = 0.3;
    st->s.substance.cloth.meets_itself = true;
    st->s.substance.cloth.inner_damping = 0.002;
    st->s.substance.cloth.damping = 0.5;
    return st;
}

static inline dlp_obstacle_def *add_scene_obstacle(contact_scene *st, dlp_shape_def shape, double friction)
{
    dlp_obstacle_def *def = &st->defs[st->s.scene.obstacle_count++];
    *def = (dlp_obstacle_def){.name = "o", .shape = shape, .friction = friction};
    return def;
}

/* Moves an obstacle along a straight line between two moments. */
static inline void move_scene_obstacle(contact_scene *st, int32_t k, double start, double end,
                                       dlp_vec3 displacement)
{
    st->times[k][0] = start;
    st->times[k][1] = end;
    st->places[k][3] = displacement.x;
    st->places[k][4] = displacement.y;
    st->places[k][5] = displacement.z;
    st->tracks[k] =
        (dlp_track){.components = 3, .key_count = 2, .times = st->times[k], .values = st->places[k]};
    st->defs[k].position_track = &st->tracks[k];
}

static inline void open_contact_scene(contact_scene *st, int32_t threads)
{
    cloth_setup *s = &st->s;
    s->scene.obstacles = st->defs;
    open_cloth_on(s, threads, NULL);
}

static inline void close_contact_scene(contact_scene *st)
{
    close_cloth(&st->s);
    dlp_free(st);
}

static inline int32_t scene_intersections(const contact_scene *st)
{
    const dlp_cloth *c = st->s.cloth;
    return count_intersections(c->state.particles.position, c->state.corners.corner,
                               c->params.triangles.count);
}

static inline double scene_mass(const contact_scene *st)
{
    double mass = 0;
    for (int32_t i = 0; i < st->s.cloth->state.particles.count; i++)
        mass += st->s.cloth->state.particles.mass[i];
    return mass;
}

static inline double scene_energy(const contact_scene *st)
{
    dlp_stats stats = {.size = sizeof stats};
    dlp_cloth_measure(st->s.cloth, &stats);
    return stats.kinetic_energy + stats.potential_energy;
}

/* How deep the deepest particle is inside an obstacle, m. */
static inline double scene_depth(const contact_scene *st, int32_t obstacle)
{
    double depth = -1e30;
    const dlp_transform frame = dlp_body_transform_at(&st->s.setting->bodies.items[obstacle], st->s.time);
    for (int32_t i = 0; i < st->s.cloth->state.particles.count; i++)
        depth = fmax(depth, -dlp_shape_distance(st->s.setting->bodies.items[obstacle].shape,
                                                dlp_to_body(&frame, place_of(&st->s, i))));
    return depth;
}

#endif
