/* Containers, obstacles with `inside: true`: which are open above, and how far their walls go up. */
#ifndef DLP_SCENE_CONTAINERS_H
#define DLP_SCENE_CONTAINERS_H

#include "scene/scene.h"

/* Boxes and upright cylinders that stand still, and have no `lid`, are open above: their walls become so high
 * that nothing gets over them or hits an edge. */
void dlp_scene_def_open_containers(dlp_scene_def *scene);
/* Whether it is closed all around, with a lid or because of its shape or its motion. */
bool dlp_container_is_closed(const dlp_scene_def *scene, int32_t obstacle);

#endif
