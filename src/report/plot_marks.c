/* plot_marks.c - see plot_marks.h.
 *
 * A line is thinned to what a printer can show, and cut at the box, so that a file stays small and coordinates stay in
 * cairo's range, whatever the numbers are. */
#include "report/plot_marks.h"

#include <math.h>
#include <stdlib.h>

#define PIXEL   (72.0 / 200.0) /* points: the columns that a line is thinned to */
#define BAR_GAP 0.6

enum { IMAGE_SCALE = 4 }; /* pixels per point of a heat map: cells then have sharp edges in any viewer */

/* -- Axes --------------------------------------------------------------------------------------------------------- */

/* log(a / b), also where the quotient is beyond the largest number. */
static double log_ratio(double a, double b) {
    double ratio = a / b;
    return ratio > 0.0 && isfinite(ratio) ? log(ratio) : log(a) - log(b);
}

/* With halves, because high - low may overflow. */
double plot_place(const plot_axis *a, double value) {
    if (!isfinite(value) || (a->logarithmic && value <= 0.0)) return (double)NAN;
    double share = a->logarithmic ? log_ratio(value, a->low) / log_ratio(a->high, a->low)
                                  : (value / 2.0 - a->low / 2.0) / (a->high / 2.0 - a->low / 2.0);
    double place = a->from + share * (a->to - a->from);
    return isfinite(place) ? place : (double)NAN;
}

double plot_value(const plot_axis *a, double place) {
    double share = (place - a->from) / (a->to - a->from);
    if (a->logarithmic) return exp((1.0 - share) * log(a->low) + share * log(a->high));
    return (1.0 - share) * a->low + share * a->high;
}

/* As plot_place(), but values <= 0 are at the end of a logarithmic axis, and places are clamped to a margin of the box. */
static double bounded_place(const plot_axis *a, double value) {
    double margin = 20.0, least = fmin(a->from, a->to) - margin, most = fmax(a->from, a->to) + margin;
    double place = a->logarithmic && value <= 0.0 ? a->from : plot_place(a, value);
    return isnan(place) ? place : fmin(fmax(place, least), most);
}

/* -- Lines -------------------------------------------------------------------------------------------------------- */

typedef struct point {
    double x, y;
    size_t index;
} point;

typedef struct trail {
    canvas *c;
    double  low[2], high[2]; /* of the box, with a margin */
    point   last;            /* of the line; where the pen is, if it is down */
    double  length;          /* of what is drawn */
    bool    begun, down, drawn;
    point   column[4]; /* of the points in a column of pixels: first, lowest, highest, last */
    size_t  gathered;
} trail;

static double pinned(const trail *t, double value, int k) { return fmin(fmax(value, t->low[k]), t->high[k]); }

/* The part of a line from a to b inside the box, as shares of its length (Liang and Barsky, 1984). */
static bool inside(const trail *t, const point *a, const point *b, double *enter, double *leave) {
    const double from[2] = {a->x, a->y}, way[2] = {b->x - a->x, b->y - a->y};
    *enter = 0.0;
    *leave = 1.0;
    for (int k = 0; k < 2; k++) {
        double to_low = (t->low[k] - from[k]) / way[k], to_high = (t->high[k] - from[k]) / way[k];
        if (way[k] == 0.0) {
            if (from[k] < t->low[k] || from[k] > t->high[k]) return false;
            continue;
        }
        *enter = fmax(*enter, fmin(to_low, to_high));
        *leave = fmin(*leave, fmax(to_low, to_high));
    }
    return *enter <= *leave;
}

static void go_to(trail *t, point next) {
    point  last = t->last;
    double enter, leave;
    t->last = next;
    if (!t->begun) {
        t->begun = true;
        t->down = t->drawn = false;
        return;
    }
    if (!inside(t, &last, &next, &enter, &leave)) {
        t->down = false;
        return;
    }
    if (!t->down)
        t->c->cairo.move_to(t->c->pen, pinned(t, last.x + enter * (next.x - last.x), 0),
                            pinned(t, last.y + enter * (next.y - last.y), 1));
    t->c->cairo.line_to(t->c->pen, pinned(t, last.x + leave * (next.x - last.x), 0),
                        pinned(t, last.y + leave * (next.y - last.y), 1));
    t->length += (leave - enter) * hypot(next.x - last.x, next.y - last.y);
    t->down = leave >= 1.0;
    t->drawn = true;
}

/* The points of a column in the order in which they came. */
static void end_column(trail *t) {
    const point *p = t->column;
    bool         low_first = p[1].index < p[2].index;
    const point *order[4] = {p, p + (low_first ? 1 : 2), p + (low_first ? 2 : 1), p + 3};
    for (size_t i = 0, last = SIZE_MAX; t->gathered && i < 4; i++) {
        if (order[i]->index != last) go_to(t, *order[i]);
        last = order[i]->index;
    }
    t->gathered = 0;
}

static void add_point(trail *t, point p) {
    if (t->gathered && floor(p.x / PIXEL) != floor(t->column[0].x / PIXEL)) end_column(t);
    if (!t->gathered++)
        for (size_t i = 0; i < 4; i++) t->column[i] = p;
    if (p.y > t->column[1].y) t->column[1] = p;
    if (p.y < t->column[2].y) t->column[2] = p;
    t->column[3] = p;
}

/* A point between two gaps is a line without length: its round ends make a dot. */
static void end_line(trail *t) {
    end_column(t);
    if (t->begun && !t->drawn) go_to(t, t->last);
    t->begun = false;
}

static void set_pen(canvas *c, const mark *m, double width, double alpha) {
    const double *lengths;
    size_t        count = palette_dash(m->colour, m->dashed, &lengths);
    canvas_colour(c, palette_colour(m->colour), alpha);
    c->cairo.set_line_width(c->pen, width);
    c->cairo.set_line_cap(c->pen, count ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    c->cairo.set_dash(c->pen, lengths, (int)count, 0.0);
}

static trail begin_trail(canvas *c, const plot *p) {
    double margin = 5.0;
    return (trail){
        .c = c, .low = {p->x.from - margin, p->y.to - margin}, .high = {p->x.to + margin, p->y.from + margin}};
}

/* A line that would cover half the box is drawn thin and translucent. */
static void draw_line(canvas *c, const plot *p, const mark *m) {
    const double thick = 1.2;
    trail        t = begin_trail(c, p);
    for (size_t i = 0; i < m->count; i++) {
        point next = {plot_place(&p->x, m->x[i]), plot_place(&p->y, m->y[i]), i};
        if (isnan(next.x) || isnan(next.y))
            end_line(&t);
        else
            add_point(&t, next);
    }
    end_line(&t);
    bool crowded = thick * t.length > 0.5 * (p->x.to - p->x.from) * (p->y.from - p->y.to);
    set_pen(c, m, crowded ? 0.5 : thick, crowded ? 0.8 : 1.0);
    c->cairo.stroke(c->pen);
}

/* Across the whole box, at x or at y. */
static void draw_rule(canvas *c, const plot *p, const mark *m) {
    set_pen(c, m, 0.9, 1.0);
    c->cairo.set_line_cap(c->pen, CAIRO_LINE_CAP_BUTT);
    for (size_t i = 0; i < m->count; i++) {
        double x = bounded_place(&p->x, m->x[i]), y = bounded_place(&p->y, m->y[i]);
        if (!isnan(x)) canvas_line(c, x, p->y.from, x, p->y.to);
        if (!isnan(y)) canvas_line(c, p->x.from, y, p->x.to, y);
    }
}

/* -- Areas -------------------------------------------------------------------------------------------------------- */

/* Two sides of a band, with their points in one column of pixels as one. */
typedef struct band {
    double *x, *low, *high;
    size_t  count;
} band;

static void add_to_band(band *b, double x, double low, double high, bool *column_full) {
    double first = fmin(low, high), second = fmax(low, high);
    bool   same = b->count && floor(x / PIXEL) == floor(b->x[b->count - 1] / PIXEL);
    if (same && *column_full) {
        b->low[b->count - 1] = fmin(b->low[b->count - 1], first);
        b->high[b->count - 1] = fmax(b->high[b->count - 1], second);
        return;
    }
    *column_full = same;
    b->x[b->count] = x;
    b->low[b->count] = first;
    b->high[b->count++] = second;
}

static void end_band(canvas *c, band *b) {
    if (b->count) c->cairo.move_to(c->pen, b->x[0], b->low[0]);
    for (size_t i = 1; i < b->count; i++) c->cairo.line_to(c->pen, b->x[i], b->low[i]);
    for (size_t i = b->count; i > 0; i--) c->cairo.line_to(c->pen, b->x[i - 1], b->high[i - 1]);
    if (b->count) c->cairo.close_path(c->pen);
    b->count = 0;
}

static void draw_band(canvas *c, const plot *p, const mark *m) {
    double *room = malloc((3 * m->count + 1) * sizeof *room);
    if (!room) {
        c->failed = true;
        return;
    }
    band b = {.x = room, .low = room + m->count, .high = room + 2 * m->count};
    bool column_full = false;
    for (size_t i = 0; i < m->count; i++) {
        double x = bounded_place(&p->x, m->x[i]), low = bounded_place(&p->y, m->low[i]);
        double high = bounded_place(&p->y, m->high[i]);
        if (isnan(plot_place(&p->x, m->x[i])) || isnan(low) || isnan(high))
            end_band(c, &b);
        else
            add_to_band(&b, x, low, high, &column_full);
    }
    end_band(c, &b);
    free(room);
    canvas_colour(c, palette_colour(m->colour), 0.2);
    c->cairo.fill(c->pen);
}

/* A rectangle between two places on each axis. */
static void add_rectangle(canvas *c, double x0, double y0, double x1, double y1) {
    c->cairo.rectangle(c->pen, fmin(x0, x1), fmin(y0, y1), fabs(x1 - x0), fabs(y1 - y0));
}

/* One path for all bars: between two that touch there is no seam. Wide ones have a gap. */
static void draw_bars(canvas *c, const plot *p, const mark *m) {
    double ground = bounded_place(&p->y, 0.0);
    for (size_t i = 0; i < m->count; i++) {
        double x0 = bounded_place(&p->x, m->low[i]), x1 = bounded_place(&p->x, m->high[i]);
        double top = bounded_place(&p->y, m->y[i]);
        if (isnan(x0) || isnan(x1) || isnan(top)) continue;
        double gap = fabs(x1 - x0) > 5.0 * BAR_GAP ? copysign(BAR_GAP / 2.0, x1 - x0) : 0.0;
        add_rectangle(c, x0 + gap, ground, x1 - gap, top);
    }
    if (m->dashed) {
        set_pen(c, m, 0.9, 1.0);
        c->cairo.stroke(c->pen);
        return;
    }
    canvas_colour(c, palette_colour(m->colour), 0.65);
    c->cairo.fill(c->pen);
}

static void draw_spans(canvas *c, const plot *p, const mark *m) {
    for (size_t i = 0; i < m->count; i++) {
        double x0 = bounded_place(&p->x, m->low[i]), x1 = bounded_place(&p->x, m->high[i]);
        if (!isnan(x0) && !isnan(x1)) add_rectangle(c, x0, p->y.from, x1, p->y.to);
    }
    canvas_colour(c, palette_colour(m->colour), 0.16);
    c->cairo.fill(c->pen);
}

/* -- Dots --------------------------------------------------------------------------------------------------------- */

static bool in_box(const plot *p, double x, double y) {
    return x >= p->x.from && x <= p->x.to && y <= p->y.from && y >= p->y.to;
}

static void draw_error_bar(canvas *c, double x, double low, double high) {
    double half = 2.2;
    canvas_line(c, x, low, x, high);
    canvas_line(c, x - half, low, x + half, low);
    canvas_line(c, x - half, high, x + half, high);
}

/* A dot is a line without length that has round ends: much shorter in a file than a circle. The more there are, the
 * smaller they are. */
static void draw_dots(canvas *c, const plot *p, const mark *m) {
    double diameter = m->count <= 40 ? 4.0 : m->count <= 1000 ? 1.6 : 1.2;
    set_pen(c, m, 0.9, 1.0);
    c->cairo.set_line_cap(c->pen, CAIRO_LINE_CAP_BUTT);
    c->cairo.set_dash(c->pen, NULL, 0, 0.0);
    for (size_t i = 0; i < m->count; i++) {
        double x = plot_place(&p->x, m->x[i]), low = bounded_place(&p->y, m->low[i]);
        double high = bounded_place(&p->y, m->high[i]);
        if (x >= p->x.from && x <= p->x.to && !isnan(low) && !isnan(high)) draw_error_bar(c, x, low, high);
    }
    for (size_t i = 0; i < m->count; i++) {
        double x = plot_place(&p->x, m->x[i]), y = plot_place(&p->y, m->y[i]);
        if (!in_box(p, x, y)) continue;
        c->cairo.move_to(c->pen, x, y);
        c->cairo.line_to(c->pen, x, y);
    }
    c->cairo.set_line_width(c->pen, diameter);
    c->cairo.set_line_cap(c->pen, CAIRO_LINE_CAP_ROUND);
    c->cairo.stroke(c->pen);
}

/* -- Heat maps ---------------------------------------------------------------------------------------------------- */

/* Which of `cells` from `start` on, each `size` long, holds a value; `cells` where none does. */
static size_t find_cell(double value, double start, double size, size_t cells) {
    double index = floor((value - start) / size);
    return index >= 0.0 && index < (double)cells ? (size_t)index : cells;
}

/* z from 0, or its smallest where that is below, to its largest. */
static void find_extremes(const mark *m, double *least, double *most) {
    *least = *most = 0.0;
    for (size_t i = 0; i < m->columns * m->rows; i++)
        if (isfinite(m->z[i])) {
            *least = fmin(*least, m->z[i]);
            *most = fmax(*most, m->z[i]);
        }
}

static uint32_t colour_of(double z, double least, double most) {
    if (!isfinite(z)) return 0;
    double share = most > least ? (z / 2.0 - least / 2.0) / (most / 2.0 - least / 2.0) : 0.0;
    rgb    colour = palette_scale(share);
    return 0xff000000u | (uint32_t)lround(colour.red * 255.0) << 16 | (uint32_t)lround(colour.green * 255.0) << 8 |
           (uint32_t)lround(colour.blue * 255.0);
}

/* Looks up the cell of each pixel, which also serves logarithmic axes and cells beyond the box. */
static void fill_image(const plot *p, const mark *m, size_t width, size_t height, size_t stride, uint32_t *pixels,
                       size_t *column) {
    double least, most;
    find_extremes(m, &least, &most);
    for (size_t i = 0; i < width; i++) {
        double place = p->x.from + (p->x.to - p->x.from) * ((double)i + 0.5) / (double)width;
        column[i] = find_cell(plot_value(&p->x, place), m->x0, m->width, m->columns);
    }
    for (size_t j = 0; j < height; j++) {
        double place = p->y.to + (p->y.from - p->y.to) * ((double)j + 0.5) / (double)height;
        size_t row = find_cell(plot_value(&p->y, place), m->y0, m->height, m->rows);
        if (row == m->rows) continue;
        for (size_t i = 0; i < width; i++) {
            if (column[i] == m->columns) continue;
            bool same = i > 0 && column[i] == column[i - 1];
            pixels[j * stride + i] =
                same ? pixels[j * stride + i - 1] : colour_of(m->z[row * m->columns + column[i]], least, most);
        }
    }
}

static void draw_cells(canvas *c, const plot *p, const mark *m) {
    size_t           width = (size_t)ceil(IMAGE_SCALE * (p->x.to - p->x.from));
    size_t           height = (size_t)ceil(IMAGE_SCALE * (p->y.from - p->y.to));
    size_t          *column = malloc((width + 1) * sizeof *column);
    cairo_surface_t *image = c->cairo.image_surface_create(CAIRO_FORMAT_ARGB32, (int)width, (int)height);
    unsigned char   *bytes = c->cairo.image_surface_get_data(image);
    c->failed = c->failed || !column || !bytes;
    if (column && bytes) {
        fill_image(p, m, width, height, (size_t)c->cairo.image_surface_get_stride(image) / sizeof(uint32_t),
                   (uint32_t *)(void *)bytes, column);
        c->cairo.surface_mark_dirty(image);
        c->cairo.save(c->pen);
        c->cairo.translate(c->pen, p->x.from, p->y.to);
        c->cairo.scale(c->pen, (p->x.to - p->x.from) / (double)width, (p->y.from - p->y.to) / (double)height);
        c->cairo.set_source_surface(c->pen, image, 0.0, 0.0);
        c->cairo.pattern_set_filter(c->cairo.get_source(c->pen), CAIRO_FILTER_NEAREST);
        c->cairo.paint(c->pen);
        c->cairo.restore(c->pen);
    }
    c->cairo.surface_destroy(image);
    free(column);
}

void plot_mark(canvas *c, const plot *p, const mark *m) {
    static void (*const draw[])(canvas *, const plot *, const mark *) = {
        [MARK_LINE] = draw_line,   [MARK_BAND] = draw_band,   [MARK_BARS] = draw_bars, [MARK_DOTS] = draw_dots,
        [MARK_CELLS] = draw_cells, [MARK_SPANS] = draw_spans, [MARK_RULE] = draw_rule};
    draw[m->kind](c, p, m);
    c->cairo.set_dash(c->pen, NULL, 0, 0.0);
}
