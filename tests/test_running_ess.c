/* test_running_ess.c - ESS of a running chain: the same as of its stored rows, and as the closed form has it. */
#include "support.h"

#include "diag/diag.h"
#include "diag/multi_ess.h"
#include "rng/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Chains ---------------------------------------------------------------------------------------------------------- */

enum { DIM_MOST = 40 };

/* Coordinate k before mixing: x = phi x + noise, of variance 1, in its stationary law from the start. */
typedef struct markov {
    rng    r;
    size_t dim;
    double phi[DIM_MOST], x[DIM_MOST];
} markov;

static markov markov_of(size_t dim, double phi, double more, uint64_t seed) {
    markov m = {.dim = dim};
    rng_init(&m.r, seed, 0);
    rng_normals(&m.r, dim, m.x);
    for (size_t k = 0; k < dim; k++) m.phi[k] = phi + more * (double)k;
    return m;
}

/* The next row: the coordinates, each mixed with the one before and of another unit, which no joint ESS may notice. */
static void next_row(markov *m, double *row) {
    double noise[DIM_MOST];
    rng_normals(&m->r, m->dim, noise);
    for (size_t k = 0; k < m->dim; k++) {
        m->x[k] = m->phi[k] * m->x[k] + sqrt(1.0 - m->phi[k] * m->phi[k]) * noise[k];
        row[k] = (m->x[k] + (k > 0 ? 0.8 * m->x[k - 1] : 0.0)) * (double)(k + 1) - 3.0;
    }
}

static double *rows_of(size_t rows, size_t dim, double phi, uint64_t seed) {
    markov  m = markov_of(dim, phi, 0.0, seed);
    double *x = malloc(rows * dim * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < rows; i++) next_row(&m, x + i * dim);
    return x;
}

static running_ess *make(size_t dim) {
    running_ess *b = running_ess_create(dim);
    assert_non_null(b);
    return b;
}

static double ess_of(const double *x, size_t rows, size_t dim) {
    running_ess *b = make(dim);
    for (size_t i = 0; i < rows; i++) running_ess_add(b, x + i * dim);
    const double ess = running_ess_value(b);
    running_ess_free(b);
    return ess;
}

static double stored_ess(const double *x, size_t rows, size_t dim) {
    double ess = -1;
    assert_int_equal(diag_multi_ess(x, 1, rows, dim, &ess, NULL), CKAM_OK);
    return ess;
}

/* -- The definition -------------------------------------------------------------------------------------------------- */

/* At every length at which it is asked; asking changes nothing. */
static void it_is_that_of_the_stored_rows(void **state) {
    static const size_t dims[] = {1, 2, 5, 32, 40};
    (void)state;
    for (size_t n = 0; n < sizeof dims / sizeof *dims; n++) {
        const size_t dim = dims[n];
        double      *x = rows_of(8192, dim, 0.4, n);
        running_ess *b = make(dim);
        size_t       numbers = 0;
        for (size_t i = 1; i <= 8192; i++) {
            running_ess_add(b, x + (i - 1) * dim);
            if (i > 30 && i % 97 && i < 8191) continue;
            const double stored = stored_ess(x, i, dim), running = running_ess_value(b);
            assert_int_equal(isnan(running), isnan(stored));
            if (isnan(stored)) continue;
            assert_relative(running, stored, 1e-9);
            assert_true(running_ess_value(b) == running);
            numbers++;
        }
        assert_in_range(numbers, 50, 8192);
        running_ess_free(b);
        free(x);
    }
}

/* |A| by Gaussian elimination; A is used up. */
static double determinant(size_t dim, double *a) {
    double product = 1.0;
    for (size_t j = 0; j < dim; j++) {
        product *= a[j * dim + j];
        for (size_t i = j + 1; i < dim; i++) {
            const double factor = a[i * dim + j] / a[j * dim + j];
            for (size_t k = j; k < dim; k++) a[i * dim + k] -= factor * a[j * dim + k];
        }
    }
    return product;
}

/* |covariance| of the means of every `length` rows, as a textbook has it. */
static double generalised_variance(const double *x, size_t rows, size_t dim, size_t length) {
    const size_t count = rows / length;
    double *means = calloc(count * dim, sizeof *means), centre[DIM_MOST] = {0}, covariance[DIM_MOST * DIM_MOST] = {0};
    assert_non_null(means);
    for (size_t i = 0; i < count * length; i++)
        for (size_t k = 0; k < dim; k++) means[i / length * dim + k] += x[i * dim + k] / (double)length;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < dim; k++) centre[k] += means[i * dim + k] / (double)count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < dim; j++)
            for (size_t k = 0; k < dim; k++)
                covariance[j * dim + k] +=
                    (means[i * dim + j] - centre[j]) * (means[i * dim + k] - centre[k]) / (double)(count - 1);
    free(means);
    return determinant(dim, covariance);
}

static double textbook(const double *x, size_t rows, size_t dim, size_t length) {
    const double ratio = generalised_variance(x, rows, dim, 1) / generalised_variance(x, rows, dim, length);
    return (double)rows * pow(ratio, 1.0 / (double)dim) / (double)length;
}

/* Groups have 2^g rows from 8192 2^(g-1) + 1 rows on. The lengths are worked out by hand. Those of sqrt(rows) give
 * other batches: with `count` of them and 4 quantities two independent estimates differ by a factor of e^(5 s),
 * s = sqrt(4 / (4 count)), once in 2 million. The twin is batches of a row more. */
static void groups_are_merged(void **state) {
    enum { DIM = 4 };
    static const struct {
        size_t rows, group, length;
    } cases[] = {{8193, 2, 90},   {10000, 2, 100},   {16384, 2, 128},   {16385, 4, 128},  {20000, 4, 140},
                 {65536, 8, 256}, {100000, 16, 320}, {262144, 32, 512}, {300001, 64, 576}};
    (void)state;
    double *x = rows_of(300001, DIM, 0.5, 7);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t rows = cases[i].rows, length = cases[i].length, root = (size_t)sqrt((double)rows);
        assert_int_equal(length % cases[i].group, 0);
        assert_true((root > length ? root - length : length - root) <= cases[i].group / 2);
        const double ess = ess_of(x, rows, DIM), stored = stored_ess(x, rows, DIM);
        assert_relative(ess, textbook(x, rows, DIM, length), 1e-9);
        if (length == root) assert_relative(ess, stored, 1e-9);
        assert_less(fabs(log(ess / stored)), 5.0 * sqrt((double)length / (double)rows));
        assert_less(1e-5, fabs(ess / textbook(x, rows, DIM, length + 1) - 1.0));
    }
    free(x);
}

/* From 16384 * 8192 + 1 rows on sqrt(rows) is less than half a group of 32,768, and a batch is one group. A sawtooth
 * of 4096 rows, whose mean is the same in every batch, and a sine of 24,576 rows, of which a batch averages w = 2 pi 4/3:
 * that leaves (sin(w/2) / (w/2))^2 of its variance, 1/2. The two are uncorrelated: 6 teeth fill a period. */
static void long_chains_have_batches_of_one_group(void **state) {
    enum { GROUP = 32768, PERIOD = 24576, ROWS = 5462 * PERIOD };
    (void)state;
    running_ess *b = make(1);
    double      *wave = malloc(PERIOD * sizeof *wave);
    assert_non_null(wave);
    for (size_t i = 0; i < PERIOD; i++)
        wave[i] = sin(6.283185307179586 * ((double)i + 0.5) / PERIOD) + (double)(i % 4096) / 4096.0;
    for (size_t i = 0; i < ROWS; i += PERIOD)
        for (size_t k = 0; k < PERIOD; k++) running_ess_add(b, wave + k);
    const double half = 3.141592653589793 * GROUP / PERIOD, left = pow(sin(half) / half, 2.0);
    assert_relative(running_ess_value(b), ROWS * (0.5 + 1.0 / 12.0) / (GROUP * 0.5 * left), 1e-3);
    free(wave);
    running_ess_free(b);
}

/* -- The closed form ------------------------------------------------------------------------------------------------- */

/* n (prod (1 - phi_k) / (1 + phi_k))^(1/dim). */
static double exact_ess(const markov *m, uint64_t rows) {
    double sum = 0.0;
    for (size_t k = 0; k < m->dim; k++) sum += log((1.0 - m->phi[k]) / (1.0 + m->phi[k]));
    return (double)rows * exp(sum / (double)m->dim);
}

/* Two million rows of 16 coordinates with phi from 0.2 to 0.65. Batches have 1536 rows: 1302 of them. log det of their
 * covariance is that of a Wishart matrix; over 16 it has the standard deviation sqrt(2 / (16 * 1301)) = 0.98 % and the mean
 * -17 / (2 * 1301) = -0.65 %, which is allowed for. A batch sees all of the time but 2 phi / (1 - phi^2) rows, at most
 * 0.15 %. The limit, 5 %, is then 4.9 standard errors. Each coordinate alone has sqrt(2 / 1301) = 3.9 %, so the geometric
 * mean of the 16, which are independent before they are mixed, has 0.98 % again. False alarms: 2e-6 in all.
 * Twins: the closed form of phi that is 0.04 larger, and the same rows in random order, which are independent. */
static void autoregressions_have_the_closed_form(void **state) {
    enum { ROWS = 2000000, DIM = 16 };
    (void)state;
    markov       m = markov_of(DIM, 0.2, 0.03, 3), twin = markov_of(DIM, 0.24, 0.03, 3);
    running_ess *joint = make(DIM), *one[DIM];
    double       row[DIM], logs = 0.0;
    for (size_t k = 0; k < DIM; k++) one[k] = make(1);
    for (size_t i = 0; i < ROWS; i++) {
        next_row(&m, row);
        running_ess_add(joint, row);
        for (size_t k = 0; k < DIM; k++) running_ess_add(one[k], m.x + k);
    }
    const double bias = exp((DIM + 1.0) / (2.0 * 1301.0)), ess = running_ess_value(joint) / bias;
    assert_relative(ess, exact_ess(&m, ROWS), 0.05);
    assert_less(1.05 * exact_ess(&twin, ROWS), ess);
    for (size_t k = 0; k < DIM; k++) {
        logs += log(running_ess_value(one[k])) / DIM;
        running_ess_free(one[k]);
    }
    assert_relative(exp(logs), exact_ess(&m, ROWS), 0.05);
    assert_less(1.05 * exact_ess(&twin, ROWS), exp(logs));
    running_ess_free(joint);
}

/* 90,000 rows of 8 quantities in random order: 296 batches of 304, standard error sqrt(2 / (8 * 295)) = 2.9 %, bias
 * 9 / 590. In their own order they are worth a third, of which the batches see all but 0.4 %. Limit 5 standard errors:
 * false alarms 1e-6. */
static void order_is_what_matters(void **state) {
    enum { ROWS = 90000, DIM = 8 };
    (void)state;
    double *x = rows_of(ROWS, DIM, 0.5, 4), before = ess_of(x, ROWS, DIM);
    rng     r;
    rng_init(&r, 5, 0);
    for (size_t i = ROWS - 1; i > 0; i--) {
        const size_t j = (size_t)rng_below(&r, i + 1);
        double       kept[DIM];
        memcpy(kept, x + i * DIM, sizeof kept);
        memcpy(x + i * DIM, x + j * DIM, sizeof kept);
        memcpy(x + j * DIM, kept, sizeof kept);
    }
    assert_relative(before, exp(9.0 / 590.0) * ROWS / 3.0, 0.15);
    assert_relative(ess_of(x, ROWS, DIM), exp(9.0 / 590.0) * ROWS, 0.15);
    free(x);
}

/* -- Digits and bad input -------------------------------------------------------------------------------------------- */

/* Rows that are exact in 2^-20 lose nothing by an offset of 2^27 (1.3e8): all digits of the result must stay. */
static void offsets_cost_no_digits(void **state) {
    enum { ROWS = 40000, DIM = 3 };
    (void)state;
    const size_t numbers = (size_t)ROWS * DIM;
    double      *x = rows_of(ROWS, DIM, 0.6, 11);
    for (size_t i = 0; i < numbers; i++) x[i] = floor(x[i] * 0x1p20) * 0x1p-20;
    const double near = ess_of(x, ROWS, DIM);
    for (size_t i = 0; i < numbers; i++) x[i] += 0x1p27;
    assert_true(ess_of(x, ROWS, DIM) == near);
    for (size_t i = 0; i < numbers; i++) x[i] = (x[i] - 0x1p27) * 0x1p100;
    assert_relative(ess_of(x, ROWS, DIM), near, 1e-9);
    free(x);
}

static void what_has_no_ess_is_nan(void **state) {
    enum { ROWS = 20000, DIM = 3 };
    static const size_t bad_rows[] = {0, 1, 7000, ROWS - 1};
    const double        bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    (void)state;
    double *x = rows_of(ROWS, DIM, 0.5, 12);
    assert_true(isnan(ess_of(x, ROWS, 0)));
    assert_true(isnan(ess_of(x, 0, DIM)));
    assert_true(isnan(ess_of(x, 1, DIM)));
    assert_true(isfinite(ess_of(x, ROWS, DIM)));
    for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++)
        for (size_t k = 0; k < 3; k++) {
            double *place = x + bad_rows[i] * DIM + k, kept = *place;
            *place = bad[k];
            assert_true(isnan(ess_of(x, ROWS, DIM)));
            *place = kept;
        }
    for (int a = 1; a < 20; a++) { /* rounding often leaves positive determinants */
        for (size_t i = 0; i < ROWS; i++) x[i * DIM + 2] = 0.1 * a * x[i * DIM] - 0.7 * x[i * DIM + 1] + 5;
        assert_true(isnan(ess_of(x, ROWS, DIM)));
    }
    for (size_t i = 0; i < ROWS; i++) x[i * DIM + 2] = 0.1;
    assert_true(isnan(ess_of(x, ROWS, DIM)));
    free(x);
    running_ess_free(NULL);
    assert_null(running_ess_create(SIZE_MAX / 8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_that_of_the_stored_rows),
        cmocka_unit_test(groups_are_merged),
        cmocka_unit_test(long_chains_have_batches_of_one_group),
        cmocka_unit_test(autoregressions_have_the_closed_form),
        cmocka_unit_test(order_is_what_matters),
        cmocka_unit_test(offsets_cost_no_digits),
        cmocka_unit_test(what_has_no_ess_is_nan),
    };
    return cmocka_run_group_tests_name("running_ess", tests, NULL, NULL);
}
