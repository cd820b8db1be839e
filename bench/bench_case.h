/* Benches: each is a row of the list in bench.c and lives in a file bench_*.c of its own. */
#ifndef DLP_APP_BENCH_H
#define DLP_APP_BENCH_H

#include "rows.h"

#include "base/status.h"

/* What a bench may use, and where its findings go. */
typedef struct dlp_bench {
    int32_t thread_count; /* 0: all processors */
    const char *name;     /* of the bench that runs: findings are called "name.id" */
    dlp_rows *rows;
} dlp_bench;

typedef struct dlp_bench_case {
    const char *name, *what;
    dlp_status (*run)(dlp_bench *bench, dlp_error *error);
} dlp_bench_case;

/* Prints one finding; with a reference the table shows both (the ratio is the figure to raise). */
void dlp_bench_add(dlp_bench *bench, const dlp_row *row);

extern const dlp_bench_case dlp_bench_sph, dlp_bench_neighbours, dlp_bench_adapt, dlp_bench_skin,
    dlp_bench_solid, dlp_bench_scene_load;

#endif
