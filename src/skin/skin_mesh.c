#include "skin/skin_mesh.h"
#include "base/memory.h"

void dlp_skin_mesh_release(dlp_skin_mesh *mesh)
{
    dlp_mesh_release(&mesh->mesh);
    dlp_free(mesh->normals);
    dlp_free(mesh->velocities);
    dlp_free(mesh->temperatures);
    dlp_free(mesh->colors);
    *mesh = (dlp_skin_mesh){0};
}
