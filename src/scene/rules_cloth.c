/* Checks and defaults of cloth and of attachments. */
#include "scene/resolve.h"
#include "scene/rules.h"

#include <stdio.h>
#include <string.h>

// The fabric's own, where there is one: a sheet of cloth is a surface.
dlp_origin dlp_derive_thickness(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    if (r->substance == NULL || r->substance->model != DLP_MODEL_CLOTH) return DLP_ORIGIN_NONE;
    dlp_string_add_number(out, r->substance->cloth.thickness);
    return DLP_ORIGIN_DERIVED;
}

// Warp and weft, where they are not given apart, are what `both` says.
dlp_origin dlp_derive_stretch(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)base;
    if (!(r->inputs.stretch > 0)) return DLP_ORIGIN_NONE;  // it was refused
    dlp_string_add_number(out, r->inputs.stretch);
    return DLP_ORIGIN_DERIVED;
}

// A sheet or a mesh gives triangles, a capsule a line of particles.
void dlp_check_cloth(dlp_resolver *r, const dlp_substance_def *substance)
{
    const dlp_shape_kind kind = substance->shape.kind;
    if (r->def->dimension == 2) dlp_mistake_add(r, "model", "cloth needs dimension: 3");
    if (kind == DLP_SHAPE_NONE)
        dlp_mistake_add(r, "shape",
                        "is missing: a cloth starts as a sheet, as a mesh, or, a rope, as a capsule");
    else if (kind != DLP_SHAPE_SHEET && kind != DLP_SHAPE_MESH && kind != DLP_SHAPE_CAPSULE)
        dlp_mistake_add(r, "shape", "must be a sheet, a mesh, or, for a rope, a capsule");
}

// What a scene with any cloth may not have.
void dlp_check_cloths(dlp_resolver *r, const dlp_scene_def *def)
{
    const dlp_substance_def *first = dlp_first_of_model(def, DLP_MODEL_CLOTH);
    if (first == NULL) return;
    if (def->periodic[0] || def->periodic[1] || def->periodic[2])
        dlp_mistake_add(r, "periodic", "must be empty in a scene with cloth (%s)", first->name);
    if (def->surface.blend)
        dlp_mistake_add(r, "surface.blend",
                        "must be false in a scene with cloth (%s): cloth is its own surface", first->name);
}

// Held by a place, by key frames or by a body; a body excludes the others.
void dlp_check_attachment(dlp_resolver *r, void *base)
{
    dlp_attachment_def *held = base;
    const bool has_body = held->body != NULL;
    held->body_index = -1;
    dlp_fill_empty(r, &held->body);
    if (r->is_out_of_memory) return;
    dlp_check_unique(r, r->def->attachments, sizeof *r->def->attachments, "attachments");
    held->substance_index = dlp_find_substance(r, "substance", held->substance);
    if (held->substance_index >= 0 && r->def->substances[held->substance_index].model == DLP_MODEL_SPH)
        dlp_mistake_add(r, "substance", "%s is neither cloth nor a solid; only those can be held",
                        held->substance);
    if (has_body) held->body_index = dlp_find_obstacle(r, "body", held->body);
    if (has_body && (dlp_is_given(r, "position") || dlp_is_given(r, "rotation")))
        dlp_mistake_add(r, "body", "excludes position and rotation: it moves with %s", held->body);
    if (!held->hold && !(held->mass > 0))
        dlp_mistake_add(r, "hold",
                        "is false and there is no mass: the attachment does nothing; give it a mass");
    dlp_check_interval(r, held->start, held->stop);
}
