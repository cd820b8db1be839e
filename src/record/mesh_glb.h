/* glTF 2.0 in one binary file: a head that describes everything, then the numbers, frame after frame, so that
 * a film never needs more than one of its meshes in memory. */
#ifndef DLP_RECORD_MESH_GLB_H
#define DLP_RECORD_MESH_GLB_H

#include "record/mesh_out.h"
#include "scene/document.h"

/* What the head says of one mesh. */
typedef struct dlp_glb_frame {
    int32_t number; /* of the frame: its time is number / frame_rate */
    int32_t vertex_count, triangle_count;
    bool has_temperatures, has_colors;
    float min[3], max[3]; /* m, y up */
} dlp_glb_frame;

dlp_glb_frame dlp_glb_frame_of(const dlp_surface_mesh *mesh, int32_t number);

/* One mesh, or a film: meshes that appear one after the other. */
typedef struct dlp_glb {
    const dlp_glb_frame *frames;
    int32_t frame_count;
    double frame_rate; /* 1/s; 0: no film, all frames are shown */
    double time;       /* s, of the first frame */
} dlp_glb;

dlp_status dlp_glb_put_head(dlp_mesh_out *out, const dlp_glb *glb, dlp_error *error);
/* The numbers of one frame; all in the order of the head. */
void dlp_glb_put_mesh(dlp_mesh_out *out, const dlp_surface_mesh *mesh);

/* A glTF file of ours or another, being read; all-zero is none. */
typedef struct dlp_glb_file {
    dlp_bytes bytes;
    dlp_document head;
    dlp_bytes binary; /* borrowed from `bytes` */
    int32_t mesh_count, animation_count;
} dlp_glb_file;

dlp_status dlp_glb_open(const char *path, dlp_glb_file *out_file, dlp_error *error);
dlp_status dlp_glb_parse(dlp_bytes bytes, dlp_glb_file *file, dlp_error *error); /* borrows the bytes */
void dlp_glb_close(dlp_glb_file *file);
/* The triangles of one mesh, z up again, without its nodes' transforms; normals and velocities as
 * dlp_surface_mesh_read gives them, no temperatures and colours. */
dlp_status dlp_glb_read_mesh(const dlp_glb_file *file, int32_t number, dlp_surface_mesh *out_mesh,
                             dlp_error *error);

#endif
