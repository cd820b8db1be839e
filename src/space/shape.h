/* Shapes: what a substance fills, what an obstacle is. A shape knows its signed distance (negative inside),
 * its bounds and its volume, and can be filled with particles. */
#ifndef DLP_SPACE_SHAPE_H
#define DLP_SPACE_SHAPE_H

#include "base/status.h"
#include "base/vec.h"

typedef enum dlp_shape_kind {
    DLP_SHAPE_NONE,
    DLP_SHAPE_BOX,         /* min, max */
    DLP_SHAPE_SPHERE,      /* center, radius */
    DLP_SHAPE_CYLINDER,    /* from, to, radius: flat ends */
    DLP_SHAPE_CAPSULE,     /* from, to, radius: round ends */
    DLP_SHAPE_TORUS,       /* center, axis, radius of the ring, tube */
    DLP_SHAPE_CONE,        /* from (radius), to (radius_to) */
    DLP_SHAPE_SHEET,       /* center, normal, size (width, height), thickness */
    DLP_SHAPE_MESH,        /* file */
    DLP_SHAPE_HEIGHT,      /* height field over min..max of x and y: solid below (2-D: over x, along y) */
    DLP_SHAPE_PLANE,       /* center, axis: all that lies below the plane, against its normal */
    DLP_SHAPE_UNION,       /* children */
    DLP_SHAPE_DIFFERENCE,  /* the first child less the others */
    DLP_SHAPE_INTERSECTION /* what all children share */
} dlp_shape_kind;

/* A shape as a scene describes it. All-zero fields are "not given". Only the fields of its kind are read,
 * beside the transform and the copies. It owns its file name, values and children. */
typedef struct dlp_shape_def dlp_shape_def;
struct dlp_shape_def {
    dlp_shape_kind kind;
    dlp_vec3 min, max; /* m: box, height */
    dlp_vec3 center;   /* m: sphere, torus, sheet; a point of the plane */
    dlp_vec3 from, to; /* m: cylinder, capsule, cone */
    dlp_vec3 axis; /* torus: axis of the ring; sheet, plane: normal; any length but 0; default z (2-D: y) */
    double radius; /* m */
    double radius_to; /* m: cone at `to` (0: a tip) */
    double tube;      /* m: torus */
    dlp_vec3 size;    /* m: sheet: width, height */
    double thickness; /* m: sheet */
    char *file;     /* mesh: .obj .ply .stl; height: .pgm (8/16 bit, ascii or raw) or .csv/.txt of numbers */
    bool repair;    /* mesh: close its holes instead of refusing them */
    double *values; /* height: row after row (y slow), used when `file` is not given */
    int32_t value_count; /* of values */
    int32_t columns;     /* values per row; 0: one row */
    double low, high;    /* m: height: what 0 and 1 mean (files of whole numbers: 0 and the largest); both
                            0: values are metres */
    bool inside;         /* the complement: everything but the inside, as a container is an obstacle */
    dlp_vec3 translate, rotate; /* m, degrees about x, y, z: applied after the scale */
    dlp_vec3 pivot;             /* m: centre of that rotation */
    double scale;               /* 0 counts as 1 */
    int32_t copies[3];          /* an array of copies of the shape; 0 counts as 1 */
    dlp_vec3 spacing;           /* m: between copies along x, y, z */
    dlp_shape_def *children;    /* union, difference, intersection: at least one */
    int32_t child_count;
};
/* x -> rotation (x - pivot) + pivot + translate, of what is scaled already. */
dlp_transform dlp_shape_placement(const dlp_shape_def *def);
void dlp_shape_def_release(dlp_shape_def *def); /* frees file, values, children; leaves an empty def */

/* A shape ready for queries (shape_tree.h). Constant after its creation. */
typedef struct dlp_shape dlp_shape;

/* `dimension` 2 takes the section at z = 0 (boxes and height fields are then endless along z).
 * `folder` is where relative file names start (NULL: the current one). `def` is copied. The message names the
 * offending field
 * ("sphere.radius: must be > 0 (got -1)") or the file ("rock.obj: 3 holes, 14 open edges; ..."). */
dlp_status dlp_shape_create(const dlp_shape_def *def, int32_t dimension, const char *folder,
                            dlp_shape **out_shape, dlp_error *error);
void dlp_shape_destroy(dlp_shape *shape);

/* Signed distance, m: exact for single shapes outside and near the surface; a bound (never more than the true
 * distance, same sign) for unions, differences and intersections away from it. Safe from several threads. */
double dlp_shape_distance(const dlp_shape *shape, dlp_vec3 x);
/* Distance and unit outward gradient (the direction in which the distance grows) in one call; in 2-D
 * gradient.z is 0. */
double dlp_shape_probe(const dlp_shape *shape, dlp_vec3 x, dlp_vec3 *out_normal);
dlp_box dlp_shape_bounds(const dlp_shape *shape); /* m; infinite along axes that have no end */
/* Volume (2-D: area), m3: a closed form, or the mesh's own, or counted finely where shapes overlap; infinite
 * for unbounded ones. */
double dlp_shape_volume(const dlp_shape *shape);
/* Frame of the shape's own axes (a box's edges, a cylinder's axis): where a lattice fits it best. */
dlp_transform dlp_shape_axes(const dlp_shape *shape);

typedef enum dlp_lattice {
    DLP_LATTICE_HEXAGONAL,
    DLP_LATTICE_CUBIC,
    DLP_LATTICE_BLUE_NOISE /* none: irregular but even */
} dlp_lattice;

/* How a shape is filled. */
typedef struct dlp_fill_def {
    double spacing;      /* m: the requested edge of the cube (2-D: square) that belongs to one particle */
    int32_t dimension;   /* that of the shape */
    dlp_lattice lattice; /* hexagonal close packing (2-D: triangles), a cube lattice, or in 3-D without
                            periods blue noise */
    bool periodic[3];    /* the lattice is stretched a little so that it continues across these axes ... */
    dlp_box domain;      /* ... of this box */
    int32_t limit;       /* refuse to make more particles than this */
} dlp_fill_def;

/* Particles that fill a shape. All-zero is empty. */
typedef struct dlp_fill {
    dlp_vec3 *positions; /* m: inside the shape, about a quarter of a spacing or more from its surface */
    int32_t count;
    double volume; /* m3 (2-D: m2): of one particle: the shape's volume / count, so that the total mass is
                      exact */
} dlp_fill;

/* Fails (DLP_INVALID) where no particle fits, more than the limit are needed, or the shape has no end; then
 * out_fill is empty. The order is fixed: by z, y, x; blue noise keeps that of the lattice it comes from. */
dlp_status dlp_shape_fill(const dlp_shape *shape, const dlp_fill_def *def, dlp_fill *out_fill,
                          dlp_error *error);
void dlp_fill_release(dlp_fill *fill);
/* How many particles that fill would have, from volumes alone: boxes exactly, other shapes to about a
 * thousandth, few particles to some. Fails where the fill would. */
dlp_status dlp_shape_count_fill(const dlp_shape *shape, const dlp_fill_def *def, double *out_count,
                                dlp_error *error);

#endif
