#include "record/render/path.h"
#include "record/render/optics.h"
#include "record/palette.h"

enum { CROSSING_LIMIT = 12, WAITING_LIMIT = 2, CLEAR_BODY_LIMIT = 64 };

static const double brightest_soft = 6;  // of one path: above lies what would stay a speck
static const double sky_distance = 1e3;

// A part of a path: where light is followed to, and how much of it arrives at the eye.
typedef struct branch {
    dlp_ray ray;
    dlp_vec3 weight;
    bool is_blurred;    // its light comes from around the place that is seen
    uint64_t inside;    // clear bodies that the ray is in, a bit each
    int32_t scattered;  // times
    bool has_just_scattered;
    int32_t crossings;  // mirrors and panes on the way
    bool is_main;       // leads to what the eye takes this place for
} branch;

typedef struct walk {
    const dlp_stage *stage;
    dlp_dice *dice;
    int32_t bounces;
    dlp_path_light *light;
    bool is_known;  // albedo, normal and distance are noted
    branch waiting[WAITING_LIMIT];
    int32_t waiting_count;
} walk;

static void add_light(walk *w, const branch *b, dlp_vec3 light)
{
    const dlp_vec3 seen = dlp_times(b->weight, light);
    if (b->scattered == 0 && !b->is_blurred) {
        w->light->sharp = dlp_add(w->light->sharp, seen);
        return;
    }
    const double brightest = dlp_largest(seen);
    const double share = brightest > brightest_soft ? brightest_soft / brightest : 1;
    w->light->soft = dlp_along(w->light->soft, seen, share);
}

static void note_first(walk *w, dlp_vec3 normal, double distance)
{
    if (w->light->distance > 0) return;
    w->light->normal = normal;
    w->light->distance = distance;
}

static void note_albedo(walk *w, const branch *b, dlp_vec3 albedo)
{
    if (w->is_known || !b->is_main || b->scattered > 0) return;
    w->light->albedo = dlp_times(b->weight, albedo);
    w->is_known = true;
}

static void go_on(branch *b, const dlp_spot *spot, dlp_vec3 way)
{
    const double gap = dlp_stage_gap(spot->x), side = dlp_dot(way, spot->flat) < 0 ? -1 : 1;
    b->ray = (dlp_ray){dlp_along(spot->x, spot->flat, side * gap), way, gap, HUGE_VAL};
}

// Clear bodies. Where several overlap, the first one is there: what it holds does not show.  [schmidt2002]

static const dlp_body *medium_of(const dlp_stage *stage, uint64_t inside)
{
    if (inside == 0) return NULL;
    int32_t k = 0;
    for (; (inside & 1) == 0; inside >>= 1) k++;
    return &stage->bodies[k];
}

// White light takes on the colour once for every unit of the way.
static dlp_vec3 color_after(dlp_vec3 color, double way)
{
    return dlp_vec(pow(fmin(fmax(color.x, 1e-3), 1), way), pow(fmin(fmax(color.y, 1e-3), 1), way),
                   pow(fmin(fmax(color.z, 1e-3), 1), way));
}

// Beer's law: after the body's depth light has its colour.
static dlp_vec3 clear_share(const dlp_body *medium, double distance)
{
    if (medium == NULL) return dlp_vec(1, 1, 1);
    return color_after(medium->tint, distance / medium->depth);
}

static uint64_t bit_of(int32_t body)
{
    return body >= 0 && body < CLEAR_BODY_LIMIT ? (uint64_t)1 << body : 0;
}

// The share of the sun's light that comes along the ray. Through clear bodies it goes straight on.
static dlp_vec3 sun_share(const dlp_stage *stage, dlp_ray ray, uint64_t inside)
{
    dlp_vec3 share = dlp_vec(1, 1, 1);
    if (dlp_stage_is_shaded(stage, &ray)) return dlp_vec(0, 0, 0);
    if (!dlp_tracer_has(stage->tracer, DLP_RAYS_CLEAR)) return share;
    for (int32_t k = 0; k < CROSSING_LIMIT; k++) {
        dlp_spot spot;
        if (!dlp_stage_find(stage, DLP_STAGE_CLEAR, &ray, &spot)) return share;
        const double cosine = dlp_dot(ray.way, spot.normal);
        const dlp_body *body = &stage->bodies[spot.body];
        if (cosine > 0) inside |= bit_of(spot.body);  // it leaves: so it was in it
        share = dlp_times(share, clear_share(medium_of(stage, inside), spot.distance));
        const bool is_on_wall = k == 0 && spot.distance < 2 * body->cell;
        if (!is_on_wall)
            share = dlp_mul(share, 1 - dlp_fresnel(fmax(fabs(cosine), 0.05), 1, body->refraction));
        inside = cosine > 0 ? inside & ~bit_of(spot.body) : inside | bit_of(spot.body);
        ray.from = dlp_along(spot.x, ray.way, 2 * dlp_stage_gap(spot.x));
    }
    return share;
}

static dlp_vec3 sunlight(walk *w, const dlp_spot *spot, dlp_vec3 side, uint64_t inside, dlp_vec3 *out_way)
{
    const dlp_sky *sky = &w->stage->sky;
    double u, v;
    dlp_dice_throw(w->dice, &u, &v);
    *out_way = dlp_cone_way(sky->sun, sky->sun_tangent, u, v);
    if (!(dlp_largest(sky->sunlight) > 0 && dlp_dot(*out_way, side) > 0)) return dlp_vec(0, 0, 0);
    const double gap = dlp_stage_gap(spot->x);
    const dlp_ray ray = {dlp_along(spot->lift, side, gap), *out_way, gap, HUGE_VAL};
    return dlp_times(sky->sunlight, sun_share(w->stage, ray, inside));
}

// Normals that face the eye's side of the surface.
typedef struct facing {
    dlp_vec3 flat, normal, eye;
} facing;

static facing face_eye(const dlp_spot *spot, dlp_vec3 way)
{
    const double side = dlp_dot(way, spot->flat) > 0 ? -1 : 1;
    facing f = {dlp_mul(spot->flat, side), dlp_mul(spot->normal, side), dlp_mul(way, -1)};
    // A smooth normal may turn away where the triangle still faces the eye.
    const double cosine = dlp_dot(f.normal, f.eye);
    if (cosine < 0.02) f.normal = dlp_normalize(dlp_along(f.normal, f.eye, 0.02 - cosine), f.flat);
    return f;
}

// A reflection must not go through the triangle that the smooth normal belongs to.
static dlp_vec3 keep_outside(dlp_vec3 way, dlp_vec3 flat)
{
    const double height = dlp_dot(way, flat);
    return height > 0.01 ? way : dlp_normalize(dlp_along(way, flat, 0.01 - height), flat);
}

// The sun's image in a surface, widened as if by fine ripples, so that few samples find it.
static void add_shine(walk *w, const branch *b, const dlp_spot *spot, const facing *f, double alpha)
{
    const double n = w->stage->bodies[spot->body].refraction;
    const double bound = dlp_ggx_shine(f->normal, f->eye, w->stage->sky.sun, alpha + 0.05, n);
    if (!(bound > 1e-3)) return;
    dlp_vec3 way;
    const dlp_vec3 light = sunlight(w, spot, f->flat, b->inside, &way);
    const double shine = dlp_ggx_shine(f->normal, f->eye, way, alpha, n);
    add_light(w, b, dlp_mul(light, fmin(shine, 8)));
}

// Where clear matter almost touches something opaque, that is wet: no air is in between. Light comes from
// there, or goes there.
static bool is_wet(const walk *w, const branch *b, const dlp_spot *spot, bool is_leaving)
{
    const double gap = dlp_stage_gap(spot->x), reach = 2 * w->stage->bodies[spot->body].cell;
    if (!is_leaving) return b->has_just_scattered && spot->distance < reach;
    const dlp_ray ray = {spot->x, b->ray.way, gap, reach};
    dlp_spot behind;
    return dlp_stage_find(w->stage, DLP_STAGE_OPAQUE, &ray, &behind);
}

static void pass(branch *b, const dlp_spot *spot, dlp_vec3 way, uint64_t inside)
{
    go_on(b, spot, way);
    b->inside = inside;
    b->has_just_scattered = false;
    b->crossings++;
}

// At a pane light is reflected or goes through; seen first, both ways are followed.
static void part_at_pane(walk *w, branch *b, const dlp_spot *spot, const facing *f, uint64_t inside)
{
    const dlp_body *before = medium_of(w->stage, b->inside), *after = medium_of(w->stage, inside);
    const double n1 = before != NULL ? before->refraction : 1, n2 = after != NULL ? after->refraction : 1;
    const double reflected = dlp_fresnel(dlp_dot(f->normal, f->eye), n1, n2);
    const dlp_vec3 mirror = keep_outside(dlp_reflect(b->ray.way, f->normal), f->flat);
    const dlp_vec3 through = reflected < 1 ? dlp_refract(b->ray.way, f->normal, n1, n2) : mirror;
    const bool is_first = b->crossings == 0 && b->scattered == 0;
    double u = 0, v = 0;
    if (is_first && reflected < 1) {
        branch other = *b;
        other.weight = dlp_mul(b->weight, reflected);
        other.is_main = reflected > 0.5;
        pass(&other, spot, mirror, b->inside);
        w->waiting[w->waiting_count++] = other;
        b->weight = dlp_mul(b->weight, 1 - reflected);
        b->is_main = !other.is_main;
        pass(b, spot, through, inside);
        return;
    }
    // Faint reflections further on would only be specks; they are left out.
    if (reflected < 0.1)
        b->weight = dlp_mul(b->weight, 1 - reflected);
    else
        dlp_dice_throw(w->dice, &u, &v);
    if (reflected >= 0.1 && u < reflected)
        pass(b, spot, mirror, b->inside);
    else
        pass(b, spot, through, inside);
}

static bool cross(walk *w, branch *b, const dlp_spot *spot)
{
    const facing f = face_eye(spot, b->ray.way);
    const uint64_t bit = bit_of(spot->body);
    const bool is_leaving = dlp_dot(b->ray.way, spot->flat) > 0;
    if (is_leaving) b->inside |= bit;
    const uint64_t inside = is_leaving ? b->inside & ~bit : b->inside | bit;
    note_first(w, f.normal, spot->distance);
    if (b->crossings >= CROSSING_LIMIT) {
        add_light(w, b, dlp_mul(dlp_sky_mean(&w->stage->sky), 0.5));
        return false;
    }
    const bool is_same = medium_of(w->stage, b->inside) == medium_of(w->stage, inside);
    const bool meets_air = b->inside == 0 || inside == 0;
    if (is_same || (meets_air && is_wet(w, b, spot, is_leaving))) {
        pass(b, spot, b->ray.way, inside);
        return true;
    }
    if (!is_leaving && b->scattered == 0) add_shine(w, b, spot, &f, 0.06);
    part_at_pane(w, b, spot, &f, inside);
    return true;
}

// Coats: a thin clear layer that reflects, over what scatters.

static double coat_alpha(dlp_look look)
{
    return look == DLP_LOOK_WAX ? 0.10 : 0.12;
}

// Takes the coat's part; false where the path ends with it.
static bool part_at_coat(walk *w, branch *b, const dlp_spot *spot, const facing *f)
{
    const double alpha = coat_alpha(spot->look), n = w->stage->bodies[spot->body].refraction;
    const double reflected = dlp_fresnel(dlp_dot(f->normal, f->eye), 1, n);
    double u, v;
    if (b->scattered == 0) add_shine(w, b, spot, f, alpha);
    dlp_dice_throw(w->dice, &u, &v);
    const dlp_vec3 facet = dlp_ggx_facet(f->normal, f->eye, alpha, u, v);
    const dlp_vec3 mirror = keep_outside(dlp_reflect(b->ray.way, facet), f->flat);
    branch other = *b;
    other.is_main = false;
    other.crossings++;
    go_on(&other, spot, mirror);
    if (b->crossings == 0 && b->scattered == 0) {
        other.weight = dlp_mul(b->weight, reflected);
        w->waiting[w->waiting_count++] = other;
        b->weight = dlp_mul(b->weight, 1 - reflected);
        return true;
    }
    dlp_dice_throw(w->dice, &u, &v);
    if (u < reflected) *b = other;
    return u >= reflected;
}

// Wax: light enters here and leaves there, with more of its colour the longer its way was.

static const double wax_least = 0.7;  // of the colour, however short the way was

static bool find_skin(const walk *w, int32_t body, dlp_ray ray, dlp_spot *out_spot)
{
    return dlp_stage_find(w->stage, DLP_STAGE_OPAQUE, &ray, out_spot) && out_spot->body == body;
}

// Straight through a thin part, less likely the thicker it is.
static bool go_through(walk *w, const dlp_spot *spot, const facing *f, dlp_spot *out_spot, dlp_vec3 *tint)
{
    double u, v, chance, unused;
    dlp_dice_throw(w->dice, &u, &v);
    dlp_dice_throw(w->dice, &chance, &unused);
    const double gap = dlp_stage_gap(spot->x), depth = 3 * w->stage->bodies[spot->body].depth;
    const dlp_vec3 way = dlp_cosine_way(dlp_mul(f->flat, -1), u, v);
    const dlp_ray ray = {dlp_along(spot->x, f->flat, -gap), way, gap, 4 * depth};
    if (!find_skin(w, spot->body, ray, out_spot) || !(dlp_dot(way, out_spot->flat) > 0)) return false;
    const double share = exp(-out_spot->distance / depth);
    *tint = color_after(spot->color, wax_least + out_spot->distance / depth);
    return chance < share;
}

// To a place nearby: where a line past a point of the disc around here meets the skin.  [king2013]
static bool go_under(walk *w, const dlp_spot *spot, const facing *f, dlp_spot *out_spot, dlp_vec3 *tint)
{
    double u, v, choice, unused;
    dlp_dice_throw(w->dice, &u, &v);
    dlp_dice_throw(w->dice, &choice, &unused);
    dlp_vec3 a, b, axis = f->flat;
    dlp_tangents(f->flat, &a, &b);
    if (choice >= 0.5) {
        axis = choice < 0.75 ? a : b;
        a = f->flat;
        b = dlp_cross(axis, a);
    }
    const double depth = w->stage->bodies[spot->body].depth, reach = 4 * depth;
    const double r = fmin(-depth * log(1 - u * 0.98), reach), height = sqrt(reach * reach - r * r);
    const dlp_vec3 aside = dlp_along(dlp_mul(a, r * cos(2 * DLP_PI * v)), b, r * sin(2 * DLP_PI * v));
    const dlp_vec3 from = dlp_along(dlp_add(spot->x, aside), axis, height);
    *tint = color_after(spot->color, wax_least + 1.1 * r / depth);
    return find_skin(w, spot->body, (dlp_ray){from, dlp_mul(axis, -1), 0, 2 * height}, out_spot);
}

// Where light that leaves the wax here has come in; normals outward there.
static void enter_wax(walk *w, branch *b, dlp_spot *spot, facing *f)
{
    dlp_spot other;
    dlp_vec3 tint = {1, 1, 1};
    double u, v;
    dlp_dice_throw(w->dice, &u, &v);
    if (!(u < 0.5 && go_through(w, spot, f, &other, &tint)) && !go_under(w, spot, f, &other, &tint)) return;
    b->weight = dlp_times(b->weight, tint);
    other.color = dlp_vec(1, 1, 1);
    b->is_blurred = true;
    *spot = other;
    f->flat = other.flat;
    f->normal = other.normal;
}

// Scattering surfaces.

// The ground loses itself in the light of the horizon.
static void fade_ground(walk *w, branch *b, const dlp_spot *spot)
{
    const dlp_vec3 up = w->stage->sky.up;
    const dlp_vec3 level = dlp_sub(spot->x, dlp_mul(up, dlp_dot(spot->x, up)));
    const double far = fmax(dlp_length(level) - 2, 0) / 11, share = far * far / (1 + far * far);
    branch haze = *b;
    haze.weight = dlp_mul(b->weight, share);
    add_light(w, &haze, w->stage->sky.horizon);
    b->weight = dlp_mul(b->weight, 1 - share);
}

// Ends most of the paths that bring little.
static bool is_spared(walk *w, branch *b)
{
    const double brightest = dlp_largest(b->weight), chance = 2 * brightest;
    const bool is_first = b->is_main && b->scattered <= 1;
    if (is_first || chance >= 1) return true;
    double u, v;
    dlp_dice_throw(w->dice, &u, &v);
    if (!(u < chance)) return false;
    b->weight = dlp_mul(b->weight, 1 / chance);
    return true;
}

static bool scatter(walk *w, branch *b, dlp_spot *spot, facing *f)
{
    dlp_vec3 way;
    const dlp_vec3 light = sunlight(w, spot, f->flat, b->inside, &way);
    b->weight = dlp_times(b->weight, spot->color);
    add_light(w, b, dlp_mul(light, fmax(dlp_dot(way, f->normal), 0) / DLP_PI));
    if (b->scattered >= w->bounces) {
        add_light(w, b, dlp_sky_ambient(&w->stage->sky, f->normal));
        return false;
    }
    b->scattered++;
    b->has_just_scattered = true;
    if (!is_spared(w, b)) return false;
    double u, v;
    dlp_dice_throw(w->dice, &u, &v);
    const double gap = dlp_stage_gap(spot->x);
    const dlp_vec3 out = keep_outside(dlp_cosine_way(f->normal, u, v), f->flat);
    b->ray = (dlp_ray){dlp_along(spot->lift, f->flat, gap), out, gap, HUGE_VAL};
    return true;
}

// Meets what the ray leads to; true where the path goes on.
static bool meet(walk *w, branch *b)
{
    dlp_spot spot;
    if (!dlp_stage_find(w->stage, DLP_STAGE_ALL, &b->ray, &spot)) {
        note_first(w, dlp_mul(b->ray.way, -1), sky_distance);
        note_albedo(w, b, dlp_vec(1, 1, 1));
        add_light(w, b, dlp_sky_light(&w->stage->sky, b->ray.way));
        return false;
    }
    b->weight = dlp_times(b->weight, clear_share(medium_of(w->stage, b->inside), spot.distance));
    if (spot.look == DLP_LOOK_GLASS) return cross(w, b, &spot);
    facing f = face_eye(&spot, b->ray.way);
    note_first(w, f.normal, spot.distance);
    note_albedo(w, b, spot.color);
    if (spot.body == DLP_BODY_GROUND) fade_ground(w, b, &spot);
    add_light(w, b, spot.glow);
    const bool has_coat = spot.look == DLP_LOOK_GLOSSY || spot.look == DLP_LOOK_WAX;
    if (has_coat && !part_at_coat(w, b, &spot, &f)) return true;
    if (spot.look == DLP_LOOK_WAX) enter_wax(w, b, &spot, &f);
    return scatter(w, b, &spot, &f);
}

dlp_path_light dlp_path_trace(const dlp_stage *stage, dlp_vec3 from, dlp_vec3 way, int32_t bounces,
                              dlp_dice *dice)
{
    dlp_path_light light = {0};
    walk w = {.stage = stage, .dice = dice, .bounces = bounces, .light = &light};
    w.waiting[w.waiting_count++] =
        (branch){.ray = {from, way, 0, HUGE_VAL}, .weight = {1, 1, 1}, .is_main = true};
    while (w.waiting_count > 0) {
        branch b = w.waiting[--w.waiting_count];
        while (meet(&w, &b)) continue;
    }
    if (!w.is_known) light.albedo = dlp_vec(1, 1, 1);
    return light;
}
