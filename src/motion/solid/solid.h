/* Elastic, plastic, cuttable solids: bodies of particles that keep their rest neighbours, moved in sub-steps
 * by constraints on their energy.  [yang2023] */
#ifndef DLP_MOTION_SOLID_SOLID_H
#define DLP_MOTION_SOLID_SOLID_H

#include "motion/world.h"

/* The particles: state. A field is declared here once: name, type, its type in files, components. Memory,
 * birth and checkpoints follow from the list. */
#define DLP_SOLID_FIELDS(X)                                                                                  \
    X(position, double, DLP_FLOAT64, 3)          /* m */                                                     \
    X(velocity, double, DLP_FLOAT64, 3)          /* m/s */                                                   \
    X(step_displacement, double, DLP_FLOAT64, 3) /* m: gone in the last sub-step */                          \
    X(last_velocity, double, DLP_FLOAT64, 3)     /* m/s: as that began, with what acted from outside */      \
    X(x0, double, DLP_FLOAT64, 3)                /* m: X, where the body was made */                         \
    X(start_place, double, DLP_FLOAT64, 3)       /* m: where an attachment found it */                       \
    X(mass, double, DLP_FLOAT64, 1)              /* kg; > 0 */                                               \
    X(rotation, float, DLP_FLOAT32, 4)     /* quaternion of its rotation: where the search for it starts */  \
    X(plastic, float, DLP_FLOAT32, 9)      /* what has flowed: F_p^-1 - I, by rows */                        \
    X(displacement, float, DLP_FLOAT32, 3) /* m: since the frame began */                                    \
    X(pressing, float, DLP_FLOAT32, 1)     /* m/s2: from obstacles, the mean that friction goes by */        \
    X(contact_time, float, DLP_FLOAT32, 1) /* s: how far back that goes, twice at most; >= 0 */              \
    X(substance, int32_t, DLP_INT32, 1)    /* of the scene */                                                \
    X(body, int32_t, DLP_INT32, 1)         /* what it hung together with at rest */                          \
    X(pin, int32_t, DLP_INT32, 1)          /* attachment that holds it, or -1 */                             \
    X(layer, int32_t, DLP_INT32, 1)        /* 0 at the surface, 1 next to it, 2 inside */                    \
    X(id, int64_t, DLP_INT64, 1)           /* in the order in which they were made */

typedef struct dlp_solid_particles {
    int32_t count;
#define X(name, type, dlp, components) type *name;
    DLP_SOLID_FIELDS(X)
#undef X
} dlp_solid_particles;

/* What the world asks of the solver; `step` in solid_step.c reads as the algorithm. */
typedef struct dlp_solid dlp_solid;

/* Fills the shapes of all solid substances of the scene. *out_solid is NULL where there is none. */
extern const dlp_solver dlp_solid_solver; /* solid_table.c: what the world asks */
/* That of a world; NULL where it has none. */
static inline dlp_solid *dlp_solid_of(const dlp_world *world)
{
    return (dlp_solid *)dlp_world_solver(world, &dlp_solid_solver);
}

dlp_status dlp_solid_create(const dlp_solver_context *context, dlp_solid **out_solid, dlp_error *error);
void dlp_solid_destroy(dlp_solid *solid);

double dlp_solid_step_limit(const dlp_solid *solid);
void dlp_solid_begin_span(dlp_solid *solid);
void dlp_solid_begin(dlp_solid *solid);
/* solid_queries.c: where the interval stands, s; s that a sub-step takes. */
double dlp_solid_time(const dlp_solid *solid);
double dlp_solid_step_length(const dlp_solid *solid);
/* The tick of the world's clock at which the next sub-step would end, were the interval not cut short. */
int64_t dlp_solid_next_tick(const dlp_solid *solid);
/* solid_step.c: one sub-step of so many seconds. *out_is_done false: it failed, and the next is shorter. */
dlp_status dlp_solid_step(dlp_solid *solid, double step, bool *out_is_done, dlp_error *error);
/* The scene was changed. */
void dlp_solid_change(dlp_solid *solid);
/* Between intervals: adds to every particle's velocity, m/s, three each. */
void dlp_solid_add_velocity(dlp_solid *solid, const float *dv);

const dlp_solid_particles *dlp_solid_particles_of(const dlp_solid *solid);
/* m: of a sphere of the particle's rest volume. */
double dlp_solid_radius(const dlp_solid *solid, int32_t particle);
/* solid_strain.c: how strained every particle is, one each; borrowed until the solids move. */
typedef struct dlp_solid_strain {
    double energy;      /* J/m3 of rest volume */
    float pressure;     /* Pa: minus a third of the trace of the Cauchy stress */
    float volume_ratio; /* volume over that at rest: det F */
} dlp_solid_strain;
const dlp_solid_strain *dlp_solid_strains(const dlp_solid *solid);
/* Deformation gradient of one particle, by rows. */
void dlp_solid_gradient(const dlp_solid *solid, int32_t particle, double out_gradient[9]);
/* The affine map around a particle, by rows: what was at X at rest is at `at` + gradient X, m, and goes with
 * `velocity` + rate X, m/s. */
typedef struct dlp_solid_map {
    double at[3], gradient[9];
    double velocity[3], rate[9];
} dlp_solid_map;
/* solid_affine_maps.c: those of all particles, one each, where these have the places and velocities given, m
 * and m/s, three each: its own, or recorded ones; without velocities (NULL) all stand still. */
void dlp_solid_find_maps(const dlp_solid *solid, const double *positions, const float *velocities,
                         dlp_solid_map *out_maps);
/* Whether a body of the substance has lost a rest neighbour: to a blade, or by breaking. */
bool dlp_solid_is_cut(const dlp_solid *solid, int32_t substance);
/* Whether there are blades, or substances that break. */
bool dlp_solid_may_break(const dlp_solid *solid);
/* The fragment of each particle: what hangs together now. Numbered in the order of their first particles. */
const int32_t *dlp_solid_fragments_of(const dlp_solid *solid);
int32_t dlp_solid_fragment_count(const dlp_solid *solid);
/* Marks the fragments in which a cut that does not part them stands open, one flag a fragment, where the
 * particles have the places given, m, three each. */
void dlp_solid_find_open_cuts(const dlp_solid *solid, const double *positions, uint8_t *out_is_open);
/* solid_fragments.c: takes the links between fragments away, and only those: `fragments` are those of a
 * recorded frame, one a particle. */
dlp_status dlp_solid_set_fragments(dlp_solid *solid, const int32_t *fragments, dlp_error *error);

/* Adds the solids' part to a frame's statistics: counts, energies, momentum, mass. */
void dlp_solid_measure(const dlp_solid *solid, dlp_stats *stats);

/* solid_checkpoint.c: as dlp_solver says. */
void dlp_solid_manifest(dlp_solid *solid, dlp_manifest *manifest);
dlp_status dlp_solid_begin_load(dlp_solid *solid, int32_t particle_count, dlp_error *error);
dlp_status dlp_solid_end_load(dlp_solid *solid, dlp_error *error);

#endif
