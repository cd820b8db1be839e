/* One walk over the table and the scene's text at once: fills the records, notes mistakes and parameters. */
#ifndef DLP_SCENE_RESOLVE_H
#define DLP_SCENE_RESOLVE_H

#include "scene/document.h"
#include "scene/table.h"

typedef struct dlp_parameters {
    dlp_parameter *items;
    int32_t count, capacity;
    dlp_arena arena; /* the items' texts */
} dlp_parameters;
void dlp_parameters_release(dlp_parameters *parameters);

typedef struct dlp_mistake {
    int32_t line, column; /* 0: not from a file */
    int32_t order;        /* of finding */
    const char *path, *text;
} dlp_mistake;

enum { DLP_PATH_LIMIT = 4096, DLP_NAME_LIMIT = 64, DLP_LIST_LIMIT = 10000, DLP_MISTAKE_LIMIT = 500 };

typedef struct dlp_path {
    char text[DLP_PATH_LIMIT];
    size_t length;
} dlp_path;

struct dlp_resolver {
    const char *file;   /* for places: "pour.yaml" */
    const char *folder; /* where relative file names start */
    dlp_scene_def *def;
    dlp_parameters *parameters;
    int32_t track_capacity, curve_capacity;
    dlp_document scratch;  /* defaults as nodes, mistakes */
    dlp_path path;         /* of what is being resolved */
    const dlp_node *node;  /* the present record; NULL where it is not given */
    const dlp_node *where; /* the same, or the nearest one around it that is given */
    int32_t index;         /* of the present item of a list or map */
    size_t item_start;     /* bytes of the path that name this item */
    const dlp_preset *material;
    const dlp_preset *list_material;    /* that the present list is from; NULL where the scene gives it */
    const dlp_substance_def *substance; /* the present one; NULL outside of them */
    dlp_inputs inputs;
    dlp_mistake *mistakes;
    int32_t mistake_count, mistake_capacity, mistakes_left_out;
    bool is_out_of_memory;
};

/* Fills `def` and `parameters` (both empty before) from the document. */
dlp_status dlp_resolve(const dlp_node *root, const char *file, const char *folder, dlp_scene_def *def,
                       dlp_parameters *parameters, dlp_error *error);
/* Whether `node` would be a good value of the row: the check of dlp_scene_set. */
dlp_status dlp_resolve_value(const dlp_schema_row *row, const dlp_node *node, const char *path,
                             int32_t dimension, dlp_error *error);

/* mistake.c: the path grows and shrinks with the walk; both ways of growing give the length to go back to. */
size_t dlp_path_extend(dlp_resolver *resolver, const char *format, ...) DLP_PRINTF(2, 3);
size_t dlp_path_enter(dlp_resolver *resolver, const char *key);
void dlp_path_cut(dlp_resolver *resolver, size_t length);
void dlp_mistake_keep(dlp_resolver *resolver, dlp_place place, const char *text);
void dlp_mistake_at(dlp_resolver *resolver, const dlp_node *node, const char *format, ...) DLP_PRINTF(3, 4);
/* Keys that a map has twice, in the whole document below `node`. */
void dlp_mistakes_find_repeated(dlp_resolver *resolver, const dlp_node *node);
dlp_status dlp_mistakes_report(dlp_resolver *resolver, dlp_error *error);

/* For checks. `key` is below the present record ("radius"), or "" for itself. */
void dlp_mistake_add(dlp_resolver *resolver, const char *key, const char *format, ...) DLP_PRINTF(3, 4);
bool dlp_is_given(const dlp_resolver *resolver, const char *key);
bool dlp_has_mistake_under(const dlp_resolver *resolver, const char *path);

/* value.c: a value of the present path at `node`. */
bool dlp_value_read(dlp_resolver *resolver, const dlp_schema_row *row, const dlp_node *node, void *base);
bool dlp_value_read_numbers(dlp_resolver *resolver, const dlp_schema_row *row, const dlp_node *node,
                            double *out);
void dlp_value_write(const dlp_schema_row *row, const void *base, dlp_string *text);
/* The value as numbers, `dlp_value_count` of them: a switch is 0 or 1, a word its place among the row's
 * words, axes are three switches. A text has none. */
int32_t dlp_value_count(const dlp_schema_row *row, const void *base);
void dlp_value_get_numbers(const dlp_schema_row *row, const void *base, double *out_numbers);
/* The same numbers as a scene would write them. False with what they must be, where a row cannot have them.
 */
bool dlp_value_write_numbers(const dlp_schema_row *row, const double *numbers, int32_t count,
                             dlp_string *out_text, const char **out_expected);
size_t dlp_value_size(dlp_schema_row_type type);
void dlp_node_describe(const dlp_node *node, char out_text[96]); /* "a list of 2", "\"thick\"", "-3" */

/* key_frames.c: {keys: [[t, value], ...], smooth: true}. */
bool dlp_is_keyed(const dlp_node *node);
bool dlp_keys_read(dlp_resolver *resolver, const dlp_schema_row *row, const dlp_node *node, void *target);
void dlp_keys_write(const dlp_track *track, dlp_string *text);

/* curve.c: {by_temperature: [[degrees, value], ...]}. */
bool dlp_is_curve(const dlp_node *node);
bool dlp_curve_read(dlp_resolver *resolver, const dlp_schema_row *row, const dlp_node *node, double *target);
void dlp_curve_write(const dlp_curve *curve, dlp_string *text);

/* find_file.c: the file's whole path, canonical, so that it works from any folder; the caller frees it.
 * DLP_IO with errno where there is no readable file. */
dlp_status dlp_file_find(const char *folder, const char *file, char **out_path);

/* scene_def.c */
void dlp_scene_def_release(dlp_scene_def *def);

#endif
