/* The rows of shapes. Choices share fields of dlp_shape_def: only the rows of the chosen one are read. */
#include "scene/table_rows.h"

// A row is a line or two, whatever the formatter would make of it.
// clang-format off
#define AT(field) offsetof(dlp_shape_def, field)
#define INSIDE                                                                                               \
    {.key = "inside", SWITCH, 0, AT(inside), NONE, "false",                                                  \
     "the complement: everything but the inside, as a container is an obstacle"}

// Every single shape may be complemented; a complement cannot be filled.
static const dlp_schema_row box_rows[] = {
    {.key = "min", VECTOR, REQUIRED, AT(min), "m", ANY, NULL, "lower corner"},
    {.key = "max", VECTOR, REQUIRED, AT(max), "m", ANY, NULL, "upper corner"},
    INSIDE};
static const dlp_schema_row sphere_rows[] = {
    {.key = "center", VECTOR, 0, AT(center), "m", ANY, "[0, 0, 0]", "centre"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(radius), "m", FROM(0), NULL, "radius"},
    INSIDE};
static const dlp_schema_row cylinder_rows[] = {
    {.key = "from", VECTOR, REQUIRED, AT(from), "m", ANY, NULL, "one end of the axis"},
    {.key = "to", VECTOR, REQUIRED, AT(to), "m", ANY, NULL, "the other end"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(radius), "m", FROM(0), NULL, "radius"},
    INSIDE};
static const dlp_schema_row torus_rows[] = {
    {.key = "center", VECTOR, 0, AT(center), "m", ANY, "[0, 0, 0]", "centre of the ring"},
    {.key = "axis", VECTOR, THREE, AT(axis), "", ANY, "[0, 0, 1]", "axis of the ring; any length but 0"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(radius), "m", FROM(0), NULL, "radius of the ring"},
    {.key = "tube", NUMBER, REQUIRED | ABOVE, AT(tube), "m", FROM(0), NULL,
     "radius of the tube, smaller than the ring's"},
    INSIDE};
static const dlp_schema_row cone_rows[] = {
    {.key = "from", VECTOR, REQUIRED, AT(from), "m", ANY, NULL, "centre of the wide end"},
    {.key = "to", VECTOR, REQUIRED, AT(to), "m", ANY, NULL, "centre of the other end, or the tip"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(radius), "m", FROM(0), NULL, "radius at `from`"},
    {.key = "radius_to", NUMBER, 0, AT(radius_to), "m", FROM(0), "0", "radius at `to`; 0 for a tip"},
    INSIDE};
static const dlp_schema_row sheet_rows[] = {
    {.key = "center", VECTOR, 0, AT(center), "m", ANY, "[0, 0, 0]", "centre"},
    {.key = "normal", VECTOR, PLANAR, AT(axis), "", ANY, "[0, 0, 1], in 2-D [0, 1]",
     "what it faces; any length but 0", .derive = dlp_derive_up},
    {.key = "size", PAIR, REQUIRED | ABOVE, AT(size), "m", FROM(0), NULL, "width and height"},
    {.key = "thickness", NUMBER, REQUIRED | ABOVE, AT(thickness), "m", FROM(0), NULL,
     "thickness; a cloth needs none", .derive = dlp_derive_thickness},
    INSIDE};
static const dlp_schema_row mesh_rows[] = {
    {.key = "file", FILE_NAME, REQUIRED, AT(file), NONE, NULL, "a triangle mesh: .obj, .ply or .stl; closed, but for a cloth"},
    {.key = "repair", SWITCH, 0, AT(repair), NONE, "false", "close its holes instead of refusing them"},
    INSIDE};
// Corners are pairs stored into the first two numbers of vectors. file and values exclude each other.
static const dlp_schema_row height_rows[] = {
    {.key = "min", PAIR, REQUIRED, AT(min), "m", ANY, NULL,
     "lower corner in x and y (2-D: the first number alone counts)"},
    {.key = "max", PAIR, REQUIRED, AT(max), "m", ANY, NULL, "upper corner"},
    {.key = "file", FILE_NAME, 0, AT(file), NONE, NULL,
     "heights as a picture (.pgm) or numbers (.csv, .txt); or give `values`"},
    {.key = "values", NUMBERS, 0, AT(values), "", ANY, NULL, "heights row after row, y slow",
     .count_offset = AT(value_count)},
    {.key = "columns", INTEGER, 0, AT(columns), "", FROM(2), NULL, "of `values`, along x (2-D: all of them)"},
    {.key = "low", NUMBER, 0, AT(low), "m", ANY, "0", "height that 0 means"},
    {.key = "high", NUMBER, 0, AT(high), "m", ANY, "1",
     "height that 1 (a file of whole numbers: the largest) means"},
    INSIDE};
static const dlp_schema_row plane_rows[] = {
    {.key = "point", VECTOR, 0, AT(center), "m", ANY, "[0, 0, 0]", "a point of the plane"},
    {.key = "normal", VECTOR, PLANAR, AT(axis), "", ANY, "[0, 0, 1], in 2-D [0, 1]",
     "away from the solid side; any length but 0", .derive = dlp_derive_up},
    INSIDE};
// Copies run along the axes of what contains the shape.
static const dlp_schema_row copies_rows[] = {
    {.key = "count", COUNTS, REQUIRED, AT(copies), "", 1, 10000, NULL, "copies along x, y and z"},
    {.key = "spacing", VECTOR, REQUIRED, AT(spacing), "m", ANY, NULL,
     "distance between them along x, y and z"}};

static const dlp_schema box_schema = {.title = "SHAPE.box", "A box along the axes (2-D: endless along z).",
    ROWS(box_rows), .check = dlp_check_box};
static const dlp_schema sphere_schema = {.title = "SHAPE.sphere", "A ball (2-D: a disc).", ROWS(sphere_rows)};
static const dlp_schema cylinder_schema = {.title = "SHAPE.cylinder", "A cylinder with flat ends.",
    ROWS(cylinder_rows), .check = dlp_check_stretched};
static const dlp_schema capsule_schema = {.title = "SHAPE.capsule", "A cylinder with round ends.",
    ROWS(cylinder_rows), .check = dlp_check_stretched};
static const dlp_schema torus_schema = {.title = "SHAPE.torus", "A ring.", ROWS(torus_rows),
    .check = dlp_check_torus};
static const dlp_schema cone_schema = {.title = "SHAPE.cone", "A cone, or a part of one.", ROWS(cone_rows),
    .check = dlp_check_stretched};
static const dlp_schema sheet_schema = {.title = "SHAPE.sheet",
    "A flat rectangle with some thickness (2-D: a line).", ROWS(sheet_rows), .check = dlp_check_sheet};
static const dlp_schema mesh_schema = {.title = "SHAPE.mesh", "A triangle mesh from a file.",
    ROWS(mesh_rows)};
static const dlp_schema height_schema = {.title = "SHAPE.height", "A height field: solid below it.",
    ROWS(height_rows), .check = dlp_check_height};
static const dlp_schema half_space_schema = {.title = "SHAPE.plane",
    "All that lies below a plane, without an end: a floor, a slope, a wall. It cannot be filled.",
    ROWS(plane_rows), .check = dlp_check_sheet};
static const dlp_schema copies_schema = {.title = "SHAPE.copies", "An array of copies of the shape.",
    ROWS(copies_rows), .check = dlp_check_copies};

// A single shape is a group, a combination a list of shapes; both set the kind.
#define PRIMITIVE(name, kind, schema_of, about)                                                              \
    {.key = name, SCHEMA, CHOICE, 0, NONE, NULL, about, .schema = &schema_of, .choice = kind}
#define COMBINED(name, kind, about)                                                                          \
    {.key = name, LIST, CHOICE, AT(children), NONE, NULL, about, .schema = &dlp_shape_schema,                    \
     .count_offset = AT(child_count), .choice = kind}
#define SHAPES                                                                                               \
    PRIMITIVE("box", DLP_SHAPE_BOX, box_schema, "a box along the axes"),                                     \
    PRIMITIVE("sphere", DLP_SHAPE_SPHERE, sphere_schema, "a ball (2-D: a disc)"),                            \
    PRIMITIVE("cylinder", DLP_SHAPE_CYLINDER, cylinder_schema, "flat ends"),                                 \
    PRIMITIVE("capsule", DLP_SHAPE_CAPSULE, capsule_schema, "round ends"),                                   \
    PRIMITIVE("torus", DLP_SHAPE_TORUS, torus_schema, "a ring"),                                             \
    PRIMITIVE("cone", DLP_SHAPE_CONE, cone_schema, "a cone or a part of one"),                               \
    PRIMITIVE("sheet", DLP_SHAPE_SHEET, sheet_schema, "a flat rectangle"),                                   \
    PRIMITIVE("mesh", DLP_SHAPE_MESH, mesh_schema, "triangles from a file"),                                 \
    PRIMITIVE("height", DLP_SHAPE_HEIGHT, height_schema, "a height field"),                                  \
    PRIMITIVE("plane", DLP_SHAPE_PLANE, half_space_schema, "all below a plane"),                             \
    COMBINED("union", DLP_SHAPE_UNION, "all of these shapes together"),                                      \
    COMBINED("difference", DLP_SHAPE_DIFFERENCE, "the first shape less the others"),                         \
    COMBINED("intersection", DLP_SHAPE_INTERSECTION, "what all of these shapes share"),                      \
    {.key = "scale", NUMBER, ABOVE, AT(scale), "", FROM(0), NULL,                                            \
     "makes it larger or smaller, before it is rotated"},                                                    \
    {.key = "copies", SCHEMA, OPTIONAL, 0, NONE, NULL, "an array of copies", .schema = &copies_schema},      \
    {.key = "translate", VECTOR, 0, AT(translate), "m", ANY, NULL, "older name of `position`"},              \
    {.key = "rotate", VECTOR, TURN | THREE, AT(rotate), "degrees", ANY, NULL,                                \
     "older name of `rotation`"}
static const dlp_schema_row shape_rows[] = {
    SHAPES,
    {.key = "position", VECTOR, 0, AT(translate), "m", ANY, NULL, "moves the shape"},
    {.key = "rotation", VECTOR, TURN | THREE, AT(rotate), "degrees", ANY, NULL,
     "rotates it about x, then y, then z, through the pivot, before it is moved"},
    {.key = "pivot", VECTOR, PLANAR, AT(pivot), "m", ANY, NULL,
     "centre of the rotation; by default the origin"}};
static const dlp_schema_row moved_shape_rows[] = {SHAPES};
const dlp_schema dlp_shape_schema = {.title = "SHAPE",
    "What a substance fills, what an obstacle or a sink is: exactly one of the shapes, and beside it what "
    "moves it: `position`, `rotation` and `pivot`, as everywhere. Copies are made of what has been moved.",
    ROWS(shape_rows), .size = sizeof(dlp_shape_def), .choice = "shape", .choice_offset = AT(kind),
    .check = dlp_check_shape};
// Of what has a position of its own, which may have key frames.
const dlp_schema dlp_moved_shape_schema = {.title = "SHAPE", "A shape.", ROWS(moved_shape_rows),
    .size = sizeof(dlp_shape_def), .choice = "shape", .choice_offset = AT(kind), .check = dlp_check_shape};
#undef AT

const dlp_schema *const dlp_shape_schemas[] = {
    &dlp_shape_schema, &box_schema, &sphere_schema, &cylinder_schema, &capsule_schema, &torus_schema,
    &cone_schema, &sheet_schema, &mesh_schema, &height_schema, &half_space_schema, &copies_schema, NULL};
// clang-format on
