/* split.c - see split.h. */
#include "diag/split.h"

#include "diag/fft.h"

#include <math.h>
#include <string.h>

static double *half_of(const diag_work *work, size_t k) {
    return work->series + k / 2 * work->rows + (k % 2 ? work->rows - work->half : 0);
}

/* The second sum takes away what rounding did to the first. */
double split_mean(const double *x, size_t n) {
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    const double mean = sum / (double)n;
    if (!isfinite(mean)) return mean;
    for (size_t i = 0; i < n; i++) rest += x[i] - mean;
    return mean + rest / (double)n;
}

void split_centre(diag_work *work) {
    const size_t n = work->half, halves = 2 * work->chains;
    double       within = 0, between = 0;
    for (size_t k = 0; k < halves; k++) {
        double *x = half_of(work, k), squares = 0;
        work->mean[k] = split_mean(x, n);
        for (size_t i = 0; i < n; i++) {
            x[i] -= work->mean[k];
            squares += x[i] * x[i];
        }
        within += squares / (double)(n - 1);
    }
    const double centre = split_mean(work->mean, halves);
    for (size_t k = 0; k < halves; k++) between += (work->mean[k] - centre) * (work->mean[k] - centre);
    work->within = within / (double)halves;
    work->between = between / (double)(halves - 1);
}

double split_rhat(const diag_work *work) {
    const double n = (double)work->half; /* 0 / 0 where all numbers are equal */
    return sqrt((n * work->between / work->within + n - 1) / n);
}

/* work->re[lag] := the mean over all halves of (1/n) sum_i x_i x_(i+lag). Two halves are the real and the imaginary
 * part of one transform: the sum of their autocovariances is the real part of what comes back from its power. */
static void autocovariance(diag_work *work) {
    const size_t n = work->half, size = work->size;
    double      *re = work->re, *im = work->im, *power = work->power;
    for (size_t chain = 0; chain < work->chains; chain++) {
        memcpy(re, half_of(work, 2 * chain), n * sizeof *re);
        memcpy(im, half_of(work, 2 * chain + 1), n * sizeof *im);
        memset(re + n, 0, (size - n) * sizeof *re);
        memset(im + n, 0, (size - n) * sizeof *im);
        fft_forward(size, work->table, re, im);
        for (size_t k = 0; k < size; k++) power[k] = (chain > 0 ? power[k] : 0) + re[k] * re[k] + im[k] * im[k];
    }
    if (power != re) memcpy(re, power, size * sizeof *re);
    memset(im, 0, size * sizeof *im);
    fft_backward(size, work->table, re, im);
    const double scale = 1 / ((double)size * (double)n * (double)(2 * work->chains));
    for (size_t lag = 0; lag < n; lag++) re[lag] *= scale;
}

/* 1 + 2 sum of the autocorrelations, by Geyer's initial monotone sequence: sums of two neighbours are taken as long as
 * they are positive, and none counts for more than the one before it. The last, even, lag counts once. posterior takes 2
 * where there is no second pair. */
static double autocorrelation_time(const double *covariance, size_t n, double within, double total) {
    double time = -1, pair = 2 - (within - covariance[1]) / total, least = HUGE_VAL, last = 0;
    size_t lag = 0;
    while (lag + 5 < n && pair > 0) {
        least = pair < least ? pair : least;
        time += 2 * least;
        lag += 2;
        const double even = 1 - (within - covariance[lag]) / total;
        pair = even + (1 - (within - covariance[lag + 1]) / total);
        last = pair >= 0 || even > 0 ? even : 0;
    }
    return lag > 0 ? time + last : 2;
}

double split_ess(diag_work *work) {
    const double n = (double)work->half, draws = n * (double)(2 * work->chains);
    const double total = work->within * (n - 1) / n + work->between;
    if (work->half < 3 || !(total > 0)) return (double)NAN;
    autocovariance(work);
    const double time = autocorrelation_time(work->re, work->half, work->within, total), bound = 1 / log10(draws);
    return draws / (time < bound ? bound : time); /* no more than draws * log10(draws) */
}
