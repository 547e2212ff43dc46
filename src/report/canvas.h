/* canvas.h - paper to draw on: libcairo, loaded on demand; a page of PDF, SVG or PNG; text.
 *
 * Loading and not linking it spares every start of the command 1.5 ms (0.7 ms to 2.2 ms for a program that does nothing).
 * Lengths are points, 1/72 inch, from the upper left corner. */
#ifndef CKAM_REPORT_CANVAS_H
#define CKAM_REPORT_CANVAS_H

#include "report/document.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

/* Eight colours that the colour-blind can tell apart, and a scale for heat maps. */
typedef struct rgb {
    double red, green, blue; /* 0 to 1 */
} rgb;

/* Of a mark: COLOUR_INK, COLOUR_MUTED, or by number. */
rgb palette_colour(int colour);
/* The dash pattern of a line of this colour, in points: *lengths := on, off, ...; returns how many, 0 for a solid line. When
 * colours repeat, their dashes differ. */
size_t palette_dash(int colour, bool dashed, const double **lengths);
/* From white (0) to dark blue (1), perceptually uniform. */
rgb palette_scale(double t);

#define CANVAS_FUNCTIONS(X)                                                                                            \
    X(clip)                                                                                                            \
    X(close_path)                                                                                                      \
    X(create)                                                                                                          \
    X(destroy)                                                                                                         \
    X(fill)                                                                                                            \
    X(font_options_create)                                                                                             \
    X(font_options_destroy)                                                                                            \
    X(font_options_set_antialias)                                                                                      \
    X(font_options_set_hint_metrics)                                                                                   \
    X(font_options_set_hint_style)                                                                                     \
    X(get_source)                                                                                                      \
    X(image_surface_create)                                                                                            \
    X(image_surface_get_data)                                                                                          \
    X(image_surface_get_stride)                                                                                        \
    X(line_to)                                                                                                         \
    X(move_to)                                                                                                         \
    X(paint)                                                                                                           \
    X(pattern_set_filter)                                                                                              \
    X(pdf_surface_create_for_stream)                                                                                   \
    X(pdf_surface_set_metadata)                                                                                        \
    X(rectangle)                                                                                                       \
    X(restore)                                                                                                         \
    X(rotate)                                                                                                          \
    X(save)                                                                                                            \
    X(scale)                                                                                                           \
    X(select_font_face)                                                                                                \
    X(set_dash)                                                                                                        \
    X(set_font_options)                                                                                                \
    X(set_font_size)                                                                                                   \
    X(set_line_cap)                                                                                                    \
    X(set_line_join)                                                                                                   \
    X(set_line_width)                                                                                                  \
    X(set_source_rgba)                                                                                                 \
    X(set_source_surface)                                                                                              \
    X(show_text)                                                                                                       \
    X(status)                                                                                                          \
    X(status_to_string)                                                                                                \
    X(stroke)                                                                                                          \
    X(surface_destroy)                                                                                                 \
    X(surface_finish)                                                                                                  \
    X(surface_mark_dirty)                                                                                              \
    X(surface_status)                                                                                                  \
    X(surface_write_to_png_stream)                                                                                     \
    X(svg_surface_create_for_stream)                                                                                   \
    X(text_extents)                                                                                                    \
    X(translate)

typedef struct canvas_functions {
#define CANVAS_MEMBER(name) __typeof__(cairo_##name) *(name);
    CANVAS_FUNCTIONS(CANVAS_MEMBER)
#undef CANVAS_MEMBER
} canvas_functions;

typedef enum canvas_kind { CANVAS_PDF, CANVAS_SVG, CANVAS_PNG } canvas_kind;

typedef struct canvas {
    canvas_functions cairo;
    canvas_kind      kind;
    cairo_surface_t *surface;
    cairo_t         *pen;
    text_buffer      file;
    bool             failed; /* there was no memory */
} canvas;

/* Loads the library in the file `library`; then text can be measured, and canvas_page() called. canvas_free() is for
 * every canvas, after success and failure. */
ckam_status canvas_begin(canvas *c, const char *library, ckam_error *error);
/* Begins the page. */
void canvas_page(canvas *c, canvas_kind kind, double width, double height, const char *title);
/* Ends the page and writes it to `path` atomically. */
ckam_status canvas_write(canvas *c, const char *path, ckam_error *error);
void        canvas_free(canvas *c);

/* The colour of what is drawn next. */
void canvas_colour(canvas *c, rgb colour, double alpha);
/* A straight line of its own. */
void canvas_line(canvas *c, double x0, double y0, double x1, double y1);

typedef struct canvas_font {
    double size;
    bool   bold;
} canvas_font;
typedef enum canvas_anchor { ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT } canvas_anchor;

double canvas_text_width(canvas *c, canvas_font font, const char *text);
/* Text with its left end, middle or right end at (x, y), on the base line, turned clockwise by `angle`; cut to a length of
 * `room`. Any bytes are fine. */
void canvas_text(canvas *c, canvas_font font, const char *text, double x, double y, canvas_anchor anchor, double angle,
                 double room);

#endif
