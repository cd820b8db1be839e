/* Smoothed particles: substances that follow a state equation. */
#ifndef DLP_MOTION_SPH_SPH_H
#define DLP_MOTION_SPH_SPH_H

#include "motion/sph/sph_params.h"
#include "motion/sph/sph_scratch.h"
#include "motion/sph/sph_state.h"
#include "motion/world.h"

#include <assert.h>

typedef struct dlp_sph {
    dlp_solver_context context; /* of the world; the next four are shorter names of parts of it */
    const dlp_scene_def *scene; /* as it is at the present tick */
    const dlp_body *bodies;     /* likewise */
    dlp_team *team;
    dlp_target target;
    dlp_sph_params params;   /* constant during a step */
    dlp_sph_state state;     /* what a checkpoint holds */
    dlp_sph_scratch scratch; /* follows from the two */
} dlp_sph;

extern const dlp_solver dlp_sph_solver; /* sph_solver.c: what the world asks */
/* That of a world; NULL where it has none. */
static inline dlp_sph *dlp_sph_of(const dlp_world *world)
{
    return (dlp_sph *)dlp_world_solver(world, &dlp_sph_solver);
}

/* sph_build.c. NULL in *out_sph where no substance is of this model. */
dlp_status dlp_sph_create(const dlp_solver_context *context, dlp_sph **out_sph, dlp_error *error);
void dlp_sph_destroy(dlp_sph *sph);

/* sph_interval.c */
void dlp_sph_begin_span(dlp_sph *sph);
void dlp_sph_begin(dlp_sph *sph);
void dlp_sph_cut(dlp_sph *sph);
/* What has changed in the scene is felt at the next step. */
void dlp_sph_change(dlp_sph *sph);
/* s: the step that an interval of so many seconds begins with. */
double dlp_sph_planned_step(double interval, double dt_limit);
/* A body moves, or a host has moved one. */
bool dlp_sph_has_moving_bodies(const dlp_sph *sph);

/* sph_step.c */
/* The step to a tick of the solver's own clock; false in *out_is_done where it failed and is to be tried
 * shorter. */
dlp_status dlp_sph_advance(dlp_sph *sph, int32_t tick, bool *out_is_done, dlp_error *error);
/* Densities and forces of the due particles at the present tick: the first half of a step. */
dlp_status dlp_sph_evaluate(dlp_sph *sph, dlp_error *error);
/* The second half. Where the interval ends, or has not begun, `next_interval` is about how long the next one
 * is, s; else 0. */
void dlp_sph_close_step(dlp_sph *sph, double next_interval);
/* Rebuilds all that follows from a loaded state. */
dlp_status dlp_sph_restore(dlp_sph *sph, dlp_error *error);

/* The phases of a step, in their order. Each file holds one. */
dlp_status dlp_sph_set_constants(dlp_sph *sph, dlp_error *error);        /* substance.c */
dlp_status dlp_sph_emit(dlp_sph *sph, double seconds, dlp_error *error); /* emit.c */
void dlp_sph_select_due(dlp_sph *sph);                                   /* time_bins.c */
void dlp_sph_place_walls(dlp_sph *sph);    /* near_walls.c: packed-records of the wall points, now */
void dlp_sph_predict(dlp_sph *sph);        /* predict.c: packed-records of the particles, now */
void dlp_sph_predict_due(dlp_sph *sph);    /* where the others stand still */
void dlp_sph_predict_needed(dlp_sph *sph); /* only what the due particles will ask */
void dlp_sph_predict_more(dlp_sph *sph);   /* ... that have become due since */
dlp_status dlp_sph_adapt(dlp_sph *sph, dlp_error *error);           /* adapt.c: split and merge */
dlp_status dlp_sph_find_neighbours(dlp_sph *sph, dlp_error *error); /* neighbourhood.c */
void dlp_sph_keep_density(dlp_sph *sph);                            /* adapt.c: no density jumps */
void dlp_sph_sum_density(dlp_sph *sph);                             /* forces.c */
void dlp_sph_sum_walls(dlp_sph *sph);
void dlp_sph_sum_forces(dlp_sph *sph);
int32_t dlp_sph_find_failure(const dlp_sph *sph); /* kick.c: a due particle, or -1 */
void dlp_sph_sum_loads(dlp_sph *sph);             /* forces.c */
void dlp_sph_kick(dlp_sph *sph);                  /* kick.c */
void dlp_sph_store_motion(dlp_sph *sph, int32_t particle, dlp_vec3 x, dlp_vec3 v, dlp_vec3 a);
/* s: the step a particle may make next by its velocity, acceleration and the speed of approach. */
double dlp_sph_dt_limit_of(const dlp_sph *sph, int32_t particle, dlp_vec3 v, dlp_vec3 a, double approach);
bool dlp_sph_is_held(const dlp_sph *sph, int32_t particle); /* by an emitter's mouth */
/* Impulses of contacts of a block of due particles, one per body; NULL where nobody asks. And all blocks
 * together. */
dlp_contact_sum *dlp_sph_begin_contacts(dlp_sph *sph, int32_t block);
void dlp_sph_add_contacts(dlp_sph *sph);
void dlp_sph_choose_steps(dlp_sph *sph); /* time_bins.c */
void dlp_sph_wake_neighbours(dlp_sph *sph);
int32_t dlp_sph_next_tick(const dlp_sph *sph);

/* The start. */
dlp_status dlp_sph_start(dlp_sph *sph, dlp_error *error);         /* sph_start.c: fill the shapes */
dlp_status dlp_sph_relax(dlp_sph *sph, dlp_error *error);         /* relax.c: what is crowded makes room */
dlp_status dlp_sph_coarsen_start(dlp_sph *sph, dlp_error *error); /* adapt.c: one level merges */
dlp_status dlp_sph_even_out(dlp_sph *sph, dlp_error *error);      /* relax.c */

/* Parts of phases. */
void dlp_sph_drain(dlp_sph *sph); /* emit.c */
dlp_status dlp_sph_restore_neighbours(dlp_sph *sph, dlp_error *error);
void dlp_sph_count_finest(dlp_sph *sph); /* into finest_count */
void dlp_sph_note_density(dlp_sph *sph); /* adapt.c */
/* Density sums of some particles: dlp_sph_density_sum. */
void dlp_sph_sum_kernel(dlp_sph *sph, const int32_t *index, int32_t count);
/* Lists in walls.index the wall points that a due particle will ask; how many they are. */
int32_t dlp_sph_list_marked_walls(dlp_sph *sph);
/* m/s2: by forces as they are summed and from outside; 0 while a mouth holds it. */
dlp_vec3 dlp_sph_new_acceleration(const dlp_sph *sph, int32_t i);
dlp_vec3 dlp_sph_new_velocity(const dlp_sph *sph, int32_t i, dlp_vec3 acceleration);
/* A box, in the body's frame, that holds all of its surface that the substance may reach: sph_scale.c. */
dlp_box dlp_sph_surface_region(const dlp_sph *sph, int32_t body);
dlp_status dlp_sph_gather_walls(dlp_sph *sph, double time, dlp_error *error); /* those near particles */
/* The particles (from the first to before the second) that see the wall points of a level. */
void dlp_sph_find_viewers(const dlp_sph *sph, int32_t level, int32_t *out_begin, int32_t *out_end);
/* wall_sight.c */
void dlp_sph_sum_other_walls(dlp_sph *sph);
int32_t dlp_sph_keep_visible(const void *context, int32_t i, int32_t *entries, int32_t count);

/* sph_contact.c: the last line: keeps a particle that moved from `from` to `*x` out of every obstacle. */
/* Adds what bodies took to `sums`, one per body, where that is not NULL. */
void dlp_sph_resolve_contact(dlp_sph *sph, int32_t particle, dlp_vec3 from, double from_time, dlp_vec3 *x,
                             dlp_vec3 *v, dlp_contact_sum *sums);
void dlp_sph_find_clearance(dlp_sph *sph);
void dlp_sph_find_clearance_of(dlp_sph *sph, int32_t particle);

/* sph_stats.c */
dlp_status dlp_sph_measure(dlp_sph *sph, dlp_stats *stats, dlp_error *error);
float dlp_particle_pressure(const dlp_sph *sph, int32_t particle); /* Pa */
dlp_point_sample dlp_sph_sample(const dlp_sph *sph, dlp_vec3 x);

/* Particles and wall points; the point after them pads the lists. */
static inline int32_t dlp_sph_point_count(const dlp_sph *sph)
{
    return sph->state.particles.count + sph->scratch.walls.samples.count;
}
/* The packed-record of a point. */
static inline float *dlp_sph_packed(const dlp_sph *sph, int32_t point)
{
    assert(point >= 0 && point < sph->scratch.points.capacity);
    return sph->scratch.points.packed + (int64_t)point * DLP_PACKED_SIZE;
}
/* The packed-records as plain memory, `bytes` of it: ours while the lists are stale, since the records are
 * written anew when lists have been built. */
static inline void *dlp_sph_borrow_packed(const dlp_sph *sph, size_t bytes)
{
    assert(sph->scratch.neighbours.are_stale);
    assert(bytes <= (size_t)sph->scratch.points.capacity * DLP_PACKED_SIZE * sizeof(float));
    (void)bytes;
    return sph->scratch.points.packed;
}

/* Neighbours of a particle or wall point: entries 0 .. middle-1 are particles, middle .. last-1 wall points.
 * Both groups are padded with dlp_sph_point_count as it was when the lists were built. */
typedef struct dlp_neighbour_list {
    const int32_t *entries;
    int32_t middle, last;
} dlp_neighbour_list;
static inline dlp_neighbour_list dlp_sph_neighbours(const dlp_sph *sph, int32_t point)
{
    const dlp_neighbourhood *n = &sph->scratch.neighbours;
    const dlp_lists *lists = point < n->lists.count ? &n->lists : &n->wall_lists;
    assert(n->lists_hold && point >= lists->first && point < lists->first + lists->count);
    return (dlp_neighbour_list){dlp_list_of(lists, point), dlp_list_end(lists, point, 0),
                                dlp_list_end(lists, point, 1)};
}

/* Whether the packed-records of the wall points are those of the present tick; for assertions. */
static inline bool dlp_sph_walls_hold(const dlp_sph *sph)
{
    const dlp_walls *walls = &sph->scratch.walls;
    const dlp_sph_clock *clock = &sph->state.clock;
    return walls->samples.count == 0 ||
           (walls->are_packed &&
            dlp_samples_hold(&walls->samples, clock->tick * dlp_sph_clock_world_ticks(clock)));
}
/* Whether a particle's times are within the interval; for assertions. */
static inline bool dlp_particle_times_hold(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const int32_t end = dlp_sph_clock_end(&sph->state.clock);
    return p->begin[i] >= 0 && p->begin[i] <= end && p->step[i] >= 0 && p->step[i] <= end + 1;
}

/* What one phase hands to the next. `dlp_sph_hand` says what it will be; the others read what there is. */
static inline dlp_handover *dlp_sph_hand(dlp_sph *sph, dlp_handover_kind kind)
{
    sph->scratch.sums.holds = kind;
    return sph->scratch.sums.handover;
}
static inline const dlp_handover *dlp_sph_handed(const dlp_sph *sph, dlp_handover_kind kind, int32_t i)
{
    assert(sph->scratch.sums.holds == kind && i >= 0 && i < sph->scratch.particle_capacity);
    (void)kind;
    return &sph->scratch.sums.handover[i];
}
static inline float dlp_sph_density_sum(const dlp_sph *sph, int32_t i)
{
    return dlp_sph_handed(sph, DLP_HOLDS_DENSITY_SUMS, i)->density_sum;
}
static inline float dlp_sph_approach(const dlp_sph *sph, int32_t i)
{
    return dlp_sph_handed(sph, DLP_HOLDS_APPROACHES, i)->approach;
}
static inline float dlp_sph_dt_limit(const dlp_sph *sph, int32_t i)
{
    return dlp_sph_handed(sph, DLP_HOLDS_DT_LIMITS, i)->dt_limit;
}
static inline int32_t dlp_sph_chosen_step(const dlp_sph *sph, int32_t i)
{
    return dlp_sph_handed(sph, DLP_HOLDS_CHOSEN_STEPS, i)->chosen_step;
}

static inline float dlp_substance_pressure(const dlp_substance *s, float delta)
{
    float pressure = 0;
    switch (s->state) {
    case DLP_STATE_LINEAR:
        pressure = dlp_pressure_linear(delta, s->rho0, s->k);
        break;
    case DLP_STATE_TAIT:
        pressure = dlp_pressure_tait(delta, s->rho0, s->k, s->gamma);
        break;
    case DLP_STATE_IDEAL:
        pressure = dlp_pressure_ideal(delta, s->rho0, s->k);
        break;
    }
    return pressure < 0 ? s->cohesion * pressure : pressure;
}
/* Edge of the cube (2-D: square) of a particle's rest volume, m. */
double dlp_substance_spacing(const dlp_substance_def *def, int32_t dimension);
/* alpha of the artificial viscosity; where the scene leaves it to us, what the real viscosity lacks. */
double dlp_substance_alpha(const dlp_substance_def *def, int32_t dimension, double stiffness);
/* s: about the longest stable step of its finest particles at rest, times `courant` as in the scene. */
double dlp_substance_stable_step(const dlp_substance_def *def, int32_t dimension, double stiffness,
                                 double courant);
/* W as the pair loops have it, calibrated, at a distance: 1/m3 (1/m2). */
double dlp_sph_weight(const dlp_sph *sph, double r, double h);
double dlp_substance_energy(const dlp_substance *substance, double delta); /* per unit of rest volume */
/* Definition of a substance. One that another solver moves has the constants of the first that is ours:
 * nothing of it is here, and nothing of it can spoil a minimum. */
static inline const dlp_substance_def *dlp_sph_definition(const dlp_scene_def *scene, int32_t k)
{
    const dlp_substance_def *def = &scene->substances[k];
    return def->model == DLP_MODEL_SPH ? def : dlp_first_of_model(scene, DLP_MODEL_SPH);
}
static inline bool dlp_sph_carries_density(const dlp_sph *sph)
{
    return dlp_sph_definition(sph->scene, 0)->density_from == DLP_DENSITY_CONTINUITY;
}
static inline bool dlp_sph_has_heat(const dlp_sph *sph)
{
    return dlp_particles_have(&sph->state.particles, DLP_STORE_HEAT);
}
static inline const dlp_substance *dlp_particle_substance(const dlp_sph *sph, int32_t i)
{
    assert(i >= 0 && i < sph->state.particles.capacity);
    return &sph->params.substances[sph->state.particles.substance[i]];
}
static inline double dlp_particle_mass(const dlp_sph *sph, int32_t i)
{
    return dlp_particle_substance(sph, i)->unit_mass * sph->state.particles.units[i];
}
/* Smoothing length and reach follow from the mass.  [desbrun1999, sec. 3.1] */
static inline float dlp_particle_h(const dlp_sph *sph, int32_t i)
{
    return dlp_particle_substance(sph, i)->h * sph->params.size_of[sph->state.particles.units[i]];
}
static inline float dlp_particle_reach(const dlp_sph *sph, int32_t i)
{
    return dlp_particle_substance(sph, i)->reach * sph->params.size_of[sph->state.particles.units[i]];
}
static inline bool dlp_sph_adapts_space(const dlp_sph *sph)
{
    return dlp_particles_have(&sph->state.particles, DLP_STORE_SPACE);
}
/* Above this accuracy contacts are the finest. */
static inline bool dlp_keeps_contacts_fine(const dlp_substance_def *def)
{
    return def->adapt_accuracy > 0.75;
}
/* Whether coarse particles touch walls: these then take over the pressure of the substance. */
static inline bool dlp_sph_has_coarse_contacts(const dlp_sph *sph)
{
    for (int32_t k = 0; k < sph->scene->substance_count; k++) {
        const dlp_substance_def *def = dlp_sph_definition(sph->scene, k);
        if (def->adapt_space && !dlp_keeps_contacts_fine(def)) return true;
    }
    return false;
}
static inline float dlp_particle_volume0(const dlp_sph *sph, int32_t i)
{
    return dlp_particle_substance(sph, i)->volume_unit * (float)sph->state.particles.units[i];
}

/* The set that wall point k (from 0) comes from. */
static inline const dlp_sample_set *dlp_wall_set(const dlp_sph *sph, int32_t k)
{
    assert(k >= 0 && k < sph->scratch.walls.samples.capacity);
    return &sph->params.walls.sets[sph->scratch.walls.samples.set[k]];
}

#endif
