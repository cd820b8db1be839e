/* The light of a picture before it is mapped to a screen: for tests, which know what light must come. */
#ifndef DLP_RECORD_RENDER_RENDER_PARTS_H
#define DLP_RECORD_RENDER_RENDER_PARTS_H

#include "record/render/film.h"

/* Linear radiance, three floats per pixel from the top left; denoised as the definition says. `sky` NULL:
 * the definition's own. The caller frees it. */
dlp_status dlp_render_trace(const dlp_render_def *def, const dlp_sky *sky, float **out_radiance,
                            dlp_error *error);

#endif
