/* Pushes a paddle through water as a game would move it, and reads the force that the water exerts on it. */
#include "example.h"

static const char scene[] =
    "{\"frames\": {\"rate\": 50, \"count\": 10}, \"substances\": {\"water\": {\"material\": \"water\","
    "\"particle\": {\"spacing\": 0.02}, \"shape\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.2, "
    "0.12]}}}},"
    "\"obstacles\": [{\"name\": \"tank\", \"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.2, 0.3], "
    "\"inside\": true}},"
    "{\"name\": \"paddle\", \"box\": {\"min\": [-0.06, 0.02, 0.02], \"max\": [-0.02, 0.18, 0.3]}}]}";

int main(void)
{
    const dlp_world_options options = {.size = sizeof options, .measures_loads = true};
    dlp_world *world = world_of(scene, &options);
    int32_t paddle = -1;
    EXPECT(dlp_world_item_find(world, DLP_ITEM_OBSTACLE, "paddle", &paddle, &error));
    for (int step = 1; step <= 6; step++) {
        const dlp_pose pose = {.position = {0.02 * step, 0, 0}}; /* 1 m/s along x */
        EXPECT(dlp_world_move_body(world, paddle, &pose, &error));
        EXPECT(dlp_world_advance(world, 0.02, &error)); /* it is there at the end of this */
        dlp_body_info body = {.size = sizeof body};
        dlp_body_force load = {.size = sizeof load};
        EXPECT(dlp_world_body(world, paddle, &body, &error));
        EXPECT(dlp_world_body_force(world, paddle, NULL, &load, &error));
        printf("t = %.2f s: %s at x = %.2f m, force %.1f N\n", dlp_world_time(world), body.name,
               body.pose.position.x, load.mean_force.x);
    }
    dlp_world_destroy(world);
    return 0;
}
