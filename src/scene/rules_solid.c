/* Checks and defaults of solids, of blades and of loads. */
#include "scene/resolve.h"
#include "scene/rules.h"

#include <math.h>

// On a cubic lattice all particles of a solid have rest neighbours in the same directions; smoothed particles
// start close-packed.
dlp_origin dlp_derive_lattice(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)r;
    const dlp_substance_def *substance = base;
    dlp_string_add(out, "%s", substance->model == DLP_MODEL_SOLID ? "cubic" : "hexagonal");
    return DLP_ORIGIN_DEFAULT;
}

void dlp_check_fiber(dlp_resolver *r, void *base)
{
    const dlp_fiber_def *fiber = base;
    const double length = dlp_length(fiber->direction);
    if (!(length > 0 && isfinite(length)))
        dlp_mistake_add(r, "direction", "must have a finite length above 0");
}

// 0 in a scene means no limit; the solver compares with a number above all strains.
void dlp_check_plasticity(dlp_resolver *r, void *base)
{
    (void)r;
    dlp_solid_def *solid = &((dlp_substance_def *)base)->solid;
    if (!(solid->plastic_limit > 0)) solid->plastic_limit = 1e30;
}

// Ranges that rows cannot express: 0 or -1 for "chosen" beside a range. Below 1.1 spacings not even the
// nearest particles are neighbours.
void dlp_check_elastic(dlp_resolver *r, void *base)
{
    const dlp_solid_def *solid = &((const dlp_substance_def *)base)->solid;
    if (solid->fiber_count > DLP_FIBER_LIMIT)
        dlp_mistake_add(r, "fibers", "has %d entries; at most %d are allowed", solid->fiber_count,
                        DLP_FIBER_LIMIT);
    if (solid->law == DLP_ELASTIC_NEO_HOOKEAN && solid->poisson_ratio < 0)
        dlp_mistake_add(
            r, "poisson_ratio",
            "must be 0 or more with `law: neo_hookean`, whose energy would have no lower bound (got %g); "
            "stvk and corotated allow it",
            solid->poisson_ratio);
    if (solid->support > 0 && solid->support < 1.1)
        dlp_mistake_add(r, "support", "must be 0, or between 1.1 and 4 (got %g)", solid->support);
    if (solid->hourglass < 0 && solid->hourglass != -1)
        dlp_mistake_add(r, "hourglass", "must be -1, or between 0 and 10 (got %g)", solid->hourglass);
}

void dlp_check_solid(dlp_resolver *r, const dlp_substance_def *substance)
{
    if (r->def->dimension == 2) dlp_mistake_add(r, "model", "solid needs dimension: 3");
    if (substance->shape.kind == DLP_SHAPE_NONE)
        dlp_mistake_add(r, "shape", "is missing: a solid fills a shape at the start");
}

// What a scene with any solid may not have, and blades without one.
void dlp_check_solids(dlp_resolver *r, const dlp_scene_def *def)
{
    const dlp_substance_def *first = dlp_first_of_model(def, DLP_MODEL_SOLID);
    if (first == NULL && def->blade_count > 0)
        dlp_mistake_add(r, "blades", "cut solids (model solid), and there are none");
    if (first == NULL) return;
    if (def->periodic[0] || def->periodic[1] || def->periodic[2])
        dlp_mistake_add(r, "periodic", "must be empty in a scene with solids (%s)", first->name);
    if (def->surface.blend)
        dlp_mistake_add(r, "surface.blend",
                        "must be false in a scene with solids (%s): a solid keeps a surface of its own",
                        first->name);
}

// A blade without length would cut nothing.
void dlp_check_blade(dlp_resolver *r, void *base)
{
    const dlp_blade_def *blade = base;
    const double length = dlp_length(dlp_sub(blade->to, blade->from));
    dlp_check_unique(r, r->def->blades, sizeof *r->def->blades, "blades");
    if (!(length > 0 && isfinite(length))) dlp_mistake_add(r, "to", "must differ from `from`");
    dlp_check_interval(r, blade->start, blade->stop);
}

// Whether it is other than zero, now or by key frames: a scene as it is written back gives all keys.
static bool is_something(const dlp_resolver *r, const dlp_vec3 *value)
{
    bool has_keys = false;
    for (int32_t k = 0; k < r->def->track_count; k++) has_keys |= r->def->tracks[k].target == &value->x;
    return has_keys || dlp_length(*value) > 0;
}

// Cloth has a surface, but what hangs on a part of it is an attachment's mass.
static void check_loaded(dlp_resolver *r, const dlp_load_def *load, dlp_model model)
{
    const bool has_force = is_something(r, &load->force);
    if (model == DLP_MODEL_CLOTH && (has_force || is_something(r, &load->torque)))
        dlp_mistake_add(
            r, has_force ? "force" : "torque",
            "is for solids; %s is cloth, which a load presses (`pressure`), an attachment's `mass` "
            "pulls, and `forces` accelerate",
            load->substance);
    if (model != DLP_MODEL_SOLID && model != DLP_MODEL_CLOTH)
        dlp_mistake_add(r, "substance", "%s is neither a solid nor cloth; only these can be loaded",
                        load->substance);
}

// A load that neither pushes nor presses is a mistake.
void dlp_check_load(dlp_resolver *r, void *base)
{
    dlp_load_def *load = base;
    dlp_check_unique(r, r->def->loads, sizeof *r->def->loads, "loads");
    load->substance_index = dlp_find_substance(r, "substance", load->substance);
    if (load->substance_index >= 0) check_loaded(r, load, r->def->substances[load->substance_index].model);
    if (!dlp_is_given(r, "force") && !dlp_is_given(r, "torque") && !dlp_is_given(r, "pressure"))
        dlp_mistake_add(r, "force", "is missing: a load needs a force, a torque or a pressure");
    dlp_check_interval(r, load->start, load->stop);
}
