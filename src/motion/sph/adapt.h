/* Splitting and merging: the same substance with particles as large as its motion allows. */
#ifndef DLP_MOTION_SPH_ADAPT_H
#define DLP_MOTION_SPH_ADAPT_H

#include "motion/sph/predict.h"

/* A group that merges has this many members, and so has a split: a particle of level k + 1 is about twice as
 * large as one of level k. */
typedef struct dlp_group_size {
    int32_t least, most;
} dlp_group_size;

static inline dlp_group_size dlp_group_size_of(int32_t dimension)
{
    return dimension == 3 ? (dlp_group_size){6, 9} : (dlp_group_size){3, 5};
}

/* The level of a mass: 0 for one unit, k from least^k units on. */
static inline int32_t dlp_level_of_units(int32_t units, int32_t dimension)
{
    const int32_t least = dlp_group_size_of(dimension).least;
    int32_t level = 0;
    for (int32_t from = least; units >= from && level < DLP_LEVEL_LIMIT; from *= least) level++;
    return level;
}
static inline int32_t dlp_particle_level(const dlp_sph *sph, int32_t i)
{
    return dlp_level_of_units(sph->state.particles.units[i], sph->scene->dimension);
}
static inline const dlp_adapt_rules *dlp_particle_rules(const dlp_sph *sph, int32_t i)
{
    return &dlp_particle_substance(sph, i)->rules;
}

/* What a plan says of a particle. */
enum { DLP_PLAN_SPLIT = -1, DLP_PLAN_STAY = 0, DLP_PLAN_MERGE = 1 };

/* Rules of a substance from its accuracy, the scene's speed and its finest size. */
dlp_adapt_rules dlp_adapt_rules_of(const dlp_substance_def *def, const dlp_sph *sph, double spacing);

enum { DLP_SURVEY_BLOCK = 256 };
/* Looks at up to DLP_SURVEY_BLOCK particles: DLP_SURVEY_SIZE numbers each. */
void dlp_sph_survey(const dlp_sph *sph, int32_t first, int32_t count, float *out_survey);
/* adapt.c: looks at every particle and writes into adapt_scratch.plan what is to become of it. False where no
 * depth changed. */
bool dlp_sph_make_plan(dlp_sph *sph);
/* Splits and merges by plan; then the lists are stale and has_adapted is set. */
dlp_status dlp_sph_apply_plan(dlp_sph *sph, dlp_error *error);
/* split.c: replaces every particle whose plan says so by its parts. The parts stand at the end. */
dlp_status dlp_sph_split(dlp_sph *sph, dlp_error *error);
/* merge.c: replaces groups of particles whose plan says so by one each, which stands at the end. */
dlp_status dlp_sph_merge(dlp_sph *sph, dlp_error *error);
/* Puts at `to`, past the end of the store, a particle like `i` that begins now. Places past the end have ids
 * in their order; dlp_sph_take_new makes so many of them part of the store. */
void dlp_sph_put_like(dlp_sph *sph, int32_t i, int32_t to);
void dlp_sph_take_new(dlp_sph *sph, int32_t count);
/* Makes a new particle's sum, once it is known, mean this compression. */
void dlp_sph_request_density(dlp_sph *sph, int32_t i, float delta);
/* Room for more particles, here and in the store. */
dlp_status dlp_sph_reserve_new(dlp_sph *sph, int32_t more, dlp_error *error);
/* The displacement from one point to another, by their packed-records: m. */
dlp_vec3 dlp_sph_offset(const dlp_sph *sph, int32_t from, int32_t to);
/* How i moves at this tick. */
dlp_vec3 dlp_sph_predicted_velocity(const dlp_sph *sph, int32_t i);

#endif
