/* em.h - expectation and maximisation for a mixture of t distributions: the parts that refit.c is made from.
 *
 * A pass goes through the rows once: it computes the responsibilities of the components for each row, adds up
 * weighted moments (the sums), and makes means, covariances and weights from these. */
#ifndef CKAM_MIXTURE_EM_H
#define CKAM_MIXTURE_EM_H

#include "mixture/refit.h"

/* What one fit works with. */
typedef struct fit {
    mixture    *m;
    const rows *data;
    size_t      every;        /* one row in `every` is used */
    double      count;        /* of the rows that are */
    double      ess_fraction; /* effective sample size per row */
    double      penalty;      /* of one component more, in log likelihood of all rows */
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
/* Adds a row for which component j has the responsibility p, and with this weight in a fit of a t distribution
 * (mixture_t_weight()). */
void em_count(mixture *m, size_t j, const double *x, double p, double t_weight);
/* Mean and covariance of component j from the sums, which are in its own coordinates, u = L^-1 (x - mu). The fewer
 * independent draws they stand for, rows times ess_fraction, the more the covariance is shrunk. One that would not
 * be positive definite stays as it was. */
void em_maximise(mixture *m, size_t j, double ess_fraction);
/* out += scale L L^T, the lower triangle. */
void em_add_square(size_t dim, double scale, const double *l, double *out);

/* The E step: responsibilities of all rows, the sums from them, and the owner of each row, the component with the
 * largest. Returns the log likelihood. */
double em_expect(fit *f);
/* Weights from the sums of responsibilities; a component that no draw has reached keeps its weight. */
void em_reweigh(fit *f);
/* E and M steps, `passes` times. */
void em_run(fit *f, int passes);
/* One step up or down in tuning.memory.degrees where the log likelihood, of each row in its owner, improves by more
 * than degrees_gain effective units. Whether it changed. */
bool em_adapt_degrees(fit *f);

#endif
