// The fields that particles are coloured by: names, values, ranges over a film, ticks and colours.
#include "record/film/color_scale.h"
#include "record/palette.h"
#include "scene/scene_text.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names in the order of the enumeration, and titles of legends; %s is the prefix of the unit.
static const struct {
    const char *name, *title;
} fields[] = {[DLP_COLOR_SUBSTANCE] = {"substance", "substance"},
              [DLP_COLOR_SPEED] = {"speed", "speed (m/s)"},
              [DLP_COLOR_DENSITY] = {"density", "density / rest density"},
              [DLP_COLOR_PRESSURE] = {"pressure", "pressure (%sPa)"},
              [DLP_COLOR_TEMPERATURE] = {"temperature", "temperature (°C)"},
              [DLP_COLOR_LEVEL] = {"level", "size level"},
              [DLP_COLOR_STEP] = {"step", "time step (%ss)"},
              [DLP_COLOR_STATE] = {"state", "restraint"}};

const char *dlp_color_field_name(dlp_color_field field)
{
    return fields[field].name;
}

// On failure the field is that of the scene's colours.
dlp_status dlp_color_field_find(const char *name, dlp_color_field *out_field, dlp_error *error)
{
    dlp_suggestion nearest = {.word = name};
    for (int k = 0; k < DLP_COLOR_FIELD_COUNT; k++) {
        *out_field = (dlp_color_field)k;
        if (strcmp(fields[k].name, name) == 0) return DLP_OK;
        dlp_suggestion_offer(&nearest, fields[k].name);
    }
    *out_field = DLP_COLOR_SUBSTANCE;
    if (nearest.best != NULL)
        return dlp_fail(error, DLP_INVALID, "no field is named %s; did you mean %s?", name, nearest.best);
    return dlp_fail(
        error, DLP_INVALID,
        "no field is named %s; there are substance, speed, density, pressure, temperature, level, "
        "step and state",
        name);
}

bool dlp_color_field_is_discrete(dlp_color_field field)
{
    return field == DLP_COLOR_SUBSTANCE || field == DLP_COLOR_LEVEL || field == DLP_COLOR_STATE;
}

// The value of a field of particle i; NaN where it has none.
static float value_of(dlp_color_field field, const dlp_particle_frame *frame, const dlp_scene_def *def,
                      int32_t i)
{
    const float *v = frame->velocities + 3 * (size_t)i;
    const float rest = (float)def->substances[frame->substances[i]].density;
    switch (field) {
    case DLP_COLOR_SPEED:
        return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    case DLP_COLOR_DENSITY:  // cloth has none at rest
        return rest > 0 ? frame->densities[i] / rest : NAN;
    case DLP_COLOR_PRESSURE:
        return frame->pressures[i];
    case DLP_COLOR_TEMPERATURE:
        return frame->temperatures != NULL ? frame->temperatures[i] : NAN;
    case DLP_COLOR_LEVEL:
        return (float)frame->levels[i];
    case DLP_COLOR_STEP:
        return frame->steps[i] > 0 ? log2f(frame->steps[i]) : NAN;
    case DLP_COLOR_STATE:
        return (float)frame->states[i];
    default:
        return (float)frame->substances[i];
    }
}

void dlp_color_field_values(dlp_color_field field, const dlp_particle_frame *frame, const dlp_scene_def *def,
                            float *out_values)
{
    for (int32_t i = 0; i < frame->count; i++) out_values[i] = value_of(field, frame, def, i);
}

// Values of a film.

// Takes every n-th value, n by the count alone, so that the same frames always give the same pool.
dlp_status dlp_value_pool_add(dlp_value_pool *pool, const float *values, int32_t count, dlp_error *error)
{
    enum { SHARE = 8192 };  // values per frame: enough to find its outermost half percent
    const int32_t every = count / SHARE + 1;
    DLP_TRY(dlp_reserve(&pool->values, &pool->capacity, pool->count + count / every + 2, sizeof *pool->values,
                        "pictures", error));
    for (int32_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        const bool is_first = pool->count == 0;
        pool->low = is_first ? values[i] : fminf(pool->low, values[i]);
        pool->high = is_first ? values[i] : fmaxf(pool->high, values[i]);
        if (is_first || i % every == 0) pool->values[pool->count++] = values[i];
    }
    return DLP_OK;
}

void dlp_value_pool_release(dlp_value_pool *pool)
{
    dlp_free(pool->values);
    *pool = (dlp_value_pool){0};
}

// Values are finite: a total order.
static int compare_values(const void *a, const void *b)
{
    const float left = *(const float *)a, right = *(const float *)b;
    return (left > right) - (left < right);
}

// Smallest and largest, except for the outermost half percent at either end; false without values.
static bool find_ends(dlp_value_pool *pool, double *out_low, double *out_high)
{
    if (pool->count == 0) return false;
    qsort(pool->values, (size_t)pool->count, sizeof *pool->values, compare_values);
    const int32_t left_out = (int32_t)(0.005 * pool->count + 0.5);
    *out_low = (double)pool->values[left_out];
    *out_high = (double)pool->values[pool->count - 1 - left_out];
    return true;
}

// Ticks.

// 1, 2 or 5 times a power of ten, so that about five steps make up the range.
static double round_step(double range)
{
    const double rough = range / 5, power = pow(10, floor(log10(rough)));
    const double share = rough / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

// Adds a tick with a label as printf makes it; past the limit it is left out.
static void add_tick(dlp_color_scale *scale, double value, const char *format, ...) DLP_PRINTF(3, 4);
static void add_tick(dlp_color_scale *scale, double value, const char *format, ...)
{
    if (scale->tick_count == DLP_TICK_LIMIT) return;
    dlp_tick *tick = &scale->ticks[scale->tick_count++];
    tick->value = value;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tick->label, sizeof tick->label, format, arguments);
    va_end(arguments);
}

// A power of ten that leaves few digits before and after the point, and its prefix in the title; only for
// titles with a place for it.
static double choose_unit(dlp_color_scale *scale, double largest)
{
    static const struct {
        double size;
        const char *letter;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}};
    size_t k = 3;
    if (strchr(fields[scale->field].title, '%') != NULL && largest > 0) {
        k = 0;
        while (k < 6 && largest < units[k].size * (k < 3 ? 10 : 1)) k++;
    }
    const char *title = fields[scale->field].title, *mark = strchr(title, '%');
    if (mark == NULL)
        snprintf(scale->title, sizeof scale->title, "%s", title);
    else
        snprintf(scale->title, sizeof scale->title, "%.*s%s%s", (int)(mark - title), title, units[k].letter,
                 mark + 2);
    return units[k].size;
}

// As few decimals as tell the ticks apart.
static void label_even_ticks(dlp_color_scale *scale, double step)
{
    const double unit = choose_unit(scale, fmax(fabs(scale->min), fabs(scale->max)));
    const double digits = -floor(log10(step / unit) + 1e-9);
    const int decimals = digits > 0 ? (int)fmin(digits, 9) : 0;
    const double first = round(scale->min / step), last = round(scale->max / step);
    for (double k = first; k <= last; k++) add_tick(scale, k * step, "%.*f", decimals, k * step / unit + 0.0);
}

// Ends on multiples of the step. Speeds start at 0, and so do pressures that come near it. A range without
// width gets one, so that there is a scale.
static void make_even_scale(dlp_color_scale *scale, double low, double high)
{
    if (scale->field == DLP_COLOR_SPEED ||
        (low > 0 && low < 0.3 * high && scale->field == DLP_COLOR_PRESSURE))
        low = 0;
    const double least = 1e-6 * fmax(fmax(fabs(low), fabs(high)), 1e-30);
    if (!(high - low > least)) high = low + (low != 0 ? 0.1 * fabs(low) : 1);
    const double step = round_step(high - low);
    scale->min = step * floor(low / step + 1e-6);
    scale->max = step * ceil(high / step - 1e-6);
    label_even_ticks(scale, step);
}

// Time steps halve from the largest down: ticks at powers of two, at most about eight.
static void make_step_scale(dlp_color_scale *scale, double low, double high)
{
    const double count = fmax(ceil(high - low - 1e-3), 1), every = ceil(count / 8);
    scale->max = high;
    scale->min = high - every * ceil(count / every);
    const double unit = choose_unit(scale, exp2(high));
    for (double value = scale->min; value <= scale->max + 1e-9; value += every)
        add_tick(scale, value, "%.3g", exp2(value) / unit);
}

// A tick per level.
static void make_level_scale(dlp_color_scale *scale, double low, double high)
{
    scale->min = floor(low);
    scale->max = fmin(ceil(high), scale->min + DLP_TICK_LIMIT - 1);
    for (double level = scale->min; level <= scale->max; level++)
        add_tick(scale, level, level == 0 ? "%.0f finest" : "%.0f", level);
}

// Words instead of numbers.
static void make_state_scale(dlp_color_scale *scale)
{
    static const char *const names[] = {"active", "transition", "restrained"};
    scale->min = 0;
    scale->max = 2;
    for (int32_t k = 0; k < 3; k++) add_tick(scale, k, "%s", names[k]);
}

// Substances and states have fixed scales; the others fit the values of the film.
void dlp_color_scale_init(dlp_color_scale *scale, dlp_color_field field, dlp_value_pool *pool)
{
    *scale = (dlp_color_scale){.field = field};
    snprintf(scale->title, sizeof scale->title, "%s", fields[field].title);
    double low = 0, high = 0;
    const bool has_values = find_ends(pool, &low, &high);
    if (field == DLP_COLOR_STATE) make_state_scale(scale);
    if (field == DLP_COLOR_STATE || field == DLP_COLOR_SUBSTANCE) return;
    if (field == DLP_COLOR_LEVEL && has_values)  // every level counts, however rare
        make_level_scale(scale, (double)pool->low, (double)pool->high);
    else if (field == DLP_COLOR_LEVEL)
        make_level_scale(scale, 0, 0);
    else if (field == DLP_COLOR_STEP && has_values)
        make_step_scale(scale, low, high);
    else
        make_even_scale(scale, low, high);
}

// A range without width takes a colour from the middle of the scale.
dlp_vec3 dlp_color_scale_at(const dlp_color_scale *scale, double value)
{
    static const dlp_vec3 states[] = {{0.16, 0.42, 0.82}, {0.20, 0.66, 0.32}, {0.84, 0.20, 0.18}};
    if (isnan(value)) return dlp_color_viridis(value);
    if (scale->field == DLP_COLOR_STATE) return states[value < 0.5 ? 0 : value < 1.5 ? 1 : 2];
    if (scale->field == DLP_COLOR_SUBSTANCE) return dlp_color_of_index((int32_t)value);
    const double range = scale->max - scale->min;
    return dlp_color_viridis(range > 0 ? (value - scale->min) / range : 0.35);
}
