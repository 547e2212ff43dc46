/* number.c - numbers as text, against glibc's strtod, which rounds correctly; and any bits as a number, written and read. */
#include "base/number.h"
#include "fuzz.h"

#include <strings.h>

static void write_and_read(double number) {
    char   text[NUMBER_TEXT + 1], cut[8];
    double back = 0.0;
    size_t length = number_put(number, text);
    DEMAND(length > 0 && length < NUMBER_TEXT);
    text[length] = 0;
    DEMAND(number_read(text, &back) && same_number(back, number));
    DEMAND(same_number(strtod(text, NULL), number));
    number_write(number, cut, sizeof cut);
    DEMAND(!strncmp(cut, text, sizeof cut - 1) && strlen(cut) == (length < sizeof cut ? length : sizeof cut - 1));
}

/* strtod() takes more than number.h does: blanks before the number, 0x10, infinity, nan(1). `end` is where it stopped. */
static bool is_ours(const char *text, const char *end) {
    const char *digits = text + (*text == '+' || *text == '-');
    if (strchr(" \t\n\v\f\r", *text)) return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return false;
    return end - digits == 3 || (strncasecmp(digits, "inf", 3) != 0 && strncasecmp(digits, "nan", 3) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    double number = 0.0, theirs;
    char  *text = text_of(bytes, size), *end, *packed;
    if (size >= sizeof number) {
        memcpy(&number, bytes, sizeof number);
        write_and_read(number);
    }
    size_t      length = strlen(text);
    const char *stop = number_scan(text, text + length, &number);
    DEMAND(!stop || (text < stop && stop <= text + length));
    double whole = 0.0;
    DEMAND(number_read(text, &whole) == (stop && !*stop));
    theirs = strtod(text, &end);
    if (is_ours(text, end)) {
        DEMAND((stop ? stop : text) == end);
        if (stop) DEMAND(same_number(number, theirs));
        if (stop) write_and_read(number);
    }
    /* The same without a 0 behind it: nothing beyond the end is looked at. */
    packed = malloc(length + !length);
    DEMAND(packed);
    memcpy(packed, text, length);
    const char *there = number_scan(packed, packed + length, &theirs);
    DEMAND(there ? stop && there - packed == stop - text && same_number(number, theirs) : !stop);
    free(packed);
    free(text);
    return 0;
}
