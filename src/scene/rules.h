/* What the table's rows cannot say: whether several values make sense together, and defaults that depend on
 * others. Each function belongs to the schema or row that names it in table*.c. */
#ifndef DLP_SCENE_RULES_H
#define DLP_SCENE_RULES_H

#include "scene/table.h"

dlp_check_fn dlp_check_scene, dlp_check_time, dlp_check_domain, dlp_check_substance, dlp_check_particle,
    dlp_check_spin, dlp_check_melting, dlp_check_restraint, dlp_check_obstacle, dlp_check_emitter,
    dlp_check_sink, dlp_check_probe, dlp_check_line, dlp_check_plane, dlp_check_attachment, dlp_check_blade,
    dlp_check_load, dlp_check_force, dlp_check_fiber, dlp_check_plasticity, dlp_check_elastic,
    dlp_check_surface, dlp_check_camera, dlp_check_sun, dlp_check_render;
dlp_check_fn dlp_check_shape, dlp_check_box, dlp_check_stretched, dlp_check_torus, dlp_check_sheet,
    dlp_check_height, dlp_check_copies;

dlp_derive_fn dlp_derive_gravity, dlp_derive_down, dlp_derive_up, dlp_derive_smoothing, dlp_derive_thickness,
    dlp_derive_stretch, dlp_derive_alpha, dlp_derive_cohesion, dlp_derive_radius, dlp_derive_color,
    dlp_derive_measure, dlp_derive_name, dlp_derive_surface_kind, dlp_derive_surface_smoothing,
    dlp_derive_look, dlp_derive_lattice;

/* rules_cloth.c: checks of one cloth, and of what a scene with cloth may have. */
void dlp_check_cloth(dlp_resolver *resolver, const dlp_substance_def *substance);
void dlp_check_cloths(dlp_resolver *resolver, const dlp_scene_def *def);
/* rules_solid.c: likewise. */
void dlp_check_solid(dlp_resolver *resolver, const dlp_substance_def *substance);
void dlp_check_solids(dlp_resolver *resolver, const dlp_scene_def *def);

/* For other rules: the index of what is named; -1 and a mistake at `key` with the nearest name where there is
 * none. */
int32_t dlp_find_substance(dlp_resolver *resolver, const char *key, const char *name);
int32_t dlp_find_obstacle(dlp_resolver *resolver, const char *key, const char *name);
/* A text that was not given becomes "". */
void dlp_fill_empty(dlp_resolver *resolver, char **text);
/* A mistake at `name` where an earlier item of the list has the present item's name; every item's record
 * starts with its name. */
void dlp_check_unique(dlp_resolver *resolver, const void *items, size_t size, const char *list);
/* A mistake at `stop` where it is not later than start. */
void dlp_check_interval(dlp_resolver *resolver, double start, double stop);

#endif
