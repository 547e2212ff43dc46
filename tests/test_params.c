/* test_params.c - declarations of parameters, bounds from a file, and the way between the whole line and the bounds. */
#include "failure.h"
#include "refusal.h"

#include "rng/rng.h"
#include "target/params.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define INF HUGE_VAL

static params read_good(const char *text) {
    params      p;
    ckam_error  error = {.message = ""};
    ckam_status status = params_read(&p, text, "--params", true, &error);
    if (status) print_error("'%s': %s\n", text, error.message);
    assert_int_equal(status, CKAM_OK);
    return p;
}

/* Names and bounds as "name lower upper" with a blank between two parameters. */
static void assert_params(const params *p, const char *expected) {
    char   text[1000] = "";
    size_t used = 0;
    for (size_t k = 0; k < p->count && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %g %g", k ? " " : "", p->at[k].name,
                                 p->at[k].lower, p->at[k].upper);
    assert_string_equal(text, expected);
}

static void declarations_are_read(void **unused) {
    (void)unused;
    static const char *const table[][2] = {
        {"mu", "mu -inf inf"},
        {"  _a1\t", "_a1 -inf inf"},
        {"tau > 0", "tau 0 inf"},
        {"tau>0", "tau 0 inf"},
        {"0<tau", "tau 0 inf"},
        {"p < 3", "p -inf 3"},
        {"3 > p", "p -inf 3"},
        {"0 < p < 1", "p 0 1"},
        {"1 > p > 0", "p 0 1"},
        {"-1.5e-3<p<+2E2", "p -0.0015 200"},
        {".5 < p", "p 0.5 inf"},
        {"-inf < p < 1", "p -inf 1"},
        {"p > -Inf", "p -inf inf"},
        {"inf > p > 1", "p 1 inf"},
        {"-2 > p", "p -inf -2"},
        {"info", "info -inf inf"},
        {"e1 > 1e1", "e1 10 inf"},
        {"x,y", "x -inf inf y -inf inf"},
        {"x , y > 0 ,z", "x -inf inf y 0 inf z -inf inf"},
        {"x,", "x -inf inf"},
        {"x\ny\n", "x -inf inf y -inf inf"},
        {"\r\n# a # list, with a comma\r\nx, # first\r\n\r\ny > 0#second\r\n", "x -inf inf y 0 inf"},
        {"theta[3] > 0", "theta.1 0 inf theta.2 0 inf theta.3 0 inf"},
        {"theta [ 2 ]", "theta.1 -inf inf theta.2 -inf inf"},
        {"0 < a[1] < 1, a1", "a.1 0 1 a1 -inf inf"},
        {"x_, _, a__b", "x_ -inf inf _ -inf inf a__b -inf inf"},
        {"x1, x10, x[2]", "x1 -inf inf x10 -inf inf x.1 -inf inf x.2 -inf inf"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        params p = read_good(table[i][0]);
        assert_params(&p, table[i][1]);
        params_free(&p);
        assert_int_equal(p.count, 0);
        assert_null(p.at);
    }
}

static void refuse(const char *text, const char *piece) {
    params      p = {.count = 7};
    ckam_error  error = {.message = ""};
    ckam_status status = params_read(&p, text, "--params", true, &error);
    assert_failure(status, CKAM_ERROR_OPTION, &error, "--params", piece);
    assert_int_equal(p.count, 0);
    assert_null(p.at);
    assert_int_equal(params_read(&p, text, "--params", true, NULL), CKAM_ERROR_OPTION);
}

static void bad_declarations_are_refused(void **unused) {
    (void)unused;
    static const char name[] = "': a name has letters, digits and _", bound[] = "': a bound is a number",
                      two[] = "': two bounds are written as in 0 < x < 1", none[] = "': there is no number between",
                      length[] = "': the length of a vector is a whole number from 1 to 1000000",
                      equal[] = "without =", twice[] = "stands there twice";
    static const char *const table[][2] = {{"", "there is no parameter"},
                                           {" \n # x\n", "there is no parameter"},
                                           {"3x", name},
                                           {"x y", name},
                                           {"x-y", name},
                                           {"x.1", name},
                                           {"\302\265", name},
                                           {"x;y", name},
                                           {"> 0", name},
                                           {"0 <", name},
                                           {"0 < 1", name},
                                           {"<", name},
                                           {"1", name},
                                           {"x]", name},
                                           {"0 < x y < 1", name},
                                           {"inf", "cannot be a name"},
                                           {"NaN", "cannot be a name"},
                                           {"lp__", "'lp__': names that end in __"},
                                           {"__", "names that end in __"},
                                           {"a__[3]", "names that end in __"},
                                           {"x >", bound},
                                           {"x > y", bound},
                                           {"x > nan", bound},
                                           {"nan < x", bound},
                                           {"x > infinity", bound},
                                           {"x > 1 2", bound},
                                           {"x > 1e999", bound},
                                           {"-1e999 < x", bound},
                                           {"x > 0x", bound},
                                           {"0 < x < one", bound},
                                           {"zero < x < 1", bound},
                                           {"< x < 1", bound},
                                           {"x >= 0", equal},
                                           {"0 <= x < 1", equal},
                                           {"x = 3", equal},
                                           {"0 < x > 1", two},
                                           {"1 > x < 3", two},
                                           {"x > 0 > -1", two},
                                           {"x < 0 < 1", two},
                                           {"0 < 1 < x", two},
                                           {"0 < x < 1 < 2", "two bounds at most"},
                                           {"1 < x < 0", none},
                                           {"0 > x > 1", none},
                                           {"1 < x < 1", none},
                                           {"1 < x < 1.0000000000000002", none},
                                           {"x > inf", none},
                                           {"x < -inf", none},
                                           {"x[0]", length},
                                           {"x[]", length},
                                           {"x[", length},
                                           {"x[3", length},
                                           {"x[-1]", length},
                                           {"x[1.5]", length},
                                           {"x[3]]", length},
                                           {"x[3][2]", length},
                                           {"x[n]", length},
                                           {"x[1000001]", length},
                                           {"x[99999999999999999999999999]", length},
                                           {"x[1000000], y", "'y': with this one there are more than 1000000 numbers"},
                                           {"x,,y", "there is nothing before a comma"},
                                           {", x", "there is nothing before a comma"},
                                           {"x\n, y", "--params:2: '': there is nothing before a comma"},
                                           {"x, y, x", twice},
                                           {"x > 0, x < 1", "'x' stands there twice"},
                                           {"theta[3], theta", "'theta' stands there twice"},
                                           {"theta, thetb, a, theta[2]", "'theta' stands there twice"},
                                           {"theta[3], b, theta[12]", "'theta' stands there twice"},
                                           {"x # one\r\n\r\n\"y\" > 0\r\n", "--params:3: '\"y\" > 0'"},
                                           {"x\ny z\n", "--params:2: 'y z'"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) refuse(table[i][0], table[i][1]);
}

/* The sentence and the place fit, whatever is quoted. */
static void messages_stay_whole(void **unused) {
    (void)unused;
    char        text[3000], where[300];
    params      p;
    ckam_error  error;
    const char *ends[] = {" y", " > 0 > 1", "__", ", , x", "[0]", " > 1 > 0 > 1"};
    memset(where, 'w', sizeof where - 1);
    where[sizeof where - 1] = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        memset(text, 'x', 2000);
        text[0] = '\n';
        snprintf(text + 2000, 900, "%s", ends[i]);
        ckam_status status = params_read(&p, text, where, true, &error);
        assert_failure(status, CKAM_ERROR_OPTION, &error, ":2: '");
    }
    text[1000] = ','; /* the same name twice */
    text[2000] = 0;
    ckam_status status = params_read(&p, text, where, true, &error);
    assert_failure(status, CKAM_ERROR_OPTION, &error, "stands there twice; each needs its own");
}

static void a_list_has_one_declaration_each(void **unused) {
    (void)unused;
    params     p;
    ckam_error error = {.message = ""};
    assert_int_equal(params_list(&p, (const char *const[]){"mu", " tau > 0", "a[2]", NULL}, "model.c", true, &error),
                     CKAM_OK);
    assert_params(&p, "mu -inf inf tau 0 inf a.1 -inf inf a.2 -inf inf");
    params_free(&p);
    static const char *const bad[][2] = {{"mu, tau", "model.c: 'mu, tau': a name has"},
                                         {"mu\ntau", "'mu': a name has"},
                                         {"", "'': a name has"},
                                         {"mu # the mean", "a name has"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ckam_status status = params_list(&p, (const char *const[]){"x", bad[i][0], NULL}, "model.c", true, &error);
        assert_failure(status, CKAM_ERROR_OPTION, &error, bad[i][1]);
        assert_null(p.at);
    }
    ckam_status status = params_list(&p, (const char *const[]){NULL}, "model.c", true, &error);
    assert_failure(status, CKAM_ERROR_OPTION, &error, "model.c: there is no parameter");
}

static void what_is_computed_has_no_bounds(void **unused) {
    (void)unused;
    params     p;
    ckam_error error;
    assert_int_equal(params_read(&p, "a, b[2]", "derived", false, &error), CKAM_OK);
    assert_params(&p, "a -inf inf b.1 -inf inf b.2 -inf inf");
    params_free(&p);
    assert_int_equal(params_read(&p, "", "derived", false, &error), CKAM_OK);
    assert_int_equal(p.count, 0);
    params_free(&p);
    assert_failure(params_read(&p, "a, b > 0", "derived", false, &error), CKAM_ERROR_OPTION, &error,
                   "derived: 'b > 0': this is computed, and cannot have bounds");
}

static void many_names_take_no_time(void **unused) {
    (void)unused;
    params p = read_good("x[500000], y[499999] > 0, z");
    assert_int_equal(p.count, PARAMS_MOST);
    assert_string_equal(p.at[499999].name, "x.500000");
    assert_string_equal(p.at[500000].name, "y.1");
    assert_string_equal(p.at[PARAMS_MOST - 1].name, "z");
    params_free(&p);
}

/* -- Bounds from a file -------------------------------------------------------------------------------------------- */

static void bounds_come_from_a_file(void **unused) {
    (void)unused;
    ckam_error error;
    params     p = read_good("mu, tau > 0, 0 < p < 1, t[12], t1, tau2");
    assert_int_equal(params_bound(&p, "# none\n\n", "b.txt", &error), CKAM_OK);
    assert_int_equal(params_bound(&p, "tau > 1 # more\np < 0.5\nt.2 > 2, t.10 < 7\nmu>-1", "b.txt", &error), CKAM_OK);
    assert_close(p.at[0].lower, -1.0, 0.0);
    assert_close(p.at[1].lower, 1.0, 0.0);
    assert_true(p.at[1].upper == INF);
    assert_close(p.at[2].lower, 0.0, 0.0); /* the side that is not given stays */
    assert_close(p.at[2].upper, 0.5, 0.0);
    assert_close(p.at[4].lower, 2.0, 0.0);
    assert_close(p.at[12].upper, 7.0, 0.0);
    assert_int_equal(params_bound(&p, "0 < t < 1, -inf < p", "b.txt", &error), CKAM_OK);
    assert_true(p.at[2].lower == -INF);
    for (size_t k = 3; k < 15; k++) assert_true(p.at[k].lower == 0.0 && p.at[k].upper == 1.0);
    assert_true(p.at[15].lower == -INF && p.at[16].lower == -INF);
    params_free(&p);
}

static void bad_bounds_are_refused(void **unused) {
    (void)unused;
    static const char *const table[][2] = {{"nu > 0", "b.txt: 'nu > 0': there is no parameter of this name"},
                                           {"x > 0\nt.3 > 1", "b.txt:2: 't.3 > 1': there is no parameter of this name"},
                                           {"t.0 > 0", "there is no parameter of this name"},
                                           {"t.01 > 0", "there is no parameter of this name"},
                                           {"x.1 > 0", "there is no parameter of this name"},
                                           {"t. > 0", "there is no parameter of this name"},
                                           {"x", "'x': a bound is missing"},
                                           {"t[2] > 0", "'t[2] > 0': this needs a parameter and its bounds"},
                                           {"1 < 2", "there is no parameter of this name"},
                                           {"x > y", "a bound is a number"},
                                           {"x >= 0", "without ="},
                                           {"x y > 0", "this needs a parameter and its bounds"},
                                           {"x > 0, x < 1", "'x < 1': this has got bounds before"},
                                           {"t > 0, t.1 < 1", "'t.1 < 1': this has got bounds before"},
                                           {"t.2 > 0, t < 1", "'t < 1': this has got bounds before"},
                                           {"1 < x < 0", "there is no number between"},
                                           {"p > 2", "'p > 2': there is no number between"},
                                           {"x > 0,,p > 0", "nothing before a comma"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ckam_error  error = {.message = ""};
        params      p = read_good("x, t[2], 0 < p < 1");
        ckam_status status = params_bound(&p, table[i][0], "b.txt", &error);
        assert_failure(status, CKAM_ERROR_OPTION, &error, table[i][1]);
        params_free(&p);
    }
}

static void two_lists_must_agree(void **unused) {
    (void)unused;
    static const struct {
        const char *model, *declared, *result;
    } table[] = {{"x, y > 0", "x, y", "x -inf inf y 0 inf"},
                 {"x, y > 0", "x > 1, y > 2", "x 1 inf y 2 inf"},
                 {"0 < x < 1, y", "x < 0.5, y", "x 0 0.5 y -inf inf"},
                 {"x[2]", "x[2] > 0", "x.1 0 inf x.2 0 inf"},
                 {"x < 1", "x > -1", "x -1 1"},
                 {"x, y", "y, x", "number 1 is y in --params and x in m.so"},
                 {"x, y, z", "x, z, y", "number 2 is z in --params and y in m.so"},
                 {"x, y", "x", "there are 1 numbers in --params and 2 in m.so"},
                 {"x", "x, y", "there are 2 numbers in --params and 1 in m.so"},
                 {"x[2]", "x[3]", "there are 3 numbers in --params and 2 in m.so"},
                 {"x > 5", "x < 3", "the bounds of x in --params and those in m.so"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ckam_error  error = {.message = ""};
        params      p = read_good(table[i].model), declared = read_good(table[i].declared), copy;
        ckam_status status = params_agree(&p, &declared, "--params", "m.so", &error);
        if (i < 5) {
            assert_int_equal(status, CKAM_OK);
            assert_params(&p, table[i].result);
            assert_int_equal(params_copy(&copy, &p, &error), CKAM_OK);
            assert_params(&copy, table[i].result);
            assert_true(copy.at[0].name != p.at[0].name);
            params_free(&copy);
        } else {
            assert_failure(status, CKAM_ERROR_OPTION, &error, table[i].result);
        }
        params_free(&p);
        params_free(&declared);
    }
}

/* -- The way between the whole line and the bounds ----------------------------------------------------------------- */

static ckam_status read_and_bound(ckam_error *error) {
    params      p, derived = {0}, copy = {0};
    ckam_status status = params_read(&p, "x, y > 0, t[3]", "--params", true, error);
    if (status) assert_null(p.at);
    if (!status) status = params_read(&derived, "a, b[2]", "derived", false, error);
    if (!status) status = params_apart(&p, &derived, "both", error);
    if (!status) status = params_bound(&p, "t > 1", "b.txt", error);
    if (!status) status = params_copy(&copy, &p, error);
    params_free(&p);
    params_free(&derived);
    params_free(&copy);
    return status;
}

static void no_memory_is_no_crash(void **unused) {
    (void)unused;
    unsigned number = 0;
    bool     refused = true;
    while (refused) {
        ckam_error error = {.message = ""};
        refusal_begin(++number);
        ckam_status status = read_and_bound(&error);
        refused = refusal_end();
        if (refused)
            assert_failure(status, CKAM_ERROR_MEMORY, &error, "there is no memory for the parameters");
        else
            assert_int_equal(status, CKAM_OK);
    }
    assert_true(number > 20);
}

static void columns_have_names_of_their_own(void **unused) {
    (void)unused;
    ckam_error error;
    params     p = read_good("x, y[2], z"), apart = read_good("a, x1, y2[2], Z"), same = read_good("a, z"),
           part = read_good("y");
    assert_int_equal(params_apart(&p, &apart, "both", &error), CKAM_OK);
    assert_failure(params_apart(&p, &same, "both", &error), CKAM_ERROR_OPTION, &error, "both: the name 'z'");
    assert_failure(params_apart(&p, &part, "both", &error), CKAM_ERROR_OPTION, &error, "both: the name 'y'");
    params_free(&p);
    params_free(&apart);
    params_free(&same);
    params_free(&part);
}

static const char kinds[] = "a, b > -2, c < 3, -1 < d < 4, 1e6 < e < 1000001, -1e308 < f < 1.5e308, g > 1e300";

static void formulas_hold(void **unused) {
    (void)unused;
    params p = read_good("a, b > -2, c < 3");
    for (double v = -30.0; v <= 30.0; v += 0.37) {
        double u[] = {v, v, v}, x[3];
        double log_jacobian = params_constrain(&p, u, x);
        assert_true(x[0] == v);
        assert_close(x[1], -2.0 + exp(v), 1e-15);
        assert_close(x[2], 3.0 - exp(v), 1e-15);
        assert_close(log_jacobian, v + v, 1e-14);
    }
    params_free(&p);
    p = read_good("-1 < d < 4");
    for (double u = -1.96; u < 2.0; u += 0.07) {
        double x, y = u / 2.0, rest = 1.0 - y * y, s = 1.0 / (1.0 + exp(-2.8 * y / rest));
        double log_jacobian = params_constrain(&p, &u, &x);
        assert_close(x, -1.0 + 5.0 * s, 1e-14);
        if (fabs(u) > 1.8) continue; /* 1 - s has no digits left */
        assert_close(log_jacobian, log(5.0 * s * (1.0 - s) * 1.4 * (1.0 + y * y) / (rest * rest)), 1e-9);
    }
    params_free(&p);
}

/* Outside of the box there is no density; x is still a number between the bounds. */
static void a_box_has_walls(void **unused) {
    (void)unused;
    static const double places[] = {2.0, 2.0000001, 3.0, 1e10, 1e308, HUGE_VAL};
    params              p = read_good("a, -1 < d < 4");
    for (size_t i = 0; i < 2 * sizeof places / sizeof *places; i++) {
        double u[] = {0.5, i % 2 ? places[i / 2] : -places[i / 2]}, x[2];
        assert_true(params_constrain(&p, u, x) == -INF);
        assert_true(x[1] == (i % 2 ? nextafter(4.0, 0.0) : nextafter(-1.0, 0.0)));
        u[1] = copysign(nextafter(2.0, 0.0), u[1]);
        assert_true(params_constrain(&p, u, x) < -1e15 && params_constrain(&p, u, x) > -INF);
    }
    params_free(&p);
}

/* From 10 to 90 % of the box x is linear in u: |dx/du| is within 10 % of the mean slope there. The logit, the twin, is not. */
static void a_box_is_linear_inside(void **unused) {
    (void)unused;
    params p = read_good("-1 < d < 4");
    double ends[2] = {-0.5, 3.5}, u[2], x, worst = 0.0, logit = 0.0;
    size_t wrong;
    for (size_t i = 0; i < 2; i++) assert_true(params_unconstrain(&p, &ends[i], &u[i], &wrong));
    double mean = 4.0 / (u[1] - u[0]), mean_logit = 0.8 / (2.0 * log(9.0));
    for (int i = 0; i <= 100; i++) {
        double place = 0.1 + 0.008 * i, v = u[0] + 0.01 * i * (u[1] - u[0]);
        worst = fmax(worst, fabs(exp(params_constrain(&p, &v, &x)) / mean - 1.0));
        logit = fmax(logit, fabs(place * (1.0 - place) / mean_logit - 1.0));
    }
    assert_less(worst, 0.1);
    assert_less(0.3, logit);
    params_free(&p);
}

/* The largest distance of the shares of `count` sorted numbers, put into [0, 1], from uniform ones. */
static int by_size(const void *a, const void *b) {
    const double *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

static double off_uniform(double *share, size_t count) {
    double most = 0.0;
    qsort(share, count, sizeof *share, by_size);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 2; k++) most = fmax(most, fabs(share[i] - (double)(i + k) / (double)count));
    return most;
}

/* Kolmogorov's distance of 20,000 starts from the uniform distribution over the box: above 0.0207 with a probability of 7e-8. Without
 * params_spread(), the twin, they gather at the bounds. What has not two bounds stays as it is. */
static void starts_are_uniform_over_the_box(void **unused) {
    (void)unused;
    enum { STARTS = 20000 };
    static double share[2][STARTS];
    params        p = read_good("a, b > 0, -1 < d < 4");
    rng           r;
    rng_init(&r, 3, 0);
    for (size_t i = 0; i < STARTS; i++) {
        double u[3], raw[3], x[3];
        for (size_t k = 0; k < 3; k++) raw[k] = u[k] = 4.0 * rng_uniform(&r) - 2.0;
        params_spread(&p, u);
        assert_true(u[0] == raw[0] && u[1] == raw[1]);
        params_constrain(&p, u, x);
        share[0][i] = (x[2] + 1.0) / 5.0;
        params_constrain(&p, raw, x);
        share[1][i] = (x[2] + 1.0) / 5.0;
    }
    assert_less(off_uniform(share[0], STARTS), 0.0207);
    assert_less(0.05, off_uniform(share[1], STARTS));
    double ends[3] = {2.0, 2.0, 2.0};
    params_spread(&p, ends);
    assert_true(ends[2] == 2.0);
    params_free(&p);
}

/* Central differences of x, in steps h: the error is h^2/6 of the third derivative, and 2e-16 |x| / h. */
static void log_jacobian_is_that_of_differences(void **unused) {
    (void)unused;
    static const char *const alone[] = {"a", "b > -2", "c < 3", "-1 < d < 4", "-0.01 < e < 0.3"};
    const double             h = 1e-5;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        params       p = read_good(alone[i]);
        const double end = param_has_box(&p.at[0]) ? 1.7 : 4.0;
        for (double v = -end; v <= end; v += end / 19.0) {
            double left, right, middle, before = v - h, after = v + h;
            double log_jacobian = params_constrain(&p, &v, &middle);
            params_constrain(&p, &before, &left);
            params_constrain(&p, &after, &right);
            assert_close(log_jacobian, log(fabs(right - left) / (2.0 * h)), 1e-7);
        }
        params_free(&p);
    }
}

static void round_trips_come_home(void **unused) {
    (void)unused;
    params p = read_good(kinds);
    rng    r;
    rng_init(&r, 1, 0);
    for (int i = 0; i < 2000; i++) {
        double u[7], x[7], back[7];
        size_t wrong;
        for (size_t k = 0; k < 7; k++) u[k] = (param_has_box(&p.at[k]) ? 1.75 : 8.0) * (2.0 * rng_uniform(&r) - 1.0);
        u[6] += 690.0; /* where the steps of x near its bound are of some use */
        params_constrain(&p, u, x);
        assert_true(params_unconstrain(&p, x, back, &wrong));
        for (size_t k = 0; k < 7; k++) assert_close(back[k], u[k], k == 4 ? 1e-5 : 1e-11); /* e has 10 digits */
    }
    params_free(&p);
}

static void extremes_stay_inside(void **unused) {
    (void)unused;
    static const double sizes[] = {0.0,   1e-300, 1e-9,  1.0,   36.0, 37.0, 40.0,
                                   700.0, 709.7,  710.0, 745.0, 1e3,  1e10, 1e300};
    params              p = read_good(kinds);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double u[7], x[7], back[7];
            size_t wrong = 99;
            for (size_t k = 0; k < 7; k++) u[k] = sign * sizes[i];
            double log_jacobian = params_constrain(&p, u, x);
            assert_true(!isnan(log_jacobian));
            assert_less(log_jacobian, 1e4);
            for (size_t k = 0; k < 7; k++) assert_true(p.at[k].lower < x[k] && x[k] < p.at[k].upper && isfinite(x[k]));
            assert_true(params_unconstrain(&p, x, back, &wrong));
            for (size_t k = 0; k < 7; k++) assert_true(isfinite(back[k]));
        }
    params_free(&p);
}

static void tails_keep_their_digits(void **unused) {
    (void)unused;
    params p = read_good("0 < p < 1");
    double x = 1e-300, u, again;
    size_t wrong;
    assert_true(params_unconstrain(&p, &x, &u, &wrong));
    assert_less(u, -1.99);
    params_constrain(&p, &u, &again);
    assert_relative(again, 1e-300, 1e-10); /* u has 16 digits, log x is -690 */
    x = 1.0 - 1e-12;
    assert_true(params_unconstrain(&p, &x, &u, &wrong));
    params_constrain(&p, &u, &again);
    assert_relative(1.0 - again, 1e-12, 1e-3);
    params_free(&p);
    p = read_good("x > 0");
    u = 800.0; /* no number is so large: no density, rather than one of e^800 */
    assert_true(params_constrain(&p, &u, &x) == -INF);
    assert_true(x == DBL_MAX);
    u = -800.0;
    assert_true(params_constrain(&p, &u, &x) == -800.0);
    assert_true(x == DBL_TRUE_MIN);
    params_free(&p);
}

static void what_is_outside_is_named(void **unused) {
    (void)unused;
    static const struct {
        double x[4];
        size_t wrong;
    } table[] = {{{0, -2, 0, 0}, 1},  {{0, -3, 0, 0}, 1},         {{0, 0, 3, 0}, 2},           {{0, 0, 0, -1}, 3},
                 {{0, 0, 0, 4}, 3},   {{0, 0, 0, 5}, 3},          {{(double)NAN, 0, 0, 0}, 0}, {{INF, 0, 0, 0}, 0},
                 {{0, INF, 0, 0}, 1}, {{0, (double)NAN, 0, 0}, 1}};
    params p = read_good("a, b > -2, c < 3, -1 < d < 4");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double u[4];
        size_t wrong = 99;
        assert_false(params_unconstrain(&p, table[i].x, u, &wrong));
        assert_int_equal(wrong, table[i].wrong);
    }
    params_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(declarations_are_read),
                                       cmocka_unit_test(bad_declarations_are_refused),
                                       cmocka_unit_test(messages_stay_whole),
                                       cmocka_unit_test(a_list_has_one_declaration_each),
                                       cmocka_unit_test(what_is_computed_has_no_bounds),
                                       cmocka_unit_test(many_names_take_no_time),
                                       cmocka_unit_test(bounds_come_from_a_file),
                                       cmocka_unit_test(bad_bounds_are_refused),
                                       cmocka_unit_test(two_lists_must_agree),
                                       cmocka_unit_test(no_memory_is_no_crash),
                                       cmocka_unit_test(columns_have_names_of_their_own),
                                       cmocka_unit_test(formulas_hold),
                                       cmocka_unit_test(a_box_has_walls),
                                       cmocka_unit_test(a_box_is_linear_inside),
                                       cmocka_unit_test(starts_are_uniform_over_the_box),
                                       cmocka_unit_test(log_jacobian_is_that_of_differences),
                                       cmocka_unit_test(round_trips_come_home),
                                       cmocka_unit_test(extremes_stay_inside),
                                       cmocka_unit_test(tails_keep_their_digits),
                                       cmocka_unit_test(what_is_outside_is_named)};
    return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
