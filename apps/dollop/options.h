/* The words after a verb: options from a table, and the rest in order. */
#ifndef DLP_APP_OPTIONS_H
#define DLP_APP_OPTIONS_H

#include "dollop/dollop.h"

typedef enum dlp_option_kind {
    DLP_OPTION_FLAG,    /* bool */
    DLP_OPTION_TEXT,    /* const char *, NULL where not given */
    DLP_OPTION_INTEGER, /* int32_t within min..max, `otherwise` where not given */
    DLP_OPTION_LIST     /* dlp_words: may be given several times */
} dlp_option_kind;

/* One row per option; a table ends with a row of zeros. */
typedef struct dlp_option {
    const char *name; /* without the dashes */
    char letter;      /* short form, 0 for none */
    dlp_option_kind kind;
    size_t offset;     /* of its field in the verb's settings */
    const char *value; /* what its value is called in the help */
    const char *help;  /* one line */
    int32_t min, max;  /* of an integer */
    int32_t otherwise; /* an integer's default */
} dlp_option;

/* Words in the order in which they were given; they belong to argv. */
typedef struct dlp_words {
    const char **items;
    int32_t count;
} dlp_words;

/* A verb of the command. All texts are static. */
typedef struct dlp_verb {
    const char *name;
    const char *usage;   /* what follows the name */
    const char *summary; /* one line for the list of verbs */
    const char *details; /* paragraphs for its own help */
    const dlp_option *options;
    size_t settings_size;
    int32_t min_words, max_words; /* how many words that are no options it takes */
    int (*run)(const void *settings, const dlp_words *words); /* returns the exit status */
} dlp_verb;

typedef struct dlp_arguments {
    void *settings; /* the verb's own record */
    dlp_words words;
    bool wants_help;
} dlp_arguments;

/* Reads argv[0..argc) into the verb's settings. DLP_INVALID with a message that names the word. */
dlp_status dlp_arguments_parse(const dlp_verb *verb, int argc, char **argv, dlp_arguments *out_arguments,
                               dlp_error *error);
void dlp_arguments_release(dlp_arguments *arguments, const dlp_verb *verb);

/* Prints usage, details and the table of options. */
void dlp_verb_print_help(const dlp_verb *verb);

#endif
