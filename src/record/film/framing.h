/* What a film shows: everything that happens in any of its frames, and what stands around it. */
#ifndef DLP_RECORD_FILM_FRAMING_H
#define DLP_RECORD_FILM_FRAMING_H

#include "record/preview.h"
#include "record/run_read.h"

/* What has been seen of a film so far. All-zero: nothing. */
typedef struct dlp_framing {
    dlp_box particles; /* m: of all frames, without strays; valid with `has_particles` */
    bool has_particles;
} dlp_framing;

/* The obstacles of a run at `time`, s; room for as many as the run has bodies. */
void dlp_framing_obstacles(const dlp_run *run, double time, dlp_preview_obstacle *out_obstacles);

/* What stands around the particles at one time; borrowed. */
typedef struct dlp_surroundings {
    const dlp_scene_def *scene;
    const dlp_preview_obstacle *obstacles;
    int32_t obstacle_count;
} dlp_surroundings;
/* Adds the particles of a frame, without the few that fly far off and those that fell off all obstacles. */
void dlp_framing_add(dlp_framing *framing, const dlp_particle_frame *frame, const dlp_surroundings *around);
/* The same for a frame of a run. */
dlp_status dlp_framing_add_frame(dlp_framing *framing, const dlp_run *run, const dlp_particle_frame *frame,
                                 dlp_error *error);

/* The particles and the walls and obstacles around them; never empty. */
dlp_box dlp_framing_box(const dlp_framing *framing, const dlp_surroundings *around);
/* m along `up`: where a floor lies under everything that the box shows and under every obstacle. */
double dlp_framing_ground(const dlp_surroundings *around, const dlp_box *box);

/* Both for a whole run: wherever the obstacles are in any frame. */
dlp_status dlp_framing_run(const dlp_framing *framing, const dlp_run *run, dlp_box *out_box,
                           double *out_ground, dlp_error *error);
dlp_vec3 dlp_framing_up(const dlp_scene_def *def); /* against gravity, unit; without any: z, in 2-D y */

#endif
