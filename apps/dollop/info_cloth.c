/* dollop info: which meshes of a run are cloth. */
#include "info.h"

#include "base/memory.h"
#include "record/file_io.h"

#include <stdio.h>
#include <string.h>

/* The substance whose surface stands in the folder `inside` of a run: the one it names, or the only one. */
static const char *substance_of(dlp_scene *scene, const char *inside)
{
    int32_t count = 0;
    const char *name = NULL;
    if (strncmp(inside, "surface-", 8) == 0) return inside + 8;
    dlp_scene_item_count(scene, DLP_ITEM_SUBSTANCE, &count, NULL);
    if (count == 1 && strcmp(inside, "surface") == 0)
        dlp_scene_item_name(scene, DLP_ITEM_SUBSTANCE, 0, &name, NULL);
    return name;
}

static bool is_cloth(dlp_scene *scene, const char *inside)
{
    char path[128], model[32];
    const char *const name = substance_of(scene, inside);
    if (name == NULL) return false;
    snprintf(path, sizeof path, "substances.%.64s.model", name);
    return dlp_scene_get_text(scene, path, model, sizeof model, NULL, NULL) == DLP_OK &&
           strcmp(model, "cloth") == 0;
}

bool dlp_info_is_cloth(const char *folder, const char *inside)
{
    char *path = dlp_folder_path(folder, "scene.yaml");
    dlp_scene *scene = NULL;
    bool found = false;
    if (path != NULL && dlp_file_exists(path) && dlp_scene_read_file(path, &scene, NULL) == DLP_OK)
        found = is_cloth(scene, inside);
    dlp_scene_destroy(scene);
    dlp_free(path);
    return found;
}
