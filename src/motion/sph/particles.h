/* The particle store of the SPH solver. A field is declared once, in the list below; allocation, sorting,
 * removal and checkpoints follow from it. */
#ifndef DLP_MOTION_SPH_PARTICLES_H
#define DLP_MOTION_SPH_PARTICLES_H

#include "base/memory.h"
#include "base/parallel.h"
#include "motion/world.h"

#include <assert.h>

/* Which arrays a scene has: the last column of every field list. */
enum {
    DLP_STORE_ALWAYS = 1,
    DLP_STORE_SPACE = 2,      /* adapt.space */
    DLP_STORE_HEAT = 4,       /* any substance has a temperature */
    DLP_STORE_RESTRAINT = 8,  /* adapt.restraint */
    DLP_STORE_PARTIAL = 16,   /* adapt.time or adapt.restraint: not all particles are due at every step */
    DLP_STORE_MIXED = 32,     /* smoothing lengths differ */
    DLP_STORE_THIN = 64,      /* an obstacle is thin */
    DLP_STORE_IMPLICIT = 128, /* steps close as in implicit_step.c */
    DLP_STORE_VISCOUS = 256   /* viscosity is implicit */
};

/* X(name, C type, dlp_type, components, when). The state of a particle is that of its own time `begin`;
 * between its steps it is predicted. */
#define DLP_SPH_FIELDS(X)                                                                                    \
    X(position, double, DLP_FLOAT64, 3, DLP_STORE_ALWAYS)        /* m */                                     \
    X(velocity, float, DLP_FLOAT32, 3, DLP_STORE_ALWAYS)         /* m/s */                                   \
    X(acceleration, float, DLP_FLOAT32, 3, DLP_STORE_ALWAYS)     /* m/s2 */                                  \
    X(displacement, float, DLP_FLOAT32, 3, DLP_STORE_ALWAYS)     /* m, since the frame began */              \
    X(compression, float, DLP_FLOAT32, 1, DLP_STORE_ALWAYS)      /* delta = rho / rho0 */                    \
    X(compression_rate, float, DLP_FLOAT32, 1, DLP_STORE_ALWAYS) /* 1/s */                                   \
    X(held_until, float, DLP_FLOAT32, 1, DLP_STORE_ALWAYS)       /* s: in an emitter's mouth until then */   \
    X(units, int32_t, DLP_INT32, 1, DLP_STORE_ALWAYS)            /* mass in units of its substance */        \
    X(substance, int32_t, DLP_INT32, 1, DLP_STORE_ALWAYS)                                                    \
    X(begin, int32_t, DLP_INT32, 1, DLP_STORE_ALWAYS) /* tick of its state */                                \
    X(step, int32_t, DLP_INT32, 1, DLP_STORE_ALWAYS)  /* ticks until it is due */                            \
    X(id, int64_t, DLP_INT64, 1, DLP_STORE_ALWAYS)                                                           \
    X(sum_at_rest, float, DLP_FLOAT32, 1, DLP_STORE_SPACE) /* its density sum at rest density */             \
    X(sum, float, DLP_FLOAT32, 1, DLP_STORE_SPACE)     /* its density sum before the last split or merge */  \
    X(depth, float, DLP_FLOAT32, 1, DLP_STORE_SPACE)   /* m: from where it must be fine */                   \
    X(born, float, DLP_FLOAT32, 1, DLP_STORE_SPACE)    /* s: when it was split or merged */                  \
    X(renewal, float, DLP_FLOAT32, 1, DLP_STORE_SPACE) /* 1/s: at which its neighbourhood rearranges */      \
    X(sleep, int32_t, DLP_INT32, 1, DLP_STORE_RESTRAINT) /* dlp_sleep */                                     \
    X(static_load, float, DLP_FLOAT32, 3,                                                                    \
      DLP_STORE_RESTRAINT) /* m/s2: push that it withstands since it sleeps */                               \
    X(last_moved, float, DLP_FLOAT32, 1, DLP_STORE_RESTRAINT)      /* s: when it last moved freely */        \
    X(threshold_scale, float, DLP_FLOAT32, 1, DLP_STORE_RESTRAINT) /* factor of its thresholds, by view */   \
    X(temperature, double, DLP_FLOAT64, 1, DLP_STORE_HEAT)     /* degrees C: small steps must not vanish */  \
    X(temperature_rate, float, DLP_FLOAT32, 1, DLP_STORE_HEAT) /* K/s, as if nothing melted */               \
    X(kappa, float, DLP_FLOAT32, 1, DLP_STORE_IMPLICIT)        /* Pa: P / delta^2, what keeps its density */ \
    X(kappa_rate, float, DLP_FLOAT32, 1, DLP_STORE_IMPLICIT)   /* Pa: ... and what stopped a divergence */   \
    X(viscous_change, float, DLP_FLOAT32, 3, DLP_STORE_VISCOUS) /* m/s: by viscosity, in the last step */

/* Whether a particle holds its place. */
typedef enum dlp_sleep {
    DLP_AWAKE,
    DLP_DOZING, /* holds its place since its last step; the neighbours do not know yet */
    DLP_ASLEEP
} dlp_sleep;

typedef struct dlp_particles {
    int32_t count, capacity;
    uint32_t kept; /* the DLP_STORE_ bits whose fields there are; the others are NULL */
#define X(name, type, dlp, components, when) type *name;
    DLP_SPH_FIELDS(X)
#undef X
} dlp_particles;

enum { DLP_PARTICLE_LARGEST_FIELD = 3 * sizeof(double) };

static inline bool dlp_particles_have(const dlp_particles *particles, uint32_t when)
{
    return (particles->kept & when) != 0;
}

dlp_status dlp_particles_reserve(dlp_particles *particles, int32_t count, dlp_error *error);
void dlp_particles_release(dlp_particles *particles);
/* Puts particle order[k] at place k; `scratch` has DLP_PARTICLE_LARGEST_FIELD bytes per particle. */
void dlp_particles_permute(dlp_particles *particles, const int32_t *order, void *scratch, dlp_team *team);
/* Keeps the particles whose flag is set, in order. */
void dlp_particles_keep(dlp_particles *particles, const uint8_t *is_kept);
/* Keeps the particles order[0] < order[1] < ... alone. `scratch` has any number of bytes from
 * DLP_PARTICLE_LARGEST_FIELD on. */
void dlp_particles_keep_listed(dlp_particles *particles, const int32_t *order, int32_t count, void *scratch,
                               size_t scratch_bytes, dlp_team *team);
/* Appends every field. */
void dlp_particles_manifest(const dlp_particles *particles, dlp_manifest *manifest);

static inline dlp_vec3 dlp_particle_position(const dlp_particles *p, int32_t i)
{
    assert(i >= 0 && i < p->capacity);
    return dlp_vec(p->position[3 * i], p->position[3 * i + 1], p->position[3 * i + 2]);
}

#endif
