/* One walk over the table and the scene's text at once: fills the records, notes mistakes and parameters.
 * Mistakes do not stop the walk, so that all are reported together; a check sees only records whose rows were
 * all good. */
#ifndef DLP_SCENE_RESOLVE_H
#define DLP_SCENE_RESOLVE_H

#include "scene/document.h"
#include "scene/table.h"

/* The resolved parameters in the order of the table. All-zero is empty. */
typedef struct dlp_parameters {
    dlp_parameter *items;
    int32_t count, capacity;
    dlp_arena arena; /* the items' texts */
} dlp_parameters;
void dlp_parameters_release(dlp_parameters *parameters);

/* A mistake of the scene, as it will be reported. The texts live in the resolver's scratch. */
typedef struct dlp_mistake {
    int32_t line, column; /* 0: not from a file */
    int32_t order;        /* in which it was found */
    const char *path;     /* "substances.honey.density"; "" for the whole */
    const char *text;     /* "must be > 0 (got -3)" */
} dlp_mistake;

enum {
    DLP_PATH_LIMIT = 4096,  /* bytes; longer paths are cut, in messages alone */
    DLP_NAME_LIMIT = 64,    /* bytes of a name or key */
    DLP_LIST_LIMIT = 10000, /* entries of a list or map of records */
    DLP_MISTAKE_LIMIT = 500 /* that are kept; more are only counted */
};

/* Always ends with a zero byte. */
typedef struct dlp_path {
    char text[DLP_PATH_LIMIT];
    size_t length;
} dlp_path;

/* The state of the walk. `file`, `folder`, `def` and `parameters` are borrowed; what "present" names is saved
 * and restored around every record. */
struct dlp_resolver {
    const char *file;   /* for places: "pour.yaml" */
    const char *folder; /* where relative file names start */
    dlp_scene_def *def;
    dlp_parameters *parameters;
    int32_t track_capacity, curve_capacity;
    dlp_document scratch;               /* defaults as nodes, mistakes */
    dlp_path path;                      /* of what is being resolved */
    const dlp_node *node;               /* the present record; NULL where it is not given */
    const dlp_node *where;              /* the same, or the nearest one around it that is given */
    int32_t index;                      /* of the present item of a list or map */
    size_t item_start;                  /* bytes of the path that name this item */
    const dlp_preset *material;         /* of the present item; NULL: none */
    const dlp_preset *list_material;    /* that the present list is from; NULL where the scene gives it */
    const dlp_substance_def *substance; /* the present one; NULL outside of them */
    dlp_inputs inputs;                  /* of the present records */
    dlp_mistake *mistakes;              /* owned */
    int32_t mistake_count, mistake_capacity, mistakes_left_out;
    int32_t refused_count; /* times that a value was met of which a mistake had been noted before */
    dlp_document expanded; /* the scene without variables, where it had any (variables.c) */
    int32_t depth;         /* of lists and maps around what is expanded */
    bool is_out_of_memory; /* reported instead of all mistakes */
};

/* Fills `def` and `parameters` (both empty before) from the document. On failure, DLP_INVALID with all
 * mistakes or DLP_OUT_OF_MEMORY, both hold a part and must be released. `root` may be NULL: an empty scene.
 */
dlp_status dlp_resolve(const dlp_node *root, const char *file, const char *folder, dlp_scene_def *def,
                       dlp_parameters *parameters, dlp_error *error);
/* Whether `node` would be a good value of the row: the check of dlp_scene_set. */
dlp_status dlp_resolve_value(const dlp_schema_row *row, const dlp_node *node, const char *path,
                             int32_t dimension, dlp_error *error);

/* variables.c: the scene with the values of its variables in their place, in the resolver's own document;
 * `root` itself where there are none. Unknown names are noted as mistakes; DLP_INVALID where the result would
 * be too large. */
dlp_status dlp_variables_expand(dlp_resolver *resolver, const dlp_node *root, const dlp_node **out_root,
                                dlp_error *error);

/* mistake.c: the path grows and shrinks with the walk; both ways of growing give the length to go back to. */
size_t dlp_path_extend(dlp_resolver *resolver, const char *format, ...) DLP_PRINTF(2, 3);
size_t dlp_path_enter(dlp_resolver *resolver, const char *key);
void dlp_path_cut(dlp_resolver *resolver, size_t length);
/* Notes a mistake of the present path, at a place or at a node (NULL: nowhere). */
void dlp_mistake_keep(dlp_resolver *resolver, dlp_place place, const char *text);
void dlp_mistake_at(dlp_resolver *resolver, const dlp_node *node, const char *format, ...) DLP_PRINTF(3, 4);
/* Keys that a map has twice, in the whole document below `node`. */
void dlp_mistakes_find_repeated(dlp_resolver *resolver, const dlp_node *node);
/* All mistakes in the order of the file; DLP_OK where there are none. */
dlp_status dlp_mistakes_report(dlp_resolver *resolver, dlp_error *error);

/* For checks. `key` is below the present record ("radius"), or "" for itself. */
void dlp_mistake_add(dlp_resolver *resolver, const char *key, const char *format, ...) DLP_PRINTF(3, 4);
/* Whether the scene itself (not a material or default) has the key in the present record. */
bool dlp_is_given(const dlp_resolver *resolver, const char *key);
/* Whether a mistake was noted at a path ("substances.honey") or below it. */
bool dlp_has_mistake_under(const dlp_resolver *resolver, const char *path);

/* value.c: reads a value of the present path from `node` into the field that the row names in the record at
 * `base`. False and a mistake where it is refused; the field then keeps its value (a list of
 * numbers may be stored in part). */
bool dlp_value_read(dlp_resolver *resolver, const dlp_schema_row *row, const dlp_node *node, void *base);
/* The same for a number or a vector, into 1 or 3 doubles. */
bool dlp_value_read_numbers(dlp_resolver *resolver, const dlp_schema_row *row, const dlp_node *node,
                            double *out);
/* The field as a scene would write it: reading it back gives the same bits. */
void dlp_value_write(const dlp_schema_row *row, const void *base, dlp_string *text);
/* The value as numbers, `dlp_value_count` of them: a switch is 0 or 1, a word its place among the row's
 * words, axes are three switches. A text has none. */
int32_t dlp_value_count(const dlp_schema_row *row, const void *base);
void dlp_value_get_numbers(const dlp_schema_row *row, const void *base, double *out_numbers);
/* The same numbers as a scene would write them. False with what they must be, where a row cannot have them.
 */
bool dlp_value_write_numbers(const dlp_schema_row *row, const double *numbers, int32_t count,
                             dlp_string *out_text, const char **out_expected);
/* Bytes of an input's field; 0 for types that no input has. */
size_t dlp_value_size(dlp_schema_row_type type);
void dlp_node_describe(const dlp_node *node, char out_text[96]); /* "a list of 2", "\"thick\"", "-3" */

/* key_frames.c: {keys: [[t, value], ...], smooth: true}. Reading adds a track to the scene and sets the field
 * to its value at time 0. */
bool dlp_is_keyed(const dlp_node *node);
bool dlp_keys_read(dlp_resolver *resolver, const dlp_schema_row *row, const dlp_node *node, void *target);
void dlp_keys_write(const dlp_track *track, dlp_string *text);

/* curve.c: {by_temperature: [[degrees, value], ...]}. Reading adds a curve to the scene and sets the field to
 * its largest value. */
bool dlp_is_curve(const dlp_node *node);
bool dlp_curve_read(dlp_resolver *resolver, const dlp_schema_row *row, const dlp_node *node, double *target);
void dlp_curve_write(const dlp_curve *curve, dlp_string *text);

/* find_file.c: the file's whole path, canonical, so that it works from any folder; the caller frees it.
 * DLP_IO with errno where there is no readable file. */
dlp_status dlp_file_find(const char *folder, const char *file, char **out_path);

/* scene_def.c: frees everything, also of a half-filled record, and leaves it empty. NULL is allowed. */
void dlp_scene_def_release(dlp_scene_def *def);

#endif
