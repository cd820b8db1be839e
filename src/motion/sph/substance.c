/* A substance's constants: from its definition, as it stands at this moment. */
#include "motion/sph/adapt.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/sph_restraint.h"
#include "matter/energy.h"
#include "matter/norm.h"

double dlp_substance_energy(const dlp_substance *s, double delta)
{
    double energy = 0;
    const double rho0 = (double)s->rho0, k = (double)s->k;
    switch (s->state) {
    case DLP_STATE_LINEAR:
        energy = dlp_energy_linear(delta, rho0, k);
        break;
    case DLP_STATE_TAIT:
        energy = dlp_energy_tait(delta, rho0, k, s->gamma);
        break;
    case DLP_STATE_IDEAL:
        energy = dlp_energy_ideal(delta, rho0, k);
        break;
    }
    return delta < 1 && s->state != DLP_STATE_IDEAL ? (double)s->cohesion * energy : energy;
}

double dlp_substance_spacing(const dlp_substance_def *def, int32_t dimension)
{
    return def->particle_radius * (dimension == 2 ? sqrt(DLP_PI) : cbrt(4 * DLP_PI / 3));
}

double dlp_sph_weight(const dlp_sph *sph, double r, double h)
{
    if (r >= 2 * h) return 0;
    return (double)sph->params.pair.norm * dlp_kernel_shape(sph->params.pair.kernel, r / h) /
           pow(h, sph->params.pair.dimension);
}

// Artificial viscosity damps approach alone, so that on a lattice its kinematic viscosity is about
// alpha h c / 4 (d + 2).  [monaghan2005]
double dlp_substance_alpha(const dlp_substance_def *def, int32_t dimension, double stiffness)
{
    const double enough = 0.05, c = def->sound_speed > 0 ? def->sound_speed : sqrt(stiffness);
    if (def->alpha >= 0) return def->alpha;
    const double h = def->smoothing * dlp_substance_spacing(def, dimension);
    const double own = 4 * (dimension + 2) * def->viscosity / (def->density * h * (c + 1e-30));
    return own < enough ? enough - own : 0;
}

// That of kick.c without motion.  [desbrun1996, eq. 14; monaghan1992]
double dlp_substance_stable_step(const dlp_substance_def *def, int32_t dimension, double stiffness,
                                 double courant)
{
    const double h = def->smoothing * dlp_substance_spacing(def, dimension);
    const double given = def->sound_speed > 0 ? def->sound_speed : sqrt(stiffness);
    const double c = fmax(given, sqrt(stiffness)),
                 damping = dlp_substance_alpha(def, dimension, stiffness) * given;
    const double spacing = dlp_substance_spacing(def, dimension);
    if (def->pressure != DLP_PRESSURE_EOS) return courant / 0.3 * 0.25 * sqrt(spacing / 9.81);
    const double acoustic = courant * h / (c + 0.6 * damping);
    if (def->viscosity_step == DLP_VISCOSITY_IMPLICIT) return acoustic;
    return def->viscosity > 0 ? fmin(acoustic, 0.125 * h * h * def->density / def->viscosity) : acoustic;
}

static void set_substance(dlp_substance *s, const dlp_substance_def *def, int32_t dimension,
                          double derived_stiffness)
{
    s->rho0 = (float)def->density;
    s->k = (float)(def->stiffness > 0 ? def->stiffness : derived_stiffness);
    s->viscosity = (float)def->viscosity;
    s->cohesion = (float)def->cohesion;
    s->gamma = (int32_t)def->gamma;
    s->state = def->state;
    const double c = sqrt((double)s->k), given = def->sound_speed > 0 ? def->sound_speed : c;
    s->sound_speed = (float)(given > c ? given : c);
    const bool has_sound = def->pressure == DLP_PRESSURE_EOS;  // else there is no ringing to damp
    s->alpha_c = has_sound ? (float)(dlp_substance_alpha(def, dimension, (double)s->k) * given) : 0;
    s->beta = has_sound ? (float)def->beta : 0;
}

// Whether what pairs do to one another has changed.
static bool is_other_matter(const dlp_substance *a, const dlp_substance *b)
{
    return a->rho0 != b->rho0 || a->k != b->k || a->viscosity != b->viscosity || a->cohesion != b->cohesion ||
           a->alpha_c != b->alpha_c || a->beta != b->beta || a->sound_speed != b->sound_speed ||
           a->gamma != b->gamma || a->state != b->state;
}

dlp_status dlp_sph_set_constants(dlp_sph *sph, dlp_error *error)
{
    dlp_sph_params *params = &sph->params;
    const dlp_scene_def *scene = sph->scene;
    bool has_artificial = false, has_changed = false;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *def = dlp_sph_definition(scene, k);
        if (def->gamma != floor(def->gamma) || !(def->gamma >= 1 && def->gamma <= 16))
            return dlp_fail(error, DLP_INVALID,
                            "substances.%s.gamma: must be a whole number from 1 to 16 (got %g)", def->name,
                            def->gamma);
        const dlp_substance before = params->substances[k];
        set_substance(&params->substances[k], def, scene->dimension, sph->state.stiffness[k]);
        has_changed = has_changed || is_other_matter(&before, &params->substances[k]);
        params->substances[k].rules =
            dlp_adapt_rules_of(def, sph, dlp_substance_spacing(def, scene->dimension));
        params->substances[k].sleep_rules =
            dlp_sleep_rules_of(def, sph, dlp_substance_spacing(def, scene->dimension));
        has_artificial = has_artificial || params->substances[k].alpha_c > 0 || def->beta > 0;
    }
    const dlp_vec3 g = scene->gravity;
    has_changed = has_changed || params->pair.gravity[0] != (float)g.x ||
                  params->pair.gravity[1] != (float)g.y || params->pair.gravity[2] != (float)g.z;
    sph->state.wakes_all = sph->state.wakes_all || has_changed;
    dlp_heat_set_constants(sph);
    if (has_changed && !sph->scratch.neighbours.are_stale) dlp_sph_write_constants(sph);
    params->pair.has_artificial = has_artificial;
    params->pair.gravity[0] = (float)scene->gravity.x;
    params->pair.gravity[1] = (float)scene->gravity.y;
    params->pair.gravity[2] = (float)scene->gravity.z;
    return DLP_OK;
}
