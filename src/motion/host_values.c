#include "motion/host_values.h"
#include "motion/world.h"

#include <assert.h>
#include <string.h>

dlp_vec3 dlp_host_vector(dlp_field field, const void *values, int32_t k)
{
    const int64_t at = 3 * (int64_t)k;
    assert(field == DLP_FIELD_POSITION || field == DLP_FIELD_VELOCITY);
    if (field == DLP_FIELD_POSITION) {
        const double *x = (const double *)values + at;
        return dlp_vec(x[0], x[1], x[2]);
    }
    const float *v = (const float *)values + at;
    return dlp_vec((double)v[0], (double)v[1], (double)v[2]);
}

bool dlp_host_is_shown(dlp_field field, const void *values, int32_t k, dlp_vec3 shown)
{
    const float velocity[3] = {(float)shown.x, (float)shown.y, (float)shown.z};
    const double position[3] = {shown.x, shown.y, shown.z};
    if (field == DLP_FIELD_VELOCITY)
        return memcmp((const float *)values + 3 * (int64_t)k, velocity, sizeof velocity) == 0;
    return memcmp((const double *)values + 3 * (int64_t)k, position, sizeof position) == 0;
}

dlp_status dlp_host_check_finite(dlp_field field, int32_t particle, dlp_vec3 v, dlp_error *error)
{
    if (dlp_is_finite3(v)) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "%s: particle %d: (%g, %g, %g) is not finite", dlp_field_name(field),
                    particle, v.x, v.y, v.z);
}

static dlp_status check_vector(dlp_field field, int32_t particle, dlp_vec3 v, dlp_error *error)
{
    DLP_TRY(dlp_host_check_finite(field, particle, v, error));
    const double largest = fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
    if (field == DLP_FIELD_POSITION && !(largest <= DLP_HOST_DISTANCE_LIMIT))
        return dlp_fail(error, DLP_INVALID,
                        "position: particle %d: %g m from the origin; at most %g m are "
                        "allowed",
                        particle, largest, DLP_HOST_DISTANCE_LIMIT);
    if (field == DLP_FIELD_VELOCITY && !(dlp_length(v) <= DLP_HOST_SPEED_LIMIT))
        return dlp_fail(error, DLP_INVALID, "velocity: particle %d: %g m/s; at most %g m/s are allowed",
                        particle, dlp_length(v), DLP_HOST_SPEED_LIMIT);
    return DLP_OK;
}

dlp_status dlp_host_check_vectors(dlp_field field, int32_t first, int32_t count, const void *values,
                                  dlp_error *error)
{
    for (int32_t k = 0; k < count; k++)
        DLP_TRY(check_vector(field, first + k, dlp_host_vector(field, values, k), error));
    return DLP_OK;
}
