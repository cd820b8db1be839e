/* What the folders after motion may ask of a world beyond the public interface. */
#ifndef DLP_MOTION_WORLD_H
#define DLP_MOTION_WORLD_H

#include "motion/solver.h"

/* As dlp_world_create, with other solvers than those of solvers.c. */
dlp_status dlp_world_create_with(const dlp_scene *scene, const dlp_world_options *options,
                                 const dlp_solver *const *solvers, int32_t solver_count,
                                 dlp_world **out_world, dlp_error *error);

/* The scene as it stands now: what key frames drive has its present value. */
const dlp_scene_def *dlp_world_scene(const dlp_world *world);
dlp_scene *dlp_world_scene_handle(const dlp_world *world); /* the world's own copy */
dlp_team *dlp_world_team(const dlp_world *world);
dlp_target dlp_world_target(const dlp_world *world);

/* A solver's own handle, for folders that know it; NULL where the world has none of it. */
void *dlp_world_solver(const dlp_world *world, const dlp_solver *type);
/* Where its particles begin in the world's fields, and how many there are; 0 where the world has none of it.
 */
int32_t dlp_world_first_of(const dlp_world *world, const dlp_solver *type);
int32_t dlp_world_count_of(const dlp_world *world, const dlp_solver *type);

/* At a point, for probes: of the solver that has most of its substance there. */
dlp_point_sample dlp_world_sample_at(const dlp_world *world, dlp_vec3 x);

/* The load of all solvers on a body; `model` NULL: of all, else of the one with that name. */
dlp_body_force dlp_world_body_load(const dlp_world *world, int32_t body);
dlp_body_force dlp_world_body_load_by(const dlp_world *world, int32_t body, const char *model);
const dlp_bodies *dlp_world_bodies(const dlp_world *world); /* as they stand now */

/* Between frames: adds to every particle's velocity, m/s, three each. */
void dlp_world_add_velocity(dlp_world *world, const float *change);

/* Checkpoints (record/). To save: begin, then list the state. To load: list it, say how many there are of
 * each part, list it again, let the arrays be filled, then rebuild what follows from them. */
dlp_status dlp_world_begin_save(const dlp_world *world, dlp_error *error);
dlp_status dlp_world_manifest(const dlp_world *world, dlp_manifest *manifest, dlp_error *error);
typedef struct dlp_part_count {
    int32_t particles, free; /* as dlp_count_kind says */
} dlp_part_count;
int32_t
dlp_world_part_count(const dlp_world *world); /* solvers, and the world itself with what goes with it */
dlp_status dlp_world_begin_load(dlp_world *world, const dlp_part_count *counts, dlp_error *error);
dlp_status dlp_world_end_load(dlp_world *world, dlp_error *error);

/* Surfaces of a world, made by a folder after motion, which have a state of their own and, where the scene
 * asks for retroaction, act on the particles at the end of every frame. Motion declares it, skin implements
 * it. */
typedef struct dlp_state_extension {
    void *user; /* borrowed; NULL: there is none */
    dlp_status (*begin_save)(void *user, dlp_error *error);
    void (*manifest)(void *user, dlp_manifest *manifest);
    dlp_status (*begin_load)(void *user, int32_t free_count, dlp_error *error);
    dlp_status (*end_load)(void *user, dlp_error *error);
    void (*reset)(void *user); /* the world starts anew, and so do the surfaces */
} dlp_state_extension;
void dlp_world_register(dlp_world *world,
                        const dlp_state_extension *extension); /* instead of the one before */
void dlp_world_unregister(dlp_world *world, const void *user);
void *dlp_world_extension(const dlp_world *world); /* its user; NULL where there is none */

/* Who looks on after every step that brings the world's time forward, as probes with a rate of their own do;
 * changes nothing in the world. What it has gathered is part of a checkpoint. */
typedef struct dlp_step_observer {
    void *user; /* borrowed; NULL: there is none */
    dlp_status (*observe)(void *user, dlp_error *error);
    void (*manifest)(void *user, dlp_manifest *manifest); /* counts follow from the scene */
    dlp_status (*end_load)(void *user, dlp_error *error); /* checks what was filled in */
    void (*reset)(void *user);
} dlp_step_observer;
void dlp_world_observe(dlp_world *world, const dlp_step_observer *observer); /* instead of the one before */
void dlp_world_unobserve(dlp_world *world, const void *user);
double dlp_world_span_start(const dlp_world *world); /* s: of the impulses on bodies */

/* Defined by skin/skin.c: surfaces that a world owns because they act on it; NULL in *out_surfaces where
 * the scene does not ask for that. */
dlp_status dlp_retroaction_create(dlp_world *world, void **out_surfaces, dlp_error *error);
void dlp_retroaction_destroy(void *surfaces);
/* After a frame: makes the surfaces anew and pushes the particles under them out of obstacles. */
dlp_status dlp_retroaction_apply(void *surfaces, dlp_error *error);

/* What a frame's statistics say of others' work: s of wall clock, m3. */
void dlp_world_note_skin(dlp_world *world, double seconds, double volume);
void dlp_world_note_record_time(dlp_world *world, double seconds);

#endif
