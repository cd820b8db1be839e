/* Values of a checkpoint changed as if they had been sealed afterwards: a state that is loaded is refused
 * with a message, or the next frame ends, with finite values or with the message that it diverges. Behind the
 * digest and HDF5, which fuzz_checkpoint.c is about; all in memory.
 *
 * An input is a list of changes, each of EDIT_SIZE bytes: which item, which of its values, and the new bytes
 * or one of some strange values. */
#include "base/memory.h"
#include "motion/world.h"
#include "scene/scene.h"
#include "skin/skin.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EDIT_SIZE = 12, EDIT_LIMIT = 8, STEP_LIMIT = 400, SUBJECT_COUNT = 5 };

#define TANK "\"obstacles\": [{\"box\": {\"min\": [0, 0], \"max\": [0.1, 0.3], \"inside\": true}}]"
#define WATER                                                                                                \
    "\"material\": \"water\", \"particle\": {\"spacing\": 0.02}, \"shape\": {\"box\": "                      \
    "{\"min\": [0, 0], \"max\": [0.1, 0.06]}}"

static const char *const scenes[SUBJECT_COUNT] = {
    "{\"dimension\": 2, \"frames\": {\"rate\": 1000}, \"substances\": {\"water\": {" WATER
    ", \"adapt\": {\"space\": true, \"time\": true, \"restraint\": true},"
    " \"restraint\": {\"rest\": 0.05, \"full\": 0.2, \"friction\": 0.5}}}, " TANK "}",
    "{\"dimension\": 2, \"frames\": {\"rate\": 1000}, \"substances\": {\"water\": {" WATER
    ", \"temperature\": 50, \"conductivity\": 1000}}, " TANK ", \"emitters\": [{\"substance\": \"water\","
    " \"position\": [0.05, 0.2], \"radius\": 0.03, \"speed\": 2}]}",
    "{\"frames\": {\"rate\": 1000}, \"substances\": {\"body\": {\"material\": \"jelly\","
    " \"particle\": {\"spacing\": 0.02}, \"shape\": {\"box\": {\"min\": [0, 0, 0.011],"
    " \"max\": [0.05, 0.05, 0.06]}}}}, \"obstacles\": [{\"box\": {\"min\": [-1, -1, -0.2],"
    " \"max\": [1, 1, 0]}}]}",
    "{\"frames\": {\"rate\": 1000}, \"wind\": [1, 0, 0], \"substances\": {\"sheet\": {\"material\": \"silk\","
    " \"particle\": {\"spacing\": 0.025}, \"cloth\": {\"tear\": 0.3}, \"shape\": {\"sheet\": {\"center\":"
    " [0, 0, 0.052], \"size\": [0.06, 0.06]}}}}, \"obstacles\": [{\"sphere\": {\"center\": [0, 0, 0],"
    " \"radius\": 0.05}}]}",
    "{\"frames\": {\"rate\": 1000}, \"surface\": {\"kind\": \"active\"}, \"substances\": {\"water\":"
    " {\"material\": \"water\", \"particle\": {\"spacing\": 0.02}, \"shape\": {\"box\": {\"min\": [0, 0, 0],"
    " \"max\": [0.04, 0.04, 0.04]}}}}}"};

typedef struct subject {
    dlp_world *world;
    dlp_skin *skin;
    dlp_manifest truth;  // a copy of all that a checkpoint holds
    dlp_part_count *counts;
} subject;

static subject subjects[SUBJECT_COUNT];
static int64_t steps_left;

static void require(bool holds)
{
    if (!holds) abort();
}

static bool count_down(const dlp_progress *progress, void *user)
{
    (void)progress;
    (void)user;
    return --steps_left > 0;
}

static size_t size_of(dlp_type type)
{
    return type == DLP_FLOAT64 || type == DLP_INT64 ? 8 : 4;
}

static size_t bytes_of(const dlp_manifest_item *item)
{
    return (size_t)item->count * (size_t)item->components * size_of(item->type);
}

static dlp_status run_frame(subject *s, dlp_error *error)
{
    steps_left = STEP_LIMIT;
    DLP_TRY(dlp_world_step_frame(s->world, error));
    return dlp_skin_update(s->skin, error);
}

static void keep_truth(subject *s)
{
    s->counts = calloc((size_t)dlp_world_part_count(s->world), sizeof *s->counts);
    require(s->counts != NULL && dlp_world_begin_save(s->world, NULL) == DLP_OK &&
            dlp_world_manifest(s->world, &s->truth, NULL) == DLP_OK);
    for (int32_t k = 0; k < s->truth.count; k++) {
        dlp_manifest_item *item = &s->truth.items[k];
        void *data = malloc(bytes_of(item) + 1);
        require(data != NULL);
        if (bytes_of(item) > 0) memcpy(data, item->data, bytes_of(item));
        item->data = data;
        if (item->counts == DLP_COUNT_PARTICLES) s->counts[item->part].particles = item->count;
        if (item->counts == DLP_COUNT_FREE) s->counts[item->part].free = item->count;
    }
}

static void release_subjects(void)
{
    for (int n = 0; n < SUBJECT_COUNT; n++) {
        subject *s = &subjects[n];
        dlp_skin_destroy(s->skin);
        dlp_world_destroy(s->world);
        for (int32_t k = 0; k < s->truth.count; k++) free(s->truth.items[k].data);
        dlp_manifest_release(&s->truth);
        free(s->counts);
    }
}

static void make_subject(subject *s, const char *text)
{
    static dlp_error error;
    dlp_scene *scene;
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1, .progress = count_down};
    steps_left = STEP_LIMIT;
    require(dlp_scene_read_text(text, strlen(text), "a.json", NULL, &scene, &error) == DLP_OK);
    require(dlp_world_create(scene, &options, &s->world, &error) == DLP_OK);
    dlp_scene_destroy(scene);
    require(dlp_skin_create(s->world, &s->skin, &error) == DLP_OK);
    require(run_frame(s, &error) == DLP_OK && run_frame(s, &error) == DLP_OK);
    steps_left = 2;
    const dlp_status status = dlp_world_step_frame(s->world, &error);
    require(status == DLP_OK || status == DLP_INTERRUPTED);
    keep_truth(s);
}

static void put_value(uint8_t *to, dlp_type type, const uint8_t *edit)
{
    static const double reals[] = {
        (double)NAN, (double)INFINITY, -(double)INFINITY, 0, -1, 1, 1e30, -1e30, 3e9, 1e-30, 1e300, 1e9};
    static const int64_t wholes[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1, 0, 1, 2, 1 << 20, 255};
    const double real = reals[edit[4] % (sizeof reals / sizeof reals[0])];
    const int64_t whole = wholes[edit[4] % (sizeof wholes / sizeof wholes[0])];
    const float single = (float)real;
    const int32_t narrow = (int32_t)whole;
    if (edit[3] % 2 == 0)
        memcpy(to, edit + 4, size_of(type));
    else if (type == DLP_FLOAT32)
        memcpy(to, &single, sizeof single);
    else if (type == DLP_FLOAT64)
        memcpy(to, &real, sizeof real);
    else if (type == DLP_INT32)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &whole, sizeof whole);
}

static void apply_edit(const dlp_manifest *manifest, const uint8_t *edit)
{
    const dlp_manifest_item *item = &manifest->items[edit[0] % manifest->count];
    const int64_t count = (int64_t)item->count * item->components;
    if (count == 0) return;
    const int64_t place = (edit[1] + 256 * (int64_t)edit[2]) % count;
    put_value((uint8_t *)item->data + (size_t)place * size_of(item->type), item->type, edit);
}

// As dlp_world_load does once the file has been read.
static dlp_status load(subject *s, const uint8_t *edits, size_t edit_count, dlp_error *error)
{
    dlp_manifest now = {0};
    dlp_status status = dlp_world_begin_load(s->world, s->counts, error);
    if (status == DLP_OK) status = dlp_world_manifest(s->world, &now, error);
    for (int32_t k = 0; status == DLP_OK && k < now.count; k++)
        if (bytes_of(&now.items[k]) > 0)
            memcpy(now.items[k].data, s->truth.items[k].data, bytes_of(&now.items[k]));
    for (size_t k = 0; status == DLP_OK && k < edit_count; k++) apply_edit(&now, edits + k * EDIT_SIZE);
    if (status == DLP_OK) status = dlp_manifest_check_values(&now, error);
    if (status == DLP_OK) status = dlp_world_end_load(s->world, error);
    dlp_manifest_release(&now);
    return status;
}

static void require_finite(const dlp_world *world, dlp_field field)
{
    dlp_view view = {.size = sizeof view};
    require(dlp_world_field(world, field, &view, NULL) == DLP_OK);
    for (int64_t n = 0; n < (int64_t)view.count * view.components; n++)
        require(view.type == DLP_FLOAT64 ? isfinite(((const double *)view.data)[n])
                                         : isfinite(((const float *)view.data)[n]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 + EDIT_SIZE) return 0;
    subject *s = &subjects[data[0] % SUBJECT_COUNT];
    static bool is_prepared;
    if (!is_prepared) require(atexit(release_subjects) == 0);
    is_prepared = true;
    if (s->world == NULL) make_subject(s, scenes[data[0] % SUBJECT_COUNT]);
    const size_t given = (size - 1) / EDIT_SIZE, count = given < EDIT_LIMIT ? given : EDIT_LIMIT;
    dlp_error error;
    error.message[0] = '\0';
    dlp_status status = load(s, data + 1, count, &error);
    if (status == DLP_OK) {
        status = run_frame(s, &error);
        require_finite(s->world, DLP_FIELD_POSITION);
        require_finite(s->world, DLP_FIELD_VELOCITY);
    }
    require(status == DLP_OK || status == DLP_INTERRUPTED || error.message[0] != '\0');
    require(load(s, NULL, 0, &error) == DLP_OK);
    return 0;
}
