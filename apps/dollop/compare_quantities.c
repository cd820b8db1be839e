/* What is compared: numbers of a whole run, made of the rows of stats.csv and of what was measured beside
 * them. Columns that this file has no words for are shown by their mean and their largest value, so that what
 * later versions count is compared, too. */
#include "compare.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What one number is made of a column's rows. Means and sums leave out the initial state, in which nothing
 * has happened yet. */
typedef enum fold { FOLD_NONE, FOLD_LAST, FOLD_SUM, FOLD_MEAN, FOLD_MAX } fold;

/* Columns that need no line of their own have FOLD_NONE. */
static const struct {
    const char *column, *id, *what, *head, *unit;
    fold fold;
    dlp_quantity_table table;
} columns[] = {
    {.column = "frame"},
    {.column = "time"},
    {.column = "active"},
    {.column = "restrained"},
    {.column = "dt_max"},
    {.column = "volume"},
    {.column = "heat"},
    {.column = "contour_area"},
    {.column = "wall_motion"},
    {.column = "angular_momentum_x"},
    {.column = "angular_momentum_y"},
    {.column = "angular_momentum_z"},
    {.column = "finest_particles"},
    {.column = "full_evaluations"},
    {"particles", "particles", "particles at the end", "particles", "", FOLD_LAST, DLP_QUANTITY_COST},
    {"substeps", "steps_per_frame", "smallest steps per frame", "steps/frame", "", FOLD_MEAN,
     DLP_QUANTITY_COST},
    {"dt_min", "dt_min", "smallest step of the last frame", "", "s", FOLD_LAST, DLP_QUANTITY_UNLISTED},
    {"force_evaluations", "force_evaluations", "evaluations of forces", "evaluations", "", FOLD_SUM,
     DLP_QUANTITY_COST},
    {"neighbours_mean", "neighbours_mean", "neighbours of a particle", "", "", FOLD_MEAN,
     DLP_QUANTITY_UNLISTED},
    {"splits", "splits", "particles that were split", "", "", FOLD_SUM, DLP_QUANTITY_UNLISTED},
    {"merges", "merges", "merges of particles", "", "", FOLD_SUM, DLP_QUANTITY_UNLISTED},
    {"wall_skin", "wall_skin", "wall clock of surfaces", "", "s", FOLD_SUM, DLP_QUANTITY_UNLISTED},
    {"wall_record", "wall_record", "wall clock of writing", "", "s", FOLD_SUM, DLP_QUANTITY_UNLISTED},
    {"density_error_mean", "density_error_mean", "density error, mean over particles and frames",
     "mean rho error", "", FOLD_MEAN, DLP_QUANTITY_RESULT},
    {"density_error_max", "density_error_max", "density error, largest of all particles and frames",
     "max rho error", "", FOLD_MAX, DLP_QUANTITY_RESULT},
    {"mass", "mass", "mass at the end", "", "kg", FOLD_LAST, DLP_QUANTITY_UNLISTED},
    {"kinetic_energy", "kinetic_energy", "kinetic energy at the end", "kinetic J", "J", FOLD_LAST,
     DLP_QUANTITY_RESULT},
    {"potential_energy", "potential_energy", "potential energy at the end", "potential J", "J", FOLD_LAST,
     DLP_QUANTITY_RESULT},
    {"momentum_x", "momentum_x", "momentum along x at the end", "p_x", "kg m/s", FOLD_LAST,
     DLP_QUANTITY_RESULT},
    {"momentum_y", "momentum_y", "momentum along y at the end", "p_y", "kg m/s", FOLD_LAST,
     DLP_QUANTITY_RESULT},
    {"momentum_z", "momentum_z", "momentum along z at the end", "p_z", "kg m/s", FOLD_LAST,
     DLP_QUANTITY_RESULT},
};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

bool dlp_compare_is_further(const char *column)
{
    for (int32_t k = 0; k < COLUMN_COUNT; k++) {
        if (strcmp(columns[k].column, column) == 0) return false;
    }
    return true;
}

double dlp_variant_stat(const dlp_variant *variant, int32_t row, const char *column)
{
    const dlp_csv_data *stats = &variant->stats;
    const int32_t k = row >= 0 && row < stats->row_count ? dlp_csv_column(stats, column) : -1;
    return k >= 0 ? stats->values[(size_t)row * (size_t)stats->column_count + (size_t)k] : (double)NAN;
}

static double fold_column(const dlp_variant *variant, const char *column, fold how)
{
    const int32_t count = variant->frame_count;
    double sum = 0, largest = (double)NAN;
    for (int32_t row = 0; row < count; row++) {
        const double value = dlp_variant_stat(variant, row, column);
        if (row > 0) sum += value;
        largest = fmax(largest, value);
    }
    switch (how) {
    case FOLD_LAST:
        return dlp_variant_stat(variant, count - 1, column);
    case FOLD_SUM:
        return sum;
    case FOLD_MEAN:
        return count > 1 ? sum / (count - 1) : (double)NAN;
    case FOLD_MAX:
        return largest;
    case FOLD_NONE:
        break;
    }
    return (double)NAN;
}

/* The place of a new quantity's values, NULL where there is no room: further columns alone can be so many. */
static double *add_quantity(dlp_quantities *list, const char *id, const char *what, const char *head,
                            const char *unit, dlp_quantity_table table)
{
    if (list->count == DLP_QUANTITY_LIMIT) return NULL;
    dlp_quantity *quantity = &list->items[list->count];
    snprintf(quantity->id, sizeof quantity->id, "%s", id);
    snprintf(quantity->what, sizeof quantity->what, "%s", what);
    snprintf(quantity->head, sizeof quantity->head, "%s", head);
    quantity->unit = unit;
    quantity->table = table;
    double *values = list->values[list->count++];
    for (int32_t v = 0; v < DLP_VARIANT_LIMIT; v++) values[v] = (double)NAN;
    return values;
}

static void add_columns(const dlp_comparison *comparison, dlp_quantity_table table, dlp_quantities *list)
{
    for (int32_t k = 0; k < COLUMN_COUNT; k++) {
        const bool is_flat = comparison->dimension == 2 && strcmp(columns[k].column, "momentum_z") == 0;
        if (columns[k].fold == FOLD_NONE || columns[k].table != table || is_flat) continue;
        double *values = add_quantity(list, columns[k].id, columns[k].what, columns[k].head, columns[k].unit,
                                      columns[k].table);
        for (int32_t v = 0; values != NULL && v < comparison->shown_count; v++)
            values[v] = fold_column(&comparison->variants[v], columns[k].column, columns[k].fold);
    }
}

/* The columns of the first variant that has some: all come from one build. */
static void add_further(const dlp_comparison *comparison, dlp_quantities *list)
{
    static const struct {
        const char *ending, *what;
        fold fold;
    } forms[] = {{"mean", "mean per frame", FOLD_MEAN}, {"max", "largest of all frames", FOLD_MAX}};
    const dlp_csv_data *stats = NULL;
    for (int32_t v = 0; v < comparison->shown_count && stats == NULL; v++)
        if (comparison->variants[v].stats.row_count > 0) stats = &comparison->variants[v].stats;
    for (int32_t k = 0; stats != NULL && k < 2 * stats->column_count; k++) {
        const char *column = stats->names[k / 2];
        if (!dlp_compare_is_further(column)) continue;
        char id[64], what[96];
        snprintf(id, sizeof id, "%s_%s", column, forms[k % 2].ending);
        snprintf(what, sizeof what, "%s, %s", column, forms[k % 2].what);
        double *values =
            add_quantity(list, id, what, id, "", k % 2 == 0 ? DLP_QUANTITY_COST : DLP_QUANTITY_UNLISTED);
        for (int32_t v = 0; values != NULL && v < comparison->shown_count; v++)
            values[v] = fold_column(&comparison->variants[v], column, forms[k % 2].fold);
    }
}

static void add_clocks(const dlp_comparison *comparison, dlp_quantities *list)
{
    double *values[4] = {
        add_quantity(list, "wall_seconds", "wall clock of motion", "wall s", "s", DLP_QUANTITY_COST),
        add_quantity(list, "cpu_seconds", "processor time of motion, all threads", "CPU s", "s",
                     DLP_QUANTITY_COST),
        add_quantity(list, "wall_per_second", "wall clock per simulated second", "wall s/s", "s/s",
                     DLP_QUANTITY_COST),
        add_quantity(list, "cpu_per_second", "processor time per simulated second", "CPU s/s", "s/s",
                     DLP_QUANTITY_COST)};
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        const dlp_variant *variant = &comparison->variants[v];
        if (variant->frame_count == 0) continue;
        const dlp_variant_frame *last = &variant->frames[variant->frame_count - 1];
        const double time = dlp_variant_stat(variant, variant->frame_count - 1, "time");
        values[0][v] = last->wall;
        values[1][v] = last->cpu;
        values[2][v] = time > 0 ? last->wall / time : (double)NAN;
        values[3][v] = time > 0 ? last->cpu / time : (double)NAN;
    }
}

static double energy_at(const dlp_variant *variant, int32_t row)
{
    return dlp_variant_stat(variant, row, "kinetic_energy") +
           dlp_variant_stat(variant, row, "potential_energy");
}

static void add_energy(const dlp_comparison *comparison, dlp_quantities *list)
{
    double *change =
        add_quantity(list, "energy_change", "kinetic and potential energy, change since the start",
                     "change J", "J", DLP_QUANTITY_RESULT);
    double *ratio = add_quantity(list, "energy_ratio", "kinetic and potential energy over that at the start",
                                 "total/start", "", DLP_QUANTITY_RESULT);
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        const dlp_variant *variant = &comparison->variants[v];
        const double start = energy_at(variant, 0), end = energy_at(variant, variant->frame_count - 1);
        change[v] = end - start;
        ratio[v] = start != 0 ? end / start : (double)NAN;
    }
}

/* The side of a box: along an axis, the greater or the smaller one. */
static double side_of(const dlp_box *box, int axis, bool is_high)
{
    return box->min.x > box->max.x ? (double)NAN : dlp_component(is_high ? box->max : box->min, axis);
}

/* The direction in which the particles of any variant go farthest beyond where they started: that is where
 * the front is. Emitters may start with none. */
static void choose_front(dlp_comparison *comparison)
{
    double farthest = -1;
    for (int32_t side = 0; side < 2 * comparison->dimension; side++) {
        const bool is_high = side % 2 == 0;
        for (int32_t v = 0; v < comparison->shown_count; v++) {
            const dlp_variant *variant = &comparison->variants[v];
            double start = (double)NAN;
            for (int32_t row = 0; row < variant->frame_count; row++) {
                const double at = side_of(&variant->frames[row].extent, side / 2, is_high);
                if (isnan(start)) start = at;
                const double distance = is_high ? at - start : start - at;
                if (!(distance > farthest)) continue;
                farthest = distance;
                comparison->front_axis = side / 2;
                comparison->is_front_high = is_high;
            }
        }
    }
}

double dlp_variant_front(const dlp_comparison *comparison, const dlp_variant *variant, int32_t row)
{
    if (row < 0 || row >= variant->frame_count) return (double)NAN;
    return side_of(&variant->frames[row].extent, comparison->front_axis, comparison->is_front_high);
}

static void add_extent(const dlp_comparison *comparison, dlp_quantities *list)
{
    char id[64], what[96], head[32];
    const char axis = "xyz"[comparison->front_axis];
    snprintf(what, sizeof what, "front: %s %c of all particles at the end",
             comparison->is_front_high ? "greatest" : "smallest", axis);
    snprintf(head, sizeof head, "front %c m", axis);
    double *front = add_quantity(list, "front", what, head, "m", DLP_QUANTITY_RESULT);
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        const dlp_variant *variant = &comparison->variants[v];
        front[v] = dlp_variant_front(comparison, variant, variant->frame_count - 1);
    }
    for (int32_t k = 0; k < comparison->dimension; k++) {
        snprintf(id, sizeof id, "extent_%c", "xyz"[k]);
        snprintf(what, sizeof what, "extent of all particles along %c at the end", "xyz"[k]);
        snprintf(head, sizeof head, "extent %c", "xyz"[k]);
        double *values = add_quantity(list, id, what, head, "m", DLP_QUANTITY_RESULT);
        for (int32_t v = 0; v < comparison->shown_count; v++) {
            const dlp_variant *variant = &comparison->variants[v];
            if (variant->frame_count == 0) continue;
            const dlp_box *box = &variant->frames[variant->frame_count - 1].extent;
            values[v] = side_of(box, k, true) - side_of(box, k, false);
        }
    }
}

/* Those that may be many come last, so that there is room for all others. */
void dlp_compare_measure(dlp_comparison *comparison, dlp_quantities *out_quantities)
{
    out_quantities->count = 0;
    choose_front(comparison);
    double *frames =
        add_quantity(out_quantities, "frames", "complete frames", "frames", "", DLP_QUANTITY_COST);
    for (int32_t v = 0; v < comparison->shown_count; v++)
        frames[v] = comparison->variants[v].frame_count > 0 ? comparison->variants[v].frame_count - 1 : 0;
    add_columns(comparison, DLP_QUANTITY_COST, out_quantities);
    add_clocks(comparison, out_quantities);
    add_columns(comparison, DLP_QUANTITY_RESULT, out_quantities);
    add_energy(comparison, out_quantities);
    add_extent(comparison, out_quantities);
    add_columns(comparison, DLP_QUANTITY_UNLISTED, out_quantities);
    add_further(comparison, out_quantities);
}

void dlp_variant_describe(const dlp_variant *variant, char *out_text, size_t size)
{
    const char *ending = variant->status == DLP_OK         ? "done"
                         : variant->status == DLP_DIVERGED ? "diverged"
                                                           : "failed";
    if (variant->status == DLP_OK || variant->frame_count == 0)
        snprintf(out_text, size, "%s", ending);
    else
        snprintf(out_text, size, "%s after frame %d", ending, variant->frame_count - 1);
}
