/* What the files of a run are made of: numbers in tables, text in XML and HTML, bytes in base64. All of it
 * is appended to a dlp_string, which remembers a failure (dlp_format_check). */
#ifndef DLP_RECORD_FORMAT_H
#define DLP_RECORD_FORMAT_H

#include "scene/scene_text.h"

/* At most `digits` significant digits, with a point whatever the host's locale is; "nan", "inf", "-inf".
 * 17 digits give the same double back. */
void dlp_format_number(dlp_string *text, double value, int digits);
/* Characters that mean something in XML and HTML become entities; control characters are dropped. */
void dlp_format_escaped(dlp_string *text, const char *words);
/* Without line breaks, padded with '='. */
void dlp_format_base64(dlp_string *text, const void *bytes, size_t size);

/* The number between `begin` and `end`, in any locale; NaN where there is none. */
double dlp_format_read_number(const char *begin, const char *end);

/* DLP_OUT_OF_MEMORY where the text could not take all it was given. */
dlp_status dlp_format_check(const dlp_string *text, const char *what, dlp_error *error);

#endif
