/* Frames for ParaView: points, lines or triangles with data, as .vtp (XML PolyData, raw appended, little
 * endian), and the .pvd that lists them with their times. */
#ifndef DLP_RECORD_VTP_H
#define DLP_RECORD_VTP_H

#include "base/status.h"

/* A field of the points. */
typedef struct dlp_vtp_array {
    const char *name; /* borrowed */
    dlp_view view;    /* one entry per point; its data are borrowed */
} dlp_vtp_array;

/* What one file holds; all pointers are borrowed. Without lines every point is a vertex of its own, except
 * the last `woven_count`, which belong to triangles and links; with lines only the lines are drawn. */
typedef struct dlp_vtp {
    double time;        /* s */
    dlp_view positions; /* double[3], m */
    const dlp_vtp_array *arrays;
    int32_t array_count;
    bool has_lines; /* contours: no vertices, links or triangles */
    int32_t line_count;
    const int32_t *line_points; /* indices of points, line after line */
    const int32_t *line_ends;   /* where in line_points each line ends, exclusive; ascending */
    int32_t woven_count, triangle_count, link_count;
    const int32_t (*triangles)[3]; /* indices of points */
    const int32_t (*links)[2];     /* likewise; lines of two points each */
} dlp_vtp;

/* Written beside and renamed. Arrays are written bit for bit. DLP_INVALID where an array's length is not
 * that of the points, DLP_DIVERGED where a number is not finite. */
dlp_status dlp_vtp_write(const char *path, const dlp_vtp *vtp, dlp_error *error);

/* A frame of a collection. */
typedef struct dlp_pvd_frame {
    int32_t number;
    double time; /* s */
} dlp_pvd_frame;

/* Writes a collection of FOLDER/0000.vtp ..., beside and renamed; `folder` is relative to the collection's
 * own. */
dlp_status dlp_pvd_write(const char *path, const char *folder, const dlp_pvd_frame *frames, int32_t count,
                         dlp_error *error);

/* of one file: arrays; bytes of a name */
enum { DLP_VTP_ARRAY_LIMIT = 64, DLP_VTP_NAME_SIZE = 64 };
/* What the header says of an array. */
typedef struct dlp_vtp_array_info {
    char name[DLP_VTP_NAME_SIZE];
    char type[16]; /* "Float32" */
    int32_t components;
    double min, max; /* of the value, or of the length of a vector; NaN where the file does not say */
    uint64_t begin;  /* position of its first byte in the file */
} dlp_vtp_array_info;

/* What a .vtp says of itself, without its data. */
typedef struct dlp_vtp_info {
    double time; /* s; NaN where the file has none */
    int32_t point_count, line_count, triangle_count;
    uint64_t links_begin, triangles_begin; /* positions of their indices in the file; 0: there are none */
    int32_t array_count;                   /* the points themselves come first, named "position" */
    dlp_vtp_array_info arrays[DLP_VTP_ARRAY_LIMIT];
} dlp_vtp_info;

/* Reads the header of a file that dlp_vtp_write wrote and checks that every array is there in full length;
 * DLP_IO where not. */
dlp_status dlp_vtp_read_info(const char *path, dlp_vtp_info *out_info, dlp_error *error);

#endif
