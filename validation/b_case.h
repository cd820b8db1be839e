/* Page B: one substance run in several ways, what each costs, and how far they differ. */
#ifndef DLP_VALIDATION_B_CASE_H
#define DLP_VALIDATION_B_CASE_H

#include "fixture_world.h"

#include "base/vec.h"

enum { DLP_B_RECORDS = 640, DLP_B_MOMENTS = 4 };

/* How a case is run. */
typedef enum dlp_b_variant {
    DLP_B_FINEST,   /* all finest, adaptive global step: our own best without adaptivity */
    DLP_B_FIXED,    /* all finest, one fixed step: the source's standard */
    DLP_B_ADAPTIVE, /* splits, merges, steps of their own */
    DLP_B_COARSE,   /* the control: uniformly coarse, at the cost of the adaptive run */
    DLP_B_VARIANTS
} dlp_b_variant;

/* An experiment. Its substance is called "water"; its frames are parts of the source's. */
typedef struct dlp_b_case {
    const char *scene;
    double spacing;                /* m: of the finest */
    int32_t parts;                 /* records per frame of the source, 1/25 s */
    int32_t frames, fixed_frames;  /* of the source: of the run, and of that with the fixed step */
    int32_t fixed_steps;           /* per frame of the source, at least */
    const char *accuracy;          /* of the adaptive run; NULL: the default */
    bool is_round;                 /* the front goes outwards; else along x */
    dlp_box tank;                  /* where surfaces are compared, open above; empty: nowhere */
    double moments[DLP_B_MOMENTS]; /* s: when */
    int32_t moment_count;
} dlp_b_case;

/* How full every cell of the tank is, as samples see it and with its walls as mirrors. */
typedef struct dlp_b_grid {
    int32_t count[3];
    float *fraction; /* x fastest; NULL: none */
} dlp_b_grid;

/* What was measured at every record, from the start on. */
typedef struct dlp_b_run {
    int32_t count;
    double spacing;
    double time[DLP_B_RECORDS], particles[DLP_B_RECORDS];
    double pairs[DLP_B_RECORDS], wall[DLP_B_RECORDS];        /* pair evaluations, s: since the last */
    double front[DLP_B_RECORDS], spread[DLP_B_RECORDS];      /* m */
    double centre_x[DLP_B_RECORDS], centre_z[DLP_B_RECORDS]; /* m */
    double kinetic[DLP_B_RECORDS], energy[DLP_B_RECORDS];    /* J */
    double pressure[DLP_B_RECORDS];                          /* Pa: at the far wall */
    double substeps, splits, merges;
    double most_steps; /* of a record */
    dlp_b_grid grids[DLP_B_MOMENTS];
} dlp_b_run;

/* A case run in every variant. */
typedef struct dlp_b_set {
    const dlp_b_case *def;
    bool is_done;
    int32_t fixed_steps; /* per frame of the source: a power of two, enough for the whole run */
    dlp_b_run runs[DLP_B_VARIANTS];
} dlp_b_set;

/* Costs of two runs: the reference's over the other's. */
typedef struct dlp_b_gain {
    double mean, least, most; /* over the run, and over frames of the source */
} dlp_b_gain;
typedef enum dlp_b_cost { DLP_B_PAIRS, DLP_B_WALL } dlp_b_cost;

/* Runs a case in one variant; the fixed one with `fixed_steps` per frame, for the others 0. */
dlp_status dlp_b_run_once(dlp_reproduce *reproduce, const dlp_b_case *def, dlp_b_variant variant,
                          double spacing, int32_t fixed_steps, dlp_b_run *out_run, dlp_error *error);
/* Runs it in every variant, once in the life of the program. */
dlp_status dlp_b_run_all(dlp_reproduce *reproduce, dlp_b_set *set, dlp_error *error);
/* A fixed step is stable where no step had to be halved and the energy is that of the run whose step is
 * found.
 */
bool dlp_b_is_stable(const dlp_b_case *def, const dlp_b_run *run, const dlp_b_run *finest, int32_t steps);
void dlp_b_run_release(dlp_b_run *run);

dlp_b_gain dlp_b_gain_of(const dlp_b_set *set, dlp_b_variant reference, dlp_b_variant other, dlp_b_cost cost);
/* Gain of the record's frame: for curves. */
double dlp_b_gain_at(const dlp_b_set *set, dlp_b_variant reference, int32_t record, dlp_b_cost cost);
/* Root of the mean square, and largest, difference of two curves over their common records. */
double dlp_b_rms(const double *a, const double *b, int32_t count);
double dlp_b_most(const double *a, const double *b, int32_t count);
double dlp_b_largest(const double *a, int32_t count);

dlp_status dlp_b_grid_sample(const dlp_b_case *def, dlp_fixture *fixture, dlp_b_grid *out_grid,
                             dlp_error *error);
void dlp_b_grid_release(dlp_b_grid *grid);
/* Mean distance between the surfaces of two grids, in cells of them. */
double dlp_b_surface_distance(const dlp_b_grid *finest, const dlp_b_grid *other);

/* What is thinner than a ball of `radius` cells: sheets, drops. In cells, added to what is there. */
typedef struct dlp_b_thin {
    double finest, other, both;
} dlp_b_thin;
dlp_status dlp_b_thin_features(const dlp_b_grid *finest, const dlp_b_grid *other, double radius,
                               dlp_b_thin *thin, dlp_error *error);

/* A finding that holds where it is at least `limit`. */
static inline dlp_finding dlp_b_finding_least(const char *id, const char *what, double value, double limit)
{
    return (dlp_finding){.id = id,
                         .what = what,
                         .value = value,
                         .has_reference = true,
                         .reference = limit,
                         .reference_text = "at least",
                         .holds = value >= limit ? DLP_HOLDS_YES : DLP_HOLDS_NO};
}

/* Column of the source's size and material, released into a box twice as wide: run once, then kept. */
dlp_status dlp_b_pour(dlp_reproduce *reproduce, const dlp_b_set **out_set, dlp_error *error);
/* Gains of a set; limits of 0 are not checked. */
void dlp_b_report_gains(dlp_reproduce *reproduce, const dlp_b_set *set, double least_fixed,
                        double least_finest);
/* Surface, thin features and impact of a set, adaptive beside its control. */
dlp_status dlp_b_report_detail(dlp_reproduce *reproduce, const dlp_b_set *set, dlp_error *error);

/* The substance of the pours: the source's constants. With this damping a Courant number of 0.4 makes steps
 * of 0.3 h / c, the source's. */
#define DLP_B_POUR_SCENE                                                                                     \
    "{title: Pour, frames: {rate: 100, count: 300}, time: {courant: 0.4},"                                   \
    " substances: {water: {material: water, stiffness: 1000, artificial_viscosity: {alpha: 0.5},"            \
    " particle: {spacing: 0.02237}, shape: {box: {min: [0, 0, 0], max: [0.2237, 0.2237, 0.34]}}}},"          \
    " obstacles: [{name: tank, box: {min: [0, 0, 0], max: [0.4474, 0.2237, 0.8], inside: true}, stick: 0}]}"
#define DLP_B_POUR_TANK                                                                                      \
    {                                                                                                        \
        {0, 0, 0},                                                                                           \
        {                                                                                                    \
            0.4474, 0.2237, 0.6                                                                              \
        }                                                                                                    \
    }

#endif
