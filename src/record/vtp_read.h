/* Reading frames back: the arrays of a .vtp that dlp_vtp_write wrote. */
#ifndef DLP_RECORD_VTP_READ_H
#define DLP_RECORD_VTP_READ_H

#include "record/vtp.h"

/* One array of the points. */
typedef struct dlp_vtp_column {
    char name[DLP_VTP_NAME_SIZE];
    dlp_view view; /* of point_count entries; its data are owned */
} dlp_vtp_column;

/* The arrays of one file. All-zero holds nothing. */
typedef struct dlp_vtp_data {
    double time; /* s; NaN where the file has none */
    int32_t point_count;
    int32_t column_count; /* the points themselves come first, named "position" */
    dlp_vtp_column columns[DLP_VTP_ARRAY_LIMIT];
    int32_t triangle_count, link_count;
    int32_t (*triangles)[3], (*links)[2]; /* owned: indices of points, in range; NULL where there are none */
} dlp_vtp_data;

/* All arrays of the points, bit for bit, triangles and links; lines are left out. DLP_IO with what is
 * wrong where the file is truncated or damaged. The caller releases the data; after a failure they are
 * all-zero. */
dlp_status dlp_vtp_read(const char *path, dlp_vtp_data *out_data, dlp_error *error);
void dlp_vtp_data_release(dlp_vtp_data *data);
/* NULL where there is no array of that name. */
const dlp_view *dlp_vtp_data_find(const dlp_vtp_data *data, const char *name);

#endif
