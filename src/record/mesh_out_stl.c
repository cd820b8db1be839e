// STL, binary: 80 bytes of text, a count, then 50 bytes per triangle with the normal of its plane and its
// three corners.
#include "record/mesh_out.h"

static void put_header(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time)
{
    // The text must not start with "solid": readers would take the file for the text form.
    char words[80] = {0};
    snprintf(words, sizeof words, DLP_MESH_GENERATOR ", time %s s", dlp_mesh_number_of(time).text);
    const uint32_t count = (uint32_t)mesh->mesh.triangle_count;
    dlp_mesh_put(out, words, sizeof words);
    dlp_mesh_put(out, &count, sizeof count);
}

// As floats, at any alignment.
static void put_vector(char *at, dlp_vec3 x)
{
    const float single[3] = {(float)x.x, (float)x.y, (float)x.z};
    memcpy(at, single, sizeof single);
}

// A triangle without area gets the normal 0, which readers take as: compute it.
void dlp_mesh_put_stl(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time)
{
    put_header(out, mesh, time);
    const dlp_vec3 *x = mesh->mesh.vertices;
    for (int32_t t = 0; t < mesh->mesh.triangle_count; t++) {
        const int32_t *v = mesh->mesh.triangles[t];
        const dlp_vec3 normal = dlp_cross(dlp_sub(x[v[1]], x[v[0]]), dlp_sub(x[v[2]], x[v[0]]));
        char record[50] = {0};  // the last two bytes are attributes: none
        put_vector(record, dlp_normalize(normal, dlp_vec(0, 0, 0)));
        for (int32_t k = 0; k < 3; k++) put_vector(record + 12 + 12 * k, x[v[k]]);
        dlp_mesh_put(out, record, sizeof record);
    }
}
