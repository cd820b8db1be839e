/* The scene at one time: what key frames drive has its value then, all else is the model's.
 *
 * A world computes its conditions for a tick and hands them to its solvers, which read them and never write.
 * The record stays at one address for the life of the world, also when the model is exchanged. */
#ifndef DLP_SCENE_CONDITIONS_H
#define DLP_SCENE_CONDITIONS_H

#include "scene/scene.h"

/* All-zero is empty and can be released. Targets point into the record itself: it must not be moved. */
typedef struct dlp_conditions {
    double time;       /* s: that they hold for */
    dlp_scene_def now; /* owns its lists (flat copies); tracks, curves and all texts are the model's */
    double **targets;  /* per track of the model: the field of `now` that it drives */
} dlp_conditions;

/* Sets `conditions`, all zero before, to those of `model` at `time`. The model must outlive them. */
dlp_status dlp_conditions_init(dlp_conditions *conditions, const dlp_scene_def *model, double time,
                               dlp_error *error);
void dlp_conditions_release(dlp_conditions *conditions);
/* Moves them to another time; costs one evaluation per track and makes no heap call. */
void dlp_conditions_set_time(dlp_conditions *conditions, double time);

#endif
