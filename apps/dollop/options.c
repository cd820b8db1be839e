/* Reads the words after a verb by its table of options, and prints its help. */
#include "options.h"

#include "base/memory.h"
#include "scene/scene_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words that are still to be read. */
typedef struct argument_reader {
    const dlp_verb *verb;
    char **words;
    int32_t count, next;
} argument_reader;

static const dlp_option *find_long(const dlp_verb *verb, const char *name, size_t length)
{
    for (const dlp_option *option = verb->options; option->name != NULL; option++) {
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) return option;
    }
    return NULL;
}

static const dlp_option *find_short(const dlp_verb *verb, char letter)
{
    for (const dlp_option *option = verb->options; option->name != NULL; option++) {
        if (option->letter == letter && letter != 0) return option;
    }
    return NULL;
}

static dlp_status refuse_unknown(const dlp_verb *verb, const char *word, dlp_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = 0;
    dlp_suggestion nearest = {.word = name};
    dlp_suggestion_offer(&nearest, "help");
    for (const dlp_option *option = verb->options; option->name != NULL; option++) {
        dlp_suggestion_offer(&nearest, option->name);
    }
    if (nearest.best != NULL && word[1] == '-') {
        return dlp_fail(error, DLP_INVALID, "dollop %s: unknown option %s; did you mean --%s?", verb->name,
                        word, nearest.best);
    }
    return dlp_fail(error, DLP_INVALID, "dollop %s: unknown option %s; see dollop %s --help", verb->name,
                    word, verb->name);
}

static dlp_status read_integer(const dlp_verb *verb, const dlp_option *option, const char *text,
                               int32_t *out_value, dlp_error *error)
{
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != 0 || errno != 0 || value < option->min || value > option->max) {
        return dlp_fail(error, DLP_INVALID, "dollop %s: --%s: must be a whole number from %d to %d (got %s)",
                        verb->name, option->name, option->min, option->max, text[0] != 0 ? text : "nothing");
    }
    *out_value = (int32_t)value;
    return DLP_OK;
}

static dlp_status store(const dlp_verb *verb, const dlp_option *option, const char *text, void *settings,
                        dlp_error *error)
{
    char *field = (char *)settings + option->offset;
    switch (option->kind) {
    case DLP_OPTION_FLAG:
        *(bool *)(void *)field = true;
        break;
    case DLP_OPTION_TEXT:
        *(const char **)(void *)field = text;
        break;
    case DLP_OPTION_INTEGER:
        return read_integer(verb, option, text, (int32_t *)(void *)field, error);
    case DLP_OPTION_LIST: {
        dlp_words *list = (dlp_words *)(void *)field;
        list->items[list->count++] = text;
        break;
    }
    }
    return DLP_OK;
}

/* The value of an option: what is glued to it, or else the next word. */
static dlp_status take_value(argument_reader *from, const dlp_option *option, const char *glued,
                             const char **out_value, dlp_error *error)
{
    if (option->kind == DLP_OPTION_FLAG) {
        if (glued == NULL) return DLP_OK;
        return dlp_fail(error, DLP_INVALID, "dollop %s: --%s takes no value (got %s)", from->verb->name,
                        option->name, glued);
    }
    if (glued == NULL && from->next < from->count) glued = from->words[from->next++];
    if (glued == NULL || (glued[0] == 0 && option->kind == DLP_OPTION_TEXT)) {
        return dlp_fail(error, DLP_INVALID, "dollop %s: --%s needs a value: %s", from->verb->name,
                        option->name, option->value);
    }
    *out_value = glued;
    return DLP_OK;
}

static dlp_status read_option(argument_reader *from, const char *word, dlp_arguments *arguments,
                              dlp_error *error)
{
    const bool is_long = word[1] == '-';
    const size_t length = is_long ? strcspn(word + 2, "=") : 1;
    const dlp_option *option =
        is_long ? find_long(from->verb, word + 2, length) : find_short(from->verb, word[1]);
    if (option == NULL) return refuse_unknown(from->verb, word, error);

    const char *glued = NULL;
    if (is_long && word[2 + length] == '=') glued = word + 3 + length;
    if (!is_long && word[2] != 0) glued = word + 2;
    const char *value = NULL;
    DLP_TRY(take_value(from, option, glued, &value, error));
    return store(from->verb, option, value, arguments->settings, error);
}

static dlp_status prepare(const dlp_verb *verb, int32_t word_count, dlp_arguments *out, dlp_error *error)
{
    const size_t room = (size_t)word_count + 1;
    out->settings = dlp_alloc(1, verb->settings_size, "options");
    out->words.items = dlp_alloc(room, sizeof *out->words.items, "options");
    bool is_short = out->settings == NULL || out->words.items == NULL;
    for (const dlp_option *option = verb->options; !is_short && option->name != NULL; option++) {
        char *field = (char *)out->settings + option->offset;
        if (option->kind == DLP_OPTION_INTEGER) *(int32_t *)(void *)field = option->otherwise;
        if (option->kind != DLP_OPTION_LIST) continue;
        dlp_words *list = (dlp_words *)(void *)field;
        list->items = dlp_alloc(room, sizeof *list->items, "options");
        is_short = list->items == NULL;
    }
    return is_short ? dlp_fail(error, DLP_OUT_OF_MEMORY, "dollop: not enough memory for %d words", word_count)
                    : DLP_OK;
}

static dlp_status check_word_count(const dlp_verb *verb, const dlp_words *words, dlp_error *error)
{
    if (words->count < verb->min_words) {
        return dlp_fail(error, DLP_INVALID, "dollop %s: an argument is missing; usage: dollop %s %s",
                        verb->name, verb->name, verb->usage);
    }
    if (words->count > verb->max_words) {
        return dlp_fail(error, DLP_INVALID, "dollop %s: unexpected word %s; usage: dollop %s %s", verb->name,
                        words->items[verb->max_words], verb->name, verb->usage);
    }
    return DLP_OK;
}

dlp_status dlp_arguments_parse(const dlp_verb *verb, int argc, char **argv, dlp_arguments *out_arguments,
                               dlp_error *error)
{
    *out_arguments = (dlp_arguments){0};
    DLP_TRY(prepare(verb, argc, out_arguments, error));
    argument_reader from = {.verb = verb, .words = argv, .count = argc};
    bool only_words = false;
    while (from.next < from.count) {
        const char *word = from.words[from.next++];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
        } else if (!only_words && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            out_arguments->wants_help = true;
            return DLP_OK;
        } else if (!only_words && word[0] == '-' && word[1] != 0) {
            DLP_TRY(read_option(&from, word, out_arguments, error));
        } else {
            out_arguments->words.items[out_arguments->words.count++] = word;
        }
    }
    return check_word_count(verb, &out_arguments->words, error);
}

void dlp_arguments_release(dlp_arguments *arguments, const dlp_verb *verb)
{
    for (const dlp_option *option = verb->options; arguments->settings != NULL && option->name != NULL;
         option++) {
        if (option->kind != DLP_OPTION_LIST) continue;
        char *field = (char *)arguments->settings + option->offset;
        dlp_free(((dlp_words *)(void *)field)->items);
    }
    dlp_free(arguments->settings);
    dlp_free(arguments->words.items);
    *arguments = (dlp_arguments){0};
}

static void print_option(const dlp_option *option)
{
    char left[64];
    char letter[8] = "    ";
    if (option->letter != 0) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const char *value = option->value != NULL ? option->value : "";
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, value[0] != 0 ? " " : "", value);
    printf("  %-28s %s\n", left, option->help);
}

void dlp_verb_print_help(const dlp_verb *verb)
{
    printf("Usage: dollop %s %s\n\n%s\n", verb->name, verb->usage, verb->details);
    printf("\nOptions:\n");
    for (const dlp_option *option = verb->options; option->name != NULL; option++) print_option(option);
    printf("  %-28s %s\n", "-h, --help", "this text");
}
