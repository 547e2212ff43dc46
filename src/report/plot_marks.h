/* plot_marks.h - marks on a canvas, inside the box of a panel. */
#ifndef CKAM_REPORT_PLOT_MARKS_H
#define CKAM_REPORT_PLOT_MARKS_H

#include "report/canvas.h"
#include "report/figure.h"

/* The map from numbers of an axis to places on the canvas. */
typedef struct plot_axis {
    bool   logarithmic;
    double low, high; /* low < high */
    double from, to;  /* the places of low and high */
} plot_axis;

typedef struct plot {
    plot_axis x, y;
} plot;

/* The place of a number; NaN where it cannot be shown: it is not finite, or <= 0 on a logarithmic axis. */
double plot_place(const plot_axis *a, double value);
/* The number at a place. */
double plot_value(const plot_axis *a, double place);
/* Draws a mark. The caller clips to the box. For want of memory c->failed is set. */
void plot_mark(canvas *c, const plot *p, const mark *m);

#endif
