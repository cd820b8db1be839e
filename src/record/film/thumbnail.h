/* A picture of a world as it is now, drawn as a film of it would be. */
#ifndef DLP_RECORD_FILM_THUMBNAIL_H
#define DLP_RECORD_FILM_THUMBNAIL_H

#include "record/png.h"
#include "skin/skin.h"

/* The surfaces of `skin` (NULL: none) as they were made last; particles where there are none. 1280 x 800
 * with three samples per pixel. The caller releases the image. */
dlp_status dlp_thumbnail_of_world(const dlp_world *world, const dlp_skin *skin, dlp_image *out_image,
                                  dlp_error *error);

#endif
