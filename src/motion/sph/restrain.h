/* Restraint: particles that hardly move hold their place and keep their momentum; they and what surrounds
 * them cost nothing until something near them changes.  [manteaux2013] */
#ifndef DLP_MOTION_SPH_RESTRAIN_H
#define DLP_MOTION_SPH_RESTRAIN_H

#include "motion/sph/sph.h"

/* Thresholds of a substance, from what its definition gives, gravity and the finest spacing, m. */
dlp_rest_rules dlp_rest_rules_of(const dlp_substance_def *def, const dlp_sph *sph, double spacing);

static inline bool dlp_particle_holds(const dlp_sph *sph, int32_t i)
{
    return sph->restrains && sph->particles.sleep[i] != DLP_AWAKE;
}
static inline bool dlp_particle_sleeps(const dlp_sph *sph, int32_t i)
{
    return sph->restrains && sph->particles.sleep[i] == DLP_ASLEEP;
}

/* The thresholds of one particle. */
static inline dlp_restraint dlp_particle_passage(const dlp_sph *sph, int32_t i)
{
    const double ease = (double)sph->particles.ease[i];
    dlp_restraint passage = sph->substances[sph->particles.substance[i]].rest.passage;
    passage.rest *= ease;
    passage.full *= ease;
    return passage;
}

/* Share of its momentum with which a particle moves: 0 asleep, 1 active; `vv` is |p|^2 / m^2. */
static inline double dlp_particle_gain(const dlp_sph *sph, int32_t i, double vv)
{
    if (!sph->restrains || !sph->substances[sph->particles.substance[i]].rest.is_on) return 1;
    if (sph->particles.sleep[i] != DLP_AWAKE) return 0;
    const dlp_restraint passage = dlp_particle_passage(sph, i);
    return vv >= passage.full * passage.full ? 1 : dlp_restraint_gain(passage, sqrt(vv));
}

/* Kinetic energy a unit of mass, m2/s2, of the restrained motion: what is hidden does not count. */
static inline double dlp_particle_kinetic(const dlp_sph *sph, int32_t i, double vv)
{
    if (!sph->restrains || !sph->substances[sph->particles.substance[i]].rest.is_on) return 0.5 * vv;
    if (sph->particles.sleep[i] != DLP_AWAKE) return 0;
    return dlp_restraint_energy(dlp_particle_passage(sph, i), sqrt(vv));
}

/* 0 active, 1 in passage, 2 restrained: DLP_FIELD_STATE. */
static inline int32_t dlp_particle_state(const dlp_sph *sph, int32_t i)
{
    if (dlp_particle_holds(sph, i)) return 2;
    const float *v = sph->particles.velocity + 3 * (int64_t)i;
    return dlp_particle_gain(sph, i, (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])) < 1 ? 1 : 0;
}

static inline bool dlp_particle_is_calm(const dlp_sph *sph, int32_t i)
{
    const double age = dlp_clock_time(&sph->clock) - (double)sph->particles.stirred[i];
    return age > sph->substances[sph->particles.substance[i]].rest.calm;
}

/* Time in which its hidden momentum fades, s: long for what was stirred lately, so that waves run out; short
 * for what is calm and creeps; between them for what sleeps, so that a push beyond its anchor wakes it. */
static inline double dlp_particle_leak_time(const dlp_sph *sph, int32_t i)
{
    const dlp_rest_rules *rest = &sph->substances[sph->particles.substance[i]].rest;
    return rest->leak[!dlp_particle_is_calm(sph, i) ? 0 : sph->particles.sleep[i] == DLP_AWAKE ? 1 : 2];
}

/* What pushes a sleeper beyond what it withstands, m/s2. */
static inline dlp_vec3 dlp_particle_push(const dlp_sph *sph, int32_t i)
{
    const float *a = sph->particles.acceleration + 3 * (int64_t)i,
                *anchor = sph->particles.anchor + 3 * (int64_t)i;
    return dlp_vec((double)(a[0] - anchor[0]), (double)(a[1] - anchor[1]), (double)(a[2] - anchor[2]));
}

/* Hidden momentum fades: dp/dt = -(1 - gain) p / leak, implicitly over dt. */
static inline dlp_vec3 dlp_particle_leak(const dlp_sph *sph, int32_t i, dlp_vec3 v, double dt)
{
    const dlp_rest_rules *rest = &sph->substances[sph->particles.substance[i]].rest;
    if (!sph->restrains || !rest->is_on) return v;
    const double hidden = 1 - dlp_particle_gain(sph, i, dlp_dot(v, v));
    return hidden > 0 ? dlp_mul(v, 1 / (1 + hidden * dt / dlp_particle_leak_time(sph, i))) : v;
}

/* Sets every particle's `ease` from where the camera stands (view.c): once a frame. */
void dlp_sph_view(dlp_sph *sph);
/* Puts a particle that has just been kicked to sleep, or wakes it. */
void dlp_sph_settle(dlp_sph *sph, int32_t i, dlp_vec3 v, dlp_vec3 a);
/* Ticks until a sleeping particle's hidden momentum would wake it if nothing changes, in whole `grid`s; at
 * most `limit` seconds. */
int32_t dlp_sph_sleep_ticks(const dlp_sph *sph, int32_t i, int32_t grid, double limit);
/* Brings the hidden momentum of all sleepers to this tick. */
void dlp_sph_recall_sleepers(dlp_sph *sph);
/* Wakes the sleepers within a support of a sink that took something. */
void dlp_sph_wake_around(dlp_sph *sph, const dlp_shape *sink);

/* Before densities are summed: adds to the due particles the sleepers next to what moved, so that they learn
 * their new density. */
void dlp_sph_touch_movers(dlp_sph *sph);
/* Whether a sleeper's new pressure is worth telling; if so it is marked. */
bool dlp_sph_tells_density(dlp_sph *sph, int32_t i, float delta);
/* After that: adds the sleepers next to particles and walls whose pressure changed; lists those walls. */
void dlp_sph_touch_changed(dlp_sph *sph);

#endif
