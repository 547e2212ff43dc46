/* number.c - numbers for readers: as many digits as mean something. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The power of ten of a number's first digit. */
static int magnitude(double x) { return x == 0.0 || !isfinite(x) ? 0 : (int)floor(log10(fabs(x))); }

/* The error gets two digits, and so the number ends at the second one of the error. */
void number_with_error(double x, double error, char *text) {
    enum { USUAL = 4, MOST = 7, TELLING = 16 }; /* digits: without an error; of plain numbers; that a number has */
    int digits = USUAL, size = magnitude(x), end = size - USUAL + 1;
    if (isnan(x)) {
        snprintf(text, NUMBER, "-");
        return;
    }
    if (error > 0.0 && isfinite(error)) {
        end = magnitude(1.005 * error) - 1; /* 0.00999 is 0.010 */
        if (size - end + 1 > TELLING) end = size - TELLING + 1;
        digits = size - end + 1 > 1 ? size - end + 1 : 1;
    }
    if (digits <= MOST ? size > MOST || end < -MOST : size >= TELLING || end < -TELLING)
        snprintf(text, NUMBER, "%.*e", digits - 1, x);
    else
        snprintf(text, NUMBER, "%.*f", end < 0 ? -end : 0, x);
    if (text[0] == '-' && !text[strspn(text, "-0.")]) memmove(text, text + 1, strlen(text)); /* -0.00 */
}

void number_exact(double x, char *text) {
    if (isnan(x)) x = (double)NAN; /* without a sign */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER, "%.*g", digits, x);
        if (strtod(text, NULL) == x) return;
    }
}

void number_short(double x, char *text) {
    static const char unit[] = "kMGT";
    if (!isfinite(x)) {
        snprintf(text, NUMBER, "-");
        return;
    }
    if (x < 99999.5) {
        snprintf(text, NUMBER, x < 9.95 && x > 0.0 ? "%.1f" : "%.0f", x);
        return;
    }
    size_t i = 0;
    for (x /= 1000.0; x >= 999.5 && unit[i + 1]; i++) x /= 1000.0;
    snprintf(text, NUMBER, "%.3g%c", x, unit[i]);
}

void number_time(double seconds, char *text) {
    if (!(seconds < 1e9)) {
        snprintf(text, NUMBER, "-");
        return;
    }
    long all = lround(fmax(seconds, 0.0)), minutes = all / 60, hours = minutes / 60;
    if (hours >= 48)
        snprintf(text, NUMBER, "%ld d %ld h", hours / 24, hours % 24);
    else if (hours)
        snprintf(text, NUMBER, "%ld:%02ld:%02ld", hours, minutes % 60, all % 60);
    else
        snprintf(text, NUMBER, "%ld:%02ld", minutes, all % 60);
}
