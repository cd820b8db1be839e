/* Key frames: {keys: [[t, value], [t, value], ...], smooth: true} in place of a number or a vector. */
#include "base/memory.h"
#include "scene/resolve.h"

#include <stdio.h>
#include <string.h>

static const double SHORTEST = 1e-9;  // s: between two keys, so that rates stay finite

bool dlp_is_keyed(const dlp_node *node)
{
    return node->kind == DLP_NODE_MAP && dlp_node_find(node, "keys") != NULL;
}

// Keys beside `keys` and `smooth` are refused, and `keys` must be a list that is not empty.
static bool check_words(dlp_resolver *r, const dlp_node *node)
{
    for (const dlp_node *child = node->first; child != NULL; child = child->next) {
        if (strcmp(child->key, "keys") == 0 || strcmp(child->key, "smooth") == 0) continue;
        char key[DLP_SHORT_TEXT], text[128];
        dlp_shorten(child->key, key);
        snprintf(text, sizeof text, "%s is not allowed beside key frames; allowed are keys and smooth", key);
        dlp_mistake_keep(r, (dlp_place){child->key_line, child->key_column}, text);
        return false;
    }
    const dlp_node *keys = dlp_node_find(node, "keys");
    if (keys->kind == DLP_NODE_LIST && keys->count > 0) return true;
    dlp_mistake_at(r, keys, "key frames must be a list of [time, value]");
    return false;
}

// Straight lines where it is not given.
static bool read_smooth(dlp_resolver *r, const dlp_node *node, bool *out_smooth)
{
    static const dlp_schema_row row = {.key = "smooth", DLP_ROW_SWITCH};
    const dlp_node *smooth = dlp_node_find(node, "smooth");
    return smooth == NULL || dlp_value_read(r, &row, smooth, out_smooth);
}

// The value is read by the parameter's own row, so that its range holds for every key.
static bool read_key(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *key, dlp_track *track,
                     int32_t k)
{
    static const dlp_schema_row time_row = {.key = "time", DLP_ROW_NUMBER, 0, 0, "s", -1e12, 1e12};
    if (key->kind != DLP_NODE_LIST || key->count != 2) {
        char found[96];
        dlp_node_describe(key, found);
        dlp_mistake_at(r, key, "a key frame must be [time, value] (got %s)", found);
        return false;
    }
    double value[3] = {0, 0, 0};
    if (!dlp_value_read_numbers(r, &time_row, key->first, &track->times[k])) return false;
    if (!dlp_value_read_numbers(r, row, key->last, value)) return false;
    memcpy(track->values + (ptrdiff_t)k * track->components, value,
           (size_t)track->components * sizeof *value);
    if (k == 0 || track->times[k] - track->times[k - 1] >= SHORTEST) return true;
    dlp_mistake_at(r, key, "times of key frames must grow (got %g after %g)", track->times[k],
                   track->times[k - 1]);
    return false;
}

// On failure the track holds a part; the scene's record frees it.
static bool read_keys(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *keys, dlp_track *track)
{
    const size_t count = (size_t)keys->count, components = (size_t)track->components;
    track->path = dlp_copy_text(r->path.text, "scene");
    track->times = dlp_alloc(count, sizeof(double), "scene");
    track->values = dlp_alloc(count * components, sizeof(double), "scene");
    if (track->path == NULL || track->times == NULL || track->values == NULL) {
        r->is_out_of_memory = true;
        return false;
    }
    for (const dlp_node *key = keys->first; key != NULL; key = key->next)
        if (!read_key(r, row, key, track, track->key_count++)) return false;
    return true;
}

// The field itself gets the value at time 0, which is what checks and derivations see.
bool dlp_keys_read(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, void *target)
{
    if ((row->flags & DLP_ROW_ANIMATED) == 0) {
        dlp_mistake_at(r, node, "cannot have key frames");
        return false;
    }
    if (!check_words(r, node)) return false;
    dlp_scene_def *def = r->def;
    if (dlp_reserve(&def->tracks, &r->track_capacity, def->track_count + 1, sizeof *def->tracks, "scene",
                    NULL) != DLP_OK) {
        r->is_out_of_memory = true;
        return false;
    }
    // later tracks may move the array: pointers to tracks are set at the end (link_tracks)
    dlp_track *track = &def->tracks[def->track_count++];
    track->target = target;
    track->components = row->type == DLP_ROW_VECTOR ? 3 : 1;
    if (!read_smooth(r, node, &track->smooth)) return false;
    if (!read_keys(r, row, dlp_node_find(node, "keys"), track)) return false;
    double value[3];
    dlp_track_value(track, 0, value);
    memcpy(target, value, (size_t)track->components * sizeof *value);
    return true;
}

// As a scene writes them, numbers with all their digits.
void dlp_keys_write(const dlp_track *track, dlp_string *text)
{
    dlp_string_add(text, "{keys: [");
    for (int32_t k = 0; k < track->key_count; k++) {
        const double *v = track->values + (ptrdiff_t)k * track->components;
        dlp_string_add(text, "%s[", k > 0 ? ", " : "");
        dlp_string_add_number(text, track->times[k]);
        dlp_string_add(text, "%s", track->components == 3 ? ", [" : ", ");
        for (int32_t c = 0; c < track->components; c++) {
            dlp_string_add(text, "%s", c > 0 ? ", " : "");
            dlp_string_add_number(text, v[c]);
        }
        dlp_string_add(text, "%s", track->components == 3 ? "]]" : "]");
    }
    dlp_string_add(text, "], smooth: %s}", track->smooth ? "true" : "false");
}
