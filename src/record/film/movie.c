// A film: first a look through all frames of the runs, for the box, the ground and the range of colours; then
// pictures, each on its own and in any order.
#include "record/film/movie.h"
#include "record/film/framing.h"
#include "record/film/legend.h"
#include "record/film/frame_render_run.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

// What all pictures share.
struct dlp_movie {
    dlp_movie_def def;  // with sizes and samples filled in
    int32_t run_count;
    dlp_frame_ref *frames;  // ascending by number and time; owned
    int32_t frame_count;
    dlp_box box;            // m: of all runs
    double ground;          // m along up: of all runs
    dlp_color_scale scale;  // of all runs
};

// Frames.

// Index of the last frame of a run at or before `time`; its first where all are later.
static int32_t frame_until(const dlp_run *run, double time)
{
    int32_t k = 0;
    while (k + 1 < run->frame_count && run->frames[k + 1].time <= time * (1 + 1e-9) + 1e-12) k++;
    return k;
}

// A run that has ended shows its last frame.
static void add_frame(dlp_movie *movie, int32_t number, double time)
{
    dlp_frame_ref *frame = &movie->frames[movie->frame_count++];
    *frame = (dlp_frame_ref){.number = number, .time = time};
    for (int32_t k = 0; k < movie->run_count; k++) frame->indices[k] = frame_until(movie->def.runs[k], time);
}

// The frames of the first run, then those of a second one that goes on longer, renumbered where they would
// collide.
static dlp_status list_frames(dlp_movie *movie, dlp_error *error)
{
    const dlp_run *first = movie->def.runs[0], *second = movie->def.runs[1];
    const size_t room = (size_t)first->frame_count + (second != NULL ? (size_t)second->frame_count : 0);
    movie->frames = dlp_alloc(room, sizeof *movie->frames, "pictures");
    if (movie->frames == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "film: no room for %zu frames", room);
    for (int32_t k = 0; k < first->frame_count; k++)
        add_frame(movie, first->frames[k].number, first->frames[k].time);
    if (second == NULL) return DLP_OK;
    const dlp_frame_ref end = movie->frames[movie->frame_count - 1];
    for (int32_t k = 0; k < second->frame_count; k++)
        if (second->frames[k].time > end.time * (1 + 1e-9) + 1e-12) {
            const int32_t next = movie->frames[movie->frame_count - 1].number + 1;
            const int32_t own = second->frames[k].number;
            add_frame(movie, own > next ? own : next, second->frames[k].time);
        }
    return DLP_OK;
}

// The survey: a look through all frames.

// What it finds.
typedef struct survey {
    dlp_movie *movie;
    dlp_framing framing[2];
    dlp_value_pool pool;
    int32_t done, count;  // frames
} survey;

// Nothing where the colours are the scene's.
static dlp_status pool_values(survey *s, const dlp_run *run, const dlp_particle_frame *frame,
                              dlp_error *error)
{
    const dlp_color_field field = s->movie->def.color;
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

// One frame is in memory at a time. The caller may stop between two.
static dlp_status survey_frame(survey *s, int32_t run_index, int32_t index, dlp_error *error)
{
    const dlp_movie_def *def = &s->movie->def;
    const dlp_run *run = def->runs[run_index];
    dlp_particle_frame frame;
    DLP_TRY(dlp_run_read_frame(run, index, &frame, error));
    dlp_status status = dlp_framing_add_frame(&s->framing[run_index], run, &frame, error);
    if (status == DLP_OK) status = pool_values(s, run, &frame, error);
    dlp_particle_frame_release(&frame);
    if (status != DLP_OK) return status;
    s->done++;
    const bool goes_on = def->watch == NULL || def->watch(s->done, s->count, def->user);
    return goes_on ? DLP_OK : dlp_fail(error, DLP_INTERRUPTED, "interrupted");
}

// All frames count, also those that the film will skip, so that a part of a film looks like the whole.
static dlp_status survey_frames(survey *s, dlp_error *error)
{
    dlp_movie *movie = s->movie;
    for (int32_t k = 0; k < movie->run_count; k++) s->count += movie->def.runs[k]->frame_count;
    for (int32_t k = 0; k < movie->run_count; k++) {
        const dlp_run *run = movie->def.runs[k];
        for (int32_t i = 0; i < run->frame_count; i++) DLP_TRY(survey_frame(s, k, i, error));
        dlp_box box;
        double ground;
        DLP_TRY(dlp_framing_run(&s->framing[k], run, &box, &ground, error));
        if (k == 0) movie->box = box;
        movie->ground = k == 0 ? ground : fmin(movie->ground, ground);
        movie->box = (dlp_box){dlp_min3(movie->box.min, box.min), dlp_max3(movie->box.max, box.max)};
    }
    dlp_color_scale_init(&movie->scale, movie->def.color, &s->pool);
    return DLP_OK;
}

static dlp_status survey_runs(dlp_movie *movie, dlp_error *error)
{
    survey s = {.movie = movie};
    const dlp_status status = survey_frames(&s, error);
    dlp_value_pool_release(&s.pool);
    return status;
}

// The film.

// What would fail later, and less clearly.
static dlp_status check_runs(const dlp_movie *movie, dlp_error *error)
{
    const dlp_movie_def *def = &movie->def;
    for (int32_t k = 0; k < movie->run_count; k++)
        if (def->runs[k]->frame_count == 0)
            return dlp_fail(error, DLP_IO, "%s: has no frames in particles/; record.particles may be off",
                            def->runs[k]->folder);
    const int32_t dimension = def->runs[0]->def->dimension;
    if (movie->run_count > 1 && def->runs[1]->def->dimension != dimension)
        return dlp_fail(error, DLP_INVALID, "%s and %s: one is in the plane, the other in space",
                        def->runs[0]->folder, def->runs[1]->folder);
    if (def->kind == DLP_MOVIE_SURFACE && dimension == 2)
        return dlp_fail(error, DLP_INVALID, "%s: is in the plane; surfaces are for scenes in space",
                        def->runs[0]->folder);
    return DLP_OK;
}

// What the definition leaves open is the first scene's.
static dlp_status build_movie(dlp_movie *movie, dlp_error *error)
{
    const dlp_picture_def *picture = &movie->def.runs[0]->def->render;
    if (movie->def.width <= 0) movie->def.width = picture->width;
    if (movie->def.height <= 0) movie->def.height = picture->height;
    if (movie->def.samples <= 0) movie->def.samples = picture->samples;
    movie->run_count = movie->def.runs[1] != NULL ? 2 : 1;
    DLP_TRY(check_runs(movie, error));
    DLP_TRY(list_frames(movie, error));
    return survey_runs(movie, error);
}

dlp_status dlp_movie_create(const dlp_movie_def *def, dlp_movie **out_movie, dlp_error *error)
{
    *out_movie = NULL;
    dlp_movie *movie = dlp_alloc(1, sizeof *movie, "pictures");
    if (movie == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "film: no room");
    movie->def = *def;
    const dlp_status status = build_movie(movie, error);
    if (status != DLP_OK) {
        dlp_movie_destroy(movie);
        return status;
    }
    *out_movie = movie;
    return DLP_OK;
}

void dlp_movie_destroy(dlp_movie *movie)
{
    if (movie == NULL) return;
    dlp_free(movie->frames);
    dlp_free(movie);
}

const dlp_frame_ref *dlp_movie_frames(const dlp_movie *movie, int32_t *out_count)
{
    *out_count = movie->frame_count;
    return movie->frames;
}

const dlp_color_scale *dlp_movie_scale(const dlp_movie *movie)
{
    return &movie->scale;
}

dlp_box dlp_movie_box(const dlp_movie *movie)
{
    return movie->box;
}

// Pictures.

// The legend takes at most a third of the width.
static dlp_status draw_run(const dlp_movie *movie, const dlp_frame_ref *frame, int32_t run,
                           dlp_image *out_image, dlp_error *error)
{
    const dlp_movie_def *def = &movie->def;
    const bool has_legend = movie->scale.field != DLP_COLOR_SUBSTANCE;
    const int32_t legend = has_legend ? dlp_legend_width(&movie->scale, def->height) : 0;
    const dlp_frame_render_def render = {.time = frame->time,
                                         .camera_source = def->runs[0]->def,
                                         .scale = &movie->scale,
                                         .box = movie->box,
                                         .ground = movie->ground,
                                         .width = def->width,
                                         .height = def->height,
                                         .samples = def->samples,
                                         .legend = legend < def->width / 3 ? legend : def->width / 3,
                                         .team = def->team};
    return dlp_frame_render_draw_run(def->runs[run], frame->indices[run], def->kind, &render, out_image,
                                     error);
}

// A caption over each half, the time below.
static dlp_status draw_captions(const dlp_movie *movie, const dlp_frame_ref *frame, dlp_image *image,
                                dlp_error *error)
{
    const int32_t width = movie->def.width;
    for (int32_t k = 0; k < 2; k++)
        if (movie->def.captions[k] != NULL)
            DLP_TRY(dlp_caption_draw(image, movie->def.captions[k], DLP_CAPTION_TOP, k * width,
                                     (k + 1) * width, error));
    char time[32];
    snprintf(time, sizeof time, "%.2f s", frame->time);
    return dlp_caption_draw(image, time, DLP_CAPTION_BOTTOM, 0, image->width, error);
}

// Two pictures of the same size side by side, then the captions over both.
static dlp_status draw_both(const dlp_movie *movie, const dlp_frame_ref *frame, dlp_image *out_image,
                            dlp_error *error)
{
    dlp_image left, right = {0};
    DLP_TRY(draw_run(movie, frame, 0, &left, error));
    dlp_status status = draw_run(movie, frame, 1, &right, error);
    if (status == DLP_OK) status = dlp_image_beside(&left, &right, out_image, error);
    dlp_image_release(&left);
    dlp_image_release(&right);
    return status == DLP_OK ? draw_captions(movie, frame, out_image, error) : status;
}

// The legend is drawn once, over the right end. After a failure the image is empty.
dlp_status dlp_movie_draw(const dlp_movie *movie, int32_t frame, dlp_image *out_image, dlp_error *error)
{
    assert(frame >= 0 && frame < movie->frame_count);
    *out_image = (dlp_image){0};
    const dlp_frame_ref *at = &movie->frames[frame];
    dlp_status status = movie->run_count == 1 ? draw_run(movie, at, 0, out_image, error)
                                              : draw_both(movie, at, out_image, error);
    if (status == DLP_OK && movie->scale.field != DLP_COLOR_SUBSTANCE)
        status = dlp_legend_draw(out_image, &movie->scale, error);
    if (status != DLP_OK) dlp_image_release(out_image);
    return status;
}
