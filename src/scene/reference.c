/* The reference page: the parameter table as Markdown, which docs/scene-reference.md holds. */
#include "scene/table.h"

#include <math.h>
#include <string.h>

// By the order of dlp_schema_row_type; shapes have a page section of their own.
static const char *type_name(const dlp_schema_row *row)
{
    static const char *const names[] = {"number",
                                        "whole number",
                                        "true or false",
                                        "vector",
                                        "[number, number]",
                                        "[count, count, count]",
                                        "list of numbers",
                                        "list of axes",
                                        "",
                                        "text",
                                        "name",
                                        "material",
                                        "file",
                                        "list of texts",
                                        "group",
                                        "list of groups",
                                        "groups by name",
                                        "values by name",
                                        ""};
    if (row->type == DLP_ROW_LIST && strcmp(row->schema->title, "SHAPE") == 0) return "list of shapes";
    if (row->type == DLP_ROW_SCHEMA && strcmp(row->schema->title, "SHAPE") == 0) return "SHAPE";
    return names[row->type];
}

// A word's type is the list of its choices, without those of later versions.
static void write_type(const dlp_schema_row *row, dlp_string *text)
{
    if (row->type != DLP_ROW_WORD) {
        dlp_string_add(text, "%s", type_name(row));
        return;
    }
    for (int32_t k = 0; row->words[k] != NULL; k++)
        if ((row->missing >> k & 1) == 0) dlp_string_add(text, "%s`%s`", k > 0 ? ", " : "", row->words[k]);
}

// Nothing where there is no range; only a lower bound where there is no upper one.
static void write_range(const dlp_schema_row *row, dlp_string *text)
{
    if (row->min == row->max || (!isfinite(row->min) && !isfinite(row->max))) return;
    if (isfinite(row->min) && isfinite(row->max)) {
        dlp_string_add(text, "%s", (row->flags & DLP_ROW_OPEN_MIN) != 0 ? "> " : "");
        dlp_string_add_number(text, row->min);
        dlp_string_add(text, " .. ");
        dlp_string_add_number(text, row->max);
    } else {
        dlp_string_add(text, (row->flags & DLP_ROW_OPEN_MIN) != 0 ? "> " : "≥ ");
        dlp_string_add_number(text, row->min);
    }
}

// A derived default is described in words, a fixed one quoted as a scene would write it.
static void write_default(const dlp_schema_row *row, dlp_string *text)
{
    if ((row->flags & DLP_ROW_REQUIRED) != 0)
        dlp_string_add(text, "*required*");
    else if ((row->flags & DLP_ROW_CHOICE) != 0)
        dlp_string_add(text, "*one of these*");
    else if (row->fallback != NULL && strcmp(row->fallback, "\"\"") == 0)
        dlp_string_add(text, "none");
    else if (row->fallback != NULL && row->derive == NULL)
        dlp_string_add(text, "`%s`", row->fallback);
    else if (row->fallback != NULL)
        dlp_string_add(text, "%s", row->fallback);
}

// " *(sph, cloth)*": the models that have the row, where not all do.
static void write_models(const dlp_schema_row *row, dlp_string *text)
{
    const char *between = " *(";
    for (int k = 0; row->models != 0 && k < DLP_MODEL_COUNT; k++) {
        if (!dlp_schema_row_has_model(row, (dlp_model)k)) continue;
        dlp_string_add(text, "%s%s", between, dlp_model_word((dlp_model)k));
        between = ", ";
    }
    if (row->models != 0) dlp_string_add(text, ")*");
}

// One line of the table; key frames and curves are marked after the help.
static void write_row(const dlp_schema_row *row, dlp_string *text)
{
    dlp_string_add(text, "| `%s` | ", row->key);
    write_type(row, text);
    dlp_string_add(text, " | %s | ", row->unit);
    write_range(row, text);
    dlp_string_add(text, " | ");
    write_default(row, text);
    dlp_string_add(text, " | %s", row->help);
    write_models(row, text);
    dlp_string_add(text, "%s%s |\n", (row->flags & DLP_ROW_ANIMATED) != 0 ? " *(key frames)*" : "",
                   (row->flags & DLP_ROW_CURVED) != 0 ? " *(by temperature)*" : "");
}

// Included rows stand in the section of their own schema.
static void write_schema(const dlp_schema *schema, dlp_string *text)
{
    dlp_string_add(text, "\n## %s\n\n%s\n\n", schema->title, schema->help);
    dlp_string_add(text, "| key | type | unit | range | default | meaning |\n|---|---|---|---|---|---|\n");
    for (int32_t k = 0; k < schema->row_count; k++)
        if (schema->rows[k].type != DLP_ROW_INCLUDE) write_row(&schema->rows[k], text);
}

// The values as presets.c has them, in its order.
static void write_materials(dlp_string *text)
{
    int32_t count;
    const dlp_preset *presets = dlp_presets(&count);
    dlp_string_add(text, "\n## Materials\n\nWhat `material: NAME` sets; keys beside it override it.\n\n"
                         "| material | | values |\n|---|---|---|\n");
    for (int32_t k = 0; k < count; k++) {
        dlp_string_add(text, "| `%s` | %s | ", presets[k].name, presets[k].help);
        for (const dlp_preset_value *value = presets[k].values; value->key != NULL; value++)
            dlp_string_add(text, "%s%s: %s", value > presets[k].values ? ", " : "", value->key, value->value);
        dlp_string_add(text, " |\n");
    }
}

// What holds for all parameters. Limits are those of document.h and resolve.h.
static const char *const introduction =
    "# Scene reference\n"
    "\n"
    "Every parameter of a scene, from the table that also checks them (`dollop check SCENE` prints a scene's "
    "own).\n"
    "A scene is YAML or JSON; units are SI, temperatures in °C. This page is generated.\n"
    "\n"
    "- A *vector* is a list of three numbers: `[0, 0, 1]`. In a 2-D scene two are enough.\n"
    "- *Key frames*: where the meaning says so, a value may change with time:\n"
    "  `{keys: [[0, 1.5], [2, 3]], smooth: true}` is 1.5 at 0 s and 3 at 2 s; before the first and after "
    "the\n"
    "  last key it stays. `smooth` (default `false`) starts and ends slowly at every key; else lines are "
    "straight.\n"
    "- *By temperature*: where the meaning says so, a value may depend on the particle's temperature:\n"
    "  `{by_temperature: [[20, 50], [60, 0.1]]}` is 50 at 20 °C and below, 0.1 at 60 °C and above, and on a\n"
    "  straight line between them on a logarithmic scale. The values are above 0, the points at most 32.\n"
    "- *(sph)*, *(solid)*, *(cloth)*: of substances with that `model` alone.\n"
    "- A *name* is a letter or `_`, then letters, digits, `_` and `-`, at most 64 in all.\n"
    "- A *number* may be arithmetic: `2 * pi / 3`, `sqrt(2) / 2` (as in formulas, see `forces`).\n"
    "- *Variables*: after `variables: {r: 0.05, gap: 2 * $r}` values may be `$r`, `${r}`, `3 * $r + $gap`; "
    "in "
    "texts\n"
    "  they are replaced (`name: tank_$n`), and `$$` is a `$`. A variable may hold lists and groups; in JSON "
    "and\n"
    "  between YAML's brackets write `$r` or quote `\"${r}\"`. `--set variables.r=0.1` changes all of them.\n"
    "- *Anchors*: YAML's `&name`, `*name` and `<<: *name` copy what they name. With all copies a scene keeps "
    "to\n"
    "  the limits below.\n"
    "- *Files* are looked for from the scene's folder.\n"
    "- Any parameter can be set from outside: `--set substances.honey.particle.radius=0.01`,\n"
    "  `--set 'obstacles[0].box.max=[1, 1, 1]'`.\n"
    "- A file may have 16 MiB, 32 levels and 200000 values; tags are not allowed.\n";

dlp_status dlp_scene_reference(char **out_text, dlp_error *error)
{
    *out_text = NULL;
    dlp_string text = {0};
    dlp_string_add(&text, "%s", introduction);
    for (int32_t k = 0; dlp_table_schema(k) != NULL; k++) write_schema(dlp_table_schema(k), &text);
    write_materials(&text);
    if (text.has_failed) {
        dlp_string_release(&text);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "not enough memory for the reference");
    }
    *out_text = text.data;
    return DLP_OK;
}
