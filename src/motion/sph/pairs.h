/* The loops over neighbours: for each point of an index list, gather over its neighbours. Compiled once per
 * target; everything they read of a point stands in one packed-record of sixteen floats, one cache line. */
#ifndef DLP_MOTION_SPH_PAIRS_H
#define DLP_MOTION_SPH_PAIRS_H

#include "motion/body.h"
#include "scene/scene.h"
#include "space/neighbours.h"

/* Places in a packed-record. The position is an int32_t in units of space (space/grid.h), bit for bit. */
enum {
    DLP_PACKED_AT = 0,        /* x, y, z */
    DLP_PACKED_VOLUME0 = 3,   /* m3: rest volume */
    DLP_PACKED_VELOCITY = 4,  /* m/s; of a wall: mirrored, for viscosity */
    DLP_PACKED_PRESSURE = 7,  /* P / delta^2; for `muller` P itself */
    DLP_PACKED_VOLUME = 8,    /* m3: volume now, m / rho */
    DLP_PACKED_VISCOSITY = 9, /* Pa s; of a wall: share that sticks */
    DLP_PACKED_DENSITY = 10,  /* kg/m3 */
    DLP_PACKED_H = 11,        /* m: smoothing length */
    DLP_PACKED_ALPHA_C = 12,  /* m/s: alpha c of the artificial viscosity; of a wall: its own velocity, x */
    DLP_PACKED_BETA = 13,     /* ... y */
    DLP_PACKED_BULK = 14,     /* Pa: rho0 k; ... z */
    DLP_PACKED_REST_PRESSURE = 15, /* Pa at rest density */
    DLP_PACKED_SIZE = 16
};

/* Everything a loop reads but the packed-records; constant during a step. */
typedef struct dlp_pair_params {
    dlp_kernel_kind kernel;
    int32_t dimension;
    bool is_mixed; /* smoothing lengths differ */
    bool carries_density;
    bool has_artificial;
    float unit[3];                   /* m: of a packed-record's position */
    float h;                         /* m: where all are alike */
    float norm, slope_norm;          /* of the kernel over the lattice's sum, without powers of h */
    float compression_factor;        /* of delta - 1: over the share of a compression that the sum sees */
    float laplacian_norm;            /* of Mueller's viscosity, calibrated, without powers of h */
    float viscosity_factor;          /* K = 2 (d + 2), calibrated */
    float implicit_viscosity_factor; /* the same, where viscosity is implicit, and viscosity_factor is 0 */
    float conduction_factor;         /* K = 2, calibrated */
    float diffusion;                 /* of carried densities, 0 for none */
    float tensile_control;           /* with carried densities: share of tension that repels, 0 for none */
    float inverse_nearness;          /* one over the kernel's shape at one spacing */
    float gravity[3];                /* m/s2 */
} dlp_pair_params;

/* What the force loop leaves for a particle. */
typedef struct dlp_pair_sums {
    float *force;    /* N, 3 per particle */
    float *rate;     /* 1/s: d(delta)/dt */
    float *approach; /* m/s: largest |mu_ij| */
} dlp_pair_sums;

typedef struct dlp_pair_work {
    const dlp_pair_params *params;
    float *packed;
    const dlp_lists *lists;
    const int32_t *index;          /* the points to do */
    float *out;                    /* density: per point, sum of V0 W, itself included */
    const float *depth;            /* survey: per particle, m */
    dlp_pair_sums sums;            /* forces: per point */
    const float *wall_sum;         /* walls: per wall point: what the walls themselves contribute */
    const float *wall_sum_at_rest; /* walls: per wall point: its sum when the substance outside is at rest; 0
                                    * where it takes over the pressure of the substance */
    int32_t wall_first;
    const int32_t *wall_owner;    /* walls: body of each wall point */
    const dlp_body *bodies;       /* walls: how their bodies rotate */
    int32_t seen_begin, seen_end; /* loads: the particles that see these wall points */
    float *load;                  /* loads: N, 3 per entry of index */
    float *measure;               /* measures, survey: DLP_MEASURE_SIZE, DLP_SURVEY_SIZE per entry of index */
    float *heat;                  /* heat: DLP_HEAT_SIZE per point */
    float *flow;                  /* heat: DLP_FLOW_SIZE per point */
} dlp_pair_work;

enum { DLP_MEASURE_NEIGHBOURS, DLP_MEASURE_OFFSET, DLP_MEASURE_SIZE };

/* What the heat loops read of a point beside its packed-record, and what they leave. */
enum {
    DLP_HEAT_TEMPERATURE,  /* degrees C; of a wall: mirrored */
    DLP_HEAT_CONDUCTIVITY, /* W/(m K); of a wall: 1 where heat passes, else 0 */
    DLP_HEAT_WALL,         /* degrees C: of a wall's surface */
    DLP_HEAT_SIZE = 4
};
enum {
    DLP_FLOW_POWER,   /* W into it */
    DLP_FLOW_PRESENT, /* m3: weighted volume of its neighbourhood */
    DLP_FLOW_MOMENT,  /* m4: size of its first moment */
    DLP_FLOW_SIZE
};

/* What a survey tells of a particle, to split or merge it. */
enum {
    DLP_SURVEY_EDGE,    /* x, y, z of h sum V grad W: 0 inside, 0.7 long at a flat free surface */
    DLP_SURVEY_SUM = 3, /* sum V0 W, itself included */
    DLP_SURVEY_SHEAR,   /* rate of strain, sqrt(2) |D|: 1/s */
    DLP_SURVEY_SLOPE,   /* |grad delta|, or less what gravity asks for where that is smaller: 1/m */
    DLP_SURVEY_JUMP,    /* largest |delta_j - delta_i| */
    DLP_SURVEY_DEPTH,   /* smallest depth_j + r_ij, m */
    DLP_SURVEY_SIZE
};

/* Loops over entries begin .. end-1 of work->index. */
typedef void dlp_pair_loop(const dlp_pair_work *work, int32_t begin, int32_t end);

typedef struct dlp_pair_loops {
    dlp_pair_loop *sum_density; /* compression by summation */
    dlp_pair_loop *sum_forces;  /* pressure and viscosity, and the divergence */
    dlp_pair_loop
        *sum_walls; /* own density, pressure and mirrored velocity of wall points: into packed-records */
    dlp_pair_loop *sum_loads;   /* force of the substance on wall points */
    dlp_pair_loop *measure;     /* neighbours within the support; offset of their centre over h */
    dlp_pair_loop *survey;      /* where to split and where to merge */
    dlp_pair_loop *sum_heat;    /* conduction, and how far a particle is at a free surface */
    dlp_pair_loop *mirror_heat; /* temperature of wall points, so that their surface has its own */
    dlp_pair_loop *perfect;     /* the force loop on neighbours that are all in cache: the machine's limit */
} dlp_pair_loops;

dlp_pair_loop dlp_sph_survey_plain, dlp_sph_survey_avx2;
dlp_pair_loop dlp_sph_sum_heat_plain, dlp_sph_sum_heat_avx2;
dlp_pair_loop dlp_sph_mirror_heat_plain, dlp_sph_mirror_heat_avx2;
extern const dlp_pair_loops dlp_pair_loops_plain;
#if defined(DLP_HAVE_AVX2_PAIRS)
extern const dlp_pair_loops dlp_pair_loops_avx2;
#endif

static inline const dlp_pair_loops *dlp_pair_loops_of(dlp_target target)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (target == DLP_TARGET_AVX2) return &dlp_pair_loops_avx2;
#endif
    (void)target;
    return &dlp_pair_loops_plain;
}

#endif
