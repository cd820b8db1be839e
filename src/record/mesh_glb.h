/* glTF 2.0 in one binary file: a head in JSON that describes everything, then the numbers, frame after
 * frame, so that writing a film never needs more than one of its meshes in memory. */
#ifndef DLP_RECORD_MESH_GLB_H
#define DLP_RECORD_MESH_GLB_H

#include "record/mesh_out.h"
#include "scene/document.h"

/* What the head says of one mesh. A mesh without triangles becomes a node without a mesh. */
typedef struct dlp_glb_frame {
    int32_t number; /* of the frame: its time is number / frame_rate */
    int32_t vertex_count, triangle_count;
    bool has_temperatures, has_colors;
    float min[3], max[3]; /* m, y up; bounds of the positions as floats, which the format asks for */
} dlp_glb_frame;

/* Counts and bounds of a mesh; `number` is that of its frame. */
dlp_glb_frame dlp_glb_frame_of(const dlp_surface_mesh *mesh, int32_t number);

/* One mesh, or a film: meshes that appear one after the other. */
typedef struct dlp_glb {
    const dlp_glb_frame *frames; /* borrowed; ascending by number */
    int32_t frame_count;
    double frame_rate; /* 1/s; 0: no film, all frames are shown */
    double time;       /* s, of the first frame */
} dlp_glb;

/* Writes the head and the key frames. DLP_INVALID where a bound is not finite or the file would exceed 4.3
 * GB, the format's limit. */
dlp_status dlp_glb_put_head(dlp_mesh_out *out, const dlp_glb *glb, dlp_error *error);
/* The numbers of one frame; frames come in the order of the head, and each mesh is as the head says. */
void dlp_glb_put_mesh(dlp_mesh_out *out, const dlp_surface_mesh *mesh);

/* A glTF file of ours or another program's, being read. All-zero is none. */
typedef struct dlp_glb_file {
    dlp_bytes bytes;   /* the whole file; owned after dlp_glb_open, borrowed after dlp_glb_parse */
    dlp_document head; /* owned */
    dlp_bytes binary;  /* borrowed from `bytes` */
    int32_t mesh_count, animation_count;
} dlp_glb_file;

/* Reads and parses a file; close it. Accessors are checked when a mesh is read. */
dlp_status dlp_glb_open(const char *path, dlp_glb_file *out_file, dlp_error *error);
/* Borrows the bytes: end it with dlp_document_release(&file->head), not with dlp_glb_close, which frees them.
 */
dlp_status dlp_glb_parse(dlp_bytes bytes, dlp_glb_file *file, dlp_error *error);
void dlp_glb_close(dlp_glb_file *file);
/* The triangles of one mesh, z up again, without its nodes' transforms; normals and velocities as
 * dlp_surface_mesh_read gives them, no temperatures and colours. The caller releases the mesh. */
dlp_status dlp_glb_read_mesh(const dlp_glb_file *file, int32_t number, dlp_surface_mesh *out_mesh,
                             dlp_error *error);

#endif
