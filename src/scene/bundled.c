/* Bundled scenes by number and by name. */
#include "scene/bundled.h"
#include "scene/scene_text.h"

#include <string.h>

// Static: never freed.
const dlp_bundled_scene *dlp_bundled_scenes(int32_t *out_count)
{
    *out_count = dlp_bundled_table_count;
    return dlp_bundled_table;
}

// NULL outside of the range, which ends a host's loop.
static const dlp_bundled_scene *scene_at(int32_t index)
{
    return index >= 0 && index < dlp_bundled_table_count ? &dlp_bundled_table[index] : NULL;
}

int32_t dlp_bundled_scene_count(void)
{
    return dlp_bundled_table_count;
}

const char *dlp_bundled_scene_name(int32_t index)
{
    const dlp_bundled_scene *scene = scene_at(index);
    return scene != NULL ? scene->name : NULL;
}

const char *dlp_bundled_scene_title(int32_t index)
{
    const dlp_bundled_scene *scene = scene_at(index);
    return scene != NULL ? scene->title : NULL;
}

const char *dlp_bundled_scene_text(int32_t index)
{
    const dlp_bundled_scene *scene = scene_at(index);
    return scene != NULL ? scene->text : NULL;
}

// With the nearest name, or where none is near with all names.
static dlp_status refuse_name(const char *name, dlp_error *error)
{
    char text[DLP_SHORT_TEXT];
    dlp_suggestion nearest = {.word = name};
    dlp_string known = {0};
    for (int32_t k = 0; k < dlp_bundled_table_count; k++) {
        dlp_suggestion_offer(&nearest, dlp_bundled_table[k].name);
        dlp_string_add(&known, "%s%s", k > 0 ? ", " : "", dlp_bundled_table[k].name);
    }
    dlp_shorten(name, text);
    if (nearest.best != NULL)
        dlp_fail(error, DLP_INVALID, "%s: there is no such bundled scene; did you mean %s?", text,
                 nearest.best);
    else
        dlp_fail(error, DLP_INVALID, "%s: there is no such bundled scene; there are %s", text,
                 known.data != NULL ? known.data : "none");
    dlp_string_release(&known);
    return DLP_INVALID;
}

// Read as any text is: a bundled scene has the same checks and messages.
dlp_status dlp_scene_read_bundled(const char *name, dlp_scene **out_scene, dlp_error *error)
{
    DLP_NEED(out_scene, error);
    *out_scene = NULL;
    DLP_NEED(name, error);
    for (int32_t k = 0; k < dlp_bundled_table_count; k++) {
        const dlp_bundled_scene *scene = &dlp_bundled_table[k];
        if (strcmp(scene->name, name) != 0) continue;
        // messages name it as a file of that name would be; its folder is the current one
        dlp_string file = {0};
        dlp_string_add(&file, "%s.yaml", name);
        const dlp_status status = dlp_scene_read_text(
            scene->text, strlen(scene->text), file.data != NULL ? file.data : name, NULL, out_scene, error);
        dlp_string_release(&file);
        return status;
    }
    return refuse_name(name, error);
}
