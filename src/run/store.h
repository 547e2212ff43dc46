/* store.h - the draws of one chain that a run keeps in memory: thinned evenly to a fixed capacity.
 *
 * For stop rules, progress, and runs that write no files. The chain's thread adds rows; another may read. Which draws are kept
 * depends on their number alone. */
#ifndef CKAM_RUN_STORE_H
#define CKAM_RUN_STORE_H

#include "ckam.h"

#include <pthread.h>

typedef struct store {
    pthread_mutex_t lock;
    size_t          columns, most, rows;
    uint64_t        stride; /* row i is draw i * stride */
    double         *values; /* most * columns; NULL: not in use */
} store;

/* Room for `most` rows, an even number. False for want of memory. */
bool store_create(store *s, size_t columns, size_t most);
void store_free(store *s);
/* Forgets all rows. */
void store_clear(store *s);
/* Draw number `index`, from 0, in order. */
void store_add(store *s, uint64_t index, const double *row);

/* The rows that all stores have, of draws with the same numbers: values[(column * count + store) * rows + row]; returns rows. `values` has
 * room for count * most * columns numbers. */
size_t store_gather(store *const *stores, size_t count, double *values);

/* Packs a store into an array, and unpacks it into a store of the same capacity on another rank; both return the array's length. */
size_t store_packed_most(const store *s);
size_t store_pack(store *s, double *numbers);
size_t store_unpack(store *s, const double *numbers);

#endif
