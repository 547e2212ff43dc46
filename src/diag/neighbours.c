/* neighbours.c - see neighbours.h. */
#include "diag/neighbours.h"

#include <math.h>

void neighbours_insert(size_t k, uint32_t *index, double *square, uint32_t who, double distance) {
    size_t j = k - 1;
    for (; j > 0 && distance < square[j - 1]; j--) {
        square[j] = square[j - 1];
        index[j] = index[j - 1];
    }
    square[j] = distance;
    index[j] = who;
}

void neighbours_find(size_t count, size_t stride, const double *points, size_t k, uint32_t *index, double *square) {
    for (size_t i = 0; i < count * k; i++) square[i] = HUGE_VAL;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            double distance = point_distance(stride, points + i * stride, points + j * stride);
            if (distance < square[(i + 1) * k - 1])
                neighbours_insert(k, index + i * k, square + i * k, (uint32_t)j, distance);
            if (distance < square[(j + 1) * k - 1])
                neighbours_insert(k, index + j * k, square + j * k, (uint32_t)i, distance);
        }
}
