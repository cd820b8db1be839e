// A picture of a 2-D scene: particles as discs, the contour's line, obstacles in grey. Rows of pixels are
// independent, so that the bits do not depend on the number of threads.
#include "record/palette.h"
#include "record/preview_parts.h"
#include "record/splat.h"
#include "base/memory.h"

enum { FINE = 2 };  // samples per pixel along x and y

// One picture being drawn. World to pixels: x to the right, y up; row 0 is the top.
typedef struct picture {
    const dlp_preview_def *def;
    dlp_vec3 *colors;  // of the particles, linear light; owned
    dlp_image *image;
    double left, top;            // m: of the image's upper left corner
    double pixel;                // m: its edge
    const dlp_contour *contour;  // the definition's, or one of our own; never NULL
    dlp_ball *balls;             // one per particle, in fine pixels; owned
    dlp_depth_map map;           // fine: the discs
    dlp_depth_map wide;          // fine: larger discs, whose colours fill the gaps within the contour
    int16_t *turns;              // fine: winding number of the contour around a sample; owned
    float *ink;                  // one per pixel, 0..1: of the contour's line; owned
} picture;

// The box fills 92 % of the picture beside the legend, with square pixels.
static void frame_box(picture *p)
{
    const dlp_box box = dlp_preview_box(p->def);
    const double width = fmax(box.max.x - box.min.x, 1e-12), height = fmax(box.max.y - box.min.y, 1e-12);
    const int32_t room = p->image->width - p->def->legend;
    p->pixel = fmax(width / room, height / p->image->height) / 0.92;
    p->left = (box.min.x + box.max.x) / 2 - p->pixel * room / 2.0;
    p->top = (box.min.y + box.max.y) / 2 + p->pixel * p->image->height / 2.0;
}

// Everything is zeroed; what was made before a failure is released by the caller.
static dlp_status make_room(picture *p, dlp_error *error)
{
    DLP_TRY(dlp_preview_color(p->def, &p->colors, error));
    const size_t size = (size_t)p->image->width * (size_t)p->image->height;
    p->balls = dlp_alloc((size_t)p->def->count, sizeof *p->balls, "pictures");
    p->ink = dlp_alloc(size, sizeof *p->ink, "pictures");
    p->turns = dlp_alloc(size * FINE * FINE, sizeof *p->turns, "pictures");
    if (p->balls == NULL || p->ink == NULL || p->turns == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d x %d pixels", p->image->width,
                        p->image->height);
    DLP_TRY(dlp_depth_map_init(&p->map, FINE * p->image->width, FINE * p->image->height, error));
    return dlp_depth_map_init(&p->wide, FINE * p->image->width, FINE * p->image->height, error);
}

// Every particle as a half sphere: where two discs overlap, the boundary lies midway. Those that have no
// place stay as they are, without a radius.
static void place_particles(picture *p, double size)
{
    const double scale = FINE / p->pixel;
    for (int32_t i = 0; i < p->def->count; i++) {
        const double *x = p->def->positions + 3 * (size_t)i;
        const double radius = size * (double)p->def->radii[i];
        if (!(radius > 0 && fabs(x[0]) < 1e15 && fabs(x[1]) < 1e15)) continue;
        p->balls[i] = (dlp_ball){(float)((x[0] - p->left) * scale), (float)((p->top - x[1]) * scale),
                                 (float)(radius * scale), 0, (float)radius};
    }
}

// Darkens the pixels near the segment from a to b, softly, by their distance.
static void ink_segment(picture *p, const double *a, const double *b)
{
    const double ax = (a[0] - p->left) / p->pixel, ay = (p->top - a[1]) / p->pixel;
    const double bx = (b[0] - p->left) / p->pixel, by = (p->top - b[1]) / p->pixel;
    const double length = hypot(bx - ax, by - ay);
    const int32_t width = p->image->width, height = p->image->height;
    const double x0 = fmax(fmin(ax, bx) - 2, 0), x1 = fmin(fmax(ax, bx) + 2, width - 1);
    const double y0 = fmax(fmin(ay, by) - 2, 0), y1 = fmin(fmax(ay, by) + 2, height - 1);
    if (!(x0 <= x1 && y0 <= y1)) return;
    for (int32_t y = (int32_t)y0; y <= (int32_t)y1; y++) {
        for (int32_t x = (int32_t)x0; x <= (int32_t)x1; x++) {
            const double px = x + 0.5 - ax, py = y + 0.5 - ay;
            const double along = length > 0 ? (px * (bx - ax) + py * (by - ay)) / (length * length) : 0;
            const double t = fmin(fmax(along, 0), 1);
            const double distance = hypot(px - t * (bx - ax), py - t * (by - ay));
            float *ink = &p->ink[(size_t)y * (size_t)width + (size_t)x];
            *ink = fmaxf(*ink, (float)fmin(fmax(1.3 - distance, 0), 1));
        }
    }
}

// Marks where a segment crosses the rows of samples: +1 or -1 from there to the right, summed up later. A row
// counts where its middle lies in the half-open interval between the ends, so that no corner counts twice.
static void mark_crossings(picture *p, const double *a, const double *b)
{
    const double scale = FINE / p->pixel;
    const double ax = (a[0] - p->left) * scale, ay = (p->top - a[1]) * scale;
    const double bx = (b[0] - p->left) * scale, by = (p->top - b[1]) * scale;
    const double low = fmax(ceil(fmin(ay, by) - 0.5), 0),
                 high = fmin(ceil(fmax(ay, by) - 0.5), p->map.height);
    for (double row = low; row < high; row++) {
        const double x = ceil(ax + (bx - ax) * (row + 0.5 - ay) / (by - ay) - 0.5);
        const double column = fmax(x, 0);
        if (!(column < p->map.width)) continue;
        int16_t *turns = &p->turns[(size_t)row * (size_t)p->map.width + (size_t)column];
        *turns = (int16_t)(*turns + (by > ay ? 1 : -1));
    }
}

// Running sums along the rows make winding numbers of the marks.
static void sum_turns(picture *p)
{
    for (int32_t y = 0; y < p->map.height; y++) {
        int16_t *row = p->turns + (size_t)y * (size_t)p->map.width;
        for (int32_t x = 1; x < p->map.width; x++) row[x] = (int16_t)(row[x] + row[x - 1]);
    }
}

// Without a contour in the definition no line is drawn, only the gaps between the discs are filled.
static void draw_contour(picture *p)
{
    const dlp_contour *contour = p->contour;
    for (int32_t loop = 0, k = 0; loop < contour->loop_count; loop++) {
        const int32_t begin = k, end = contour->loop_ends[loop];
        for (; k < end; k++) {
            const double *a = contour->points + 3 * (size_t)k;
            const double *b = contour->points + 3 * (size_t)(k + 1 < end ? k + 1 : begin);
            mark_crossings(p, a, b);
            if (p->def->contour != NULL) ink_segment(p, a, b);
        }
    }
    sum_turns(p);
}

// A sample: a disc, lighter in its middle; between discs within the contour the substance's colour; else what
// lies behind.
static dlp_vec3 shade_sample(const picture *p, size_t k, dlp_vec3 behind)
{
    const int32_t owner = p->map.owner[k];
    if (owner >= 0) {
        const double height = -(double)p->map.depth[k] / (double)p->balls[owner].thickness;
        const double round = fmin(fmax(height, 0), 1);  // of a half sphere: 1 in its middle
        return dlp_mul(p->colors[owner], 0.86 + 0.20 * round);
    }
    if (p->turns[k] == 0 || p->wide.owner[k] < 0) return behind;
    return dlp_mul(p->colors[p->wide.owner[k]], 0.82);
}

// Obstacles: grey, darker along the rim; anti-aliased by the distance itself.
static dlp_vec3 cover_with_obstacle(const picture *p, dlp_vec3 color, double distance)
{
    const double inside = fmin(fmax(0.5 - distance / p->pixel, 0), 1);
    const double rim = fmin(fmax(2.0 - fabs(distance + p->pixel) / p->pixel, 0), 1);
    const dlp_vec3 fill = dlp_color_linear(dlp_vec(0.74, 0.76, 0.79));
    const dlp_vec3 line = dlp_color_linear(dlp_vec(0.45, 0.48, 0.52));
    return dlp_color_mix(color, dlp_color_mix(fill, line, rim), inside);
}

// Mean of the samples, then the contour's ink over them.
static dlp_vec3 shade_pixel(const picture *p, int32_t x, int32_t y, double distance)
{
    const dlp_vec3 paper = dlp_color_linear(dlp_vec(0.972, 0.976, 0.982));
    dlp_vec3 base = cover_with_obstacle(p, paper, distance);
    dlp_vec3 sum = {0};
    for (int32_t s = 0; s < FINE * FINE; s++) {
        const size_t row = (size_t)(FINE * y + s / FINE);
        const size_t k = row * (size_t)p->map.width + (size_t)(FINE * x + s % FINE);
        sum = dlp_add(sum, shade_sample(p, k, base));
    }
    base = dlp_mul(sum, 1.0 / (FINE * FINE));
    const double ink = (double)p->ink[(size_t)y * (size_t)p->image->width + (size_t)x];
    return dlp_color_mix(base, dlp_color_linear(dlp_vec(0.08, 0.12, 0.20)), 0.75 * ink);
}

// The distance to the obstacles is found once per eight pixels; where that is far from every rim, the pixels
// between take it over. Distances change by at most a pixel per pixel.
static void shade_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    enum { TILE = 8 };
    (void)thread;
    const picture *p = context;
    for (int32_t y = begin; y < end; y++) {
        double tile_distance = 0;
        for (int32_t x = 0; x < p->image->width; x++) {
            const dlp_vec3 place = dlp_vec(p->left + p->pixel * (x + 0.5), p->top - p->pixel * (y + 0.5), 0);
            int32_t obstacle;
            if (x % TILE == 0) tile_distance = dlp_preview_distance(p->def, place, &obstacle);
            const bool is_far = fabs(tile_distance) > (TILE + 4) * p->pixel;
            const double distance =
                is_far || x % TILE == 0 ? tile_distance : dlp_preview_distance(p->def, place, &obstacle);
            const dlp_vec3 color = shade_pixel(p, x, y, distance);
            uint8_t *out = p->image->pixels + 3 * ((size_t)y * (size_t)p->image->width + (size_t)x);
            out[0] = dlp_color_byte(color.x);
            out[1] = dlp_color_byte(color.y);
            out[2] = dlp_color_byte(color.z);
        }
    }
}

// The wide discs share the buffer of the others: they are drawn first.
static void draw(picture *p)
{
    const dlp_preview_def *def = p->def;
    place_particles(p, 1.7);
    dlp_depth_map_draw(&p->wide, p->balls, def->count, def->team);
    place_particles(p, 0.98);
    dlp_depth_map_draw(&p->map, p->balls, def->count, def->team);
    draw_contour(p);
    dlp_parallel_for(def->team, p->image->height, 8, shade_rows, p);
}

// Without a contour in the definition one is made, for the gaps between discs alone.
dlp_status dlp_preview_draw_plane(const dlp_preview_def *def, dlp_image *image, dlp_error *error)
{
    picture p = {.def = def, .image = image};
    dlp_contour own = {0};
    const dlp_contour_def own_def = {.positions = def->positions, .radii = def->radii, .count = def->count};
    if (def->contour == NULL) DLP_TRY(dlp_contour_create(&own_def, &own, error));
    p.contour = def->contour != NULL ? def->contour : &own;
    frame_box(&p);
    const dlp_status status = make_room(&p, error);
    if (status == DLP_OK) draw(&p);
    dlp_contour_release(&own);
    dlp_free(p.balls);
    dlp_free(p.colors);
    dlp_free(p.ink);
    dlp_free(p.turns);
    dlp_depth_map_release(&p.map);
    dlp_depth_map_release(&p.wide);
    return status;
}
