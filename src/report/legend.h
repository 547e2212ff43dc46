/* legend.h - the names of a figure's marks, each once, with a sample of what they name. */
#ifndef CKAM_REPORT_LEGEND_H
#define CKAM_REPORT_LEGEND_H

#include "report/canvas.h"
#include "report/figure.h"

#define LEGEND_ROW 12.0 /* the height of a row */

/* Draws the names in rows of at most `width`, from (left, top) on, and returns how many rows that took; where `draw` is
 * not set it only counts. For want of memory c->failed is set. */
size_t legend_rows(canvas *c, const figure *f, double left, double top, double width, bool draw);

#endif
