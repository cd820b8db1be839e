/* Published experiments, as `dollop reproduce` runs them: what one is, what it may use, where its findings
 * go. */
#ifndef DLP_VALIDATION_EXPERIMENT_H
#define DLP_VALIDATION_EXPERIMENT_H

#include "apps/dollop/findings.h"

#include "base/status.h"
#include "record/report.h"

typedef struct dlp_experiment dlp_experiment;

/* What an experiment may use, and where its findings go. */
typedef struct dlp_reproduce {
    const char *references;           /* folder of tabulated experiments, NULL where none was named */
    const char *output;               /* folder for the report and whatever else is worth keeping */
    bool is_full;                     /* at full length, instead of within a few minutes */
    int32_t thread_count;             /* 0: all processors */
    const dlp_experiment *experiment; /* the one that runs: findings are called "id.finding" */
    dlp_findings *findings;
    dlp_report *report;  /* an experiment may add paragraphs, plots and pictures of its own */
    dlp_result *results; /* of this experiment, for the report */
    int32_t result_count, result_capacity, skipped_count;
} dlp_reproduce;

struct dlp_experiment {
    const char *id;     /* "A1": a letter for the source, then a number or a word */
    const char *title;  /* one line */
    const char *source; /* key in docs/references.md and place: "desbrun1996, fig. 5" */
    dlp_status (*run)(dlp_reproduce *reproduce, dlp_error *error);
};

/* registry.c: all of them in the order of the report, ended by NULL. */
extern const dlp_experiment *const dlp_experiments[];

/* Prints one finding and puts it into the report. */
void dlp_reproduce_add(dlp_reproduce *reproduce, const dlp_finding *finding);
void dlp_reproduce_add_all(dlp_reproduce *reproduce, const dlp_finding *findings, int32_t count);
/* A plot into the report. */
void dlp_reproduce_plot(dlp_reproduce *reproduce, const char *title, const char *x_label, const char *y_label,
                        const dlp_series *series, int32_t count);
/* Puts the findings that were added since the last call into the report, as a table. */
void dlp_reproduce_report(dlp_reproduce *reproduce);
/* Prints why this experiment is left out; the caller returns its value. */
dlp_status dlp_reproduce_skip(dlp_reproduce *reproduce, const char *why);
/* The path of a table under --references; false where it is not there, after saying that the experiment is
 * skipped. */
bool dlp_reproduce_reference(dlp_reproduce *reproduce, const char *file, char *out_path, size_t size);

#endif
