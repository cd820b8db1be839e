/* Steps a world inside a loop of one's own and reads where its particles are. */
#include "example.h"

int main(void)
{
    dlp_scene *scene = NULL;
    dlp_world *world = NULL;
    EXPECT(dlp_scene_read_bundled("drop", &scene, &error));
    EXPECT(dlp_world_create(scene, NULL, &world, &error));
    for (int step = 0; step < 3; step++) {
        EXPECT(dlp_world_advance(world, 0.005, &error));
        dlp_view position = {.size = sizeof position}; /* valid until the world moves on */
        EXPECT(dlp_world_field(world, DLP_FIELD_POSITION, &position, &error));
        const double *x = position.data;
        printf("t = %.3f s: %d particles, the first at (%.4f, %.4f, %.4f) m\n", dlp_world_time(world),
               position.count, x[0], x[1], x[2]);
    }
    dlp_world_destroy(world);
    dlp_scene_destroy(scene);
    return 0;
}
