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

double *history_next(history *h, double *rows) {
    if (h->seen++ & (h->stride - 1)) return NULL; /* a power of 2 */
    if (h->count == h->capacity) { /* even: the state that comes in is in step with the new stride, too */
        for (size_t i = 1; i < h->capacity / 2; i++)
            memcpy(rows + i * h->dim, rows + 2 * i * h->dim, h->dim * sizeof *rows);
        h->count /= 2;
        h->stride *= 2;
    }
    return rows + h->count++ * h->dim;
}

void history_add(history *h, double *rows, const double *x) {
    double *row = history_next(h, rows);
    if (row) memcpy(row, x, h->dim * sizeof *row);
}

void history_forget(history *h, double *rows) {
    size_t gone = h->count / 2;
    h->count -= gone;
    memmove(rows, rows + gone * h->dim, h->count * h->dim * sizeof *rows);
}
