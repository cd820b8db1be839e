/* Parts of cloth that may meet, and which of them do. Two facets whose boxes overlap have corners and edges
 * of their own that may meet parts of the other; each pass looks for another kind of meeting. */
#include "motion/cloth/cloth_contact_self.h"

enum { GRAIN = 64 };

// Share of the gap at which a contact spring lets go: a little more than where it pushes, or contacts would
// come and go.
#define RELEASE_GAP 1.005

// The owned parts of two facets: bits 0..2 are a corner of the first and the second facet, 3..5 the other way
// round, 6..14 an edge of each.
enum { CANDIDATE_COUNT = 15 };

static void get_edge(const dlp_facet *facet, int k, int32_t out_end[2])
{
    out_end[0] = facet->corner[k];
    out_end[1] = facet->corner[2] < 0 ? facet->corner[1] : facet->corner[(k + 1) % 3];
}

static bool set_vertex_face(const dlp_facet *a, int corner, const dlp_facet *b,
                            dlp_cloth_contact_candidate *m)
{
    if (!(a->owned_corners & 1 << corner) || b->corner[2] < 0) return false;
    m->kind = DLP_CLOTH_VERTEX_FACE;
    m->particle[0] = a->corner[corner];
    for (int c = 0; c < 3; c++) m->particle[c + 1] = b->corner[c];
    return m->particle[0] != b->corner[0] && m->particle[0] != b->corner[1] && m->particle[0] != b->corner[2];
}

static bool set_edge_edge(const dlp_facet *a, int j, const dlp_facet *b, int k,
                          dlp_cloth_contact_candidate *m)
{
    if (!(a->owned_edges & 1 << j) || !(b->owned_edges & 1 << k)) return false;
    m->kind = DLP_CLOTH_EDGE_EDGE;
    get_edge(a, j, m->particle);
    get_edge(b, k, m->particle + 2);
    return m->particle[0] != m->particle[2] && m->particle[0] != m->particle[3] &&
           m->particle[1] != m->particle[2] && m->particle[1] != m->particle[3];
}

// False: not owned, or they share a particle.
static bool get_candidate(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                          const dlp_cloth_contact_pair *pair, int bit,
                          dlp_cloth_contact_candidate *out_candidate)
{
    const dlp_facet *facets = contact->scratch.facets.items;
    const dlp_facet *a = &facets[pair->facet[0]], *b = &facets[pair->facet[1]];
    out_candidate->gap = dlp_cloth_contact_gap(contact, parts, a->substance, b->substance);
    out_candidate->friction =
        0.5 * (parts->fabrics[a->substance].friction + parts->fabrics[b->substance].friction);
    if (bit < 3) return set_vertex_face(a, bit, b, out_candidate);
    if (bit < 6) return set_vertex_face(b, bit - 3, a, out_candidate);
    return set_edge_edge(a, (bit - 6) / 3, b, (bit - 6) % 3, out_candidate);
}

// What is known of a candidate.

void dlp_cloth_candidate_places(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                                dlp_vec3 from[4], dlp_vec3 to[4])
{
    for (int k = 0; k < 4; k++) {
        assert(m->particle[k] >= 0 && m->particle[k] < parts->particles->count);
        from[k] = dlp_get3(parts->start, m->particle[k]);
        to[k] = dlp_get3(parts->particles->position, m->particle[k]);
    }
}

dlp_vec3 dlp_cloth_candidate_step_velocity(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                                           const double weight[4])
{
    dlp_vec3 from[4], to[4], u = {0, 0, 0};
    dlp_cloth_candidate_places(parts, m, from, to);
    for (int k = 0; k < 4; k++) u = dlp_along(u, dlp_sub(to[k], from[k]), weight[k] / parts->step);
    return u;
}

dlp_vec3 dlp_cloth_candidate_velocity(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                                      const double weight[4])
{
    dlp_vec3 u = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        u = dlp_along(u, dlp_get3(parts->particles->velocity, m->particle[k]), weight[k]);
    return u;
}

double dlp_cloth_candidate_mobility(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                                    const double weight[4])
{
    double mobility = 0;
    for (int k = 0; k < 4; k++) mobility += weight[k] * weight[k] / parts->particles->mass[m->particle[k]];
    return mobility;
}

bool dlp_cloth_candidate_is_movable(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                                    const double weight[4])
{
    double pinned = 0;
    for (int k = 0; k < 4; k++)
        if (parts->is_pinned[m->particle[k]])
            pinned += weight[k] * weight[k] / parts->particles->mass[m->particle[k]];
    return pinned < 0.99 * dlp_cloth_candidate_mobility(parts, m, weight);
}

bool dlp_cloth_candidate_has_springs(const dlp_cloth_contact *contact, const dlp_cloth_contact_candidate *m)
{
    for (int k = 0; k < 4; k++)
        if (!contact->scratch.springs.has_spring[m->particle[k]]) return false;
    return true;
}

// What meets.

static bool all_rest(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                     const dlp_cloth_contact_candidate *m)
{
    for (int k = 0; k < 4; k++) {
        const int32_t i = m->particle[k];
        if (dlp_cloth_contact_moved(parts, i) ||
            (contact->state.had_contact[i] && !contact->state.at_rest[i]))
            return false;
    }
    return true;
}

static bool is_touching(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                        const dlp_cloth_contact_candidate *m)
{
    if (all_rest(contact, parts, m)) return false;
    dlp_vec3 from[4], to[4];
    dlp_cloth_candidate_places(parts, m, from, to);
    const double distance = dlp_cloth_closest_points(m->kind, from).distance;
    return distance < 1.05 * m->gap && distance > DLP_CLOTH_ZERO_GAP * m->gap;
}

// Whether they end nearer than a share of the gap. It is foreseen by what the two approach in this step, but
// not across a cell.
static bool comes_near(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                       const dlp_cloth_contact_candidate *m, double share)
{
    if (all_rest(contact, parts, m)) return false;
    dlp_vec3 from[4], to[4];
    dlp_cloth_candidate_places(parts, m, from, to);
    const dlp_cloth_closest closest = dlp_cloth_closest_points(m->kind, from);
    if (closest.distance > m->gap + 0.25 * contact->params.mean_edge ||
        !(closest.distance > DLP_CLOTH_ZERO_GAP * m->gap))
        return false;
    const double apart = dlp_dot(dlp_cloth_candidate_step_velocity(parts, m, closest.weight), closest.apart) /
                         closest.distance;
    return closest.distance + parts->step * apart < share * m->gap;
}

bool dlp_cloth_candidate_would_pass(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                                    dlp_cloth_closest *out_closest)
{
    dlp_vec3 from[4], to[4], x[4];
    dlp_cloth_candidate_places(parts, m, from, to);
    const double share = dlp_cloth_time_of_impact(m->kind, from, to, DLP_CLOTH_IMPACT_GAP * m->gap);
    if (share >= 1) return false;
    for (int k = 0; k < 4; k++) x[k] = dlp_along(from[k], dlp_sub(to[k], from[k]), share);
    *out_closest = dlp_cloth_closest_points(m->kind, x);
    return out_closest->distance > 0;
}

static bool any_moved(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m)
{
    for (int k = 0; k < 4; k++)
        if (dlp_cloth_contact_moved(parts, m->particle[k])) return true;
    return false;
}

// The passes.

typedef struct facet_search {
    dlp_cloth_contact *contact;
    const dlp_cloth_parts *parts;
    dlp_cloth_pass_kind kind;
} facet_search;

static bool meets(const facet_search *s, const dlp_cloth_contact_candidate *m)
{
    dlp_cloth_closest closest;
    switch (s->kind) {
    case DLP_CLOTH_PASS_TOUCHING:
        return is_touching(s->contact, s->parts, m);
    case DLP_CLOTH_PASS_PREDICTED:
        return comes_near(s->contact, s->parts, m,
                          dlp_cloth_candidate_has_springs(s->contact, m) ? RELEASE_GAP : 1);
    case DLP_CLOTH_PASS_NEAR:
        return comes_near(s->contact, s->parts, m, DLP_CLOTH_NEAR_GAP);
    default:
        return any_moved(s->parts, m) && dlp_cloth_candidate_would_pass(s->parts, m, &closest);
    }
}

static void find_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const facet_search *s = context;
    dlp_cloth_contact_candidate m;
    for (int32_t k = begin; k < end; k++) {
        dlp_cloth_contact_pair *pair = &s->contact->scratch.pairs.pairs[k];
        pair->hit = 0;
        for (int bit = 0; bit < CANDIDATE_COUNT; bit++) {
            if (!get_candidate(s->contact, s->parts, pair, bit, &m)) continue;
            if (meets(s, &m)) pair->hit |= (uint16_t)(1 << bit);
        }
    }
}

static int32_t select_hits(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const dlp_cloth_contact_pair *pairs = context;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (pairs[k].hit == 0) continue;
        if (out != NULL) out[count] = k;
        count++;
    }
    return count;
}

dlp_status dlp_cloth_contact_do_pass(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                     const dlp_cloth_contact_pass *pass, bool *out_any, dlp_error *error)
{
    dlp_cloth_pairs *pairs = &contact->scratch.pairs;
    facet_search s = {contact, parts, pass->kind};
    dlp_cloth_contact_candidate m;
    if (pairs->is_stale) DLP_TRY(dlp_cloth_contact_find_pairs(contact, parts, error));
    dlp_parallel_for(parts->team, pairs->count, GRAIN, find_range, &s);
    const int32_t hit_count =
        dlp_parallel_compact(parts->team, pairs->count, GRAIN, select_hits, pairs->pairs, pairs->hits);
    for (int32_t k = 0; k < hit_count; k++) {
        const dlp_cloth_contact_pair *pair = &pairs->pairs[pairs->hits[k]];
        for (int bit = 0; bit < CANDIDATE_COUNT; bit++) {
            if (!(pair->hit >> bit & 1) || !get_candidate(contact, parts, pair, bit, &m)) continue;
            DLP_TRY(pass->answer(contact, parts, &m, error));
        }
    }
    *out_any = hit_count > 0;
    return DLP_OK;
}

bool dlp_cloth_contact_has_self(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    if (contact->scratch.facets.count == 0) return false;
    int32_t cloth_count = 0;
    for (int32_t k = 0; k < parts->scene->substance_count; k++) {
        const bool is_cloth = parts->scene->substances[k].model == DLP_MODEL_CLOTH;
        cloth_count += is_cloth;
        if (is_cloth && parts->fabrics[k].meets_itself) return true;
    }
    return cloth_count > 1;
}
