/* Height fields: a surface over x and y, solid below. Between the values each cell has four triangles that
 * meet in its middle, so that the surface does not depend on the choice of a diagonal; beyond the edge the
 * edge's values go on. */
#ifndef DLP_SPACE_HEIGHT_H
#define DLP_SPACE_HEIGHT_H

#include "base/status.h"
#include "base/vec.h"
#include "space/text_reader.h"

/* A table of numbers, row after row, x fast. All-zero is empty. */
typedef struct dlp_height_table {
    double *values; /* columns * rows; finite */
    int32_t columns, rows;
    double largest; /* what `high` stands for: the largest number the file may hold, or 1 */
} dlp_height_table;
void dlp_height_table_release(dlp_height_table *table);

/* From the bytes of a .pgm (ascii or raw, 8 or 16 bit), or of numbers in lines, separated by blanks, commas
 * or semicolons, with '#' before a comment. On failure (DLP_IO) the table is empty. */
dlp_status dlp_height_parse_pgm(dlp_bytes bytes, dlp_height_table *out_table, dlp_error *error);
dlp_status dlp_height_parse_numbers(dlp_bytes bytes, dlp_height_table *out_table, dlp_error *error);

typedef struct dlp_height dlp_height;

/* Heights in metres at the corners of equal cells over `area` (its x and y); a table of one row goes on along
 * y. The table, of at least two columns, is copied. */
dlp_status dlp_height_create(const dlp_height_table *table, dlp_box area, dlp_height **out_height,
                             dlp_error *error);
void dlp_height_destroy(dlp_height *height);
/* Exact signed distance, m (negative below the surface), and unit gradient. Safe from several threads. */
double dlp_height_probe(const dlp_height *height, dlp_vec3 x, dlp_vec3 *out_normal);
double dlp_height_top(const dlp_height *height); /* the highest value, m */

/* The lines of the field; the first and the last of each direction are the far ends of its continuation.
 * Borrowed. */
typedef struct dlp_height_lines {
    int32_t columns, rows;
    const double *xs, *ys; /* m: columns, rows */
    const double *values;  /* m: row after row */
} dlp_height_lines;
dlp_height_lines dlp_height_lines_of(const dlp_height *height);

#endif
