/* Any bytes as a scene of another program. What is converted is YAML, or told as a mistake of the scene. */
#include "apps/dollop/convert.h"

#include "base/memory.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) abort();
}

/* Every line of comments is one, and what follows can be read, whatever words the file put into it. */
static void check_text(const dlp_string *text)
{
    static dlp_error error;
    dlp_scene *scene = NULL;
    const char *body = strstr(text->data, "\n\n");
    require(body != NULL);
    for (const char *line = text->data; line < body; line = strchr(line, '\n') + 1) require(*line == '#');
    error.message[0] = '\0';
    const dlp_status status =
        dlp_scene_read_text(text->data, text->length, "converted.yaml", NULL, &scene, &error);
    require(status == DLP_OK);
    if (dlp_scene_check(scene, &error) != DLP_OK) require(error.message[0] != '\0');
    dlp_scene_destroy(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static dlp_error error;
    dlp_conversion conversion = {.name = "a.json", .folder = "."};
    error.message[0] = '\0';
    if (dlp_convert_text(&conversion, (const char *)data, size, &error) == DLP_OK) {
        dlp_string text = {0};
        dlp_conversion_write(&conversion, &text);
        check_text(&text);
        dlp_string_release(&text);
    } else {
        require(error.message[0] != '\0');
    }
    dlp_conversion_release(&conversion);
    require(dlp_memory_in_use() == 0);
    return 0;
}
