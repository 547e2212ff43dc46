/* test_bounds.c - what a chain samples of a model with bounds: the density of its coordinates, pi(x(u)) |dx/du|. The
 * determinant is compared with differences of the rows that the same handle makes. And where random starts are. */
#include "support.h"

#include "target/source.h"
#include "target/target.h"

#include <math.h>

enum { DIM = 2, COLUMNS = 5 };

/* The density of tests/models/good.c without data. */
static double on_the_bounded_space(const double *x) {
    double log_tau = log(x[1]);
    return -0.5 * x[0] * x[0] - 0.5 * log_tau * log_tau - log_tau;
}

static void row_at(model_handle *s, const double *u, double *row) {
    ckam_error error = {.message = ""};
    if (model_handle_row(s, u, row, &error)) fail_msg("%s", error.message);
}

/* log |dx_k / du_k| by central differences; bounds act on each parameter alone. */
static double log_slope(model_handle *s, const double *u, size_t k) {
    const double h = 1e-5;
    double       below[DIM] = {u[0], u[1]}, above[DIM] = {u[0], u[1]}, low[COLUMNS], high[COLUMNS];
    below[k] -= h;
    above[k] += h;
    row_at(s, below, low);
    row_at(s, above, high);
    return log(fabs(high[k] - low[k]) / (2.0 * h));
}

static void open_good(const char *params, source **s, model_handle **handle, ckam_target *target) {
    source_request request = {.model = CKAM_TEST_MODELS "/good.so",
                              .log_density = "",
                              .program = "",
                              .params = params,
                              .data = "",
                              .bounds = "",
                              .timeout = HUGE_VAL};
    ckam_error     error = {.message = ""};
    if (source_open(s, &request, &error)) fail_msg("%s", error.message);
    if (model_attach(*s, 0, handle, target, &error)) fail_msg("%s", error.message);
    assert_int_equal(target->dim, DIM);
}

static void check(const char *params) {
    source       *s;
    model_handle *handle;
    ckam_target   target;
    open_good(params, &s, &handle, &target);
    for (int i = 0; i < 25; i++) {
        int    line = i / 5;
        double u[DIM] = {0.8 * (i % 5 - 2.0), 0.8 * (line - 2.0)}, row[COLUMNS], value;
        row_at(handle, u, row);
        assert_int_equal(target.log_density(target.context, u, &value), CKAM_OK);
        double expected = on_the_bounded_space(row) + log_slope(handle, u, 0) + log_slope(handle, u, 1);
        assert_close(value, expected, 1e-8);
    }
    model_detach(handle);
    source_close(s);
}

static void the_density_has_the_determinant(void **unused) {
    (void)unused;
    check("");                         /* tau > 0, as the model says */
    check("mu < 1.5, tau > 0.25");     /* from above, from below */
    check("-2 < mu < 3, 0 < tau < 4"); /* from both sides */
}

/* Outside of two bounds the model is not called, which is counted; it has rejected nothing. */
static void outside_the_model_is_not_called(void **unused) {
    (void)unused;
    static const double places[][DIM] = {{-2.0, 0.0}, {2.0, 0.0}, {0.5, 2.5}, {0.0, -1e300}};
    source             *s;
    model_handle       *handle;
    ckam_target         target;
    double              value;
    open_good("-2 < mu < 3, 0 < tau < 4", &s, &handle, &target);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(target.log_density(target.context, places[i], &value), CKAM_REJECT);
        assert_int_equal(model_handle_outside(handle), i + 1);
        assert_int_equal(target_evaluate(&target, (const double[]){0.1, 0.2}, &value, NULL, NULL), CKAM_OK);
        assert_true(isfinite(value));
    }
    assert_int_equal(model_handle_outside(handle), 4);
    assert_string_equal(model_handle_first_reject(handle), "");
    assert_true(source_is_bounded(s, 0));
    model_detach(handle);
    source_close(s);
    open_good("mu, tau > 1", &s, &handle, &target);
    assert_true(!source_is_bounded(s, 0) && source_is_bounded(s, 1));
    model_detach(handle);
    source_close(s);
}

/* The first point that a chain asks for is uniform over the box: p > 1e-7. tau, which has one bound, has log(tau) on [-2, 2]; taken for
 * uniform between these ends, the twin, tau fails. */
static void starts_are_uniform_over_the_box(void **unused) {
    (void)unused;
    enum { STARTS = 2000 };
    static double share[STARTS], other[STARTS];
    ckam_options *options;
    source       *s;
    model_handle *handle;
    ckam_target   target;
    open_good("-2 < mu < 3, tau > 0", &s, &handle, &target);
    assert_int_equal(ckam_options_create(&options, "gam", NULL), CKAM_OK);
    for (size_t i = 0; i < STARTS; i++) {
        ckam_setup    setup = {.target = &target, .options = options, .seed = 5, .chain = i};
        ckam_chain   *chain;
        const double *u;
        double        row[COLUMNS];
        assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
        assert_int_equal(ckam_chain_ask(chain, &u), CKAM_OK);
        row_at(handle, u, row);
        share[i] = (row[0] + 2.0) / 5.0;
        other[i] = (row[1] - exp(-2.0)) / (exp(2.0) - exp(-2.0));
        ckam_chain_free(chain);
    }
    assert_less(1e-7, ks_uniform(STARTS, share));
    assert_less(ks_uniform(STARTS, other), 1e-7);
    ckam_options_free(options);
    model_detach(handle);
    source_close(s);
}

/* Points in messages are the user's. */
static void points_are_within_their_bounds(void **unused) {
    (void)unused;
    source       *s;
    model_handle *handle;
    ckam_target   target;
    char          text[POINT_TEXT];
    open_good("-2 < mu < 3, tau > 0", &s, &handle, &target);
    target_point_text(&target, (const double[]){0.0, 0.0}, text);
    assert_string_equal(text, "mu = 0.5, tau = 1");
    model_handle_point(handle, (const double[]){0.0, 0.0}, 16, text);
    assert_string_equal(text, "mu = 0.5, ...");
    model_handle_point(handle, (const double[]){0.0, 0.0}, 8, text);
    assert_string_equal(text, ", ...");
    model_detach(handle);
    source_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_density_has_the_determinant), cmocka_unit_test(outside_the_model_is_not_called),
        cmocka_unit_test(starts_are_uniform_over_the_box), cmocka_unit_test(points_are_within_their_bounds)};
    return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
