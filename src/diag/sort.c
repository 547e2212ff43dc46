/* sort.c - diag_sort() of diag.h, and sort.h.
 *
 * Quicksort whose pivot is the middle between the least and the greatest number, counted in doubles: each pass halves
 * the range that is left, so 64 of them leave nothing, whatever the numbers. It takes about as many passes as with a
 * median of three, and equal numbers need no care. */
#include "diag/sort.h"

#include "base/fastmath.h"
#include "diag/diag.h"

#include <math.h>

enum {
    INSERTION = 24, /* as many or fewer are sorted by insertion; measured */
    PASSES = 65     /* at most, over any number */
};

/* Doubles as whole numbers in the same order; 0 for -0 too. */
static uint64_t place_of(double x) {
    const uint64_t bits = bits_of(x + 0.0), sign = UINT64_C(1) << 63;
    return bits & sign ? ~bits : bits | sign;
}

static double at_place(uint64_t place) {
    const uint64_t sign = UINT64_C(1) << 63;
    return double_of(place & sign ? place ^ sign : ~place);
}

/* A number above the least and not above the greatest; NaN when all are equal. */
static double middle_of(const double *values, size_t count) {
    double least = values[0], greatest = values[0];
    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        greatest = values[i] > greatest ? values[i] : greatest;
    }
    if (!(least < greatest)) return (double)NAN;
    const uint64_t low = place_of(least), high = place_of(greatest);
    return at_place(high - (high - low) / 2);
}

/* Brings what is below the pivot to the front and returns how many that are. Every number is moved, whether it has to
 * be or not: a branch would be mispredicted every other time. */
static size_t partition(double *values, uint32_t *order, size_t count, double pivot) {
    size_t below = 0;
    for (size_t i = 0; i < count; i++) {
        const double x = values[i];
        values[i] = values[below];
        values[below] = x;
        if (order) {
            const uint32_t from = order[i];
            order[i] = order[below];
            order[below] = from;
        }
        below += x < pivot;
    }
    return below;
}

static void insert(double *values, uint32_t *order, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const double   x = values[i];
        const uint32_t from = order ? order[i] : 0;
        size_t         k = i;
        for (; k > 0 && x < values[k - 1]; k--) {
            values[k] = values[k - 1];
            if (order) order[k] = order[k - 1];
        }
        values[k] = x;
        if (order) order[k] = from;
    }
}

void sort_with_order(double *values, uint32_t *order, size_t count) {
    size_t later[PASSES], waiting = 0, start = 0; /* later: the ends of the parts that follow, the nearest last */
    for (size_t end = count;; end = later[--waiting]) {
        double pivot;
        while (end - start > INSERTION && !isnan(pivot = middle_of(values + start, end - start))) {
            later[waiting++] = end;
            end = start + partition(values + start, order ? order + start : NULL, end - start, pivot);
        }
        if (end - start <= INSERTION) insert(values + start, order ? order + start : NULL, end - start);
        start = end;
        if (waiting == 0) return;
    }
}

void diag_sort(double *values, size_t count) {
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            const double x = values[i];
            values[i] = values[numbers];
            values[numbers++] = x;
        }
    sort_with_order(values, NULL, numbers);
}
