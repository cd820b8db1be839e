/* The cloth solver's birth, its end, and what others may ask of it. */
#include "motion/cloth/cloth_contact_phases.h"

#include <stdio.h>

// Birth and end.

static dlp_status make_copy(dlp_cloth *cloth, int32_t substance, dlp_vec3 offset, dlp_error *error)
{
    const dlp_shape_def *shape = &cloth->params.scene->substances[substance].shape;
    const double scale = shape->scale > 0 ? shape->scale : 1;
    dlp_transform frame = dlp_shape_placement(shape);
    frame.translation = dlp_add(frame.translation, offset);
    switch (shape->kind) {
    case DLP_SHAPE_SHEET:
        return dlp_cloth_make_sheet(cloth, substance, offset, error);
    case DLP_SHAPE_MESH:
        return dlp_cloth_make_mesh(cloth, substance, offset, error);
    case DLP_SHAPE_CAPSULE:
        return dlp_cloth_make_rope(cloth, substance, dlp_to_world(&frame, dlp_mul(shape->from, scale)),
                                   dlp_to_world(&frame, dlp_mul(shape->to, scale)), 0, error);
    default:
        return dlp_fail(error, DLP_INVALID, "cloth must be a sheet, a mesh, or, for a rope, a capsule");
    }
}

static dlp_status make_substance(dlp_cloth *cloth, int32_t substance, dlp_error *error)
{
    const dlp_shape_def *shape = &cloth->params.scene->substances[substance].shape;
    int32_t copies[3];
    for (int k = 0; k < 3; k++) copies[k] = shape->copies[k] > 1 ? shape->copies[k] : 1;
    for (int32_t z = 0; z < copies[2]; z++)
        for (int32_t y = 0; y < copies[1]; y++)
            for (int32_t x = 0; x < copies[0]; x++)
                DLP_TRY(make_copy(cloth, substance,
                                  dlp_vec(x * shape->spacing.x, y * shape->spacing.y, z * shape->spacing.z),
                                  error));
    return DLP_OK;
}

static dlp_status check_fabric(const dlp_substance_def *def, dlp_error *error)
{
    const dlp_cloth_def *c = &def->cloth;
    if (!(def->particle_radius > 0)) return dlp_fail(error, DLP_INVALID, "particle.radius: must be > 0");
    if (!(c->weight > 0))
        return dlp_fail(error, DLP_INVALID, "cloth.weight: must be > 0 (got %g)", c->weight);
    const bool is_stiff = c->stretch_warp > 0 && c->stretch_weft > 0 && c->shear >= 0 && c->bend >= 0;
    if (!is_stiff || !(c->damping >= 0 && c->inner_damping >= 0))
        return dlp_fail(error, DLP_INVALID, "cloth: stretch must be > 0; shear, bend and damping >= 0");
    return DLP_OK;
}

static int32_t count_inside(const dlp_cloth *cloth, int32_t substance, int32_t obstacle)
{
    const dlp_body *body = &cloth->params.bodies[obstacle];
    const dlp_transform frame = dlp_body_transform_at(body, 0);
    const dlp_cloth_particles *p = &cloth->state.particles;
    int32_t count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        dlp_vec3 normal;
        if (p->substance[i] == substance)
            count += dlp_body_probe(body, &frame, dlp_cloth_get(p->position, i), &normal) < 0;
    }
    return count;
}

// What starts inside an obstacle is pushed out at once, and pulls at the rest.
static void warn_of_overlap(const dlp_cloth *cloth)
{
    const dlp_solver_context *context = &cloth->params.context;
    const dlp_scene_def *scene = cloth->params.scene;
    for (int32_t s = 0; s < scene->substance_count && context->log != NULL; s++)
        for (int32_t k = 0; k < scene->obstacle_count; k++) {
            const int32_t count =
                scene->substances[s].model == DLP_MODEL_CLOTH ? count_inside(cloth, s, k) : 0;
            char message[256];
            if (count == 0) continue;
            snprintf(message, sizeof message,
                     "%s: %d particles start inside the obstacle %s and are pushed out at once; move one of "
                     "the two",
                     scene->substances[s].name, count, scene->obstacles[k].name);
            context->log(message, context->log_user);
        }
}

static dlp_status build(dlp_cloth *cloth, dlp_error *error)
{
    const dlp_scene_def *scene = cloth->params.scene;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *def = &scene->substances[k];
        if (def->model != DLP_MODEL_CLOTH) continue;
        dlp_status status = check_fabric(def, error);
        if (status == DLP_OK) status = make_substance(cloth, k, error);
        if (status != DLP_OK) return dlp_fail_at(error, status, "substances.%s", def->name);
    }
    DLP_TRY(dlp_cloth_connect(cloth, error));
    DLP_TRY(dlp_cloth_init_contacts(cloth, error));
    const dlp_attachment_view view = dlp_cloth_attachment_view(cloth);
    warn_of_overlap(cloth);
    return dlp_attachments_find(scene, &view, error);
}

// An interval as equal steps.
static void set_clock(dlp_cloth *cloth, double start, double end)
{
    const double dt_limit = dlp_cloth_step_limit(cloth);
    const double steps = fmax(ceil((end - start) / dt_limit * (1 - 1e-9)), 1);
    cloth->state.clock = (dlp_cloth_clock){
        .start = start, .end = end, .step_count = (int32_t)fmin(steps, 1e9), .stride = DLP_CLOTH_STEP_TICKS};
}

static dlp_status init_solver(dlp_cloth *cloth, dlp_error *error)
{
    DLP_TRY(dlp_cloth_reserve_substances(cloth, cloth->params.scene->substance_count, error));
    dlp_cloth_set_fabrics(cloth);
    set_clock(cloth, 0, 1 / cloth->params.scene->frame_rate);
    return build(cloth, error);
}

dlp_status dlp_cloth_create(const dlp_solver_context *context, dlp_cloth **out_cloth, dlp_error *error)
{
    *out_cloth = NULL;
    const dlp_scene_def *scene = &context->conditions->now;
    if (dlp_first_of_model(scene, DLP_MODEL_CLOTH) == NULL) return DLP_OK;
    dlp_cloth *cloth = dlp_alloc(1, sizeof *cloth, "cloth");
    if (cloth == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "cloth: %zu bytes", sizeof *cloth);
    cloth->params = (dlp_cloth_params){.context = *context,
                                       .scene = scene,
                                       .bodies = context->bodies->items,
                                       .team = context->team,
                                       .target = context->target};
    const dlp_status status = init_solver(cloth, error);
    if (status != DLP_OK) {
        dlp_cloth_destroy(cloth);
        return status;
    }
    *out_cloth = cloth;
    return DLP_OK;
}

void dlp_cloth_destroy(dlp_cloth *cloth)
{
    if (cloth == NULL) return;
    dlp_cloth_release(cloth);
    dlp_free(cloth);
}

// Motion.

double dlp_cloth_step_limit(const dlp_cloth *cloth)
{
    return cloth->params.scene->step > 0 ? cloth->params.scene->step : DLP_CLOTH_LONGEST_STEP;
}

void dlp_cloth_begin_span(dlp_cloth *cloth)
{
    const dlp_cloth_particles *p = &cloth->state.particles;
    cloth->state.counts = (dlp_cloth_counts){.dt_min = 1e30};
    dlp_parallel_set(cloth->params.team, p->displacement, 0, 3 * (size_t)p->count * sizeof *p->displacement);
}

void dlp_cloth_begin(dlp_cloth *cloth)
{
    set_clock(cloth, cloth->params.context.clock->start, cloth->params.context.clock->end);
}

// What others ask.

const dlp_cloth_particles *dlp_cloth_particles_of(const dlp_cloth *cloth)
{
    return &cloth->state.particles;
}

const dlp_cloth_triangle *dlp_cloth_rest_triangles(const dlp_cloth *cloth, int32_t *out_count)
{
    *out_count = cloth->params.triangles.count;
    return cloth->params.triangles.rest;
}

const int32_t *dlp_cloth_triangle_corners(const dlp_cloth *cloth)
{
    return cloth->state.corners.corner;
}

const dlp_fabric *dlp_cloth_fabric(const dlp_cloth *cloth, int32_t substance)
{
    return &cloth->params.fabrics[substance];
}

double dlp_cloth_radius(const dlp_cloth *cloth, int32_t particle)
{
    return cloth->params.scene->substances[cloth->state.particles.substance[particle]].particle_radius;
}

void dlp_cloth_change(dlp_cloth *cloth)
{
    dlp_cloth_set_fabrics(cloth);
    double *clearance = cloth->contact.scratch.obstacles.clearance;
    for (int32_t i = 0; i < cloth->state.particles.count; i++) clearance[i] = -1;  // probe anew
}
