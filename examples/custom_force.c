/* A force of one's own: every drop is drawn to the middle, as by a magnet. */
#include "example.h"

#include <math.h>

static const char scene[] =
    "{\"frames\": {\"rate\": 50, \"count\": 10}, \"gravity\": [0, 0, 0], \"substances\": {\"ferrofluid\": {"
    "\"material\": \"water\", \"particle\": {\"spacing\": 0.02},"
    "\"shape\": {\"box\": {\"min\": [0.2, -0.05, -0.05], \"max\": [0.3, 0.05, 0.05]}}}}}";

/* Called from several threads at once, each time for some of the particles. */
static void attract(const dlp_force_batch *batch, dlp_vec3 *forces, void *user)
{
    const double strength = *(const double *)user; /* m3/s2 */
    for (int32_t k = 0; k < batch->count; k++) {
        const dlp_vec3 x = batch->positions[k];
        const double r2 = x.x * x.x + x.y * x.y + x.z * x.z + 0.01;
        const double pull = -batch->masses[k] * strength / (r2 * sqrt(r2));
        forces[k] = (dlp_vec3){pull * x.x, pull * x.y, pull * x.z};
    }
}

int main(void)
{
    double strength = 0.2;
    dlp_world *world = world_of(scene, NULL);
    EXPECT(dlp_world_set_force(world, 0, attract, &strength, &error));
    for (int frame = 0; frame < 5; frame++) {
        EXPECT(dlp_world_step_frame(world, &error));
        dlp_stats stats = {.size = sizeof stats};
        EXPECT(dlp_world_stats(world, &stats, &error));
        printf("t = %.2f s: moves at %.3f m/s along x\n", stats.time, stats.momentum.x / stats.mass);
    }
    dlp_world_destroy(world);
    return 0;
}
