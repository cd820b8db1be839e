/* dollop scenes: the scenes that ship with the library. */
#include "common.h"
#include "findings.h"

#include <stdio.h>

typedef struct scenes_settings {
    bool json;
} scenes_settings;

static int list_scenes(const void *settings, const dlp_words *words)
{
    (void)words;
    const scenes_settings *arguments = settings;
    dlp_findings findings = {.is_json = arguments->json};
    if (arguments->json) dlp_findings_begin(&findings);
    for (int32_t k = 0; k < dlp_bundled_scene_count(); k++) {
        const char *name = dlp_bundled_scene_name(k), *title = dlp_bundled_scene_title(k);
        const dlp_finding finding = dlp_finding_text(name, "a bundled scene", title);
        if (arguments->json)
            dlp_findings_add(&findings, &finding);
        else
            printf("%-18s %s\n", name, title);
    }
    if (arguments->json) dlp_findings_end(&findings);
    return DLP_EXIT_DONE;
}

static const dlp_option options[] = {
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(scenes_settings, json),
     .help = "a JSON list instead"},
    {0},
};

const dlp_verb dlp_verb_scenes = {
    .name = "scenes",
    .usage = "[--json]",
    .summary = "list the bundled scenes",
    .details = "Lists the bundled scenes: `dollop run NAME` runs one, `dollop new NAME` writes it as a file.",
    .options = options,
    .settings_size = sizeof(scenes_settings),
    .run = list_scenes,
};
