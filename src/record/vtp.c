// Writes frames as VTK PolyData, format "appended, raw", which programs read without parsing numbers:
//
//   <VTKFile type="PolyData" ... header_type="UInt64">   an XML header that names every array, its type and
//     <PolyData> ... offset="N" ... </PolyData>          its offset from the underscore below
//     <AppendedData encoding="raw">
//       _ length bytes length bytes ...                  each array after its length (8 bytes)
//     </AppendedData>
//   </VTKFile>
//
// Arrays come in the order positions, cells (vertices, lines, triangles), point data. The header is made
// first, from sizes and ranges, so that a frame is written in one pass and without a second copy of its
// arrays.
#include "record/vtp.h"
#include "record/file_io.h"
#include "record/format.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

// The bytes of the arrays are written as they lie in memory.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are written for little-endian machines");

// VTK's names of the types, and bytes.
static const struct {
    const char *name;
    size_t size;
} types[] = {[DLP_FLOAT32] = {"Float32", 4},
             [DLP_FLOAT64] = {"Float64", 8},
             [DLP_INT32] = {"Int32", 4},
             [DLP_INT64] = {"Int64", 8}};

static size_t view_bytes(const dlp_view *view)
{
    assert(view->count >= 0 && view->components >= 0);
    return (size_t)view->count * (size_t)view->components * types[view->type].size;
}

// The k-th number of a view, as a double.
static double component(const dlp_view *view, size_t k)
{
    switch (view->type) {
    case DLP_FLOAT32:
        return (double)((const float *)view->data)[k];
    case DLP_FLOAT64:
        return ((const double *)view->data)[k];
    case DLP_INT32:
        return (double)((const int32_t *)view->data)[k];
    default:
        return (double)((const int64_t *)view->data)[k];
    }
}

// Smallest and largest value (of a vector: its length), as VTK's RangeMin and RangeMax mean it; NaN does not
// count.
static void find_range(const dlp_view *view, double *out_min, double *out_max)
{
    double min = HUGE_VAL, max = -HUGE_VAL;
    const size_t width = (size_t)view->components;
    for (size_t i = 0; i < (size_t)view->count; i++) {
        double value = component(view, i * width);
        if (width > 1) {
            double square = 0;
            for (size_t k = 0; k < width; k++)
                square += component(view, i * width + k) * component(view, i * width + k);
            value = sqrt(square);
        }
        min = fmin(min, value);
        max = fmax(max, value);
    }
    const bool has_range = isfinite(min) && isfinite(max);  // not so without points, or where all are NaN
    *out_min = has_range ? min : 0;
    *out_max = has_range ? max : 0;
}

// Describes one appended array; `offset` moves past its length (8 bytes) and its data.
static void describe_array(dlp_string *text, const char *name, const dlp_view *view, uint64_t *offset)
{
    double min, max;
    find_range(view, &min, &max);
    dlp_string_add(text, "<DataArray type=\"%s\" Name=\"", types[view->type].name);
    dlp_format_escaped(text, name);
    dlp_string_add(text, "\" NumberOfComponents=\"%" PRId32 "\" format=\"appended\" RangeMin=\"",
                   view->components);
    dlp_format_number(text, min, 9);
    dlp_string_add(text, "\" RangeMax=\"");
    dlp_format_number(text, max, 9);
    dlp_string_add(text, "\" offset=\"%" PRIu64 "\"/>\n", *offset);
    *offset += sizeof(uint64_t) + view_bytes(view);
}

// Points that are drawn as points.
static int32_t vertex_count(const dlp_vtp *vtp)
{
    return vtp->has_lines ? 0 : vtp->positions.count - vtp->woven_count;
}

// Lines of a contour, or the links of cloth.
static int32_t line_count(const dlp_vtp *vtp)
{
    return vtp->has_lines ? vtp->line_count : vtp->link_count;
}

// Corners of all lines.
static int32_t line_index_count(const dlp_vtp *vtp)
{
    if (!vtp->has_lines) return 2 * vtp->link_count;
    return vtp->line_count > 0 ? vtp->line_ends[vtp->line_count - 1] : 0;
}

// Corners and ends of one kind of cells.
static void describe_cells(dlp_string *text, const char *kind, int32_t cell_count, int32_t index_count,
                           uint64_t *offset)
{
    dlp_string_add(text, "<%s>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" ", kind);
    dlp_string_add(text, "offset=\"%" PRIu64 "\"/>\n", *offset);
    *offset += sizeof(uint64_t) + (uint64_t)index_count * sizeof(int32_t);
    dlp_string_add(text, "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" ");
    dlp_string_add(text, "offset=\"%" PRIu64 "\"/>\n</%s>\n", *offset, kind);
    *offset += sizeof(uint64_t) + (uint64_t)cell_count * sizeof(int32_t);
}

// The order is that of write_cells.
static void describe_all_cells(dlp_string *text, const dlp_vtp *vtp, uint64_t *offset)
{
    if (!vtp->has_lines) describe_cells(text, "Verts", vertex_count(vtp), vertex_count(vtp), offset);
    if (vtp->has_lines || vtp->link_count > 0)
        describe_cells(text, "Lines", line_count(vtp), line_index_count(vtp), offset);
    if (vtp->triangle_count > 0)
        describe_cells(text, "Polys", vtp->triangle_count, 3 * vtp->triangle_count, offset);
}

// The header, up to the '_' after which the data begin. The time has 17 digits: the same double comes back.
static void describe(dlp_string *text, const dlp_vtp *vtp)
{
    uint64_t offset = 0;
    dlp_string_add(text,
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                   "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n"
                   "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">");
    dlp_format_number(text, vtp->time, 17);
    dlp_string_add(text, "</DataArray>\n</FieldData>\n");
    dlp_string_add(text, "<Piece NumberOfPoints=\"%" PRId32 "\" NumberOfVerts=\"%" PRId32 "\" ",
                   vtp->positions.count, vertex_count(vtp));
    dlp_string_add(
        text, "NumberOfLines=\"%" PRId32 "\" NumberOfStrips=\"0\" NumberOfPolys=\"%" PRId32 "\">\n<Points>\n",
        line_count(vtp), vtp->triangle_count);
    describe_array(text, "position", &vtp->positions, &offset);
    dlp_string_add(text, "</Points>\n");
    describe_all_cells(text, vtp, &offset);
    // Which normals shade a surface is not told by their name.
    bool has_normals = false;
    for (int32_t k = 0; k < vtp->array_count; k++) has_normals |= strcmp(vtp->arrays[k].name, "normal") == 0;
    dlp_string_add(text, has_normals ? "<PointData Normals=\"normal\">\n" : "<PointData>\n");
    for (int32_t k = 0; k < vtp->array_count; k++)
        describe_array(text, vtp->arrays[k].name, &vtp->arrays[k].view, &offset);
    dlp_string_add(text, "</PointData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

// Length, then bytes.
static void write_block(dlp_outfile *file, const void *data, size_t size)
{
    const uint64_t length = size;
    dlp_outfile_write(file, &length, sizeof length);
    dlp_outfile_write(file, data, size);
}

// The numbers `first`, `first` + `stride`, ... in parts, so that no array of them is needed.
static void write_sequence(dlp_outfile *file, int32_t first, int32_t stride, int32_t count)
{
    enum { PIECE = 4096 };
    int32_t piece[PIECE];
    const uint64_t length = (uint64_t)count * sizeof piece[0];
    dlp_outfile_write(file, &length, sizeof length);
    for (int32_t begin = 0; begin < count;) {
        const int32_t size = count - begin < PIECE ? count - begin : PIECE;
        for (int32_t k = 0; k < size; k++) piece[k] = first + stride * (begin + k);
        dlp_outfile_write(file, piece, (size_t)size * sizeof piece[0]);
        begin += size;
    }
}

// Vertices are their own corners: 0, 1, ...; ends count corners, so they grow by the corners per cell.
static void write_cells(dlp_outfile *file, const dlp_vtp *vtp)
{
    if (vtp->has_lines) {
        write_block(file, vtp->line_points, (size_t)line_index_count(vtp) * sizeof(int32_t));
        write_block(file, vtp->line_ends, (size_t)vtp->line_count * sizeof(int32_t));
        return;
    }
    write_sequence(file, 0, 1, vertex_count(vtp));
    write_sequence(file, 1, 1, vertex_count(vtp));
    if (vtp->link_count > 0) {
        write_block(file, vtp->links, (size_t)vtp->link_count * sizeof *vtp->links);
        write_sequence(file, 2, 2, vtp->link_count);
    }
    if (vtp->triangle_count > 0) {
        write_block(file, vtp->triangles, (size_t)vtp->triangle_count * sizeof *vtp->triangles);
        write_sequence(file, 3, 3, vtp->triangle_count);
    }
}

// In the order in which describe gave out the offsets.
static void write_data(dlp_outfile *file, const dlp_vtp *vtp)
{
    write_block(file, vtp->positions.data, view_bytes(&vtp->positions));
    write_cells(file, vtp);
    for (int32_t k = 0; k < vtp->array_count; k++)
        write_block(file, vtp->arrays[k].view.data, view_bytes(&vtp->arrays[k].view));
    static const char end[] = "\n</AppendedData>\n</VTKFile>\n";
    dlp_outfile_write(file, end, strlen(end));
}

// DLP_DIVERGED where a number is none: no program reads such a frame as it is meant.
static dlp_status check_finite(const char *path, const char *name, const dlp_view *view, dlp_error *error)
{
    if (view->type != DLP_FLOAT32 && view->type != DLP_FLOAT64) return DLP_OK;
    const size_t width = (size_t)view->components, count = (size_t)view->count * width;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(component(view, k)))
            return dlp_fail(error, DLP_DIVERGED,
                            "%s: %s of point %zu: is %g; every number must be finite: the run has failed",
                            path, name, k / width, component(view, k));
    return DLP_OK;
}

// A wrong length would shift all arrays behind it.
static dlp_status check_views(const char *path, const dlp_vtp *vtp, dlp_error *error)
{
    const dlp_view *positions = &vtp->positions;
    if (positions->type != DLP_FLOAT64 || positions->components != 3)
        return dlp_fail(error, DLP_INVALID, "%s: position: must be three Float64 per point", path);
    for (int32_t k = 0; k < vtp->array_count; k++) {
        if (vtp->arrays[k].view.count != positions->count)
            return dlp_fail(error, DLP_INVALID, "%s: %s: %" PRId32 " entries for %" PRId32 " points", path,
                            vtp->arrays[k].name, vtp->arrays[k].view.count, positions->count);
        DLP_TRY(check_finite(path, vtp->arrays[k].name, &vtp->arrays[k].view, error));
    }
    return check_finite(path, "position", positions, error);
}

dlp_status dlp_vtp_write(const char *path, const dlp_vtp *vtp, dlp_error *error)
{
    DLP_TRY(check_views(path, vtp, error));
    dlp_string header = {0};
    describe(&header, vtp);
    dlp_status status = dlp_format_check(&header, path, error);
    dlp_outfile file;
    if (status == DLP_OK) status = dlp_outfile_begin(&file, path, error);
    if (status == DLP_OK) {
        dlp_outfile_write(&file, header.data, header.length);
        write_data(&file, vtp);
        status = dlp_outfile_commit(&file, error);
    }
    dlp_string_release(&header);
    return status;
}

// The list is short, and written anew for each frame.
dlp_status dlp_pvd_write(const char *path, const char *folder, const dlp_pvd_frame *frames, int32_t count,
                         dlp_error *error)
{
    dlp_string text = {0};
    dlp_string_add(&text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                          "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int32_t k = 0; k < count; k++) {
        dlp_string_add(&text, "<DataSet timestep=\"");
        dlp_format_number(&text, frames[k].time, 17);
        dlp_string_add(&text, "\" group=\"\" part=\"0\" file=\"");
        dlp_format_escaped(&text, folder);
        dlp_string_add(&text, "/%04" PRId32 ".vtp\"/>\n", frames[k].number);
    }
    dlp_string_add(&text, "</Collection>\n</VTKFile>\n");
    dlp_status status = dlp_format_check(&text, path, error);
    if (status == DLP_OK) status = dlp_file_write_text(path, text.data, text.length, error);
    dlp_string_release(&text);
    return status;
}
