/* Values of the particles carried to other places: the vertices of a surface. */
#ifndef DLP_RECORD_FILM_GATHER_H
#define DLP_RECORD_FILM_GATHER_H

#include "base/parallel.h"
#include "record/frame_read.h"
#include "base/vec.h"

typedef struct dlp_gather dlp_gather;
/* Sorts the particles into cells; the frame is borrowed until the gather is destroyed. `substance` -1
 * takes all of them. */
dlp_status dlp_gather_create(const dlp_particle_frame *frame, int32_t substance, dlp_gather **out_gather,
                             dlp_error *error);
void dlp_gather_destroy(dlp_gather *gather);

typedef enum dlp_gather_kind {
    DLP_GATHER_MEAN,   /* weighted by nearness, in the particles' own sizes */
    DLP_GATHER_NEAREST /* for values that do not mix */
} dlp_gather_kind;
/* `values` has `width` (1 to 4) numbers per particle; `out_values` gets as many per place. NaN where no
 * particle is near. The same bits for any number of threads. */
void dlp_gather_values(const dlp_gather *gather, dlp_gather_kind kind, const float *values, int32_t width,
                       const dlp_vec3 *places, int32_t place_count, dlp_team *team, float *out_values);

#endif
