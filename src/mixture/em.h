/* em.h - expectation and maximisation for a mixture of t distributions: the parts that refit.c is made from.
 *
 * A pass goes through the rows once: it shares each row among the components, adds up what they need (sums), and makes
 * means, covariances and weights from that. */
#ifndef CKAM_MIXTURE_EM_H
#define CKAM_MIXTURE_EM_H

#include "mixture/refit.h"

/* What one fit works with. */
typedef struct fit {
    mixture    *m;
    const rows *data;
    size_t      every;   /* one row in `every` is used */
    double      count;   /* of the rows that are */
    double      part;    /* of them that counts */
    double      penalty; /* of one component more, in log likelihood of all rows */
    double      each[MODES_MOST];
} fit;

/* A way through the rows; begins as {0}. */
typedef struct walk {
    size_t    block, row;
    row_block rows;
} walk;

/* The next row that is used; NULL after the last. `owner`: only its rows, or -1 for all. */
double *em_row(const fit *f, walk *w, double owner);
/* log q there, and log t of each component into f->each. */
double em_log_density(fit *f, const double *row);

/* Sums of component j: 2 + dim + dim^2 numbers. */
double *em_sums(mixture *m, size_t j);
void    em_clear(mixture *m, size_t j);
/* Adds a row that belongs to component j with probability p, and has this pull (mixture_log_t()). */
void em_count(mixture *m, size_t j, const double *x, double p, double pull);
/* Mean and covariance from the sums, which are in the frame of the component, u = L^-1 (x - mu), of which a fraction `part` counts as independent draws: the fewer these are, the closer the
 * shape of the covariance stays to the last one. What would not be positive definite stays as it was. */
void em_maximise(mixture *m, size_t j, double part);
/* out += scale L L^T, the lower triangle. */
void em_add_square(size_t dim, double scale, const double *l, double *out);

/* Shares all rows: sums, and the component that owns each row. Returns the log likelihood. */
double em_expect(fit *f);
/* Weights follow the rows; what has none keeps its weight. */
void em_reweigh(fit *f);
/* Some passes. */
void em_run(fit *f, int passes);
/* Degrees of freedom, a step up or down if the rows like it better, as their owners' distances say. Whether it changed. */
bool em_adapt_degrees(fit *f);

#endif
