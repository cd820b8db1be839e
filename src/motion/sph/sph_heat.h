/* Heat: temperatures that conduct, cool at free surfaces and walls, and make the substance thick or thin.
 * Only where a substance has a temperature; temperatures are in degrees C. */
#ifndef DLP_MOTION_SPH_SPH_HEAT_H
#define DLP_MOTION_SPH_SPH_HEAT_H

#include "motion/sph/predict.h"

/* A curve of the scene, ready to be read: values as logarithms to the base 2. */
typedef struct dlp_heat_curve {
    int32_t count; /* 0: none */
    float temperature[DLP_CURVE_LIMIT], log_value[DLP_CURVE_LIMIT];
} dlp_heat_curve;

/* A substance's constants, set with those of dlp_substance. */
typedef struct dlp_heat_substance {
    double conductivity, capacity, cooling; /* W/(m K), J/(kg K), W/(m2 K) */
    double melt_from, melt_to, latent;      /* degrees C; K: heat of melting over capacity, 0 for none */
    dlp_heat_curve viscosity, stiffness;    /* Pa s, m2/s2 */
} dlp_heat_substance;

typedef struct dlp_heat {
    dlp_heat_substance *substances;
    double area_factor; /* of V / h times how far off the neighbours' centre lies: free surface, m2 */
    double drop_factor; /* of V / h: surface of a drop of that volume */
    float *points;      /* DLP_HEAT_SIZE a point */
    float *flow;        /* DLP_FLOW_SIZE a point */
    int32_t capacity;   /* points */
} dlp_heat;

/* Sets sph->heat, or leaves it NULL where no substance has a temperature. */
dlp_status dlp_heat_create(dlp_sph *sph, dlp_error *error);
void dlp_heat_destroy(dlp_heat *heat);
dlp_status dlp_heat_reserve(dlp_heat *heat, int32_t point_count, dlp_error *error);
void dlp_heat_set_constants(dlp_sph *sph);

/* Temperature of a new particle, degrees C. */
double dlp_heat_start(const dlp_sph *sph, int32_t substance);
/* Temperature now, for the loops, and what it makes of the packed-record's viscosity and stiffness. */
void dlp_heat_predict(const dlp_sph *sph, int32_t i, float *packed);
/* Temperature of several particles of one substance mixed together, now. */
double dlp_heat_mix(const dlp_sph *sph, const int32_t *particles, int32_t count);
/* New temperatures and rates of the due particles. */
void dlp_sph_exchange_heat(dlp_sph *sph);
/* The step that conduction and cooling allow, s. */
double dlp_heat_step(const dlp_sph *sph, int32_t i);

/* Stiffness of a particle over its substance's; 1 without a curve. */
float dlp_heat_softening(const dlp_sph *sph, int32_t i);
/* Heat of a particle above 0 degrees C, J; 0 where there are no temperatures. */
double dlp_heat_of(const dlp_sph *sph, int32_t i);

#endif
