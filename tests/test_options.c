/* test_options.c - options: what is refused, with a sentence that helps; what is taken, to the same bits.
 *
 * What to try comes from the tables of options, so a new sampler, model or option is covered without a change. */
#include "base/number.h"
#include "base/option.h"
#include "chain/chain.h"
#include "failure.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 128 };

/* option, 'value' and range. */
static void check_refusal(ckam_status status, const ckam_error *error, const ckam_option *option, const char *value,
                          int line) {
    char range[TEXT], quoted[2 * TEXT];
    ckam_option_range(option, range, sizeof range);
    snprintf(quoted, sizeof quoted, "%s is '%s'", option->name, value);
    check_failure(status, CKAM_ERROR_OPTION, error, (const char *const[]){quoted, range, NULL}, __FILE__, line);
}
#define assert_refused(status, error, option, value) check_refusal(status, error, option, value, __LINE__)

/* -- Samplers and models alike ----------------------------------------------------------------------------------- */

/* Makes one and frees it. What is there before the call is not NULL: a failure must clear it. */
static ckam_status make_options(const char *spec, ckam_error *error) {
    ckam_options *options = (ckam_options *)(void *)&options;
    ckam_status   status = ckam_options_create(&options, spec, error);
    assert_true(!status == (options != NULL));
    ckam_options_free(options);
    return status;
}

static ckam_status make_model(const char *spec, ckam_error *error) {
    ckam_model *model = (ckam_model *)(void *)&model;
    ckam_status status = ckam_model_create(&model, spec, error);
    assert_true(!status == (model != NULL));
    ckam_model_free(model);
    return status;
}

static const struct {
    const ckam_entry *(*list)(void);
    ckam_status (*make)(const char *spec, ckam_error *error);
} kinds[] = {{ckam_sampler_list, make_options}, {ckam_model_list, make_model}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static ckam_options *new_options(const char *spec) {
    ckam_options *options;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    return options;
}

/* -- Values out of range ----------------------------------------------------------------------------------------- */

/* Numbers that the option must refuse; returns how many. */
static size_t bad_numbers(const ckam_option *option, double *bad) {
    size_t count = 0;
    bad[count++] = (double)NAN;
    bad[count++] = HUGE_VAL;
    bad[count++] = -HUGE_VAL;
    if (option->type == CKAM_CHOICE) {
        bad[count++] = 0.0; /* a choice is a word */
        return count;
    }
    bad[count++] = nextafter(option->low, -HUGE_VAL);
    bad[count++] = option->low - 1.0;
    bad[count++] = -1e300;
    if (option->open_low) bad[count++] = option->low;
    if (option->open_high) bad[count++] = option->high;
    if (isfinite(option->high)) {
        bad[count++] = nextafter(option->high, HUGE_VAL);
        bad[count++] = 1e300;
    }
    if (option->type == CKAM_COUNT) {
        bad[count++] = option->low + 0.5;
        bad[count++] = nextafter(option->low + 1.0, HUGE_VAL);
    }
    return count;
}

/* Texts that the option must refuse beside those numbers; returns how many. */
static size_t bad_texts(const ckam_option *option, const char **bad) {
    static const char *const always[] = {"",         " ",   "garbage", "1x",      "0.5.5", "1e",  "1e999",
                                         "-1e999",   "--1", "0x",      "AUTO",    "Nan",   "inf", "-inf",
                                         "infinity", "1 2", "autoo",   "0.1;0.2", "=",     "é",   "%s%n"};
    size_t                   count = sizeof always / sizeof *always;
    memcpy(bad, always, sizeof always);
    if (!option->has_auto) bad[count++] = "auto";
    if (option->type == CKAM_CHOICE) bad[count++] = "1";
    return count;
}

/* One bad text by ckam_options_set() and in a spec; the value before stays. */
static void check_bad_text(ckam_options *options, const ckam_option *option, const char *value) {
    char       before[TEXT], after[TEXT], spec[2 * TEXT];
    ckam_error error;
    ckam_options_get(options, option->name, before, sizeof before, NULL);
    assert_refused(ckam_options_set(options, option->name, value, &error), &error, option, value);
    ckam_options_get(options, option->name, after, sizeof after, NULL);
    assert_string_equal(before, after);
    assert_int_equal(ckam_options_set(options, option->name, value, NULL), CKAM_ERROR_OPTION);
    snprintf(spec, sizeof spec, "%s:%s=%s", ckam_options_sampler(options), option->name, value);
    assert_refused(make_options(spec, &error), &error, option, value);
}

static void check_bad_values(ckam_options *options, const ckam_option *option) {
    const char *texts[32];
    double      numbers[32];
    size_t      count = bad_texts(option, texts);
    for (size_t i = 0; i < count; i++) check_bad_text(options, option, texts[i]);
    count = bad_numbers(option, numbers);
    for (size_t i = 0; i < count; i++) {
        char       value[TEXT];
        ckam_error error;
        number_write(numbers[i], value, sizeof value);
        check_bad_text(options, option, value);
        assert_refused(ckam_options_set_number(options, option->name, numbers[i], &error), &error, option, value);
        assert_int_equal(ckam_options_set_number(options, option->name, numbers[i], NULL), CKAM_ERROR_OPTION);
    }
}

static void bad_values_are_refused(void **unused) {
    (void)unused;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        ckam_options *options = new_options(entry->name);
        for (const ckam_option *option = entry->options; option->name; option++) check_bad_values(options, option);
        ckam_options_free(options);
    }
}

static void bad_values_of_models_are_refused(void **unused) {
    (void)unused;
    for (const ckam_entry *entry = ckam_model_list(); entry->name; entry++)
        for (const ckam_option *option = entry->options; option->name; option++) {
            double numbers[32];
            size_t count = bad_numbers(option, numbers);
            for (size_t i = 0; i < count; i++) {
                char       value[TEXT], spec[2 * TEXT];
                ckam_error error;
                number_write(numbers[i], value, sizeof value);
                snprintf(spec, sizeof spec, "%s:%s=%s", entry->name, option->name, value);
                assert_refused(make_model(spec, &error), &error, option, value);
            }
        }
}

/* A value that is longer than the sentence has room for is shown by its beginning. */
static void long_values_are_cut_in_the_message(void **unused) {
    (void)unused;
    char          value[4096];
    ckam_error    error;
    ckam_options *options = new_options("ckam");
    memset(value, '7', sizeof value - 1);
    value[sizeof value - 1] = 0;
    assert_failure(ckam_options_set(options, "explore", value, &error), CKAM_ERROR_OPTION, &error, "explore is '777",
                   "a number > 0 and < 1");
    assert_failure(ckam_options_set(options, value, "1", &error), CKAM_ERROR_OPTION, &error, "'777");
    ckam_options_free(options);
}

/* -- Values in range --------------------------------------------------------------------------------------------- */

/* Numbers that the option must take: the ends, their neighbours, and some with many digits. */
static size_t good_numbers(const ckam_option *option, double *good) {
    double low = option->low, high = fmin(option->high, option->type == CKAM_COUNT ? 0x1p53 : DBL_MAX);
    double one = option->type == CKAM_COUNT ? 1.0 : 0.0; /* how far the nearest inside of a bound is */
    double inside_low = one > 0.0 ? low + one : nextafter(low, HUGE_VAL);
    double inside_high = one > 0.0 ? high - one : nextafter(high, -HUGE_VAL);
    double try[] = {low, high, inside_low, inside_high, option->initial, 0.1, 1.0 / 3.0, 2.0, 3.0, 1e-300, 12345.678};
    size_t count = 0;
    for (size_t i = 0; i < sizeof try / sizeof *try; i++) {
        bool outside = !(try[i] >= low && try[i] <= high) || (option->open_low && try[i] <= low) ||
                       (option->open_high && try[i] >= high) || (one > 0.0 && try[i] != floor(try[i]));
        if (!outside) good[count++] = try[i];
    }
    return count;
}

static double value_of(const ckam_options *options, const ckam_option *option) {
    const char *place = (const char *)options->values + option->offset;
    double      real;
    uint64_t    count;
    memcpy(&real, place, sizeof real);
    memcpy(&count, place, sizeof count);
    if (option->type != CKAM_COUNT) return real;
    return option->has_auto && count == COUNT_AUTO ? OPTION_AUTO : (double)count;
}

/* What get() writes, set() takes back to the same bits, here and in a spec. */
static void check_round_trip(const ckam_options *options, const ckam_option *option) {
    char       text[TEXT], spec[2 * TEXT];
    ckam_error error = {.status = CKAM_STOP, .message = "untouched"};
    assert_int_equal(ckam_options_get(options, option->name, text, sizeof text, &error), CKAM_OK);
    snprintf(spec, sizeof spec, "%s:%s=%s", ckam_options_sampler(options), option->name, text);
    ckam_options *by_set = new_options(ckam_options_sampler(options)), *by_spec = new_options(spec);
    assert_int_equal(ckam_options_set(by_set, option->name, text, &error), CKAM_OK);
    assert_memory_equal(by_set->values, options->values, options->sampler->options_size);
    assert_memory_equal(by_spec->values, options->values, options->sampler->options_size);
    assert_string_equal(error.message, "untouched");
    assert_int_equal(error.status, CKAM_STOP);
    ckam_options_free(by_set);
    ckam_options_free(by_spec);
}

static void check_good_values(const char *name, const ckam_option *option) {
    ckam_options *options = new_options(name);
    check_round_trip(options, option); /* the default */
    if (option->type == CKAM_CHOICE) {
        for (size_t i = 0; option->words[i]; i++) {
            assert_int_equal(ckam_options_set(options, option->name, option->words[i], NULL), CKAM_OK);
            check_round_trip(options, option);
        }
    } else {
        double good[16];
        size_t count = good_numbers(option, good);
        assert_true(count >= 2);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(ckam_options_set_number(options, option->name, good[i], NULL), CKAM_OK);
            assert_true(value_of(options, option) == good[i]);
            check_round_trip(options, option);
        }
    }
    if (option->has_auto) {
        assert_int_equal(ckam_options_set(options, option->name, "auto", NULL), CKAM_OK);
        assert_true(isnan(value_of(options, option)));
        check_round_trip(options, option);
    }
    ckam_options_free(options);
}

static void good_values_round_trip(void **unused) {
    (void)unused;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++)
        for (const ckam_option *option = entry->options; option->name; option++) check_good_values(entry->name, option);
}

static void get_cuts_and_refuses(void **unused) {
    (void)unused;
    char          text[8] = "#######";
    ckam_error    error;
    ckam_options *options = new_options("kam");
    assert_int_equal(ckam_options_get(options, "kernel", text, 4, NULL), CKAM_OK);
    assert_string_equal(text, "mat");
    assert_int_equal(text[4], '#');
    assert_failure(ckam_options_get(options, "kernle", text, sizeof text, &error), CKAM_ERROR_OPTION, &error,
                   "'kernle'", "'kernel'");
    assert_failure(ckam_options_get(options, NULL, text, sizeof text, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_options_set(options, NULL, "1", &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_options_set(options, "noise", NULL, &error), CKAM_ERROR_ARGUMENT, &error, "noise", "NULL");
    assert_failure(ckam_options_set_number(options, NULL, 1.0, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_string_equal(ckam_options_sampler(options), "kam");
    ckam_options_free(options);
}

/* -- Names ------------------------------------------------------------------------------------------------------- */

/* A name that lacks its last letter, or has one too many: the message has it, and the right one. */
static void check_misspelt(ckam_status (*make)(const char *, ckam_error *), const char *before, const char *name,
                           const char *after) {
    for (int i = 0; i < 2; i++) {
        char       wrong[TEXT], spec[3 * TEXT], right[3 * TEXT];
        ckam_error error;
        snprintf(wrong, sizeof wrong, "%sx", name);
        if (i) wrong[strlen(name) - 1] = 0;
        snprintf(spec, sizeof spec, "%s%s%s", before, wrong, after);
        snprintf(right, sizeof right, "'%s'; did you mean '%s'?", wrong, name);
        assert_failure(make(spec, &error), CKAM_ERROR_OPTION, &error, right);
    }
}

static void misspelt_names_are_recognised(void **unused) {
    (void)unused;
    for (size_t k = 0; k < KINDS; k++)
        for (const ckam_entry *entry = kinds[k].list(); entry->name; entry++) {
            char before[TEXT];
            snprintf(before, sizeof before, "%s:", entry->name);
            check_misspelt(kinds[k].make, "", entry->name, "");
            for (const ckam_option *option = entry->options; option->name; option++)
                check_misspelt(kinds[k].make, before, option->name, "=1");
        }
}

/* What is like nothing is not likened to anything; all names are shown instead where there are few. */
static void unknown_names_are_refused(void **unused) {
    (void)unused;
    static const char *const unknown[] = {"zyxwvuts", "", "RW RW RW", "ckam;explore", "é", "%s%n%s"};
    ckam_error               error;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
            for (const ckam_entry *entry = kinds[k].list(); entry->name; entry++) {
                char quoted[TEXT];
                snprintf(quoted, sizeof quoted, "'%s'", unknown[i]);
                assert_failure(kinds[k].make(unknown[i], &error), CKAM_ERROR_OPTION, &error, quoted, entry->name);
            }
    ckam_options *options = new_options("ckam");
    assert_failure(ckam_options_set(options, "zyxwvuts", "1", &error), CKAM_ERROR_OPTION, &error, "ckam", "'zyxwvuts'");
    assert_null(strstr(error.message, "did you mean"));
    assert_failure(ckam_options_set_number(options, "explor", 0.5, &error), CKAM_ERROR_OPTION, &error, "'explor'",
                   "'explore'");
    ckam_options_free(options);
}

/* -- Specs ------------------------------------------------------------------------------------------------------- */

static void malformed_specs_are_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *spec, *piece;
    } cases[] = {{"ckam:", "'ckam:'"},
                 {"ckam:explore", "'explore'"},
                 {"ckam:explore=", "explore is ''"},
                 {"ckam:explore==0.4", "explore is '=0.4'"},
                 {"ckam:=0.4", "''"},
                 {"ckam:,", "option=value"},
                 {"ckam:,explore=0.4", "option=value"},
                 {"ckam:explore=0.4,", "comma"},
                 {"ckam:explore=0.4,,noise=1", "option=value"},
                 {"ckam:explore=0.4;noise=1", "explore is '0.4;noise=1'"},
                 {"ckam::explore=0.4", "':explore'"},
                 {"ckam: explore=0.4", "' explore'"},
                 {"ckam:explore =0.4", "'explore '"},
                 {"ckam :explore=0.4", "'ckam '"},
                 {"ckam=explore:0.4", "'ckam=explore'"},
                 {":explore=0.4", "''"},
                 {"CKAM", "'CKAM'"},
                 {"rw:explore=0.4", "'explore'"}};
    ckam_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_failure(make_options(cases[i].spec, &error), CKAM_ERROR_OPTION, &error, cases[i].piece);
    for (size_t k = 0; k < KINDS; k++) assert_failure(kinds[k].make(NULL, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_options_create(NULL, "ckam", &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_model_create(NULL, "ring", &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    ckam_options_free(NULL);
    ckam_model_free(NULL);
}

/* `count` times `piece` behind `before`. */
static char *repeat(const char *before, const char *piece, size_t count) {
    size_t head = strlen(before), length = strlen(piece);
    char  *text = malloc(head + count * length + 1);
    assert_non_null(text);
    memcpy(text, before, head + 1);
    for (size_t i = 0; i < count; i++) memcpy(text + head + i * length, piece, length + 1);
    return text;
}

static void long_specs(void **unused) {
    (void)unused;
    static const struct {
        const char *before, *piece, *message;
    } cases[] = {{"", "a", "'aaa"},
                 {"ckam:", "a", "'aaa"},
                 {"ckam:", "é", "'é"},
                 {"ckam:explore=", "1", "explore=11"},
                 {"ckam:explore=0.4,", "=", "'==="},
                 {"ckam:", "explore=0.4,", "comma"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t count = 50; count <= 100000; count *= 2) {
            char      *spec = repeat(cases[i].before, cases[i].piece, count);
            ckam_error error;
            assert_int_equal(make_options(spec, NULL), CKAM_ERROR_OPTION);
            make_options(spec, &error);
            if (count > 1000) assert_failure(error.status, CKAM_ERROR_OPTION, &error, cases[i].message);
            free(spec);
        }
    char         *spec = repeat("ckam:explore=0.4", ",explore=0.5", 100000); /* long, and right: the last one counts */
    ckam_options *options = new_options(spec);
    assert_true(options->values->explore == 0.5);
    ckam_options_free(options);
    free(spec);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bad_values_are_refused),
                                       cmocka_unit_test(bad_values_of_models_are_refused),
                                       cmocka_unit_test(long_values_are_cut_in_the_message),
                                       cmocka_unit_test(good_values_round_trip),
                                       cmocka_unit_test(get_cuts_and_refuses),
                                       cmocka_unit_test(misspelt_names_are_recognised),
                                       cmocka_unit_test(unknown_names_are_refused),
                                       cmocka_unit_test(malformed_specs_are_refused),
                                       cmocka_unit_test(long_specs)};
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
