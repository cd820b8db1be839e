/* Inside mesh_files: a file written through a large buffer, and one writer a format. */
#ifndef DLP_RECORD_MESH_OUT_H
#define DLP_RECORD_MESH_OUT_H

#include "record/file_io.h"
#include "record/mesh_files.h"

#include <string.h>

// Numbers are written as they lie in memory.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "meshes are written for little-endian machines");

/* A mesh has millions of small numbers: they are gathered before they go to the file. */
enum { DLP_MESH_OUT_ROOM = 1 << 16 };
typedef struct dlp_mesh_out {
    dlp_outfile file;
    size_t used;
    char bytes[DLP_MESH_OUT_ROOM];
} dlp_mesh_out;

dlp_status dlp_mesh_out_open(const char *path, dlp_mesh_out **out_out, dlp_error *error);
void dlp_mesh_out_flush(dlp_mesh_out *out);
/* Both also free what _open made. */
dlp_status dlp_mesh_out_commit(dlp_mesh_out *out, dlp_error *error);
void dlp_mesh_out_discard(dlp_mesh_out *out);

static inline void dlp_mesh_put(dlp_mesh_out *out, const void *bytes, size_t size) /* at most a few hundred */
{
    if (out->used + size > DLP_MESH_OUT_ROOM) dlp_mesh_out_flush(out);
    memcpy(out->bytes + out->used, bytes, size);
    out->used += size;
}

void dlp_mesh_put_ply(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time);
void dlp_mesh_put_obj(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time);
void dlp_mesh_put_stl(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time);
dlp_status dlp_mesh_put_glb(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time, dlp_error *error);

/* A line of text; `format` as printf's, at most 256 bytes. Numbers must come as text: a locale may have a
 * comma. */
void dlp_mesh_put_text(dlp_mesh_out *out, const char *format, ...) DLP_PRINTF(2, 3);
/* "0.04": digits and a point, whatever the locale is. */
typedef struct dlp_mesh_number {
    char text[40];
} dlp_mesh_number;
dlp_mesh_number dlp_mesh_number_of(double value);

#define DLP_MESH_GENERATOR "dollop " DLP_MESH_VERSION
#define DLP_MESH_VERSION                                                                                     \
    DLP_MESH_WORD(DLP_VERSION_MAJOR) "." DLP_MESH_WORD(DLP_VERSION_MINOR) "." DLP_MESH_WORD(DLP_VERSION_PATCH)
#define DLP_MESH_WORD(number)  DLP_MESH_WORD_(number)
#define DLP_MESH_WORD_(number) #number

#endif
