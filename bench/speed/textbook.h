/* textbook.h - KAM with the matern kernel of a whole order, as its formulas stand in a book: the other side of the rows
 * of kernels.c and growth.c.
 *
 * Every gradient of the kernel is a column of its own, with a Bessel function; M, H and C are dense; C is factored at x
 * and at y in each step, and nothing is kept from one step to the next. */
#ifndef CKAM_BENCH_TEXTBOOK_H
#define CKAM_BENCH_TEXTBOOK_H

#include "ckam.h"
#include "measure.h"

enum { TEXTBOOK_ORDER = 4 }; /* v */

/* What both sides are told: n; whether z is drawn anew in each step; the kernel's l; nu at the start; gamma. */
typedef struct textbook_plan {
    size_t n;
    bool   refresh;
    double length, nu, gamma;
} textbook_plan;

/* A chain whose past is exact draws of the model. */
typedef struct textbook textbook;
textbook               *textbook_create(const ckam_model *model, textbook_plan plan);
void                    textbook_free(textbook *b);
work                    textbook_work(textbook *b);

/* log q(y|x), with the n points z (dim numbers each). */
double textbook_log_q(textbook *b, const double *z, const double *x, const double *y);
/* K_n(x), x > 0. */
double textbook_bessel(int n, double x);

#endif
