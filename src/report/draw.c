/* draw.c - see draw.h. The layout of a figure: title, legend, and panels in rows with aligned boxes. */
#include "report/draw.h"

#include "base/error.h"
#include "base/library.h"
#include "report/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

LIBRARY_NOTE(cairo, CKAM_CAIRO_FILE, "Figures as PDF, SVG and PNG");

#define PAGE_WIDTH  468.0 /* 6.5 inches: the text of a letter page */
#define PAGE_HEIGHT 600.0
#define EDGE        4.0
#define COLUMN_GAP  14.0
#define ROW_GAP     7.0
#define TITLE_ROW   12.0
#define PANEL_TITLE 13.0
#define BOX_LEAST   40.0

typedef struct row {
    double height; /* of the boxes */
    double above, below;
} row;

typedef struct sheet {
    canvas        c;
    const figure *f;
    size_t        columns, rows;
    frame        *frame; /* one per panel */
    row          *row;
    double       *left; /* of a column: what stands left of its boxes */
    double        box_width, width, height, top;
} sheet;

/* -- The legend: the names of a figure's marks, each once, with a sample ------------------------------------------ */

enum { MARK_KINDS = MARK_RULE + 1 };
#define LEGEND_ROW 12.0 /* the height of a row */
#define SAMPLE     18.0 /* the width of a sample */
#define SAMPLE_GAP 4.0  /* to its name */
#define NAME_GAP   14.0 /* between two names */

/* A name may stand for a line and the band around it: a mark of each kind is shown. */
typedef struct entry {
    const char *name;
    const mark *of[MARK_KINDS];
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
    canvas_text(c, FONT_LABEL, e->name, left + SAMPLE + SAMPLE_GAP, top + LEGEND_ROW / 2.0 + 2.9, ANCHOR_LEFT, 0.0,
                room);
}

/* Draws the names in rows of at most `width`, from (left, top) on, and returns how many rows that took; where `draw` is
 * not set it only counts. For want of memory c->failed is set. */
static size_t legend_rows(canvas *c, const figure *f, double left, double top, double width, bool draw) {
    size_t count, rows = 0;
    entry *entries = collect(f, &count);
    double used = 0.0, room = width - SAMPLE - SAMPLE_GAP;
    c->failed = c->failed || !entries;
    for (size_t i = 0; entries && i < count; i++) {
        double needed = SAMPLE + SAMPLE_GAP + fmin(canvas_text_width(c, FONT_LABEL, entries[i].name), room);
        if (rows == 0 || used + needed > width) {
            rows++;
            used = 0.0;
        }
        if (draw) draw_entry(c, entries + i, left + used, top + (double)(rows - 1) * LEGEND_ROW, room);
        used += needed + NAME_GAP;
    }
    free(entries);
    return rows;
}

/* -- The title ---------------------------------------------------------------------------------------------------- */

/* How many bytes of a text fit into a row: whole words, at least one. */
static size_t fitting(sheet *s, const char *text, double room) {
    char   words[512];
    size_t fits = 0, end = strcspn(text, " ");
    for (;; end += 1 + strcspn(text + end + 1, " ")) {
        snprintf(words, sizeof words, "%.*s", (int)end, text);
        bool wide = canvas_text_width(&s->c, FONT_TITLE, words) > room;
        if (!wide || !fits) fits = end;
        if (wide || !text[end]) return fits;
    }
}

/* Draws the title in rows, and returns how many; where `draw` is not set it only counts. */
static size_t title_rows(sheet *s, bool draw) {
    char        text[512];
    size_t      rows = 0, length;
    double      room = s->width - 2.0 * EDGE;
    const char *rest = s->f->title;
    for (; *rest; rest += length + strspn(rest + length, " ")) {
        length = fitting(s, rest, room);
        snprintf(text, sizeof text, "%.*s", (int)length, rest);
        double y = EDGE + FONT_TITLE.size + TITLE_ROW * (double)rows++;
        if (draw) canvas_text(&s->c, FONT_TITLE, text, EDGE, y, ANCHOR_LEFT, 0.0, room);
    }
    return rows;
}

/* -- Layout ------------------------------------------------------------------------------------------------------- */

/* Height / width of a panel whose axes have the same unit; 0 where they do not, or where it would be too thin. */
static double aspect_of(const frame *f) {
    const plot_axis *x = &f->plot.x, *y = &f->plot.y;
    double           aspect = (y->high - y->low) / (x->high - x->low);
    bool             equal = f->panel->equal && f->data && !x->logarithmic && !y->logarithmic;
    return equal && aspect > 0.1 && aspect < 10.0 ? aspect : 0.0;
}

static double box_height(const sheet *s, const frame *f, double width) {
    double share = s->f->small ? 0.5 : 1.0, aspect = aspect_of(f), page = PAGE_HEIGHT / (double)s->rows;
    double height = aspect > 0.0 ? width * aspect : width * (s->columns == 1 ? 0.56 : 0.7) * share;
    return fmax(fmin(height, fmin(page, 330.0)), s->f->small ? 55.0 : 80.0);
}

static void set_heights(sheet *s, double width) {
    for (size_t i = 0; i < s->rows; i++) s->row[i].height = 0.0;
    for (size_t i = 0; i < s->f->panels; i++) {
        double *height = &s->row[i / s->columns].height;
        *height = fmax(*height, box_height(s, s->frame + i, width));
    }
}

/* Hides a label that the panel below, or to the left, has, too. */
static void choose_labels(sheet *s) {
    const panel *p = s->f->panel;
    for (size_t i = 0; i < s->f->panels; i++) {
        frame *f = s->frame + i;
        frame_range(f, p + i);
        if (!figure_numbers(&(figure){.panels = 1, .panel = s->f->panel + i})) f->data = false;
        f->y_label = i % s->columns == 0 || strcmp(p[i].y.label, p[i - 1].y.label) != 0;
        f->x_label = i + s->columns >= s->f->panels || strcmp(p[i].x.label, p[i + s->columns].x.label) != 0;
    }
}

static void set_ticks(sheet *s, bool vertical) {
    for (size_t i = 0; i < s->f->panels; i++) {
        row    *r = s->row + i / s->columns;
        double *left = s->left + i % s->columns;
        frame_ticks(&s->c, s->frame + i, vertical, vertical ? r->height : s->box_width);
        if (vertical) *left = fmax(*left, s->frame[i].left);
        if (!vertical) r->below = fmax(r->below, s->frame[i].below);
    }
}

/* Boxes of one width, between what stands left of each column and right of the last. */
static void set_width(sheet *s, double right) {
    double sum = 2.0 * EDGE + COLUMN_GAP * (double)(s->columns - 1) + right;
    for (size_t i = 0; i < s->columns; i++) sum += s->left[i];
    s->box_width = fmax((PAGE_WIDTH - sum) / (double)s->columns, BOX_LEAST);
    s->width = sum + s->box_width * (double)s->columns;
}

/* The ticks of y are chosen by the height, and say how wide the boxes are; these say what the ticks of x are, whose
 * last label needs room too. */
static void set_rooms(sheet *s) {
    double right = 0.0;
    set_heights(s, PAGE_WIDTH / (double)s->columns - 42.0);
    set_ticks(s, true);
    set_width(s, right);
    set_ticks(s, false);
    for (size_t i = s->columns - 1; i < s->f->panels; i += s->columns) right = fmax(right, s->frame[i].right);
    set_width(s, right);
    set_ticks(s, false);
    set_heights(s, s->box_width);
    for (size_t i = 0; i < s->f->panels; i++)
        if (s->f->panel[i].title[0]) s->row[i / s->columns].above = PANEL_TITLE;
}

/* A box whose axes have the same unit is reduced on one side, and centred. */
static void place_box(const sheet *s, frame *f, double left, double top, double height) {
    double aspect = aspect_of(f), width = s->box_width;
    if (aspect > 0.0) {
        double fitting = fmin(width, height / aspect);
        left += (width - fitting) / 2.0;
        width = fitting;
        height = fmin(height, fitting * aspect);
    }
    f->plot.x.from = left;
    f->plot.x.to = left + width;
    f->plot.y.from = top + height;
    f->plot.y.to = top;
}

static void lay_out(sheet *s) {
    choose_labels(s);
    set_rooms(s);
    size_t legend = legend_rows(&s->c, s->f, 0.0, 0.0, s->width - 2.0 * EDGE, false);
    s->top = EDGE + (double)title_rows(s, false) * TITLE_ROW + 3.0;
    double y = s->top + (double)legend * LEGEND_ROW + 3.0;
    for (size_t i = 0; i < s->rows; i++) {
        double x = EDGE;
        y += s->row[i].above + (i > 0 ? ROW_GAP : 0.0);
        for (size_t k = 0; k < s->columns && i * s->columns + k < s->f->panels; k++) {
            x += s->left[k];
            place_box(s, s->frame + i * s->columns + k, x, y, s->row[i].height);
            x += s->box_width + COLUMN_GAP;
        }
        y += s->row[i].height + s->row[i].below;
    }
    s->height = y + EDGE;
}

/* -- Drawing ------------------------------------------------------------------------------------------------------ */

static ckam_status draw_sheet(sheet *s, const char *library, canvas_kind kind, const char *path, ckam_error *error) {
    ckam_status status = canvas_begin(&s->c, library, error);
    if (!status) {
        lay_out(s);
        canvas_page(&s->c, kind, s->width, s->height, s->f->title);
        canvas_colour(&s->c, palette_colour(COLOUR_INK), 1.0);
        title_rows(s, true);
        legend_rows(&s->c, s->f, EDGE, s->top, s->width - 2.0 * EDGE, true);
        for (size_t i = 0; i < s->f->panels; i++) frame_draw(&s->c, s->frame + i);
        status = canvas_write(&s->c, path, error);
    }
    canvas_free(&s->c);
    return status;
}

static ckam_status find_kind(const char *path, canvas_kind *kind, ckam_error *error) {
    static const char *const endings[] = {[CANVAS_PDF] = ".pdf", [CANVAS_SVG] = ".svg", [CANVAS_PNG] = ".png"};
    const char              *dot = path ? strrchr(path, '.') : NULL;
    for (int i = CANVAS_PDF; dot && i <= CANVAS_PNG; i++)
        if (!strcasecmp(dot, endings[i])) {
            *kind = (canvas_kind)i;
            return CKAM_OK;
        }
    return fail_with(error, CKAM_ERROR_ARGUMENT,
                     "'%.120s' says by its ending what to draw: it must be .pdf, .svg or .png", path ? path : "");
}

ckam_status draw_check(const char *path, ckam_error *error) { return find_kind(path, &(canvas_kind){0}, error); }

bool draw_is_built(void) { return true; }

ckam_status draw_figure_with(const char *library, const figure *f, const char *path, ckam_error *error) {
    canvas_kind kind;
    ckam_status status = find_kind(path, &kind, error);
    if (status) return status;
    sheet s = {.f = f, .columns = f->across < 1 ? 1 : f->across};
    if (s.columns > f->panels) s.columns = f->panels ? f->panels : 1;
    s.rows = (f->panels + s.columns - 1) / s.columns;
    s.frame = calloc(f->panels + 1, sizeof *s.frame);
    s.row = calloc(s.rows + 1, sizeof *s.row);
    s.left = calloc(s.columns + 1, sizeof *s.left);
    if (f->failed || !s.frame || !s.row || !s.left)
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to draw %.160s", path);
    else
        status = draw_sheet(&s, library, kind, path, error);
    free(s.frame);
    free(s.row);
    free(s.left);
    return status;
}

ckam_status draw_figure(const figure *f, const char *path, ckam_error *error) {
    return draw_figure_with(CKAM_CAIRO_FILE, f, path, error);
}
