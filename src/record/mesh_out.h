/* Inside mesh_files: a file written through a large buffer, and one writer per format. */
#ifndef DLP_RECORD_MESH_OUT_H
#define DLP_RECORD_MESH_OUT_H

#include "record/file_io.h"
#include "record/mesh_files.h"

#include <assert.h>
#include <string.h>

/* Numbers are written as they lie in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "meshes are written for little-endian machines");

/* bytes: a mesh has millions of small numbers, which are gathered before they go to the file */
enum { DLP_MESH_OUT_ROOM = 1 << 16 };
/* A mesh file being written; failures are kept by `file` until the commit. */
typedef struct dlp_mesh_out {
    dlp_outfile file;
    size_t used; /* bytes of `bytes` that wait to be written */
    char bytes[DLP_MESH_OUT_ROOM];
} dlp_mesh_out;

/* On the heap, since it is too large for the stack; ends with commit or discard. */
dlp_status dlp_mesh_out_open(const char *path, dlp_mesh_out **out_out, dlp_error *error);
void dlp_mesh_out_flush(dlp_mesh_out *out);
/* Both also free what _open made. */
dlp_status dlp_mesh_out_commit(dlp_mesh_out *out, dlp_error *error);
void dlp_mesh_out_discard(dlp_mesh_out *out);

/* `size`: at most DLP_MESH_OUT_ROOM; in practice a few hundred bytes. */
static inline void dlp_mesh_put(dlp_mesh_out *out, const void *bytes, size_t size)
{
    assert(size <= DLP_MESH_OUT_ROOM);
    if (out->used + size > DLP_MESH_OUT_ROOM) dlp_mesh_out_flush(out);
    memcpy(out->bytes + out->used, bytes, size);
    out->used += size;
}

/* The writers of the formats; the mesh has normals and velocities. `time`: s. */
void dlp_mesh_put_ply(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time);
void dlp_mesh_put_obj(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time);
void dlp_mesh_put_stl(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time);
dlp_status dlp_mesh_put_glb(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time, dlp_error *error);

/* A line of text; `format` as printf's; cut at 255 bytes. Numbers must come as text, since a locale may
 * have a decimal comma. */
void dlp_mesh_put_text(dlp_mesh_out *out, const char *format, ...) DLP_PRINTF(2, 3);
/* A number as text: "0.04", nine digits and a point, whatever the locale is. */
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
