/* Who may come near whom: a grid of cells that repeats in space, so that nothing can leave it; what stands in
 * the same cell by chance is told apart by its distance. The pairs found hold all that can come into contact
 * until somebody leaves his room; when they are found changes nothing. */
#include "motion/solid/solid_contact_wide.h"

#include <stdatomic.h>
#include <string.h>

enum { GRAIN = DLP_CONTACT_CHUNK, BITS_LEAST = 2, BITS_MOST = 8, CAPACITY_LEAST = 1024, BATCH = 512 };

// Two particles of one body meet when they were farther apart at rest than this, in contact distances.
#define APART_AT_REST 2.6f
// Surfaces that are nearer than this at rest, in contact distances, are not two surfaces.
#define LEAST_APART 0.3f

// Cells.

static int32_t cell_along(const dlp_solid_contact_grid *g, double x)
{
    const double at = x / g->cell, safe = at > -9e18 ? (at < 9e18 ? at : 9e18) : -9e18;
    const int64_t whole = (int64_t)safe;
    return (int32_t)((whole - ((double)whole > safe)) & ((1 << g->cell_bits) - 1));
}

static int32_t cell_at(const dlp_solid_contact_grid *g, int32_t x, int32_t y, int32_t z)
{
    const int32_t mask = (1 << g->cell_bits) - 1;
    return ((z & mask) << g->cell_bits | (y & mask)) << g->cell_bits | (x & mask);
}

static dlp_status reserve_cells(dlp_solid_contact *t, dlp_error *error)
{
    dlp_solid_contact_grid *g = &t->grid;
    g->cell_bits = BITS_LEAST;
    while (g->cell_bits < BITS_MOST && 1 << 3 * g->cell_bits < t->layer.count) g->cell_bits++;
    DLP_TRY(dlp_solid_contact_reserve(t, DLP_CONTACT_PER_SORTED, t->layer.count, error));
    return dlp_solid_contact_reserve(t, DLP_CONTACT_PER_CELL, (1 << 3 * g->cell_bits) + 1, error);
}

static void key_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_contact *t = ((const dlp_solid *)context)->contact;
    const dlp_solid_contact_grid *g = &t->grid;
    for (int32_t k = begin; k < end; k++) {
        const dlp_vec3 x = t->bounds.centre[k];
        g->cell_of[k] = cell_at(g, cell_along(g, x.x), cell_along(g, x.y), cell_along(g, x.z));
        g->sorter.keys[k] = (uint64_t)g->cell_of[k];
    }
}

static void put_candidate(const dlp_solid *solid, int32_t k)
{
    const dlp_solid_contact *t = solid->contact;
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_solid_grid_places *places = &t->grid.places;
    const int32_t i = t->layer.particle[k], at = t->grid.candidate_of[k], kind = t->layer.kind[k];
    const dlp_vec3 x = dlp_sub(t->bounds.centre[k], t->grid.origin), rest = dlp_solid_get(p->x0, i);
    places->x[at] = (float)x.x;
    places->y[at] = (float)x.y;
    places->z[at] = (float)x.z;
    const double unused = kind & DLP_CONTACT_INNER ? (DLP_CONTACT_REACH - 1) * t->layer.widest
                                                   : 0;  // it meets others as a sphere
    places->bound_radius[at] = t->bounds.radius[k] - (float)unused;
    places->rest_x[at] = (float)rest.x;
    places->rest_y[at] = (float)rest.y;
    places->rest_z[at] = (float)rest.z;
    places->body[at] = solid->topology.fragment[i];
    places->kind[at] = kind;
    t->grid.candidates[at] = (dlp_solid_grid_candidate){.rest = {(float)rest.x, (float)rest.y, (float)rest.z},
                                                        .reach = (float)dlp_solid_reach(solid, i),
                                                        .contact_layer = k,
                                                        .kind = kind,
                                                        .substance = p->substance[i]};
}

static void candidate_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t k = begin; k < end; k++) put_candidate(context, k);
}

// Every candidate, and the beginnings of the cells from the one before it, exclusive, to its own.
static void place_sorted(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_contact_grid *g = &((const dlp_solid *)context)->contact->grid;
    const uint64_t *keys = g->sorter.keys;
    for (int32_t at = begin; at < end; at++) {
        const int32_t cell = (int32_t)keys[at], last = at > 0 ? (int32_t)keys[at - 1] : -1;
        assert(last <= cell && cell < 1 << 3 * g->cell_bits);
        g->candidate_of[g->sorter.order[at]] = at;
        for (int32_t c = last + 1; c <= cell; c++) g->cell_begin[c] = at;
    }
}

// After it cell_begin[c] .. cell_begin[c + 1] - 1 are the candidates of cell c, in their order.
static dlp_status sort_into_cells(dlp_solid *solid, dlp_error *error)
{
    dlp_solid_contact_grid *g = &solid->contact->grid;
    dlp_team *team = solid->params.team;
    const int32_t cells = 1 << 3 * g->cell_bits, count = solid->contact->layer.count;
    DLP_TRY(dlp_sorter_prepare(&g->sorter, g->sort_memory, count, error));
    dlp_parallel_for(team, count, DLP_CONTACT_GRAIN, key_range, solid);
    dlp_sorter_sort(&g->sorter, count, team);
    dlp_parallel_for(team, count, DLP_CONTACT_GRAIN, place_sorted, solid);
    for (int32_t c = (int32_t)g->sorter.keys[count - 1] + 1; c <= cells; c++) g->cell_begin[c] = count;
    dlp_parallel_for(team, count, DLP_CONTACT_GRAIN, candidate_range, solid);
    return DLP_OK;
}

// Pairs.

typedef struct candidate_search {
    const dlp_solid *solid;
    dlp_solid_contact *contact;
    dlp_solid_grid_scan_fn *run;
    float reach; /* m: at which two may touch at all */
} candidate_search;

// What two that were near one another at rest keep: on both sides of a cut they may be as near again.
static dlp_solid_pair classify_rest_pair(const dlp_solid_contact *t, dlp_solid_pair pair,
                                         const float offset[3], float rest)
{
    dlp_vec3 normal;
    const bool faces =
        pair.sideways > 0 && dlp_solid_facing_normal(&t->layer.rest_facing[pair.first],
                                                     &t->layer.rest_facing[pair.second], &normal);
    const dlp_vec3 offset_vector = dlp_vec((double)offset[0], (double)offset[1], (double)offset[2]);
    const float apart = faces ? (float)dlp_dot(offset_vector, normal) : 0;
    if (apart > LEAST_APART * pair.distance)
        pair.distance = apart < pair.distance ? apart : pair.distance;
    else {
        pair.distance = rest < pair.distance ? rest : pair.distance;
        pair.sideways = 0;
    }
    return pair;
}

// How near two come that may meet.
static dlp_solid_pair classify_pair(const candidate_search *s, const dlp_solid_grid_candidate *a,
                                    const dlp_solid_grid_candidate *b)
{
    const float offset[3] = {a->rest[0] - b->rest[0], a->rest[1] - b->rest[1], a->rest[2] - b->rest[2]};
    const float square = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    const float contact = a->reach + b->reach, near = (float)DLP_CONTACT_REACH * contact;
    const bool faces = !((a->kind | b->kind) & DLP_CONTACT_INNER);
    const dlp_solid_pair pair = {a->contact_layer, b->contact_layer, contact,
                                 faces ? (float)DLP_CONTACT_SIDEWAYS * contact : 0};
    return square > near * near ? pair : classify_rest_pair(s->contact, pair, offset, sqrtf(square));
}

static float apart_of(const candidate_search *s, const dlp_solid_grid_candidate *candidate)
{
    const bool may = s->solid->params.scene->substances[candidate->substance].solid.meets_itself;
    return may ? APART_AT_REST * 2 * candidate->reach : 1e15f;
}

// Whether two meet of which one has lost a link: of one body, those that a cut has parted.
static bool may_collide(const candidate_search *s, const dlp_solid_grid_candidate *a,
                        const dlp_solid_grid_candidate *b)
{
    const int32_t i = s->contact->layer.particle[a->contact_layer],
                  j = s->contact->layer.particle[b->contact_layer];
    if (s->solid->topology.fragment[i] != s->solid->topology.fragment[j]) return true;
    const float x = a->rest[0] - b->rest[0], y = a->rest[1] - b->rest[1], z = a->rest[2] - b->rest[2];
    const float apart = apart_of(s, a);
    if (x * x + y * y + z * z > apart * apart) return true;
    return s->solid->params.scene->substances[a->substance].solid.meets_itself &&
           dlp_solid_is_severed(s->solid, i, j);
}

// Pairs of a chunk are counted on where there is no more room for them.
static void add_pairs(const candidate_search *s, int32_t candidate, const int32_t *others, int32_t count,
                      int32_t chunk)
{
    const dlp_solid_grid_candidate *candidates = s->contact->grid.candidates, *own = &candidates[candidate];
    dlp_solid_contact_pairs *to = &s->contact->pairs;
    dlp_solid_pair *pairs = to->items + (int64_t)chunk * to->chunk_capacity;
    for (int32_t n = 0; n < count; n++) {
        const dlp_solid_grid_candidate *other = &candidates[others[n]];
        if (((own->kind | other->kind) & DLP_CONTACT_CUT) && !may_collide(s, own, other)) continue;
        const bool is_first = own->contact_layer < other->contact_layer;
        const dlp_solid_pair pair = classify_pair(s, is_first ? own : other, is_first ? other : own);
        assert(pair.first < pair.second);  // a pair is found once, and is no particle with itself
        if (pair.distance == 0) continue;
        atomic_store_explicit(&to->is_near[pair.first], 1, memory_order_relaxed);
        atomic_store_explicit(&to->is_near[pair.second], 1, memory_order_relaxed);
        const int32_t at = to->count[chunk]++;
        if (at < to->chunk_capacity) pairs[at] = pair;
    }
}

// The candidates around a cell, side by side.
typedef struct batch {
    const candidate_search *search;
    int32_t chunk, first, last; /* candidates of the cell that look for others: first .. last - 1 */
    int32_t cell_end;           /* beyond the cell's last candidate */
    int32_t count;
    int32_t candidate[BATCH];
    float x[BATCH + DLP_LANES], y[BATCH + DLP_LANES], z[BATCH + DLP_LANES], bound_radius[BATCH + DLP_LANES];
    float rest_x[BATCH + DLP_LANES], rest_y[BATCH + DLP_LANES], rest_z[BATCH + DLP_LANES];
    int32_t body[BATCH + DLP_LANES], kind[BATCH + DLP_LANES];
} batch;

static dlp_solid_grid_query query_of(const candidate_search *s, int32_t m)
{
    const dlp_solid_grid_places *p = &s->contact->grid.places;
    const dlp_solid_grid_candidate *candidate = &s->contact->grid.candidates[m];
    return (dlp_solid_grid_query){.x = p->x[m],
                                  .y = p->y[m],
                                  .z = p->z[m],
                                  .rest_x = p->rest_x[m],
                                  .rest_y = p->rest_y[m],
                                  .rest_z = p->rest_z[m],
                                  .reach = s->reach + p->bound_radius[m],
                                  .apart = apart_of(s, candidate),
                                  .body = p->body[m],
                                  .kind = p->kind[m]};
}

// A candidate looks only at those behind it in its own cell.
static int32_t first_seen(const batch *c, int32_t m)
{
    int32_t at = 0;
    while (at < c->count && c->candidate[at] <= m && c->candidate[at] >= c->first &&
           c->candidate[at] < c->cell_end)
        at++;
    return at;
}

static void search_batch(batch *c)
{
    const candidate_search *s = c->search;
    const dlp_solid_grid_places places = {c->x,      c->y,      c->z,    c->bound_radius, c->rest_x,
                                          c->rest_y, c->rest_z, c->body, c->kind};
    int32_t found[BATCH];
    for (int32_t m = c->first; m < c->last; m++) {
        const dlp_solid_grid_query query = query_of(s, m);
        const int32_t count = s->run(&places, &query, first_seen(c, m), c->count, found);
        for (int32_t n = 0; n < count; n++) found[n] = c->candidate[found[n]];
        add_pairs(s, m, found, count, c->chunk);
    }
    c->count = 0;
}

static void add_run(batch *c, int32_t begin, int32_t end)
{
    const dlp_solid_grid_places *p = &c->search->contact->grid.places;
    while (begin < end) {
        const int32_t at = c->count, capacity = BATCH - at,
                      some = end - begin < capacity ? end - begin : capacity;
        const size_t bytes = (size_t)some * sizeof(float);
        for (int32_t k = 0; k < some; k++) c->candidate[at + k] = begin + k;
        memcpy(c->x + at, p->x + begin, bytes);
        memcpy(c->y + at, p->y + begin, bytes);
        memcpy(c->z + at, p->z + begin, bytes);
        memcpy(c->bound_radius + at, p->bound_radius + begin, bytes);
        memcpy(c->rest_x + at, p->rest_x + begin, bytes);
        memcpy(c->rest_y + at, p->rest_y + begin, bytes);
        memcpy(c->rest_z + at, p->rest_z + begin, bytes);
        memcpy(c->body + at, p->body + begin, bytes);
        memcpy(c->kind + at, p->kind + begin, bytes);
        c->count += some;
        begin += some;
        if (c->count == BATCH) search_batch(c);
    }
}

// The candidates of three cells in a row along x: one run, or two where the grid begins anew.
static void add_row(batch *c, int32_t x, int32_t y, int32_t z)
{
    const dlp_solid_contact_grid *g = &c->search->contact->grid;
    const int32_t mask = (1 << g->cell_bits) - 1, low = (x - 1) & mask, high = (x + 1) & mask;
    const int32_t *begin = g->cell_begin + cell_at(g, 0, y, z);
    if (low < high) {
        add_run(c, begin[low], begin[high + 1]);
        return;
    }
    add_run(c, begin[low], begin[mask + 1]);
    add_run(c, begin[0], begin[high + 1]);
}

// Every pair once: in its own cell those behind it, then the cells ahead.
static void search_cell(batch *c, int32_t cell)
{
    const dlp_solid_contact_grid *g = &c->search->contact->grid;
    const int32_t mask = (1 << g->cell_bits) - 1;
    const int32_t x = cell & mask, y = cell >> g->cell_bits & mask, z = cell >> 2 * g->cell_bits;
    const int32_t next = cell_at(g, x + 1, y, z);
    c->cell_end = g->cell_begin[cell + 1];
    c->count = 0;
    add_run(c, c->first, c->cell_end);
    add_run(c, g->cell_begin[next], g->cell_begin[next + 1]);
    add_row(c, x, y + 1, z);
    for (int k = -1; k <= 1; k++) add_row(c, x, y + k, z + 1);
    search_batch(c);
}

static void search_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const candidate_search *s = context;
    const dlp_solid_contact_grid *g = &s->contact->grid;
    batch c = {.search = s, .chunk = begin / GRAIN};
    s->contact->pairs.count[c.chunk] = 0;
    for (c.first = begin; c.first < end; c.first = c.last) {
        const int32_t cell = g->cell_of[g->candidates[c.first].contact_layer],
                      cell_end = g->cell_begin[cell + 1];
        c.last = cell_end < end ? cell_end : end;
        search_cell(&c, cell);
    }
}

static int32_t chunk_count(const dlp_solid_contact *t)
{
    return (t->layer.count + GRAIN - 1) / GRAIN;
}

static dlp_status reserve_pairs(dlp_solid_contact *t, int32_t capacity, dlp_error *error)
{
    const int64_t all = (int64_t)capacity * chunk_count(t);
    if (all > INT32_MAX / 2) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: too many particles are near");
    DLP_TRY(dlp_solid_contact_reserve(t, DLP_CONTACT_PER_CHUNK, chunk_count(t) + 1, error));
    DLP_TRY(dlp_solid_contact_reserve(t, DLP_CONTACT_PER_PAIR, (int32_t)all, error));
    t->pairs.chunk_capacity = capacity;
    return DLP_OK;
}

static void find_most(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_solid_contact_pairs *pairs = context;
    int32_t *most = result;
    for (int32_t k = begin; k < end; k++) *most = *most > pairs->count[k] ? *most : pairs->count[k];
}

// Where a chunk had no room for its pairs, all chunks get more and the search is repeated.
static dlp_status search_all(candidate_search *s, dlp_error *error)
{
    dlp_solid_contact *t = s->contact;
    dlp_team *team = s->solid->params.team;
    const int32_t last = t->pairs.chunk_capacity;
    const dlp_reduction finding = {find_most, dlp_combine_max_int32, &t->pairs, sizeof last};
    DLP_TRY(reserve_pairs(t, last > CAPACITY_LEAST ? last : CAPACITY_LEAST, error));
    for (;;) {
        int32_t most = 0;
        dlp_parallel_for(team, t->layer.count, GRAIN, search_range, s);
        dlp_parallel_reduce(team, chunk_count(t), DLP_CONTACT_GRAIN, &finding, &most);
        assert((int64_t)chunk_count(t) * t->pairs.chunk_capacity <= t->capacity[DLP_CONTACT_PER_PAIR]);
        if (most <= t->pairs.chunk_capacity) return DLP_OK;
        DLP_TRY(reserve_pairs(t, most + most / 4, error));
    }
}

dlp_status dlp_solid_contact_find_pairs(dlp_solid *solid, dlp_box box, double most, dlp_error *error)
{
    dlp_solid_contact *t = solid->contact;
    t->grid.origin = dlp_mul(dlp_add(box.min, box.max), 0.5);
    const double rounding = 1e-6 * dlp_length(dlp_sub(box.max, box.min)),
                 reach = DLP_CONTACT_REACH * t->layer.widest + rounding;
    t->grid.cell = (reach + 2 * most) * (1 + 1e-6);
    DLP_TRY(reserve_cells(t, error));
    DLP_TRY(sort_into_cells(solid, error));
    candidate_search s = {solid, t, dlp_solid_grid_scan_plain, (float)reach};
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (solid->params.target == DLP_TARGET_AVX2) s.run = dlp_solid_grid_scan_avx2;
#endif
    DLP_TRY(search_all(&s, error));
    t->pairs.is_built = true;
    return DLP_OK;
}
