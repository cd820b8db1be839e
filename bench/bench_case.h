/* Benches, as `dollop bench` runs them: what one is, what it may use, where its findings go. */
#ifndef DLP_BENCH_CASE_H
#define DLP_BENCH_CASE_H

#include "apps/dollop/findings.h"

#include "base/status.h"

/* What a bench may use, and where its findings go. */
typedef struct dlp_bench {
    int32_t thread_count; /* 0: all processors */
    const char *name;     /* of the bench that runs: findings are called "name.id" */
    dlp_findings *findings;
} dlp_bench;

typedef struct dlp_bench_case {
    const char *name, *what;
    dlp_status (*run)(dlp_bench *bench, dlp_error *error);
} dlp_bench_case;

/* Prints one finding; with a reference the table shows both (the ratio is the figure to raise). */
void dlp_bench_add(dlp_bench *bench, const dlp_finding *finding);

/* registry.c: all of them, ended by NULL. */
extern const dlp_bench_case *const dlp_bench_cases[];

#endif
