/* Where the particles of an emitter come out: sites across its mouth, as many as fill it, stretched so that
 * together they have just its area. Two layers alternate, each in the gaps of the other, one cell's height
 * apart: the flow is the mouth's area times the speed, and as dense as the substance at rest. */
#include "base/memory.h"
#include "motion/sph/emit.h"

#include <stdlib.h>

// Sites of one layer.
enum { SITE_LIMIT = 1 << 22 };

static dlp_status check_size(const char *name, double sites, double spacing, dlp_error *error)
{
    if (!(sites >= 0.5))
        return dlp_fail(
            error, DLP_INVALID,
            "emitters.%s: its mouth is smaller than a particle (%g m): widen it or use smaller particles",
            name, spacing);
    if (!(sites <= SITE_LIMIT))
        return dlp_fail(error, DLP_INVALID,
                        "emitters.%s: its mouth takes %.3g particles at once; at most %d are allowed: narrow "
                        "it or use larger particles",
                        name, sites, SITE_LIMIT);
    return DLP_OK;
}

static dlp_status add_site(dlp_emitter *e, int layer, int32_t *capacity, double u, double v, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&e->sites[layer], capacity, e->site_count[layer] + 1, sizeof(dlp_vec3), "emitters",
                        error));
    e->sites[layer][e->site_count[layer]++] = dlp_vec(u, v, 0);
    return DLP_OK;
}

// Whole numbers of sites in a row and of rows; rows are shifted to and fro, and so are layers.
static dlp_status fill_rectangle(dlp_emitter *e, dlp_vec3 size, double a, double row, dlp_error *error)
{
    const int32_t columns = (int32_t)fmax(1, round(size.x / a));
    const int32_t rows = row > 0 ? (int32_t)fmax(1, round(size.y / row)) : 1;
    for (int layer = 0; layer < 2; layer++) {
        int32_t capacity = 0;
        for (int32_t j = 0; j < rows; j++)
            for (int32_t i = 0; i < columns; i++) {
                const double u = i + 0.5 + ((j + layer) % 2 == 0 ? -0.25 : 0.25);
                const double v = j + 0.5 + (layer == 0 ? -1.0 / 6 : 1.0 / 6);
                DLP_TRY(add_site(e, layer, &capacity, (u / columns - 0.5) * size.x,
                                 row > 0 ? (v / rows - 0.5) * size.y : 0, error));
            }
    }
    return DLP_OK;
}

// By distance from the middle, then in an order that no compiler changes.
static int compare_sites(const void *left, const void *right)
{
    const dlp_vec3 *a = left, *b = right;
    const double p = a->x * a->x + a->y * a->y, q = b->x * b->x + b->y * b->y;
    if (fabs(p - q) > 1e-9) return p < q ? -1 : 1;
    return a->y != b->y ? (a->y < b->y ? -1 : 1) : (a->x > b->x) - (a->x < b->x);
}

// The points of a lattice of triangles of edge 1 about (`u`, `v`), nearest first; somewhat more than
// `wanted`.
static dlp_status list_nearest(dlp_emitter *e, int layer, double u, double v, double wanted, dlp_error *error)
{
    const double row = sqrt(3) / 2, radius = sqrt(wanted * row / DLP_PI) + 2;
    const int32_t n = (int32_t)ceil(radius / row) + 1;
    int32_t capacity = e->site_count[layer] = 0;
    dlp_free(e->sites[layer]);
    e->sites[layer] = NULL;
    for (int32_t j = -n; j <= n; j++)
        for (int32_t i = -n - 1; i <= n + 1; i++) {
            const double x = i + 0.5 * (j & 1) - u, y = row * j - v;
            if (x * x + y * y <= radius * radius) DLP_TRY(add_site(e, layer, &capacity, x, y, error));
        }
    qsort(e->sites[layer], (size_t)e->site_count[layer], sizeof(dlp_vec3), compare_sites);
    return DLP_OK;
}

// How many of the nearest sites come closest to `wanted` without parting those that are equally far.
static int32_t whole_rings(const dlp_emitter *e, int layer, double wanted)
{
    const dlp_vec3 *sites = e->sites[layer];
    int32_t best = 1;
    double least = HUGE_VAL;
    for (int32_t n = 1; n < e->site_count[layer]; n++) {
        const double inner = sites[n - 1].x * sites[n - 1].x + sites[n - 1].y * sites[n - 1].y;
        const double outer = sites[n].x * sites[n].x + sites[n].y * sites[n].y;
        if (outer - inner < 1e-9 || fabs(n - wanted) >= least) continue;
        best = n;
        least = fabs(n - wanted);
    }
    return best;
}

// The layers lie about a site and about a gap, or both half way between: `share` of the way from a gap to a
// site.
static dlp_status list_layers(dlp_emitter *e, double share, double wanted, dlp_error *error)
{
    const double gap_u = 0.5, gap_v = sqrt(3) / 6;
    DLP_TRY(list_nearest(e, 0, share * gap_u, share * gap_v, wanted, error));
    DLP_TRY(list_nearest(e, 1, (share - 1) * gap_u, (share - 1) * gap_v, wanted, error));
    e->site_count[0] = whole_rings(e, 0, wanted);
    e->site_count[1] = whole_rings(e, 1, 2 * wanted - e->site_count[0]);
    return DLP_OK;
}

// How far from the wanted number, and from one another.
static double misfit(const dlp_emitter *e, double wanted)
{
    const double mean = 0.5 * (e->site_count[0] + e->site_count[1]);
    return fabs(log(mean / wanted)) + 0.5 * abs(e->site_count[0] - e->site_count[1]) / wanted;
}

static dlp_status fill_disc(dlp_emitter *e, double area, double cell, dlp_error *error)
{
    const double wanted = area / cell;
    DLP_TRY(list_layers(e, 0, wanted, error));
    const double about_site = misfit(e, wanted);
    DLP_TRY(list_layers(e, 0.5, wanted, error));
    if (about_site < misfit(e, wanted)) DLP_TRY(list_layers(e, 0, wanted, error));
    // one site of the lattice of edge 1 has sqrt(3)/2
    const double scale = sqrt(area / (0.25 * sqrt(3) * (e->site_count[0] + e->site_count[1])));
    for (int layer = 0; layer < 2; layer++)
        for (int32_t k = 0; k < e->site_count[layer]; k++)
            e->sites[layer][k] = dlp_mul(e->sites[layer][k], scale);
    return DLP_OK;
}

dlp_status dlp_emitter_init(dlp_emitter *emitter, const dlp_emitter_def *def, int32_t dimension,
                            double spacing, dlp_error *error)
{
    const bool is_round = def->radius > 0, is_plane = dimension == 2;
    // close packing: edge of the triangles and height of their rows for a particle's rest volume
    const double a = is_plane ? spacing * sqrt(2 / sqrt(3)) : spacing * pow(2, 1.0 / 6);
    const double row = is_plane ? 0 : a * sqrt(3) / 2, cell = is_plane ? a : a * row;
    const dlp_vec3 size = is_round ? dlp_vec(2 * def->radius, 0, 0) : dlp_vec(def->width, def->height, 0);
    const double area = is_plane ? size.x : is_round ? DLP_PI * def->radius * def->radius : size.x * size.y;
    DLP_TRY(check_size(def->name, area / cell, spacing, error));
    if (is_round && !is_plane)
        DLP_TRY(fill_disc(emitter, area, cell, error));
    else
        DLP_TRY(fill_rectangle(emitter, size, a, row, error));
    const double particles = 0.5 * (emitter->site_count[0] + emitter->site_count[1]);
    emitter->layer = particles * pow(spacing, dimension) / area;
    return DLP_OK;
}

void dlp_emitter_release(dlp_emitter *emitter)
{
    dlp_free(emitter->sites[0]);
    dlp_free(emitter->sites[1]);
    *emitter = (dlp_emitter){0};
}
