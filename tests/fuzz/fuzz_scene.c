/* Any bytes as a scene: as YAML, as JSON, and as a value of dlp_scene_set. What resolves is written, read
 * again and must be the same. */
#include "base/memory.h"
#include "scene/conditions.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) abort();
}

static void check_round_trip(dlp_scene *scene)
{
    static dlp_error error;
    char *text = NULL, difference[400];
    dlp_scene *again = NULL;
    require(dlp_scene_write(scene, &text, &error) == DLP_OK);
    require(dlp_scene_read_text(text, strlen(text), "again.yaml", NULL, &again, &error) == DLP_OK);
    require(dlp_scene_check(again, &error) == DLP_OK);
    dlp_scene_difference(scene, again, difference, sizeof difference);
    require(difference[0] == '\0');
    const dlp_scene_def *def;
    dlp_conditions at = {0};
    require(dlp_scene_resolve(again, &def, &error) == DLP_OK);
    require(dlp_conditions_init(&at, def, 0.7, &error) == DLP_OK);
    dlp_conditions_release(&at);
    dlp_scene_destroy(again);
    dlp_free(text);
}

static void try_text(const uint8_t *data, size_t size, const char *name)
{
    static dlp_error error;
    dlp_scene *scene = NULL;
    error.message[0] = '\0';
    dlp_status status = dlp_scene_read_text((const char *)data, size, name, NULL, &scene, &error);
    if (status == DLP_OK) status = dlp_scene_check(scene, &error);
    if (status == DLP_OK)
        check_round_trip(scene);
    else
        require(error.message[0] != '\0');
    dlp_scene_destroy(scene);
}

// "path=value" into a scene that is there, then into an empty one.
static void try_set(const uint8_t *data, size_t size)
{
    static dlp_error error;
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    char *equals = strchr(text, '=');
    if (equals != NULL) {
        *equals = '\0';
        dlp_scene *scene = NULL;
        require(dlp_scene_read_bundled("stir", &scene, &error) == DLP_OK);
        dlp_status status = dlp_scene_set(scene, text, equals + 1, &error);
        if (status == DLP_OK) status = dlp_scene_check(scene, &error);
        if (status == DLP_OK) check_round_trip(scene);
        dlp_scene_destroy(scene);
        require(dlp_scene_create(&scene, &error) == DLP_OK);
        if (dlp_scene_set(scene, text, equals + 1, &error) == DLP_OK) dlp_scene_check(scene, &error);
        dlp_scene_destroy(scene);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    switch (data[0] % 4) {
    case 0:
        try_text(data + 1, size - 1, "a.json");
        break;
    case 1:
        try_set(data + 1, size - 1);
        break;
    default:
        try_text(data, size, "a.yaml");
        break;
    }
    require(dlp_memory_in_use() == 0);
    return 0;
}
