/* Irregular meshes of a rectangle, as files that cloth is made of. */
#ifndef DLP_TESTS_RANDOM_MESH_H
#define DLP_TESTS_RANDOM_MESH_H

#include "cloths.h"
#include "test_folder.h"

#include <stdio.h>

enum { MESH_POINTS = 4096 };

/* A rectangle from x0 to x1, y from 0 to `width`, in cells, whose inner points are moved by up to `shake` of
 * a cell, though not off the line x = 0. Cells are cut so that no angle is smaller than it need be, or all
 * alike. It is bent up by dome x^2. */
typedef struct random_mesh {
    double x0, x1, width, cell, shake;
    bool is_cut_alike;
    uint32_t seed;
    double dome; /* 1/m */
    dlp_vec3 at[MESH_POINTS];
    char path[PATH_SIZE];
} random_mesh;

static inline double random_shift(random_mesh *m)
{
    m->seed = m->seed * 1664525u + 1013904223u;
    return m->shake * m->cell * (2.0 * m->seed / 4294967296.0 - 1);
}

static inline void write_points(random_mesh *m, FILE *file, int32_t columns, int32_t rows)
{
    for (int32_t i = 0; i <= columns; i++)
        for (int32_t j = 0; j <= rows; j++) {
            dlp_vec3 x = dlp_vec(m->x0 + i * m->cell, j * m->width / rows, 0);
            if (i > 0 && i < columns && fabs(x.x) > 1e-9) x.x += random_shift(m);
            if (j > 0 && j < rows) x.y += random_shift(m);
            x.z = m->dome * x.x * x.x;
            m->at[i * (rows + 1) + j] = x;
            fprintf(file, "v %.17g %.17g %.17g\n", x.x, x.y, x.z);
        }
}

static inline double angle_at(dlp_vec3 b, dlp_vec3 a, dlp_vec3 c)
{
    const dlp_vec3 u = dlp_sub(a, b), v = dlp_sub(c, b);
    return atan2(dlp_length(dlp_cross(u, v)), dlp_dot(u, v));
}

/* Two angles opposite a diagonal beyond half a turn ask for the other one. */
static inline void write_cell(const random_mesh *m, FILE *file, const int32_t c[4])
{
    const dlp_vec3 *x = m->at;
    const double sum = angle_at(x[c[1]], x[c[0]], x[c[2]]) + angle_at(x[c[3]], x[c[0]], x[c[2]]);
    const int k = m->is_cut_alike || sum < DLP_PI ? 0 : 1;
    fprintf(file, "f %d %d %d\n", c[k] + 1, c[k + 1] + 1, c[k + 2] + 1);
    fprintf(file, "f %d %d %d\n", c[k] + 1, c[k + 2] + 1, c[(k + 3) % 4] + 1);
}

static inline void write_mesh(random_mesh *m)
{
    const int32_t columns = (int32_t)round((m->x1 - m->x0) / m->cell),
                  rows = (int32_t)round(m->width / m->cell), stride = rows + 1;
    assert_true((columns + 1) * stride <= MESH_POINTS);
    snprintf(m->path, sizeof m->path, "%s", in_folder("random.obj"));
    FILE *file = fopen(m->path, "w");
    assert_non_null(file);
    write_points(m, file, columns, rows);
    for (int32_t i = 0; i < columns; i++)
        for (int32_t j = 0; j < rows; j++) {
            const int32_t a = i * stride + j, b = a + stride;
            write_cell(m, file, (const int32_t[4]){a, b, b + 1, a + 1});
        }
    fclose(file);
}

static inline void take_mesh(cloth_setup *s, random_mesh *m)
{
    write_mesh(m);
    s->substance.shape = (dlp_shape_def){.kind = DLP_SHAPE_MESH, .file = m->path, .axis = dlp_vec(0, 0, 1)};
}

#endif
