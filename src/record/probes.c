// Measures the scene's probes on a world, for probes.csv and for hosts.
#include "record/probes.h"
#include "motion/sph/sph.h"

#include <inttypes.h>
#include <string.h>

// Numbers per probe; samples along a line; halvings of the interval that holds the surface.
enum { VALUE_LIMIT = 3, LINE_SAMPLE_LIMIT = 100000, BISECTION_COUNT = 40 };

// Vectors take three columns, x, y and z; others one.
static bool is_vector(const dlp_probe_def *probe)
{
    return probe->measure == DLP_MEASURE_VELOCITY || probe->measure == DLP_MEASURE_FORCE;
}

int32_t dlp_probe_width(const dlp_probe_def *probe)
{
    return is_vector(probe) ? VALUE_LIMIT : 1;
}

// A name with a comma, a quote or a line's end would break the table: those are written as '_'.
static void add_column(dlp_string *text, const char *name, const char *suffix)
{
    dlp_string_add(text, ",");
    for (const char *c = name; *c != '\0'; c++)
        dlp_string_add(text, "%c", strchr(",\"\r\n", *c) != NULL ? '_' : *c);
    dlp_string_add(text, "%s", suffix);
}

void dlp_probe_add_columns(const dlp_probe_def *probe, dlp_string *header)
{
    static const char *const suffixes[] = {"_x", "_y", "_z"};
    if (!is_vector(probe)) add_column(header, probe->name, "");
    for (int32_t k = 0; is_vector(probe) && k < VALUE_LIMIT; k++)
        add_column(header, probe->name, suffixes[k]);
}

void dlp_probes_header(const dlp_scene_def *scene, dlp_string *out_header)
{
    dlp_string_add(out_header, "frame,time");
    for (int32_t p = 0; p < scene->probe_count; p++) dlp_probe_add_columns(&scene->probes[p], out_header);
}

// Whether more than half of a place's neighbourhood is substance, obstacles left out of account. Inside of
// one (where it takes nearly all) nothing is.
static bool is_filled(const dlp_probe_source *source, dlp_vec3 x)
{
    const dlp_point_sample sample = source->sample(source->context, x);
    const double free = 1 - sample.obstacle_fraction;
    return free > 0.1 && sample.fraction > 0.5 * free;
}

// Distance from `from` of the last filled place towards `to`: steps of a quarter spacing from the far end,
// then bisection. From the far end, so that holes below do not count.
static double measure_height(const dlp_probe_source *source, const dlp_probe_def *probe)
{
    const dlp_vec3 displacement = dlp_sub(probe->to, probe->from);
    const double length = dlp_length(displacement);
    const double step = source->spacing / 4;
    const double wanted = ceil(length / step);
    const int32_t count = !(wanted >= 1)               ? 1
                          : wanted > LINE_SAMPLE_LIMIT ? LINE_SAMPLE_LIMIT
                                                       : (int32_t)wanted;
    int32_t k = count;
    while (k >= 0 && !is_filled(source, dlp_along(probe->from, displacement, (double)k / count))) k--;
    if (k < 0) return 0;
    if (k == count) return length;
    double filled = (double)k / count, empty = (double)(k + 1) / count;
    for (int32_t n = 0; n < BISECTION_COUNT; n++) {
        const double middle = (filled + empty) / 2;
        if (is_filled(source, dlp_along(probe->from, displacement, middle)))
            filled = middle;
        else
            empty = middle;
    }
    return length * (filled + empty) / 2;
}

// One-dimensional cubic B-spline with knots `a` apart, 1/m: its integral is 1, and so is a times its sum over
// any lattice of that spacing, so that a full flow is counted in full wherever the plane lies.
static double spline_weight(double distance, double a)
{
    const double q = fabs(distance) / a;
    if (q >= 2) return 0;
    const double outer = 2 - q, inner = q < 1 ? 1 - q : 0;
    return (outer * outer * outer - 4 * inner * inner * inner) / (6 * a);
}

// To the nearest periodic image; a length of 0 is no period.
static double wrap(double offset, double length)
{
    return length > 0 ? offset - length * floor(offset / length + 0.5) : offset;
}

// From the plane's point to the nearest periodic image of x.
static dlp_vec3 offset_from(const dlp_scene_def *scene, dlp_vec3 point, const double *x)
{
    dlp_vec3 offset = dlp_sub(dlp_vec(x[0], x[1], x[2]), point);
    const dlp_vec3 size = dlp_sub(scene->domain.max, scene->domain.min);
    if (scene->periodic[0]) offset.x = wrap(offset.x, size.x);
    if (scene->periodic[1]) offset.y = wrap(offset.y, size.y);
    if (scene->periodic[2]) offset.z = wrap(offset.z, size.z);
    return offset;
}

// Volume per second through the plane: the sum of V_i (v_i . n) w(d_i), within the probe's radius where it
// has one. V_i is the mass over the density at rest, since the density that is summed falls short at a free
// surface, where the volume would come out too large.
static double measure_flux(const dlp_probe_source *source, const dlp_probe_def *probe)
{
    const dlp_vec3 normal = dlp_normalize(probe->normal, dlp_vec(1, 0, 0));
    const double power = source->scene->dimension == 2 ? 1.0 / 2 : 1.0 / 3;
    double flux = 0;
    for (int32_t i = 0; i < source->count; i++) {
        const dlp_vec3 offset = offset_from(source->scene, probe->point, source->positions + 3 * (size_t)i);
        const double distance = dlp_dot(offset, normal);
        const double in_plane = dlp_length(dlp_along(offset, normal, -distance));
        if (probe->radius > 0 && in_plane > probe->radius) continue;
        const double rest = source->scene->substances[source->substances[i]].density;
        const double volume = (double)source->masses[i] / rest;
        const double spacing = pow(volume, power);
        if (!(spacing > 0 && isfinite(spacing))) continue;
        const float *v = source->velocities + 3 * (size_t)i;
        const double speed = dlp_dot(dlp_vec((double)v[0], (double)v[1], (double)v[2]), normal);
        flux += volume * speed * spline_weight(distance, spacing);
    }
    return flux;
}

// What of a sample a probe of a point measures; scalars are in x.
static dlp_vec3 value_of(const dlp_point_sample *sample, dlp_measure measure)
{
    switch (measure) {
    case DLP_MEASURE_PRESSURE:
        return dlp_vec(sample->pressure, 0, 0);
    case DLP_MEASURE_DENSITY:
        return dlp_vec(sample->density, 0, 0);
    case DLP_MEASURE_TEMPERATURE:
        return dlp_vec(sample->temperature, 0, 0);
    default:
        return sample->velocity;
    }
}

// Adds a place to the mean over a ball and returns its weight. Pressure counts wherever no obstacle is, and
// is 0 where it is dry, as a force on an area; all else counts by the substance that is there.
static double add_place(const dlp_probe_source *source, const dlp_probe_def *probe, dlp_vec3 x, dlp_vec3 *sum)
{
    const dlp_point_sample sample = source->sample(source->context, x);
    const double free = fmax(0, 1 - sample.obstacle_fraction), filled = fmin(sample.fraction, free);
    *sum = dlp_along(*sum, value_of(&sample, probe->measure), filled);
    return probe->measure == DLP_MEASURE_PRESSURE ? free : filled;
}

// The mean over a lattice of places half a radius apart: 33 in a ball, 13 in a disc.
static dlp_vec3 measure_around(const dlp_probe_source *source, const dlp_probe_def *probe)
{
    const int32_t depth = source->scene->dimension == 2 ? 0 : 2;
    dlp_vec3 sum = {0, 0, 0};
    double weight = 0;
    for (int32_t z = -depth; z <= depth; z++)
        for (int32_t y = -2; y <= 2; y++)
            for (int32_t x = -2; x <= 2; x++) {
                if (x * x + y * y + z * z > 4) continue;
                const dlp_vec3 place = dlp_along(probe->point, dlp_vec(x, y, z), probe->extent / 2);
                weight += add_place(source, probe, place, &sum);
            }
    return weight > 0 ? dlp_mul(sum, 1 / weight) : dlp_vec(0, 0, 0);
}

static dlp_vec3 measure_point(const dlp_probe_source *source, const dlp_probe_def *probe)
{
    if (probe->extent > 0) return measure_around(source, probe);
    const dlp_point_sample sample = source->sample(source->context, probe->point);
    return value_of(&sample, probe->measure);
}

dlp_vec3 dlp_probe_measure(const dlp_probe_source *source, const dlp_probe_def *probe)
{
    switch (probe->measure) {
    case DLP_MEASURE_PRESSURE:
    case DLP_MEASURE_DENSITY:
    case DLP_MEASURE_VELOCITY:
    case DLP_MEASURE_TEMPERATURE:
        return measure_point(source, probe);
    case DLP_MEASURE_HEIGHT:
        return dlp_vec(measure_height(source, probe), 0, 0);
    case DLP_MEASURE_FLUX:
        return dlp_vec(measure_flux(source, probe), 0, 0);
    case DLP_MEASURE_FORCE:
        return source->load(source->context, probe->body_index).mean_force;
    }
    return dlp_vec(0, 0, 0);
}

void dlp_probe_add_values(const dlp_probe_def *probe, dlp_vec3 value, dlp_string *row)
{
    for (int k = 0; k < dlp_probe_width(probe); k++) {
        dlp_string_add(row, ",");
        dlp_format_number(row, dlp_component(value, k), 9);
    }
}

void dlp_probes_row(const dlp_probe_source *source, const dlp_vec3 *means, int32_t frame, double time,
                    dlp_string *out_row)
{
    dlp_string_add(out_row, "%" PRId32 ",", frame);
    dlp_format_number(out_row, time, 9);
    for (int32_t p = 0; p < source->scene->probe_count; p++) {
        const dlp_probe_def *probe = &source->scene->probes[p];
        const bool is_mean = means != NULL && probe->rate > 0;
        dlp_probe_add_values(probe, is_mean ? means[p] : dlp_probe_measure(source, probe), out_row);
    }
}

static dlp_point_sample sample_world(const void *context, dlp_vec3 x)
{
    return dlp_world_sample_at(context, x);
}

static dlp_body_force load_of_world(const void *context, int32_t obstacle)
{
    return dlp_world_body_load(context, obstacle);
}

// Edge of the cube (2-D: square) of a particle's rest volume, the smallest of all that flow; 1 m where
// nothing flows.
static double finest_spacing(const dlp_scene_def *scene)
{
    const double factor = scene->dimension == 2 ? sqrt(DLP_PI) : cbrt(4 * DLP_PI / 3);
    double finest = HUGE_VAL;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        if (scene->substances[k].model == DLP_MODEL_SPH && scene->substances[k].particle_radius > 0)
            finest = fmin(finest, factor * scene->substances[k].particle_radius);
    }
    return isfinite(finest) ? finest : 1;
}

// The particles of smoothed substances come first in a world's fields.
dlp_status dlp_probe_source_of_world(const dlp_world *world, dlp_probe_source *out_source, dlp_error *error)
{
    dlp_view positions = {.size = sizeof positions}, velocities = {.size = sizeof velocities},
             masses = {.size = sizeof masses}, substances = {.size = sizeof substances};
    DLP_TRY(dlp_world_field(world, DLP_FIELD_POSITION, &positions, error));
    DLP_TRY(dlp_world_field(world, DLP_FIELD_VELOCITY, &velocities, error));
    DLP_TRY(dlp_world_field(world, DLP_FIELD_MASS, &masses, error));
    DLP_TRY(dlp_world_field(world, DLP_FIELD_SUBSTANCE, &substances, error));
    const dlp_scene_def *scene = dlp_world_scene(world);
    *out_source = (dlp_probe_source){.scene = scene,
                                     .sample = sample_world,
                                     .load = load_of_world,
                                     .context = world,
                                     .spacing = finest_spacing(scene),
                                     .count = dlp_world_count_of(world, &dlp_sph_solver),
                                     .positions = positions.data,
                                     .velocities = velocities.data,
                                     .masses = masses.data,
                                     .substances = substances.data};
    return DLP_OK;
}

// What the row of a recorder would have, as numbers.
dlp_status dlp_world_probe(const dlp_world *world, int32_t probe, double out_values[3], int32_t *out_count,
                           dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_NEED(out_values, error);
    DLP_NEED(out_count, error);
    *out_count = 0;
    dlp_probe_source source;
    DLP_TRY(dlp_probe_source_of_world(world, &source, error));
    if (!(probe >= 0 && probe < source.scene->probe_count))
        return dlp_fail(error, DLP_INVALID, "probe %d: there is none; there are %d", probe,
                        source.scene->probe_count);
    const dlp_probe_def *def = &source.scene->probes[probe];
    const dlp_vec3 value = dlp_probe_measure(&source, def);
    *out_count = dlp_probe_width(def);
    for (int k = 0; k < *out_count; k++) out_values[k] = dlp_component(value, k);
    return DLP_OK;
}
