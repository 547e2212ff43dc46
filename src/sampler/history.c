/* history.c - see history.h. */
#include "sampler/history.h"

#include <string.h>

enum { STATES_MOST = 20000, BYTES_MOST = 32 << 20 };

size_t history_capacity(size_t dim, uint64_t subsample, uint64_t needed) {
    uint64_t fit = BYTES_MOST / sizeof(double) / dim; /* not by a product, which may overflow to 0 */
    if (fit > STATES_MOST) fit = STATES_MOST;
    if (fit < 2 * subsample) fit = 2 * subsample;
    if (fit > needed) fit = needed;
    return (size_t)(fit + fit % 2);
}

void history_restart(history *h, size_t dim, size_t capacity) {
    *h = (history){.dim = dim, .capacity = capacity, .stride = 1};
}

void history_add(history *h, double *rows, const double *x) {
    size_t bytes = h->dim * sizeof *rows;
    if (h->seen++ % h->stride) return;
    if (h->count == h->capacity) { /* even: the state that comes in is in step with the new stride, too */
        for (size_t i = 1; i < h->capacity / 2; i++) memcpy(rows + i * h->dim, rows + 2 * i * h->dim, bytes);
        h->count /= 2;
        h->stride *= 2;
    }
    memcpy(rows + h->count++ * h->dim, x, bytes);
}

void history_forget(history *h, double *rows) {
    size_t gone = h->count / 2;
    h->count -= gone;
    memmove(rows, rows + gone * h->dim, h->count * h->dim * sizeof *rows);
}
