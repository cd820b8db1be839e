/* The scene as the engine sees it: every parameter resolved, checked and in SI units. The rows of the
 * parameter table (table.c) fill these records; nothing else reads the scene's text.
 *
 * Angles are in degrees, temperatures in degrees C. Texts and lists are owned by the record
 * (dlp_scene_def_release frees them) unless a comment says borrowed. No text is NULL in a resolved scene, but
 * those of shapes may be. All numbers are finite. Words of enumerations stand in table*.c in the same order
 * as here. */
#ifndef DLP_SCENE_SCENE_H
#define DLP_SCENE_SCENE_H

#include "base/status.h"
#include "base/vec.h"
#include "scene/kernel_kind.h"
#include "scene/look.h"
#include "scene/restraint_form.h"
#include "space/shape.h"

/* How a substance is simulated. The last three are reserved: no scene can have them yet. */
typedef enum dlp_model {
    DLP_MODEL_SPH,   /* smoothed particles */
    DLP_MODEL_SOLID, /* elastic bodies */
    DLP_MODEL_CLOTH, /* sheets and ropes */
    DLP_MODEL_RIGID,
    DLP_MODEL_FLIP,
    DLP_MODEL_GAS,
    DLP_MODEL_COUNT
} dlp_model;
/* As a scene writes it: "sph". */
const char *dlp_model_word(dlp_model model);
/* Pressure from density (matter/state.h); where density comes from (matter/pair_density.h). */
typedef enum dlp_state_kind { DLP_STATE_LINEAR, DLP_STATE_TAIT, DLP_STATE_IDEAL } dlp_state_kind;
/* Where pressure comes from: a state equation, or a solve that keeps the density (motion/sph). */
typedef enum dlp_pressure_kind { DLP_PRESSURE_EOS, DLP_PRESSURE_DFSPH, DLP_PRESSURE_IISPH } dlp_pressure_kind;
/* When viscosity acts: as it is at the start of a step, or at its end; or the solver chooses. */
typedef enum dlp_viscosity_step {
    DLP_VISCOSITY_CHOSEN,
    DLP_VISCOSITY_EXPLICIT,
    DLP_VISCOSITY_IMPLICIT
} dlp_viscosity_step;
typedef enum dlp_density_kind { DLP_DENSITY_SUMMATION, DLP_DENSITY_CONTINUITY } dlp_density_kind;
/* Energy of a deformation (matter/elastic.h). */
typedef enum dlp_elastic_law {
    DLP_ELASTIC_NEO_HOOKEAN,
    DLP_ELASTIC_STVK,
    DLP_ELASTIC_COROTATED
} dlp_elastic_law;
/* What a sub-step of a solid solves. */
typedef enum dlp_constraint_kind {
    DLP_CONSTRAINT_BLOCK,  /* the stress */
    DLP_CONSTRAINT_SCALAR, /* the root of the energy: quicker and softer */
    DLP_CONSTRAINT_ENERGY  /* the source's form, whose stiffness depends on the iterations */
} dlp_constraint_kind;
/* In time: the second-order backward formula, or implicit Euler, which damps more. */
typedef enum dlp_integrator { DLP_INTEGRATOR_BDF2, DLP_INTEGRATOR_EULER } dlp_integrator;
/* What splits particles. */
typedef enum dlp_criterion {
    DLP_CRITERION_VELOCITY, /* gradients of velocity */
    DLP_CRITERION_PRESSURE, /* gradients of pressure */
    DLP_CRITERION_BOTH,
    DLP_CRITERION_DENSITY /* the source's jumps of density */
} dlp_criterion;
/* Velocities at the start that have a name. */
typedef enum dlp_velocity_field {
    DLP_VELOCITY_FIELD_NONE,
    DLP_VELOCITY_FIELD_TAYLOR_GREEN, /* vortices of one period, in the plane (x, y) */
    DLP_VELOCITY_FIELD_STRETCH,      /* a (-x, y, 0) */
    DLP_VELOCITY_FIELD_SHEAR         /* a (y, 0, 0) */
} dlp_velocity_field;
/* Samples that a probe may have in a frame, at most. */
#define DLP_SAMPLES_PER_FRAME 1e5
/* Where a probe measures. */
typedef enum dlp_probe_place {
    DLP_PROBE_NONE, /* not chosen, which is a mistake */
    DLP_PROBE_POINT,
    DLP_PROBE_LINE,
    DLP_PROBE_PLANE,
    DLP_PROBE_BODY /* an obstacle */
} dlp_probe_place;
/* What it measures there; dlp_check_probe says which fits where. */
typedef enum dlp_measure {
    DLP_MEASURE_PRESSURE,   /* Pa */
    DLP_MEASURE_DENSITY,    /* kg/m3 */
    DLP_MEASURE_VELOCITY,   /* m/s */
    DLP_MEASURE_HEIGHT,     /* m */
    DLP_MEASURE_FLUX,       /* m3/s (2-D: m2/s) */
    DLP_MEASURE_FORCE,      /* N */
    DLP_MEASURE_TEMPERATURE /* degrees C */
} dlp_measure;
/* How a surface is made from particles, and how it is written. */
typedef enum dlp_surface_kind {
    DLP_SURFACE_NONE,
    DLP_SURFACE_ISO,        /* where the density of the particles has one value */
    DLP_SURFACE_ACTIVE,     /* moves with the matter and follows the particles smoothly */
    DLP_SURFACE_ANISOTROPIC /* kernels stretched along the surface, for thin sheets */
} dlp_surface_kind;
typedef enum dlp_surface_format {
    DLP_SURFACE_PLY,
    DLP_SURFACE_OBJ,
    DLP_SURFACE_STL,
    DLP_SURFACE_GLB
} dlp_surface_format;

/* A parameter that changes with time: its key frames. */
typedef struct dlp_track {
    char *path;         /* "obstacles[1].position" */
    double *target;     /* borrowed: the scene's field it drives (1 or 3 doubles) */
    int32_t components; /* 1 or 3 */
    int32_t key_count;  /* at least 1 */
    double *times;      /* s, strictly growing */
    double *values;     /* key_count * components, key after key */
    bool smooth;        /* starts and ends slowly at each key (smoothstep); else straight lines */
} dlp_track;
/* Value at `time` (constant before the first and after the last key), and its rate of change per second: of
 * straight lines that of the interval that begins at `time`. Only `components` numbers are written. */
void dlp_track_value(const dlp_track *track, double time, double out_value[3]);
void dlp_track_rate(const dlp_track *track, double time, double out_rate[3]);

/* A pose as a scene writes it: a rotation by degrees about x, then y, then z, through a pivot, then a
 * translation. */
typedef struct dlp_placement {
    dlp_vec3 position, rotation; /* m, degrees */
} dlp_placement;
/* At `time`, where tracks may drive either part (NULL: that of `still`). */
dlp_placement dlp_placement_at(dlp_placement still, const dlp_track *position, const dlp_track *rotation,
                               double time);
/* x -> rotation (x - pivot) + pivot + position. */
dlp_transform dlp_placement_transform(dlp_placement placement, dlp_vec3 pivot);

/* A parameter that depends on temperature: its logarithm is linear between the points and constant outside of
 * them. */
enum { DLP_CURVE_LIMIT = 32 };
typedef struct dlp_curve {
    double *target;       /* borrowed: the scene's field it stands for, which holds the largest value */
    int32_t count;        /* of points, 1 to DLP_CURVE_LIMIT */
    double *temperatures; /* degrees C, growing by at least 0.001 */
    double *values;       /* all above 0, in the parameter's unit */
} dlp_curve;

/* When particles are restrained (matter/restraint.h). What is 0 is derived by the solver: from gravity and
 * the particles' size, or from the allowed error. */
typedef struct dlp_restraint_def {
    dlp_restraint_form form;
    double rest, full; /* m/s: held below the one, free above the other */
    double tolerance;  /* m/s: effective speed below which a particle counts as inactive */
    double friction;   /* acceleration that restrained particles withstand, in gravities; 0: derived */
    double
        error; /* allowed drift of positions in particle radii, from which the others follow; 0: none given */
    bool view; /* thresholds grow with distance from the camera and for what it cannot see */
} dlp_restraint_def;

/* A fabric, for `model: cloth`; all zero for other models. */
typedef struct dlp_cloth_def {
    double weight;                            /* kg/m2 */
    double thickness;                         /* m */
    double width;                             /* m: of a rope, a shape that is one particle wide */
    double stretch_warp, stretch_weft, shear; /* N/m */
    double bend;                              /* N m: flexural rigidity */
    double damping;                           /* 1/s: of all motion */
    double inner_damping;                     /* s: of deformation */
    double tear;                              /* strain; 0: never */
    double friction;                          /* Coulomb, with itself and other cloth */
    double drag;                              /* of the air across the sheet */
    bool meets_itself;                        /* it collides with itself */
} dlp_cloth_def;

/* An elastic body, for `model: solid`; all zero for other models. */
enum { DLP_FIBER_LIMIT = 3 };
typedef struct dlp_fiber_def {
    dlp_vec3 direction; /* at rest; any length but 0 */
    double modulus;     /* Pa: what it adds to Young's modulus along itself, twice the source's beta */
} dlp_fiber_def;
typedef struct dlp_solid_def {
    dlp_elastic_law law;
    double youngs_modulus; /* Pa */
    double poisson_ratio;  /* -0.9 to 0.495 */
    dlp_fiber_def *fibers; /* fiber_count of them, at most DLP_FIBER_LIMIT */
    int32_t fiber_count;
    double yield;         /* strain (deviator of the logarithm) above which it flows; 0: never */
    double flow;          /* 1/s: rate at which what exceeds it becomes plastic */
    double plastic_limit; /* plastic strain that is not exceeded; 1e30: any (dlp_check_plasticity) */
    double fracture;      /* stretch less one of a link at which it breaks; 0: never */
    dlp_constraint_kind constraint;
    dlp_integrator integrator;
    int32_t substeps, iterations; /* per frame, per sub-step; 0: chosen */
    double support;               /* spacings: of the rest neighbours; 0: chosen */
    double hourglass;             /* of the penalty on what the gradient does not see; below 0: chosen */
    double damping;               /* 1/s: of all motion */
    double friction;              /* Coulomb, with itself and other solids */
    bool meets_itself;            /* it collides with itself */
    double squeeze;               /* of the start: 0 at its size at rest, 1 crushed to a point */
} dlp_solid_def;

/* A substance: what it is made of, and where it starts. Rows of other models than its own stay zero, but for
 * what dlp_check_scene copies from the smoothed particles (kernel, density_from, diffusion, smoothing). */
typedef struct dlp_substance_def {
    char *name; /* unique; the key of the map */
    dlp_model model;
    char *material;                    /* name of the preset, "" for none */
    double density;                    /* kg/m3 at rest */
    double viscosity;                  /* Pa s, dynamic; the same at every resolution */
    dlp_viscosity_step viscosity_step; /* the same for all substances of a scene */
    double alpha, beta;                /* artificial viscosity: alpha, beta of the sources */
    dlp_pressure_kind pressure;        /* the same for all substances of a scene */
    dlp_state_kind state;
    double stiffness;              /* m2/s2: k of the state equation, c^2; 0: derived from the scene */
    double gamma;                  /* exponent of `tait` */
    double cohesion;               /* 0..1: share of the negative pressures that is kept */
    double sound_speed;            /* m/s: of the artificial viscosity; 0: the state equation's */
    dlp_kernel_kind kernel;        /* the same for all substances of a scene */
    dlp_density_kind density_from; /* likewise */
    double diffusion;              /* of the carried density (continuity only), 0 for none */
    double tensile_control;        /* 0..0.3: share of negative pressures that keeps particles apart */
    double particle_radius;        /* m: finest size: of a sphere (2-D: disc) of the particle's rest volume */
    double smoothing;              /* h / spacing */
    double jitter;                 /* of the start, in spacings */
    dlp_lattice lattice;
    bool adapt_space, adapt_time, adapt_restraint;
    double adapt_accuracy; /* 0..1 */
    int32_t adapt_levels;  /* 0..3: how often particles may merge; each time their size doubles */
    dlp_criterion adapt_criterion;
    dlp_restraint_def restraint;
    dlp_cloth_def cloth;
    dlp_solid_def solid;
    dlp_shape_def shape;        /* what it fills; kind NONE when it comes from points or an emitter alone */
    char *points_file;          /* .vtp or .ply, "" for none */
    dlp_vec3 velocity;          /* m/s at the start: uniform part */
    dlp_vec3 spin_center, spin; /* rotating part: rad/s about an axis through the centre */
    dlp_velocity_field field;   /* named part */
    double field_amplitude, field_length; /* m/s or 1/s; m */
    bool has_temperature; /* one was given; where any substance has one, the others start at `ambient` */
    double temperature;   /* degrees C at the start */
    double conductivity;  /* W/(m K) */
    double heat_capacity; /* J/(kg K) */
    double cooling;       /* W/(m2 K): through a free surface, to `ambient` */
    double melting_from, melting_to, melting_heat;      /* degrees C; J/kg between them, 0 for none */
    const dlp_curve *viscosity_curve, *stiffness_curve; /* borrowed from the scene, or NULL */
    dlp_vec3 color;                                     /* 0..1, for pictures */
    dlp_look look;                                      /* likewise */
} dlp_substance_def;

/* A solid that matter does not enter: a body whose motion key frames or a host give. */
typedef struct dlp_obstacle_def {
    char *name; /* unique */
    dlp_shape_def shape;
    dlp_vec3 position, rotation; /* m, degrees: moves the whole shape; may have key frames */
    dlp_vec3 pivot;              /* m: centre of the rotation */
    double friction;             /* Coulomb, of a contact */
    double restitution;          /* 0..1: share of the normal speed that is left after a hit */
    double stick;         /* 0..1: share of the substance's viscosity that acts on the wall (1: no slip) */
    bool lid;             /* a container is closed above, too */
    bool has_temperature; /* else no heat passes */
    double temperature;   /* degrees C */
    const dlp_track *position_track, *rotation_track; /* borrowed from the scene, or NULL */
} dlp_obstacle_def;

/* A mouth through which smoothed particles flow in. */
typedef struct dlp_emitter_def {
    char *name;               /* unique */
    char *substance;          /* name of what it emits */
    int32_t substance_index;  /* set by dlp_check_emitter */
    dlp_vec3 place, aim;      /* m, any length but 0: position and direction as they are given, ... */
    dlp_vec3 rotation, pivot; /* degrees, m: ... and what turns them; may have key frames but for the pivot */
    dlp_vec3 position;        /* m: centre of the mouth (dlp_emitter_rotate) */
    dlp_vec3 direction;       /* any length but 0 (dlp_emitter_rotate) */
    double radius;            /* m: round mouth (2-D: half width) */
    double width, height;     /* m: rectangular mouth where radius is 0 */
    double speed;             /* m/s */
    double start, stop;       /* s */
    int32_t limit;            /* of particles; 0 for none */
    bool has_temperature;     /* else what it emits has its substance's */
    double temperature;       /* degrees C */
} dlp_emitter_def;

/* Position and direction from what is given. */
void dlp_emitter_rotate(dlp_emitter_def *emitter);

/* A region in which particles are removed. */
typedef struct dlp_sink_def {
    char *name; /* unique */
    dlp_shape_def shape;
    double start, stop; /* s: when it removes them; start < stop */
} dlp_sink_def;

/* Particles of a cloth or a solid that are held: still, along key frames, or by an obstacle whose motion they
 * follow. */
typedef struct dlp_attachment_def {
    char *name; /* unique */
    char *substance;
    int32_t substance_index;     /* set by dlp_check_attachment */
    dlp_shape_def shape;         /* the particles that start inside it */
    char *body;                  /* name of an obstacle to which they are tied, "" for none */
    int32_t body_index;          /* -1 for none */
    dlp_vec3 position, rotation; /* m, degrees: moves what is held; may have key frames */
    dlp_vec3 pivot;              /* m: centre of the rotation */
    double start, stop;          /* s: when they are held */
    double mass; /* kg: added to the particles, shared among them; with `hold: false` a load */
    bool hold;   /* false: they only carry the mass */
    const dlp_track *position_track, *rotation_track; /* borrowed from the scene, or NULL */
} dlp_attachment_def;

/* A blade: a segment that moves and cuts the links it sweeps. */
typedef struct dlp_blade_def {
    char *name;                                       /* unique */
    dlp_vec3 from, to;                                /* m: its ends where it starts */
    dlp_vec3 position, rotation;                      /* m, degrees: moves it; may have key frames */
    dlp_vec3 pivot;                                   /* m: centre of the rotation */
    double start, stop;                               /* s: when it cuts */
    const dlp_track *position_track, *rotation_track; /* borrowed from the scene, or NULL */
} dlp_blade_def;

/* A force on the particles of a solid that start inside a shape. */
typedef struct dlp_load_def {
    char *name; /* unique */
    char *substance;
    int32_t substance_index; /* set by dlp_check_load */
    dlp_shape_def shape;
    dlp_vec3 force;     /* N: of all of them together, shared by mass; may have key frames */
    dlp_vec3 torque;    /* N m: about the centre of all of them, wherever they are; may have key frames */
    double pressure;    /* Pa: on the surface inside the shape, against its normal; may have key frames */
    double start, stop; /* s: when it acts */
} dlp_load_def;

/* How a body force is given. */
typedef enum dlp_force_kind {
    DLP_FORCE_NONE,     /* not chosen, which is a mistake */
    DLP_FORCE_CENTRAL,  /* toward a point, by a power of the distance */
    DLP_FORCE_FORMULA,  /* components of the acceleration */
    DLP_FORCE_POTENTIAL /* energy per mass, downhill of which it accelerates */
} dlp_force_kind;

/* An acceleration by place and time, beside gravity (body_force.h evaluates it). */
typedef struct dlp_force_def {
    char *name; /* unique */
    dlp_force_kind kind;
    char **substances; /* names of those on which it acts; NULL: all */
    int32_t substance_count;
    int32_t *substance_indices;      /* set by dlp_check_force */
    dlp_vec3 center;                 /* m: central; may have key frames */
    double power, softening;         /* central: strength * r^power, r^2 = distance^2 + softening^2; m */
    char **formula;                  /* formula: of x, y and z; formula_count of them */
    char *potential;                 /* potential; NULL for other kinds */
    int32_t formula_count;           /* 2 or 3; 2 only in 2-D */
    struct dlp_formula *programs[3]; /* of `formula`, or the potential's alone; set by dlp_check_force */
    double strength;                 /* factor; of a central force m/s2 at 1 m; may have key frames */
    double start, stop;              /* s: when it acts */
    double time;                     /* s: t of the formulas; conditions set it */
} dlp_force_def;

/* What is measured every frame, and where. Only the fields of its place are set. */
typedef struct dlp_probe_def {
    char *name; /* unique; the key of the map */
    dlp_probe_place place;
    dlp_vec3 point;    /* m: point; plane: a point of it */
    dlp_vec3 from, to; /* m: line */
    dlp_vec3 normal;   /* plane: any length but 0 */
    double radius;     /* m: plane: limits it to a disc; 0: endless */
    double extent; /* m: point: radius of the ball (2-D: disc) whose mean is measured; 0: the point alone */
    double rate; /* 1/s: means over 1 / rate go to samples.csv; 0: none. All probes with one have the same */
    char *body;  /* name of an obstacle, "" for none */
    int32_t body_index; /* -1 for none; set by dlp_check_probe */
    dlp_measure measure;
} dlp_probe_def;

/* The mesh around the substances (src/skin). */
typedef struct dlp_surface_def {
    dlp_surface_kind kind;
    double cell;      /* m: of the grid; 0: half the finest spacing of each substance */
    double iso;       /* of the density, where it is 1 inside; 0: the value that keeps the volume */
    double memory;    /* frames in which an active surface follows a jump */
    double smoothing; /* spacings: bumps below are flattened by an active surface */
    double volume;    /* 0..1: share of an error in volume that an active surface corrects per frame */
    bool blend;       /* one surface of all substances together */
    bool retroaction; /* an active surface that enters an obstacle pushes its particles back */
    bool color;       /* write the substances' colours at the vertices */
    bool field;       /* write the field as .vdb beside the mesh */
    bool vtp;         /* write the mesh as .vtp, too */
    dlp_surface_format format;
} dlp_surface_def;

/* What a run writes. */
typedef struct dlp_record_def {
    bool particles;     /* write .vtp frames */
    int32_t every;      /* frames between them */
    int32_t checkpoint; /* frames between checkpoints; 0: only at the end */
    bool preview;       /* preview.png */
    bool contour;       /* 2-D: iso-density contour and its area */
    double iso;         /* of the contour, in rest densities */
} dlp_record_def;

/* Where pictures are taken from; what is not given is chosen so that everything is seen. */
typedef struct dlp_camera_def {
    bool has_from, has_to, has_up;
    dlp_vec3 from, to, up; /* m, m, any length */
    double angle;          /* degrees: of view, across the picture's shorter side */
} dlp_camera_def;

typedef enum dlp_ground { DLP_GROUND_AUTO, DLP_GROUND_ON, DLP_GROUND_OFF } dlp_ground;
/* What pictures are like. */
typedef struct dlp_picture_def {
    int32_t width, height; /* pixels */
    int32_t samples;       /* per pixel */
    bool denoise;
    dlp_ground ground;   /* a floor that catches shadows; auto: where there is gravity */
    dlp_vec3 sun;        /* toward it; zero: chosen */
    double sun_strength; /* 1 is a clear day, 0 an overcast one */
    dlp_vec3 sky;        /* sRGB, overhead */
} dlp_picture_def;

#define DLP_PIXEL_LIMIT 34e6 /* of a picture: 7680 x 4320 and a little more */

/* A whole scene. Made by dlp_resolve; constant from then on. Tracks and curves point into its lists, so that
 * the record cannot be copied by assignment (conditions.h makes copies that change with time). All-zero is
 * empty and can be released. */
typedef struct dlp_scene_def {
    int32_t version; /* of the scene's language: 1 */
    char *title;
    int32_t dimension; /* 2 or 3 */
    double frame_rate; /* 1/s */
    int32_t frame_count;
    dlp_vec3 gravity; /* m/s2 */
    bool periodic[3];
    dlp_box domain;     /* m: needed along periodic axes */
    double courant;     /* 0..1: share of the stable step that is taken */
    double step;        /* s: a fixed step; 0: adaptive */
    int32_t step_ratio; /* of neighbours' individual steps, a power of two: the limiter */
    double ambient;     /* degrees C */
    dlp_vec3 wind;      /* m/s: of the air; may have key frames */
    double air_density; /* kg/m3 */
    /* lists, with their counts below; NULL where there are none */
    dlp_substance_def *substances;
    dlp_obstacle_def *obstacles;
    dlp_emitter_def *emitters;
    dlp_sink_def *sinks;
    dlp_attachment_def *attachments;
    dlp_blade_def *blades;
    dlp_load_def *loads;
    dlp_force_def *forces;
    dlp_probe_def *probes;
    dlp_track *tracks; /* of all key-framed parameters, in the order of the table */
    dlp_curve *curves; /* likewise, of those that depend on temperature */
    int32_t substance_count, obstacle_count, emitter_count, sink_count, attachment_count, blade_count,
        load_count, force_count, probe_count, track_count, curve_count;
    dlp_surface_def surface;
    dlp_record_def record;
    dlp_camera_def camera;
    dlp_picture_def render;
    char *folder; /* where relative file names start */
    char *name;   /* for messages and the default output folder: "pour" */
} dlp_scene_def;

/* Resolves and checks the scene (once; later calls give the same record until a parameter is set). *out_def
 * is borrowed from the scene and is valid until the next resolve after a change. A failure reports all
 * mistakes together. Not safe from several threads on one scene. */
dlp_status dlp_scene_resolve(dlp_scene *scene, const dlp_scene_def **out_def, dlp_error *error);

/* A scene of its own with the same text: nothing is shared. */
dlp_status dlp_scene_clone(const dlp_scene *scene, dlp_scene **out_scene, dlp_error *error);

/* The first substance of a model; NULL where there is none. */
static inline const dlp_substance_def *dlp_first_of_model(const dlp_scene_def *def, dlp_model model)
{
    for (int32_t k = 0; k < def->substance_count; k++)
        if (def->substances[k].model == model) return &def->substances[k];
    return NULL;
}

/* Whether all substances are cloth: what is not has a closed surface around its particles. */
static inline bool dlp_scene_def_is_cloth(const dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->substance_count; k++)
        if (def->substances[k].model != DLP_MODEL_CLOTH) return false;
    return true;
}

/* Whether any substance has a temperature: then all particles do, and heat flows. */
static inline bool dlp_scene_def_has_heat(const dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->substance_count; k++)
        if (def->substances[k].has_temperature) return true;
    return false;
}

/* The same record for callers that change its fields directly (tests and validation). The last good one where
 * a parameter has spoiled the scene; NULL where there never was one. */
dlp_scene_def *dlp_scene_def_mutable(dlp_scene *scene);

/* The resolved scene as YAML that gives the same bits when it is run; caller frees with dlp_free. File names
 * are made absolute, so that the copy works from any folder. */
dlp_status dlp_scene_write(dlp_scene *scene, char **out_text, dlp_error *error);

/* Names the first parameter in which two scenes differ other than their length and recording: "" where there
 * is none. Both must be resolved. */
void dlp_scene_difference(dlp_scene *a, dlp_scene *b, char *out_text, size_t size);

/* Every resolved parameter in order: path, value as text, unit, and where it came from ("default",
 * "material honey", "pour.yaml:12", "set", "derived"). dlp_parameter_info is its public form. */
/* All pointers are borrowed from the scene until it is resolved again. */
typedef struct dlp_parameter {
    const char *path, *value, *unit, *origin, *help;
    bool can_animate;
    const struct dlp_schema_row *row; /* of the table */
    const char *text;                 /* of a text row, without quotes; else NULL */
    const double *numbers;            /* number_count of them; none with key frames or a curve */
    int32_t number_count;
    bool has_keys, has_curve;
} dlp_parameter;
typedef void dlp_parameter_fn(void *context, const dlp_parameter *parameter);
dlp_status dlp_scene_visit(dlp_scene *scene, dlp_parameter_fn *visit, void *context, dlp_error *error);

/* The reference page of all parameters in Markdown, from the table; caller frees. */
dlp_status dlp_scene_reference(char **out_text, dlp_error *error);

/* A scene compiled into the library; static texts. */
typedef struct dlp_bundled_scene {
    const char *name, *title, *text; /* "pour", one line, YAML */
} dlp_bundled_scene;
/* The scenes that ship with the library, sorted by name. */
const dlp_bundled_scene *dlp_bundled_scenes(int32_t *out_count);

#endif
