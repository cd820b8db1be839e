/* Cutting and breaking: links that a blade sweeps, or that are stretched too far, are gone. Each of the two
 * particles then takes the nearest of its neighbours' neighbours in place of the one it lost, so that its
 * gradient still sees all directions; where there is none left, it has one direction less. */
#include "motion/solid/solid_sweep.h"
#include "motion/solid/solid_contact.h"
#include "motion/solid/solid_invariants.h"

enum { GRAIN = 256 };

// Blades.

static void place_blade(const dlp_blade_def *def, double time, dlp_vec3 *out_from, dlp_vec3 *out_to)
{
    const dlp_placement still = {def->position, def->rotation};
    const dlp_placement at = dlp_placement_at(still, def->position_track, def->rotation_track, time);
    const dlp_transform transform = dlp_placement_transform(at, def->pivot);
    *out_from = dlp_to_world(&transform, def->from);
    *out_to = dlp_to_world(&transform, def->to);
}

// A blade that would meet particles exactly passes beside them, all on the same side.
static dlp_swept_blade sweep_blade(const dlp_blade_def *def, double before, double after)
{
    const double little = 1e-8 * dlp_length(dlp_sub(def->to, def->from));
    const dlp_vec3 aside = dlp_mul(dlp_vec(0.577, 0.211, 0.789), little);
    dlp_swept_blade s;
    place_blade(def, before, &s.edge.before[0], &s.edge.before[1]);
    place_blade(def, after, &s.edge.after[0], &s.edge.after[1]);
    for (int k = 0; k < 2; k++) {
        s.edge.before[k] = dlp_add(s.edge.before[k], aside);
        s.edge.after[k] = dlp_add(s.edge.after[k], aside);
    }
    s.box.min =
        dlp_min3(dlp_min3(s.edge.before[0], s.edge.before[1]), dlp_min3(s.edge.after[0], s.edge.after[1]));
    s.box.max =
        dlp_max3(dlp_max3(s.edge.before[0], s.edge.before[1]), dlp_max3(s.edge.after[0], s.edge.after[1]));
    return s;
}

static bool is_near(const dlp_swept_blade *s, dlp_vec3 x, double margin)
{
    return x.x > s->box.min.x - margin && x.x < s->box.max.x + margin && x.y > s->box.min.y - margin &&
           x.y < s->box.max.y + margin && x.z > s->box.min.z - margin && x.z < s->box.max.z + margin;
}

// Links.

// The particle's slot of a neighbour; -1 for none.
static int32_t slot_of(const dlp_solid *solid, int32_t i, int32_t neighbour)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++)
        if (links.neighbour[n] == neighbour) return n;
    return -1;
}

// Both ends lose the link, and are at the surface from now on.
static void cut_link(dlp_solid *solid, int32_t i, int32_t slot)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    assert(slot >= links.begin[i] && slot < links.begin[i + 1] && links.neighbour[slot] >= 0);
    const int32_t j = links.neighbour[slot], other = slot_of(solid, j, i);
    links.neighbour[slot] = -1;
    if (other >= 0) links.neighbour[other] = -1;
    solid->scratch.is_cut[i] = solid->scratch.is_cut[j] = 1;
}

static double rest_distance(const dlp_solid *solid, int32_t i, int32_t j)
{
    return dlp_length(
        dlp_sub(dlp_solid_get(solid->state.particles.x0, i), dlp_solid_get(solid->state.particles.x0, j)));
}

// Whether k is on i's side of every link that i has lost: nearer to i than to the lost one, and not tied to
// it. A path around the end of a cut may lead to those on the other side.
static bool is_on_its_side(const dlp_solid *solid, int32_t i, int32_t k)
{
    const dlp_rest_links rest = dlp_solid_links(solid);
    const dlp_vec3 x = dlp_solid_get(solid->state.particles.x0, i);
    const dlp_vec3 offset = dlp_sub(dlp_solid_get(solid->state.particles.x0, k), x);
    for (int32_t n = rest.begin[i]; n < rest.begin[i + 1]; n++) {
        if (rest.neighbour[n] == rest.first[n]) continue;
        const dlp_vec3 lost = dlp_sub(dlp_solid_get(solid->state.particles.x0, rest.first[n]), x);
        if (dlp_dot(offset, lost) > 0.5 * dlp_dot(lost, lost)) return false;
        if (slot_of(solid, k, rest.first[n]) >= 0) return false;
    }
    return true;
}

bool dlp_solid_is_severed(const dlp_solid *solid, int32_t i, int32_t j)
{
    if (slot_of(solid, i, j) >= 0 || slot_of(solid, j, i) >= 0) return false;
    return !is_on_its_side(solid, i, j) || !is_on_its_side(solid, j, i);
}

// The nearest at rest of its neighbours' neighbours that it has no link with, within reach; -1 for none.
static int32_t find_substitute(const dlp_solid *solid, int32_t i)
{
    const dlp_rest_links rest = dlp_solid_links(solid);
    double nearest = solid->params.materials[solid->state.particles.substance[i]].link_reach;
    int32_t found = -1;
    for (int32_t n = rest.begin[i]; n < rest.begin[i + 1]; n++) {
        const int32_t j = rest.neighbour[n];
        if (j < 0) continue;
        for (int32_t m = rest.begin[j]; m < rest.begin[j + 1]; m++) {
            const int32_t k = rest.neighbour[m];
            if (k < 0 || k == i || slot_of(solid, i, k) >= 0) continue;
            const double distance = rest_distance(solid, i, k);
            if (!(distance < nearest || (distance == nearest && k < found))) continue;
            if (!is_on_its_side(solid, i, k)) continue;
            nearest = distance;
            found = k;
        }
    }
    return found;
}

static void substitute(dlp_solid *solid, int32_t i)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
        if (links.neighbour[n] >= 0) continue;
        const int32_t found = find_substitute(solid, i);
        if (found < 0) return;
        links.neighbour[n] = found;
    }
}

// A sub-step's cuts.

// The link between two particles as it moves in this sub-step.
static dlp_moving_segment link_between(const dlp_solid *solid, int32_t i, int32_t j)
{
    const double *then = dlp_solid_begun(solid)->position, *now = solid->state.particles.position;
    return (dlp_moving_segment){{dlp_solid_get(then, i), dlp_solid_get(then, j)},
                                {dlp_solid_get(now, i), dlp_solid_get(now, j)}};
}

// What cuts in this sub-step.
typedef struct cut_pass {
    const dlp_solid *solid;
    int32_t blade_count; /* of scratch.blades */
    bool is_brittle;     /* a substance breaks */
} cut_pass;

// Where blades are in this sub-step; returns how many of them cut.
static int32_t sweep_blades(dlp_solid *solid, double before, double after)
{
    const dlp_scene_def *scene = solid->params.scene;
    int32_t count = 0;
    for (int32_t k = 0; k < scene->blade_count; k++) {
        if (!(after > scene->blades[k].start && before < scene->blades[k].stop)) continue;
        solid->scratch.blades[count++] = sweep_blade(&scene->blades[k], before, after);
    }
    return count;
}

static bool is_brittle(const dlp_scene_def *scene)
{
    for (int32_t k = 0; k < scene->substance_count; k++)
        if (scene->substances[k].solid.fracture > 0) return true;
    return false;
}

static bool is_swept(const cut_pass *pass, int32_t i, int32_t j)
{
    const dlp_solid *solid = pass->solid;
    const dlp_solid_particles *p = &solid->state.particles;
    const double margin = 2 * solid->params.materials[p->substance[i]].link_reach;
    for (int32_t k = 0; k < pass->blade_count; k++) {
        const dlp_swept_blade *blade = &solid->scratch.blades[k];
        if (!is_near(blade, dlp_solid_get(p->position, i), margin)) continue;
        const dlp_moving_segment link = link_between(solid, i, j);
        if (dlp_segments_meet(&blade->edge, &link)) return true;
    }
    return false;
}

static bool is_overstretched(const dlp_solid *solid, int32_t i, int32_t j)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const double limit = 1 + solid->params.scene->substances[p->substance[i]].solid.fracture;
    if (limit == 1) return false;
    const dlp_vec3 offset = dlp_sub(dlp_solid_get(p->position, j), dlp_solid_get(p->position, i));
    const double rest = rest_distance(solid, i, j);
    return dlp_dot(offset, offset) > limit * limit * rest * rest;
}

// As its owner sees the link: what is cut for one of its ends is cut for both.
static bool is_link_cut(const cut_pass *pass, int32_t i, int32_t slot)
{
    const int32_t j = pass->solid->state.neighbour[slot];
    return j >= 0 && (is_swept(pass, i, j) || (pass->is_brittle && is_overstretched(pass->solid, i, j)));
}

static int32_t select_cutting(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const cut_pass *pass = context;
    const int32_t *link_begin = pass->solid->topology.link_begin;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        int32_t n = link_begin[i];
        while (n < link_begin[i + 1] && !is_link_cut(pass, i, n)) n++;
        if (n == link_begin[i + 1]) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

static int32_t select_cut(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const uint8_t *is_cut = context;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (!is_cut[i]) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

// Cuts the links that are swept or stretched too far; returns how many particles lost one: scratch.cut.
static int32_t cut_links(dlp_solid *solid, cut_pass *pass)
{
    dlp_solid_scratch *scratch = &solid->scratch;
    const int32_t count = solid->state.particles.count, *link_begin = solid->topology.link_begin;
    dlp_team *team = solid->params.team;
    const int32_t cutting = dlp_parallel_compact(team, count, GRAIN, select_cutting, pass, scratch->cutting);
    if (cutting == 0) return 0;
    for (int32_t k = 0; k < cutting; k++) {
        const int32_t i = scratch->cutting[k];
        for (int32_t n = link_begin[i]; n < link_begin[i + 1]; n++)
            if (is_link_cut(pass, i, n)) cut_link(solid, i, n);
    }
    return dlp_parallel_compact(team, count, GRAIN, select_cut, scratch->is_cut, scratch->cut);
}

// What the cut laid open is the first layer, what is next to it the second.
static void expose(dlp_solid *solid, int32_t i)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    int32_t *layer = solid->state.particles.layer;
    layer[i] = 0;
    for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
        const int32_t j = links.neighbour[n];
        if (j >= 0 && layer[j] > 1) layer[j] = 1;
    }
}

dlp_status dlp_solid_cut(dlp_solid *solid, double before, double after, dlp_error *error)
{
    if (!solid->params.may_break) return DLP_OK;
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_BLADE, solid->params.scene->blade_count, error));
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_BREAKABLE, solid->state.particles.count, error));
    const int32_t *cut = solid->scratch.cut;
    cut_pass pass = {solid, sweep_blades(solid, before, after), is_brittle(solid->params.scene)};
    if (pass.blade_count == 0 && !pass.is_brittle) return DLP_OK;
    const int32_t count = cut_links(solid, &pass);
    if (count == 0) return DLP_OK;
    // one after the other: what takes a lost one's place depends on who has found a new neighbour before
    for (int32_t k = 0; k < count; k++) substitute(solid, cut[k]);
    for (int32_t k = 0; k < count; k++) expose(solid, cut[k]);
    assert(dlp_solid_are_links_valid(solid));
    dlp_solid_refill_rows(solid);
    for (int32_t k = 0; k < count; k++) solid->scratch.is_cut[cut[k]] = 0;
    DLP_TRY(dlp_solid_find_fragments(solid, error));
    return dlp_solid_contact_rebuild(solid, error);
}
