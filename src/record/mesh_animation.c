// A film as one glTF file, in two passes over the frames: first what the head must say of each, then the
// numbers. The file is written beside and renamed.
#include "base/memory.h"
#include "record/mesh_glb.h"

// The frames of one folder; `files` and `frames` are owned and have `count` entries.
typedef struct animation {
    const char *folder, *inside;
    dlp_mesh_file *files;   // PLY alone, ascending by number
    dlp_glb_frame *frames;  // what the first pass found
    int32_t count;
} animation;

// Only PLY has all attributes; other formats are passed over.
static dlp_status find_files(animation *f, dlp_error *error)
{
    int32_t count;
    DLP_TRY(dlp_mesh_files_list(f->folder, f->inside, &f->files, &count, error));
    for (int32_t k = 0; k < count; k++)
        if (f->files[k].format == DLP_MESH_FILE_PLY) f->files[f->count++] = f->files[k];
    if (f->count == 0)
        return dlp_fail(error, DLP_IO, "%s/%s: has no numbered PLY files", f->folder, f->inside);
    f->frames = dlp_alloc((size_t)f->count, sizeof *f->frames, "mesh files");
    if (f->frames == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: %d frames", f->folder, f->count);
    return DLP_OK;
}

static dlp_status read_frame(const animation *f, int32_t k, dlp_surface_mesh *out_mesh, dlp_error *error)
{
    char *path = dlp_mesh_file_path(f->folder, f->inside, f->files[k]);
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", f->folder);
    const dlp_status status = dlp_surface_mesh_read(path, out_mesh, error);
    dlp_free(path);
    return status;
}

// First pass: counts and bounds.
static dlp_status describe_frames(const animation *f, dlp_error *error)
{
    for (int32_t k = 0; k < f->count; k++) {
        dlp_surface_mesh mesh;
        DLP_TRY(read_frame(f, k, &mesh, error));
        f->frames[k] = dlp_glb_frame_of(&mesh, f->files[k].number);
        dlp_surface_mesh_release(&mesh);
    }
    return DLP_OK;
}

// Whether the numbers of b fit where the head expects those of a.
static bool is_same(const dlp_glb_frame *a, const dlp_glb_frame *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           a->has_colors == b->has_colors && a->has_temperatures == b->has_temperatures;
}

// A file that changed between the passes would shift everything behind it: refused.
static dlp_status put_frames(const animation *f, dlp_mesh_out *out, dlp_error *error)
{
    for (int32_t k = 0; k < f->count; k++) {
        dlp_surface_mesh mesh;
        DLP_TRY(read_frame(f, k, &mesh, error));
        const dlp_glb_frame frame = dlp_glb_frame_of(&mesh, f->files[k].number);
        const bool has_changed = !is_same(&frame, &f->frames[k]);
        if (!has_changed) dlp_glb_put_mesh(out, &mesh);
        dlp_surface_mesh_release(&mesh);
        if (has_changed)
            return dlp_fail(error, DLP_IO,
                            "%s/%s: frame %d was changed meanwhile; wait until nothing writes to it",
                            f->folder, f->inside, frame.number);
    }
    return DLP_OK;
}

// Second pass. After a failure the part is removed and an old film stays.
static dlp_status write_animation(const animation *f, double frame_rate, const char *path, dlp_error *error)
{
    dlp_mesh_out *out;
    DLP_TRY(dlp_mesh_out_open(path, &out, error));
    const dlp_glb glb = {f->frames, f->count, frame_rate, f->frames[0].number / frame_rate};
    dlp_status status = dlp_glb_put_head(out, &glb, error);
    if (status != DLP_OK) dlp_fail_at(error, status, "%s", path);
    if (status == DLP_OK) status = put_frames(f, out, error);
    if (status == DLP_OK) return dlp_mesh_out_commit(out, error);
    dlp_mesh_out_discard(out);
    return status;
}

dlp_status dlp_mesh_animation_write(const char *folder, const char *inside, double frame_rate,
                                    const char *path, dlp_error *error)
{
    if (!(frame_rate > 0 && frame_rate <= 1e6))
        return dlp_fail(error, DLP_INVALID, "%s: %g frames per second; must be above 0 and at most 1e6", path,
                        frame_rate);
    animation f = {.folder = folder, .inside = inside};
    dlp_status status = find_files(&f, error);
    if (status == DLP_OK) status = describe_frames(&f, error);
    if (status == DLP_OK) status = write_animation(&f, frame_rate, path, error);
    dlp_free(f.files);
    dlp_free(f.frames);
    return status;
}
