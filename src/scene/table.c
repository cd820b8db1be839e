#include "scene/table.h"
#include "scene/rules.h"

#include <math.h>
#include <string.h>

#define ANY      -HUGE_VAL, HUGE_VAL
#define FROM(a)  (a), HUGE_VAL
#define NONE     "", 0, 0
#define COUNT(a) ((int32_t)(sizeof(a) / sizeof *(a)))
#define ROWS(a)  a, COUNT(a)

#define COLDEST -273.15

#define NUMBER    DLP_ROW_NUMBER
#define INTEGER   DLP_ROW_INTEGER
#define SWITCH    DLP_ROW_SWITCH
#define VECTOR    DLP_ROW_VECTOR
#define PAIR      DLP_ROW_PAIR
#define COUNTS    DLP_ROW_COUNTS
#define NUMBERS   DLP_ROW_NUMBERS
#define AXES      DLP_ROW_AXES
#define WORD      DLP_ROW_WORD
#define TEXT      DLP_ROW_TEXT
#define NAME      DLP_ROW_NAME
#define MATERIAL  DLP_ROW_MATERIAL
#define FILE_NAME DLP_ROW_FILE
#define RECORD    DLP_ROW_RECORD
#define LIST      DLP_ROW_LIST
#define MAP       DLP_ROW_MAP
#define INCLUDE   DLP_ROW_INCLUDE

enum {
    REQUIRED = DLP_ROW_REQUIRED,
    OPTIONAL = DLP_ROW_OPTIONAL,
    ANIMATED = DLP_ROW_ANIMATED,
    INPUT = DLP_ROW_INPUT,
    HIDDEN = DLP_ROW_HIDDEN,
    CHOICE = DLP_ROW_CHOICE,
    ABOVE = DLP_ROW_OPEN_MIN,
    PLANAR = DLP_ROW_PLANAR,
    THREE = DLP_ROW_THREE,
    TURN = DLP_ROW_TURN,
    CURVED = DLP_ROW_CURVED,
    DECIDES = DLP_ROW_DECIDES
};

#define MODEL(name) (1u << DLP_MODEL_##name)
#define OF_SPH      .models = MODEL(SPH)
#define OF_CLOTH    .models = MODEL(CLOTH)

// Words stand in the order of their enum.
static const char *const models[] = {"sph", "solid", "cloth", "rigid", "flip", "gas", NULL};
static const char *const kernels[] = {"desbrun", "spline", "wendland", "muller", NULL};
static const char *const states[] = {"linear", "tait", "ideal", NULL};
static const char *const criteria[] = {"velocity", "pressure", "both", "density", NULL};
static const char *const restraint_forms[] = {"convex", "energy", "momentum", NULL};
static const char *const density_sources[] = {"summation", "continuity", NULL};
static const char *const looks[] = {"matte", "glossy", "glass", "wax", NULL};
static const char *const grounds[] = {"auto", "on", "off", NULL};
static const char *const lattices[] = {"hexagonal", "cubic", NULL};
static const char *const velocity_fields[] = {"none", "taylor_green", "stretch", "shear", NULL};
static const char *const surface_kinds[] = {"none", "iso", "active", "anisotropic", NULL};
static const char *const surface_formats[] = {"ply", "obj", "stl", "glb", NULL};
static const char *const measures[] = {"pressure", "density", "velocity", "height", "flux", "force", "temperature", NULL};

// A row is a line or two, whatever the formatter would make of it.
// clang-format off
#define AT(field) offsetof(dlp_shape_def, field)
#define INSIDE                                                                                               \
    {.key = "inside", SWITCH, 0, AT(inside), NONE, "false",                                                  \
     "the complement: everything but the inside, as a container is an obstacle"}

static const dlp_row box_rows[] = {
    {.key = "min", VECTOR, REQUIRED, AT(min), "m", ANY, NULL, "lower corner"},
    {.key = "max", VECTOR, REQUIRED, AT(max), "m", ANY, NULL, "upper corner"},
    INSIDE};
static const dlp_row sphere_rows[] = {
    {.key = "center", VECTOR, 0, AT(center), "m", ANY, "[0, 0, 0]", "centre"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(radius), "m", FROM(0), NULL, "radius"},
    INSIDE};
static const dlp_row cylinder_rows[] = {
    {.key = "from", VECTOR, REQUIRED, AT(from), "m", ANY, NULL, "one end of the axis"},
    {.key = "to", VECTOR, REQUIRED, AT(to), "m", ANY, NULL, "the other end"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(radius), "m", FROM(0), NULL, "radius"},
    INSIDE};
static const dlp_row torus_rows[] = {
    {.key = "center", VECTOR, 0, AT(center), "m", ANY, "[0, 0, 0]", "centre of the ring"},
    {.key = "axis", VECTOR, THREE, AT(axis), "", ANY, "[0, 0, 1]", "axis of the ring; any length but 0"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(radius), "m", FROM(0), NULL, "radius of the ring"},
    {.key = "tube", NUMBER, REQUIRED | ABOVE, AT(tube), "m", FROM(0), NULL,
     "radius of the tube, smaller than the ring's"},
    INSIDE};
static const dlp_row cone_rows[] = {
    {.key = "from", VECTOR, REQUIRED, AT(from), "m", ANY, NULL, "centre of the wide end"},
    {.key = "to", VECTOR, REQUIRED, AT(to), "m", ANY, NULL, "centre of the other end, or the tip"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(radius), "m", FROM(0), NULL, "radius at `from`"},
    {.key = "radius_to", NUMBER, 0, AT(radius_to), "m", FROM(0), "0", "radius at `to`; 0 for a tip"},
    INSIDE};
static const dlp_row sheet_rows[] = {
    {.key = "center", VECTOR, 0, AT(center), "m", ANY, "[0, 0, 0]", "centre"},
    {.key = "normal", VECTOR, PLANAR, AT(axis), "", ANY, "[0, 0, 1], in 2-D [0, 1]",
     "what it faces; any length but 0", .derive = dlp_derive_up},
    {.key = "size", PAIR, REQUIRED | ABOVE, AT(size), "m", FROM(0), NULL, "width and height"},
    {.key = "thickness", NUMBER, REQUIRED | ABOVE, AT(thickness), "m", FROM(0), NULL,
     "thickness; a cloth needs none", .derive = dlp_derive_thickness},
    INSIDE};
static const dlp_row mesh_rows[] = {
    {.key = "file", FILE_NAME, REQUIRED, AT(file), NONE, NULL, "a triangle mesh: .obj, .ply or .stl; closed, but for a cloth"},
    {.key = "repair", SWITCH, 0, AT(repair), NONE, "false", "close its holes instead of refusing them"},
    INSIDE};
static const dlp_row height_rows[] = {
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
static const dlp_row copies_rows[] = {
    {.key = "count", COUNTS, REQUIRED, AT(copies), "", 1, 10000, NULL, "copies along x, y and z"},
    {.key = "spacing", VECTOR, REQUIRED, AT(spacing), "m", ANY, NULL,
     "distance between them along x, y and z"}};

static const dlp_record box_record = {.title = "SHAPE.box", "A box along the axes (2-D: endless along z).",
    ROWS(box_rows), .check = dlp_check_box};
static const dlp_record sphere_record = {.title = "SHAPE.sphere", "A ball (2-D: a disc).", ROWS(sphere_rows)};
static const dlp_record cylinder_record = {.title = "SHAPE.cylinder", "A cylinder with flat ends.",
    ROWS(cylinder_rows), .check = dlp_check_stretched};
static const dlp_record capsule_record = {.title = "SHAPE.capsule", "A cylinder with round ends.",
    ROWS(cylinder_rows), .check = dlp_check_stretched};
static const dlp_record torus_record = {.title = "SHAPE.torus", "A ring.", ROWS(torus_rows),
    .check = dlp_check_torus};
static const dlp_record cone_record = {.title = "SHAPE.cone", "A cone, or a part of one.", ROWS(cone_rows),
    .check = dlp_check_stretched};
static const dlp_record sheet_record = {.title = "SHAPE.sheet",
    "A flat rectangle with some thickness (2-D: a line).", ROWS(sheet_rows), .check = dlp_check_sheet};
static const dlp_record mesh_record = {.title = "SHAPE.mesh", "A triangle mesh from a file.",
    ROWS(mesh_rows)};
static const dlp_record height_record = {.title = "SHAPE.height", "A height field: solid below it.",
    ROWS(height_rows), .check = dlp_check_height};
static const dlp_record copies_record = {.title = "SHAPE.copies", "An array of copies of the shape.",
    ROWS(copies_rows), .check = dlp_check_copies};
static const dlp_record shape_record;

#define PRIMITIVE(name, kind, record_of, about)                                                              \
    {.key = name, RECORD, CHOICE, 0, NONE, NULL, about, .record = &record_of, .choice = kind}
#define COMBINED(name, kind, about)                                                                          \
    {.key = name, LIST, CHOICE, AT(children), NONE, NULL, about, .record = &shape_record,                    \
     .count_offset = AT(child_count), .choice = kind}
static const dlp_row shape_rows[] = {
    PRIMITIVE("box", DLP_SHAPE_BOX, box_record, "a box along the axes"),
    PRIMITIVE("sphere", DLP_SHAPE_SPHERE, sphere_record, "a ball (2-D: a disc)"),
    PRIMITIVE("cylinder", DLP_SHAPE_CYLINDER, cylinder_record, "flat ends"),
    PRIMITIVE("capsule", DLP_SHAPE_CAPSULE, capsule_record, "round ends"),
    PRIMITIVE("torus", DLP_SHAPE_TORUS, torus_record, "a ring"),
    PRIMITIVE("cone", DLP_SHAPE_CONE, cone_record, "a cone or a part of one"),
    PRIMITIVE("sheet", DLP_SHAPE_SHEET, sheet_record, "a flat rectangle"),
    PRIMITIVE("mesh", DLP_SHAPE_MESH, mesh_record, "triangles from a file"),
    PRIMITIVE("height", DLP_SHAPE_HEIGHT, height_record, "a height field"),
    COMBINED("union", DLP_SHAPE_UNION, "all of these shapes together"),
    COMBINED("difference", DLP_SHAPE_DIFFERENCE, "the first shape less the others"),
    COMBINED("intersection", DLP_SHAPE_INTERSECTION, "what all of these shapes share"),
    {.key = "translate", VECTOR, 0, AT(translate), "m", ANY, NULL, "moves the shape"},
    {.key = "rotate", VECTOR, TURN | THREE, AT(rotate), "degrees", ANY, NULL,
     "turns it about x, then y, then z, before it is moved"},
    {.key = "scale", NUMBER, ABOVE, AT(scale), "", FROM(0), NULL,
     "makes it larger or smaller, before it is turned"},
    {.key = "copies", RECORD, OPTIONAL, 0, NONE, NULL, "an array of copies", .record = &copies_record}};
static const dlp_record shape_record = {.title = "SHAPE",
    "What a substance fills, what an obstacle or a sink is: exactly one of the shapes, and beside it what "
    "moves it.",
    ROWS(shape_rows), .size = sizeof(dlp_shape_def), .choice = "shape", .choice_offset = AT(kind),
    .check = dlp_check_shape};
#undef AT

#define AT(field) offsetof(dlp_substance_def, field)
#define IN(field) offsetof(dlp_inputs, field)
static const dlp_row viscosity_rows[] = {
    {.key = "alpha", NUMBER, ANIMATED, AT(alpha), "", FROM(0), "0.5, 0 with a viscosity", "linear part: damps ringing",
     .derive = dlp_derive_alpha},
    {.key = "beta", NUMBER, ANIMATED, AT(beta), "", FROM(0), "0", "quadratic part: against shocks"}};
static const dlp_record viscosity_record = {.title = "substances.NAME.artificial_viscosity",
    "Damping of the numerical kind, beside the real viscosity.", ROWS(viscosity_rows)};

static const dlp_row particle_rows[] = {
    {.key = "spacing", NUMBER, INPUT | HIDDEN | ABOVE, IN(spacing), "m", FROM(0), NULL,
     "edge of the cube (2-D: square) that belongs to one particle; instead of `radius`"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(particle_radius), "m", FROM(0), NULL,
     "finest size: radius of a sphere (2-D: disc) of the particle's rest volume; or give `spacing`",
     .derive = dlp_derive_radius},
    {.key = "smoothing", NUMBER, 0, AT(smoothing), "", 0.8, 4, "1.35, in 2-D 1.6", "smoothing length in spacings",
     .derive = dlp_derive_smoothing, OF_SPH},
    {.key = "jitter", NUMBER, 0, AT(jitter), "", 0, 0.5, "0", "disorder of the start, in spacings", OF_SPH},
    {.key = "lattice", WORD, 0, AT(lattice), NONE, "hexagonal", "how the particles start",
     .words = lattices, OF_SPH}};
static const dlp_record particle_record = {.title = "substances.NAME.particle", "The particles.",
    ROWS(particle_rows), .check = dlp_check_particle};

static const dlp_row adapt_rows[] = {
    {.key = "space", SWITCH, 0, AT(adapt_space), NONE, "false", "split and merge particles", OF_SPH},
    {.key = "time", SWITCH, 0, AT(adapt_time), NONE, "false", "give every particle a time step of its own", OF_SPH},
    {.key = "restraint", SWITCH, 0, AT(adapt_restraint), NONE, "false",
     "hold particles that hardly move: they cost next to nothing"},
    {.key = "accuracy", NUMBER, 0, AT(adapt_accuracy), "", 0, 1, "0.5", "0 is fast, 1 is accurate", OF_SPH},
    {.key = "levels", INTEGER, 0, AT(adapt_levels), "", 0, 3, "1",
     "how often particles may merge; each time their size doubles", OF_SPH},
    {.key = "criterion", WORD, 0, AT(adapt_criterion), NONE, "velocity",
     "what splits particles: gradients of velocity or pressure, or the source's jumps of density",
     .words = criteria, OF_SPH}};
static const dlp_record adapt_record = {.title = "substances.NAME.adapt", "Where the work goes.",
    ROWS(adapt_rows)};

static const dlp_row restraint_rows[] = {
    {.key = "form", WORD, 0, AT(restraint.form), NONE, "convex",
     "passage from rest to motion; energy and momentum are the source's printed forms, which overshoot",
     .words = restraint_forms},
    {.key = "rest", NUMBER, 0, AT(restraint.rest), "m/s", FROM(0), "0",
     "slower particles are held; 0: derived from gravity and the particles' size, or from `error`"},
    {.key = "full", NUMBER, 0, AT(restraint.full), "m/s", FROM(0), "0",
     "faster particles are free; 0: 4.47 times `rest`"},
    {.key = "tolerance", NUMBER, 0, AT(restraint.tolerance), "m/s", FROM(0), "0",
     "what moves slower than this does not move; 0: a fifth of `rest`, for cloth a hundredth"},
    {.key = "friction", NUMBER, 0, AT(restraint.friction), "", 0, 1, "0",
     "acceleration that held particles withstand once they are calm, in gravities; 0: 0.005, for cloth 0.003"},
    {.key = "error", NUMBER, 0, AT(restraint.error), "particle radii", FROM(0), "0",
     "allowed drift of positions at rest, from which thresholds that are not given follow; 0: 0.2, for cloth the "
     "usual thresholds"},
    {.key = "view", SWITCH, 0, AT(restraint.view), NONE, "false",
     "thresholds grow with the distance from the camera, and for what it cannot see", OF_SPH}};
static const dlp_record restraint_record = {.title = "substances.NAME.restraint",
    "When particles are held still; acts with `adapt.restraint`.", ROWS(restraint_rows),
    .check = dlp_check_restraint};

static const dlp_row points_rows[] = {
    {.key = "file", FILE_NAME, REQUIRED, AT(points_file), NONE, NULL,
     "positions, and velocities if there are any: .vtp or .ply"}};
static const dlp_record points_record = {.title = "substances.NAME.points",
    "Particles from a file instead of a shape.", ROWS(points_rows)};

static const dlp_row spin_rows[] = {
    {.key = "center", VECTOR, 0, AT(spin_center), "m", ANY, "[0, 0, 0]", "a point of the axis"},
    {.key = "axis", VECTOR, INPUT | THREE | TURN, IN(spin_axis), "", ANY, "[0, 0, 1]",
     "direction of the axis; any length but 0"},
    {.key = "rate", NUMBER, INPUT | REQUIRED, IN(spin_rate), "rad/s", ANY, NULL, "how fast it turns"}};
static const dlp_record spin_record = {.title = "substances.NAME.velocity.spin", "Turning as a whole.",
    ROWS(spin_rows), .check = dlp_check_spin};

static const dlp_row field_rows[] = {
    {.key = "name", WORD, REQUIRED, AT(field), NONE, NULL, "which field", .words = velocity_fields},
    {.key = "amplitude", NUMBER, 0, AT(field_amplitude), "m/s or 1/s", ANY, "1",
     "largest velocity (m/s); stretch, shear: rate of strain (1/s)"},
    {.key = "length", NUMBER, ABOVE, AT(field_length), "m", FROM(0), "1", "period of taylor_green"}};
static const dlp_record field_record = {.title = "substances.NAME.velocity.field",
    "A named field of velocities.", ROWS(field_rows)};

static const dlp_row velocity_rows[] = {
    {.key = "uniform", VECTOR, PLANAR, AT(velocity), "m/s", ANY, "[0, 0, 0]", "the same for all particles"},
    {.key = "spin", RECORD, OPTIONAL, 0, NONE, NULL, "turning as a whole", .record = &spin_record},
    {.key = "field", RECORD, OPTIONAL, 0, NONE, NULL, "a named field", .record = &field_record, OF_SPH}};
static const dlp_record velocity_record = {.title = "substances.NAME.velocity",
    "How it moves at the start; the parts add up. A vector alone is `uniform`.", ROWS(velocity_rows),
    .shorthand = "uniform"};

static const dlp_row melting_rows[] = {
    {.key = "from", NUMBER, 0, AT(melting_from), "°C", FROM(COLDEST), NULL, "where it begins to melt"},
    {.key = "to", NUMBER, 0, AT(melting_to), "°C", FROM(COLDEST), NULL, "where all of it has melted"},
    {.key = "heat", NUMBER, 0, AT(melting_heat), "J/kg", FROM(0), NULL, "what melting takes; none: nothing"}};
static const dlp_record melting_record = {.title = "substances.NAME.melting",
    "Latent heat, spread evenly between two temperatures.", ROWS(melting_rows), .check = dlp_check_melting};

static const dlp_row stretch_rows[] = {
    {.key = "both", NUMBER, INPUT | HIDDEN | ABOVE, IN(stretch), "N/m", FROM(0), "2000",
     "along both threads; `stretch: 2000` alone means this"},
    {.key = "warp", NUMBER, ABOVE, AT(cloth.stretch_warp), "N/m", FROM(0), "as both",
     "along the first edge of a sheet, the x axis of a mesh", .derive = dlp_derive_stretch},
    {.key = "weft", NUMBER, ABOVE, AT(cloth.stretch_weft), "N/m", FROM(0), "as both", "across it",
     .derive = dlp_derive_stretch}};
static const dlp_record stretch_record = {.title = "substances.NAME.cloth.stretch",
    "Resistance against stretching: force a metre of width, over strain.", ROWS(stretch_rows),
    .shorthand = "both"};
static const dlp_row cloth_rows[] = {
    {.key = "weight", NUMBER, ABOVE, AT(cloth.weight), "kg/m2", FROM(0), "0.15", "of a square metre"},
    {.key = "thickness", NUMBER, ABOVE, AT(cloth.thickness), "m", FROM(0), "0.0005",
     "how close layers come to each other and to obstacles"},
    {.key = "width", NUMBER, ABOVE, AT(cloth.width), "m", FROM(0), "0.01", "of a rope: the strip it is made of"},
    {.key = "stretch", RECORD, 0, 0, NONE, NULL, "against stretching: a number, or warp and weft",
     .record = &stretch_record},
    {.key = "shear", NUMBER, 0, AT(cloth.shear), "N/m", FROM(0), "60",
     "against shearing: force a metre, over the angle between the threads"},
    {.key = "bend", NUMBER, 0, AT(cloth.bend), "N m", FROM(0), "1e-05",
     "against bending: moment a metre, over curvature"},
    {.key = "damping", NUMBER, ANIMATED, AT(cloth.damping), "1/s", FROM(0), "0.2", "of all motion: its rate of decay"},
    {.key = "inner_damping", NUMBER, ANIMATED, AT(cloth.inner_damping), "s", FROM(0), "0.005",
     "of deformation: by its stiffness, times this"},
    {.key = "tear", NUMBER, 0, AT(cloth.tear), "", FROM(0), "0", "strain at which it tears; 0: never"},
    {.key = "friction", NUMBER, ANIMATED, AT(cloth.friction), "", FROM(0), "0.3", "Coulomb friction with itself and other cloth"},
    {.key = "drag", NUMBER, ANIMATED, AT(cloth.drag), "", FROM(0), "1",
     "of the air across it: force = drag / 2 air_density area speed^2"},
    {.key = "self", SWITCH, 0, AT(cloth.meets_itself), NONE, "true", "it does not pass through itself"}};
static const dlp_record cloth_record = {.title = "substances.NAME.cloth",
    "A fabric, for `model: cloth`. The defaults are of medium cotton.", ROWS(cloth_rows)};

static const dlp_row substance_rows[] = {
    {.key = "material", MATERIAL, 0, AT(material), NONE, "\"\"",
     "a preset (see Materials); the other keys override it"},
    {.key = "model", WORD, DECIDES, AT(model), NONE, "sph", "how it is simulated: as smoothed particles, as cloth",
     .words = models, .missing = ~(MODEL(SPH) | MODEL(CLOTH))},
    {.key = "density", NUMBER, ABOVE, AT(density), "kg/m3", FROM(0), "1000", "density at rest", OF_SPH},
    {.key = "viscosity", NUMBER, ANIMATED | CURVED, AT(viscosity), "Pa s", FROM(0), "0",
     "dynamic viscosity; the same at every resolution", OF_SPH},
    {.key = "artificial_viscosity", RECORD, 0, 0, NONE, NULL, "numerical damping",
     .record = &viscosity_record, OF_SPH},
    {.key = "state", WORD, 0, AT(state), NONE, "linear", "pressure from density", .words = states, OF_SPH},
    {.key = "stiffness", NUMBER, ANIMATED | CURVED, AT(stiffness), "m2/s2", FROM(0), "0",
     "of the state equation, the square of its speed of sound; 0: derived from the scene", OF_SPH},
    {.key = "gamma", NUMBER, 0, AT(gamma), "", FROM(1), "7", "exponent of `tait`", OF_SPH},
    {.key = "cohesion", NUMBER, ANIMATED, AT(cohesion), "", 0, 1, "1",
     "share of negative pressures that is kept", OF_SPH},
    {.key = "sound_speed", NUMBER, 0, AT(sound_speed), "m/s", FROM(0), "0",
     "of the artificial viscosity; 0: the state equation's", OF_SPH},
    {.key = "kernel", WORD, 0, AT(kernel), NONE, "desbrun",
     "smoothing kernel; the same for all substances of a scene", .words = kernels, OF_SPH},
    {.key = "density_from", WORD, 0, AT(density_from), NONE, "summation",
     "how density is found; the same for all substances of a scene", .words = density_sources, OF_SPH},
    {.key = "diffusion", NUMBER, 0, AT(diffusion), "", 0, 1, "0.1",
     "of the carried density; acts with `density_from: continuity` alone", OF_SPH},
    {.key = "temperature", NUMBER, 0, AT(temperature), "°C", FROM(COLDEST), NULL,
     "at the start; where any substance has one, heat flows, and the others start at `ambient`", OF_SPH},
    {.key = "conductivity", NUMBER, ANIMATED, AT(conductivity), "W/(m K)", FROM(0), "0.6", "for heat", OF_SPH},
    {.key = "heat_capacity", NUMBER, ABOVE, AT(heat_capacity), "J/(kg K)", FROM(0), "4180",
     "heat that warms a kilogram by a degree", OF_SPH},
    {.key = "cooling", NUMBER, ANIMATED, AT(cooling), "W/(m2 K)", FROM(0), "0",
     "heat lost through a free surface, a degree above `ambient`", OF_SPH},
    {.key = "melting", RECORD, 0, 0, NONE, NULL, "latent heat", .record = &melting_record, OF_SPH},
    {.key = "particle", RECORD, 0, 0, NONE, NULL, "the particles", .record = &particle_record},
    {.key = "adapt", RECORD, 0, 0, NONE, NULL, "where the work goes", .record = &adapt_record},
    {.key = "restraint", RECORD, 0, 0, NONE, NULL, "when particles are held still",
     .record = &restraint_record},
    {.key = "cloth", RECORD, 0, 0, NONE, NULL, "the fabric", .record = &cloth_record, OF_CLOTH},
    {.key = "shape", RECORD, OPTIONAL, AT(shape), NONE, NULL, "what it fills at the start",
     .record = &shape_record},
    {.key = "points", RECORD, OPTIONAL, 0, NONE, NULL, "particles from a file", .record = &points_record, OF_SPH},
    {.key = "velocity", RECORD, 0, 0, NONE, NULL, "how it moves at the start: a vector, or its parts",
     .record = &velocity_record},
    {.key = "color", VECTOR, THREE, AT(color), "", 0, 1, "the material's, else one of a palette",
     "red, green and blue in pictures", .derive = dlp_derive_color},
    {.key = "look", WORD, 0, AT(look), NONE, "the material's, else by its viscosity",
     "how light meets it in pictures", .words = looks, .derive = dlp_derive_look}};
static const dlp_record substance_record = {.title = "substances.NAME",
    "A substance: what it is made of, where it starts. It needs a shape, points, or an emitter that emits "
    "it.",
    ROWS(substance_rows), .size = sizeof(dlp_substance_def), .name_offset = AT(name),
    .check = dlp_check_substance, .is_substance = true};
#undef IN
#undef AT

#define AT(field) offsetof(dlp_obstacle_def, field)
static const dlp_row obstacle_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "obstacle0, obstacle1, ...", "for probes and messages; unique",
     .derive = dlp_derive_name},
    {.key = NULL, INCLUDE, 0, AT(shape), NONE, NULL, NULL, .record = &shape_record},
    {.key = "position", VECTOR, ANIMATED | PLANAR, AT(position), "m", ANY, "[0, 0, 0]",
     "moves the whole shape"},
    {.key = "rotation", VECTOR, ANIMATED | TURN | THREE, AT(rotation), "degrees", ANY, "[0, 0, 0]",
     "turns it about x, then y, then z, about the pivot"},
    {.key = "pivot", VECTOR, PLANAR, AT(pivot), "m", ANY, "[0, 0, 0]",
     "what the rotation turns about, before the shape is moved"},
    {.key = "friction", NUMBER, ANIMATED, AT(friction), "", FROM(0), "0.2", "Coulomb friction of a contact"},
    {.key = "restitution", NUMBER, ANIMATED, AT(restitution), "", 0, 1, "0",
     "share of the speed that is left after a hit"},
    {.key = "stick", NUMBER, ANIMATED, AT(stick), "", 0, 1, "1",
     "share of the substance's viscosity that acts on the wall; 1: no slip"},
    {.key = "temperature", NUMBER, ANIMATED, AT(temperature), "°C", FROM(COLDEST), NULL,
     "of its surface; without one no heat passes"}};
static const dlp_record obstacle_record = {.title = "obstacles[N]",
    "An obstacle: a shape (see SHAPE; its keys stand here), still or moving.", ROWS(obstacle_rows),
    .size = sizeof(dlp_obstacle_def), .check = dlp_check_obstacle};
#undef AT

#define AT(field) offsetof(dlp_emitter_def, field)
static const dlp_row emitter_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "emitter0, emitter1, ...", "for messages; unique",
     .derive = dlp_derive_name},
    {.key = "substance", NAME, REQUIRED, AT(substance), NONE, NULL, "what it emits: the name of a substance"},
    {.key = "position", VECTOR, ANIMATED | REQUIRED | PLANAR, AT(position), "m", ANY, NULL,
     "centre of the mouth"},
    {.key = "direction", VECTOR, ANIMATED | PLANAR, AT(direction), "", ANY, "[0, 0, -1], in 2-D [0, -1]",
     "where it points; any length but 0", .derive = dlp_derive_down},
    {.key = "radius", NUMBER, ABOVE, AT(radius), "m", FROM(0), NULL,
     "of a round mouth (2-D: half its width); or give `size`"},
    {.key = "size", PAIR, ABOVE, AT(width), "m", FROM(0), NULL, "width and height of a rectangular mouth"},
    {.key = "speed", NUMBER, ANIMATED | REQUIRED, AT(speed), "m/s", FROM(0), NULL,
     "of what comes out; 0 closes it"},
    {.key = "start", NUMBER, 0, AT(start), "s", FROM(0), "0", "when it opens"},
    {.key = "stop", NUMBER, 0, AT(stop), "s", FROM(0), "1e30", "when it closes"},
    {.key = "limit", INTEGER, 0, AT(limit), "", FROM(0), "0", "of particles; 0 for none"},
    {.key = "temperature", NUMBER, ANIMATED, AT(temperature), "°C", FROM(COLDEST), NULL,
     "of what comes out; without one the substance's"}};
static const dlp_record emitter_record = {.title = "emitters[N]",
    "An emitter: a mouth out of which a substance flows.", ROWS(emitter_rows),
    .size = sizeof(dlp_emitter_def), .check = dlp_check_emitter};
#undef AT

#define AT(field) offsetof(dlp_sink_def, field)
static const dlp_row sink_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "sink0, sink1, ...", "for messages; unique",
     .derive = dlp_derive_name},
    {.key = NULL, INCLUDE, 0, AT(shape), NONE, NULL, NULL, .record = &shape_record},
    {.key = "start", NUMBER, 0, AT(start), "s", FROM(0), "0", "when it begins to take"},
    {.key = "stop", NUMBER, 0, AT(stop), "s", FROM(0), "1e30", "when it ends"}};
static const dlp_record sink_record = {.title = "sinks[N]",
    "A sink: particles inside its shape (see SHAPE; its keys stand here) are removed.", ROWS(sink_rows),
    .size = sizeof(dlp_sink_def), .check = dlp_check_sink};
#undef AT

#define AT(field) offsetof(dlp_attachment_def, field)
static const dlp_row attachment_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "attachment0, attachment1, ...", "for messages; unique",
     .derive = dlp_derive_name},
    {.key = "substance", NAME, REQUIRED, AT(substance), NONE, NULL, "what is held: the name of a cloth"},
    {.key = NULL, INCLUDE, 0, AT(shape), NONE, NULL, NULL, .record = &shape_record},
    {.key = "body", NAME, 0, AT(body), NONE, NULL, "the name of an obstacle whose motion it follows"},
    {.key = "position", VECTOR, ANIMATED, AT(position), "m", ANY, "[0, 0, 0]", "moves what is held"},
    {.key = "rotation", VECTOR, ANIMATED | THREE, AT(rotation), "degrees", ANY, "[0, 0, 0]",
     "turns it about x, then y, then z, about the pivot"},
    {.key = "pivot", VECTOR, 0, AT(pivot), "m", ANY, "[0, 0, 0]",
     "what the rotation turns about, before it is moved"},
    {.key = "start", NUMBER, 0, AT(start), "s", FROM(0), "0", "when it begins to hold"},
    {.key = "stop", NUMBER, 0, AT(stop), "s", FROM(0), "1e30", "when it lets go"},
    {.key = "mass", NUMBER, 0, AT(mass), "kg", FROM(0), "0",
     "added to the particles, shared among them; with `hold: false` a load that hangs there"},
    {.key = "hold", SWITCH, 0, AT(hold), NONE, "true", "whether the particles are held"}};
static const dlp_record attachment_record = {.title = "attachments[N]",
    "An attachment: the particles of a cloth that start inside its shape (see SHAPE; its keys stand here) are "
    "held still, moved along key frames, or tied to an obstacle.",
    ROWS(attachment_rows), .size = sizeof(dlp_attachment_def), .check = dlp_check_attachment};
#undef AT

#define AT(field) offsetof(dlp_probe_def, field)
static const dlp_row line_rows[] = {
    {.key = "from", VECTOR, REQUIRED, AT(from), "m", ANY, NULL, "start of the line, below the surface"},
    {.key = "to", VECTOR, REQUIRED, AT(to), "m", ANY, NULL, "its end"}};
static const dlp_row plane_rows[] = {
    {.key = "point", VECTOR, REQUIRED, AT(point), "m", ANY, NULL, "a point of the plane"},
    {.key = "normal", VECTOR, REQUIRED | PLANAR, AT(normal), "", ANY, NULL,
     "what crosses it this way counts as positive"},
    {.key = "radius", NUMBER, 0, AT(radius), "m", FROM(0), "0",
     "limits it to a disc about the point; 0: endless"}};
static const dlp_record line_record = {.title = "probes.NAME.line",
    "A line along which the surface's height is measured.", ROWS(line_rows), .check = dlp_check_line};
static const dlp_record plane_record = {.title = "probes.NAME.plane",
    "A plane through which the flow is measured.", ROWS(plane_rows), .check = dlp_check_plane};
static const dlp_row probe_rows[] = {
    {.key = "point", VECTOR, CHOICE, AT(point), "m", ANY, NULL,
     "a place: measures pressure, density, velocity or temperature", .choice = DLP_PROBE_POINT},
    {.key = "line", RECORD, CHOICE, 0, NONE, NULL, "a line: measures height", .record = &line_record,
     .choice = DLP_PROBE_LINE},
    {.key = "plane", RECORD, CHOICE, 0, NONE, NULL, "a plane: measures flux", .record = &plane_record,
     .choice = DLP_PROBE_PLANE},
    {.key = "body", NAME, CHOICE, AT(body), NONE, NULL, "the name of an obstacle: measures force",
     .choice = DLP_PROBE_BODY},
    {.key = "measure", WORD, 0, AT(measure), NONE, "what fits the place", "what it measures",
     .words = measures, .derive = dlp_derive_measure}};
static const dlp_record probe_record = {.title = "probes.NAME",
    "A probe: what is measured where, every frame, into probes.csv. Exactly one place.", ROWS(probe_rows),
    .size = sizeof(dlp_probe_def), .name_offset = AT(name), .choice = "place", .choice_offset = AT(place),
    .check = dlp_check_probe};
#undef AT

#define AT(field) offsetof(dlp_scene_def, field)
static const dlp_row frames_rows[] = {
    {.key = "rate", NUMBER, ABOVE, AT(frame_rate), "1/s", FROM(0), "25", "frames a second"},
    {.key = "count", INTEGER, 0, AT(frame_count), "", FROM(0), "100", "frames after the start"}};
static const dlp_row domain_rows[] = {
    {.key = "min", VECTOR, REQUIRED, AT(domain.min), "m", ANY, NULL, "lower corner"},
    {.key = "max", VECTOR, REQUIRED, AT(domain.max), "m", ANY, NULL, "upper corner"}};
static const dlp_row time_rows[] = {
    {.key = "courant", NUMBER, ABOVE, AT(courant), "", 0, 1, "0.3", "share of the stable step that is taken"},
    {.key = "step", NUMBER, 0, AT(step), "s", FROM(0), "0", "a fixed step; 0: adaptive"},
    {.key = "ratio", INTEGER, 0, AT(step_ratio), "", 1, 1024, "4",
     "largest ratio of neighbours' steps, a power of two"}};
static const dlp_row record_rows[] = {
    {.key = "particles", SWITCH, 0, AT(record.particles), NONE, "true", "write particles/NNNN.vtp"},
    {.key = "every", INTEGER, 0, AT(record.every), "frames", FROM(1), "1", "between two of them"},
    {.key = "checkpoint", INTEGER, 0, AT(record.checkpoint), "frames", FROM(0), "1",
     "between checkpoints; 0: only at the end"},
    {.key = "preview", SWITCH, 0, AT(record.preview), NONE, "true", "write preview.png"},
    {.key = "contour", SWITCH, 0, AT(record.contour), NONE, "true",
     "2-D: write the line of equal density and its area"},
    {.key = "iso", NUMBER, ABOVE, AT(record.iso), "", 0, 1, "0.5", "of that line, in rest densities"}};
static const dlp_row surface_rows[] = {
    {.key = "kind", WORD, 0, AT(surface.kind), NONE, "active, in 2-D none",
     "iso: where the density of the particles has one value; active: moves with the matter, is smooth and hides when "
     "particles split and merge; anisotropic: kernels stretched along the surface, for thin sheets; none: no meshes",
     .words = surface_kinds, .derive = dlp_derive_surface_kind},
    {.key = "cell", NUMBER, 0, AT(surface.cell), "m", FROM(0), "0",
     "of the grid it is made on; 0: half the finest spacing of each substance"},
    {.key = "iso", NUMBER, 0, AT(surface.iso), "", 0, 1, "0",
     "of the density, which is 1 inside; 0: 0.6, which keeps the volume of compact bodies"},
    {.key = "memory", NUMBER, 0, AT(surface.memory), "frames", 0, 100, "4",
     "active: within which it follows a jump of the particles; 0: at once"},
    {.key = "smoothing", NUMBER, 0, AT(surface.smoothing), "spacings", 0, 4, "0.5 for water to 1 for honey",
     "active: bumps smaller than this are flattened", .derive = dlp_derive_surface_smoothing},
    {.key = "volume", NUMBER, 0, AT(surface.volume), "", 0, 1, "0.25",
     "active: share of an error in volume that is made good in a frame; 0: none"},
    {.key = "blend", SWITCH, 0, AT(surface.blend), NONE, "false",
     "one surface around all substances together, coloured at its vertices, instead of one a substance"},
    {.key = "retroaction", SWITCH, 0, AT(surface.retroaction), NONE, "false",
     "active: where the surface enters an obstacle it pushes the particles next to it back"},
    {.key = "color", SWITCH, 0, AT(surface.color), NONE, "false",
     "write the substances' colours at the vertices"},
    {.key = "field", SWITCH, 0, AT(surface.field), NONE, "false", "write the field as .vdb beside each mesh"},
    {.key = "format", WORD, 0, AT(surface.format), NONE, "ply", "of the meshes", .words = surface_formats}};
static const dlp_row camera_rows[] = {
    {.key = "from", VECTOR, ANIMATED | THREE, AT(camera.from), "m", ANY, NULL,
     "where the eye stands; by itself where everything is seen"},
    {.key = "to", VECTOR, ANIMATED | THREE, AT(camera.to), "m", ANY, NULL,
     "what it looks at; by itself the middle of all that happens"},
    {.key = "up", VECTOR, THREE, AT(camera.up), "", ANY, NULL,
     "what is upward in the picture, any length but 0; by itself against gravity"},
    {.key = "angle", NUMBER, ANIMATED, AT(camera.angle), "degrees", 1, 150, "28",
     "of view, across the picture's shorter side"}};
static const dlp_row sun_rows[] = {
    {.key = "direction", VECTOR, THREE, AT(render.sun), "", ANY, NULL,
     "toward it, any length but 0; by itself from the left, behind the camera"},
    {.key = "strength", NUMBER, 0, AT(render.sun_strength), "", 0, 100, "1",
     "1 is a clear day, 0 an overcast one"}};
static const dlp_record sun_record = {.title = "render.sun", "The sun of a picture.", ROWS(sun_rows),
    .check = dlp_check_sun};
static const dlp_row render_rows[] = {
    {.key = "width", INTEGER, 0, AT(render.width), "pixels", 16, 16384, "1280", "of a picture"},
    {.key = "height", INTEGER, 0, AT(render.height), "pixels", 16, 16384, "800", "of a picture"},
    {.key = "samples", INTEGER, 0, AT(render.samples), "", 1, 1024, "32",
     "rays a pixel: more are calmer and take longer"},
    {.key = "denoise", SWITCH, 0, AT(render.denoise), NONE, "true", "smooths what few rays leave uneven"},
    {.key = "ground", WORD, 0, AT(render.ground), NONE, "auto",
     "a floor that catches shadows; auto: where there is gravity", .words = grounds},
    {.key = "sun", RECORD, 0, 0, NONE, NULL, "the sun", .record = &sun_record},
    {.key = "sky", VECTOR, THREE, AT(render.sky), "", 0, 1, "[0.6, 0.74, 0.92]",
     "red, green and blue overhead"}};
static const dlp_record camera_record = {.title = "camera",
    "Where pictures are taken from (`dollop render`).", ROWS(camera_rows), .check = dlp_check_camera};
static const dlp_record render_record = {.title = "render", "What pictures are like (`dollop render`).",
    ROWS(render_rows), .check = dlp_check_render};
static const dlp_record frames_record = {.title = "frames", "The frames.", ROWS(frames_rows)};
static const dlp_record domain_record = {.title = "domain", "The box that periodic axes wrap around.",
    ROWS(domain_rows), .check = dlp_check_domain};
static const dlp_record time_record = {.title = "time", "The time step.", ROWS(time_rows),
    .check = dlp_check_time};
static const dlp_record surface_record = {.title = "surface", "The surface of the substances, as a mesh a frame.",
    ROWS(surface_rows), .check = dlp_check_surface};
static const dlp_record record_record = {.title = "record", "What is written, and how often.",
    ROWS(record_rows)};

static const dlp_row scene_rows[] = {
    {.key = "version", INTEGER, 0, AT(version), "", 1, DLP_SCENE_VERSION, "1", "of the scene's language"},
    {.key = "title", TEXT, 0, AT(title), NONE, "\"\"", "one line about the scene"},
    {.key = "dimension", INTEGER, 0, AT(dimension), "", 2, 3, "3", "2 for a scene in the plane z = 0"},
    {.key = "frames", RECORD, 0, 0, NONE, NULL, "how many pictures, how fast", .record = &frames_record},
    {.key = "gravity", VECTOR, ANIMATED | PLANAR, AT(gravity), "m/s2", ANY,
     "[0, 0, -9.81], in 2-D [0, -9.81]", "acceleration of everything", .derive = dlp_derive_gravity},
    {.key = "ambient", NUMBER, ANIMATED, AT(ambient), "°C", FROM(COLDEST), "20",
     "temperature of the air around, to which free surfaces cool"},
    {.key = "wind", VECTOR, ANIMATED | PLANAR, AT(wind), "m/s", ANY, "[0, 0, 0]", "velocity of the air, which moves cloth"},
    {.key = "air_density", NUMBER, ANIMATED, AT(air_density), "kg/m3", FROM(0), "1.2", "of that air"},
    {.key = "periodic", AXES, 0, AT(periodic), NONE, "[]", "axes that wrap around: a list of x, y, z"},
    {.key = "domain", RECORD, OPTIONAL, 0, NONE, NULL, "the box that periodic axes wrap around",
     .record = &domain_record},
    {.key = "time", RECORD, 0, 0, NONE, NULL, "the time step", .record = &time_record},
    {.key = "substances", MAP, 0, AT(substances), NONE, NULL, "what moves, by name",
     .record = &substance_record, .count_offset = AT(substance_count)},
    {.key = "obstacles", LIST, 0, AT(obstacles), NONE, NULL, "what is in its way",
     .record = &obstacle_record, .count_offset = AT(obstacle_count)},
    {.key = "emitters", LIST, 0, AT(emitters), NONE, NULL, "where it flows in", .record = &emitter_record,
     .count_offset = AT(emitter_count)},
    {.key = "sinks", LIST, 0, AT(sinks), NONE, NULL, "where it vanishes", .record = &sink_record,
     .count_offset = AT(sink_count)},
    {.key = "attachments", LIST, 0, AT(attachments), NONE, NULL, "where cloth is held",
     .record = &attachment_record, .count_offset = AT(attachment_count)},
    {.key = "probes", MAP, 0, AT(probes), NONE, NULL, "what is measured, by name", .record = &probe_record,
     .count_offset = AT(probe_count)},
    {.key = "surface", RECORD, 0, 0, NONE, NULL, "the mesh around the substances", .record = &surface_record},
    {.key = "record", RECORD, 0, 0, NONE, NULL, "what is written", .record = &record_record},
    {.key = "camera", RECORD, 0, 0, NONE, NULL, "where pictures are taken from", .record = &camera_record},
    {.key = "render", RECORD, 0, 0, NONE, NULL, "what pictures are like", .record = &render_record}};
static const dlp_record scene_record = {.title = "scene", "The top of the file.", ROWS(scene_rows)};
#undef AT
// clang-format on

const dlp_record *dlp_table_root(void)
{
    return &scene_record;
}

const dlp_record *const *dlp_table_records(void)
{
    static const dlp_record *const records[] = {&scene_record,
                                                &frames_record,
                                                &domain_record,
                                                &time_record,
                                                &substance_record,
                                                &viscosity_record,
                                                &particle_record,
                                                &adapt_record,
                                                &restraint_record,
                                                &cloth_record,
                                                &stretch_record,
                                                &melting_record,
                                                &points_record,
                                                &velocity_record,
                                                &spin_record,
                                                &field_record,
                                                &obstacle_record,
                                                &emitter_record,
                                                &sink_record,
                                                &attachment_record,
                                                &probe_record,
                                                &line_record,
                                                &plane_record,
                                                &surface_record,
                                                &record_record,
                                                &camera_record,
                                                &render_record,
                                                &sun_record,
                                                &shape_record,
                                                &box_record,
                                                &sphere_record,
                                                &cylinder_record,
                                                &capsule_record,
                                                &torus_record,
                                                &cone_record,
                                                &sheet_record,
                                                &mesh_record,
                                                &height_record,
                                                &copies_record,
                                                NULL};
    return records;
}

const dlp_row *dlp_record_find(const dlp_record *record, const char *key)
{
    for (int32_t k = 0; k < record->row_count; k++) {
        const dlp_row *row = &record->rows[k];
        if (row->type == DLP_ROW_INCLUDE) {
            const dlp_row *included = dlp_record_find(row->record, key);
            if (included != NULL) return included;
        } else if (strcmp(row->key, key) == 0) {
            return row;
        }
    }
    return NULL;
}

void dlp_record_offer_keys(const dlp_record *record, dlp_nearest *nearest)
{
    for (int32_t k = 0; k < record->row_count; k++) {
        const dlp_row *row = &record->rows[k];
        if (row->type == DLP_ROW_INCLUDE)
            dlp_record_offer_keys(row->record, nearest);
        else
            dlp_nearest_offer(nearest, row->key);
    }
}
