/* Surfaces: nodes of the band per second, and memory, which should grow with the surface, not the volume. */
#include "bench_case.h"

#include "validation/fixture_shape.h"

#include "base/wall_clock.h"
#include "base/memory.h"

#include <stdio.h>

typedef struct rate {
    double nodes, particles; /* per second */
    double bytes;            /* of the surface, per particle */
    int32_t count;
} rate;

// Nodes closer to the surface than the band is wide; for an iso surface, those that were summed.
static double count_nodes(const dlp_surface *surface)
{
    const dlp_surface_field field = dlp_surface_band(surface);
    double count = 0;
    for (size_t n = 0; n < (size_t)field.block_count * DLP_BLOCK_NODES; n++)
        count += fabsf(field.values[n]) < 0.99f * field.width;
    return count;
}

// The fastest of some frames of a block that stands still: field, band and triangles.
static dlp_status time_frames(dlp_surface *surface, const dlp_particle_view *particles, rate *out,
                              dlp_error *error)
{
    enum { FRAMES = 6 };
    double best = HUGE_VAL;
    for (int frame = 0; frame < FRAMES; frame++) {
        const double start = dlp_seconds_now();
        DLP_TRY(dlp_surface_update(surface, particles, error));
        if (frame > 0) best = fmin(best, dlp_seconds_now() - start);  // the first has no history yet
    }
    out->nodes = count_nodes(surface) / best;
    out->particles = particles->count / best;
    return DLP_OK;
}

static dlp_status measure(dlp_surface_kind kind, double edge, int32_t thread_count, rate *out,
                          dlp_error *error)
{
    const double half = edge / 2;
    const dlp_shape_def box = {
        .kind = DLP_SHAPE_BOX, .min = {-half, -half, -half}, .max = {half, half, half}};
    dlp_shape_fixture fixture;
    dlp_team *team = NULL;
    dlp_surface *surface = NULL;
    DLP_TRY(dlp_shape_fixture_open(&fixture, &box, 1, error));
    dlp_status status = dlp_team_create(thread_count, &team, error);
    if (status == DLP_OK) status = dlp_shape_fixture_surface(kind, 1, 0.5, team, &surface, error);
    if (status == DLP_OK) status = time_frames(surface, &fixture.particles, out, error);
    out->count = fixture.fill.count;
    out->bytes = (double)dlp_memory_of("skin") / fixture.fill.count;
    dlp_surface_destroy(surface);
    dlp_team_destroy(team);
    dlp_shape_fixture_close(&fixture);
    return status;
}

static dlp_status compare_kinds(dlp_bench *bench, dlp_error *error)
{
    static const struct {
        dlp_surface_kind kind;
        const char *id, *what;
    } kinds[] = {
        {DLP_SURFACE_ISO, "iso", "iso surface of a block: million nodes summed per second, one thread"},
        {DLP_SURFACE_ACTIVE, "active",
         "active surface of a block: million band nodes per second, one thread"},
        {DLP_SURFACE_ANISOTROPIC, "anisotropic",
         "anisotropic surface of a block: million nodes summed per second, one thread"}};
    for (int k = 0; k < 3; k++) {
        rate r;
        DLP_TRY(measure(kinds[k].kind, 55.4, 1, &r, error));
        const bool is_asked = kinds[k].kind == DLP_SURFACE_ACTIVE;
        const dlp_finding finding =
            is_asked ? dlp_finding_reached(kinds[k].id, kinds[k].what, 1e-6 * r.nodes, "million/s", 1.9)
                     : dlp_finding_number(kinds[k].id, kinds[k].what, 1e-6 * r.nodes, "million/s");
        dlp_bench_add(bench, &finding);
        if (!is_asked) continue;
        const dlp_finding particles[] = {
            dlp_finding_number("active-block", "particles of that block", r.count, ""),
            dlp_finding_reached("active-particles", "its particles per second", r.particles, "1/s", 640000)};
        for (int n = 0; n < 2; n++) dlp_bench_add(bench, &particles[n]);
    }
    return DLP_OK;
}

static dlp_status compare_threads(dlp_bench *bench, dlp_error *error)
{
    rate one, all;
    DLP_TRY(measure(DLP_SURFACE_ACTIVE, 55.4, 1, &one, error));
    DLP_TRY(measure(DLP_SURFACE_ACTIVE, 55.4, bench->thread_count, &all, error));
    const dlp_finding finding = dlp_finding_number(
        "active-threads", "active surface: gain of all threads over one", all.nodes / one.nodes, "");
    dlp_bench_add(bench, &finding);
    return DLP_OK;
}

// Ten times the particles have 4.64 times the surface.
static dlp_status compare_sizes(dlp_bench *bench, dlp_error *error)
{
    rate small, large;
    DLP_TRY(measure(DLP_SURFACE_ACTIVE, 46.4, bench->thread_count, &small, error));
    DLP_TRY(measure(DLP_SURFACE_ACTIVE, 100, bench->thread_count, &large, error));
    const double growth = large.bytes * large.count / (small.bytes * small.count);
    const dlp_finding findings[] = {
        dlp_finding_number("bytes-1e5", "memory of the surface of 1e5 particles",
                           small.bytes * small.count / 1e6, "MB"),
        dlp_finding_number("bytes-1e6", "memory of the surface of 1e6 particles",
                           large.bytes * large.count / 1e6, "MB"),
        dlp_finding_limited("bytes-growth", "one over the other; 4.64 is the surface, 10 the volume", growth,
                            "", 6.5)};
    for (int k = 0; k < 3; k++) dlp_bench_add(bench, &findings[k]);
    return DLP_OK;
}

static dlp_status run(dlp_bench *bench, dlp_error *error)
{
    DLP_TRY(compare_kinds(bench, error));
    DLP_TRY(compare_threads(bench, error));
    return compare_sizes(bench, error);
}

const dlp_bench_case dlp_bench_skin = {
    .name = "skin",
    .what = "surfaces of a block: band nodes per second, gain of threads, memory",
    .run = run,
};
