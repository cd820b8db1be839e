/* What the folders after motion may ask of a world beyond the public interface. */
#ifndef DLP_MOTION_WORLD_H
#define DLP_MOTION_WORLD_H

#include "base/parallel.h"
#include "base/target.h"
#include "scene/scene.h"

/* The scene as it stands now (key-framed fields at the present time). */
const dlp_scene_def *dlp_world_scene(const dlp_world *world);
dlp_scene *dlp_world_scene_handle(const dlp_world *world);
dlp_team *dlp_world_team(const dlp_world *world);
/* m2/s2: of a substance whose stiffness the scene leaves to the world. */
double dlp_world_derived_stiffness(const dlp_world *world, int32_t substance);

/* Neighbourhood of a point, for probes: the substance's kernel-weighted mean there. */
typedef struct dlp_sample {
    double density, pressure; /* kg/m3, Pa */
    dlp_vec3 velocity;        /* m/s */
    double temperature;       /* degrees C; 0 where no substance has one */
    double fraction;          /* sum of V_j W: about 1 inside the substance, 0 far from it */
} dlp_sample;
dlp_sample dlp_world_sample(const dlp_world *world, dlp_vec3 x);

/* Force and torque (about its position) of all substances on an obstacle at the end of the last step, N, N m
 * (2-D: a metre of depth), and the impulse over the last frame divided by its length. */
typedef struct dlp_load {
    dlp_vec3 force, torque, mean_force;
} dlp_load;
dlp_load dlp_world_obstacle_load(const dlp_world *world, int32_t obstacle);
dlp_transform dlp_world_obstacle_transform(const dlp_world *world, int32_t obstacle); /* body to world, now */
dlp_vec3 dlp_world_obstacle_velocity(const dlp_world *world, int32_t obstacle,
                                     dlp_vec3 x);                                    /* m/s, there, now */
const dlp_shape *dlp_world_obstacle_shape(const dlp_world *world, int32_t obstacle); /* in its body frame */

/* How many of the particles flow: the first ones of the fields. */
int32_t dlp_world_flowing_count(const dlp_world *world);
/* The solids, whose particles follow those; NULL where there are none. Borrowed. */
struct dlp_solid;
const struct dlp_solid *dlp_world_solid(const dlp_world *world);

/* All cloth as triangles, and ropes as links between two particles: indices into the world's fields. Borrowed
 * until the world changes. */
typedef struct dlp_cloth_topology {
    int32_t particle_count; /* of cloth: the last ones of the fields */
    int32_t triangle_count, link_count;
    const int32_t (*triangles)[3];
    const int32_t (*links)[2]; /* that are not torn */
} dlp_cloth_topology;
dlp_status dlp_world_cloth_topology(const dlp_world *world, dlp_cloth_topology *out_topology,
                                    dlp_error *error);

/* What the count of an item follows from. */
typedef enum dlp_count_kind {
    DLP_COUNT_FIXED,     /* the scene */
    DLP_COUNT_PARTICLES, /* the number of smoothed particles */
    DLP_COUNT_CLOTH,     /* the number of those of cloth, which tearing adds to */
    DLP_COUNT_SOLID,     /* the number of those of solids */
    DLP_COUNT_FREE,      /* nothing: it is what the checkpoint has, the same for all such items */
    DLP_COUNT_KINDS
} dlp_count_kind;

/* What a checkpoint must hold: everything from which the next bits follow. */
typedef struct dlp_manifest_item {
    const char *name; /* unique, [a-z_0-9/] */
    dlp_type type;
    int32_t components;
    int32_t count;
    void *data;
    dlp_count_kind counts;
} dlp_manifest_item;
enum { DLP_MANIFEST_LIMIT = 128 };
int32_t dlp_world_manifest(const dlp_world *world, dlp_manifest_item out_items[DLP_MANIFEST_LIMIT]);
/* Before the manifest is read to be saved. */
dlp_status dlp_world_begin_save(const dlp_world *world, dlp_error *error);
/* Loading: make room for as many as `counts` says of each kind, fill the manifest's arrays, then rebuild
 * everything that follows from them. dlp_world_end_load refuses values no run could have left (NaN, indices
 * out of range). */
dlp_status dlp_world_begin_load(dlp_world *world, const int32_t counts[DLP_COUNT_KINDS], dlp_error *error);
dlp_status dlp_world_end_load(dlp_world *world, dlp_error *error);

/* What goes with a world and has a state of its own: its skin. Motion declares it, skin implements it. */
typedef struct dlp_state_extension {
    void *user; /* borrowed; NULL: there is none */
    dlp_status (*begin_save)(void *user, dlp_error *error);
    int32_t (*manifest)(void *user, dlp_manifest_item *items,
                        int32_t item_count); /* returns the new number */
    dlp_status (*begin_load)(void *user, int32_t free_count, dlp_error *error);
    dlp_status (*end_load)(void *user, dlp_error *error);
} dlp_state_extension;
void dlp_world_register_extension(dlp_world *world,
                                  const dlp_state_extension *extension); /* instead of the one before */
void dlp_world_unregister_extension(dlp_world *world, const void *user); /* if it is still this one */

/* Between frames: adds to every particle's velocity, m/s, three each. */
void dlp_world_add_velocity(dlp_world *world, const float *changes);
dlp_target dlp_world_target(const dlp_world *world);

/* What the skin took and encloses, for the frame's statistics: s of wall clock, m3. */
void dlp_world_note_skin(dlp_world *world, double seconds, double volume);
/* Wall-clock seconds that recording took, for the frame's statistics. */
void dlp_world_note_record_time(dlp_world *world, double seconds);

/* Seconds of wall clock that splitting and merging took since the world was made. */
double dlp_world_adapt_seconds(const dlp_world *world);

#endif
