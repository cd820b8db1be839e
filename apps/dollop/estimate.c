/* The cost of a run. A copy of the scene with so few particles that the whole film takes a fraction of a
 * second is simulated, and where that left time, a finer one: they tell what every frame costs, by the laws
 * of cost_law.c. The first steps of the scene itself, or of a copy with many particles, tell how far these
 * laws are off for so few. */
#include "estimate.h"

#include "common.h"
#include "cost_law.h"
#include "stop.h"

#include "base/memory.h"
#include "record/film/frame_render.h"
#include "record/png.h"
#include "scene/containers.h"
#include "scene/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Particles: of the first trial; up to which the scene itself is made, so that what is wrong with its start
 * is found, and beyond which a copy with so many; beyond which none is tried. */
enum { FIRST_COUNT = 400, START_LIMIT = 20000, START_COUNT = 8000, TRIAL_LIMIT = 1000000 };
/* s of processor time for all trials, for the first, and for the start of the scene itself: to make it and to
 * move it. Of the wall clock, which passes faster on a busy machine. */
#define TRIAL_SECONDS  1.6
#define FIRST_SECONDS  0.9
#define CREATE_SECONDS 1.2
#define START_SECONDS  0.5
#define WALL_SECONDS   4.0
/* The start tells of the whole where it has this share of all particles; how much it may correct. */
#define START_SHARE 0.3
#define CORRECTION  4.0
/* Measured: a film's picture (s), writing (s per byte), a checkpoint (s, and s per byte), filling (s per
 * particle). */
#define PICTURE_SECONDS    2.2
#define WRITE_SECONDS      1.5e-9
#define CHECKPOINT_SECONDS 3e-3
#define DIGEST_SECONDS     6e-9
#define FILL_SECONDS       1e-5
/* What threads are worth: 1.87 are two, 12 sixteen. */
#define THREAD_POWER 0.9
/* Steps per frame that a run refuses (motion/world_parts.h). */
#define STEP_LIMIT 1e7
/* Bytes: of a particle with its neighbours and surface, where no trial tells, and within which one is
 * believed; of the program itself. */
#define PARTICLE_BYTES 1200.0
#define LEAST_BYTES    300.0
#define MOST_BYTES     4000.0
#define PROGRAM_BYTES  50e6
/* Doubts begin here: times as many particles as in the trial, share of the film that was seen. */
#define FAR_COUNT  3000.0
#define FAR_CLOTH  100.0
#define LEAST_SEEN 0.25

/* All that an estimate is made from. */
typedef struct estimation {
    dlp_scene *scene;         /* borrowed */
    const dlp_scene_def *def; /* likewise */
    dlp_particle_counter counter;
    dlp_particle_count *fine, *coarse; /* one per substance; the second for the trial in hand */
    double count;                      /* of all particles, start and emitted */
    double wall_end;
    dlp_trial first, best;        /* the second is empty where the first is all there is */
    double first_film, best_film; /* s: of motion, in the whole film at their sizes */
    double correction;            /* of the law, for the motion */
    double merged;                /* left_by_merging, of the finest start */
    double left;                  /* particles that merging left of it */
    double memory_each;           /* bytes per particle; 0: not known */
    dlp_cost_ratio first_ratio, ratio;
    dlp_estimate *out;
} estimation;

static void doubt(dlp_estimate *estimate, const char *format, ...) DLP_PRINTF(2, 3);
static void doubt(dlp_estimate *estimate, const char *format, ...)
{
    if (estimate->doubt_count == DLP_ESTIMATE_DOUBTS) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(estimate->doubts[estimate->doubt_count++], DLP_ESTIMATE_TEXT, format, arguments);
    va_end(arguments);
}

/* What the world has to say, such as overlapping starts: worth knowing before a run. */
static void print_note(const char *message, void *user)
{
    (void)user;
    fflush(stdout);
    fprintf(stderr, "note: %s\n", message);
}

/* Counts. */

static dlp_status count_all(estimation *e, dlp_error *error)
{
    DLP_TRY(dlp_count_particles(&e->counter, 1, e->fine, error));
    e->count = dlp_particle_count_sum(e->def, e->fine);
    double start = 0;
    for (int32_t k = 0; k < e->def->substance_count; k++) start += round(e->fine[k].start);
    e->out->particles = start;
    e->out->particles_later = start + floor(e->count - start);
    return DLP_OK;
}

/* Notes on a scene whose world is not made. */
static dlp_status note_scene(const estimation *e, dlp_error *error)
{
    char note[DLP_NOTE_SIZE];
    dlp_scene *copy; /* whose containers are open, as those of a world are */
    const dlp_scene_def *def;
    DLP_TRY(dlp_scene_clone(e->scene, &copy, error));
    const dlp_status status = dlp_scene_resolve(copy, &def, error);
    if (status == DLP_OK) dlp_scene_def_open_containers(dlp_scene_def_mutable(copy));
    for (int32_t k = 0; k < e->def->substance_count; k++) {
        const double lost = dlp_particle_counter_lost(&e->counter, k);
        if (lost < 0.005) continue;
        snprintf(note, sizeof note,
                 "start: about %.0f %% of %s lie inside an obstacle or another substance and are left out",
                 100 * lost, e->def->substances[k].name);
        print_note(note, NULL);
    }
    if (status == DLP_OK && dlp_scene_def_note_apart(def, note)) print_note(note, NULL);
    for (int32_t k = 0; k < e->def->obstacle_count && status == DLP_OK; k++)
        if (dlp_scene_def_note_closed(def, k, note)) print_note(note, NULL);
    dlp_scene_destroy(copy);
    return status;
}

/* How large particles may be. */

static bool can_scale(const estimation *e)
{
    for (int32_t k = 0; k < e->def->substance_count; k++) {
        const bool is_cloth = e->def->substances[k].model == DLP_MODEL_CLOTH;
        if (!is_cloth && !dlp_particle_counter_can_scale(&e->counter, k)) return false;
    }
    return true;
}

/* Lengths that a particle's number goes with. */
static double power_of(const estimation *e)
{
    return e->def->dimension == 2 || dlp_scene_def_is_cloth(e->def) ? 2 : 3;
}

/* Counts for a factor; where no particle fits, or a mouth becomes too small, for the largest smaller one that
 * is tried. */
static dlp_status count_coarse(estimation *e, double *factor, dlp_error *error)
{
    dlp_status status = DLP_INVALID;
    for (; status == DLP_INVALID; *factor = fmax(1, *factor * 0.7)) {
        status = dlp_count_particles(&e->counter, *factor, e->coarse, error);
        if (status != DLP_INVALID || *factor == 1) return status;
    }
    return status;
}

/* The factor for about so many particles: volumes alone decide, but for what has a size of its own. */
static dlp_status choose_factor(estimation *e, double wanted, double *out_factor, dlp_error *error)
{
    double factor = 1, count = e->count;
    *out_factor = 1;
    if (!can_scale(e)) return dlp_count_particles(&e->counter, 1, e->coarse, error);
    for (int32_t round = 0; round < 3 && count > 1.2 * wanted; round++) {
        const double before = factor;
        factor *= pow(count / wanted, 1 / power_of(e));
        DLP_TRY(count_coarse(e, &factor, error));
        count = dlp_particle_count_sum(e->def, e->coarse);
        if (factor <= before) break;
    }
    *out_factor = factor;
    return dlp_count_particles(&e->counter, factor, e->coarse, error);
}

/* Trials. */

/* A copy that cannot be made is tried with smaller particles. */
static dlp_status try_copy(estimation *e, double *factor, double seconds, dlp_trial *out, dlp_error *error)
{
    dlp_status status = DLP_INVALID;
    for (int32_t attempt = 0; attempt < 6; attempt++) {
        const double count = dlp_particle_count_sum(e->def, e->coarse);
        const dlp_trial_def def = {.scene = e->scene,
                                   .factor = *factor,
                                   .seconds = seconds,
                                   .wall_end = e->wall_end,
                                   .log = *factor == 1 ? print_note : NULL};
        if (count > TRIAL_LIMIT) return dlp_fail(error, DLP_INVALID, "it has too many particles to be tried");
        dlp_trial_release(out);
        const double start = dlp_processor_clock();
        status = dlp_trial_run(&def, out, error);
        e->out->trial_seconds += dlp_processor_clock() - start;
        if (status != DLP_INVALID || *factor == 1) break;
        *factor = fmax(1, *factor * 0.7);
        DLP_TRY(count_coarse(e, factor, error));
    }
    return status;
}

/* s of motion in the whole film, were it all like the trial's particles; what was not seen is as expensive
 * per frame as the last quarter of what was, for as many particles as there will be. */
static double whole_film(const estimation *e, const dlp_trial *trial)
{
    const double frames = e->def->frame_count;
    const int32_t begun = (int32_t)ceil(trial->frames);
    double sum = 0, late = 0, late_frames = 0;
    for (int32_t k = 0; k < begun; k++) {
        const double part = fmin(1, trial->frames - k);
        sum += trial->seconds[k];
        if (k + 1 < 0.75 * trial->frames && begun > 1) continue;
        late += trial->seconds[k];
        late_frames += part;
    }
    if (!(late_frames > 0) || !(frames > trial->frames)) return sum;
    const double emitted = dlp_particle_count_sum(e->def, e->coarse) - trial->particles;
    const double middle = trial->particles + fmax(0, emitted) * 0.5 * (1 + trial->frames / frames);
    const double growth = e->def->emitter_count > 0 && e->def->sink_count == 0
                              ? fmax(1, middle / fmax(1, trial->last_particles))
                              : 1;
    return sum + late / late_frames * growth * (frames - trial->frames);
}

/* The finest trial of the film. */
static const dlp_trial *best_of(const estimation *e)
{
    return e->best.frames > 0 ? &e->best : &e->first;
}

/* A finer trial, where the others left time for one. */
static dlp_status refine(estimation *e, double factor, dlp_error *error)
{
    const double left = 0.8 * (TRIAL_SECONDS - e->out->trial_seconds),
                 film = e->first_film +
                        8 * e->first.skin_seconds * pow(e->first.mean_particles, e->first.skin_power) +
                        e->first.create_seconds;
    const double cost = dlp_scene_def_is_cloth(e->def) ? 2.5 : power_of(e) + 1;
    const bool is_over = e->first.divergence[0] != '\0' || dlp_wall_clock() > e->wall_end;
    if (factor == 1 || is_over || left < 1.6 * film) return DLP_OK;
    double finer = fmax(1, factor * pow(left / film, -1 / cost));
    DLP_TRY(count_coarse(e, &finer, error));
    DLP_TRY(try_copy(e, &finer, left, &e->best, error));
    e->ratio = dlp_cost_ratio_of(e->def, &e->best, e->coarse, e->fine);
    e->best_film = whole_film(e, &e->best);
    return DLP_OK;
}

static double sum_start(const estimation *e, const dlp_particle_count *counts)
{
    double sum = 0;
    for (int32_t k = 0; k < e->def->substance_count; k++) sum += counts[k].start;
    return sum;
}

/* s: of a step in the frames that the start saw, and in the one after these. */
static double step_of_film(const dlp_trial *film, const dlp_trial *start)
{
    double seconds = 0, steps = 0;
    for (int32_t k = 0; k < (int32_t)fmin(ceil(start->frames) + 1, ceil(film->frames)); k++) {
        seconds += film->seconds[k];
        steps += film->frame_steps[k];
    }
    return steps > 0 ? seconds / steps : 0;
}

/* The share of particles that merging leaves of the scene, over that of a coarser start: what is near the
 * surface stays as it is, and that follows the particles' size. */
static double left_by_merging(const estimation *e, const dlp_trial *start, double counted)
{
    int32_t levels = 0;
    for (int32_t k = 0; k < e->def->substance_count; k++) {
        const dlp_substance_def *substance = &e->def->substances[k];
        if (substance->adapt_space && substance->adapt_levels > levels) levels = substance->adapt_levels;
    }
    const double least = pow(2, -e->def->dimension * levels), left = start->particles / fmax(1, counted);
    if (levels == 0 || left <= least || counted < 1) return 1;
    return fmin(1, least + (left - least) / start->factor) / left;
}

static void note_merging(estimation *e, const dlp_trial *start, const dlp_particle_count *counts)
{
    const double counted = sum_start(e, counts);
    e->merged = left_by_merging(e, start, counted);
    e->left = counted > 0 && e->merged != 1 ? start->particles / counted * e->merged : 1;
}

/* Steps of the start against those of the same frames in the film, where it has enough of the particles to
 * stand for the whole. */
static void correct_law(estimation *e, const dlp_trial *start, const dlp_particle_count *counts)
{
    const dlp_trial *film = best_of(e);
    const double all = dlp_particle_count_sum(e->def, counts), step = step_of_film(film, start);
    e->memory_each = (start->memory - film->memory) / fmax(1, start->particles - film->particles);
    /* cloth that falls tells nothing of cloth that lies on something */
    if (dlp_first_of_model(e->def, DLP_MODEL_CLOTH) != NULL) return;
    if (!(start->step_seconds > 0) || !(step > 0) || sum_start(e, counts) < START_SHARE * all) return;
    const dlp_cost_ratio to_start = dlp_cost_ratio_of(e->def, start, counts, e->fine);
    const double law = e->ratio.motion / e->ratio.steps / (to_start.motion / to_start.steps);
    e->correction = fmin(CORRECTION, fmax(1 / CORRECTION, start->step_seconds / (law * step)));
}

/* s: of making a world, by what the first trial took: fluids have samples of obstacles, which follow their
 * area. */
static double create_seconds(const estimation *e, double factor, double count)
{
    const bool has_samples = e->def->obstacle_count > 0 && dlp_first_of_model(e->def, DLP_MODEL_SPH) != NULL;
    const double finer = e->first.factor / factor;
    const double more = has_samples ? pow(finer, e->def->dimension - 1) : 1;
    return e->first.create_seconds * more + FILL_SECONDS * count;
}

/* Where the scene is small it is made as it is: mistakes of its start are told, and numbers are its own. */
static void take_start(estimation *e, dlp_trial *start)
{
    const double emitted = e->out->particles_later - e->out->particles;
    e->out->particles = start->particles;
    e->out->particles_later = start->particles + emitted;
    e->out->stiffness = start->stiffness;
    start->stiffness = NULL;
}

static dlp_status try_start(estimation *e, double factor, dlp_error *error)
{
    double finer;
    dlp_trial start = {0};
    DLP_TRY(choose_factor(e, e->count <= START_LIMIT ? e->count : START_COUNT, &finer, error));
    const double count = dlp_particle_count_sum(e->def, e->coarse);
    const bool is_scene = finer == 1, is_finer = finer < 0.9 * factor;
    const bool is_cheap = create_seconds(e, finer, count) < CREATE_SECONDS && dlp_wall_clock() < e->wall_end;
    if (!(is_scene && factor > 1 && is_cheap) && factor > 1) DLP_TRY(note_scene(e, error));
    if (!is_finer || !is_cheap) return DLP_OK;
    const dlp_status status = try_copy(e, &finer, START_SECONDS, &start, error);
    if (status == DLP_OK) correct_law(e, &start, e->coarse);
    if (status == DLP_OK) note_merging(e, &start, e->coarse); /* a coarser one has no inside to merge */
    if (status == DLP_OK && finer == 1) take_start(e, &start);
    dlp_trial_release(&start);
    return status == DLP_INVALID && !is_scene ? DLP_OK : status; /* a copy's mistakes are none of the scene */
}

static dlp_status try_film(estimation *e, double *out_factor, dlp_error *error)
{
    DLP_TRY(choose_factor(e, FIRST_COUNT, out_factor, error));
    DLP_TRY(try_copy(e, out_factor, FIRST_SECONDS, &e->first, error));
    e->first_film = whole_film(e, &e->first);
    e->first_ratio = e->ratio = dlp_cost_ratio_of(e->def, &e->first, e->coarse, e->fine);
    if (e->first.is_complete) e->out->trial_seconds += START_SECONDS; /* kept for the start */
    const dlp_status status = refine(e, *out_factor, error);
    if (e->first.is_complete) e->out->trial_seconds -= START_SECONDS;
    if (status == DLP_OK && e->best.frames > 0) return DLP_OK;
    dlp_trial_release(&e->best); /* a finer one that failed is no loss */
    e->ratio = e->first_ratio;
    return status == DLP_INVALID || status == DLP_OK ? DLP_OK : status;
}

static dlp_status try_all(estimation *e, dlp_error *error)
{
    double factor;
    e->correction = e->merged = e->left = 1;
    DLP_TRY(try_film(e, &factor, error));
    return try_start(e, best_of(e)->factor, error);
}

/* Numbers. */

/* s of motion: the finest trial for what it saw of the film, the first for how the rest compares with that.
 */
static double motion_seconds(const estimation *e)
{
    const dlp_trial *best = best_of(e);
    const double ratio = e->ratio.motion * e->correction * e->merged;
    if (best == &e->first || best->is_complete || !(e->first.frames > best->frames))
        return ratio * (best == &e->first ? e->first_film : e->best_film);
    double seen = 0, same = 0;
    for (int32_t k = 0; k < (int32_t)best->frames; k++) {
        seen += best->seconds[k];
        same += e->first.seconds[k];
    }
    if (!(same > 0)) return ratio * e->best_film;
    return ratio * seen * e->first_film / same;
}

static double mean_particles(const estimation *e)
{
    const dlp_trial *best = best_of(e);
    const double mean = best->mean_particles * e->ratio.count * e->merged;
    return best->is_complete ? mean : fmax(mean, 0.5 * (e->out->particles + e->out->particles_later));
}

/* In that in which the trial measured surfaces. */
static double surface_size(const estimation *e)
{
    return pow(mean_particles(e), best_of(e)->skin_power);
}

static double frames_recorded(const dlp_scene_def *def)
{
    return 1 + floor(def->frame_count / (def->record.every > 0 ? def->record.every : 1.0));
}

static void estimate_disk(estimation *e)
{
    const dlp_trial *best = best_of(e);
    const dlp_scene_def *def = e->def;
    const double particles = def->record.particles ? mean_particles(e) * best->frame_bytes : 0;
    const double state = e->out->particles_later * best->state_bytes;
    e->out->disk = frames_recorded(def) * (particles + best->mesh_bytes * surface_size(e)) + state;
}

/* What the start takes more than the film, per particle, is what the rest will take; before they merge. */
static void estimate_memory(estimation *e)
{
    const dlp_trial *best = best_of(e);
    const double most = fmax(best->particles, best->last_particles),
                 each = e->memory_each > LEAST_BYTES && e->memory_each < MOST_BYTES ? e->memory_each
                                                                                    : PARTICLE_BYTES;
    const double later = fmax(most * e->ratio.count, e->out->particles);
    e->out->memory = PROGRAM_BYTES + best->memory + fmax(0, later - most) * each;
}

static double checkpoint_seconds(const estimation *e)
{
    const dlp_scene_def *def = e->def;
    const double count = def->record.checkpoint > 0 ? def->frame_count / (double)def->record.checkpoint : 1;
    if (!dlp_has_feature(DLP_FEATURE_CHECKPOINTS)) return 0;
    return count * (CHECKPOINT_SECONDS + DIGEST_SECONDS * mean_particles(e) * best_of(e)->state_bytes);
}

static double picture_seconds(const dlp_scene_def *def)
{
    const bool is_made = def->record.preview && dlp_png_is_available() && def->dimension == 3 &&
                         dlp_frame_render_is_available(def->dimension);
    return is_made ? PICTURE_SECONDS : 0;
}

/* What a team of threads gains; few particles cannot keep many threads busy. */
static double thread_gain(const estimation *e, int32_t thread_count)
{
    const long machine = sysconf(_SC_NPROCESSORS_ONLN);
    const double threads = thread_count > 0 ? thread_count : fmax(1, (double)machine);
    return fmin(pow(threads, THREAD_POWER), 1 + mean_particles(e) / 300);
}

static void estimate_time(estimation *e, int32_t thread_count)
{
    const dlp_trial *best = best_of(e);
    const double skins = best->skin_seconds * surface_size(e) * (e->def->frame_count + 1),
                 fill = create_seconds(e, 1, e->count);
    const double shared = motion_seconds(e) + skins + picture_seconds(e->def),
                 alone = fill + WRITE_SECONDS * e->out->disk + checkpoint_seconds(e);
    e->out->processor_seconds = shared + alone;
    e->out->seconds = shared / thread_gain(e, thread_count) + alone;
    e->out->steps_a_frame = best->steps / fmax(best->frames, 1e-9) * e->ratio.steps;
}

/* Doubts. */

static void note_doubts(estimation *e)
{
    const dlp_trial *best = best_of(e);
    dlp_estimate *out = e->out;
    const double film = e->def->frame_count, seen = fmax(e->first.frames, best->frames);
    const bool is_cloth = dlp_first_of_model(e->def, DLP_MODEL_CLOTH) != NULL;
    if (film > 0 && seen < LEAST_SEEN * film)
        doubt(out, "only the first %.3g of %.0f frames were tried: what happens later may cost more or less",
              seen, film);
    if (e->ratio.count > (is_cloth ? FAR_CLOTH : FAR_COUNT))
        doubt(out,
              "the trial had %.2g times fewer particles than the scene: the time may be off by more than a "
              "factor of 2",
              e->ratio.count);
    if (best->divergence[0] != '\0') doubt(out, "the trial diverged: %s", best->divergence);
    for (int32_t k = 0; k < e->def->substance_count; k++)
        if (e->def->substances[k].adapt_space && best->factor > 1) {
            doubt(out, "sizes adapt: more may merge than in the trial, and the run then costs less");
            break;
        }
}

static dlp_status refuse_steps(const estimation *e, dlp_error *error)
{
    if (e->out->steps_a_frame <= STEP_LIMIT) return DLP_OK;
    return dlp_fail(error, DLP_INVALID,
                    "time: a frame would take about %.2g steps; a run refuses more than %.0e: make "
                    "`time.courant`, `time.step` or the particles larger, or `stiffness`, `sound_speed` or "
                    "`viscosity` smaller",
                    e->out->steps_a_frame, STEP_LIMIT);
}

/* The whole. */

static dlp_status estimate_trials(estimation *e, int32_t thread_count, dlp_error *error)
{
    static dlp_error failure;
    const dlp_status status = try_all(e, &failure);
    if (status == DLP_INVALID && e->count > START_LIMIT) {
        doubt(e->out, "no coarser copy could be tried, so that there is no time: %.400s", failure.message);
        const double unknown = (double)NAN;
        e->out->disk = e->out->memory = e->out->steps_a_frame = unknown;
        e->out->seconds = e->out->processor_seconds = unknown;
        return DLP_OK;
    }
    if (status != DLP_OK) {
        if (error != NULL) *error = failure;
        return status;
    }
    const dlp_trial *best = best_of(e);
    e->out->has_time = true;
    if (e->left < 1) {
        const double emitted = e->out->particles_later - e->out->particles;
        e->out->particles = round(e->left * e->out->particles);
        e->out->particles_later = e->out->particles + emitted;
    }
    e->out->trial_particles = fmax(best->particles, best->last_particles);
    e->out->trial_share = e->def->frame_count > 0 ? fmin(1, best->frames / e->def->frame_count) : 1;
    estimate_disk(e);
    estimate_memory(e);
    estimate_time(e, thread_count);
    note_doubts(e);
    if (e->out->stiffness == NULL) {
        dlp_trial *owner = e->best.stiffness != NULL ? &e->best : &e->first;
        e->out->stiffness = owner->stiffness;
        owner->stiffness = NULL;
    }
    return refuse_steps(e, error);
}

static dlp_status estimate_all(estimation *e, int32_t thread_count, dlp_error *error)
{
    DLP_TRY(dlp_particle_counter_init(&e->counter, e->def, dlp_stop_asked, error));
    const size_t count = (size_t)e->def->substance_count + 1;
    e->fine = dlp_alloc(count, sizeof *e->fine, "estimate");
    e->coarse = dlp_alloc(count, sizeof *e->coarse, "estimate");
    if (e->fine == NULL || e->coarse == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "estimate: no room");
    DLP_TRY(count_all(e, error));
    return estimate_trials(e, thread_count, error);
}

dlp_status dlp_estimate_scene(dlp_scene *scene, int32_t thread_count, dlp_estimate *out_estimate,
                              dlp_error *error)
{
    *out_estimate = (dlp_estimate){0};
    estimation e = {.scene = scene, .out = out_estimate, .wall_end = dlp_wall_clock() + WALL_SECONDS};
    DLP_TRY(dlp_scene_resolve(scene, &e.def, error));
    const dlp_status status = estimate_all(&e, thread_count, error);
    dlp_trial_release(&e.first);
    dlp_trial_release(&e.best);
    dlp_particle_counter_release(&e.counter);
    dlp_free(e.fine);
    dlp_free(e.coarse);
    return status;
}

void dlp_estimate_release(dlp_estimate *estimate)
{
    dlp_free(estimate->stiffness);
    *estimate = (dlp_estimate){0};
}
