/* The scenes that ship with the library: a generated file (cmake/EmbedScenes.cmake) holds their text. */
#ifndef DLP_SCENE_BUNDLED_H
#define DLP_SCENE_BUNDLED_H

#include "scene/scene.h"

extern const dlp_bundled_scene dlp_bundled_table[]; /* sorted by name */
extern const int32_t dlp_bundled_table_count;

#endif
