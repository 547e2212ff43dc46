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

/* Strides are powers of 2, so a wider one is met by every so many rows of a narrower one. */
static size_t common_rows(store *const *stores, size_t count, uint64_t *stride) {
    size_t rows = SIZE_MAX;
    *stride = 1;
    for (size_t i = 0; i < count; i++)
        if (stores[i]->stride > *stride) *stride = stores[i]->stride;
    for (size_t i = 0; i < count; i++) {
        uint64_t step = *stride / stores[i]->stride;
        size_t   own = (size_t)((stores[i]->rows + step - 1) / step);
        if (own < rows) rows = own;
    }
    return rows;
}

size_t store_gather(store *const *stores, size_t count, double *values) {
    uint64_t stride;
    for (size_t i = 0; i < count; i++) pthread_mutex_lock(&stores[i]->lock);
    size_t rows = common_rows(stores, count, &stride), columns = stores[0]->columns;
    for (size_t i = 0; i < count; i++) {
        const store *s = stores[i];
        size_t       step = (size_t)(stride / s->stride);
        for (size_t row = 0; row < rows; row++)
            for (size_t k = 0; k < columns; k++)
                values[(k * count + i) * rows + row] = s->values[row * step * columns + k];
    }
    for (size_t i = 0; i < count; i++) pthread_mutex_unlock(&stores[i]->lock);
    return rows;
}
