/* test_neighbours.c - distances and neighbours against the obvious loops, in few dimensions and many, with ties, and with
 * coordinates whose squares are no numbers. */
#include "normals.h"

#include "diag/neighbours.h"

#include <math.h>

enum { K = 5 };

/* Rows of point_stride(dim) numbers on a grid of half steps: many distances are equal. */
static double *points_on_grid(size_t count, size_t dim, uint64_t seed) {
    const size_t stride = point_stride(dim);
    double      *rows = numbers(count * stride), *drawn = normals(count * dim, seed);
    for (size_t i = 0; i < count * stride; i++)
        rows[i] = i % stride < dim ? 0.5 * rint(2.0 * drawn[i / stride * dim + i % stride]) : 0.0;
    free(drawn);
    return rows;
}

/* Of numbers on that grid every sum of squares is exact, so its order does not matter. */
static double distance(size_t dim, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t k = 0; k < dim; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum < DBL_MAX ? sum : DBL_MAX;
}

/* The neighbour of i that comes next, by distance and then by number, after (square, last). */
static size_t next_neighbour(size_t count, size_t dim, const double *rows, size_t i, double square, size_t last) {
    const size_t stride = point_stride(dim);
    size_t       best = count;
    double       nearest = HUGE_VAL;
    for (size_t j = 0; j < count; j++) {
        double d = distance(dim, rows + i * stride, rows + j * stride);
        if (j == i || d < square || (d == square && j <= last) || d >= nearest) continue;
        nearest = d;
        best = j;
    }
    return best;
}

static void check(size_t count, size_t dim, const double *rows) {
    const size_t stride = point_stride(dim);
    uint32_t    *index = calloc(count * K, sizeof *index);
    double      *square = numbers(count * K);
    cloud        c;
    assert_true(cloud_create(&c, count, dim));
    cloud_fill(&c, rows);
    neighbours_find(&c, K, index, square);
    for (size_t i = 0; i < count; i++) {
        const double *x = rows + i * stride;
        double        last = -1.0;
        size_t        who = 0;
        for (size_t k = 0; k < K; k++) {
            who = next_neighbour(count, dim, rows, i, last, who);
            last = distance(dim, x, rows + who * stride);
            assert_int_equal(index[i * K + k], who);
            assert_true(square[i * K + k] == last);
        }
        const double *all = cloud_distances(&c, x, count);
        for (size_t j = 0; j < count; j++) {
            assert_true(all[j] == distance(dim, x, rows + j * stride));
            assert_true(all[j] == point_distance(stride, x, rows + j * stride));
        }
        size_t first = 0; /* with no distance to x: x itself, or one like it before */
        while (all[first] > 0.0 && first < i) first++;
        if (all[first] == 0.0) assert_int_equal(cloud_nearest(&c, x), first);
    }
    cloud_free(&c);
    free(square);
    free(index);
}

static void neighbours_are_those_of_the_obvious_loop(void **state) {
    (void)state;
    static const size_t dims[] = {1, 2, 3, 8, 9, 32}, counts[] = {K + 1, 64, 203};
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
        for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
            double *rows = points_on_grid(counts[n], dims[d], 1 + d);
            check(counts[n], dims[d], rows);
            free(rows);
        }
}

/* Points so far out that squares overflow, and places that are no numbers, are the farthest, by number. */
static void what_cannot_be_measured_is_far(void **state) {
    (void)state;
    double *rows = points_on_grid(40, 2, 7);
    rows[3 * POINT_LANES] = 1e200;
    rows[4 * POINT_LANES + 1] = -1e200;
    rows[8 * POINT_LANES] = HUGE_VAL;
    rows[9 * POINT_LANES] = (double)NAN;
    check(40, 2, rows);
    free(rows);
}

/* Every point that is nearer than its bound, or than `own`, is met, in order. */
static void the_next_one_is_the_next(void **state) {
    (void)state;
    enum { COUNT = 61 };
    double *rows = points_on_grid(COUNT, 2, 9), own = 0.5;
    cloud   c;
    assert_true(cloud_create(&c, COUNT, 2));
    cloud_fill(&c, rows);
    for (size_t i = 0; i < COUNT; i++) c.bound[i] = i % 7 ? 0.0 : 2.0;
    for (size_t before = 0; before <= COUNT; before++) {
        const double *square = cloud_distances(&c, rows, before);
        size_t        at = cloud_next(&c, 0, before, own);
        for (size_t i = 0; i < before; i++) {
            if (square[i] >= own && square[i] >= c.bound[i]) continue;
            assert_int_equal(at, i);
            at = cloud_next(&c, at + 1, before, own);
        }
        assert_true(at >= before);
    }
    cloud_free(&c);
    free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_those_of_the_obvious_loop),
        cmocka_unit_test(what_cannot_be_measured_is_far),
        cmocka_unit_test(the_next_one_is_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
