/* Variables: `$name` and `${name}` in the values of a scene, which its `variables` define. Whatever a text
 * asks for, the result has at most DLP_NODE_LIMIT values and DLP_SIZE_LIMIT bytes: a variable knows only
 * those before it, and what it holds is expanded once. */
#include "scene/formula.h"
#include "scene/resolve.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_LIMIT = 4096 };  // bytes of a text with variables in it

// The document that is made, and the variables so far: a map in it, NULL while there is none.
typedef struct expansion {
    dlp_resolver *r;
    dlp_document *document;
    dlp_node *variables;
} expansion;

static bool has_dollar(const dlp_node *node)
{
    if (node->kind == DLP_NODE_SCALAR) return strchr(node->text, '$') != NULL;
    for (const dlp_node *child = node->first; child != NULL; child = child->next)
        if (has_dollar(child)) return true;
    return false;
}

// References.

static bool is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The name at "$name" or "${name}", and the bytes that both take. False for a $ that stands for itself.
static bool read_reference(const char *at, char out_name[DLP_NAME_LIMIT + 1], size_t *out_length)
{
    const size_t brace = at[1] == '{' ? 1 : 0;
    const char *const name = at + 1 + brace;
    size_t length = 0;
    while (length <= DLP_NAME_LIMIT && is_word_character(name[length])) length++;
    if (length == 0 || length > DLP_NAME_LIMIT || (name[0] >= '0' && name[0] <= '9')) return false;
    if (brace == 1 && name[length] != '}') return false;
    memcpy(out_name, name, length);
    out_name[length] = '\0';
    *out_length = 1 + length + 2 * brace;
    return true;
}

static const dlp_node *refuse(const expansion *e, const dlp_node *node, const char *name)
{
    dlp_suggestion nearest = {.word = name};
    const dlp_node *first = e->variables != NULL ? e->variables->first : NULL;
    for (const dlp_node *variable = first; variable != NULL; variable = variable->next)
        dlp_suggestion_offer(&nearest, variable->key);
    if (nearest.best != NULL)
        dlp_mistake_at(e->r, node, "there is no variable %s before this; did you mean %s?", name,
                       nearest.best);
    else
        dlp_mistake_at(e->r, node, "there is no variable %s before this ($$ stands for a single $)", name);
    return NULL;
}

// NULL and a mistake where there is none.
static const dlp_node *find_variable(const expansion *e, const dlp_node *node, const char *name)
{
    const dlp_node *found = e->variables != NULL ? dlp_node_find(e->variables, name) : NULL;
    return found != NULL ? found : refuse(e, node, name);
}

// Scalars.

// A number, or arithmetic without variables.
static bool number_of(const dlp_node *node, double *out_number)
{
    return node->kind == DLP_NODE_SCALAR && !node->is_quoted && dlp_constant_read(node->text, out_number);
}

// A text with references, twice: as it reads, and as arithmetic, with every number in parentheses.
typedef struct mixed_text {
    dlp_string text, arithmetic;
    bool is_numeric;  // all that is referred to are numbers
} mixed_text;

// Before a ^ a number below 0 needs parentheses to stay a whole.
static bool needs_parentheses(double number, const char *after)
{
    return number < 0 && after[strspn(after, " \t")] == '^';
}

static bool add_variable(const expansion *e, const dlp_node *node, const char *name, const char *after,
                         mixed_text *mixed)
{
    const dlp_node *variable = find_variable(e, node, name);
    double number = 0;
    if (variable == NULL || variable->is_refused) return false;
    if (variable->kind != DLP_NODE_SCALAR) {
        dlp_mistake_at(e->r, node, "variable %s is %s, which must stand alone", name,
                       variable->kind == DLP_NODE_LIST ? "a list" : "a map");
        return false;
    }
    if (!number_of(variable, &number)) {
        mixed->is_numeric = false;
        dlp_string_add(&mixed->text, "%s", variable->text);
        return true;
    }
    const bool is_enclosed = needs_parentheses(number, after);
    dlp_string_add(&mixed->arithmetic, "(");
    dlp_string_add_number(&mixed->arithmetic, number);
    dlp_string_add(&mixed->arithmetic, ")");
    dlp_string_add(&mixed->text, is_enclosed ? "(" : "");
    dlp_string_add_number(&mixed->text, number);
    dlp_string_add(&mixed->text, is_enclosed ? ")" : "");
    return true;
}

static bool mix(const expansion *e, const dlp_node *node, mixed_text *mixed)
{
    char name[DLP_NAME_LIMIT + 1];
    size_t length;
    for (const char *at = node->text; *at != '\0'; at += length) {
        if (*at == '$' && read_reference(at, name, &length)) {
            if (!add_variable(e, node, name, at + length, mixed)) return false;
            continue;
        }
        length = at[0] == '$' && at[1] == '$' ? 2 : 1;
        dlp_string_add(&mixed->text, "%c", *at);
        dlp_string_add(&mixed->arithmetic, "%c", *at);
    }
    return true;
}

// A number where the whole is arithmetic, else a text.
static dlp_status add_mixed(const expansion *e, const dlp_node *node, const mixed_text *mixed,
                            dlp_node **out_node, dlp_error *error)
{
    const dlp_place place = {node->line, node->column};
    double number;
    dlp_string written = {0};
    const bool is_number = mixed->is_numeric && dlp_constant_read(mixed->arithmetic.data, &number);
    if (is_number) dlp_string_add_number(&written, number);
    const dlp_string *chosen = is_number ? &written : &mixed->text;
    const char *const text = chosen->data != NULL ? chosen->data : "";
    dlp_status status = dlp_document_count_repeated(e->document, strlen(text), error);
    if (status == DLP_OK)
        status = dlp_document_add_scalar(e->document, text, strlen(text), place, out_node, error);
    if (status == DLP_OK) (*out_node)->is_quoted = node->is_quoted && !is_number;
    if (mixed->text.has_failed || mixed->arithmetic.has_failed || written.has_failed)
        e->r->is_out_of_memory = true;
    dlp_string_release(&written);
    return status;
}

static dlp_status add_text(const expansion *e, const dlp_node *node, dlp_node **out_node, dlp_error *error)
{
    mixed_text mixed = {.is_numeric = true};
    bool is_good = strlen(node->text) <= TEXT_LIMIT;
    if (!is_good)
        dlp_mistake_at(e->r, node, "a text with variables may have %d bytes at most", TEXT_LIMIT);
    else
        is_good = mix(e, node, &mixed);
    dlp_status status = DLP_OK;
    if (is_good) {
        status = add_mixed(e, node, &mixed, out_node, error);
    } else {
        status = dlp_node_copy(node, e->document, out_node, error);
        if (status == DLP_OK) (*out_node)->is_refused = true;
    }
    dlp_string_release(&mixed.text);
    dlp_string_release(&mixed.arithmetic);
    return status;
}

// What the variable holds, in place of the reference. What is inside of it keeps its own place.
static dlp_status add_whole(const expansion *e, const dlp_node *node, const dlp_node *variable,
                            dlp_node **out_node, dlp_error *error)
{
    DLP_TRY(dlp_node_repeat(variable, e->document, (dlp_place){node->line, node->column}, e->r->depth,
                            out_node, error));
    return DLP_OK;
}

static dlp_status expand_scalar(const expansion *e, const dlp_node *node, dlp_node **out_node,
                                dlp_error *error)
{
    char name[DLP_NAME_LIMIT + 1];
    size_t length;
    if (strchr(node->text, '$') == NULL) return dlp_node_copy(node, e->document, out_node, error);
    if (node->text[0] == '$' && read_reference(node->text, name, &length) && node->text[length] == '\0') {
        const dlp_node *variable = e->variables != NULL ? dlp_node_find(e->variables, name) : NULL;
        if (variable != NULL) return add_whole(e, node, variable, out_node, error);
    }
    return add_text(e, node, out_node, error);
}

// The tree.

static dlp_status expand(const expansion *e, const dlp_node *node, dlp_node **out_node, dlp_error *error);

// Children that are variables themselves are known from then on.
static dlp_status expand_children(expansion *e, const dlp_node *node, dlp_node *made, bool are_variables,
                                  dlp_error *error)
{
    int32_t index = 0;
    e->r->depth++;
    for (const dlp_node *child = node->first; child != NULL; child = child->next, index++) {
        dlp_node *copy = NULL;
        const size_t before =
            child->key != NULL ? dlp_path_enter(e->r, child->key) : dlp_path_extend(e->r, "[%d]", index);
        const dlp_status status = expand(e, child, &copy, error);
        dlp_path_cut(e->r, before);
        DLP_TRY(status);
        dlp_node_append(made, copy);
        if (are_variables) e->variables = made;
    }
    e->r->depth--;
    return DLP_OK;
}

static dlp_status copy_key(const expansion *e, const dlp_node *node, dlp_node *copy, dlp_error *error)
{
    copy->key = NULL;
    if (node->key == NULL) return DLP_OK;
    copy->key = dlp_arena_copy(&e->document->arena, node->key, strlen(node->key));
    copy->key_line = node->key_line;
    copy->key_column = node->key_column;
    return copy->key != NULL ? DLP_OK : dlp_fail(error, DLP_OUT_OF_MEMORY, "not enough memory for the scene");
}

// Recursion is at most DLP_DEPTH_LIMIT deep.
static dlp_status expand(const expansion *e, const dlp_node *node, dlp_node **out_node, dlp_error *error)
{
    expansion below = *e;
    if (node->kind == DLP_NODE_SCALAR) {
        DLP_TRY(expand_scalar(e, node, out_node, error));
        return copy_key(e, node, *out_node, error);
    }
    DLP_TRY(
        dlp_document_add(e->document, node->kind, (dlp_place){node->line, node->column}, out_node, error));
    DLP_TRY(copy_key(e, node, *out_node, error));
    return expand_children(&below, node, *out_node, false, error);
}

// Names must be such that a reference can hold them.
static void check_names(dlp_resolver *r, const dlp_node *variables)
{
    for (const dlp_node *child = variables->first; child != NULL; child = child->next) {
        const size_t length = strlen(child->key);
        size_t good = 0;
        while (is_word_character(child->key[good])) good++;
        if (length > 0 && length <= DLP_NAME_LIMIT && good == length &&
            !(child->key[0] >= '0' && child->key[0] <= '9'))
            continue;
        char key[DLP_SHORT_TEXT], text[200];
        dlp_shorten(child->key, key);
        snprintf(text, sizeof text,
                 "\"%s\" is not a name of a variable: a letter, then letters, digits and _", key);
        dlp_mistake_keep(r, (dlp_place){child->key_line, child->key_column}, text);
    }
}

static dlp_status expand_variables(expansion *e, const dlp_node *variables, dlp_error *error)
{
    dlp_node *made = NULL;
    DLP_TRY(dlp_document_add(e->document, DLP_NODE_MAP, (dlp_place){0, 0}, &made, error));
    const size_t before = dlp_path_enter(e->r, "variables");
    check_names(e->r, variables);
    const dlp_status status = expand_children(e, variables, made, true, error);
    dlp_path_cut(e->r, before);
    return status;
}

// The variables stay behind: the rest of the scene is made without them.
static dlp_status expand_scene(dlp_resolver *r, const dlp_node *root, dlp_error *error)
{
    expansion e = {r, &r->expanded, NULL};
    const dlp_node *variables = dlp_node_find(root, "variables");
    if (variables != NULL && variables->kind == DLP_NODE_MAP) DLP_TRY(expand_variables(&e, variables, error));
    DLP_TRY(dlp_document_add(e.document, DLP_NODE_MAP, (dlp_place){root->line, root->column},
                             &e.document->root, error));
    r->depth++;
    for (const dlp_node *child = root->first; child != NULL; child = child->next) {
        if (child == variables) continue;
        dlp_node *copy = NULL;
        const size_t before = dlp_path_enter(r, child->key);
        const dlp_status status = expand(&e, child, &copy, error);
        dlp_path_cut(r, before);
        DLP_TRY(status);
        dlp_node_append(e.document->root, copy);
    }
    r->depth--;
    return DLP_OK;
}

dlp_status dlp_variables_expand(dlp_resolver *r, const dlp_node *root, const dlp_node **out_root,
                                dlp_error *error)
{
    *out_root = root;
    if (root == NULL || root->kind != DLP_NODE_MAP) return DLP_OK;
    const dlp_node *variables = dlp_node_find(root, "variables");
    if (variables != NULL && variables->kind != DLP_NODE_MAP && !dlp_node_is_empty(variables)) {
        char found[96];
        dlp_node_describe(variables, found);
        const size_t before = dlp_path_enter(r, "variables");
        dlp_mistake_at(r, variables, "must be a map of names (got %s)", found);
        dlp_path_cut(r, before);
    }
    if (variables == NULL && !has_dollar(root)) return DLP_OK;
    const dlp_status status = expand_scene(r, root, error);
    if (status != DLP_OK) return dlp_fail_at(error, status, "%s", r->file);
    *out_root = r->expanded.root;
    return DLP_OK;
}
