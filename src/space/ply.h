/* PLY files: a header that names elements and their properties, then rows of numbers, ascii or binary. */
#ifndef DLP_SPACE_PLY_H
#define DLP_SPACE_PLY_H

#include "space/text_reader.h"

/* The limits of a header; files beyond them are refused. */
enum { DLP_PLY_ELEMENT_LIMIT = 16, DLP_PLY_PROPERTY_LIMIT = 64, DLP_PLY_NAME_LIMIT = 64 };

/* How a number is stored. */
typedef enum dlp_ply_type {
    DLP_PLY_NONE,
    DLP_PLY_INT8,
    DLP_PLY_UINT8,
    DLP_PLY_INT16,
    DLP_PLY_UINT16,
    DLP_PLY_INT32,
    DLP_PLY_UINT32,
    DLP_PLY_FLOAT32,
    DLP_PLY_FLOAT64
} dlp_ply_type;

/* A column of an element: one number per row, or a list of them. */
typedef struct dlp_ply_property {
    char name[DLP_PLY_NAME_LIMIT];
    dlp_ply_type type;
    dlp_ply_type count_type; /* of a list; NONE: one number */
} dlp_ply_property;

/* A table of the file: "vertex", "face". */
typedef struct dlp_ply_element {
    char name[DLP_PLY_NAME_LIMIT];
    int32_t count; /* rows */
    int32_t property_count;
    dlp_ply_property properties[DLP_PLY_PROPERTY_LIMIT];
} dlp_ply_element;

typedef enum dlp_ply_format { DLP_PLY_ASCII, DLP_PLY_LITTLE, DLP_PLY_BIG } dlp_ply_format;

/* A file being read: its header, and the place of the next number. The bytes are borrowed. Large (the whole
 * header is inside): allocate it. */
typedef struct dlp_ply {
    dlp_ply_format format;
    int32_t element_count;
    dlp_ply_element elements[DLP_PLY_ELEMENT_LIMIT];
    dlp_text text; /* the place of the next number; `line` counts only in ascii */
} dlp_ply;

/* Reads the header; every element's count is checked against the bytes there are. */
dlp_status dlp_ply_open(dlp_ply *ply, dlp_bytes bytes, dlp_error *error);
/* The next number of the body. Elements, rows and properties must be read in the order of the header. Fails
 * where the file ends. */
dlp_status dlp_ply_number(dlp_ply *ply, dlp_ply_type type, double *out_value, dlp_error *error);
/* The length of the list that comes next; at most what the bytes left can hold. */
dlp_status dlp_ply_list(dlp_ply *ply, const dlp_ply_property *property, int32_t *out_count, dlp_error *error);
/* Passes over one property, or over all rows of an element. */
dlp_status dlp_ply_skip(dlp_ply *ply, const dlp_ply_property *property, dlp_error *error);
dlp_status dlp_ply_skip_element(dlp_ply *ply, const dlp_ply_element *element, dlp_error *error);
/* Index of the first property with one of the names ("vx|velocity_x", the first name first), or -1. */
int32_t dlp_ply_find(const dlp_ply_element *element, const char *names);

#endif
