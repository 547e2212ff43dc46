/* number.c - see number.h. */
#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* The locale "C" for this thread; returns what it had before. Where there is none to be had nothing changes. */
static locale_t enter(locale_t *c) {
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*c);
}

static void leave(locale_t c, locale_t before) {
    uselocale(before);
    if (c) freelocale(c);
}

bool number_read(const char *text, double *number) {
    char    *end;
    locale_t c, before = enter(&c);
    *number = strtod(text, &end);
    leave(c, before);
    return end != text && !*end;
}

void number_write(double number, char *text, size_t size) {
    char     room[32];
    locale_t c, before = enter(&c);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(room, sizeof room, "%.*g", digits, number);
        if (strtod(room, NULL) == number) break;
    }
    leave(c, before);
    snprintf(text, size, "%s", room);
}
