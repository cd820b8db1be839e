/* Where an attachment ends inside a body. The plane in which nothing moves is to be its face, wherever the
 * rows of particles lie: what it holds next to free particles is moved onto the face, and of both sides'
 * volume only what lies on the free side of it is strained. Both hold from the start: what is caught later is
 * not moved. */
#include "base/memory.h"
#include "motion/solid/solid_solver.h"

// Of a particle's volume at least so much is strained: some constraints divide by it.
#define LEAST_SHARE 1e-3f
enum { BISECTIONS = 30 };

// A place on the face, and where it looks.
typedef struct clamped_face {
    dlp_vec3 at, normal; /* m; unit, out of the attachment */
} clamped_face;

static dlp_vec3 rest_of(const dlp_solid *solid, int32_t i)
{
    return dlp_solid_get(solid->state.particles.x0, i);
}

// The nearest neighbour at rest that the attachment does not hold; -1: none.
static int32_t nearest_free(const dlp_solid *solid, int32_t particle, int32_t attachment)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    double least = 1e300;
    int32_t nearest = -1;
    for (int32_t n = links.begin[particle]; n < links.begin[particle + 1]; n++) {
        const int32_t j = links.first[n];
        if (solid->state.particles.pin[j] == attachment) continue;
        const double distance = dlp_length(dlp_sub(rest_of(solid, j), rest_of(solid, particle)));
        if (!(distance < least)) continue;
        least = distance;
        nearest = j;
    }
    return nearest;
}

// Where the way from what is held to what is free leaves the shape; whether it does.
static bool find_face(const dlp_shape *shape, dlp_vec3 held, dlp_vec3 free, clamped_face *out_face)
{
    if (!(dlp_shape_distance(shape, free) > 0)) return false;
    dlp_vec3 inside = held, outside = free;
    for (int k = 0; k < BISECTIONS; k++) {
        const dlp_vec3 middle = dlp_mul(dlp_add(inside, outside), 0.5);
        if (dlp_shape_distance(shape, middle) <= 0)
            inside = middle;
        else
            outside = middle;
    }
    out_face->at = inside;
    dlp_shape_probe(shape, outside, &out_face->normal);
    return dlp_dot(dlp_sub(free, held), out_face->normal) > 0;
}

static double height_above(const clamped_face *f, dlp_vec3 x)
{
    return dlp_dot(dlp_sub(x, f->at), f->normal);
}

// Of a particle's cell that share is strained while `holder` is held.
static void set_share(dlp_solid *solid, int32_t i, int32_t holder, double share)
{
    dlp_solid_topology *to = &solid->topology;
    const float some = fmaxf((float)share, LEAST_SHARE);
    if (some >= (to->clamp_holder[i] >= 0 ? to->clamp_share[i] : 1)) return;
    to->clamp_holder[i] = holder;
    to->clamp_share[i] = some;
}

static void share_neighbours(dlp_solid *solid, int32_t held, const clamped_face *f)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    const dlp_solid_particles *p = &solid->state.particles;
    const double spacing = solid->params.materials[p->substance[held]].spacing;
    for (int32_t n = links.begin[held]; n < links.begin[held + 1]; n++) {
        const int32_t j = links.first[n];
        if (p->pin[j] == p->pin[held]) continue;
        const double share = 0.5 + height_above(f, rest_of(solid, j)) / spacing;
        if (share < 1 - 1e-6) set_share(solid, j, held, share);
    }
}

static void put_on_face(dlp_solid *solid, int32_t i, dlp_vec3 x)
{
    const dlp_solid_particles *p = &solid->state.particles;
    dlp_solid_set(p->x0, i, x);
    dlp_solid_set(p->position, i, x);
    dlp_solid_set(p->start_place, i, x);
}

static void clamp_particle(dlp_solid *solid, const dlp_shape *shape, int32_t i, dlp_vec3 *out_place)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const double spacing = solid->params.materials[p->substance[i]].spacing;
    const int32_t free = nearest_free(solid, i, p->pin[i]);
    clamped_face f;
    if (free < 0 || !find_face(shape, rest_of(solid, i), rest_of(solid, free), &f)) return;
    const double height = height_above(&f, rest_of(solid, i));
    set_share(solid, i, i, 0.5 + height / spacing);
    share_neighbours(solid, i, &f);
    *out_place = dlp_along(rest_of(solid, i), f.normal, -height);
}

static dlp_status clamp_attachment(dlp_solid *solid, int32_t index, dlp_vec3 *places, dlp_error *error)
{
    const dlp_attachment_def *def = &solid->params.scene->attachments[index];
    const dlp_solid_particles *p = &solid->state.particles;
    dlp_shape *shape;
    DLP_TRY(dlp_shape_create(&def->shape, 3, solid->params.scene->folder, &shape, error));
    for (int32_t i = 0; i < p->count; i++) places[i] = rest_of(solid, i);
    for (int32_t i = 0; i < p->count; i++)
        if (p->pin[i] == index) clamp_particle(solid, shape, i, &places[i]);
    for (int32_t i = 0; i < p->count; i++)
        if (p->pin[i] == index) put_on_face(solid, i, places[i]);
    dlp_shape_destroy(shape);
    return DLP_OK;
}

// How much longer than they can be elsewhere links have become.
static void measure_links(dlp_solid *solid)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    for (int32_t i = 0; i < solid->state.particles.count; i++) {
        const double reach = solid->params.materials[solid->state.particles.substance[i]].link_reach;
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
            const double length = dlp_length(dlp_sub(rest_of(solid, links.first[n]), rest_of(solid, i)));
            solid->topology.clamp_reach = fmax(solid->topology.clamp_reach, length - reach);
        }
    }
}

// Whether it holds a solid from the start that starts as it is at rest.
static bool is_clamp(const dlp_solid *solid, const dlp_attachment_def *def)
{
    const dlp_substance_def *of = &solid->params.scene->substances[def->substance_index];
    return def->hold && !(def->start > 0) && of->model == DLP_MODEL_SOLID && !(of->solid.squeeze > 0);
}

dlp_status dlp_solid_find_clamps(dlp_solid *solid, dlp_error *error)
{
    const dlp_scene_def *scene = solid->params.scene;
    const int32_t count = solid->state.particles.count;
    for (int32_t i = 0; i < count; i++) solid->topology.clamp_holder[i] = -1;
    if (scene->attachment_count == 0) return DLP_OK;
    dlp_vec3 *places = dlp_alloc((size_t)count + 1, sizeof *places, "solids");
    if (places == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    dlp_status status = DLP_OK;
    for (int32_t k = 0; k < scene->attachment_count && status == DLP_OK; k++)
        if (is_clamp(solid, &scene->attachments[k])) status = clamp_attachment(solid, k, places, error);
    dlp_free(places);
    measure_links(solid);
    return status;
}

double dlp_solid_rest_volume(const dlp_solid *solid, int32_t i)
{
    const double volume = solid->params.materials[solid->state.particles.substance[i]].volume;
    const int32_t holder = solid->topology.clamp_holder[i];
    if (holder < 0 || !solid->scratch.is_pinned[holder]) return volume;
    return volume * (double)solid->topology.clamp_share[i];
}
