/* Emitters of a SPlisHSPlasH scene. They point along their own x axis; width and height are counted in
 * particles, along their z and y axes. In the plane all are lines, and a round one's width is its height. */
#include "splishsplash.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An emitter as it is there. */
typedef struct splash_emitter {
    dlp_vec3 at;
    dlp_transform axes;        /* of the emitter: columns are its x, y and z */
    double width, height;      /* particles */
    double speed, start, stop; /* m/s, s; NaN: never stops */
    bool is_round;
} splash_emitter;

static dlp_vec3 axis_of(const splash_emitter *emitter, int k)
{
    return dlp_rotate(&emitter->axes, dlp_vec(k == 0, k == 1, k == 2));
}

static void read_emitter(const dlp_splash *splash, const dlp_source *map, splash_emitter *out_emitter)
{
    double type = 0;
    splash_emitter e = {.width = 5, .height = 5, .speed = 1, .stop = (double)NAN};
    const dlp_splash_placement place = dlp_splash_place(splash, map, DLP_SPLASH_EMITTER);
    e.at = place.translation;
    e.axes = dlp_transform_of(dlp_vec(0, 0, 0), place.degrees);
    dlp_source_positive(map, "width", &e.width);
    dlp_source_positive(map, "height", &e.height);
    dlp_source_number(map, "velocity", &e.speed);
    dlp_source_number(map, "emitStartTime", &e.start);
    dlp_source_number(map, "emitEndTime", &e.stop);
    dlp_source_number(map, "type", &type);
    e.is_round = type == 1;
    if (type != 0 && type != 1) dlp_convert_change(map, "type", "%g is not known: a rectangle", type);
    e.start = fmax(e.start, 0);
    *out_emitter = e;
}

/* Which of its sides lies along the first side of ours: our first side is level, that is across z, and the
 * second one is across both. A rectangle that is turned otherwise keeps its area and its direction. */
static void write_size(const dlp_splash *splash, const dlp_source *map, const splash_emitter *emitter,
                       dlp_string *text)
{
    const double diameter = 2 * splash->radius;
    const dlp_vec3 x = axis_of(emitter, 0);
    const dlp_vec3 helper = fabs(x.z) < 0.9 ? dlp_vec(0, 0, 1) : dlp_vec(1, 0, 0);
    const dlp_vec3 u = dlp_normalize(dlp_cross(helper, x), dlp_vec(1, 0, 0));
    const double along_y = fabs(dlp_dot(u, axis_of(emitter, 1)));
    const bool is_height_first = along_y > 0.5 * sqrt(2);
    if (fmin(along_y, sqrt(fmax(0, 1 - along_y * along_y))) > 0.01 && emitter->width != emitter->height)
        dlp_convert_change(map, "rotationAxis",
                           "the mouth is turned about its direction to the nearest side");
    dlp_string_add(text, "size: [");
    dlp_convert_add_number(text, diameter * (is_height_first ? emitter->height : emitter->width));
    dlp_string_add(text, ", ");
    dlp_convert_add_number(text, diameter * (is_height_first ? emitter->width : emitter->height));
    dlp_string_add(text, "]");
}

static void write_mouth(const dlp_splash *splash, const dlp_source *map, const splash_emitter *emitter,
                        dlp_string *text)
{
    const bool is_flat = splash->dimension == 2;
    if (!is_flat && !emitter->is_round) {
        write_size(splash, map, emitter, text);
        return;
    }
    const double particles = emitter->is_round ? emitter->width : emitter->height;
    dlp_string_add(text, "radius: ");
    dlp_convert_add_number(text, particles * splash->radius);
}

/* Rounded like the angles it comes from. */
static dlp_vec3 direction_of(const splash_emitter *emitter)
{
    const dlp_vec3 x = dlp_mul(axis_of(emitter, 0), emitter->speed < 0 ? -1 : 1);
    return dlp_vec(round(x.x * 1e9) / 1e9, round(x.y * 1e9) / 1e9, round(x.z * 1e9) / 1e9);
}

/* The limit is of all emitters of a material there, and of each one here. */
static void write_limit(const dlp_splash *splash, const char *id, dlp_string *text)
{
    const dlp_source material = dlp_splash_material(splash, id);
    double limit = 0;
    if (!dlp_source_positive(&material, "maxEmitterParticles", &limit)) return;
    if (limit < 1e9) dlp_string_add(text, ", limit: %.0f", ceil(limit));
}

static void write_emitter(const dlp_splash *splash, const dlp_source *map, const splash_emitter *emitter,
                          const dlp_splash_fluid *fluid, dlp_string *text)
{
    dlp_string_add(text, "  - {substance: %s, position: ", fluid->name);
    dlp_convert_add_vector(text, emitter->at, splash->dimension);
    dlp_string_add(text, ", direction: ");
    dlp_convert_add_vector(text, direction_of(emitter), splash->dimension);
    dlp_string_add(text, ", ");
    write_mouth(splash, map, emitter, text);
    dlp_string_add(text, ", speed: ");
    dlp_convert_add_number(text, fabs(emitter->speed));
    if (emitter->start > 0) {
        dlp_string_add(text, ", start: ");
        dlp_convert_add_number(text, emitter->start);
    }
    if (emitter->stop < 1e30) {
        dlp_string_add(text, ", stop: ");
        dlp_convert_add_number(text, fmax(emitter->stop, 0));
    }
    write_limit(splash, fluid->id, text);
    dlp_string_add(text, "}\n");
}

dlp_status dlp_splash_read_emitters(dlp_splash *splash, dlp_error *error)
{
    const dlp_source list = dlp_source_of(&splash->root, "Emitters");
    dlp_source map = {0};
    for (int32_t index = 0; dlp_source_next(&list, &map, &index);) {
        const char *id = "Fluid";
        splash_emitter emitter;
        dlp_splash_fluid *fluid;
        dlp_splash_check_keys(splash, &map, DLP_SPLASH_EMITTER);
        dlp_source_text(&map, "id", &id);
        read_emitter(splash, &map, &emitter);
        DLP_TRY(dlp_splash_find_fluid(splash, id, NULL, &fluid, error));
        fluid->emitter_count++;
        write_emitter(splash, &map, &emitter, fluid, &splash->emitters);
        DLP_TRY(dlp_splash_add_start(splash, emitter.at, error));
    }
    if (splash->emitters.length > 0)
        dlp_convert_lose(&splash->root, "Emitters", "the housing that keeps other matter out of them");
    return DLP_OK;
}
