/* What --vary asks for: parameters, the values of each, and all combinations of them. */
#ifndef DLP_APP_VARY_H
#define DLP_APP_VARY_H

#include "options.h"

enum { DLP_VARIANT_LIMIT = 64, DLP_VARIANT_NAME = 96, DLP_VARIANT_LABEL = 160 };

/* One --vary PATH=A,B. Everything is owned. */
typedef struct dlp_vary_list {
    char *path;
    const char *key; /* the end of the path that tells it from the other lists': "viscosity" */
    char **values;
    int32_t count;
} dlp_vary_list;

/* All-zero is empty. */
typedef struct dlp_vary {
    dlp_vary_list *lists;
    int32_t list_count;
    int32_t variant_count; /* the product of all counts */
} dlp_vary;

/* Reads the options PATH=A,B,... Commas within brackets, braces and quotes belong to a value. DLP_INVALID
 * with the option in the message: no values, a bracket left open, a path or value given twice, more than
 * DLP_VARIANT_LIMIT combinations. */
dlp_status dlp_vary_read(const dlp_words *options, dlp_vary *out_vary, dlp_error *error);
void dlp_vary_release(dlp_vary *vary);

/* The value of a list in a variant; the last list changes from each variant to the next. */
const char *dlp_vary_value(const dlp_vary *vary, int32_t variant, int32_t list);
/* For people: "viscosity=8, spacing=0.01". */
void dlp_vary_label(const dlp_vary *vary, int32_t variant, char out_label[DLP_VARIANT_LABEL]);
/* For a folder: "viscosity=8_spacing=0.01", of letters, digits and . _ = + - alone, unlike all others. */
void dlp_vary_name(const dlp_vary *vary, int32_t variant, char out_name[DLP_VARIANT_NAME]);

#endif
