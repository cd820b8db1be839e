// Plots as SVG elements. Numbers are written with points in any locale; labels are escaped.
#include "record/plot.h"
#include "record/palette.h"

#include <string.h>

// Sizes in units of the page; margins around the axes.
enum { WIDTH = 720, HEIGHT = 420, LEFT = 84, RIGHT = 24, TOP = 40, BOTTOM = 58, ENTRY = 18, TICK_LIMIT = 32 };

// One axis: its range in the scale it is drawn in (the logarithm to base 10 on a log axis) and on the page. y
// grows downward on the page.
typedef struct axis {
    bool is_log;
    double low, high;
    double begin, end;  // page units
} axis;

// The value in the scale that the axis is drawn in.
static double scaled(const axis *a, double value)
{
    return a->is_log ? log10(value) : value;
}

// Points that have no place on an axis are left out.
static bool is_shown(const axis *a, double value)
{
    return isfinite(value) && (!a->is_log || value > 0);
}

// Linear between the ends of the axis.
static double on_page(const axis *a, double value)
{
    return a->begin + (scaled(a, value) - a->low) / (a->high - a->low) * (a->end - a->begin);
}

static void include(axis *a, double value)
{
    a->low = fmin(a->low, scaled(a, value));
    a->high = fmax(a->high, scaled(a, value));
}

// Gives an axis without values, or with a single one, some length, and others a margin; 0 is kept as an end
// where it is near.
static void settle(axis *a)
{
    if (!(a->low <= a->high)) a->low = 0, a->high = 1;
    const double size = fmax(fabs(a->low), fabs(a->high));
    if (!(a->high - a->low > 1e-12 * size)) {
        const double air = size > 0 ? 0.5 * size : 0.5;
        a->low -= air;
        a->high += air;
    } else {
        const double air = 0.04 * (a->high - a->low);
        a->low = !a->is_log && a->low >= 0 && a->low < air ? 0 : a->low - air;
        a->high += air;
    }
}

// Only points that are shown on both axes count.
static void find_axes(const dlp_plot *plot, axis *x, axis *y)
{
    *x = (axis){plot->is_log_x, HUGE_VAL, -HUGE_VAL, LEFT, WIDTH - RIGHT};
    *y = (axis){plot->is_log_y, HUGE_VAL, -HUGE_VAL, HEIGHT - BOTTOM, TOP};
    for (int32_t s = 0; s < plot->series_count; s++) {
        const dlp_series *series = &plot->series[s];
        for (int32_t k = 0; k < series->count; k++) {
            if (!is_shown(x, series->x[k]) || !is_shown(y, series->y[k])) continue;
            include(x, series->x[k]);
            include(y, series->y[k]);
        }
    }
    settle(x);
    settle(y);
}

// Distance of ticks: 1, 2 or 5 times a power of ten, so that there are about six; whole decades on a log axis
// that spans several.
static double tick_step(const axis *a)
{
    const double rough = (a->high - a->low) / 6;
    const double power = pow(10, floor(log10(rough))), lead = rough / power;
    const double step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
    return a->is_log && a->high - a->low > 1.5 ? fmax(ceil(step), 1) : step;
}

// Multiples of the step within the axis, ascending; returns how many.
static int32_t find_ticks(const axis *a, double out_values[TICK_LIMIT])
{
    const double step = tick_step(a);
    const double first = ceil(a->low / step - 1e-9);
    int32_t count = 0;
    for (; count < TICK_LIMIT; count++) {
        const double place = (first + count) * step;
        if (!(place <= a->high + 1e-9 * step)) break;
        const double value = a->is_log ? pow(10, place) : place;
        out_values[count] = fabs(value) < 1e-9 * step && !a->is_log ? 0 : value;
    }
    return count;
}

// Numbers that are not finite would break the SVG: 0.
static void add_attribute(dlp_string *page, const char *name, double value)
{
    dlp_string_add(page, " %s=\"", name);
    dlp_format_number(page, isfinite(value) ? value : 0, 6);
    dlp_string_add(page, "\"");
}

static void add_line(dlp_string *page, double x1, double y1, double x2, double y2)
{
    dlp_string_add(page, "<line");
    add_attribute(page, "x1", x1);
    add_attribute(page, "y1", y1);
    add_attribute(page, "x2", x2);
    add_attribute(page, "y2", y2);
    dlp_string_add(page, "/>");
}

// `style`: further attributes, as they are; the words are escaped.
static void add_words(dlp_string *page, double x, double y, const char *style, const char *words)
{
    dlp_string_add(page, "<text");
    add_attribute(page, "x", x);
    add_attribute(page, "y", y);
    dlp_string_add(page, " %s>", style);
    dlp_format_escaped(page, words);
    dlp_string_add(page, "</text>\n");
}

// Grid lines, the two axes, the numbers beside them, title and labels.
static void draw_axes(const dlp_plot *plot, const axis *x, const axis *y, dlp_string *page)
{
    double ticks[TICK_LIMIT];
    dlp_string_add(page, "<g stroke=\"#e3e7ec\">");
    int32_t count = find_ticks(x, ticks);
    for (int32_t k = 0; k < count; k++)
        add_line(page, on_page(x, ticks[k]), TOP, on_page(x, ticks[k]), y->begin);
    count = find_ticks(y, ticks);
    for (int32_t k = 0; k < count; k++)
        add_line(page, LEFT, on_page(y, ticks[k]), x->end, on_page(y, ticks[k]));
    dlp_string_add(page, "</g>\n<g stroke=\"#66707c\">");
    add_line(page, LEFT, y->begin, x->end, y->begin);
    add_line(page, LEFT, TOP, LEFT, y->begin);
    dlp_string_add(page, "</g>\n<g fill=\"#46505c\" font-size=\"12\">");
    dlp_string word = {0};
    for (int32_t k = 0; k < count; k++) {
        dlp_string_cut(&word, 0);
        dlp_format_number(&word, ticks[k], 5);
        if (word.data != NULL)
            add_words(page, LEFT - 8, on_page(y, ticks[k]) + 4, "text-anchor=\"end\"", word.data);
    }
    count = find_ticks(x, ticks);
    for (int32_t k = 0; k < count; k++) {
        dlp_string_cut(&word, 0);
        dlp_format_number(&word, ticks[k], 5);
        if (word.data != NULL)
            add_words(page, on_page(x, ticks[k]), y->begin + 18, "text-anchor=\"middle\"", word.data);
    }
    dlp_string_release(&word);
    dlp_string_add(page, "</g>\n");
    const double middle = (x->begin + x->end) / 2;
    if (plot->title != NULL)
        add_words(page, middle, 22, "text-anchor=\"middle\" font-weight=\"600\" fill=\"#1d2733\"",
                  plot->title);
    add_words(page, middle, HEIGHT - 14, "text-anchor=\"middle\" fill=\"#1d2733\"", plot->x_label);
    dlp_string_add(page, "<g transform=\"translate(18 %d) rotate(-90)\">", (HEIGHT - BOTTOM + TOP) / 2);
    add_words(page, 0, 0, "text-anchor=\"middle\" fill=\"#1d2733\"", plot->y_label);
    dlp_string_add(page, "</g>\n");
}

static void add_color(dlp_string *page, const char *name, int32_t index)
{
    const dlp_vec3 c = dlp_mul(dlp_color_of_index(index), 255);
    dlp_string_add(page, " %s=\"#%02x%02x%02x\"", name, (unsigned)c.x, (unsigned)c.y, (unsigned)c.z);
}

// Half transparent, so that dense clouds show.
static void draw_points(const dlp_series *series, int32_t index, const axis *x, const axis *y,
                        dlp_string *page)
{
    dlp_string_add(page, "<g fill-opacity=\"0.85\"");
    add_color(page, "fill", index);
    dlp_string_add(page, ">");
    for (int32_t k = 0; k < series->count; k++) {
        if (!is_shown(x, series->x[k]) || !is_shown(y, series->y[k])) continue;
        dlp_string_add(page, "<circle r=\"3.2\"");
        add_attribute(page, "cx", on_page(x, series->x[k]));
        add_attribute(page, "cy", on_page(y, series->y[k]));
        dlp_string_add(page, "/>");
    }
    dlp_string_add(page, "</g>\n");
}

// A line is interrupted where a point is missing, rather than drawn through the gap.
static void draw_line(const dlp_series *series, int32_t index, const axis *x, const axis *y, dlp_string *page)
{
    dlp_string_add(page, "<path fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\"");
    add_color(page, "stroke", index);
    if (series->mark == DLP_MARK_DASHES) dlp_string_add(page, " stroke-dasharray=\"6 4\"");
    dlp_string_add(page, " d=\"");
    bool is_drawing = false;
    for (int32_t k = 0; k < series->count; k++) {
        const bool is_here = is_shown(x, series->x[k]) && is_shown(y, series->y[k]);
        if (is_here) {
            dlp_string_add(page, is_drawing ? "L" : "M");
            dlp_format_number(page, on_page(x, series->x[k]), 6);
            dlp_string_add(page, " ");
            dlp_format_number(page, on_page(y, series->y[k]), 6);
        }
        is_drawing = is_here;
    }
    dlp_string_add(page, "\"/>\n");
}

// One entry of the legend: a mark as the series is drawn, then its name. The class `halo` gives the words a
// white rim.
static void draw_entry(const dlp_series *series, int32_t index, double x, double y, dlp_string *page)
{
    if (series->mark == DLP_MARK_POINTS) {
        dlp_string_add(page, "<circle r=\"3.2\"");
        add_attribute(page, "cx", x + 10);
        add_attribute(page, "cy", y - 4);
        add_color(page, "fill", index);
        dlp_string_add(page, "/>");
    } else {
        dlp_string_add(page, "<g stroke-width=\"2\"%s",
                       series->mark == DLP_MARK_DASHES ? " stroke-dasharray=\"6 4\"" : "");
        add_color(page, "stroke", index);
        dlp_string_add(page, ">");
        add_line(page, x, y - 4, x + 20, y - 4);
        dlp_string_add(page, "</g>");
    }
    add_words(page, x + 28, y, "font-size=\"12\" fill=\"#1d2733\" class=\"halo\"", series->name);
}

// Over the plot, at its upper left.
static void draw_legend(const dlp_plot *plot, dlp_string *page)
{
    for (int32_t s = 0; s < plot->series_count; s++)
        draw_entry(&plot->series[s], s, LEFT + 14, TOP + 16 + ENTRY * s, page);
}

// Columns of the legend below, so that the longest name has room. Letters are about 7 units wide.
static int32_t legend_columns(const dlp_plot *plot)
{
    size_t longest = 1;
    for (int32_t s = 0; s < plot->series_count; s++) {
        const size_t length = strlen(plot->series[s].name);
        if (length > longest) longest = length;
    }
    const int32_t columns = (WIDTH - LEFT - RIGHT) / (int32_t)(40 + 7 * (longest < 80 ? longest : 80));
    return columns > 1 ? columns : 1;
}

static int32_t legend_height(const dlp_plot *plot)
{
    const int32_t columns = legend_columns(plot);
    return plot->has_legend_below ? ENTRY * ((plot->series_count + columns - 1) / columns) : 0;
}

static void draw_legend_below(const dlp_plot *plot, dlp_string *page)
{
    const int32_t columns = legend_columns(plot), width = (WIDTH - LEFT - RIGHT) / columns;
    for (int32_t s = 0; s < plot->series_count; s++)
        draw_entry(&plot->series[s], s, LEFT + width * (s % columns), HEIGHT + 8 + ENTRY * (s / columns),
                   page);
}

// The size is that of the page around it: the view box scales.
void dlp_plot_write(const dlp_plot *plot, dlp_string *out_page)
{
    axis x, y;
    find_axes(plot, &x, &y);
    dlp_string_add(
        out_page,
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n",
        WIDTH, HEIGHT + legend_height(plot));
    draw_axes(plot, &x, &y, out_page);
    for (int32_t s = 0; s < plot->series_count; s++) {
        if (plot->series[s].mark == DLP_MARK_POINTS)
            draw_points(&plot->series[s], s, &x, &y, out_page);
        else
            draw_line(&plot->series[s], s, &x, &y, out_page);
    }
    if (plot->has_legend_below)
        draw_legend_below(plot, out_page);
    else
        draw_legend(plot, out_page);
    dlp_string_add(out_page, "</svg>\n");
}
