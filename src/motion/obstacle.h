/* Obstacles: rigid shapes that stand still or follow key frames. Every solver meets the same ones. */
#ifndef DLP_MOTION_OBSTACLE_H
#define DLP_MOTION_OBSTACLE_H

#include "scene/scene.h"

typedef struct dlp_obstacle {
    const dlp_obstacle_def *def; /* borrowed from the scene */
    dlp_shape *shape;            /* in the body's own frame */
    bool is_moving;
} dlp_obstacle;

dlp_status dlp_obstacle_init(dlp_obstacle *obstacle, const dlp_obstacle_def *def, const dlp_scene_def *scene,
                             dlp_error *error);
void dlp_obstacle_release(dlp_obstacle *obstacle);

/* A box that contains (`inside`) is open above as far as something starts above it: honey falls into a box.
 */
void dlp_obstacles_open(dlp_scene_def *scene);

/* Body to world at a moment. */
dlp_transform dlp_obstacle_transform(const dlp_obstacle *obstacle, double time);

/* Rigid velocity at a moment: linear at the frame's origin, and angular. */
typedef struct dlp_twist {
    dlp_vec3 origin, linear, angular; /* m, m/s, rad/s */
} dlp_twist;
dlp_twist dlp_obstacle_twist(const dlp_obstacle *obstacle, double time);
static inline dlp_vec3 dlp_twist_at(const dlp_twist *twist, dlp_vec3 x)
{
    return dlp_add(twist->linear, dlp_cross(twist->angular, dlp_sub(x, twist->origin)));
}

/* Signed distance and outward normal in the world. */
double dlp_obstacle_probe(const dlp_obstacle *obstacle, const dlp_transform *transform, dlp_vec3 x,
                          dlp_vec3 *out_normal);

#endif
