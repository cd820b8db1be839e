/* Forces and pressures on parts of a solid. */
#include "motion/solid/solid_sweep.h"

#include <stdlib.h>

enum { GRAIN = 64 };

// What neighbours lack of balance at a plane face of a cubic lattice: those beyond it.
static double lack_at_face(double spacing, double support)
{
    const int32_t most = (int32_t)(support / spacing);
    const double reach = support * support, square = spacing * spacing;
    double sum = 0;
    for (int32_t x = 1; x <= most; x++)
        for (int32_t y = -most; y <= most; y++)
            for (int32_t z = -most; z <= most; z++) {
                const double inside = fmax(reach - square * (x * x + y * y + z * z), 0);
                sum += x * spacing * inside * inside;
            }
    return sum;
}

// Area a particle has at the body's surface, as a vector outward, m2 at rest: what its neighbours lack of
// balance, over what they lack at a plane face.
static dlp_vec3 area_of(const dlp_solid *solid, int32_t i)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    const dlp_solid_material *material = &solid->params.materials[solid->state.particles.substance[i]];
    const double s = material->spacing, reach = material->support * material->support;
    const double whole = lack_at_face(s, material->support);
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
        const dlp_vec3 x = dlp_sub(dlp_solid_get(solid->state.particles.x0, links.first[n]),
                                   dlp_solid_get(solid->state.particles.x0, i));
        const double inside = reach - dlp_dot(x, x);
        sum = dlp_along(sum, x, -inside * inside);
    }
    return dlp_mul(sum, whole > 0 ? s * s / whole : 0);
}

static dlp_status find_loaded(dlp_solid *solid, int32_t index, dlp_error *error)
{
    const dlp_load_def *def = &solid->params.scene->loads[index];
    const dlp_solid_particles *p = &solid->state.particles;
    dlp_shape *shape;
    DLP_TRY(dlp_shape_create(&def->shape, 3, solid->params.scene->folder, &shape, error));
    const int32_t before = solid->topology.loaded_count;
    dlp_status status = DLP_OK;
    for (int32_t i = 0; i < p->count && status == DLP_OK; i++) {
        if (p->substance[i] != def->substance_index) continue;
        if (!(dlp_shape_distance(shape, dlp_solid_get(p->x0, i)) <= 0)) continue;
        status = dlp_solid_reserve(solid, DLP_PER_LOADED, solid->topology.loaded_count + 1, error);
        if (status != DLP_OK) break;
        const dlp_vec3 area = p->layer[i] == 0 ? area_of(solid, i) : dlp_vec(0, 0, 0);
        solid->topology.loaded[solid->topology.loaded_count++] =
            (dlp_loaded){.particle = i, .load = index, .area = area};
    }
    dlp_shape_destroy(shape);
    if (status == DLP_OK && solid->topology.loaded_count == before)
        return dlp_fail(error, DLP_INVALID, "no particle of %s starts inside its shape",
                        solid->params.scene->substances[def->substance_index].name);
    return status;
}

static int by_particle(const void *a, const void *b)
{
    const dlp_loaded *x = a, *y = b;
    return x->particle != y->particle ? (x->particle > y->particle) - (x->particle < y->particle)
                                      : (x->load > y->load) - (x->load < y->load);
}

// The others are on cloth, which feels their pressure.
static bool is_on_solid(const dlp_solid *solid, int32_t load)
{
    const dlp_scene_def *scene = solid->params.scene;
    return scene->substances[scene->loads[load].substance_index].model == DLP_MODEL_SOLID;
}

dlp_status dlp_solid_find_loads(dlp_solid *solid, dlp_error *error)
{
    const int32_t count = solid->params.scene->load_count;
    if (count == 0) return DLP_OK;
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_LOAD, count, error));
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_DRIVEN, solid->state.particles.count, error));
    for (int32_t k = 0; k < count; k++) {
        if (!is_on_solid(solid, k)) continue;
        const dlp_status status = find_loaded(solid, k, error);
        if (status != DLP_OK) return dlp_fail_at(error, status, "loads[%d]", k);
    }
    qsort(solid->topology.loaded, (size_t)solid->topology.loaded_count, sizeof *solid->topology.loaded,
          by_particle);
    for (int32_t n = 0; n < solid->topology.loaded_count; n++)
        solid->topology.load_mass[solid->topology.loaded[n].load] +=
            solid->state.particles.mass[solid->topology.loaded[n].particle];
    return DLP_OK;
}

// Nanson: the area now is cof(F) times that at rest.
static dlp_vec3 area_now(const dlp_solid *solid, const dlp_loaded *at)
{
    double f[9];
    dlp_solid_gradient(solid, at->particle, f);
    const dlp_vec3 x = dlp_vec(f[0], f[3], f[6]), y = dlp_vec(f[1], f[4], f[7]),
                   z = dlp_vec(f[2], f[5], f[8]);
    return dlp_add(dlp_add(dlp_mul(dlp_cross(y, z), at->area.x), dlp_mul(dlp_cross(z, x), at->area.y)),
                   dlp_mul(dlp_cross(x, y), at->area.z));
}

typedef struct solid_load_pass {
    const dlp_solid *solid;
    double time, step; /* s */
} solid_load_pass;

// m/s
static dlp_vec3 change_by(const solid_load_pass *pass, const dlp_loaded *at)
{
    const dlp_solid *solid = pass->solid;
    const dlp_load_def *def = &solid->params.scene->loads[at->load];
    if (pass->time < def->start || pass->time >= def->stop) return dlp_vec(0, 0, 0);
    const double mass = solid->state.particles.mass[at->particle];
    dlp_vec3 dv = dlp_mul(def->force, pass->step / solid->topology.load_mass[at->load]);
    if (dlp_dot(def->torque, def->torque) > 0) {
        const dlp_solid_torque_share *share = &solid->scratch.torque_shares[at->load];
        const dlp_vec3 r =
            dlp_sub(dlp_solid_get(solid->state.particles.position, at->particle), share->centre);
        dv = dlp_along(dv, dlp_cross(share->rate, r), pass->step);
    }
    if (def->pressure == 0) return dv;
    return dlp_along(dv, area_now(solid, at), -def->pressure * pass->step / mass);
}

// The first of a particle's entries speaks for all of them.
static void load_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solid_load_pass *pass = context;
    const dlp_solid_topology *topology = &pass->solid->topology;
    for (int32_t n = begin; n < end; n++) {
        const dlp_loaded *first = &topology->loaded[n], *behind = topology->loaded + topology->loaded_count;
        assert(first->particle >= 0 && first->particle < pass->solid->state.particles.count);
        if (n > 0 && first[-1].particle == first->particle) continue;
        dlp_vec3 dv = dlp_vec(0, 0, 0);
        for (const dlp_loaded *at = first; at < behind && at->particle == first->particle; at++)
            dv = dlp_add(dv, change_by(pass, at));
        dlp_solid_set(pass->solid->scratch.load_dv, first->particle, dv);
    }
}

static dlp_vec3 centre_of(const dlp_solid *solid, int32_t load)
{
    const dlp_solid_topology *topology = &solid->topology;
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    for (int32_t n = 0; n < topology->loaded_count; n++) {
        const int32_t i = topology->loaded[n].particle;
        if (topology->loaded[n].load == load)
            sum = dlp_along(sum, dlp_solid_get(solid->state.particles.position, i),
                            solid->state.particles.mass[i]);
    }
    return dlp_mul(sum, 1 / topology->load_mass[load]);
}

// A torque acts as forces that would turn what it is on as if that were rigid: sum m (rate x r) = 0, and
// sum r x m (rate x r) = I rate.
static dlp_solid_torque_share torque_share_of(const dlp_solid *solid, int32_t load)
{
    const dlp_solid_topology *topology = &solid->topology;
    const dlp_vec3 centre = centre_of(solid, load);
    double m[6] = {0}; /* sums of m r r^T: xx yy zz xy xz yz */
    for (int32_t n = 0; n < topology->loaded_count; n++) {
        if (topology->loaded[n].load != load) continue;
        const int32_t i = topology->loaded[n].particle;
        const dlp_vec3 r = dlp_sub(dlp_solid_get(solid->state.particles.position, i), centre);
        const double products[6] = {r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
        for (int k = 0; k < 6; k++) m[k] += solid->state.particles.mass[i] * products[k];
    }
    const double ridge = 1e-9 * (m[0] + m[1] + m[2]);  // a line of particles has no inertia about itself
    const dlp_vec3 inertia[3] = {dlp_vec(m[1] + m[2] + ridge, -m[3], -m[4]),
                                 dlp_vec(-m[3], m[0] + m[2] + ridge, -m[5]),
                                 dlp_vec(-m[4], -m[5], m[0] + m[1] + ridge)};
    return (dlp_solid_torque_share){centre,
                                    dlp_solid_solve(inertia, solid->params.scene->loads[load].torque)};
}

void dlp_solid_sum_loads(dlp_solid *solid, double time, double step)
{
    for (int32_t k = 0; k < solid->params.scene->load_count; k++) {
        const dlp_vec3 torque = solid->params.scene->loads[k].torque;
        if (dlp_dot(torque, torque) > 0) solid->scratch.torque_shares[k] = torque_share_of(solid, k);
    }
    solid_load_pass pass = {solid, time, step};
    dlp_parallel_for(solid->params.team, solid->topology.loaded_count, GRAIN, load_range, &pass);
}
