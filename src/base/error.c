/* error.c - see error.h. */
#include "base/error.h"

#include "base/character.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void error_show(char *text) {
    while (*(text += character_until_control(text))) *text++ = '?';
}

path_text shown_path(const char *path, size_t most) {
    path_text   shown;
    size_t      length = strlen(path);
    const char *from = length > most ? path + length - (most - 3) : path;
    while (from > path && ((unsigned char)*from & 0xC0) == 0x80) from++; /* not in the middle of a letter */
    snprintf(shown.text, sizeof shown.text, "%s%s", from > path ? "..." : "", from);
    return shown;
}

void error_fill(ckam_error *error, ckam_status status, const char *format, ...) {
    va_list arguments;
    if (!error) return;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error_show(error->message);
}

/* How many letters have to be added, removed, changed, or swapped with the next one, to make b of a; both are cut at
 * NAME_MOST letters. */
enum { NAME_MOST = 32 };
static size_t edit_distance(const char *a, const char *b) {
    size_t rows[3][NAME_MOST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    size_t length = strnlen(b, NAME_MOST);
    for (size_t j = 0; j <= length; j++) row[j] = before[j] = last[j] = j;
    for (size_t i = 0; i < NAME_MOST && a[i]; i++) {
        size_t *free_row = before;
        before = last, last = row, row = free_row;
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t best = last[j] + (a[i] != b[j]);
            if (last[j + 1] + 1 < best) best = last[j + 1] + 1;
            if (row[j] + 1 < best) best = row[j] + 1;
            bool swapped = i && j && a[i] == b[j - 1] && a[i - 1] == b[j];
            if (swapped && before[j - 1] + 1 < best) best = before[j - 1] + 1;
            row[j + 1] = best;
        }
    }
    return row[length];
}

const char *ckam_nearest_name(const void *list, size_t stride, const char *name) {
    const char *nearest = NULL;
    size_t      least = strnlen(name, NAME_MOST) / 3 + 2; /* further away it is no misspelling */
    for (const char *entry = list;; entry += stride) {
        const char *candidate;
        memcpy(&candidate, entry, sizeof candidate);
        if (!candidate) return nearest;
        size_t distance = edit_distance(name, candidate);
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
}
