/* refit.h - the mixture fitted to draws: EM for a mixture of t distributions, with split and merge.
 *
 * The number of components is chosen by a penalised likelihood (BIC, or AIC where there are many parameters) of the
 * effective number of draws, from their autocorrelation. Nothing is random, nothing allocates. */
#ifndef CKAM_MIXTURE_REFIT_H
#define CKAM_MIXTURE_REFIT_H

#include "mixture/mixture.h"

/* The draws: blocks (one per chain) of rows in the order of time. A row is ROW_HEAD numbers and then the point. */
enum { ROW_LOG_DENSITY, ROW_OWNER, ROW_HEAD };

typedef struct row_block {
    double *at;
    size_t  count, stride; /* rows; numbers from one to the next */
} row_block;

typedef struct rows {
    void  *context;
    size_t blocks, dim;
    row_block (*block)(void *context, size_t index);
    size_t
        every; /* set by mixture_refit(): it used every k-th row of each block, and wrote the index of its component into ROW_OWNER */
} rows;

/* How many rows mixture_refit() uses at most. */
size_t mixture_rows_used(const mixture *m, bool structure);

/* Fits q to the draws, starting from what it is. Components that no draw belongs to stay as they are, with their
 * weight. `structure`: split and merge are tried, too. Returns the effective sample size
 * per draw. */
double mixture_refit(mixture *m, rows *data, bool structure);
/* The mean over the draws of log pi - log q: log Z plus the Kullback-Leibler divergence KL(pi || q), so a little too
 * high. Also the overlap of components, for mixture_number_modes(). */
double mixture_log_z(mixture *m, const rows *data, mixture_overlap *overlap);

#endif
