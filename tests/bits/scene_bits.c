/* scene_bits SCENE FRAMES THREADS INSTRUCTION_SET [CHECKPOINT]: runs a bundled scene and prints a hash of
 * every field of every particle at its end. INSTRUCTION_SET is `best` or the name of one. With CHECKPOINT the
 * run is saved there half way, and a new world goes on from it. tools/bits.sh compares the hashes with
 * tests/bits/golden.txt. */
#include "dollop/dollop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dlp_error error;

static void need(dlp_status status)
{
    if (status == DLP_OK) return;
    fprintf(stderr, "scene_bits: %s\n", error.message);
    exit(1);
}

// FNV-1a, 64 bits.
static uint64_t add_bytes(uint64_t hash, const unsigned char *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) hash = (hash ^ bytes[k]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_of(const dlp_world *world)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int field = 0; field < DLP_FIELD_COUNT; field++) {
        dlp_view view = {.size = sizeof view};
        need(dlp_world_field(world, (dlp_field)field, &view, &error));
        const size_t size = view.type == DLP_FLOAT64 || view.type == DLP_INT64 ? 8 : 4;
        hash = add_bytes(hash, view.data, size * (size_t)view.components * (size_t)view.count);
    }
    return hash;
}

static void step(dlp_world *world, int frames)
{
    for (int k = 0; k < frames; k++) need(dlp_world_step_frame(world, &error));
}

int main(int count, char **words)
{
    if (count < 5 || count > 6) {
        fprintf(stderr, "usage: scene_bits SCENE FRAMES THREADS INSTRUCTION_SET [CHECKPOINT]\n");
        return 2;
    }
    const int frames = atoi(words[2]), before = count > 5 ? frames / 2 : frames;
    const dlp_world_options options = {.size = sizeof options,
                                       .thread_count = atoi(words[3]),
                                       .instruction_set = strcmp(words[4], "best") == 0 ? NULL : words[4]};
    dlp_scene *scene;
    dlp_world *world;
    need(dlp_scene_read_bundled(words[1], &scene, &error));
    need(dlp_world_create(scene, &options, &world, &error));
    step(world, before);
    if (count > 5) {
        need(dlp_world_save(world, words[5], &error));
        dlp_world_destroy(world);
        need(dlp_world_create(scene, &options, &world, &error));
        need(dlp_world_load(world, words[5], &error));
        step(world, frames - before);
    }
    printf("%016llx\n", (unsigned long long)hash_of(world));
    dlp_world_destroy(world);
    dlp_scene_destroy(scene);
    return 0;
}
