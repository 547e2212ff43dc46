/* test_diag_tools.c - what diagnostics are made of: Fourier transforms, sorting, normal scores. */
#include "normals.h"

#include "base/fastmath.h"
#include "diag/diag.h"
#include "diag/fft.h"
#include "diag/ranks.h"
#include "rng/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The order of a spectrum is not told, so each term of the slow sum has to be there, once. */
static void a_spectrum_is_that_of_the_slow_sum(void **unused) {
    (void)unused;
    const size_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 96, 128};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s];
        double *x = normals(2 * n, s + 10), *re = numbers(n), *im = numbers(n), *table = numbers(fft_table_count(n));
        assert_int_equal(fft_size(n), n);
        memcpy(re, x, n * sizeof *re);
        memcpy(im, x + n, n * sizeof *im);
        fft_table_fill(n, table);
        fft_forward(n, table, re, im);
        for (size_t k = 0; k < n; k++) {
            double sum_re = 0, sum_im = 0;
            size_t found = 0;
            for (size_t j = 0; j < n; j++) {
                const double angle = -2 * acos(-1) * (double)(j * k % n) / (double)n;
                sum_re += x[j] * cos(angle) - x[n + j] * sin(angle);
                sum_im += x[j] * sin(angle) + x[n + j] * cos(angle);
            }
            for (size_t j = 0; j < n; j++) found += hypot(re[j] - sum_re, im[j] - sum_im) < 1e-12;
            assert_int_equal(found, 1);
        }
        fft_backward(n, table, re, im);
        for (size_t j = 0; j < n; j++) {
            assert_close(re[j] / (double)n, x[j], 1e-14);
            assert_close(im[j] / (double)n, x[n + j], 1e-14);
        }
        free(x);
        free(re);
        free(im);
        free(table);
    }
}

/* Sizes whose passes do not all fit into the cache: sum_j x_j conj(x_(j+lag)), round the end, is what a power spectrum
 * gives back. */
static void a_power_spectrum_gives_autocovariances(void **unused) {
    (void)unused;
    const size_t sizes[] = {8192, 12288, 16384, 49152};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s];
        double      *x = normals(n, s + 30), *re = numbers(n), *im = numbers(n), *table = numbers(fft_table_count(n));
        memcpy(re, x, n * sizeof *re);
        memset(im, 0, n * sizeof *im);
        fft_table_fill(n, table);
        fft_forward(n, table, re, im);
        for (size_t k = 0; k < n; k++) re[k] = re[k] * re[k] + im[k] * im[k];
        memset(im, 0, n * sizeof *im);
        fft_backward(n, table, re, im);
        for (size_t lag = 0; lag < n; lag += n / 37) {
            double sum = 0;
            for (size_t j = 0; j < n; j++) sum += x[j] * x[(j + lag) % n];
            assert_close(re[lag] / (double)n / (double)n, sum / (double)n, 1e-14);
        }
        free(x);
        free(re);
        free(im);
        free(table);
    }
}

/* The transform of a part needs no table of its own, and says where its odd frequencies are: those of a series and of the
 * same one half a turn on differ by their sign. */
static void transforms_are_inside_of_longer_ones(void **unused) {
    (void)unused;
    enum { MOST = 64 };
    const size_t sizes[] = {64, 128, 3 * 128, 1 << 15, 3 << 14};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t       root;
        const size_t n = fft_inner(sizes[s], MOST, &root);
        double      *table = numbers(fft_table_count(sizes[s])), *own = numbers(fft_table_count(n));
        double      *re = normals(n, s), *im = normals(n, s + 5), *turned_re = numbers(n), *turned_im = numbers(n);
        assert_true(n == MOST || n == MOST / 2);
        fft_table_fill(sizes[s], table);
        fft_table_fill(n, own);
        assert_memory_equal(table + root, own, fft_table_count(n) * sizeof *own);
        for (size_t j = 0; j < n; j++) {
            turned_re[(j + n / 2) % n] = re[j];
            turned_im[(j + n / 2) % n] = im[j];
        }
        fft_forward(n, own, re, im);
        fft_forward(n, own, turned_re, turned_im);
        for (size_t k = 0; k < n; k++) {
            const double sign = k / (n / 4) % 2 ? -1 : 1;
            assert_close(turned_re[k], sign * re[k], 1e-12);
            assert_close(turned_im[k], sign * im[k], 1e-12);
        }
        free(table);
        free(own);
        free(re);
        free(im);
        free(turned_re);
        free(turned_im);
    }
    size_t root;
    assert_int_equal(fft_inner(3, 8, &root), 0);
}

static void sizes_of_transforms_are_near(void **unused) {
    (void)unused;
    assert_int_equal(fft_size(0), 1);
    assert_int_equal(fft_size(5), 6);
    assert_int_equal(fft_size(7), 8);
    assert_int_equal(fft_size(4097), 6144);
    assert_int_equal(fft_size(SIZE_MAX), 0);
    for (size_t least = 3; least < 5000; least++) assert_in_range(fft_size(least), least, (3 * least - 1) / 2);
}

/* Phi(z) = erfc(-z / sqrt 2) / 2, which is exact to some units in the last place in the lower tail; a relative error e of
 * z is one of about e (1 + z^2) of Phi. */
static void normal_quantiles_are_inverse_to_erfc(void **unused) {
    (void)unused;
    for (double p = 0.5; p > 1e-300; p *= 0.97) {
        const double z = normal_quantile(p);
        assert_relative(erfc(-z / sqrt(2)) / 2, p, 1e-15 * (1 + z * z));
    }
    for (double p = 0x1p-40; p < 0.5; p *= 1.5) {
        const double low = ldexp(floor(ldexp(p, 50)), -50); /* 1 - low is exact */
        assert_true(normal_quantile(1 - low) == -normal_quantile(low));
    }
    assert_true(normal_quantile(0.5) == 0);
    assert_relative(normal_quantile(0.975), 1.959963984540054, 1e-15);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kinds: normals, huge differences of size, many equal, all equal, rising, falling, -0 and the number after 0, infinities;
 * and numbers of which half the range always holds all but one. */
static double unsorted(size_t kind, rng *r, size_t i, size_t count) {
    const double z = rng_normal(r);
    switch (kind) {
    case 1:
        return ldexp(z, (int)rng_below(r, 2140) - 1070);
    case 2:
        return round(z);
    case 3:
        return 7;
    case 4:
        return (double)i;
    case 5:
        return (double)(count - i);
    case 6:
        return i % 2 ? 5e-324 : -0.0;
    case 7:
        return z > 1 ? HUGE_VAL : z < -1 ? -HUGE_VAL : z;
    case 8:
        return double_of(UINT64_C(1) << rng_below(r, 62));
    default:
        return z;
    }
}

static void numbers_are_sorted(void **unused) {
    (void)unused;
    const size_t counts[] = {0, 1, 2, 24, 25, 100, 5000};
    rng          r;
    rng_init(&r, 50, 0);
    for (size_t trial = 0; trial < 9 * 7; trial++) {
        const size_t count = counts[trial % 7];
        double      *x = numbers(count), *slow = numbers(count), *fast = numbers(count);
        uint32_t    *order = malloc((count + 1) * sizeof *order);
        char        *seen = calloc(count + 1, 1);
        assert_true(order && seen);
        for (size_t i = 0; i < count; i++) {
            x[i] = slow[i] = fast[i] = unsorted(trial / 7, &r, i, count);
            order[i] = (uint32_t)i;
        }
        qsort(slow, count, sizeof *slow, compare);
        sort_with_order(fast, order, count);
        for (size_t i = 0; i < count; i++) {
            assert_true(fast[i] == slow[i]);
            assert_true(bits_of(fast[i]) == bits_of(x[order[i]]) && !seen[order[i]]++);
        }
        for (size_t i = 0; i < count; i += 3) x[i] = (double)NAN;
        diag_sort(x, count);
        const size_t left = count - (count + 2) / 3;
        for (size_t i = 0; i < count; i++) assert_true(i < left ? i == 0 || x[i - 1] <= x[i] : isnan(x[i]));
        free(x);
        free(slow);
        free(fast);
        free(order);
        free(seen);
    }
}

/* By counting, for each number, those below it and those equal to it. */
static void scores_are_those_of_mean_ranks(void **unused) {
    (void)unused;
    enum { COUNT = 200 };
    const double centre = 0.25;
    double      *x = normals(COUNT, 60), *sorted = numbers(COUNT), scores[2][COUNT];
    uint32_t     order[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        sorted[i] = x[i] = round(8 * x[i]) / 8; /* distances are exact, and many are equal */
        order[i] = i;
    }
    sort_with_order(sorted, order, COUNT);
    scores_of_values(x, order, COUNT, scores[0]);
    scores_of_distances(x, order, COUNT, centre, scores[1]);
    for (size_t i = 0; i < COUNT; i++)
        for (int folded = 0; folded < 2; folded++) {
            double rank = 0.5;
            for (size_t k = 0; k < COUNT; k++) {
                const double a = folded ? fabs(x[k] - centre) : x[k], b = folded ? fabs(x[i] - centre) : x[i];
                rank += a < b ? 1 : a == b ? 0.5 : 0;
            }
            const double p = (rank - 0.375) / (COUNT + 0.25);
            assert_relative(erfc(-scores[folded][i] / sqrt(2)) / 2, p, 1e-14);
        }
    free(x);
    free(sorted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spectrum_is_that_of_the_slow_sum),
        cmocka_unit_test(a_power_spectrum_gives_autocovariances),
        cmocka_unit_test(transforms_are_inside_of_longer_ones),
        cmocka_unit_test(sizes_of_transforms_are_near),
        cmocka_unit_test(normal_quantiles_are_inverse_to_erfc),
        cmocka_unit_test(numbers_are_sorted),
        cmocka_unit_test(scores_are_those_of_mean_ranks),
    };
    return cmocka_run_group_tests_name("diag_tools", tests, NULL, NULL);
}
