/* What particles are coloured by: a field of theirs, the range that the whole film shares, and the ticks of
 * its legend. */
#ifndef DLP_RECORD_FILM_COLOR_SCALE_H
#define DLP_RECORD_FILM_COLOR_SCALE_H

#include "record/frame_read.h"
#include "scene/scene.h"

/* The order is that of the names in color_scale.c. */
typedef enum dlp_color_field {
    DLP_COLOR_SUBSTANCE, /* the scene's colours: no scale, no legend */
    DLP_COLOR_SPEED,
    DLP_COLOR_DENSITY, /* over the density at rest */
    DLP_COLOR_PRESSURE,
    DLP_COLOR_TEMPERATURE,
    DLP_COLOR_LEVEL, /* of sizes: 0 is the finest */
    DLP_COLOR_STEP,  /* log2 of the time step in seconds */
    DLP_COLOR_STATE, /* of restraint */
    DLP_COLOR_FIELD_COUNT
} dlp_color_field;
/* "speed". */
const char *dlp_color_field_name(dlp_color_field field);
/* The field of a name; DLP_INVALID with the nearest name, or all of them, where there is none. */
dlp_status dlp_color_field_find(const char *name, dlp_color_field *out_field, dlp_error *error);
/* Substances, levels and states: a few values that do not mix. */
bool dlp_color_field_is_discrete(dlp_color_field field);

/* The field of every particle, one value each. NaN where a particle has none: no temperature, no density
 * at rest. */
void dlp_color_field_values(dlp_color_field field, const dlp_particle_frame *frame, const dlp_scene_def *def,
                            float *out_values);

/* Values of a whole film, thinned out so that memory stays small; the same frames always give the same
 * values. All-zero is empty. */
typedef struct dlp_value_pool {
    float *values;
    int32_t count, capacity;
    float low, high; /* of all finite values, also those that were left out; valid where count > 0 */
} dlp_value_pool;
/* Adds the values of a frame; those that are not finite do not count. */
dlp_status dlp_value_pool_add(dlp_value_pool *pool, const float *values, int32_t count, dlp_error *error);
void dlp_value_pool_release(dlp_value_pool *pool);

/* ticks of a scale; bytes of a label */
enum { DLP_TICK_LIMIT = 16, DLP_LABEL_SIZE = 32 };
/* A mark of the legend. */
typedef struct dlp_tick {
    double value;
    char label[DLP_LABEL_SIZE];
} dlp_tick;

/* From values to colours, the same for all pictures of a film. */
typedef struct dlp_color_scale {
    dlp_color_field field;
    double min, max; /* equal where there is nothing to tell apart */
    char title[64];  /* "speed (m/s)" */
    int32_t tick_count;
    dlp_tick ticks[DLP_TICK_LIMIT]; /* ascending; of discrete fields one per value */
} dlp_color_scale;
/* Covers all but the outermost half percent of the values at either end, and ends on round numbers. Sorts
 * the pool. */
void dlp_color_scale_init(dlp_color_scale *scale, dlp_color_field field, dlp_value_pool *pool);

dlp_vec3 dlp_color_scale_at(const dlp_color_scale *scale, double value); /* sRGB; NaN is grey */

#endif
