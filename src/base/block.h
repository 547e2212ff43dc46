/* block.h - laying out a flat block of memory by offsets.
 *
 * A sampler's state is one block without pointers, so that a copy of it is a snapshot. Its arrays are found by
 * their offset from the start of the block. */
#ifndef CKAM_BASE_BLOCK_H
#define CKAM_BASE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

enum { BLOCK_ALIGNMENT = 64 };

/* Reserves rows * columns doubles behind *end, which grows, and returns their offset. An overflow makes *end
 * SIZE_MAX and stays there: allocating such a block fails. */
static inline size_t block_take(size_t *end, size_t rows, size_t columns) {
    size_t count, bytes, start, last;
    if (*end > SIZE_MAX - BLOCK_ALIGNMENT || __builtin_mul_overflow(rows, columns, &count) ||
        __builtin_mul_overflow(count, sizeof(double), &bytes))
        return *end = SIZE_MAX;
    start = (*end + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    if (__builtin_add_overflow(start, bytes, &last)) return *end = SIZE_MAX;
    *end = last;
    return start;
}

/* The array at an offset of the block that begins at `base`. */
static inline double       *block_at(void *base, size_t offset) { return (double *)(void *)((char *)base + offset); }
static inline const double *block_at_const(const void *base, size_t offset) {
    return (const double *)(const void *)((const char *)base + offset);
}

#endif
