#include "fixture_world.h"

#include "base/memory.h"
#include "record/film/still.h"

#include <stdio.h>
#include <string.h>

static dlp_status make_world(dlp_lab *lab, const char *const *settings, int32_t thread_count,
                             dlp_error *error)
{
    for (int k = 0; settings != NULL && settings[k] != NULL; k += 2)
        DLP_TRY(dlp_scene_set(lab->scene, settings[k], settings[k + 1], error));
    const dlp_world_options options = {.thread_count = thread_count};
    DLP_TRY(dlp_world_create(lab->scene, &options, &lab->world, error));
    return dlp_lab_look(lab, error);
}

dlp_status dlp_lab_open(dlp_lab *lab, const char *scene, const char *const *settings, int32_t thread_count,
                        dlp_error *error)
{
    *lab = (dlp_lab){0};
    dlp_status status = dlp_scene_read_text(scene, strlen(scene), "experiment", NULL, &lab->scene, error);
    if (status == DLP_OK) status = make_world(lab, settings, thread_count, error);
    if (status != DLP_OK) dlp_lab_close(lab);
    return status;
}

dlp_status dlp_lab_open_bundled(dlp_lab *lab, const char *name, const char *const *settings,
                                int32_t thread_count, dlp_error *error)
{
    *lab = (dlp_lab){0};
    dlp_status status = dlp_scene_read_bundled(name, &lab->scene, error);
    if (status == DLP_OK) status = make_world(lab, settings, thread_count, error);
    if (status != DLP_OK) dlp_lab_close(lab);
    return status;
}

void dlp_lab_close(dlp_lab *lab)
{
    dlp_world_destroy(lab->world);
    dlp_scene_destroy(lab->scene);
    *lab = (dlp_lab){0};
}

dlp_status dlp_lab_run(dlp_lab *lab, double until, dlp_error *error)
{
    const double half_frame = 0.5 / dlp_world_scene(lab->world)->frame_rate;
    while (dlp_world_time(lab->world) < until - half_frame) DLP_TRY(dlp_world_step_frame(lab->world, error));
    return dlp_lab_look(lab, error);
}

dlp_status dlp_lab_look(dlp_lab *lab, dlp_error *error)
{
    static const dlp_field fields[] = {DLP_FIELD_POSITION, DLP_FIELD_VELOCITY, DLP_FIELD_DENSITY,
                                       DLP_FIELD_PRESSURE, DLP_FIELD_MASS,     DLP_FIELD_RADIUS};
    const void *data[6];
    for (int k = 0; k < 6; k++) {
        dlp_view view;
        DLP_TRY(dlp_world_field(lab->world, fields[k], &view, error));
        data[k] = view.data;
        lab->count = view.count;
    }
    lab->x = data[0];
    lab->v = data[1];
    lab->density = data[2];
    lab->pressure = data[3];
    lab->mass = data[4];
    lab->radius = data[5];
    return DLP_OK;
}

dlp_status dlp_lab_keep_places(const dlp_lab *lab, double **out_places, dlp_error *error)
{
    const size_t count = 3 * (size_t)lab->count;
    *out_places = dlp_alloc(count + 1, sizeof **out_places, "report");
    if (*out_places == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "report: no room");
    memcpy(*out_places, lab->x, count * sizeof **out_places);
    return DLP_OK;
}

double dlp_lab_distance(const dlp_lab *a, const dlp_lab *b)
{
    double sum = 0;
    for (int64_t k = 0; k < 3 * (int64_t)a->count; k++) {
        const double d = b->x[k] - a->x[k];
        sum += d * d;
    }
    return sqrt(sum / a->count);
}

double dlp_lab_kinetic_energy(const dlp_lab *lab)
{
    double sum = 0;
    for (int32_t i = 0; i < lab->count; i++) {
        const float *v = lab->v + 3 * (int64_t)i;
        sum += 0.5 * (double)lab->mass[i] * (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sum;
}

dlp_status dlp_lab_picture(dlp_lab *lab, dlp_reproduce *reproduce, const char *name, const char *caption,
                           dlp_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s.png", reproduce->output, reproduce->experiment->id, name);
    dlp_image image = {0};
    DLP_TRY(dlp_still_of_world(lab->world, NULL, &image, error));
    dlp_status status = dlp_png_write(path, &image, error);
    dlp_image_release(&image);
    if (status == DLP_OK) status = dlp_report_picture(reproduce->report, path, caption, error);
    return status == DLP_UNSUPPORTED ? DLP_OK : status;  // a build without pictures reports the numbers
}

double dlp_between(const double *x, const double *y, int32_t count, double at)
{
    if (at <= x[0]) return y[0];
    for (int32_t k = 1; k < count; k++) {
        if (at <= x[k]) return y[k - 1] + (y[k] - y[k - 1]) * (at - x[k - 1]) / (x[k] - x[k - 1]);
    }
    return y[count - 1];
}
