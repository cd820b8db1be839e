/* Stress inside a body cannot turn it as a whole. Sweeps that have not converged do so a little, and so does
 * the integrator; a small rotation of each free fragment about its centre takes that back: where the sub-step
 * left the angular momentum L_new for L_old, every x moves by omega x r, I omega = tau (L_old - L_new). */
#include "motion/solid/solid_sweep.h"

enum { SUMS = DLP_FRAGMENT_SUMS, PIN_GRAIN = 4096, SOLVE_GRAIN = 64 };

// Sums of a segment: m; m x and m x x^T (xx yy zz xy xz yz) after the sub-step; then m v and m x cross v
// after it; m x, m v and m x cross v before.
enum {
    MASS,
    CENTRE = 1,
    MOMENTS = 4,
    MOMENTUM = 10,
    SPIN = 13,
    OLD_CENTRE = 16,
    OLD_MOMENTUM = 19,
    OLD_SPIN = 22
};

// Sums.

static void add3(double *sum, dlp_vec3 a, double s)
{
    sum[0] += s * a.x;
    sum[1] += s * a.y;
    sum[2] += s * a.z;
}

// Returns whether it can move like that.
static bool add_particle(const dlp_solid_pass *pass, int32_t i, double *sum)
{
    const dlp_solid_particles *p = &pass->solid->state.particles;
    const double m = p->mass[i];
    const dlp_vec3 x = dlp_sweep_node_position(&pass->solid->scratch.nodes[i]),
                   v = dlp_solid_new_velocity(pass, i, x);
    const dlp_vec3 old = dlp_solid_get(p->position, i), old_v = dlp_solid_start_velocity(pass->solid, i);
    const double damping = pass->solid->params.scene->substances[p->substance[i]].solid.damping;
    const double kept = m / (1 + damping * pass->step);
    sum[MASS] += m;
    add3(sum + CENTRE, x, m);
    add3(sum + MOMENTS, dlp_vec(x.x * x.x, x.y * x.y, x.z * x.z), m);
    add3(sum + MOMENTS + 3, dlp_vec(x.x * x.y, x.x * x.z, x.y * x.z), m);
    add3(sum + MOMENTUM, v, m);
    add3(sum + SPIN, dlp_cross(x, v), m);
    add3(sum + OLD_CENTRE, old, m);
    add3(sum + OLD_MOMENTUM, old_v, kept);
    add3(sum + OLD_SPIN, dlp_cross(old, old_v), kept);
    return dlp_solid_can_move(pass->solid, i, v);
}

static void sum_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    const dlp_solid *solid = pass->solid;
    for (int32_t s = begin; s < end; s++) {
        const dlp_solid_segment *segment = &solid->topology.segments[s];
        dlp_segment_sums *to = &solid->scratch.segment_sums[s];
        *to = (dlp_segment_sums){.failed = -1};
        for (int32_t i = segment->begin; i < segment->end; i++)
            if (!add_particle(pass, i, to->sums) && to->failed < 0) to->failed = i;
    }
}

static dlp_vec3 vector(const double *a)
{
    return dlp_vec(a[0], a[1], a[2]);
}

static dlp_vec3 spin_about(const double *centre, const double *momentum, const double *spin, double m)
{
    return dlp_sub(vector(spin), dlp_mul(dlp_cross(vector(centre), vector(momentum)), 1 / m));
}

static dlp_fragment_spin spin_of(const double sum[SUMS], double tau)
{
    const dlp_vec3 centre = dlp_mul(vector(sum + CENTRE), 1 / sum[MASS]);
    const dlp_vec3 spin = spin_about(sum + CENTRE, sum + MOMENTUM, sum + SPIN, sum[MASS]);
    const dlp_vec3 old = spin_about(sum + OLD_CENTRE, sum + OLD_MOMENTUM, sum + OLD_SPIN, sum[MASS]);
    const double m = sum[MASS];
    const double xx = sum[4] - m * centre.x * centre.x, yy = sum[5] - m * centre.y * centre.y,
                 zz = sum[6] - m * centre.z * centre.z, xy = sum[7] - m * centre.x * centre.y,
                 xz = sum[8] - m * centre.x * centre.z, yz = sum[9] - m * centre.y * centre.z;
    const double ridge = 1e-6 * (xx + yy + zz);  // a line of particles has no inertia about itself
    const dlp_vec3 inertia[3] = {dlp_vec(yy + zz + ridge, -xy, -xz), dlp_vec(-xy, xx + zz + ridge, -yz),
                                 dlp_vec(-xz, -yz, xx + yy + ridge)};
    return (dlp_fragment_spin){.centre = centre,
                               .omega = dlp_solid_solve(inertia, dlp_mul(dlp_sub(old, spin), tau))};
}

typedef struct spin_solve_pass {
    dlp_fragment_spin *spins;
    double tau;
} spin_solve_pass;

static void solve_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const spin_solve_pass *pass = context;
    for (int32_t k = begin; k < end; k++) {
        const dlp_fragment_spin spin = spin_of(pass->spins[k].sums, pass->tau);
        pass->spins[k].centre = spin.centre;
        pass->spins[k].omega = spin.omega;
    }
}

// What is held does not turn; several threads may write the same zero.
static void stop_pinned(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = context;
    double zero = 0;  // not const: clang's builtin wants it so
    for (int32_t i = begin; i < end; i++) {
        if (!solid->scratch.is_pinned[i]) continue;
        dlp_vec3 *omega = &solid->scratch.fragment_spins[solid->topology.fragment[i]].omega;
        __atomic_store(&omega->x, &zero, __ATOMIC_RELAXED);
        __atomic_store(&omega->y, &zero, __ATOMIC_RELAXED);
        __atomic_store(&omega->z, &zero, __ATOMIC_RELAXED);
    }
}

// The segments of a fragment need not be neighbours: sums of all fragments grow side by side, in the
// segments' order.
static void find_spins(dlp_solid *solid, double tau)
{
    const dlp_solid_topology *topology = &solid->topology;
    dlp_fragment_spin *spins = solid->scratch.fragment_spins;
    dlp_parallel_set(solid->params.team, spins, 0, (size_t)topology->fragment_count * sizeof *spins);
    for (int32_t s = 0; s < topology->segment_count; s++) {
        dlp_fragment_spin *spin = &spins[topology->segments[s].fragment];
        for (int k = 0; k < SUMS; k++) spin->sums[k] += solid->scratch.segment_sums[s].sums[k];
    }
    spin_solve_pass pass = {spins, tau};
    dlp_parallel_for(solid->params.team, topology->fragment_count, SOLVE_GRAIN, solve_range, &pass);
    dlp_parallel_for(solid->params.team, solid->state.particles.count, PIN_GRAIN, stop_pinned, solid);
}

static void spin_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = context;
    dlp_sweep_node *nodes = solid->scratch.nodes;
    for (int32_t s = begin; s < end; s++) {
        const dlp_solid_segment *segment = &solid->topology.segments[s];
        const dlp_fragment_spin *spin = &solid->scratch.fragment_spins[segment->fragment];
        for (int32_t i = segment->begin; i < segment->end; i++) {
            const dlp_vec3 r = dlp_sub(dlp_sweep_node_position(&nodes[i]), spin->centre);
            dlp_sweep_node_move(&nodes[i], dlp_cross(spin->omega, r));
        }
    }
}

int32_t dlp_solid_keep_angular_momentum(dlp_solid_pass *pass)
{
    dlp_solid *solid = pass->solid;
    const int32_t segment_count = solid->topology.segment_count;
    dlp_parallel_for(solid->params.team, segment_count, 1, sum_range, pass);
    for (int32_t s = 0; s < segment_count; s++)
        if (solid->scratch.segment_sums[s].failed >= 0) return solid->scratch.segment_sums[s].failed;
    find_spins(solid, pass->tau);
    dlp_parallel_for(solid->params.team, segment_count, 1, spin_range, solid);
    return -1;
}
