/* ticks.c - see ticks.h.
 *
 * A tick is a whole number times a power of ten. Its label is written from these two, and the tick is what the label
 * reads as: no rounding comes between them. */
#include "report/ticks.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Labels ------------------------------------------------------------------------------------------------------- */

enum { PLAIN_LENGTH = 6, DIGITS = 16 };

/* n * 10^exponent without an exponent; "" where that is too long. */
static void write_plain(char text[TICK_TEXT], long long n, int exponent) {
    char digits[TICK_TEXT];
    int  decimals = exponent < 0 ? -exponent : 0, zeros = exponent > 0 && n ? exponent : 0;
    text[0] = 0;
    if (decimals > DIGITS || zeros > DIGITS / 2) return;
    int length = snprintf(digits, sizeof digits, "%0*lld", decimals + 1, llabs(n));
    if (length + zeros + 3 > TICK_TEXT) return;
    int whole = length - decimals;
    snprintf(text, TICK_TEXT, "%s%.*s%.*s%s%.*s", n < 0 ? "-" : "", whole, digits, zeros, "000000000",
             decimals ? "." : "", decimals, digits + whole);
}

/* The same with one: 1.5e-7. */
static void write_scientific(char text[TICK_TEXT], long long n, int exponent) {
    char digits[TICK_TEXT];
    for (; n && n % 10 == 0; n /= 10) exponent++;
    int length = snprintf(digits, sizeof digits, "%lld", llabs(n));
    if (n)
        snprintf(text, TICK_TEXT, "%s%c%s%.*se%d", n < 0 ? "-" : "", digits[0], length > 1 ? "." : "", DIGITS,
                 digits + 1, exponent + length - 1);
    else
        snprintf(text, TICK_TEXT, "0");
}

/* Adds the tick that `text` reads as, if it is inside. */
static void add(ticks *t, const char *text, bool labelled, double low, double high) {
    double at;
    if (t->count == TICKS_MOST || !number_read(text, &at) || at < low || at > high) return;
    t->at[t->count] = at;
    snprintf(t->label[t->count++], TICK_TEXT, "%s", labelled ? text : "");
}

/* -- Linear axes -------------------------------------------------------------------------------------------------- */

/* The ends themselves: for a range that is too wide or too narrow for steps. */
static void mark_ends(ticks *t, double low, double high) {
    char text[TICK_TEXT];
    t->count = 0;
    number_write(low, text, sizeof text);
    add(t, text, true, low, high);
    number_write(high, text, sizeof text);
    add(t, text, true, low, high);
}

static size_t longest(const ticks *t) {
    size_t most = 0;
    for (size_t i = 0; i < t->count; i++)
        if (strlen(t->label[i]) > most) most = strlen(t->label[i]);
    return most;
}

/* All multiples of digit * 10^exponent that are inside. All labels are of one kind: plain, if they are short so. */
static void mark_multiples(ticks *t, double low, double high, int digit, int exponent) {
    double step = digit * pow(10.0, exponent), first = floor(low / step), last = ceil(high / step);
    char   text[TICK_TEXT];
    ticks  plain = {.count = 0};
    t->count = 0;
    for (long long i = (long long)first; i <= (long long)last; i++) {
        write_plain(text, i * digit, exponent);
        if (text[0]) add(&plain, text, true, low, high);
        write_scientific(text, i * digit, exponent);
        add(t, text, true, low, high);
    }
    size_t length = longest(&plain);
    if (plain.count == t->count && (length <= PLAIN_LENGTH || length <= longest(t))) *t = plain;
}

static void mark_linear(ticks *t, double low, double high, size_t wanted) {
    static const int smaller[] = {[1] = 5, [2] = 1, [5] = 2};
    double           raw = (high / 2.0 - low / 2.0) / (double)wanted * 2.0, size = fmax(fabs(low), fabs(high));
    if (!isfinite(raw) || raw < 1e-300 || size / raw > 1e14) {
        mark_ends(t, low, high);
        return;
    }
    int    exponent = (int)floor(log10(raw));
    double rest = raw / pow(10.0, exponent); /* from 1 to 10; which of 1, 2, 5, 10 is nearest, as a ratio? */
    int    digit = rest < sqrt(2.0) ? 1 : rest < sqrt(10.0) ? 2 : rest < sqrt(50.0) ? 5 : 10;
    if (digit == 10) {
        digit = 1;
        exponent++;
    }
    mark_multiples(t, low, high, digit, exponent);
    while (t->count < 2) {
        exponent -= digit == 1;
        digit = smaller[digit];
        mark_multiples(t, low, high, digit, exponent);
    }
}

/* -- Logarithmic axes --------------------------------------------------------------------------------------------- */

static void add_scientific(ticks *t, int digit, int exponent, bool labelled, double low, double high) {
    char text[TICK_TEXT];
    if (exponent >= -2 && exponent <= 3)
        write_plain(text, digit, exponent);
    else
        write_scientific(text, digit, exponent);
    add(t, text, labelled, low, high);
}

/* Powers of ten, every stride-th of them with a label. Between them small ticks, where there is room. */
static void mark_powers(ticks *t, double low, double high, int first, int last, int stride) {
    enum { CROWD = 40 };
    for (int exponent = first - 1; exponent <= last; exponent++) {
        bool labelled = (exponent - first) % stride == 0;
        if (labelled || last - first < CROWD) add_scientific(t, 1, exponent, labelled, low, high);
        for (int digit = 2; stride == 1 && digit <= 9; digit++) add_scientific(t, digit, exponent, false, low, high);
    }
}

static size_t count_labels(const ticks *t) {
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) count += t->label[i][0] != 0;
    return count;
}

static void mark_logarithmic(ticks *t, double low, double high, size_t wanted) {
    int first = (int)ceil(log10(low) - 1e-12), last = (int)floor(log10(high) + 1e-12);
    if (last > first) {
        mark_powers(t, low, high, first, last, (last - first + (int)wanted) / (int)wanted);
        return;
    }
    for (int exponent = first - 1; exponent <= last; exponent++)
        for (int digit = 1; digit <= 9; digit++)
            add_scientific(t, digit, exponent, digit == 1 || digit == 2 || digit == 5, low, high);
    if (count_labels(t) < 2) mark_linear(t, low, high, wanted);
}

void ticks_make(ticks *t, double low, double high, bool logarithmic, size_t wanted) {
    t->count = 0;
    if (logarithmic)
        mark_logarithmic(t, low, high, wanted);
    else
        mark_linear(t, low, high, wanted);
}
