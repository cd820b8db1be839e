/* Whether several values make sense together, and defaults that depend on others: the scene, substances, and
 * what acts on them. A check sees a record whose rows were all read; it may set fields that follow from them.
 */
#include "scene/rules.h"
#include "base/memory.h"
#include "scene/resolve.h"

#include <math.h>
#include <string.h>

// Defaults.

// The dimension stands early in the table: it is known here.
static dlp_origin by_dimension(const dlp_resolver *r, dlp_string *out, const char *in_3d, const char *in_2d)
{
    dlp_string_add(out, "%s", r->def->dimension == 2 ? in_2d : in_3d);
    return DLP_ORIGIN_DEFAULT;
}

// Down is -z in space and -y in the plane; up likewise.
dlp_origin dlp_derive_gravity(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    return by_dimension(r, out, "[0, 0, -9.81]", "[0, -9.81, 0]");
}

dlp_origin dlp_derive_down(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    return by_dimension(r, out, "[0, 0, -1]", "[0, -1, 0]");
}

dlp_origin dlp_derive_up(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    return by_dimension(r, out, "[0, 0, 1]", "[0, 1, 0]");
}

// About 80 neighbours in space, 30 in the plane: fewer leave the pressure of a disordered substance
// uncertain.
dlp_origin dlp_derive_smoothing(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    return by_dimension(r, out, "1.35", "1.6");
}

// Sums are too small at a free surface. What pulls there is the energy of a skin, which a body at rest would
// turn into motion. A carried density is that of rest up to the surface, and needs the pull to stay so.
dlp_origin dlp_derive_cohesion(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)r;
    const dlp_substance_def *substance = base;
    dlp_string_add(out, "%s", substance->density_from == DLP_DENSITY_CONTINUITY ? "1" : "0");
    return DLP_ORIGIN_DEFAULT;
}

// Matter without any viscosity of its own would ring for ever. How much one of its own damps depends on the
// particles and on the speed of sound (dlp_lacking_alpha).
dlp_origin dlp_derive_alpha(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)r;
    const dlp_substance_def *substance = base;
    dlp_string_add(out, "%s", substance->viscosity > 0 ? "-1" : "0.5");
    return DLP_ORIGIN_DEFAULT;
}

// The sphere (2-D: disc) of the same volume as the cube (square) of that edge.
dlp_origin dlp_derive_radius(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    const double spacing = r->inputs.spacing;
    if (!(spacing > 0)) return DLP_ORIGIN_NONE;
    const double share = r->def->dimension == 2 ? 1 / sqrt(DLP_PI) : cbrt(3 / (4 * DLP_PI));
    dlp_string_add_number(out, spacing * share);
    return DLP_ORIGIN_DERIVED;
}

// One of a palette, by the number of the substance.
dlp_origin dlp_derive_color(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    static const char *const palette[] = {"[0.2, 0.5, 0.85]",  "[0.9, 0.55, 0.15]",  "[0.3, 0.65, 0.35]",
                                          "[0.75, 0.3, 0.35]", "[0.55, 0.45, 0.75]", "[0.6, 0.6, 0.6]"};
    dlp_string_add(out, "%s", palette[r->index % (int32_t)(sizeof palette / sizeof *palette)]);
    return DLP_ORIGIN_DEFAULT;
}

// By the order of dlp_probe_place; without a place the choice has noted a mistake already.
dlp_origin dlp_derive_measure(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)r;
    static const char *const measures[] = {"pressure", "pressure", "height", "flux", "force"};
    const dlp_probe_def *probe = base;
    dlp_string_add(out, "%s", measures[probe->place]);
    return DLP_ORIGIN_DEFAULT;
}

dlp_origin dlp_derive_surface_kind(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    return by_dimension(r, out, "active", "none");
}

// What flows thickly is smooth. The measure is the Reynolds number of a fall through one spacing: honey is
// below 1, water above 1000 at every size of interest. Where there are several, the thinnest substance
// counts.
dlp_origin dlp_derive_surface_smoothing(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    double largest = 0;
    for (int32_t k = 0; k < r->def->substance_count; k++) {
        const dlp_substance_def *substance = &r->def->substances[k];
        if (substance->model != DLP_MODEL_SPH) continue;
        const double spacing = cbrt(4 * DLP_PI / 3) * substance->particle_radius;
        const double speed = sqrt(9.81 * spacing);
        const double reynolds = substance->density * speed * spacing / fmax(substance->viscosity, 1e-12);
        largest = fmax(largest, reynolds);
    }
    const double thin = fmin(fmax(log10(fmax(largest, 1e-12)) / 3, 0), 1);
    dlp_string_add_number(out, round(100 * (1 - 0.5 * thin)) / 100);
    return DLP_ORIGIN_DERIVED;
}

// "obstacles[3].name" gives "obstacle3".
dlp_origin dlp_derive_name(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    const size_t length = strcspn(r->path.text, "[");
    dlp_string_add(out, "%.*s%d", (int)length - 1, r->path.text, r->index);
    return DLP_ORIGIN_DEFAULT;
}

// The scene.

// Steps of particles are powers of two of each other, so their ratio is one too.
void dlp_check_time(dlp_resolver *r, void *base)
{
    const dlp_scene_def *def = base;
    if ((def->step_ratio & (def->step_ratio - 1)) != 0)
        dlp_mistake_add(r, "ratio", "must be a power of two (got %d)", def->step_ratio);
}

// Only along periodic axes: elsewhere the box has no meaning.
void dlp_check_domain(dlp_resolver *r, void *base)
{
    const dlp_scene_def *def = base;
    for (int axis = 0; axis < def->dimension; axis++) {
        const double min = dlp_component(def->domain.min, axis), max = dlp_component(def->domain.max, axis);
        if (!def->periodic[axis] || (min < max && isfinite(max - min))) continue;
        dlp_mistake_add(r, "max", "must be greater than min along the periodic axis %c (got %g and %g)",
                        "xyz"[axis], max, min);
    }
}

// A cell far below the spacing would take all memory, one far above it would resolve nothing. A spacing is
// that of a cube of the particle's volume.
static void check_cell(dlp_resolver *r, const dlp_scene_def *def)
{
    double finest = HUGE_VAL, coarsest = 0;
    for (int32_t k = 0; k < def->substance_count; k++) {
        if (def->substances[k].model == DLP_MODEL_CLOTH) continue;
        const double spacing = cbrt(4 * DLP_PI / 3) * def->substances[k].particle_radius;
        finest = fmin(finest, spacing);
        coarsest = fmax(coarsest, spacing);
    }
    const bool is_active =
        def->surface.kind ==
        DLP_SURFACE_ACTIVE;  // its band of cells must be wide enough to follow the particles
    const double cell = def->surface.cell, least = is_active ? coarsest / 4 : finest / 32,
                 most = 8 * coarsest;
    if (cell > 0 && least <= most && !(cell >= least && cell <= most))
        dlp_mistake_add(r, "cell",
                        "must be 0, or from a %s to 8 spacings of the particles, %.3g to %.3g m (got %g)",
                        is_active ? "quarter" : "32nd", least, most, cell);
}

// An active surface alone can push particles back.
void dlp_check_surface(dlp_resolver *r, void *base)
{
    const dlp_scene_def *def = base;
    if (def->surface.kind != DLP_SURFACE_NONE) check_cell(r, def);
    if (def->dimension == 2 && def->surface.kind != DLP_SURFACE_NONE)
        dlp_mistake_add(r, "kind", "must be none in 2-D, where record.contour writes the outline");
    if (def->surface.retroaction && def->surface.kind != DLP_SURFACE_ACTIVE)
        dlp_mistake_add(r, "retroaction", "needs an active surface (kind: active)");
}

// Whether any emitter emits the substance; indices are set when emitters are checked.
static bool is_emitted(const dlp_scene_def *def, int32_t substance)
{
    for (int32_t k = 0; k < def->emitter_count; k++)
        if (def->emitters[k].substance_index == substance) return true;
    return false;
}

// Every substance needs particles from somewhere.
static void check_sources(dlp_resolver *r, const dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->substance_count; k++) {
        const dlp_substance_def *substance = &def->substances[k];
        if (substance->shape.kind != DLP_SHAPE_NONE || substance->points_file[0] != '\0' ||
            is_emitted(def, k))
            continue;
        char key[DLP_NAME_LIMIT + 16] = "substances.";
        strncat(key, substance->name, DLP_NAME_LIMIT);
        dlp_mistake_add(r, key, "has no source; give it a shape, points, or an emitter that emits it");
    }
}

// The track that drives a vector; NULL where none does.
static const dlp_track *track_of(const dlp_scene_def *def, const dlp_vec3 *target)
{
    for (int32_t k = 0; k < def->track_count; k++)
        if (def->tracks[k].target == &target->x) return &def->tracks[k];
    return NULL;
}

// Once all tracks are there and no longer move, whoever follows a track gets a pointer to it.
static void link_tracks(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->obstacle_count; k++) {
        dlp_obstacle_def *obstacle = &def->obstacles[k];
        obstacle->position_track = track_of(def, &obstacle->position);
        obstacle->rotation_track = track_of(def, &obstacle->rotation);
    }
    for (int32_t k = 0; k < def->attachment_count; k++) {
        dlp_attachment_def *held = &def->attachments[k];
        held->position_track = track_of(def, &held->position);
        held->rotation_track = track_of(def, &held->rotation);
    }
    for (int32_t k = 0; k < def->blade_count; k++) {
        dlp_blade_def *blade = &def->blades[k];
        blade->position_track = track_of(def, &blade->position);
        blade->rotation_track = track_of(def, &blade->rotation);
    }
}

// Likewise for curves: only viscosity and stiffness may depend on temperature.
static void link_curves(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->curve_count; k++)
        for (int32_t i = 0; i < def->substance_count; i++) {
            dlp_substance_def *substance = &def->substances[i];
            if (def->curves[k].target == &substance->viscosity) substance->viscosity_curve = &def->curves[k];
            if (def->curves[k].target == &substance->stiffness) substance->stiffness_curve = &def->curves[k];
        }
}

// Restraint by view needs a camera whose place is given.
static void check_views(dlp_resolver *r, const dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->substance_count; k++)
        if (def->substances[k].restraint.view && !(def->camera.has_from && def->camera.has_to))
            dlp_mistake_add(r, "camera", "needs `from` and `to`: %s is restrained by view",
                            def->substances[k].name);
}

// Other models copy what all smoothed particles of a scene share, so that code over all substances may read
// it from any of them.
static void share_kernel(dlp_scene_def *def)
{
    const dlp_substance_def *first = dlp_first_of_model(def, DLP_MODEL_SPH);
    for (int32_t k = 0; first != NULL && k < def->substance_count; k++) {
        dlp_substance_def *other = &def->substances[k];
        if (other->model == DLP_MODEL_SPH) continue;
        other->kernel = first->kernel;
        other->density_from = first->density_from;
        other->pressure = first->pressure;
        other->viscosity_step = first->viscosity_step;
        other->diffusion = first->diffusion;
        other->tensile_control = first->tensile_control;
        other->smoothing = first->smoothing;
        if (other->model == DLP_MODEL_CLOTH) other->lattice = first->lattice;
    }
}

// What a model allows of the rest of the scene.
static void check_models(dlp_resolver *r, dlp_scene_def *def)
{
    dlp_check_cloths(r, def);
    dlp_check_solids(r, def);
    // what acts on a body comes from every model; the rest is measured in smoothed particles
    bool needs_sph = false;
    for (int32_t k = 0; k < def->probe_count; k++) needs_sph |= def->probes[k].place != DLP_PROBE_BODY;
    if (needs_sph && def->substance_count > 0 && dlp_first_of_model(def, DLP_MODEL_SPH) == NULL)
        dlp_mistake_add(r, "probes", "measure smoothed particles (model sph), and there are none");
    share_kernel(def);
}

// Called at the end, also where there are mistakes: each check looks first whether the parts it depends on
// are sound. Pointers are linked only in a scene without mistakes.
void dlp_check_scene(dlp_resolver *r, void *base)
{
    dlp_scene_def *def = base;
    const bool is_periodic = def->periodic[0] || def->periodic[1] || def->periodic[2];
    if (is_periodic && !dlp_is_given(r, "domain"))
        dlp_mistake_add(r, "domain", "is missing: periodic axes need a box to wrap around");
    const bool is_substance_bad = dlp_has_mistake_under(r, "substances");
    if (def->substance_count == 0 && !is_substance_bad)
        dlp_mistake_add(r, "substances", "is missing: a scene needs at least one substance");
    if (!is_substance_bad && !dlp_has_mistake_under(r, "emitters")) check_sources(r, def);
    if (!is_substance_bad) check_models(r, def);
    check_views(r, def);
    if (r->mistake_count > 0) return;
    link_tracks(def);
    link_curves(def);
}

// Substances.

// Radius and spacing give the same size; the lattices of fluids are regular.
void dlp_check_particle(dlp_resolver *r, void *base)
{
    const dlp_substance_def *substance = base;
    if (dlp_is_given(r, "radius") && dlp_is_given(r, "spacing"))
        dlp_mistake_add(r, "radius", "excludes spacing; give one of them");
    if (substance->lattice == DLP_LATTICE_BLUE_NOISE && substance->model != DLP_MODEL_SOLID)
        dlp_mistake_add(r, "lattice", "blue_noise is for solids; take hexagonal or cubic");
}

// The order of operations is such that a scene written with axis = spin and rate = |spin| reads back the same
// bits.
void dlp_check_spin(dlp_resolver *r, void *base)
{
    dlp_substance_def *substance = base;
    const double length = dlp_length(r->inputs.spin_axis);
    if (!(length > 0 && isfinite(length)))
        dlp_mistake_add(r, "axis", "must have a finite length above 0");
    else
        substance->spin = dlp_mul(r->inputs.spin_axis, r->inputs.spin_rate / length);
}

// Where no heat is given, the temperatures have no meaning.
void dlp_check_melting(dlp_resolver *r, void *base)
{
    const dlp_substance_def *substance = base;
    if (substance->melting_heat > 0 && !(substance->melting_from < substance->melting_to))
        dlp_mistake_add(r, "to", "must be warmer than from (got %g and %g)", substance->melting_to,
                        substance->melting_from);
}

// 0 means derived, so only what is given is compared.
void dlp_check_restraint(dlp_resolver *r, void *base)
{
    const dlp_substance_def *substance = base;
    const dlp_restraint_def *restraint = &substance->restraint;
    if (restraint->full > 0 && !(restraint->rest > 0))
        dlp_mistake_add(r, "full", "needs `rest` beside it (got %g alone)", restraint->full);
    if (restraint->rest > 0 && restraint->full > 0 && !(restraint->full > restraint->rest))
        dlp_mistake_add(r, "full", "must be above rest (got %g and %g)", restraint->full, restraint->rest);
    if (restraint->tolerance > 0 && restraint->full > 0 && !(restraint->tolerance < restraint->full))
        dlp_mistake_add(r, "tolerance", "must be below full (got %g and %g)", restraint->tolerance,
                        restraint->full);
    if (substance->adapt_restraint && substance->density_from == DLP_DENSITY_CONTINUITY)
        dlp_mistake_add(r, "", "needs `density_from: summation`: a carried density drifts while it waits");
}

static bool is_curved(const dlp_scene_def *def, const double *target)
{
    for (int32_t k = 0; k < def->curve_count; k++)
        if (def->curves[k].target == target) return true;
    return false;
}

// A curve over temperature needs a temperature, the scene's or the material's.
static void check_temperature(dlp_resolver *r, dlp_substance_def *substance)
{
    substance->has_temperature =
        dlp_is_given(r, "temperature") ||
        (r->material != NULL && dlp_preset_value_of(r->material, "temperature") != NULL);
    if (substance->has_temperature) return;
    if (is_curved(r->def, &substance->viscosity))
        dlp_mistake_add(r, "viscosity", "depends on temperature, but the substance has none; give it one");
    if (is_curved(r->def, &substance->stiffness))
        dlp_mistake_add(r, "stiffness", "depends on temperature, but the substance has none; give it one");
}

void dlp_fill_empty(dlp_resolver *r, char **text)
{
    if (*text == NULL) *text = dlp_copy_text("", "scene");
    if (*text == NULL) r->is_out_of_memory = true;
}

// The pair loops of a scene run with one kernel, calibrated on one lattice, and one source of densities: all
// substances of model sph must agree with the first. A first one with mistakes is not compared with.
static void check_agreement(dlp_resolver *r, const dlp_substance_def *substance)
{
    const dlp_substance_def *first = dlp_first_of_model(r->def, DLP_MODEL_SPH);
    char path[DLP_NAME_LIMIT + 16] = "substances.";
    if (first == NULL || substance == first || first->name == NULL) return;
    strncat(path, first->name, DLP_NAME_LIMIT);
    if (dlp_has_mistake_under(r, path)) return;
    const dlp_schema *schema = dlp_schema_find(dlp_table_root(), "substances")->schema;
    const struct {
        const char *key;
        const dlp_schema_row *row;
        int32_t own, other;
    } shared[] = {
        {"kernel", dlp_schema_find(schema, "kernel"), (int32_t)substance->kernel, (int32_t)first->kernel},
        {"pressure", dlp_schema_find(schema, "pressure"), (int32_t)substance->pressure,
         (int32_t)first->pressure},
        {"viscosity_step", dlp_schema_find(schema, "viscosity_step"), (int32_t)substance->viscosity_step,
         (int32_t)first->viscosity_step},
        {"density_from", dlp_schema_find(schema, "density_from"), (int32_t)substance->density_from,
         (int32_t)first->density_from},
        {"particle.lattice", dlp_schema_find(dlp_schema_find(schema, "particle")->schema, "lattice"),
         (int32_t)substance->lattice, (int32_t)first->lattice}};
    for (size_t k = 0; k < sizeof shared / sizeof shared[0]; k++) {
        const char *const *words = shared[k].row->words;
        if (shared[k].own == shared[k].other) continue;
        dlp_mistake_add(r, shared[k].key,
                        "is %s, but %s.%s is %s; all smoothed particles of a scene share it",
                        words[shared[k].own], path, shared[k].key, words[shared[k].other]);
    }
}

// What a solver of pressures, or of viscosity, cannot do yet: its system is one for all particles of one
// size.
static void check_implicit(dlp_resolver *r, const dlp_substance_def *substance)
{
    const bool solves = substance->pressure != DLP_PRESSURE_EOS;
    if (!solves && substance->viscosity_step != DLP_VISCOSITY_IMPLICIT) return;
    const char *const key = solves ? "pressure" : "viscosity_step";
    const char *const needed = solves ? "needs `pressure: eos`" : "needs `viscosity_step: explicit`";
    if (substance->adapt_space) dlp_mistake_add(r, "adapt.space", "%s", needed);
    if (substance->adapt_time) dlp_mistake_add(r, "adapt.time", "%s", needed);
    if (substance->adapt_restraint) dlp_mistake_add(r, "adapt.restraint", "%s", needed);
    if (substance->kernel == DLP_KERNEL_MULLER)
        dlp_mistake_add(r, key, "needs a kernel with one gradient: wendland, spline or desbrun");
    if (substance->density_from == DLP_DENSITY_CONTINUITY)
        dlp_mistake_add(
            r, key, "needs `density_from: summation`: a carried density knows nothing of what is crowded");
}

// Presets of fluids do not name their model.
static dlp_model model_of_material(const dlp_preset *material)
{
    const char *const model = dlp_preset_value_of(material, "model");
    if (model == NULL) return DLP_MODEL_SPH;
    return strcmp(model, "solid") == 0 ? DLP_MODEL_SOLID : DLP_MODEL_CLOTH;
}

// A preset of one model cannot serve another: most of its keys would be refused.
static void check_material(dlp_resolver *r, const dlp_substance_def *substance)
{
    if (r->material == NULL) return;
    const char *const name = r->material->name;
    const dlp_model made_for = model_of_material(r->material);
    if (made_for == substance->model) return;
    if (made_for == DLP_MODEL_CLOTH)
        dlp_mistake_add(r, "material", "%s is a fabric; it needs model: cloth", name);
    else if (made_for == DLP_MODEL_SOLID)
        dlp_mistake_add(r, "material", "%s is a solid; it needs model: solid", name);
    else if (substance->model == DLP_MODEL_CLOTH)
        dlp_mistake_add(r, "material",
                        "%s is not a fabric; a cloth is made of cotton, silk, wool, denim, ...", name);
    else
        dlp_mistake_add(r, "material",
                        "%s is not a solid; a solid is made of rubber, jelly, sausage, clay, ...", name);
}

// Texts become "" where they are not given, so that no reader needs to compare with NULL.
void dlp_check_substance(dlp_resolver *r, void *base)
{
    dlp_substance_def *substance = base;
    dlp_fill_empty(r, &substance->points_file);
    dlp_fill_empty(r, &substance->material);
    if (r->is_out_of_memory) return;
    if (substance->shape.inside)
        dlp_mistake_add(r, "shape", "is unbounded (inside: true); a substance needs a bounded shape");
    if (substance->shape.kind != DLP_SHAPE_NONE && substance->points_file[0] != '\0')
        dlp_mistake_add(r, "points", "excludes shape; give one of them");
    check_material(r, substance);
    if (substance->model == DLP_MODEL_CLOTH) {
        dlp_check_cloth(r, substance);
    } else if (substance->model == DLP_MODEL_SOLID) {
        dlp_check_solid(r, substance);
    } else {
        check_temperature(r, substance);
        check_agreement(r, substance);
        check_implicit(r, substance);
    }
}

// Obstacles, emitters, sinks, probes.

// Only earlier items: each pair is compared once. A name is NULL where it had a mistake.
void dlp_check_unique(dlp_resolver *r, const void *items, size_t size, const char *list)
{
    const char *const *own = (const void *)((const char *)items + (size_t)r->index * size);
    for (int32_t k = 0; k < r->index; k++) {
        const char *const *other = (const void *)((const char *)items + (size_t)k * size);
        if (*other == NULL || strcmp(*other, *own) != 0) continue;
        dlp_mistake_add(r, "name", "%s is the name of %s[%d], too", *own, list, k);
        return;
    }
}

// Without a temperature an obstacle insulates.
void dlp_check_obstacle(dlp_resolver *r, void *base)
{
    dlp_obstacle_def *obstacle = base;
    obstacle->has_temperature = dlp_is_given(r, "temperature");
    dlp_check_unique(r, r->def->obstacles, sizeof *r->def->obstacles, "obstacles");
}

// With the nearest name, or where none is near with all names.
static void refuse_name(dlp_resolver *r, const char *key, const char *kind, const dlp_suggestion *nearest,
                        const dlp_string *known)
{
    if (nearest->best != NULL)
        dlp_mistake_add(r, key, "there is no %s %s; did you mean %s?", kind, nearest->word, nearest->best);
    else
        dlp_mistake_add(r, key, "there is no %s %s; there %s %s", kind, nearest->word,
                        known->data != NULL && strchr(known->data, ',') != NULL ? "are" : "is",
                        known->data != NULL ? known->data : "none");
}

// A list of records that begin with their name, which is NULL where it had a mistake: those are skipped.
typedef struct named_list {
    const void *items;
    size_t size;  // bytes of a record
    int32_t count;
} named_list;

static const char *name_of(const named_list *list, int32_t k)
{
    const char *name;
    memcpy(&name, (const char *)list->items + (size_t)k * list->size, sizeof name);
    return name;
}

static void refuse_unknown(dlp_resolver *r, const char *key, const char *kind, const char *name,
                           const named_list *list)
{
    dlp_suggestion nearest = {.word = name};
    dlp_string known = {0};
    for (int32_t k = 0; k < list->count; k++) {
        const char *other = name_of(list, k);
        if (other == NULL) continue;
        dlp_suggestion_offer(&nearest, other);
        dlp_string_add(&known, "%s%s", known.length > 0 ? ", " : "", other);
    }
    refuse_name(r, key, kind, &nearest, &known);
    dlp_string_release(&known);
}

// The index in the list; -1 and a mistake where it is not there.
static int32_t find_named(dlp_resolver *r, const char *key, const char *kind, const char *name,
                          const named_list *list)
{
    for (int32_t k = 0; k < list->count; k++) {
        const char *other = name_of(list, k);
        if (other != NULL && strcmp(other, name) == 0) return k;
    }
    refuse_unknown(r, key, kind, name, list);
    return -1;
}

int32_t dlp_find_substance(dlp_resolver *r, const char *key, const char *name)
{
    const named_list list = {r->def->substances, sizeof *r->def->substances, r->def->substance_count};
    return find_named(r, key, "substance", name, &list);
}

int32_t dlp_find_obstacle(dlp_resolver *r, const char *key, const char *name)
{
    const named_list list = {r->def->obstacles, sizeof *r->def->obstacles, r->def->obstacle_count};
    return find_named(r, key, "obstacle", name, &list);
}

void dlp_check_interval(dlp_resolver *r, double start, double stop)
{
    if (!(start < stop)) dlp_mistake_add(r, "stop", "must be later than start (got %g and %g)", stop, start);
}

// Whether a direction, and each of its key frames, has a length. Between two keys it may still pass through
// zero; the solver then emits nothing.
static bool has_direction(const dlp_scene_def *def, const dlp_vec3 *direction)
{
    for (int32_t k = 0; k < def->track_count; k++) {
        const dlp_track *track = &def->tracks[k];
        for (int32_t i = 0; track->target == &direction->x && i < track->key_count; i++) {
            const double *v = track->values + 3 * (ptrdiff_t)i;
            if (!(dlp_length(dlp_vec(v[0], v[1], v[2])) > 0)) return false;
        }
    }
    return dlp_length(*direction) > 0;
}

// The mouth is round or rectangular: exactly one of radius and size.
void dlp_check_emitter(dlp_resolver *r, void *base)
{
    dlp_emitter_def *emitter = base;
    dlp_check_unique(r, r->def->emitters, sizeof *r->def->emitters, "emitters");
    emitter->substance_index = dlp_find_substance(r, "substance", emitter->substance);
    const int32_t index = emitter->substance_index;
    if (index >= 0 && r->def->substances[index].model != DLP_MODEL_SPH)
        dlp_mistake_add(r, "substance", "%s is %s; only smoothed particles (model sph) can be emitted",
                        emitter->substance, dlp_model_noun(r->def->substances[index].model));
    emitter->has_temperature = dlp_is_given(r, "temperature");
    dlp_emitter_rotate(emitter);
    if (!has_direction(r->def, &emitter->aim)) dlp_mistake_add(r, "direction", "must not be zero");
    if (dlp_is_given(r, "radius") && dlp_is_given(r, "size"))
        dlp_mistake_add(r, "size", "excludes radius; give one of them");
    if (!dlp_is_given(r, "radius") && !dlp_is_given(r, "size"))
        dlp_mistake_add(r, "radius", "is missing: the mouth needs a radius or a size");
    dlp_check_interval(r, emitter->start, emitter->stop);
}

void dlp_check_sink(dlp_resolver *r, void *base)
{
    const dlp_sink_def *sink = base;
    dlp_check_unique(r, r->def->sinks, sizeof *r->def->sinks, "sinks");
    dlp_check_interval(r, sink->start, sink->stop);
}

void dlp_check_line(dlp_resolver *r, void *base)
{
    const dlp_probe_def *probe = base;
    if (!(dlp_length(dlp_sub(probe->to, probe->from)) > 0))
        dlp_mistake_add(r, "to", "must differ from `from`");
}

void dlp_check_plane(dlp_resolver *r, void *base)
{
    const dlp_probe_def *probe = base;
    if (!(dlp_length(probe->normal) > 0)) dlp_mistake_add(r, "normal", "must not be zero");
}

// Samples of all probes stand in one table. A force is the mean over a frame already.
static void check_sampling(dlp_resolver *r, const dlp_probe_def *probe)
{
    if (probe->extent > 0 && probe->place != DLP_PROBE_POINT)
        dlp_mistake_add(r, "radius", "is of a point; this probe has none");
    if (probe->rate > DLP_SAMPLES_PER_FRAME * r->def->frame_rate)
        dlp_mistake_add(r, "rate", "must be at most %g samples per frame (got %g)", DLP_SAMPLES_PER_FRAME,
                        probe->rate / r->def->frame_rate);
    for (const dlp_probe_def *other = r->def->probes; probe->rate > 0 && other < probe; other++) {
        if (other->rate > 0 && other->rate != probe->rate)
            dlp_mistake_add(r, "rate", "must be that of %s, %g (got %g): all samples stand in one table",
                            other->name, other->rate, probe->rate);
    }
}

// Tables by the order of dlp_probe_place. A temperature can be measured only where heat flows.
void dlp_check_probe(dlp_resolver *r, void *base)
{
    static const char *const places[] = {"", "point", "line", "plane", "body"};
    static const char *const allowed[] = {"", "pressure, density, velocity or temperature", "height", "flux",
                                          "force"};
    dlp_probe_def *probe = base;
    probe->body_index = -1;
    if (probe->place == DLP_PROBE_BODY) probe->body_index = dlp_find_obstacle(r, "body", probe->body);
    dlp_fill_empty(r, &probe->body);
    check_sampling(r, probe);
    const dlp_measure m = probe->measure;
    const bool fits[] = {false, m <= DLP_MEASURE_VELOCITY || m == DLP_MEASURE_TEMPERATURE,
                         m == DLP_MEASURE_HEIGHT, m == DLP_MEASURE_FLUX, m == DLP_MEASURE_FORCE};
    if (fits[probe->place] && (m != DLP_MEASURE_TEMPERATURE || dlp_scene_def_has_heat(r->def))) return;
    if (fits[probe->place]) {
        dlp_mistake_add(r, "measure", "there is no temperature to measure; give a substance one");
        return;
    }
    dlp_mistake_add(r, "measure", "does not fit a %s, which measures %s", places[probe->place],
                    allowed[probe->place]);
}
