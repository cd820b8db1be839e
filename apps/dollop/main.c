/* The command: `dollop VERB ...`. One file per verb. */
#include "common.h"

#include "scene/scene_text.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static const dlp_verb *const verbs[] = {
    &dlp_verb_run,     &dlp_verb_check, &dlp_verb_scenes,    &dlp_verb_new,
    &dlp_verb_info,    &dlp_verb_mesh,  &dlp_verb_render,    &dlp_verb_compare,
    &dlp_verb_convert, &dlp_verb_bench, &dlp_verb_reproduce,
};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static const char *const later_verbs[] = {"studio", NULL};

static const dlp_verb *find_verb(const char *name)
{
    for (int32_t k = 0; k < VERB_COUNT; k++) {
        if (strcmp(verbs[k]->name, name) == 0) return verbs[k];
    }
    return NULL;
}

static bool comes_later(const char *name)
{
    for (const char *const *later = later_verbs; *later != NULL; later++) {
        if (strcmp(*later, name) == 0) return true;
    }
    return false;
}

static void print_help(FILE *stream)
{
    fprintf(stream, "Dollop %s simulates highly deformable substances with particles.\n\n", dlp_version());
    fprintf(stream, "Usage: dollop VERB ...\n\n");
    for (int32_t k = 0; k < VERB_COUNT; k++) {
        fprintf(stream, "  %-11s %s\n", verbs[k]->name, verbs[k]->summary);
    }
    fprintf(stream, "\n`dollop VERB --help` explains a verb. A first run: dollop run pour\n");
}

static int refuse_verb(const char *name)
{
    if (comes_later(name)) {
        fprintf(stderr, "dollop %s: comes in a later version; this is %s\n", name, dlp_version());
        return DLP_EXIT_USAGE;
    }
    dlp_suggestion nearest = {.word = name};
    dlp_suggestion_offer(&nearest, "help");
    for (int32_t k = 0; k < VERB_COUNT; k++) dlp_suggestion_offer(&nearest, verbs[k]->name);
    if (nearest.best != NULL) {
        fprintf(stderr, "dollop: unknown verb %s; did you mean %s?\n", name, nearest.best);
        return DLP_EXIT_USAGE;
    }
    fprintf(stderr, "dollop: unknown verb %s; there are help", name);
    for (int32_t k = 0; k < VERB_COUNT; k++) fprintf(stderr, ", %s", verbs[k]->name);
    fprintf(stderr, "\n");
    return DLP_EXIT_USAGE;
}

static int run_verb(const dlp_verb *verb, int argc, char **argv)
{
    static dlp_error error;
    dlp_arguments arguments;
    int exit_status = DLP_EXIT_DONE;
    if (dlp_arguments_parse(verb, argc, argv, &arguments, &error) != DLP_OK)
        exit_status = dlp_report_error(&error);
    else if (arguments.wants_help)
        dlp_verb_print_help(verb);
    else
        exit_status = verb->run(arguments.settings, &arguments.words);
    dlp_arguments_release(&arguments, verb);
    return exit_status;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return DLP_EXIT_USAGE;
    }
    const char *name = argv[1];
    const bool asks_help =
        strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (asks_help && argc == 2) {
        print_help(stdout);
        return DLP_EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("dollop %s\n", dlp_version());
        return DLP_EXIT_DONE;
    }
    const dlp_verb *verb = find_verb(asks_help ? argv[2] : name);
    if (verb == NULL) return refuse_verb(asks_help ? argv[2] : name);
    if (asks_help) {
        dlp_verb_print_help(verb);
        return DLP_EXIT_DONE;
    }
    return run_verb(verb, argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    /* Numbers are read and written with a point, whatever the language of the person. */
    setlocale(LC_NUMERIC, "C");
    const int exit_status = dispatch(argc, argv);
    const bool lost_output = fflush(stdout) != 0 || ferror(stdout);
    if (lost_output && exit_status == DLP_EXIT_DONE) {
        fprintf(stderr, "dollop: the output could not be written; the disk may be full\n");
        return DLP_EXIT_IO;
    }
    return exit_status;
}
