/* protocol.c - see protocol.h. */
#include "target/protocol.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r"

/* -- What a program wrote, shown ---------------------------------------------------------------------------------- */

/* Not in the middle of a letter of several bytes. */
static void show(const char *line, size_t length, char *text, size_t size) {
    size_t count = length < size ? length : size - 1;
    while (count < length && count > 0 && ((unsigned char)line[count] & 0xc0) == 0x80) count--;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)line[i];
        text[i] = line[i];
        if (c < 0x20 || c == 0x7f) text[i] = '?';
    }
    text[count] = 0;
}

void quote(const char *line, size_t length, char text[QUOTE_TEXT]) {
    enum { SHOWN = QUOTE_TEXT - 4 };
    while (length > 0 && line[length - 1] == '\r') length--;
    show(line, length, text, SHOWN + 1);
    if (strlen(text) < length) memcpy(text + strlen(text), "...", sizeof "...");
}

/* What follows the word and blanks, if the text begins with the word; else NULL. */
static const char *behind(const char *text, const char *word) {
    size_t length = strlen(word);
    text += strspn(text, BLANKS);
    if (strncmp(text, word, length) != 0 || (text[length] && !strchr(BLANKS, text[length]))) return NULL;
    return text + length + strspn(text + length, BLANKS);
}

/* -- The greeting ------------------------------------------------------------------------------------------------- */

#define GREETING "ckam "

bool greeting_is(const char *line) { return !strncmp(line, GREETING, strlen(GREETING)); }

static ckam_status read_list(params *p, const char *list, const char *where, bool bounds, ckam_error *error) {
    if (!*list) return fail_with(error, CKAM_ERROR_FORMAT, "%s names nothing; write the names, as in: x, y[3]", where);
    return params_read(p, list, where, bounds, error);
}

static ckam_status read_section(greeting *g, const char *section, ckam_error *error) {
    const char *derived = behind(section, "derived"), *binary = behind(section, "binary");
    if (derived && !g->derived.count) {
        ckam_status status = read_list(&g->derived, derived, "'derived' of the program", false, error);
        return status ? status : params_apart(&g->params, &g->derived, "the program's first line", error);
    }
    if (binary && !g->binary && !*binary) {
        g->binary = true;
        return CKAM_OK;
    }
    char shown[QUOTE_TEXT];
    quote(section, strlen(section), shown);
    return fail_with(
        error, CKAM_ERROR_FORMAT,
        "the program's first line has the part '%s'; behind the parameters there may be 'derived NAMES' and "
        "'binary', once each",
        shown);
}

static ckam_status read_sections(greeting *g, char *text, ckam_error *error) {
    char *section = strchr(text, ';');
    if (section) *section++ = 0;
    const char *version = behind(text, "ckam"), *list = version ? behind(version, "1") : NULL;
    list = list ? behind(list, "params") : NULL;
    if (!list) {
        char shown[QUOTE_TEXT];
        quote(text, strlen(text), shown);
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "the program's first line begins with '%s'; expected was: ckam 1 params x, y", shown);
    }
    ckam_status status = read_list(&g->params, list, "'params' of the program", true, error);
    while (!status && section) {
        char *next = strchr(section, ';');
        if (next) *next++ = 0;
        status = read_section(g, section, error);
        section = next;
    }
    return status;
}

ckam_status greeting_read(greeting *g, const char *line, size_t length, ckam_error *error) {
    *g = (greeting){0};
    if (memchr(line, 0, length))
        return fail_with(error, CKAM_ERROR_FORMAT, "the program's first line has a 0 byte in it; expected was text");
    char *text = strdup(line);
    if (!text) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the first line of a program");
    text[strcspn(text, "\r")] = 0;
    ckam_status status = read_sections(g, text, error);
    free(text);
    if (status) greeting_free(g);
    return status;
}

void greeting_free(greeting *g) {
    params_free(&g->params);
    params_free(&g->derived);
    *g = (greeting){0};
}

/* Where --params says nothing of a bound and the program does, it would be lost: the run has begun without it. */
bool greeting_agrees(greeting *g, const params *declared, char *why) {
    ckam_error error;
    if (params_agree(&g->params, declared, "--params", "the program's first line", &error)) {
        snprintf(why, ENGINE_WHY, "%.*s", ENGINE_WHY - 1, error.message);
        return false;
    }
    bool hidden = g->derived.count || g->binary;
    for (size_t k = 0; k < declared->count; k++) {
        const param *mine = &declared->at[k], *its = &g->params.at[k];
        if (mine->lower != its->lower || mine->upper != its->upper) hidden = true;
    }
    if (hidden)
        snprintf(why, ENGINE_WHY,
                 "the program's first line has bounds, derived numbers or 'binary', which --params hides; leave out "
                 "--params");
    return !hidden;
}

/* -- Answers ------------------------------------------------------------------------------------------------------ */

/* The numbers have decimal points, whatever our locale is. Infinity may be written in full, as some languages do. */
static bool read_number(const char *word, size_t length, double *number) {
    const char *end = word + length, *stop = number_scan(word, end, number);
    if (stop == end) return true;
    return stop && isinf(*number) && end - stop == 5 && !strncasecmp(stop - 3, "infinity", 8);
}

static void give_reason(const char *text, const char *otherwise, char *why) {
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1])) length--;
    if (!length)
        snprintf(why, ENGINE_WHY, "%s", otherwise);
    else
        show(text, length, why, ENGINE_WHY);
}

bool answer_is_stop(const char *line, char *why) {
    const char *stop = behind(line, "stop");
    if (stop) give_reason(stop, "the program said stop", why);
    return stop != NULL;
}

static engine_answer refuse(const char *line, size_t length, size_t derived, const char *what, char *why) {
    char shown[QUOTE_TEXT], count[48] = "one number";
    quote(line, length, shown);
    if (derived) snprintf(count, sizeof count, "%zu numbers in a line", derived + 1);
    snprintf(why, ENGINE_WHY, "the program answered '%s', %s; expected was %s, or reject or stop with a reason", shown,
             what, count);
    return ENGINE_STOP;
}

engine_answer answer_read(const char *line, size_t length, size_t derived, double *value, double *out, char *why) {
    if (memchr(line, 0, length)) return refuse(line, length, derived, "which has a 0 byte in it", why);
    if (answer_is_stop(line, why)) return ENGINE_STOP;
    const char *rejected = behind(line, "reject");
    if (rejected) {
        give_reason(rejected, "", why);
        return ENGINE_REJECT;
    }
    size_t count = 0;
    for (const char *word = line + strspn(line, BLANKS); *word; count++) {
        size_t size = strcspn(word, BLANKS);
        double number;
        if (!read_number(word, size, &number))
            return refuse(line, length, derived, "not all of which is a number", why);
        if (count == 0)
            *value = number;
        else if (count <= derived)
            out[count - 1] = number;
        word += size + strspn(word + size, BLANKS);
    }
    if (count == derived + 1) return ENGINE_VALUE;
    char what[40];
    snprintf(what, sizeof what, "%zu number%s", count, count == 1 ? "" : "s");
    return refuse(line, length, derived, count ? what : "an empty line", why);
}
