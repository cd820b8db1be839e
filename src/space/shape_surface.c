/* Triangles of a shape, for pictures: those of every leaf, and where parts are taken away or shared, cut to
 * the shape (shape_cut.c). */
#include "space/shape_surface.h"
#include "base/memory.h"
#include "space/mesh_nearest.h"
#include "space/mesh_tree_parts.h"
#include "space/shape_cut.h"
#include "space/shape_tree.h"

enum { ROUND_LIMIT = 128, LEAST_ROUND = 24 };  // flat pieces of a full circle: usual, and of many copies

// A corner of a triangle.
typedef struct corner {
    dlp_vec3 x, normal;
} corner;

// The state of the walk over the nodes.
typedef struct maker {
    const dlp_shape *shape;      // borrowed
    dlp_box shown;               // m: what pictures show
    dlp_shape_surface *surface;  // borrowed: what is made
    dlp_vec3 offset;             // m: of the copy that is made
    bool is_turned;              // the present node is part of a complement: it faces inward
    int32_t around;              // flat pieces of a full circle
    double gap;                  // m: how far a triangle may lie from the shape
    dlp_status status;  // of the first triangle for which there was not enough memory; later ones are dropped
    dlp_error *error;
} maker;

void dlp_shape_surface_release(dlp_shape_surface *surface)
{
    dlp_free(surface->points);
    dlp_free(surface->normals);
    *surface = (dlp_shape_surface){0};
}

// Counter-clockwise seen from outside; reversed within a complement.
static void add_triangle(maker *m, corner a, corner b, corner c)
{
    const corner corners[3] = {a, m->is_turned ? c : b, m->is_turned ? b : c};
    dlp_vec3 points[3], normals[3];
    for (int32_t k = 0; k < 3; k++) {
        points[k] = dlp_add(corners[k].x, m->offset);
        normals[k] = dlp_mul(corners[k].normal, m->is_turned ? -1 : 1);
    }
    if (m->status == DLP_OK) m->status = dlp_shape_surface_add(m->surface, points, normals, m->error);
}

static void add_quad(maker *m, corner a, corner b, corner c, corner d)
{
    add_triangle(m, a, b, c);
    add_triangle(m, a, c, d);
}

// From a node's own frame to the world.
static corner place(const dlp_transform *frame, dlp_vec3 x, dlp_vec3 normal)
{
    return (corner){dlp_to_world(frame, x), dlp_rotate(frame, normal)};
}

// Faces are cut off far outside of what is shown, so that single precision is enough for them.
static void clamp_box(const maker *m, const dlp_shape_node *node, dlp_vec3 *low, dlp_vec3 *high)
{
    const dlp_vec3 middle =
        dlp_to_body(&node->frame, dlp_sub(dlp_mul(dlp_add(m->shown.min, m->shown.max), 0.5), m->offset));
    const double reach = 30 * dlp_length(dlp_sub(m->shown.max, m->shown.min));
    const dlp_vec3 far = dlp_vec(reach, reach, reach);
    *low = dlp_max3(dlp_mul(node->half, -1), dlp_min3(dlp_sub(middle, far), node->half));
    *high = dlp_min3(node->half, dlp_max3(dlp_add(middle, far), dlp_mul(node->half, -1)));
}

// Six faces; `pick` says for each corner which end of each axis it has.
static void add_box(maker *m, const dlp_shape_node *node)
{
    dlp_vec3 ends[2];
    clamp_box(m, node, &ends[0], &ends[1]);
    for (int32_t face = 0; face < 6; face++) {
        const int32_t axis = face / 2, side = face % 2;
        corner corners[4];
        for (int32_t k = 0; k < 4; k++) {
            const int32_t u = k == 1 || k == 2, v = k >= 2;
            int32_t pick[3];
            pick[axis] = side;
            pick[(axis + 1) % 3] = side == 1 ? u : v;
            pick[(axis + 2) % 3] = side == 1 ? v : u;
            const double sign = side == 1 ? 1 : -1;
            const dlp_vec3 normal = dlp_vec(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
            corners[k] =
                place(&node->frame, dlp_vec(ends[pick[0]].x, ends[pick[1]].y, ends[pick[2]].z), normal);
        }
        add_quad(m, corners[0], corners[1], corners[2], corners[3]);
    }
}

// A large square about what is shown: it reaches beyond the edge of any picture of it.
static void add_plane(maker *m, const dlp_shape_node *node)
{
    const dlp_vec3 middle =
        dlp_to_body(&node->frame, dlp_sub(dlp_mul(dlp_add(m->shown.min, m->shown.max), 0.5), m->offset));
    const double reach = 30 * dlp_length(dlp_sub(m->shown.max, m->shown.min));
    corner corners[4];
    for (int32_t k = 0; k < 4; k++) {
        const double a = k == 1 || k == 2 ? reach : -reach, b = k >= 2 ? reach : -reach;
        corners[k] = place(&node->frame, dlp_vec(middle.x + a, middle.y + b, 0), dlp_vec(0, 0, 1));
    }
    add_quad(m, corners[0], corners[1], corners[2], corners[3]);
}

// A point of the half plane (r, z) that is revolved about z, and the surface's normal there.
typedef struct profile {
    double r, z, normal_r, normal_z;
} profile;

static corner revolve(const dlp_shape_node *node, profile p, double angle)
{
    const double c = cos(angle), s = sin(angle);
    return place(&node->frame, dlp_vec(p.r * c, p.r * s, p.z),
                 dlp_vec(p.normal_r * c, p.normal_r * s, p.normal_z));
}

// The surface that a line from p to q sweeps about z; the outside lies to the right of the line. Ends on the
// axis have one triangle instead of two.
static void add_ring(maker *m, const dlp_shape_node *node, profile p, profile q)
{
    for (int32_t k = 0; k < m->around; k++) {
        const double a = 2 * DLP_PI * k / m->around, b = 2 * DLP_PI * (k + 1) / m->around;
        const corner corners[4] = {revolve(node, p, a), revolve(node, p, b), revolve(node, q, b),
                                   revolve(node, q, a)};
        if (p.r > 0) add_triangle(m, corners[0], corners[1], corners[2]);
        if (q.r > 0) add_triangle(m, corners[0], corners[2], corners[3]);
    }
}

// An arc of the profile about (r, z) from one angle to another, rad: 0 is along r, pi / 2 along z.
static void add_arc(maker *m, const dlp_shape_node *node, profile middle, double radius, double from,
                    double to)
{
    const int32_t count = (int32_t)ceil(m->around * (to - from) / (2 * DLP_PI));
    profile before = {0};
    for (int32_t k = 0; k <= count; k++) {
        const double angle = from + (to - from) * k / count, c = cos(angle), s = sin(angle);
        const double r = middle.r + radius * c;
        const profile here = {r > 1e-12 * radius ? r : 0, middle.z + radius * s, c, s};
        if (k > 0) add_ring(m, node, before, here);
        before = here;
    }
}

// Bottom, side, top; a cylinder where both radii are equal.
static void add_cone(maker *m, const dlp_shape_node *node, double bottom, double top)
{
    const double half = node->half_length, slope = bottom - top;
    const double length = sqrt(slope * slope + 4 * half * half);
    const double normal_r = 2 * half / length, normal_z = slope / length;
    if (bottom > 0) add_ring(m, node, (profile){0, -half, 0, -1}, (profile){bottom, -half, 0, -1});
    add_ring(m, node, (profile){bottom, -half, normal_r, normal_z}, (profile){top, half, normal_r, normal_z});
    if (top > 0) add_ring(m, node, (profile){top, half, 0, 1}, (profile){0, half, 0, 1});
}

// Two half spheres and a cylinder between them.
static void add_capsule(maker *m, const dlp_shape_node *node)
{
    const double r = node->radius, half = node->half_length;
    add_arc(m, node, (profile){.z = -half}, r, -DLP_PI / 2, 0);
    add_ring(m, node, (profile){r, -half, 1, 0}, (profile){r, half, 1, 0});
    add_arc(m, node, (profile){.z = half}, r, 0, DLP_PI / 2);
}

// Smooth over edges that are not sharper than 45 degrees (the cosine of which is 0.7): the vertex normal,
// else that of the face.
static void add_mesh(maker *m, const dlp_mesh_tree *tree)
{
    for (int32_t t = 0; t < tree->triangle_count; t++) {
        const dlp_mesh_corner *frame = &tree->frames[t];
        const dlp_vec3 *features = tree->features[t].normals;
        const dlp_vec3 flat = dlp_normalize(features[DLP_NEAR_FACE], dlp_vec(1, 0, 0));
        corner corners[3] = {
            {frame->a, flat}, {dlp_add(frame->a, frame->ab), flat}, {dlp_add(frame->a, frame->ac), flat}};
        for (int32_t k = 0; k < 3; k++) {
            const dlp_vec3 smooth = dlp_normalize(features[DLP_NEAR_VERTEX + k], flat);
            if (dlp_dot(smooth, flat) > 0.7) corners[k].normal = smooth;
        }
        add_triangle(m, corners[0], corners[1], corners[2]);
    }
}

// The lines of a height field with the ends of its continuation moved to where the picture ends.
typedef struct relief {
    dlp_height_lines lines;  // borrowed
    double low_x, high_x, low_y, high_y;
} relief;

// Where a line lies, m: the first and last are moved.
static double column_place(const relief *h, int32_t i)
{
    return i == 0 ? h->low_x : i == h->lines.columns - 1 ? h->high_x : h->lines.xs[i];
}

static double row_place(const relief *h, int32_t j)
{
    return j == 0 ? h->low_y : j == h->lines.rows - 1 ? h->high_y : h->lines.ys[j];
}

static dlp_vec3 relief_point(const relief *h, int32_t i, int32_t j)
{
    const double z = h->lines.values[(size_t)j * (size_t)h->lines.columns + (size_t)i];
    return dlp_vec(column_place(h, i), row_place(h, j), z);
}

// The slope between two lines; 0 where they coincide.
static double rise(double before, double after, double z_before, double z_after)
{
    return after > before ? (z_after - z_before) / (after - before) : 0;
}

// By differences over both neighbours; one-sided at the rim.
static dlp_vec3 relief_normal(const relief *h, int32_t i, int32_t j)
{
    const int32_t left = i > 0 ? i - 1 : i, right = i < h->lines.columns - 1 ? i + 1 : i;
    const int32_t front = j > 0 ? j - 1 : j, back = j < h->lines.rows - 1 ? j + 1 : j;
    const dlp_vec3 a = relief_point(h, left, j), b = relief_point(h, right, j);
    const dlp_vec3 c = relief_point(h, i, front), d = relief_point(h, i, back);
    return dlp_normalize(dlp_vec(-rise(a.x, b.x, a.z, b.z), -rise(c.y, d.y, c.z, d.z), 1), dlp_vec(0, 0, 1));
}

// Four triangles about the middle, as the distance field has them.
static void add_relief_cell(maker *m, const dlp_transform *frame, const relief *h, int32_t i, int32_t j)
{
    static const int32_t around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    corner corners[4];
    dlp_vec3 middle = {0}, normal = {0};
    for (int32_t k = 0; k < 4; k++) {
        const int32_t column = i + around[k][0], row = j + around[k][1];
        const dlp_vec3 x = relief_point(h, column, row), n = relief_normal(h, column, row);
        middle = dlp_add(middle, dlp_mul(x, 0.25));
        normal = dlp_add(normal, n);
        corners[k] = place(frame, x, n);
    }
    const corner center = place(frame, middle, dlp_normalize(normal, dlp_vec(0, 0, 1)));
    for (int32_t k = 0; k < 4; k++) add_triangle(m, corners[k], corners[(k + 1) % 4], center);
}

// An upright side below the line from one point of the rim to the next, which run counter-clockwise seen from
// above.
static void add_relief_side(maker *m, const dlp_transform *frame, dlp_vec3 from, dlp_vec3 to, double bottom)
{
    const dlp_vec3 normal = dlp_normalize(dlp_vec(to.y - from.y, from.x - to.x, 0), dlp_vec(1, 0, 0));
    const dlp_vec3 below_from = dlp_vec(from.x, from.y, fmin(bottom, from.z));
    const dlp_vec3 below_to = dlp_vec(to.x, to.y, fmin(bottom, to.z));
    add_quad(m, place(frame, below_from, normal), place(frame, below_to, normal), place(frame, to, normal),
             place(frame, from, normal));
}

// The four sides, each in the direction that makes it face outward.
static void add_relief_sides(maker *m, const dlp_transform *frame, const relief *h, double bottom)
{
    const int32_t right = h->lines.columns - 1, back = h->lines.rows - 1;
    for (int32_t i = 0; i < right; i++) {
        add_relief_side(m, frame, relief_point(h, i, 0), relief_point(h, i + 1, 0), bottom);
        add_relief_side(m, frame, relief_point(h, i + 1, back), relief_point(h, i, back), bottom);
    }
    for (int32_t j = 0; j < back; j++) {
        add_relief_side(m, frame, relief_point(h, right, j), relief_point(h, right, j + 1), bottom);
        add_relief_side(m, frame, relief_point(h, 0, j + 1), relief_point(h, 0, j), bottom);
    }
}

// The field's own frame may be rotated: `shown` is brought into it. The bottom lies a little below all that
// is shown.
static void add_height(maker *m, const dlp_shape_node *node)
{
    const dlp_transform inverse = dlp_transform_transposed(&node->frame);
    const dlp_vec3 origin = dlp_add(node->frame.translation, m->offset);
    const dlp_box moved = {dlp_sub(m->shown.min, origin), dlp_sub(m->shown.max, origin)};
    const dlp_box shown = dlp_box_rotated(&inverse, &moved);
    const dlp_height_lines lines = dlp_height_lines_of(node->height);
    const relief h = {lines, fmin(lines.xs[1], shown.min.x), fmax(lines.xs[lines.columns - 2], shown.max.x),
                      fmin(lines.ys[1], shown.min.y), fmax(lines.ys[lines.rows - 2], shown.max.y)};
    double lowest = shown.min.z;
    for (size_t k = 0; k < (size_t)lines.columns * (size_t)lines.rows; k++)
        lowest = fmin(lowest, lines.values[k]);
    for (int32_t j = 0; j < lines.rows - 1; j++)
        for (int32_t i = 0; i < lines.columns - 1; i++) add_relief_cell(m, &node->frame, &h, i, j);
    add_relief_sides(m, &node->frame, &h, lowest - 0.05 * (shown.max.z - shown.min.z));
}

// Flat pieces of a circle lie off it by the sagitta; the cut must allow three of them to be safe.
static void note_round(maker *m, double radius)
{
    const double sagitta = radius * (1 - cos(DLP_PI / m->around));
    m->gap = fmax(m->gap, 3 * sagitta);
}

static void add_leaf(maker *m, const dlp_shape_node *node)
{
    switch (node->kind) {
    case DLP_SHAPE_BOX:
        add_box(m, node);
        break;
    case DLP_SHAPE_SPHERE:
        note_round(m, node->radius);
        add_arc(m, node, (profile){0}, node->radius, -DLP_PI / 2, DLP_PI / 2);
        break;
    case DLP_SHAPE_CYLINDER:
        note_round(m, node->radius);
        add_cone(m, node, node->radius, node->radius);
        break;
    case DLP_SHAPE_CAPSULE:
        note_round(m, node->radius);
        add_capsule(m, node);
        break;
    case DLP_SHAPE_TORUS:
        note_round(m, node->radius + node->radius_to);
        add_arc(m, node, (profile){.r = node->radius}, node->radius_to, -DLP_PI, DLP_PI);
        break;
    case DLP_SHAPE_CONE:
        note_round(m, fmax(node->radius, node->radius_to));
        add_cone(m, node, node->radius, node->radius_to);
        break;
    case DLP_SHAPE_MESH:
        add_mesh(m, node->mesh);
        break;
    case DLP_SHAPE_HEIGHT:
        add_height(m, node);
        break;
    case DLP_SHAPE_PLANE:
        add_plane(m, node);
        break;
    default:
        break;
    }
}

static void add_node(maker *m, int32_t index);

// Many copies get fewer pieces each, so that the number of triangles stays bounded.
static void add_copies(maker *m, const dlp_shape_node *node)
{
    const dlp_vec3 start = m->offset;
    const int32_t around = m->around;
    const double count = (double)node->copies[0] * node->copies[1] * node->copies[2];
    m->around = (int32_t)fmax(LEAST_ROUND, around / sqrt(fmax(count, 1)));
    for (int32_t k = 0; k < node->copies[2]; k++)
        for (int32_t j = 0; j < node->copies[1]; j++)
            for (int32_t i = 0; i < node->copies[0]; i++) {
                const dlp_vec3 step = dlp_vec(i * node->steps[0], j * node->steps[1], k * node->steps[2]);
                m->offset = dlp_add(start, dlp_rotate(&node->frame, step));
                add_node(m, node->first_child);
            }
    m->offset = start;
    m->around = around;
}

// All children, whatever the combination: what is not on the surface is cut afterwards.
static void add_node(maker *m, int32_t index)
{
    const dlp_shape_node *node = &m->shape->nodes[index];
    const bool was_turned = m->is_turned;
    if (node->is_complement) m->is_turned = !m->is_turned;
    if (node->kind == DLP_NODE_COPIES) {
        add_copies(m, node);
    } else if (node->child_count > 0) {
        for (int32_t k = 0; k < node->child_count; k++) add_node(m, node->first_child + k);
    } else {
        add_leaf(m, node);
    }
    m->is_turned = was_turned;
}

// Whether parts must be cut. Surfaces within another part do no harm where solid parts are joined: nobody
// sees them.
static bool is_cut(const dlp_shape *shape)
{
    for (int32_t k = 0; k < shape->node_count; k++) {
        const dlp_shape_node *node = &shape->nodes[k];
        const bool has_parts = node->child_count > 1 || node->kind == DLP_NODE_COPIES;
        if (has_parts && (node->is_complement || node->kind == DLP_SHAPE_DIFFERENCE ||
                          node->kind == DLP_SHAPE_INTERSECTION))
            return true;
    }
    return false;
}

// Whether the shape is solid far away along every axis, as a container is; height fields have no end either,
// but only below.
static bool is_endless(const dlp_shape *shape, const dlp_box *shown)
{
    const dlp_vec3 middle = dlp_mul(dlp_add(shown->min, shown->max), 0.5);
    const double far = 1e6 * (dlp_length(dlp_sub(shown->max, shown->min)) + 1);
    for (int32_t axis = 0; axis < 3; axis++) {
        const dlp_vec3 offset = dlp_vec(axis == 0 ? far : 0, axis == 1 ? far : 0, axis == 2 ? far : 0);
        if (dlp_shape_distance(shape, dlp_add(middle, offset)) > 0 ||
            dlp_shape_distance(shape, dlp_sub(middle, offset)) > 0)
            return false;
    }
    return true;
}

// A plane that stands between the eye and the scene must not be seen from behind, as a container's walls.
static bool is_plane(const dlp_shape *shape)
{
    return shape->nodes[0].kind == DLP_SHAPE_PLANE;
}

// The cut allows for the flat pieces of round parts and a little more, relative to what is shown.
dlp_status dlp_shape_surface_create(const dlp_shape *shape, const dlp_box *shown,
                                    dlp_shape_surface *out_surface, dlp_error *error)
{
    *out_surface = (dlp_shape_surface){.is_endless = is_endless(shape, shown) || is_plane(shape)};
    maker m = {
        .shape = shape, .shown = *shown, .surface = out_surface, .around = ROUND_LIMIT, .error = error};
    add_node(&m, 0);
    if (m.status != DLP_OK) dlp_shape_surface_release(out_surface);
    if (m.status != DLP_OK || !is_cut(shape)) return m.status;
    const dlp_shape_cut_def cut = {shape, *shown, m.gap + 1e-5 * dlp_length(dlp_sub(shown->max, shown->min))};
    return dlp_shape_surface_cut(out_surface, &cut, error);
}

static bool is_bounded(const dlp_box *box)
{
    return dlp_is_finite3(box->min) && dlp_is_finite3(box->max);
}

static dlp_box joined(dlp_box a, dlp_box b)
{
    return (dlp_box){dlp_min3(a.min, b.min), dlp_max3(a.max, b.max)};
}

// A height field's area and range; nothing of a plane, which is everywhere; the bounds of other bodies.
static dlp_box leaf_extent(const dlp_shape_node *node)
{
    if (node->kind == DLP_SHAPE_PLANE)
        return (dlp_box){dlp_vec(HUGE_VAL, HUGE_VAL, HUGE_VAL), dlp_vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL)};
    if (node->kind == DLP_SHAPE_MESH) return dlp_mesh_tree_bounds(node->mesh);
    dlp_box box = dlp_shape_body_box(node);
    if (node->kind == DLP_SHAPE_HEIGHT) {
        const dlp_height_lines lines = dlp_height_lines_of(node->height);
        box = (dlp_box){dlp_vec(lines.xs[1], lines.ys[1], HUGE_VAL),
                        dlp_vec(lines.xs[lines.columns - 2], lines.ys[lines.rows - 2], -HUGE_VAL)};
        for (size_t k = 0; k < (size_t)lines.columns * (size_t)lines.rows; k++) {
            box.min.z = fmin(box.min.z, lines.values[k]);
            box.max.z = fmax(box.max.z, lines.values[k]);
        }
    }
    return dlp_box_rotated(&node->frame, &box);
}

// Where a node has no end, what its children have: the complement of a box shows the box.
static dlp_box node_extent(const dlp_shape *shape, int32_t index)
{
    const dlp_shape_node *node = &shape->nodes[index];
    if (!node->is_complement && is_bounded(&node->bounds)) return node->bounds;
    if (node->kind != DLP_NODE_COPIES && node->child_count == 0) return leaf_extent(node);
    dlp_box box = node_extent(shape, node->first_child);
    if (node->kind == DLP_NODE_COPIES) {
        for (int32_t axis = 0; axis < 3; axis++) {
            const double length = node->steps[axis] * (node->copies[axis] - 1);
            const dlp_vec3 far =
                dlp_rotate(&node->frame,
                           dlp_vec(axis == 0 ? length : 0, axis == 1 ? length : 0, axis == 2 ? length : 0));
            box = joined(box, (dlp_box){dlp_add(box.min, far), dlp_add(box.max, far)});
        }
        return box;
    }
    for (int32_t k = 1; k < node->child_count; k++)
        box = joined(box, node_extent(shape, node->first_child + k));
    return box;
}

dlp_box dlp_shape_extent(const dlp_shape *shape)
{
    return node_extent(shape, 0);
}
