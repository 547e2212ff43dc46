/* palette.h - the colours of figures on paper: eight that the colour-blind can tell, and a scale for heat maps. */
#ifndef CKAM_REPORT_PALETTE_H
#define CKAM_REPORT_PALETTE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rgb {
    double red, green, blue; /* 0 to 1 */
} rgb;

/* Of a mark: COLOUR_INK, COLOUR_MUTED, or by number. */
rgb palette_colour(int colour);
/* How a line of this colour is broken, in points: *lengths := on, off, ...; returns how many, 0 for a whole line. Where
 * colours are used a second time they have other dashes. */
size_t palette_dash(int colour, bool dashed, const double **lengths);
/* From white (0) to dark blue (1), in steps that look alike. */
rgb palette_scale(double t);

#endif
