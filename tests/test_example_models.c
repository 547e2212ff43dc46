/* test_example_models.c - the models of examples/models: their log densities against slow ones that are written in
 * another way, the names of their references, and data that they must refuse. */
#include "run_support.h"

#include "target/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long double PI = 3.14159265358979323846264338327950288L;

static engine *open_example(const char *name, const char *folder) {
    engine    *e = NULL;
    ckam_error error = {.message = ""};
    char       path[500];
    char      *data = slurp(text_of("%s/%s/data.json", CKAM_TEST_EXAMPLES, folder), NULL);
    snprintf(path, sizeof path, "%s/%s.so", CKAM_TEST_MODELS, name);
    if (shared_open(&e, path, NULL, data, &error)) fail_msg("%s", error.message);
    free(data);
    return e;
}

static double value_at(engine *e, const double *x) {
    double value;
    char   why[ENGINE_WHY];
    assert_int_equal(e->type->evaluate(e, NULL, x, &value, why), ENGINE_VALUE);
    return value;
}

typedef long double slow_density(const long double *x);

static long double slow_at(slow_density *slow, const double *x, size_t dim) {
    long double exact[10] = {0};
    for (size_t k = 0; k < dim; k++) exact[k] = (long double)x[k];
    return slow(exact);
}

/* A log density is known up to a constant: so differences from the first point are compared. */
static void assert_same_density(engine *e, slow_density *slow, const double *points, size_t count, double tolerance) {
    for (size_t i = 1; i < count; i++) {
        const double *x = points + i * e->dim;
        assert_close(value_at(e, x) - value_at(e, points),
                     (double)(slow_at(slow, x, e->dim) - slow_at(slow, points, e->dim)), tolerance);
    }
}

static long double log_normal_pdf(long double y, long double mean, long double sd) {
    return -logl(sd * sqrtl(2.0L * PI)) - (y - mean) * (y - mean) / (2.0L * sd * sd);
}

/* -- Eight schools ------------------------------------------------------------------------------------------------- */

static long double schools(const long double *x) {
    static const long double effect[] = {28, 8, -3, 7, -1, 1, 18, 12}, error[] = {15, 10, 16, 11, 9, 11, 10, 18};
    const long double        mu = x[8], tau = x[9];
    long double              sum = log_normal_pdf(mu, 0, 5) + logl(2.0L / (PI * 5.0L * (1.0L + tau * tau / 25.0L)));
    for (int j = 0; j < 8; j++) sum += log_normal_pdf(x[j], mu, tau) + log_normal_pdf(effect[j], x[j], error[j]);
    return sum;
}

static const double schools_points[][10] = {{5, 5, 5, 5, 5, 5, 5, 5, 4, 3},
                                            {28, 8, -3, 7, -1, 1, 18, 12, 8, 10},
                                            {-1, 0.5, 2, 3, -7, 1, 1, 0, -4, 0.02},
                                            {4.1, 4.2, 4.3, 4.4, 4.5, 4.6, 4.7, 4.8, 4.45, 60}};

static void centred_schools(void **unused) {
    (void)unused;
    engine *e = open_example("centred", "eight_schools");
    assert_int_equal(e->dim, 10);
    assert_same_density(e, schools, schools_points[0], 4, 1e-12);
    e->type->close(e);
}

/* theta = mu + tau e: the volume of the theta is tau^8 that of the e. */
static void noncentred_schools(void **unused) {
    (void)unused;
    engine     *e = open_example("noncentred", "eight_schools");
    double      first = 0.0, theta[8];
    long double slow_first = 0.0L;
    char        why[ENGINE_WHY];
    assert_int_equal(e->dim, 10);
    assert_int_equal(e->derived, 8);
    for (size_t i = 0; i < 4; i++) {
        const double *c = schools_points[i], mu = c[8], tau = c[9];
        double        x[10] = {mu, tau};
        for (int j = 0; j < 8; j++) x[2 + j] = (c[j] - mu) / tau;
        long double slow = slow_at(schools, c, 10) + 8.0L * logl((long double)tau);
        if (i == 0) first = value_at(e, x), slow_first = slow;
        assert_close(value_at(e, x) - first, (double)(slow - slow_first), 1e-11);
        assert_int_equal(e->type->derive(e, NULL, x, theta, why), ENGINE_VALUE);
        for (int j = 0; j < 8; j++) assert_close(theta[j], c[j], 1e-12);
    }
    e->type->close(e);
}

/* -- Lynx and hare: Runge and Kutta's classical method with 1000 steps a year -------------------------------------- */

static void change(const long double *z, const long double *theta, long double *out) {
    out[0] = theta[0] * z[0] - theta[1] * z[0] * z[1];
    out[1] = -theta[2] * z[1] + theta[3] * z[0] * z[1];
}

static void year(long double *z, const long double *theta) {
    enum { STEPS = 1000 };
    static const long double share[] = {0.5L, 0.5L, 1.0L}, weight[] = {1, 2, 2, 1};
    for (int n = 0; n < STEPS; n++) {
        long double sum[2] = {0}, at[2] = {z[0], z[1]}, k[2];
        for (int s = 0; s < 4; s++) {
            change(at, theta, k);
            for (int i = 0; i < 2; i++) {
                sum[i] += weight[s] * k[i] / 6.0L / STEPS;
                if (s < 3) at[i] = z[i] + share[s] * k[i] / STEPS;
            }
        }
        z[0] += sum[0];
        z[1] += sum[1];
    }
}

static long double log_lognormal_pdf(long double y, long double location, long double sd) {
    return log_normal_pdf(logl(y), location, sd) - logl(y);
}

static long double pelts(const long double *x) {
    static const double y[][2] = {{30, 4},     {47.2, 6.1},  {70.2, 9.8},  {77.4, 35.2}, {36.3, 59.4}, {20.6, 41.7},
                                  {18.1, 19},  {21.4, 13},   {22, 8.3},    {25.4, 9.1},  {27.1, 7.4},  {40.3, 8},
                                  {57, 12.3},  {76.6, 19.5}, {52.3, 45.7}, {19.5, 51.1}, {11.2, 29.7}, {7.6, 15.8},
                                  {14.6, 9.7}, {16.2, 10.1}, {24.7, 8.6}};
    const long double  *z_init = x + 4, *sigma = x + 6;
    long double z[2] = {z_init[0], z_init[1]}, sum = log_normal_pdf(x[0], 1, 0.5L) + log_normal_pdf(x[2], 1, 0.5L);
    sum += log_normal_pdf(x[1], 0.05L, 0.05L) + log_normal_pdf(x[3], 0.05L, 0.05L);
    for (int k = 0; k < 2; k++) sum += log_lognormal_pdf(z_init[k], logl(10), 1) + log_lognormal_pdf(sigma[k], -1, 1);
    for (size_t n = 0; n < sizeof y / sizeof *y; n++) {
        if (n) year(z, x);
        for (int k = 0; k < 2; k++) sum += log_lognormal_pdf((long double)y[n][k], logl(z[k]), sigma[k]);
    }
    return sum;
}

static void lynx_and_hare(void **unused) {
    (void)unused;
    static const double points[][8] = {{0.5468, 0.02775, 0.8, 0.0241, 34, 5.94, 0.248, 0.251},
                                       {0.4, 0.021, 0.95, 0.03, 28, 5, 0.2, 0.4},
                                       {0.8, 0.04, 0.6, 0.018, 40, 7.5, 0.35, 0.2},
                                       {1.5, 0.1, 1.2, 0.06, 12, 20, 1.1, 0.9},
                                       {0.6, 0.03, 0.75, 0.0225, 31, 5.5, 0.22, 0.27},
                                       {0.6000001, 0.03, 0.75, 0.0225, 31, 5.5, 0.22, 0.27}};
    engine             *e = open_example("lynx_hare", "lynx_hare");
    assert_int_equal(e->dim, 8);
    assert_same_density(e, pelts, points[0], 6, 1e-9);
    /* What is wrong is wrong by the same amount at a point nearby: the choice of steps leaves no noise. */
    assert_less(fabs(value_at(e, points[5]) - value_at(e, points[4]) -
                     (double)(slow_at(pelts, points[5], 8) - slow_at(pelts, points[4], 8))),
                1e-11);
    /* Hares by the million: more steps than there may be, so no value, but an answer. */
    assert_true(value_at(e, (const double[]){1e3, 1e-3, 1e3, 10, 1e6, 1e6, 1, 1}) == -HUGE_VAL);
    e->type->close(e);
}

/* -- GARCH and the mixture: the same sums in long double, from densities and not their logarithms ------------------ */

/* The numbers of a key in a data file. Not parsed by the project's own reader. */
static size_t numbers_of(const char *folder, const char *key, long double *to, size_t room) {
    char       *text = slurp(text_of("%s/%s/data.json", CKAM_TEST_EXAMPLES, folder), NULL);
    const char *at = strstr(text, text_of("\"%s\"", key));
    size_t      count = 0;
    assert_non_null(at);
    at += strlen(key) + 2;
    while (*at != ']' && count < room) {
        at += strcspn(at, "-0123456789]");
        if (*at == ']') break;
        char *end;
        to[count++] = strtold(at, &end);
        at = end;
    }
    free(text);
    return count;
}

static long double series(const long double *x) {
    static long double y[200];
    const long double  beta1 = x[3] * (1.0L - x[2]);
    long double        density = 1.0L - x[2], s = 0.5L, sum = 0.0L;
    assert_int_equal(numbers_of("garch", "y", y, 200), 200);
    for (int t = 0; t < 200; t++) {
        if (t > 0) s = sqrtl(x[1] + x[2] * (y[t - 1] - x[0]) * (y[t - 1] - x[0]) + beta1 * s * s);
        density *= expl(log_normal_pdf(y[t], x[0], s));
        if (t % 20 == 19) sum += logl(density), density = 1.0L; /* before it is too small for a number */
    }
    return sum;
}

static void garch_series(void **unused) {
    (void)unused;
    static const double points[][4] = {
        {5.05, 1.47, 0.567, 0.677}, {4.8, 0.5, 0.2, 0.9}, {5.3, 2.5, 0.9, 0.05}, {0, 10, 0.01, 0.5}};
    engine *e = open_example("garch", "garch");
    double  beta1;
    char    why[ENGINE_WHY];
    assert_int_equal(e->dim, 4);
    assert_same_density(e, series, points[0], 4, 1e-11);
    assert_int_equal(e->type->derive(e, NULL, points[1], &beta1, why), ENGINE_VALUE);
    assert_close(beta1, 0.72, 1e-15);
    e->type->close(e);
}

static long double mixture(const long double *x) {
    static long double y[1000];
    long double        sum = log_normal_pdf(x[0], 0, 2) + log_normal_pdf(x[1], 0, 2) + log_normal_pdf(x[2], 0, 2) +
                      log_normal_pdf(x[3], 0, 2);
    assert_int_equal(numbers_of("gauss_mix", "y", y, 1000), 1000);
    sum += logl(630.0L * powl(x[4], 4) * powl(1.0L - x[4], 4)); /* Beta(5, 5) */
    for (int n = 0; n < 1000; n++)
        sum += logl(x[4] * expl(log_normal_pdf(y[n], x[0], x[2])) +
                    (1.0L - x[4]) * expl(log_normal_pdf(y[n], x[1], x[3])));
    return sum;
}

static void two_normals(void **unused) {
    (void)unused;
    static const double points[][5] = {{-2.7, 2.9, 1.03, 1.02, 0.62},
                                       {2.9, -2.7, 1.02, 1.03, 0.38},
                                       {0, 0.5, 3, 2, 0.5},
                                       {-6, 4, 0.5, 0.3, 0.01},
                                       {1, 2, 3, 4, 0.999}};
    engine             *e = open_example("gauss_mix", "gauss_mix");
    assert_int_equal(e->dim, 5);
    assert_same_density(e, mixture, points[0], 5, 1e-11);
    assert_close(value_at(e, points[0]), value_at(e, points[1]), 1e-12); /* the other labelling */
    /* So far from all y that each density is 0 as a number, but its logarithm is not. */
    assert_true(isfinite(value_at(e, (const double[]){-100, 100, 0.1, 0.1, 0.5})));
    e->type->close(e);
}

/* -- Names and data ------------------------------------------------------------------------------------------------ */

static bool has_column(const engine *e, const char *name) {
    for (size_t k = 0; k < e->params.count; k++)
        if (!strcmp(e->params.at[k].name, name)) return true;
    for (size_t k = 0; k < e->derived; k++)
        if (!strcmp(e->derived_names[k], name)) return true;
    return false;
}

static void references_name_columns(void **unused) {
    (void)unused;
    static const struct {
        const char *model, *folder;
        size_t      rows;
    } all[] = {{"centred", "eight_schools", 10}, {"noncentred", "eight_schools", 10},
               {"lynx_hare", "lynx_hare", 8},    {"garch", "garch", 4},
               {"gauss_mix", "gauss_mix", 5},    {"radial_velocity", "radial_velocity", 4}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        engine *e = open_example(all[i].model, all[i].folder);
        char   *text = slurp(text_of("%s/%s/reference.csv", CKAM_TEST_EXAMPLES, all[i].folder), NULL), *rest = text;
        size_t  rows = 0;
        assert_string_equal(strtok_r(rest, "\n", &rest), "variable,mean,mcse_mean,sd,mcse_sd");
        for (char *line; (line = strtok_r(NULL, "\n", &rest)); rows++) {
            line[strcspn(line, ",")] = '\0';
            if (!has_column(e, line)) fail_msg("%s has no column %s", all[i].model, line);
        }
        assert_int_equal(rows, all[i].rows);
        free(text);
        e->type->close(e);
    }
}

static void wrong_data_is_refused(void **unused) {
    (void)unused;
    static const char *const cases[][3] = {
        {"centred", NULL, "8 numbers y"},
        {"centred", "{\"y\": [1,2,3,4,5,6,7,8]}", "8 numbers sigma"},
        {"centred", "{\"y\": [1,2,3,4,5,6,7], \"sigma\": [1,2,3,4,5,6,7,8]}", "8 numbers y"},
        {"centred", "{\"y\": [1,2,3,4,5,6,7,8], \"sigma\": [1,2,3,0,5,6,7,8]}", "greater than 0"},
        {"noncentred", "{}", "8 numbers y"},
        {"noncentred", "{\"y\": [1,2,3,4,5,6,7,8], \"sigma\": 10}", "8 numbers sigma"},
        {"noncentred", "{\"y\": [1,2,3,4,5,6,7,8], \"sigma\": [1,2,3,-4,5,6,7,8]}", "greater than 0"},
        {"lynx_hare", NULL, "times ts"},
        {"lynx_hare", "{\"ts\": [], \"y_init\": [1,2], \"y\": []}", "times ts"},
        {"lynx_hare", "{\"ts\": [1,3,2], \"y_init\": [1,2], \"y\": [[1,2],[3,4],[5,6]]}", "in order"},
        {"lynx_hare", "{\"ts\": [0,1], \"y_init\": [1,2], \"y\": [[1,2],[3,4]]}", "in order"},
        {"lynx_hare", "{\"ts\": [1,2], \"y\": [[1,2],[3,4]]}", "y_init"},
        {"lynx_hare", "{\"ts\": [1,2], \"y_init\": [1,0], \"y\": [[1,2],[3,4]]}", "y_init"},
        {"lynx_hare", "{\"ts\": [1,2], \"y_init\": [1,2]}", "2 numbers y"},
        {"lynx_hare", "{\"ts\": [1,2], \"y_init\": [1,2], \"y\": [[1,2],[3]]}", "2 numbers y"},
        {"garch", NULL, "numbers y"},
        {"garch", "{\"y\": [1,2]}", "sigma1"},
        {"garch", "{\"y\": [1,2], \"sigma1\": 0}", "sigma1"},
        {"garch", "{\"y\": [], \"sigma1\": 1}", "numbers y"},
        {"gauss_mix", NULL, "numbers y"},
        {"gauss_mix", "{\"y\": \"many\"}", "numbers y"},
        {"radial_velocity", NULL, "times t"},
        {"radial_velocity", "{\"t\": [1,2], \"error\": [1,1]}", "velocity"},
        {"radial_velocity", "{\"t\": [1,2], \"velocity\": [1,1], \"error\": [1]}", "as many numbers error"},
        {"radial_velocity", "{\"t\": [1,2], \"velocity\": [1,1], \"error\": [1,0]}", "greater than 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        engine    *e = (engine *)&e;
        ckam_error error = {.message = ""};
        char       path[500];
        snprintf(path, sizeof path, "%s/%s.so", CKAM_TEST_MODELS, cases[i][0]);
        ckam_status status = shared_open(&e, path, NULL, cases[i][1], &error);
        if (!status) fail_msg("%s took %s", cases[i][0], cases[i][1]);
        assert_failure(status, error.status, &error, cases[i][2]);
        assert_null(e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centred_schools),      cmocka_unit_test(noncentred_schools),
        cmocka_unit_test(lynx_and_hare),        cmocka_unit_test(garch_series),
        cmocka_unit_test(two_normals),          cmocka_unit_test(references_name_columns),
        cmocka_unit_test(wrong_data_is_refused)};
    return cmocka_run_group_tests_name("example_models", tests, NULL, NULL);
}
