/* store.c - see store.h. */
#include "run/store.h"

#include <stdlib.h>
#include <string.h>

bool store_create(store *s, size_t columns, size_t most) {
    *s = (store){.columns = columns, .most = most, .stride = 1, .values = calloc(most, columns * sizeof(double))};
    if (!s->values) return false;
    pthread_mutex_init(&s->lock, NULL);
    return true;
}

void store_free(store *s) {
    if (!s->values) return;
    pthread_mutex_destroy(&s->lock);
    free(s->values);
    s->values = NULL;
}

void store_clear(store *s) {
    pthread_mutex_lock(&s->lock);
    s->rows = 0;
    s->stride = 1;
    pthread_mutex_unlock(&s->lock);
}

/* Drops every second row. */
static void halve(store *s) {
    s->rows /= 2;
    s->stride *= 2;
    for (size_t i = 1; i < s->rows; i++)
        memcpy(s->values + i * s->columns, s->values + 2 * i * s->columns, s->columns * sizeof *s->values);
}

void store_add(store *s, uint64_t index, const double *row) {
    if (index % s->stride) return; /* only this thread changes the stride */
    pthread_mutex_lock(&s->lock);
    if (s->rows == s->most) halve(s);
    if (index % s->stride == 0) memcpy(s->values + s->rows++ * s->columns, row, s->columns * sizeof *row);
    pthread_mutex_unlock(&s->lock);
}

/* Strides are powers of 2, so every k-th row of a store with stride s is a row of one with stride k s. */
static size_t rows_at(const store *s, uint64_t stride) {
    uint64_t step = stride / s->stride;
    return (size_t)((s->rows + step - 1) / step);
}

/* Copies `rows` rows at a common stride; false if the store has a wider one meanwhile. */
static bool copy_rows(store *s, uint64_t stride, size_t rows, size_t count, size_t index, double *values) {
    pthread_mutex_lock(&s->lock);
    bool   fits = s->stride <= stride;
    size_t step = fits ? (size_t)(stride / s->stride) : 0;
    for (size_t row = 0; fits && row < rows; row++)
        for (size_t k = 0; k < s->columns; k++)
            values[(k * count + index) * rows + row] = s->values[row * step * s->columns + k];
    pthread_mutex_unlock(&s->lock);
    return fits;
}

/* One lock at a time is enough: which draw a row is follows from its index, and the rows at a stride only grow in number. */
size_t store_gather(store *const *stores, size_t count, double *values) {
    uint64_t stride = 1;
    size_t   rows = 0, copied = 0;
    while (copied < count) {
        rows = SIZE_MAX;
        for (size_t i = 0; i < count; i++) {
            pthread_mutex_lock(&stores[i]->lock);
            if (stores[i]->stride > stride) stride = stores[i]->stride;
            pthread_mutex_unlock(&stores[i]->lock);
        }
        for (size_t i = 0; i < count; i++) {
            pthread_mutex_lock(&stores[i]->lock);
            size_t own = stores[i]->stride <= stride ? rows_at(stores[i], stride) : 0;
            if (own < rows) rows = own;
            pthread_mutex_unlock(&stores[i]->lock);
        }
        for (copied = 0; copied < count; copied++)
            if (!copy_rows(stores[copied], stride, rows, count, copied, values)) break;
    }
    return rows;
}

/* -- As numbers --------------------------------------------------------------------------------------------------- */

enum { PACKED_HEAD = 2 }; /* rows and stride, which are exact as such numbers */

size_t store_packed_most(const store *s) { return PACKED_HEAD + s->most * s->columns; }

size_t store_pack(store *s, double *numbers) {
    pthread_mutex_lock(&s->lock);
    size_t count = s->rows * s->columns;
    numbers[0] = (double)s->rows;
    numbers[1] = (double)s->stride;
    memcpy(numbers + PACKED_HEAD, s->values, count * sizeof *numbers);
    pthread_mutex_unlock(&s->lock);
    return PACKED_HEAD + count;
}

size_t store_unpack(store *s, const double *numbers) {
    s->rows = (size_t)numbers[0];
    s->stride = (uint64_t)numbers[1];
    memcpy(s->values, numbers + PACKED_HEAD, s->rows * s->columns * sizeof *numbers);
    return PACKED_HEAD + s->rows * s->columns;
}
