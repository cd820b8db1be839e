/* Solids that start inside one another are told: contacts part surfaces, not what is deep inside, and the two
 * may stay caught. Told once for each two substances, and for the copies of one. */
#include "motion/solid/solid_solver.h"

#include <stdio.h>

// In spacings: what starts no deeper than this is next to it.
#define LEAST_DEPTH 0.1

static bool is_in_box(const dlp_box *box, dlp_vec3 x)
{
    return x.x > box->min.x && x.y > box->min.y && x.z > box->min.z && x.x < box->max.x && x.y < box->max.y &&
           x.z < box->max.z;
}

// So many particles of a substance start inside a shape, without its first `skipped` ones.
static int32_t count_inside(const dlp_solid *solid, int32_t substance, const dlp_shape *shape,
                            int32_t skipped)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const double depth = LEAST_DEPTH * solid->params.materials[substance].spacing;
    const dlp_box box = dlp_shape_bounds(shape);
    int32_t count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_vec3 x = dlp_solid_get(p->position, i);
        if (p->substance[i] != substance || skipped-- > 0) continue;
        count += is_in_box(&box, x) && dlp_shape_distance(shape, x) < -depth;
    }
    return count;
}

static void tell(const dlp_solid *solid, int32_t count, const char *of, const char *other)
{
    char message[256];
    snprintf(
        message, sizeof message,
        "solids: %d particles of %s start inside %s, and the two may stay caught in one another; move one "
        "of them",
        count, of, other);
    solid->params.context.log(message, solid->params.context.log_user);
}

// Those that are squeezed start elsewhere than they are at rest.
static bool is_at_rest(const dlp_substance_def *def)
{
    return def->model == DLP_MODEL_SOLID && !(def->solid.squeeze > 0);
}

static int32_t count_of(const dlp_solid *solid, int32_t substance)
{
    int32_t count = 0;
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        count += solid->state.particles.substance[i] == substance;
    return count;
}

// Whether any of its copies is inside the first, whose particles come first.
static dlp_status check_copies(const dlp_solid *solid, int32_t substance, dlp_error *error)
{
    const dlp_substance_def *def = &solid->params.scene->substances[substance];
    dlp_shape_def alone = def->shape;
    int32_t copies = 1;
    dlp_shape *shape;
    for (int axis = 0; axis < 3; axis++) {
        copies *= def->shape.copies[axis] > 1 ? def->shape.copies[axis] : 1;
        alone.copies[axis] = 1;
    }
    if (copies == 1) return DLP_OK;
    DLP_TRY(dlp_shape_create(&alone, 3, solid->params.scene->folder, &shape, error));
    const int32_t count = count_inside(solid, substance, shape, count_of(solid, substance) / copies);
    dlp_shape_destroy(shape);
    if (count > 0) tell(solid, count, def->name, "another of its own copies");
    return DLP_OK;
}

// Whether others are inside it.
static dlp_status check_substance(const dlp_solid *solid, int32_t substance, dlp_error *error)
{
    const dlp_scene_def *scene = solid->params.scene;
    const dlp_substance_def *def = &scene->substances[substance];
    dlp_shape *shape;
    DLP_TRY(dlp_shape_create(&def->shape, 3, scene->folder, &shape, error));
    for (int32_t k = 0; k < scene->substance_count; k++) {
        if (k == substance || !is_at_rest(&scene->substances[k])) continue;
        const int32_t count = count_inside(solid, k, shape, 0);
        if (count > 0) tell(solid, count, scene->substances[k].name, def->name);
    }
    dlp_shape_destroy(shape);
    return DLP_OK;
}

dlp_status dlp_solid_warn_of_tangles(const dlp_solid *solid, dlp_error *error)
{
    const dlp_scene_def *scene = solid->params.scene;
    for (int32_t k = 0; k < scene->substance_count && solid->params.context.log != NULL; k++) {
        if (!is_at_rest(&scene->substances[k])) continue;
        DLP_TRY(check_substance(solid, k, error));
        DLP_TRY(check_copies(solid, k, error));
    }
    return DLP_OK;
}
