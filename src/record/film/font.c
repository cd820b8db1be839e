// Draws text with a round pen along the strokes of glyphs.h, anti-aliased by the distance to them.
#include "record/film/font.h"
#include "record/film/glyphs.h"
#include "record/palette.h"
#include "scene/scene_text.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { GLYPH_COUNT = sizeof glyphs / sizeof glyphs[0], RAISED_COUNT = sizeof raised / sizeof raised[0] };

#define CAPITAL 6.0  /* grid units from the base line to a capital's top */
#define BASE    2.0  /* grid height of the base line */
#define GAP     2.0  /* between two letters */
#define PEN     0.95 /* width of the pen, grid units */
#define DOT     1.3  /* times the pen: width of a dot */
#define SMALL   0.62 /* size of a raised character */
#define LIFT    2.6  /* grid units of it above the base line */

// For characters that the font does not have.
static const dlp_glyph box_glyph = {0, 4, "0242480802"};

static const dlp_glyph *find_glyph(int32_t code_point)
{
    for (int32_t k = 0; k < GLYPH_COUNT; k++)
        if (glyphs[k].code_point == code_point) return &glyphs[k];
    return NULL;
}

// A character's shape, how large it is drawn and how far above the base line (grid units).
typedef struct letter {
    const dlp_glyph *glyph;
    double scale, lift;
} letter;

// Raised characters are small and lifted shapes of others.
static letter find_letter(int32_t code_point)
{
    for (int32_t k = 0; k < RAISED_COUNT; k++)
        if (raised[k].code_point == code_point) return (letter){find_glyph(raised[k].shape), SMALL, LIFT};
    const dlp_glyph *glyph = find_glyph(code_point);
    return (letter){glyph != NULL ? glyph : &box_glyph, 1, 0};
}

bool dlp_font_has(int32_t code_point)
{
    return find_letter(code_point).glyph != &box_glyph;
}

// The next character; bytes that are no UTF-8 count as one unknown character each.
static bool next_letter(const char **at, const char *end, letter *out_letter)
{
    if (*at >= end) return false;
    const char *before = *at;
    const int32_t code_point = dlp_utf8_next(at, end);
    if (code_point < 0) *at = before + 1;
    *out_letter = find_letter(code_point);
    return true;
}

// Grid units to the next letter's origin.
static double advance(const letter *l)
{
    return (l->glyph->width + GAP) * l->scale;
}

// The last letter has no gap behind it; the pen adds half of its width at both ends.
double dlp_text_width(const char *text, double size)
{
    const char *end = text + strlen(text);
    double width = 0;
    for (letter l; next_letter(&text, end, &l);) width += advance(&l);
    return width > 0 ? (width - GAP + PEN) * size / CAPITAL : 0;
}

// Ink on a layer of its own, which then colours the picture: strokes that cross do not count twice.
typedef struct canvas {
    int32_t left, top, width, height;  // pixels of the picture
    float *ink;                        // one per pixel, 0..1; owned
    double x, y, unit;                 // pixels: the next letter's origin on the base line; a grid unit
    double pen;                        // pixels: half of its width
} canvas;

// A straight stroke with round ends; a dot where both points are one.
static void draw_line(canvas *p, const double a[2], const double b[2])
{
    const double ax = a[0] - p->left, ay = a[1] - p->top, bx = b[0] - a[0], by = b[1] - a[1];
    const double square = bx * bx + by * by;
    const double pen = square > 0 ? p->pen : DOT * p->pen, reach = pen + 1;
    const double low_x = fmin(ax, ax + bx) - reach, high_x = fmax(ax, ax + bx) + reach;
    const double low_y = fmin(ay, ay + by) - reach, high_y = fmax(ay, ay + by) + reach;
    for (int32_t y = (int32_t)fmax(low_y, 0); y < p->height && y <= high_y; y++) {
        for (int32_t x = (int32_t)fmax(low_x, 0); x < p->width && x <= high_x; x++) {
            const double px = x + 0.5 - ax, py = y + 0.5 - ay;
            const double along = square > 0 ? fmin(fmax((px * bx + py * by) / square, 0), 1) : 0;
            const double distance = hypot(px - along * bx, py - along * by);
            float *ink = &p->ink[(size_t)y * (size_t)p->width + (size_t)x];
            *ink = fmaxf(*ink, (float)fmin(fmax(pen + 0.5 - distance, 0), 1));
        }
    }
}

// A quadratic Bezier curve in short lines; `at` moves to its end.
static void draw_curve(canvas *p, double at[2], const double lead[2], const double end[2])
{
    enum { PIECES = 8 };
    const double start[2] = {at[0], at[1]};
    for (int32_t k = 1; k <= PIECES; k++) {
        const double t = (double)k / PIECES, s = 1 - t;
        double next[2];
        for (int32_t c = 0; c < 2; c++) next[c] = s * s * start[c] + 2 * s * t * lead[c] + t * t * end[c];
        draw_line(p, at, next);
        memcpy(at, next, sizeof next);
    }
}

// Points of a stroke.
enum { POINT_LIMIT = 16 };

static void middle(const double a[2], const double b[2], double out[2])
{
    out[0] = 0.5 * (a[0] + b[0]);
    out[1] = 0.5 * (a[1] + b[1]);
}

// A quadratic B-spline: the curve runs through the middles between points; open ones start and end at their
// ends.
static void draw_smooth(canvas *p, double (*points)[2], int32_t count)
{
    assert(count >= 2);
    const bool is_closed = memcmp(points[0], points[count - 1], sizeof points[0]) == 0;
    double at[2], end[2];
    if (is_closed)
        middle(points[count - 2], points[0], at);
    else
        memcpy(at, points[0], sizeof at);
    for (int32_t k = is_closed ? 0 : 1; k + 1 < count; k++) {
        const bool is_last = !is_closed && k + 2 == count;
        middle(points[k], points[k + 1], end);
        draw_curve(p, at, points[k], is_last ? points[k + 1] : end);
    }
}

// A stroke as glyphs.h writes it: pairs of digits, after an 's' where it is smooth.
static void draw_stroke(canvas *p, const char *stroke, size_t length, const letter *l)
{
    const bool is_smooth = stroke[0] == 's';
    double points[POINT_LIMIT][2];
    int32_t count = 0;
    for (size_t k = is_smooth; k + 1 < length && count < POINT_LIMIT; k += 2, count++) {
        points[count][0] = p->x + (stroke[k] - '0') * l->scale * p->unit;
        points[count][1] = p->y - ((stroke[k + 1] - '0' - BASE) * l->scale + l->lift) * p->unit;
    }
    if (is_smooth)
        draw_smooth(p, points, count);
    else
        for (int32_t k = 0; k + 1 < count; k++) draw_line(p, points[k], points[k + 1]);
}

static void draw_letter(canvas *p, const letter *l)
{
    for (const char *stroke = l->glyph->strokes; *stroke != '\0';) {
        const size_t length = strcspn(stroke, " ");
        draw_stroke(p, stroke, length, l);
        stroke += length + (stroke[length] == ' ');
    }
    p->x += advance(l) * p->unit;
}

// Mixes the colour in by the ink, in sRGB.
static void color_picture(const canvas *p, dlp_image *image, dlp_vec3 color)
{
    const double parts[3] = {color.x, color.y, color.z};
    for (int32_t y = 0; y < p->height; y++) {
        for (int32_t x = 0; x < p->width; x++) {
            const double ink = (double)p->ink[(size_t)y * (size_t)p->width + (size_t)x];
            const size_t pixel = (size_t)(p->top + y) * (size_t)image->width + (size_t)(p->left + x);
            uint8_t *out = image->pixels + pixel * (size_t)image->channels;
            for (int32_t c = 0; ink > 0 && c < 3; c++)
                out[c] = (uint8_t)(out[c] + ink * (255 * parts[c] - out[c]) + 0.5);
        }
    }
}

// The layer covers the text and a margin for strokes below the line, within the picture.
dlp_status dlp_text_draw(dlp_image *image, const char *text, double x, double y, const dlp_text_style *style,
                         dlp_error *error)
{
    const double unit = style->size / CAPITAL, width = dlp_text_width(text, style->size);
    const double start = x - width * (style->align == DLP_ALIGN_LEFT     ? 0
                                      : style->align == DLP_ALIGN_MIDDLE ? 0.5
                                                                         : 1);
    canvas p = {.x = start + 0.5 * PEN * unit, .y = y, .unit = unit, .pen = fmax(0.5 * PEN * unit, 0.55)};
    const double left = fmax(floor(start - unit), 0), top = fmax(floor(y - (CAPITAL + 2) * unit), 0);
    const double right = fmin(ceil(start + width + unit), image->width);
    const double bottom = fmin(ceil(y + 3 * unit), image->height);
    if (!(left < right && top < bottom)) return DLP_OK;
    p.left = (int32_t)left;
    p.top = (int32_t)top;
    p.width = (int32_t)(right - left);
    p.height = (int32_t)(bottom - top);
    p.ink = dlp_alloc((size_t)p.width * (size_t)p.height, sizeof *p.ink, "pictures");
    if (p.ink == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for its text");
    const char *end = text + strlen(text);
    for (letter l; next_letter(&text, end, &l);) draw_letter(&p, &l);
    color_picture(&p, image, style->color);
    dlp_free(p.ink);
    return DLP_OK;
}
