/* A tear begins at one corner of the most strained triangle of a substance and runs on through corners that
 * are overstrained too, all in one step: what is equally strained everywhere then parts once, not everywhere.
 * At a corner the triangles on either side of the plane across the strain go apart: one side keeps the
 * particle, the other gets a new one, and they share its mass by their areas. */
#include "motion/cloth/cloth_tear.h"
#include "motion/cloth/cloth_contact_phases.h"
#include "motion/cloth/cloth_groups.h"

enum { FAN_LIMIT = 32, TIP_LIMIT = 4096, GRAIN = 512 };

// Strain.

static dlp_vec3 warp_of(const double inverse_rest[4], dlp_vec3 e1, dlp_vec3 e2)
{
    return dlp_along(dlp_mul(e1, inverse_rest[0]), e2, inverse_rest[2]);
}
static dlp_vec3 weft_of(const double inverse_rest[4], dlp_vec3 e1, dlp_vec3 e2)
{
    return dlp_along(dlp_mul(e1, inverse_rest[1]), e2, inverse_rest[3]);
}

// The larger eigenvalue of F^T F and what F makes of its eigenvector; the rate is that along it.
dlp_strain dlp_cloth_strain(const dlp_cloth *cloth, int32_t triangle)
{
    const double *inverse_rest = cloth->params.triangles.rest[triangle].inverse_rest;
    const int32_t *corner = dlp_cloth_corners_of(&cloth->state.corners, triangle);
    const double *x = cloth->state.particles.position, *v = cloth->state.particles.velocity;
    const dlp_vec3 x0 = dlp_cloth_get(x, corner[0]), v0 = dlp_cloth_get(v, corner[0]);
    const dlp_vec3 e1 = dlp_sub(dlp_cloth_get(x, corner[1]), x0);
    const dlp_vec3 e2 = dlp_sub(dlp_cloth_get(x, corner[2]), x0);
    const dlp_vec3 d1 = dlp_sub(dlp_cloth_get(v, corner[1]), v0);
    const dlp_vec3 d2 = dlp_sub(dlp_cloth_get(v, corner[2]), v0);
    const dlp_vec3 wu = warp_of(inverse_rest, e1, e2), wv = weft_of(inverse_rest, e1, e2);
    const double uu = dlp_dot(wu, wu), vv = dlp_dot(wv, wv), uv = dlp_dot(wu, wv);
    const double half = 0.5 * (uu - vv), angle = 0.5 * atan2(uv, half);
    const double largest = 0.5 * (uu + vv) + sqrt(half * half + uv * uv);
    const dlp_vec3 stretched = dlp_along(dlp_mul(wu, cos(angle)), wv, sin(angle));
    const dlp_vec3 rate = dlp_along(dlp_mul(warp_of(inverse_rest, d1, d2), cos(angle)),
                                    weft_of(inverse_rest, d1, d2), sin(angle));
    const dlp_vec3 direction = dlp_normalize(stretched, dlp_vec(1, 0, 0));
    return (dlp_strain){sqrt(largest) - 1, dlp_dot(rate, direction), direction};
}

// The triangles around a particle.

typedef struct fan {
    int32_t count;
    int32_t triangle[FAN_LIMIT];
    int32_t part[FAN_LIMIT];  // 0: keeps the particle
    int32_t part_count;
    double area;
} fan;

static int32_t *corners_of(const dlp_cloth *cloth, int32_t triangle)
{
    return dlp_cloth_corners_of(&cloth->state.corners, triangle);
}

static double area_of(const dlp_cloth *cloth, int32_t triangle)
{
    return cloth->params.triangles.rest[triangle].area;
}

// False where more triangles meet than any sheet has: such a corner never tears.
static bool collect_fan(const dlp_cloth *cloth, int32_t particle, fan *out_fan)
{
    const dlp_cloth_connectivity *c = &cloth->connectivity;
    *out_fan = (fan){0};
    for (int32_t k = c->incidence_begin[particle]; k < c->incidence_begin[particle + 1]; k++) {
        const dlp_incidence *at = &c->incidences[k];
        if (at->kind != DLP_ELEMENT_TRIANGLE) continue;
        if (out_fan->count == FAN_LIMIT) return false;
        out_fan->triangle[out_fan->count++] = at->element;
        out_fan->area += area_of(cloth, at->element);
    }
    return out_fan->count > 1;
}

// Tearing changes corners before the incidences are made anew: a triangle may have left.
static bool has_corner(const int32_t corner[3], int32_t particle)
{
    return corner[0] == particle || corner[1] == particle || corner[2] == particle;
}

static void drop_left(const dlp_cloth *cloth, int32_t particle, fan *f)
{
    int32_t kept = 0;
    f->area = 0;
    for (int32_t k = 0; k < f->count; k++) {
        if (!has_corner(corners_of(cloth, f->triangle[k]), particle)) continue;
        f->triangle[kept++] = f->triangle[k];
        f->area += area_of(cloth, f->triangle[k]);
    }
    f->count = kept;
}

static bool share_edge_at(const dlp_cloth *cloth, int32_t a, int32_t b, int32_t particle)
{
    const int32_t *s = corners_of(cloth, a), *t = corners_of(cloth, b);
    for (int c = 0; c < 3; c++)
        if (s[c] != particle && has_corner(t, s[c])) return true;
    return false;
}

// Parts of the fan that hang together by edges at the particle, where triangles on different sides do not.
static void find_parts(const dlp_cloth *cloth, int32_t particle, const bool *side, fan *f)
{
    f->part_count = 0;
    for (int32_t k = 0; k < f->count; k++) f->part[k] = -1;
    for (int32_t seed = 0; seed < f->count; seed++) {
        if (f->part[seed] >= 0) continue;
        f->part[seed] = f->part_count;
        for (bool grew = true; grew;) {
            grew = false;
            for (int32_t a = 0; a < f->count; a++)
                for (int32_t b = 0; b < f->count; b++)
                    if (f->part[a] == f->part_count && f->part[b] < 0 && side[a] == side[b] &&
                        share_edge_at(cloth, f->triangle[a], f->triangle[b], particle)) {
                        f->part[b] = f->part_count;
                        grew = true;
                    }
        }
        f->part_count++;
    }
}

static void choose_sides(const dlp_cloth *cloth, int32_t particle, dlp_vec3 normal, const fan *f, bool *side)
{
    const double *position = cloth->state.particles.position;
    const dlp_vec3 x = dlp_cloth_get(position, particle);
    for (int32_t k = 0; k < f->count; k++) {
        const int32_t *corner = corners_of(cloth, f->triangle[k]);
        dlp_vec3 sum = {0, 0, 0};
        for (int c = 0; c < 3; c++) sum = dlp_add(sum, dlp_sub(dlp_cloth_get(position, corner[c]), x));
        side[k] = dlp_dot(sum, normal) >= 0;
    }
}

// Parting.

// A share of a mass such that it and the rest are exact: both are whole numbers of the mass's last bit.
static double exact_share(double mass, double share)
{
    int exponent;
    frexp(mass, &exponent);
    const double unit = ldexp(1, exponent - 53);
    return floor(mass * share / unit) * unit;
}

static dlp_status copy_particle(dlp_cloth *cloth, int32_t from, double share, int32_t *out_copy,
                                dlp_error *error)
{
    dlp_cloth_particles *p = &cloth->state.particles;
    dlp_cloth_contact_state *contact = &cloth->contact.state;
    DLP_TRY(dlp_cloth_add_particle(cloth, p->substance[from], dlp_cloth_get(p->position, from), error));
    const int32_t to = p->count - 1;
    dlp_cloth_set(p->velocity, to, dlp_cloth_get(p->velocity, from));
    dlp_cloth_set(p->start_place, to, dlp_cloth_get(p->start_place, from));
    dlp_cloth_set(p->change, to, dlp_cloth_get(p->change, from));
    for (int c = 0; c < 3; c++) p->displacement[3 * to + c] = p->displacement[3 * from + c];
    p->pin[to] = p->pin[from];
    p->state[to] = p->state[from];
    p->is_moved[to] = p->is_moved[from];
    DLP_TRY(dlp_cloth_contact_reserve_particles(&cloth->contact, p->capacity, error));
    contact->obstacle_contact[to] = contact->obstacle_contact[from];
    contact->load[to] = contact->load[from];
    contact->held_pull[to] = contact->held_pull[from];
    p->mass[to] = exact_share(p->mass[from], share);
    p->mass[from] -= p->mass[to];
    *out_copy = to;
    return DLP_OK;
}

// Every part but the first gets a particle of its own.
static dlp_status part_fan(dlp_cloth *cloth, int32_t particle, const fan *f, dlp_error *error)
{
    double left = f->area;
    for (int32_t part = f->part_count - 1; part > 0; part--) {
        double area = 0;
        for (int32_t k = 0; k < f->count; k++)
            area += f->part[k] == part ? area_of(cloth, f->triangle[k]) : 0;
        int32_t copy;
        DLP_TRY(copy_particle(cloth, particle, area / left, &copy, error));
        left -= area;
        for (int32_t k = 0; k < f->count; k++)
            for (int c = 0; c < 3 && f->part[k] == part; c++) {
                int32_t *corner = &corners_of(cloth, f->triangle[k])[c];
                if (*corner == particle) *corner = copy;
            }
    }
    return DLP_OK;
}

// A tear from where it begins to where it ends.

typedef struct tear {
    dlp_cloth *cloth;
    int32_t tips[TIP_LIMIT];  // corners it may run on through, in the order it came there
    int32_t tip_count;
} tear;

// The ends of edges that part at the particle.
static void add_tips(tear *t, int32_t particle, const fan *f)
{
    for (int32_t a = 0; a < f->count; a++)
        for (int32_t b = a + 1; b < f->count; b++) {
            if (f->part[a] == f->part[b]) continue;
            const int32_t *s = corners_of(t->cloth, f->triangle[a]);
            for (int c = 0; c < 3; c++)
                if (s[c] != particle && has_corner(corners_of(t->cloth, f->triangle[b]), s[c]) &&
                    t->tip_count < TIP_LIMIT)
                    t->tips[t->tip_count++] = s[c];
        }
}

// The strain that decides at a corner: of its most strained triangle.
static dlp_strain strain_at(const dlp_cloth *cloth, const fan *f)
{
    dlp_strain worst = {-1, 0, {1, 0, 0}};
    for (int32_t k = 0; k < f->count; k++) {
        const dlp_strain s = dlp_cloth_strain(cloth, f->triangle[k]);
        if (s.strain > worst.strain) worst = s;
    }
    return worst;
}

// Parts the particle: where its triangles hang together by no edge any more, else across the strain where
// that is beyond the limit. A particle made in this step has no incidences yet and waits for the next.
static dlp_status part_at(tear *t, int32_t particle, int32_t old_count, bool *out_parted, dlp_error *error)
{
    dlp_cloth *cloth = t->cloth;
    const double limit = dlp_cloth_fabric_of(cloth, particle)->tear;
    bool side[FAN_LIMIT] = {false};
    fan f;
    *out_parted = false;
    if (particle >= old_count || !collect_fan(cloth, particle, &f)) return DLP_OK;
    drop_left(cloth, particle, &f);
    find_parts(cloth, particle, side, &f);
    if (f.part_count == 1) {
        const dlp_strain s = strain_at(cloth, &f);
        if (!(s.strain > limit)) return DLP_OK;
        choose_sides(cloth, particle, s.direction, &f, side);
        find_parts(cloth, particle, side, &f);
    }
    if (f.part_count < 2) return DLP_OK;
    *out_parted = true;
    add_tips(t, particle, &f);
    return part_fan(cloth, particle, &f, error);
}

static dlp_status run_tear(tear *t, int32_t triangle, bool *out_torn, dlp_error *error)
{
    const int32_t old_count = t->cloth->state.particles.count;
    bool parted = false;
    t->tip_count = 0;
    for (int c = 0; c < 3 && !parted; c++)
        DLP_TRY(part_at(t, corners_of(t->cloth, triangle)[c], old_count, &parted, error));
    *out_torn |= parted;
    for (int32_t k = 0; k < t->tip_count; k++) DLP_TRY(part_at(t, t->tips[k], old_count, &parted, error));
    return DLP_OK;
}

// Who is beyond the limit.

// The most strained element so far; -1: none is beyond the limit.
typedef struct worst {
    double strain;
    int32_t element;
} worst;

static void keep_worse(worst *w, double strain, double rate, int32_t element)
{
    if (strain > w->strain && !(rate < 0)) *w = (worst){strain, element};
}

// Elements follow in order: of two that are equal the first stays.
static void combine_worst(void *result, const void *later)
{
    const worst *w = later;
    keep_worse(result, w->strain, 0, w->element);
}

typedef struct strain_pass {
    const dlp_cloth *cloth;
    int32_t substance;
} strain_pass;

static void find_worst_triangle(void *context, int32_t begin, int32_t end, void *result)
{
    const strain_pass *pass = context;
    const int32_t *is_moved = pass->cloth->state.particles.is_moved;
    for (int32_t t = begin; t < end; t++) {
        const int32_t *c = corners_of(pass->cloth, t);
        if (pass->cloth->params.triangles.rest[t].substance != pass->substance) continue;
        if (!(is_moved[c[0]] | is_moved[c[1]] | is_moved[c[2]])) continue;
        const dlp_strain s = dlp_cloth_strain(pass->cloth, t);
        keep_worse(result, s.strain, s.rate, t);
    }
}

static void find_worst_link(void *context, int32_t begin, int32_t end, void *result)
{
    const strain_pass *pass = context;
    const dlp_cloth_links *links = &pass->cloth->params.links;
    const dlp_cloth_ends *ends = &pass->cloth->state.ends;
    const double *x = pass->cloth->state.particles.position, *v = pass->cloth->state.particles.velocity;
    for (int32_t k = begin; k < end; k++) {
        const int32_t *i = dlp_cloth_ends_of(ends, k);
        if (ends->is_torn[k] || links->rest[k].substance != pass->substance) continue;
        const dlp_vec3 along = dlp_sub(dlp_cloth_get(x, i[1]), dlp_cloth_get(x, i[0]));
        const dlp_vec3 apart = dlp_sub(dlp_cloth_get(v, i[1]), dlp_cloth_get(v, i[0]));
        keep_worse(result, dlp_length(along) / links->rest[k].length - 1, dlp_dot(along, apart), k);
    }
}

// The most strained of a substance that is beyond its limit and still being stretched; -1: none.
static int32_t find_worst(const dlp_cloth *cloth, int32_t substance, int32_t count, dlp_reduce_fn *find)
{
    strain_pass pass = {cloth, substance};
    const dlp_reduction reduction = {find, combine_worst, &pass, sizeof(worst)};
    worst w = {cloth->params.fabrics[substance].tear, -1};
    dlp_parallel_reduce(cloth->params.team, count, GRAIN, &reduction, &w);
    return w.element;
}

static dlp_status tear_substance(tear *t, int32_t substance, bool *out_torn, dlp_error *error)
{
    dlp_cloth *cloth = t->cloth;
    const int32_t link = find_worst(cloth, substance, cloth->params.links.count, find_worst_link);
    if (link >= 0) {
        cloth->state.ends.is_torn[link] = 1;
        *out_torn = true;
    }
    const int32_t triangle = find_worst(cloth, substance, cloth->params.triangles.count, find_worst_triangle);
    return triangle < 0 ? DLP_OK : run_tear(t, triangle, out_torn, error);
}

dlp_status dlp_cloth_tear(dlp_cloth *cloth, dlp_error *error)
{
    tear t = {.cloth = cloth};
    bool is_torn = false;
    for (int32_t k = 0; k < cloth->params.scene->substance_count; k++)
        if (cloth->params.fabrics[k].tear > 0) DLP_TRY(tear_substance(&t, k, &is_torn, error));
    if (!is_torn) return DLP_OK;
    cloth->state.last_step = DLP_CLOTH_DISTURBED;
    cloth->contact.state.wind.is_known = 0;
    DLP_TRY(dlp_cloth_connect(cloth, error));
    return dlp_cloth_rebuild_contacts(cloth, error);
}

// Pieces.

void dlp_cloth_find_pieces(const dlp_cloth *cloth, int32_t *out_piece, int32_t *out_count)
{
    const dlp_cloth_ends *ends = &cloth->state.ends;
    const int32_t count = cloth->state.particles.count;
    for (int32_t i = 0; i < count; i++) out_piece[i] = i;
    for (int32_t t = 0; t < cloth->params.triangles.count; t++) {
        const int32_t *corner = corners_of(cloth, t);
        dlp_group_join(out_piece, corner[0], corner[1]);
        dlp_group_join(out_piece, corner[0], corner[2]);
    }
    for (int32_t k = 0; k < cloth->params.links.count; k++)
        if (!ends->is_torn[k]) dlp_group_join(out_piece, ends->end[2 * k], ends->end[2 * k + 1]);
    for (int32_t i = 0; i < count; i++) out_piece[i] = dlp_group_root(out_piece, i);
    *out_count = 0;
    for (int32_t i = 0; i < count; i++)  // a root is the smallest of its piece: it is numbered first
        out_piece[i] = out_piece[i] == i ? (*out_count)++ : out_piece[out_piece[i]];
}
