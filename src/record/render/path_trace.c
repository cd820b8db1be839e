// Follows light from the eye backwards through a scene of matte, glossy, waxy and clear bodies. At each
// surface that scatters the sun is sampled on its own; the sky is found by the paths that leave. Everything
// random comes from the sampler, so that a path is the same in every run. Departures from physics, all for
// less noise, are stated where they are made: faint second reflections are left out, soft light of one path
// is bounded, sunlight passes clear bodies straight.
#include "record/render/path_trace.h"
#include "record/render/optics.h"
#include "record/palette.h"

#include <assert.h>

enum {
    CROSSING_LIMIT = 12,   // of clear surfaces on one path
    WAITING_LIMIT = 2,     // branches of one path: only the first interface or coat splits
    CLEAR_BODY_LIMIT = 64  // that a ray may be in: bits of a mask
};

static const double brightest_soft = 6;  // radiance of one path: more would remain a bright speck
static const double sky_distance = 1e3;  // in units of the scene: large, but finite for the denoiser

// A part of a path: where light is followed to, and how much of it arrives at the eye.
typedef struct branch {
    dlp_ray ray;
    dlp_vec3 weight;          // share of the light found that reaches the eye, per colour
    bool is_blurred;          // it has left the place that is seen (wax): its light is soft
    uint64_t inside;          // clear bodies that the ray is in: one bit per body of the scene
    int32_t scattered;        // times so far
    bool has_just_scattered;  // the ray starts on a surface that scatters
    int32_t crossings;        // mirrors and clear surfaces on the path so far
    bool is_main;             // leads to what the eye takes this place for: its albedo counts
} branch;

// One call of dlp_path_trace.
typedef struct path_state {
    const dlp_render_scene *scene;
    dlp_sampler *sampler;  // borrowed, advanced by every decision
    int32_t bounces;
    dlp_path_light *light;
    bool is_known;                  // the albedo is noted
    branch waiting[WAITING_LIMIT];  // to be followed after the present one
    int32_t waiting_count;
} path_state;

// Light that came straight or by mirrors is sharp; any other is soft, and bounded.
static void add_light(path_state *w, const branch *b, dlp_vec3 light)
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

// For the denoiser: what the eye sees first, be it clear.
static void note_first(path_state *w, dlp_vec3 normal, double distance)
{
    if (w->light->distance > 0) return;
    w->light->normal = normal;
    w->light->distance = distance;
}

// For the denoiser: the colour of what is seen, also through clear bodies, as the main branch meets it.
static void note_albedo(path_state *w, const branch *b, dlp_vec3 albedo)
{
    if (w->is_known || !b->is_main || b->scattered > 0) return;
    w->light->albedo = dlp_times(b->weight, albedo);
    w->is_known = true;
}

// From the surface on, a gap off it on the side that the ray goes to.
static void continue_ray(branch *b, const dlp_surface_point *point, dlp_vec3 direction)
{
    const double gap = dlp_ray_offset(point->x), side = dlp_dot(direction, point->flat) < 0 ? -1 : 1;
    b->ray = (dlp_ray){dlp_along(point->x, point->flat, side * gap), direction, gap, HUGE_VAL};
}

// Clear bodies. Where several overlap, the first one is there: what it holds does not show.  [schmidt2002]

// The clear body that a ray is in, by priority: the lowest bit. NULL: air.
static const dlp_render_body *medium_of(const dlp_render_scene *scene, uint64_t inside)
{
    if (inside == 0) return NULL;
    int32_t k = 0;
    for (; (inside & 1) == 0; inside >>= 1) k++;
    return &scene->bodies[k];
}

// White light takes on the colour once per unit of depth; black would swallow everything at once.
static dlp_vec3 color_after(dlp_vec3 color, double depth)
{
    return dlp_vec(pow(fmin(fmax(color.x, 1e-3), 1), depth), pow(fmin(fmax(color.y, 1e-3), 1), depth),
                   pow(fmin(fmax(color.z, 1e-3), 1), depth));
}

// Beer's law: after the body's depth light has its colour.
static dlp_vec3 clear_share(const dlp_render_body *medium, double distance)
{
    if (medium == NULL) return dlp_vec(1, 1, 1);
    return color_after(medium->tint, distance / medium->depth);
}

// 0, as if it were air, for bodies past the limit.
static uint64_t bit_of(int32_t body)
{
    return body >= 0 && body < CLEAR_BODY_LIMIT ? (uint64_t)1 << body : 0;
}

// The share of the sun's light that comes along the ray. It goes straight through clear bodies, with their
// colour and the loss by reflection: there are no caustics, which few samples would find. A first surface
// right at the start is that of matter that wets the wall.
static dlp_vec3 sun_share(const dlp_render_scene *scene, dlp_ray ray, uint64_t inside)
{
    dlp_vec3 share = dlp_vec(1, 1, 1);
    if (dlp_render_scene_is_shaded(scene, &ray)) return dlp_vec(0, 0, 0);
    if (!dlp_tracer_has(scene->tracer, DLP_RAYS_CLEAR)) return share;
    for (int32_t k = 0; k < CROSSING_LIMIT; k++) {
        dlp_surface_point point;
        if (!dlp_render_scene_find(scene, DLP_RENDER_CLEAR, &ray, &point)) return share;
        const double cosine = dlp_dot(ray.direction, point.normal);
        const dlp_render_body *body = &scene->bodies[point.body];
        if (cosine > 0) inside |= bit_of(point.body);  // it leaves: so it was in it
        share = dlp_times(share, clear_share(medium_of(scene, inside), point.distance));
        const bool is_on_wall = k == 0 && point.distance < 2 * body->cell;
        if (!is_on_wall)
            share = dlp_mul(share, 1 - dlp_fresnel(fmax(fabs(cosine), 0.05), 1, body->refraction));
        inside = cosine > 0 ? inside & ~bit_of(point.body) : inside | bit_of(point.body);
        ray.from = dlp_along(point.x, ray.direction, 2 * dlp_ray_offset(point.x));
    }
    return share;
}

// Irradiance of a surface that faces the sun, from a random point of the sun's disc; zero where `side` turns
// away from it.
static dlp_vec3 sunlight(path_state *w, const dlp_surface_point *point, dlp_vec3 side, uint64_t inside,
                         dlp_vec3 *out_direction)
{
    const dlp_sky *sky = &w->scene->sky;
    double u, v;
    dlp_sampler_next(w->sampler, &u, &v);
    *out_direction = dlp_cone_direction(sky->sun, sky->sun_tangent, u, v);
    if (!(dlp_largest(sky->sunlight) > 0 && dlp_dot(*out_direction, side) > 0)) return dlp_vec(0, 0, 0);
    const double gap = dlp_ray_offset(point->x);
    const dlp_ray ray = {dlp_along(point->shadow_origin, side, gap), *out_direction, gap, HUGE_VAL};
    return dlp_times(sky->sunlight, sun_share(w->scene, ray, inside));
}

// Normals that face the eye's side of the surface, and the direction to the eye.
typedef struct facing {
    dlp_vec3 flat, normal, eye;
} facing;

// A smooth normal may turn away where the triangle still faces the eye: it is then bent back.
static facing face_eye(const dlp_surface_point *point, dlp_vec3 direction)
{
    const double side = dlp_dot(direction, point->flat) > 0 ? -1 : 1;
    facing f = {dlp_mul(point->flat, side), dlp_mul(point->normal, side), dlp_mul(direction, -1)};
    const double cosine = dlp_dot(f.normal, f.eye);
    if (cosine < 0.02) f.normal = dlp_normalize(dlp_along(f.normal, f.eye, 0.02 - cosine), f.flat);
    return f;
}

// A reflection about a smooth normal must not go through the triangle it belongs to.
static dlp_vec3 keep_outside(dlp_vec3 direction, dlp_vec3 flat)
{
    const double height = dlp_dot(direction, flat);
    return height > 0.01 ? direction : dlp_normalize(dlp_along(direction, flat, 0.01 - height), flat);
}

// The sun's image in a surface, widened as if by fine ripples of roughness `alpha`, so that few samples find
// it.
static void add_highlight(path_state *w, const branch *b, const dlp_surface_point *point, const facing *f,
                          double alpha)
{
    const double n = w->scene->bodies[point->body].refraction;
    const double bound = dlp_ggx_specular(f->normal, f->eye, w->scene->sky.sun, alpha + 0.05, n);
    if (!(bound > 1e-3)) return;
    dlp_vec3 direction;
    const dlp_vec3 light = sunlight(w, point, f->flat, b->inside, &direction);
    const double specular = dlp_ggx_specular(f->normal, f->eye, direction, alpha, n);
    add_light(w, b, dlp_mul(light, fmin(specular, 8)));
}

// Where clear matter almost touches something opaque, there is no air in between, and no reflection. Light
// comes from there (it has just scattered), or goes there.
static bool is_wet(const path_state *w, const branch *b, const dlp_surface_point *point, bool is_leaving)
{
    const double gap = dlp_ray_offset(point->x), reach = 2 * w->scene->bodies[point->body].cell;
    if (!is_leaving) return b->has_just_scattered && point->distance < reach;
    const dlp_ray ray = {point->x, b->ray.direction, gap, reach};
    dlp_surface_point behind;
    return dlp_render_scene_find(w->scene, DLP_RENDER_OPAQUE, &ray, &behind);
}

// Continues a branch behind a clear surface, or before it.
static void pass(branch *b, const dlp_surface_point *point, dlp_vec3 direction, uint64_t inside)
{
    continue_ray(b, point, direction);
    b->inside = inside;
    b->has_just_scattered = false;
    b->crossings++;
}

// At an interface light is reflected or refracted. At the first one both rays are followed, weighted; later
// ones are chosen by chance, and faint reflections are left out.
static void split_at_interface(path_state *w, branch *b, const dlp_surface_point *point, const facing *f,
                               uint64_t inside)
{
    const dlp_render_body *before = medium_of(w->scene, b->inside), *after = medium_of(w->scene, inside);
    const double n1 = before != NULL ? before->refraction : 1, n2 = after != NULL ? after->refraction : 1;
    const double reflected = dlp_fresnel(dlp_dot(f->normal, f->eye), n1, n2);
    const dlp_vec3 mirror = keep_outside(dlp_reflect(b->ray.direction, f->normal), f->flat);
    const dlp_vec3 through = reflected < 1 ? dlp_refract(b->ray.direction, f->normal, n1, n2) : mirror;
    const bool is_first = b->crossings == 0 && b->scattered == 0;
    double u = 0, v = 0;
    if (is_first && reflected < 1) {
        branch other = *b;
        other.weight = dlp_mul(b->weight, reflected);
        other.is_main = reflected > 0.5;
        pass(&other, point, mirror, b->inside);
        assert(w->waiting_count < WAITING_LIMIT);
        w->waiting[w->waiting_count++] = other;
        b->weight = dlp_mul(b->weight, 1 - reflected);
        b->is_main = !other.is_main;
        pass(b, point, through, inside);
        return;
    }
    // Faint reflections further on would only be specks.
    if (reflected < 0.1)
        b->weight = dlp_mul(b->weight, 1 - reflected);
    else
        dlp_sampler_next(w->sampler, &u, &v);
    if (reflected >= 0.1 && u < reflected)
        pass(b, point, mirror, b->inside);
    else
        pass(b, point, through, inside);
}

// Meets the surface of a clear body; true where the path goes on. A ray that leaves a body it was not known
// to be in was in it from the start. Paths that cross too often end in a grey guess.
static bool cross_interface(path_state *w, branch *b, const dlp_surface_point *point)
{
    const facing f = face_eye(point, b->ray.direction);
    const uint64_t bit = bit_of(point->body);
    const bool is_leaving = dlp_dot(b->ray.direction, point->flat) > 0;
    if (is_leaving) b->inside |= bit;
    const uint64_t inside = is_leaving ? b->inside & ~bit : b->inside | bit;
    note_first(w, f.normal, point->distance);
    if (b->crossings >= CROSSING_LIMIT) {
        add_light(w, b, dlp_mul(dlp_sky_mean(&w->scene->sky), 0.5));
        return false;
    }
    const bool is_same = medium_of(w->scene, b->inside) == medium_of(w->scene, inside);
    const bool meets_air = b->inside == 0 || inside == 0;
    if (is_same || (meets_air && is_wet(w, b, point, is_leaving))) {
        pass(b, point, b->ray.direction, inside);
        return true;
    }
    if (!is_leaving && b->scattered == 0) add_highlight(w, b, point, &f, 0.06);
    split_at_interface(w, b, point, &f, inside);
    return true;
}

// Glossy surfaces: a thin clear coat that reflects, over what scatters.

// Roughness of the coat.
static double coat_alpha(dlp_look look)
{
    return look == DLP_LOOK_WAX ? 0.10 : 0.12;
}

// Reflects by a microfacet of the coat. The first coat is followed both ways; later ones by chance. False
// where `b` itself went on as the reflection.
static bool split_at_coat(path_state *w, branch *b, const dlp_surface_point *point, const facing *f)
{
    const double alpha = coat_alpha(point->look), n = w->scene->bodies[point->body].refraction;
    const double reflected = dlp_fresnel(dlp_dot(f->normal, f->eye), 1, n);
    double u, v;
    if (b->scattered == 0) add_highlight(w, b, point, f, alpha);
    dlp_sampler_next(w->sampler, &u, &v);
    const dlp_vec3 facet = dlp_ggx_facet(f->normal, f->eye, alpha, u, v);
    const dlp_vec3 mirror = keep_outside(dlp_reflect(b->ray.direction, facet), f->flat);
    branch other = *b;
    other.is_main = false;
    other.crossings++;
    continue_ray(&other, point, mirror);
    if (b->crossings == 0 && b->scattered == 0) {
        other.weight = dlp_mul(b->weight, reflected);
        assert(w->waiting_count < WAITING_LIMIT);
        w->waiting[w->waiting_count++] = other;
        b->weight = dlp_mul(b->weight, 1 - reflected);
        return true;
    }
    dlp_sampler_next(w->sampler, &u, &v);
    if (u < reflected) *b = other;
    return u >= reflected;
}

// Wax: light enters in one place and leaves in another, with more of its colour the longer its path was.

static const double wax_least = 0.7;  // depths of colour, however short the path was

// Whether the first opaque surface along the ray is that of the body.
static bool find_surface(const path_state *w, int32_t body, dlp_ray ray, dlp_surface_point *out_point)
{
    return dlp_render_scene_find(w->scene, DLP_RENDER_OPAQUE, &ray, out_point) && out_point->body == body;
}

// Straight through a thin part, less likely the thicker it is.
static bool sample_transmission(path_state *w, const dlp_surface_point *point, const facing *f,
                                dlp_surface_point *out_point, dlp_vec3 *tint)
{
    double u, v, chance, unused;
    dlp_sampler_next(w->sampler, &u, &v);
    dlp_sampler_next(w->sampler, &chance, &unused);
    const double gap = dlp_ray_offset(point->x), depth = 3 * w->scene->bodies[point->body].depth;
    const dlp_vec3 direction = dlp_cosine_direction(dlp_mul(f->flat, -1), u, v);
    const dlp_ray ray = {dlp_along(point->x, f->flat, -gap), direction, gap, 4 * depth};
    if (!find_surface(w, point->body, ray, out_point) || !(dlp_dot(direction, out_point->flat) > 0))
        return false;
    const double share = exp(-out_point->distance / depth);
    *tint = color_after(point->color, wax_least + out_point->distance / depth);
    return chance < share;
}

// To a place nearby: where a line past a random point of the disc around here, along one of three axes, meets
// the surface.  [king2013]
static bool sample_subsurface(path_state *w, const dlp_surface_point *point, const facing *f,
                              dlp_surface_point *out_point, dlp_vec3 *tint)
{
    double u, v, choice, unused;
    dlp_sampler_next(w->sampler, &u, &v);
    dlp_sampler_next(w->sampler, &choice, &unused);
    dlp_vec3 a, b, axis = f->flat;
    dlp_tangents(f->flat, &a, &b);
    if (choice >= 0.5) {
        axis = choice < 0.75 ? a : b;
        a = f->flat;
        b = dlp_cross(axis, a);
    }
    const double depth = w->scene->bodies[point->body].depth, reach = 4 * depth;
    const double r = fmin(-depth * log(1 - u * 0.98), reach), height = sqrt(reach * reach - r * r);
    const dlp_vec3 aside = dlp_along(dlp_mul(a, r * cos(2 * DLP_PI * v)), b, r * sin(2 * DLP_PI * v));
    const dlp_vec3 from = dlp_along(dlp_add(point->x, aside), axis, height);
    *tint = color_after(point->color, wax_least + 1.1 * r / depth);
    return find_surface(w, point->body, (dlp_ray){from, dlp_mul(axis, -1), 0, 2 * height}, out_point);
}

// Moves `point` to where light that leaves the wax here has come in, with outward normals there; leaves it
// where no such place is found.
static void enter_wax(path_state *w, branch *b, dlp_surface_point *point, facing *f)
{
    dlp_surface_point other;
    dlp_vec3 tint = {1, 1, 1};
    double u, v;
    dlp_sampler_next(w->sampler, &u, &v);
    if (!(u < 0.5 && sample_transmission(w, point, f, &other, &tint)) &&
        !sample_subsurface(w, point, f, &other, &tint))
        return;
    b->weight = dlp_times(b->weight, tint);
    other.color = dlp_vec(1, 1, 1);
    b->is_blurred = true;
    *point = other;
    f->flat = other.flat;
    f->normal = other.normal;
}

// Scattering surfaces.

// The ground fades into the light of the horizon with distance, so that its end is not seen.
static void fade_ground(path_state *w, branch *b, const dlp_surface_point *point)
{
    const dlp_vec3 up = w->scene->sky.up;
    const dlp_vec3 level = dlp_sub(point->x, dlp_mul(up, dlp_dot(point->x, up)));
    const double far = fmax(dlp_length(level) - 2, 0) / 11, share = far * far / (1 + far * far);
    branch haze = *b;
    haze.weight = dlp_mul(b->weight, share);
    add_light(w, &haze, w->scene->sky.horizon);
    b->weight = dlp_mul(b->weight, 1 - share);
}

// Ends most of the paths that bring little; those that survive count for the ended ones, so that the mean
// stays right.
static bool survives_roulette(path_state *w, branch *b)
{
    const double brightest = dlp_largest(b->weight), chance = 2 * brightest;
    const bool is_first = b->is_main && b->scattered <= 1;
    if (is_first || chance >= 1) return true;
    double u, v;
    dlp_sampler_next(w->sampler, &u, &v);
    if (!(u < chance)) return false;
    b->weight = dlp_mul(b->weight, 1 / chance);
    return true;
}

// Diffuse reflection: the sun's light now, the sky's by the next ray, with the density of the cosine, so that
// the weight is the colour alone. After the last bounce the sky is guessed.
static bool scatter(path_state *w, branch *b, dlp_surface_point *point, facing *f)
{
    dlp_vec3 direction;
    const dlp_vec3 light = sunlight(w, point, f->flat, b->inside, &direction);
    b->weight = dlp_times(b->weight, point->color);
    add_light(w, b, dlp_mul(light, fmax(dlp_dot(direction, f->normal), 0) / DLP_PI));
    if (b->scattered >= w->bounces) {
        add_light(w, b, dlp_sky_ambient(&w->scene->sky, f->normal));
        return false;
    }
    b->scattered++;
    b->has_just_scattered = true;
    if (!survives_roulette(w, b)) return false;
    double u, v;
    dlp_sampler_next(w->sampler, &u, &v);
    const double gap = dlp_ray_offset(point->x);
    const dlp_vec3 out = keep_outside(dlp_cosine_direction(f->normal, u, v), f->flat);
    b->ray = (dlp_ray){dlp_along(point->shadow_origin, f->flat, gap), out, gap, HUGE_VAL};
    return true;
}

// Meets what the ray leads to; true where the path goes on.
static bool trace_segment(path_state *w, branch *b)
{
    dlp_surface_point point;
    if (!dlp_render_scene_find(w->scene, DLP_RENDER_ALL, &b->ray, &point)) {
        note_first(w, dlp_mul(b->ray.direction, -1), sky_distance);
        note_albedo(w, b, dlp_vec(1, 1, 1));
        add_light(w, b, dlp_sky_light(&w->scene->sky, b->ray.direction));
        return false;
    }
    b->weight = dlp_times(b->weight, clear_share(medium_of(w->scene, b->inside), point.distance));
    if (point.look == DLP_LOOK_GLASS) return cross_interface(w, b, &point);
    facing f = face_eye(&point, b->ray.direction);
    note_first(w, f.normal, point.distance);
    note_albedo(w, b, point.color);
    if (point.body == DLP_BODY_GROUND) fade_ground(w, b, &point);
    add_light(w, b, point.glow);
    const bool has_coat = point.look == DLP_LOOK_GLOSSY || point.look == DLP_LOOK_WAX;
    if (has_coat && !split_at_coat(w, b, &point, &f)) return true;
    if (point.look == DLP_LOOK_WAX) enter_wax(w, b, &point, &f);
    return scatter(w, b, &point, &f);
}

dlp_path_light dlp_path_trace(const dlp_render_scene *scene, dlp_vec3 from, dlp_vec3 direction,
                              int32_t bounces, dlp_sampler *sampler)
{
    dlp_path_light light = {0};
    path_state w = {.scene = scene, .sampler = sampler, .bounces = bounces, .light = &light};
    w.waiting[w.waiting_count++] =
        (branch){.ray = {from, direction, 0, HUGE_VAL}, .weight = {1, 1, 1}, .is_main = true};
    while (w.waiting_count > 0) {
        branch b = w.waiting[--w.waiting_count];
        while (trace_segment(&w, &b)) continue;
    }
    if (!w.is_known) light.albedo = dlp_vec(1, 1, 1);
    return light;
}
