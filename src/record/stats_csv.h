/* The columns of stats.csv. Their names and order are a contract with scripts. */
#ifndef DLP_RECORD_STATS_CSV_H
#define DLP_RECORD_STATS_CSV_H

#include "record/format.h"

/* The names, as the header line has them. */
const char *dlp_stats_header(void);
/* One row, without newline. `contour_area` (m2) is the area within the 2-D contour, 0 where there is none. */
void dlp_stats_row(const dlp_stats *stats, double contour_area, dlp_string *out_row);

#endif
