/* test_plan.c - the settings of a run: set, got, refused, compared. tests/test_plan_file.c has plans as JSON. */
#include "run_support.h"

#include "draws/netcdf.h"
#include "run/plan.h"

#include <stdio.h>
#include <stdlib.h>

static void assert_setting(const ckam_plan *plan, const char *name, const char *expected) {
    char       text[OPTION_TEXT];
    ckam_error error;
    if (ckam_plan_get(plan, name, text, sizeof text, &error)) print_error("%s: %s\n", name, error.message);
    assert_int_equal(ckam_plan_get(plan, name, text, sizeof text, NULL), CKAM_OK);
    if (strcmp(text, expected) != 0) print_error("%s is '%s', expected '%s'\n", name, text, expected);
    assert_string_equal(text, expected);
}

/* A refusal says what was wrong, and changes nothing. */
static void refuse(ckam_plan *plan, const char *name, const char *value, const char *piece) {
    ckam_error error = {.message = ""};
    char       before[OPTION_TEXT] = "", after[OPTION_TEXT] = "";
    bool       known = ckam_plan_get(plan, name, before, sizeof before, NULL) == CKAM_OK;
    assert_failure(ckam_plan_set(plan, name, value, &error), CKAM_ERROR_OPTION, &error, piece);
    if (known) assert_int_equal(ckam_plan_get(plan, name, after, sizeof after, NULL), CKAM_OK);
    assert_string_equal(before, after);
}

/* -- Setting and getting ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *initial, *value, *got;
} settings[] = {{"model", "", "bimodal:dim=3", "bimodal:dim=3"},
                {"log-density", "", "-x*x", "-x*x"},
                {"program", "", "sh density.sh", "sh density.sh"},
                {"params", "", "x, s > 0", "x, s > 0"},
                {"bounds", "", "bounds.txt", "bounds.txt"},
                {"data", "", "data.json", "data.json"},
                {"workers", "auto", "2", "2"},
                {"timeout", "600", "10m", "600"},
                {"isolate", "false", "true", "true"},
                {"sampler", "jump", "gam", "gam"},
                {"chains", "4", "100000", "100000"},
                {"threads", "auto", "3", "3"},
                {"seed", NULL, "12345678901234567890", "12345678901234567890"},
                {"draws", "auto", "9007199254740992", "9007199254740992"},
                {"thin", "1", "1e3", "1000"},
                {"evals", "auto", "77", "77"},
                {"time-limit", "auto", "0.5", "0.5"},
                {"until", "never", "rhat=1.01,ess=400", "rhat=1.01,ess=400"},
                {"unseen", "0.00015", "0.5", "0.5"},
                {"init", "random", "1,2,3", "1,2,3"},
                {"out", "auto", "some/where", "some/where"},
                {"overwrite", "false", "true", "true"},
                {"format", NULL, "none", "none"},
                {"save-warmup", "false", "true", "true"},
                {"checkpoint-every", "30", "0.25", "0.25"},
                {"horizon", "auto", "5000", "5000"},
                {"progress", "auto", "json", "json"}};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void every_setting_is_set_and_got(void **unused) {
    (void)unused;
    ckam_plan *plan = plan_with(NULL);
    size_t     count = 0;
    assert_setting(plan, "format", netcdf_check(NULL) ? "csv" : "csv,netcdf");
    for (const ckam_option *o = ckam_plan_list(); o->name; o++, count++) {
        size_t i = 0;
        while (i < SETTINGS && strcmp(settings[i].name, o->name) != 0) i++;
        if (i == SETTINGS) print_error("the test does not know %s\n", o->name);
        assert_true(i < SETTINGS);
        if (settings[i].initial) assert_setting(plan, o->name, settings[i].initial);
        plan_change(plan, PAIRS(o->name, settings[i].value));
        assert_setting(plan, o->name, settings[i].got);
        assert_true(o->help && *o->help);
    }
    assert_int_equal(count, SETTINGS);
    for (size_t i = 0; i < SETTINGS; i++)
        assert_setting(plan, settings[i].name, settings[i].got); /* none hit another */
    for (size_t i = 0; i < SETTINGS; i++)
        if (settings[i].initial) {
            if (strcmp(settings[i].initial, "") != 0) plan_change(plan, PAIRS(settings[i].name, settings[i].initial));
        }
    for (size_t i = 0; i < SETTINGS; i++)
        if (settings[i].initial && *settings[i].initial) assert_setting(plan, settings[i].name, settings[i].initial);
    ckam_plan_free(plan);
    ckam_plan_free(NULL);
}

/* The seed is drawn where none is given: 20 of 32 bits are all equal once in 2^608 times. */
static void seeds_are_drawn(void **unused) {
    (void)unused;
    char first[32], other[32];
    bool differ = false;
    for (int i = 0; i < 20; i++) {
        ckam_plan *plan;
        assert_int_equal(ckam_plan_create(&plan, NULL), CKAM_OK);
        assert_int_equal(ckam_plan_get(plan, "seed", i ? other : first, sizeof first, NULL), CKAM_OK);
        if (i) differ |= strcmp(first, other) != 0;
        ckam_plan_free(plan);
    }
    assert_true(differ);
}

/* A value of an option that is not its default, as text. */
static void other_value(const ckam_option *o, char *text, size_t size) {
    double high = o->high < 1e6 ? o->high : 1e6;
    if (o->type == CKAM_CHOICE)
        snprintf(text, size, "%s", o->words[1 - (int)(o->initial > 0.0)]);
    else if (o->type == CKAM_COUNT)
        snprintf(text, size, "%.0f", o->low + 7.0 < high ? o->low + 7.0 : o->low);
    else
        snprintf(text, size, "%.17g", 0.7 * o->low + 0.3 * high);
}

static void options_of_the_sampler_are_settings(void **unused) {
    (void)unused;
    size_t options = 0;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        ckam_plan *plan = plan_with(PAIRS("sampler", entry->name));
        for (const ckam_option *o = entry->options; o->name; o++, options++) {
            char value[64], got[64];
            other_value(o, value, sizeof value);
            plan_change(plan, PAIRS(o->name, value));
            assert_int_equal(ckam_plan_get(plan, o->name, got, sizeof got, NULL), CKAM_OK);
            if (o->type == CKAM_REAL)
                assert_true(strtod(got, NULL) == strtod(value, NULL));
            else
                assert_string_equal(got, value);
        }
        ckam_plan_free(plan);
    }
    assert_true(options > 20);
}

static void a_sampler_brings_its_defaults(void **unused) {
    (void)unused;
    ckam_plan *plan = plan_with(PAIRS("sampler", "kam:noise=0.2,subsample=30", "warmup", "50"));
    assert_setting(plan, "sampler", "kam");
    assert_setting(plan, "noise", "0.2");
    assert_setting(plan, "subsample", "30");
    assert_setting(plan, "warmup", "50");
    refuse(plan, "sampler", "kam:noise=-1", "noise");
    refuse(plan, "sampler", "kamm", "did you mean 'kam'?");
    refuse(plan, "sampler", "", "sampler");
    assert_setting(plan, "noise", "0.2"); /* still those of before */
    plan_change(plan, PAIRS("sampler", "gam"));
    assert_setting(plan, "warmup", "1000");
    refuse(plan, "noise", "0.2", "noise is an option of the sampler kam, not of gam");
    plan_change(plan, PAIRS("sampler", "kam"));
    assert_setting(plan, "noise", "auto");
    ckam_plan_free(plan);
}

/* -- Refusals ----------------------------------------------------------------------------------------------------- */

static void unknown_names_are_refused(void **unused) {
    (void)unused;
    ckam_plan *plan = plan_with(PAIRS("sampler", "gam"));
    ckam_error error;
    char       text[64];
    refuse(plan, "drws", "1", "did you mean 'draws'?");
    refuse(plan, "time-limits", "1", "did you mean 'time-limit'?");
    refuse(plan, "warm-up", "1", "did you mean 'warmup'?");
    refuse(plan, "cycle-length", "100", "cycle-length is an option of the sampler ckam, not of gam");
    refuse(plan, "xyzzy", "1", "there is no setting 'xyzzy'");
    refuse(plan, "", "1", "there is no setting ''");
    refuse(plan, "Draws", "1", "'Draws'");
    refuse(plan, "a-name-that-is-much-too-long-to-be-the-name-of-anything-at-all-in-this-program", "1", "no setting");
    assert_failure(ckam_plan_get(plan, "drws", text, sizeof text, &error), CKAM_ERROR_OPTION, &error, "draws");
    assert_failure(ckam_plan_get(plan, NULL, text, sizeof text, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_plan_set(plan, NULL, "1", &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_plan_set(plan, "draws", NULL, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_int_equal(ckam_plan_set(plan, "drws", "1", NULL), CKAM_ERROR_OPTION);
    assert_failure(ckam_plan_create(NULL, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    ckam_plan_free(plan);
}

static void ranges_are_kept(void **unused) {
    (void)unused;
    static const struct {
        const char *name, *bad[8];
    } cases[] = {{"chains", {"0", "100001", "-1", "1.5", "auto", "four", "", "nan"}},
                 {"threads", {"0", "10001", "2.5", "none", "inf"}},
                 {"draws", {"0", "-5", "1e16", "9007199254740993.5", "1,000", "1 000"}},
                 {"thin", {"0", "auto", "0.5"}},
                 {"evals", {"0", "never"}},
                 {"time-limit", {"0", "-1", "1e10", "forever", "nan", "inf", "10 m", ""}},
                 {"checkpoint-every", {"-1", "auto", "nan", "1e10"}},
                 {"overwrite", {"yes", "1", "TRUE", ""}},
                 {"save-warmup", {"no", "0"}},
                 {"horizon", {"0", "-1"}},
                 {"progress", {"fancy", ""}}};
    ckam_plan *plan = plan_with(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 8 && cases[i].bad[k]; k++) refuse(plan, cases[i].name, cases[i].bad[k], cases[i].name);
    refuse(plan, "target-accept", "2", "it must be a number > 0 and < 1");
    plan_change(plan, PAIRS("checkpoint-every", "0"));
    assert_setting(plan, "checkpoint-every", "0");
    ckam_plan_free(plan);
}

static void seeds_have_64_bits(void **unused) {
    (void)unused;
    static const char *const good[] = {
        "0", "1", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615"};
    static const char *const bad[] = {"18446744073709551616", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "auto", ""};
    ckam_plan               *plan = plan_with(NULL);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        plan_change(plan, PAIRS("seed", good[i]));
        assert_setting(plan, "seed", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refuse(plan, "seed", bad[i], "< 2^64");
    ckam_plan_free(plan);
}

static void texts_have_an_end(void **unused) {
    (void)unused;
    ckam_plan *plan = plan_with(NULL);
    char       text[OPTION_TEXT + 2];
    memset(text, 'x', sizeof text);
    text[OPTION_TEXT - 1] = 0;
    plan_change(plan, PAIRS("out", text));
    assert_setting(plan, "out", text);
    text[OPTION_TEXT - 1] = 'x';
    text[OPTION_TEXT] = 0;
    refuse(plan, "out", text, "less than 4096 bytes");
    refuse(plan, "model", text, "less than 4096 bytes");
    refuse(plan, "until", text, "until is 'xxx");
    refuse(plan, "sampler", text, "xxx");
    refuse(plan, "draws", text, "draws is 'xxx");
    refuse(plan, "time-limit", text, "time-limit is 'xxx");
    ckam_plan_free(plan);
}

/* -- Texts with a meaning ----------------------------------------------------------------------------------------- */

static void times_have_units(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *seconds;
    } good[] = {{"90", "90"},    {"90s", "90"},    {"10m", "600"},   {"2h", "7200"},
                {"1d", "86400"}, {"0.5h", "1800"}, {"1e3s", "1000"}, {"1e-3", "0.001"},
                {"1.5m", "90"},  {"auto", "auto"}, {"0.1m", "6"},    {"1e9", "1000000000"}};
    static const char *const bad[] = {"m",  "10x",  "10mm", "10 m",  "m10",  "-1m",
                                      "0h", "1e9h", "10M",  "10min", "nanm", "12.5000000000000000000000000000000xyz"};
    ckam_plan               *plan = plan_with(NULL);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        plan_change(plan, PAIRS("time-limit", good[i].text));
        assert_setting(plan, "time-limit", good[i].seconds);
    }
    plan_change(plan, PAIRS("checkpoint-every", "5m"));
    assert_setting(plan, "checkpoint-every", "300");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refuse(plan, "time-limit", bad[i], "time-limit is '");
    /* However long it is written, it is a minute or it is refused. */
    if (!ckam_plan_set(plan, "time-limit", "1.00000000000000000000000000000000000000m", NULL))
        assert_setting(plan, "time-limit", "60");
    ckam_plan_free(plan);
}

static void rules_to_stop_are_read(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        double      rhat, ess; /* 0: not asked for */
    } good[] = {{"never", 0, 0},
                {"rhat=1.01", 1.01, 0},
                {"ess=400", 0, 400},
                {"rhat=1.05,ess=100", 1.05, 100},
                {"ess=0.5,rhat=2", 2, 0.5}};
    static const char *const bad[] = {
        "",         "always",    "rhat",    "rhat=",           "rhat=1",     "rhat=0.9",          "ess=0",
        "ess=-1",   "rhat=nan",  "ess=inf", "rhat=1.1;ess=4",  "rhat=1.1,",  "ess=400,x",         "RHAT=1.1",
        "ess=400x", "rhat= 1.1", ",",       "rhat=1.1,,ess=4", "rhat = 1.1", "rhat=1.1,rhat=1.2", "never,ess=4",
        "ess=1e300"};
    ckam_plan *plan = plan_with(NULL);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        until_rule rule;
        assert_int_equal(plan_until(good[i].text, &rule, NULL), CKAM_OK);
        assert_true(good[i].rhat > 0 ? rule.rhat == good[i].rhat : isnan(rule.rhat));
        assert_true(good[i].ess > 0 ? rule.ess == good[i].ess : isnan(rule.ess));
        plan_change(plan, PAIRS("until", good[i].text));
        assert_setting(plan, "until", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refuse(plan, "until", bad[i], "until is '");
    ckam_plan_free(plan);
}

static void formats_are_read(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *kept;
        bool        csv, netcdf;
    } good[] = {{"csv", "csv", true, false},
                {"csv,netcdf", "csv,netcdf", true, true},
                {"netcdf,csv", "csv,netcdf", true, true},
                {"netcdf", "csv,netcdf", true, true},
                {"none", "none", false, false}};
    static const char *const bad[] = {"",     "CSV",        "csv,",   ",csv", "csv,none", "netcdf,netcdf",
                                      "json", "csv netcdf", "xnetcdf"};
    ckam_plan               *plan = plan_with(NULL);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        plan_format format;
        assert_int_equal(plan_formats(good[i].text, &format, NULL), CKAM_OK);
        assert_true(format.csv == good[i].csv && format.netcdf == good[i].netcdf);
        plan_change(plan, PAIRS("format", good[i].text));
        assert_setting(plan, "format", good[i].kept);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refuse(plan, "format", bad[i], "format is '");
    ckam_plan_free(plan);
}

/* run.json is UTF-8, and its texts go into comments of CSV files: other bytes and line ends have no place there. */
static void texts_are_fit_for_files(void **unused) {
    (void)unused;
    ckam_plan *plan = plan_with(NULL);
    refuse(plan, "out",
           "bad\xff"
           "byte",
           "out");
    refuse(plan, "model", "bad\xc3", "model");
    refuse(plan, "init", "\x80", "init");
    refuse(plan, "model", "two\nlines", "model");
    plan_change(plan, PAIRS("out", "na\xc3\xafve \xe2\x98\x83")); /* UTF-8 */
    assert_setting(plan, "out", "na\xc3\xafve \xe2\x98\x83");
    ckam_plan_free(plan);
}

/* -- Two plans ---------------------------------------------------------------------------------------------------- */

static ckam_plan *copy_of(const ckam_plan *plan) {
    ckam_plan *copy;
    assert_int_equal(plan_copy(&copy, plan, NULL), CKAM_OK);
    return copy;
}

static void a_copy_is_equal_and_its_own(void **unused) {
    (void)unused;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        ckam_plan *plan = plan_with(NULL);
        for (size_t i = 0; i < SETTINGS; i++) plan_change(plan, PAIRS(settings[i].name, settings[i].value));
        plan_change(plan, PAIRS("sampler", entry->name));
        char value[64];
        for (const ckam_option *o = entry->options; o->name; o++) {
            other_value(o, value, sizeof value);
            plan_change(plan, PAIRS(o->name, value));
        }
        ckam_plan_command(plan, "ckam sample x");
        ckam_plan *copy = copy_of(plan);
        assert_int_equal(plan_compare(copy, plan, NULL), CKAM_OK);
        const ckam_option *const lists[] = {ckam_plan_list(), entry->options};
        for (int list = 0; list < 2; list++)
            for (const ckam_option *o = lists[list]; o->name; o++) {
                char text[OPTION_TEXT];
                assert_int_equal(ckam_plan_get(plan, o->name, text, sizeof text, NULL), CKAM_OK);
                assert_setting(copy, o->name, text);
            }
        assert_string_equal(copy->command, "ckam sample x");
        ckam_plan_free(plan);
        plan_change(copy, PAIRS("draws", "5"));
        ckam_plan_free(copy);
    }
}

static void what_may_not_change_is_named(void **unused) {
    (void)unused;
    static const char *const fixed[][2] = {
        {"model", "ring"},       {"sampler", "gam"}, {"chains", "5"},  {"seed", "2"},        {"thin", "2"},
        {"save-warmup", "true"}, {"init", "1,2"},    {"horizon", "9"}, {"log-density", "x"}, {"program", "x"},
        {"params", "x"},         {"bounds", "x"},    {"data", "x"}};
    static const char *const free_ones[][2] = {
        {"draws", "5"},    {"evals", "5"},        {"time-limit", "5"},  {"until", "ess=5"}, {"threads", "5"},
        {"format", "csv"}, {"overwrite", "true"}, {"progress", "none"}, {"out", "x"},       {"checkpoint-every", "5"},
        {"workers", "2"},  {"timeout", "5"},      {"isolate", "true"},  {"unseen", "0.5"}};
    ckam_plan *plan = plan_with(PAIRS("model", "bimodal", "sampler", "kam", "seed", "1"));
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        ckam_error error;
        ckam_plan *other = copy_of(plan);
        plan_change(other, fixed[i][0] ? PAIRS(fixed[i][0], fixed[i][1]) : NULL);
        assert_failure(plan_compare(other, plan, &error), CKAM_ERROR_OPTION, &error, text_of("%s is ", fixed[i][0]));
        assert_failure(plan_compare(plan, other, &error), CKAM_ERROR_OPTION, &error, text_of("%s is ", fixed[i][0]));
        ckam_plan_free(other);
    }
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++)
        for (const ckam_option *o = entry->options; o->name; o++) {
            ckam_error error;
            char       value[64];
            plan_change(plan, PAIRS("sampler", entry->name));
            ckam_plan *other = copy_of(plan);
            other_value(o, value, sizeof value);
            plan_change(other, PAIRS(o->name, value));
            assert_failure(plan_compare(other, plan, &error), CKAM_ERROR_OPTION, &error, text_of("%s is ", o->name));
            ckam_plan_free(other);
        }
    for (size_t i = 0; i < sizeof free_ones / sizeof *free_ones; i++) {
        ckam_plan *other = copy_of(plan);
        plan_change(other, PAIRS(free_ones[i][0], free_ones[i][1]));
        assert_int_equal(plan_compare(other, plan, NULL), CKAM_OK);
        ckam_plan_free(other);
    }
    assert_int_equal(sizeof fixed / sizeof *fixed + sizeof free_ones / sizeof *free_ones, SETTINGS);
    ckam_plan_free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_is_set_and_got),
        cmocka_unit_test(seeds_are_drawn),
        cmocka_unit_test(options_of_the_sampler_are_settings),
        cmocka_unit_test(a_sampler_brings_its_defaults),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(ranges_are_kept),
        cmocka_unit_test(seeds_have_64_bits),
        cmocka_unit_test(texts_have_an_end),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(rules_to_stop_are_read),
        cmocka_unit_test(formats_are_read),
        cmocka_unit_test(texts_are_fit_for_files),
        cmocka_unit_test(a_copy_is_equal_and_its_own),
        cmocka_unit_test(what_may_not_change_is_named),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
