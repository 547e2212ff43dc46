/* test_setup.c - bad setups: targets, starts, sizes, numbers and options that contradict each other.
 *
 * Each has its status and one sentence that says what was wrong and what would be right; none crashes. */
#include "failure.h"

#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* The address sanitizer must refuse an absurd size as malloc does, instead of ending the program. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

/* -- Targets that misbehave -------------------------------------------------------------------------------------- */

/* Answers `code` and `value` but for x[0] > limit, where it is a Gaussian. Counts calls; stops at call `stop`. */
typedef struct target_context {
    double   value, limit;
    int      code;
    uint64_t calls, stop;
} target_context;

static int answer(void *context, const double *x, double *value) {
    target_context *c = context;
    if (++c->calls == c->stop) return CKAM_STOP;
    *value = c->value;
    if (!(x[0] > c->limit)) return c->code;
    *value = -0.5 * (x[0] * x[0] + x[1] * x[1]);
    return CKAM_OK;
}

static ckam_target target_of(target_context *context) {
    return (ckam_target){.dim = 2, .log_density = answer, .context = context};
}

static ckam_chain *new_chain(const ckam_target *target, const char *spec, const double *start) {
    ckam_options *options;
    ckam_chain   *chain;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_setup setup = {.target = target, .options = options, .start = start, .seed = 5};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    ckam_options_free(options);
    return chain;
}

/* Steps until a step fails, at most 1000 times. */
static ckam_status run(ckam_chain *chain) {
    ckam_status status = CKAM_OK;
    ckam_step   step;
    for (int i = 0; i < 1000 && !status; i++) status = ckam_chain_step(chain, &step);
    return status;
}

static const target_context undefined[] = {{.value = -HUGE_VAL, .limit = HUGE_VAL},
                                           {.value = (double)NAN, .limit = HUGE_VAL},
                                           {.code = CKAM_REJECT, .limit = HUGE_VAL}};
enum { UNDEFINED = sizeof undefined / sizeof *undefined };

static void undefined_starts_are_refused(void **unused) {
    (void)unused;
    const double start[2] = {0.5, -2.0};
    double       out[2];
    ckam_error   error;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++)
        for (size_t i = 0; i < UNDEFINED; i++) {
            target_context context = undefined[i];
            ckam_target    target = target_of(&context);
            ckam_chain    *given = new_chain(&target, entry->name, start);
            assert_failure(run(given), CKAM_ERROR_START, ckam_chain_error(given), "start", "give another");
            assert_int_equal(context.calls, 1);
            assert_int_equal(run(given), CKAM_ERROR_START); /* and it stays so */
            ckam_chain_free(given);
            context.calls = 0;
            ckam_chain *random = new_chain(&target, entry->name, NULL);
            assert_failure(run(random), CKAM_ERROR_START, ckam_chain_error(random), "100 random starts", "[-2, 2]",
                           "give a start");
            assert_int_equal(context.calls, 100);
            ckam_chain_free(random);
            assert_failure(ckam_sample(&target, entry->name, start, 1, 1, 1, out, &error), CKAM_ERROR_START, &error,
                           "give another");
            assert_true(isnan(out[0]) && isnan(out[1]));
        }
}

/* A density that is defined on half of the square is found by a random start, and never left. */
static void random_starts_find_half_a_square(void **unused) {
    (void)unused;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++)
        for (size_t i = 0; i < UNDEFINED; i++) {
            target_context context = undefined[i];
            double         out[200];
            context.limit = 0.0;
            ckam_target target = target_of(&context);
            assert_int_equal(ckam_sample(&target, entry->name, NULL, 7, 1, 100, out, NULL), CKAM_OK);
            for (size_t k = 0; k < 100; k++) assert_true(out[2 * k] > 0.0);
        }
}

/* Counted are the sampler's proposals where the density is not defined, of each of the three kinds, and no others. */
static void undefined_proposals_are_counted(void **unused) {
    (void)unused;
    const double start[2] = {0.5, -0.2};
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++)
        for (size_t i = 0; i <= UNDEFINED; i++) {
            target_context context = i < UNDEFINED ? undefined[i] : (target_context){.value = -1e9};
            uint64_t       expected = 0;
            ckam_counts    counts;
            ckam_step      step;
            context.limit = 0.0;
            ckam_target target = target_of(&context);
            ckam_chain *chain = new_chain(&target, entry->name, start);
            for (int t = 0; t < 500; t++) {
                const double *proposal;
                assert_int_equal(ckam_chain_ask(chain, &proposal), CKAM_OK);
                bool outside = !(proposal[0] > context.limit);
                assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
                bool sampler = step.phase != CKAM_PHASE_START && step.phase != CKAM_PHASE_SCALE;
                expected += i < UNDEFINED && sampler && outside;
                ckam_chain_counts(chain, &counts);
                assert_int_equal(counts.undefined, expected);
            }
            assert_true(i < UNDEFINED ? expected > 20 && expected < 450 : expected == 0);
            ckam_chain_free(chain);
        }
}

static void infinite_densities_and_unknown_codes_are_errors(void **unused) {
    (void)unused;
    static const struct {
        target_context context;
        ckam_status    status;
        const char    *piece;
    } cases[] = {{{.value = HUGE_VAL, .limit = HUGE_VAL}, CKAM_ERROR_INFINITE, "+infinity"},
                 {{.code = 77, .limit = HUGE_VAL}, CKAM_ERROR_TARGET, "CKAM_REJECT"},
                 {{.code = -3, .limit = HUGE_VAL}, CKAM_ERROR_TARGET, "CKAM_REJECT"},
                 {{.code = CKAM_STOP, .limit = HUGE_VAL}, CKAM_STOP, "stop"}};
    const double start[2] = {0.5, -2.0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        target_context context = cases[i].context;
        ckam_target    target = target_of(&context);
        const char    *point = cases[i].status == CKAM_STOP ? "" : "(0.5, -2)";
        ckam_chain    *chain = new_chain(&target, "gam", start);
        assert_failure(run(chain), cases[i].status, ckam_chain_error(chain), cases[i].piece, point);
        ckam_chain_free(chain);
        context.limit = 0.0; /* not at the start, but soon */
        chain = new_chain(&target, "gam", start);
        assert_failure(run(chain), cases[i].status, ckam_chain_error(chain), cases[i].piece);
        assert_true(context.calls > 1);
        ckam_chain_free(chain);
    }
}

static int flat(void *context, const double *x, double *value) {
    (void)context, (void)x;
    *value = 3.0;
    return CKAM_OK;
}

static int isolated(void *context, const double *x, double *value) {
    (void)context;
    *value = x[0] == 0.0 || x[1] == 1.0 ? 0.0 : -HUGE_VAL;
    return CKAM_OK;
}

/* An auto step size needs a scale, which these densities do not have. */
static void densities_without_a_scale_are_errors(void **unused) {
    (void)unused;
    const double start[2] = {0.0, 0.0};
    double       out[2];
    ckam_error   error;
    ckam_target  target = {.dim = 2, .log_density = flat};
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        target.log_density = flat;
        assert_failure(ckam_sample(&target, entry->name, start, 1, 1, 1, out, &error), CKAM_ERROR_SCALE, &error,
                       "step-size", "integral");
        target.log_density = isolated;
        assert_failure(ckam_sample(&target, entry->name, start, 1, 1, 1, out, &error), CKAM_ERROR_SCALE, &error,
                       "step-size", "isolated");
    }
    const double off[2] = {0.0, 1.0}; /* steps that rounding swallows look like a flat density */
    assert_failure(ckam_sample(&target, "rw", off, 1, 1, 1, out, &error), CKAM_ERROR_SCALE, &error, "coordinate 2",
                   "isolated");
}

static int ignores_the_second(void *context, const double *x, double *value) {
    (void)context;
    *value = -0.5 * x[0] * x[0];
    return CKAM_OK;
}

/* Without a finite integral the learned covariance grows for ever; within 200,000 steps it is beyond the numbers. All
 * states before that are finite. */
static void chains_that_leave_the_numbers_end(void **unused) {
    (void)unused;
    static const char *const specs[] = {"am", "rbam", "gam", "am:adapt-gain=0.1", "gam:adapt-gain=0.1"};
    const ckam_target        target = {.dim = 2, .log_density = ignores_the_second};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ckam_chain   *chain = new_chain(&target, specs[i], NULL);
        ckam_step     step;
        const double *x;
        int           steps = 0;
        while (steps < 200000 && !ckam_chain_step(chain, &step)) {
            assert_true(isfinite(step.x[0]) && isfinite(step.x[1]) && isfinite(step.log_density));
            steps++;
        }
        assert_failure(ckam_chain_ask(chain, &x), CKAM_ERROR_RANGE, ckam_chain_error(chain), "coordinate 2",
                       "finite integral");
        assert_int_equal(ckam_chain_step(chain, &step), CKAM_ERROR_RANGE); /* and it stays so */
        ckam_chain_free(chain);
    }
}

/* -- Setups ------------------------------------------------------------------------------------------------------ */

/* Creates a chain and frees it. What is there before the call is not NULL: a failure must clear it. */
static ckam_status make_chain(const ckam_target *target, const char *spec, const double *start, ckam_error *error) {
    ckam_options *options = NULL;
    ckam_chain   *chain = (ckam_chain *)(void *)&chain;
    if (spec) assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_setup  setup = {.target = target, .options = options, .start = start};
    ckam_status status = ckam_chain_create(&chain, &setup, error);
    assert_true((status == CKAM_OK) == (chain != NULL));
    ckam_chain_free(chain);
    ckam_options_free(options);
    return status;
}

static void missing_parts_are_refused(void **unused) {
    (void)unused;
    static const char *const names[] = {"a", NULL};
    const ckam_target        none = {.log_density = flat}, two = {.dim = 2, .log_density = flat};
    const ckam_target        unnamed = {.dim = 2, .log_density = flat, .names = names};
    ckam_chain              *chain;
    ckam_error               error;
    assert_failure(make_chain(&none, "rw", NULL, &error), CKAM_ERROR_ARGUMENT, &error, "dim is 0", "at least 1");
    assert_failure(make_chain(NULL, "rw", NULL, &error), CKAM_ERROR_ARGUMENT, &error, "target", "NULL");
    assert_failure(make_chain(&two, NULL, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "options", "NULL");
    assert_failure(make_chain(&unnamed, "rw", NULL, &error), CKAM_ERROR_ARGUMENT, &error, "parameter 2", "NULL");
    assert_failure(ckam_chain_create(&chain, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "setup", "NULL");
    assert_failure(ckam_chain_create(NULL, &(ckam_setup){.target = &two}, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_int_equal(make_chain(&none, "rw", NULL, NULL), CKAM_ERROR_ARGUMENT);
    assert_int_equal(make_chain(&two, "rw", NULL, &error), CKAM_OK);
    ckam_chain_free(NULL);
}

static void starts_that_are_not_finite_are_refused(void **unused) {
    (void)unused;
    static const double      bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    static const char *const text[] = {"nan", "inf", "-inf"};
    static const char *const places[] = {"coordinate 1", "coordinate 2", "coordinate 3"};
    const ckam_target        target = {.dim = 3, .log_density = flat};
    double                   out[3];
    ckam_error               error;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            double start[3] = {1.0, 2.0, 3.0};
            start[k] = bad[i];
            assert_failure(make_chain(&target, "ckam", start, &error), CKAM_ERROR_ARGUMENT, &error, places[k], text[i],
                           "finite");
            assert_failure(ckam_sample(&target, "rw", start, 1, 1, 1, out, &error), CKAM_ERROR_ARGUMENT, &error,
                           places[k]);
        }
}

/* Options that are in range each and wrong together. */
static void contradictions_are_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *spec, *first, *second, *third;
    } cases[] = {
        {"ckam:explore=0.0001", "explore is 0.0001", "cycle-length is 1000", "at least one iteration"},
        {"ckam:cycle-length=2,explore=0.25", "explore is 0.25", "cycle-length is 2", "at least one iteration"},
        {"ckam:noise=0.1,noise-end=0.25", "noise-end is 0.25", "at most noise", "0.1"},
        {"kam:noise=0.1,noise-end=0.25", "noise-end is 0.25", "at most noise", "0.1"},
        {"ckam:noise-end=0.25", "noise-end is 0.25", "noise is auto", "give noise a number"},
        {"kam:noise-end=0.25", "noise-end is 0.25", "noise is auto", "give noise a number"},
    };
    static const char *const fine[] = {"ckam:cycle-length=2,explore=0.5",
                                       "ckam:cycle-length=3,explore=0.9999999",
                                       "ckam:noise=0.1,noise-end=0.1",
                                       "kam:noise=0.1,noise-end=1e-300",
                                       "ckam:cycle-length=9007199254740992",
                                       "kam:kernel-order=1.0000001",
                                       "kam:kernel-order=50",
                                       "kam:subsample=1"};
    const ckam_target        target = {.dim = 2, .log_density = flat};
    ckam_error               error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_failure(make_chain(&target, cases[i].spec, NULL, &error), CKAM_ERROR_OPTION, &error, cases[i].first,
                       cases[i].second, cases[i].third);
        assert_int_equal(make_chain(&target, cases[i].spec, NULL, NULL), CKAM_ERROR_OPTION);
    }
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        assert_int_equal(make_chain(&target, fine[i], NULL, NULL), CKAM_OK);
}

/* Sizes that overflow, or that no machine has: every product of dim in a layout is met by one of them. */
static void dimensions_beyond_memory_are_refused(void **unused) {
    (void)unused;
    static const size_t      dims[] = {SIZE_MAX,           SIZE_MAX - 1,      SIZE_MAX / 2,      SIZE_MAX / 8,
                                       SIZE_MAX / 8 + 1,   SIZE_MAX / 16 + 1, SIZE_MAX / 64 + 1, SIZE_MAX / 64,
                                       SIZE_MAX / 448 + 1, (size_t)1 << 57};
    static const char *const squares[] = {"am", "rbam", "gam", "ckam:covariance=global"};
    ckam_error               error;
    ckam_target              target = {.log_density = flat};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
        for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
            target.dim = dims[i];
            assert_failure(make_chain(&target, entry->name, NULL, &error), CKAM_ERROR_MEMORY, &error, "memory",
                           entry->name, "dimensions");
        }
    target.dim = 1000000000; /* squared, 8e18 bytes; 2^32 squared is 0 in 64 bits */
    for (size_t i = 0; i < 2 * sizeof squares / sizeof *squares; i++) {
        if (i == sizeof squares / sizeof *squares) target.dim = (size_t)1 << 32;
        assert_failure(make_chain(&target, squares[i % (sizeof squares / sizeof *squares)], NULL, &error),
                       CKAM_ERROR_MEMORY, &error, "memory");
    }
}

/* -- Numbers as text --------------------------------------------------------------------------------------------- */

static void numbers_are_written_short_and_read_back(void **unused) {
    (void)unused;
    static const struct {
        double      number;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1e-300, "1e-300"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {2.0 / 3.0, "0.6666666666666666"},
                 {-2.5, "-2.5"},
                 {0.0, "0"},
                 {1e22, "1e+22"},
                 {9007199254740992.0, "9007199254740992"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char   text[40], cut[4];
        double back;
        number_write(cases[i].number, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        assert_true(number_read(text, &back) && back == cases[i].number);
        number_write(cases[i].number, cut, sizeof cut);
        assert_memory_equal(cut, text, strnlen(text, sizeof cut - 1));
        assert_true(strnlen(cut, sizeof cut) < sizeof cut);
    }
}

static void what_is_no_number_is_not_read(void **unused) {
    (void)unused;
    static const char *const bad[] = {"", " ", "x", "1x", "1,5", "1.5 ", "0.1e", "1e5.5", "--1", "0x", "1 2", "."};
    static const char *const good[] = {"1", "1.5", "-1e-3", "+2", ".5", "5.", "1E5"};
    double                   number;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(number_read(bad[i], &number));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(number_read(good[i], &number));
        assert_true(number == strtod(good[i], NULL));
    }
}

/* In a program whose numbers have a comma the library's keep their point. */
static void numbers_have_a_point_in_every_locale(void **unused) {
    (void)unused;
    ckam_options *options;
    char          text[20];
    double        number;
    assert_non_null(setlocale(LC_NUMERIC, "de_DE.UTF-8")); /* the build makes it, and ctest says where (LOCPATH) */
    assert_string_equal(localeconv()->decimal_point, ",");
    bool read = number_read("0.5", &number), comma = number_read("0,5", &number);
    assert_int_equal(ckam_options_create(&options, "ckam:explore=0.25", NULL), CKAM_OK);
    assert_int_equal(ckam_options_get(options, "explore", text, sizeof text, NULL), CKAM_OK);
    ckam_options_free(options);
    setlocale(LC_NUMERIC, "C");
    assert_true(read && !comma);
    assert_string_equal(text, "0.25");
}

/* -- Calls ------------------------------------------------------------------------------------------------------- */

static void calls_out_of_turn_are_refused(void **unused) {
    (void)unused;
    const ckam_target target = {.dim = 2};
    const double     *x, *again;
    ckam_step         step;
    ckam_chain       *chain = new_chain(&target, "gam", NULL);
    assert_failure(ckam_chain_step(chain, &step), CKAM_ERROR_ARGUMENT, ckam_chain_error(chain), "log_density", "ask");
    assert_failure(ckam_chain_tell(chain, 0.0, &step), CKAM_ERROR_ORDER, ckam_chain_error(chain), "tell", "ask");
    assert_int_equal(ckam_chain_ask(chain, &x), CKAM_OK);
    assert_int_equal(ckam_chain_ask(chain, &again), CKAM_OK);
    assert_ptr_equal(x, again);
    assert_failure(ckam_chain_tell(chain, HUGE_VAL, &step), CKAM_ERROR_INFINITE, ckam_chain_error(chain), "+infinity");
    assert_int_equal(ckam_chain_tell(chain, 0.0, &step), CKAM_OK);
    assert_int_equal(ckam_chain_tell(chain, 0.0, &step), CKAM_ERROR_ORDER);
    ckam_chain_free(chain);
}

static void sample_checks_its_arguments(void **unused) {
    (void)unused;
    target_context context = {.limit = -HUGE_VAL};
    ckam_target    target = target_of(&context), none = {.log_density = answer, .context = &context};
    double         out[2] = {7.0, 7.0};
    ckam_error     error;
    assert_failure(ckam_sample(&target, "rw", NULL, 1, 1, 1, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "draws",
                   "NULL");
    assert_failure(ckam_sample(NULL, "rw", NULL, 1, 1, 1, out, &error), CKAM_ERROR_ARGUMENT, &error, "target", "NULL");
    assert_failure(ckam_sample(&none, "rw", NULL, 1, 1, 1, out, &error), CKAM_ERROR_ARGUMENT, &error, "dim is 0");
    assert_failure(ckam_sample(&target, NULL, NULL, 1, 1, 1, out, &error), CKAM_ERROR_ARGUMENT, &error, "sampler",
                   "NULL");
    assert_failure(ckam_sample(&target, "rvv", NULL, 1, 1, 1, out, &error), CKAM_ERROR_OPTION, &error, "'rvv'");
    assert_failure(ckam_sample(&target, "ckam:explore=1e-9", NULL, 1, 1, 1, out, &error), CKAM_ERROR_OPTION, &error,
                   "explore is 1e-09");
    for (int i = 0; i < 2; i++) out[i] = 7.0;
    assert_int_equal(ckam_sample(&target, "rw", NULL, 1, 0, 1, out, &error), CKAM_OK);
    assert_int_equal(ckam_sample(&target, "rw", NULL, 1, 1, 0, out, &error), CKAM_OK);
    assert_true(context.calls == 0 && out[0] == 7.0 && out[1] == 7.0);
    assert_int_equal(ckam_sample(&target, "rw", NULL, 1, 1, 1, out, NULL), CKAM_OK);
    assert_true(out[0] != 7.0 && out[1] != 7.0);
}

/* A target that stops in the second of three chains: its draws so far are there, all that follows is NaN. */
static void what_a_stop_leaves_out_is_nan(void **unused) {
    (void)unused;
    enum { CHAINS = 3, DRAWS = 100 };
    target_context context = {.limit = -HUGE_VAL, .stop = 1 + DRAWS + 1 + 60 + 1}; /* each chain evaluates its start */
    ckam_target    target = target_of(&context);
    double         out[CHAINS * DRAWS * 2], whole[CHAINS * DRAWS * 2];
    ckam_error     error;
    const char    *spec = "rw:step-size=1,warmup=0";
    for (size_t i = 0; i < CHAINS * DRAWS * 2; i++) out[i] = 7.0;
    assert_failure(ckam_sample(&target, spec, NULL, 3, CHAINS, DRAWS, out, &error), CKAM_STOP, &error, "stop");
    context.stop = 0;
    assert_int_equal(ckam_sample(&target, spec, NULL, 3, CHAINS, DRAWS, whole, &error), CKAM_OK);
    for (size_t i = 0; i < CHAINS * DRAWS * 2; i++)
        assert_true(i < (size_t)(DRAWS + 60) * 2 ? out[i] == whole[i] : isnan(out[i]));
}

/* -- Statuses ---------------------------------------------------------------------------------------------------- */

static void every_status_has_a_name_and_a_text(void **unused) {
    (void)unused;
#define NUMBER(name, code, sentence) name,
    static const ckam_status all[] = {CKAM_STATUS_MAP(NUMBER)};
#undef NUMBER
    enum { ALL = sizeof all / sizeof *all };
    for (size_t i = 0; i < ALL; i++) {
        assert_int_equal(strncmp(ckam_status_name(all[i]), "CKAM_", 5), 0);
        assert_true(strlen(ckam_status_text(all[i])) > 5);
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(all[i], all[j]);
            assert_string_not_equal(ckam_status_name(all[i]), ckam_status_name(all[j]));
            assert_string_not_equal(ckam_status_text(all[i]), ckam_status_text(all[j]));
        }
        assert_string_not_equal(ckam_status_name(all[i]), ckam_status_name((ckam_status)99));
    }
    assert_string_equal(ckam_status_name(CKAM_OK), "CKAM_OK");
    assert_string_equal(ckam_status_name(CKAM_ERROR_START), "CKAM_ERROR_START");
    assert_string_equal(ckam_status_name((ckam_status)99), "unknown status");
    assert_string_equal(ckam_status_text((ckam_status)-99), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(undefined_starts_are_refused),
                                       cmocka_unit_test(random_starts_find_half_a_square),
                                       cmocka_unit_test(undefined_proposals_are_counted),
                                       cmocka_unit_test(infinite_densities_and_unknown_codes_are_errors),
                                       cmocka_unit_test(densities_without_a_scale_are_errors),
                                       cmocka_unit_test(chains_that_leave_the_numbers_end),
                                       cmocka_unit_test(missing_parts_are_refused),
                                       cmocka_unit_test(starts_that_are_not_finite_are_refused),
                                       cmocka_unit_test(contradictions_are_refused),
                                       cmocka_unit_test(dimensions_beyond_memory_are_refused),
                                       cmocka_unit_test(numbers_are_written_short_and_read_back),
                                       cmocka_unit_test(what_is_no_number_is_not_read),
                                       cmocka_unit_test(numbers_have_a_point_in_every_locale),
                                       cmocka_unit_test(calls_out_of_turn_are_refused),
                                       cmocka_unit_test(sample_checks_its_arguments),
                                       cmocka_unit_test(what_a_stop_leaves_out_is_nan),
                                       cmocka_unit_test(every_status_has_a_name_and_a_text)};
    return cmocka_run_group_tests_name("setup", tests, NULL, NULL);
}
