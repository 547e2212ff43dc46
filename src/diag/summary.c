/* summary.c - the numbers of a summary: ckam_summarise(), and what diag.h has for one quantity.
 *
 * Each number is made of a series of its own: normal scores, 'not above a quantile', or the values. */
#include "base/block.h"
#include "base/error.h"
#include "diag/diag.h"
#include "diag/fft.h"
#include "diag/scores.h"
#include "diag/sort.h"
#include "diag/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Leaves in work->order those values that are in a half of a chain. */
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
        s->rhat = fmax(s->rhat, split_rhat(work)); /* the first alone where all distances are equal */
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
    *ess = fmin(s.ess_bulk, s.ess_tail); /* the first alone where there are no tails, as of what is 0 or 1 */
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
