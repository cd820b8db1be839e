/* What a world's particles are like, field by field: those of one solver after those of another. */
#include "motion/world_parts.h"
#include "base/sized.h"

#include <string.h>

static const struct {
    const char *name;
    dlp_type type;
    int32_t components;
    size_t size;      /* bytes of a particle's */
    bool is_optional; /* only where a solver has it */
} FIELDS[DLP_FIELD_COUNT] = {
    [DLP_FIELD_POSITION] = {"position", DLP_FLOAT64, 3, 24, false},
    [DLP_FIELD_VELOCITY] = {"velocity", DLP_FLOAT32, 3, 12, false},
    [DLP_FIELD_DENSITY] = {"density", DLP_FLOAT32, 1, 4, false},
    [DLP_FIELD_PRESSURE] = {"pressure", DLP_FLOAT32, 1, 4, false},
    [DLP_FIELD_MASS] = {"mass", DLP_FLOAT32, 1, 4, false},
    [DLP_FIELD_RADIUS] = {"radius", DLP_FLOAT32, 1, 4, false},
    [DLP_FIELD_SUBSTANCE] = {"substance", DLP_INT32, 1, 4, false},
    [DLP_FIELD_LEVEL] = {"level", DLP_INT32, 1, 4, false},
    [DLP_FIELD_STEP] = {"step", DLP_FLOAT32, 1, 4, false},
    [DLP_FIELD_STATE] = {"state", DLP_INT32, 1, 4, false},
    [DLP_FIELD_ID] = {"id", DLP_INT64, 1, 8, false},
    [DLP_FIELD_DISPLACEMENT] = {"displacement", DLP_FLOAT32, 3, 12, false},
    [DLP_FIELD_TEMPERATURE] = {"temperature", DLP_FLOAT32, 1, 4, true},
    [DLP_FIELD_PIECE] = {"piece", DLP_INT32, 1, 4, true},
};

const char *dlp_field_name(dlp_field field)
{
    return field >= 0 && field < DLP_FIELD_COUNT ? FIELDS[field].name : NULL;
}

static char *add_part(const dlp_world *world, int32_t k, dlp_field field, char *to)
{
    const dlp_member *member = &world->members[k];
    const size_t size = FIELDS[field].size;
    const int32_t count = member->type->count(member->self);
    const void *stored = member->type->stored(member->self, field);
    if (stored != NULL && count > 0) memcpy(to, stored, (size_t)count * size);
    for (int32_t i = 0; stored == NULL && i < count; i++)
        member->type->derive(member->self, field, i, to + (size_t)i * size);
    for (int32_t i = 0; field == DLP_FIELD_ID && k > 0 && i < count; i++)
        ((int64_t *)(void *)to)[i] += (int64_t)k << DLP_SOLVER_ID_BITS;
    return to + (size_t)count * size;
}

static dlp_status derive_field(dlp_world *world, dlp_field field, dlp_error *error)
{
    const int32_t count = dlp_world_particle_count(world);
    DLP_TRY(dlp_reserve(&world->exports[field], &world->export_capacity[field], count + 1, FIELDS[field].size,
                        "export", error));
    char *to = world->exports[field];
    for (int32_t k = 0; k < world->member_count; k++) to = add_part(world, k, field, to);
    return DLP_OK;
}

static bool has_field(const dlp_world *world, dlp_field field)
{
    bool has = !FIELDS[field].is_optional;
    for (int32_t k = 0; k < world->member_count; k++) {
        const dlp_member *member = &world->members[k];
        has = has || (member->type->has_field != NULL && member->type->has_field(member->self, field));
    }
    return has;
}

// Where the field lies: as a solver stores it, or gathered with the world.
static dlp_status find_data(const dlp_world *world, dlp_field field, const void **out_data, dlp_error *error)
{
    const dlp_member *only = &world->members[0];
    *out_data = world->member_count == 1 ? only->type->stored(only->self, field) : NULL;
    if (*out_data != NULL) return DLP_OK;
    // what is derived is kept with the world; nothing of the simulation changes
    dlp_world *owner = (dlp_world *)(uintptr_t)world;
    DLP_TRY(derive_field(owner, field, error));
    *out_data = owner->exports[field];
    return DLP_OK;
}

dlp_status dlp_world_field(const dlp_world *world, dlp_field field, dlp_view *out_view, dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_TRY(dlp_sized_check(out_view, "dlp_view", error));
    if (field < 0 || field >= DLP_FIELD_COUNT)
        return dlp_fail(error, DLP_INVALID, "field: %d is none; 0 to %d are known", (int)field,
                        DLP_FIELD_COUNT - 1);
    dlp_view view = {.type = FIELDS[field].type};
    if (has_field(world, field)) {
        view.count = dlp_world_particle_count(world);
        view.components = FIELDS[field].components;
        DLP_TRY(find_data(world, field, &view.data, error));
    }
    dlp_sized_write(out_view, &view, sizeof view);
    return DLP_OK;
}
