/* A recorded frame's particles, read back from a .vtp. */
#ifndef DLP_RECORD_FRAME_READ_H
#define DLP_RECORD_FRAME_READ_H

#include "motion/cloth/cloth.h"
#include "record/vtp_read.h"

/* All-zero is a frame without particles. The arrays have `count` entries and belong to `data`. */
typedef struct dlp_particle_frame {
    int32_t number; /* of the frame */
    double time;    /* s; NaN where the file has none */
    int32_t count;
    const double *positions;    /* m, three per particle */
    const float *velocities;    /* m/s, three per particle */
    const float *densities;     /* kg/m3 */
    const float *pressures;     /* Pa */
    const float *masses;        /* kg (kg/m in 2-D) */
    const float *radii;         /* m: of a sphere (2-D: disc) of the rest volume */
    const int32_t *substances;  /* in the scene's order, never negative */
    const int32_t *levels;      /* 0 finest */
    const float *steps;         /* s: the particle's own time step */
    const int32_t *states;      /* 0 active, 1 transition, 2 restrained */
    const int64_t *ids;         /* stable for life, never reused */
    const float *displacements; /* m, three per particle: over the frame */
    const float *temperatures;  /* degrees C; NULL where no substance has one */
    const int32_t *pieces; /* of solids: the fragment a particle belongs to; NULL where nothing can be cut */
    dlp_cloth_topology topology; /* of cloth; its arrays belong to `data`, indices are in range */
    dlp_vtp_data data;           /* owns all arrays */
} dlp_particle_frame;

/* Checks that every field is there with its type; the message names the one that is not. Values are as
 * recorded: they may not be finite in a damaged file, and substances may exceed the scene's, which
 * dlp_run_read_frame checks. The caller releases the frame; after a failure it is all-zero. */
dlp_status dlp_frame_read(const char *path, int32_t number, dlp_particle_frame *out_frame, dlp_error *error);
void dlp_particle_frame_release(dlp_particle_frame *frame);

#endif
