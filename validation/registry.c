/* The list of experiments, in the order of the report. A new one is a line here and a file beside this one
 * that defines `const dlp_experiment dlp_experiment_NAME`. */
#include "experiment.h"

// clang-format off
#define EXPERIMENTS(X)                         \
    /* Smoothed particles, 1996 */             \
    X(a_fig3)                                  \
    X(a_fig4)                                  \
    X(a_fig6)                                  \
    X(a_fig7)                                  \
    X(a_linear)                                \
    X(a_steps)                                 \
    /* Space-time adaptive substances, 1999 */ \
    X(b_obstacle)                              \
    X(b_pour)                                  \
    X(b_scale)                                 \
    X(b_million)                               \
    X(b_terrain)                               \
    X(b_same)                                  \
    X(b_energy)                                \
    X(b_converge)                              \
    X(b_accuracy)                              \
    X(b_rest)                                  \
    X(b_fig9)                                  \
    X(b_fig10)                                 \
    /* Gates of cloth */                       \
    X(c1)                                      \
    X(c2)                                      \
    X(c3)                                      \
    /* Restraint, 2013 */                      \
    X(d_phase)                                 \
    X(d_fall)                                  \
    X(d_flow)                                  \
    X(d_cloth)                                 \
    X(d_large)                                 \
    X(d_same)                                  \
    /* Elastic solids, 2023 */                 \
    X(e_tori)                                  \
    X(e_bunny)                                 \
    X(e_cow)                                   \
    X(e_crush)                                 \
    X(e_towel)                                 \
    X(e_metal)                                 \
    X(e_sausages)                              \
    X(e_params)                                \
    X(e_steps)                                 \
    X(e_rotation)                              \
    X(e_stress)                                \
    X(e_kernel)                                \
    X(e_cantilever)                            \
    X(e_fig13)                                 \
    /* Surfaces */                             \
    X(s_cost)                                  \
    X(s_pop)                                   \
    X(s_lag)                                   \
    X(s_volume)                                \
    X(s_mesh)                                  \
    X(s_area)                                  \
    /* Gates of smoothed particles */          \
    X(f4)                                      \
    X(f5)                                      \
    X(f6)                                      \
    X(f7)                                      \
    X(f10)                                     \
    X(f15)
// clang-format on

#define DECLARE(name) extern const dlp_experiment dlp_experiment_##name;
EXPERIMENTS(DECLARE)

#define ENTRY(name) &dlp_experiment_##name,
const dlp_experiment *const dlp_experiments[] = {EXPERIMENTS(ENTRY) NULL};
