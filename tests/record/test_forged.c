/* Checkpoints with a value changed under a fresh digest. Each is refused with a message, and then the world
 * is as it was; or it is one that a run could have left, and then the next frame ends with finite values.
 * Very few are possible, but so wild that the next frame says by itself that it diverges. */
#include "scenes.h"
#include "base/memory.h"
#include "record/checkpoint.h"
#include "record/probe_meter.h"
#include "skin/skin.h"
#include "test_folder.h"

#include <float.h>

// Scenes: a few dozen to some hundred particles each.

static const char jet_scene[] =
    "dimension: 2\n"
    "frames: {rate: 400, count: 10}\n"
    "substances:\n"
    "  water:\n"
    "    material: water\n"
    "    particle: {spacing: 0.02}\n"
    "    adapt: {time: true}\n"
    "    shape: {box: {min: [0, 0], max: [0.2, 0.08]}}\n"
    "obstacles:\n"
    "  - {box: {min: [0, 0], max: [0.2, 0.6], inside: true}}\n"
    "  - name: paddle\n"
    "    box: {min: [0.04, 0.1], max: [0.1, 0.14]}\n"
    "    rotation: {keys: [[0, [0, 0, 0]], [0.2, [0, 0, 90]]]}\n"
    "emitters:\n"
    "  - {substance: water, position: [0.15, 0.3], radius: 0.03, speed: 2}\n"
    "probes: {load: {body: paddle, rate: 2200}, deep: {point: [0.1, 0.02], rate: 2200}}\n";

static const char heat_scene[] =
    "dimension: 2\n"
    "frames: {rate: 200, count: 10}\n"
    "substances:\n"
    "  water: {material: water, particle: {spacing: 0.02}, conductivity: 20000,\n"
    "          shape: {box: {min: [0, 0], max: [0.2, 0.08]}}}\n"
    "  oil: {material: oil, temperature: 150, conductivity: 10000,\n"
    "        particle: {spacing: 0.02}, melting: {from: 60, to: 80, heat: 50000},\n"
    "        shape: {box: {min: [0.06, 0.1], max: [0.14, 0.16]}}}\n"
    "obstacles:\n"
    "  - {box: {min: [0, 0], max: [0.2, 0.4], inside: true}}\n";

static const char sizes_scene[] = "dimension: 2\n"
                                  "frames: {rate: 200, count: 10}\n"
                                  "substances:\n"
                                  "  water:\n"
                                  "    material: water\n"
                                  "    particle: {spacing: 0.02}\n"
                                  "    adapt: {space: true, time: true, restraint: true}\n"
                                  "    restraint: {rest: 0.05, full: 0.2, friction: 0.5}\n"
                                  "    shape: {box: {min: [0, 0], max: [0.3, 0.3]}}\n"
                                  "obstacles:\n"
                                  "  - {box: {min: [0, 0], max: [0.5, 0.6], inside: true}}\n";

static const char solid_scene[] = "frames: {rate: 200, count: 10}\n"
                                  "substances:\n"
                                  "  body:\n"
                                  "    material: jelly\n"
                                  "    particle: {spacing: 0.02}\n"
                                  "    shape: {box: {min: [0, 0, 0.011], max: [0.08, 0.06, 0.07]}}\n"
                                  "obstacles:\n"
                                  "  - box: {min: [-1, -1, -0.2], max: [1, 1, 0]}\n";

static const char cloth_scene[] =
    "frames: {rate: 100, count: 10}\n"
    "wind: [1, 0, 0]\n"
    "substances:\n"
    "  sheet:\n"
    "    material: silk\n"
    "    particle: {spacing: 0.025}\n"
    "    cloth: {tear: 0.3}\n"
    "    shape: {sheet: {center: [0, 0, 0.052], size: [0.15, 0.15]}}\n"
    "attachments:\n"
    "  - {substance: sheet, box: {min: [-1, 0.05, -1], max: [1, 1, 1]}}\n"
    "loads:\n"
    "  - {substance: sheet, pressure: 1, box: {min: [0, -1, -1], max: [1, 1, 1]}}\n"
    "obstacles:\n"
    "  - sphere: {center: [0, 0, 0], radius: 0.05}\n";

static const char surface_scene[] = "frames: {rate: 200, count: 10}\n"
                                    "surface: {kind: active}\n"
                                    "substances:\n"
                                    "  water:\n"
                                    "    material: water\n"
                                    "    particle: {spacing: 0.02}\n"
                                    "    shape: {box: {min: [0, 0, 0], max: [0.08, 0.06, 0.06]}}\n"
                                    "obstacles:\n"
                                    "  - box: {min: [0, 0, 0], max: [0.16, 0.06, 0.2], inside: true}\n";

static const named_scene forged_scenes[] = {{"jet", jet_scene},     {"heat", heat_scene},
                                            {"sizes", sizes_scene}, {"solid", solid_scene},
                                            {"cloth", cloth_scene}, {"surface", surface_scene}};

// A world with surfaces, which have a state of their own.
typedef struct subject {
    setup s;
    dlp_skin *skin;
    dlp_probe_meter *meter;
    int64_t steps_left;
} subject;

static bool count_down(const dlp_progress *progress, void *user)
{
    (void)progress;
    int64_t *left = user;
    return --*left > 0;
}

enum { STEPS_PER_FRAME = 3000 };  // more than ten times what any of these scenes needs

static void open_subject(subject *it, const char *text)
{
    dlp_error error = {0};
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = 1, .progress = count_down, .user = &it->steps_left};
    it->steps_left = STEPS_PER_FRAME;
    it->s = make_setup_in(NULL, text, &options);
    expect_ok(dlp_skin_create(it->s.world, &it->skin, &error), &error);
    expect_ok(dlp_skin_update(it->skin, &error), &error);
    expect_ok(dlp_probe_meter_create(it->s.world, &it->meter, &error), &error);
}

static void close_subject(subject *it)
{
    dlp_skin_destroy(it->skin);
    dlp_probe_meter_destroy(it->meter);
    release_setup(&it->s);
}

static dlp_status run_frame(subject *it, dlp_error *error)
{
    it->steps_left = STEPS_PER_FRAME;
    DLP_TRY(dlp_world_step_frame(it->s.world, error));
    return dlp_skin_update(it->skin, error);
}

// A copy of everything that a checkpoint of a world holds.
typedef struct saved_state {
    dlp_manifest manifest;
    dlp_checkpoint_info info;
} saved_state;

static size_t bytes_of(const dlp_manifest_item *item)
{
    return (size_t)item->count * (size_t)item->components * size_of_type(item->type);
}

static saved_state copy_state(const dlp_world *world)
{
    dlp_error error = {0};
    saved_state copy = {.info = {.frame = dlp_world_frame(world),
                                 .time = dlp_world_time(world),
                                 .particle_count = dlp_world_particle_count(world)}};
    expect_ok(dlp_world_begin_save(world, &error), &error);
    expect_ok(dlp_world_manifest(world, &copy.manifest, &error), &error);
    expect_ok(dlp_scene_write(dlp_world_scene_handle(world), &copy.info.scene, &error), &error);
    for (int32_t k = 0; k < copy.manifest.count; k++) {
        dlp_manifest_item *item = &copy.manifest.items[k];
        const size_t size = bytes_of(item);
        void *data = dlp_alloc(size + 4096, 1, "test");  // room for a few more rows
        if (size > 0) memcpy(data, item->data, size);
        item->data = data;
    }
    return copy;
}

static void release_state(saved_state *copy)
{
    for (int32_t k = 0; k < copy->manifest.count; k++) dlp_free(copy->manifest.items[k].data);
    dlp_manifest_release(&copy->manifest);
    dlp_checkpoint_info_release(&copy->info);
}

// The first item that differs; NULL where none does.
static const char *first_difference(const saved_state *a, const saved_state *b)
{
    assert_int_equal(a->manifest.count, b->manifest.count);
    for (int32_t k = 0; k < a->manifest.count; k++) {
        const dlp_manifest_item *p = &a->manifest.items[k], *q = &b->manifest.items[k];
        if (bytes_of(p) != bytes_of(q) || memcmp(p->data, q->data, bytes_of(p)) != 0) return p->name;
    }
    return NULL;
}

// Forgeries.

typedef struct forger {
    const char *scene;
    subject victim;
    saved_state truth;   // what is forged
    saved_state before;  // of the victim
    int32_t tried, refused, diverged, failures;
} forger;

static void reset_victim(forger *f)
{
    dlp_error error = {0};
    expect_ok(dlp_world_load(f->victim.s.world, in_folder("victim.h5"), &error), &error);
}

static void save_state(const saved_state *state, const char *name)
{
    dlp_error error = {0};
    expect_ok(dlp_checkpoint_write(in_folder(name), &state->info, state->manifest.items,
                                   state->manifest.count, &error),
              &error);
}

static bool is_finite_world(const dlp_world *world)
{
    for (int field = 0; field < DLP_FIELD_COUNT; field++) {
        const dlp_view view = field_of(world, (dlp_field)field);
        const int64_t count = (int64_t)view.count * view.components;
        for (int64_t n = 0; n < count; n++) {
            if (view.type == DLP_FLOAT32 && !isfinite(((const float *)view.data)[n])) return false;
            if (view.type == DLP_FLOAT64 && !isfinite(((const double *)view.data)[n])) return false;
        }
    }
    return true;
}

static void complain(forger *f, const char *what, const char *problem)
{
    f->failures++;
    print_message("%s: %s: %s\n", f->scene, what, problem);
}

// What was accepted must lead to a finite next frame that ends.
static void check_accepted(forger *f, const char *what)
{
    dlp_error error = {0};
    const dlp_status status = run_frame(&f->victim, &error);
    if (status == DLP_INTERRUPTED)
        complain(f, what, "accepted, and the next frame does not end");
    else if (status != DLP_OK && (status != DLP_DIVERGED || error.message[0] == '\0'))
        complain(f, what, error.message);
    else if (!is_finite_world(f->victim.s.world))
        complain(f, what, "accepted, and the next frame is not finite");
    f->diverged += status == DLP_DIVERGED;
    reset_victim(f);
}

static void try_forgery(forger *f, const char *what)
{
    dlp_error error = {0};
    save_state(&f->truth, "forged.h5");
    f->tried++;
    if (dlp_world_load(f->victim.s.world, in_folder("forged.h5"), &error) == DLP_OK) {
        check_accepted(f, what);
        return;
    }
    f->refused++;
    if (error.message[0] == '\0') complain(f, what, "refused without a message");
    saved_state after = copy_state(f->victim.s.world);
    const char *changed = first_difference(&f->before, &after);
    release_state(&after);
    if (changed == NULL) return;
    complain(f, what, "refused, but the world has changed");
    reset_victim(f);
}

// Numbers that no run leaves, or only some: one value of an item at a time.
static const double strange[] = {(double)NAN,
                                 (double)INFINITY,
                                 -(double)INFINITY,
                                 DBL_MAX,
                                 -DBL_MAX,
                                 (double)FLT_MAX,
                                 -(double)FLT_MAX,
                                 -1,
                                 0,
                                 1,
                                 1e-300,
                                 1e30,
                                 1e-30,
                                 3e9};
static const int64_t strange_whole[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1, 0, 1, 2, 1 << 20};

static int strange_count(dlp_type type)
{
    const bool is_real = type == DLP_FLOAT32 || type == DLP_FLOAT64;
    return (int)(is_real ? sizeof strange / sizeof strange[0]
                         : sizeof strange_whole / sizeof strange_whole[0]);
}

static void put_strange(void *to, dlp_type type, int k)
{
    const float single = (float)strange[k % strange_count(DLP_FLOAT64)];
    const int64_t whole = strange_whole[k % strange_count(DLP_INT64)];
    const int32_t narrow = (int32_t)whole;
    switch (type) {
    case DLP_FLOAT32:
        memcpy(to, &single, sizeof single);
        return;
    case DLP_FLOAT64:
        memcpy(to, &strange[k], sizeof strange[k]);
        return;
    case DLP_INT32:
        memcpy(to, &narrow, sizeof narrow);
        return;
    case DLP_INT64:
        memcpy(to, &whole, sizeof whole);
        return;
    }
}

static void describe(char *to, size_t size, const dlp_manifest_item *item, int32_t place, int k)
{
    const bool is_real = item->type == DLP_FLOAT32 || item->type == DLP_FLOAT64;
    if (is_real)
        snprintf(to, size, "%s[%d] = %g", item->name, place, strange[k]);
    else
        snprintf(to, size, "%s[%d] = %lld", item->name, place, (long long)strange_whole[k]);
}

// Every component of a row in the middle.
static void forge_values(forger *f, dlp_manifest_item *item)
{
    const size_t size = size_of_type(item->type);
    const int32_t row = item->count / 2 * item->components;
    for (int32_t c = 0; c < item->components && c < 8; c++) {
        char *at = (char *)item->data + (size_t)(row + c) * size, kept[8], what[128];
        memcpy(kept, at, size);
        for (int k = 0; k < strange_count(item->type); k += c == 0 ? 1 : 5) {  // all of them once per item
            put_strange(at, item->type, k);
            describe(what, sizeof what, item, row + c, k);
            if (memcmp(kept, at, size) != 0) try_forgery(f, what);
        }
        memcpy(at, kept, size);
    }
}

// The first row and the last change places.
static void swap_rows(const dlp_manifest_item *item)
{
    const size_t size = (size_t)item->components * size_of_type(item->type);
    char *first = item->data, *last = first + (size_t)(item->count - 1) * size;
    for (size_t k = 0; k < size; k++) {
        const char kept = first[k];
        first[k] = last[k];
        last[k] = kept;
    }
}

static void forge_order(forger *f, dlp_manifest_item *item)
{
    char what[128];
    if (item->count < 2) return;
    swap_rows(item);
    snprintf(what, sizeof what, "first and last of %s swapped", item->name);
    try_forgery(f, what);
    swap_rows(item);
}

// One row more or less than there is.
static void forge_length(forger *f, dlp_manifest_item *item)
{
    const int32_t count = item->count;
    char what[128];
    for (int32_t change = -1; change <= 1; change += 2) {
        if (count + change < 0) continue;
        item->count = count + change;
        snprintf(what, sizeof what, "%s has %d rows", item->name, item->count);
        try_forgery(f, what);
    }
    item->count = count;
}

// All tables of the particles, or of the surfaces' blocks, agree on a wrong length.
static void forge_counts(forger *f, dlp_count_kind kind, int32_t part, int32_t change)
{
    char what[128];
    bool is_any = false;
    dlp_manifest *m = &f->truth.manifest;
    for (int32_t k = 0; k < m->count; k++) {
        if (m->items[k].counts != kind || m->items[k].part != part) continue;
        if (m->items[k].count + change < 0) return;
    }
    for (int32_t k = 0; k < m->count; k++) {
        if (m->items[k].counts != kind || m->items[k].part != part) continue;
        m->items[k].count += change;
        is_any = true;
    }
    snprintf(what, sizeof what, "%d rows more in all tables of part %d", change, part);
    if (is_any) try_forgery(f, what);
    for (int32_t k = 0; k < m->count; k++)
        if (m->items[k].counts == kind && m->items[k].part == part) m->items[k].count -= change;
}

static void forge_info(forger *f)
{
    dlp_checkpoint_info *info = &f->truth.info;
    const dlp_checkpoint_info kept = *info;
    const int32_t tried = f->tried, refused = f->refused;
    static const int32_t counts[] = {INT32_MIN, -1, 0, 1, 1000, INT32_MAX};
    static const double times[] = {(double)NAN, (double)INFINITY, -1, 0, 1e300};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        info->frame = counts[k];
        if (info->frame != kept.frame) try_forgery(f, "its frame");
        info->frame = kept.frame;
        info->particle_count = counts[k];
        try_forgery(f, "its number of particles");
        info->particle_count = kept.particle_count;
    }
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
        info->time = times[k];
        try_forgery(f, "its time");
    }
    *info = kept;
    if (f->refused - refused != f->tried - tried) complain(f, "its head", "another was accepted");
}

// Values just beyond what is possible, which would do no visible harm in a frame: refused all the same.
static void forge_limits(forger *f)
{
    static const struct {
        const char *scene, *item;
        int32_t place, value;
    } limits[] = {{"solid", "solid/steps", 2, 1},  // ticks done, of a step of 1024
                  {"solid", "solid/steps", 3, 3},  // ticks of the next: no power of two
                  {"solid", "solid/pin", 0, 0},    // no attachment is there
                  {"cloth", "cloth/pin", 0, 1},    // one attachment is there
                  {"cloth", "cloth/steps", 0, 1 << 20}, {"cloth", "cloth/steps", 2, 1},
                  {"cloth", "cloth/steps", 3, 3}};
    dlp_manifest *m = &f->truth.manifest;
    for (size_t n = 0; n < sizeof limits / sizeof limits[0]; n++) {
        for (int32_t k = 0; strcmp(limits[n].scene, f->scene) == 0 && k < m->count; k++) {
            if (strcmp(m->items[k].name, limits[n].item) != 0) continue;
            int32_t *at = (int32_t *)m->items[k].data + limits[n].place;
            const int32_t kept = *at, refused = f->refused;
            *at = limits[n].value;
            try_forgery(f, limits[n].item);
            if (f->refused == refused) complain(f, limits[n].item, "accepted beyond its limit");
            *at = kept;
        }
    }
}

static void forge_everything(forger *f)
{
    forge_limits(f);
    dlp_manifest *m = &f->truth.manifest;
    for (int32_t k = 0; k < m->count; k++) {
        dlp_manifest_item *item = &m->items[k];
        forge_length(f, item);
        if (item->count > 0) forge_values(f, item);
        forge_order(f, item);
    }
    for (int32_t part = 0; part < dlp_world_part_count(f->victim.s.world); part++) {
        for (int32_t change = -1; change <= 1; change += 2) {
            forge_counts(f, DLP_COUNT_PARTICLES, part, change);
            forge_counts(f, DLP_COUNT_FREE, part, change);
        }
    }
    forge_info(f);
}

// The truth stands in the middle of a frame, where clocks and lists have most to say.
static void make_truth(forger *f, const char *text)
{
    dlp_error error = {0};
    subject source = {0};
    open_subject(&source, text);
    expect_ok(run_frame(&source, &error), &error);
    expect_ok(run_frame(&source, &error), &error);
    source.steps_left = 3;
    const dlp_status status = dlp_world_step_frame(source.s.world, &error);
    assert_true(status == DLP_OK || status == DLP_INTERRUPTED);
    f->truth = copy_state(source.s.world);
    close_subject(&source);
}

static void a_forged_checkpoint_is_refused_or_harmless(void **state)
{
    need_yaml();
    need_checkpoints();
    const named_scene *scene = *state;
    dlp_error error = {0};
    forger f = {.scene = scene->name};
    make_truth(&f, scene->text);
    open_subject(&f.victim, scene->text);
    expect_ok(run_frame(&f.victim, &error), &error);
    f.before = copy_state(f.victim.s.world);
    save_state(&f.before, "victim.h5");
    forge_everything(&f);
    print_message("%s: %d forged, %d refused, %d diverged, %d failures\n", scene->name, f.tried, f.refused,
                  f.diverged, f.failures);
    if (f.failures > 0) fail_msg("%s: %d forgeries", scene->name, f.failures);
    assert_true(f.diverged <= f.tried / 100);
    release_state(&f.truth);
    release_state(&f.before);
    close_subject(&f.victim);
}

// A run in a folder: frames beyond the checkpoint, which is then forged.

static const char recorded_scene[] = "dimension: 2\n"
                                     "frames: {rate: 400, count: 10}\n"
                                     "substances:\n"
                                     "  water:\n"
                                     "    material: water\n"
                                     "    particle: {spacing: 0.02}\n"
                                     "    shape: {box: {min: [0, 0], max: [0.1, 0.08]}}\n"
                                     "obstacles:\n"
                                     "  - {box: {min: [0, 0], max: [0.2, 0.4], inside: true}}\n"
                                     "probes: {floor: {body: obstacle0}}\n"
                                     "record: {checkpoint: 2, preview: false}\n";

static dlp_status open_recorder(setup *s, dlp_run_mode mode, dlp_recorder **out_recorder, dlp_error *error)
{
    *s = make_setup(recorded_scene);
    const dlp_recorder_def def = {
        .size = sizeof def, .folder = in_folder("run"), .scene = s->scene, .mode = mode};
    DLP_TRY(dlp_recorder_open(&def, out_recorder, error));
    return dlp_recorder_restore(*out_recorder, s->world, error);
}

// Three frames, with a checkpoint at the second that the forged one takes the place of.
static void record_and_forge(void)
{
    dlp_error error = {0};
    dlp_recorder *recorder;
    setup s;
    expect_ok(open_recorder(&s, DLP_RUN_FRESH, &recorder, &error), &error);
    expect_ok(dlp_recorder_frame(recorder, s.world, &error), &error);
    for (int k = 1; k <= 3; k++) {
        step_frames(s.world, 1);
        expect_ok(dlp_recorder_frame(recorder, s.world, &error), &error);
        if (k != 2) continue;
        saved_state state = copy_state(s.world);
        ((float *)state.manifest.items[1].data)[3] = NAN;  // a velocity
        assert_string_equal(state.manifest.items[1].name, "particles/velocity");
        save_state(&state, "forged.h5");
        release_state(&state);
    }
    dlp_recorder_close(recorder);
    release_setup(&s);
    assert_int_equal(rename(in_folder("forged.h5"), in_folder("run/checkpoint.h5")), 0);
}

static int64_t file_size(const char *name)
{
    struct stat about;
    return stat(in_folder(name), &about) == 0 ? (int64_t)about.st_size : -1;
}

static void a_refused_checkpoint_leaves_the_folder_as_it_was(void **state)
{
    (void)state;
    need_yaml();
    need_checkpoints();
    static const char *const files[] = {"run/particles/0003.vtp", "run/particles.pvd", "run/stats.csv",
                                        "run/probes.csv", "run/scene.yaml"};
    record_and_forge();
    int64_t before[5];
    for (int k = 0; k < 5; k++) before[k] = file_size(files[k]);
    dlp_error error = {0};
    dlp_recorder *recorder = NULL;
    setup s;
    assert_int_equal(open_recorder(&s, DLP_RUN_RESUME, &recorder, &error), DLP_IO);
    assert_non_null(strstr(error.message, "particles/velocity of 1 is"));
    for (int k = 0; k < 5; k++) {
        assert_true(before[k] > 0);
        assert_int_equal(file_size(files[k]), before[k]);
    }
    dlp_recorder_close(recorder);
    release_setup(&s);
}

#define FORGED(k)                                                                                            \
    {                                                                                                        \
        "a_forged_checkpoint_is_refused_or_harmless: " #k, a_forged_checkpoint_is_refused_or_harmless, NULL, \
            NULL, (void *)(uintptr_t)&forged_scenes[k]                                                       \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {FORGED(0),
                                       FORGED(1),
                                       FORGED(2),
                                       FORGED(3),
                                       FORGED(4),
                                       FORGED(5),
                                       cmocka_unit_test(a_refused_checkpoint_leaves_the_folder_as_it_was)};
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
