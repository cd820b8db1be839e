/* JSON, with bare words where JSON wants quotes: the scenes of a build without libyaml, files named .json,
 * and the values of dlp_scene_set. */
#include "scene/document.h"
#include "scene/scene_text.h"

#include <string.h>

// Where the reader stands.
typedef struct json_reader {
    const char *at, *end;  // the next byte, and one past the last
    dlp_place place;       // of *at
    const char *name;      // of the file; NULL: the text is none, its nodes get the place 0:0
    int32_t depth;         // open brackets
    dlp_document *document;
    dlp_error *error;
} json_reader;

// Values that are set have no place in a file: mistakes about them name only their path.
static dlp_place node_place(const json_reader *r)
{
    return r->name != NULL ? r->place : (dlp_place){0, 0};
}

// A message at the present place.
static dlp_status refuse(const json_reader *r, const char *what)
{
    if (r->name != NULL)
        return dlp_fail(r->error, DLP_INVALID, "%s:%d:%d: %s", r->name, r->place.line, r->place.column, what);
    return dlp_fail(r->error, DLP_INVALID, "character %d: %s", r->place.column, what);
}

// Puts the place before a message that has none yet.
static dlp_status add_place(const json_reader *r, dlp_status status)
{
    if (status == DLP_OK || r->name == NULL) return status;
    return dlp_fail_at(r->error, status, "%s:%d:%d", r->name, r->place.line, r->place.column);
}

// Columns count characters, not bytes: continuation bytes of UTF-8 do not count.
static void step(json_reader *r)
{
    if (*r->at == '\n')
        r->place = (dlp_place){r->place.line + 1, 1};
    else if (((unsigned char)*r->at & 0xc0) != 0x80)
        r->place.column++;
    r->at++;
}

// The next byte; 0 at the end, which no text contains (check_characters).
static char peek(const json_reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(json_reader *r)
{
    while (r->at < r->end && is_blank(*r->at)) step(r);
}

static int32_t hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The four digits after \u; -1 where they are not there.
static int32_t read_hex(json_reader *r)
{
    int32_t value = 0;
    for (int k = 0; k < 4; k++) {
        const int32_t digit = hex_digit(peek(r));
        if (digit < 0) return -1;
        value = 16 * value + digit;
        step(r);
    }
    return value;
}

// A character beyond the first 65536 is written as two escapes, a surrogate pair; lone halves and 0 are
// refused.
static dlp_status read_code_point(json_reader *r, dlp_string *text)
{
    int32_t code = read_hex(r);
    if (code >= 0xd800 && code < 0xdc00 && r->end - r->at >= 2 && r->at[0] == '\\' && r->at[1] == 'u') {
        step(r);
        step(r);
        const int32_t low = read_hex(r);
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : -1;
    }
    if (code <= 0 || (code >= 0xd800 && code < 0xe000)) return refuse(r, "\\u needs the code of a character");
    dlp_utf8_add(text, code);
    return DLP_OK;
}

// After the backslash, which is read.
static dlp_status read_escape(json_reader *r, dlp_string *text)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char c = peek(r);
    if (c == 'u') {
        step(r);
        return read_code_point(r, text);
    }
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    if (found == NULL) return refuse(r, "this escape is not known");
    dlp_string_add(text, "%c", to[found - from]);
    step(r);
    return DLP_OK;
}

// Double quotes have escapes; single ones, which JSON does not know, are taken as they are.
static dlp_status read_quoted(json_reader *r, dlp_string *text)
{
    const char quote = peek(r);
    step(r);
    for (; r->at < r->end && *r->at != quote;) {
        const char c = *r->at;
        if ((unsigned char)c < 0x20) return refuse(r, "a control character in a text");
        step(r);
        if (c == '\\' && quote == '"')
            DLP_TRY(read_escape(r, text));
        else
            dlp_string_add(text, "%c", c);
    }
    if (r->at == r->end) return refuse(r, "a quote is not closed");
    step(r);
    return DLP_OK;
}

// A bare word: inside brackets up to a character of `stops`, outside of them all the rest, so that `--set
// title=a, b` needs no quotes. Blanks at its end are cut.
static void read_bare(json_reader *r, dlp_string *text, const char *stops)
{
    while (r->at < r->end && (r->depth == 0 || strchr(stops, *r->at) == NULL)) {
        dlp_string_add(text, "%c", *r->at);
        step(r);
    }
    size_t length = text->length;
    while (length > 0 && is_blank(text->data[length - 1])) length--;
    dlp_string_cut(text, length);
}

// Quoted or bare; an empty bare word is refused.
static dlp_status read_word(json_reader *r, const char *stops, dlp_string *text, bool *out_quoted)
{
    const char c = peek(r);
    *out_quoted = c == '"' || c == '\'';
    if (*out_quoted)
        DLP_TRY(read_quoted(r, text));
    else
        read_bare(r, text, stops);
    if (text->has_failed) return dlp_fail(r->error, DLP_OUT_OF_MEMORY, "not enough memory for a text");
    return *out_quoted || text->length > 0 ? DLP_OK : refuse(r, "a value is missing");
}

static dlp_status read_scalar(json_reader *r, dlp_node **out_node)
{
    const dlp_place place = node_place(r);
    dlp_string text = {0};
    bool is_quoted = false;
    dlp_status status = read_word(r, ",]}:\n", &text, &is_quoted);
    if (status == DLP_OK)
        status = add_place(r, dlp_document_add_scalar(r->document, text.data != NULL ? text.data : "",
                                                      text.length, place, out_node, r->error));
    if (status == DLP_OK) (*out_node)->is_quoted = is_quoted;
    dlp_string_release(&text);
    return status;
}

static dlp_status read_value(json_reader *r, dlp_node **out_node);

// The key as a C string in the document's arena.
static dlp_status read_key(json_reader *r, const dlp_node *map, const char **out_key)
{
    dlp_string text = {0};
    bool is_quoted = false;
    dlp_status status = read_word(r, ",]}[{:\n", &text, &is_quoted);
    const char *key = text.data != NULL ? text.data : "";
    if (status == DLP_OK) status = add_place(r, dlp_node_check_room(map, r->error));
    if (status == DLP_OK) {
        *out_key = dlp_arena_copy(&r->document->arena, key, strlen(key));
        if (*out_key == NULL) status = dlp_fail(r->error, DLP_OUT_OF_MEMORY, "not enough memory for a key");
    }
    dlp_string_release(&text);
    return status;
}

// A value alone is refused at once; a file's mistakes are reported together.
static dlp_status refuse_repeated(const json_reader *r, const char *key)
{
    char text[DLP_SHORT_TEXT];
    dlp_shorten(key, text);
    return dlp_fail(r->error, DLP_INVALID, "%s: is given twice", text);
}

// The value gets the key's place beside its own: messages point at either.
static dlp_status read_pair(json_reader *r, dlp_node *map)
{
    const dlp_place place = node_place(r);
    const char *key = NULL;
    DLP_TRY(read_key(r, map, &key));
    skip_blanks(r);
    if (peek(r) != ':') return refuse(r, "a colon is missing after the key");
    step(r);
    skip_blanks(r);
    dlp_node *value = NULL;
    DLP_TRY(read_value(r, &value));
    value->key = key;
    value->key_line = place.line;
    value->key_column = place.column;
    dlp_node_append(map, value);
    return r->name == NULL && map->repeated != NULL ? refuse_repeated(r, key) : DLP_OK;
}

static dlp_status read_item(json_reader *r, dlp_node *list)
{
    dlp_node *item = NULL;
    DLP_TRY(read_value(r, &item));
    dlp_node_append(list, item);
    return DLP_OK;
}

// The inside of brackets: items or pairs with commas between them; a comma before the closing bracket is
// allowed.
static dlp_status read_items(json_reader *r, dlp_node *node, char close)
{
    skip_blanks(r);
    while (peek(r) != close) {
        DLP_TRY(node->kind == DLP_NODE_MAP ? read_pair(r, node) : read_item(r, node));
        skip_blanks(r);
        if (peek(r) == ',') {
            step(r);
            skip_blanks(r);
        } else if (peek(r) != close) {
            return refuse(r, close == ']' ? "expected , or ]" : "expected , or }");
        }
    }
    step(r);
    return DLP_OK;
}

// Recursion is at most DLP_DEPTH_LIMIT deep.
static dlp_status read_value(json_reader *r, dlp_node **out_node)
{
    const char c = peek(r);
    if (c != '{' && c != '[') return read_scalar(r, out_node);
    if (r->depth == DLP_DEPTH_LIMIT)
        return add_place(r,
                         dlp_fail(r->error, DLP_INVALID, "is nested deeper than %d levels", DLP_DEPTH_LIMIT));
    const dlp_node_kind kind = c == '{' ? DLP_NODE_MAP : DLP_NODE_LIST;
    DLP_TRY(add_place(r, dlp_document_add(r->document, kind, node_place(r), out_node, r->error)));
    r->depth++;
    step(r);
    const dlp_status status = read_items(r, *out_node, c == '{' ? '}' : ']');
    r->depth--;
    return status;
}

// Once for the whole text, so that the rest may copy bytes. A zero byte is refused too.
static dlp_status check_characters(const json_reader *r)
{
    const char *at = r->at;
    while (at < r->end) {
        const ptrdiff_t offset = at - r->at;
        const int32_t code_point = dlp_utf8_next(&at, r->end);
        if (code_point <= 0) {
            const dlp_status status = dlp_fail(r->error, DLP_INVALID, "byte %td: is not UTF-8 text", offset);
            return r->name != NULL ? dlp_fail_at(r->error, status, "%s", r->name) : status;
        }
    }
    return DLP_OK;
}

// One value and nothing after it.
static dlp_status read_whole(json_reader *r, dlp_node **out_node)
{
    DLP_TRY(check_characters(r));
    skip_blanks(r);
    DLP_TRY(read_value(r, out_node));
    skip_blanks(r);
    return r->at == r->end ? DLP_OK : refuse(r, "something follows the end");
}

// An empty text leaves the document empty; the caller decides whether that is a mistake.
dlp_status dlp_json_read(const char *text, size_t length, const char *name, dlp_document *document,
                         dlp_error *error)
{
    json_reader r = {text, text + length, {1, 1}, name, 0, document, error};
    skip_blanks(&r);
    return r.at < r.end ? read_whole(&r, &document->root) : DLP_OK;
}

dlp_status dlp_json_read_value(const char *text, dlp_document *document, dlp_node **out_node,
                               dlp_error *error)
{
    json_reader r = {text, text + strlen(text), {1, 1}, NULL, 0, document, error};
    return read_whole(&r, out_node);
}
