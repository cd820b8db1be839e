/* Surfaces as files for other programs, and read back. Files are written beside and renamed: a full disk
 * costs nothing that was there before. */
#ifndef DLP_RECORD_MESH_FILES_H
#define DLP_RECORD_MESH_FILES_H

#include "skin/surface_mesh.h"

/* What the formats hold. Positions are in m, z up except in glTF; velocities in m/s, temperatures in
 * degrees C. The order is part of the sorting of dlp_mesh_files_list. */
typedef enum dlp_mesh_file_format {
    DLP_MESH_FILE_PLY, /* all attributes, binary; what dlp_surface_mesh_read reads back in full */
    DLP_MESH_FILE_OBJ, /* normals and colours, as text */
    DLP_MESH_FILE_STL, /* triangles alone, binary */
    DLP_MESH_FILE_GLB  /* all attributes, glTF 2.0 binary, y up: (x, z, -y) */
} dlp_mesh_file_format;

/* "ply" of DLP_MESH_FILE_PLY. */
const char *dlp_mesh_file_ending(dlp_mesh_file_format format);
/* By the name's ending; DLP_INVALID, naming the endings that are written, for any other. */
dlp_status dlp_mesh_file_format_of(const char *path, dlp_mesh_file_format *out_format, dlp_error *error);

/* Positions are written as floats, colours of PLY with 8 bits. `time` (s) goes into a comment. DLP_INVALID
 * where a mesh with vertices has no normals or velocities, DLP_DIVERGED where a number is not finite. A mesh
 * without triangles is written, too. */
dlp_status dlp_surface_mesh_write(const char *path, dlp_mesh_file_format format, const dlp_surface_mesh *mesh,
                                  double time, dlp_error *error);

/* The same mesh for ParaView: positions as doubles, the attributes as point data `normal`, `velocity`,
 * `temperature`, `color`, and the time. Not one of the formats above: it is written beside one of them, and
 * not read back. */
dlp_status dlp_surface_mesh_write_vtp(const char *path, const dlp_surface_mesh *mesh, double time,
                                      dlp_error *error);

/* A mesh from a file of ours or another program's: PLY with the attributes it has, OBJ, STL, glTF with one
 * mesh. Missing normals are computed, missing velocities are zero; vertices are checked to be finite,
 * indices to be in range. Only a PLY may be empty. The caller releases the mesh; after a failure it is
 * all-zero. */
dlp_status dlp_surface_mesh_read(const char *path, dlp_surface_mesh *out_mesh, dlp_error *error);
/* The same from the bytes of a PLY file. */
dlp_status dlp_surface_mesh_parse_ply(dlp_bytes bytes, dlp_surface_mesh *out_mesh, dlp_error *error);

/* One of the numbered files of a folder: "0012.ply". */
typedef struct dlp_mesh_file {
    int32_t number;
    dlp_mesh_file_format format;
} dlp_mesh_file;
/* The numbered mesh files of FOLDER/INSIDE, ascending by number, then format; free the list. DLP_IO where
 * there is no such folder. */
dlp_status dlp_mesh_files_list(const char *folder, const char *inside, dlp_mesh_file **out_files,
                               int32_t *out_count, dlp_error *error);
/* "FOLDER/INSIDE/0012.ply", to be freed; NULL where there is no memory. */
char *dlp_mesh_file_path(const char *folder, const char *inside, dlp_mesh_file file);

/* All numbered PLY files of FOLDER/INSIDE as one glTF file: one mesh per frame, and an animation that
 * shows them one after the other (each node's scale is stepped between 0 and 1). Reads each file twice,
 * one at a time, so that memory holds one mesh. `frame_rate`: 1/s. */
dlp_status dlp_mesh_animation_write(const char *folder, const char *inside, double frame_rate,
                                    const char *path, dlp_error *error);

#endif
