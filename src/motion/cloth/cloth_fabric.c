/* What a substance's definition means for the solver. */
#include "motion/cloth/cloth_solver.h"

// Held below a share of V* = sqrt(g spacing), the speed of a fall through one spacing.
#define REST_SHARE 0.03
// Between held and free; below 3 the slope of the passage grows steep.
#define FULL_RATIO  4.47
#define LEAST_RATIO 3.0
// Effective speed that counts as none, in speeds of rest. What stops leaves unbalanced what its inner damping
// and its inertia held up; a stop from a fifth of the speed of rest, a fluid's, would wake the sheet again
// and again.
#define TOLERANCE_SHARE 0.01
// Acceleration that hidden momentum withstands, in gravities: far below a fluid's, or a swing stops askew.
#define FRICTION 0.003

double dlp_cloth_spacing(const dlp_substance_def *def)
{
    return def->particle_radius * cbrt(4 * DLP_PI / 3);
}

// With an allowed error the speed of rest is what drifts that far while a particle falls through one spacing,
// and friction goes with it.
static void set_restraint(dlp_fabric *fabric, const dlp_substance_def *def, double gravity)
{
    const dlp_restraint_def *given = &def->restraint;
    const double g = gravity > 0 ? gravity : 9.81, spacing = dlp_cloth_spacing(def);
    const double speed = sqrt(g * spacing);
    const double share = given->error > 0 ? given->error * def->particle_radius / spacing : REST_SHARE;
    const double rest = given->rest > 0 ? given->rest : share * speed;
    double full = given->full > 0 ? given->full : FULL_RATIO * rest;
    if (given->form == DLP_RESTRAINT_CONVEX) full = fmax(full, LEAST_RATIO * rest);
    const double friction = given->friction > 0 ? given->friction : FRICTION * share / REST_SHARE;
    fabric->is_restrained = def->adapt_restraint;
    fabric->restraint =
        (dlp_restraint){.form = given->form, .hold_speed = rest, .full = fmax(full, 1.001 * rest)};
    fabric->tolerance = given->tolerance > 0 ? given->tolerance : TOLERANCE_SHARE * rest;
    fabric->decay_time = rest / (friction * g);
}

void dlp_cloth_set_fabrics(dlp_cloth *cloth)
{
    dlp_cloth_params *params = &cloth->params;
    const dlp_scene_def *scene = params->scene;
    assert(scene->substance_count <= params->capacity);
    params->is_paper_form = false;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *def = &scene->substances[k];
        const dlp_cloth_def *given = &def->cloth;
        if (def->model != DLP_MODEL_CLOTH) continue;
        params->spacing[k] = dlp_cloth_spacing(def);
        const dlp_fabric before = params->fabrics[k];
        params->fabrics[k] = (dlp_fabric){.weight = given->weight,
                                          .thickness = given->thickness,
                                          .stretch = {given->stretch_warp, given->stretch_weft},
                                          .shear = given->shear,
                                          .bend = given->bend,
                                          .damping = given->damping,
                                          .inner_damping = given->inner_damping,
                                          .tear = given->tear,
                                          .friction = given->friction,
                                          .drag = given->drag,
                                          .meets_itself = given->meets_itself};
        set_restraint(&params->fabrics[k], def, dlp_length(scene->gravity));
        const dlp_fabric *now = &params->fabrics[k];
        if (now->is_restrained && now->restraint.form != DLP_RESTRAINT_CONVEX) params->is_paper_form = true;
        // key frames may change them; matrices and what the air does hold them
        if (now->drag != before.drag) cloth->contact.state.wind.is_known = 0;
        if (now->drag != before.drag || now->damping != before.damping ||
            now->inner_damping != before.inner_damping)
            cloth->scratch.terms.built_step = 0;
    }
}
