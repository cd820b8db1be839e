// Reads a frame's particles and checks that it is one that a run recorded.
#include "record/frame_read.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

// The array of a field, NULL for the two that a scene may not have.
static dlp_status find_field(const dlp_vtp_data *data, dlp_field field, dlp_type type, int32_t components,
                             const void **out_values, dlp_error *error)
{
    static const char *const type_names[] = {"Float32", "Float64", "Int32", "Int64"};
    const char *name = dlp_field_name(field);
    const dlp_view *view = dlp_vtp_data_find(data, name);
    *out_values = NULL;
    if (view == NULL && (field == DLP_FIELD_TEMPERATURE || field == DLP_FIELD_PIECE)) return DLP_OK;
    if (view == NULL) return dlp_fail(error, DLP_IO, "has no %s; a frame that a run recorded has one", name);
    if (view->type != type || view->components != components)
        return dlp_fail(error, DLP_IO, "%s is %s[%" PRId32 "]; in a frame of a run it is %s[%" PRId32 "]",
                        name, type_names[view->type], view->components, type_names[type], components);
    *out_values = view->data;
    return DLP_OK;
}

// The types are those of dlp_world_field, which wrote them.
static dlp_status find_fields(dlp_particle_frame *frame, dlp_error *error)
{
    static const struct {
        dlp_type type;
        int32_t components;
    } kinds[DLP_FIELD_COUNT] = {
        [DLP_FIELD_POSITION] = {DLP_FLOAT64, 3},
        [DLP_FIELD_VELOCITY] = {DLP_FLOAT32, 3},
        [DLP_FIELD_DENSITY] = {DLP_FLOAT32, 1},
        [DLP_FIELD_PRESSURE] = {DLP_FLOAT32, 1},
        [DLP_FIELD_MASS] = {DLP_FLOAT32, 1},
        [DLP_FIELD_RADIUS] = {DLP_FLOAT32, 1},
        [DLP_FIELD_SUBSTANCE] = {DLP_INT32, 1},
        [DLP_FIELD_LEVEL] = {DLP_INT32, 1},
        [DLP_FIELD_STEP] = {DLP_FLOAT32, 1},
        [DLP_FIELD_STATE] = {DLP_INT32, 1},
        [DLP_FIELD_ID] = {DLP_INT64, 1},
        [DLP_FIELD_DISPLACEMENT] = {DLP_FLOAT32, 3},
        [DLP_FIELD_TEMPERATURE] = {DLP_FLOAT32, 1},
        [DLP_FIELD_PIECE] = {DLP_INT32, 1},
    };
    const void *values[DLP_FIELD_COUNT];
    for (int k = 0; k < DLP_FIELD_COUNT; k++)
        DLP_TRY(
            find_field(&frame->data, (dlp_field)k, kinds[k].type, kinds[k].components, &values[k], error));
    frame->positions = values[DLP_FIELD_POSITION];
    frame->velocities = values[DLP_FIELD_VELOCITY];
    frame->densities = values[DLP_FIELD_DENSITY];
    frame->pressures = values[DLP_FIELD_PRESSURE];
    frame->masses = values[DLP_FIELD_MASS];
    frame->radii = values[DLP_FIELD_RADIUS];
    frame->substances = values[DLP_FIELD_SUBSTANCE];
    frame->levels = values[DLP_FIELD_LEVEL];
    frame->steps = values[DLP_FIELD_STEP];
    frame->states = values[DLP_FIELD_STATE];
    frame->ids = values[DLP_FIELD_ID];
    frame->displacements = values[DLP_FIELD_DISPLACEMENT];
    frame->temperatures = values[DLP_FIELD_TEMPERATURE];
    frame->pieces = values[DLP_FIELD_PIECE];
    return DLP_OK;
}

// The first of `count` particles with a number beyond the most that a run can have left; -1 for none.
static int32_t first_strange(const float *values, int32_t count, int32_t components, double most)
{
    for (int64_t n = 0; values != NULL && n < (int64_t)count * components; n++)
        if (!(fabs((double)values[n]) <= most)) return (int32_t)(n / components);
    return -1;
}

// Boxes, bins and pictures are made from these: every one is finite.
static dlp_status check_numbers(const dlp_particle_frame *frame, dlp_error *error)
{
    const struct {
        dlp_field field;
        const float *values;
        int32_t components;
    } fields[] = {{DLP_FIELD_VELOCITY, frame->velocities, 3},
                  {DLP_FIELD_DENSITY, frame->densities, 1},
                  {DLP_FIELD_PRESSURE, frame->pressures, 1},
                  {DLP_FIELD_MASS, frame->masses, 1},
                  {DLP_FIELD_RADIUS, frame->radii, 1},
                  {DLP_FIELD_STEP, frame->steps, 1},
                  {DLP_FIELD_DISPLACEMENT, frame->displacements, 3},
                  {DLP_FIELD_TEMPERATURE, frame->temperatures, 1}};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        const int32_t i =
            first_strange(fields[k].values, frame->count, fields[k].components, (double)FLT_MAX);
        if (i >= 0)
            return dlp_fail(error, DLP_IO, "particle %" PRId32 ": its %s is not finite", i,
                            dlp_field_name(fields[k].field));
    }
    return DLP_OK;
}

// Substances index arrays later on, and lie in the scene's list: a negative one is refused here.
static dlp_status check_particle(const dlp_particle_frame *frame, int32_t i, dlp_error *error)
{
    enum { FARTHEST = 1000000000 };  // m
    for (int axis = 0; axis < 3; axis++) {
        const double x = frame->positions[3 * (int64_t)i + axis];
        if (!(fabs(x) <= FARTHEST))
            return dlp_fail(error, DLP_IO,
                            "particle %" PRId32 ": its position is %g m; at most %d is possible", i, x,
                            FARTHEST);
    }
    if (!(frame->radii[i] > 0))
        return dlp_fail(error, DLP_IO, "particle %" PRId32 ": its radius is %g m; it must be > 0", i,
                        (double)frame->radii[i]);
    if (frame->substances[i] < 0)
        return dlp_fail(error, DLP_IO, "particle %" PRId32 " is of substance %" PRId32 "; they count from 0",
                        i, frame->substances[i]);
    return DLP_OK;
}

static dlp_status check_frame(dlp_particle_frame *frame, dlp_error *error)
{
    DLP_TRY(find_fields(frame, error));
    DLP_TRY(check_numbers(frame, error));
    for (int32_t i = 0; i < frame->count; i++) DLP_TRY(check_particle(frame, i, error));
    return DLP_OK;
}

// The arrays of the frame point into `data`. The caller's message starts with the path, since what
// find_fields reports does not know it.
dlp_status dlp_frame_read(const char *path, int32_t number, dlp_particle_frame *out_frame, dlp_error *error)
{
    *out_frame = (dlp_particle_frame){.number = number};
    DLP_TRY(dlp_vtp_read(path, &out_frame->data, error));
    out_frame->time = out_frame->data.time;
    out_frame->count = out_frame->data.point_count;
    out_frame->topology = (dlp_cloth_topology){.triangle_count = out_frame->data.triangle_count,
                                               .link_count = out_frame->data.link_count,
                                               .triangles = (const int32_t(*)[3])out_frame->data.triangles,
                                               .links = (const int32_t(*)[2])out_frame->data.links};
    dlp_status status = check_frame(out_frame, error);
    if (status == DLP_OK) return DLP_OK;
    dlp_particle_frame_release(out_frame);
    return dlp_fail_at(error, status, "%s", path);
}

// Frees the arrays with the data that owns them.
void dlp_particle_frame_release(dlp_particle_frame *frame)
{
    dlp_vtp_data_release(&frame->data);
    *frame = (dlp_particle_frame){0};
}
