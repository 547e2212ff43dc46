/* test_bounds.c - what a chain samples of a model with bounds: the density on the whole space, pi(x(u)) |dx/du|. The
 * determinant is compared with differences of the rows that the same seat makes. */
#include "support.h"

#include "target/source.h"

#include <math.h>

enum { DIM = 2, COLUMNS = 5 };

/* The density of tests/models/good.c without data. */
static double on_the_bounded_space(const double *x) {
    double log_tau = log(x[1]);
    return -0.5 * x[0] * x[0] - 0.5 * log_tau * log_tau - log_tau;
}

static void row_at(seat *s, const double *u, double *row) {
    ckam_error error = {.message = ""};
    if (seat_row(s, u, row, &error)) fail_msg("%s", error.message);
}

/* log |dx_k / du_k| by central differences; bounds act on each parameter alone. */
static double log_slope(seat *s, const double *u, size_t k) {
    const double h = 1e-5;
    double       below[DIM] = {u[0], u[1]}, above[DIM] = {u[0], u[1]}, low[COLUMNS], high[COLUMNS];
    below[k] -= h;
    above[k] += h;
    row_at(s, below, low);
    row_at(s, above, high);
    return log(fabs(high[k] - low[k]) / (2.0 * h));
}

static void check(const char *params) {
    source_request request = {.model = CKAM_TEST_MODELS "/good.so",
                              .log_density = "",
                              .program = "",
                              .params = params,
                              .data = "",
                              .bounds = "",
                              .timeout = HUGE_VAL};
    source        *s;
    seat          *place;
    ckam_target    target;
    ckam_error     error = {.message = ""};
    if (source_open(&s, &request, &error)) fail_msg("%s", error.message);
    if (source_sit(s, 0, &place, &target, &error)) fail_msg("%s", error.message);
    assert_int_equal(target.dim, DIM);
    for (int i = 0; i < 25; i++) {
        int    line = i / 5;
        double u[DIM] = {i % 5 - 2.0, line - 2.0}, row[COLUMNS], value;
        row_at(place, u, row);
        assert_int_equal(target.log_density(target.context, u, &value), CKAM_OK);
        double expected = on_the_bounded_space(row) + log_slope(place, u, 0) + log_slope(place, u, 1);
        assert_close(value, expected, 1e-8);
    }
    seat_leave(place);
    source_close(s);
}

static void the_density_has_the_determinant(void **unused) {
    (void)unused;
    check("");                         /* tau > 0, as the model says */
    check("mu < 1.5, tau > 0.25");     /* from above, from below */
    check("-2 < mu < 3, 0 < tau < 4"); /* from both sides */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_density_has_the_determinant)};
    return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
