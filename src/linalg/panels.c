/* panels.c - a lower triangle in panels of eight rows, for products that are wanted often.
 *
 * In a panel the eight numbers of a column are neighbours, and the eight sums of a product stay in registers: nothing is
 * stored until they are complete. The order of a sum is that of the columns, at any vector width. */
#include "base/wide.h"
#include "linalg/linalg.h"

enum { ROWS = 8, PAIR = 2 * ROWS };

/* The panels before this one are full: 8, 16, 24 ... columns. */
static size_t start(size_t panel) { return (panel * (panel + 1) / 2) * ROWS * ROWS; }

size_t panels_size(size_t dim) { return start((dim - 1) / ROWS) + ROWS * dim; }

void panels_set_column(size_t dim, double *panels, size_t j, const double *column) {
    for (size_t p = j / ROWS; p * ROWS < dim; p++)
        for (size_t i = 0; i < ROWS; i++) {
            size_t row = p * ROWS + i;
            panels[start(p) + j * ROWS + i] = row >= j && row < dim ? column[row] : 0.0;
        }
}

/* sum += column * factor, eight rows. Left to itself gcc takes the loop over the columns around it, with a transposition at
 * each step. */
static inline void add_column(const double *restrict column, double factor, double *restrict sum) {
#pragma omp        simd
    for (size_t i = 0; i < ROWS; i++) sum[i] += column[i] * factor;
}

/* Two panels at a time, as an addition waits for the one before it in the same sum. */
WIDE static void multiply(size_t dim, const double *restrict panels, const double *restrict v, double *restrict out) {
    size_t row = 0;
    for (; row + PAIR <= dim; row += PAIR) {
        const double *below = panels + (row + ROWS) * ROWS;
        double        sum[ROWS] = {0}, sum_below[ROWS] = {0};
        size_t        j = 0;
        for (; j < row + ROWS; j++, panels += ROWS, below += ROWS) {
            add_column(panels, v[j], sum);
            add_column(below, v[j], sum_below);
        }
        for (; j < row + PAIR; j++, below += ROWS) add_column(below, v[j], sum_below);
        for (size_t i = 0; i < ROWS; i++) out[row + i] = sum[i];
        for (size_t i = 0; i < ROWS; i++) out[row + ROWS + i] = sum_below[i];
        panels = below;
    }
    for (; row < dim; row += ROWS) {
        size_t columns = row + ROWS < dim ? row + ROWS : dim;
        double sum[ROWS] = {0};
        for (size_t j = 0; j < columns; j++, panels += ROWS) add_column(panels, v[j], sum);
        for (size_t i = 0; i < ROWS && row + i < dim; i++) out[row + i] = sum[i];
    }
}

/* The order of the sum is that of vec_dot(). */
WIDE static double square(size_t dim, const double *restrict panels, const double *restrict x,
                          const double *restrict mean, double limit, double *restrict away) {
    double all[ROWS] = {0}, last[ROWS] = {0}, total = 0.0, rest = 0.0;
    size_t row = 0;
    for (size_t k = 0; k < dim; k++) away[k] = x[k] - mean[k];
    for (; row + ROWS <= dim; row += ROWS) {
        double sum[ROWS] = {0};
        for (size_t j = 0; j < row + ROWS; j++, panels += ROWS) add_column(panels, away[j], sum);
#pragma omp simd
        for (size_t i = 0; i < ROWS; i++) all[i] += sum[i] * sum[i];
        total = ((all[0] + all[1]) + (all[2] + all[3])) + ((all[4] + all[5]) + (all[6] + all[7]));
        if (total > limit) return total;
    }
    if (row == dim) return total;
    for (size_t j = 0; j < dim; j++, panels += ROWS) add_column(panels, away[j], last);
    for (size_t i = 0; row + i < dim; i++) rest += last[i] * last[i];
    return total + rest;
}

/* In the plane the loops would take five times as long, and give the same. */
void panels_multiply(size_t dim, const double *panels, const double *v, double *out) {
    if (dim != 2) {
        multiply(dim, panels, v, out);
        return;
    }
    const double v0 = v[0], v1 = v[1];
    out[0] = panels[0] * v0;
    out[1] = panels[1] * v0 + panels[ROWS + 1] * v1;
}

double panels_square(size_t dim, const double *panels, const double *x, const double *mean, double limit,
                     double *work) {
    if (dim != 2) return square(dim, panels, x, mean, limit, work);
    const double a0 = x[0] - mean[0], a1 = x[1] - mean[1];
    const double u0 = panels[0] * a0, u1 = panels[1] * a0 + panels[ROWS + 1] * a1;
    return u0 * u0 + u1 * u1;
}
