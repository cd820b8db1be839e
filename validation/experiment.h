/* Published experiments: each is a row of the list in reproduce.c and lives in a file reproduce_*.c. */
#ifndef DLP_APP_REPRODUCE_H
#define DLP_APP_REPRODUCE_H

#include "rows.h"

#include "base/status.h"
#include "record/report.h"

typedef struct dlp_experiment dlp_experiment;

/* What an experiment may use, and where its findings go. */
typedef struct dlp_reproduce {
    const char *references;           /* folder of tabulated experiments, NULL where none was named */
    const char *output;               /* folder for the report and whatever else is worth keeping */
    bool is_full;                     /* at full length, instead of within a few minutes */
    int32_t thread_count;             /* 0: all processors */
    const dlp_experiment *experiment; /* that runs: findings are called "id.finding" */
    dlp_rows *rows;
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

extern const dlp_experiment dlp_experiment_a_fig3, dlp_experiment_a_fig4, dlp_experiment_a_fig6,
    dlp_experiment_a_fig7, dlp_experiment_a_linear, dlp_experiment_a_steps, dlp_experiment_f4,
    dlp_experiment_f5, dlp_experiment_f6, dlp_experiment_f7, dlp_experiment_f10, dlp_experiment_f15,
    dlp_experiment_b_obstacle, dlp_experiment_b_pour, dlp_experiment_b_scale, dlp_experiment_b_million,
    dlp_experiment_b_terrain, dlp_experiment_b_same, dlp_experiment_b_accuracy, dlp_experiment_b_rest,
    dlp_experiment_b_energy, dlp_experiment_b_converge, dlp_experiment_b_fig9, dlp_experiment_b_fig10,
    dlp_experiment_s_cost, dlp_experiment_s_pop, dlp_experiment_s_lag, dlp_experiment_s_volume,
    dlp_experiment_s_mesh, dlp_experiment_s_area, dlp_experiment_d_fall, dlp_experiment_d_flow,
    dlp_experiment_d_same, dlp_experiment_d_large, dlp_experiment_d_phase, dlp_experiment_d_cloth,
    dlp_experiment_c1, dlp_experiment_c2, dlp_experiment_c3, dlp_experiment_e_params,
    dlp_experiment_e_cantilever, dlp_experiment_e_stress, dlp_experiment_e_tori, dlp_experiment_e_bunny,
    dlp_experiment_e_towel, dlp_experiment_e_metal, dlp_experiment_e_sausages, dlp_experiment_e_steps,
    dlp_experiment_e_crush, dlp_experiment_e_fig13, dlp_experiment_e_cow, dlp_experiment_e_kernel,
    dlp_experiment_e_rotation;

/* Prints one finding and puts it into the report. */
void dlp_reproduce_add(dlp_reproduce *reproduce, const dlp_row *row);
void dlp_reproduce_add_all(dlp_reproduce *reproduce, const dlp_row *rows, int32_t count);
/* A plot into the report. */
void dlp_reproduce_plot(dlp_reproduce *reproduce, const char *title, const char *x_label, const char *y_label,
                        const dlp_series *series, int32_t count);
/* Says why this experiment is left out; return its value. */
dlp_status dlp_reproduce_skip(dlp_reproduce *reproduce, const char *why);
/* The path of a table under --references; false where it is not there, after saying that the experiment is
 * skipped. */
bool dlp_reproduce_reference(dlp_reproduce *reproduce, const char *file, char *out_path, size_t size);

#endif
