/* A sub-step after which something is not finite, or faster than anything can be, has not happened: all goes
 * back to where it began, and a sub-step half as long is made. Where that never helps, the failure is
 * explained, and the state is that of the last good sub-step. */
#include "motion/solid/solid_contact.h"

#include <string.h>

enum { GRAIN = 1024 };

// The state as a sub-step begins.

void dlp_solid_begin_step(dlp_solid *solid)
{
    solid->scratch.is_spare_begun = false;
    solid->scratch.begun_stiffening = solid->state.stiffening;
}

static bool can_flow(const dlp_solid *solid)
{
    for (int32_t k = 0; k < solid->params.scene->substance_count; k++)
        if (solid->params.scene->substances[k].solid.yield > 0) return true;
    return false;
}

static void copy(float *to, const float *from, int32_t components, int32_t begin, int32_t end)
{
    const size_t first = (size_t)components * (size_t)begin;
    memcpy(to + first, from + first, (size_t)components * (size_t)(end - begin) * sizeof *to);
}

void dlp_solid_keep_rotations(dlp_solid *solid, int32_t begin, int32_t end)
{
    copy(solid->scratch.begun_rotation, solid->state.particles.rotation, 4, begin, end);
    if (can_flow(solid)) copy(solid->scratch.begun_plastic, solid->state.particles.plastic, 9, begin, end);
}

static void restore_rotations(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid *solid = context;
    copy(solid->state.particles.rotation, solid->scratch.begun_rotation, 4, begin, end);
    if (can_flow(solid)) copy(solid->state.particles.plastic, solid->scratch.begun_plastic, 9, begin, end);
}

void dlp_solid_exchange(dlp_solid *solid)
{
    dlp_solid_moved *spare = &solid->scratch.spare;
    assert(spare->position != NULL && spare->position != solid->state.particles.position);
#define X(name, type, components, per)                                                                       \
    type *name = solid->state.particles.name;                                                                \
    solid->state.particles.name = spare->name;                                                               \
    spare->name = name;
    DLP_SOLID_MOVED_FIELDS(X)
#undef X
    solid->scratch.is_spare_begun = !solid->scratch.is_spare_begun;
}

static void restore(dlp_solid *solid)
{
    if (solid->scratch.is_spare_begun) dlp_solid_exchange(solid);
    dlp_parallel_for(solid->params.team, solid->state.particles.count, GRAIN, restore_rotations, solid);
    solid->state.stiffening = solid->scratch.begun_stiffening;
    dlp_solid_contact_forget(solid);
}

// Failures.

// Zero times what is finite is zero.
static bool is_strain_finite(const dlp_solid *solid, int32_t i, bool flows)
{
    const float *q = solid->state.particles.rotation + 4 * (int64_t)i,
                *g = solid->state.particles.plastic + 9 * (int64_t)i;
    float sum = 0 * q[0] + 0 * q[1] + 0 * q[2] + 0 * q[3];
    for (int k = 0; k < 9 && flows; k++) sum += 0 * g[k];
    return sum == 0;
}

static void find_failures(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_solid *solid = context;
    const bool flows = can_flow(solid);
    int32_t *first = result;
    for (int32_t i = begin; i < end && i < *first; i++)
        if (!dlp_solid_can_move(solid, i, dlp_solid_get(solid->state.particles.velocity, i)) ||
            !is_strain_finite(solid, i, flows))
            *first = i;
}

int32_t dlp_solid_find_failure(dlp_solid *solid)
{
    int32_t first = INT32_MAX;
    const dlp_reduction searching = {find_failures, dlp_combine_min_int32, solid, sizeof first};
    dlp_parallel_reduce(solid->params.team, solid->state.particles.count, GRAIN, &searching, &first);
    return first < INT32_MAX ? first : -1;
}

static dlp_status explain(const dlp_solid *solid, int32_t i, dlp_vec3 velocity, dlp_error *error)
{
    const dlp_substance_def *def = &solid->params.scene->substances[solid->state.particles.substance[i]];
    const bool is_finite = dlp_is_finite3(velocity), is_fast = !dlp_solid_can_move(solid, i, velocity);
    return dlp_fail(
        error, DLP_DIVERGED,
        "time %.6g s: %s: %s of particle %lld %s; raise `solid.substeps`, or look at what pushes it",
        dlp_solid_time(solid), def->name, is_fast ? "velocity" : "strain",
        (long long)solid->state.particles.id[i], is_fast && is_finite ? "runs away" : "is not finite");
}

dlp_status dlp_solid_try_again(dlp_solid_pass *pass, int32_t failed, dlp_vec3 velocity, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_clock *clock = &solid->state.clock;
    restore(solid);
    // what others solve in the place of the particles' own constraints is not kept
    if (clock->stride == 1 || solid->topology.mesh != NULL) return explain(solid, failed, velocity, error);
    do clock->stride /= 2;
    while (clock->stride > 1 && dlp_solid_step_length(solid) >= pass->step);  // one that was cut short
    return DLP_OK;
}
