#include "fixture_shape.h"

#include "base/memory.h"

static dlp_status fill(dlp_body *body, const dlp_shape_def *shape_def, double spacing, dlp_error *error)
{
    dlp_shape *shape;
    DLP_TRY(dlp_shape_create(shape_def, 3, NULL, &shape, error));
    const dlp_fill_def def = {.spacing = spacing, .dimension = 3, .limit = 20000000};
    const dlp_status status = dlp_shape_fill(shape, &def, &body->fill, error);
    dlp_shape_destroy(shape);
    return status;
}

dlp_status dlp_body_open(dlp_body *body, const dlp_shape_def *shape, double spacing, dlp_error *error)
{
    *body = (dlp_body){0};
    DLP_TRY(fill(body, shape, spacing, error));
    const int32_t count = body->fill.count;
    body->radii = dlp_alloc((size_t)count, sizeof(float), "body");
    body->still = dlp_alloc(3 * (size_t)count, sizeof(float), "body");
    if (body->radii == NULL || body->still == NULL) {
        dlp_body_close(body);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "body: no room for %d particles", count);
    }
    for (int32_t k = 0; k < count; k++) body->radii[k] = (float)cbrt(body->fill.volume * 3 / (4 * DLP_PI));
    body->matter = (dlp_matter){.count = count,
                                .positions = &body->fill.positions->x,
                                .radii = body->radii,
                                .velocities = body->still,
                                .displacements = body->still,
                                .substance = -1};
    return DLP_OK;
}

void dlp_body_close(dlp_body *body)
{
    dlp_fill_release(&body->fill);
    dlp_free(body->radii);
    dlp_free(body->still);
    *body = (dlp_body){0};
}

dlp_status dlp_body_surface(dlp_surface_kind kind, double spacing, double cell, dlp_team *team,
                            dlp_surface **out_surface, dlp_error *error)
{
    dlp_surface_settings settings = {.kind = kind,
                                     .cell = cell,
                                     .spacing = spacing,
                                     .memory = 4,
                                     .smoothing = 0.7,
                                     .volume = 0.25,
                                     .team = team};
    DLP_TRY(dlp_target_choose(NULL, &settings.target, error));
    return dlp_surface_create(&settings, out_surface, error);
}
