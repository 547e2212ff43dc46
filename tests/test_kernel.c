/* test_kernel.c - kernels against 40-digit values, closed forms and finite differences; exp and log against libm.
 *
 * Nothing here is random but the places where functions are compared, which come from a fixed sequence. */
#include "support.h"

#include "base/fastmath.h"
#include "data/matern.inc"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NOT_A_NUMBER ((double)NAN) /* NAN is a float */

enum { ORACLE_POINTS = sizeof oracle / sizeof *oracle };

/* The next of a sequence of places in [low, high). */
static double place(uint64_t *state, double low, double high) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return low + (high - low) * ((double)(*state >> 11) * 0x1p-53);
}

/* The larger of two errors; NaN counts as the largest. */
static double larger(double worst, double error) { return error <= worst ? worst : isnan(error) ? HUGE_VAL : error; }

static double relative_error(double a, double b) { return fabs(a - b) / fabs(b); }

static void prepare(kernel *k, int type, double order, double scale) {
    assert_int_equal(kernel_init(k, type, order, scale, NULL), CKAM_OK);
}

/* -- exp and log -------------------------------------------------------------------------------------------*/

__attribute__((noinline)) static void exp_array(size_t n, const double *x, double *y) {
    for (size_t i = 0; i < n; i++) y[i] = exp_fast(x[i]);
}

__attribute__((noinline)) static void log_array(size_t n, const double *x, double *y) {
    for (size_t i = 0; i < n; i++) y[i] = log_fast(x[i]);
}

/* Error in units in the last place of the exact result (long double has 11 bits more). */
static double ulp_error(double got, long double exact) {
    double size = fmax((double)fabsl(exact), DBL_MIN);
    return (double)(fabsl((long double)got - exact) / (long double)ldexp(1.0, ilogb(size) - 52));
}

static void exp_is_accurate(void **unused) {
    (void)unused;
    uint64_t state = 1;
    double   worst = 0.0;
    for (int i = 0; i < 400000; i++) {
        double x = i % 2 ? place(&state, -745.5, 709.78) : place(&state, -2.0, 2.0);
        worst = larger(worst, ulp_error(exp_fast(x), expl((long double)x)));
    }
    for (int k = -1074; k < 1024; k++) { /* around the ends of the reduced range, x = (k + 1/2) ln 2 */
        double x = (k + 0.5) * 0.69314718055994531;
        worst = larger(worst, ulp_error(exp_fast(x), expl((long double)x)));
    }
    print_message("exp_fast: at most %.3f units in the last place\n", worst);
    assert_less(worst, 1.1);
}

static void exp_at_the_ends(void **unused) {
    (void)unused;
    assert_true(exp_fast(0.0) == 1.0);
    assert_true(exp_fast(-0.0) == 1.0);
    assert_true(exp_fast(-745.2) == 0.0);
    assert_true(exp_fast(-1e300) == 0.0);
    assert_true(exp_fast(-HUGE_VAL) == 0.0);
    assert_true(exp_bounded(-1400.0) == 0.0);
    assert_true(exp_fast(-745.1) == 0x1p-1074);
    assert_true(isfinite(exp_fast(709.78)));
    assert_true(exp_fast(709.79) == HUGE_VAL);
    assert_true(exp_fast(1e300) == HUGE_VAL);
    assert_true(exp_fast(HUGE_VAL) == HUGE_VAL);
    assert_true(isnan(exp_fast(NOT_A_NUMBER)));
    assert_true(isnan(exp_fast(-NOT_A_NUMBER)));
    assert_true(isnan(exp_fast(double_of(0x7fffffffffffffff))));
}

static void what_is_not_finite_is_seen_anywhere(void **unused) {
    (void)unused;
    const double bad[] = {HUGE_VAL, -HUGE_VAL, NOT_A_NUMBER, -NOT_A_NUMBER, double_of(0x7ff0000000000001)};
    const double good[] = {0.0, -0.0, 1.0, -DBL_MAX, DBL_MAX, DBL_MIN, 0x1p-1074, -0x1p-1074};
    double       x[9];
    for (size_t n = 0; n <= 9; n++)
        for (size_t at = 0; at < n; at++) {
            for (size_t i = 0; i < n; i++) x[i] = good[(i + n) % (sizeof good / sizeof *good)];
            assert_true(all_finite(n, x));
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                x[at] = bad[b];
                assert_false(all_finite(n, x));
            }
        }
}

static void log_is_accurate(void **unused) {
    (void)unused;
    uint64_t state = 2;
    double   worst = 0.0;
    for (int i = 0; i < 400000; i++) {
        double x = i % 3 == 0   ? exp(place(&state, -708.0, 709.0))
                   : i % 3 == 1 ? place(&state, 1.0, 5.0)
                                : place(&state, 0.5, 1.5);
        worst = larger(worst, ulp_error(log_fast(x), logl((long double)x)));
    }
    print_message("log_fast: at most %.3f units in the last place\n", worst);
    assert_less(worst, 0.9);
    assert_true(log_fast(1.0) == 0.0);
    assert_less(ulp_error(log_fast(DBL_MIN), logl((long double)DBL_MIN)), 0.9);
    assert_less(ulp_error(log_fast(DBL_MAX), logl((long double)DBL_MAX)), 0.9);
}

enum { LONGEST = 17 };

/* f of an array of any length, at either alignment, has the bits of f of each element alone. */
static void same_bits_in_arrays(void (*f)(size_t, const double *, double *), double low, double high) {
    double   x[LONGEST + 1], whole[LONGEST + 1], alone;
    uint64_t state = 3;
    for (size_t i = 0; i <= LONGEST; i++) x[i] = place(&state, low, high);
    for (size_t n = 1; n <= LONGEST; n++)
        for (size_t offset = 0; offset < 2; offset++) {
            f(n, x + offset, whole + offset);
            for (size_t i = 0; i < n; i++) {
                f(1, x + offset + i, &alone);
                assert_memory_equal(&alone, whole + offset + i, sizeof alone);
            }
        }
}

static void exp_and_log_have_the_same_bits_in_arrays(void **unused) {
    (void)unused;
    same_bits_in_arrays(exp_array, -30.0, 30.0);
    same_bits_in_arrays(exp_array, -800.0, 800.0);
    same_bits_in_arrays(log_array, 1.0, 5.0);
}

/* -- The Matern function -----------------------------------------------------------------------------------*/

static double phi_of_square(const matern_table *table, double s) {
    double value;
    matern_phis(table, 1, 1.0, &s, 1.0, &value);
    return value;
}

/* The larger of `worst` and the relative error; where the exact value is denormal there is only an absolute one. */
static double worse(double worst, double got, double exact) {
    if (exact >= DBL_MIN) return larger(worst, relative_error(got, exact));
    assert_less(fabs(got - exact), 1e-12 * exact + 0x1p-1073);
    return worst;
}

static void matern_agrees_with_40_digits(void **unused) {
    (void)unused;
    static matern_table table;
    for (size_t k = 0; k < ORACLE_ORDERS; k++) {
        double worst = 0.0, worst_large = 0.0;
        matern_table_init(&table, oracle_order[k]);
        for (size_t i = 0; i < ORACLE_POINTS; i++) {
            double t = oracle[i][0], exact = oracle[i][1 + k], error = worse(0.0, matern_phi(&table, t), exact);
            if (t > 1e-150) error = worse(error, phi_of_square(&table, t * t), exact);
            worst = larger(worst, error);
            if (exact > 1e-20) worst_large = larger(worst_large, error);
        }
        print_message("matern order %-8.4g: relative error at most %.2g; %.2g where phi > 1e-20\n", oracle_order[k],
                      worst, worst_large);
        assert_less(worst, 5e-13);
        assert_less(worst_large, 1e-13);
    }
}

static void matern_at_the_ends(void **unused) {
    (void)unused;
    static matern_table table;
    static const double orders[] = {1e-12, 0.01, 1.0, 3.0, KERNEL_ORDER_MAX};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        matern_table_init(&table, orders[k]);
        assert_relative(matern_phi(&table, 0.0), 1.0, 4e-16);
        assert_relative(phi_of_square(&table, 0.0), 1.0, 4e-16);
        assert_true(matern_phi(&table, 1023.9) == 0.0);
        assert_true(matern_phi(&table, 1024.0) == 0.0);
        assert_true(matern_phi(&table, 1e200) == 0.0);
        assert_true(phi_of_square(&table, HUGE_VAL) == 0.0);
        assert_true(isnan(phi_of_square(&table, NOT_A_NUMBER)));
        assert_true(isnan(matern_phi(&table, NOT_A_NUMBER)));
    }
}

/* Half-integer orders, t > 0: (1 + t) e^-t and so on. */
static double half_integer(double order, double t) {
    double factor = order == 1.5   ? 1.0 + t
                    : order == 2.5 ? 1.0 + t + t * t / 3.0
                                   : 1.0 + t + 2.0 * t * t / 5.0 + t * t * t / 15.0;
    return factor * exp(-t);
}

static void half_integer_orders_have_closed_forms(void **unused) {
    (void)unused;
    static kernel k;
    uint64_t      state = 4;
    for (int whole = 1; whole <= 3; whole++) {
        double order = whole + 0.5;
        prepare(&k, KERNEL_MATERN, order, 1.7);
        for (int i = 0; i < 20000; i++) {
            double r = i % 2 ? place(&state, 0.0, 10.0) : exp(place(&state, -20.0, 5.5)), origin = 0.0;
            double t = sqrt(2.0 * order) * r / 1.7;
            if (t < 700.0) assert_relative(kernel_value(&k, 1, &r, &origin), half_integer(order, t), 1e-12);
        }
    }
}

/* Across the ends of all pieces, the low end of the table among them, the function does not jump. */
static void pieces_meet(void **unused) {
    (void)unused;
    static matern_table table;
    static const double orders[] = {1e-4, 0.01, 1.0, 3.0, 20.0, KERNEL_ORDER_MAX};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        double worst = 0.0;
        matern_table_init(&table, orders[k]);
        for (int i = 0; i < MATERN_PIECES; i++) {
            double s = ldexp(1.0 + (i % 8) / 8.0, MATERN_LOW + i / 8);
            double here = phi_of_square(&table, s), before = phi_of_square(&table, nextafter(s, 0.0));
            if (before > 1e-300) worst = larger(worst, relative_error(here, before));
        }
        assert_less(worst, 6e-13);
    }
}

static void tables_are_small_and_reproducible(void **unused) {
    (void)unused;
    static matern_table a, b;
    matern_table_init(&a, 3.3);
    matern_table_init(&b, 3.3);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(sizeof a <= 40000);
}

/* -- Kernels -----------------------------------------------------------------------------------------------*/

enum { DIM_MOST = 32 };

typedef struct setting {
    int    type;
    double order;
} setting;

static const setting settings[] = {
    {KERNEL_LINEAR, 0.0}, {KERNEL_GAUSSIAN, 0.0}, {KERNEL_MATERN, 1.01}, {KERNEL_MATERN, 1.5},  {KERNEL_MATERN, 2.0},
    {KERNEL_MATERN, 3.3}, {KERNEL_MATERN, 4.0},   {KERNEL_MATERN, 7.5},  {KERNEL_MATERN, 20.0}, {KERNEL_MATERN, 50.0}};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* x anywhere, z at distance r from it. */
static void two_points(uint64_t *state, size_t dim, double r, double *x, double *z) {
    double square = 0.0;
    for (size_t i = 0; i < dim; i++) {
        x[i] = place(state, -1.0, 1.0);
        z[i] = place(state, -1.0, 1.0);
        square += z[i] * z[i];
    }
    for (size_t i = 0; i < dim; i++) z[i] = x[i] + z[i] * r / sqrt(square);
}

/* How far a gradient is from the central differences of the kernel, relative to the length of the latter. */
static double gradient_error(const kernel *k, size_t dim, const double *x, const double *z, const double *gradient) {
    const double h = 1e-5;
    double       y[DIM_MOST], off = 0.0, length = 0.0;
    memcpy(y, x, dim * sizeof *x);
    for (size_t i = 0; i < dim; i++) {
        double high = x[i] + h, low = x[i] - h;
        y[i] = high;
        double difference = kernel_value(k, dim, y, z);
        y[i] = low;
        difference = (difference - kernel_value(k, dim, y, z)) / (high - low);
        y[i] = x[i];
        off = hypot(off, difference - gradient[i]);
        length = hypot(length, difference);
    }
    return off / length;
}

static const size_t dims[] = {1, 2, 5, DIM_MOST};
/* In units of the scale. */
static const double distances[] = {0.02, 0.3, 1.0, 3.0, 10.0};

static void gradients_are_derivatives(void **unused) {
    (void)unused;
    static kernel k;
    uint64_t      state = 5;
    double        x[DIM_MOST], z[DIM_MOST], gradient[DIM_MOST], worst = 0.0;
    for (size_t s = 0; s < SETTINGS; s++) {
        prepare(&k, settings[s].type, settings[s].order, 1.0);
        for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
            for (size_t j = 0; j < 2 * sizeof distances / sizeof *distances; j++) {
                kernel_set_scale(&k, j % 2 ? 0.8 : 2.0);
                two_points(&state, dims[i], distances[j / 2] * k.scale, x, z);
                kernel_gradient(&k, dims[i], x, z, gradient);
                worst = larger(worst, gradient_error(&k, dims[i], x, z, gradient));
            }
    }
    print_message("gradients: at most %.2g from central differences\n", worst);
    assert_less(worst, 1e-6);
}

/* The paper writes k_(v-1,l), that is t = sqrt(2 (v - 1)) r / l. The check above must refuse that. */
static void the_paper_s_gradient_is_refused(void **unused) {
    (void)unused;
    static kernel k, other;
    uint64_t      state = 6;
    double        x[DIM_MOST], z[DIM_MOST], gradient[DIM_MOST];
    for (size_t s = 0; s < SETTINGS; s++) {
        double v = settings[s].order;
        if (settings[s].type != KERNEL_MATERN || v <= 2.0) continue;
        prepare(&k, KERNEL_MATERN, v, 2.0);
        prepare(&other, KERNEL_MATERN, v - 1.0, 2.0);
        for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
            two_points(&state, dims[i], 2.0, x, z);
            double g = v / (4.0 * (v - 1.0)) * kernel_value(&other, dims[i], x, z);
            for (size_t j = 0; j < dims[i]; j++) gradient[j] = g * (z[j] - x[j]);
            assert_less(1e-3, gradient_error(&k, dims[i], x, z, gradient));
        }
    }
}

static void coincident_points(void **unused) {
    (void)unused;
    static kernel k;
    uint64_t      state = 7;
    double        x[5], z[5], gradient[5], square = 0.0, g;
    two_points(&state, 5, 1.0, x, z);
    for (size_t s = 0; s < SETTINGS; s++) {
        double v = settings[s].order;
        prepare(&k, settings[s].type, v, 2.0);
        kernel_gradient(&k, 5, x, x, gradient);
        kernel_slopes(&k, 1, &square, &g);
        if (settings[s].type == KERNEL_LINEAR) {
            assert_memory_equal(gradient, x, sizeof x);
            continue;
        }
        assert_relative(kernel_value(&k, 5, x, x), 1.0, 4e-16);
        assert_relative(g, settings[s].type == KERNEL_MATERN ? v / (v - 1.0) / 4.0 : 0.25, 1e-15);
        for (size_t i = 0; i < 5; i++) assert_true(gradient[i] == 0.0);
    }
}

static void linear_and_gaussian_are_as_defined(void **unused) {
    (void)unused;
    static kernel k;
    const double  x[] = {1.0, -2.0, 3.0}, z[] = {0.5, 4.0, -1.0}, r2[] = {0.0, 1.0, 7.0};
    double        out[3];
    prepare(&k, KERNEL_LINEAR, 0.0, 1.0);
    assert_true(kernel_value(&k, 3, x, z) == -10.5);
    kernel_gradient(&k, 3, x, z, out);
    assert_memory_equal(out, z, sizeof z);
    kernel_slopes(&k, 3, r2, out);
    for (size_t i = 0; i < 3; i++) assert_true(out[i] == 1.0);
    prepare(&k, KERNEL_GAUSSIAN, 0.0, 3.0);
    assert_relative(kernel_value(&k, 3, x, z), exp(-52.25 / 18.0), 1e-15);
    kernel_slopes(&k, 3, r2, out);
    for (size_t i = 0; i < 3; i++) assert_relative(out[i], exp(-r2[i] / 18.0) / 9.0, 1e-15);
    kernel_gradient(&k, 3, x, z, out);
    for (size_t i = 0; i < 3; i++) assert_relative(out[i], exp(-52.25 / 18.0) / 9.0 * (z[i] - x[i]), 1e-15);
}

static void kernels_are_symmetric_and_scale(void **unused) {
    (void)unused;
    static kernel k, wide;
    uint64_t      state = 8;
    double        x[5], z[5], cx[5], cz[5];
    for (size_t s = 0; s < SETTINGS; s++) {
        prepare(&k, settings[s].type, settings[s].order, 1.3);
        wide = k;
        kernel_set_scale(&wide, 3.0 * 1.3);
        for (int j = 0; j < 20; j++) {
            two_points(&state, 5, place(&state, 0.0, 10.0), x, z);
            for (size_t i = 0; i < 5; i++) cx[i] = 3.0 * x[i];
            for (size_t i = 0; i < 5; i++) cz[i] = 3.0 * z[i];
            double value = kernel_value(&k, 5, x, z);
            assert_true(kernel_value(&k, 5, z, x) == value);
            if (settings[s].type != KERNEL_LINEAR) assert_relative(kernel_value(&wide, 5, cx, cz), value, 1e-13);
        }
    }
}

static void another_scale_is_as_if_initialised_with_it(void **unused) {
    (void)unused;
    static kernel a, b;
    prepare(&a, KERNEL_MATERN, 4.0, 1.0);
    kernel_set_scale(&a, 2.5);
    prepare(&b, KERNEL_MATERN, 4.0, 2.5);
    assert_memory_equal(&a.value, &b.value, sizeof a.value);
    assert_memory_equal(&a.slope, &b.slope, sizeof a.slope);
    assert_true(a.scale == b.scale);
}

static kernel shared; /* what slopes_of_shared() and values_of_shared() use */
static void   slopes_of_shared(size_t n, const double *r2, double *g) { kernel_slopes(&shared, n, r2, g); }
static void   values_of_shared(size_t n, const double *r2, double *k) { kernel_values(&shared, n, r2, k); }

static void kernels_have_the_same_bits_in_arrays(void **unused) {
    (void)unused;
    for (size_t s = 1; s < SETTINGS; s++) {
        prepare(&shared, settings[s].type, settings[s].order, 2.0);
        same_bits_in_arrays(slopes_of_shared, 0.0, 40.0);
        same_bits_in_arrays(values_of_shared, 0.0, 40.0);
        same_bits_in_arrays(slopes_of_shared, 0.0, 1e7); /* some of them 0 */
    }
}

static void slopes_may_replace_the_squared_distances(void **unused) {
    (void)unused;
    static kernel k;
    for (int type = KERNEL_LINEAR; type <= KERNEL_MATERN; type++) {
        double r2[LONGEST], g[LONGEST];
        for (size_t i = 0; i < LONGEST; i++) r2[i] = 0.7 * (double)i;
        prepare(&k, type, 4.0, 2.0);
        kernel_slopes(&k, LONGEST, r2, g);
        kernel_slopes(&k, LONGEST, r2, r2);
        assert_memory_equal(r2, g, sizeof g);
    }
}

/* -- Refusals ----------------------------------------------------------------------------------------------*/

static void check_refused(int type, double order, double scale, const char *name, const char *value,
                          const char *range) {
    static kernel k;
    ckam_error    error = {CKAM_OK, ""};
    assert_int_equal(kernel_init(&k, type, order, scale, &error), CKAM_ERROR_OPTION);
    assert_int_equal(error.status, CKAM_ERROR_OPTION);
    assert_non_null(strstr(error.message, name));
    assert_non_null(strstr(error.message, value));
    assert_non_null(strstr(error.message, range));
    assert_int_equal(kernel_init(&k, type, order, scale, NULL), CKAM_ERROR_OPTION);
}

static void wrong_orders_are_refused(void **unused) {
    (void)unused;
    static const struct {
        double      order;
        const char *text;
    } cases[] = {{1.0, "is 1;"},       {0.5, "is 0.5;"},      {0.0, "is 0;"},          {-3.0, "is -3;"},
                 {50.25, "is 50.25;"}, {HUGE_VAL, "is inf;"}, {-HUGE_VAL, "is -inf;"}, {NOT_A_NUMBER, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(KERNEL_MATERN, cases[i].order, 1.0, "kernel-order", cases[i].text, "> 1 and <= 50");
    static kernel k;
    prepare(&k, KERNEL_MATERN, nextafter(1.0, 2.0), 1.0);
    prepare(&k, KERNEL_MATERN, KERNEL_ORDER_MAX, 1.0);
    prepare(&k, KERNEL_GAUSSIAN, NOT_A_NUMBER, 1.0); /* only matern has an order */
}

static void wrong_scales_are_refused(void **unused) {
    (void)unused;
    for (int type = KERNEL_LINEAR; type <= KERNEL_MATERN; type++) {
        check_refused(type, 4.0, 0.0, "kernel-scale", "is 0;", "> 0");
        check_refused(type, 4.0, -2.5, "kernel-scale", "is -2.5;", "> 0");
        check_refused(type, 4.0, HUGE_VAL, "kernel-scale", "is inf;", "> 0");
        check_refused(type, 4.0, NOT_A_NUMBER, "kernel-scale", "nan", "> 0");
    }
}

static void words_follow_the_enum(void **unused) {
    (void)unused;
    assert_string_equal(kernel_words[KERNEL_LINEAR], "linear");
    assert_string_equal(kernel_words[KERNEL_GAUSSIAN], "gaussian");
    assert_string_equal(kernel_words[KERNEL_MATERN], "matern");
    assert_null(kernel_words[KERNEL_MATERN + 1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_accurate),
        cmocka_unit_test(exp_at_the_ends),
        cmocka_unit_test(what_is_not_finite_is_seen_anywhere),
        cmocka_unit_test(log_is_accurate),
        cmocka_unit_test(exp_and_log_have_the_same_bits_in_arrays),
        cmocka_unit_test(matern_agrees_with_40_digits),
        cmocka_unit_test(matern_at_the_ends),
        cmocka_unit_test(half_integer_orders_have_closed_forms),
        cmocka_unit_test(pieces_meet),
        cmocka_unit_test(tables_are_small_and_reproducible),
        cmocka_unit_test(gradients_are_derivatives),
        cmocka_unit_test(the_paper_s_gradient_is_refused),
        cmocka_unit_test(coincident_points),
        cmocka_unit_test(linear_and_gaussian_are_as_defined),
        cmocka_unit_test(kernels_are_symmetric_and_scale),
        cmocka_unit_test(another_scale_is_as_if_initialised_with_it),
        cmocka_unit_test(kernels_have_the_same_bits_in_arrays),
        cmocka_unit_test(slopes_may_replace_the_squared_distances),
        cmocka_unit_test(wrong_orders_are_refused),
        cmocka_unit_test(wrong_scales_are_refused),
        cmocka_unit_test(words_follow_the_enum),
    };
    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
