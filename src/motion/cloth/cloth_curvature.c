/* The curvatures of the triangles of meshes, from their hinges and their shapes at rest. What is bent at rest
 * is unfolded for it: of a side's patch no corner is inside. */
#include "motion/cloth/cloth_solver.h"
#include "matter/cloth_curvature.h"

#include <string.h>

// A triangle in its plane at rest.
typedef struct flat_triangle {
    double at[3][2];  // m
} flat_triangle;

// A side of a triangle.
typedef struct side_ref {
    int32_t triangle, side;  // triangle -1: none
} side_ref;

static flat_triangle flatten(const dlp_cloth *cloth, int32_t triangle)
{
    const double *m = cloth->params.triangles.rest[triangle].inverse_rest;
    const double d = m[0] * m[3] - m[1] * m[2];
    return (flat_triangle){{{0, 0}, {m[3] / d, -m[2] / d}, {-m[1] / d, m[0] / d}}};
}

static int32_t hinge_at(const dlp_cloth *cloth, side_ref s)
{
    return cloth->connectivity.side_hinges[3 * s.triangle + s.side];
}

static side_ref next_side(side_ref s, int32_t by)
{
    return (side_ref){s.triangle, (s.side + by) % 3};
}

// The same side as the other triangle has it.
static side_ref beyond(const dlp_cloth *cloth, side_ref s)
{
    const int32_t index = hinge_at(cloth, s);
    if (index < 0) return (side_ref){-1, 0};
    const dlp_cloth_hinge *hinge = &cloth->connectivity.hinges[index];
    const int other = hinge->triangle[0] == s.triangle && hinge->side[0] == s.side ? 1 : 0;
    return (side_ref){hinge->triangle[other], hinge->side[other]};
}

// The third corner of a triangle that lies beyond the side from `from` to `to` of one that lies on its left,
// and how high it stands above the side.
static double unfold(const dlp_cloth *cloth, side_ref s, const double from[2], const double to[2],
                     double out_apex[2])
{
    const flat_triangle flat = flatten(cloth, s.triangle);
    const double *a = flat.at[s.side], *b = flat.at[(s.side + 1) % 3], *c = flat.at[(s.side + 2) % 3];
    const double ex = b[0] - a[0], ey = b[1] - a[1], cx = c[0] - a[0], cy = c[1] - a[1];
    const double ee = ex * ex + ey * ey, along = (cx * ex + cy * ey) / ee, up = (ex * cy - ey * cx) / ee;
    const double x = from[0] - to[0], y = from[1] - to[1];  // its own direction of the side
    out_apex[0] = to[0] + along * x - up * y;
    out_apex[1] = to[1] + along * y + up * x;
    return up * sqrt(x * x + y * y);
}

// Of the two sides of a triangle that follow its side from `from` to `to`, in order: what lies beyond them.
static void unfold_around(const dlp_cloth *cloth, side_ref s, const double from[2], const double to[2],
                          const double apex[2], dlp_side_patch *patch, int first)
{
    const double *corner[4] = {from, to, apex, from};
    for (int k = 0; k < 2; k++) {
        const side_ref outer = beyond(cloth, next_side(s, k + 1));
        patch->has_outer[first + k] = outer.triangle >= 0;
        if (outer.triangle < 0) continue;
        patch->height[first + k] =
            unfold(cloth, outer, corner[k + 1], corner[k + 2], patch->outer[first + k]);
    }
}

static dlp_side_patch patch_of(const dlp_cloth *cloth, side_ref s)
{
    static const double FROM[2] = {-0.5, 0}, TO[2] = {0.5, 0};
    dlp_side_patch patch = {0};
    const side_ref other = beyond(cloth, s);
    unfold(cloth, s, TO, FROM, patch.apex[0]);  // from the other's point of view
    unfold(cloth, other, FROM, TO, patch.apex[1]);
    unfold_around(cloth, s, FROM, TO, patch.apex[0], &patch, 0);
    unfold_around(cloth, other, TO, FROM, patch.apex[1], &patch, 2);
    return patch;
}

// Length over area of a side, times the square of its outward normal.
static void set_tensors(const dlp_cloth *cloth, dlp_cloth_curvature *curvature)
{
    const flat_triangle flat = flatten(cloth, curvature->triangle);
    const double area = cloth->params.triangles.rest[curvature->triangle].area;
    bool is_free[3];
    for (int k = 0; k < 3; k++) {
        const double *a = flat.at[k], *b = flat.at[(k + 1) % 3];
        const double x = b[1] - a[1], y = a[0] - b[0], length = sqrt(x * x + y * y), s = 1 / (area * length);
        const double tensor[3] = {s * x * x, s * y * y, sqrt(2) * s * x * y};
        memcpy(curvature->tensor[k], tensor, sizeof tensor);
        is_free[k] = curvature->hinge[k] < 0;
    }
    dlp_free_edges(curvature->tensor, is_free);
}

// Hinge 0 to 2: of its own sides; 3 + 2 k and 4 + 2 k: of the triangle beyond side k.
static void set_hinges(const dlp_cloth *cloth, dlp_cloth_curvature *curvature)
{
    for (int32_t k = 0; k < 3; k++) {
        const side_ref own = {curvature->triangle, k}, other = beyond(cloth, own);
        curvature->hinge[k] = hinge_at(cloth, own);
        for (int32_t j = 0; j < 2; j++)
            curvature->hinge[3 + 2 * k + j] =
                other.triangle < 0 ? -1 : hinge_at(cloth, next_side(other, j + 1));
        if (curvature->hinge[k] < 0) continue;
        const dlp_side_patch patch = patch_of(cloth, own);
        dlp_side_bend(&patch, curvature->share[k]);
    }
}

// The particles of its hinges, each once.
static void set_corners(const dlp_cloth *cloth, dlp_cloth_curvature *curvature)
{
    curvature->corner_count = 0;
    for (int h = 0; h < DLP_CURVATURE_HINGES; h++) {
        if (curvature->hinge[h] < 0) continue;
        for (int k = 0; k < 4; k++) {
            const int32_t particle = cloth->connectivity.hinges[curvature->hinge[h]].corner[k];
            int32_t place = 0;
            while (place < curvature->corner_count && curvature->corner[place] != particle) place++;
            assert(place < DLP_CURVATURE_CORNERS);
            if (place == curvature->corner_count) curvature->corner[curvature->corner_count++] = particle;
            curvature->place[h][k] = (uint8_t)place;
        }
    }
}

dlp_status dlp_cloth_find_curvatures(dlp_cloth *cloth, dlp_error *error)
{
    dlp_cloth_connectivity *c = &cloth->connectivity;
    const dlp_cloth_triangles *triangles = &cloth->params.triangles;
    c->curvature_count = 0;
    if (c->hinge_count == 0) return DLP_OK;
    for (int32_t t = 0; t < triangles->count; t++) {
        const int32_t *hinge = c->side_hinges + 3 * (size_t)t;
        if (hinge[0] < 0 && hinge[1] < 0 && hinge[2] < 0) continue;
        DLP_TRY(DLP_CLOTH_RESERVE_POOL(c, curvatures, c->curvature_count + 1, error));
        dlp_cloth_curvature *curvature = &c->curvatures[c->curvature_count++];
        const double bend = cloth->params.fabrics[triangles->rest[t].substance].bend;
        *curvature = (dlp_cloth_curvature){.triangle = t, .stiffness = bend * triangles->rest[t].area};
        set_hinges(cloth, curvature);
        set_tensors(cloth, curvature);
        set_corners(cloth, curvature);
    }
    return DLP_OK;
}
