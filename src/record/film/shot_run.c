#include "record/film/shot_run.h"
#include "record/film/framing.h"
#include "record/mesh_files.h"
#include "base/memory.h"

#include <inttypes.h>

// What the folder holds of a frame.
typedef struct material {
    const dlp_run *run;
    dlp_particle_frame frame;
    dlp_preview_obstacle *obstacles;
    dlp_skin_mesh *meshes;
    dlp_shot_skin *skins;
    int32_t skin_count;
} material;

static dlp_status make_room(material *m, dlp_error *error)
{
    const size_t skin_count = (size_t)m->run->def->substance_count + 1;
    m->obstacles = dlp_alloc((size_t)m->run->obstacle_count, sizeof *m->obstacles, "pictures");
    m->meshes = dlp_alloc(skin_count, sizeof *m->meshes, "pictures");
    m->skins = dlp_alloc(skin_count, sizeof *m->skins, "pictures");
    if (m->obstacles != NULL && m->meshes != NULL && m->skins != NULL) return DLP_OK;
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %zu surfaces", skin_count);
}

static dlp_status read_skin(material *m, int32_t substance, dlp_error *error)
{
    char *path = dlp_run_surface_path(m->run, substance, m->frame.number);
    if (path == NULL) return DLP_OK;
    dlp_skin_mesh *mesh = &m->meshes[m->skin_count];
    const dlp_status status = dlp_skin_mesh_read(path, mesh, error);
    dlp_free(path);
    if (status == DLP_OK) m->skins[m->skin_count++] = (dlp_shot_skin){substance, mesh};
    return status;
}

static dlp_status read_skins(material *m, dlp_movie_kind kind, dlp_error *error)
{
    if (kind == DLP_MOVIE_PARTICLES) return DLP_OK;
    for (int32_t k = 0; k < m->run->def->substance_count; k++) DLP_TRY(read_skin(m, k, error));
    if (m->skin_count == 0) DLP_TRY(read_skin(m, -1, error));
    if (m->skin_count > 0 || kind == DLP_MOVIE_AUTO || m->frame.count == 0) return DLP_OK;
    return dlp_fail(
        error, DLP_IO,
        "%s: frame %" PRId32
        " has no surface (.ply, .obj or .stl); make surfaces with dollop mesh, or take --as particles",
        m->run->folder, m->frame.number);
}

static dlp_status read_material(material *m, int32_t index, dlp_movie_kind kind, dlp_error *error)
{
    DLP_TRY(make_room(m, error));
    DLP_TRY(dlp_run_read_frame(m->run, index, &m->frame, error));
    dlp_framing_obstacles(m->run, m->frame.time, m->obstacles);
    return m->run->def->dimension == 3 ? read_skins(m, kind, error) : DLP_OK;
}

static void release_material(material *m)
{
    for (int32_t k = 0; k < m->skin_count; k++) dlp_skin_mesh_release(&m->meshes[k]);
    dlp_free(m->meshes);
    dlp_free(m->skins);
    dlp_free(m->obstacles);
    dlp_particle_frame_release(&m->frame);
}

dlp_status dlp_shot_draw_run(const dlp_run *run, int32_t index, dlp_movie_kind kind, const dlp_shot_def *def,
                             dlp_image *out_image, dlp_error *error)
{
    *out_image = (dlp_image){0};
    material m = {.run = run};
    dlp_status status = read_material(&m, index, kind, error);
    dlp_shot_def shot = *def;
    shot.scene = run->def;
    shot.frame = &m.frame;
    shot.skins = m.skins;
    shot.skin_count = m.skin_count;
    shot.obstacles = m.obstacles;
    shot.obstacle_count = run->obstacle_count;
    if (status == DLP_OK) status = dlp_shot_draw(&shot, out_image, error);
    release_material(&m);
    return status;
}
