/* Reading files: whole into memory, then words and numbers from the bytes, whatever the locale is. */
#ifndef DLP_SPACE_TEXT_READER_H
#define DLP_SPACE_TEXT_READER_H

#include "base/status.h"

#define DLP_FILE_LIMIT ((size_t)2 << 30) /* bytes: larger files are refused */

/* The bytes of a file, all in memory; what `dlp_file_load` made is freed with dlp_file_release. */
typedef struct dlp_bytes {
    const char *data;
    size_t size;
} dlp_bytes;

/* Reads a regular file whole; a zero byte follows the data. The message holds the path and the reason. */
dlp_status dlp_file_load(const char *path, dlp_bytes *out_bytes, dlp_error *error);
void dlp_file_release(dlp_bytes *bytes);
/* `file`, or `folder`/`file` where it is relative and a folder is given; freed with dlp_free. NULL
 * when there is not enough memory. */
char *dlp_path_join(const char *folder, const char *file);
/* Whether the name ends in `ending` (".obj"), in whatever case. */
bool dlp_path_ends(const char *path, const char *ending);

/* A place in a text, which need not end with a zero byte. Borrowed bytes. */
typedef struct dlp_text {
    const char *at, *end; /* the next byte, and one past the last */
    int32_t line;         /* from 1 */
} dlp_text;

dlp_text dlp_text_of(dlp_bytes bytes);
void dlp_text_skip_blanks(dlp_text *text); /* blanks within the line */
void dlp_text_skip_space(dlp_text *text);  /* blanks and line ends */
void dlp_text_skip_line(dlp_text *text);   /* to the start of the next line */
bool dlp_text_at_line_end(dlp_text *text); /* after blanks: nothing more on this line */
/* The next word of this line (empty at its end). */
dlp_bytes dlp_text_word(dlp_text *text);
bool dlp_bytes_equal(dlp_bytes word, const char *text);        /* exactly */
bool dlp_bytes_equal_nocase(dlp_bytes word, const char *text); /* ASCII letters in whatever case */
/* The number here, correctly rounded ("nan" and "inf" included); false, and nothing taken, where there is
 * none. */
bool dlp_text_number(dlp_text *text, double *out_value);
/* Likewise a whole number; false also where it does not fit. */
bool dlp_text_integer(dlp_text *text, int64_t *out_value);

/* A finite double as a whole number from `low` to `high`; false where it is not one. */
bool dlp_whole_number(double value, int64_t low, int64_t high, int64_t *out_value);

#endif
