/* What a world's particles are like, field by field: those of one solver after those of another. */
#include "motion/sph/adapt.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/sph_restraint.h"
#include "motion/world_parts.h"

#include <string.h>

static const struct {
    const char *name;
    dlp_type type;
    int32_t components;
} FIELDS[DLP_FIELD_COUNT] = {
    [DLP_FIELD_POSITION] = {"position", DLP_FLOAT64, 3},
    [DLP_FIELD_VELOCITY] = {"velocity", DLP_FLOAT32, 3},
    [DLP_FIELD_DENSITY] = {"density", DLP_FLOAT32, 1},
    [DLP_FIELD_PRESSURE] = {"pressure", DLP_FLOAT32, 1},
    [DLP_FIELD_MASS] = {"mass", DLP_FLOAT32, 1},
    [DLP_FIELD_RADIUS] = {"radius", DLP_FLOAT32, 1},
    [DLP_FIELD_SUBSTANCE] = {"substance", DLP_INT32, 1},
    [DLP_FIELD_LEVEL] = {"level", DLP_INT32, 1},
    [DLP_FIELD_STEP] = {"step", DLP_FLOAT32, 1},
    [DLP_FIELD_STATE] = {"state", DLP_INT32, 1},
    [DLP_FIELD_ID] = {"id", DLP_INT64, 1},
    [DLP_FIELD_DISPLACEMENT] = {"displacement", DLP_FLOAT32, 3},
    [DLP_FIELD_TEMPERATURE] = {"temperature", DLP_FLOAT32, 1},
    [DLP_FIELD_PIECE] = {"piece", DLP_INT32, 1},
};

const char *dlp_field_name(dlp_field field)
{
    return field < DLP_FIELD_COUNT ? FIELDS[field].name : NULL;
}

// Cloth gets its ids after all that smoothed particles will ever have, solids after those.
static int64_t first_cloth_id(const dlp_world *world)
{
    return world->sph != NULL ? (int64_t)1 << 40 : 0;
}

static int64_t first_solid_id(const dlp_world *world)
{
    return world->sph != NULL || world->cloth != NULL ? (int64_t)1 << 41 : 0;
}

static size_t size_of(dlp_field field)
{
    const dlp_type type = FIELDS[field].type;
    return (size_t)FIELDS[field].components * (type == DLP_FLOAT64 || type == DLP_INT64 ? 8 : 4);
}

// Fields that a solver has as they are given; NULL for others.

static const void *stored_by_sph(const dlp_world *world, dlp_field field)
{
    const dlp_particles *p = &world->sph->particles;
    switch (field) {
    case DLP_FIELD_POSITION:
        return p->position;
    case DLP_FIELD_VELOCITY:
        return world->sph->restrains ? NULL : p->velocity;
    case DLP_FIELD_SUBSTANCE:
        return p->substance;
    case DLP_FIELD_ID:
        return p->id;
    case DLP_FIELD_DISPLACEMENT:
        return p->displacement;
    default:
        return NULL;
    }
}

static const void *stored_by_solid(const dlp_world *world, dlp_field field)
{
    const dlp_solid_particles *p = dlp_solid_particles_of(world->solid);
    switch (field) {
    case DLP_FIELD_POSITION:
        return p->position;
    case DLP_FIELD_SUBSTANCE:
        return p->substance;
    case DLP_FIELD_DISPLACEMENT:
        return p->displacement;
    case DLP_FIELD_ID:
        return first_solid_id(world) == 0 ? p->id : NULL;
    case DLP_FIELD_PIECE:
        return dlp_solid_fragments_of(world->solid);
    default:
        return NULL;
    }
}

static const void *stored_by_cloth(const dlp_world *world, dlp_field field)
{
    const dlp_cloth_particles *p = dlp_cloth_particles_of(world->cloth);
    switch (field) {
    case DLP_FIELD_POSITION:
        return p->position;
    case DLP_FIELD_SUBSTANCE:
        return p->substance;
    case DLP_FIELD_DISPLACEMENT:
        return p->displacement;
    case DLP_FIELD_STATE:
        return p->state;
    case DLP_FIELD_ID:
        return first_cloth_id(world) == 0 ? p->id : NULL;
    default:
        return NULL;
    }
}

// Others, particle by particle.

static float float_of_sph(const dlp_world *world, dlp_field field, int32_t i)
{
    const dlp_particles *p = &world->sph->particles;
    const dlp_substance *s = &world->sph->substances[p->substance[i]];
    const double volume = (double)s->volume_unit * p->units[i];
    switch (field) {
    case DLP_FIELD_DENSITY:
        return p->compression[i] * s->rho0;
    case DLP_FIELD_PRESSURE:
        return dlp_heat_softening(world->sph, i) * dlp_substance_pressure(s, p->compression[i]);
    case DLP_FIELD_TEMPERATURE:
        return (float)p->temperature[i];
    case DLP_FIELD_MASS:
        return (float)(s->unit_mass * p->units[i]);
    case DLP_FIELD_RADIUS:
        return (float)(world->def->dimension == 2 ? sqrt(volume / DLP_PI) : cbrt(volume * 3 / (4 * DLP_PI)));
    case DLP_FIELD_STEP:
        return (float)dlp_clock_seconds(&world->sph->clock, p->step[i]);
    default:
        return 0;
    }
}

// With which it moves: a restrained particle's momentum is hidden.
static void velocity_of_sph(const dlp_world *world, int32_t i, float out_velocity[3])
{
    const float *v = world->sph->particles.velocity + 3 * (int64_t)i;
    const double vv = (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const float gain = (float)dlp_particle_gain(world->sph, i, vv);
    for (int axis = 0; axis < 3; axis++) out_velocity[axis] = gain * v[axis];
}

static void derive_of_sph(const dlp_world *world, dlp_field field, int32_t i, void *to)
{
    const float value = float_of_sph(world, field, i);
    const int32_t level = dlp_level_of_units(world->sph->particles.units[i], world->def->dimension);
    const int32_t state = dlp_particle_state(world->sph, i);
    if (field == DLP_FIELD_VELOCITY)
        velocity_of_sph(world, i, to);
    else if (field == DLP_FIELD_LEVEL)
        memcpy(to, &level, sizeof level);
    else if (field == DLP_FIELD_STATE)
        memcpy(to, &state, sizeof state);
    else
        memcpy(to, &value, sizeof value);
}

// The rest density over the change of volume; what is turned inside out counts as pressed to a tenth.
static double density_of_solid(const dlp_world *world, int32_t i)
{
    const double volume = (double)dlp_solid_strains(world->solid)[i].volume_ratio;
    const int32_t substance = dlp_solid_particles_of(world->solid)->substance[i];
    return world->def->substances[substance].density / fmax(volume, 0.1);
}

static float float_of_solid(const dlp_world *world, dlp_field field, int32_t i)
{
    switch (field) {
    case DLP_FIELD_DENSITY:
        return (float)density_of_solid(world, i);
    case DLP_FIELD_PRESSURE:
        return dlp_solid_strains(world->solid)[i].pressure;
    case DLP_FIELD_MASS:
        return (float)dlp_solid_particles_of(world->solid)->mass[i];
    case DLP_FIELD_RADIUS:
        return (float)dlp_solid_radius(world->solid, i);
    case DLP_FIELD_STEP:
        return (float)dlp_solid_step_length(world->solid);
    case DLP_FIELD_TEMPERATURE:
        return (float)world->def->ambient;
    default:
        return 0;
    }
}

static void derive_of_solid(const dlp_world *world, dlp_field field, int32_t i, void *to)
{
    const dlp_solid_particles *p = dlp_solid_particles_of(world->solid);
    const int64_t id = p->id[i] + first_solid_id(world);
    const double *v = p->velocity + 3 * (size_t)i;
    const float velocity[3] = {(float)v[0], (float)v[1], (float)v[2]};
    if (field == DLP_FIELD_ID) {
        memcpy(to, &id, sizeof id);
    } else if (field == DLP_FIELD_VELOCITY) {
        memcpy(to, velocity, sizeof velocity);
    } else {
        const float value = float_of_solid(world, field, i);
        memcpy(to, &value, sizeof value);  // level 0 and state 0 have the same bits
    }
}

static float float_of_cloth(const dlp_world *world, dlp_field field, int32_t i)
{
    const dlp_cloth_particles *p = dlp_cloth_particles_of(world->cloth);
    const dlp_fabric *fabric = dlp_cloth_fabric(world->cloth, p->substance[i]);
    switch (field) {
    case DLP_FIELD_DENSITY:
        return (float)(fabric->weight / fabric->thickness);
    case DLP_FIELD_MASS:
        return (float)p->mass[i];
    case DLP_FIELD_RADIUS:
        return (float)dlp_cloth_radius(world->cloth, i);
    case DLP_FIELD_STEP:
        return (float)dlp_cloth_step_length(world->cloth);
    case DLP_FIELD_TEMPERATURE:
        return (float)world->def->ambient;
    default:
        return 0;
    }
}

static void velocity_of_cloth(const dlp_world *world, int32_t i, float out_velocity[3])
{
    const dlp_cloth_particles *p = dlp_cloth_particles_of(world->cloth);
    const dlp_fabric *fabric = dlp_cloth_fabric(world->cloth, p->substance[i]);
    const double *v = p->velocity + 3 * (size_t)i;
    const double speed = dlp_length(dlp_vec(v[0], v[1], v[2]));
    const double gain = fabric->is_restrained ? dlp_restraint_gain(fabric->restraint, speed) : 1;
    for (int axis = 0; axis < 3; axis++) out_velocity[axis] = (float)(gain * v[axis]);
}

static void derive_of_cloth(const dlp_world *world, dlp_field field, int32_t i, void *to)
{
    const int64_t id = dlp_cloth_particles_of(world->cloth)->id[i] + first_cloth_id(world);
    const float value = float_of_cloth(world, field, i);
    float velocity[3];
    if (field == DLP_FIELD_ID) {
        memcpy(to, &id, sizeof id);
    } else if (field == DLP_FIELD_VELOCITY) {
        velocity_of_cloth(world, i, velocity);
        memcpy(to, velocity, sizeof velocity);
    } else {
        memcpy(to, &value, sizeof value);  // level, piece and pressure 0 have the same bits
    }
}

typedef struct field_part {
    int32_t count;
    const void *stored; /* NULL: derived */
    void (*derive)(const dlp_world *world, dlp_field field, int32_t i, void *to);
} field_part;

// What the solvers that there are have of a field, one after the other.
enum { MOST_PARTS = 3 };
static int32_t list_parts(const dlp_world *world, dlp_field field, field_part out_parts[MOST_PARTS])
{
    int32_t n = 0;
    if (world->sph != NULL)
        out_parts[n++] = (field_part){dlp_world_sph_count(world), stored_by_sph(world, field), derive_of_sph};
    if (world->solid != NULL)
        out_parts[n++] =
            (field_part){dlp_world_solid_count(world), stored_by_solid(world, field), derive_of_solid};
    if (world->cloth != NULL)
        out_parts[n++] =
            (field_part){dlp_world_cloth_count(world), stored_by_cloth(world, field), derive_of_cloth};
    return n;
}

static char *add_part(const dlp_world *world, dlp_field field, const field_part *part, char *to)
{
    const size_t size = size_of(field);
    if (part->stored != NULL && part->count > 0) memcpy(to, part->stored, (size_t)part->count * size);
    for (int32_t i = 0; part->stored == NULL && i < part->count; i++)
        part->derive(world, field, i, to + (size_t)i * size);
    return to + (size_t)part->count * size;
}

static dlp_status derive_field(dlp_world *world, dlp_field field, const field_part *parts, int32_t part_count,
                               dlp_error *error)
{
    const int32_t count = dlp_world_particle_count(world);
    DLP_TRY(dlp_reserve(&world->exports[field], &world->export_capacity[field], count + 1, size_of(field),
                        "export", error));
    char *to = world->exports[field];
    for (int32_t k = 0; k < part_count; k++) to = add_part(world, field, &parts[k], to);
    return DLP_OK;
}

static bool has_field(const dlp_world *world, dlp_field field)
{
    if (field == DLP_FIELD_TEMPERATURE) return world->sph != NULL && world->sph->heat != NULL;
    if (field == DLP_FIELD_PIECE) return world->solid != NULL && dlp_solid_may_break(world->solid);
    return true;
}

dlp_status dlp_world_field(const dlp_world *world, dlp_field field, dlp_view *out_view, dlp_error *error)
{
    if (field < 0 || field >= DLP_FIELD_COUNT)
        return dlp_fail(error, DLP_INVALID, "field: %d is none; 0 to %d are known", (int)field,
                        DLP_FIELD_COUNT - 1);
    if (!has_field(world, field)) {
        *out_view = (dlp_view){.type = FIELDS[field].type};
        return DLP_OK;
    }
    field_part parts[MOST_PARTS];
    const int32_t part_count = list_parts(world, field, parts);
    *out_view = (dlp_view){.count = dlp_world_particle_count(world),
                           .components = FIELDS[field].components,
                           .type = FIELDS[field].type};
    if (part_count == 1 && parts[0].stored != NULL) {
        out_view->data = parts[0].stored;
        return DLP_OK;
    }
    // what is derived is kept with the world; nothing of the simulation changes
    dlp_world *owner = (dlp_world *)(uintptr_t)world;
    DLP_TRY(derive_field(owner, field, parts, part_count, error));
    out_view->data = owner->exports[field];
    return DLP_OK;
}

// Cloth as triangles and links.

static dlp_status copy_cloth_topology(dlp_world *world, dlp_cloth_topology *out_topology, dlp_error *error)
{
    int32_t triangle_count, link_count;
    const dlp_cloth_triangle *triangles = dlp_cloth_triangles(world->cloth, &triangle_count);
    const dlp_cloth_link *links = dlp_cloth_links(world->cloth, &link_count);
    const int32_t first = dlp_world_sph_count(world) + dlp_world_solid_count(world);
    DLP_TRY(dlp_reserve(&world->triangles, &world->triangle_capacity, triangle_count + 1,
                        sizeof *world->triangles, "export", error));
    DLP_TRY(dlp_reserve(&world->links, &world->link_capacity, link_count + 1, sizeof *world->links, "export",
                        error));
    for (int32_t t = 0; t < triangle_count; t++)
        for (int corner = 0; corner < 3; corner++)
            world->triangles[t][corner] = first + triangles[t].corner[corner];
    for (int32_t k = 0; k < link_count; k++) {
        if (links[k].is_torn) continue;
        world->links[out_topology->link_count][0] = first + links[k].end[0];
        world->links[out_topology->link_count++][1] = first + links[k].end[1];
    }
    out_topology->particle_count = dlp_world_cloth_count(world);
    out_topology->triangle_count = triangle_count;
    out_topology->triangles = (const int32_t(*)[3])world->triangles;
    out_topology->links = (const int32_t(*)[2])world->links;
    return DLP_OK;
}

dlp_status dlp_world_cloth_topology(const dlp_world *world, dlp_cloth_topology *out_topology,
                                    dlp_error *error)
{
    *out_topology = (dlp_cloth_topology){0};
    return world->cloth != NULL ? copy_cloth_topology((dlp_world *)(uintptr_t)world, out_topology, error)
                                : DLP_OK;
}
