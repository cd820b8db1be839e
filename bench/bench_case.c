// Findings of a bench: their ids start with its name.
#include "bench_case.h"

#include <stdio.h>

void dlp_bench_add(dlp_bench *bench, const dlp_finding *finding)
{
    char id[128];
    snprintf(id, sizeof id, "%s.%s", bench->name, finding->id);
    dlp_finding named = *finding;
    named.id = id;
    dlp_findings_add(bench->findings, &named);
}
