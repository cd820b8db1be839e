// A shape filled with particles, and a surface around them.
#include "fixture_shape.h"

#include "base/memory.h"

static dlp_status fill(dlp_shape_fixture *fixture, const dlp_shape_def *shape_def, double spacing,
                       dlp_error *error)
{
    dlp_shape *shape;
    DLP_TRY(dlp_shape_create(shape_def, 3, NULL, &shape, error));
    const dlp_fill_def def = {.spacing = spacing, .dimension = 3, .limit = 20000000};
    const dlp_status status = dlp_shape_fill(shape, &def, &fixture->fill, error);
    dlp_shape_destroy(shape);
    return status;
}

dlp_status dlp_shape_fixture_open(dlp_shape_fixture *fixture, const dlp_shape_def *shape, double spacing,
                                  dlp_error *error)
{
    *fixture = (dlp_shape_fixture){0};
    DLP_TRY(fill(fixture, shape, spacing, error));
    const int32_t count = fixture->fill.count;
    fixture->radii = dlp_alloc((size_t)count, sizeof(float), "body");
    fixture->still = dlp_alloc(3 * (size_t)count, sizeof(float), "body");
    if (fixture->radii == NULL || fixture->still == NULL) {
        dlp_shape_fixture_close(fixture);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "body: no room for %d particles", count);
    }
    for (int32_t k = 0; k < count; k++)
        fixture->radii[k] = (float)cbrt(fixture->fill.volume * 3 / (4 * DLP_PI));
    fixture->particles = (dlp_particle_view){.count = count,
                                             .positions = &fixture->fill.positions->x,
                                             .radii = fixture->radii,
                                             .velocities = fixture->still,
                                             .displacements = fixture->still,
                                             .substance = -1};
    return DLP_OK;
}

void dlp_shape_fixture_close(dlp_shape_fixture *fixture)
{
    dlp_fill_release(&fixture->fill);
    dlp_free(fixture->radii);
    dlp_free(fixture->still);
    *fixture = (dlp_shape_fixture){0};
}

dlp_status dlp_shape_fixture_surface(dlp_surface_kind kind, double spacing, double cell, dlp_team *team,
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
