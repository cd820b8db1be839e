// Opens, runs and looks at a world for an experiment.
#include "fixture_world.h"

#include "base/memory.h"
#include "record/film/thumbnail.h"

#include <stdio.h>
#include <string.h>

static dlp_status make_world(dlp_fixture *fixture, const char *const *settings, int32_t thread_count,
                             dlp_error *error)
{
    for (int k = 0; settings != NULL && settings[k] != NULL; k += 2)
        DLP_TRY(dlp_scene_set(fixture->scene, settings[k], settings[k + 1], error));
    const dlp_world_options options = {.size = sizeof options, .thread_count = thread_count};
    DLP_TRY(dlp_world_create(fixture->scene, &options, &fixture->world, error));
    return dlp_fixture_look(fixture, error);
}

dlp_status dlp_fixture_open(dlp_fixture *fixture, const char *scene, const char *const *settings,
                            int32_t thread_count, dlp_error *error)
{
    *fixture = (dlp_fixture){0};
    dlp_status status = dlp_scene_read_text(scene, strlen(scene), "experiment", NULL, &fixture->scene, error);
    if (status == DLP_OK) status = make_world(fixture, settings, thread_count, error);
    if (status != DLP_OK) dlp_fixture_close(fixture);
    return status;
}

dlp_status dlp_fixture_open_bundled(dlp_fixture *fixture, const char *name, const char *const *settings,
                                    int32_t thread_count, dlp_error *error)
{
    *fixture = (dlp_fixture){0};
    dlp_status status = dlp_scene_read_bundled(name, &fixture->scene, error);
    if (status == DLP_OK) status = make_world(fixture, settings, thread_count, error);
    if (status != DLP_OK) dlp_fixture_close(fixture);
    return status;
}

void dlp_fixture_close(dlp_fixture *fixture)
{
    dlp_world_destroy(fixture->world);
    dlp_scene_destroy(fixture->scene);
    *fixture = (dlp_fixture){0};
}

dlp_status dlp_fixture_run(dlp_fixture *fixture, double until, dlp_error *error)
{
    const double half_frame = 0.5 / dlp_world_scene(fixture->world)->frame_rate;
    while (dlp_world_time(fixture->world) < until - half_frame)
        DLP_TRY(dlp_world_step_frame(fixture->world, error));
    return dlp_fixture_look(fixture, error);
}

dlp_status dlp_fixture_look(dlp_fixture *fixture, dlp_error *error)
{
    static const dlp_field fields[] = {DLP_FIELD_POSITION, DLP_FIELD_VELOCITY, DLP_FIELD_DENSITY,
                                       DLP_FIELD_PRESSURE, DLP_FIELD_MASS,     DLP_FIELD_RADIUS};
    const void *data[6];
    for (int k = 0; k < 6; k++) {
        dlp_view view = {.size = sizeof view};
        DLP_TRY(dlp_world_field(fixture->world, fields[k], &view, error));
        data[k] = view.data;
        fixture->count = view.count;
    }
    fixture->x = data[0];
    fixture->v = data[1];
    fixture->density = data[2];
    fixture->pressure = data[3];
    fixture->mass = data[4];
    fixture->radius = data[5];
    return DLP_OK;
}

dlp_status dlp_fixture_keep_places(const dlp_fixture *fixture, double **out_places, dlp_error *error)
{
    const size_t count = 3 * (size_t)fixture->count;
    *out_places = dlp_alloc(count + 1, sizeof **out_places, "report");
    if (*out_places == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "report: no room");
    memcpy(*out_places, fixture->x, count * sizeof **out_places);
    return DLP_OK;
}

double dlp_fixture_distance(const dlp_fixture *a, const dlp_fixture *b)
{
    double sum = 0;
    for (int64_t k = 0; k < 3 * (int64_t)a->count; k++) {
        const double d = b->x[k] - a->x[k];
        sum += d * d;
    }
    return sqrt(sum / a->count);
}

double dlp_fixture_kinetic_energy(const dlp_fixture *fixture)
{
    double sum = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        const float *v = fixture->v + 3 * (int64_t)i;
        sum += 0.5 * (double)fixture->mass[i] * (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sum;
}

dlp_status dlp_fixture_picture(dlp_fixture *fixture, dlp_reproduce *reproduce, const char *name,
                               const char *caption, dlp_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s.png", reproduce->output, reproduce->experiment->id, name);
    dlp_image image = {0};
    DLP_TRY(dlp_thumbnail_of_world(fixture->world, NULL, &image, error));
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
