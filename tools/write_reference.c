/* write_reference FILE: the reference page of all scene parameters, from the table. */
#include "scene/scene.h"

#include "base/memory.h"

#include <stdio.h>

int main(int count, char **words)
{
    static dlp_error error;
    char *text = NULL;
    FILE *file = count == 2 ? fopen(words[1], "w") : NULL;
    if (file == NULL || dlp_scene_reference(&text, &error) != DLP_OK) {
        fprintf(stderr, "write_reference: %s\n",
                file == NULL ? "name a file that can be written" : error.message);
        return 1;
    }
    const bool is_written = fputs(text, file) >= 0;
    dlp_free(text);
    return fclose(file) == 0 && is_written ? 0 : 1;
}
