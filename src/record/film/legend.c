// What is written into pictures: a panel with the colour scale, captions, and two pictures side by side. All
// sizes follow the picture's height.
#include "record/film/legend.h"
#include "record/film/font.h"

#include <assert.h>
#include <string.h>

static const dlp_vec3 text_color = {0.10, 0.12, 0.16};

// Sizes of everything in a legend, in pixels.
typedef struct layout {
    double unit;  // the height of a capital letter: the measure of the rest
    double left, top, width, height;
    double bar_left, bar_top, bar_width, bar_height;  // of the colours
    bool has_swatches;                                // of discrete values, instead of a bar
} layout;

static double widest_label(const dlp_color_scale *scale, double size)
{
    double width = 0;
    for (int32_t k = 0; k < scale->tick_count; k++)
        width = fmax(width, dlp_text_width(scale->ticks[k].label, size));
    return width;
}

// At the upper right corner, as wide as the widest of title and labels.
static layout arrange(int32_t image_width, int32_t image_height, const dlp_color_scale *scale)
{
    layout l = {.unit = fmax(image_height / 66.0, 6)};
    const double u = l.unit;
    l.has_swatches = dlp_color_field_is_discrete(scale->field);
    l.bar_width = 1.6 * u;
    l.bar_height = l.has_swatches ? 2.2 * u * scale->tick_count - 0.6 * u : fmax(image_height / 4.2, 8 * u);
    const double inner =
        fmax(l.bar_width + 1.1 * u + widest_label(scale, u), dlp_text_width(scale->title, u));
    l.width = inner + 2.4 * u;
    l.height = l.bar_height + 5.4 * u;
    l.left = image_width - l.width - 1.5 * u;
    l.top = 1.5 * u;
    l.bar_left = l.left + 1.2 * u;
    l.bar_top = l.top + 3.9 * u;
    return l;
}

static uint8_t *pixel_at(dlp_image *image, int32_t x, int32_t y)
{
    assert(x >= 0 && x < image->width && y >= 0 && y < image->height);
    return image->pixels + ((size_t)y * (size_t)image->width + (size_t)x) * (size_t)image->channels;
}

// In sRGB; the fourth channel stays.
static void mix_pixel(uint8_t *pixel, dlp_vec3 color, double share)
{
    const double parts[3] = {color.x, color.y, color.z};
    for (int32_t c = 0; c < 3; c++)
        pixel[c] = (uint8_t)(pixel[c] + share * (255 * parts[c] - pixel[c]) + 0.5);
}

// A rectangle (x, y, width, height) with round corners, anti-aliased; what lies outside of the picture is cut
// off.
static void fill_panel(dlp_image *image, const double box[4], double radius, dlp_vec3 color, double opacity)
{
    const double x0 = box[0], y0 = box[1], x1 = box[0] + box[2], y1 = box[1] + box[3];
    for (int32_t y = (int32_t)fmax(y0 - 1, 0); y < image->height && y <= y1 + 1; y++) {
        for (int32_t x = (int32_t)fmax(x0 - 1, 0); x < image->width && x <= x1 + 1; x++) {
            const double dx = fmax(fmax(x0 + radius - x - 0.5, x + 0.5 - x1 + radius), 0);
            const double dy = fmax(fmax(y0 + radius - y - 0.5, y + 0.5 - y1 + radius), 0);
            const double share = fmin(fmax(radius + 0.5 - hypot(dx, dy), 0), 1);
            if (share > 0) mix_pixel(pixel_at(image, x, y), color, opacity * share);
        }
    }
}

// What words stand on: nearly white, with a rim that shows on white, too.
static void draw_panel(dlp_image *image, const double box[4], double unit)
{
    const double rim = fmax(0.08 * unit, 1);
    const double outer[4] = {box[0] - rim, box[1] - rim, box[2] + 2 * rim, box[3] + 2 * rim};
    fill_panel(image, outer, 0.8 * unit + rim, text_color, 0.14);
    fill_panel(image, box, 0.8 * unit, dlp_vec(1, 1, 1), 0.84);
}

// The largest value is at the top.
static double bar_y(const layout *l, const dlp_color_scale *scale, double value)
{
    const double range = scale->max - scale->min;
    return l->bar_top + l->bar_height * (range > 0 ? (scale->max - value) / range : 0.5);
}

static void draw_bar(dlp_image *image, const layout *l, const dlp_color_scale *scale)
{
    const int32_t x0 = (int32_t)fmax(l->bar_left, 0), y0 = (int32_t)fmax(l->bar_top, 0);
    for (int32_t y = y0; y < image->height && y < l->bar_top + l->bar_height; y++) {
        const double share = (y + 0.5 - l->bar_top) / l->bar_height;
        const dlp_vec3 color = dlp_color_scale_at(scale, scale->max + share * (scale->min - scale->max));
        for (int32_t x = x0; x < image->width && x < l->bar_left + l->bar_width; x++)
            mix_pixel(pixel_at(image, x, y), color, 1);
    }
}

static void draw_tick_mark(dlp_image *image, const layout *l, double y)
{
    const double box[4] = {l->bar_left + l->bar_width, y - 0.06 * l->unit, 0.45 * l->unit,
                           fmax(0.12 * l->unit, 1)};
    fill_panel(image, box, 0, text_color, 1);
}

// Swatches are stacked in the order of their values, upward.
static dlp_status draw_ticks(dlp_image *image, const layout *l, const dlp_color_scale *scale,
                             dlp_error *error)
{
    const dlp_text_style style = {l->unit, text_color, DLP_ALIGN_LEFT};
    const double x = l->bar_left + l->bar_width + 1.1 * l->unit;
    for (int32_t k = 0; k < scale->tick_count; k++) {
        const double row = l->bar_top + 2.2 * l->unit * (scale->tick_count - 1 - k) + 0.8 * l->unit;
        const double y = l->has_swatches ? row : bar_y(l, scale, scale->ticks[k].value);
        const double swatch[4] = {l->bar_left, y - 0.8 * l->unit, l->bar_width, 1.6 * l->unit};
        if (l->has_swatches)
            fill_panel(image, swatch, 0.3 * l->unit, dlp_color_scale_at(scale, scale->ticks[k].value), 1);
        else
            draw_tick_mark(image, l, y);
        DLP_TRY(dlp_text_draw(image, scale->ticks[k].label, x, y + 0.5 * l->unit, &style, error));
    }
    return DLP_OK;
}

// As if drawn at the left edge: what stands out to its left.
int32_t dlp_legend_width(const dlp_color_scale *scale, int32_t height)
{
    return (int32_t)ceil(-arrange(0, height, scale).left);
}

dlp_status dlp_legend_draw(dlp_image *image, const dlp_color_scale *scale, dlp_error *error)
{
    const layout l = arrange(image->width, image->height, scale);
    const dlp_text_style style = {l.unit, text_color, DLP_ALIGN_LEFT};
    draw_panel(image, (const double[4]){l.left, l.top, l.width, l.height}, l.unit);
    if (!l.has_swatches) draw_bar(image, &l, scale);
    DLP_TRY(draw_ticks(image, &l, scale, error));
    return dlp_text_draw(image, scale->title, l.bar_left, l.top + 2.2 * l.unit, &style, error);
}

// The letters shrink where the words would not fit.
dlp_status dlp_caption_draw(dlp_image *image, const char *text, dlp_caption_place place, int32_t left,
                            int32_t right, dlp_error *error)
{
    double unit = fmax(image->height / 50.0, 7);
    const double room = right - left - 4 * unit, wanted = dlp_text_width(text, unit);
    if (wanted > room && wanted > 0) unit = fmax(unit * room / wanted, 5);
    const double width = dlp_text_width(text, unit), middle = 0.5 * (left + right);
    const double top = place == DLP_CAPTION_TOP ? 1.5 * unit : image->height - 4.5 * unit;
    const double box[4] = {middle - 0.5 * width - 1.2 * unit, top, width + 2.4 * unit, 3 * unit};
    draw_panel(image, box, unit);
    const dlp_text_style style = {unit, text_color, DLP_ALIGN_MIDDLE};
    return dlp_text_draw(image, text, middle, top + 2 * unit, &style, error);
}

// Pixel by pixel, since the channels may differ.
static void copy_picture(const dlp_image *from, dlp_image *to, int32_t left)
{
    for (int32_t y = 0; y < from->height; y++)
        for (int32_t x = 0; x < from->width; x++) {
            const size_t k = ((size_t)y * (size_t)from->width + (size_t)x) * (size_t)from->channels;
            memcpy(pixel_at(to, left + x, y), from->pixels + k, 3);
        }
}

// The line between them is white, wider in larger pictures.
dlp_status dlp_image_beside(const dlp_image *left, const dlp_image *right, dlp_image *out_image,
                            dlp_error *error)
{
    *out_image = (dlp_image){0};
    if (left->height != right->height)
        return dlp_fail(error, DLP_INVALID, "pictures of %d and %d rows do not fit next to each other",
                        left->height, right->height);
    DLP_TRY(dlp_image_init(out_image, left->width + right->width, left->height, 3, error));
    copy_picture(left, out_image, 0);
    copy_picture(right, out_image, left->width);
    const int32_t half = 1 + left->height / 800;
    for (int32_t y = 0; y < left->height; y++)
        for (int32_t x = left->width - half; x < left->width + half; x++)
            if (x >= 0 && x < out_image->width) mix_pixel(pixel_at(out_image, x, y), dlp_vec(1, 1, 1), 1);
    return DLP_OK;
}
