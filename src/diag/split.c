/* split.c - see split.h. */
#include "diag/split.h"

#include "base/wide.h"
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

/* Roots of unity for transforms of `size` points, which is work->size or inside it: filled in when first wanted. */
static const double *roots_for(diag_work *work, size_t size) {
    size_t root = 0;
    if (size < work->size) fft_inner(work->size, size, &root);
    if (size > work->known) fft_table_fill(size, work->table + root);
    if (size > work->known) work->known = size;
    return work->table + root;
}

/* Two halves from `start` on, at most `most` points of each, as the real and the imaginary part of one series: the sum
 * of their autocovariances is the real part of its own. */
static void load(const diag_work *work, size_t chain, size_t start, size_t most, size_t size, double *re, double *im) {
    const size_t left = work->half - start, count = left < most ? left : most;
    memcpy(re, half_of(work, 2 * chain) + start, count * sizeof *re);
    memcpy(im, half_of(work, 2 * chain + 1) + start, count * sizeof *im);
    memset(re + count, 0, (size - count) * sizeof *re);
    memset(im + count, 0, (size - count) * sizeof *im);
}

/* work->re[lag] := the mean over all halves of (1/n) sum_i x_i x_(i+lag), from spectra that were added up. */
static void from_spectrum(diag_work *work, size_t size, const double *table, size_t lags) {
    const double scale = 1 / ((double)size * (double)work->half * (double)(2 * work->chains));
    fft_backward(size, table, work->re, work->im);
    for (size_t lag = 0; lag < lags; lag++) work->re[lag] *= scale;
}

/* For all lags. */
static void autocovariance(diag_work *work) {
    const size_t  size = work->size;
    const double *table = roots_for(work, size);
    double       *re = work->re, *im = work->im, *power = work->power;
    for (size_t chain = 0; chain < work->chains; chain++) {
        load(work, chain, 0, work->half, size, re, im);
        fft_forward(size, table, re, im);
        for (size_t k = 0; k < size; k++) power[k] = (chain > 0 ? power[k] : 0) + re[k] * re[k] + im[k] * im[k];
    }
    if (power != re) memcpy(re, power, size * sizeof *re);
    memset(im, 0, size * sizeof *im);
    from_spectrum(work, size, table, work->half);
}

/* Spectra of the blocks a and, behind it, b: adds that of sum_i a_i (b b)_(i+lag), which is conj(a) (-1)^k b, for the
 * pairs across their border, and conj(b) b for those in b. */
WIDE static void add_products(size_t size, const double *a_re, const double *a_im, const double *b_re,
                              const double *b_im, double *re, double *im) {
    for (size_t quarter = 0; quarter < 4; quarter++) {
        const double sign = quarter % 2 ? -1 : 1;
        for (size_t k = quarter * (size / 4); k < (quarter + 1) * (size / 4); k++) {
            re[k] += b_re[k] * b_re[k] + b_im[k] * b_im[k] + sign * (a_re[k] * b_re[k] + a_im[k] * b_im[k]);
            im[k] += sign * (a_re[k] * b_im[k] - a_im[k] * b_re[k]);
        }
    }
}

/* For lags below size / 2 alone, by blocks of so many points, in transforms that stay in the cache. Products of a block
 * with itself and with the next one are all there is, as no lag reaches further. re and im have room for three spectra. */
static void near_autocovariance(diag_work *work, size_t size) {
    const size_t  lags = size / 2;
    const double *table = roots_for(work, size);
    double       *re = work->re, *im = work->im;
    memset(re, 0, size * sizeof *re);
    memset(im, 0, size * sizeof *im);
    for (size_t chain = 0; chain < work->chains; chain++) {
        size_t now = size, before = 2 * size;
        memset(re + before, 0, size * sizeof *re);
        memset(im + before, 0, size * sizeof *im);
        for (size_t start = 0; start < work->half; start += lags) {
            load(work, chain, start, lags, size, re + now, im + now);
            fft_forward(size, table, re + now, im + now);
            add_products(size, re + before, im + before, re + now, im + now, re, im);
            const size_t last = now;
            now = before;
            before = last;
        }
    }
    from_spectrum(work, size, table, lags);
}

/* 1 + 2 sum of the autocorrelations, by Geyer's initial monotone sequence: sums of two neighbours are taken as long as
 * they are positive, and none counts for more than the one before it. The last, even, lag counts once. posterior takes 2
 * where there is no second pair. NaN where more lags are wanted than there are. */
static double autocorrelation_time(const double *covariance, size_t lags, size_t n, double within, double total) {
    double time = -1, pair = 2 - (within - covariance[1]) / total, least = HUGE_VAL, last = 0;
    size_t lag = 0;
    while (lag + 5 < n && pair > 0) {
        least = pair < least ? pair : least;
        time += 2 * least;
        lag += 2;
        if (lag + 1 >= lags) return (double)NAN;
        const double even = 1 - (within - covariance[lag]) / total;
        pair = even + (1 - (within - covariance[lag + 1]) / total);
        last = pair >= 0 || even > 0 ? even : 0;
    }
    return lag > 0 ? time + last : 2;
}

/* Most chains forget within a few lags: they are looked for among the first of them, then among more, then among all. */
static double measure_time(diag_work *work, double total) {
    enum { FIRST = 4096, MORE = 16, SMALLER = 8 }; /* worth it where it is so many times smaller than the whole */
    size_t root;
    for (size_t most = FIRST; most <= work->size / SMALLER; most *= MORE) {
        const size_t size = fft_inner(work->size, most, &root);
        near_autocovariance(work, size);
        const double time = autocorrelation_time(work->re, size / 2, work->half, work->within, total);
        if (!isnan(time)) return time;
    }
    autocovariance(work);
    return autocorrelation_time(work->re, work->half, work->half, work->within, total);
}

double split_ess(diag_work *work) {
    const double n = (double)work->half, draws = n * (double)(2 * work->chains);
    const double total = work->within * (n - 1) / n + work->between;
    if (work->half < 3 || !(total > 0)) return (double)NAN;
    const double time = measure_time(work, total), bound = 1 / log10(draws);
    return draws / (time < bound ? bound : time); /* no more than draws * log10(draws) */
}
