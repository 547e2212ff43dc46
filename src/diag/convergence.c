/* convergence.c - split R-hat, ESS, standard errors and quantiles: ckam_summarise(), and what diag.h has for one quantity.
 *
 * A. Vehtari, A. Gelman, D. Simpson, B. Carpenter and P.-C. Buerkner (2021), Rank-normalization, folding, and
 * localization: an improved R-hat, Bayesian Analysis 16, 667-718. Each number comes from a series of its own: normal
 * scores, 'not above a quantile', or the values. */
#include "base/block.h"
#include "base/error.h"
#include "base/wide.h"
#include "diag/diag.h"
#include "diag/fft.h"
#include "diag/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

diag_work *diag_work_create(size_t chains, size_t rows) {
    size_t count, end = sizeof(diag_work);
    if (__builtin_mul_overflow(chains, rows, &count) || count > UINT32_MAX) return NULL;
    if (count == 0) chains = rows = 0;
    const size_t half = rows / 2, size = fft_size(2 * half);
    const size_t series = block_take(&end, chains, rows), order = block_take(&end, (count + 1) / 2, 1);
    const size_t mean = block_take(&end, chains, 2), table = block_take(&end, fft_table_count(size), 1);
    const size_t re = block_take(&end, size, 1), im = block_take(&end, size, 1);
    const size_t power = chains > 1 ? block_take(&end, size, 1) : re;
    diag_work   *work = end < SIZE_MAX ? malloc(end) : NULL;
    if (!work) return NULL;
    *work = (diag_work){.chains = chains,
                        .rows = rows,
                        .count = count,
                        .half = half,
                        .series = block_at(work, series),
                        .order = (uint32_t *)(void *)block_at(work, order),
                        .mean = block_at(work, mean),
                        .size = size,
                        .table = block_at(work, table),
                        .re = block_at(work, re),
                        .im = block_at(work, im),
                        .power = block_at(work, power)};
    return work;
}

void diag_work_free(diag_work *work) { free(work); }

/* -- R-hat and ESS of a series, its chains cut into halves -------------------------------------------------------- */

static double *half_of(const diag_work *work, size_t k) {
    return work->series + k / 2 * work->rows + (k % 2 ? work->rows - work->half : 0);
}

/* Of n numbers; exact where all are equal: the second sum removes the rounding error of the first. */
static double split_mean(const double *x, size_t n) {
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    const double mean = sum / (double)n;
    if (!isfinite(mean)) return mean;
    for (size_t i = 0; i < n; i++) rest += x[i] - mean;
    return mean + rest / (double)n;
}

/* Subtracts from each half of the series its mean; notes means and variances. */
static void split_centre(diag_work *work) {
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

/* Of the series last centred; NaN where all of it is the same number. So is split_ess(). */
static double split_rhat(const diag_work *work) {
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

/* Only for lags below size / 2, by blocks of size / 2 points, in transforms that fit the cache. No lag reaches beyond the
 * next block, so products of a block with itself and with the next one suffice. re and im have room for three spectra. */
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

/* Most autocorrelation times are short: the first FIRST lags are tried, then MORE times as many, and so on, then all. */
static double measure_time(diag_work *work, double total) {
    enum {
        FIRST = 4096,
        MORE = 16,
        SMALLER = 8
    }; /* SMALLER: blocks are used where they are this factor smaller than the whole */
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

static double split_ess(diag_work *work) {
    const double n = (double)work->half, draws = n * (double)(2 * work->chains);
    const double total = work->within * (n - 1) / n + work->between;
    if (work->half < 3 || !(total > 0)) return (double)NAN;
    const double time = measure_time(work, total), bound = 1 / log10(draws);
    return draws / (time < bound ? bound : time); /* no more than draws * log10(draws) */
}

/* -- The numbers of a summary ------------------------------------------------------------------------------------- */

/* NaN if one of them is. */
static double smaller(double a, double b) { return isnan(a) || a < b ? a : b; }

typedef struct limits {
    double least, greatest; /* NaN where a value is, or where there is none */
} limits;

static limits limits_of(const double *values, size_t count) {
    limits l = {HUGE_VAL, -HUGE_VAL};
    bool   numbers = count > 0;
    for (size_t i = 0; i < count; i++) {
        l.least = values[i] < l.least ? values[i] : l.least;
        l.greatest = values[i] > l.greatest ? values[i] : l.greatest;
        numbers &= !isnan(values[i]);
    }
    return numbers ? l : (limits){(double)NAN, (double)NAN};
}

/* Definition 7 of Hyndman and Fan (1996). */
static double quantile(const double *sorted, size_t count, double probability) {
    const double place = 1 + (double)(count - 1) * probability, below = floor(place), share = place - below;
    const double low = sorted[(size_t)below - 1];
    const double high = sorted[(size_t)ceil(place) - 1];
    return low < high ? (1 - share) * low + share * high : low; /* no rounding between equals; nor 0 * infinity */
}

static double median(const double *sorted, size_t count) {
    return count % 2 ? sorted[count / 2] : sorted[count / 2 - 1] / 2 + sorted[count / 2] / 2; /* no overflow */
}

/* Median of the distances from the centre: they are visited from the least on, up to the middle one. */
static double median_distance(const double *sorted, size_t count, double centre) {
    size_t high = 0;
    double before = 0, last = 0;
    if (!isfinite(centre)) return (double)NAN;
    while (high < count && sorted[high] < centre) high++;
    for (size_t low = high; high - low <= count / 2;) {
        const double left = low > 0 ? centre - sorted[low - 1] : HUGE_VAL;
        const double right = high < count ? sorted[high] - centre : HUGE_VAL;
        before = last;
        last = left < right ? left : right;
        if (left < right || high == count)
            low--;
        else
            high++;
    }
    return count % 2 ? last : (before + last) / 2;
}

typedef struct quantiles {
    double median, mad, q5, q95;
} quantiles;

/* Leaves in work->order the values that belong to a half of a chain: all but the middle row of an odd number. */
static quantiles sort_values(diag_work *work, const double *values) {
    const size_t count = work->count;
    double      *sorted = work->series;
    memcpy(sorted, values, count * sizeof *sorted);
    for (size_t i = 0; i < count; i++) work->order[i] = (uint32_t)i;
    sort_with_order(sorted, work->order, count);
    work->kept = count;
    if (work->rows % 2) {
        work->kept = 0;
        for (size_t i = 0; i < count; i++)
            if (work->order[i] % work->rows != work->half) work->order[work->kept++] = work->order[i];
    }
    const double centre = median(sorted, count);
    return (quantiles){.median = centre,
                       .mad = 1.4826 * median_distance(sorted, count, centre), /* 1 for a normal of variance 1 */
                       .q5 = quantile(sorted, count, 0.05),
                       .q95 = quantile(sorted, count, 0.95)};
}

/* ESS of the share of values that are not above a bound. */
static double ess_below(diag_work *work, const double *values, double bound) {
    for (size_t i = 0; i < work->count; i++) work->series[i] = values[i] <= bound;
    split_centre(work);
    return split_ess(work);
}

/* rhat, ess_bulk and ess_tail. */
static void converge(diag_work *work, const double *values, const limits *l, const quantiles *q, ckam_summary *s) {
    scores_of_values(values, work->order, work->kept, work->series);
    split_centre(work);
    s->rhat = split_rhat(work);
    s->ess_bulk = split_ess(work);
    if (isfinite(q->median)) {
        scores_of_distances(values, work->order, work->kept, q->median, work->series);
        split_centre(work);
        s->rhat = fmax(s->rhat, split_rhat(work)); /* fmax() ignores the NaN where all distances are equal */
    } else {
        s->rhat = (double)NAN;
    }
    s->ess_tail = (double)NAN;
    if (isfinite(l->least) && isfinite(l->greatest))
        s->ess_tail = smaller(ess_below(work, values, q->q5), ess_below(work, values, q->q95));
}

/* mean, sd and mcse_mean. In units of the range no square overflows or vanishes. */
static void take_moments(diag_work *work, const double *values, const limits *l, ckam_summary *s) {
    const size_t count = work->count;
    const double range = l->greatest - l->least;
    double       squares = 0;
    s->mean = split_mean(values, count);
    s->sd = s->mcse_mean = (double)NAN;
    if (count < 2 || !isfinite(range)) return;
    for (size_t i = 0; i < count; i++) {
        work->series[i] = range > 0 ? (values[i] - s->mean) / range : 0;
        squares += work->series[i] * work->series[i];
    }
    s->sd = range * sqrt(squares / (double)(count - 1));
    split_centre(work);
    s->mcse_mean = s->sd / sqrt(split_ess(work));
}

static ckam_summary no_summary(void) {
    const double nan = (double)NAN;
    return (ckam_summary){nan, nan, nan, nan, nan, nan, nan, nan, nan, nan};
}

void diag_summary(diag_work *work, const double *values, ckam_summary *summary) {
    const limits l = limits_of(values, work->count);
    *summary = no_summary();
    if (isnan(l.least)) return;
    const quantiles q = sort_values(work, values);
    summary->median = q.median;
    summary->mad = q.mad;
    summary->q5 = q.q5;
    summary->q95 = q.q95;
    converge(work, values, &l, &q, summary);
    take_moments(work, values, &l, summary);
}

double diag_mcse_mean(diag_work *work, const double *values) {
    const limits l = limits_of(values, work->count);
    ckam_summary s;
    if (isnan(l.least)) return (double)NAN;
    take_moments(work, values, &l, &s);
    return s.mcse_mean;
}

void diag_convergence(diag_work *work, const double *values, double *rhat, double *ess) {
    const limits l = limits_of(values, work->count);
    ckam_summary s = no_summary();
    if (!isnan(l.least)) {
        const quantiles q = sort_values(work, values);
        converge(work, values, &l, &q, &s);
    }
    *rhat = s.rhat;
    *ess = fmin(s.ess_bulk, s.ess_tail); /* fmin() ignores the NaN of ess_tail, as for values 0 and 1 */
}

ckam_status ckam_summarise(const double *values, size_t chains, size_t rows, ckam_summary *summary, ckam_error *error) {
    if (!summary || (!values && chains > 0 && rows > 0))
        return fail_with(error, CKAM_ERROR_ARGUMENT, "the values or the place for their summary is NULL");
    diag_work *work = diag_work_create(chains, rows);
    if (!work)
        return fail_with(error, CKAM_ERROR_MEMORY,
                         "there is no memory for the summary of %zu chains of %zu values; use every n-th of them",
                         chains, rows);
    diag_summary(work, values, summary);
    diag_work_free(work);
    return CKAM_OK;
}
