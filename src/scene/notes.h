/* What is worth knowing of a scene that has no mistakes. */
#ifndef DLP_SCENE_NOTES_H
#define DLP_SCENE_NOTES_H

#include "scene/scene.h"

enum { DLP_NOTE_SIZE = 512 };

/* Writes which substances do not act on each other, since they are of different models; false where all do.
 */
bool dlp_scene_def_note_apart(const dlp_scene_def *scene, char out_text[DLP_NOTE_SIZE]);

/* Writes that a container is closed all around although the scene does not say so; false where it is not. */
bool dlp_scene_def_note_closed(const dlp_scene_def *scene, int32_t obstacle, char out_text[DLP_NOTE_SIZE]);

#endif
