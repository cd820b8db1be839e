/* What solids do to bodies: by contacts with them, and by what attachments tie to them.
 *
 * A force f on a particle adds tau f / m to its velocity, less than dt f / m: BDF2 adds the rest in the
 * sub-steps that follow, beta times the change of velocity of the one before, v* = v + beta (v - v_before).
 * As momentum goes, so does the load: with P the sum of tau f and S that of impacts, which change v and
 * v_before alike, a body gets in a sub-step
 *     J = P + S + beta E,   and E_new = P + beta E.
 * So all that bodies get is all that solids lose, in every sub-step and to the last bits; what lies has
 * J = dt f. A particle that is tied to a body hands on what inertia, stress and contacts do to it. */
#include "motion/solid/solid_contact.h"

enum { GRAIN = DLP_OBSTACLE_GRAIN };

static int32_t block_count(int32_t count)
{
    return (count + GRAIN - 1) / GRAIN;
}

// The body that a particle is tied to; -1 for none.
static int32_t body_of(const dlp_solid *solid, int32_t i)
{
    const int32_t pin = solid->state.particles.pin[i];
    return pin >= 0 ? solid->params.scene->attachments[pin].body_index : -1;
}

dlp_status dlp_solid_find_tied(dlp_solid *solid, dlp_error *error)
{
    dlp_solid_topology *to = &solid->topology;
    const int32_t count = solid->state.particles.count, body_count = solid->params.scene->obstacle_count;
    for (int32_t i = 0; i < count; i++) to->tied_count += body_of(solid, i) >= 0;
    const int64_t pushes = (int64_t)block_count(count) * body_count;
    if (pushes > INT32_MAX / 2) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: too many obstacles");
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_CONTACT_PUSH, (int32_t)pushes, error));
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_TIED_PUSH, block_count(to->tied_count) * body_count, error));
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_TIED, to->tied_count, error));
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_TIEABLE, to->tied_count > 0 ? count : 0, error));
    for (int32_t i = 0, n = 0; i < count; i++)
        if (body_of(solid, i) >= 0) to->tied[n++] = i;
    return DLP_OK;
}

// What is tied.

// Its place in the contact layer; -1 where it has none.
static int32_t layer_place(const dlp_solid_contact_layer *layer, int32_t i)
{
    int32_t begin = 0, end = layer->count;
    while (begin < end) {
        const int32_t middle = begin + (end - begin) / 2;
        if (layer->particle[middle] < i)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < layer->count && layer->particle[begin] == i ? begin : -1;
}

static dlp_vec3 lane_of(float (*from)[DLP_LANES], int32_t lane)
{
    return dlp_vec((double)from[0][lane], (double)from[1][lane], (double)from[2][lane]);
}

// A contact with a particle that is free: what that one got, it gave.
static void add_contact(const dlp_solid_pass *pass, int64_t slot_key, dlp_vec3 x, dlp_solid_push *sum)
{
    const dlp_solid *solid = pass->solid;
    const dlp_solid_contact *t = solid->contact;
    const int32_t side = (int32_t)(slot_key & 1), c = (int32_t)(slot_key & INT32_MAX) / 2,
                  lane = c % DLP_LANES;
    dlp_solid_contact_block *at = &t->contacts.blocks[c / DLP_LANES];
    assert(c < t->contacts.count && t->slots.key[at->slot[side][lane]] == slot_key);
    const int32_t other = t->layer.particle[at->particle[1 - side][lane]];
    const dlp_solid_def *def =
        &solid->params.scene->substances[solid->state.particles.substance[other]].solid;
    const dlp_vec3 change = dlp_along(lane_of(at->velocity.friction, lane), lane_of(at->normal, lane),
                                      (double)at->velocity.normal[lane]);
    const float *shift = t->contacts.impact_corrections[at->slot[1 - side][lane]];
    const dlp_vec3 got = dlp_mul(change, side == 0 ? -1 : 1),
                   impact = dlp_vec((double)shift[0], (double)shift[1], (double)shift[2]);
    const double mass = solid->state.particles.mass[other];
    dlp_solid_push_add(sum, x, dlp_mul(dlp_sub(got, impact), -mass / dlp_solid_drag(def, pass->tau)),
                       dlp_mul(impact, -mass));
}

// What it would have gained were it free, less what it has gained: m (v* - v / drag) + tau f.
static void add_tied(const dlp_solid_pass *pass, int32_t i, dlp_solid_push *sum)
{
    const dlp_solid *solid = pass->solid;
    const dlp_solid_contact *t = solid->contact;
    const dlp_solid_particles *p = &solid->state.particles;
    const double drag = dlp_solid_drag(&solid->params.scene->substances[p->substance[i]].solid, pass->tau);
    const dlp_vec3 x = dlp_solid_get(p->position, i);
    const dlp_vec3 pressed = dlp_along(dlp_solid_get(solid->scratch.tied_impulse, i),
                                       dlp_solid_get(p->velocity, i), -p->mass[i] / drag);
    dlp_solid_push_add(sum, x, pressed, dlp_vec(0, 0, 0));
    const int32_t place = t->slots.active_count > 0 ? layer_place(&t->layer, i) : -1;
    if (place < 0) return;
    for (int32_t slot = t->slots.begin[place]; slot < t->slots.begin[place + 1]; slot++)
        add_contact(pass, t->slots.key[slot], x, sum);
}

static void tied_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    const dlp_solid *solid = pass->solid;
    const int32_t body_count = solid->params.scene->obstacle_count;
    dlp_solid_push *sums = solid->scratch.tied_pushes + (int64_t)(begin / GRAIN) * body_count;
    for (int32_t k = 0; k < body_count; k++) sums[k] = (dlp_solid_push){0};
    for (int32_t n = begin; n < end; n++) {
        const int32_t i = solid->topology.tied[n];
        assert(body_of(solid, i) >= 0 && body_of(solid, i) < body_count);
        if (solid->scratch.is_pinned[i]) add_tied(pass, i, &sums[body_of(solid, i)]);
    }
}

// Loads.

// Adds what a body got in each of the blocks, in their order.
static void add_blocks(const dlp_solid_push *pushes, int32_t blocks, int32_t body_count, int32_t body,
                       dlp_solid_push *sum)
{
    for (int32_t b = 0; b < blocks; b++) {
        const dlp_solid_push *at = &pushes[(int64_t)b * body_count + body];
        sum->pressed = dlp_add(sum->pressed, at->pressed);
        sum->pressed_moment = dlp_add(sum->pressed_moment, at->pressed_moment);
        sum->struck = dlp_add(sum->struck, at->struck);
        sum->struck_moment = dlp_add(sum->struck_moment, at->struck_moment);
    }
}

static dlp_solid_push sum_of(const dlp_solid *solid, int32_t body)
{
    const int32_t body_count = solid->params.scene->obstacle_count;
    dlp_solid_push sum = {0};
    add_blocks(solid->scratch.contact_pushes, block_count(solid->state.particles.count), body_count, body,
               &sum);
    add_blocks(solid->scratch.tied_pushes, block_count(solid->topology.tied_count), body_count, body, &sum);
    return sum;
}

static void note_load(const dlp_solid_pass *pass, int32_t body)
{
    dlp_solid *solid = pass->solid;
    const dlp_solid_push sum = sum_of(solid, body);
    dlp_solid_echo *echo = &solid->state.echoes[body];
    echo->impulse = dlp_along(sum.pressed, echo->impulse, pass->beta);
    echo->moment = dlp_along(sum.pressed_moment, echo->moment, pass->beta);
    const dlp_vec3 impulse = dlp_add(echo->impulse, sum.struck),
                   moment = dlp_add(echo->moment, sum.struck_moment);
    const dlp_vec3 pivot =
        dlp_to_world(&solid->contact->obstacles.after[body], solid->params.bodies[body].def->pivot);
    const dlp_vec3 angular_impulse = dlp_sub(moment, dlp_cross(pivot, impulse));
    dlp_body_load *load = &solid->params.context.loads[body];
    load->force = dlp_mul(impulse, 1 / pass->step);
    load->torque = dlp_mul(angular_impulse, 1 / pass->step);
    load->impulse = dlp_add(load->impulse, impulse);
    load->angular_impulse = dlp_add(load->angular_impulse, angular_impulse);
}

void dlp_solid_note_body_loads(dlp_solid_pass *pass)
{
    dlp_solid *solid = pass->solid;
    dlp_parallel_for(solid->params.team, solid->topology.tied_count, GRAIN, tied_range, pass);
    for (int32_t k = 0; k < solid->params.scene->obstacle_count; k++) note_load(pass, k);
}
