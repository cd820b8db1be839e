/* A recorded frame's particles, read back. */
#ifndef DLP_RECORD_FRAME_READ_H
#define DLP_RECORD_FRAME_READ_H

#include "motion/cloth/cloth.h"
#include "record/vtp_read.h"

/* All-zero is a frame without particles. The arrays belong to `data`. */
typedef struct dlp_particle_frame {
    int32_t number;
    double time; /* s */
    int32_t count;
    const double *positions;     /* m, three a particle */
    const float *velocities;     /* m/s, three */
    const float *densities;      /* kg/m3 */
    const float *pressures;      /* Pa */
    const float *masses;         /* kg (kg/m in 2-D) */
    const float *radii;          /* m */
    const int32_t *substances;   /* in the scene's order, never negative */
    const int32_t *levels;       /* 0 finest */
    const float *steps;          /* s */
    const int32_t *states;       /* 0 active, 1 transition, 2 restrained */
    const int64_t *ids;          /* stable for life */
    const float *displacements;  /* m, three: over the frame */
    const float *temperatures;   /* degrees C; NULL where no substance has one */
    const int32_t *pieces;       /* of solids: what hangs together; NULL where nothing can be cut */
    dlp_cloth_topology topology; /* of cloth */
    dlp_vtp_data data;
} dlp_particle_frame;

/* Every field is there with its type, or the message names the one that is not. Values are as recorded; they
 * may not be finite in a file that somebody damaged. Release it. */
dlp_status dlp_frame_read(const char *path, int32_t number, dlp_particle_frame *out_frame, dlp_error *error);
void dlp_particle_frame_release(dlp_particle_frame *frame);

#endif
