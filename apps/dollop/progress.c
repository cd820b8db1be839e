/* Prints how far a run is. */
#include "progress.h"

#include "common.h"
#include "findings.h"

#include <stdio.h>
#include <string.h>

enum { BAR_WIDTH = 20 };

/* What the bar and the lines show. */
typedef struct run_state {
    double frame; /* with its fraction */
    int32_t particles, active;
} run_state;

void dlp_progress_begin(dlp_progress_view *view, dlp_progress_style style, int32_t first_frame,
                        int32_t last_frame)
{
    *view = (dlp_progress_view){.style = style, .first_frame = first_frame, .last_frame = last_frame};
    view->start = dlp_wall_clock();
}

static double done_share(const dlp_progress_view *view, double frame)
{
    const double frames = view->last_frame - view->first_frame;
    return frames > 0 ? fmin(1, fmax(0, (frame - view->first_frame) / frames)) : 1;
}

static void describe(const dlp_progress_view *view, const run_state *now, char *out_text, size_t size)
{
    char particles[32], left[32] = "";
    dlp_readable_count(now->particles, particles, sizeof particles);
    const double active = now->particles > 0 ? 100.0 * now->active / now->particles : 0;
    const double share = done_share(view, now->frame), spent = dlp_wall_clock() - view->start;
    if (share > 0 && share < 1) dlp_readable_seconds(ceil(spent * (1 - share) / share), left, sizeof left);
    snprintf(out_text, size, "frame %.0f/%d  %s particles  %.0f %% active%s%s%s", floor(now->frame),
             view->last_frame, particles, active, left[0] != 0 ? "  " : "", left,
             left[0] != 0 ? " left" : "");
}

static void draw_bar(dlp_progress_view *view, const run_state *now)
{
    char bar[BAR_WIDTH + 1], text[160];
    const int filled = (int)(BAR_WIDTH * done_share(view, now->frame));
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = 0;
    describe(view, now, text, sizeof text);
    printf("\r[%s] %s\033[K", bar, text);
    fflush(stdout);
    view->is_drawn = true;
    view->last_drawn = dlp_wall_clock();
}

void dlp_progress_step(dlp_progress_view *view, const dlp_progress *progress)
{
    if (view->style != DLP_PROGRESS_BAR || dlp_wall_clock() - view->last_drawn < 0.1) return;
    /* `frame` is the one being computed, so that one less is complete. */
    const double frame = fmax(0, progress->frame - 1) + progress->frame_fraction;
    draw_bar(view, &(run_state){frame, progress->particle_count, progress->active_count});
}

static void print_line(dlp_progress_view *view, const run_state *now)
{
    const int32_t tenth = (int32_t)(10 * done_share(view, now->frame) + 1e-9);
    if (tenth <= view->tenth) return;
    char text[160];
    describe(view, now, text, sizeof text);
    printf("%s\n", text);
    fflush(stdout);
    view->tenth = tenth;
}

/* The columns of stats.csv as one JSON object. */
static void print_json(const dlp_stats *s)
{
    const struct {
        const char *name;
        double value;
    } columns[] = {
        {"time", s->time},
        {"particles", s->particles},
        {"active", s->active},
        {"restrained", s->restrained},
        {"splits", (double)s->splits},
        {"merges", (double)s->merges},
        {"substeps", (double)s->substeps},
        {"force_evaluations", (double)s->force_evaluations},
        {"neighbours_mean", s->neighbours_mean},
        {"dt_min", s->dt_min},
        {"dt_max", s->dt_max},
        {"kinetic_energy", s->kinetic_energy},
        {"potential_energy", s->potential_energy},
        {"momentum_x", s->momentum.x},
        {"momentum_y", s->momentum.y},
        {"momentum_z", s->momentum.z},
        {"mass", s->mass},
        {"volume", s->volume},
        {"density_error_mean", s->density_error_mean},
        {"density_error_max", s->density_error_max},
        {"wall_motion", s->wall_motion},
        {"wall_skin", s->wall_skin},
        {"wall_record", s->wall_record},
        {"heat", s->heat},
        {"finest_particles", (double)s->finest_particles},
        {"full_evaluations", (double)s->full_evaluations},
        {"angular_momentum_x", s->angular_momentum.x},
        {"angular_momentum_y", s->angular_momentum.y},
        {"angular_momentum_z", s->angular_momentum.z},
    };
    printf("{\"frame\": %d", s->frame);
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        printf(", \"%s\": ", columns[k].name);
        dlp_json_number(columns[k].value);
    }
    printf("}\n");
    fflush(stdout);
}

void dlp_progress_frame(dlp_progress_view *view, const dlp_stats *stats)
{
    const run_state now = {stats->frame, stats->particles, stats->active};
    switch (view->style) {
    case DLP_PROGRESS_JSON:
        print_json(stats);
        break;
    case DLP_PROGRESS_LINES:
        print_line(view, &now);
        break;
    case DLP_PROGRESS_BAR:
        draw_bar(view, &now);
        break;
    }
}

void dlp_progress_clear(dlp_progress_view *view)
{
    if (view->is_drawn) printf("\r\033[K");
    fflush(stdout);
    view->is_drawn = false;
}
