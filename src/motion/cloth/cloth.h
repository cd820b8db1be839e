/* Cloth: sheets and ropes of particles held together by elastic elements, moved by implicit Euler on momenta
 * where particles that hardly move are restrained.  [manteaux2013, sec. 4] */
#ifndef DLP_MOTION_CLOTH_CLOTH_H
#define DLP_MOTION_CLOTH_CLOTH_H

#include "matter/restraint.h"
#include "motion/cloth/cloth_fields.h"
#include "motion/world.h"

/* Constants of one substance with `model: cloth`, derived from its definition. Stiffnesses are of a sheet: a
 * rope is a strip of `width`. */
typedef struct dlp_fabric {
    double weight;        /* kg/m2 */
    double thickness;     /* m: contacts keep sheets this far apart */
    double stretch[2];    /* N/m: along warp and weft */
    double shear;         /* N/m */
    double bend;          /* N m: flexural rigidity */
    double damping;       /* 1/s: f = -damping m v of the effective velocity */
    double inner_damping; /* s: of the elastic elements, proportional to their stiffness */
    double tear;          /* strain at which it tears; 0: never */
    double friction;      /* Coulomb, between sheets */
    double drag;          /* of the air across the sheet: a pure number */
    dlp_restraint restraint;
    double tolerance;   /* m/s: effective speed below which a particle counts as inactive */
    double decay_time;  /* s: time in which hidden momentum fades; 0: never */
    bool is_restrained; /* adapt.restraint */
    bool meets_itself;
} dlp_fabric;

/* The particles: state. */
#define DLP_CLOTH_PARTICLE_FIELDS(X)                                                                         \
    X(position, double, 3, "cloth/position")        /* m */                                                  \
    X(velocity, double, 3, "cloth/velocity")        /* m/s: momentum over mass, hidden while restrained */   \
    X(mass, double, 1, "cloth/mass")                /* kg; > 0 */                                            \
    X(displacement, float, 3, "cloth/displacement") /* m: since the span began */                            \
    X(substance, int32_t, 1, "cloth/substance")     /* of the scene */                                       \
    X(pin, int32_t, 1, "cloth/pin")                 /* attachment that holds it, or -1 */                    \
    X(id, int64_t, 1, "cloth/id")                   /* below the solver's next_id, never used twice */       \
    X(state, int32_t, 1, "cloth/state")             /* 0 active, 1 transition, 2 restrained */               \
    X(start_place, double, 3, "cloth/start_place")  /* m: where an attachment found it */                    \
    X(change, double, 3, "cloth/change")            /* m/s: of its velocity, in the last solve */            \
    X(last_change, double, 3,                                                                                \
      "cloth/last_change")                     /* m/s: what forces did to its velocity in the last step */   \
    X(last_path, double, 3, "cloth/last_path") /* m: how far the last step took it */                        \
    X(was_pinned, int32_t, 1, "cloth/was_pinned") /* 1: an attachment moved it in the last step */           \
    X(is_moved, int32_t, 1, "cloth/is_moved")     /* 1: since its elements and the air were computed */
typedef struct dlp_cloth_particles {
    int32_t count;
    DLP_CLOTH_SAVED_ARRAYS(DLP_CLOTH_PARTICLE_FIELDS)
} dlp_cloth_particles;

/* A membrane element at rest: a triangle of constant strain. */
typedef struct dlp_cloth_triangle {
    int32_t substance;
    double inverse_rest[4]; /* 1/m: inverse of the edges' matrix in the sheet's warp and weft: w_u, w_v of
                       [baraff1998] */
    double area;            /* m2 */
} dlp_cloth_triangle;

/* A link of a rope at rest: a spring between two particles. */
typedef struct dlp_cloth_link {
    int32_t substance;
    double length, stiffness; /* m, N/m */
} dlp_cloth_link;

/* What the world asks of the cloth solver; `step` in cloth_step.c reads as the algorithm. */
typedef struct dlp_cloth dlp_cloth;

/* Makes the sheets and ropes of all cloth substances of the scene. *out_cloth is NULL where there is none. */
extern const dlp_solver dlp_cloth_solver; /* cloth_table.c: what the world asks */
/* That of a world; NULL where it has none. */
static inline dlp_cloth *dlp_cloth_of(const dlp_world *world)
{
    return (dlp_cloth *)dlp_world_solver(world, &dlp_cloth_solver);
}

dlp_status dlp_cloth_create(const dlp_solver_context *context, dlp_cloth **out_cloth, dlp_error *error);
void dlp_cloth_destroy(dlp_cloth *cloth);

double dlp_cloth_step_limit(const dlp_cloth *cloth); /* s */
void dlp_cloth_begin_span(dlp_cloth *cloth);
void dlp_cloth_begin(dlp_cloth *cloth);
/* The scene was changed. */
void dlp_cloth_change(dlp_cloth *cloth);
/* cloth_query.c: where the interval stands, s; s that a step takes; particles that moved in the last one. */
double dlp_cloth_time(const dlp_cloth *cloth);
double dlp_cloth_step_length(const dlp_cloth *cloth);
int32_t dlp_cloth_active_count(const dlp_cloth *cloth);
/* Between intervals: adds to every particle's velocity, m/s, three each. */
void dlp_cloth_add_velocity(dlp_cloth *cloth, const float *delta_v);

const dlp_cloth_particles *dlp_cloth_particles_of(const dlp_cloth *cloth);
/* At rest; and the particles at their corners, three each, which change when cloth tears. */
const dlp_cloth_triangle *dlp_cloth_rest_triangles(const dlp_cloth *cloth, int32_t *out_count);
const int32_t *dlp_cloth_triangle_corners(const dlp_cloth *cloth);
const dlp_fabric *dlp_cloth_fabric(const dlp_cloth *cloth, int32_t substance);
/* m: of a particle, for pictures and statistics: half its thickness, or half the mean distance of neighbours
 */
double dlp_cloth_radius(const dlp_cloth *cloth, int32_t particle);

/* Adds the cloth's part to a frame's statistics: counts, energies, momentum, mass. */
void dlp_cloth_measure(const dlp_cloth *cloth, dlp_stats *stats);

/* cloth_checkpoint.c: as dlp_solver says. */
void dlp_cloth_manifest(dlp_cloth *cloth, dlp_manifest *manifest);
dlp_status dlp_cloth_begin_load(dlp_cloth *cloth, int32_t particle_count, dlp_error *error);
dlp_status dlp_cloth_end_load(dlp_cloth *cloth, dlp_error *error);

/* All cloth as triangles, and ropes as links between two particles: indices into the fields of a world in
 * which the cloth's particles begin at `first`. Borrowed until the cloth changes. */
typedef struct dlp_cloth_topology {
    int32_t particle_count;
    int32_t triangle_count, link_count;
    const int32_t (*triangles)[3];
    const int32_t (*links)[2]; /* that are not torn */
} dlp_cloth_topology;
dlp_status dlp_cloth_topology_of(dlp_cloth *cloth, int32_t first, dlp_cloth_topology *out_topology,
                                 dlp_error *error);
/* ... of a world; empty where it has no cloth. */
dlp_status dlp_world_cloth_topology(const dlp_world *world, dlp_cloth_topology *out_topology,
                                    dlp_error *error);

#endif
