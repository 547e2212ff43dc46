/* json.c - text that grows; texts, numbers and figures as JSON. See document.h, and docs/report.md for the form. */
#include "report/document.h"

#include "base/character.h"
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Text that grows ---------------------------------------------------------------------------------------------- */

/* Makes room for `count` more bytes and a final 0. */
static bool reserve(text_buffer *t, size_t count) {
    if (t->failed) return false;
    if (count < t->room - t->length) return true;
    size_t room = 2 * t->room + count + 64;
    char  *larger = room > t->room ? realloc(t->bytes, room) : NULL;
    if (!larger) {
        t->failed = true;
        return false;
    }
    t->bytes = larger;
    t->room = room;
    return true;
}

void text_add(text_buffer *t, const char *bytes, size_t count) {
    if (!reserve(t, count)) return;
    memcpy(t->bytes + t->length, bytes, count);
    t->length += count;
    t->bytes[t->length] = 0;
}

void text_string(text_buffer *t, const char *string) { text_add(t, string, strlen(string)); }

void text_format(text_buffer *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0) t->failed = true; /* otherwise the text would be lost silently */
    if (count < 0 || !reserve(t, (size_t)count)) return;
    va_start(arguments, format);
    vsnprintf(t->bytes + t->length, (size_t)count + 1, format, arguments);
    va_end(arguments);
    t->length += (size_t)count;
}

void text_free(text_buffer *t) {
    free(t->bytes);
    *t = (text_buffer){0};
}

void text_html(text_buffer *t, const char *string) {
    static const char        special[] = "<>&\"'";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (size_t count; *string; string += count ? count : 1) {
        const char *found = strchr(special, *string);
        count = character_length(string);
        if (found)
            text_string(t, names[found - special]);
        else if (count)
            text_add(t, string, count);
        else
            text_string(t, "\xef\xbf\xbd");
    }
}

/* -- Texts and numbers -------------------------------------------------------------------------------------------- */

/* Whether it needs no escape: '<' might end the script element, and U+2028 and U+2029 end lines in some parsers. */
static bool is_plain(const char *character, size_t count) {
    unsigned char c = (unsigned char)*character;
    if (count == 1) return c >= 0x20 && !strchr("\"\\<>&\x7f", c);
    return count > 1 && (memcmp(character, "\xe2\x80", 2) != 0 || ((unsigned char)character[2] & 0xfe) != 0xa8);
}

static void put_escaped(text_buffer *t, const char *character, size_t count) {
    if (count == 0)
        text_string(t, "\\ufffd");
    else if (count == 1)
        text_format(t, "\\u%04x", (unsigned char)*character);
    else
        text_string(t, (unsigned char)character[2] == 0xa8 ? "\\u2028" : "\\u2029");
}

void json_text(text_buffer *t, const char *text) {
    const char *plain = text;
    text_add(t, "\"", 1);
    while (*text) {
        size_t count = character_length(text);
        if (is_plain(text, count)) {
            text += count;
            continue;
        }
        text_add(t, plain, (size_t)(text - plain));
        put_escaped(t, text, count);
        text += count ? count : 1;
        plain = text;
    }
    text_add(t, plain, (size_t)(text - plain));
    text_add(t, "\"", 1);
}

void json_number(text_buffer *t, double x) {
    char text[NUMBER_TEXT];
    if (isfinite(x))
        text_add(t, text, number_put(x, text));
    else
        text_add(t, "null", 4);
}

/* How numbers are rounded: to multiples of 10^grain, or each to 1e-4 of itself. */
typedef struct rounding {
    int  grain;
    bool relative;
} rounding;

/* The power of ten just below 1e-4 of a size; where that is not a size, one that rounds nothing. */
static int grain_of(double size) { return size > 0.0 && isfinite(size) ? (int)floor(log10(size) - 4.0) : INT32_MIN; }

/* Halves, because the difference of two numbers may be too large for one. Equal numbers are rounded by their size. */
static rounding rounding_of(double low, double high, bool logarithmic) {
    double half = high / 2.0 - low / 2.0;
    return (rounding){.grain = grain_of(half > 0.0 ? half : fabs(low)), .relative = logarithmic};
}

/* digits 10^exponent, without zeros at the end: "-12.34", "5e+9". */
static void put_decimal(text_buffer *t, int64_t digits, int exponent) {
    char text[64], *end;
    if (digits == 0) {
        text_add(t, "0", 1);
        return;
    }
    for (; digits % 10 == 0; exponent++) digits /= 10;
    int length = snprintf(text, sizeof text, "%" PRId64, digits), sign = digits < 0, point = length + exponent;
    if (exponent > 3 || point - sign < -5) {
        text_format(t, "%se%d", text, exponent);
        return;
    }
    end = text + length;
    for (; exponent > 0; exponent--) *end++ = '0';
    if (point <= sign && exponent < 0) {
        text_format(t, "%s0.%.*s%s", sign ? "-" : "", sign - point, "00000", text + sign);
        return;
    }
    *end = 0;
    if (exponent < 0)
        text_format(t, "%.*s.%s", point, text, text + point);
    else
        text_string(t, text);
}

/* To a multiple of 10^grain, where that has fewer digits than the number itself. */
static void put_rounded(text_buffer *t, double x, int grain) {
    const double most = 9e15; /* a whole number that a double has exactly */
    double count = grain < -290 || grain > 290 ? HUGE_VAL : grain < 0 ? x * pow(10.0, -grain) : x / pow(10.0, grain);
    if (!isfinite(x) || !(fabs(count) < most))
        json_number(t, x);
    else
        put_decimal(t, (int64_t)llround(count), grain);
}

static void put_list(text_buffer *t, size_t count, const double *x, rounding r) {
    text_add(t, "[", 1);
    for (size_t i = 0; i < count; i++) {
        if (i) text_add(t, ",", 1);
        put_rounded(t, x[i], r.relative ? grain_of(fabs(x[i])) : r.grain);
    }
    text_add(t, "]", 1);
}

void json_numbers(text_buffer *t, size_t count, const double *x, bool logarithmic) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) continue;
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
    }
    put_list(t, count, x, rounding_of(low, high, logarithmic));
}

/* -- Figures ------------------------------------------------------------------------------------------------------ */

static void put_text(text_buffer *t, const char *key, const char *text) {
    text_format(t, "\"%s\":", key);
    if (text)
        json_text(t, text);
    else
        text_string(t, "null");
}

static void put_number(text_buffer *t, const char *key, double x) {
    text_format(t, ",\"%s\":", key);
    json_number(t, x);
}

static void put_numbers(text_buffer *t, const char *key, size_t count, const double *x, rounding r) {
    text_format(t, ",\"%s\":", key);
    put_list(t, count, x, r);
}

/* Whether x[i] = x[0] + i step, to what a picture shows. */
static bool is_even(size_t count, const double *x, double *step) {
    if (count < 3) return false;
    *step = (x[count - 1] - x[0]) / (double)(count - 1);
    if (!isfinite(*step) || *step == 0.0) return false;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i] - (x[0] + *step * (double)i)) <= 1e-6 * fabs(*step))) return false;
    return true;
}

static void put_places(text_buffer *t, const mark *m, rounding r) {
    double step;
    if (!is_even(m->count, m->x, &step)) {
        put_numbers(t, "x", m->count, m->x, r);
        return;
    }
    text_string(t, ",\"x\":{\"from\":");
    json_number(t, m->x[0]);
    put_number(t, "step", step);
    text_add(t, "}", 1);
}

static void put_cells(text_buffer *t, const mark *m) {
    text_format(t, ",\"columns\":%zu,\"rows\":%zu", m->columns, m->rows);
    put_number(t, "x0", m->x0);
    put_number(t, "y0", m->y0);
    put_number(t, "width", m->width);
    put_number(t, "height", m->height);
    text_string(t, ",\"z\":");
    json_numbers(t, m->columns * m->rows, m->z, false);
}

static void put_mark(text_buffer *t, const mark *m, rounding x, rounding y) {
    static const char *const kinds[] = {
        [MARK_LINE] = "line",   [MARK_BAND] = "band",   [MARK_BARS] = "bars", [MARK_DOTS] = "dots",
        [MARK_CELLS] = "cells", [MARK_SPANS] = "spans", [MARK_RULE] = "rule"};
    bool sideways = m->kind == MARK_BARS || m->kind == MARK_SPANS; /* low and high are x */
    text_format(t, "{\"kind\":\"%s\",", kinds[m->kind]);
    put_text(t, "name", m->name);
    text_format(t, ",\"colour\":%d,\"dashed\":%s", m->colour, m->dashed ? "true" : "false");
    if (m->kind == MARK_LINE || m->kind == MARK_BAND)
        put_places(t, m, x);
    else if (m->x)
        put_numbers(t, "x", m->count, m->x, x);
    if (m->low) put_numbers(t, "low", m->count, m->low, sideways ? x : y);
    if (m->high) put_numbers(t, "high", m->count, m->high, sideways ? x : y);
    if (m->y) put_numbers(t, "y", m->count, m->y, y);
    if (m->kind == MARK_CELLS) put_cells(t, m);
    text_add(t, "}", 1);
}

/* By what the panel spans: chains that lie apart are in one picture, though each by itself may not vary at all. */
static rounding rounding_in(const panel *p, bool vertical) {
    double low = 0.0, high = 0.0;
    panel_range(p, vertical, &low, &high);
    return rounding_of(low, high, vertical ? p->y.logarithmic : p->x.logarithmic);
}

static void put_axis(text_buffer *t, const char *key, const axis *a) {
    text_format(t, ",\"%s\":{", key);
    put_text(t, "label", a->label);
    text_format(t, ",\"log\":%s", a->logarithmic ? "true" : "false");
    put_number(t, "low", a->low);
    put_number(t, "high", a->high);
    text_string(t, a->names ? ",\"names\":[" : ",\"names\":null");
    for (size_t i = 0; i < a->names; i++) {
        if (i) text_add(t, ",", 1);
        json_text(t, a->name[i]);
    }
    text_string(t, a->names ? "]}" : "}");
}

static void put_panel(text_buffer *t, const panel *p) {
    rounding x = rounding_in(p, false), y = rounding_in(p, true);
    text_add(t, "{", 1);
    put_text(t, "title", p->title);
    put_axis(t, "x", &p->x);
    put_axis(t, "y", &p->y);
    text_format(t, ",\"equal\":%s,\"marks\":[", p->equal ? "true" : "false");
    for (size_t i = 0; i < p->marks; i++) {
        if (i) text_add(t, ",", 1);
        put_mark(t, p->mark + i, x, y);
    }
    text_string(t, "]}");
}

void json_figure(text_buffer *t, const figure *f, bool compact) {
    if (f->failed) { /* the figure is incomplete */
        t->failed = true;
        return;
    }
    text_add(t, "{", 1);
    put_text(t, "name", f->name);
    if (!compact) {
        text_add(t, ",", 1);
        put_text(t, "title", f->title);
        text_add(t, ",", 1);
        put_text(t, "caption", f->caption);
    }
    text_add(t, ",", 1);
    put_text(t, "parameter", f->parameter);
    text_format(t, ",\"across\":%zu,\"small\":%s,\"panels\":[", f->across, f->small ? "true" : "false");
    for (size_t i = 0; i < f->panels; i++) {
        if (i) text_add(t, ",", 1);
        put_panel(t, f->panel + i);
    }
    text_string(t, "]}");
}
