/* test_evidence_bounds.c - the evidence of users' models: parameters that were rounded next to a bound, and their names.
 *
 * Draws are made as those of a run are read: u of a chain, its log density, its parameters x, and u again from x. */
#include "compile_support.h"
#include "failure.h"
#include "made_draws.h"

#include "evidence/evidence.h"
#include "target/source.h"

typedef struct opened {
    source       *source;
    model_handle *handle;
    ckam_target   target;
} opened;

static opened open_request(const source_request *request) {
    opened     o;
    ckam_error error = {.message = ""};
    if (source_open(&o.source, request, &error)) fail_msg("%s", error.message);
    if (model_attach(o.source, 0, &o.handle, &o.target, &error)) fail_msg("%s", error.message);
    return o;
}

static opened open_density(const char *log_density, const char *params) {
    return open_request(&(source_request){.model = "",
                                          .log_density = log_density,
                                          .program = "",
                                          .params = params,
                                          .data = "",
                                          .bounds = "",
                                          .timeout = HUGE_VAL});
}

static void close_opened(opened *o) {
    model_detach(o->handle);
    source_close(o->source);
}

static double density_at(const opened *o, const double *u) {
    double value;
    assert_int_equal(o->target.log_density(o->target.context, u, &value), CKAM_OK);
    return value;
}

/* u := what is read of a draw at u; returns the log density that was stored with it. */
static double store(const opened *o, double *u) {
    static double row[32]; /* seat_row() leaves it alone where u is the point of before */
    double        value = density_at(o, u);
    assert_in_range(source_columns(o->source), 1, 32);
    assert_int_equal(model_handle_row(o->handle, u, row, NULL), CKAM_OK);
    assert_int_equal(source_unconstrain(o->source, row, u, NULL), CKAM_OK);
    return value;
}

static void store_all(const opened *o, made *m) {
    m->log_density = calloc(m->chains * m->rows, sizeof *m->log_density);
    assert_non_null(m->log_density);
    for (size_t i = 0; i < m->chains * m->rows; i++) m->log_density[i] = store(o, made_at(m, i));
}

static made sampled(const opened *o) {
    made m = made_room(4, 2500, o->target.dim, 1);
    assert_int_equal(ckam_sample(&o->target, "jump", NULL, 1, 4, 2500, m.x, NULL), CKAM_OK);
    store_all(o, &m);
    return m;
}

static ckam_status estimate(const opened *o, const made *m, ckam_evidence *e, ckam_error *error) {
    ckam_draws *draws = made_draws(m);
    ckam_status status = ckam_evidence_estimate(draws, &o->target, 1, e, error);
    ckam_draws_free(draws);
    return status;
}

static ckam_evidence evidence_of(const opened *o, const made *m) {
    ckam_evidence e;
    ckam_error    error = {.message = ""};
    if (estimate(o, m, &e, &error)) fail_msg("%s", error.message);
    return e;
}

/* -- The estimate ------------------------------------------------------------------------------------------------- */

static const char *const pile = "draws have the same value at one end of x: ";

/* Whether the estimate is trusted otherwise is a rule that 6e-5 of right ones do not meet, so it is not asked here. */
static void assert_no_pile(const ckam_evidence *e) {
    if (strstr(e->warning, pile)) fail_msg("%s", e->warning);
}

/* Within 5.5 standard errors: false alarms 4e-8. */
static void assert_log_z(const ckam_evidence *e, double truth) {
    if (!(fabs(e->log_z - truth) < 5.5 * e->se && e->se > 0.0 && e->se < 0.02))
        fail_msg("log Z is %.10g +- %g, not %.10g; %s", e->log_z, e->se, truth, e->warning);
}

/* The integrals of exp(-1e6 (x - 1000)) from 1000, of exp(-(1 - x) / 1e-9) from 0 to 1, of exp(-(7 - x)) / sqrt(7 - x) up to 7
 * (with y^2 = 7 - x that of 2 exp(-y^2) from 0) are 1e-6, 1e-9 (1 - exp(-1e9)) and sqrt(pi). The twin are log densities that
 * are off by 1e-3, which is more than the rounding does at most of the draws. */
static void densities_next_to_a_bound(void **state) {
    const struct {
        const char *density, *params, *place;
        double      log_z;
    } cases[] = {{"-1e6*(x-1000)", "x > 1000", "at x = 1000.00000", -log(1e6)},
                 {"-(1-x)/1e-9", "0 < x < 1", "at x = 0.99999999", log(1e-9)},
                 {"-0.5*log(7-x)-(7-x)", "x < 7", "at x = ", 0.5 * log(3.14159265358979323846)}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        opened        o = open_density(cases[i].density, cases[i].params);
        made          m = sampled(&o);
        ckam_evidence e = evidence_of(&o, &m);
        ckam_error    error;
        assert_log_z(&e, cases[i].log_z);
        assert_no_pile(&e);
        for (size_t row = 0; row < m.chains * m.rows; row++) m.log_density[row] += 1e-3;
        assert_failure(estimate(&o, &m, &e, &error), CKAM_ERROR_ARGUMENT, &error, "not of this target", cases[i].place,
                       " lp__ is ");
        made_free(&m);
        close_opened(&o);
    }
}

/* x^-0.95 exp(-x) has the integral Gamma(0.05). From 5 on, numbers are h = 2^-50 apart, and a chain finds the density of 5 + k h
 * on an interval of the length h, that of 5 + h on one of 3/2 h: h^0.05 (1/2 + sum_k k^-0.95) for all that is near. The sum up
 * to n is 20 n^0.05 + zeta(0.95) + n^-0.95 / 2 - ..., and 20 n^0.05 is the integral: so 16.12 is left of 19.47. */
static void a_density_that_numbers_cannot_resolve(void **state) {
    double zeta = 0.0, h = ldexp(1.0, -50);
    (void)state;
    for (int k = 1; k <= 10000; k++) zeta += pow(k, -0.95);
    zeta -= 20.0 * pow(10000.0, 0.05) + 0.5 * pow(10000.0, -0.95);
    opened        o = open_density("-0.95*log(x-5)-(x-5)", "x > 5"), distance = open_density("-0.95*log(x)-x", "x > 0");
    made          m = sampled(&o), right = sampled(&distance);
    ckam_evidence e = evidence_of(&o, &m);
    assert_log_z(&e, log(tgamma(0.05) + pow(h, 0.05) * (zeta + 0.5)));
    assert_false(e.trusted);
    assert_non_null(strstr(e.warning, pile));
    assert_int_equal(e.warning[strlen(e.warning) - 1], '.');
    e = evidence_of(&distance, &right); /* as the warning says */
    assert_log_z(&e, lgamma(0.05));
    assert_no_pile(&e);
    made_free(&m);
    made_free(&right);
    close_opened(&o);
    close_opened(&distance);
}

/* -- The box ------------------------------------------------------------------------------------------------------- */

#define PI 3.14159265358979323846

/* Closed forms of log Z: of a uniform density, of normal ones cut at a bound (at 3 standard deviations from the mean, and at the
 * mean), of Beta(0.5, 0.5) and Beta(0.1, 1). As the standard error is below 0.02, a factor of 1.12 in Z is noticed. */
static void boxes_have_the_log_z_of_closed_forms(void **state) {
    const double cut = 0.5 * erfc(3.0 / sqrt(2.0)) - 0.5 * erfc(13.0 / sqrt(2.0)), root = 0.5 * log(2.0 * PI);
    const struct {
        const char *density, *params;
        double      log_z;
    } cases[] = {{"-x*0", "-3 < x < 5", log(8.0)},
                 {"-0.5*(x+3)*(x+3)", "0 < x < 10", log(cut) + root},
                 {"-0.5*x*x", "0 < x < 10", root - log(2.0)},
                 {"-0.5*log(x)-0.5*log1p(-x)", "0 < x < 1", log(PI)},
                 {"-0.9*log(x)", "0 < x < 1", log(10.0)}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opened        o = open_density(cases[i].density, cases[i].params);
        made          m = sampled(&o);
        ckam_evidence e = evidence_of(&o, &m);
        assert_log_z(&e, cases[i].log_z);
        assert_no_pile(&e);
        made_free(&m);
        close_opened(&o);
    }
}

/* The twin: without log |dx/du|. */
static int without_jacobian(void *context, const double *u, double *value) {
    const opened *o = context;
    double        row[2];
    if (fabs(u[0]) >= 2.0 || fabs(u[1]) >= 2.0) return CKAM_REJECT;
    assert_int_equal(model_handle_row(o->handle, u, row, NULL), CKAM_OK);
    *value = -0.5 * (row[0] + 3.0) * (row[0] + 3.0) - 0.5 * row[1] * row[1];
    return CKAM_OK;
}

/* The larger one of the errors of both means, in standard errors. */
static double off_the_means(const opened *o, const ckam_target *target, const char *sampler) {
    enum { DRAWS = 100000, CHAINS = 4 };
    static double u[2 * DRAWS], x[2 * DRAWS];
    const double  at_bound = exp(-4.5) / sqrt(2.0 * PI), beyond = 0.5 * erfc(3.0 / sqrt(2.0));
    const double  truth[2] = {at_bound / beyond - 3.0, sqrt(2.0 / PI)};
    double        worst = 0.0;
    ckam_error    error = {.message = ""};
    if (ckam_sample(target, sampler, NULL, 1, CHAINS, DRAWS / CHAINS, u, &error))
        fail_msg("%s: %s", sampler, error.message);
    for (size_t i = 0; i < DRAWS; i++) {
        double row[2] = {0.0, 0.0};
        if (i && !memcmp(u + 2 * i, u + 2 * i - 2, 2 * sizeof *u)) memcpy(row, x + 2 * i - 2, sizeof row);
        assert_int_equal(model_handle_row(o->handle, u + 2 * i, row, NULL), CKAM_OK);
        memcpy(x + 2 * i, row, sizeof row);
        assert_true(row[0] > 0.0 && row[0] < 10.0 && row[1] > 0.0 && row[1] < 10.0);
    }
    for (size_t k = 0; k < 2; k++) {
        double mean, deviation;
        batch_means(DRAWS, x + k, 2, &mean, &deviation);
        if (target == &o->target) assert_less(deviation, 0.05);
        worst = fmax(worst, fabs(mean - truth[k]) / deviation);
    }
    return worst;
}

/* Normal densities that pile up on the lower bound, by every sampler. 6.5 standard errors of 46 batches: 6e-8 each. */
static void every_sampler_is_right_at_a_bound(void **state) {
    (void)state;
    opened            o = open_density("-0.5*(x+3)*(x+3)-0.5*y*y", "0 < x < 10, 0 < y < 10");
    const ckam_target twin = {.dim = 2, .log_density = without_jacobian, .context = &o};
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        assert_less(off_the_means(&o, &o.target, entry->name), 6.5);
        assert_less(8.0, off_the_means(&o, &twin, entry->name));
    }
    close_opened(&o);
}

/* -- The range ---------------------------------------------------------------------------------------------------- */

/* At points at all distances from a bound the range holds what the rounding did. It is no excuse for more: of the order of
 * h / (x - bound), times what the log density changes where log (x - bound) does by 1. In the last case the density and
 * log |dx/du| cancel. */
static void the_range_is_that_of_rounding(void **state) {
    const struct {
        const char *density, *params;
        double      h, slope; /* between numbers next to the bound; of the log density */
    } cases[] = {{"-1e6*(x-1000)", "x > 1000", 0x1p-43, 1e6},
                 {"-(1-x)/1e-9", "0 < x < 1", 0x1p-53, 1e9},
                 {"-3*x", "x < -5", 0x1p-50, 3.0},
                 {"-log(x-5)", "x > 5", 0x1p-50, 0.0}};
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        opened o = open_density(cases[i].density, cases[i].params);
        for (int n = 0; n < 300; n++) {
            double   distance = cases[i].h * pow(1.1, n / 2.0 + 10.0), u = log(distance), range;
            uint64_t evaluations = 0;
            if (i == 1) { /* the box: y / (1 - y^2) = l / 2.8 */
                const double m = (log1p(-distance) - u) / 1.4;
                u = 2.0 * m / (1.0 + sqrt(1.0 + m * m));
            }
            double is = store(&o, &u), value = density_at(&o, &u), plain = 1e-8 * fmax(1.0, fabs(is));
            assert_int_equal(rounding_range(&o.target, &u, value, &range, &evaluations, NULL), CKAM_OK);
            wrong += fabs(is - value) > plain;
            assert_less(fabs(is - value), range + plain);
            assert_less(range, 40.0 * cases[i].h * (1.0 / distance + cases[i].slope) + 1e-12);
            assert_int_equal(evaluations, 4);
        }
        close_opened(&o);
    }
    assert_in_range(wrong, 500, 1200); /* so there was something to hold */
}

/* Nothing is rounded where there are no bounds, and next to one a draw tells nothing. */
static void the_ends_of_the_range(void **state) {
    double   u[2] = {0.25, -40.0}, range;
    uint64_t evaluations = 0;
    (void)state;
    opened o = open_density("-x*x-y", "x, y > 5"), plain = open_density("-x*x-y*y", "x, y");
    double value = density_at(&plain, u);
    assert_int_equal(rounding_range(&plain.target, u, value, &range, &evaluations, NULL), CKAM_OK);
    assert_true(range == 0.0 && evaluations == 0);
    store(&o, u);
    value = density_at(&o, u);
    assert_int_equal(rounding_range(&o.target, u, value, &range, &evaluations, NULL), CKAM_OK);
    assert_true(isinf(range) && evaluations == 2);
    close_opened(&o);
    close_opened(&plain);
}

/* Draws that tell nothing of log Z still tell that they are not where the density is 0. */
static void draws_where_there_is_no_density(void **state) {
    ckam_evidence e;
    ckam_error    error;
    (void)state;
    opened o = open_density("-x-y*y", "x > 5, y"), other = open_density("-x-y*y+log(-1-y*y)", "x > 5, y");
    made   m = made_room(2, 100, 2, 1);
    for (size_t i = 0; i < 400; i++) m.x[i] = i % 2 ? rng_normal(&m.random) : -40.0;
    store_all(&o, &m);
    assert_failure(estimate(&other, &m, &e, &error), CKAM_ERROR_ARGUMENT, &error,
                   "at x = 5.000000000000001, y = ", "the target gives -inf");
    made_free(&m);
    close_opened(&o);
    close_opened(&other);
}

/* -- Names -------------------------------------------------------------------------------------------------------- */

/* u in (-1, 1), which is inside of a box; in the second chain those of coordinate k are positive. */
static made apart(const opened *o, size_t k) {
    made m = made_room(2, 300, o->target.dim, 1);
    for (size_t i = 0; i < 600 * m.dim; i++) m.x[i] = tanh(rng_normal(&m.random));
    for (size_t i = 300; i < 600; i++) made_at(&m, i)[k] = fabs(made_at(&m, i)[k]);
    store_all(o, &m);
    return m;
}

static void warnings_have_the_names_of_users(void **state) {
    const struct {
        const char *model, *params, *text;
        size_t      k;
    } cases[] = {{CKAM_TEST_MODELS "/good.so", "", "R-hat of tau is 1.", 1},
                 {CKAM_TEST_MODELS "/good.so", "-2 < mu < 3, tau", "R-hat of mu is 1.", 0},
                 {CKAM_TEST_STAN "/faithful.so", "", "R-hat of unconstrained coordinate 6 is 1.", 5}};
    (void)state;
    spill_text("data.json", "{\"N\": 0, \"y\": []}");
    for (size_t i = 0; i < 3; i++) {
        opened        o = open_request(&(source_request){.model = cases[i].model,
                                                         .log_density = "",
                                                         .program = "",
                                                         .params = cases[i].params,
                                                         .data = i == 2 ? "data.json" : "",
                                                         .bounds = "",
                                                         .timeout = HUGE_VAL});
        made          m = apart(&o, cases[i].k);
        ckam_evidence e = evidence_of(&o, &m);
        if (!strstr(e.warning, cases[i].text)) fail_msg("'%s' is not in '%s'", cases[i].text, e.warning);
        made_free(&m);
        close_opened(&o);
    }
}

static void refusals_have_the_names_of_users(void **state) {
    ckam_evidence e;
    ckam_error    error;
    (void)state;
    opened o = open_density("-theta[0]-y*y", "theta[3] > 2, y, a_name_of_forty_letters_and_a_few_letters_more[20]");
    made   m = apart(&o, 3);
    for (size_t i = 0; i < 600; i++) m.log_density[i] += 1.0;
    assert_failure(estimate(&o, &m, &e, &error), CKAM_ERROR_ARGUMENT, &error,
                   "at theta.1 = ", ", theta.2 = ", ", ... lp__ is -", " and the target gives -",
                   "; give the one that was sampled");
    made_free(&m);
    m = apart(&o, 0);
    for (size_t i = 0; i < 600; i++) made_at(&m, i)[1] = 0.5;
    free(m.log_density);
    m.log_density = NULL;
    assert_failure(estimate(&o, &m, &e, &error), CKAM_ERROR_ARGUMENT, &error,
                   "theta.2 goes from 0.5 to 0.5 (unconstrained)");
    made_at(&m, 3)[1] = (double)NAN;
    assert_failure(estimate(&o, &m, &e, &error), CKAM_ERROR_ARGUMENT, &error, "theta.2 is nan in draw 4 of chain 1");
    made_free(&m);
    close_opened(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(densities_next_to_a_bound, begin),
                                       cmocka_unit_test_setup(a_density_that_numbers_cannot_resolve, begin),
                                       cmocka_unit_test_setup(boxes_have_the_log_z_of_closed_forms, begin),
                                       cmocka_unit_test_setup(every_sampler_is_right_at_a_bound, begin),
                                       cmocka_unit_test_setup(the_range_is_that_of_rounding, begin),
                                       cmocka_unit_test_setup(the_ends_of_the_range, begin),
                                       cmocka_unit_test_setup(draws_where_there_is_no_density, begin),
                                       cmocka_unit_test_setup(warnings_have_the_names_of_users, begin),
                                       cmocka_unit_test_setup(refusals_have_the_names_of_users, begin)};
    return cmocka_run_group_tests_name("evidence_bounds", tests, enter, leave);
}
