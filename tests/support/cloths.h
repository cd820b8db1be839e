/* Cloths that several tests share: scenes made by hand, without the world. */
#ifndef DLP_TESTS_CLOTHS_H
#define DLP_TESTS_CLOTHS_H

#include "solo.h"
#include "motion/cloth/cloth_solver.h"
#include "truth.h"

#include <stdlib.h>
#include <string.h>

enum { CLOTH_ATTACHMENTS = 4 };

/* A cloth of one substance, whose fields a test changes before open_cloth. */
typedef struct cloth_setup {
    dlp_scene_def scene;
    dlp_substance_def substance;
    dlp_attachment_def attachments[CLOTH_ATTACHMENTS];
    dlp_track tracks[CLOTH_ATTACHMENTS];
    dlp_team *team;
    dlp_setting *setting;
    dlp_cloth *cloth;
    double time;
} cloth_setup;

static inline double radius_of_spacing(double spacing)
{
    return spacing * cbrt(3 / (4 * DLP_PI));
}

/* A level square sheet of cotton, its normal along z. */
static inline cloth_setup make_cloth(double size, double spacing)
{
    cloth_setup s = {0};
    s.substance = (dlp_substance_def){.name = "cloth", .model = DLP_MODEL_CLOTH};
    s.substance.particle_radius = radius_of_spacing(spacing);
    s.substance.cloth = (dlp_cloth_def){.weight = 0.15,
                                        .thickness = 5e-4,
                                        .width = 0.01,
                                        .stretch_warp = 1000,
                                        .stretch_weft = 1000,
                                        .shear = 60,
                                        .bend = 1e-5};
    s.substance.shape.kind = DLP_SHAPE_SHEET;
    s.substance.shape.axis = dlp_vec(0, 0, 1);
    s.substance.shape.size = dlp_vec(size, size, 0);
    s.scene.dimension = 3;
    s.scene.frame_rate = 60;
    s.scene.gravity = dlp_vec(0, 0, -9.81);
    return s;
}

#define ROPE_WIDTH 1e-3

/* A rope along x from the origin, of so many links. */
static inline cloth_setup make_rope(double length, int32_t links)
{
    cloth_setup s = make_cloth(length, length / links);
    s.substance.shape.size = dlp_vec(length, ROPE_WIDTH, 0);
    s.substance.shape.center = dlp_vec(length / 2, 0, 0);
    s.substance.cloth.bend = 0;
    return s;
}

/* Holds (or loads) what is within `radius` of a point. */
static inline dlp_attachment_def *attach(cloth_setup *s, dlp_vec3 point, double radius)
{
    dlp_attachment_def *a = &s->attachments[s->scene.attachment_count++];
    *a =
        (dlp_attachment_def){.name = "a", .substance = "cloth", .hold = true, .stop = 1e30, .body_index = -1};
    a->shape.kind = DLP_SHAPE_SPHERE;
    a->shape.center = point;
    a->shape.radius = radius;
    return a;
}

static inline void open_cloth_on(cloth_setup *s, int32_t threads, const char *target)
{
    dlp_error error = {0};
    s->scene.substances = &s->substance;
    s->scene.substance_count = 1;
    s->scene.attachments = s->attachments;
    assert_int_equal(dlp_team_create(threads, &s->team, &error), DLP_OK);
    s->setting = make_setting(&s->scene);
    assert_non_null(s->setting);
    const dlp_solver_context context = make_context(s->setting, s->team, target);
    const dlp_status status = dlp_cloth_create(&context, &s->cloth, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
    assert_non_null(s->cloth);
}

static inline void open_cloth(cloth_setup *s)
{
    open_cloth_on(s, 1, NULL);
}

static inline void close_cloth(cloth_setup *s)
{
    dlp_cloth_destroy(s->cloth);
    free_setting(s->setting);
    dlp_team_destroy(s->team);
}

/* One frame of `seconds`. */
static inline void advance_cloth(cloth_setup *s, double seconds)
{
    dlp_error error = {0};
    begin_solo(s->setting, &s->scene, &dlp_cloth_solver, s->cloth, s->time, s->time + seconds);
    const dlp_status status = step_solo(s->setting, &dlp_cloth_solver, s->cloth, INT32_MAX, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
    s->time += seconds;
}

static inline dlp_vec3 place_of(const cloth_setup *s, int32_t i)
{
    return dlp_cloth_get(s->cloth->state.particles.position, i);
}

static inline double fastest_of(const cloth_setup *s)
{
    double fastest = 0;
    for (int32_t i = 0; i < s->cloth->state.particles.count; i++)
        fastest = fmax(fastest, dlp_length(dlp_cloth_get(s->cloth->state.particles.velocity, i)));
    return fastest;
}

#endif
