/* The system of implicit viscosity, and how it is solved. */
#include "motion/sph/sph.h"

#include <math.h>
#include <string.h>

// Points at once: those that are summed over their neighbours, and those that are only looked at.
enum { GRAIN = 128, SCAN_GRAIN = 2048, PASS_LIMIT = 500 };

// Of the residual, where a solve stops.
#define ENOUGH 1e-4

typedef struct viscous_loop {
    dlp_viscosity_work work;
    dlp_viscosity_loop *loop;
} viscous_loop;

static void run_loop(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const viscous_loop *pass = context;
    pass->loop(&pass->work, begin, end);
}

static viscous_loop make_pass(const dlp_sph *sph, dlp_viscosity_loop *loop, const dlp_lists *lists,
                              float *out)
{
    const dlp_projection *p = &sph->scratch.projection;
    const dlp_viscosity_scratch *v = &sph->scratch.viscosity;
    const dlp_samples *samples = &sph->scratch.walls.samples;
    return (viscous_loop){.work = {.base = {.params = &sph->params.pair,
                                            .lists = lists,
                                            .places = p->places,
                                            .paces = p->paces,
                                            .h = sph->params.pair.is_mixed ? p->row_h : NULL,
                                            .out = out},
                                   .wall_normal = samples->normal,
                                   .wall_depth = v->wall_depth,
                                   .wall_stick = v->wall_stick,
                                   .wall_velocity = samples->velocity,
                                   .wall_first = sph->state.particles.count,
                                   .wall_count = samples->count,
                                   .blocks = v->blocks,
                                   .wall_blocks = v->wall_blocks,
                                   .drags = v->drags},
                          .loop = loop};
}

static void run_on_particles(dlp_sph *sph, dlp_viscosity_loop *loop, float *out)
{
    viscous_loop pass = make_pass(sph, loop, &sph->scratch.neighbours.lists, out);
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, run_loop, &pass);
}

// Preparation.

static void write_particles(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_projection *p = &sph->scratch.projection;
    for (int32_t i = begin; i < end; i++) {
        p->places[(int64_t)i * DLP_PLACE_SIZE + 3] = dlp_sph_packed(sph, i)[DLP_PACKED_VISCOSITY];
        sph->scratch.viscosity.mass[i] = dlp_sph_is_held(sph, i) ? 0 : (float)dlp_particle_mass(sph, i);
    }
}

static void write_walls(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    const dlp_samples *samples = &sph->scratch.walls.samples;
    for (int32_t k = begin; k < end; k++) {
        sph->scratch.viscosity.wall_depth[k] = dlp_wall_set(sph, k)->depth[samples->point[k]];
        sph->scratch.viscosity.wall_stick[k] = (float)sph->bodies[samples->owner[k]].def->stick;
    }
}

typedef struct solve_pass {
    dlp_sph *sph;
    float dt, length, turn;
} solve_pass;

// The inverse of a symmetric matrix.
static void invert(const double m[DLP_SYM_SIZE], float out[DLP_SYM_SIZE])
{
    const double xx = m[1] * m[2] - m[5] * m[5], xy = m[4] * m[5] - m[3] * m[2],
                 xz = m[3] * m[5] - m[1] * m[4];
    const double determinant = m[0] * xx + m[3] * xy + m[4] * xz;
    const double yy = m[0] * m[2] - m[4] * m[4], yz = m[3] * m[4] - m[0] * m[5],
                 zz = m[0] * m[1] - m[3] * m[3];
    const double adjugate[DLP_SYM_SIZE] = {xx, yy, zz, xy, xz, yz};
    for (int k = 0; k < DLP_SYM_SIZE; k++) out[k] = (float)(adjugate[k] / determinant);
}

static void invert_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solve_pass *pass = context;
    dlp_viscosity_scratch *v = &pass->sph->scratch.viscosity;
    for (int32_t i = begin; i < end; i++) {
        double block[DLP_SYM_SIZE];
        for (int k = 0; k < DLP_SYM_SIZE; k++) {
            const int64_t at = (int64_t)i * DLP_SYM_SIZE + k;
            block[k] = (double)pass->dt * ((double)v->blocks[at] + (double)v->wall_blocks[at]) +
                       (k < 3 ? (double)v->mass[i] : 0);
        }
        float *inverse = v->inverse + (int64_t)i * DLP_SYM_SIZE;
        if (v->mass[i] > 0)
            invert(block, inverse);
        else
            memset(inverse, 0, DLP_SYM_SIZE * sizeof *inverse);
    }
}

// The system.

static void multiply_block(const float m[DLP_SYM_SIZE], const float x[3], float out[3])
{
    out[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2];
    out[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2];
    out[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2];
}

typedef struct write_pass {
    dlp_sph *sph;
    const float *from;  // m/s: 3 per particle
} write_pass;

static void write_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const write_pass *pass = context;
    float *paces = pass->sph->scratch.projection.paces;
    for (int32_t i = begin; i < end; i++)
        memcpy(paces + (int64_t)i * DLP_PACE_SIZE, pass->from + 3 * (int64_t)i, 3 * sizeof(float));
}

// image = the drag of other particles at these velocities, N.
static void sum_drag(dlp_sph *sph, const float *velocities)
{
    write_pass pass = {sph, velocities};
    dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, write_range, &pass);
    run_on_particles(sph, sph->params.viscosity_loops->sum_drag, sph->scratch.viscosity.image);
}

typedef struct solve_sums {
    double descent, curvature, along;
} solve_sums;

static void join_sums(void *result, const void *later)
{
    solve_sums *sums = result;
    const solve_sums *more = later;
    sums->descent += more->descent;
    sums->curvature += more->curvature;
    sums->along += more->along;
}

static solve_sums sum_all(solve_pass *pass, dlp_reduce_fn *reduce)
{
    solve_sums sums = {0};
    const dlp_reduction reduction = {reduce, join_sums, pass, sizeof sums};
    dlp_parallel_reduce(pass->sph->team, pass->sph->state.particles.count, SCAN_GRAIN, &reduction, &sums);
    return sums;
}

// The descent <residual, z>, z = inverse residual.
static double descent_of(const dlp_viscosity_scratch *v, int32_t i, float z[3])
{
    const float *residual = v->residual + 3 * (int64_t)i;
    multiply_block(v->inverse + (int64_t)i * DLP_SYM_SIZE, residual, z);
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) sum += (double)residual[axis] * (double)z[axis];
    return sum;
}

// residual = dt (drag - walls), of the velocities as they are; the first direction is what viscosity did in
// the step before.
static void begin_range(void *context, int32_t begin, int32_t end, void *result)
{
    const solve_pass *pass = context;
    const dlp_sph *sph = pass->sph;
    const dlp_viscosity_scratch *v = &sph->scratch.viscosity;
    solve_sums *sums = result;
    for (int32_t i = begin; i < end; i++) {
        float wall[3], z[3], *residual = v->residual + 3 * (int64_t)i;
        multiply_block(v->wall_blocks + (int64_t)i * DLP_SYM_SIZE,
                       sph->scratch.projection.velocity + 3 * (int64_t)i, wall);
        for (int axis = 0; axis < 3; axis++) {
            const int64_t k = 3 * (int64_t)i + axis;
            residual[axis] = v->mass[i] > 0 ? pass->dt * (v->image[k] + v->drags[k] - wall[axis]) : 0;
            v->direction[k] = v->mass[i] > 0 ? sph->state.particles.viscous_change[k] : 0;
        }
        sums->descent += descent_of(v, i, z);
    }
}

// image = (M + dt L) direction, from the drag that stands there.
static void complete_range(void *context, int32_t begin, int32_t end, void *result)
{
    const solve_pass *pass = context;
    const dlp_viscosity_scratch *v = &pass->sph->scratch.viscosity;
    solve_sums *sums = result;
    for (int32_t i = begin; i < end; i++) {
        float wall[3];
        const float *direction = v->direction + 3 * (int64_t)i;
        multiply_block(v->wall_blocks + (int64_t)i * DLP_SYM_SIZE, direction, wall);
        for (int axis = 0; axis < 3; axis++) {
            float *image = &v->image[3 * (int64_t)i + axis];
            *image = v->mass[i] * direction[axis] + pass->dt * (wall[axis] - *image);
            sums->curvature += (double)*image * (double)direction[axis];
            sums->along += (double)v->residual[3 * (int64_t)i + axis] * (double)direction[axis];
        }
    }
}

static void step_range(void *context, int32_t begin, int32_t end, void *result)
{
    const solve_pass *pass = context;
    const dlp_viscosity_scratch *v = &pass->sph->scratch.viscosity;
    float *velocity = pass->sph->scratch.projection.velocity;
    solve_sums *sums = result;
    for (int32_t i = begin; i < end; i++) {
        float z[3];
        for (int axis = 0; axis < 3 && v->mass[i] > 0; axis++) {
            const int64_t k = 3 * (int64_t)i + axis;
            velocity[k] += pass->length * v->direction[k];
            v->residual[k] -= pass->length * v->image[k];
        }
        sums->descent += descent_of(v, i, z);
    }
}

static void turn_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solve_pass *pass = context;
    const dlp_viscosity_scratch *v = &pass->sph->scratch.viscosity;
    for (int32_t i = begin; i < end; i++) {
        float z[3];
        descent_of(v, i, z);
        for (int axis = 0; axis < 3; axis++) {
            float *direction = &v->direction[3 * (int64_t)i + axis];
            *direction = z[axis] + (pass->turn > 0 ? pass->turn * *direction : 0);
        }
    }
}

// Goes along the direction as far as it helps; the descent that is left.
static double go(solve_pass *pass)
{
    sum_drag(pass->sph, pass->sph->scratch.viscosity.direction);
    const solve_sums sums = sum_all(pass, complete_range);
    pass->length = sums.curvature > 0 ? (float)(sums.along / sums.curvature) : 0;
    return sum_all(pass, step_range).descent;
}

static void remember_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const write_pass *pass = context;
    dlp_sph *sph = pass->sph;
    for (int64_t k = 3 * (int64_t)begin; k < 3 * (int64_t)end; k++)
        sph->state.particles.viscous_change[k] = sph->scratch.projection.velocity[k] - pass->from[k];
}

// Conjugate gradients; the first step goes along the change of the step before.
static dlp_viscosity_report descend(solve_pass *pass)
{
    dlp_sph *sph = pass->sph;
    const int32_t count = sph->state.particles.count;
    dlp_viscosity_report report = {.passes = 1, .is_converged = true};
    const double first = sum_all(pass, begin_range).descent;
    if (!(first > 0)) return report;
    double descent = go(pass);
    report.passes++;
    pass->turn = 0;
    while (descent > ENOUGH * ENOUGH * first && report.passes < PASS_LIMIT) {
        dlp_parallel_for(sph->team, count, SCAN_GRAIN, turn_range, pass);
        const double next = go(pass);
        report.passes++;
        pass->turn = (float)(next / descent);
        descent = next;
    }
    report.left = sqrt(descent / first);
    report.is_converged = descent <= ENOUGH * ENOUGH * first;
    return report;
}

dlp_viscosity_report dlp_viscosity_solve(dlp_sph *sph, double dt)
{
    const int32_t count = sph->state.particles.count;
    solve_pass pass = {.sph = sph, .dt = (float)dt};
    dlp_parallel_for(sph->team, count, SCAN_GRAIN, write_particles, sph);
    dlp_parallel_for(sph->team, sph->scratch.walls.samples.count, SCAN_GRAIN, write_walls, sph);
    run_on_particles(sph, sph->params.viscosity_loops->make_blocks, NULL);
    dlp_parallel_for(sph->team, count, SCAN_GRAIN, invert_range, &pass);
    sum_drag(sph, sph->scratch.projection.velocity);
    write_pass before = {sph, sph->scratch.projection.velocity_before};
    dlp_parallel_copy(sph->team, sph->scratch.projection.velocity_before, sph->scratch.projection.velocity,
                      3 * (size_t)count * sizeof(float));
    const dlp_viscosity_report report = descend(&pass);
    dlp_parallel_for(sph->team, count, SCAN_GRAIN, remember_range, &before);
    return report;
}

// Velocities as viscosity left them.
static void write_final(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_projection *p = &sph->scratch.projection;
    for (int32_t i = begin; i < end; i++)
        for (int axis = 0; axis < 3; axis++)
            p->paces[(int64_t)i * DLP_PACE_SIZE + axis] =
                p->velocity_before[3 * (int64_t)i + axis] +
                sph->state.particles.viscous_change[3 * (int64_t)i + axis];
}

static void add_loads(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    const float *load = sph->scratch.viscosity.image + 3 * (int64_t)sph->state.particles.count;
    for (int64_t k = 3 * (int64_t)begin; k < 3 * (int64_t)end; k++)
        sph->scratch.walls.samples.force[k] += load[k];
}

void dlp_viscosity_add_loads(dlp_sph *sph)
{
    const int32_t walls = sph->scratch.walls.samples.count;
    dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, write_final, sph);
    dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, write_particles, sph);
    viscous_loop pass = make_pass(sph, sph->params.viscosity_loops->load_walls,
                                  &sph->scratch.neighbours.wall_lists, sph->scratch.viscosity.image);
    dlp_parallel_for(sph->team, walls, GRAIN, run_loop, &pass);
    dlp_parallel_for(sph->team, walls, SCAN_GRAIN, add_loads, sph);
}
