/* Sheets from a mesh: open or closed, flat or not; its shape in the file is its shape at rest. */
#include "motion/cloth/cloth_solver.h"
#include "space/mesh_edges.h"

#include <stdio.h>
#include <string.h>

static dlp_status load_mesh(const dlp_scene_def *scene, const dlp_shape_def *shape, dlp_mesh *mesh,
                            dlp_error *error)
{
    char path[4096];
    const bool is_absolute = shape->file[0] == '/' || scene->folder == NULL || scene->folder[0] == '\0';
    const int length = snprintf(path, sizeof path, "%s%s%s", is_absolute ? "" : scene->folder,
                                is_absolute ? "" : "/", shape->file);
    if (length < 0 || (size_t)length >= sizeof path)
        return dlp_fail(error, DLP_IO, "%s: the path is too long", shape->file);
    DLP_TRY(dlp_mesh_read(path, mesh, error));
    DLP_TRY(dlp_mesh_weld(mesh, 0, error));
    DLP_TRY(dlp_mesh_tidy(mesh, error));
    return dlp_mesh_orient(mesh, error);
}

static dlp_status check_mesh(const dlp_mesh *mesh, dlp_error *error)
{
    dlp_mesh_report report;
    DLP_TRY(dlp_mesh_check(mesh, &report, error));
    if (mesh->triangle_count == 0) return dlp_fail(error, DLP_INVALID, "it has no triangles");
    if (report.nonmanifold_edges > 0 || report.misoriented_edges > 0)
        return dlp_fail(error, DLP_INVALID,
                        "%d edges have more than two triangles, %d triangles turn against their neighbour; "
                        "a cloth must be one sheet that has two sides",
                        report.nonmanifold_edges, report.misoriented_edges);
    return DLP_OK;
}

// Warp is the part of the x axis that lies in the triangle; of the y axis where that is too little.
static dlp_vec3 warp_of(dlp_vec3 normal)
{
    const dlp_vec3 x = dlp_vec(1, 0, 0), y = dlp_vec(0, 1, 0);
    const dlp_vec3 along = dlp_along(x, normal, -dlp_dot(x, normal));
    if (dlp_length(along) > 0.3) return dlp_normalize(along, x);
    return dlp_normalize(dlp_along(y, normal, -dlp_dot(y, normal)), y);
}

static dlp_status add_triangle(dlp_cloth *cloth, int32_t substance, const int32_t corner[3], dlp_error *error)
{
    const double *x = cloth->state.particles.position;
    dlp_cloth_triangle t = {.substance = substance};
    const dlp_vec3 e1 = dlp_sub(dlp_cloth_get(x, corner[1]), dlp_cloth_get(x, corner[0]));
    const dlp_vec3 e2 = dlp_sub(dlp_cloth_get(x, corner[2]), dlp_cloth_get(x, corner[0]));
    const dlp_vec3 normal = dlp_cross(e1, e2), n = dlp_normalize(normal, dlp_vec(0, 0, 1));
    const dlp_vec3 u = warp_of(n), v = dlp_cross(n, u);
    const double u1 = dlp_dot(e1, u), v1 = dlp_dot(e1, v), u2 = dlp_dot(e2, u), v2 = dlp_dot(e2, v);
    const double d = u1 * v2 - u2 * v1;
    t.area = 0.5 * d;
    t.inverse_rest[0] = v2 / d;
    t.inverse_rest[1] = -u2 / d;
    t.inverse_rest[2] = -v1 / d;
    t.inverse_rest[3] = u1 / d;
    return dlp_cloth_add_triangle(cloth, &t, corner, error);
}

// The two sides of an edge: what its hinge is like at rest.
static void set_sides(dlp_cloth *cloth, int32_t first, const dlp_mesh_side *a, const dlp_mesh_side *b)
{
    dlp_cloth_triangles *triangles = &cloth->params.triangles;
    const int32_t at = first + a->triangle, bt = first + b->triangle;
    const int32_t *ac = dlp_cloth_corners_of(&cloth->state.corners, at),
                  *bc = dlp_cloth_corners_of(&cloth->state.corners, bt);
    const double *x = cloth->state.particles.position;
    const dlp_vec3 x0 = dlp_cloth_get(x, ac[a->corner]), x1 = dlp_cloth_get(x, ac[(a->corner + 1) % 3]);
    const dlp_hinge_shape hinge = dlp_hinge_of(x0, x1, dlp_cloth_get(x, ac[(a->corner + 2) % 3]),
                                               dlp_cloth_get(x, bc[(b->corner + 2) % 3]));
    const double bend = cloth->params.fabrics[triangles->rest[at].substance].bend;
    const dlp_cloth_side side = {.stiffness = bend, .rest_angle = hinge.angle};
    triangles->sides[3 * at + a->corner] = side;
    triangles->sides[3 * bt + b->corner] = side;
}

static dlp_status add_mesh(dlp_cloth *cloth, int32_t substance, dlp_vec3 offset, const dlp_mesh *mesh,
                           dlp_error *error)
{
    const dlp_shape_def *shape = &cloth->params.scene->substances[substance].shape;
    const double scale = shape->scale > 0 ? shape->scale : 1;
    dlp_transform frame = dlp_shape_placement(shape);
    frame.translation = dlp_add(frame.translation, offset);
    const int32_t first_particle = cloth->state.particles.count,
                  first_triangle = cloth->params.triangles.count;
    DLP_TRY(dlp_cloth_reserve_particles(cloth, first_particle + mesh->vertex_count, error));
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const dlp_vec3 x = dlp_to_world(&frame, dlp_mul(mesh->vertices[v], scale));
        DLP_TRY(dlp_cloth_add_particle(cloth, substance, x, error));
    }
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        int32_t corner[3];
        for (int k = 0; k < 3; k++) corner[k] = first_particle + mesh->triangles[t][k];
        DLP_TRY(add_triangle(cloth, substance, corner, error));
    }
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(mesh, &edges, error));
    for (int32_t k = 0; k < edges.count; k = dlp_mesh_edge_end(&edges, k))
        if (dlp_mesh_edge_end(&edges, k) == k + 2)
            set_sides(cloth, first_triangle, &edges.sides[k], &edges.sides[k + 1]);
    dlp_mesh_edges_release(&edges);
    return DLP_OK;
}

dlp_status dlp_cloth_make_mesh(dlp_cloth *cloth, int32_t substance, dlp_vec3 offset, dlp_error *error)
{
    const dlp_shape_def *shape = &cloth->params.scene->substances[substance].shape;
    dlp_mesh mesh = {0};
    dlp_status status = load_mesh(cloth->params.scene, shape, &mesh, error);
    if (status == DLP_OK) status = check_mesh(&mesh, error);
    if (status != DLP_OK) dlp_fail_at(error, status, "%s", shape->file);
    if (status == DLP_OK) status = add_mesh(cloth, substance, offset, &mesh, error);
    dlp_mesh_release(&mesh);
    return status;
}
