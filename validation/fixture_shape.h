/* A shape filled with particles that stand still or are moved by hand: what surfaces are measured on. */
#ifndef DLP_VALIDATION_FIXTURE_SHAPE_H
#define DLP_VALIDATION_FIXTURE_SHAPE_H

#include "skin/surface.h"
#include "space/shape.h"

typedef struct dlp_shape_fixture {
    dlp_fill fill;
    float *radii, *still; /* still: no velocity, no displacement */
    dlp_particle_view particles;
} dlp_shape_fixture;

dlp_status dlp_shape_fixture_open(dlp_shape_fixture *fixture, const dlp_shape_def *shape, double spacing,
                                  dlp_error *error);
void dlp_shape_fixture_close(dlp_shape_fixture *fixture);

/* A surface of this kind around bodies of this spacing, with settings as a scene has them by default. */
dlp_status dlp_shape_fixture_surface(dlp_surface_kind kind, double spacing, double cell, dlp_team *team,
                                     dlp_surface **out_surface, dlp_error *error);

#endif
