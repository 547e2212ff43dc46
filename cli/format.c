/* format.c - text and numbers for readers: digits, width, wrapping, what a locale can show, and what a shell reads. */
#include "cli.h"

#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
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

const char *text_plural(uint64_t count) { return count == 1 ? "" : "s"; }

typedef struct cut_text {
    char  *text;
    size_t size, used; /* used may be more than there is room for */
} cut_text;

static void put(cut_text *t, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++, t->used++)
        if (t->used + 1 < t->size) t->text[t->used] = bytes[i];
}

/* Between single quotes all but the single quote is itself. */
size_t text_quote(const char *word, char *text, size_t size) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    cut_text          t = {text, size, 0};
    bool              quotes = !*word || word[strspn(word, plain)];
    if (quotes) put(&t, "'", 1);
    for (; *word; word++)
        if (*word == '\'')
            put(&t, "'\\''", 4);
        else
            put(&t, word, 1);
    if (quotes) put(&t, "'", 1);
    if (size) text[t.used < size ? t.used : size - 1] = 0;
    return t.used;
}

/* Bytes of the character of UTF-8 at `text`; 0 where there is none. */
static size_t character(const unsigned char *text) {
    size_t length = *text < 0x80                    ? 1
                    : *text >= 0xc2 && *text < 0xe0 ? 2
                    : *text < 0xe0                  ? 0
                    : *text < 0xf0                  ? 3
                    : *text < 0xf5                  ? 4
                                                    : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    return length;
}

/* Control characters are those below blank, DEL, and in UTF-8 c2 80 to c2 9f. */
void text_show(char *text) {
    while (*text) {
        const unsigned char *at = (const unsigned char *)text;
        size_t               length = character(at);
        bool                 control = length == 0 || *at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0);
        for (length += length == 0; length > 0; length--, text++)
            if (control) *text = '?';
    }
}

void text_print_path(const char *path) {
    char shown[QUOTED];
    snprintf(shown, sizeof shown, "%s", path);
    if (isatty(STDOUT_FILENO)) text_show(shown);
    printf("%s\n", shown);
}

/* A directory that looks like a flag gets a path. */
const char *text_command(const char *verb, const char *directory, char *text) {
    int used = snprintf(text, QUOTED, "ckam %s %s", verb, *directory == '-' ? "./" : "");
    text_quote(directory, text + used, QUOTED - (size_t)used);
    text_show(text);
    return text;
}

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

/* One block: the pointers, then the text. */
bool names_split(const char *text, const char ***names) {
    size_t most = 2;
    *names = NULL;
    if (!text) return true;
    for (const char *c = text; *c; c++) most += *c == ',';
    const char **list = malloc(most * sizeof *list + strlen(text) + 1);
    if (!list) return false;
    size_t count = 0;
    char  *copy = memcpy(list + most, text, strlen(text) + 1), *rest = NULL;
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) list[count++] = name;
    list[count] = NULL;
    *names = list;
    return true;
}
