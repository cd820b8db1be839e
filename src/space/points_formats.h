/* The point formats, from bytes in memory. */
#ifndef DLP_SPACE_POINTS_FORMATS_H
#define DLP_SPACE_POINTS_FORMATS_H

#include "space/points.h"
#include "space/text_reader.h"

/* Each leaves complete points, or none and a message. */
dlp_status dlp_points_parse_ply(dlp_bytes bytes, int32_t limit, dlp_points *out_points, dlp_error *error);
dlp_status dlp_points_parse_vtp(dlp_bytes bytes, int32_t limit, dlp_points *out_points, dlp_error *error);

/* Allocates `count` positions and velocities (zero) after checking the count against the limit. */
dlp_status dlp_points_allocate(dlp_points *points, int64_t count, int32_t limit, dlp_error *error);
/* Refuses numbers that are not finite. */
dlp_status dlp_points_check(const dlp_points *points, dlp_error *error);

#endif
