/* Writes what tools/viewers_test.sh opens with other programs: a torus in every format, a film of tori that
 * grow, a level set of a ball, a frame of points. Prints a line each: name, vertices, bounds. */
#include "base/memory.h"
#include "record/file_io.h"
#include "record/frame.h"
#include "record/mesh_files.h"
#include "record/run_folder.h"
#include "record/vdb.h"
#include "record/vtp.h"
#include "meshes.h"

#include <stdio.h>

static dlp_error error;

static char *path_of(const char *folder, const char *name)
{
    char *path = dlp_folder_path(folder, name);
    if (path == NULL) error.status = DLP_OUT_OF_MEMORY;
    return path;
}

static void print_box(const char *name, int32_t count, dlp_box box)
{
    printf("%s %d %.9g %.9g %.9g %.9g %.9g %.9g\n", name, count, box.min.x, box.min.y, box.min.z, box.max.x,
           box.max.y, box.max.z);
}

// The range of each component, as the bounds of places are printed.
static void print_velocities(const dlp_surface_mesh *mesh)
{
    dlp_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int32_t v = 0; v < mesh->mesh.vertex_count; v++) {
        const float *u = mesh->velocities + 3 * (size_t)v;
        const dlp_vec3 velocity = dlp_vec((double)u[0], (double)u[1], (double)u[2]);
        box.min = dlp_min3(box.min, velocity);
        box.max = dlp_max3(box.max, velocity);
    }
    print_box("velocity", mesh->mesh.vertex_count, box);
}

static dlp_status write_tori(const char *folder)
{
    dlp_surface_mesh mesh = torus_skin(60, 32);
    dlp_mesh_report report;
    dlp_status status = dlp_mesh_check(&mesh.mesh, &report, &error);
    for (int32_t k = DLP_MESH_FILE_PLY; status == DLP_OK && k <= DLP_MESH_FILE_GLB; k++) {
        const dlp_mesh_file_format format = (dlp_mesh_file_format)k;
        char name[32];
        snprintf(name, sizeof name, "torus.%s", dlp_mesh_file_ending(format));
        char *path = path_of(folder, name);
        status = dlp_surface_mesh_write(path, format, &mesh, 0.04, &error);
        if (status == DLP_OK) print_box(name, report.vertex_count, report.bounds);
        dlp_free(path);
    }
    char *path = path_of(folder, "torus.vtp");
    if (status == DLP_OK) status = dlp_surface_mesh_write_vtp(path, &mesh, 0.04, &error);
    if (status == DLP_OK) print_box("torus.vtp", report.vertex_count, report.bounds);
    dlp_free(path);
    if (status == DLP_OK) print_velocities(&mesh);
    dlp_surface_mesh_release(&mesh);
    return status;
}

static dlp_status write_film(const char *folder)
{
    enum { FRAMES = 5, FIRST = 10 };
    dlp_frame_list list = {0};
    char *inside = path_of(folder, "surface"), *film = path_of(folder, "film.glb");
    dlp_status status = dlp_folder_create(inside, &error);
    if (status == DLP_OK) status = dlp_frame_list_init(&list, folder, "surface", &error);
    for (int32_t k = 0; status == DLP_OK && k < FRAMES; k++) {
        dlp_surface_mesh mesh =
            k == 1 ? (dlp_surface_mesh){0} : torus_skin(12 + 4 * k, 8);  // one frame is empty
        const dlp_pvd_frame at = {FIRST + k, 0.04 * (FIRST + k)};
        char *path = dlp_mesh_file_path(folder, "surface", (dlp_mesh_file){at.number, DLP_MESH_FILE_PLY});
        char *vtp_path = dlp_run_folder_frame_path(folder, "surface", at.number);
        status = dlp_surface_mesh_write(path, DLP_MESH_FILE_PLY, &mesh, at.time, &error);
        if (status == DLP_OK) status = dlp_surface_mesh_write_vtp(vtp_path, &mesh, at.time, &error);
        if (status == DLP_OK) status = dlp_frame_list_add(&list, at, &error);
        dlp_free(path);
        dlp_free(vtp_path);
        dlp_surface_mesh_release(&mesh);
    }
    if (status == DLP_OK) status = dlp_mesh_animation_write(folder, "surface", 25, film, &error);
    if (status == DLP_OK) printf("film.glb %d 0 0 0 0 0 0\n", FRAMES);
    dlp_frame_list_release(&list);
    dlp_free(inside);
    dlp_free(film);
    return status;
}

static dlp_status write_ball(const char *folder)
{
    enum { SIDE = 8 };  // blocks; all of them, which is more than a narrow band
    static int32_t blocks[SIDE * SIDE * SIDE][3];
    static float values[SIDE * SIDE * SIDE][64], velocities[SIDE * SIDE * SIDE][64][3];
    const double voxel = 0.05, radius = 0.6;
    for (int32_t b = 0; b < SIDE * SIDE * SIDE; b++) {
        const int32_t place[3] = {b % SIDE - SIDE / 2, b / SIDE % SIDE - SIDE / 2,
                                  b / SIDE / SIDE - SIDE / 2};
        for (int32_t k = 0; k < 3; k++) blocks[b][k] = place[k];
        for (int32_t n = 0; n < 64; n++) {
            const dlp_vec3 x = dlp_vec(4 * place[0] + n % 4, 4 * place[1] + n / 4 % 4, 4 * place[2] + n / 16);
            velocities[b][n][1] = 3;
            values[b][n] = (float)(radius - voxel * dlp_length(x));
        }
    }
    const dlp_vdb_def def = {.voxel = voxel,
                             .background = 3 * voxel,
                             .block_count = SIDE * SIDE * SIDE,
                             .blocks = (const int32_t(*)[3])blocks,
                             .values = values[0],
                             .velocities = velocities[0][0]};
    char *path = path_of(folder, "ball.vdb");
    const dlp_status status = dlp_vdb_write(path, &def, &error);
    if (status == DLP_OK)
        print_box("ball.vdb", 0, (dlp_box){{-radius, -radius, -radius}, {radius, radius, radius}});
    dlp_free(path);
    return status;
}

static dlp_status write_points(const char *folder)
{
    static const double points[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {0.5, 0.5, 0.5}};
    enum { COUNT = sizeof points / sizeof points[0] };
    const dlp_vtp vtp = {.time = 0.04,
                         .positions = {.data = points, .type = DLP_FLOAT64, .components = 3, .count = COUNT}};
    char *path = path_of(folder, "points.vtp");
    const dlp_status status = dlp_vtp_write(path, &vtp, &error);
    if (status == DLP_OK) print_box("points.vtp", COUNT, (dlp_box){{0, 0, 0}, {1, 2, 3}});
    dlp_free(path);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: write_meshes FOLDER\n"), 2;
    dlp_status status = write_tori(argv[1]);
    if (status == DLP_OK) status = write_film(argv[1]);
    if (status == DLP_OK) status = write_points(argv[1]);
    if (status == DLP_OK && dlp_vdb_is_available()) status = write_ball(argv[1]);
    if (status != DLP_OK) fprintf(stderr, "write_meshes: %s\n", error.message);
    return status != DLP_OK;
}
