/* panels.c - a lower triangle in panels of eight rows, for products that are wanted often.
 *
 * In a panel the eight numbers of a column are neighbours, and the eight sums of a product stay in registers: nothing is
 * stored until they are complete. The order of a sum is that of the columns, at any vector width. */
#include "base/wide.h"
#include "linalg/linalg.h"

enum { ROWS = 8 };

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

WIDE static void multiply(size_t dim, const double *restrict panels, const double *restrict v, double *restrict out) {
    for (size_t row = 0; row < dim; row += ROWS) {
        size_t columns = row + ROWS < dim ? row + ROWS : dim;
        double sum[ROWS] = {0};
        for (size_t j = 0; j < columns; j++, panels += ROWS) {
            const double factor = v[j];
#pragma omp simd /* left to itself gcc takes the loop over the columns, with a transposition at each step */
            for (size_t i = 0; i < ROWS; i++) sum[i] += panels[i] * factor;
        }
        for (size_t i = 0; i < ROWS && row + i < dim; i++) out[row + i] = sum[i];
    }
}

void panels_multiply(size_t dim, const double *panels, const double *v, double *out) { multiply(dim, panels, v, out); }
