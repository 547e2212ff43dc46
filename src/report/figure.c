/* figure.c - building figures, and asking what they span. See figure.h. */
#include "report/figure.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Life --------------------------------------------------------------------------------------------------------- */

void figure_text(figure *f, char **text, const char *value) {
    free(*text);
    *text = strdup(value ? value : "");
    if (!*text) f->failed = true;
}

figure *figure_create(const char *name, const char *title, const char *caption, size_t panels) {
    figure *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->panel = calloc(panels + 1, sizeof *f->panel);
    f->panels = f->panel ? panels : 0;
    f->failed = !f->panel;
    f->across = 1;
    figure_text(f, &f->name, name);
    figure_text(f, &f->title, title);
    figure_text(f, &f->caption, caption);
    for (size_t i = 0; i < f->panels; i++) {
        panel *p = figure_panel(f, i, "", "", "");
        p->x.low = p->x.high = p->y.low = p->y.high = (double)NAN;
    }
    if (!f->failed) return f;
    figure_free(f);
    return NULL;
}

static void free_axis(axis *a) {
    for (size_t i = 0; i < a->names; i++) free(a->name[i]);
    free(a->name);
    free(a->label);
}

static void free_panel(panel *p) {
    for (mark *m = p->mark; m && m < p->mark + p->marks; m++) {
        free(m->name);
        free(m->x);
        free(m->y);
        free(m->low);
        free(m->high);
        free(m->z);
    }
    free(p->mark);
    free_axis(&p->x);
    free_axis(&p->y);
    free(p->title);
}

void figure_free(figure *f) {
    if (!f) return;
    for (size_t i = 0; i < f->panels; i++) free_panel(f->panel + i);
    free(f->panel);
    free(f->name);
    free(f->title);
    free(f->caption);
    free(f->parameter);
    free(f);
}

/* -- Building ----------------------------------------------------------------------------------------------------- */

panel *figure_panel(figure *f, size_t index, const char *title, const char *x, const char *y) {
    panel *p = f->panel + index;
    figure_text(f, &p->title, title);
    figure_text(f, &p->x.label, x);
    figure_text(f, &p->y.label, y);
    return p;
}

static mark *add_mark(figure *f, panel *p, mark_kind kind) {
    mark *longer = realloc(p->mark, (p->marks + 1) * sizeof *longer);
    if (!longer) {
        f->failed = true;
        return NULL;
    }
    p->mark = longer;
    mark *m = p->mark + p->marks++;
    *m = (mark){.kind = kind};
    return m;
}

/* Which arrays a kind of mark has. */
enum { HAS_X = 1, HAS_Y = 2, HAS_LOW = 4, HAS_HIGH = 8 };
static const int arrays[] = {[MARK_LINE] = HAS_X | HAS_Y,
                             [MARK_BAND] = HAS_X | HAS_LOW | HAS_HIGH,
                             [MARK_BARS] = HAS_Y | HAS_LOW | HAS_HIGH,
                             [MARK_DOTS] = HAS_X | HAS_Y | HAS_LOW | HAS_HIGH,
                             [MARK_CELLS] = 0,
                             [MARK_SPANS] = HAS_LOW | HAS_HIGH,
                             [MARK_RULE] = HAS_X | HAS_Y};

static void reserve(figure *f, double **array, bool wanted, size_t count, double initial) {
    if (!wanted) return;
    *array = calloc(count + 1, sizeof **array);
    if (!*array)
        f->failed = true;
    else
        for (size_t i = 0; i < count; i++) (*array)[i] = initial;
}

mark *panel_mark(figure *f, panel *p, mark_kind kind, const char *name, int colour, size_t count) {
    mark *m = add_mark(f, p, kind);
    if (!m) return NULL;
    const double none = (double)NAN, at = kind == MARK_RULE ? none : 0.0, bounds = kind == MARK_DOTS ? none : 0.0;
    bool         failed_before = f->failed;
    f->failed = false;
    m->colour = colour;
    m->count = count;
    if (name) figure_text(f, &m->name, name);
    reserve(f, &m->x, arrays[kind] & HAS_X, count, at);
    reserve(f, &m->y, arrays[kind] & HAS_Y, count, at);
    reserve(f, &m->low, arrays[kind] & HAS_LOW, count, bounds);
    reserve(f, &m->high, arrays[kind] & HAS_HIGH, count, bounds);
    if (f->failed) m->count = 0;
    bool whole = !f->failed;
    f->failed = f->failed || failed_before;
    return whole ? m : NULL;
}

mark *panel_cells(figure *f, panel *p, size_t columns, size_t rows) {
    mark *m = add_mark(f, p, MARK_CELLS);
    if (!m) return NULL;
    m->z = calloc(columns * rows + 1, sizeof *m->z);
    if (!m->z) {
        f->failed = true;
        return NULL;
    }
    m->columns = columns;
    m->rows = rows;
    return m;
}

void axis_names(figure *f, axis *a, size_t count, const char *const *names) {
    a->name = calloc(count + 1, sizeof *a->name);
    if (!a->name) {
        f->failed = true;
        return;
    }
    a->names = count;
    for (size_t i = 0; i < count; i++) figure_text(f, a->name + i, names[i]);
}

/* -- Asking ------------------------------------------------------------------------------------------------------- */

static void include(double value, bool logarithmic, double *low, double *high) {
    if (!isfinite(value) || (logarithmic && value <= 0.0)) return;
    if (value < *low) *low = value;
    if (value > *high) *high = value;
}

static void include_all(const double *values, size_t count, bool logarithmic, double *low, double *high) {
    for (size_t i = 0; values && i < count; i++) include(values[i], logarithmic, low, high);
}

/* Spans are background and do not extend the range; a rule extends it along its own axis. */
static void include_mark(const mark *m, bool vertical, bool logarithmic, double *low, double *high) {
    bool sideways = m->kind == MARK_BARS; /* low and high are x */
    if (m->kind == MARK_SPANS) return;
    if (m->kind == MARK_CELLS) {
        double from = vertical ? m->y0 : m->x0, size = vertical ? m->height : m->width;
        include(from, logarithmic, low, high);
        include(from + size * (double)(vertical ? m->rows : m->columns), logarithmic, low, high);
        return;
    }
    include_all(vertical ? m->y : m->x, m->count, logarithmic, low, high);
    if (vertical != sideways) {
        include_all(m->low, m->count, logarithmic, low, high);
        include_all(m->high, m->count, logarithmic, low, high);
    }
    if (sideways && vertical) include(0.0, logarithmic, low, high);
}

/* Room on both sides of a single value, up to the ends of the range of numbers. Values whose distance is below DBL_MIN
 * are one: shares of such a distance cannot be computed. */
static void widen(bool logarithmic, double *low, double *high) {
    if (logarithmic ? *low < *high : *high / 2.0 - *low / 2.0 >= DBL_MIN / 2.0) return;
    double around = *low == 0.0 ? 1.0 : fmax(fabs(*low) * 0.1, DBL_MIN);
    *low = logarithmic ? fmax(*low / 2.0, 0x1p-1074) : fmax(*low - around, -DBL_MAX);
    *high = fmin(logarithmic ? *high * 2.0 : *high + around, DBL_MAX);
}

/* A limit that the figure has set; on a logarithmic axis one that is not above 0 is ignored. */
static bool is_limit(const axis *a, double limit) { return isfinite(limit) && !(a->logarithmic && limit <= 0.0); }

bool panel_range(const panel *p, bool vertical, double *low, double *high) {
    const axis *a = vertical ? &p->y : &p->x;
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t i = 0; i < p->marks; i++) include_mark(p->mark + i, vertical, a->logarithmic, low, high);
    if (a->names) {
        *low = -0.5;
        *high = (double)a->names - 0.5;
    }
    if (is_limit(a, a->low)) *low = a->low;
    if (is_limit(a, a->high)) *high = a->high;
    if (*low > *high) return false;
    widen(a->logarithmic, low, high);
    return true;
}

static size_t finite(const double *values, size_t count) {
    size_t found = 0;
    for (size_t i = 0; values && i < count; i++) found += isfinite(values[i]) != 0;
    return found;
}

/* Of what stands for data: not where it is, but how much. */
size_t figure_numbers(const figure *f) {
    size_t found = 0;
    for (const panel *p = f->panel; p < f->panel + f->panels; p++)
        for (const mark *m = p->mark; m && m < p->mark + p->marks; m++) {
            if (m->kind == MARK_CELLS) found += finite(m->z, m->columns * m->rows);
            if (m->kind == MARK_LINE || m->kind == MARK_BARS || m->kind == MARK_DOTS) found += finite(m->y, m->count);
            if (m->kind == MARK_BAND) found += finite(m->high, m->count);
        }
    return found;
}
