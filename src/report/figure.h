/* figure.h - a picture as data: panels with axes, and marks in them.
 *
 * Whoever has something to show builds figures; json.c writes them for the page, draw.c draws them with cairo. So
 * a figure on a page and in a paper is the same figure. A figure owns all that hangs on it. */
#ifndef CKAM_REPORT_FIGURE_H
#define CKAM_REPORT_FIGURE_H

#include "ckam.h"

typedef enum mark_kind {
    MARK_LINE,  /* x, y: a line through the points; a NaN breaks it                                     */
    MARK_BAND,  /* x, low, high: what lies between two lines                                            */
    MARK_BARS,  /* low, high, y: from 0 to y between low and high                                       */
    MARK_DOTS,  /* x, y; where low and high are there, an error bar from low to high                    */
    MARK_CELLS, /* z: a grid of columns * rows numbers from (x0, y0) on, row by row from below          */
    MARK_SPANS, /* low, high: shaded background between two x, over the whole height, for phases        */
    MARK_RULE   /* y: a horizontal line; or x: a vertical one; as many as count                         */
} mark_kind;

/* The colour of a mark: a number of the palette, or that of text. */
enum { COLOUR_INK = -1, COLOUR_MUTED = -2, COLOURS = 8 };

typedef struct mark {
    mark_kind kind;
    char     *name;   /* in the legend, once per name; NULL: not in it */
    int       colour; /* COLOUR_INK, COLOUR_MUTED or from 0 on, taken modulo COLOURS; ignored by cells */
    bool      dashed;
    size_t    count;
    double   *x, *y, *low, *high; /* those that the kind needs; owned */
    /* Of cells: z has columns * rows numbers; cell (i, j) is z[j * columns + i]. */
    size_t  columns, rows;
    double  x0, y0, width, height; /* of a cell */
    double *z;
} mark;

typedef struct axis {
    char  *label; /* or "" */
    bool   logarithmic;
    double low, high; /* NaN: from the marks */
    size_t names;     /* of a categorical axis, how many: at 0, 1, ... */
    char **name;
} axis;

typedef struct panel {
    char  *title; /* "" where there is only one */
    axis   x, y;
    bool   equal; /* one unit of x is as long as one of y */
    size_t marks;
    mark  *mark; /* in the order of drawing */
} panel;

typedef struct figure {
    char  *name;            /* "trace": letters, digits and '-'; a file's name */
    char  *title, *caption; /* a line; some sentences */
    char  *parameter;       /* which one it is about; NULL: all */
    size_t across;          /* panels beside each other where there is room */
    bool   small;           /* many panels, each of half the usual height */
    size_t panels;
    panel *panel;
    bool   failed; /* there was no memory: the figure is incomplete */
} figure;

/* NULL for want of memory. It has `panels` panels without marks. Text is copied; NULL is "". */
figure *figure_create(const char *name, const char *title, const char *caption, size_t panels);
void    figure_free(figure *f);
/* Returns a panel, with its title and the labels of its axes set. f->failed is checked once, when the figure is complete. */
panel *figure_panel(figure *f, size_t index, const char *title, const char *x, const char *y);
/* A mark with zeroed arrays of `count` numbers, those that the kind has; MARK_DOTS gets low and high too, as NaN: no
 * error bar; MARK_RULE gets x and y as NaN. NULL after a failure, which is noted in f. Good until the next mark of the
 * panel. */
mark *panel_mark(figure *f, panel *p, mark_kind kind, const char *name, int colour, size_t count);
/* A grid; z is zeroed. NULL after a failure. */
mark *panel_cells(figure *f, panel *p, size_t columns, size_t rows);
/* Names in place of numbers, at 0, 1, ... */
void axis_names(figure *f, axis *a, size_t count, const char *const *names);
/* *text := a copy; a failure is noted in f. */
void figure_text(figure *f, char **text, const char *value);

/* What the marks of a panel span, after its own limits: low < high always, both > 0 on a logarithmic axis. false: there
 * is nothing finite to show. */
bool panel_range(const panel *p, bool vertical, double *low, double *high);
/* How many finite numbers it shows. 0: it has no data. */
size_t figure_numbers(const figure *f);

#endif
