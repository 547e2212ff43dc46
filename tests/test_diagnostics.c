/* test_diagnostics.c - summaries, R-hat and ESS against R's package posterior, and against closed forms. */
#include "failure.h"
#include "normals.h"

#include "diag/diag.h"
#include "rng/rng.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/diagnostics.inc"

/* -- against posterior -- */

/* As scripts/diag-oracle makes them, operation by operation. */
static double shaped(enum shape shape, double x, double row, double chain) {
    switch (shape) {
    case HEAVY:
        return 1 / x;
    case ROUNDED:
        return floor(10 * x + 0.5) / 10;
    case SQUARED:
        return x * x;
    case RARE:
        return x > 0.4 ? 1 : 0;
    case FAR:
        return 1e6 + x;
    case SMALL:
        return 1e-9 * x;
    case MODES:
        return x + 8 * fmod(floor((row + 17 * chain) / 60), 2);
    case SHIFTED:
        return x + 0.25 * chain;
    case DRIFT:
        return x + 0.001 * row;
    case WIDER:
        return x * (1 + chain);
    case CONSTANT:
        return 0.3;
    case STUCK:
        return 0.3 * chain + 0.1;
    case ONE_STUCK:
        return chain == 1 ? 0.3 : x;
    case WITH_NAN:
        return row == 2 && chain == 0 ? (double)NAN : x;
    case WITH_INFINITY:
        return row == 2 && chain == 0 ? HUGE_VAL : x;
    case WITH_BOTH:
        return row == 2 && chain < 2 ? (chain == 0 ? HUGE_VAL : -HUGE_VAL) : x;
    case HALF_INFINITE:
        return x > -0.1 ? HUGE_VAL : x;
    default:
        return x;
    }
}

static double *series_of(const struct oracle *o) {
    double *values = numbers(o->chains * o->rows);
    for (size_t chain = 0; chain < o->chains; chain++) {
        double state = o->seed + 1000 * (double)chain, x = 0;
        for (size_t i = 0; i < o->rows + 10; i++) {
            state = fmod(1664525 * state + 1013904223, 4294967296);
            x = o->phi * x + ((state + 0.5) / 4294967296 - 0.5);
            if (i >= 10) values[chain * o->rows + i - 10] = shaped(o->shape, x, (double)(i - 10), (double)chain);
        }
    }
    return values;
}

/* NaN where posterior says NA, the same infinity, else the same number to 1e-8. Where no chain moves R-hat is infinite;
 * posterior divides by variances of constants, and what is left of them is rounding. */
static bool agrees(double a, double b) {
    if (isnan(b)) return isnan(a);
    return a == b || fabs(a - b) <= 1e-8 * fabs(b) || (a > 1e12 && b > 1e12);
}

static void summaries_are_those_of_posterior(void **unused) {
    (void)unused;
    const char *const member[] = {"mean", "mcse_mean", "sd",   "median",   "mad",
                                  "q5",   "q95",       "rhat", "ess_bulk", "ess_tail"};
    size_t            wrong = 0;
    for (size_t c = 0; c < sizeof oracle / sizeof *oracle; c++) {
        const struct oracle *o = oracle + c;
        double              *values = series_of(o), is[10], should[10];
        ckam_summary         s;
        assert_int_equal(ckam_summarise(values, o->chains, o->rows, &s, NULL), CKAM_OK);
        memcpy(is, &s, sizeof is);
        memcpy(should, &o->expected, sizeof should);
        for (size_t k = 0; k < 10; k++)
            if (!agrees(is[k], should[k])) {
                print_error("case %zu (shape %d, %zu x %zu): %s is %.17g, posterior has %.17g\n", c + 1, (int)o->shape,
                            o->chains, o->rows, member[k], is[k], should[k]);
                wrong++;
            }
        free(values);
    }
    assert_int_equal(wrong, 0);
}

static ckam_summary summary_of(const double *values, size_t chains, size_t rows) {
    ckam_summary s;
    assert_int_equal(ckam_summarise(values, chains, rows, &s, NULL), CKAM_OK);
    return s;
}

static void assert_all_nan(const ckam_summary *s) {
    double member[10];
    memcpy(member, s, sizeof member);
    for (size_t k = 0; k < 10; k++) assert_true(isnan(member[k]));
}

/* Where diag.h says that it differs from posterior. */
static void differences_from_posterior_are_those_written_down(void **unused) {
    (void)unused;
    enum { ROWS = 501, COUNT = 4 * ROWS };
    double            *x = normals(COUNT, 1), *y = numbers(COUNT);
    const ckam_summary s = summary_of(x, 4, ROWS);
    for (int sign = -1; sign <= 1; sign += 2) { /* a power of 2 changes no digit */
        const double unit = ldexp(1, 600 * sign);
        for (size_t i = 0; i < COUNT; i++) y[i] = unit * x[i];
        const ckam_summary t = summary_of(y, 4, ROWS);
        assert_true(t.mean == unit * s.mean && t.sd == unit * s.sd && t.mcse_mean == unit * s.mcse_mean);
        assert_true(t.median == unit * s.median && t.mad == unit * s.mad && t.q5 == unit * s.q5);
        assert_true(t.rhat == s.rhat && t.ess_bulk == s.ess_bulk && t.ess_tail == s.ess_tail);
    }
    for (size_t i = 0; i < 200; i++) y[i] = i < 100; /* two chains, 0 and 1; then both go to and fro */
    assert_true(summary_of(y, 2, 100).rhat == HUGE_VAL);
    for (size_t i = 0; i < 200; i++) y[i] = (double)(i / 7 % 2);
    assert_true(summary_of(y, 2, 98).median == 0.5);
    assert_close(summary_of(y, 2, 98).rhat, 1, 0.02);
    x[ROWS + ROWS / 2] = (double)NAN; /* in no half */
    const ckam_summary nan = summary_of(x, 4, ROWS);
    assert_all_nan(&nan);
    const ckam_summary none = summary_of(NULL, 0, 0), wide = summary_of(NULL, SIZE_MAX, 0);
    const ckam_summary tall = summary_of(NULL, 0, SIZE_MAX);
    assert_all_nan(&none);
    assert_all_nan(&wide);
    assert_all_nan(&tall);
    free(x);
    free(y);
}

static void one_room_serves_many_series(void **unused) {
    (void)unused;
    enum { CHAINS = 3, ROWS = 77, COUNT = CHAINS * ROWS };
    diag_work *work = diag_work_create(CHAINS, ROWS);
    assert_non_null(work);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double            *x = normals(COUNT, seed), rhat, ess;
        const ckam_summary fresh = summary_of(x, CHAINS, ROWS);
        ckam_summary       used;
        diag_convergence(work, x, &rhat, &ess);
        assert_true(rhat == fresh.rhat && ess == fmin(fresh.ess_bulk, fresh.ess_tail));
        assert_true(diag_mcse_mean(work, x) == fresh.mcse_mean);
        diag_summary(work, x, &used);
        assert_memory_equal(&used, &fresh, sizeof used);
        free(x);
    }
    double *x = normals(COUNT, 6), rhat = 0, ess = 0;
    x[5] = (double)NAN;
    diag_convergence(work, x, &rhat, &ess);
    assert_true(isnan(rhat) && isnan(ess) && isnan(diag_mcse_mean(work, x)));
    free(x);
    diag_work_free(work);
}

static void bad_arguments_are_refused(void **unused) {
    (void)unused;
    ckam_summary s;
    ckam_error   error;
    const double x = 1;
    assert_failure(ckam_summarise(NULL, 1, 1, &s, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_summarise(&x, 1, 1, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_summarise(&x, SIZE_MAX / 2, 3, &s, &error), CKAM_ERROR_MEMORY, &error, "memory", "3 values");
    assert_failure(ckam_summarise(&x, 1, SIZE_MAX, &s, &error), CKAM_ERROR_MEMORY, &error, "memory", "every n-th");
    assert_failure(ckam_summarise(&x, (size_t)1 << 31, 2, &s, &error), CKAM_ERROR_MEMORY, &error, "memory");
}

/* 2^20 values have to fit into 50 MB beside others. */
static void room_is_bounded(void **unused) {
    (void)unused;
    const struct { size_t chains, bytes; } shape[] = {{1, 34}, {2, 28}, {4, 21}, {16, 15}};
    for (size_t k = 0; k < 4; k++) {
        diag_work *work = diag_work_create(shape[k].chains, ((size_t)1 << 20) / shape[k].chains);
        assert_non_null(work);
        assert_in_range(malloc_usable_size(work), (size_t)12 << 20, shape[k].bytes << 20);
        diag_work_free(work);
    }
}

/* -- closed forms -- */

/* `width` series side by side, each x := phi x + normal from its stationary law on: x[(chain * rows + row) * width]. */
static double *markov(size_t chains, size_t rows, size_t width, double phi, uint64_t seed) {
    double *x = normals(chains * rows * width, seed);
    for (size_t chain = 0; chain < chains; chain++)
        for (size_t k = 0; k < width; k++) {
            double *start = x + chain * rows * width + k;
            *start /= sqrt(1 - phi * phi);
            for (size_t row = 1; row < rows; row++) start[row * width] += phi * start[(row - 1) * width];
        }
    return x;
}

/* The time 1 + 2 sum rho = (1 + phi) / (1 - phi), estimated from N draws with M lags, has the relative error
 * sqrt((4 M + 2) / N) (Madras and Sokal 1988). Lags are taken until noise makes a pair negative: here M stays below 40,
 * N is 80,000, so one standard error is below 0.045, and 5 of them 0.23. Four comparisons, false alarms: 2e-6. The
 * twin is the formula for phi = 0.4: ESS 2.4 times as large. */
static void ess_of_an_autoregression_is_the_formula(void **unused) {
    (void)unused;
    enum { CHAINS = 4, ROWS = 20000 };
    const double phis[] = {0, 0.7};
    for (size_t k = 0; k < 2; k++) {
        const double       phi = phis[k], draws = CHAINS * ROWS, expected = draws * (1 - phi) / (1 + phi);
        double            *x = markov(CHAINS, ROWS, 1, phi, 2 + k);
        const ckam_summary s = summary_of(x, CHAINS, ROWS);
        const double       ess_mean = pow(s.sd / s.mcse_mean, 2);
        assert_relative(ess_mean, expected, 0.23);
        assert_relative(s.ess_bulk, expected, 0.23);
        if (phi > 0) assert_less(1.23 * ess_mean, draws * (1 - 0.4) / (1 + 0.4));
        free(x);
    }
}

/* Halves of chains, centred: x[half * n + i]. */
typedef struct halves {
    size_t  count, n;
    double *x, *mean, within, between;
} halves;

static halves halves_of(const double *x, size_t chains, size_t rows) {
    halves h = {.count = 2 * chains, .n = rows / 2, .x = numbers(chains * rows), .mean = numbers(2 * chains)};
    double centre = 0;
    for (size_t k = 0; k < h.count; k++) {
        double *half = h.x + k * h.n, squares = 0;
        memcpy(half, x + k / 2 * rows + (k % 2 ? rows - h.n : 0), h.n * sizeof *half);
        h.mean[k] = 0;
        for (size_t i = 0; i < h.n; i++) h.mean[k] += half[i] / (double)h.n;
        for (size_t i = 0; i < h.n; i++) half[i] -= h.mean[k];
        for (size_t i = 0; i < h.n; i++) squares += half[i] * half[i];
        h.within += squares / (double)(h.n - 1) / (double)h.count;
        centre += h.mean[k] / (double)h.count;
    }
    for (size_t k = 0; k < h.count; k++) h.between += pow(h.mean[k] - centre, 2) / (double)(h.count - 1);
    return h;
}

/* Autocorrelation by the sum that defines it. */
static double slow_correlation(const halves *h, size_t lag) {
    const double n = (double)h->n;
    double       sum = 0;
    for (size_t k = 0; k < h->count; k++)
        for (size_t i = 0; i + lag < h->n; i++) sum += h->x[k * h->n + i] * h->x[k * h->n + i + lag];
    return 1 - (h->within - sum / n / (double)h->count) / (h->within * (n - 1) / n + h->between);
}

/* ESS of the mean, and how many lags it took. */
static double slow_ess(const double *x, size_t chains, size_t rows, size_t *lags) {
    halves h = halves_of(x, chains, rows);
    double time = -1, least = HUGE_VAL, even = 1, odd = slow_correlation(&h, 1);
    for (*lags = 2; even + odd > 0; *lags += 2) {
        least = fmin(least, even + odd);
        time += 2 * least;
        even = slow_correlation(&h, *lags);
        odd = slow_correlation(&h, *lags + 1);
    }
    free(h.x);
    free(h.mean);
    const size_t draws = 2 * chains * (rows / 2);
    return (double)draws / (time + fmax(even, 0));
}

/* Long chains are looked at in blocks: here in the first ones, where they are not enough in longer ones, and in all. */
static void ess_of_long_chains_is_that_of_the_slow_sums(void **unused) {
    (void)unused;
    const struct {
        size_t chains, rows, least, most; /* lags */
        double phi;
    } cases[] = {{1, 100000, 10, 1000, 0.9},
                 {2, 70001, 10, 1000, 0.8},
                 {1, 400000, 2500, 30000, 0.998},
                 {1, 60000, 1100, 15000, 0.997}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double            *x = markov(cases[k].chains, cases[k].rows, 1, cases[k].phi, 40 + k);
        const ckam_summary s = summary_of(x, cases[k].chains, cases[k].rows);
        size_t             lags;
        assert_relative(pow(s.sd / s.mcse_mean, 2), slow_ess(x, cases[k].chains, cases[k].rows, &lags), 1e-9);
        assert_in_range(lags, cases[k].least, cases[k].most);
        free(x);
    }
}

/* 8 halves of 500 independent draws: R-hat - 1 is about (F - 1) / 1000, 7 F chi-square with 7 degrees of freedom.
 * It passes 1.01 with the probability 6e-14. The twins: a chain that is half a standard deviation off, one that is
 * half as wide again, and chains that drift; only the folded R-hat sees the second. */
static void chains_that_disagree_are_noticed(void **unused) {
    (void)unused;
    enum { CHAINS = 4, ROWS = 1000, COUNT = CHAINS * ROWS };
    double      *x = normals(COUNT, 4), *y = numbers(COUNT);
    ckam_summary s = summary_of(x, CHAINS, ROWS);
    assert_less(s.rhat, 1.01);
    assert_less(400, fmin(s.ess_bulk, s.ess_tail));
    for (size_t i = 0; i < COUNT; i++) y[i] = x[i] + (i < ROWS ? 0.5 : 0);
    s = summary_of(y, CHAINS, ROWS);
    assert_less(1.01, s.rhat);
    assert_less(s.ess_bulk, 400);
    for (size_t i = 0; i < COUNT; i++) y[i] = x[i] * (i < ROWS ? 1.5 : 1);
    assert_less(1.01, summary_of(y, CHAINS, ROWS).rhat);
    for (size_t i = 0; i < COUNT; i++) y[i] = x[i] + 0.001 * (double)(i % ROWS);
    assert_less(1.01, summary_of(y, CHAINS, ROWS).rhat);
    for (size_t i = 0; i < COUNT; i++) y[i] = exp(x[i]); /* ranks are the same */
    assert_true(summary_of(y, CHAINS, ROWS).ess_bulk == summary_of(x, CHAINS, ROWS).ess_bulk);
    free(x);
    free(y);
}

/* -- ESS of several quantities -- */

static double multi_ess(const double *x, size_t chains, size_t rows, size_t dim) {
    double ess = -1;
    assert_int_equal(diag_multi_ess(x, chains, rows, dim, &ess, NULL), CKAM_OK);
    return ess;
}

/* 400 batches of 100: log det of their covariance is one of a Wishart matrix with 399 degrees of freedom. Over dim it has
 * the variance 2 / (399 dim) and the mean -(dim + 1) / 798 (first order). 5 standard errors of 3 quantities are 0.21.
 * Batches of 100 see 98.7 % of the time 3 of phi = 0.5, which is within that. Three comparisons, false alarms: 2e-6.
 * The twin is the ESS of the other phi. */
static void multi_ess_is_the_formula(void **unused) {
    (void)unused;
    enum { CHAINS = 4, ROWS = 10000, DIM = 3, WIDE = 40 };
    double *free_x = markov(CHAINS, ROWS, DIM, 0, 5), *bound_x = markov(CHAINS, ROWS, DIM, 0.5, 6);
    assert_relative(multi_ess(free_x, CHAINS, ROWS, DIM), 40000, 0.21);
    assert_relative(multi_ess(bound_x, CHAINS, ROWS, DIM), 40000 / 3.0, 0.22);
    assert_less(1.5 * multi_ess(bound_x, CHAINS, ROWS, DIM), multi_ess(free_x, CHAINS, ROWS, DIM));
    free(free_x);
    free(bound_x);
    double *wide = markov(CHAINS, ROWS, WIDE, 0, 7);
    assert_relative(multi_ess(wide, CHAINS, ROWS, WIDE), 40000 * exp((WIDE + 1) / 798.0), 0.06);
    free(wide);
}

static void multi_ess_does_not_depend_on_units(void **unused) {
    (void)unused;
    enum { CHAINS = 2, ROWS = 410, DIM = 3 }; /* 20 batches of 20 a chain, and 10 rows */
    double *x = markov(CHAINS, ROWS, DIM, 0.6, 8), *y = numbers(CHAINS * ROWS * DIM);
    for (size_t i = 0; i < CHAINS * ROWS; i++) {
        const double *from = x + i * DIM;
        double       *to = y + i * DIM;
        to[0] = 1e4 * from[2] - 3;
        to[1] = 1e-5 * (from[0] + 2 * from[1]) + 1;
        to[2] = 7 * from[1] - from[0] + 5 * from[2] + 100;
    }
    assert_relative(multi_ess(y, CHAINS, ROWS, DIM), multi_ess(x, CHAINS, ROWS, DIM), 1e-8);
    /* One quantity: what is left is a ratio of two variances, of the draws and of the means of 20 each. */
    double squares = 0, sum = 0, batch_squares = 0;
    for (size_t i = 0; i < CHAINS * ROWS; i++) y[i] = x[i * DIM];
    for (size_t i = 0; i < CHAINS * ROWS; i++) sum += y[i] / (CHAINS * ROWS);
    for (size_t i = 0; i < CHAINS * ROWS; i++) squares += pow(y[i] - sum, 2) / (CHAINS * ROWS - 1);
    double batch[CHAINS * 20], mean = 0;
    for (size_t b = 0; b < CHAINS * 20; b++) {
        batch[b] = 0;
        for (size_t k = 0; k < 20; k++) batch[b] += y[b / 20 * ROWS + b % 20 * 20 + k] / 20;
        mean += batch[b] / (CHAINS * 20);
    }
    for (size_t b = 0; b < CHAINS * 20; b++) batch_squares += pow(batch[b] - mean, 2) / (CHAINS * 20 - 1);
    assert_relative(multi_ess(y, CHAINS, ROWS, 1), CHAINS * ROWS * squares / (20 * batch_squares), 1e-10);
    free(x);
    free(y);
}

static void multi_ess_of_what_has_none_is_nan(void **unused) {
    (void)unused;
    enum { CHAINS = 2, ROWS = 100, DIM = 3 };
    double *x = markov(CHAINS, ROWS, DIM, 0.5, 9);
    assert_true(isnan(multi_ess(x, CHAINS, ROWS, 0)));
    assert_true(isnan(multi_ess(x, 0, ROWS, DIM)));
    assert_true(isnan(multi_ess(x, CHAINS, 0, DIM)));
    assert_true(isnan(multi_ess(x, 1, 9, 3)));     /* 3 batches */
    assert_true(isfinite(multi_ess(x, 1, 17, 3))); /* 4 batches, and a row too many */
    assert_true(isfinite(multi_ess(x, CHAINS, ROWS, DIM)));
    for (int a = 1; a < 100; a++) { /* rounding often leaves positive determinants */
        for (size_t i = 0; i < CHAINS * ROWS; i++) x[i * DIM + 2] = 0.1 * a * x[i * DIM] - 0.7 * x[i * DIM + 1] + 5;
        assert_true(isnan(multi_ess(x, CHAINS, ROWS, DIM)));
    }
    for (size_t i = 0; i < CHAINS * ROWS; i++) x[i * DIM + 2] = 0.1;
    assert_true(isnan(multi_ess(x, CHAINS, ROWS, DIM)));
    for (size_t i = 0; i < CHAINS * ROWS; i++) x[i * DIM + 2] = i == 7 ? HUGE_VAL : sin((double)i);
    assert_true(isnan(multi_ess(x, CHAINS, ROWS, DIM)));
    x[7 * DIM + 2] = (double)NAN;
    assert_true(isnan(multi_ess(x, CHAINS, ROWS, DIM)));
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_are_those_of_posterior),
        cmocka_unit_test(differences_from_posterior_are_those_written_down),
        cmocka_unit_test(one_room_serves_many_series),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(room_is_bounded),
        cmocka_unit_test(ess_of_an_autoregression_is_the_formula),
        cmocka_unit_test(ess_of_long_chains_is_that_of_the_slow_sums),
        cmocka_unit_test(chains_that_disagree_are_noticed),
        cmocka_unit_test(multi_ess_is_the_formula),
        cmocka_unit_test(multi_ess_does_not_depend_on_units),
        cmocka_unit_test(multi_ess_of_what_has_none_is_nan),
    };
    return cmocka_run_group_tests_name("diagnostics", tests, NULL, NULL);
}
