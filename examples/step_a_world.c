/* Steps a world inside a loop of one's own. */
#include <dollop/dollop.h>

#include <stdio.h>

int main(void)
{
    static dlp_error error;
    dlp_scene *scene = NULL;
    dlp_world *world = NULL;
    if (dlp_scene_read_bundled("drop", &scene, &error) == DLP_OK &&
        dlp_world_create(scene, NULL, &world, &error) == DLP_OK) {
        dlp_view position = {.size = sizeof position};
        for (int step = 0; step < 3 && dlp_world_advance(world, 0.005, &error) == DLP_OK; step++) {
            if (dlp_world_field(world, DLP_FIELD_POSITION, &position, &error) != DLP_OK) break;
            const double *x = position.data;
            printf("t = %.3f s: %d particles, the first at (%.4f, %.4f, %.4f) m\n", dlp_world_time(world),
                   position.count, x[0], x[1], x[2]);
        }
    }
    if (error.status != DLP_OK) fprintf(stderr, "%s\n", error.message);
    dlp_world_destroy(world);
    dlp_scene_destroy(scene);
    return error.status != DLP_OK;
}
