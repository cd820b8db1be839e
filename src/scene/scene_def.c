/* Frees what a resolved scene holds; also a half-filled one, since every pointer that is not set is NULL.
 * Borrowed pointers (tracks of obstacles, curves of substances) are left alone. */
#include "base/memory.h"
#include "scene/resolve.h"

static void release_substances(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->substance_count; k++) {
        dlp_substance_def *substance = &def->substances[k];
        dlp_free(substance->name);
        dlp_free(substance->material);
        dlp_free(substance->points_file);
        dlp_free(substance->solid.fibers);
        dlp_shape_def_release(&substance->shape);
    }
    dlp_free(def->substances);
}

static void release_obstacles(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->obstacle_count; k++) {
        dlp_free(def->obstacles[k].name);
        dlp_shape_def_release(&def->obstacles[k].shape);
    }
    dlp_free(def->obstacles);
}

static void release_flows(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->emitter_count; k++) {
        dlp_free(def->emitters[k].name);
        dlp_free(def->emitters[k].substance);
    }
    for (int32_t k = 0; k < def->sink_count; k++) {
        dlp_free(def->sinks[k].name);
        dlp_shape_def_release(&def->sinks[k].shape);
    }
    dlp_free(def->emitters);
    dlp_free(def->sinks);
}

static void release_attachments(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->attachment_count; k++) {
        dlp_free(def->attachments[k].name);
        dlp_free(def->attachments[k].substance);
        dlp_free(def->attachments[k].body);
        dlp_shape_def_release(&def->attachments[k].shape);
    }
    dlp_free(def->attachments);
}

static void release_blades(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->blade_count; k++) dlp_free(def->blades[k].name);
    dlp_free(def->blades);
}

static void release_loads(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->load_count; k++) {
        dlp_free(def->loads[k].name);
        dlp_free(def->loads[k].substance);
        dlp_shape_def_release(&def->loads[k].shape);
    }
    dlp_free(def->loads);
}

static void release_texts(char **texts, int32_t count)
{
    for (int32_t k = 0; k < count; k++) dlp_free(texts[k]);
    dlp_free(texts);
}

static void release_forces(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->force_count; k++) {
        dlp_force_def *force = &def->forces[k];
        dlp_free(force->name);
        release_texts(force->substances, force->substance_count);
        release_texts(force->formula, force->formula_count);
        dlp_free(force->substance_indices);
        dlp_free(force->potential);
        for (int32_t i = 0; i < 3; i++) dlp_free(force->programs[i]);
    }
    dlp_free(def->forces);
}

static void release_probes(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->probe_count; k++) {
        dlp_free(def->probes[k].name);
        dlp_free(def->probes[k].body);
    }
    dlp_free(def->probes);
}

static void release_tracks(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->track_count; k++) {
        dlp_free(def->tracks[k].path);
        dlp_free(def->tracks[k].times);
        dlp_free(def->tracks[k].values);
    }
    dlp_free(def->tracks);
}

static void release_curves(dlp_scene_def *def)
{
    for (int32_t k = 0; k < def->curve_count; k++) {
        dlp_free(def->curves[k].temperatures);
        dlp_free(def->curves[k].values);
    }
    dlp_free(def->curves);
}

void dlp_scene_def_release(dlp_scene_def *def)
{
    if (def == NULL) return;
    release_substances(def);
    release_obstacles(def);
    release_flows(def);
    release_attachments(def);
    release_blades(def);
    release_loads(def);
    release_forces(def);
    release_probes(def);
    release_tracks(def);
    release_curves(def);
    dlp_free(def->title);
    dlp_free(def->folder);
    dlp_free(def->name);
    *def = (dlp_scene_def){0};
}
