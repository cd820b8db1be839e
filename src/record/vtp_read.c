// Reads the arrays of a frame, bit for bit, at the places that its header names.
#include "record/vtp_read.h"
#include "record/file_io.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

// The names that the header has.
static const struct {
    const char *name;
    dlp_type type;
    size_t size;
} types[] = {{"Float32", DLP_FLOAT32, 4},
             {"Float64", DLP_FLOAT64, 8},
             {"Int32", DLP_INT32, 4},
             {"Int64", DLP_INT64, 8}};

// Index in `types`.
static size_t find_type(const char *name)
{
    size_t k = 0;
    while (strcmp(types[k].name, name) != 0) k++;  // dlp_vtp_read_info lets no other through
    return k;
}

// A short read is a truncated file, unless the system says otherwise.
static dlp_status read_bytes(FILE *stream, const char *path, uint64_t begin, void *memory, size_t bytes,
                             dlp_error *error)
{
    errno = 0;
    if (fseeko(stream, (off_t)begin, SEEK_SET) != 0) return dlp_fail_errno(error, path, errno);
    if (fread(memory, 1, bytes, stream) == bytes) return DLP_OK;
    if (ferror(stream)) return dlp_fail_errno(error, path, errno);
    return dlp_fail(error, DLP_IO, "%s: damaged or not a frame of a run: it ends before its data", path);
}

// The column owns its data also where reading fails, so that releasing the whole frees it.
static dlp_status read_column(FILE *stream, const char *path, const dlp_vtp_array_info *info, int32_t count,
                              dlp_vtp_column *out_column, dlp_error *error)
{
    const size_t type = find_type(info->type);
    const size_t entries = (size_t)count * (size_t)info->components, bytes = entries * types[type].size;
    void *memory = dlp_alloc(entries, types[type].size, "frames");
    if (memory == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for %zu bytes of %s", path, bytes, info->name);
    memcpy(out_column->name, info->name, sizeof out_column->name);
    out_column->view =
        (dlp_view){.data = memory, .count = count, .components = info->components, .type = types[type].type};
    return read_bytes(stream, path, info->begin, memory, bytes, error);
}

// Corners of cells, checked to be points that are there: later passes use them as indices.
static dlp_status read_indices(FILE *stream, const char *path, uint64_t begin, size_t index_count,
                               int32_t point_count, int32_t **out_indices, dlp_error *error)
{
    *out_indices = dlp_alloc(index_count, sizeof **out_indices, "frames");
    if (*out_indices == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for %zu corners", path, index_count);
    DLP_TRY(read_bytes(stream, path, begin, *out_indices, index_count * sizeof **out_indices, error));
    for (size_t k = 0; k < index_count; k++)
        if ((*out_indices)[k] < 0 || (*out_indices)[k] >= point_count)
            return dlp_fail(error, DLP_IO, "%s: damaged: a corner is point %" PRId32 " of %" PRId32, path,
                            (*out_indices)[k], point_count);
    return DLP_OK;
}

// Lists are stored before their status is looked at, so that they are freed after a failure.
static dlp_status read_cells(FILE *stream, const char *path, const dlp_vtp_info *info, dlp_vtp_data *data,
                             dlp_error *error)
{
    int32_t *indices;
    if (info->triangles_begin > 0) {
        const dlp_status status =
            read_indices(stream, path, info->triangles_begin, 3 * (size_t)info->triangle_count,
                         info->point_count, &indices, error);
        data->triangles = (void *)indices;
        data->triangle_count = info->triangle_count;
        DLP_TRY(status);
    }
    if (info->links_begin > 0) {
        const dlp_status status = read_indices(stream, path, info->links_begin, 2 * (size_t)info->line_count,
                                               info->point_count, &indices, error);
        data->links = (void *)indices;
        data->link_count = info->line_count;
        DLP_TRY(status);
    }
    return DLP_OK;
}

// The count grows before a column is read, so that a half-read one is freed, too.
static dlp_status read_columns(const char *path, const dlp_vtp_info *info, dlp_vtp_data *data,
                               dlp_error *error)
{
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return dlp_fail_errno(error, path, errno);
    dlp_status status = DLP_OK;
    while (status == DLP_OK && data->column_count < info->array_count) {
        const int32_t k = data->column_count++;
        status = read_column(stream, path, &info->arrays[k], info->point_count, &data->columns[k], error);
    }
    if (status == DLP_OK) status = read_cells(stream, path, info, data, error);
    fclose(stream);
    return status;
}

// The header is checked in full first, so that sizes can be trusted. The info is too large for the stack.
dlp_status dlp_vtp_read(const char *path, dlp_vtp_data *out_data, dlp_error *error)
{
    *out_data = (dlp_vtp_data){0};
    dlp_vtp_info *info = dlp_alloc(1, sizeof *info, "frames");
    if (info == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its header", path);
    dlp_status status = dlp_vtp_read_info(path, info, error);
    if (status == DLP_OK) {
        out_data->time = info->time;
        out_data->point_count = info->point_count;
        status = read_columns(path, info, out_data, error);
    }
    dlp_free(info);
    if (status != DLP_OK) dlp_vtp_data_release(out_data);
    return status;
}

// Columns own their data, though a view's pointer is const.
void dlp_vtp_data_release(dlp_vtp_data *data)
{
    for (int32_t k = 0; k < data->column_count; k++) dlp_free((void *)(uintptr_t)data->columns[k].view.data);
    dlp_free(data->triangles);
    dlp_free(data->links);
    *data = (dlp_vtp_data){0};
}

const dlp_view *dlp_vtp_data_find(const dlp_vtp_data *data, const char *name)
{
    for (int32_t k = 0; k < data->column_count; k++)
        if (strcmp(data->columns[k].name, name) == 0) return &data->columns[k].view;
    return NULL;
}
