// A picture from its definition: builds the scene, traces, denoises, and maps light to a screen.
#include "record/render/render.h"
#include "record/palette.h"
#include "record/render/render_parts.h"
#include "base/memory.h"

#include <inttypes.h>

enum { SAMPLE_LIMIT = 1024, SIZE_LIMIT = 16384 };

bool dlp_render_is_available(void)
{
    return dlp_tracer_is_available();
}

// What a caller may get wrong; bad meshes are found when they are added.
static dlp_status check_def(const dlp_render_def *def, dlp_error *error)
{
    if (def->width < 1 || def->height < 1 || def->width > SIZE_LIMIT || def->height > SIZE_LIMIT)
        return dlp_fail(error, DLP_INVALID, "picture: %" PRId32 " x %" PRId32 " pixels; 1 to %d are allowed",
                        def->width, def->height, SIZE_LIMIT);
    if (def->samples < 1 || def->samples > SAMPLE_LIMIT)
        return dlp_fail(error, DLP_INVALID, "picture: %" PRId32 " samples per pixel; 1 to %d are allowed",
                        def->samples, SAMPLE_LIMIT);
    const dlp_camera *camera = &def->camera;
    if (!dlp_is_finite3(camera->eye) || !(camera->scale > 0 && isfinite(camera->scale)) ||
        !(dlp_length(camera->forward) > 0.5))
        return dlp_fail(error, DLP_INVALID, "picture: the camera has no position, direction or scale");
    return DLP_OK;
}

// The scene is needed for the tracing alone, and gone before the picture is made.
static dlp_status render_film(const dlp_render_def *def, const dlp_sky *sky, dlp_film *film, dlp_error *error)
{
    dlp_render_scene *scene;
    DLP_TRY(dlp_render_scene_create(def, sky, &scene, error));
    dlp_status status = dlp_film_init(film, def->width, def->height, error);
    if (status == DLP_OK) {
        dlp_film_render(film, scene, def->samples, def->team);
        if (def->is_denoised) status = dlp_film_denoise(film, def->samples, def->team, error);
    }
    dlp_render_scene_destroy(scene);
    return status;
}

// Writes radiance or a picture; the other is NULL. Rows are independent.
typedef struct image_pass {
    const dlp_film *film;
    float *radiance;  // three per pixel
    dlp_image *image;
} image_pass;

// Both parts of the light are added here, after they were denoised on their own.
static void write_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const image_pass *p = context;
    const dlp_film *film = p->film;
    const size_t first = (size_t)begin * (size_t)film->width, last = (size_t)end * (size_t)film->width;
    for (size_t k = first; k < last; k++) {
        double light[3];
        for (int32_t c = 0; c < 3; c++)
            light[c] = (double)film->light[0][c][k] + (double)film->light[1][c][k];
        if (p->radiance != NULL)
            for (size_t c = 0; c < 3; c++) p->radiance[3 * k + c] = (float)light[c];
        if (p->image == NULL) continue;
        const dlp_vec3 color = dlp_tone(dlp_vec(light[0], light[1], light[2]));
        p->image->pixels[3 * k] = dlp_color_byte(color.x);
        p->image->pixels[3 * k + 1] = dlp_color_byte(color.y);
        p->image->pixels[3 * k + 2] = dlp_color_byte(color.z);
    }
}

dlp_status dlp_render_trace(const dlp_render_def *def, const dlp_sky *sky, float **out_radiance,
                            dlp_error *error)
{
    *out_radiance = NULL;
    DLP_TRY(check_def(def, error));
    dlp_film film = {0};
    dlp_status status = render_film(def, sky, &film, error);
    if (status == DLP_OK) {
        float *radiance =
            dlp_alloc(3 * (size_t)def->width * (size_t)def->height, sizeof *radiance, "pictures");
        if (radiance == NULL) status = dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for its light");
        *out_radiance = radiance;
    }
    if (status == DLP_OK) {
        image_pass p = {&film, *out_radiance, NULL};
        dlp_parallel_for(def->team, def->height, 8, write_rows, &p);
    }
    dlp_film_release(&film);
    return status;
}

dlp_status dlp_render_draw(const dlp_render_def *def, dlp_image *out_image, dlp_error *error)
{
    *out_image = (dlp_image){0};
    DLP_TRY(check_def(def, error));
    dlp_film film = {0};
    dlp_status status = render_film(def, NULL, &film, error);
    if (status == DLP_OK) status = dlp_image_init(out_image, def->width, def->height, 3, error);
    if (status == DLP_OK) {
        image_pass p = {&film, NULL, out_image};
        dlp_parallel_for(def->team, def->height, 8, write_rows, &p);
    }
    dlp_film_release(&film);
    return status;
}
