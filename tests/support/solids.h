/* Solids that several tests share: scenes made by hand, without the world. */
#ifndef DLP_TESTS_SOLIDS_H
#define DLP_TESTS_SOLIDS_H

#include "solo.h"
#include "motion/solid/solid_sweep.h"
#include "truth.h"

#include <stdlib.h>
#include <string.h>

enum { SOLID_ATTACHMENTS = 4 };

/* Solids of one substance, whose fields a test changes before open_solid. */
typedef struct solid_setup {
    dlp_scene_def scene;
    dlp_substance_def substance;
    dlp_attachment_def attachments[SOLID_ATTACHMENTS];
    dlp_team *team;
    dlp_setting *setting;
    dlp_solid *solid;
    double time;
} solid_setup;

/* A box from the origin, of a material like rubber. */
static inline solid_setup make_box(dlp_vec3 size, double spacing)
{
    solid_setup s = {0};
    s.substance = (dlp_substance_def){.name = "body", .model = DLP_MODEL_SOLID, .density = 1000};
    s.substance.particle_radius = spacing * cbrt(3 / (4 * DLP_PI));
    s.substance.lattice = DLP_LATTICE_CUBIC;
    s.substance.solid =
        (dlp_solid_def){.youngs_modulus = 1e6, .poisson_ratio = 0.3, .hourglass = -1, .plastic_limit = 1e30};
    s.substance.shape.kind = DLP_SHAPE_BOX;
    s.substance.shape.max = size;
    s.scene.dimension = 3;
    s.scene.frame_rate = 60;
    s.scene.gravity = dlp_vec(0, 0, -9.81);
    return s;
}

/* Holds what starts in a box. */
static inline dlp_attachment_def *hold_box(solid_setup *s, dlp_vec3 min, dlp_vec3 max)
{
    dlp_attachment_def *a = &s->attachments[s->scene.attachment_count++];
    *a = (dlp_attachment_def){.name = "a", .substance = "body", .hold = true, .stop = 1e30, .body_index = -1};
    a->shape.kind = DLP_SHAPE_BOX;
    a->shape.min = min;
    a->shape.max = max;
    return a;
}

static inline void open_solid_on(solid_setup *s, int32_t threads, const char *target)
{
    dlp_error error = {0};
    s->scene.substances = &s->substance;
    s->scene.substance_count = 1;
    s->scene.attachments = s->attachments;
    assert_int_equal(dlp_team_create(threads, &s->team, &error), DLP_OK);
    s->setting = make_setting(&s->scene);
    assert_non_null(s->setting);
    const dlp_solver_context context = make_context(s->setting, s->team, target);
    const dlp_status status = dlp_solid_create(&context, &s->solid, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
    assert_non_null(s->solid);
}

static inline void open_solid(solid_setup *s)
{
    open_solid_on(s, 1, NULL);
}

static inline void close_solid(solid_setup *s)
{
    dlp_solid_destroy(s->solid);
    free_setting(s->setting);
    dlp_team_destroy(s->team);
}

/* One frame of `seconds`. */
static inline void advance_solid(solid_setup *s, double seconds)
{
    dlp_error error = {0};
    begin_solo(s->setting, &s->scene, &dlp_solid_solver, s->solid, s->time, s->time + seconds);
    const dlp_status status = step_solo(s->setting, &dlp_solid_solver, s->solid, INT32_MAX, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
    s->time += seconds;
}

/* At sixty frames a second. */
static inline void settle(solid_setup *s, double seconds)
{
    for (int32_t k = 0; k < (int32_t)(60 * seconds); k++) advance_solid(s, 1.0 / 60);
}

static inline dlp_vec3 place_of(const solid_setup *s, int32_t i)
{
    return dlp_solid_get(s->solid->state.particles.position, i);
}

#endif
