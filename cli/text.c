/* text.c - words and terminals: width, wrapping, what a locale can show, and the nearest name. */
#include "cli.h"

#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool text_utf8(void) { return !strcmp(nl_langinfo(CODESET), "UTF-8"); }

size_t text_width(FILE *stream) {
    enum { USUAL = 80, LEAST = 20 };
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) || !size.ws_col) return USUAL;
    return size.ws_col < LEAST ? LEAST : size.ws_col;
}

/* Every letter takes one column; of a letter in UTF-8 only the first byte is counted. */
size_t text_columns(const char *text) {
    size_t columns = 0;
    for (; *text; text++) columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}

void text_wrap(FILE *stream, const char *text, size_t column, size_t indent) {
    size_t width = text_width(stream) - 1, at = column;
    bool   first = true;
    while (*(text += strspn(text, " \n"))) {
        size_t length = strcspn(text, " \n");
        if (at + !first + length > width && at > indent) {
            fprintf(stream, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', stream);
            at++;
        }
        (void)fwrite(text, 1, length, stream);
        at += length;
        text += length;
        first = false;
    }
    fputc('\n', stream);
}

/* How many letters must be changed, added or left out to make b of a (Levenshtein). Row i of the table, for the first
 * i letters of a, is kept in `cost`. */
enum { NAME_MOST = 32 };
static size_t distance(const char *a, const char *b) {
    size_t cost[NAME_MOST + 1], width = strnlen(b, NAME_MOST);
    for (size_t j = 0; j <= width; j++) cost[j] = j;
    for (size_t i = 0; i < NAME_MOST && a[i]; i++) {
        size_t above_left = cost[0]++;
        for (size_t j = 0; j < width; j++) {
            size_t change = above_left + (a[i] != b[j]), above = cost[j + 1];
            size_t add = (above < cost[j] ? above : cost[j]) + 1;
            cost[j + 1] = change < add ? change : add;
            above_left = above;
        }
    }
    return cost[width];
}

const char *text_nearest(const void *list, size_t stride, const char *name) {
    const char *best = NULL, *candidate;
    size_t      least = strnlen(name, NAME_MOST) / 3 + 2; /* what is as far as this is another word */
    for (const char *entry = list; memcpy(&candidate, entry, sizeof candidate), candidate; entry += stride) {
        size_t d = distance(name, candidate);
        if (d >= least) continue;
        least = d;
        best = candidate;
    }
    return best;
}
