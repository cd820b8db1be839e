/* Cutting and breaking: links that a blade sweeps, or that are stretched too far, are gone. Each of the two
 * particles then takes the nearest of its neighbours' neighbours in place of the one it lost, so that its
 * gradient still sees all directions; where there is none left, it has one direction less. */
#include "motion/solid/solve.h"
#include "motion/solid/touch.h"

#include <string.h>

// ---- blades
// -------------------------------------------------------------------------------------------------

// What a blade sweeps in a sub-step: two triangles, and a box around them.
typedef struct swept {
    dlp_vec3 corner[4]; /* from and to, before; to and from, after */
    dlp_box box;
} swept;

static dlp_vec3 value_at(const dlp_track *track, dlp_vec3 still, double time)
{
    if (track == NULL) return still;
    double value[3];
    dlp_track_value(track, time, value);
    return dlp_vec(value[0], value[1], value[2]);
}

static void place_blade(const dlp_blade_def *def, double time, dlp_vec3 *out_from, dlp_vec3 *out_to)
{
    dlp_frame frame = dlp_frame_of(dlp_vec(0, 0, 0), value_at(def->rotation_track, def->rotation, time));
    frame.translation = dlp_add(value_at(def->position_track, def->position, time),
                                dlp_sub(def->pivot, dlp_rotate(&frame, def->pivot)));
    *out_from = dlp_to_world(&frame, def->from);
    *out_to = dlp_to_world(&frame, def->to);
}

static swept sweep_blade(const dlp_blade_def *def, double before, double after)
{
    swept s;
    place_blade(def, before, &s.corner[0], &s.corner[1]);
    place_blade(def, after, &s.corner[3], &s.corner[2]);
    s.box = (dlp_box){s.corner[0], s.corner[0]};
    for (int k = 1; k < 4; k++) {
        s.box.min = dlp_min3(s.box.min, s.corner[k]);
        s.box.max = dlp_max3(s.box.max, s.corner[k]);
    }
    return s;
}

// Six times the volume of the tetrahedron.
static double volume_of(dlp_vec3 a, dlp_vec3 b, dlp_vec3 c, dlp_vec3 d)
{
    return dlp_dot(dlp_sub(b, a), dlp_cross(dlp_sub(c, a), dlp_sub(d, a)));
}

// Whether the segment p q passes through the triangle; its edges belong to it.
static bool passes(dlp_vec3 p, dlp_vec3 q, dlp_vec3 a, dlp_vec3 b, dlp_vec3 c)
{
    const double from = volume_of(p, a, b, c), to = volume_of(q, a, b, c);
    if ((from > 0 && to > 0) || (from < 0 && to < 0) || (from == 0 && to == 0)) return false;
    const double x = volume_of(p, q, a, b), y = volume_of(p, q, b, c), z = volume_of(p, q, c, a);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

static bool is_swept(const swept *s, dlp_vec3 p, dlp_vec3 q)
{
    return passes(p, q, s->corner[0], s->corner[1], s->corner[2]) ||
           passes(p, q, s->corner[0], s->corner[2], s->corner[3]);
}

static bool is_near(const swept *s, dlp_vec3 x, double margin)
{
    return x.x > s->box.min.x - margin && x.x < s->box.max.x + margin && x.y > s->box.min.y - margin &&
           x.y < s->box.max.y + margin && x.z > s->box.min.z - margin && x.z < s->box.max.z + margin;
}

// ---- links
// --------------------------------------------------------------------------------------------------

// The particle's slot of a neighbour; -1 for none.
static int32_t slot_of(const dlp_solid *solid, int32_t i, int32_t neighbour)
{
    for (int32_t n = solid->rest.begin[i]; n < solid->rest.begin[i + 1]; n++)
        if (solid->rest.neighbour[n] == neighbour) return n;
    return -1;
}

// Both ends lose the link, and are at the surface from now on.
static void cut_link(dlp_solid *solid, int32_t i, int32_t slot)
{
    const int32_t j = solid->rest.neighbour[slot], other = slot_of(solid, j, i);
    solid->rest.neighbour[slot] = -1;
    if (other >= 0) solid->rest.neighbour[other] = -1;
    solid->is_touched[i] = solid->is_touched[j] = 1;
}

static double rest_distance(const dlp_solid *solid, int32_t i, int32_t j)
{
    return dlp_length(
        dlp_sub(dlp_solid_get(solid->particles.rest, i), dlp_solid_get(solid->particles.rest, j)));
}

// Whether k is on i's side of every link that i has lost: nearer to i than to the lost one. A way around the
// end of a cut may lead to those on the other side.
static bool is_on_its_side(const dlp_solid *solid, int32_t i, int32_t k)
{
    const dlp_rest_links *rest = &solid->rest;
    const dlp_vec3 x = dlp_solid_get(solid->particles.rest, i);
    const dlp_vec3 way = dlp_sub(dlp_solid_get(solid->particles.rest, k), x);
    for (int32_t n = rest->begin[i]; n < rest->begin[i + 1]; n++) {
        if (rest->neighbour[n] == rest->first[n]) continue;
        const dlp_vec3 lost = dlp_sub(dlp_solid_get(solid->particles.rest, rest->first[n]), x);
        if (dlp_dot(way, lost) > 0.5 * dlp_dot(lost, lost)) return false;
    }
    return true;
}

bool dlp_solid_is_parted(const dlp_solid *solid, int32_t i, int32_t j)
{
    if (slot_of(solid, i, j) >= 0 || slot_of(solid, j, i) >= 0) return false;
    return !is_on_its_side(solid, i, j) || !is_on_its_side(solid, j, i);
}

// The nearest at rest of its neighbours' neighbours that it has no link with, within reach; -1 for none.
static int32_t find_substitute(const dlp_solid *solid, int32_t i)
{
    const dlp_rest_links *rest = &solid->rest;
    double nearest = solid->flesh[solid->particles.substance[i]].link_reach;
    int32_t found = -1;
    for (int32_t n = rest->begin[i]; n < rest->begin[i + 1]; n++) {
        const int32_t j = rest->neighbour[n];
        if (j < 0) continue;
        for (int32_t m = rest->begin[j]; m < rest->begin[j + 1]; m++) {
            const int32_t k = rest->neighbour[m];
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
    for (int32_t n = solid->rest.begin[i]; n < solid->rest.begin[i + 1]; n++) {
        if (solid->rest.neighbour[n] >= 0) continue;
        const int32_t found = find_substitute(solid, i);
        if (found < 0) return;
        solid->rest.neighbour[n] = found;
    }
}

// ---- a sub-step's cuts
// ---------------------------------------------------------------------------------------

static void cut_by(dlp_solid *solid, const swept *s)
{
    const dlp_solid_particles *p = &solid->particles;
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_vec3 x = dlp_solid_get(p->position, i);
        if (!is_near(s, x, 2 * solid->flesh[p->substance[i]].link_reach)) continue;
        for (int32_t n = solid->rest.begin[i]; n < solid->rest.begin[i + 1]; n++) {
            const int32_t j = solid->rest.neighbour[n];
            if (j >= 0 && is_swept(s, x, dlp_solid_get(p->position, j))) cut_link(solid, i, n);
        }
    }
}

static void break_stretched(dlp_solid *solid)
{
    const dlp_solid_particles *p = &solid->particles;
    for (int32_t i = 0; i < p->count; i++) {
        const double limit = 1 + solid->scene->substances[p->substance[i]].solid.fracture;
        if (limit == 1) continue;
        for (int32_t n = solid->rest.begin[i]; n < solid->rest.begin[i + 1]; n++) {
            const int32_t j = solid->rest.neighbour[n];
            if (j < 0) continue;
            const dlp_vec3 way = dlp_sub(dlp_solid_get(p->position, j), dlp_solid_get(p->position, i));
            const double rest = rest_distance(solid, i, j);
            if (dlp_dot(way, way) > limit * limit * rest * rest) cut_link(solid, i, n);
        }
    }
}

// What the cut laid open is the first layer, what is next to it the second.
static void expose(dlp_solid *solid)
{
    dlp_solid_particles *p = &solid->particles;
    for (int32_t i = 0; i < p->count; i++) {
        if (!solid->is_touched[i]) continue;
        p->layer[i] = 0;
        for (int32_t n = solid->rest.begin[i]; n < solid->rest.begin[i + 1]; n++) {
            const int32_t j = solid->rest.neighbour[n];
            if (j >= 0 && p->layer[j] > 1) p->layer[j] = 1;
        }
    }
}

static void cut_by_blades(dlp_solid *solid, double before, double after)
{
    const dlp_scene_def *scene = solid->scene;
    for (int32_t k = 0; k < scene->blade_count; k++) {
        if (!(after > scene->blades[k].start && before < scene->blades[k].stop)) continue;
        const swept s = sweep_blade(&scene->blades[k], before, after);
        cut_by(solid, &s);
    }
}

dlp_status dlp_solid_cut(dlp_solid *solid, double before, double after, dlp_error *error)
{
    if (!solid->may_break) return DLP_OK;
    memset(solid->is_touched, 0, (size_t)solid->particles.count);
    cut_by_blades(solid, before, after);
    break_stretched(solid);
    if (memchr(solid->is_touched, 1, (size_t)solid->particles.count) == NULL) return DLP_OK;
    for (int32_t i = 0; i < solid->particles.count; i++)
        if (solid->is_touched[i]) substitute(solid, i);
    expose(solid);
    dlp_solid_refill(solid);
    DLP_TRY(dlp_solid_find_pieces(solid, error));
    return dlp_solid_touch_renew(solid, error);
}
