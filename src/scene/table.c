/* The rows of the scene, but for its substances and shapes. Rows are resolved in this order: a default may
 * depend on what stands before it, and names must be known before they are used (substances and obstacles
 * before emitters, attachments and probes). */
#include "scene/table_rows.h"

#include <string.h>

// Words stand in the order of their enum.
static const char *const grounds[] = {"auto", "on", "off", NULL};
static const char *const surface_kinds[] = {"none", "iso", "active", "anisotropic", NULL};
static const char *const surface_formats[] = {"ply", "obj", "stl", "glb", NULL};
static const char *const measures[] = {"pressure", "density", "velocity",    "height",
                                       "flux",     "force",   "temperature", NULL};

// A row is a line or two, whatever the formatter would make of it.
// clang-format off
// AT is the offset of a field in the record of the rows that follow; it is defined anew for every record.
// Obstacles. The shape's keys stand beside the obstacle's own; position and rotation move the whole shape.
#define AT(field) offsetof(dlp_obstacle_def, field)
static const dlp_schema_row obstacle_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "obstacle0, obstacle1, ...", "for probes and messages; unique",
     .derive = dlp_derive_name},
    {.key = NULL, INCLUDE, 0, AT(shape), NONE, NULL, NULL, .schema = &dlp_moved_shape_schema},
    {.key = "position", VECTOR, ANIMATED | PLANAR, AT(position), "m", PLACED, "[0, 0, 0]",
     "moves the whole shape"},
    {.key = "rotation", VECTOR, ANIMATED | TURN | THREE, AT(rotation), "degrees", PLACED, "[0, 0, 0]",
     "rotates it about x, then y, then z, through the pivot"},
    {.key = "pivot", VECTOR, PLANAR, AT(pivot), "m", ANY, "[0, 0, 0]",
     "centre of the rotation, before the shape is moved"},
    {.key = "friction", NUMBER, ANIMATED, AT(friction), "", FROM(0), "0.2", "Coulomb friction of a contact"},
    {.key = "restitution", NUMBER, ANIMATED, AT(restitution), "", 0, 1, "0",
     "share of the speed that is left after a hit"},
    {.key = "stick", NUMBER, ANIMATED, AT(stick), "", 0, 1, "1",
     "share of the substance's viscosity that acts on the wall; 1: no slip"},
    {.key = "lid", SWITCH, 0, AT(lid), NONE, "false",
     "a container (`inside: true`) is closed above, too; without one boxes and upright cylinders that stand still are "
     "open above, all others are closed"},
    {.key = "temperature", NUMBER, ANIMATED, AT(temperature), "°C", FROM(COLDEST), NULL,
     "of its surface; without one no heat passes"}};
static const dlp_schema obstacle_schema = {.title = "obstacles[N]",
    "An obstacle: a shape (see SHAPE; its keys stand here), still or moving.", ROWS(obstacle_rows),
    .size = sizeof(dlp_obstacle_def), .check = dlp_check_obstacle};
#undef AT

// Emitters. radius and size exclude each other (dlp_check_emitter); width and height are two consecutive fields.
#define AT(field) offsetof(dlp_emitter_def, field)
static const dlp_schema_row emitter_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "emitter0, emitter1, ...", "for messages; unique",
     .derive = dlp_derive_name},
    {.key = "substance", NAME, REQUIRED | OF_SUBSTANCE, AT(substance), NONE, NULL, "what it emits: the name of a substance"},
    {.key = "position", VECTOR, ANIMATED | REQUIRED | PLANAR, AT(place), "m", ANY, NULL,
     "centre of the mouth"},
    {.key = "rotation", VECTOR, ANIMATED | TURN | THREE, AT(rotation), "degrees", ANY, "[0, 0, 0]",
     "rotates the direction about x, then y, then z, and the mouth about the pivot"},
    {.key = "pivot", VECTOR, PLANAR, AT(pivot), "m", ANY, "[0, 0, 0]",
     "centre of the rotation, seen from the mouth"},
    {.key = "direction", VECTOR, ANIMATED | PLANAR, AT(aim), "", ANY, "[0, 0, -1], in 2-D [0, -1]",
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
static const dlp_schema emitter_schema = {.title = "emitters[N]",
    "An emitter: a mouth out of which a substance flows.", ROWS(emitter_rows),
    .size = sizeof(dlp_emitter_def), .check = dlp_check_emitter};
#undef AT

// Sinks. 1e30 s stands for never.
#define AT(field) offsetof(dlp_sink_def, field)
static const dlp_schema_row sink_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "sink0, sink1, ...", "for messages; unique",
     .derive = dlp_derive_name},
    {.key = NULL, INCLUDE, 0, AT(shape), NONE, NULL, NULL, .schema = &dlp_shape_schema},
    {.key = "start", NUMBER, 0, AT(start), "s", FROM(0), "0", "when it begins to take"},
    {.key = "stop", NUMBER, 0, AT(stop), "s", FROM(0), "1e30", "when it ends"}};
static const dlp_schema sink_schema = {.title = "sinks[N]",
    "A sink: particles inside its shape (see SHAPE; its keys stand here) are removed.", ROWS(sink_rows),
    .size = sizeof(dlp_sink_def), .check = dlp_check_sink};
#undef AT

// Attachments. They have no 2-D form: cloth and solids need three dimensions.
#define AT(field) offsetof(dlp_attachment_def, field)
static const dlp_schema_row attachment_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "attachment0, attachment1, ...", "for messages; unique",
     .derive = dlp_derive_name},
    {.key = "substance", NAME, REQUIRED | OF_SUBSTANCE, AT(substance), NONE, NULL, "what is held: the name of a cloth or a solid"},
    {.key = NULL, INCLUDE, 0, AT(shape), NONE, NULL, NULL, .schema = &dlp_moved_shape_schema},
    {.key = "body", NAME, OF_OBSTACLE, AT(body), NONE, NULL, "the name of an obstacle whose motion it follows"},
    {.key = "position", VECTOR, ANIMATED, AT(position), "m", PLACED, "[0, 0, 0]", "moves what is held"},
    {.key = "rotation", VECTOR, ANIMATED | THREE, AT(rotation), "degrees", PLACED, "[0, 0, 0]",
     "rotates it about x, then y, then z, through the pivot"},
    {.key = "pivot", VECTOR, 0, AT(pivot), "m", ANY, "[0, 0, 0]",
     "centre of the rotation, before it is moved"},
    {.key = "start", NUMBER, 0, AT(start), "s", FROM(0), "0", "when it begins to hold"},
    {.key = "stop", NUMBER, 0, AT(stop), "s", FROM(0), "1e30", "when it lets go"},
    {.key = "mass", NUMBER, 0, AT(mass), "kg", FROM(0), "0",
     "added to the particles, shared among them; with `hold: false` a load that hangs there"},
    {.key = "hold", SWITCH, 0, AT(hold), NONE, "true", "whether the particles are held"}};
static const dlp_schema attachment_schema = {.title = "attachments[N]",
    "An attachment: the particles of a cloth or a solid that start inside its shape (see SHAPE; its keys stand here) "
    "are held still, moved along key frames, or tied to an obstacle.",
    ROWS(attachment_rows), .size = sizeof(dlp_attachment_def), .check = dlp_check_attachment};
#undef AT

#define AT(field) offsetof(dlp_blade_def, field)
static const dlp_schema_row blade_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "blade0, blade1, ...", "for messages; unique",
     .derive = dlp_derive_name},
    {.key = "from", VECTOR, REQUIRED, AT(from), "m", ANY, NULL, "one end of its edge"},
    {.key = "to", VECTOR, REQUIRED, AT(to), "m", ANY, NULL, "the other end"},
    {.key = "position", VECTOR, ANIMATED, AT(position), "m", PLACED, "[0, 0, 0]", "moves it"},
    {.key = "rotation", VECTOR, ANIMATED | THREE, AT(rotation), "degrees", PLACED, "[0, 0, 0]",
     "rotates it about x, then y, then z, through the pivot"},
    {.key = "pivot", VECTOR, 0, AT(pivot), "m", ANY, "[0, 0, 0]",
     "centre of the rotation, before it is moved"},
    {.key = "start", NUMBER, 0, AT(start), "s", FROM(0), "0", "when it begins to cut"},
    {.key = "stop", NUMBER, 0, AT(stop), "s", FROM(0), "1e30", "when it ends"}};
static const dlp_schema blade_schema = {.title = "blades[N]",
    "A blade: a straight edge that moves and cuts the solids it sweeps through.", ROWS(blade_rows),
    .size = sizeof(dlp_blade_def), .check = dlp_check_blade};
#undef AT

// Loads. Force, torque and pressure add up.
#define AT(field) offsetof(dlp_load_def, field)
static const dlp_schema_row load_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "load0, load1, ...", "for messages; unique",
     .derive = dlp_derive_name},
    {.key = "substance", NAME, REQUIRED | OF_SUBSTANCE, AT(substance), NONE, NULL, "what is pushed: the name of a solid, or of a cloth for `pressure`"},
    {.key = NULL, INCLUDE, 0, AT(shape), NONE, NULL, NULL, .schema = &dlp_shape_schema},
    {.key = "force", VECTOR, ANIMATED, AT(force), "N", ANY, "[0, 0, 0]",
     "on all of these particles together, shared by mass"},
    {.key = "torque", VECTOR, ANIMATED, AT(torque), "N m", ANY, "[0, 0, 0]",
     "on all of them together, about their centre: no force on the whole"},
    {.key = "pressure", NUMBER, ANIMATED, AT(pressure), "Pa", ANY, "0",
     "on the surface inside the shape, against its normal; below 0 it pulls. Of cloth the side that the sheet's `normal` "
     "points to, of a mesh the side that its triangles face: below 0 a balloon swells"},
    {.key = "start", NUMBER, 0, AT(start), "s", FROM(0), "0", "when it begins to act"},
    {.key = "stop", NUMBER, 0, AT(stop), "s", FROM(0), "1e30", "when it ends"}};
static const dlp_schema load_schema = {.title = "loads[N]",
    "A load: a force, a torque or a pressure on the particles of a solid that start inside its shape (see SHAPE; its keys stand "
    "here), or a pressure on the triangles of a cloth whose middles do.", ROWS(load_rows), .size = sizeof(dlp_load_def), .check = dlp_check_load};
#undef AT

// Body forces.
#define AT(field) offsetof(dlp_force_def, field)
static const dlp_schema_row central_rows[] = {
    {.key = "center", VECTOR, ANIMATED | PLANAR, AT(center), "m", ANY, "[0, 0, 0]", "where it points"},
    {.key = "power", NUMBER, REQUIRED, AT(power), "", -8, 8, NULL,
     "of the distance: 1 is a spring, 0 is constant, -2 is as planets attract"},
    {.key = "softening", NUMBER, 0, AT(softening), "m", FROM(0), "0",
     "length s that keeps it finite near the centre: the distance r is sqrt(d^2 + s^2)"}};
static const dlp_schema central_schema = {.title = "forces[N].central",
    "An acceleration of `strength` * r^`power` toward a point (from it where `strength` is below 0).",
    ROWS(central_rows)};
static const dlp_schema_row force_rows[] = {
    {.key = "name", NAME, 0, AT(name), NONE, "force0, force1, ...", "for messages; unique",
     .derive = dlp_derive_name},
    {.key = "central", SCHEMA, CHOICE, 0, NONE, NULL, "toward or from a point", .schema = &central_schema,
     .choice = DLP_FORCE_CENTRAL},
    {.key = "formula", TEXTS, CHOICE, AT(formula), NONE, NULL,
     "its components in m/s2, as `[\"-x\", \"-y\", \"0\"]`; 2-D: two of them. What it does is not in the potential "
     "energy of stats.csv", .count_offset = AT(formula_count), .choice = DLP_FORCE_FORMULA},
    {.key = "potential", TEXT, CHOICE, AT(potential), NONE, NULL,
     "its potential energy per mass in J/kg, as `\"0.5 * (x^2 + y^2)\"`; the acceleration is its slope, downhill",
     .choice = DLP_FORCE_POTENTIAL},
    {.key = "substances", TEXTS, 0, AT(substances), NONE, NULL, "those on which it acts; by default all",
     .count_offset = AT(substance_count)},
    {.key = "strength", NUMBER, ANIMATED, AT(strength), "", ANY, "1",
     "factor of all of it; of a central force its acceleration at 1 m"},
    {.key = "start", NUMBER, 0, AT(start), "s", FROM(0), "0", "when it begins to act"},
    {.key = "stop", NUMBER, 0, AT(stop), "s", FROM(0), "1e30", "when it ends"}};
static const dlp_schema force_schema = {.title = "forces[N]",
    "A body force: an acceleration by place and time, beside gravity, of every model. Formulas know x, y, z (m), t (s), "
    "pi, + - * / ^, parentheses, and sqrt, abs, sign, floor, exp, log, sin, cos, tan, tanh, min, max, atan2.",
    ROWS(force_rows), .size = sizeof(dlp_force_def), .choice = "kind of force", .choice_offset = AT(kind),
    .check = dlp_check_force};
#undef AT

// Probes. Exactly one place is chosen; `measure` stands after it, since its default depends on it.
#define AT(field) offsetof(dlp_probe_def, field)
static const dlp_schema_row line_rows[] = {
    {.key = "from", VECTOR, REQUIRED, AT(from), "m", ANY, NULL, "start of the line, below the surface"},
    {.key = "to", VECTOR, REQUIRED, AT(to), "m", ANY, NULL, "its end"}};
static const dlp_schema_row plane_rows[] = {
    {.key = "point", VECTOR, REQUIRED, AT(point), "m", ANY, NULL, "a point of the plane"},
    {.key = "normal", VECTOR, REQUIRED | PLANAR, AT(normal), "", ANY, NULL,
     "what crosses it this way counts as positive"},
    {.key = "radius", NUMBER, 0, AT(radius), "m", FROM(0), "0",
     "limits it to a disc about the point; 0: endless"}};
static const dlp_schema line_schema = {.title = "probes.NAME.line",
    "A line along which the surface's height is measured.", ROWS(line_rows), .check = dlp_check_line};
static const dlp_schema plane_schema = {.title = "probes.NAME.plane",
    "A plane through which the flow is measured.", ROWS(plane_rows), .check = dlp_check_plane};
static const dlp_schema_row probe_rows[] = {
    {.key = "point", VECTOR, CHOICE, AT(point), "m", ANY, NULL,
     "a place: measures pressure, density, velocity or temperature", .choice = DLP_PROBE_POINT},
    {.key = "line", SCHEMA, CHOICE, 0, NONE, NULL, "a line: measures height", .schema = &line_schema,
     .choice = DLP_PROBE_LINE},
    {.key = "plane", SCHEMA, CHOICE, 0, NONE, NULL, "a plane: measures flux", .schema = &plane_schema,
     .choice = DLP_PROBE_PLANE},
    {.key = "body", NAME, CHOICE | OF_OBSTACLE, AT(body), NONE, NULL, "the name of an obstacle: measures force",
     .choice = DLP_PROBE_BODY},
    {.key = "radius", NUMBER, 0, AT(extent), "m", FROM(0), "0",
     "of a point: the mean over a ball (2-D: a disc) of this size, obstacles left out; where it is dry the pressure is 0"},
    {.key = "rate", NUMBER, 0, AT(rate), "1/s", 0, 1e6, "0",
     "of samples of its own, each the mean over 1 / rate of all steps, in samples.csv; probes.csv then has the mean over "
     "the frame. The same for all probes that have one"},
    {.key = "measure", WORD, 0, AT(measure), NONE, "what fits the place", "what it measures",
     .words = measures, .derive = dlp_derive_measure}};
static const dlp_schema probe_schema = {.title = "probes.NAME",
    "A probe: what is measured where, every frame, into probes.csv. Exactly one place.", ROWS(probe_rows),
    .size = sizeof(dlp_probe_def), .name_offset = AT(name), .choice = "place", .choice_offset = AT(place),
    .check = dlp_check_probe};
#undef AT

// The scene. Its groups (frames, time, record, ...) store into the scene's own record: their offset is 0. The
// dimension stands near the top, since vectors and defaults after it depend on it.
#define AT(field) offsetof(dlp_scene_def, field)
static const dlp_schema_row frames_rows[] = {
    {.key = "rate", NUMBER, ABOVE, AT(frame_rate), "1/s", FROM(0), "25", "frames per second"},
    {.key = "count", INTEGER, 0, AT(frame_count), "", FROM(0), "100", "frames after the start"}};
static const dlp_schema_row domain_rows[] = {
    {.key = "min", VECTOR, REQUIRED, AT(domain.min), "m", ANY, NULL, "lower corner"},
    {.key = "max", VECTOR, REQUIRED, AT(domain.max), "m", ANY, NULL, "upper corner"}};
static const dlp_schema_row time_rows[] = {
    {.key = "courant", NUMBER, ABOVE, AT(courant), "", 0, 1, "0.3", "share of the stable step that is taken"},
    {.key = "step", NUMBER, 0, AT(step), "s", FROM(0), "0", "a fixed step; 0: adaptive"},
    {.key = "ratio", INTEGER, 0, AT(step_ratio), "", 1, 1024, "4",
     "largest ratio of neighbours' steps, a power of two"}};
static const dlp_schema_row record_rows[] = {
    {.key = "particles", SWITCH, 0, AT(record.particles), NONE, "true", "write particles/NNNN.vtp"},
    {.key = "every", INTEGER, 0, AT(record.every), "frames", FROM(1), "1", "between two of them"},
    {.key = "checkpoint", INTEGER, 0, AT(record.checkpoint), "frames", FROM(0), "1",
     "between checkpoints; 0: only at the end"},
    {.key = "preview", SWITCH, 0, AT(record.preview), NONE, "true", "write preview.png"},
    {.key = "contour", SWITCH, 0, AT(record.contour), NONE, "true",
     "2-D: write the line of equal density and its area"},
    {.key = "iso", NUMBER, ABOVE, AT(record.iso), "", 0, 1, "0.5", "of that line, in rest densities"}};
// The surface stands after the substances: its smoothing and cell depend on their particles.
static const dlp_schema_row surface_rows[] = {
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
     "active: share of an error in volume that is corrected per frame; 0: none"},
    {.key = "blend", SWITCH, 0, AT(surface.blend), NONE, "false",
     "one surface around all substances together, coloured at its vertices, instead of one per substance"},
    {.key = "retroaction", SWITCH, 0, AT(surface.retroaction), NONE, "false",
     "active: where the surface enters an obstacle it pushes the particles next to it back"},
    {.key = "color", SWITCH, 0, AT(surface.color), NONE, "false",
     "write the substances' colours at the vertices"},
    {.key = "field", SWITCH, 0, AT(surface.field), NONE, "false",
     "write the field and its velocity as .vdb beside each mesh"},
    {.key = "vtp", SWITCH, 0, AT(surface.vtp), NONE, "false",
     "write each mesh as .vtp, too, with its velocity, and a .pvd with the times, for ParaView"},
    {.key = "format", WORD, 0, AT(surface.format), NONE, "ply", "of the meshes", .words = surface_formats}};
// Pictures. What is not given is chosen when one is taken, so that there is no default here.
static const dlp_schema_row camera_rows[] = {
    {.key = "from", VECTOR, ANIMATED | THREE, AT(camera.from), "m", ANY, NULL,
     "where it stands; by default where everything is in view"},
    {.key = "to", VECTOR, ANIMATED | THREE, AT(camera.to), "m", ANY, NULL,
     "what it looks at; by default the middle of all that happens"},
    {.key = "up", VECTOR, THREE, AT(camera.up), "", ANY, NULL,
     "what is upward in the picture, any length but 0; by default against gravity"},
    {.key = "angle", NUMBER, ANIMATED, AT(camera.angle), "degrees", 1, 150, "28",
     "of view, across the picture's shorter side"}};
static const dlp_schema_row sun_rows[] = {
    {.key = "direction", VECTOR, THREE, AT(render.sun), "", ANY, NULL,
     "toward it, any length but 0; by default from the left, behind the camera"},
    {.key = "strength", NUMBER, 0, AT(render.sun_strength), "", 0, 100, "1",
     "1 is a clear day, 0 an overcast one"}};
static const dlp_schema sun_schema = {.title = "render.sun", "The sun of a picture.", ROWS(sun_rows),
    .check = dlp_check_sun};
static const dlp_schema_row render_rows[] = {
    {.key = "width", INTEGER, 0, AT(render.width), "pixels", 16, 16384, "1280", "of a picture"},
    {.key = "height", INTEGER, 0, AT(render.height), "pixels", 16, 16384, "800", "of a picture"},
    {.key = "samples", INTEGER, 0, AT(render.samples), "", 1, 1024, "32",
     "rays per pixel: more give less noise and take longer"},
    {.key = "denoise", SWITCH, 0, AT(render.denoise), NONE, "true", "removes the noise that few rays leave"},
    {.key = "ground", WORD, 0, AT(render.ground), NONE, "auto",
     "a floor that catches shadows; auto: where there is gravity and no plane faces upward", .words = grounds},
    {.key = "sun", SCHEMA, 0, 0, NONE, NULL, "the sun", .schema = &sun_schema},
    {.key = "sky", VECTOR, THREE, AT(render.sky), "", 0, 1, "[0.6, 0.74, 0.92]",
     "red, green and blue overhead"}};
static const dlp_schema camera_schema = {.title = "camera",
    "Where pictures are taken from (`dollop render`).", ROWS(camera_rows), .check = dlp_check_camera};
static const dlp_schema render_schema = {.title = "render", "What pictures are like (`dollop render`).",
    ROWS(render_rows), .check = dlp_check_render};
static const dlp_schema frames_schema = {.title = "frames", "The frames.", ROWS(frames_rows)};
static const dlp_schema domain_schema = {.title = "domain", "The box that periodic axes wrap around.",
    ROWS(domain_rows), .check = dlp_check_domain};
static const dlp_schema time_schema = {.title = "time", "The time step.", ROWS(time_rows),
    .check = dlp_check_time};
static const dlp_schema surface_schema = {.title = "surface", "The surface of the substances, one mesh per frame.",
    ROWS(surface_rows), .check = dlp_check_surface};
static const dlp_schema record_schema = {.title = "record", "What is written, and how often.",
    ROWS(record_rows)};

static const dlp_schema_row scene_rows[] = {
    {.key = "version", INTEGER, 0, AT(version), "", 1, DLP_SCENE_VERSION, "1", "of the scene's language"},
    {.key = "title", TEXT, 0, AT(title), NONE, "\"\"", "one line about the scene"},
    {.key = "dimension", INTEGER, 0, AT(dimension), "", 2, 3, "3", "2 for a scene in the plane z = 0"},
    {.key = "frames", SCHEMA, 0, 0, NONE, NULL, "how many, how fast", .schema = &frames_schema},
    {.key = "gravity", VECTOR, ANIMATED | PLANAR, AT(gravity), "m/s2", ANY,
     "[0, 0, -9.81], in 2-D [0, -9.81]", "acceleration of everything", .derive = dlp_derive_gravity},
    {.key = "ambient", NUMBER, ANIMATED, AT(ambient), "°C", FROM(COLDEST), "20",
     "temperature of the air around, to which free surfaces cool"},
    {.key = "wind", VECTOR, ANIMATED | PLANAR, AT(wind), "m/s", ANY, "[0, 0, 0]", "velocity of the air, which moves cloth"},
    {.key = "air_density", NUMBER, ANIMATED, AT(air_density), "kg/m3", FROM(0), "1.2", "of that air"},
    {.key = "periodic", AXES, 0, AT(periodic), NONE, "[]", "axes that wrap around: a list of x, y, z"},
    {.key = "domain", SCHEMA, OPTIONAL, 0, NONE, NULL, "the box that periodic axes wrap around",
     .schema = &domain_schema},
    {.key = "time", SCHEMA, 0, 0, NONE, NULL, "the time step", .schema = &time_schema},
    {.key = "substances", MAP, 0, AT(substances), NONE, NULL, "what moves, by name",
     .schema = &dlp_substance_schema, .count_offset = AT(substance_count)},
    {.key = "obstacles", LIST, 0, AT(obstacles), NONE, NULL, "what they cannot enter",
     .schema = &obstacle_schema, .count_offset = AT(obstacle_count)},
    {.key = "emitters", LIST, 0, AT(emitters), NONE, NULL, "where it flows in", .schema = &emitter_schema,
     .count_offset = AT(emitter_count)},
    {.key = "sinks", LIST, 0, AT(sinks), NONE, NULL, "where it vanishes", .schema = &sink_schema,
     .count_offset = AT(sink_count)},
    {.key = "attachments", LIST, 0, AT(attachments), NONE, NULL, "where cloth and solids are held",
     .schema = &attachment_schema, .count_offset = AT(attachment_count)},
    {.key = "blades", LIST, 0, AT(blades), NONE, NULL, "what cuts solids", .schema = &blade_schema,
     .count_offset = AT(blade_count)},
    {.key = "loads", LIST, 0, AT(loads), NONE, NULL, "what pushes solids", .schema = &load_schema,
     .count_offset = AT(load_count)},
    {.key = "forces", LIST, 0, AT(forces), NONE, NULL, "accelerations by place and time, beside gravity",
     .schema = &force_schema, .count_offset = AT(force_count)},
    {.key = "probes", MAP, 0, AT(probes), NONE, NULL, "what is measured, by name", .schema = &probe_schema,
     .count_offset = AT(probe_count)},
    {.key = "surface", SCHEMA, 0, 0, NONE, NULL, "the mesh around the substances", .schema = &surface_schema},
    {.key = "record", SCHEMA, 0, 0, NONE, NULL, "what is written", .schema = &record_schema},
    {.key = "camera", SCHEMA, 0, 0, NONE, NULL, "where pictures are taken from", .schema = &camera_schema},
    {.key = "render", SCHEMA, 0, 0, NONE, NULL, "what pictures are like", .schema = &render_schema},
    {.key = "variables", DLP_ROW_VARIABLES, 0, 0, NONE, NULL,
     "values by name, for use elsewhere as `$name` or `${name}`: alone, inside of texts, in arithmetic; each knows those "
     "before it"}};
static const dlp_schema scene_schema = {.title = "scene", "The top of the file.", ROWS(scene_rows)};
#undef AT
// clang-format on

// In the order of dlp_model.
const char *dlp_model_noun(dlp_model model)
{
    static const char *const nouns[] = {"smoothed particles", "a solid", "a cloth", "rigid", "flip", "a gas"};
    return nouns[model];
}

const dlp_schema *dlp_table_root(void)
{
    return &scene_schema;
}

static const dlp_schema *const first_schemas[] = {&scene_schema, &frames_schema, &domain_schema, &time_schema,
                                                  NULL};
static const dlp_schema *const later_schemas[] = {
    &obstacle_schema, &emitter_schema, &sink_schema,   &attachment_schema, &blade_schema, &load_schema,
    &force_schema,    &central_schema, &probe_schema,  &line_schema,       &plane_schema, &surface_schema,
    &record_schema,   &camera_schema,  &render_schema, &sun_schema,        NULL};

// The order of the reference page: the scene, substances, what acts on them, shapes.
const dlp_schema *dlp_table_schema(int32_t place)
{
    static const dlp_schema *const *const parts[] = {first_schemas, dlp_substance_schemas, later_schemas,
                                                     dlp_shape_schemas};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (const dlp_schema *const *schema = parts[k]; *schema != NULL; schema++)
            if (place-- == 0) return *schema;
    return NULL;
}

// Linear: a schema has at most some 30 rows.
const dlp_schema_row *dlp_schema_find(const dlp_schema *schema, const char *key)
{
    for (int32_t k = 0; k < schema->row_count; k++) {
        const dlp_schema_row *row = &schema->rows[k];
        if (row->type == DLP_ROW_INCLUDE) {
            const dlp_schema_row *included = dlp_schema_find(row->schema, key);
            if (included != NULL) return included;
        } else if (strcmp(row->key, key) == 0) {
            return row;
        }
    }
    return NULL;
}

void dlp_schema_offer_keys(const dlp_schema *schema, dlp_suggestion *nearest)
{
    for (int32_t k = 0; k < schema->row_count; k++) {
        const dlp_schema_row *row = &schema->rows[k];
        if (row->type == DLP_ROW_INCLUDE)
            dlp_schema_offer_keys(row->schema, nearest);
        else
            dlp_suggestion_offer(nearest, row->key);
    }
}

void dlp_schema_list_keys(const dlp_schema *schema, dlp_string *text)
{
    for (int32_t k = 0; k < schema->row_count; k++) {
        const dlp_schema_row *row = &schema->rows[k];
        if (row->type == DLP_ROW_INCLUDE)
            dlp_schema_list_keys(row->schema, text);
        else
            dlp_string_add(text, "%s%s", text->length > 0 ? ", " : "", row->key);
    }
}
