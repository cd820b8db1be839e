/* Who may come near whom: a grid of cells that repeats in space, so that nothing can leave it; what stands in
 * the same cell by chance is told apart by its distance. Lists are in ascending order and hold everybody who
 * can come into contact until the next are made: when that is changes nothing. */
#include "motion/solid/touch.h"

#include <string.h>

enum { GRAIN = 256, BITS_LEAST = 2, BITS_MOST = 8 };

// Two particles of one body meet when they were farther apart at rest than this, in contact distances.
#define APART_AT_REST 2.6
// Surfaces that are nearer than this at rest, in contact distances, are not two surfaces.
#define LEAST_APART 0.3

// ---- cells
// --------------------------------------------------------------------------------------------------

static int32_t cell_along(const dlp_solid_touch *t, double x)
{
    const double at = floor(x / t->cell);
    return (int32_t)((int64_t)fmin(fmax(at, -9e18), 9e18) & ((1 << t->cell_bits) - 1));
}

static int32_t cell_at(const dlp_solid_touch *t, int32_t x, int32_t y, int32_t z)
{
    const int32_t mask = (1 << t->cell_bits) - 1;
    return ((z & mask) << t->cell_bits | (y & mask)) << t->cell_bits | (x & mask);
}

static dlp_status reserve_cells(dlp_solid_touch *t, dlp_error *error)
{
    t->cell_bits = BITS_LEAST;
    while (t->cell_bits < BITS_MOST && 1 << 3 * t->cell_bits < 2 * t->skin_count) t->cell_bits++;
    return dlp_reserve(&t->cell_begin, &t->cell_capacity, (1 << 3 * t->cell_bits) + 1, sizeof *t->cell_begin,
                       "solids", error);
}

// Counts, first places, places: after it cell_begin[c] .. cell_begin[c + 1] - 1 are the marks of cell c.
static void sort_into_cells(const dlp_solid *solid, dlp_solid_touch *t)
{
    const int32_t cells = 1 << 3 * t->cell_bits;
    memset(t->cell_begin, 0, ((size_t)cells + 1) * sizeof *t->cell_begin);
    for (int32_t k = 0; k < t->skin_count; k++) {
        const dlp_vec3 x = t->to[k];
        t->cell_of[k] = cell_at(t, cell_along(t, x.x), cell_along(t, x.y), cell_along(t, x.z));
        t->cell_begin[t->cell_of[k] + 1]++;
    }
    for (int32_t c = 0; c < cells; c++) t->cell_begin[c + 1] += t->cell_begin[c];
    for (int32_t k = t->skin_count - 1; k >= 0; k--) {  // from behind: the ends become the beginnings
        const dlp_vec3 x = t->to[k];
        const int32_t body = solid->particles.body[t->skin[k]];
        t->marks[--t->cell_begin[t->cell_of[k] + 1]] = (dlp_touch_mark){{x.x, x.y, x.z}, k, body};
    }
    memmove(t->cell_begin, t->cell_begin + 1, (size_t)cells * sizeof *t->cell_begin);
    t->cell_begin[cells] = t->skin_count;
}

// ---- pairs
// --------------------------------------------------------------------------------------------------

// How near two particles come; a distance of 0 where they never meet. What was nearer at rest, on both sides
// of a cut, may be as near again.
static dlp_touch_candidate judge(const dlp_solid *solid, int32_t k, int32_t other)
{
    const dlp_solid_touch *t = solid->touch;
    const dlp_solid_particles *p = &solid->particles;
    const int32_t i = t->skin[k], j = t->skin[other];
    const double touch = dlp_solid_reach(solid, i) + dlp_solid_reach(solid, j);
    const dlp_vec3 offset = dlp_sub(dlp_solid_get(p->rest, i), dlp_solid_get(p->rest, j));
    const double rest = dlp_length(offset);
    const bool is_own = p->body[i] == p->body[j];
    const bool may = !is_own || solid->scene->substances[p->substance[i]].solid.meets_itself;
    dlp_touch_candidate out = {other, (float)touch, (float)(DLP_TOUCH_SIDEWAYS * touch)};
    if (!may || (is_own && rest <= APART_AT_REST * touch)) return (dlp_touch_candidate){other, 0, 0};
    if (rest > DLP_TOUCH_REACH * touch) return out;
    dlp_vec3 normal;
    const bool faces = dlp_facing_normal(&t->rest_facing[k], &t->rest_facing[other], &normal);
    const double apart = faces ? dlp_dot(offset, normal) : 0;
    if (apart > LEAST_APART * touch)
        return (dlp_touch_candidate){other, (float)fmin(touch, apart), out.sideways};
    return (dlp_touch_candidate){other, (float)fmin(touch, rest), 0};
}

typedef struct search {
    const dlp_solid *solid;
    dlp_solid_touch *touch;
    bool is_filling;  // else counting
} search;

static void add_near(const search *s, const dlp_touch_mark *mark, const dlp_touch_mark *other, int32_t *count)
{
    const dlp_solid_touch *t = s->touch;
    const double dx = other->x[0] - mark->x[0], dy = other->x[1] - mark->x[1], dz = other->x[2] - mark->x[2];
    const double square = dx * dx + dy * dy + dz * dz;
    if (square >= t->cell * t->cell || other->skin == mark->skin) return;
    const dlp_touch_candidate found = judge(s->solid, mark->skin, other->skin);
    const double reach = DLP_TOUCH_REACH * (double)found.distance + t->margin;
    if (found.distance == 0 || square >= reach * reach) return;
    if (s->is_filling) {
        dlp_touch_candidate *list = t->candidates + t->begin[mark->skin];
        int32_t at = *count;
        for (; at > 0 && list[at - 1].other > other->skin; at--) list[at] = list[at - 1];
        list[at] = found;
    }
    ++*count;
}

// The marks of three cells in a row along x: one run, or two where the grid begins anew.
static void search_row(const search *s, const dlp_touch_mark *mark, const int32_t cell[3], int32_t *count)
{
    const dlp_solid_touch *t = s->touch;
    const int32_t mask = (1 << t->cell_bits) - 1, low = (cell[0] - 1) & mask, high = (cell[0] + 1) & mask;
    const int32_t row = cell_at(t, 0, cell[1], cell[2]);
    const int32_t runs[2][2] = {{low, low < high ? high : mask}, {0, high}};
    for (int k = 0; k < (low < high ? 1 : 2); k++)
        for (int32_t m = t->cell_begin[row + runs[k][0]]; m < t->cell_begin[row + runs[k][1] + 1]; m++)
            add_near(s, mark, &t->marks[m], count);
}

static void search_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const search *s = context;
    dlp_solid_touch *t = s->touch;
    for (int32_t m = begin; m < end; m++) {
        const dlp_touch_mark *mark = &t->marks[m];
        int32_t count = 0, cell[3];
        for (int axis = 0; axis < 3; axis++) cell[axis] = cell_along(t, mark->x[axis]);
        for (int k = 0; k < 9; k++) {
            const int32_t near[3] = {cell[0], cell[1] + k % 3 - 1, cell[2] + k / 3 - 1};
            search_row(s, mark, near, &count);
        }
        if (!s->is_filling) t->contact_count[mark->skin] = count;
    }
}

static dlp_status reserve_lists(dlp_solid_touch *t, dlp_error *error)
{
    int64_t sum = 0;
    t->near_count = 0;
    for (int32_t k = 0; k < t->skin_count; k++) {
        t->begin[k] = (int32_t)sum;
        sum += t->contact_count[k];
        if (sum > INT32_MAX / 4) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: too many contacts");
        if (t->contact_count[k] > 0) t->near[t->near_count++] = k;
        t->contact_count[k] = 0;
    }
    t->begin[t->skin_count] = (int32_t)sum;
    DLP_TRY(dlp_reserve(&t->candidates, &t->candidate_capacity, (int32_t)sum + 1, sizeof *t->candidates,
                        "solids", error));
    return dlp_reserve(&t->contacts, &t->contact_capacity, (int32_t)sum + 1, sizeof *t->contacts, "solids",
                       error);
}

dlp_status dlp_solid_touch_find(dlp_solid *solid, dlp_error *error)
{
    dlp_solid_touch *t = solid->touch;
    t->cell = DLP_TOUCH_REACH * t->widest + t->margin;
    DLP_TRY(reserve_cells(t, error));
    sort_into_cells(solid, t);
    search s = {solid, t, false};
    dlp_parallel_for(solid->team, t->skin_count, GRAIN, search_range, &s);
    DLP_TRY(reserve_lists(t, error));
    s.is_filling = true;
    dlp_parallel_for(solid->team, t->skin_count, GRAIN, search_range, &s);
    memcpy(t->built, t->to, (size_t)t->skin_count * sizeof *t->built);
    t->is_built = true;
    return DLP_OK;
}
