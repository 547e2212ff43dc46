/* blocked.c - products A A^T and Cholesky factors of large matrices: see blocked.h.
 *
 * Numbers are copied to strips of eight rows, in which those of one column are neighbours, and multiplied in tiles of 8 x 4
 * whose sums stay in registers. So neither the layout of the matrix nor an order that is a power of two matters. The order of a sum
 * is that of the columns, at any vector width. */
#include "linalg/blocked.h"

#include "base/wide.h"

#include <math.h>
#include <string.h>

/* WIDTH columns of the result are made at a time, from PART columns of A: 128 kB of copies, which stay in the second cache. With
 * 64 and 64, which would fit into the first, orders of 500 and more take a fifth longer (measured). */
enum { WIDTH = 128, PART = 128 };
enum { ROWS = 8, TILE = 4 };

typedef double strip[PART][ROWS];

/* A matrix: row i, column k is at at[i * row_step + k * column_step]; one of the steps is 1. */
typedef struct view {
    const double *at;
    size_t        row_step, column_step;
} view;

typedef double pair __attribute__((vector_size(16)));

/* Eight rows of a matrix whose rows are contiguous, two rows and two columns at a time. */
static inline void transpose(const double *from, size_t step, size_t columns, strip to) {
    size_t c = 0;
    for (; c + 2 <= columns; c += 2)
        for (size_t r = 0; r < ROWS; r += 2) {
            pair a, b;
            memcpy(&a, from + r * step + c, sizeof a);
            memcpy(&b, from + (r + 1) * step + c, sizeof b);
            const pair first = {a[0], b[0]}, second = {a[1], b[1]};
            memcpy(to[c] + r, &first, sizeof first);
            memcpy(to[c + 1] + r, &second, sizeof second);
        }
    for (size_t r = 0; c < columns && r < ROWS; r++) to[c][r] = from[r * step + c];
}

/* Rows i to i + 7 of `columns` columns from k on; 0 in place of rows behind the last. */
static inline void copy_strip(view a, size_t i, size_t rows, size_t k, size_t columns, strip to) {
    const double *from = a.at + i * a.row_step + k * a.column_step;
    const size_t  step = a.row_step, next = a.column_step;
    if (rows - i < ROWS) {
        for (size_t c = 0; c < columns; c++)
            for (size_t r = 0; r < ROWS; r++) to[c][r] = i + r < rows ? from[r * step + c * next] : 0.0;
    } else if (step == 1) {
        for (size_t c = 0; c < columns; c++)
            for (size_t r = 0; r < ROWS; r++) to[c][r] = from[r + c * next];
    } else {
        transpose(from, step, columns, to);
    }
}

/* sum += column * factor. */
static inline void add_column(const double *restrict column, double factor, double *restrict sum) {
#pragma omp        simd
    for (size_t r = 0; r < ROWS; r++) sum[r] += column[r] * factor;
}

/* sum := the strip `left` times four rows of the strip `right`, from row `first` on. */
static inline void multiply(size_t columns, strip left, strip right, size_t first, double sum[TILE][ROWS]) {
    double a[ROWS] = {0}, b[ROWS] = {0}, c[ROWS] = {0}, d[ROWS] = {0};
    for (size_t k = 0; k < columns; k++) {
        add_column(left[k], right[k][first], a);
        add_column(left[k], right[k][first + 1], b);
        add_column(left[k], right[k][first + 2], c);
        add_column(left[k], right[k][first + 3], d);
    }
    for (size_t r = 0; r < ROWS; r++) {
        sum[0][r] = a[r];
        sum[1][r] = b[r];
        sum[2][r] = c[r];
        sum[3][r] = d[r];
    }
}

/* c += sign * sum, as far as it lies in the lower triangle, in whose row i and column j it begins. */
static inline void add_tile(double sign, double sum[TILE][ROWS], size_t i, size_t j, size_t rows, size_t columns,
                            double *c, size_t stride) {
    if (i + 1 >= j + TILE && i + ROWS <= rows && j + TILE <= columns) {
        for (size_t q = 0; q < TILE; q++)
#pragma omp simd
            for (size_t r = 0; r < ROWS; r++) c[(j + q) * stride + i + r] += sign * sum[q][r];
        return;
    }
    for (size_t q = 0; q < TILE && j + q < columns; q++)
        for (size_t r = 0; r < ROWS && i + r < rows; r++)
            if (i + r >= j + q) c[(j + q) * stride + i + r] += sign * sum[q][r];
}

/* The lower part of the first `columns` columns of C += sign A A^T, A of rows x inner. */
WIDE static void add_columns(double sign, view a, size_t rows, size_t inner, size_t columns, double *c, size_t stride) {
    strip  right[WIDTH / ROWS], left;
    double sum[TILE][ROWS];
    for (size_t k = 0; k < inner; k += PART) {
        const size_t depth = inner - k < PART ? inner - k : PART;
        for (size_t i = 0; i < rows; i += ROWS) {
            strip *now = i < columns ? &right[i / ROWS] : &left;
            copy_strip(a, i, rows, k, depth, *now);
            for (size_t j = 0; j < columns && j < i + ROWS; j += TILE) {
                multiply(depth, *now, right[j / ROWS], j % ROWS, sum);
                add_tile(sign, sum, i, j, rows, columns, c, stride);
            }
        }
    }
}

void blocked_product(size_t order, size_t inner, const double *a, size_t row_step, size_t column_step,
                     double *product) {
    for (size_t j = 0; j < order; j += WIDTH) {
        const size_t columns = order - j < WIDTH ? order - j : WIDTH;
        for (size_t k = j; k < j + columns; k++)
            for (size_t i = k; i < order; i++) product[k * order + i] = 0.0;
        add_columns(1.0, (view){a + j * row_step, row_step, column_step}, order - j, inner, columns,
                    product + j * order + j, order);
    }
}

/* Four columns of the strip x, whose first row is i, from column j on: x_j := (x_j - sum_k<j x_k L_jk) / L_jj. Where the strip has the
 * diagonal of L, L_jj is made here. Returns 0, or the number of the column that has no pivot. */
static inline size_t solve_tile(strip x, strip *factor, size_t i, size_t j, size_t columns, double *inverse) {
    double sum[TILE][ROWS];
    multiply(j, x, factor[j / ROWS], j % ROWS, sum);
    for (size_t q = j; q < j + TILE && q < columns; q++) {
        strip  *row = &factor[q / ROWS];
        double *column = x[q];
        for (size_t r = 0; r < ROWS; r++) column[r] -= sum[q - j][r];
        for (size_t k = j; k < q; k++) add_column(x[k], -(*row)[k][q % ROWS], column);
        if (q >= i) {
            if (!is_pivot(column[q - i])) return q + 1;
            inverse[q] = 1 / sqrt(column[q - i]);
        }
#pragma omp simd
        for (size_t r = 0; r < ROWS; r++) column[r] *= inverse[q];
    }
    return 0;
}

/* The strip back to where its first row is i, as far as it lies in the lower triangle. */
static inline void put_strip(strip x, size_t i, size_t rows, size_t columns, double *a, size_t stride) {
    size_t c = 0;
    for (; c <= i && c < columns && i + ROWS <= rows; c++)
        for (size_t r = 0; r < ROWS; r++) a[c * stride + i + r] = x[c][r];
    for (; c < columns; c++)
        for (size_t r = 0; r < ROWS && i + r < rows; r++)
            if (i + r >= c) a[c * stride + i + r] = x[c][r];
}

/* The Cholesky factor of the first `columns` columns, for all their rows. */
WIDE static size_t factor_columns(size_t rows, size_t columns, double *a, size_t stride) {
    strip  factor[WIDTH / ROWS], below;
    double inverse[WIDTH];
    for (size_t i = 0; i < rows; i += ROWS) {
        strip       *now = i < columns ? &factor[i / ROWS] : &below;
        const size_t most = i + ROWS < columns ? i + ROWS : columns;
        copy_strip((view){a, 1, stride}, i, rows, 0, most, *now);
        for (size_t c = i + 1; c < most; c++)
            for (size_t r = 0; r < c - i; r++) (*now)[c][r] = 0.0; /* above the diagonal */
        for (size_t j = 0; j < most; j += TILE) {
            const size_t minor = solve_tile(*now, factor, i, j, columns, inverse);
            if (minor) return minor;
        }
        put_strip(*now, i, rows, most, a, stride);
    }
    return 0;
}

/* Left-looking: a block of columns loses what the columns before it explain, and is then factored. */
size_t blocked_factor(size_t dim, double *a) {
    for (size_t j = 0; j < dim; j += WIDTH) {
        const size_t columns = dim - j < WIDTH ? dim - j : WIDTH;
        double      *corner = a + j * dim + j;
        add_columns(-1.0, (view){a + j, 1, dim}, dim - j, j, columns, corner, dim);
        const size_t minor = factor_columns(dim - j, columns, corner, dim);
        if (minor) return j + minor;
    }
    return 0;
}
