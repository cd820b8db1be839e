/* What is worth knowing of a scene that has no mistakes. */
#include "scene/notes.h"
#include "scene/containers.h"

#include <stdio.h>
#include <string.h>

static void append(char text[DLP_NOTE_SIZE], const char *added)
{
    const size_t length = strlen(text);
    snprintf(text + length, DLP_NOTE_SIZE - length, "%s", added);
}

// "water, oil (sph)"; nothing where the scene has none of the model.
static void append_model(char text[DLP_NOTE_SIZE], const dlp_scene_def *scene, dlp_model model)
{
    bool is_first = true;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        if (scene->substances[k].model != model) continue;
        append(text, !is_first ? ", " : text[0] != '\0' ? " and " : "");
        append(text, scene->substances[k].name);
        is_first = false;
    }
    if (is_first) return;
    append(text, " (");
    append(text, dlp_model_word(model));
    append(text, ")");
}

bool dlp_scene_def_note_apart(const dlp_scene_def *scene, char out_text[DLP_NOTE_SIZE])
{
    int32_t model_count = 0;
    out_text[0] = '\0';
    for (int k = 0; k < DLP_MODEL_COUNT; k++) {
        model_count += dlp_first_of_model(scene, (dlp_model)k) != NULL;
        append_model(out_text, scene, (dlp_model)k);
    }
    append(out_text, " do not act on each other yet: they pass through one another");
    return model_count > 1;
}

bool dlp_scene_def_note_closed(const dlp_scene_def *scene, int32_t obstacle, char out_text[DLP_NOTE_SIZE])
{
    const dlp_obstacle_def *o = &scene->obstacles[obstacle];
    snprintf(out_text, DLP_NOTE_SIZE,
             "%s is closed all around: only boxes and upright cylinders that stand still are open above "
             "(`lid: true` says that it is meant)",
             o->name);
    return dlp_container_is_closed(scene, obstacle) && !o->lid;
}
