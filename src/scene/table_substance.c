/* The rows of substances. The material stands first, since presets replace the defaults of all rows after it;
 * then the model, which decides which of these there are. */
#include "scene/table_rows.h"

// Words stand in the order of their enum.
static const char *const models[] = {"sph", "solid", "cloth", "rigid", "flip", "gas", NULL};

const char *dlp_model_word(dlp_model model)
{
    return models[model];
}
static const char *const kernels[] = {"desbrun", "spline", "wendland", "muller", NULL};
static const char *const pressures[] = {"eos", "dfsph", "iisph", NULL};
static const char *const viscosity_steps[] = {"chosen", "explicit", "implicit", NULL};
static const char *const states[] = {"linear", "tait", "ideal", NULL};
static const char *const criteria[] = {"velocity", "pressure", "both", "density", NULL};
static const char *const restraint_forms[] = {"convex", "energy", "momentum", NULL};
static const char *const density_sources[] = {"summation", "continuity", NULL};
static const char *const looks[] = {"matte", "glossy", "glass", "wax", NULL};
static const char *const lattices[] = {"hexagonal", "cubic", "blue_noise", NULL};
static const char *const elastic_laws[] = {"neo_hookean", "stvk", "corotated", NULL};
static const char *const constraints[] = {"block", "scalar", "energy", NULL};
static const char *const integrators[] = {"bdf2", "euler", NULL};
static const char *const velocity_fields[] = {"none", "taylor_green", "stretch", "shear", NULL};

// A row is a line or two, whatever the formatter would make of it.
// clang-format off
// AT is the offset of a field in the record, IN that in dlp_inputs (table.h), whose values have no field of their own.
#define AT(field) offsetof(dlp_fiber_def, field)
static const dlp_schema_row fiber_rows[] = {
    {.key = "direction", VECTOR, REQUIRED | THREE, AT(direction), "", ANY, NULL,
     "along which they lie at the start; any length but 0"},
    {.key = "modulus", NUMBER, REQUIRED | ABOVE, AT(modulus), "Pa", FROM(0), NULL,
     "what they add to Young's modulus in that direction"}};
static const dlp_schema fiber_schema = {.title = "substances.NAME.solid.fibers[N]",
    "Fibres, which make the body stiffer along one direction.", ROWS(fiber_rows), .size = sizeof(dlp_fiber_def),
    .check = dlp_check_fiber};
#undef AT

#define AT(field) offsetof(dlp_substance_def, field)
#define IN(field) offsetof(dlp_inputs, field)
static const dlp_schema_row viscosity_rows[] = {
    {.key = "alpha", NUMBER, ANIMATED, AT(alpha), "", FROM(-1), "0.5, with a viscosity -1",
     "linear part: damps ringing; -1: what the viscosity lacks of 0.05, which is 0 where it damps as much itself",
     .derive = dlp_derive_alpha},
    {.key = "beta", NUMBER, ANIMATED, AT(beta), "", FROM(0), "0", "quadratic part: against shocks"}};
static const dlp_schema viscosity_schema = {.title = "substances.NAME.artificial_viscosity",
    "Damping of the numerical kind, beside the real viscosity. Acts with `pressure: eos` alone.", ROWS(viscosity_rows)};

// The spacing is an input: the radius is derived from it where it is not given, and stands after it.
static const dlp_schema_row particle_rows[] = {
    {.key = "spacing", NUMBER, INPUT | HIDDEN | ABOVE, IN(spacing), "m", FROM(0), NULL,
     "edge of the cube (2-D: square) that belongs to one particle; instead of `radius`"},
    {.key = "radius", NUMBER, REQUIRED | ABOVE, AT(particle_radius), "m", FROM(0), NULL,
     "finest size: radius of a sphere (2-D: disc) of the particle's rest volume; or give `spacing`",
     .derive = dlp_derive_radius},
    {.key = "smoothing", NUMBER, 0, AT(smoothing), "", 0.8, 4, "1.35, in 2-D 1.6", "smoothing length in spacings",
     .derive = dlp_derive_smoothing, OF_SPH},
    {.key = "jitter", NUMBER, 0, AT(jitter), "", 0, 0.5, "0", "disorder of the start, in spacings", OF_FILLED},
    {.key = "lattice", WORD, 0, AT(lattice), NONE, "hexagonal, of solids cubic", "how the particles start",
     .words = lattices, .derive = dlp_derive_lattice, OF_FILLED}};
static const dlp_schema particle_schema = {.title = "substances.NAME.particle", "The particles.",
    ROWS(particle_rows), .check = dlp_check_particle};

static const dlp_schema_row adapt_rows[] = {
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
static const dlp_schema adapt_schema = {.title = "substances.NAME.adapt", "Where computing time is spent.",
    ROWS(adapt_rows)};

// 0 means derived by the solver, which knows gravity and the particles.
static const dlp_schema_row restraint_rows[] = {
    {.key = "form", WORD, 0, AT(restraint.form), NONE, "convex",
     "passage from rest to motion; energy and momentum are the paper's forms, which overshoot",
     .words = restraint_forms},
    {.key = "rest", NUMBER, 0, AT(restraint.rest), "m/s", FROM(0), "0",
     "slower particles are held; 0: derived from gravity and the particles' size, or from `error`"},
    {.key = "full", NUMBER, 0, AT(restraint.full), "m/s", FROM(0), "0",
     "faster particles are free; 0: 4.47 times `rest`"},
    {.key = "tolerance", NUMBER, 0, AT(restraint.tolerance), "m/s", FROM(0), "0",
     "slower particles count as still; 0: a fifth of `rest`, for cloth a hundredth"},
    {.key = "friction", NUMBER, 0, AT(restraint.friction), "", 0, 1, "0",
     "acceleration that held particles withstand once they are at rest, in gravities; 0: 0.005, for cloth 0.003"},
    {.key = "error", NUMBER, 0, AT(restraint.error), "particle radii", FROM(0), "0",
     "allowed drift of positions at rest, from which thresholds that are not given follow; 0: 0.2, for cloth the "
     "usual thresholds"},
    {.key = "view", SWITCH, 0, AT(restraint.view), NONE, "false",
     "thresholds grow with the distance from the camera, and for what it cannot see", OF_SPH}};
static const dlp_schema restraint_schema = {.title = "substances.NAME.restraint",
    "When particles are held still; acts with `adapt.restraint`.", ROWS(restraint_rows),
    .check = dlp_check_restraint};

static const dlp_schema_row points_rows[] = {
    {.key = "file", FILE_NAME, REQUIRED, AT(points_file), NONE, NULL,
     "positions, and velocities if there are any: .vtp or .ply"}};
static const dlp_schema points_schema = {.title = "substances.NAME.points",
    "Particles from a file instead of a shape.", ROWS(points_rows)};

// Axis and rate become one vector (dlp_check_spin).
static const dlp_schema_row spin_rows[] = {
    {.key = "center", VECTOR, 0, AT(spin_center), "m", ANY, "[0, 0, 0]", "a point of the axis"},
    {.key = "axis", VECTOR, INPUT | THREE | TURN, IN(spin_axis), "", ANY, "[0, 0, 1]",
     "direction of the axis; any length but 0"},
    {.key = "rate", NUMBER, INPUT | REQUIRED, IN(spin_rate), "rad/s", -1e9, 1e9, NULL, "how fast it rotates"}};
static const dlp_schema spin_schema = {.title = "substances.NAME.velocity.spin", "Rotation as a whole.",
    ROWS(spin_rows), .check = dlp_check_spin};

static const dlp_schema_row field_rows[] = {
    {.key = "name", WORD, REQUIRED, AT(field), NONE, NULL, "which field", .words = velocity_fields},
    {.key = "amplitude", NUMBER, 0, AT(field_amplitude), "m/s or 1/s", ANY, "1",
     "largest velocity (m/s); stretch, shear: rate of strain (1/s)"},
    {.key = "length", NUMBER, ABOVE, AT(field_length), "m", FROM(0), "1", "period of taylor_green"}};
static const dlp_schema field_schema = {.title = "substances.NAME.velocity.field",
    "A named field of velocities.", ROWS(field_rows)};

static const dlp_schema_row velocity_rows[] = {
    {.key = "uniform", VECTOR, PLANAR, AT(velocity), "m/s", ANY, "[0, 0, 0]", "the same for all particles"},
    {.key = "spin", SCHEMA, OPTIONAL, 0, NONE, NULL, "rotation as a whole", .schema = &spin_schema},
    {.key = "field", SCHEMA, OPTIONAL, 0, NONE, NULL, "a named field", .schema = &field_schema, OF_SPH}};
static const dlp_schema velocity_schema = {.title = "substances.NAME.velocity",
    "How it moves at the start; the parts add up. A vector alone is `uniform`.", ROWS(velocity_rows),
    .shorthand = "uniform"};

static const dlp_schema_row melting_rows[] = {
    {.key = "from", NUMBER, 0, AT(melting_from), "°C", FROM(COLDEST), NULL, "where it begins to melt"},
    {.key = "to", NUMBER, 0, AT(melting_to), "°C", FROM(COLDEST), NULL, "where all of it has melted"},
    {.key = "heat", NUMBER, 0, AT(melting_heat), "J/kg", FROM(0), NULL, "what melting takes; none: nothing"}};
static const dlp_schema melting_schema = {.title = "substances.NAME.melting",
    "Latent heat, spread evenly between two temperatures.", ROWS(melting_rows), .check = dlp_check_melting};

// `both` is an input from which warp and weft are derived; it stands before them.
static const dlp_schema_row stretch_rows[] = {
    {.key = "both", NUMBER, INPUT | HIDDEN | ABOVE, IN(stretch), "N/m", FROM(0), "2000",
     "along both threads; `stretch: 2000` alone means this"},
    {.key = "warp", NUMBER, ABOVE, AT(cloth.stretch_warp), "N/m", FROM(0), "as both",
     "along the first edge of a sheet, the x axis of a mesh", .derive = dlp_derive_stretch},
    {.key = "weft", NUMBER, ABOVE, AT(cloth.stretch_weft), "N/m", FROM(0), "as both", "across it",
     .derive = dlp_derive_stretch}};
static const dlp_schema stretch_schema = {.title = "substances.NAME.cloth.stretch",
    "Resistance against stretching: force per metre of width, over strain.", ROWS(stretch_rows),
    .shorthand = "both"};
static const dlp_schema_row cloth_rows[] = {
    {.key = "weight", NUMBER, ABOVE, AT(cloth.weight), "kg/m2", FROM(0), "0.15", "of a square metre"},
    {.key = "thickness", NUMBER, ABOVE, AT(cloth.thickness), "m", FROM(0), "0.0005",
     "how close layers come to each other and to obstacles"},
    {.key = "width", NUMBER, ABOVE, AT(cloth.width), "m", FROM(0), "0.01", "of a rope: the strip it is made of"},
    {.key = "stretch", SCHEMA, 0, 0, NONE, NULL, "against stretching: a number, or warp and weft",
     .schema = &stretch_schema},
    {.key = "shear", NUMBER, 0, AT(cloth.shear), "N/m", FROM(0), "60",
     "against shearing: force per metre, over the angle between the threads"},
    {.key = "bend", NUMBER, 0, AT(cloth.bend), "N m", FROM(0), "1e-05",
     "against bending: moment per metre, over curvature"},
    {.key = "damping", NUMBER, ANIMATED, AT(cloth.damping), "1/s", FROM(0), "0.2", "of all motion: its rate of decay"},
    {.key = "inner_damping", NUMBER, ANIMATED, AT(cloth.inner_damping), "s", FROM(0), "0.005",
     "of deformation: by its stiffness, times this"},
    {.key = "tear", NUMBER, 0, AT(cloth.tear), "", FROM(0), "0", "strain at which it tears; 0: never"},
    {.key = "friction", NUMBER, ANIMATED, AT(cloth.friction), "", FROM(0), "0.3", "Coulomb friction with itself and other cloth"},
    {.key = "drag", NUMBER, ANIMATED, AT(cloth.drag), "", FROM(0), "1",
     "of the air across it: force = drag / 2 air_density area speed^2"},
    {.key = "self", SWITCH, 0, AT(cloth.meets_itself), NONE, "true", "it does not pass through itself"}};
static const dlp_schema cloth_schema = {.title = "substances.NAME.cloth",
    "A fabric, for `model: cloth`. The defaults are of medium cotton.", ROWS(cloth_rows)};

// Plasticity is off while yield is 0.
static const dlp_schema_row plasticity_rows[] = {
    {.key = "yield", NUMBER, 0, AT(solid.yield), "", 0, 10, "0",
     "strain above which it flows (of the logarithmic strain what does not change volume); 0: never"},
    {.key = "rate", NUMBER, ABOVE, AT(solid.flow), "1/s", FROM(0), "100",
     "of flow: what exceeds `yield` becomes permanent in about 1 / rate"},
    {.key = "limit", NUMBER, 0, AT(solid.plastic_limit), "", FROM(0), "0",
     "permanent strain that is not exceeded; 0: none"}};
static const dlp_schema plasticity_schema = {.title = "substances.NAME.solid.plasticity",
    "When a deformation becomes permanent.", ROWS(plasticity_rows), .check = dlp_check_plasticity};
// The defaults are of a soft rubber; 0 and -1 mean chosen by the solver.
static const dlp_schema_row solid_rows[] = {
    {.key = "law", WORD, 0, AT(solid.law), NONE, "neo_hookean", "stress from deformation", .words = elastic_laws},
    {.key = "youngs_modulus", NUMBER, ABOVE, AT(solid.youngs_modulus), "Pa", FROM(0), "100000",
     "stiffness: stress over strain of a pull"},
    {.key = "poisson_ratio", NUMBER, 0, AT(solid.poisson_ratio), "", -0.9, 0.495, "0.4",
     "how much thinner a pull makes it, over how much longer; 0.5 would keep its volume"},
    {.key = "fibers", LIST, 0, AT(solid.fibers), NONE, NULL, "at most 3 directions that are stiffer",
     .schema = &fiber_schema, .count_offset = AT(solid.fiber_count)},
    {.key = "plasticity", SCHEMA, 0, 0, NONE, NULL, "when a deformation becomes permanent", .schema = &plasticity_schema},
    {.key = "fracture", NUMBER, 0, AT(solid.fracture), "", FROM(0), "0",
     "strain of the link between two particles at which it breaks; 0: never"},
    {.key = "constraint", WORD, 0, AT(solid.constraint), NONE, "block",
     "what a sub-step solves: block, the stress; scalar, the root of the energy, which is quicker and softer; energy, the "
     "source's form, whose stiffness depends on the iterations", .words = constraints},
    {.key = "integrator", WORD, 0, AT(solid.integrator), NONE, "bdf2",
     "in time: bdf2 keeps spin and swing, euler damps them; the same for all solids", .words = integrators},
    {.key = "substeps", INTEGER, 0, AT(solid.substeps), "", 0, 1000000, "0",
     "per frame; 0: as many as the speed of its elastic waves needs"},
    {.key = "iterations", INTEGER, 0, AT(solid.iterations), "", 0, 1000, "0", "per sub-step; 0: chosen"},
    {.key = "support", NUMBER, 0, AT(solid.support), "spacings", 0, 4, "0",
     "distance up to which particles are neighbours at rest; 0: chosen"},
    {.key = "hourglass", NUMBER, 0, AT(solid.hourglass), "", -1, 10, "-1",
     "stiffness against what the deformation gradient does not see, in Young's moduli; -1: chosen, by Poisson's ratio"},
    {.key = "damping", NUMBER, ANIMATED, AT(solid.damping), "1/s", FROM(0), "0", "of all motion: its rate of decay"},
    {.key = "friction", NUMBER, ANIMATED, AT(solid.friction), "", FROM(0), "0.3",
     "Coulomb friction with itself and other solids; against an obstacle the obstacle's counts"},
    {.key = "self", SWITCH, 0, AT(solid.meets_itself), NONE, "true", "it does not pass through itself"},
    {.key = "squeeze", NUMBER, 0, AT(solid.squeeze), "", 0, 1, "0",
     "how much smaller it starts than it is at rest: 1 is crushed to a point, from which it recovers with `self: false`"}};
static const dlp_schema solid_schema = {.title = "substances.NAME.solid",
    "An elastic body, for `model: solid`. The defaults are of a soft rubber.", ROWS(solid_rows),
    .check = dlp_check_elastic};

// All groups but the shape store into the substance's own record: their offset is 0.
static const dlp_schema_row substance_rows[] = {
    {.key = "material", MATERIAL, 0, AT(material), NONE, "\"\"",
     "a preset (see Materials); the other keys override it"},
    {.key = "model", WORD, DECIDES, AT(model), NONE, "sph", "how it is simulated: as smoothed particles, as an elastic solid, as cloth",
     .words = models, .missing = ~(MODEL(SPH) | MODEL(SOLID) | MODEL(CLOTH))},
    {.key = "density", NUMBER, ABOVE, AT(density), "kg/m3", FROM(0), "1000", "density at rest", OF_FILLED},
    {.key = "viscosity", NUMBER, ANIMATED | CURVED, AT(viscosity), "Pa s", FROM(0), "0",
     "dynamic viscosity; the same at every resolution", OF_SPH},
    {.key = "viscosity_step", WORD, 0, AT(viscosity_step), NONE, "chosen",
     "implicit: solved for at the end of a step, stable at any viscosity and step; chosen: that with a solver of pressures "
     "where explicit steps would be shorter than those, else explicit; the same for all substances of a scene",
     .words = viscosity_steps, OF_SPH},
    {.key = "artificial_viscosity", SCHEMA, 0, 0, NONE, NULL, "numerical damping",
     .schema = &viscosity_schema, OF_SPH},
    {.key = "pressure", WORD, 0, AT(pressure), NONE, "eos",
     "what keeps the density: a state equation (eos), or a solver of pressures, whose steps are as long as motion allows: "
     "dfsph stops divergence, too, iisph does not; the same for all substances of a scene",
     .words = pressures, OF_SPH},
    {.key = "state", WORD, 0, AT(state), NONE, "linear", "pressure from density", .words = states, OF_SPH},
    {.key = "stiffness", NUMBER, ANIMATED | CURVED, AT(stiffness), "m2/s2", FROM(0), "0",
     "of the state equation, the square of its speed of sound; 0: derived from the scene", OF_SPH},
    {.key = "gamma", NUMBER, 0, AT(gamma), "", FROM(1), "7", "exponent of `tait`", OF_SPH},
    {.key = "density_from", WORD, 0, AT(density_from), NONE, "summation",
     "how density is found; the same for all substances of a scene", .words = density_sources, OF_SPH},
    {.key = "cohesion", NUMBER, ANIMATED, AT(cohesion), "", 0, 1, "0, with continuity 1",
     "share of negative pressures that is kept: sums are too small at a free surface, which then pulls like a skin",
     .derive = dlp_derive_cohesion, OF_SPH},
    {.key = "sound_speed", NUMBER, 0, AT(sound_speed), "m/s", FROM(0), "0",
     "of the artificial viscosity; 0: the state equation's", OF_SPH},
    {.key = "kernel", WORD, 0, AT(kernel), NONE, "desbrun",
     "smoothing kernel; the same for all substances of a scene", .words = kernels, OF_SPH},
    {.key = "diffusion", NUMBER, 0, AT(diffusion), "", 0, 1, "0.1",
     "of the carried density; acts with `density_from: continuity` alone", OF_SPH},
    {.key = "tensile_control", NUMBER, 0, AT(tensile_control), "", 0, 0.3, "0",
     "share of negative pressures that keeps near particles apart, so that what is pulled does not tear; acts with "
     "`density_from: continuity` alone", OF_SPH},
    {.key = "temperature", NUMBER, 0, AT(temperature), "°C", FROM(COLDEST), NULL,
     "at the start; where any substance has one, heat flows, and the others start at `ambient`", OF_SPH},
    {.key = "conductivity", NUMBER, ANIMATED, AT(conductivity), "W/(m K)", FROM(0), "0.6", "for heat", OF_SPH},
    {.key = "heat_capacity", NUMBER, ABOVE, AT(heat_capacity), "J/(kg K)", FROM(0), "4180",
     "heat that warms a kilogram by a degree", OF_SPH},
    {.key = "cooling", NUMBER, ANIMATED, AT(cooling), "W/(m2 K)", FROM(0), "0",
     "heat lost through a free surface, per degree above `ambient`", OF_SPH},
    {.key = "melting", SCHEMA, 0, 0, NONE, NULL, "latent heat", .schema = &melting_schema, OF_SPH},
    {.key = "particle", SCHEMA, 0, 0, NONE, NULL, "the particles", .schema = &particle_schema},
    {.key = "adapt", SCHEMA, 0, 0, NONE, NULL, "where computing time is spent", .schema = &adapt_schema, OF_HELD},
    {.key = "restraint", SCHEMA, 0, 0, NONE, NULL, "when particles are held still",
     .schema = &restraint_schema, OF_HELD},
    {.key = "cloth", SCHEMA, 0, 0, NONE, NULL, "the fabric", .schema = &cloth_schema, OF_CLOTH},
    {.key = "solid", SCHEMA, 0, 0, NONE, NULL, "the elastic body", .schema = &solid_schema, OF_SOLID},
    {.key = "shape", SCHEMA, OPTIONAL, AT(shape), NONE, NULL, "what it fills at the start",
     .schema = &dlp_shape_schema},
    {.key = "points", SCHEMA, OPTIONAL, 0, NONE, NULL, "particles from a file", .schema = &points_schema, OF_SPH},
    {.key = "velocity", SCHEMA, 0, 0, NONE, NULL, "how it moves at the start: a vector, or its parts",
     .schema = &velocity_schema},
    {.key = "color", VECTOR, THREE, AT(color), "", 0, 1, "the material's, else one of a palette",
     "red, green and blue in pictures", .derive = dlp_derive_color},
    {.key = "look", WORD, 0, AT(look), NONE, "the material's, else by its viscosity",
     "how it reflects light in pictures", .words = looks, .derive = dlp_derive_look}};
const dlp_schema dlp_substance_schema = {.title = "substances.NAME",
    "A substance: what it is made of, where it starts. It needs a shape, points, or an emitter that emits "
    "it.",
    ROWS(substance_rows), .size = sizeof(dlp_substance_def), .name_offset = AT(name),
    .check = dlp_check_substance, .is_substance = true};
#undef IN
#undef AT

const dlp_schema *const dlp_substance_schemas[] = {
    &dlp_substance_schema, &viscosity_schema, &particle_schema, &adapt_schema, &restraint_schema,
    &cloth_schema, &stretch_schema, &solid_schema,
    &fiber_schema, &plasticity_schema, &melting_schema, &points_schema, &velocity_schema, &spin_schema,
    &field_schema, NULL};
// clang-format on
