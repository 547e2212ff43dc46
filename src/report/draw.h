/* draw.h - figures on paper: PDF, SVG and PNG, drawn with cairo.
 *
 * libcairo is loaded on demand, not linked: linking it would cost every start of the command 1.5 ms. A build without its
 * headers has draw_none.c, which refuses, in place of draw.c and the files that only it uses. */
#ifndef CKAM_REPORT_DRAW_H
#define CKAM_REPORT_DRAW_H

#include "report/figure.h"

/* Draws into `path`, in the format of its ending .pdf, .svg or .png; another ending is CKAM_ERROR_ARGUMENT. The file is written
 * under a temporary name, synced and renamed. CKAM_ERROR_OUTPUT, with the name of the package, where libcairo cannot be loaded. */
ckam_status draw_figure(const figure *f, const char *path, ckam_error *error);
/* The same with the library in the file `library`. */
ckam_status draw_figure_with(const char *library, const figure *f, const char *path, ckam_error *error);
/* Whether `path` has an ending that draw_figure() knows, to be checked before long work. CKAM_ERROR_OUTPUT where nothing
 * can be drawn. */
ckam_status draw_check(const char *path, ckam_error *error);
/* Whether this ckam was built with cairo. */
bool draw_is_built(void);

#endif
