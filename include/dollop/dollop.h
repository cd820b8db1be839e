/* Dollop: highly deformable substances as particles. The public interface.
 *
 * A scene describes what there is; a world moves it; a skin wraps it in surfaces; a recorder writes it to a
 * folder. Units are SI.
 *
 * Errors: every call that can fail returns a status; where that is not DLP_OK it fills a dlp_error (which may
 * be NULL) with what was found, where, and what is allowed. A call that succeeds leaves the error untouched,
 * so look at the status, not at an older message. A call that fails changes nothing, unless it says so. NULL
 * where such a call needs a handle, a text or room for a result is DLP_INVALID.
 *
 * Ownership: what a _create, _read or _open call gives belongs to the caller, who hands it to _destroy or
 * _close; these take NULL. Everything else that a call gives (names, views, texts) belongs to the handle that
 * it was asked of, and lasts as long as the call says. Input records and texts are copied.
 *
 * Records that a call reads or fills begin with `size`. Zero the record and set its size, as in
 * `dlp_stats stats = {.size = sizeof stats};`: later versions add fields at the end, and a library only reads
 * and writes what the caller's record has. A size of 0 is refused. Records that the library hands to a
 * callback have the size that the library knows.
 *
 * Threads: a handle belongs to one thread at a time; different worlds may live in different threads. */
#ifndef DOLLOP_H
#define DOLLOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DLP_API                 __attribute__((visibility("default")))
#define DLP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DLP_API
#define DLP_PRINTF(text, first)
#endif

#define DLP_VERSION_MAJOR      0
#define DLP_VERSION_MINOR      1
#define DLP_VERSION_PATCH      0
#define DLP_SCENE_VERSION      1 /* of the scene's language */
#define DLP_CHECKPOINT_VERSION 2 /* of the checkpoint's layout */
#define DLP_MAX_THREADS        256

/* "0.1.0": the version of the library that runs, which may be newer than the header it was compiled with. */
DLP_API const char *dlp_version(void);

typedef enum dlp_status {
    DLP_OK = 0,
    DLP_INVALID, /* a bad argument or a bad scene */
    DLP_OUT_OF_MEMORY,
    DLP_IO,          /* a file could not be read or written, or does not hold what it should */
    DLP_DIVERGED,    /* the simulation diverged; the world stays readable */
    DLP_UNSUPPORTED, /* a feature this build or this version does not have */
    DLP_INTERRUPTED  /* a callback asked to stop; the world stands at a consistent moment */
} dlp_status;

typedef struct dlp_error {
    dlp_status status;
    char message[8192]; /* one or more lines, no newline at the end */
} dlp_error;

typedef struct dlp_vec3 {
    double x, y, z;
} dlp_vec3;

/* Memory. Replace the allocator before the first other call, or leave it: the default is the C library's. */
typedef struct dlp_allocator {
    void *(*allocate)(size_t alignment, size_t size, void *user);
    void (*release)(void *memory, size_t size, void *user);
    void *user;
} dlp_allocator;
DLP_API void dlp_set_allocator(const dlp_allocator *allocator);

/* Scenes: a file or a text in YAML or JSON, or empty and filled by path ("substances.honey.viscosity"). */
typedef struct dlp_scene dlp_scene;

DLP_API dlp_status dlp_scene_create(dlp_scene **out_scene, dlp_error *error);
DLP_API dlp_status dlp_scene_read_file(const char *path, dlp_scene **out_scene, dlp_error *error);
/* `name` stands for the file in messages; `folder` (may be NULL) is where relative file names start. */
DLP_API dlp_status dlp_scene_read_text(const char *text, size_t length, const char *name, const char *folder,
                                       dlp_scene **out_scene, dlp_error *error);
/* A scene that ships with the library, by name; DLP_INVALID with a suggestion where there is none. */
DLP_API dlp_status dlp_scene_read_bundled(const char *name, dlp_scene **out_scene, dlp_error *error);
/* Sets one parameter; `value` is written as in a scene file: `8`, `[0, 0, 1]`, `honey`. */
DLP_API dlp_status dlp_scene_set(dlp_scene *scene, const char *path, const char *value, dlp_error *error);
/* Checks every parameter; reports all mistakes at once, one a line. A world does this by itself. */
DLP_API dlp_status dlp_scene_check(dlp_scene *scene, dlp_error *error);
DLP_API void dlp_scene_destroy(dlp_scene *scene);
/* "pour" of a bundled scene or of pour.yaml; lasts as long as the scene. */
DLP_API const char *dlp_scene_name(const dlp_scene *scene);

/* As dlp_scene_set, but never makes a substance or probe by one of its parameters: an unknown name is
 * answered with the nearest one. Given as a whole (`{...}`) it is still added. */
DLP_API dlp_status dlp_scene_change(dlp_scene *scene, const char *path, const char *value, dlp_error *error);

/* Parameters as numbers and as text. Each of these calls checks the scene first, as dlp_scene_check does, but
 * for those that set. Doubles come back with the same bits. A boolean is 0 or 1, a choice the index of its
 * word, axes are three of 0 and 1. A parameter with key frames or one that depends on temperature has no
 * numbers of its own: read it as text. */
DLP_API dlp_status dlp_scene_get_numbers(dlp_scene *scene, const char *path, double *out_numbers,
                                         int32_t capacity, int32_t *out_count, dlp_error *error);
DLP_API dlp_status dlp_scene_set_numbers(dlp_scene *scene, const char *path, const double *numbers,
                                         int32_t count, dlp_error *error);
/* The value as dlp_scene_set takes it. *out_length (may be NULL) is its length without the 0 at its end, also
 * where `size` bytes are too few, which is DLP_INVALID: nothing is ever cut. A size of 0 asks for the length.
 */
DLP_API dlp_status dlp_scene_get_text(dlp_scene *scene, const char *path, char *out_text, size_t size,
                                      size_t *out_length, dlp_error *error);
/* Likewise the whole scene with every parameter resolved, as YAML that gives the same bits when it is run.
 * File names are made absolute, so that it works from any folder. */
DLP_API dlp_status dlp_scene_get_yaml(dlp_scene *scene, char *out_text, size_t size, size_t *out_length,
                                      dlp_error *error);

/* The list of all parameters that a scene has: those it gives, and the others with their defaults. */
typedef enum dlp_parameter_type {
    DLP_PARAMETER_NUMBER,
    DLP_PARAMETER_INTEGER,
    DLP_PARAMETER_BOOLEAN,
    DLP_PARAMETER_VECTOR,   /* two or three numbers */
    DLP_PARAMETER_INTEGERS, /* three integers */
    DLP_PARAMETER_NUMBERS,  /* any count */
    DLP_PARAMETER_AXES,     /* some of x, y, z */
    DLP_PARAMETER_CHOICE,   /* one word of a few */
    DLP_PARAMETER_TEXT,
    DLP_PARAMETER_NAME,
    DLP_PARAMETER_MATERIAL, /* the name of a preset */
    DLP_PARAMETER_FILE,     /* its absolute path */
    DLP_PARAMETER_LIST      /* a list of records that has no entries */
} dlp_parameter_type;

typedef struct dlp_parameter_info {
    size_t size; /* set by the caller: sizeof(dlp_parameter_info); later versions add fields at the end */
    const char *path;   /* "substances.honey.viscosity" */
    const char *value;  /* of any length: dlp_scene_set takes it back */
    const char *text;   /* of a text, name, material or file: without quotes and escapes; else NULL */
    const char *unit;   /* "" where there is none */
    const char *help;   /* one line */
    const char *origin; /* "default", "material honey", "pour.yaml:12", "set", "derived" */
    dlp_parameter_type type;
    int32_t components;             /* numbers in it, also where it has key frames; 0 of a text */
    double min, max;                /* of every number in it, infinite where there is no bound */
    bool is_min_open, is_max_open;  /* the bound itself is not allowed */
    bool is_live;                   /* dlp_world_set may change it while the world moves */
    bool can_have_keys, has_keys;   /* key frames: may have, has */
    bool can_have_curve, has_curve; /* likewise a value that depends on temperature */
    int32_t choice_count;           /* 0 but for a choice */
    uint32_t missing_choices;       /* a bit for every choice that this version does not have yet */
    const char *const *choices;
} dlp_parameter_info;
/* The texts of an info belong to the scene and last until one of its parameters is set or it is destroyed. */
DLP_API dlp_status dlp_scene_parameter_count(dlp_scene *scene, int32_t *out_count, dlp_error *error);
DLP_API dlp_status dlp_scene_parameter(dlp_scene *scene, int32_t index, dlp_parameter_info *out_info,
                                       dlp_error *error);
DLP_API dlp_status dlp_scene_find_parameter(dlp_scene *scene, const char *path, dlp_parameter_info *out_info,
                                            dlp_error *error);

/* What a scene consists of, in its order: the index of a substance is the one that particles have. */
typedef enum dlp_item_kind {
    DLP_ITEM_SUBSTANCE,
    DLP_ITEM_OBSTACLE,
    DLP_ITEM_EMITTER,
    DLP_ITEM_SINK,
    DLP_ITEM_ATTACHMENT,
    DLP_ITEM_BLADE,
    DLP_ITEM_LOAD,
    DLP_ITEM_PROBE
} dlp_item_kind;
DLP_API dlp_status dlp_scene_item_count(dlp_scene *scene, dlp_item_kind kind, int32_t *out_count,
                                        dlp_error *error);
/* *out_name lasts as the texts of an info do. */
DLP_API dlp_status dlp_scene_item_name(dlp_scene *scene, dlp_item_kind kind, int32_t index,
                                       const char **out_name, dlp_error *error);
/* The index of the item with this name; DLP_INVALID with the nearest name where there is none. */
DLP_API dlp_status dlp_scene_item_find(dlp_scene *scene, dlp_item_kind kind, const char *name,
                                       int32_t *out_index, dlp_error *error);

/* The scenes that ship with the library, sorted by name; NULL past the last one. The texts are static. */
DLP_API int32_t dlp_bundled_scene_count(void);
DLP_API const char *dlp_bundled_scene_name(int32_t index);
DLP_API const char *dlp_bundled_scene_title(int32_t index);
DLP_API const char *dlp_bundled_scene_text(int32_t index);

/* Worlds. */
typedef struct dlp_world dlp_world;

typedef struct dlp_progress {
    size_t size;           /* set by the library */
    int32_t frame;         /* being computed */
    double frame_fraction; /* 0..1 of it done */
    double time;           /* s */
    int32_t particle_count;
    int32_t active_count; /* particles due in the last step */
    int64_t step_count;   /* smallest steps since the world was made */
} dlp_progress;

/* A host's own threads, for engines that have a task system: the world then starts none. The results are the
 * same. Zero the record, set `size` and fill in the rest; fields that later versions add are then zero. */
typedef struct dlp_task_system {
    size_t size;          /* sizeof(dlp_task_system) */
    int32_t thread_count; /* how many of the host's threads may work at once, the calling one included */
    /* Starts task(context, k) for k = 0 .. count-1, each once, on any thread and in any order, and may return
     * before they are done. What it returns is handed to `finish`. Tasks never wait for one another. */
    void *(*enqueue)(void (*task)(void *context, int32_t k), void *context, int32_t count, void *user);
    /* Returns when all tasks of one `enqueue` are done; the calling thread may run some of them itself. */
    void (*finish)(void *handle, void *user);
    void *user; /* handed to both */
} dlp_task_system;

typedef struct dlp_world_options {
    size_t size;                                                /* sizeof(dlp_world_options) */
    int32_t thread_count;                                       /* 0: as many as there are processors */
    const char *instruction_set;                                /* NULL: the best; else "plain", "avx2" */
    void (*log)(const char *message, void *user);               /* notes and warnings; may be NULL */
    bool (*progress)(const dlp_progress *progress, void *user); /* after each step; false: stop here */
    void *user;
    const dlp_task_system *tasks; /* NULL: threads of its own; else `thread_count` above counts for nothing */
    bool measures_loads; /* computes the forces on all bodies; else only where a probe of the scene asks */
} dlp_world_options;

/* The world takes a copy of the scene, which may be changed or destroyed after. `options` may be NULL; what
 * it points to (`user`, `tasks`) must outlive the world. */
DLP_API dlp_status dlp_world_create(const dlp_scene *scene, const dlp_world_options *options,
                                    dlp_world **out_world, dlp_error *error);
DLP_API void dlp_world_destroy(dlp_world *world);

/* Advances to the end of the current frame. DLP_INTERRUPTED when the progress callback said so. */
DLP_API dlp_status dlp_world_step_frame(dlp_world *world, dlp_error *error);
/* Advances by `seconds` (1e-12 to 1e6), whatever the scene's frames are: for hosts with a loop of
 * their own. After an interruption it goes on at least to where the substance that is furthest stands.
 */
DLP_API dlp_status dlp_world_advance(dlp_world *world, double seconds, dlp_error *error);

/* Back to the start, as if it were made anew with its options and its scene, in which what dlp_world_set
 * changed stays changed. Handles of the world and of its skin stay valid; forces of a host stay, its motions
 * of bodies do not. Where it fails the world is as it was. */
DLP_API dlp_status dlp_world_reset(dlp_world *world, dlp_error *error);

DLP_API double dlp_world_time(const dlp_world *world);   /* s since the start */
DLP_API int32_t dlp_world_frame(const dlp_world *world); /* complete frames since the start */
DLP_API int32_t dlp_world_particle_count(const dlp_world *world);

/* What a world consists of: the items of its scene, in the scene's order. The index of an item is its handle,
 * the same for the world's life and in all worlds of the scene. A name lasts until dlp_world_set. */
DLP_API int32_t dlp_world_item_count(const dlp_world *world, dlp_item_kind kind);
DLP_API const char *dlp_world_item_name(const dlp_world *world, dlp_item_kind kind,
                                        int32_t index); /* or NULL */
DLP_API dlp_status dlp_world_item_find(const dlp_world *world, dlp_item_kind kind, const char *name,
                                       int32_t *out_index, dlp_error *error);

/* Parameters while the world moves; paths are those of a scene. Which of them may change is `is_live` of
 * dlp_parameter_info; the others are refused. A changed pose of an obstacle is reached over the next frame or
 * advance, so that it pushes what it meets. */
DLP_API dlp_status dlp_world_set(dlp_world *world, const char *path, const char *value, dlp_error *error);
DLP_API dlp_status dlp_world_set_numbers(dlp_world *world, const char *path, const double *numbers,
                                         int32_t count, dlp_error *error);
/* As dlp_scene_get_numbers; of a parameter with key frames, its value now. */
DLP_API dlp_status dlp_world_get_numbers(const dlp_world *world, const char *path, double *out_numbers,
                                         int32_t capacity, int32_t *out_count, dlp_error *error);
/* A copy of the world's scene as it is set now, to read and list parameters; the caller destroys it. */
DLP_API dlp_status dlp_world_copy_scene(const dlp_world *world, dlp_scene **out_scene, dlp_error *error);

/* Bodies: the scene's obstacles. */
typedef struct dlp_pose {
    dlp_vec3 position; /* m */
    dlp_vec3 rotation; /* degrees, about x, then y, then z, around the body's pivot */
} dlp_pose;

typedef struct dlp_body_info {
    size_t size;                         /* sizeof(dlp_body_info) */
    const char *name;                    /* lasts until dlp_world_set */
    bool is_moving;                      /* it has key frames, or was moved */
    dlp_pose pose;                       /* now */
    dlp_vec3 pivot;                      /* m: where the pivot is now */
    dlp_vec3 velocity, angular_velocity; /* m/s of the pivot, rad/s */
} dlp_body_info;
DLP_API dlp_status dlp_world_body(const dlp_world *world, int32_t body, dlp_body_info *out_info,
                                  dlp_error *error);
/* Where a body is to be at the end of the next frame or advance; it goes there evenly, pushes what it meets,
 * and stays there. NULL: it goes back to where the scene has it, and follows the scene again. */
DLP_API dlp_status dlp_world_move_body(dlp_world *world, int32_t body, const dlp_pose *pose,
                                       dlp_error *error);

/* What substances did to a body, of all models or of one ("sph"). 2-D: per metre of depth. */
typedef struct dlp_body_force {
    size_t size;                       /* sizeof(dlp_body_force) */
    dlp_vec3 force, torque;            /* N, N m about the pivot: at the end of the last step */
    dlp_vec3 impulse, angular_impulse; /* N s, N m s: since the last frame or advance began */
    dlp_vec3 mean_force, mean_torque;  /* those over the time since then */
} dlp_body_force;
/* DLP_INVALID where loads are not measured: see dlp_world_options. */
DLP_API dlp_status dlp_world_body_force(const dlp_world *world, int32_t body, const char *model_or_null,
                                        dlp_body_force *out_force, dlp_error *error);

/* A particle's fields, one after another in memory, valid until the world changes. */
typedef enum dlp_field {
    DLP_FIELD_POSITION,     /* double[3], m */
    DLP_FIELD_VELOCITY,     /* float[3], m/s */
    DLP_FIELD_DENSITY,      /* float, kg/m3 */
    DLP_FIELD_PRESSURE,     /* float, Pa */
    DLP_FIELD_MASS,         /* float, kg (kg/m in 2-D) */
    DLP_FIELD_RADIUS,       /* float, m: of a sphere (2-D: disc) of the particle's rest volume */
    DLP_FIELD_SUBSTANCE,    /* int32_t: index in the scene's order */
    DLP_FIELD_LEVEL,        /* int32_t: 0 finest */
    DLP_FIELD_STEP,         /* float, s: the particle's own time step */
    DLP_FIELD_STATE,        /* int32_t: 0 active, 1 transition, 2 restrained */
    DLP_FIELD_ID,           /* int64_t: stable for life, never reused */
    DLP_FIELD_DISPLACEMENT, /* float[3], m: over the last frame */
    DLP_FIELD_TEMPERATURE,  /* float, degrees C; a view without components where no substance has one */
    DLP_FIELD_PIECE, /* int32_t: of a solid, what hangs together; a view without components where nothing is
                        cut */
    DLP_FIELD_COUNT
} dlp_field;

typedef enum dlp_type { DLP_FLOAT32, DLP_FLOAT64, DLP_INT32, DLP_INT64 } dlp_type;

typedef struct dlp_view {
    size_t size; /* sizeof(dlp_view) */
    const void *data;
    int32_t count;      /* of particles */
    int32_t components; /* a particle */
    dlp_type type;
} dlp_view;
DLP_API dlp_status dlp_world_field(const dlp_world *world, dlp_field field, dlp_view *out_view,
                                   dlp_error *error);
DLP_API const char *dlp_field_name(dlp_field field);

/* Changes of particles between frames or advances; while one is interrupted they are refused. Views become
 * invalid. */

/* Writes a field of the particles first .. first + count - 1 in the order of the views: `values` have the
 * field's type and components. Positions and velocities can be written, and temperatures where there are
 * some; positions must be finite and inside the domain. What an attachment holds goes back to where it is
 * held. */
DLP_API dlp_status dlp_world_write(dlp_world *world, dlp_field field, int32_t first, int32_t count,
                                   const void *values, dlp_error *error);

/* Smoothed particles of the finest size, at rest density, after all that there are. Solids and cloth hang
 * together by links, so that single particles are neither added nor removed: the call says so. */
typedef struct dlp_new_particles {
    size_t size;                /* sizeof(dlp_new_particles) */
    int32_t substance;          /* index in the scene's order */
    int32_t count;              /* of particles */
    const dlp_vec3 *positions;  /* m */
    const dlp_vec3 *velocities; /* m/s; NULL: at rest */
} dlp_new_particles;
DLP_API dlp_status dlp_world_add_particles(dlp_world *world, const dlp_new_particles *particles,
                                           dlp_error *error);
/* `indices` are places in the views, ascending, each once. */
DLP_API dlp_status dlp_world_remove_particles(dlp_world *world, const int32_t *indices, int32_t count,
                                              dlp_error *error);

/* A host's own force on the particles of a substance. The callback is called with up to a few hundred
 * particles at a time, from several threads at once, as often as forces are evaluated; it must depend on
 * nothing but what it is given, so that results do not depend on the threads. `forces`, N (2-D: N per metre
 * of depth), are zero before; one that is not finite ends the frame with a message. */
typedef struct dlp_force_batch {
    size_t size; /* set by the library */
    int32_t substance, count;
    double time; /* s */
    const int64_t *ids;
    const dlp_vec3 *positions, *velocities; /* m, m/s */
    const double *masses;                   /* kg (2-D: kg/m) */
} dlp_force_batch;
typedef void dlp_force_callback(const dlp_force_batch *batch, dlp_vec3 *forces, void *user);
/* Instead of the one before; NULL: none. `user` is borrowed. A checkpoint does not hold it: set it again
 * before a world that was loaded moves on. */
DLP_API dlp_status dlp_world_set_force(dlp_world *world, int32_t substance, dlp_force_callback *callback,
                                       void *user, dlp_error *error);

/* What can be done with a substance's particles. */
typedef struct dlp_substance_info {
    size_t size;              /* sizeof(dlp_substance_info) */
    const char *name;         /* lasts until dlp_world_set */
    const char *model;        /* "sph", "solid", "cloth": static */
    int32_t particle_count;   /* now */
    uint32_t writable_fields; /* 1 << field for each that dlp_world_write takes */
    bool can_add, can_remove, can_have_force;
} dlp_substance_info;
DLP_API dlp_status dlp_world_substance(const dlp_world *world, int32_t substance,
                                       dlp_substance_info *out_info, dlp_error *error);

/* The mean around a point, weighted by the kernel, of the model that has most there; of fluids alone. */
typedef struct dlp_point_sample {
    size_t size;              /* sizeof(dlp_point_sample) */
    double density, pressure; /* kg/m3, Pa */
    dlp_vec3 velocity;        /* m/s */
    double temperature;       /* degrees C; 0 where no substance has one */
    double fraction;          /* sum of V_j W: about 1 inside the substance, 0 far from it */
    double obstacle_fraction; /* the same of the obstacles: about 0.5 on a wall that the substance is near */
} dlp_point_sample;
DLP_API dlp_status dlp_world_sample(const dlp_world *world, dlp_vec3 point, dlp_point_sample *out_sample,
                                    dlp_error *error);
/* What a probe of the scene measures now, as its columns of probes.csv: one number, or three of a vector. */
DLP_API dlp_status dlp_world_probe(const dlp_world *world, int32_t probe, double out_values[3],
                                   int32_t *out_count, dlp_error *error);

/* What happened in the last complete frame, and where things stand. The columns of stats.csv, in order. */
typedef struct dlp_stats {
    size_t size; /* sizeof(dlp_stats) */
    int32_t frame;
    double time;
    int32_t particles, active, restrained;
    int64_t splits, merges, substeps, force_evaluations;
    int64_t finest_particles; /* particles there were, had none merged */
    int64_t full_evaluations; /* force evaluations there were, had all of those made the smallest step */
    double neighbours_mean, dt_min, dt_max;
    double kinetic_energy, potential_energy; /* J (J/m in 2-D) */
    dlp_vec3 momentum;                       /* kg m/s */
    double mass, volume;                     /* kg, m3 */
    double density_error_mean, density_error_max;
    double wall_motion, wall_skin, wall_record; /* s of wall clock */
    double heat;               /* J (J/m in 2-D) above 0 degrees C; 0 where no substance has a temperature */
    dlp_vec3 angular_momentum; /* kg m2/s, about the origin */
    /* With solvers of pressures and viscosity; 0 without. Passes per step; what the solve for the density
     * left of its equations, in compressions: the mean per particle and the largest (density_error_ says how
     * dense the substance is); share of steps in which a solve ended before it was as exact as asked. */
    double density_passes, divergence_passes, viscosity_passes, residual_mean, residual_max, capped;
} dlp_stats;
DLP_API dlp_status dlp_world_stats(dlp_world *world, dlp_stats *out_stats, dlp_error *error);

/* Surfaces: a closed mesh around every substance, or one around all of them, as the scene's `surface` says.
 * Cloth is its own surface: an open sheet, whose vertices are its particles in their order; ropes are thin
 * tubes. Solids carry the mesh of their shape, a mesh file's own triangles in its order, copy by copy, until
 * the first cut. */
typedef struct dlp_skin dlp_skin;

typedef struct dlp_surface_view { /* valid until the skin changes */
    size_t size;                  /* sizeof(dlp_surface_view) */
    const char *name;             /* of the substance; NULL where there is one surface alone */
    int32_t vertex_count, triangle_count;
    const dlp_vec3 *vertices;      /* m */
    const int32_t (*triangles)[3]; /* counter-clockwise seen from outside */
    const float *normals;          /* three a vertex: unit, outward */
    const float *velocities;       /* m/s, three a vertex */
    const float *temperatures;     /* degrees C, or NULL */
    const float *colors;           /* sRGB, three a vertex, or NULL */
    double volume, area;           /* m3 (0 of cloth), m2 */
    bool is_cloth;                 /* open, to be seen from both sides */
} dlp_surface_view;

/* The surfaces of a world, which must outlive them. From then on saving and loading the world includes its
 * surfaces. */
DLP_API dlp_status dlp_skin_create(dlp_world *world, dlp_skin **out_skin, dlp_error *error);
DLP_API void dlp_skin_destroy(dlp_skin *skin);
/* Makes the surfaces of the world as it stands; once before the first frame and once after every frame. */
DLP_API dlp_status dlp_skin_update(dlp_skin *skin, dlp_error *error);
DLP_API int32_t dlp_skin_surface_count(const dlp_skin *skin);
DLP_API dlp_status dlp_skin_surface(const dlp_skin *skin, int32_t surface, dlp_surface_view *out_view,
                                    dlp_error *error);

/* The whole state, to go on bit for bit. The file is written beside and renamed, so the old one survives. A
 * checkpoint that is refused leaves the world as it was. */
DLP_API dlp_status dlp_world_save(const dlp_world *world, const char *path, dlp_error *error);
DLP_API dlp_status dlp_world_load(dlp_world *world, const char *path, dlp_error *error);

/* Single files, each written beside and renamed. Particles with all their fields as .vtp, for ParaView. */
DLP_API dlp_status dlp_world_write_frame(const dlp_world *world, const char *path, dlp_error *error);
/* A surface in the format of the name's ending: .ply, .obj, .stl or .glb. */
DLP_API dlp_status dlp_skin_write(const dlp_skin *skin, int32_t surface, const char *path, dlp_error *error);

/* A recorder writes a run into a folder, frame by frame, as the scene's `record` and `surface` say: frames,
 * surfaces, stats.csv, probes.csv, checkpoints, a preview, and the resolved scene. */
typedef struct dlp_recorder dlp_recorder;

typedef enum dlp_run_mode {
    DLP_RUN_FRESH, /* refuses a folder with a run in it */
    DLP_RUN_FORCE, /* removes the run that is there, and nothing else */
    DLP_RUN_RESUME /* goes on from its checkpoint; from the beginning where there is none */
} dlp_run_mode;

typedef struct dlp_recorder_def {
    size_t size; /* sizeof(dlp_recorder_def) */
    const char *folder;
    dlp_scene *scene; /* of the world; read by the call alone */
    dlp_run_mode mode;
    void (*log)(const char *message, void *user); /* what this build cannot write; may be NULL */
    void *user;
} dlp_recorder_def;

/* Prepares the folder and writes scene.yaml. To resume, the scene must be the checkpoint's but for length and
 * recording: the message names the first difference. Rows and frames after the checkpoint are dropped once it
 * is loaded (dlp_recorder_restore); one that is refused changes nothing in the folder. */
DLP_API dlp_status dlp_recorder_open(const dlp_recorder_def *def, dlp_recorder **out_recorder,
                                     dlp_error *error);
DLP_API void dlp_recorder_close(dlp_recorder *recorder);
/* The last complete frame that is recorded; -1 where the run starts at the beginning. */
DLP_API int32_t dlp_recorder_last_frame(const dlp_recorder *recorder);
/* Takes the world that is recorded from now on: gives it its skin and, where the run goes on, the
 * checkpoint's state. The world must outlive the recorder. */
DLP_API dlp_status dlp_recorder_restore(dlp_recorder *recorder, dlp_world *world, dlp_error *error);
/* Records the world's frame (0 is the initial state), unless it is recorded already. */
DLP_API dlp_status dlp_recorder_frame(dlp_recorder *recorder, dlp_world *world, dlp_error *error);
/* The end of a run, or its interruption, also within a frame: the last checkpoint where it is not written
 * yet, and the preview of the world as it stands. */
DLP_API dlp_status dlp_recorder_finish(dlp_recorder *recorder, dlp_world *world, dlp_error *error);

/* What this build of the library can do. */
typedef enum dlp_feature {
    DLP_FEATURE_YAML,        /* scenes in YAML; without it in JSON alone */
    DLP_FEATURE_CHECKPOINTS, /* dlp_world_save, dlp_world_load, DLP_RUN_RESUME (HDF5) */
    DLP_FEATURE_PNG,         /* pictures as files (libpng) */
    DLP_FEATURE_RENDERING,   /* pictures of 3-D scenes (Embree) */
    DLP_FEATURE_VDB,         /* fields of surfaces as .vdb (OpenVDB) */
    DLP_FEATURE_COUNT
} dlp_feature;
DLP_API bool dlp_has_feature(dlp_feature feature);
/* The models that substances may have: "sph", ...; NULL past the last one. */
DLP_API const char *dlp_model_name(int32_t index);
/* The instruction sets that this processor and this build have, the best first; NULL past the last one. */
DLP_API const char *dlp_instruction_set_name(int32_t index);

#ifdef __cplusplus
}
#endif
#endif
