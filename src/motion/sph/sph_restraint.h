/* Restraint: particles that hardly move hold their place and keep their momentum; they and what surrounds
 * them cost nothing until something near them changes.  [manteaux2013] */
#ifndef DLP_MOTION_SPH_SPH_RESTRAINT_H
#define DLP_MOTION_SPH_SPH_RESTRAINT_H

#include "motion/sph/sph.h"

/* Thresholds of a substance, from what its definition gives, gravity and the finest spacing, m. */
dlp_sleep_rules dlp_sleep_rules_of(const dlp_substance_def *def, const dlp_sph *sph, double spacing);

static inline bool dlp_particle_holds(const dlp_sph *sph, int32_t i)
{
    return sph->params.restrains && sph->state.particles.sleep[i] != DLP_AWAKE;
}
static inline bool dlp_particle_sleeps(const dlp_sph *sph, int32_t i)
{
    return sph->params.restrains && sph->state.particles.sleep[i] == DLP_ASLEEP;
}

/* The thresholds of one particle. */
static inline dlp_restraint dlp_particle_restraint(const dlp_sph *sph, int32_t i)
{
    const double threshold_scale = (double)sph->state.particles.threshold_scale[i];
    dlp_restraint restraint = dlp_particle_substance(sph, i)->sleep_rules.restraint;
    restraint.hold_speed *= threshold_scale;
    restraint.full *= threshold_scale;
    return restraint;
}

/* Share of its momentum with which a particle moves: 0 asleep, 1 active; `vv` is |p|^2 / m^2. */
static inline double dlp_particle_gain(const dlp_sph *sph, int32_t i, double vv)
{
    if (!sph->params.restrains || !dlp_particle_substance(sph, i)->sleep_rules.is_on) return 1;
    if (sph->state.particles.sleep[i] != DLP_AWAKE) return 0;
    const dlp_restraint restraint = dlp_particle_restraint(sph, i);
    return vv >= restraint.full * restraint.full ? 1 : dlp_restraint_gain(restraint, sqrt(vv));
}

/* The velocity with which a particle moves: a restrained one's momentum is hidden. */
static inline void dlp_particle_effective_velocity(const dlp_sph *sph, int32_t i, float out_velocity[3])
{
    const float *v = sph->state.particles.velocity + 3 * (int64_t)i;
    const double vv = (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const float gain = (float)dlp_particle_gain(sph, i, vv);
    for (int axis = 0; axis < 3; axis++) out_velocity[axis] = gain * v[axis];
}

/* Kinetic energy per unit of mass, m2/s2, of the restrained motion: what is hidden does not count. */
static inline double dlp_particle_kinetic(const dlp_sph *sph, int32_t i, double vv)
{
    if (!sph->params.restrains || !dlp_particle_substance(sph, i)->sleep_rules.is_on) return 0.5 * vv;
    if (sph->state.particles.sleep[i] != DLP_AWAKE) return 0;
    return dlp_restraint_energy(dlp_particle_restraint(sph, i), sqrt(vv));
}

/* 0 active, 1 in passage, 2 restrained: DLP_FIELD_STATE. */
static inline int32_t dlp_particle_state(const dlp_sph *sph, int32_t i)
{
    if (dlp_particle_holds(sph, i)) return 2;
    const float *v = sph->state.particles.velocity + 3 * (int64_t)i;
    return dlp_particle_gain(sph, i, (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])) < 1 ? 1 : 0;
}

static inline bool dlp_particle_is_settled(const dlp_sph *sph, int32_t i)
{
    const double age = dlp_sph_clock_time(&sph->state.clock) - (double)sph->state.particles.last_moved[i];
    return age > dlp_particle_substance(sph, i)->sleep_rules.settle_time;
}

/* Time in which its hidden momentum fades, s: long for what moved lately, so that waves run out; short
 * for what is at rest and creeps; between them for what sleeps, so that a push beyond its static load wakes
 * it. */
static inline double dlp_particle_decay_time(const dlp_sph *sph, int32_t i)
{
    const dlp_sleep_rules *rules = &dlp_particle_substance(sph, i)->sleep_rules;
    return rules->decay_time[!dlp_particle_is_settled(sph, i)             ? 0
                             : sph->state.particles.sleep[i] == DLP_AWAKE ? 1
                                                                          : 2];
}

/* What pushes a sleeper beyond what it withstands, m/s2. */
static inline dlp_vec3 dlp_particle_excess_load(const dlp_sph *sph, int32_t i)
{
    const float *a = sph->state.particles.acceleration + 3 * (int64_t)i,
                *load = sph->state.particles.static_load + 3 * (int64_t)i;
    return dlp_vec((double)(a[0] - load[0]), (double)(a[1] - load[1]), (double)(a[2] - load[2]));
}

/* Hidden momentum fades: dp/dt = -(1 - gain) p / decay_time, implicitly over dt. */
static inline dlp_vec3 dlp_particle_decay(const dlp_sph *sph, int32_t i, dlp_vec3 v, double dt)
{
    const dlp_sleep_rules *rules = &dlp_particle_substance(sph, i)->sleep_rules;
    if (!sph->params.restrains || !rules->is_on) return v;
    const double hidden = 1 - dlp_particle_gain(sph, i, dlp_dot(v, v));
    return hidden > 0 ? dlp_mul(v, 1 / (1 + hidden * dt / dlp_particle_decay_time(sph, i))) : v;
}

/* Sets every particle's `threshold_scale` from where the camera stands (camera_detail.c): once per frame. */
void dlp_sph_set_camera_detail(dlp_sph *sph);
/* Puts a particle that has just been kicked to sleep, or wakes it. */
void dlp_sph_update_sleep(dlp_sph *sph, int32_t i, dlp_vec3 v, dlp_vec3 a);
/* Ticks until a sleeping particle's hidden momentum would wake it if nothing changes, in whole `grid`s; at
 * most `limit` seconds. */
int32_t dlp_sph_sleep_ticks(const dlp_sph *sph, int32_t i, int32_t grid, double limit);
/* Brings the hidden momentum of all sleepers to this tick. */
void dlp_sph_advance_sleepers(dlp_sph *sph);
/* Wakes the sleepers within a support of a sink that took something. */
void dlp_sph_wake_around(dlp_sph *sph, const dlp_shape *sink);

/* Before densities are summed: adds to the due particles the sleepers next to what moved, so that they learn
 * their new density. */
void dlp_sph_mark_movers(dlp_sph *sph);
/* Whether a sleeper's new pressure is worth reporting; if so it is flagged. */
bool dlp_sph_report_density(dlp_sph *sph, int32_t i, float delta);
/* After that: adds the sleepers next to particles and walls whose pressure changed; lists those walls. */
void dlp_sph_mark_changed(dlp_sph *sph);

#endif
