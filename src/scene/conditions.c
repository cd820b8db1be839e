/* Conditions are flat copies of the scene's lists; key frames write into them. Texts, shapes and tracks stay
 * the model's, so that setting the time costs nothing but the tracks. */
#include "scene/conditions.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

// The lists of a scene in which a key-framed field may stand. A list that is missing here would make init
// fail for its key frames.
typedef struct list {
    size_t pointer, count; /* offsets in dlp_scene_def */
    size_t size;           /* bytes of an item */
} list;
#define LIST(name, type)                                                                                     \
    {                                                                                                        \
        offsetof(dlp_scene_def, name##s), offsetof(dlp_scene_def, name##_count), sizeof(type)                \
    }
static const list LISTS[] = {
    LIST(substance, dlp_substance_def), LIST(obstacle, dlp_obstacle_def),     LIST(emitter, dlp_emitter_def),
    LIST(sink, dlp_sink_def),           LIST(attachment, dlp_attachment_def), LIST(blade, dlp_blade_def),
    LIST(load, dlp_load_def),           LIST(force, dlp_force_def),           LIST(probe, dlp_probe_def)};
enum { LIST_COUNT = sizeof LISTS / sizeof LISTS[0] };

// The list's pointer within a record, through its offset.
static char **items_of(dlp_scene_def *scene, const list *of)
{
    return (char **)(void *)((char *)scene + of->pointer);
}

static size_t size_of(const dlp_scene_def *scene, const list *of)
{
    const int32_t *count = (const int32_t *)(const void *)((const char *)scene + of->count);
    return (size_t)*count * of->size;
}

// All pointers become NULL first, so that a failure can be released: they were the model's. One byte more, so
// that an empty list has an address of its own.
static dlp_status copy_lists(dlp_scene_def *now, const dlp_scene_def *model, dlp_error *error)
{
    for (int k = 0; k < LIST_COUNT; k++) *items_of(now, &LISTS[k]) = NULL;
    for (int k = 0; k < LIST_COUNT; k++) {
        const size_t size = size_of(model, &LISTS[k]);
        char *copy = dlp_alloc(size + 1, 1, "conditions");
        if (copy == NULL)
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "scene: not enough memory for its conditions");
        if (size > 0) memcpy(copy, *items_of((dlp_scene_def *)(uintptr_t)model, &LISTS[k]), size);
        *items_of(now, &LISTS[k]) = copy;
    }
    return DLP_OK;
}

// The field of the conditions that stands where `target` stands in the model: in the record itself, whose
// address is `home`, or in one of its lists.
static double *counterpart(dlp_scene_def *home, dlp_scene_def *now, const dlp_scene_def *model,
                           const double *target)
{
    const char *at = (const char *)target;
    const char *whole = (const char *)model;
    if (at >= whole && at < whole + sizeof *model) return (double *)(void *)((char *)home + (at - whole));
    for (int k = 0; k < LIST_COUNT; k++) {
        const char *items = *items_of((dlp_scene_def *)(uintptr_t)model, &LISTS[k]);
        if (items != NULL && at >= items && at < items + size_of(model, &LISTS[k]))
            return (double *)(void *)(*items_of(now, &LISTS[k]) + (at - items));
    }
    return NULL;
}

// `home` is where the record will stand: targets in it must not point into the temporary copy.
static dlp_status link_targets(dlp_conditions *made, dlp_scene_def *home, const dlp_scene_def *model,
                               dlp_error *error)
{
    made->targets = dlp_alloc((size_t)model->track_count + 1, sizeof *made->targets, "conditions");
    if (made->targets == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "scene: not enough memory for its conditions");
    for (int32_t k = 0; k < model->track_count; k++) {
        made->targets[k] = counterpart(home, &made->now, model, model->tracks[k].target);
        // the table lets only fields of the record and of these lists have key frames
        if (made->targets[k] == NULL)
            return dlp_fail(error, DLP_INVALID, "%s: cannot have key frames", model->tracks[k].path);
    }
    return DLP_OK;
}

dlp_status dlp_conditions_init(dlp_conditions *conditions, const dlp_scene_def *model, double time,
                               dlp_error *error)
{
    dlp_conditions made = {.now = *model};
    dlp_status status = copy_lists(&made.now, model, error);
    if (status == DLP_OK) status = link_targets(&made, &conditions->now, model, error);
    if (status != DLP_OK) {
        dlp_conditions_release(&made);
        return status;
    }
    *conditions = made;
    dlp_conditions_set_time(conditions, time);
    return DLP_OK;
}

void dlp_conditions_release(dlp_conditions *conditions)
{
    for (int k = 0; k < LIST_COUNT; k++) dlp_free(*items_of(&conditions->now, &LISTS[k]));
    dlp_free(conditions->targets);
    *conditions = (dlp_conditions){0};
}

void dlp_conditions_set_time(dlp_conditions *conditions, double time)
{
    conditions->time = time;
    for (int32_t k = 0; k < conditions->now.force_count; k++) conditions->now.forces[k].time = time;
    for (int32_t k = 0; k < conditions->now.track_count; k++) {
        double value[3];
        const dlp_track *track = &conditions->now.tracks[k];
        assert(track->components == 1 || track->components == 3);
        dlp_track_value(track, time, value);
        memcpy(conditions->targets[k], value, (size_t)track->components * sizeof *value);
    }
    for (int32_t k = 0; k < conditions->now.emitter_count; k++)
        dlp_emitter_rotate(&conditions->now.emitters[k]);
}
