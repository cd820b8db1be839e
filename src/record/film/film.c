#include "record/film/film.h"
#include "record/film/framing.h"
#include "record/film/legend.h"
#include "record/film/shot.h"
#include "record/render/render.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

struct dlp_film {
    dlp_film_def def; /* sizes and samples chosen */
    int32_t run_count;
    dlp_moment *moments;
    int32_t moment_count;
    dlp_box box;
    dlp_scale scale;
};

// Moments.

// The last frame of a run at or before `time`; its first where all are later.
static int32_t frame_until(const dlp_run *run, double time)
{
    int32_t k = 0;
    while (k + 1 < run->frame_count && run->frames[k + 1].time <= time * (1 + 1e-9) + 1e-12) k++;
    return k;
}

static void add_moment(dlp_film *film, int32_t number, double time)
{
    dlp_moment *moment = &film->moments[film->moment_count++];
    *moment = (dlp_moment){.number = number, .time = time};
    for (int32_t k = 0; k < film->run_count; k++) moment->indices[k] = frame_until(film->def.runs[k], time);
}

static dlp_status list_moments(dlp_film *film, dlp_error *error)
{
    const dlp_run *first = film->def.runs[0], *second = film->def.runs[1];
    const size_t room = (size_t)first->frame_count + (second != NULL ? (size_t)second->frame_count : 0);
    film->moments = dlp_alloc(room, sizeof *film->moments, "pictures");
    if (film->moments == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "film: no room for %zu frames", room);
    for (int32_t k = 0; k < first->frame_count; k++)
        add_moment(film, first->frames[k].number, first->frames[k].time);
    if (second == NULL) return DLP_OK;
    const dlp_moment end = film->moments[film->moment_count - 1];
    for (int32_t k = 0; k < second->frame_count; k++)
        if (second->frames[k].time > end.time * (1 + 1e-9) + 1e-12) {
            const int32_t next = film->moments[film->moment_count - 1].number + 1;
            const int32_t own = second->frames[k].number;
            add_moment(film, own > next ? own : next, second->frames[k].time);
        }
    return DLP_OK;
}

// The look through all frames.

typedef struct survey {
    dlp_film *film;
    dlp_framing framing[2];
    dlp_value_pool pool;
    int32_t done, count; /* frames */
} survey;

static dlp_status pool_values(survey *s, const dlp_run *run, const dlp_particle_frame *frame,
                              dlp_error *error)
{
    const dlp_color_field field = s->film->def.color;
    if (field == DLP_COLOR_SUBSTANCE) return DLP_OK;
    if (field == DLP_COLOR_TEMPERATURE && frame->temperatures == NULL)
        return dlp_fail(error, DLP_INVALID, "%s: has no temperatures; colour it by another field",
                        run->folder);
    float *values = dlp_alloc((size_t)frame->count, sizeof *values, "pictures");
    if (values == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "film: no room for %" PRId32 " values", frame->count);
    dlp_color_field_values(field, frame, run->def, values);
    const dlp_status status = dlp_value_pool_add(&s->pool, values, frame->count, error);
    dlp_free(values);
    return status;
}

static dlp_status survey_frame(survey *s, int32_t run_index, int32_t index, dlp_error *error)
{
    const dlp_film_def *def = &s->film->def;
    const dlp_run *run = def->runs[run_index];
    dlp_particle_frame frame;
    DLP_TRY(dlp_run_read_frame(run, index, &frame, error));
    dlp_framing_add(&s->framing[run_index], &frame);
    const dlp_status status = pool_values(s, run, &frame, error);
    dlp_particle_frame_release(&frame);
    if (status != DLP_OK) return status;
    s->done++;
    const bool goes_on = def->watch == NULL || def->watch(s->done, s->count, def->user);
    return goes_on ? DLP_OK : dlp_fail(error, DLP_INTERRUPTED, "interrupted");
}

static dlp_status survey_frames(survey *s, dlp_error *error)
{
    dlp_film *film = s->film;
    for (int32_t k = 0; k < film->run_count; k++) s->count += film->def.runs[k]->frame_count;
    for (int32_t k = 0; k < film->run_count; k++) {
        const dlp_run *run = film->def.runs[k];
        for (int32_t i = 0; i < run->frame_count; i++) DLP_TRY(survey_frame(s, k, i, error));
        dlp_box box;
        DLP_TRY(dlp_framing_box(&s->framing[k], run, &box, error));
        if (k == 0) film->box = box;
        film->box = (dlp_box){dlp_min3(film->box.min, box.min), dlp_max3(film->box.max, box.max)};
    }
    dlp_scale_init(&film->scale, film->def.color, &s->pool);
    return DLP_OK;
}

static dlp_status look_through(dlp_film *film, dlp_error *error)
{
    survey s = {.film = film};
    const dlp_status status = survey_frames(&s, error);
    dlp_value_pool_release(&s.pool);
    return status;
}

// The film.

static dlp_status check_runs(const dlp_film *film, dlp_error *error)
{
    const dlp_film_def *def = &film->def;
    for (int32_t k = 0; k < film->run_count; k++)
        if (def->runs[k]->frame_count == 0)
            return dlp_fail(error, DLP_IO, "%s: has no frames in particles/; record.particles may be off",
                            def->runs[k]->folder);
    const int32_t dimension = def->runs[0]->def->dimension;
    if (film->run_count > 1 && def->runs[1]->def->dimension != dimension)
        return dlp_fail(error, DLP_INVALID, "%s and %s: one is in the plane, the other in space",
                        def->runs[0]->folder, def->runs[1]->folder);
    if (def->kind == DLP_FILM_SURFACE && dimension == 2)
        return dlp_fail(error, DLP_INVALID, "%s: is in the plane; surfaces are for scenes in space",
                        def->runs[0]->folder);
    if (def->kind == DLP_FILM_SURFACE && !dlp_render_is_available())
        return dlp_fail(
            error, DLP_UNSUPPORTED,
            "surfaces: this build has no Embree; install it (Debian: libembree-dev), configure and "
            "build again, or take --as particles");
    return DLP_OK;
}

static dlp_status build_film(dlp_film *film, dlp_error *error)
{
    const dlp_picture_def *picture = &film->def.runs[0]->def->render;
    if (film->def.width <= 0) film->def.width = picture->width;
    if (film->def.height <= 0) film->def.height = picture->height;
    if (film->def.samples <= 0) film->def.samples = picture->samples;
    film->run_count = film->def.runs[1] != NULL ? 2 : 1;
    DLP_TRY(check_runs(film, error));
    DLP_TRY(list_moments(film, error));
    return look_through(film, error);
}

dlp_status dlp_film_create(const dlp_film_def *def, dlp_film **out_film, dlp_error *error)
{
    *out_film = NULL;
    dlp_film *film = dlp_alloc(1, sizeof *film, "pictures");
    if (film == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "film: no room");
    film->def = *def;
    const dlp_status status = build_film(film, error);
    if (status != DLP_OK) {
        dlp_film_destroy(film);
        return status;
    }
    *out_film = film;
    return DLP_OK;
}

void dlp_film_destroy(dlp_film *film)
{
    if (film == NULL) return;
    dlp_free(film->moments);
    dlp_free(film);
}

const dlp_moment *dlp_film_moments(const dlp_film *film, int32_t *out_count)
{
    *out_count = film->moment_count;
    return film->moments;
}

const dlp_scale *dlp_film_scale(const dlp_film *film)
{
    return &film->scale;
}

dlp_box dlp_film_box(const dlp_film *film)
{
    return film->box;
}

// Pictures.

static dlp_status draw_run(const dlp_film *film, const dlp_moment *moment, int32_t run, dlp_image *out_image,
                           dlp_error *error)
{
    const dlp_film_def *def = &film->def;
    const dlp_shot_def shot = {.run = def->runs[run],
                               .index = moment->indices[run],
                               .time = moment->time,
                               .director = def->runs[0],
                               .kind = def->kind,
                               .scale = &film->scale,
                               .box = film->box,
                               .width = def->width,
                               .height = def->height,
                               .samples = def->samples,
                               .team = def->team};
    return dlp_shot_draw(&shot, out_image, error);
}

static dlp_status draw_captions(const dlp_film *film, const dlp_moment *moment, dlp_image *image,
                                dlp_error *error)
{
    const int32_t width = film->def.width;
    for (int32_t k = 0; k < 2; k++)
        if (film->def.captions[k] != NULL)
            DLP_TRY(dlp_caption_draw(image, film->def.captions[k], DLP_CAPTION_TOP, k * width,
                                     (k + 1) * width, error));
    char time[32];
    snprintf(time, sizeof time, "%.2f s", moment->time);
    return dlp_caption_draw(image, time, DLP_CAPTION_BOTTOM, 0, image->width, error);
}

static dlp_status draw_both(const dlp_film *film, const dlp_moment *moment, dlp_image *out_image,
                            dlp_error *error)
{
    dlp_image left, right = {0};
    DLP_TRY(draw_run(film, moment, 0, &left, error));
    dlp_status status = draw_run(film, moment, 1, &right, error);
    if (status == DLP_OK) status = dlp_image_beside(&left, &right, out_image, error);
    dlp_image_release(&left);
    dlp_image_release(&right);
    return status == DLP_OK ? draw_captions(film, moment, out_image, error) : status;
}

dlp_status dlp_film_draw(const dlp_film *film, int32_t moment, dlp_image *out_image, dlp_error *error)
{
    *out_image = (dlp_image){0};
    const dlp_moment *at = &film->moments[moment];
    dlp_status status = film->run_count == 1 ? draw_run(film, at, 0, out_image, error)
                                             : draw_both(film, at, out_image, error);
    if (status == DLP_OK && film->scale.field != DLP_COLOR_SUBSTANCE)
        status = dlp_legend_draw(out_image, &film->scale, error);
    if (status != DLP_OK) dlp_image_release(out_image);
    return status;
}
