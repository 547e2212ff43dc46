/* test_number.c - numbers as text and back: the same bits, the shortest text, and the nearest number, against printf
 * and strtod, which are exact in glibc. */
#include "support.h"

#include "base/fastmath.h"
#include "base/number.h"
#include "rng/rng.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 1200 };

static bool same(double a, double b) { return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b)); }

static void put(double number, char *text) { text[number_put(number, text)] = 0; }

/* The text in memory of exactly its length, so that a sanitizer sees what is read beyond it. */
static bool scan(const char *text, double *number, size_t *length) {
    size_t      size = strlen(text);
    char       *copy = malloc(size + !size);
    const char *end;
    assert_non_null(copy);
    memcpy(copy, text, size);
    end = number_scan(copy, copy + size, number);
    *length = end ? (size_t)(end - copy) : 0;
    free(copy);
    return end != NULL;
}

static void assert_scans_to(const char *text, double expected) {
    double number;
    size_t length;
    bool   read = scan(text, &number, &length);
    if (read && length == strlen(text) && same(number, expected)) return;
    fail_msg("'%.60s...' reads as %.17g to byte %zu, expected %.17g", text, read ? number : -1.0, length, expected);
}

static void check_round_trip(double number) {
    char   text[NUMBER_TEXT + 1];
    double back;
    put(number, text);
    size_t length = strlen(text);
    if (!same(strtod(text, NULL), number) || length > 24) fail_msg("%.17g was written as %s", number, text);
    if (number_scan(text, text + length, &back) != text + length || !same(back, number))
        fail_msg("%s reads as %.17g", text, back);
}

/* -- Writing ------------------------------------------------------------------------------------------------------ */

static void random_bits_are_written_and_read_back(void **unused) {
    (void)unused;
    rng r;
    rng_init(&r, 1, 0);
    for (int i = 0; i < 1500000; i++) check_round_trip(double_of(rng_word(&r)));
    for (int i = 0; i < 200000; i++) {
        check_round_trip(double_of(rng_word(&r) >> (12 + i % 52))); /* subnormal */
        check_round_trip(8.0 * (rng_uniform(&r) - 0.5));
        check_round_trip((double)(rng_word(&r) >> (i % 64)));
    }
}

/* Calls `check` with every power of 2 and of 10, what is beside it, and the ends of the range. */
static void at_landmarks(void (*check)(double)) {
    static const double ends[] = {0.0, -0.0, DBL_MIN, DBL_MAX, -DBL_MAX, 9007199254740991.0, 9007199254740993.0};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) check(ends[i]);
    for (int e = -1074; e <= 1023 + 632; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e - 1024 - 323);
        double power = e <= 1023 ? ldexp(1.0, e) : strtod(text, NULL);
        for (uint64_t near = 0; near < 7; near++) check(double_of(bits_of(power) + near - (power > 2e-323 ? 3 : 0)));
    }
}

static void landmarks_are_written_and_read_back(void **unused) {
    (void)unused;
    at_landmarks(check_round_trip);
}

/* digits 10^exponent, digits without zeros at the end: what a text says. */
typedef struct decimal {
    unsigned long long digits;
    int                exponent;
} decimal;

static decimal decimal_of(const char *text) {
    decimal d = {0, 0};
    bool    point = false;
    for (; *text && *text != 'e'; text++)
        if (*text == '.') {
            point = true;
        } else if (*text != '-') {
            d.digits = 10 * d.digits + (unsigned long long)(*text - '0');
            d.exponent -= point;
        }
    if (*text) d.exponent += atoi(text + 1);
    for (; d.digits && d.digits % 10 == 0; d.digits /= 10) d.exponent++;
    return d;
}

static int digits_of(decimal d) { return snprintf(NULL, 0, "%llu", d.digits); }

/* Whether a decimal of so many digits reads back: the nearest one, or one beside it. */
static bool has_decimal(double number, int digits) {
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, number);
    decimal d = decimal_of(text);
    for (; digits_of(d) < digits; d.exponent--) d.digits *= 10;
    for (unsigned long long near = d.digits - 1; near <= d.digits + 1; near++) {
        snprintf(text, sizeof text, "%llue%d", near, d.exponent);
        if (strtod(text, NULL) == number) return true;
    }
    return false;
}

/* Nothing shorter reads back, and of those as long this is the nearest. */
static void check_shortest(double number) {
    char text[64], nearest[64];
    number = fabs(number);
    if (number == 0.0 || !(number <= DBL_MAX)) return;
    put(number, text);
    decimal d = decimal_of(text), e;
    int     digits = digits_of(d);
    for (int fewer = 1; fewer < digits; fewer++)
        if (has_decimal(number, fewer)) fail_msg("%s is longer than need be: %d digits are enough", text, fewer);
    snprintf(nearest, sizeof nearest, "%.*e", digits - 1, number);
    e = decimal_of(nearest);
    if (strtod(nearest, NULL) == number && (d.digits != e.digits || d.exponent != e.exponent))
        fail_msg("%s is not the nearest one: %s", text, nearest);
}

static void nothing_shorter_reads_back(void **unused) {
    (void)unused;
    rng r;
    rng_init(&r, 2, 0);
    at_landmarks(check_shortest);
    for (int i = 0; i < 15000; i++) {
        char text[32];
        check_shortest(double_of(rng_word(&r)));
        check_shortest(double_of(rng_word(&r) >> (12 + i % 52)));
        snprintf(text, sizeof text, "%.*g", 1 + i % 16, rng_uniform(&r) * 1000.0);
        check_shortest(strtod(text, NULL)); /* of few digits */
    }
}

static void text_is_as_one_would_write_it(void **unused) {
    (void)unused;
    static const struct {
        double      number;
        const char *text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {3.0, "3"},
                 {-120.0, "-120"},
                 {12345678.0, "12345678"},
                 {100000000.0, "100000000"},
                 {9007199254740991.0, "9007199254740991"},
                 {1e16, "10000000000000000"},
                 {99999999999999984.0, "99999999999999980"},
                 {1e17, "1e+17"},
                 {-1.5e300, "-1.5e+300"},
                 {0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {1234.5678, "1234.5678"},
                 {0.30000000000000004, "0.30000000000000004"},
                 {4503599627370495.5, "4503599627370495.5"},
                 {1e-5, "0.00001"},
                 {1.2345678901234567e-5, "0.000012345678901234568"},
                 {9.5e-6, "9.5e-6"},
                 {1.5e-7, "1.5e-7"},
                 {5e-324, "5e-324"},
                 {1e-323, "1e-323"},
                 {2.2250738585072014e-308, "2.2250738585072014e-308"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {HUGE_VAL, "inf"},
                 {-HUGE_VAL, "-inf"},
                 {(double)NAN, "nan"},
                 {-(double)NAN, "nan"}};
    char text[NUMBER_TEXT + 1], cut[4];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(cases[i].number, text);
        assert_string_equal(text, cases[i].text);
        number_write(cases[i].number, cut, sizeof cut);
        assert_memory_equal(cut, text, strlen(cut));
        assert_int_equal(strlen(cut), strlen(text) < 3 ? strlen(text) : 3);
    }
}

/* -- Reading ------------------------------------------------------------------------------------------------------ */

/* `count` random digits, a point in them or none, an exponent or none. */
static void random_text(rng *r, int count, char *text) {
    uint64_t word = rng_word(r);
    int      point = word % 3 ? (int)(word >> 8) % (count + 1) : -1;
    if (word & 4) *text++ = word & 8 ? '-' : '+';
    for (int i = 0; i < count; i++) {
        if (i == point) *text++ = '.';
        uint64_t digit = rng_word(r);
        *text++ = (char)(digit & 1024 ? '0' + digit % 10 : digit & 2048 ? '0' : '9');
    }
    *text = 0;
    if (word & 16) sprintf(text, "%c%d", word & 32 ? 'e' : 'E', (int)(rng_word(r) % 700) - 360);
}

static void random_decimals_are_read_as_strtod_does(void **unused) {
    (void)unused;
    char text[TEXT];
    rng  r;
    rng_init(&r, 3, 0);
    for (int i = 0; i < 400000; i++) {
        random_text(&r, 1 + i % 40, text);
        assert_scans_to(text, strtod(text, NULL));
    }
    for (int i = 0; i < 4000; i++) {
        random_text(&r, 780 + i % 50, text);
        assert_scans_to(text, strtod(text, NULL));
    }
}

/* The number halfway between two, exactly, a bit less and a bit more: it goes to the even one, down and up. long double
 * has the bit more that this needs. */
static void check_halfway(double number) {
    _Static_assert(LDBL_MANT_DIG > DBL_MANT_DIG, "long double cannot hold a number halfway between two doubles");
    double next = double_of(bits_of(number) + 1);
    char   text[TEXT];
    if (!(number > 0.0 && next <= DBL_MAX)) return;
    int length = snprintf(text, sizeof text, "%.*Le", 800, ((long double)number + (long double)next) / 2),
        last = length - 1;
    assert_true(length < TEXT);
    char  exponent[16];
    char *e = strchr(text, 'e');
    strcpy(exponent, e);
    for (last = (int)(e - text) - 1; text[last] == '0'; last--) {
    }
    strcpy(text + last + 1, exponent);
    assert_scans_to(text, bits_of(number) & 1 ? next : number);
    if (text[last] == '.') return; /* 1e23 */
    snprintf(text + last + 1, 40, "00000000000000000000001%s", exponent);
    assert_scans_to(text, next);
    text[last]--; /* it was not 0 */
    snprintf(text + last + 1, 40, "99999%s", exponent);
    assert_scans_to(text, number);
}

static void halfway_cases_go_to_the_even_number(void **unused) {
    (void)unused;
    rng r;
    rng_init(&r, 4, 0);
    at_landmarks(check_halfway);
    for (int i = 0; i < 20000; i++) {
        check_halfway(double_of(rng_word(&r) >> 1));
        check_halfway(rng_uniform(&r) * 100.0);
        check_halfway((double)((rng_word(&r) >> 11) + ((uint64_t)1 << 53))); /* 17 digits, a tie in the exact powers */
    }
    assert_scans_to("9007199254740993", 9007199254740992.0);
    assert_scans_to("90071992547409930e-1", 9007199254740992.0);
    assert_scans_to("90071992547409931e-1", 9007199254740994.0);
    assert_scans_to("9007199254740995", 9007199254740996.0);
}

static void forms_of_numbers_are_read(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        double      number;
    } cases[] = {{"+1.5", 1.5},
                 {"1e5", 1e5},
                 {"1E+05", 1e5},
                 {".5", 0.5},
                 {"-5.", -5.0},
                 {"-0", -0.0},
                 {"000", 0.0},
                 {"-0.0e10", -0.0},
                 {"nan", (double)NAN},
                 {"NaN", (double)NAN},
                 {"-nan", (double)NAN},
                 {"inf", HUGE_VAL},
                 {"Inf", HUGE_VAL},
                 {"+INF", HUGE_VAL},
                 {"-inf", -HUGE_VAL},
                 {"1e400", HUGE_VAL},
                 {"-1e99999999999999999999999", -HUGE_VAL},
                 {"-1e-99999999999999999999999", -0.0},
                 {"0e99999999999999999999999", 0.0},
                 {"0.000000000000000000000000000000000000012345678901234567", 1.2345678901234567e-38}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_scans_to(cases[i].text, cases[i].number);
}

static void what_is_no_number_has_no_end(void **unused) {
    (void)unused;
    static const char *const bad[] = {"",   "-",  "+",   ".",   "-.", "e5", ".e5", "i",
                                      "in", "na", "--1", "+-1", " 1", ",",  "x"};
    double                   number;
    size_t                   length;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (scan(bad[i], &number, &length)) fail_msg("'%s' was read as %g", bad[i], number);
        assert_false(number_read(bad[i], &number));
    }
}

/* Every beginning of a text is read as far as strtod reads it. */
static void nothing_is_read_beyond_the_end(void **unused) {
    (void)unused;
    static const char *const texts[] = {"-12.5e+10", "123456789.123456789e-12x",
                                        "1.5.5",     "7e",
                                        "7e-",       "7e+x",
                                        "5,6",       "12345678",
                                        "1234567/",  "1234567:",
                                        "infinity",  "nanx",
                                        "0.1e5.5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t cut = 0; cut <= strlen(texts[i]); cut++) {
            char   text[32], *end;
            double number = 0.0;
            size_t length;
            memcpy(text, texts[i], cut);
            text[cut] = 0;
            double expected = strtod(text, &end);
            bool   read = scan(text, &number, &length), whole = strcmp(text, "infinity") != 0;
            assert_int_equal(read, end != text);
            assert_int_equal(length, whole ? end - text : 3);
            if (read) assert_true(same(number, expected));
        }
}

static void numbers_of_any_length_are_read(void **unused) {
    (void)unused;
    enum { LONG = 100000 };
    char *text = malloc(LONG + 32);
    assert_non_null(text);
    memset(text, '0', LONG);
    text[1] = '.';
    sprintf(text + LONG, "15e%d", LONG - 1); /* 0.00...0015 */
    assert_scans_to(text, 1.5);
    sprintf(text + LONG, "%s", "7");
    assert_scans_to(text, 0.0);
    memset(text, '9', LONG);
    sprintf(text + LONG, "e-%d", LONG);
    assert_scans_to(text, 1.0);
    memset(text, '0', LONG);
    memcpy(text, "1.00000000000000011102230246251565404236316680908203125", 55); /* halfway, and then a 1 far away */
    sprintf(text + LONG, "%s", "1");
    assert_scans_to(text, double_of(bits_of(1.0) + 1));
    text[LONG] = 0;
    assert_scans_to(text, 1.0);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_bits_are_written_and_read_back),
                                       cmocka_unit_test(landmarks_are_written_and_read_back),
                                       cmocka_unit_test(nothing_shorter_reads_back),
                                       cmocka_unit_test(text_is_as_one_would_write_it),
                                       cmocka_unit_test(random_decimals_are_read_as_strtod_does),
                                       cmocka_unit_test(halfway_cases_go_to_the_even_number),
                                       cmocka_unit_test(forms_of_numbers_are_read),
                                       cmocka_unit_test(what_is_no_number_has_no_end),
                                       cmocka_unit_test(nothing_is_read_beyond_the_end),
                                       cmocka_unit_test(numbers_of_any_length_are_read)};
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
