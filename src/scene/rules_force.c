/* Checks of body forces; their formulas are compiled here. */
#include "base/memory.h"
#include "scene/formula.h"
#include "scene/resolve.h"
#include "scene/rules.h"

#include <stdio.h>

// At the character where the formula is wrong, as far as its text stands in the file as it is read.
static void refuse_formula(dlp_resolver *r, const dlp_node *node, const char *key, size_t at,
                           const char *what)
{
    const size_t before = dlp_path_enter(r, key);
    dlp_place place = {0, 0};
    if (node != NULL && node->line > 0)
        place = (dlp_place){node->line, node->column + (int32_t)at + (node->is_quoted ? 1 : 0)};
    char text[400];
    snprintf(text, sizeof text, "character %zu of the formula: %.300s", at + 1, what);
    dlp_mistake_keep(r, place, text);
    dlp_path_cut(r, before);
}

static void compile(dlp_resolver *r, const dlp_node *node, const char *key, const char *text,
                    dlp_formula **out_program)
{
    static const char *const variables[] = {"x", "y", "z", "t", NULL};
    dlp_formula *program = *out_program = dlp_alloc(1, sizeof *program, "scene");
    if (program == NULL) {
        r->is_out_of_memory = true;
        return;
    }
    size_t at = 0;
    dlp_error error = {0};
    if (dlp_formula_compile(text, variables, program, &at, &error) != DLP_OK)
        refuse_formula(r, node, key, at, error.message);
}

// The given node of the record, for its place; NULL where there is none.
static const dlp_node *given(const dlp_resolver *r, const char *key)
{
    return r->node != NULL ? dlp_node_find(r->node, key) : NULL;
}

static void check_components(dlp_resolver *r, dlp_force_def *force)
{
    const bool is_flat = r->def->dimension == 2;
    if (force->formula_count != 3 && !(is_flat && force->formula_count == 2)) {
        dlp_mistake_add(r, "formula", "must have %s components (got %d)", is_flat ? "2 or 3" : "3",
                        force->formula_count);
        return;
    }
    const dlp_node *list = given(r, "formula");
    for (int32_t k = 0; k < force->formula_count; k++) {
        char key[32];
        snprintf(key, sizeof key, "formula[%d]", k);
        compile(r, list != NULL ? dlp_node_item(list, k) : NULL, key, force->formula[k], &force->programs[k]);
    }
}

static void find_substances(dlp_resolver *r, dlp_force_def *force)
{
    if (force->substance_count == 0) return;
    force->substance_indices =
        dlp_alloc((size_t)force->substance_count, sizeof *force->substance_indices, "scene");
    if (force->substance_indices == NULL) {
        r->is_out_of_memory = true;
        return;
    }
    for (int32_t k = 0; k < force->substance_count; k++)
        force->substance_indices[k] = dlp_find_substance(r, "substances", force->substances[k]);
}

void dlp_check_force(dlp_resolver *r, void *base)
{
    dlp_force_def *force = base;
    dlp_check_unique(r, r->def->forces, sizeof *r->def->forces, "forces");
    find_substances(r, force);
    if (force->kind == DLP_FORCE_FORMULA) check_components(r, force);
    if (force->kind == DLP_FORCE_POTENTIAL)
        compile(r, given(r, "potential"), "potential", force->potential, &force->programs[0]);
    dlp_check_interval(r, force->start, force->stop);
}
