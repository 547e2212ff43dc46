/* split.h - R-hat and ESS of a series whose chains are cut into halves: the definitions behind diag.h.
 *
 * A. Vehtari, A. Gelman, D. Simpson, B. Carpenter and P.-C. Buerkner (2021), Rank-normalization, folding, and
 * localization: an improved R-hat, Bayesian Analysis 16, 667-718. For summary.c. */
#ifndef CKAM_DIAG_SPLIT_H
#define CKAM_DIAG_SPLIT_H

#include "diag/diag.h"

struct diag_work {
    size_t    chains, rows, count; /* count = chains * rows */
    size_t    half;                /* rows of a half; the one in the middle of an odd number is in neither */
    double   *series;              /* count numbers: values, sorted, or what R-hat and ESS are taken of */
    uint32_t *order;               /* count places in the values, from the least value to the greatest */
    size_t    kept;                /* how many of them are in a half */
    double   *mean;                /* of each half */
    double    within, between;     /* mean of the variances of the halves, and variance of their means */
    size_t    size;                /* of the Fourier transform of a whole half */
    size_t    known;               /* the table has the roots for transforms up to this size */
    double   *table, *re, *im;
    double   *power; /* where the spectra are added up; re for one chain */
};

/* Of n numbers; exact where all are equal. */
double split_mean(const double *x, size_t n);
/* Takes the mean from each half of the series, and notes means and variances. */
void split_centre(diag_work *work);
/* Both are of the series last centred, and NaN where all of it is the same number. */
double split_rhat(const diag_work *work);
double split_ess(diag_work *work);

#endif
