/* dollop info: which meshes of a run are cloth. */
#include "info.h"

#include "base/memory.h"
#include "record/file_io.h"
#include "scene/scene.h"

#include <string.h>

static bool is_substance(const dlp_scene_def *def, int32_t k, const char *inside)
{
    const char *const name = def->substances[k].name;
    if (strcmp(inside, "surface") == 0) return def->substance_count == 1;
    return strncmp(inside, "surface-", 8) == 0 && strcmp(inside + 8, name) == 0;
}

static bool is_cloth(const dlp_scene_def *def, const char *inside)
{
    for (int32_t k = 0; k < def->substance_count; k++)
        if (is_substance(def, k, inside)) return def->substances[k].model == DLP_MODEL_CLOTH;
    return false;
}

bool dlp_info_is_cloth(const char *folder, const char *inside)
{
    char *path = dlp_folder_path(folder, "scene.yaml");
    dlp_scene *scene = NULL;
    const dlp_scene_def *def = NULL;
    bool found = false;
    if (path != NULL && dlp_file_exists(path) && dlp_scene_read_file(path, &scene, NULL) == DLP_OK &&
        dlp_scene_resolve(scene, &def, NULL) == DLP_OK)
        found = is_cloth(def, inside);
    dlp_scene_destroy(scene);
    dlp_free(path);
    return found;
}
