// OBJ, text: v (with a colour behind the position where there is one), vn, f a//a.
#include "record/mesh_out.h"

#include <math.h>

// Numbers are printed with a fixed count of decimals, by integer arithmetic: printf takes ten times as long.
typedef struct decimals {
    int32_t count;
    double scale;  // 10^count
} decimals;

static decimals decimals_of(int32_t count)
{
    return (decimals){count, pow(10, count)};
}

// Nine digits for the largest coordinate: more than a float has, and the same resolution everywhere.
static decimals position_decimals(const dlp_mesh *mesh)
{
    double largest = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const dlp_vec3 x = mesh->vertices[v];
        largest = fmax(largest, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
    }
    const double wanted = largest > 0 ? 9 - ceil(log10(largest)) : 0;
    return decimals_of((int32_t)fmin(fmax(wanted, 0), 22));
}

// Writes at most 40 bytes, without a 0 at the end; returns how many. Numbers that are too large or not finite
// go through printf.
static size_t print_number(char *out, double value, decimals d)
{
    const double scaled = fabs(value) * d.scale;
    if (!(scaled < 1e18)) {
        const dlp_mesh_number number = dlp_mesh_number_of(value);
        const size_t length = strlen(number.text);
        memcpy(out, number.text, length);
        return length;
    }
    uint64_t digits = (uint64_t)llround(scaled);
    const bool is_negative = value < 0 && digits > 0;
    char reversed[48];
    size_t length = 0;
    int32_t left = d.count;
    for (; left > 0 && digits % 10 == 0; left--) digits /= 10;  // zeros at the end say nothing
    const bool has_point = left > 0;
    for (; left > 0; left--, digits /= 10) reversed[length++] = (char)('0' + digits % 10);
    if (has_point) reversed[length++] = '.';
    do {
        reversed[length++] = (char)('0' + digits % 10);
        digits /= 10;
    } while (digits > 0);
    if (is_negative) reversed[length++] = '-';
    for (size_t k = 0; k < length; k++) out[k] = reversed[length - 1 - k];
    return length;
}

// A space before each.
static size_t print_three(char *out, const double values[3], decimals d)
{
    size_t length = 0;
    for (int32_t k = 0; k < 3; k++) {
        out[length++] = ' ';
        length += print_number(out + length, values[k], d);
    }
    return length;
}

// Colours have four decimals: more than 8 bits.
static void put_vertices(dlp_mesh_out *out, const dlp_surface_mesh *mesh)
{
    const decimals fine = position_decimals(&mesh->mesh), coarse = decimals_of(4);
    for (size_t v = 0; v < (size_t)mesh->mesh.vertex_count; v++) {
        char line[320] = "v";
        size_t length = 1;
        const dlp_vec3 x = mesh->mesh.vertices[v];
        length += print_three(line + length, (const double[3]){x.x, x.y, x.z}, fine);
        if (mesh->colors != NULL) {
            const float *c = &mesh->colors[3 * v];
            length += print_three(line + length, (const double[3]){(double)c[0], (double)c[1], (double)c[2]},
                                  coarse);
        }
        line[length++] = '\n';
        dlp_mesh_put(out, line, length);
    }
}

static void put_normals(dlp_mesh_out *out, const dlp_surface_mesh *mesh)
{
    const decimals some = decimals_of(6);
    for (size_t v = 0; v < (size_t)mesh->mesh.vertex_count; v++) {
        char line[160] = "vn";
        const float *n = &mesh->normals[3 * v];
        const double values[3] = {(double)n[0], (double)n[1], (double)n[2]};
        size_t length = 2 + print_three(line + 2, values, some);
        line[length++] = '\n';
        dlp_mesh_put(out, line, length);
    }
}

// Indices count from 1; a vertex and its normal have the same.
static void put_faces(dlp_mesh_out *out, const dlp_mesh *mesh)
{
    const decimals whole = decimals_of(0);
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        char line[96] = "f";
        size_t length = 1;
        for (int32_t k = 0; k < 3; k++) {
            const double number = (double)mesh->triangles[t][k] + 1;
            line[length++] = ' ';
            const size_t digits = print_number(line + length, number, whole);
            memcpy(line + length + digits, "//", 2);
            memcpy(line + length + digits + 2, line + length, digits);
            length += 2 * digits + 2;
        }
        line[length++] = '\n';
        dlp_mesh_put(out, line, length);
    }
}

// One object in one smoothing group.
void dlp_mesh_put_obj(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time)
{
    dlp_mesh_put_text(out, "# " DLP_MESH_GENERATOR "\n# time %s s\no surface\ns 1\n",
                      dlp_mesh_number_of(time).text);
    put_vertices(out, mesh);
    put_normals(out, mesh);
    put_faces(out, &mesh->mesh);
}
