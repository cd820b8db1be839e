/* What hangs together: at rest a body, now a fragment. All threads look for it at once; that the first
 * particle of a fragment speaks for it, and numbers go by first particles, makes the result independent of
 * how. */
#include "motion/solid/solid_invariants.h"

#include <stdatomic.h>

enum { SEGMENT_LIMIT = 1024, GRAIN = 1024 };

// Every particle points to one of its fragment that is not behind it; the first points to itself.
typedef _Atomic int32_t parent_of;

typedef struct fragment_search {
    const dlp_solid *solid;
    parent_of *parent; /* of each particle */
    int32_t *roots;    /* the fragments' first particles, ascending */
    int32_t *fragment; /* out, of each particle */
} fragment_search;

static dlp_status begin_search(fragment_search *s, dlp_error *error)
{
    const size_t count = (size_t)s->solid->state.particles.count + 1;
    s->parent = dlp_alloc(count, sizeof *s->parent, "solids");
    s->roots = dlp_alloc(count, sizeof *s->roots, "solids");
    if (s->parent == NULL || s->roots == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    return DLP_OK;
}

static void end_search(fragment_search *s)
{
    dlp_free(s->parent);
    dlp_free(s->roots);
}

static int32_t parent(const fragment_search *s, int32_t i)
{
    return atomic_load_explicit(&s->parent[i], memory_order_relaxed);
}

// Shortens the path on its way; where another thread has done so, nothing is lost.
static int32_t root_of(const fragment_search *s, int32_t i)
{
    for (int32_t up; (up = parent(s, i)) != i; i = up) {
        const int32_t farther = parent(s, up);
        if (farther != up)
            atomic_compare_exchange_weak_explicit(&s->parent[i], &up, farther, memory_order_relaxed,
                                                  memory_order_relaxed);
    }
    return i;
}

// The root behind takes the other one's for its own. Whoever comes first, the first particle remains.
static void unite(const fragment_search *s, int32_t i, int32_t j)
{
    for (;;) {
        const int32_t a = root_of(s, i), b = root_of(s, j), first = a < b ? a : b;
        int32_t last = a < b ? b : a;
        if (first == last) return;
        if (atomic_compare_exchange_strong_explicit(&s->parent[last], &last, first, memory_order_relaxed,
                                                    memory_order_relaxed))
            return;
    }
}

static void start_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const fragment_search *s = context;
    for (int32_t i = begin; i < end; i++) atomic_store_explicit(&s->parent[i], i, memory_order_relaxed);
}

static void unite_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const fragment_search *s = context;
    const dlp_rest_links links = dlp_solid_links(s->solid);
    for (int32_t i = begin; i < end; i++)
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++)
            if (links.neighbour[n] >= 0) unite(s, i, links.neighbour[n]);
}

static int32_t select_roots(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const fragment_search *s = context;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (parent(s, i) != i) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

static void number_roots(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const fragment_search *s = context;
    for (int32_t k = begin; k < end; k++) s->fragment[s->roots[k]] = k;
}

static void number_others(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const fragment_search *s = context;
    for (int32_t i = begin; i < end; i++) {
        const int32_t root = root_of(s, i);
        if (root != i) s->fragment[i] = s->fragment[root];
    }
}

// Numbers what hangs together, in the order of the first particles; returns how many there are.
static int32_t number_fragments(fragment_search *s)
{
    dlp_team *team = s->solid->params.team;
    const int32_t count = s->solid->state.particles.count;
    dlp_parallel_for(team, count, GRAIN, start_range, s);
    dlp_parallel_for(team, count, GRAIN, unite_range, s);
    const int32_t fragments = dlp_parallel_compact(team, count, GRAIN, select_roots, s, s->roots);
    dlp_parallel_for(team, fragments, GRAIN, number_roots, s);
    dlp_parallel_for(team, count, GRAIN, number_others, s);
    return fragments;
}

dlp_status dlp_solid_find_bodies(dlp_solid *solid, dlp_error *error)
{
    fragment_search s = {.solid = solid, .fragment = solid->state.particles.body};
    const dlp_status status = begin_search(&s, error);
    if (status == DLP_OK) solid->topology.body_count = number_fragments(&s);
    end_search(&s);
    assert(status != DLP_OK || dlp_solid_are_links_valid(solid));
    return status;
}

static int32_t select_run_starts(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const int32_t *fragment = context;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (i > 0 && fragment[i] == fragment[i - 1]) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

// Runs of one fragment, so short that threads share them and sums do not depend on how.
static dlp_status find_segments(dlp_solid *solid, int32_t *starts, dlp_error *error)
{
    const int32_t count = solid->state.particles.count;
    int32_t *fragment = solid->topology.fragment, found = 0;
    const int32_t runs =
        dlp_parallel_compact(solid->params.team, count, GRAIN, select_run_starts, fragment, starts);
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_SEGMENT, runs + count / SEGMENT_LIMIT + 1, error));
    for (int32_t k = 0; k < runs; k++) {
        const int32_t end = k + 1 < runs ? starts[k + 1] : count;
        for (int32_t begin = starts[k]; begin < end; begin += SEGMENT_LIMIT)
            solid->topology.segments[found++] = (dlp_solid_segment){
                fragment[begin], begin, end - begin < SEGMENT_LIMIT ? end : begin + SEGMENT_LIMIT};
    }
    assert(found <= solid->capacity[DLP_PER_SEGMENT]);
    solid->topology.segment_count = found;
    return dlp_solid_reserve(solid, DLP_PER_FRAGMENT, solid->topology.fragment_count + 1, error);
}

dlp_status dlp_solid_find_fragments(dlp_solid *solid, dlp_error *error)
{
    fragment_search s = {.solid = solid, .fragment = solid->topology.fragment};
    int32_t *starts = dlp_alloc((size_t)solid->state.particles.count + 1, sizeof *starts, "solids");
    dlp_status status = begin_search(&s, error);
    if (starts == NULL) status = dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    if (status == DLP_OK) {
        solid->topology.fragment_count = number_fragments(&s);
        status = find_segments(solid, starts, error);
    }
    assert(status != DLP_OK || dlp_solid_are_fragments_valid(solid));
    dlp_free(starts);
    end_search(&s);
    return status;
}

static bool has_fragments(const dlp_solid *solid, const int32_t *fragments)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++)
            if ((links.neighbour[n] < 0) != (fragments[i] != fragments[links.first[n]])) return false;
    return true;
}

dlp_status dlp_solid_set_fragments(dlp_solid *solid, const int32_t *fragments, dlp_error *error)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    if (has_fragments(solid, fragments)) return DLP_OK;
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++)
            links.neighbour[n] = fragments[i] == fragments[links.first[n]] ? links.first[n] : -1;
    solid->scratch.has_strains = false;
    DLP_TRY(dlp_solid_find_fragments(solid, error));
    return dlp_solid_color_constraints(solid, error);
}
