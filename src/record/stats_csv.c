// A frame's statistics as a row of stats.csv.
#include "record/stats_csv.h"

#include <assert.h>
#include <inttypes.h>

// The order is fixed, since scripts may read columns by position: new ones are added at the end.
const char *dlp_stats_header(void)
{
    return "frame,time,particles,active,restrained,splits,merges,substeps,force_evaluations,neighbours_mean,"
           "dt_min,dt_max,kinetic_energy,potential_energy,momentum_x,momentum_y,momentum_z,mass,volume,"
           "density_error_mean,density_error_max,wall_motion,wall_skin,wall_record,contour_area,heat,"
           "finest_particles,full_evaluations,angular_momentum_x,angular_momentum_y,angular_momentum_z,"
           "density_passes,divergence_passes,viscosity_passes,residual_mean,residual_max,capped";
}

// The same order as the header; nine digits.
void dlp_stats_row(const dlp_stats *stats, double contour_area, dlp_string *out_row)
{
    assert(stats != NULL && out_row != NULL);
    const int64_t counts[] = {stats->particles, stats->active,   stats->restrained,       stats->splits,
                              stats->merges,    stats->substeps, stats->force_evaluations};
    const double values[] = {stats->neighbours_mean,
                             stats->dt_min,
                             stats->dt_max,
                             stats->kinetic_energy,
                             stats->potential_energy,
                             stats->momentum.x,
                             stats->momentum.y,
                             stats->momentum.z,
                             stats->mass,
                             stats->volume,
                             stats->density_error_mean,
                             stats->density_error_max,
                             stats->wall_motion,
                             stats->wall_skin,
                             stats->wall_record,
                             contour_area,
                             stats->heat,
                             (double)stats->finest_particles,
                             (double)stats->full_evaluations,
                             stats->angular_momentum.x,
                             stats->angular_momentum.y,
                             stats->angular_momentum.z,
                             stats->density_passes,
                             stats->divergence_passes,
                             stats->viscosity_passes,
                             stats->residual_mean,
                             stats->residual_max,
                             stats->capped};
    dlp_string_add(out_row, "%" PRId32 ",", stats->frame);
    dlp_format_number(out_row, stats->time, 9);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        dlp_string_add(out_row, ",%" PRId64, counts[k]);
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        dlp_string_add(out_row, ",");
        dlp_format_number(out_row, values[k], 9);
    }
}
