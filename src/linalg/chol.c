/* chol.c - Cholesky factors: made, changed by rank one, multiplied and solved with.
 *
 * All loops run down columns, which are contiguous. Where a pass only adds columns to a vector it takes two of them,
 * which halves the loads and stores of the vector. */
#include "base/wide.h"
#include "linalg/blocked.h"
#include "linalg/linalg.h"

#include <math.h>

/* y += a0 x0 + a1 x1. */
static inline void add_two(size_t n, double a0, const double *restrict x0, double a1, const double *restrict x1,
                           double *restrict y) {
    for (size_t i = 0; i < n; i++) y[i] += a0 * x0[i] + a1 * x1[i];
}

/* Four columns at a time below the triangle that they begin with: v is loaded once for them. */
WIDE static void add_outer(size_t dim, double weight, const double *restrict v, double *restrict a) {
    size_t k = 0;
    for (; k + 4 <= dim; k += 4, a += 4 * dim) {
        double      *a1 = a + dim, *a2 = a1 + dim, *a3 = a2 + dim;
        const double f0 = weight * v[k], f1 = weight * v[k + 1], f2 = weight * v[k + 2], f3 = weight * v[k + 3];
        for (size_t i = 0; i < 4; i++) {
            for (size_t j = 0; j <= i; j++) a[j * dim + k + i] += weight * v[k + j] * v[k + i];
        }
#pragma omp simd
        for (size_t i = k + 4; i < dim; i++) {
            a[i] += f0 * v[i];
            a1[i] += f1 * v[i];
            a2[i] += f2 * v[i];
            a3[i] += f3 * v[i];
        }
    }
    for (; k < dim; k++, a += dim)
        for (size_t i = k; i < dim; i++) a[i] += weight * v[k] * v[i];
}

WIDE static void multiply_add(size_t dim, const double *l, double scale, const double *v, double *out) {
    size_t j = 0;
    for (; j + 2 <= dim; j += 2) {
        const double *c0 = l + j * dim, *c1 = c0 + dim;
        const double  a0 = scale * v[j], a1 = scale * v[j + 1];
        out[j] += a0 * c0[j];
        add_two(dim - j - 1, a0, c0 + j + 1, a1, c1 + j + 1, out + j + 1);
    }
    if (j < dim) out[j] += scale * v[j] * l[j * dim + j];
}

/* j begins even, whatever the vector begins with: the sums have one order. */
WIDE static void solve(size_t dim, const double *l, size_t zeros, double *v) {
    size_t j = zeros / 2 * 2;
    for (; j + 2 <= dim; j += 2) {
        const double *c0 = l + j * dim, *c1 = c0 + dim;
        v[j] /= c0[j];
        v[j + 1] = (v[j + 1] - v[j] * c0[j + 1]) / c1[j + 1];
        add_two(dim - j - 2, -v[j], c0 + j + 2, -v[j + 1], c1 + j + 2, v + j + 2);
    }
    if (j < dim) v[j] /= l[j * dim + j];
}

/* y -= what four columns explain of it: each times its number in the row where y begins, which is c[0], c[dim], ... */
static inline void take_off_four(size_t n, size_t dim, const double *restrict c, double *restrict y) {
    const double *c1 = c + dim, *c2 = c1 + dim, *c3 = c2 + dim;
    const double  a0 = *c, a1 = *c1, a2 = *c2, a3 = *c3;
    for (size_t i = 0; i < n; i++) y[i] -= (a0 * c[i] + a1 * c1[i]) + (a2 * c2[i] + a3 * c3[i]);
}

/* Left-looking: column j loses what the columns before it explain, A_ij - sum_k<j L_ik L_jk, and is then scaled. */
WIDE static size_t factor_inline(size_t dim, double *a) {
    for (size_t j = 0; j < dim; j++) {
        double *column = a + j * dim;
        size_t  k = 0;
        for (; k + 4 <= j; k += 4) take_off_four(dim - j, dim, a + k * dim + j, column + j);
        for (; k < j; k++) {
            const double *before = a + k * dim, factor = before[j];
            for (size_t i = j; i < dim; i++) column[i] -= factor * before[i];
        }
        if (!is_pivot(column[j])) return j + 1;
        column[j] = sqrt(column[j]);
        const double inverse = 1 / column[j];
        for (size_t i = j + 1; i < dim; i++) column[i] *= inverse;
    }
    return 0;
}

size_t chol_factor(size_t dim, double *a) {
    return dim < LINALG_BLOCKED_DIM ? factor_inline(dim, a) : blocked_factor(dim, a);
}

/* A logarithm costs as much as ten products, so it is taken of products. Pivots are roots of numbers, between 1e-162 and
 * 1e154: one more factor keeps a product in range. */
double chol_log_det(size_t dim, const double *l) {
    double sum = 0, product = 1;
    for (size_t k = 0; k < dim; k++) {
        product *= l[k * dim + k];
        if (product > 1e-100 && product < 1e100) continue;
        sum += log(product);
        product = 1;
    }
    return 2 * (sum + log(product));
}

/* The rotation that takes (scale * l, v) to (r, 0): c = scale * l / r, s = v / r. It acts on l unscaled, so `scale` is
 * in the factors of l. */
typedef struct rotation {
    double l_from_l, l_from_v, v_from_l, v_from_v, r;
} rotation;

static inline rotation make_rotation(double scale, double l, double v) {
    const double scaled = scale * l, r = sqrt(scaled * scaled + v * v), c = scaled / r, s = v / r;
    return (rotation){c * scale, s, -s * scale, c, r};
}

static inline void rotate(const rotation q, size_t n, double *restrict l, double *restrict v) {
    for (size_t i = 0; i < n; i++) {
        const double x = l[i], y = v[i];
        l[i] = q.l_from_l * x + q.l_from_v * y;
        v[i] = q.v_from_l * x + q.v_from_v * y;
    }
}

static inline void rotate_two(const rotation q0, const rotation q1, size_t n, double *restrict l0, double *restrict l1,
                              double *restrict v) {
    for (size_t i = 0; i < n; i++) {
        const double x0 = l0[i], x1 = l1[i], y0 = v[i];
        const double y1 = q0.v_from_l * x0 + q0.v_from_v * y0;
        l0[i] = q0.l_from_l * x0 + q0.l_from_v * y0;
        l1[i] = q1.l_from_l * x1 + q1.l_from_v * y1;
        v[i] = q1.v_from_l * x1 + q1.v_from_v * y1;
    }
}

/* Below this length a second column in flight costs more than the loads it saves (measured). */
enum { LONG_COLUMN = 100 };

/* [scale L, v] Q = [L', 0] with one Givens rotation a column: v is rotated into L from the top. */
WIDE static void update(size_t dim, double *l, double scale, double *v) {
    for (size_t k = 0; k < dim; k++) {
        double        *column = l + k * dim;
        const rotation q = make_rotation(scale, column[k], v[k]);
        column[k] = q.r;
        if (dim - k < LONG_COLUMN) {
            rotate(q, dim - k - 1, column + k + 1, v + k + 1);
            continue;
        }
        double *next = column + dim;
        rotate(q, 1, column + k + 1, v + k + 1);
        k++;
        const rotation q1 = make_rotation(scale, next[k], v[k]);
        next[k] = q1.r;
        rotate_two(q, q1, dim - k - 1, column + k + 1, next + k + 1, v + k + 1);
    }
}

/* With p = L^-1 v the result is L (I - p p^T) L^T, positive definite iff rest = 1 - p.p > 0. The unit vector
 * (p, sqrt(rest)) is turned into (0, 1) by orthogonal rotations, from the bottom; the same rotations take [L, 0] to
 * [L', v]. Unlike hyperbolic ones they do not magnify rounding. */
WIDE static bool downdate(size_t dim, double *l, double *v, double *work) {
    solve(dim, l, 0, v);
    double rest = 1 - vec_dot(dim, v, v);
    if (!(rest > 0)) return false;
    rest = sqrt(rest);
    for (size_t i = 0; i < dim; i++) work[i] = 0;
    for (size_t k = dim; k-- > 0;) {
        const double   r = sqrt(rest * rest + v[k] * v[k]), c = rest / r, s = v[k] / r;
        const rotation q = {c, -s, s, c, r};
        rotate(q, dim - k, l + k * dim + k, work + k);
        rest = r;
    }
    return true;
}

/* -- Names for others --------------------------------------------------------------------------------------------- */

/* In the plane loops would take three times as long, or more. */
void sym_add(size_t dim, double weight, const double *v, double *a) {
    if (dim != 2) {
        add_outer(dim, weight, v, a);
        return;
    }
    a[0] += weight * v[0] * v[0];
    a[1] += weight * v[0] * v[1];
    a[3] += weight * v[1] * v[1];
}
void tri_multiply_add(size_t dim, const double *l, double scale, const double *v, double *out) {
    if (dim != 2) {
        multiply_add(dim, l, scale, v, out);
        return;
    }
    const double a0 = scale * v[0], a1 = scale * v[1];
    out[0] += a0 * l[0];
    out[1] += a0 * l[1] + a1 * l[3];
}
void tri_solve(size_t dim, const double *l, double *v) { solve(dim, l, 0, v); }
void tri_solve_from(size_t dim, const double *l, size_t zeros, double *v) { solve(dim, l, zeros, v); }
void chol_update(size_t dim, double *l, double scale, double *v) { update(dim, l, scale, v); }
bool chol_downdate(size_t dim, double *l, double *v, double *work) { return downdate(dim, l, v, work); }
