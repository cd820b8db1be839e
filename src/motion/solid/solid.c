/* The birth of solids, their end, and their interval. */
#include "matter/principal.h"
#include "matter/solid_substeps.h"
#include "motion/solid/solid_sweep.h"
#include "motion/solid/solid_contact.h"
#include "scene/body_force.h"

#include <stdio.h>

// Share of a spacing that anything may go in a sub-step, so that nothing passes through anything.
#define TRAVEL_LIMIT 0.5
// Spacings within which a lost neighbour is replaced.
#define REPLACED 2.1
// Beyond this a body is crushed, and needs to be robust rather than true.
#define STIFFENING_LIMIT 6.0
// Spacings that a wave may cross in a sub-step before the stiffness is in doubt.
#define CHI_LIMIT 2.0
enum { SUBSTEP_LIMIT = 100000, GRAIN = 1024 };

// Birth and end.

static void set_materials(dlp_solid *solid)
{
    for (int32_t k = 0; k < solid->params.scene->substance_count; k++) {
        const dlp_substance_def *def = &solid->params.scene->substances[k];
        if (def->model != DLP_MODEL_SOLID) continue;
        dlp_solid_material *material = &solid->params.materials[k];
        const double nu = def->solid.poisson_ratio, young = def->solid.youngs_modulus;
        material->spacing = solid->params.spacings[k] = def->particle_radius * cbrt(4 * DLP_PI / 3);
        material->is_irregular = def->jitter > 0 || def->lattice == DLP_LATTICE_BLUE_NOISE;
        material->young = young;
        material->lambda = dlp_lame_lambda(young, nu);
        material->mu = dlp_lame_mu(young, nu);
        material->support = dlp_solid_support(def) * material->spacing;
        if (def->solid.fracture > 0 || solid->params.scene->blade_count > 0) solid->params.may_break = true;
        material->link_reach = solid->params.may_break ? fmax(material->support, REPLACED * material->spacing)
                                                       : material->support;
        material->hourglass = dlp_solid_hourglass(def);
        solid->params.is_euler = def->solid.integrator == DLP_INTEGRATOR_EULER;
    }
}

static dlp_status fill_all(dlp_solid *solid, dlp_solid_copies *copies, dlp_error *error)
{
    for (int32_t k = 0; k < solid->params.scene->substance_count; k++) {
        const dlp_substance_def *def = &solid->params.scene->substances[k];
        if (def->model != DLP_MODEL_SOLID) continue;
        const dlp_status status = dlp_solid_fill(solid, k, copies, error);
        if (status != DLP_OK) return dlp_fail_at(error, status, "substances.%s", def->name);
    }
    return DLP_OK;
}

// The particles and their rest neighbours, copy by copy.
static dlp_status make_bodies(dlp_solid *solid, dlp_error *error)
{
    dlp_solid_copies copies = {0};
    dlp_status status = fill_all(solid, &copies, error);
    if (status == DLP_OK) status = dlp_solid_find_links(solid, &copies, error);
    dlp_free(copies.of);
    return status == DLP_OK ? dlp_solid_find_bodies(solid, error) : status;
}

// Where the scene asks for fewer sub-steps than waves need, its bodies are not as stiff as they should be.
static void warn_of_long_steps(const dlp_solid *solid)
{
    for (int32_t k = 0; k < solid->params.scene->substance_count && solid->params.context.log != NULL; k++) {
        const dlp_substance_def *def = &solid->params.scene->substances[k];
        if (def->model != DLP_MODEL_SOLID || def->solid.substeps == 0) continue;
        dlp_substance_def free = *def;
        free.solid.substeps = 0;
        const double frame = 1 / solid->params.scene->frame_rate;
        const double chi =
            dlp_solid_wave_speed(def) * frame / (def->solid.substeps * solid->params.materials[k].spacing);
        if (!(chi > CHI_LIMIT)) continue;
        char message[256];
        snprintf(
            message, sizeof message,
            "substances.%s: a wave crosses %.1f particles in a sub-step, so that its stiffness may be wrong "
            "by a tenth or more; leave out `solid.substeps`, or set it to %d",
            def->name, chi, dlp_solid_substep_count(&free, solid->params.scene->frame_rate, frame));
        solid->params.context.log(message, solid->params.context.log_user);
    }
}

// All bodies go by one clock.
static dlp_status check_integrators(const dlp_scene_def *scene, dlp_error *error)
{
    const dlp_substance_def *first = dlp_first_of_model(scene, DLP_MODEL_SOLID);
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *def = &scene->substances[k];
        if (def->model != DLP_MODEL_SOLID || def->solid.integrator == first->solid.integrator) continue;
        return dlp_fail(error, DLP_INVALID,
                        "substances.%s.solid.integrator: is not that of %s; give all solids the same",
                        def->name, first->name);
    }
    return DLP_OK;
}

static int32_t count_inside(const dlp_solid *solid, int32_t obstacle)
{
    const dlp_body *at = &solid->params.bodies[obstacle];
    const dlp_transform frame = dlp_body_transform_at(at, 0);
    int32_t count = 0;
    for (int32_t i = 0; i < solid->state.particles.count; i++) {
        dlp_vec3 normal;
        const dlp_vec3 x = dlp_solid_get(solid->state.particles.position, i);
        if (solid->state.particles.pin[i] >= 0) continue;  // held there
        count += dlp_body_probe(at, &frame, x, &normal) < 0;
    }
    return count;
}

// What starts inside an obstacle is pushed out at once, and flies.
static void warn_of_overlap(const dlp_solid *solid)
{
    for (int32_t k = 0; k < solid->params.scene->obstacle_count && solid->params.context.log != NULL; k++) {
        const int32_t count = count_inside(solid, k);
        if (count == 0) continue;
        char message[256];
        snprintf(
            message, sizeof message,
            "solids: %d particles start inside the obstacle %s and will be thrown out; move one of the two",
            count, solid->params.scene->obstacles[k].name);
        solid->params.context.log(message, solid->params.context.log_user);
    }
}

static dlp_status build(dlp_solid *solid, dlp_error *error)
{
    const dlp_scene_def *scene = solid->params.scene;
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_SUBSTANCE, scene->substance_count, error));
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_BODY, scene->obstacle_count + 1, error));
    DLP_TRY(check_integrators(scene, error));
    set_materials(solid);
    DLP_TRY(make_bodies(solid, error));
    const dlp_attachment_view held = dlp_solid_held(solid, 0, solid->state.particles.count);
    DLP_TRY(dlp_attachments_find(scene, &held, error));
    DLP_TRY(dlp_solid_find_tied(solid, error));
    DLP_TRY(dlp_solid_squeeze(solid, error));
    DLP_TRY(dlp_solid_find_loads(solid, error));
    DLP_TRY(dlp_solid_find_clamps(solid, error));
    DLP_TRY(dlp_solid_find_fragments(solid, error));
    DLP_TRY(dlp_solid_color_constraints(solid, error));
    warn_of_long_steps(solid);
    warn_of_overlap(solid);
    return dlp_solid_warn_of_tangles(solid, error);
}

dlp_status dlp_solid_create(const dlp_solver_context *context, dlp_solid **out_solid, dlp_error *error)
{
    *out_solid = NULL;
    const dlp_scene_def *scene = &context->conditions->now;
    if (dlp_first_of_model(scene, DLP_MODEL_SOLID) == NULL) return DLP_OK;
    dlp_solid *solid = dlp_alloc(1, sizeof *solid, "solids");
    if (solid == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: %zu bytes", sizeof *solid);
    solid->params.context = *context;
    solid->params.scene = scene;
    solid->params.bodies = context->bodies->items;
    solid->params.team = context->team;
    solid->params.target = context->target;
    const dlp_status status = build(solid, error);
    if (status != DLP_OK) {
        dlp_solid_destroy(solid);
        return status;
    }
    *out_solid = solid;
    return DLP_OK;
}

void dlp_solid_destroy(dlp_solid *solid)
{
    if (solid == NULL) return;
    dlp_solid_contact_release(solid->contact);
    dlp_constraint_coloring_release(&solid->topology.coloring);
    dlp_solid_release(solid);
    dlp_free(solid);
}

// The interval.

static void find_fastest(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_solid *solid = context;
    double *square = result;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 v = dlp_solid_get(solid->state.particles.velocity, i);
        *square = fmax(*square, dlp_dot(v, v));
    }
}

// m/s2, of gravity and what acts beside it.
static void find_strongest(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_solid *solid = context;
    const dlp_solid_particles *p = &solid->state.particles;
    double *strongest = result;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 a =
            dlp_body_acceleration(solid->params.scene, p->substance[i], dlp_solid_get(p->position, i));
        *strongest = fmax(*strongest, dlp_length(a));
    }
}

static double strongest(const dlp_solid *solid)
{
    double acceleration = dlp_length(solid->params.scene->gravity);
    const dlp_reduction find = {find_strongest, dlp_combine_max_double, (void *)(uintptr_t)solid,
                                sizeof acceleration};
    if (solid->params.scene->force_count > 0)
        dlp_parallel_reduce(solid->params.team, solid->state.particles.count, GRAIN, &find, &acceleration);
    return acceleration;
}

static double fastest(const dlp_solid *solid)
{
    double square = 0;
    const dlp_reduction find = {find_fastest, dlp_combine_max_double, (void *)(uintptr_t)solid,
                                sizeof square};
    dlp_parallel_reduce(solid->params.team, solid->state.particles.count, GRAIN, &find, &square);
    return sqrt(square);
}

// As its waves ask for at rest. Where it is strained, they are faster, and two sweeps leave more undone: both
// go with the square root of the stiffening.
static int32_t needed_substeps(const dlp_solid *solid, const dlp_substance_def *def, double seconds)
{
    const int32_t at_rest = dlp_solid_substep_count(def, solid->params.scene->frame_rate, seconds);
    if (def->solid.substeps > 0) return at_rest;
    return (int32_t)fmin(ceil(at_rest * fmin(fmax(solid->state.stiffening, 1), STIFFENING_LIMIT)),
                         SUBSTEP_LIMIT);
}

// As many sub-steps as the stiffest needs, and so many that nothing passes through anything.
static int32_t substep_count(const dlp_solid *solid, double seconds)
{
    const double speed = fastest(solid) + seconds * strongest(solid);
    int32_t count = 1;
    for (int32_t k = 0; k < solid->params.scene->substance_count; k++) {
        const dlp_substance_def *def = &solid->params.scene->substances[k];
        if (def->model != DLP_MODEL_SOLID) continue;
        const int32_t needed = needed_substeps(solid, def, seconds);
        const double travel = ceil(speed * seconds / (TRAVEL_LIMIT * solid->params.materials[k].spacing));
        const int32_t fast = def->solid.substeps > 0 ? 1 : (int32_t)fmin(travel, SUBSTEP_LIMIT);
        count = needed > count ? needed : count;
        count = fast > count ? fast : count;
    }
    return count;
}

double dlp_solid_step_limit(const dlp_solid *solid)
{
    const double frame = 1 / solid->params.scene->frame_rate;
    return frame / substep_count(solid, frame);
}

void dlp_solid_begin_span(dlp_solid *solid)
{
    solid->state.counts = (dlp_solid_counts){.dt_min = 1e30};
    dlp_parallel_set(solid->params.team, solid->state.particles.displacement, 0,
                     3 * (size_t)solid->state.particles.count * sizeof *solid->state.particles.displacement);
}

void dlp_solid_begin(dlp_solid *solid)
{
    const dlp_clock *world = solid->params.context.clock;
    solid->state.clock = (dlp_solid_clock){.start = world->start,
                                           .end = world->end,
                                           .step_count = substep_count(solid, world->end - world->start),
                                           .stride = DLP_SOLID_STEP_TICKS};
}

void dlp_solid_change(dlp_solid *solid)
{
    set_materials(solid);
    dlp_solid_contact_reset_clearance(solid);
    solid->scratch.has_strains = false;
}
