/* dollop info: meshes, alone or all those of a run. */
#include "info.h"

#include "base/memory.h"
#include "record/file_io.h"
#include "record/mesh_glb.h"
#include "space/points.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the surface of a solid must not have; some of it a cloth may. */
static const struct {
    const char *id, *what;
    size_t offset;
    bool is_fine_in_cloth;
} counts[] = {
    {"open_edges", "with one triangle", offsetof(dlp_surface_mesh_report, mesh.open_edges), true},
    {"holes", "loops of open edges", offsetof(dlp_surface_mesh_report, mesh.holes), true},
    {"nonmanifold_edges", "with more than two triangles",
     offsetof(dlp_surface_mesh_report, mesh.nonmanifold_edges), false},
    {"misoriented_edges", "whose triangles turn opposite ways",
     offsetof(dlp_surface_mesh_report, mesh.misoriented_edges), false},
    {"nonmanifold_vertices", "where surfaces touch at a point",
     offsetof(dlp_surface_mesh_report, mesh.nonmanifold_vertices), true},
    {"misfacing_components", "turned inside out",
     offsetof(dlp_surface_mesh_report, mesh.misfacing_components), true},
    {"degenerate_triangles", "without area", offsetof(dlp_surface_mesh_report, mesh.degenerate_triangles),
     false},
    {"duplicate_triangles", "there twice", offsetof(dlp_surface_mesh_report, mesh.duplicate_triangles),
     false},
    {"nonfinite_vertices", "with a coordinate that is not finite",
     offsetof(dlp_surface_mesh_report, mesh.nonfinite_vertices), false},
    {"nonunit_normals", "not of length 1", offsetof(dlp_surface_mesh_report, nonunit_normals), false},
    {"turned_normals", "pointing inward", offsetof(dlp_surface_mesh_report, flipped_normals), false},
};
enum { COUNT_COUNT = sizeof counts / sizeof counts[0] };

static int32_t count_in(const dlp_surface_mesh_report *report, size_t k)
{
    return *(const int32_t *)((const char *)report + counts[k].offset);
}

static void add_vector(dlp_findings *findings, const char *id, const char *what, dlp_vec3 x)
{
    char text[96];
    snprintf(text, sizeof text, "[%.6g, %.6g, %.6g]", x.x, x.y, x.z);
    dlp_finding finding = dlp_finding_text(id, what, text);
    finding.unit = "m";
    dlp_findings_add(findings, &finding);
}

/* Whether nothing speaks against the mesh: as cloth, or as the surface of a solid. */
static bool is_sound(const dlp_surface_mesh_report *report, bool is_cloth)
{
    if (!is_cloth) return report->is_sound;
    for (size_t k = 0; k < COUNT_COUNT; k++)
        if (count_in(report, k) > 0 && !counts[k].is_fine_in_cloth) return false;
    return true;
}

static void add_cloth_verdict(dlp_findings *findings, const char *id, bool is_sound)
{
    dlp_finding finding = dlp_finding_text(id, "of cloth, manifold", is_sound ? "yes" : "no");
    finding.holds = is_sound ? DLP_HOLDS_YES : DLP_HOLDS_NO;
    dlp_findings_add(findings, &finding);
}

static void add_verdict(dlp_findings *findings, const char *id, bool is_sound)
{
    dlp_finding finding = dlp_finding_text(id, "closed, manifold, outward", is_sound ? "yes" : "no");
    finding.holds = is_sound ? DLP_HOLDS_YES : DLP_HOLDS_NO;
    dlp_findings_add(findings, &finding);
}

static void add_count(dlp_findings *findings, const char *id, size_t k, double count, bool is_cloth)
{
    const dlp_finding finding = dlp_finding_compared(id, counts[k].what, count, "", 0, 0);
    if (is_cloth && counts[k].is_fine_in_cloth)
        dlp_findings_add_number(findings, id, counts[k].what, count, "");
    else
        dlp_findings_add(findings, &finding);
}

static void add_mesh(dlp_findings *findings, const dlp_surface_mesh_report *report, bool is_cloth)
{
    const dlp_mesh_report *mesh = &report->mesh;
    if (is_cloth)
        add_cloth_verdict(findings, "open_sheet", is_sound(report, is_cloth));
    else
        add_verdict(findings, "watertight", mesh->is_sound);
    dlp_findings_add_number(findings, "vertices", "in the mesh", mesh->vertex_count, "");
    dlp_findings_add_number(findings, "triangles", "in the mesh", mesh->triangle_count, "");
    dlp_findings_add_number(findings, "components", "connected by edges", mesh->components, "");
    for (size_t k = 0; k < COUNT_COUNT; k++)
        add_count(findings, counts[k].id, k, count_in(report, k), is_cloth);
    dlp_findings_add_number(findings, "isolated_vertices", "without a triangle", mesh->isolated_vertices, "");
    dlp_findings_add_number(findings, "smallest_angle", "of all triangles", mesh->smallest_angle, "degrees");
    dlp_findings_add_number(findings, "thin_triangles", "with an angle below 5 degrees",
                            100 * mesh->thin_share, "%");
    dlp_findings_add_number(findings, "area", "of the surface", mesh->area, "m2");
    if (!is_cloth) dlp_findings_add_number(findings, "volume", "within, signed", mesh->volume, "m3");
    add_vector(findings, "bounds.min", "least corner", mesh->bounds.min);
    add_vector(findings, "bounds.max", "greatest corner", mesh->bounds.max);
}

static dlp_status inform_points(const char *path, dlp_findings *findings, dlp_error *error)
{
    dlp_points points = {0};
    DLP_TRY(dlp_points_read(path, INT32_MAX, &points, error));
    dlp_findings_add_text(findings, "kind", "of file", "points");
    dlp_findings_add_number(findings, "points", "in the file", points.count, "");
    dlp_findings_add_text(findings, "velocities", "of the points", points.velocities != NULL ? "yes" : "no");
    dlp_points_release(&points);
    return DLP_OK;
}

// Many meshes: those of a film, of a folder.

/* The worst of many meshes, number by number. */
typedef struct summary {
    int32_t mesh_count, empty_count, failed_count;
    bool is_cloth;
    bool is_watertight;
    char first_failed[512];
    dlp_surface_mesh_report worst;
    int32_t most_triangles;
} summary;

static void note_failure(summary *s, const char *name, const char *reason)
{
    s->failed_count++;
    if (s->failed_count == 1)
        snprintf(s->first_failed, sizeof s->first_failed, "%.200s: %.300s", name, reason);
}

static void note_report(summary *s, const char *name, const dlp_surface_mesh_report *report)
{
    s->mesh_count++;
    s->empty_count += report->mesh.triangle_count == 0;
    if (report->mesh.triangle_count == 0) return;
    char reason[256] = "";
    for (size_t k = 0; k < COUNT_COUNT; k++) {
        const int32_t count = count_in(report, k);
        int32_t *worst = (int32_t *)((char *)&s->worst + counts[k].offset);
        if (count > *worst) *worst = count;
        const size_t used = strlen(reason);
        if (count > 0 && !(s->is_cloth && counts[k].is_fine_in_cloth))
            snprintf(reason + used, sizeof reason - used, "%s%d %s", used > 0 ? ", " : "", count,
                     counts[k].id);
    }
    if (report->mesh.triangle_count > s->most_triangles) s->most_triangles = report->mesh.triangle_count;
    const bool is_first = s->mesh_count - s->empty_count == 1;
    if (is_first || report->mesh.smallest_angle < s->worst.mesh.smallest_angle)
        s->worst.mesh.smallest_angle = report->mesh.smallest_angle;
    s->worst.mesh.thin_share = fmax(s->worst.mesh.thin_share, report->mesh.thin_share);
    if (!report->mesh.is_sound) s->is_watertight = false;
    if (!is_sound(report, s->is_cloth)) note_failure(s, name, reason);
}

// Ids are those of one mesh with "PREFIX." before; `prefix` "" for none.
static void add_summary(dlp_findings *findings, const char *prefix, const summary *s)
{
    char id[300];
    const char *dot = prefix[0] != '\0' ? "." : "";
#define ID(name) (snprintf(id, sizeof id, "%.200s%s%s", prefix, dot, name), id)
    if (s->is_cloth)
        add_cloth_verdict(findings, ID("open_sheet"), s->failed_count == 0);
    else
        add_verdict(findings, ID("watertight"), s->is_watertight);
    dlp_findings_add_number(findings, ID("meshes"), "checked", s->mesh_count, "");
    dlp_findings_add_number(findings, ID("empty"), "without a triangle, which is fine", s->empty_count, "");
    dlp_finding failed = dlp_finding_compared(ID("failed"), "are not sound", s->failed_count, "", 0, 0);
    dlp_findings_add(findings, &failed);
    if (s->failed_count > 0)
        dlp_findings_add_text(findings, ID("first_failed"), "the first of them", s->first_failed);
    for (size_t k = 0; k < COUNT_COUNT; k++)
        add_count(findings, ID(counts[k].id), k, count_in(&s->worst, k), s->is_cloth);
    dlp_findings_add_number(findings, ID("triangles"), "in the largest", s->most_triangles, "");
    dlp_findings_add_number(findings, ID("smallest_angle"), "of all triangles", s->worst.mesh.smallest_angle,
                            "degrees");
    dlp_findings_add_number(findings, ID("thin_triangles"), "below 5 degrees, at most",
                            100 * s->worst.mesh.thin_share, "%");
#undef ID
}

// "a/b/c" is "a/b" and "c"; "c" is "." and "c".
static void split_path(const char *path, char out_folder[4096], char out_name[256])
{
    const char *slash = strrchr(path, '/');
    const int length = slash != NULL ? (int)(slash - path) : 0;
    snprintf(out_folder, 4096, "%.*s", length > 0 ? length : 1,
             length > 0      ? path
             : slash != NULL ? "/"
                             : ".");
    snprintf(out_name, 256, "%.255s", slash != NULL ? slash + 1 : path);
}

static dlp_status check_film(const dlp_glb_file *file, summary *s, dlp_error *error)
{
    for (int32_t k = 0; k < file->mesh_count; k++) {
        dlp_surface_mesh mesh;
        dlp_surface_mesh_report report;
        DLP_TRY(dlp_glb_read_mesh(file, k, &mesh, error));
        const dlp_status status = dlp_surface_mesh_check(&mesh, &report, error);
        dlp_surface_mesh_release(&mesh);
        DLP_TRY(status);
        char name[32];
        snprintf(name, sizeof name, "mesh %d", k);
        note_report(s, name, &report);
    }
    return DLP_OK;
}

// RUN/surface-flag.glb
static bool is_film_of_cloth(const char *path)
{
    char folder[4096], inside[256];
    split_path(path, folder, inside);
    inside[strcspn(inside, ".")] = '\0';
    return dlp_info_is_cloth(folder, inside);
}

// RUN/surface-flag/0012.ply
static bool is_frame_of_cloth(const char *path)
{
    char folder[4096], run[4096], inside[256], file[256];
    split_path(path, folder, file);
    split_path(folder, run, inside);
    return dlp_info_is_cloth(run, inside);
}

/* *out_is_film is false, and nothing is printed, where the file holds one mesh. */
static dlp_status inform_film(const char *path, dlp_findings *findings, bool *out_is_film, dlp_error *error)
{
    dlp_glb_file file;
    DLP_TRY(dlp_glb_open(path, &file, error));
    *out_is_film = file.mesh_count != 1;
    summary s = {.is_watertight = true, .is_cloth = is_film_of_cloth(path)};
    dlp_status status = DLP_OK;
    if (*out_is_film) {
        dlp_findings_add_text(findings, "kind", "of file",
                              file.animation_count > 0 ? "film of triangle meshes" : "triangle meshes");
        status = check_film(&file, &s, error);
        if (status == DLP_OK) add_summary(findings, "", &s);
    }
    dlp_glb_close(&file);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "%s", path);
}

dlp_status dlp_info_mesh(const char *path, dlp_findings *findings, dlp_error *error)
{
    bool is_film = false;
    if (dlp_path_ends(path, ".glb")) DLP_TRY(inform_film(path, findings, &is_film, error));
    if (is_film) return DLP_OK;
    dlp_surface_mesh mesh = {0};
    dlp_surface_mesh_report report;
    DLP_TRY(dlp_surface_mesh_read(path, &mesh, error));
    const bool is_points = mesh.mesh.triangle_count == 0 && mesh.mesh.vertex_count > 0;
    const dlp_status status = dlp_surface_mesh_check(&mesh, &report, error);
    dlp_surface_mesh_release(&mesh);
    DLP_TRY(status);
    if (is_points) return inform_points(path, findings, error);
    dlp_findings_add_text(findings, "kind", "of file", "triangle mesh");
    add_mesh(findings, &report, is_frame_of_cloth(path));
    return DLP_OK;
}

// A file that cannot be read fails like a mesh with holes; the others are still checked.
static void check_file(const char *path, summary *s)
{
    static dlp_error error;
    dlp_surface_mesh mesh;
    dlp_surface_mesh_report report;
    if (dlp_surface_mesh_read(path, &mesh, &error) != DLP_OK) {
        s->mesh_count++;
        s->is_watertight = false;
        note_failure(s, "cannot be read", error.message);
        return;
    }
    if (dlp_surface_mesh_check(&mesh, &report, &error) == DLP_OK)
        note_report(s, path, &report);
    else
        note_failure(s, path, error.message);
    dlp_surface_mesh_release(&mesh);
}

static dlp_status inform_surface(const char *folder, const char *inside, dlp_findings *findings,
                                 dlp_error *error)
{
    dlp_mesh_file *files;
    int32_t count;
    DLP_TRY(dlp_mesh_files_list(folder, inside, &files, &count, error));
    summary s = {.is_watertight = true, .is_cloth = dlp_info_is_cloth(folder, inside)};
    for (int32_t k = 0; k < count; k++) {
        char *path = dlp_mesh_file_path(folder, inside, files[k]);
        if (path != NULL) check_file(path, &s);
        dlp_free(path);
    }
    dlp_free(files);
    if (count > 0) add_summary(findings, inside, &s);
    return DLP_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef struct names {
    char **items;
    int32_t count, capacity;
} names;

static void release_names(names *list)
{
    for (int32_t k = 0; k < list->count; k++) dlp_free(list->items[k]);
    dlp_free(list->items);
}

// "surface", "surface-honey"; and the folder itself as ".".
static dlp_status find_surfaces(const char *folder, names *list, dlp_error *error)
{
    errno = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL) return dlp_fail_errno(error, folder, errno);
    dlp_status status = DLP_OK;
    for (const struct dirent *entry; status == DLP_OK && (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "surface") != 0 && strncmp(name, "surface-", 8) != 0)
            continue;
        status = dlp_reserve(&list->items, &list->capacity, list->count + 1, sizeof(char *), "names", error);
        if (status == DLP_OK) list->items[list->count++] = dlp_copy_text(name, "names");
    }
    closedir(entries);
    if (status == DLP_OK) qsort(list->items, (size_t)list->count, sizeof(char *), compare_names);
    return status;
}

dlp_status dlp_info_folder(const char *folder, dlp_findings *findings, dlp_error *error)
{
    names list = {0};
    dlp_status status = find_surfaces(folder, &list, error);
    const int32_t said = findings->count;
    for (int32_t k = 0; status == DLP_OK && k < list.count; k++)
        status = inform_surface(folder, list.items[k], findings, error);
    release_names(&list);
    if (status == DLP_OK && findings->count == said)
        return dlp_fail(
            error, DLP_INVALID,
            "%s: is a folder without meshes; name a file (a scene, frame, mesh or checkpoint) or the "
            "folder of a run with surfaces",
            folder);
    return status;
}
