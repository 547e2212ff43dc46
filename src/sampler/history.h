/* history.h - the states that a chain has visited, evenly thinned to fit into bounded memory.
 *
 * Every state is kept, repeats too, until the room is full; then every second one is dropped and from there on
 * only every second (fourth, eighth, ...) state comes in. What is left is an even thinning of the whole past. */
#ifndef CKAM_SAMPLER_HISTORY_H
#define CKAM_SAMPLER_HISTORY_H

#include <stddef.h>
#include <stdint.h>

typedef struct history {
    size_t   dim, capacity, count;
    uint64_t seen, stride; /* states so far; one in `stride` is kept */
} history;

/* States that fit: 32 MiB of them, at most 20,000 and at least twice the subsample; an even number, and no more
 * than the `needed` first states of a chain that is restarted before it has more. */
size_t history_capacity(size_t dim, uint64_t subsample, uint64_t needed);

/* rows: capacity * dim numbers, the caller's. */
void history_restart(history *h, size_t dim, size_t capacity);
/* The place for the next state, to be written there; NULL where that is not kept. */
double *history_next(history *h, double *rows);
void    history_add(history *h, double *rows, const double *x);
/* Drops the older half. */
void history_forget(history *h, double *rows);

#endif
