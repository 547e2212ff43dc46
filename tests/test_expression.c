/* test_expression.c - --log-density: one line of C made into a model, compiled and called; and what is refused. */
#include "compile_support.h"

#include "target/engine.h"

#include <math.h>

static params declared(const char *text) {
    params     p;
    ckam_error error;
    if (params_read(&p, text, "--params", true, &error)) print_error("%s\n", error.message);
    return p;
}

static double expression(const char *text, const char *names, const double *x, char *list, size_t size) {
    params      p = declared(names);
    char       *path = NULL;
    ckam_error  error = {.message = ""};
    ckam_status status = compile_expression(text, &p, &path, &error);
    params_free(&p);
    if (status) print_error("%s: %s\n", text, error.message);
    assert_int_equal(status, CKAM_OK);
    return value_of(path, x, list, size);
}

static void a_line_is_compiled(void **unused) {
    (void)unused;
    char         list[256];
    const double x[] = {1.25, -2.5, 0.75, 3.5, 4.5, 5.5};
    setenv("CFLAGS", "-Wall -Wextra -Werror -ffp-contract=off", 1);
    double v = expression("-0.5*(x*x + y*y/4)", "x,y", x, list, sizeof list);
    assert_close(v, -0.5 * (x[0] * x[0] + x[1] * x[1] / 4), 0);
    assert_string_equal(list, "x; y");
    v = expression("a < 2 ? exp(b) + theta[0]*theta[2] - log(last) : INFINITY",
                   "a, b < 0.1, theta[3] > 0, -1e-7 < last < 1e+22", x, list, sizeof list);
    assert_relative(v, exp(x[1]) + x[2] * x[4] - log(x[5]), 1e-15);
    assert_string_equal(list, "a; b < 0.1; theta[3] > 0; -1e-7 < last < 1e+22");
    assert_close(expression("7", "one[1]", x, list, sizeof list), 7.0, 0);
    assert_string_equal(list, "one[1]");
    v = expression("v[1] + w[0] + v1 /* and */ // so on", "v[2],w[1],v1", x, list, sizeof list);
    assert_close(v, x[1] + x[2] + x[3], 0);
    assert_string_equal(list, "v[2]; w[1]; v1");
    assert_int_equal(runs(), 4);
    expression("7", "one[1]", x, list, sizeof list);
    assert_int_equal(runs(), 4);
    assert_int_equal(count_files("cache", ""), 9);
}

/* Each name is that of something in math.h, of a macro, or of ours. */
static void a_name_may_be_taken_elsewhere(void **unused) {
    (void)unused;
    const double x[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    assert_close(expression("y0 + gamma + NULL + linux + M_PI + isnan + log_density + ckam_parameters + size_t",
                            "y0,gamma,NULL,linux,M_PI,isnan,log_density,ckam_parameters,size_t", x, NULL, 0),
                 511.0, 0);
}

/* A declaration has no words for a vector of which one number has bounds of its own. */
static void uneven_bounds_are_refused(void **unused) {
    (void)unused;
    params     p = declared("a > 0, v[2] > 0");
    char      *path;
    ckam_error error;
    p.at[2].upper = 5.0;
    assert_failure(compile_expression("v[0] + v[1]", &p, &path, &error), CKAM_ERROR_OPTION, &error, "'v.2'");
    params_free(&p);
}

static void refuse_line(const char *text, const char *names, const char *piece) {
    params      p = names ? declared(names) : (params){0};
    char        mark, *path = &mark;
    ckam_error  error = {.message = ""};
    int         kept = hush();
    ckam_status status = compile_expression(text, &p, &path, &error);
    speak(kept);
    assert_failure(status, CKAM_ERROR_OPTION, &error, piece);
    assert_null(path);
    params_free(&p);
    assert_int_equal(count_files("cache", "") - (size_t)is_there("cache/include"), 0);
}

static void bad_lines_are_refused(void **unused) {
    (void)unused;
    refuse_line("", "x", "is empty");
    refuse_line(" \t ", "x", "is empty");
    refuse_line("x\n+ 1", "x", "more than one line");
    refuse_line("x", NULL, "--params");
    static const char *const words[] = {"int", "while", "true", "typeof", "asm", "_Bool", "__x", "defined", "ckam_x"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        refuse_line("1", text_of("a,%s", words[i]), text_of("'%s'", words[i]));
        refuse_line("1", text_of("%s[2]", words[i]), text_of("'%s'", words[i]));
    }
    params     p = {1, &(param){.name = (char[]){"a.b"}, .lower = -HUGE_VAL, .upper = HUGE_VAL}};
    ckam_error error;
    char      *path;
    assert_failure(compile_expression("1", &p, &path, &error), CKAM_ERROR_OPTION, &error, "'a.b'");
    assert_int_equal(runs(), 0);
    refuse_line("x + ", "x", "cannot compile the expression");
    refuse_line("  x + zz", "x", "--params");
    assert_said("--log-density:1:7:"); /* where the user wrote it */
    assert_said("zz");
    refuse_line("x", "x[2]", "cannot compile the expression");
    refuse_line("x[0]", "x", "cannot compile the expression");
    refuse_line("#pragma x", "x", "cannot compile the expression");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_line_is_compiled, begin), cmocka_unit_test_setup(a_name_may_be_taken_elsewhere, begin),
        cmocka_unit_test_setup(uneven_bounds_are_refused, begin), cmocka_unit_test_setup(bad_lines_are_refused, begin)};
    return cmocka_run_group_tests_name("expression", tests, enter, leave);
}
