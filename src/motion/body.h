/* Bodies: rigid shapes that every solver meets. Where one stands, how it moves and what acted on it is state
 * of the world; what drives it is a key-frame track or a host.
 *
 * This is the one place for the pose of a body at a time, and for the force on a body, by solver. */
#ifndef DLP_MOTION_BODY_H
#define DLP_MOTION_BODY_H

#include "scene/scene.h"

/* Rigid velocity: linear at `origin`, and angular. */
typedef struct dlp_twist {
    dlp_vec3 origin, linear, angular; /* m, m/s, rad/s */
} dlp_twist;
static inline dlp_vec3 dlp_twist_at(const dlp_twist *twist, dlp_vec3 x)
{
    return dlp_add(twist->linear, dlp_cross(twist->angular, dlp_sub(x, twist->origin)));
}

enum { DLP_HOST_MOTION_SIZE = 16 }; /* numbers of a dlp_host_motion in a checkpoint */

/* How a host moves a body: evenly over an interval, from where it was to where it is wanted, so that what it
 * meets feels a velocity and not a jump. After that it stays there, or follows the scene again. */
typedef enum dlp_host_phase {
    DLP_HOST_NONE,   /* the scene alone says where it is */
    DLP_HOST_WANTED, /* the motion starts with the next interval */
    DLP_HOST_MOVING, /* ... and lasts until `end` */
} dlp_host_phase;
typedef struct dlp_host_motion {
    dlp_host_phase phase;
    bool stays; /* at `to`; else `to` is where the scene has it when the interval ends */
    dlp_placement from, to;
    double start, end; /* s */
} dlp_host_motion;

typedef struct dlp_body {
    const dlp_obstacle_def
        *def;            /* borrowed from the world's conditions: friction, restitution, stick, temperature */
    dlp_shape *shape;    /* in the body's own frame */
    double inverse_mass; /* 1/kg; 0: no force moves it */
    double inverse_inertia[6]; /* 1/(kg m2), in its own frame: xx yy zz xy xz yz */
    dlp_host_motion host;      /* state */
    bool is_placed;            /* the pose has been found; of one that stands still it holds for good */
    bool is_moving;            /* it has key frames, or a host has moved it */
    dlp_transform pose;        /* body to world, and its velocity, at the tick of the conditions */
    dlp_twist twist;
} dlp_body;

/* What one solver did to one body. */
typedef struct dlp_body_load {
    dlp_vec3 force, torque; /* N, N m about the pivot: at the end of its last step */
    dlp_vec3 impulse,
        angular_impulse; /* N s, N m s: since the span (a frame, or what a host asked for) began */
} dlp_body_load;

/* All of a world. */
typedef struct dlp_bodies {
    dlp_body *items;
    int32_t count;
    dlp_body_load *loads; /* state: those of the first solver, one a body, then those of the second, ... */
    int32_t solver_count;
    double (*packed_hosts)[DLP_HOST_MOTION_SIZE]; /* for checkpoints: dlp_bodies_pack, dlp_bodies_unpack */
} dlp_bodies;

dlp_status dlp_bodies_init(dlp_bodies *bodies, const dlp_scene_def *scene, int32_t solver_count,
                           dlp_error *error);
void dlp_bodies_release(dlp_bodies *bodies);
/* The conditions are those of another model: what moved because of that gets there over the next interval. */
void dlp_bodies_change(dlp_bodies *bodies, const dlp_scene_def *scene, double now);
/* An interval begins, and wanted motions with it. */
void dlp_bodies_begin(dlp_bodies *bodies, double start, double end);
/* Pose and twist of all at a moment. */
void dlp_bodies_place(dlp_bodies *bodies, double time);
/* Sets what happened since the span began to nothing. */
void dlp_bodies_forget_impulses(dlp_bodies *bodies);
/* The loads of a solver, one a body. */
static inline dlp_body_load *dlp_bodies_loads(const dlp_bodies *bodies, int32_t solver)
{
    return bodies->loads + (ptrdiff_t)solver * bodies->count;
}
/* The hosts' motions to and from the numbers of a checkpoint; false where they are none that a run can have
 * left. */
void dlp_bodies_pack(dlp_bodies *bodies);
bool dlp_bodies_unpack(dlp_bodies *bodies);

/* Where a host wants a body, which is at `from`, at the end of the next interval; there it stays until it is
 * moved again. */
void dlp_body_want(dlp_body *body, dlp_placement from, dlp_placement to);
/* By then it is where the scene has it, and follows the scene again. */
void dlp_body_follow_scene(dlp_body *body, dlp_placement from);
dlp_placement dlp_body_placement_at(const dlp_body *body, double time);
dlp_transform dlp_body_transform_at(const dlp_body *body, double time);
dlp_twist dlp_body_twist_at(const dlp_body *body, double time);

/* Signed distance and outward normal in the world, of a body that stands at `pose`. */
double dlp_body_probe(const dlp_body *body, const dlp_transform *pose, dlp_vec3 x, dlp_vec3 *out_normal);

#endif
