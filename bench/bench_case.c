#include "bench_case.h"

#include <stdio.h>

void dlp_bench_add(dlp_bench *bench, const dlp_row *row)
{
    char id[128];
    snprintf(id, sizeof id, "%s.%s", bench->name, row->id);
    dlp_row named = *row;
    named.id = id;
    dlp_rows_add(bench->rows, &named);
}
