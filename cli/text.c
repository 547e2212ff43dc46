/* text.c - words and terminals: width, wrapping, what a locale can show, and what a shell reads. */
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
