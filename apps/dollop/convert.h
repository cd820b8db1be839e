/* Scenes of other programs: what a reader of a format gets, and how it says what has no place in a scene of
 * ours. A format is a row of the table in convert_text.c. */
#ifndef DLP_APP_CONVERT_H
#define DLP_APP_CONVERT_H

#include "base/vec.h"
#include "record/format.h"
#include "scene/document.h"

/* A scene on its way. All-zero but for what the caller sets. */
typedef struct dlp_conversion {
    const char *name;        /* borrowed: of the file, for messages */
    const char *folder;      /* borrowed: where the names of files in it start */
    bool has_absolute_files; /* the scene is written into another folder */
    const char *program;     /* whose scene it was; static */
    dlp_document document;
    dlp_error *error;   /* mistakes of the file are added to it */
    dlp_string scene;   /* YAML */
    dlp_string lost;    /* what was not carried over: lines "PATH: why" */
    dlp_string changed; /* what was carried over differently: likewise */
    int32_t lost_count, changed_count;
} dlp_conversion;

/* Recognizes the format of a text and converts it. DLP_INVALID with every mistake of the file, by line and
 * column, or where it is a scene of no known program. Release the conversion in any case. */
dlp_status dlp_convert_text(dlp_conversion *conversion, const char *text, size_t length, dlp_error *error);
void dlp_conversion_release(dlp_conversion *conversion);
/* The whole file: comments, which name what was lost and changed, then the scene. */
void dlp_conversion_write(const dlp_conversion *conversion, dlp_string *out_text);

/* convert_source.c: for readers of formats. */

/* A value of the file. `node` is NULL where it is not there; `path` is like "RigidBodies[0].scale". */
typedef struct dlp_source {
    dlp_conversion *conversion;
    const dlp_node *node;
    char path[160];
} dlp_source;

dlp_source dlp_source_root(dlp_conversion *conversion);
dlp_source dlp_source_of(const dlp_source *map, const char *key); /* NULL for null, too */
/* The next entry of a list that should hold maps: set `entry` to zero first; others are mistakes. */
bool dlp_source_next(const dlp_source *list, dlp_source *entry, int32_t *index);

/* Read a value where the map has one; what is of another kind, or no finite number, is added to the mistakes.
 * False: the value is left as it was. */
bool dlp_source_number(const dlp_source *map, const char *key, double *out_value);
bool dlp_source_positive(const dlp_source *map, const char *key, double *out_value);
bool dlp_source_vector(const dlp_source *map, const char *key, dlp_vec3 *out_value);
bool dlp_source_flag(const dlp_source *map, const char *key, bool *out_value);
bool dlp_source_text(const dlp_source *map, const char *key, const char **out_value); /* of the document */

void dlp_source_refuse(const dlp_source *at, const char *what); /* a mistake: "must be ..." */
/* A line about `map.key`, or about the map itself where the key is NULL. */
void dlp_convert_lose(const dlp_source *map, const char *key, const char *format, ...) DLP_PRINTF(3, 4);
void dlp_convert_change(const dlp_source *map, const char *key, const char *format, ...) DLP_PRINTF(3, 4);

/* Numbers with at most twelve digits: sums and products of the file's own would show their rounding. */
void dlp_convert_add_number(dlp_string *text, double number);
/* "[1, 2, 3]", in the plane "[1, 2]" */
void dlp_convert_add_vector(dlp_string *text, dlp_vec3 v, int32_t dimension);

/* The formats. */
bool dlp_splishsplash_is(const dlp_node *root);
dlp_status dlp_splishsplash_convert(dlp_conversion *conversion, dlp_error *error);

#endif
