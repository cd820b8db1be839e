/* The watch over a world's energy and density.
 *
 * Kinetic energy comes from what was there at the start (kinetic and elastic), from the work of gravity, and
 * from what is driven: bodies, attachments, wind and the mouths of emitters. What these give is bounded by
 * their speed, since an elastic hit by something of speed u leaves at most 2 u: (1/2) M (2 u)^2. Gravity's
 * work over a frame is that of the momentum, M v g dt.
 *
 * Density counts where it is too high: sheets, threads and spray of single particles have less than at rest.
 *
 * Below a tenth of the speed of sound a liquid is in the range for which its stiffness was chosen, and so is
 * a solid or a cloth strained by a tenth: that much energy, (1/2) M (c/10)^2, says nothing. Where something
 * squeezes or pulls solids and cloth it may be all that they can store, (1/2) M c^2. A gas (`state: ideal`)
 * that expands at one temperature does the work M c^2 ln(V / V0): particles lose sight of one another long
 * before the volume is e^4 times as large. */
#include "motion/watch.h"
#include "motion/world_parts.h"

#include <string.h>

enum { GRAIN = 4096 };

// The sums over a member's particles.
typedef struct motion_sums {
    double kinetic, mass;       // J, kg
    dlp_vec3 momentum, moment;  // kg m/s, kg m: of velocity and of position
    dlp_vec3 low, high;         // m: where they are
    double liquid, excess;      // kg: of liquids; times the share by which their density is too high
    double gas;                 // kg
} motion_sums;

typedef struct watch_pass {
    const dlp_world *world;
    const dlp_member *member;
} watch_pass;

// Within a loop of the team: solver.h says which fields may be derived there.
static void read_field(const dlp_member *member, dlp_field field, int32_t i, size_t size, void *to)
{
    const char *stored = member->type->stored(member->self, field);
    if (stored != NULL)
        memcpy(to, stored + (size_t)i * size, size);
    else
        member->type->derive(member->self, field, i, to);
}

static void add_particle(const watch_pass *pass, int32_t i, motion_sums *sums)
{
    double x[3];
    float v[3], mass;
    int32_t substance;
    read_field(pass->member, DLP_FIELD_POSITION, i, sizeof x, x);
    read_field(pass->member, DLP_FIELD_VELOCITY, i, sizeof v, v);
    read_field(pass->member, DLP_FIELD_MASS, i, sizeof mass, &mass);
    read_field(pass->member, DLP_FIELD_SUBSTANCE, i, sizeof substance, &substance);
    const dlp_vec3 at = dlp_vec(x[0], x[1], x[2]), u = dlp_vec((double)v[0], (double)v[1], (double)v[2]);
    sums->kinetic += 0.5 * (double)mass * dlp_dot(u, u);
    sums->mass += (double)mass;
    sums->momentum = dlp_along(sums->momentum, u, (double)mass);
    sums->moment = dlp_along(sums->moment, at, (double)mass);
    sums->low = dlp_min3(sums->low, at);
    sums->high = dlp_max3(sums->high, at);
    const dlp_substance_def *def = &pass->world->model->substances[substance];
    if (!pass->member->type->keeps_density) return;
    if (def->state == DLP_STATE_IDEAL) {
        sums->gas += (double)mass;
        return;
    }
    float density;
    read_field(pass->member, DLP_FIELD_DENSITY, i, sizeof density, &density);
    sums->liquid += (double)mass;
    sums->excess += (double)mass * fmax(0, (double)density / def->density - 1);
}

static void add_range(void *context, int32_t begin, int32_t end, void *result)
{
    for (int32_t i = begin; i < end; i++) add_particle(context, i, result);
}

static void add_sums(void *result, const void *later)
{
    motion_sums *all = result;
    const motion_sums *other = later;
    all->kinetic += other->kinetic;
    all->mass += other->mass;
    all->momentum = dlp_add(all->momentum, other->momentum);
    all->moment = dlp_add(all->moment, other->moment);
    all->low = dlp_min3(all->low, other->low);
    all->high = dlp_max3(all->high, other->high);
    all->liquid += other->liquid;
    all->excess += other->excess;
    all->gas += other->gas;
}

static motion_sums no_motion(void)
{
    return (motion_sums){.low = {1e300, 1e300, 1e300}, .high = {-1e300, -1e300, -1e300}};
}

static motion_sums sum_motion(const dlp_world *world, const dlp_member *member)
{
    motion_sums sums = no_motion();
    watch_pass pass = {world, member};
    _Static_assert(sizeof sums <= DLP_REDUCE_SIZE, "a result must fit");
    const dlp_reduction adding = {add_range, add_sums, &pass, sizeof sums};
    dlp_parallel_reduce(world->team, member->type->count(member->self), GRAIN, &adding, &sums);
    return sums;
}

// What drives.

// The fastest that a turning thing moves what is in the box.
static double speed_in_box(dlp_vec3 low, dlp_vec3 high, const dlp_twist *twist)
{
    double fastest = 0;
    for (int corner = 0; corner < 8 && low.x <= high.x; corner++) {
        const dlp_vec3 x =
            dlp_vec(corner & 1 ? low.x : high.x, corner & 2 ? low.y : high.y, corner & 4 ? low.z : high.z);
        fastest = fmax(fastest, dlp_length(dlp_twist_at(twist, x)));
    }
    return fastest;
}

static dlp_twist attachment_twist(const dlp_attachment_def *attachment, double time)
{
    dlp_twist twist = {.origin = attachment->pivot};
    double rate[3] = {0};
    if (attachment->position_track != NULL) {
        dlp_track_rate(attachment->position_track, time, rate);
        twist.linear = dlp_vec(rate[0], rate[1], rate[2]);
        double at[3];
        dlp_track_value(attachment->position_track, time, at);
        twist.origin = dlp_add(twist.origin, dlp_vec(at[0], at[1], at[2]));
    }
    if (attachment->rotation_track == NULL) return twist;
    dlp_track_rate(attachment->rotation_track, time, rate);
    // the rates of the three angles add up at most
    twist.angular = dlp_mul(dlp_vec(rate[0], rate[1], rate[2]), DLP_PI / 180);
    return twist;
}

static double driven_speed(const dlp_world *world, const motion_sums *sums)
{
    const dlp_scene_def *scene = &world->setting->conditions.now;
    const dlp_bodies *bodies = &world->setting->bodies;
    double fastest = dlp_length(scene->wind);
    for (int32_t k = 0; k < bodies->count; k++)
        if (bodies->items[k].is_moving)
            fastest = fmax(fastest, speed_in_box(sums->low, sums->high, &bodies->items[k].twist));
    for (int32_t k = 0; k < scene->attachment_count; k++) {
        const dlp_twist twist = attachment_twist(&scene->attachments[k], dlp_world_time(world));
        fastest = fmax(fastest, speed_in_box(sums->low, sums->high, &twist));
    }
    for (int32_t k = 0; k < scene->emitter_count; k++) fastest = fmax(fastest, scene->emitters[k].speed);
    return fastest;
}

// Whether something other than gravity may push or pull.
static bool is_driven(const dlp_world *world)
{
    const dlp_scene_def *scene = world->model;
    const dlp_bodies *bodies = &world->setting->bodies;
    for (int32_t k = 0; k < bodies->count; k++)
        if (bodies->items[k].is_moving) return true;
    return scene->track_count > 0 || scene->emitter_count > 0 || dlp_length(scene->wind) > 0;
}

// Whose work is known to nobody.
static bool is_pushed(const dlp_world *world)
{
    return world->model->load_count > 0 || world->model->force_count > 0 ||
           world->setting->forces->active_count > 0;
}

// Energy that says nothing: J.
static double allowance(const dlp_world *world, const dlp_member *member, const motion_sums *sums)
{
    if (member->type->wave_speed == NULL) return HUGE_VAL;
    const double c = member->type->wave_speed(member->self);
    const double share = member->type->is_elastic && is_driven(world) ? 1 : 0.01;
    return c * c * (0.5 * share * sums->mass + 4 * sums->gas);
}

// Looking.

static dlp_vec3 gravity_now(const dlp_world *world)
{
    return world->setting->conditions.now.gravity;
}

// All that can move something: at the start, what is stored elastically, too.
static dlp_status start(dlp_world *world, const motion_sums *sums, dlp_error *error)
{
    dlp_stats stats = {.size = sizeof stats};
    DLP_TRY(dlp_world_stats(world, &stats, error));
    const double elastic = stats.potential_energy + dlp_dot(gravity_now(world), sums->moment);
    world->watch = (dlp_watch){.has_started = true, .stored = sums->kinetic + fmax(0, elastic)};
    return DLP_OK;
}

static void remember(dlp_world *world, const motion_sums *sums)
{
    world->watch.time = dlp_world_time(world);
    world->watch.gravity = gravity_now(world);
    world->watch.momentum = sums->momentum;
}

// What gravity gave since the last look. Where other things lift what falls again, what it takes is not
// counted.
static void add_gravity(dlp_world *world, const motion_sums *sums)
{
    dlp_watch *watch = &world->watch;
    const double work =
        0.5 * (dlp_world_time(world) - watch->time) *
        (dlp_dot(watch->momentum, watch->gravity) + dlp_dot(sums->momentum, gravity_now(world)));
    watch->gravity_work += is_driven(world) ? fmax(0, work) : work;
    watch->gravity_most = fmax(watch->gravity_most, watch->gravity_work);
    watch->driven_speed = fmax(watch->driven_speed, driven_speed(world, sums));
}

static double largest_energy(const dlp_world *world, const motion_sums *sums, double allowed)
{
    const dlp_watch *watch = &world->watch;
    const double driven = 2 * sums->mass * watch->driven_speed * watch->driven_speed;
    return DLP_WATCH_ENERGY * (watch->stored + watch->gravity_most + driven) + allowed;
}

// The likely cause, and what to do.
static const char *remedy(const dlp_world *world)
{
    return world->model->step > 0 ? "lower the fixed `time.step`, or leave it out: the step is then found"
                                  : "lower `time.courant`, or look for parts that start inside one another";
}

// What the members themselves say counts: restrained particles have less energy than their velocities tell.
static dlp_status check_energy(dlp_world *world, const motion_sums *sums, double allowed, dlp_error *error)
{
    const double limit = largest_energy(world, sums, allowed);
    if (is_pushed(world) || isnan(limit) || sums->kinetic <= limit) return DLP_OK;
    dlp_stats stats = {.size = sizeof stats};
    DLP_TRY(dlp_world_stats(world, &stats, error));
    if (stats.kinetic_energy <= limit) return DLP_OK;
    return dlp_fail(error, DLP_DIVERGED,
                    "the kinetic energy is %.3g J, but at most %.3g J can come from the start, from gravity "
                    "and from what moves; %s",
                    stats.kinetic_energy, limit, remedy(world));
}

static dlp_status check_density(const dlp_world *world, const motion_sums *sums, dlp_error *error)
{
    if (!(sums->liquid > 0) || sums->excess <= DLP_WATCH_DENSITY * sums->liquid) return DLP_OK;
    return dlp_fail(error, DLP_DIVERGED,
                    "the density is %.0f %% above that at rest in the mean; at most %.0f %% is a liquid; "
                    "raise `stiffness`, or %s",
                    100 * sums->excess / sums->liquid, 100 * DLP_WATCH_DENSITY, remedy(world));
}

// The sums over all members; *out_allowed is J, as `allowance` says.
static motion_sums sum_world(const dlp_world *world, double *out_allowed)
{
    motion_sums all = no_motion();
    *out_allowed = 0;
    for (int32_t k = 0; k < world->member_count; k++) {
        const motion_sums sums = sum_motion(world, &world->members[k]);
        add_sums(&all, &sums);
        *out_allowed += allowance(world, &world->members[k], &sums);
    }
    return all;
}

dlp_status dlp_watch_begin(dlp_world *world, dlp_error *error)
{
    if (world->watch.has_started) return DLP_OK;
    double allowed;
    const motion_sums sums = sum_world(world, &allowed);
    DLP_TRY(start(world, &sums, error));
    remember(world, &sums);
    return DLP_OK;
}

dlp_status dlp_watch_look(dlp_world *world, dlp_error *error)
{
    if (!world->watch.has_started) return DLP_OK;
    double allowed;
    const motion_sums sums = sum_world(world, &allowed);
    add_gravity(world, &sums);
    remember(world, &sums);
    DLP_TRY(check_energy(world, &sums, allowed, error));
    return check_density(world, &sums, error);
}
