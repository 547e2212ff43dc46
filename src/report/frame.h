/* frame.h - a panel on the canvas: its box, axes, ticks, names and labels, with the marks inside. */
#ifndef CKAM_REPORT_FRAME_H
#define CKAM_REPORT_FRAME_H

#include "report/plot_marks.h"
#include "report/ticks.h"

/* The fonts of a figure, in points. */
#define FONT_SMALL ((canvas_font){7.5, false})
#define FONT_LABEL ((canvas_font){8.0, false})
#define FONT_PANEL ((canvas_font){8.5, false})
#define FONT_TITLE ((canvas_font){9.5, true})

typedef struct frame {
    const panel *panel;
    bool         data;  /* the panel has data */
    plot         plot;  /* ranges, and once it is laid out the box */
    double       left;  /* how far the names and labels of y reach from the box */
    double       below; /* the same of x */
    double       right; /* how far the last label of x reaches beyond the box */
    ticks        x, y;
    bool         x_label, y_label; /* shown: the panel below, or to the left, has another label */
    bool         tilted;           /* the names of x, because they are long */
} frame;

/* What the panel spans, with some room around lines and dots. */
void frame_range(frame *f, const panel *p);
/* Chooses the ticks of an axis whose box is `length` long, and sets f->left (vertical) or f->below. */
void frame_ticks(canvas *c, frame *f, bool vertical, double length);
/* Draws it; the box is plot.x.from ... plot.y.to. */
void frame_draw(canvas *c, const frame *f);

#endif
