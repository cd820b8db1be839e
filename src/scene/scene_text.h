/* Text for the scene's readers and writers: growing strings, numbers that read back as the same double, the
 * nearest of some names. */
#ifndef DLP_SCENE_SCENE_TEXT_H
#define DLP_SCENE_SCENE_TEXT_H

#include "base/status.h"

/* A string that grows. After a failed allocation it stays as it was and has_failed is true: check it once, at
 * the end. All-zero is the empty string. */
typedef struct dlp_string {
    char *data; /* ends with 0; NULL while empty */
    size_t length, capacity;
    bool has_failed;
} dlp_string;
void dlp_string_add(dlp_string *text, const char *format, ...) DLP_PRINTF(2, 3);
void dlp_string_cut(dlp_string *text, size_t length); /* keeps the first `length` bytes */
void dlp_string_release(dlp_string *text);

/* The shortest decimal that reads back as the same double, whatever the program's locale is. */
void dlp_string_add_number(dlp_string *text, double number);
/* A plain word where YAML and JSON would read it back as this text, else a quoted string. */
void dlp_string_add_value(dlp_string *text, const char *value);

/* Whether the whole of `text` is a decimal number; too large ones come out infinite. */
bool dlp_number_read(const char *text, double *out_number);

/* The code point at *at (< end), which moves past it; -1, and no move, where the bytes are not UTF-8. */
int32_t dlp_utf8_next(const char **at, const char *end);
void dlp_utf8_add(dlp_string *text, int32_t code_point);

/* About 40 bytes of a text for a message, cut between characters; control characters and bytes that are not
 * UTF-8 become dots. */
enum { DLP_SHORT_TEXT = 48 };
void dlp_shorten(const char *text, char out_text[DLP_SHORT_TEXT]);

/* The name, among those offered, that a person most likely meant: set `word`, zero the rest, offer every
 * name. */
typedef struct dlp_suggestion {
    const char *word; /* borrowed: what was written */
    const char *best; /* borrowed: the nearest so far, the first of equals; NULL while none is near */
    int32_t distance; /* edits between the two */
} dlp_suggestion;
void dlp_suggestion_offer(dlp_suggestion *nearest, const char *name);

/* [A-Za-z_][A-Za-z0-9_-]* */
bool dlp_is_name(const char *text);

#endif
