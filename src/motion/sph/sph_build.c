/* How a solver is built from a scene, and taken apart. */
#include "motion/sph/sph.h"
#include "matter/norm.h"
#include "motion/sph/emit.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/sph_scale.h"

static dlp_status allocate(dlp_sph *sph, dlp_error *error)
{
    const dlp_scene_def *scene = sph->scene;
    const size_t obstacles = (size_t)scene->obstacle_count + 1;
    dlp_sph_params *params = &sph->params;
    dlp_walls *walls = &sph->scratch.walls;
    params->substances = dlp_alloc((size_t)scene->substance_count, sizeof *params->substances, "scene");
    params->walls.sets = dlp_alloc(obstacles * DLP_WALL_LEVELS, sizeof *params->walls.sets, "walls");
    params->walls.bounds = dlp_alloc(obstacles, sizeof *params->walls.bounds, "walls");
    params->emitters = dlp_alloc((size_t)scene->emitter_count + 1, sizeof *params->emitters, "emitters");
    params->sinks = dlp_alloc((size_t)scene->sink_count + 1, sizeof *params->sinks, "emitters");
    walls->samples.sets = params->walls.sets;
    walls->transforms = dlp_alloc(obstacles, sizeof *walls->transforms, "walls");
    walls->has_moved = dlp_alloc(obstacles, sizeof *walls->has_moved, "walls");
    sph->scratch.forces_seen =
        dlp_alloc((size_t)scene->substance_count, sizeof *sph->scratch.forces_seen, "scene");
    const bool is_short = params->substances == NULL || params->walls.sets == NULL ||
                          params->walls.bounds == NULL || params->emitters == NULL || params->sinks == NULL ||
                          walls->transforms == NULL || walls->has_moved == NULL ||
                          sph->scratch.forces_seen == NULL;
    return is_short ? dlp_fail(error, DLP_OUT_OF_MEMORY, "sph: no room") : dlp_sph_state_init(sph, error);
}

// Sizes of particles and what the kernel makes of them.
static dlp_status set_sizes(dlp_sph *sph, dlp_error *error)
{
    const dlp_scene_def *scene = sph->scene;
    const dlp_substance_def *first = dlp_sph_definition(scene, 0);
    const int32_t d = scene->dimension;
    dlp_sph_params *params = &sph->params;
    double h_min = 1e30, h_max = 0;
    params->finest = 1e30;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *def = dlp_sph_definition(scene, k);
        if (def->smoothing != first->smoothing)
            return dlp_fail(error, DLP_INVALID,
                            "substances.%s.particle.smoothing: %g, but %g in %s; it must be the same",
                            def->name, def->smoothing, first->smoothing, first->name);
        const double spacing = dlp_substance_spacing(def, d);
        dlp_substance *s = &params->substances[k];
        s->h = (float)(def->smoothing * spacing);
        s->reach = (float)(2 * (1 + params->verlet_margin) * (double)s->h);
        s->volume_unit = (float)pow(spacing, d);
        s->unit_mass = def->density * pow(spacing, d);
        params->finest = fmin(params->finest, spacing);
        h_min = fmin(h_min, (double)s->h);
        h_max = fmax(h_max, (double)s->h);
    }
    if (h_max > 64 * h_min)
        return dlp_fail(
            error, DLP_INVALID,
            "substances: the largest particles are %.0f times the size of the smallest; at most 64 are "
            "allowed",
            h_max / h_min);
    params->support = 2 * h_max;
    params->walls.reach = (float)(2 * (1 + params->verlet_margin) * h_min);
    params->verlet_limit = (float)(0.5 * params->verlet_margin * 2 * h_min);
    params->pair.h = (float)h_min;
    params->pair.is_mixed = h_max > h_min || dlp_sph_adapts_space(sph);
    for (int32_t k = 0; k <= DLP_UNITS_LIMIT; k++) params->size_of[k] = (float)pow(k, 1.0 / d);
    // a group of nine is a little more than twice as large: its cells must hold it
    const double cell = (dlp_sph_adapts_space(sph) ? 1.045 : 1) * (double)params->walls.reach;
    return dlp_units_init(&params->units, cell, scene->periodic, &scene->domain, error);
}

static void set_kernel(dlp_sph *sph)
{
    const dlp_substance_def *first = dlp_sph_definition(sph->scene, 0);
    const int32_t d = sph->scene->dimension;
    const dlp_lattice_sums sums = dlp_lattice_sum(first->kernel, d, first->smoothing, first->lattice);
    dlp_pair_params *p = &sph->params.pair;
    p->kernel = first->kernel;
    p->dimension = d;
    p->norm = (float)(dlp_kernel_norm(first->kernel, d) / sums.density);
    const double seen = first->kernel == DLP_KERNEL_MULLER ? 1 : sums.gradient;
    p->compression_factor = (float)(1 / seen);
    p->slope_norm = (float)(dlp_kernel_slope_norm(first->kernel, d) / (sums.density * seen));
    p->laplacian_norm = (float)(dlp_viscosity_norm(d) / sums.laplacian);
    p->viscosity_factor = (float)(2 * (d + 2) * sums.density * seen / sums.viscosity);
    if (sph->params.solves_viscosity) {
        p->implicit_viscosity_factor = p->viscosity_factor;
        p->viscosity_factor = 0;
    }
    p->conduction_factor = (float)(2 * sums.density * seen / sums.conduction);
    p->carries_density = dlp_sph_carries_density(sph);
    p->tensile_control = p->carries_density ? (float)first->tensile_control : 0;
    p->inverse_nearness = (float)(1 / dlp_kernel_shape(first->kernel, 1 / first->smoothing));
    p->diffusion = p->carries_density ? (float)first->diffusion : 0;
    for (int axis = 0; axis < 3; axis++) p->unit[axis] = (float)sph->params.units.unit[axis];
}

// Stiffness where none was given: sound ten times as fast as anything else, so that densities vary by 1 %.
static void derive_stiffness(dlp_sph *sph)
{
    const double c = 10 * sph->state.speed_scale;
    for (int32_t k = 0; k < sph->scene->substance_count; k++) sph->state.stiffness[k] = c * c;
}

// Explicit viscosity with kick-drift-kick: with the drag evaluated at v + lead dt a, the amplification of a
// decay rate L is stable up to L dt = 4 for a lead of 1/4, but only up to 1 for a full prediction, which
// carried densities (sound needs the true velocity) and steps of different length (neighbours must agree) ask
// for.
static void set_viscous_step(dlp_sph *sph)
{
    const bool is_full =
        sph->params.has_individual_steps || sph->params.is_implicit || dlp_sph_carries_density(sph);
    sph->params.velocity_lead = is_full ? 1 : 0.25f;
    sph->params.viscous_limit = is_full ? 0.05 : 0.125;
}

static void set_limits(dlp_sph *sph)
{
    double c = 0;
    for (int32_t k = 0; k < sph->scene->substance_count; k++)
        c = fmax(c, (double)sph->params.substances[k].sound_speed);
    sph->state.velocity_limit = 20 * c + 20 * sph->state.speed_scale;
}

static double weight_at(const void *context, double r, double h)
{
    return dlp_sph_weight(context, r, h);
}

// The samples of a body for the finest particles (level 0), or for those twice as large.
static dlp_status sample_body(dlp_sph *sph, int32_t body, int32_t level, dlp_error *error)
{
    const dlp_sph_params *params = &sph->params;
    const dlp_sample_request request = {.shape = sph->bodies[body].shape,
                                        .region = dlp_sph_surface_region(sph, body),
                                        .dimension = params->pair.dimension,
                                        .spacing = params->finest * (1 << level),
                                        .h = (double)params->pair.h * (1 << level),
                                        .kernel = params->pair.kernel,
                                        .weight = weight_at,
                                        .context = sph,
                                        .takes_pressure = dlp_sph_has_coarse_contacts(sph),
                                        .team = sph->team};
    const dlp_status status =
        dlp_sample_set_make(&request, &params->walls.sets[level * sph->scene->obstacle_count + body], error);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "obstacles[%d]", body);
}

static dlp_status make_walls(dlp_sph *sph, dlp_error *error)
{
    dlp_wall_params *params = &sph->params.walls;
    dlp_walls *walls = &sph->scratch.walls;
    const int32_t body_count = sph->scene->obstacle_count;
    params->level_count = dlp_sph_has_coarse_contacts(sph) ? DLP_WALL_LEVELS : 1;
    for (int32_t k = 0; k < body_count; k++) {
        for (int32_t level = 0; level < params->level_count; level++) {
            DLP_TRY(sample_body(sph, k, level, error));
            DLP_TRY(dlp_reserve(&walls->is_near, &walls->near_capacity,
                                params->sets[level * body_count + k].count + 1, 1, "walls", error));
        }
        params->has_thin = params->has_thin || params->sets[k].is_thin;
    }
    return DLP_OK;
}

static dlp_status make_emitters(dlp_sph *sph, dlp_error *error)
{
    const dlp_scene_def *scene = sph->scene;
    for (int32_t k = 0; k < scene->emitter_count; k++) {
        const dlp_emitter_def *def = &scene->emitters[k];
        const double volume = (double)sph->params.substances[def->substance_index].volume_unit;
        DLP_TRY(dlp_emitter_init(&sph->params.emitters[k], def, scene->dimension,
                                 pow(volume, 1.0 / scene->dimension), error));
    }
    for (int32_t k = 0; k < scene->sink_count; k++) {
        const dlp_status status = dlp_shape_create(&scene->sinks[k].shape, scene->dimension, scene->folder,
                                                   &sph->params.sinks[k], error);
        if (status != DLP_OK) return dlp_fail_at(error, status, "sinks[%d]", k);
    }
    return DLP_OK;
}

// What need not be fine merges before the first step, level after level.  [desbrun1999, sec. 4.3]
static dlp_status coarsen(dlp_sph *sph, dlp_error *error)
{
    if (!dlp_sph_adapts_space(sph)) return DLP_OK;
    DLP_TRY(dlp_sph_evaluate(sph, error));
    for (int32_t level = 0; level < DLP_LEVEL_LIMIT; level++) {
        DLP_TRY(dlp_sph_coarsen_start(sph, error));
        if (!sph->scratch.adapt.has_adapted) break;
        DLP_TRY(dlp_sph_evaluate(sph, error));
        DLP_TRY(dlp_sph_even_out(sph, error));
    }
    return DLP_OK;
}

// The first accelerations and dt_limits, so that the first step starts like any other.
static dlp_status evaluate_start(dlp_sph *sph, dlp_error *error)
{
    dlp_sph_state *state = &sph->state;
    state->clock = (dlp_sph_clock){.end = 1 / sph->scene->frame_rate, .base = 1, .stop = 1 << DLP_TICK_BITS};
    state->dt_scale = 1;
    state->smallest_dt_limit = state->clock.end;
    DLP_TRY(dlp_sph_evaluate(sph, error));
    DLP_TRY(dlp_sph_relax(sph, error));
    DLP_TRY(coarsen(sph, error));
    DLP_TRY(dlp_sph_emit(sph, 0, error));
    DLP_TRY(dlp_sph_evaluate(sph, error));
    dlp_sph_close_step(sph, state->clock.end);
    if (sph->scratch.selection.due_count == 0) state->smallest_dt_limit = state->clock.end;
    return DLP_OK;
}

// Whether viscosity is implicit: where it is left to us, if explicit steps of the thickest substance would be
// shorter than those in which gravity moves a particle by a sixteenth of a spacing.
static bool takes_viscosity(const dlp_scene_def *scene)
{
    const dlp_substance_def *first = dlp_sph_definition(scene, 0);
    const double g = fmax(dlp_length(scene->gravity), 1e-3);
    bool is_thick = false;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *def = dlp_sph_definition(scene, k);
        const double spacing = dlp_substance_spacing(def, scene->dimension), h = def->smoothing * spacing;
        is_thick = is_thick || 0.05 * h * h * def->density < def->viscosity * 0.25 * sqrt(spacing / g);
    }
    if (first->viscosity_step != DLP_VISCOSITY_CHOSEN) return first->viscosity_step == DLP_VISCOSITY_IMPLICIT;
    return is_thick && first->pressure != DLP_PRESSURE_EOS;
}

// What the substances of this model want; those of others change nothing here.
static void set_switches(dlp_sph *sph)
{
    const dlp_scene_def *scene = sph->scene;
    dlp_sph_params *params = &sph->params;
    uint32_t kept = DLP_STORE_ALWAYS;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *def = dlp_sph_definition(scene, k);
        params->has_individual_steps = params->has_individual_steps || def->adapt_time;
        if (def->adapt_space) kept |= DLP_STORE_SPACE;
        if (def->adapt_restraint) kept |= DLP_STORE_RESTRAINT;
        if (def->has_temperature) kept |= DLP_STORE_HEAT;
    }
    params->solves_pressure = dlp_sph_definition(scene, 0)->pressure != DLP_PRESSURE_EOS;
    params->solves_viscosity = takes_viscosity(scene);
    params->is_implicit = params->solves_pressure || params->solves_viscosity;
    params->viscosity_loops = dlp_viscosity_loops_of(sph->target);
    if (params->is_implicit) kept |= DLP_STORE_IMPLICIT;
    if (params->solves_viscosity) kept |= DLP_STORE_VISCOUS;
    params->verlet_margin = params->solves_pressure ? DLP_IMPLICIT_VERLET_MARGIN : DLP_VERLET_MARGIN;
    params->wants_loads = sph->context.measures_loads;
    params->restrains = (kept & DLP_STORE_RESTRAINT) != 0;
    params->walls.has_moving = dlp_sph_has_moving_bodies(sph);
    sph->state.particles.kept = kept;
}

// Which arrays there are; the store of particles knows its own already.
static void set_kept(dlp_sph *sph)
{
    dlp_sph_params *params = &sph->params;
    params->kept = sph->state.particles.kept;
    if (params->has_individual_steps || params->restrains) params->kept |= DLP_STORE_PARTIAL;
    if (params->pair.is_mixed) params->kept |= DLP_STORE_MIXED;
    if (params->walls.has_thin) params->kept |= DLP_STORE_THIN;
}

static dlp_status build(dlp_sph *sph, dlp_error *error)
{
    DLP_TRY(allocate(sph, error));
    DLP_TRY(dlp_heat_init(sph, error));
    DLP_TRY(set_sizes(sph, error));
    set_kernel(sph);
    if (sph->params.is_implicit) dlp_projection_init(sph);
    set_viscous_step(sph);
    DLP_TRY(dlp_sph_start(sph, error));
    DLP_TRY(dlp_sph_find_bounds(sph, error));
    sph->state.speed_scale = dlp_sph_expected_speed(sph);
    sph->params.width = dlp_sph_expected_width(sph);
    derive_stiffness(sph);
    DLP_TRY(dlp_sph_set_constants(sph, error));
    set_limits(sph);
    DLP_TRY(make_walls(sph, error));
    DLP_TRY(make_emitters(sph, error));
    set_kept(sph);
    DLP_TRY(dlp_sph_reserve_points(sph, sph->state.particles.count + 1, error));
    return evaluate_start(sph, error);
}

dlp_status dlp_sph_create(const dlp_solver_context *context, dlp_sph **out_sph, dlp_error *error)
{
    *out_sph = NULL;
    if (dlp_first_of_model(&context->conditions->now, DLP_MODEL_SPH) == NULL) return DLP_OK;
    dlp_sph *sph = dlp_alloc(1, sizeof *sph, "sph");
    if (sph == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "sph: no room");
    sph->context = *context;
    sph->scene = &context->conditions->now;
    sph->bodies = context->bodies->items;
    sph->team = context->team;
    sph->target = context->target;
    sph->params.loops = dlp_pair_loops_of(sph->target);
    sph->scratch.neighbours.are_stale = true;
    set_switches(sph);
    const dlp_status status = build(sph, error);
    if (status != DLP_OK) {
        dlp_sph_destroy(sph);
        return status;
    }
    *out_sph = sph;
    return DLP_OK;
}

static void release_params(dlp_sph *sph)
{
    const dlp_scene_def *scene = sph->scene;
    dlp_sph_params *params = &sph->params;
    for (int32_t k = 0; params->walls.sets != NULL && k < DLP_WALL_LEVELS * scene->obstacle_count; k++)
        dlp_sample_set_release(&params->walls.sets[k]);
    for (int32_t k = 0; params->emitters != NULL && k < scene->emitter_count; k++)
        dlp_emitter_release(&params->emitters[k]);
    for (int32_t k = 0; params->sinks != NULL && k < scene->sink_count; k++)
        dlp_shape_destroy(params->sinks[k]);
    dlp_free(params->walls.sets);
    dlp_free(params->walls.bounds);
    dlp_free(params->emitters);
    dlp_free(params->sinks);
    dlp_free(params->heat.substances);
    dlp_free(params->substances);
}

void dlp_sph_destroy(dlp_sph *sph)
{
    if (sph == NULL) return;
    release_params(sph);
    dlp_sph_state_release(&sph->state);
    dlp_sph_scratch_release(&sph->scratch);
    dlp_free(sph);
}
