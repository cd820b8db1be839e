#include "scene/body_force.h"
#include "base/elementary.h"
#include "scene/formula.h"

static bool acts_on(const dlp_force_def *force, int32_t substance)
{
    if (!(force->time >= force->start && force->time < force->stop)) return false;
    for (int32_t k = 0; k < force->substance_count; k++)
        if (force->substance_indices[k] == substance) return true;
    return force->substance_count == 0;
}

// The distance from the centre, made longer by the softening.
static double soft_distance(const dlp_force_def *force, dlp_vec3 offset)
{
    return sqrt(dlp_dot(offset, offset) + force->softening * force->softening);
}

// -grad of r^(n+1) / (n+1) with r^2 = d^2 + s^2 is -r^(n-1) d. At the centre itself it has no direction.
static dlp_vec3 central_acceleration(const dlp_force_def *force, dlp_vec3 x)
{
    const dlp_vec3 offset = dlp_sub(x, force->center);
    const double r = soft_distance(force, offset);
    return r > 0 ? dlp_mul(offset, -dlp_pow(r, force->power - 1)) : dlp_vec(0, 0, 0);
}

static double central_potential(const dlp_force_def *force, dlp_vec3 x)
{
    const double r = soft_distance(force, dlp_sub(x, force->center));
    return force->power == -1 ? dlp_log(r) : dlp_pow(r, force->power + 1) / (force->power + 1);
}

// Without its strength.
static dlp_vec3 acceleration_of(const dlp_force_def *force, dlp_vec3 x)
{
    const double variables[4] = {x.x, x.y, x.z, force->time};
    if (force->kind == DLP_FORCE_CENTRAL) return central_acceleration(force, x);
    if (force->kind == DLP_FORCE_POTENTIAL)
        return dlp_mul(dlp_formula_gradient(force->programs[0], variables), -1);
    double a[3] = {0, 0, 0};
    for (int32_t k = 0; k < force->formula_count; k++)
        a[k] = dlp_formula_value(force->programs[k], variables);
    return dlp_vec(a[0], a[1], a[2]);
}

dlp_vec3 dlp_body_acceleration(const dlp_scene_def *scene, int32_t substance, dlp_vec3 x)
{
    dlp_vec3 sum = scene->gravity;
    for (int32_t k = 0; k < scene->force_count; k++) {
        const dlp_force_def *force = &scene->forces[k];
        if (acts_on(force, substance)) sum = dlp_along(sum, acceleration_of(force, x), force->strength);
    }
    if (scene->dimension == 2) sum.z = 0;
    return sum;
}

double dlp_body_potential(const dlp_scene_def *scene, int32_t substance, dlp_vec3 x)
{
    double sum = -dlp_dot(scene->gravity, x);
    for (int32_t k = 0; k < scene->force_count; k++) {
        const dlp_force_def *force = &scene->forces[k];
        const double variables[4] = {x.x, x.y, x.z, force->time};
        if (!acts_on(force, substance) || force->kind == DLP_FORCE_FORMULA) continue;
        const double potential = force->kind == DLP_FORCE_CENTRAL
                                     ? central_potential(force, x)
                                     : dlp_formula_value(force->programs[0], variables);
        sum += force->strength * potential;
    }
    return sum;
}

// v^2 = 2 a (distance): at the centre of a spring half of that is reached; what circles has half of it, too.
double dlp_body_speed_square(const dlp_scene_def *scene, int32_t substance, dlp_vec3 x, double reach)
{
    double sum = 0;
    for (int32_t k = 0; k < scene->force_count; k++) {
        const dlp_force_def *force = &scene->forces[k];
        if (!acts_on(force, substance)) continue;
        const bool is_attracted = force->kind == DLP_FORCE_CENTRAL && force->strength > 0;
        const double fall = is_attracted ? dlp_length(dlp_sub(x, force->center)) : reach;
        const double a = fabs(force->strength) * dlp_length(acceleration_of(force, x));
        if (isfinite(a)) sum += 2 * a * fall;
    }
    return sum;
}
