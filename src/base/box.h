/* box.h - the coordinate u of a parameter with two bounds: from -2 to 2, and in its middle linear. target/params.h says why it has this form. */
#ifndef CKAM_BASE_BOX_H
#define CKAM_BASE_BOX_H

#include <math.h>

/* BOX_HALF is that of random starts (chain.c). BOX_SHAPE: with 0.5 |dx/du| has two humps, with 1 the middle is distorted; docs/models.md
 * has what was measured. */
#define BOX_HALF  2.0
#define BOX_SHAPE 0.7

/* The distance t <= 1/2 from the nearer bound, in widths of the box, so that it keeps all its digits next to both. With y = |u| / 2 and
 * c = BOX_SHAPE its logit is -l,
 *     l = 4 c y / (1 - y^2),    dl/d|u| = 2 c (1 + y^2) / (1 - y^2)^2.
 * *log_slope := log |dt/du| = log t + log(1 - t) + log(dl/d|u|). Outside of the box they are 0 and -HUGE_VAL. */
static inline double box_distance(double u, double *log_slope) {
    double y = fabs(u) / BOX_HALF, rest = (1.0 - y) * (1.0 + y);
    *log_slope = -HUGE_VAL;
    if (!(rest > 0.0)) return 0.0;
    double l = 4.0 * BOX_SHAPE * y / rest, e = exp(-l);
    *log_slope = -l - 2.0 * log1p(e) + log(2.0 * BOX_SHAPE * (1.0 + y * y) / (rest * rest));
    return e / (1.0 + e);
}

/* u of the logit l: y solves l y^2 + 4 c y - l = 0. */
static inline double box_coordinate(double l) {
    double m = l / (2.0 * BOX_SHAPE);
    return BOX_HALF * m / (1.0 + sqrt(1.0 + m * m));
}

#endif
