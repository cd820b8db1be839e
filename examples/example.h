/* What the examples share: a call that fails ends the program with its message. A program of your own would
 * rather go on; every world stays readable. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <dollop/dollop.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dlp_error error;

#define EXPECT(call)                                                                                         \
    do {                                                                                                     \
        if ((call) != DLP_OK) {                                                                              \
            fprintf(stderr, "%s\n", error.message);                                                          \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* A world of a scene that is written in the program, as JSON, which every build reads. */
static inline dlp_world *world_of(const char *text, const dlp_world_options *options)
{
    dlp_scene *scene = NULL;
    dlp_world *world = NULL;
    EXPECT(dlp_scene_read_text(text, strlen(text), "example", NULL, &scene, &error));
    EXPECT(dlp_world_create(scene, options, &world, &error));
    dlp_scene_destroy(scene); /* the world has a copy */
    return world;
}

#endif
