// Reads a frame of a recorded run, with its surfaces and the obstacles at its time, and draws it.
#include "record/film/frame_render_run.h"
#include "record/film/framing.h"
#include "record/mesh_files.h"
#include "base/memory.h"

#include <inttypes.h>

// What the folder holds of a frame; arrays are owned.
typedef struct frame_files {
    const dlp_run *run;
    dlp_particle_frame frame;
    dlp_preview_obstacle *obstacles;
    dlp_surface_mesh *loaded;  // `mesh_count` of them; room for one per substance and one of all
    dlp_frame_mesh *meshes;    // what they stand for
    int32_t mesh_count;
} frame_files;

static dlp_status make_room(frame_files *m, dlp_error *error)
{
    const size_t mesh_count = (size_t)m->run->def->substance_count + 1;
    m->obstacles = dlp_alloc((size_t)m->run->setting.bodies.count, sizeof *m->obstacles, "pictures");
    m->loaded = dlp_alloc(mesh_count, sizeof *m->loaded, "pictures");
    m->meshes = dlp_alloc(mesh_count, sizeof *m->meshes, "pictures");
    if (m->obstacles != NULL && m->loaded != NULL && m->meshes != NULL) return DLP_OK;
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %zu surfaces", mesh_count);
}

// A surface that is not there is no failure; one that cannot be read is.
static dlp_status read_mesh(frame_files *m, int32_t substance, dlp_error *error)
{
    char *path = dlp_run_surface_path(m->run, substance, m->frame.number);
    if (path == NULL) return DLP_OK;
    dlp_surface_mesh *mesh = &m->loaded[m->mesh_count];
    const dlp_status status = dlp_surface_mesh_read(path, mesh, error);
    dlp_free(path);
    if (status == DLP_OK) m->meshes[m->mesh_count++] = (dlp_frame_mesh){substance, mesh};
    return status;
}

// One per substance, or else the one that holds them all.
static dlp_status read_meshes(frame_files *m, dlp_movie_kind kind, dlp_error *error)
{
    if (kind == DLP_MOVIE_PARTICLES) return DLP_OK;
    for (int32_t k = 0; k < m->run->def->substance_count; k++) DLP_TRY(read_mesh(m, k, error));
    if (m->mesh_count == 0) DLP_TRY(read_mesh(m, -1, error));
    if (m->mesh_count > 0 || kind == DLP_MOVIE_AUTO || m->frame.count == 0) return DLP_OK;
    return dlp_fail(
        error, DLP_IO,
        "%s: frame %" PRId32
        " has no surface (.ply, .obj or .stl); make surfaces with dollop mesh, or take --as particles",
        m->run->folder, m->frame.number);
}

// Surfaces are of 3-D runs alone.
static dlp_status read_frame(frame_files *m, int32_t index, dlp_movie_kind kind, dlp_error *error)
{
    DLP_TRY(make_room(m, error));
    DLP_TRY(dlp_run_read_frame(m->run, index, &m->frame, error));
    dlp_framing_obstacles(m->run, m->frame.time, m->obstacles);
    return m->run->def->dimension == 3 ? read_meshes(m, kind, error) : DLP_OK;
}

// Also after a failure in the middle: everything is zeroed at birth.
static void release_frame(frame_files *m)
{
    for (int32_t k = 0; k < m->mesh_count; k++) dlp_surface_mesh_release(&m->loaded[k]);
    dlp_free(m->loaded);
    dlp_free(m->meshes);
    dlp_free(m->obstacles);
    dlp_particle_frame_release(&m->frame);
}

dlp_status dlp_frame_render_draw_run(const dlp_run *run, int32_t index, dlp_movie_kind kind,
                                     const dlp_frame_render_def *def, dlp_image *out_image, dlp_error *error)
{
    *out_image = (dlp_image){0};
    frame_files m = {.run = run};
    dlp_status status = read_frame(&m, index, kind, error);
    dlp_frame_render_def render = *def;
    render.scene = run->def;
    render.frame = &m.frame;
    render.meshes = m.meshes;
    render.mesh_count = m.mesh_count;
    render.obstacles = m.obstacles;
    render.obstacle_count = run->setting.bodies.count;
    if (status == DLP_OK) status = dlp_frame_render_draw(&render, out_image, error);
    release_frame(&m);
    return status;
}
