/* What a host does to particles, for the tests of every model: weights as forces, writing back what was read.
 */
#ifndef DLP_TESTS_HOSTS_H
#define DLP_TESTS_HOSTS_H

#include "scenes.h"

#include <stdlib.h>

static const double g = 9.81;

// `user`: the acceleration downwards, m/s2.
static inline void weigh(const dlp_force_batch *batch, dlp_vec3 *forces, void *user)
{
    const double *acceleration = user;
    for (int32_t k = 0; k < batch->count; k++) forces[k].z = -*acceleration * batch->masses[k];
}

static inline dlp_vec3 mean_velocity(dlp_world *world)
{
    const dlp_stats stats = stats_of(world);
    return dlp_mul(stats.momentum, 1 / stats.mass);
}

static inline void write_back(dlp_world *world, dlp_field field)
{
    dlp_error error = {0};
    const dlp_view view = field_of(world, field);
    const int32_t count = dlp_world_particle_count(world);
    const size_t size = size_of_type(view.type) * 3 * (size_t)count;
    void *copy = malloc(size);
    memcpy(copy, view.data, size);
    expect_ok(dlp_world_write(world, field, 0, count, copy, &error), &error);
    free(copy);
}

// The same value is no change: neither order, nor sleep, nor lists, nor any later bit.
static inline void assert_writing_back_changes_nothing(const char *text, const char *name)
{
    setup s = make_setup(text), twin = make_setup(text);
    step_frames(s.world, 3);
    step_frames(twin.world, 3);
    write_back(s.world, DLP_FIELD_POSITION);
    write_back(s.world, DLP_FIELD_VELOCITY);
    assert_same_world(twin.world, s.world, name);
    step_frames(s.world, 2);
    step_frames(twin.world, 2);
    assert_same_world(twin.world, s.world, name);
    release_setup(&s);
    release_setup(&twin);
}

#endif
