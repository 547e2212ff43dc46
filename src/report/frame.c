/* frame.c - see frame.h. */
#include "report/frame.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TICK_LENGTH 3.0
#define TICK_GAP    2.5  /* between a tick and its label */
#define CAPITAL     0.73 /* height of capitals and digits, of the size of the font */
#define TILT        0.7  /* radians */
#define NAME_LONG   80.0 /* names are cut to this */
#define LINE        11.0 /* a line of text */

static const rgb frame_colour = {0.35, 0.35, 0.35}, grid_colour = {0.9, 0.9, 0.9};

/* -- The range ---------------------------------------------------------------------------------------------------- */

static bool has_kind(const panel *p, mark_kind kind) {
    for (size_t i = 0; i < p->marks; i++)
        if (p->mark[i].kind == kind) return true;
    return false;
}

/* Adds a margin at an end that the figure has not fixed. A range that begins near 0 begins at 0, as for densities. */
static void add_room(plot_axis *a, const axis *given, double share) {
    const double near_zero = 0.05;
    double       room = share * (a->logarithmic ? log(a->high) - log(a->low) : a->high - a->low);
    if (given->names || !isfinite(room)) return;
    bool grounded = !a->logarithmic && share > 0.0 && a->low >= 0.0 && a->low <= near_zero * a->high;
    if (!isfinite(given->low))
        a->low = grounded ? 0.0 : a->logarithmic ? fmax(a->low * exp(-room), 0x1p-1074) : fmax(a->low - room, -DBL_MAX);
    if (!isfinite(given->high)) a->high = fmin(a->logarithmic ? a->high * exp(room) : a->high + room, DBL_MAX);
}

/* Extends the range to a round number that lies just beyond an end: 100000 for 99999. */
static void round_ends(plot_axis *a, const axis *given) {
    const double near = 0.02 * (a->high - a->low);
    ticks        t;
    ticks_make(&t, a->low, a->high, false, 5);
    double step = t.at[1] - t.at[0], before = t.at[0] - step, behind = t.at[t.count - 1] + step;
    if (!isfinite(given->low) && a->low - before < near) a->low = before;
    if (!isfinite(given->high) && behind - a->high < near) a->high = behind;
}

static bool find_range(plot_axis *a, const panel *p, bool vertical) {
    const axis *given = vertical ? &p->y : &p->x;
    double      share = vertical || has_kind(p, MARK_DOTS) ? 0.04 : 0.0;
    *a = (plot_axis){.logarithmic = given->logarithmic, .low = 0.0, .high = 1.0};
    bool found = panel_range(p, vertical, &a->low, &a->high) && a->low < a->high && isfinite(a->low) &&
                 isfinite(a->high) && !(a->logarithmic && a->low <= 0.0);
    if (!found) *a = (plot_axis){.low = 0.0, .high = 1.0};
    if (found && !has_kind(p, MARK_CELLS)) add_room(a, given, share);
    if (found && !vertical && !given->names && !a->logarithmic) round_ends(a, given);
    return found;
}

void frame_range(frame *f, const panel *p) {
    *f = (frame){.panel = p};
    bool x = find_range(&f->plot.x, p, false), y = find_range(&f->plot.y, p, true);
    f->data = x && y;
}

/* -- Ticks and names ---------------------------------------------------------------------------------------------- */

static double name_length(canvas *c, const char *name) {
    return fmin(canvas_text_width(c, FONT_SMALL, name), NAME_LONG);
}

static double longest_name(canvas *c, const axis *a) {
    double longest = 0.0;
    for (size_t i = 0; i < a->names; i++) longest = fmax(longest, name_length(c, a->name[i]));
    return longest;
}

/* How much of the axis a label takes. */
static double label_length(canvas *c, const char *label, bool vertical) {
    return vertical ? FONT_SMALL.size + 2.0 : canvas_text_width(c, FONT_SMALL, label) + 6.0;
}

/* Removes labels that would touch the one before; returns whether there were any. */
static bool part_labels(canvas *c, ticks *t, const plot_axis *a, bool vertical) {
    double end = -HUGE_VAL;
    bool   parted = false;
    for (size_t i = 0; i < t->count; i++) {
        double half = label_length(c, t->label[i], vertical) / 2.0, at = fabs(plot_place(a, t->at[i]) - a->from);
        if (!t->label[i][0]) continue;
        if (at - half < end) {
            t->label[i][0] = 0;
            parted = true;
        } else {
            end = at + half;
        }
    }
    return parted;
}

static double overhang(canvas *c, const ticks *t, const plot_axis *a) {
    double most = 0.0;
    for (size_t i = 0; i < t->count; i++)
        most = fmax(most, plot_place(a, t->at[i]) + canvas_text_width(c, FONT_SMALL, t->label[i]) / 2.0 - a->to);
    return most;
}

static double widest_label(canvas *c, const ticks *t) {
    double widest = 0.0;
    for (size_t i = 0; i < t->count; i++) widest = fmax(widest, canvas_text_width(c, FONT_SMALL, t->label[i]));
    return widest;
}

/* Names in place of ticks: how far they reach from the box. Those below it are tilted where they would touch. */
static double name_depth(canvas *c, frame *f, const axis *given, bool vertical, double length) {
    double longest = longest_name(c, given), size = FONT_SMALL.size;
    if (vertical) return longest;
    f->tilted = longest + 4.0 > length / (double)given->names;
    return f->tilted ? longest * sin(TILT) + size * cos(TILT) : size;
}

/* As many ticks as there is room for, without overlapping labels. */
static void choose_ticks(canvas *c, ticks *t, const plot_axis *a, bool vertical) {
    size_t wanted = (size_t)fmin(fmax(fabs(a->to - a->from) / (vertical ? 20.0 : 30.0), 2.0), 6.0);
    do ticks_make(t, a->low, a->high, a->logarithmic, wanted);
    while (part_labels(c, t, a, vertical) && --wanted >= 2);
}

void frame_ticks(canvas *c, frame *f, bool vertical, double length) {
    const axis *given = vertical ? &f->panel->y : &f->panel->x;
    ticks      *t = vertical ? &f->y : &f->x;
    plot_axis   a = vertical ? f->plot.y : f->plot.x;
    double      depth = FONT_SMALL.size;
    bool        labelled = (vertical ? f->y_label : f->x_label) && given->label[0];
    a.from = 0.0;
    a.to = length;
    t->count = 0;
    if (given->names) depth = name_depth(c, f, given, vertical, length);
    if (!given->names && f->data) choose_ticks(c, t, &a, vertical);
    if (!given->names && vertical) depth = widest_label(c, t);
    depth += TICK_LENGTH + TICK_GAP + (labelled ? LINE + 2.0 : 0.0);
    *(vertical ? &f->left : &f->below) = depth;
    if (!vertical) f->right = overhang(c, t, &a);
}

/* The k for which every k-th name can be written without touching the next. */
static size_t name_stride(const axis *a, double length, bool crowded) {
    double each = length / (double)a->names;
    return crowded ? (size_t)ceil(fmin((FONT_SMALL.size + 2.0) / each, (double)a->names)) : 1;
}

static void draw_x_names(canvas *c, const frame *f) {
    const axis *a = &f->panel->x;
    double      y = f->plot.y.from + TICK_LENGTH + TICK_GAP, size = FONT_SMALL.size;
    size_t      stride = name_stride(a, f->plot.x.to - f->plot.x.from, f->tilted);
    for (size_t i = 0; i < a->names; i += stride) {
        double x = plot_place(&f->plot.x, (double)i);
        if (!(x >= f->plot.x.from && x <= f->plot.x.to)) continue;
        canvas_line(c, x, f->plot.y.from, x, f->plot.y.from + TICK_LENGTH);
        if (f->tilted)
            canvas_text(c, FONT_SMALL, a->name[i], x + 2.0, y + size * CAPITAL * cos(TILT), ANCHOR_RIGHT, -TILT,
                        fmin(NAME_LONG, (x - 2.0) / cos(TILT)));
        else
            canvas_text(c, FONT_SMALL, a->name[i], x, y + size * CAPITAL, ANCHOR_MIDDLE, 0.0, NAME_LONG);
    }
}

static void draw_y_names(canvas *c, const frame *f) {
    const axis *a = &f->panel->y;
    double      x = f->plot.x.from - TICK_LENGTH;
    size_t      stride = name_stride(a, f->plot.y.from - f->plot.y.to, true);
    for (size_t i = 0; i < a->names; i += stride) {
        double y = plot_place(&f->plot.y, (double)i);
        if (!(y >= f->plot.y.to && y <= f->plot.y.from)) continue;
        canvas_line(c, x, y, f->plot.x.from, y);
        canvas_text(c, FONT_SMALL, a->name[i], x - TICK_GAP, y + FONT_SMALL.size * CAPITAL / 2.0, ANCHOR_RIGHT, 0.0,
                    NAME_LONG);
    }
}

static void draw_x_ticks(canvas *c, const frame *f) {
    double bottom = f->plot.y.from, baseline = bottom + TICK_LENGTH + TICK_GAP + FONT_SMALL.size * CAPITAL;
    for (size_t i = 0; i < f->x.count; i++) {
        double x = plot_place(&f->plot.x, f->x.at[i]);
        bool   labelled = f->x.label[i][0] != 0;
        canvas_line(c, x, bottom, x, bottom + (labelled ? TICK_LENGTH : TICK_LENGTH * 0.6));
        canvas_text(c, FONT_SMALL, f->x.label[i], x, baseline, ANCHOR_MIDDLE, 0.0, HUGE_VAL);
    }
}

static void draw_y_ticks(canvas *c, const frame *f) {
    double left = f->plot.x.from;
    for (size_t i = 0; i < f->y.count; i++) {
        double y = plot_place(&f->plot.y, f->y.at[i]);
        bool   labelled = f->y.label[i][0] != 0;
        canvas_line(c, left - (labelled ? TICK_LENGTH : TICK_LENGTH * 0.6), y, left, y);
        canvas_text(c, FONT_SMALL, f->y.label[i], left - TICK_LENGTH - TICK_GAP, y + FONT_SMALL.size * CAPITAL / 2.0,
                    ANCHOR_RIGHT, 0.0, HUGE_VAL);
    }
}

/* -- Drawing ------------------------------------------------------------------------------------------------------ */

static void draw_grid(canvas *c, const frame *f) {
    const plot *p = &f->plot;
    canvas_colour(c, grid_colour, 1.0);
    c->cairo.set_line_width(c->pen, 0.5);
    for (size_t i = 0; i < f->x.count; i++) {
        double x = plot_place(&p->x, f->x.at[i]);
        if (f->x.label[i][0]) canvas_line(c, x, p->y.from, x, p->y.to);
    }
    for (size_t i = 0; i < f->y.count; i++) {
        double y = plot_place(&p->y, f->y.at[i]);
        if (f->y.label[i][0]) canvas_line(c, p->x.from, y, p->x.to, y);
    }
}

static void add_box(canvas *c, const plot *p) {
    c->cairo.rectangle(c->pen, p->x.from, p->y.to, p->x.to - p->x.from, p->y.from - p->y.to);
}

static void draw_marks(canvas *c, const frame *f) {
    c->cairo.save(c->pen);
    add_box(c, &f->plot);
    c->cairo.clip(c->pen);
    for (size_t i = 0; i < f->panel->marks; i++) plot_mark(c, &f->plot, f->panel->mark + i);
    c->cairo.restore(c->pen);
}

static void draw_labels(canvas *c, const frame *f) {
    const plot *p = &f->plot;
    double      middle_x = (p->x.from + p->x.to) / 2.0, middle_y = (p->y.from + p->y.to) / 2.0;
    double      width = p->x.to - p->x.from, height = p->y.from - p->y.to;
    if (f->x_label)
        canvas_text(c, FONT_LABEL, f->panel->x.label, middle_x, p->y.from + f->below - 2.0, ANCHOR_MIDDLE, 0.0,
                    width + f->left);
    if (f->y_label)
        canvas_text(c, FONT_LABEL, f->panel->y.label, p->x.from - f->left + FONT_LABEL.size, middle_y, ANCHOR_MIDDLE,
                    -acos(0.0), height + f->below);
    canvas_text(c, FONT_PANEL, f->panel->title, p->x.from, p->y.to - 4.0, ANCHOR_LEFT, 0.0, width + 8.0);
}

void frame_draw(canvas *c, const frame *f) {
    const plot *p = &f->plot;
    c->cairo.set_line_cap(c->pen, CAIRO_LINE_CAP_BUTT);
    if (f->data && !has_kind(f->panel, MARK_CELLS)) draw_grid(c, f);
    if (f->data) draw_marks(c, f);
    c->cairo.set_line_cap(c->pen, CAIRO_LINE_CAP_BUTT);
    c->cairo.set_line_width(c->pen, 0.6);
    canvas_colour(c, frame_colour, 1.0);
    add_box(c, p);
    c->cairo.stroke(c->pen);
    if (f->panel->x.names)
        draw_x_names(c, f);
    else
        draw_x_ticks(c, f);
    if (f->panel->y.names)
        draw_y_names(c, f);
    else
        draw_y_ticks(c, f);
    canvas_colour(c, palette_colour(COLOUR_INK), 1.0);
    draw_labels(c, f);
    canvas_colour(c, palette_colour(COLOUR_MUTED), 1.0);
    if (!f->data)
        canvas_text(c, FONT_LABEL, "no data", (p->x.from + p->x.to) / 2.0, (p->y.from + p->y.to) / 2.0, ANCHOR_MIDDLE,
                    0.0, p->x.to - p->x.from);
}
