/* What the parts of the reader of SPlisHSPlasH scenes share. */
#ifndef DLP_APP_SPLISHSPLASH_H
#define DLP_APP_SPLISHSPLASH_H

#include "convert.h"

/* One of our substances: all that has one id and starts with one velocity. */
typedef struct dlp_splash_fluid {
    char name[65];
    const char *id; /* of its material; of the document */
    dlp_vec3 velocity;
    dlp_string shapes; /* YAML, a line "- box: {...}" each */
    int32_t shape_count;
    int32_t emitter_count;
} dlp_splash_fluid;

typedef struct dlp_splash {
    dlp_conversion *conversion;
    dlp_source root, configuration;
    double radius; /* m: of all particles; they start two of them apart */
    int32_t dimension;
    dlp_splash_fluid *fluids;
    int32_t fluid_count, fluid_capacity;
    dlp_vec3 *starts; /* a place inside of every block, and every emitter */
    int32_t start_count, start_capacity;
    dlp_string emitters, obstacles; /* YAML, lists */
} dlp_splash;

/* The kinds of maps in a file. */
typedef enum dlp_splash_section {
    DLP_SPLASH_ROOT,
    DLP_SPLASH_CONFIGURATION,
    DLP_SPLASH_MATERIAL,
    DLP_SPLASH_BLOCK,
    DLP_SPLASH_MODEL,
    DLP_SPLASH_EMITTER,
    DLP_SPLASH_BODY
} dlp_splash_section;

/* A rotation by an axis and an angle in radians, as ours: degrees about x, then y, then z. In the plane it is
 * about z alone, and emitters turn about z whatever their axis is; what leaves the plane is said to be lost.
 */
typedef struct dlp_splash_placement {
    dlp_vec3 translation, scale, degrees;
} dlp_splash_placement;
dlp_splash_placement dlp_splash_place(const dlp_splash *splash, const dlp_source *map,
                                      dlp_splash_section section);
/* Of old scenes it may be one number. */
void dlp_splash_read_scale(const dlp_source *map, dlp_vec3 *scale);

/* splishsplash_fluids.c */
dlp_status dlp_splash_read_fluids(dlp_splash *splash, dlp_error *error);
void dlp_splash_write_fluids(const dlp_splash *splash, dlp_string *scene);
/* The fluid of an id that starts with a velocity, with NULL the first one of the id; it is made where there
 * is none. */
dlp_status dlp_splash_find_fluid(dlp_splash *splash, const char *id, const dlp_vec3 *velocity,
                                 dlp_splash_fluid **out_fluid, dlp_error *error);
dlp_status dlp_splash_add_start(dlp_splash *splash, dlp_vec3 at, dlp_error *error);
/* The map that describes the material of an id; without a node where there is none. */
dlp_source dlp_splash_material(const dlp_splash *splash, const char *id);

/* splishsplash_emitters.c */
dlp_status dlp_splash_read_emitters(dlp_splash *splash, dlp_error *error);

/* splishsplash_bodies.c */
void dlp_splash_read_bodies(dlp_splash *splash);
/* "mesh: {file: ...}, scale: 2, position: [...]" of the mesh file that a key names; false, after saying what
 * is lost, where the file cannot be used. */
bool dlp_splash_add_mesh(const dlp_splash *splash, const dlp_source *map, const char *key,
                         const dlp_splash_placement *place, dlp_string *out_shape);

/* splishsplash_keys.c: names every key of a map that is not carried over. */
void dlp_splash_check_keys(const dlp_splash *splash, const dlp_source *map, dlp_splash_section section);

#endif
