/* A height field as triangles over a grid of lines. The nearest triangle is found by descending a pyramid of
 * height ranges, nearest block first. */
#include "space/height.h"
#include "base/memory.h"
#include "space/mesh_nearest.h"

#include <assert.h>

// 2^31 cells per side have 32 levels; a level leaves at most three blocks behind on the stack.
enum { LEVEL_LIMIT = 32, STACK_SIZE = 4 * LEVEL_LIMIT };

// The lowest and highest value of a square block of cells.
typedef struct range {
    double low, high;
} range;

// Lines 0 and last are the far ends of the border strips, in which the values of the edge go on; cells are
// columns - 1 by rows - 1. Constant after its creation; all arrays are owned.
struct dlp_height {
    int32_t columns, rows;       // of lines: those of the table and two more
    double *xs, *ys;             // m: of each line, growing
    double *values;              // m: rows * columns
    double reach;                // m: width of the strips
    int32_t level_count;         // level l has blocks of 2^l cells per side; the last one has one block
    range *levels[LEVEL_LIMIT];  // per level and block: the range of its values
    int32_t level_columns[LEVEL_LIMIT], level_rows[LEVEL_LIMIT];
};

void dlp_height_table_release(dlp_height_table *table)
{
    if (table == NULL) return;
    dlp_free(table->values);
    *table = (dlp_height_table){0};
}

static double value_at(const dlp_height *h, int32_t i, int32_t j)
{
    return h->values[(size_t)j * (size_t)h->columns + (size_t)i];
}

static range join(range a, range b)
{
    return (range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

// The first and the last line lie `reach` outside of the others, which divide low .. high evenly.
static void set_lines(double *lines, int32_t count, double low, double high, double reach)
{
    lines[0] = low - reach;
    lines[count - 1] = high + reach;
    const int32_t cells = count - 3;
    for (int32_t k = 0; k <= cells; k++) lines[k + 1] = cells > 0 ? low + (high - low) * k / cells : low;
}

// The line of the table that a line of the field takes its values from: the strips repeat the edge.
static int32_t inner(int32_t k, int32_t count)
{
    return k < 1 ? 0 : k > count ? count - 1 : k - 1;
}

static void set_values(dlp_height *h, const dlp_height_table *table)
{
    for (int32_t j = 0; j < h->rows; j++)
        for (int32_t i = 0; i < h->columns; i++) {
            const int32_t row = inner(j, table->rows), column = inner(i, table->columns);
            h->values[(size_t)j * (size_t)h->columns + (size_t)i] =
                table->values[(size_t)row * (size_t)table->columns + (size_t)column];
        }
}

// Level 0: the range of a cell's four corners. The middle is their mean and lies within it.
static void fill_cells(dlp_height *h)
{
    for (int32_t j = 0; j < h->level_rows[0]; j++)
        for (int32_t i = 0; i < h->level_columns[0]; i++) {
            const range low = {value_at(h, i, j), value_at(h, i, j)};
            const range right = {value_at(h, i + 1, j), value_at(h, i + 1, j)};
            const range up = {value_at(h, i, j + 1), value_at(h, i, j + 1)};
            const range far = {value_at(h, i + 1, j + 1), value_at(h, i + 1, j + 1)};
            h->levels[0][(size_t)j * (size_t)h->level_columns[0] + (size_t)i] =
                join(join(low, right), join(up, far));
        }
}

// A block of a level joins up to four of the level below; those at the edge have fewer.
static void fill_level(dlp_height *h, int32_t level)
{
    const size_t width = (size_t)h->level_columns[level], finer_width = (size_t)h->level_columns[level - 1];
    const range *finer = h->levels[level - 1];
    for (int32_t j = 0; j < h->level_rows[level - 1]; j++)
        for (int32_t i = 0; i < h->level_columns[level - 1]; i++) {
            range *coarse = &h->levels[level][(size_t)(j / 2) * width + (size_t)(i / 2)];
            const range cell = finer[(size_t)j * finer_width + (size_t)i];
            *coarse = i % 2 == 0 && j % 2 == 0 ? cell : join(*coarse, cell);
        }
}

static dlp_status build_levels(dlp_height *h, dlp_error *error)
{
    int32_t columns = h->columns - 1, rows = h->rows - 1;
    for (int32_t level = 0; level < LEVEL_LIMIT; level++) {
        h->level_columns[level] = columns;
        h->level_rows[level] = rows;
        h->levels[level] = dlp_alloc((size_t)columns * (size_t)rows, sizeof(range), "height");
        if (h->levels[level] == NULL)
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "height: %d by %d cells", columns, rows);
        h->level_count = level + 1;
        if (level == 0)
            fill_cells(h);
        else
            fill_level(h, level);
        if (columns == 1 && rows == 1) break;
        columns = (columns + 1) / 2;
        rows = (rows + 1) / 2;
    }
    return DLP_OK;
}

// Memory: the values, and for the levels about 4/3 of a range per cell.
static dlp_status build(dlp_height *h, const dlp_height_table *table, dlp_box area, dlp_error *error)
{
    assert(table->columns >= 1 && table->rows >= 1);
    h->columns = table->columns + 2;
    h->rows = table->rows + 2;
    h->xs = dlp_alloc((size_t)h->columns, sizeof *h->xs, "height");
    h->ys = dlp_alloc((size_t)h->rows, sizeof *h->ys, "height");
    h->values = dlp_alloc((size_t)h->columns * (size_t)h->rows, sizeof *h->values, "height");
    if (h->xs == NULL || h->ys == NULL || h->values == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "height: %d by %d values", table->columns, table->rows);
    set_values(h, table);
    double low = h->values[0], high = low;
    for (size_t k = 0; k < (size_t)h->columns * (size_t)h->rows; k++) {
        low = fmin(low, h->values[k]);
        high = fmax(high, h->values[k]);
    }
    // Wide enough that from the middle of a strip everything beyond looks the same.
    h->reach = 4 * ((area.max.x - area.min.x) + fabs(area.max.y - area.min.y) + (high - low));
    set_lines(h->xs, h->columns, area.min.x, area.max.x, h->reach);
    set_lines(h->ys, h->rows, area.min.y, table->rows > 1 ? area.max.y : area.min.y, h->reach);
    return build_levels(h, error);
}

// Zeroed at birth, so that a half-built field can be destroyed.
dlp_status dlp_height_create(const dlp_height_table *table, dlp_box area, dlp_height **out_height,
                             dlp_error *error)
{
    *out_height = NULL;
    dlp_height *h = dlp_alloc(1, sizeof *h, "height");
    if (h == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "height: %zu bytes", sizeof *h);
    const dlp_status status = build(h, table, area, error);
    if (status != DLP_OK) {
        dlp_height_destroy(h);
        return status;
    }
    *out_height = h;
    return DLP_OK;
}

void dlp_height_destroy(dlp_height *height)
{
    if (height == NULL) return;
    dlp_free(height->xs);
    dlp_free(height->ys);
    dlp_free(height->values);
    for (int32_t level = 0; level < height->level_count; level++) dlp_free(height->levels[level]);
    dlp_free(height);
}

dlp_height_lines dlp_height_lines_of(const dlp_height *height)
{
    return (dlp_height_lines){height->columns, height->rows, height->xs, height->ys, height->values};
}

double dlp_height_top(const dlp_height *height)
{
    return height->levels[height->level_count - 1][0].high;
}

// The cell that a coordinate falls into, or the nearest one: a binary search.
static int32_t cell_of(const double *lines, int32_t count, double x)
{
    int32_t low = 0, high = count - 1;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (lines[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Corners of a cell counter-clockwise from the lower left, and its middle.
typedef struct cell_corners {
    dlp_vec3 corners[4], middle;
} cell_corners;

static cell_corners corners_of(const dlp_height *h, int32_t i, int32_t j)
{
    cell_corners c = {.corners = {{h->xs[i], h->ys[j], value_at(h, i, j)},
                                  {h->xs[i + 1], h->ys[j], value_at(h, i + 1, j)},
                                  {h->xs[i + 1], h->ys[j + 1], value_at(h, i + 1, j + 1)},
                                  {h->xs[i], h->ys[j + 1], value_at(h, i, j + 1)}}};
    const dlp_vec3 low = dlp_add(c.corners[0], c.corners[1]), high = dlp_add(c.corners[2], c.corners[3]);
    c.middle = dlp_mul(dlp_add(low, high), 0.25);
    return c;
}

// Which of the four triangles lies at (x, y), by its first corner: the diagonals divide the cell.
static int32_t triangle_at(const cell_corners *c, dlp_vec3 x)
{
    const double u = (x.x - c->corners[0].x) / (c->corners[1].x - c->corners[0].x);
    const double v = (x.y - c->corners[0].y) / (c->corners[3].y - c->corners[0].y);
    if (v <= u) return v <= 1 - u ? 0 : 1;
    return v <= 1 - u ? 3 : 2;
}

// Upward: the corners run counter-clockwise.
static dlp_vec3 triangle_normal(const cell_corners *c, int32_t k)
{
    const dlp_vec3 a = dlp_sub(c->corners[k], c->middle), b = dlp_sub(c->corners[(k + 1) % 4], c->middle);
    return dlp_normalize(dlp_cross(a, b), dlp_vec(0, 0, 1));
}

// A search for the triangle nearest to x.
typedef struct ray_search {
    const dlp_height *height;
    dlp_vec3 x;              // m
    dlp_nearest_point best;  // so far
} ray_search;

static void try_cell(ray_search *s, int32_t i, int32_t j)
{
    const cell_corners c = corners_of(s->height, i, j);
    const dlp_vec3 p = dlp_sub(s->x, c.middle);
    for (int32_t k = 0; k < 4; k++) {
        const dlp_vec3 a = dlp_sub(c.corners[k], c.middle), b = dlp_sub(c.corners[(k + 1) % 4], c.middle);
        const dlp_nearest_point n = dlp_nearest_triangle(p, a, b);
        if (n.square < s->best.square) s->best = n;
    }
}

// A block that is still to be searched.
typedef struct height_block {
    int32_t level, i, j;
    double square;  // m2: a lower bound of the squared distance of what is in it
} height_block;

// The line at which a block begins; the last line where the block goes beyond the field.
static int32_t line_of(int32_t index, int32_t level, int32_t count)
{
    const int64_t line = (int64_t)index << level;
    return line < count ? (int32_t)line : count - 1;
}

// The squared distance to the block's bounding box.
static double block_square(const dlp_height *h, const height_block *b, dlp_vec3 x)
{
    const range r = h->levels[b->level][(size_t)b->j * (size_t)h->level_columns[b->level] + (size_t)b->i];
    const dlp_box box = {
        {h->xs[line_of(b->i, b->level, h->columns)], h->ys[line_of(b->j, b->level, h->rows)], r.low},
        {h->xs[line_of(b->i + 1, b->level, h->columns)], h->ys[line_of(b->j + 1, b->level, h->rows)],
         r.high}};
    return dlp_box_square(&box, x);
}

// Puts a block's quarters that are near enough on the stack, the nearest on top; returns the new depth.
static int32_t push_quarters(const ray_search *s, const height_block *b, height_block *stack, int32_t depth)
{
    const int32_t base = depth;
    for (int32_t k = 0; k < 4; k++) {
        height_block quarter = {b->level - 1, 2 * b->i + k % 2, 2 * b->j + k / 2, 0};
        if (quarter.i >= s->height->level_columns[quarter.level] ||
            quarter.j >= s->height->level_rows[quarter.level])
            continue;
        quarter.square = block_square(s->height, &quarter, s->x);
        if (!(quarter.square < s->best.square)) continue;
        assert(depth < STACK_SIZE);
        int32_t place = depth++;
        for (; place > base && stack[place - 1].square < quarter.square; place--)
            stack[place] = stack[place - 1];
        stack[place] = quarter;
    }
    return depth;
}

// Depth first, nearest first: blocks that cannot improve on the best so far are dropped.
static void find_nearest(ray_search *s)
{
    height_block stack[STACK_SIZE];
    int32_t depth = 0;
    stack[depth++] = (height_block){s->height->level_count - 1, 0, 0, 0};
    while (depth > 0) {
        const height_block b = stack[--depth];
        if (!(b.square < s->best.square)) continue;
        if (b.level == 0)
            try_cell(s, b.i, b.j);
        else
            depth = push_quarters(s, &b, stack, depth);
    }
}

// Beyond the middle of a strip the surface no longer changes outward, so that the distance is that of the
// middle. NaN becomes the low end.
static double clamp_to_strip(double x, const double *lines, int32_t count, double reach)
{
    const double low = lines[0] + reach / 2, high = lines[count - 1] - reach / 2;
    return x > high ? high : x >= low ? x : low;
}

// The sign from the column below x, the distance from the nearest triangle anywhere.
double dlp_height_probe(const dlp_height *height, dlp_vec3 x, dlp_vec3 *out_normal)
{
    const dlp_height *h = height;
    x.x = clamp_to_strip(x.x, h->xs, h->columns, h->reach);
    x.y = clamp_to_strip(x.y, h->ys, h->rows, h->reach);
    const int32_t i = cell_of(h->xs, h->columns, x.x), j = cell_of(h->ys, h->rows, x.y);
    const cell_corners c = corners_of(h, i, j);
    const int32_t k = triangle_at(&c, x);
    const dlp_vec3 up = triangle_normal(&c, k);
    const bool is_below =
        dlp_dot(dlp_sub(x, c.middle), up) < 0;  // the triangle below x decides: the surface is a graph

    // the cell at (x, y) first: its triangles are a good bound for the search
    ray_search s = {h, x, {.square = HUGE_VAL}};
    try_cell(&s, i, j);
    find_nearest(&s);
    const double distance = sqrt(s.best.square);
    const double noise = 1e-13 * (fabs(x.x) + fabs(x.y) + fabs(x.z)) + 1e-150;
    // so near that the offset is rounding alone, the triangle's own normal is better
    *out_normal = distance <= noise ? up : dlp_mul(s.best.offset, (is_below ? -1 : 1) / distance);
    return is_below ? -distance : distance;
}
