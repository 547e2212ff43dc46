/* legend.c - see legend.h. */
#include "report/legend.h"

#include "report/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = MARK_RULE + 1 };
#define SAMPLE 18.0 /* the width of a sample */
#define GAP    4.0  /* to its name */
#define APART  14.0 /* between two names */

/* A name may stand for a line and the band around it: a mark of each kind is shown. */
typedef struct entry {
    const char *name;
    const mark *of[KINDS];
} entry;

static void add_mark(entry *entries, size_t *count, const mark *m) {
    size_t i = 0;
    if (!m->name || !m->name[0] || m->kind == MARK_CELLS) return;
    while (i < *count && strcmp(entries[i].name, m->name) != 0) i++;
    if (i == *count) entries[(*count)++] = (entry){.name = m->name};
    if (!entries[i].of[m->kind]) entries[i].of[m->kind] = m;
}

static entry *collect(const figure *f, size_t *count) {
    size_t marks = 0;
    for (const panel *p = f->panel; p < f->panel + f->panels; p++) marks += p->marks;
    entry *entries = calloc(marks + 1, sizeof *entries);
    *count = 0;
    for (const panel *p = f->panel; entries && p < f->panel + f->panels; p++)
        for (size_t i = 0; i < p->marks; i++) add_mark(entries, count, p->mark + i);
    return entries;
}

/* The same mark with other numbers, in a box of its own. */
static void draw_sample(canvas *c, const mark *m, double left, double top) {
    plot   box = {.x = {.low = 0.0, .high = 1.0, .from = left, .to = left + SAMPLE},
                  .y = {.low = 0.0, .high = 1.0, .from = top + LEGEND_ROW - 2.0, .to = top + 2.0}};
    double none = (double)NAN, ends[] = {0.0, 1.0}, middle[] = {0.5, 0.5}, low[] = {0.1, 0.1}, high[] = {0.9, 0.9};
    mark   sample = {.kind = m->kind, .colour = m->colour, .dashed = m->dashed, .count = 1};
    sample.x = sample.y = middle;
    sample.low = low;
    sample.high = high;
    if (m->kind == MARK_LINE || m->kind == MARK_BAND) {
        sample.count = 2;
        sample.x = ends;
    } else if (m->kind == MARK_DOTS) {
        sample.low = sample.high = &none;
    } else if (m->kind == MARK_BARS) {
        sample.y = high;
    } else if (m->kind == MARK_RULE) {
        sample.x = &none;
    }
    plot_mark(c, &box, &sample);
}

static void draw_entry(canvas *c, const entry *e, double left, double top, double room) {
    static const mark_kind from_below[] = {MARK_SPANS, MARK_BAND, MARK_BARS, MARK_RULE, MARK_LINE, MARK_DOTS};
    for (size_t i = 0; i < sizeof from_below / sizeof *from_below; i++)
        if (e->of[from_below[i]]) draw_sample(c, e->of[from_below[i]], left, top);
    canvas_colour(c, palette_colour(COLOUR_INK), 1.0);
    canvas_text(c, FONT_LABEL, e->name, left + SAMPLE + GAP, top + LEGEND_ROW / 2.0 + 2.9, ANCHOR_LEFT, 0.0, room);
}

size_t legend_rows(canvas *c, const figure *f, double left, double top, double width, bool draw) {
    size_t count, rows = 0;
    entry *entries = collect(f, &count);
    double used = 0.0, room = width - SAMPLE - GAP;
    c->failed = c->failed || !entries;
    for (size_t i = 0; entries && i < count; i++) {
        double needed = SAMPLE + GAP + fmin(canvas_text_width(c, FONT_LABEL, entries[i].name), room);
        if (rows == 0 || used + needed > width) {
            rows++;
            used = 0.0;
        }
        if (draw) draw_entry(c, entries + i, left + used, top + (double)(rows - 1) * LEGEND_ROW, room);
        used += needed + APART;
    }
    free(entries);
    return rows;
}
