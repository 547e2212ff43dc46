/* test_registry.c - adding an algorithm is one file and one line: registry/drift.c, and SAMPLER(drift, "...").
 *
 * This program's registry is the library's with that line. All else comes from the library as it is, and the new
 * algorithm is used through the public API alone, as a built-in one. */
#include "failure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const ckam_entry *find(const char *name) {
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++)
        if (!strcmp(entry->name, name)) return entry;
    return NULL;
}

static void the_list_has_it_and_the_others(void **unused) {
    (void)unused;
    static const char *const built_in[] = {"rw", "am", "rbam", "gam", "kam", "ckam"};
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        ckam_options *options;
        assert_non_null(find(built_in[i]));
        assert_int_equal(ckam_options_create(&options, built_in[i], NULL), CKAM_OK);
        assert_string_equal(ckam_options_sampler(options), built_in[i]);
        ckam_options_free(options);
    }
    const ckam_entry *drift = find("drift");
    assert_non_null(drift);
    assert_string_equal(drift->summary, "random walk with a drift");
    ckam_error    error;
    ckam_options *options;
    assert_failure(ckam_options_create(&options, "drfit", &error), CKAM_ERROR_OPTION, &error, "did you mean 'drift'");
}

static void its_own_option_works_like_any(void **unused) {
    (void)unused;
    bool              listed = false;
    char              text[32];
    ckam_error        error;
    ckam_options     *options;
    const ckam_entry *entry = find("drift");
    assert_non_null(entry);
    for (const ckam_option *option = entry->options; option->name; option++)
        listed |= !strcmp(option->name, "drift") && option->initial == 0.25;
    assert_true(listed);
    assert_int_equal(ckam_options_create(&options, "drift:drift=-0.1,step-size=2", NULL), CKAM_OK);
    assert_int_equal(ckam_options_get(options, "drift", text, sizeof text, NULL), CKAM_OK);
    assert_true(strtod(text, NULL) == -0.1);
    assert_int_equal(ckam_options_get(options, "step-size", text, sizeof text, NULL), CKAM_OK);
    assert_string_equal(text, "2");
    assert_int_equal(ckam_options_set_number(options, "drift", 0.5, NULL), CKAM_OK);
    assert_failure(ckam_options_set(options, "drift", "1.5", &error), CKAM_ERROR_OPTION, &error,
                   "drift: drift is '1.5'", ">= -1 and <= 1");
    assert_failure(ckam_options_set(options, "drifd", "0", &error), CKAM_ERROR_OPTION, &error, "did you mean 'drift'");
    assert_int_equal(ckam_options_get(options, "drift", text, sizeof text, NULL), CKAM_OK);
    assert_string_equal(text, "0.5");
    ckam_options_free(options);
}

/* -- It samples -------------------------------------------------------------------------------------------------- */

/* Deviations of the means of x, y, x^2, y^2 and xy from those of a standard normal, the largest, in standard errors. */
static double worst_moment(size_t draws, const double *x) {
    const double exact[5] = {0.0, 0.0, 1.0, 1.0, 0.0};
    double      *series = malloc(draws * sizeof *series), worst = 0.0;
    assert_non_null(series);
    for (size_t m = 0; m < 5; m++) {
        double mean, error;
        for (size_t i = 0; i < draws; i++) {
            double a = x[2 * i], b = x[2 * i + 1];
            series[i] = m == 0 ? a : m == 1 ? b : m == 2 ? a * a : m == 3 ? b * b : a * b;
        }
        batch_means(draws, series, 1, &mean, &error);
        worst = fmax(worst, fabs(mean - exact[m]) / error);
    }
    free(series);
    return worst;
}

/* A standard normal, tilted so that the ratio of the proposals for drift = -0.7 and a step size of 1 cancels: the chain
 * is the one that leaves this ratio out on a standard normal. The twin that must fail. */
static int tilted(void *context, const double *x, double *value) {
    (void)context;
    *value = -0.5 * (x[0] * x[0] + x[1] * x[1]) - 1.4 * (x[0] + x[1]);
    return CKAM_OK;
}

/* 6.5 standard errors of 58 batches (Student's t, 2e-8) for 10 moments: false alarms 2e-7. */
static void it_draws_from_the_density(void **unused) {
    (void)unused;
    enum { DRAWS = 200000 };
    static const char *const specs[] = {"drift", "drift:drift=-0.7,step-size=1"};
    ckam_model              *model;
    ckam_error               error;
    double                  *x = malloc(DRAWS * 2 * sizeof *x);
    assert_non_null(x);
    assert_int_equal(ckam_model_create(&model, "gaussian:dim=2", NULL), CKAM_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ckam_sample(ckam_model_target(model), specs[i], NULL, 11, 1, DRAWS, x, &error), CKAM_OK);
        assert_less(worst_moment(DRAWS, x), 6.5);
    }
    const ckam_target twin = {.dim = 2, .log_density = tilted};
    assert_int_equal(ckam_sample(&twin, specs[1], NULL, 11, 1, DRAWS, x, &error), CKAM_OK);
    assert_less(6.5, worst_moment(DRAWS, x));
    ckam_model_free(model);
    free(x);
}

/* -- It is saved and loaded -------------------------------------------------------------------------------------- */

static ckam_chain *new_chain(const ckam_model *model, const char *spec) {
    ckam_options *options;
    ckam_chain   *chain;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_setup setup = {.target = ckam_model_target(model), .options = options, .seed = 9, .chain = 2};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    ckam_options_free(options);
    return chain;
}

/* Makes 500 steps; x := the states. */
static void run(ckam_chain *chain, double *x) {
    for (size_t i = 0; i < 500; i++) {
        ckam_step step;
        assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
        x[2 * i] = step.x[0];
        x[2 * i + 1] = step.x[1];
    }
}

/* The bytes lie where no number is aligned: they may come from anywhere. */
static void its_snapshots_continue_with_the_same_bits(void **unused) {
    (void)unused;
    ckam_model *model;
    double      before[1000], after[1000], again[1000];
    assert_int_equal(ckam_model_create(&model, "gaussian:dim=2", NULL), CKAM_OK);
    ckam_chain *chain = new_chain(model, "drift:drift=0.5"), *same = new_chain(model, "drift:drift=0.5");
    ckam_chain *other = new_chain(model, "drift:drift=0.25"), *stranger = new_chain(model, "rw");
    run(chain, before);
    size_t size = ckam_chain_snapshot_size(chain);
    char  *room = malloc(size + 1), *bytes = room + 1;
    assert_non_null(room);
    assert_int_equal(ckam_chain_save(chain, bytes, size), CKAM_OK);
    run(chain, after);
    assert_memory_not_equal(before, after, sizeof before);
    assert_int_equal(ckam_chain_load(same, bytes, size), CKAM_OK);
    run(same, again);
    assert_memory_equal(after, again, sizeof after);
    assert_failure(ckam_chain_load(other, bytes, size), CKAM_ERROR_SNAPSHOT, ckam_chain_error(other), "drift is 0.5",
                   "is 0.25");
    assert_failure(ckam_chain_load(stranger, bytes, size), CKAM_ERROR_SNAPSHOT, ckam_chain_error(stranger),
                   "sampler is drift", "is rw");
    run(other, again); /* a refused snapshot has changed nothing */
    ckam_chain *fresh = new_chain(model, "drift:drift=0.25");
    run(fresh, after);
    assert_memory_equal(after, again, sizeof after);
    ckam_chain *const all[] = {chain, same, other, stranger, fresh};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ckam_chain_free(all[i]);
    ckam_model_free(model);
    free(room);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_has_it_and_the_others), cmocka_unit_test(its_own_option_works_like_any),
        cmocka_unit_test(it_draws_from_the_density), cmocka_unit_test(its_snapshots_continue_with_the_same_bits)};
    return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
