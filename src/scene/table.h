/* The parameter table: every key a scene may have is one row. Reading, checking, messages, the resolved copy,
 * `dollop check` and the reference page all follow from the rows. The tables are constant and shared by all
 * scenes; nothing in them is owned. */
#ifndef DLP_SCENE_TABLE_H
#define DLP_SCENE_TABLE_H

#include "scene/scene.h"
#include "scene/scene_text.h"

typedef struct dlp_resolver dlp_resolver;
typedef struct dlp_schema dlp_schema;

/* What a row's value is, and the type of the field at its offset. All from TEXT on are no numbers; all from
 * SCHEMA on are no single values: code compares with these two. */
typedef enum dlp_schema_row_type {
    DLP_ROW_NUMBER,    /* double */
    DLP_ROW_INTEGER,   /* int32_t */
    DLP_ROW_SWITCH,    /* bool */
    DLP_ROW_VECTOR,    /* dlp_vec3; in 2-D also of two numbers */
    DLP_ROW_PAIR,      /* two doubles */
    DLP_ROW_COUNTS,    /* int32_t[3]; in 2-D also of two numbers */
    DLP_ROW_NUMBERS,   /* double * and its int32_t count */
    DLP_ROW_AXES,      /* bool[3] */
    DLP_ROW_WORD,      /* an enum: the place in `words` */
    DLP_ROW_TEXT,      /* char * */
    DLP_ROW_NAME,      /* char *: [A-Za-z_][A-Za-z0-9_-]* */
    DLP_ROW_MATERIAL,  /* char *: a preset, or "" */
    DLP_ROW_FILE,      /* char *: must exist; made absolute */
    DLP_ROW_TEXTS,     /* char ** and its int32_t count */
    DLP_ROW_SCHEMA,    /* a map with the keys of `schema`, stored at the offset */
    DLP_ROW_LIST,      /* dlp_... * and its int32_t count: a list of `schema` */
    DLP_ROW_MAP,       /* likewise, by name */
    DLP_ROW_VARIABLES, /* any values by name; nothing is stored (variables.c) */
    DLP_ROW_INCLUDE    /* no key: the rows of `schema` belong to this one, too */
} dlp_schema_row_type;

/* Flags of a row. */
enum {
    DLP_ROW_REQUIRED = 1,  /* the scene, its material or a derivation must give it */
    DLP_ROW_OPTIONAL = 2,  /* a schema whose defaults do not count where it is not given */
    DLP_ROW_ANIMATED = 4,  /* may have key frames */
    DLP_ROW_INPUT = 8,     /* stored in the resolver's inputs: the schema's check makes something of it */
    DLP_ROW_HIDDEN = 16,   /* not among the resolved parameters: another one is derived from it */
    DLP_ROW_CHOICE = 32,   /* one of several of which there must be exactly one */
    DLP_ROW_OPEN_MIN = 64, /* the lower bound itself is not allowed */
    DLP_ROW_OPEN_MAX = 128,
    DLP_ROW_PLANAR = 256,      /* a vector that must lie in the plane of a 2-D scene */
    DLP_ROW_THREE = 512,       /* a vector of three numbers in 2-D, too */
    DLP_ROW_TURN = 1024,       /* an axis or angles: about z alone in 2-D */
    DLP_ROW_CURVED = 4096,     /* may depend on temperature */
    DLP_ROW_DECIDES = 8192,    /* a substance's model: which other rows there are */
    DLP_ROW_SUBSTANCE = 16384, /* the name of a substance */
    DLP_ROW_OBSTACLE = 32768   /* the name of an obstacle */
};

/* Where a value came from. */
typedef enum dlp_origin {
    DLP_ORIGIN_NONE,  /* there is no value */
    DLP_ORIGIN_GIVEN, /* in the file or by dlp_scene_set */
    DLP_ORIGIN_DEFAULT,
    DLP_ORIGIN_MATERIAL,
    DLP_ORIGIN_DERIVED
} dlp_origin;

/* Values of a scene that have no field of their own: other fields are derived from them. Zero where not
 * given. */
typedef struct dlp_inputs {
    double spacing;     /* m: becomes the particle's radius */
    double stretch;     /* N/m: along warp and weft */
    dlp_vec3 spin_axis; /* becomes spin ... */
    double spin_rate;   /* rad/s: ... with this */
} dlp_inputs;

/* Writes the value of a row that is not given and has no fixed default, as a scene would write it. `base` is
 * the record, whose earlier rows are set already. DLP_ORIGIN_NONE: there is none. */
typedef dlp_origin dlp_derive_fn(const dlp_resolver *resolver, const void *base, dlp_string *out_value);
/* What the rows alone cannot say about a schema: notes mistakes, completes the record. Called after its rows,
 * when they were all good. */
typedef void dlp_check_fn(dlp_resolver *resolver, void *base);

/* One key of a scene. */
typedef struct dlp_schema_row {
    const char *key; /* NULL of an INCLUDE */
    dlp_schema_row_type type;
    int32_t flags;
    size_t offset;    /* of its field in the record of its schema, or in dlp_inputs */
    const char *unit; /* "" where there is none */
    double min, max;  /* of every number in it; equal: no range */
    /* the default as a scene would write it; NULL: none. With `derive`: a text for the reference alone */
    const char *fallback;
    const char *help;         /* half a sentence for messages and the reference */
    const char *const *words; /* of a WORD, in the order of the enumeration; ends with NULL */
    const dlp_schema *schema; /* of SCHEMA, LIST, MAP, INCLUDE */
    size_t count_offset;      /* of NUMBERS, TEXTS, LIST, MAP: the int32_t count */
    int32_t choice;           /* what the schema's choice becomes when this row is given */
    uint32_t missing;         /* a bit for every word that is known, but not available in this version */
    uint32_t models;          /* a bit for every dlp_model that has this key; 0: all */
    dlp_derive_fn *derive;
} dlp_schema_row;

/* The keys of one record. */
struct dlp_schema {
    const char *title; /* of its part of the reference: its path */
    const char *help;
    const dlp_schema_row *rows;
    int32_t row_count;
    size_t size;           /* bytes of an item of a list or map */
    size_t name_offset;    /* of an item's char *name in a map */
    const char *shorthand; /* the key that a value alone stands for; NULL: none */
    const char *choice;    /* what the choice rows choose among ("shape"); NULL: there are none */
    size_t choice_offset;  /* of the int32_t that becomes the chosen row's `choice` */
    dlp_check_fn *check;   /* may be NULL */
    bool is_substance;     /* its items have a model, which says which of the rows count */
};

const dlp_schema *dlp_table_root(void);
/* The schemas in the order of the reference, from 0; NULL after the last. */
const dlp_schema *dlp_table_schema(int32_t place);
/* The row of a key, also among included ones; NULL where there is none. */
const dlp_schema_row *dlp_schema_find(const dlp_schema *schema, const char *key);
/* Whether a row belongs to substances of this model. */
static inline bool dlp_schema_row_has_model(const dlp_schema_row *row, dlp_model model)
{
    return row->models == 0 || (row->models >> model & 1) != 0;
}
/* What a substance of this model is: "a cloth", "smoothed particles". */
const char *dlp_model_noun(dlp_model model);
/* Offers every key of a schema, included ones too, to a search for the nearest. */
void dlp_schema_offer_keys(const dlp_schema *schema, dlp_suggestion *nearest);
void dlp_schema_list_keys(const dlp_schema *schema, dlp_string *text); /* "model, material, ..." */

/* A material: values of substance keys, below what the scene gives and above the defaults. */
typedef struct dlp_preset_value {
    const char *key, *value; /* "artificial_viscosity.alpha", "0.05" */
} dlp_preset_value;
typedef struct dlp_preset {
    const char *name, *help;
    const dlp_preset_value *values; /* a NULL key ends them */
} dlp_preset;
const dlp_preset *dlp_presets(int32_t *out_count);
const dlp_preset *dlp_preset_find(const char *name);
const char *dlp_preset_value_of(const dlp_preset *preset, const char *key); /* NULL where it has none */

#endif
