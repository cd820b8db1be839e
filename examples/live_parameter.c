/* Changes parameters while a world moves, and lists those that may be changed. */
#include "example.h"

static const char scene[] = "{\"frames\": {\"rate\": 50, \"count\": 10}, \"substances\": {\"syrup\": {"
                            "\"material\": \"honey\", \"particle\": {\"spacing\": 0.02},"
                            "\"shape\": {\"sphere\": {\"center\": [0, 0, 0.2], \"radius\": 0.1}}}}}";

static void list_live_parameters(const dlp_world *world)
{
    dlp_scene *copy = NULL;
    int32_t count = 0, shown = 0;
    EXPECT(dlp_world_copy_scene(world, &copy, &error));
    EXPECT(dlp_scene_parameter_count(copy, &count, &error));
    for (int32_t k = 0; k < count && shown < 5; k++) {
        dlp_parameter_info info = {.size = sizeof info};
        EXPECT(dlp_scene_parameter(copy, k, &info, &error));
        if (!info.is_live) continue;
        printf("  %s = %s %s, from %g to %g: %s\n", info.path, info.value, info.unit, info.min, info.max,
               info.help);
        shown++;
    }
    dlp_scene_destroy(copy);
}

int main(void)
{
    dlp_world *world = world_of(scene, NULL);
    printf("some parameters that may change while it moves:\n");
    list_live_parameters(world);
    for (int frame = 0; frame < 4; frame++) {
        const double gravity[3] = {0, 0, frame < 2 ? -9.81 : 0}; /* falls, then drifts on */
        EXPECT(dlp_world_set_numbers(world, "gravity", gravity, 3, &error));
        EXPECT(dlp_world_step_frame(world, &error));
        dlp_stats stats = {.size = sizeof stats};
        EXPECT(dlp_world_stats(world, &stats, &error));
        printf("t = %.2f s: falls at %.4f m/s\n", stats.time, -stats.momentum.z / stats.mass);
    }
    EXPECT(dlp_world_reset(world, &error)); /* back to the start, with the parameters as they are now */
    printf("after a reset: t = %g s\n", dlp_world_time(world));
    dlp_world_destroy(world);
    return 0;
}
