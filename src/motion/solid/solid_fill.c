/* Bodies: shapes filled with particles, copy by copy. */
#include "motion/solid/solid_solver.h"
#include "base/random.h"

#include <stdio.h>
#include <string.h>

enum { PARTICLE_LIMIT = 50000000, WARN_COUNT = 1000000 };

// Particles nearer to the surface than these, in spacings, are of the first and second layer.
#define FIRST_LAYER  0.95
#define SECOND_LAYER 1.95

static dlp_vec3 start_velocity(const dlp_substance_def *def, dlp_vec3 x)
{
    return dlp_add(def->velocity, dlp_cross(def->spin, dlp_sub(x, def->spin_center)));
}

static dlp_vec3 jittered(const dlp_substance_def *def, dlp_vec3 x, double spacing, int64_t id)
{
    const double size = 2 * def->jitter * spacing;
    return dlp_add(x, dlp_vec(size * (dlp_random((uint64_t)id, 0, 1) - 0.5),
                              size * (dlp_random((uint64_t)id, 0, 2) - 0.5),
                              size * (dlp_random((uint64_t)id, 0, 3) - 0.5)));
}

static void put(dlp_solid *solid, int32_t substance, dlp_vec3 x, int32_t layer)
{
    const dlp_substance_def *def = &solid->params.scene->substances[substance];
    dlp_solid_particles *p = &solid->state.particles;
    const int32_t i = p->count++;
    assert(i < solid->capacity[DLP_PER_PARTICLE]);
#define X(name, type, dlp, components)                                                                       \
    memset(p->name + components * (int64_t)i, 0, components * sizeof(type));
    DLP_SOLID_FIELDS(X)
#undef X
    dlp_solid_set(p->position, i, x);
    dlp_solid_set(p->x0, i, x);
    dlp_solid_set(p->start_place, i, x);
    dlp_solid_set(p->velocity, i, start_velocity(def, x));
    dlp_solid_set(p->last_velocity, i, start_velocity(def, x));
    p->mass[i] = solid->params.materials[substance].mass;
    p->rotation[4 * (int64_t)i] = 1;
    p->substance[i] = substance;
    p->pin[i] = -1;
    p->layer[i] = layer;
    p->id[i] = i;
}

static int32_t layer_of(const dlp_shape *shape, dlp_vec3 x, double spacing)
{
    const double depth = -dlp_shape_distance(shape, x) / spacing;
    return depth < FIRST_LAYER ? 0 : depth < SECOND_LAYER ? 1 : 2;
}

// One copy, `offset` from the first. The jitter of all copies is the same: they are the same body.
static void put_copy(dlp_solid *solid, int32_t substance, const dlp_fill *fill, const int32_t *layers,
                     dlp_vec3 offset)
{
    const dlp_substance_def *def = &solid->params.scene->substances[substance];
    for (int32_t k = 0; k < fill->count; k++) {
        const dlp_vec3 x = jittered(def, fill->positions[k], solid->params.materials[substance].spacing, k);
        put(solid, substance, dlp_add(x, offset), layers[k]);
    }
}

// Room for so many particles, and after them for the groups of their colouring: of each colour and substance
// all groups but one have a block in every lane.
static dlp_status reserve_particles(dlp_solid *solid, dlp_solid_copies *copies, int32_t count,
                                    dlp_error *error)
{
    const int32_t groups = count / DLP_LANES + DLP_COLORS * solid->params.scene->substance_count;
    DLP_TRY(dlp_reserve(&copies->of, &copies->capacity, count, sizeof *copies->of, "solids", error));
    return dlp_solid_reserve(solid, DLP_PER_PARTICLE, count + groups + 1, error);
}

static dlp_status put_copies(dlp_solid *solid, int32_t substance, const dlp_shape *shape,
                             const dlp_fill *fill, dlp_solid_copies *copies, dlp_error *error)
{
    const dlp_shape_def *def = &solid->params.scene->substances[substance].shape;
    int64_t along[3], all = 1;
    for (int k = 0; k < 3; k++) all *= along[k] = def->copies[k] > 1 ? def->copies[k] : 1;
    if (all * fill->count > PARTICLE_LIMIT - solid->state.particles.count)
        return dlp_fail(error, DLP_INVALID, "more than %d particles", PARTICLE_LIMIT);
    DLP_TRY(
        reserve_particles(solid, copies, solid->state.particles.count + (int32_t)all * fill->count, error));
    int32_t *layers = dlp_alloc((size_t)fill->count, sizeof *layers, "solids");
    if (layers == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    for (int32_t k = 0; k < fill->count; k++)
        layers[k] = layer_of(shape, fill->positions[k], solid->params.materials[substance].spacing);
    for (int64_t k = 0; k < all; k++) {
        const double x = (double)(k % along[0]), y = (double)(k / along[0] % along[1]),
                     z = (double)(k / (along[0] * along[1]));
        for (int32_t n = 0; n < fill->count; n++)
            copies->of[solid->state.particles.count + n] = copies->count;
        copies->count++;
        put_copy(solid, substance, fill, layers,
                 dlp_vec(x * def->spacing.x, y * def->spacing.y, z * def->spacing.z));
    }
    dlp_free(layers);
    return DLP_OK;
}

// A mesh in another unit than metres may hold a thousand times what was meant; filling it takes minutes.
static void warn_if_many(const dlp_solid *solid, int32_t substance, const dlp_shape *shape)
{
    const double spacing = solid->params.materials[substance].spacing;
    const double count = dlp_shape_volume(shape) / (spacing * spacing * spacing);
    if (!(count > WARN_COUNT) || solid->params.context.log == NULL) return;
    char message[256];
    snprintf(message, sizeof message,
             "substances.%s: a body of about %.2g million particles; scale its shape down, or take a larger "
             "`particle.spacing`, if that is not meant",
             solid->params.scene->substances[substance].name, 1e-6 * count);
    solid->params.context.log(message, solid->params.context.log_user);
}

dlp_status dlp_solid_fill(dlp_solid *solid, int32_t substance, dlp_solid_copies *copies, dlp_error *error)
{
    const dlp_scene_def *scene = solid->params.scene;
    const dlp_substance_def *def = &scene->substances[substance];
    dlp_shape_def alone = def->shape;
    for (int k = 0; k < 3; k++) alone.copies[k] = 1;
    dlp_solid_material *material = &solid->params.materials[substance];
    const dlp_fill_def request = {
        .spacing = material->spacing, .dimension = 3, .lattice = def->lattice, .limit = PARTICLE_LIMIT};
    dlp_shape *shape;
    dlp_fill fill = {0};
    dlp_status status = dlp_shape_create(&alone, 3, scene->folder, &shape, error);
    if (status == DLP_OK) warn_if_many(solid, substance, shape);
    if (status == DLP_OK) status = dlp_shape_fill(shape, &request, &fill, error);
    if (status == DLP_OK) status = dlp_solid_prune_fill(solid, substance, shape, &fill, error);
    if (status == DLP_OK) {
        material->volume = fill.volume;
        material->mass = def->density * fill.volume;
        status = put_copies(solid, substance, shape, &fill, copies, error);
    }
    dlp_fill_release(&fill);
    dlp_shape_destroy(shape);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "shape");
}

// Particles in one point would not know where to go: they start a thousandth of a spacing apart.
static void squeeze_particle(dlp_solid *solid, int32_t i, dlp_vec3 centre)
{
    dlp_solid_particles *p = &solid->state.particles;
    const double squeeze = solid->params.scene->substances[p->substance[i]].solid.squeeze;
    const double noise = 1e-3 * squeeze * solid->params.materials[p->substance[i]].spacing;
    const uint64_t id = (uint64_t)p->id[i];
    const dlp_vec3 away =
        dlp_vec(dlp_random(id, 1, 1) - 0.5, dlp_random(id, 1, 2) - 0.5, dlp_random(id, 1, 3) - 0.5);
    const dlp_vec3 x = dlp_along(centre, dlp_sub(dlp_solid_get(p->x0, i), centre), 1 - squeeze);
    if (!(squeeze > 0)) return;
    dlp_solid_set(p->position, i, dlp_along(x, away, noise));
    solid->state.stiffening = DLP_STIFFENING_MAX;  // for the first sub-steps
}

// Each body about its own centre.
dlp_status dlp_solid_squeeze(dlp_solid *solid, dlp_error *error)
{
    const dlp_solid_particles *p = &solid->state.particles;
    dlp_vec3 *centre = dlp_alloc((size_t)solid->topology.body_count + 1, sizeof *centre, "solids");
    int32_t *count = dlp_alloc((size_t)solid->topology.body_count + 1, sizeof *count, "solids");
    const bool is_short = centre == NULL || count == NULL;
    for (int32_t i = 0; i < p->count && !is_short; i++) {
        centre[p->body[i]] = dlp_add(centre[p->body[i]], dlp_solid_get(p->x0, i));
        count[p->body[i]]++;
    }
    for (int32_t k = 0; k < solid->topology.body_count && !is_short; k++)
        centre[k] = dlp_mul(centre[k], 1.0 / count[k]);
    for (int32_t i = 0; i < p->count && !is_short; i++) squeeze_particle(solid, i, centre[p->body[i]]);
    dlp_free(centre);
    dlp_free(count);
    return is_short ? dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room") : DLP_OK;
}
