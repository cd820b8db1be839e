/* How fast scenes are read and checked: every bundled one, over and over for about a second. */
#include "bench_case.h"

#include "base/wall_clock.h"
#include "scene/scene.h"

#include <string.h>

typedef struct load_count {
    double bytes, scenes, seconds;
} load_count;

static dlp_status load_once(const dlp_bundled_scene *bundled, load_count *count, dlp_error *error)
{
    dlp_scene *scene = NULL;
    const size_t length = strlen(bundled->text);
    DLP_TRY(dlp_scene_read_text(bundled->text, length, bundled->name, NULL, &scene, error));
    const dlp_status status = dlp_scene_check(scene, error);
    dlp_scene_destroy(scene);
    count->bytes += (double)length;
    count->scenes += 1;
    return status;
}

static dlp_status load_all(load_count *count, dlp_error *error)
{
    int32_t bundled_count = 0;
    const dlp_bundled_scene *bundled = dlp_bundled_scenes(&bundled_count);
    if (bundled_count == 0) return dlp_fail(error, DLP_UNSUPPORTED, "scene-load: no scenes are bundled");
    const double start = dlp_seconds_now();
    while (count->seconds < 1) {
        for (int32_t k = 0; k < bundled_count; k++) DLP_TRY(load_once(&bundled[k], count, error));
        count->seconds = dlp_seconds_now() - start;
    }
    return DLP_OK;
}

static dlp_status run(dlp_bench *bench, dlp_error *error)
{
    load_count count = {0};
    DLP_TRY(load_all(&count, error));
    const dlp_finding time =
        dlp_finding_number("time", "to read and check a scene", 1e6 * count.seconds / count.scenes, "us");
    const dlp_finding rate =
        dlp_finding_number("rate", "of scene text", 1e-6 * count.bytes / count.seconds, "MB/s");
    dlp_bench_add(bench, &time);
    dlp_bench_add(bench, &rate);
    return DLP_OK;
}

const dlp_bench_case dlp_bench_scene_load = {
    .name = "scene-load",
    .what = "reading and checking the bundled scenes",
    .run = run,
};
