/* text.c - text that grows, and characters in it. See document.h. */
#include "report/document.h"

#include "base/character.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for so many bytes more and a final 0. */
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
    if (count < 0) t->failed = true; /* it would be lost silently */
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
