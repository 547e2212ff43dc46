/* mode_weights.c - see mode_weights.h. */
#include "diag/mode_weights.h"

#include "base/error.h"
#include "diag/diag.h"
#include "diag/ranks.h"

#include <math.h>
#include <stdlib.h>

#define FALSE_ALARM 1e-4 /* of a run, shared by its modes and by the three tests */
enum {
    BATCHES = 10,
    CHAIN_BATCHES = 2 * BATCHES,
    BATCH_LEAST = 10
}; /* of a half of a chain; of a chain; rows of one */

static double limit_of(const labels *l) { return FALSE_ALARM / (3.0 * (double)l->modes); }

/* -- The error from visits ---------------------------------------------------------------------------------------- */

/* A two-state Markov chain with rates a in and b out has w = a / (a + b), n = N w b arrivals, and a mean of variance
 * w (1-w) (2-a-b) / (a+b) / N = 2 (w (1-w))^2 / n - w (1-w) / N. */
double weight_error(double weight, uint64_t arrivals, size_t draws) {
    const double spread = weight * (1.0 - weight);
    enum { MANY = 50 }; /* arrivals: from here on the autocorrelation is enough */
    const double square =
        arrivals && arrivals < MANY ? 2.0 * spread * spread / (double)arrivals - spread / (double)draws : 0.0;
    return square > 0.0 ? sqrt(square) : 0.0;
}

/* -- Late modes --------------------------------------------------------------------------------------------------- */

/* The effective number of arrivals: those of a two-state Markov chain with the same standard error of the weight, over the
 * rows from `first` on. Where visits come in clumps it is smaller than the number of arrivals. */
static ckam_status count_arrivals(const labels *l, uint8_t label, size_t first, double *count, ckam_error *error) {
    const size_t rows = l->rows - first, total = l->chains * rows;
    double      *series = malloc(total * sizeof *series), sum = 0.0;
    diag_work   *work = series ? diag_work_create(l->chains, rows) : NULL;
    if (!series || !work) {
        free(series);
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the weights of modes of %zu rows", total);
    }
    for (size_t i = 0; i < total; i++) {
        series[i] = l->label[i / rows * l->rows + first + i % rows] == label;
        sum += series[i];
    }
    const double w = sum / (double)total, spread = w * (1.0 - w), mcse = diag_mcse_mean(work, series);
    *count = mcse > 0.0 ? 2.0 * spread * spread / (mcse * mcse + spread / (double)total) : 0.0; /* NaN: 0 */
    diag_work_free(work);
    free(series);
    return CKAM_OK;
}

/* Given that there are n independent arrivals, each is equally likely anywhere: none is in the first f of the rows with
 * probability (1-f)^n. Chains are independent, so there are as many as chains that have been there. */
static ckam_status find_late(const labels *l, uint8_t label, uint64_t arrivals, double *absent, ckam_error *error) {
    size_t first = l->rows;
    double chains = 0.0, clumps;
    for (size_t c = 0; c < l->chains; c++) {
        size_t row = 0;
        while (row < l->rows && l->label[c * l->rows + row] != label) row++;
        chains += row < l->rows;
        if (row < first) first = row;
    }
    const double f = (double)first / (double)l->rows;
    *absent = 0.0;
    if (first == 0 || first == l->rows || pow(1.0 - f, fmax(chains, (double)arrivals)) > limit_of(l)) return CKAM_OK;
    ckam_status status = count_arrivals(l, label, first, &clumps, error);
    if (!status && pow(1.0 - f, fmax(chains, fmin(clumps, (double)arrivals))) < limit_of(l)) *absent = f;
    return status;
}

/* -- Uneven weights ----------------------------------------------------------------------------------------------- */

/* share[] := the weight in each batch; the halves of a chain follow each other. */
static void fill_batches(const labels *l, uint8_t label, double *share) {
    const size_t length = l->rows / CHAIN_BATCHES;
    for (size_t b = 0; b < l->chains * CHAIN_BATCHES; b++) {
        const size_t   chain = b / CHAIN_BATCHES, number = b % CHAIN_BATCHES;
        const size_t   left = (CHAIN_BATCHES - number) * length; /* rows up to the end of the second half */
        const size_t   start = number < BATCHES ? number * length : l->rows - left;
        const uint8_t *from = l->label + chain * l->rows + start;
        double         count = 0.0;
        for (size_t i = 0; i < length; i++) count += from[i] == label;
        share[b] = count / (double)length;
    }
}

/* rank[] := the ranks, less their mean; ties share the mean of their ranks. Returns the sum of the squares. */
static double rank_batches(size_t count, const double *share, double *sorted, uint32_t *order, double *rank) {
    double squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = share[i];
        order[i] = (uint32_t)i;
    }
    sort_with_order(sorted, order, count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && share[order[to]] == share[order[from]];) to++;
        const double middle = 0.5 * ((double)from + (double)to - (double)count);
        for (size_t i = from; i < to; i++) rank[order[i]] = middle;
        squares += (double)(to - from) * middle * middle;
    }
    return squares;
}

/* The factor by which the correlation of neighbouring batches inflates the variance of a mean: (1+rho) / (1-rho). */
static double inflation(size_t halves, const double *rank) {
    double squares = 0.0, products = 0.0;
    for (size_t h = 0; h < halves; h++) {
        const double *x = rank + h * BATCHES;
        double        mean = 0.0;
        for (size_t i = 0; i < BATCHES; i++) mean += x[i] / BATCHES;
        for (size_t i = 0; i < BATCHES; i++) squares += (x[i] - mean) * (x[i] - mean);
        for (size_t i = 1; i < BATCHES; i++) products += (x[i] - mean) * (x[i - 1] - mean);
    }
    const double rho = squares > 0.0 ? fmin(fmax(products / squares, 0.0), 0.9) : 0.0;
    return (1.0 + rho) / (1.0 - rho);
}

static double normal_tail(double z) { return 0.5 * erfc(z / sqrt(2.0)); }

/* Upper tail of chi-square, by the cube-root approximation of Wilson and Hilferty (1931). */
static double square_tail(double x, double degrees) {
    const double v = 2.0 / (9.0 * degrees);
    return normal_tail((cbrt(x / degrees) - 1.0 + v) / sqrt(v));
}

/* Rank tests of the weights of batches: of all halves of chains against each other (Kruskal and Wallis 1952), and of the first
 * halves against the second ones. Ranks are used because the weights of rare modes are far from normal. */
static bool is_uneven(const labels *l, size_t count, const double *rank, double squares) {
    const size_t halves = 2 * l->chains;
    const double variance = squares / (double)(count - 1) * inflation(halves, rank);
    double       between = 0.0, second = 0.0;
    for (size_t h = 0; h < halves; h++) {
        double sum = 0.0;
        for (size_t i = 0; i < BATCHES; i++) sum += rank[h * BATCHES + i];
        between += sum * sum / BATCHES;
        if (h % 2) second += sum;
    }
    if (!(variance > 0.0)) return false;
    const double z = fabs(second) / sqrt(variance * 0.25 * (double)count);
    return 2.0 * normal_tail(z) < limit_of(l) || square_tail(between / variance, (double)(halves - 1)) < limit_of(l);
}

/* The least and the largest weight of a half of a chain. */
static void note_uneven(size_t halves, const double *share, mode_doubts *d) {
    d->least = 1.0;
    d->most = 0.0;
    for (size_t h = 0; h < halves; h++) {
        double mean = 0.0;
        for (size_t i = 0; i < BATCHES; i++) mean += share[h * BATCHES + i] / BATCHES;
        d->least = fmin(d->least, mean);
        d->most = fmax(d->most, mean);
    }
}

static ckam_status find_uneven(const labels *l, uint8_t label, size_t number, mode_doubts *d, ckam_error *error) {
    const size_t count = CHAIN_BATCHES * l->chains;
    if (!count || l->rows < (size_t)CHAIN_BATCHES * BATCH_LEAST) return CKAM_OK;
    double   *share = calloc(3 * count, sizeof *share);
    uint32_t *order = malloc(count * sizeof *order);
    if (share && order) {
        double *rank = share + count;
        fill_batches(l, label, share);
        const double squares = rank_batches(count, share, share + 2 * count, order, rank);
        if (is_uneven(l, count, rank, squares) && d->uneven++ == 0) {
            d->first_uneven = number;
            note_uneven(2 * l->chains, share, d);
        }
    }
    const bool enough = share && order;
    free(share);
    free(order);
    return enough ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the weights of modes");
}

ckam_status weight_check(const labels *l, uint8_t label, size_t number, uint64_t arrivals, mode_doubts *doubts,
                         ckam_error *error) {
    double      absent;
    ckam_status status = find_late(l, label, arrivals, &absent, error);
    if (!status && absent > 0.0 && doubts->late++ == 0) {
        doubts->first_late = number;
        doubts->absent = absent;
    }
    return status ? status : find_uneven(l, label, number, doubts, error);
}
