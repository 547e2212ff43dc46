/* lowrank.c - the Gaussian N(0, gamma^2 I + nu^2 G G^T) from the cheaper of its two sides.
 *
 * For the samplers. dim <= rank: C itself is factored. dim > rank ('dual'): K = gamma^2 I + nu^2 G^T G is, and
 * det C = gamma^(2 (dim - rank)) det K,  u^T C^-1 u = (u.u - nu^2 |L_K^-1 G^T u|^2) / gamma^2. */
#include "base/wide.h"
#include "linalg/blocked.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

static const double log_two_pi = 1.8378770664093454836;

/* The inline products A A^T go in tiles of COLUMNS x ROWS dots: each row that is loaded serves several of them, and
 * eight sums of two lanes hide the latency of the add. Left to itself no compiler does either. */
enum { COLUMNS = 2, ROWS = 4 };
typedef double pair __attribute__((vector_size(16)));

static inline pair load_pair(const double *p) {
    pair value;
    memcpy(&value, p, sizeof value);
    return value;
}

static inline void dots(size_t n, const double *const a[COLUMNS], const double *const b[ROWS],
                        double out[COLUMNS][ROWS]) {
    pair   sum[COLUMNS][ROWS] = {{{0}}};
    size_t i = 0;
    for (; i + 2 <= n; i += 2)
        for (size_t p = 0; p < COLUMNS; p++)
            for (size_t q = 0; q < ROWS; q++) sum[p][q] += load_pair(a[p] + i) * load_pair(b[q] + i);
    for (size_t p = 0; p < COLUMNS; p++)
        for (size_t q = 0; q < ROWS; q++) out[p][q] = sum[p][q][0] + sum[p][q][1] + (i < n ? a[p][i] * b[q][i] : 0);
}

/* Adds a tile whose corner is at row i, column j, as far as it lies in the lower triangle. */
static inline void add_tile(size_t order, size_t j, size_t i, double tile[COLUMNS][ROWS], double *product) {
    for (size_t p = 0; p < COLUMNS && j + p < order; p++)
        for (size_t q = 0; q < ROWS && i + q < order; q++)
            if (i + q >= j + p) product[(j + p) * order + i + q] += tile[p][q];
}

/* product += A A^T, A of order x inner with its rows at a + k * stride. Where a tile reaches beyond the last row it
 * repeats that row. */
WIDE static void add_product(size_t order, size_t inner, const double *a, size_t stride, double *product) {
    const size_t last = order - 1;
    for (size_t j = 0; j < order; j += COLUMNS) {
        const double *columns[COLUMNS] = {a + j * stride, a + (j < last ? j + 1 : last) * stride};
        for (size_t i = j; i < order; i += ROWS) {
            const double *rows[ROWS];
            double        tile[COLUMNS][ROWS];
            for (size_t q = 0; q < ROWS; q++) rows[q] = a + (i + q < last ? i + q : last) * stride;
            dots(inner, columns, rows, tile);
            add_tile(order, j, i, tile, product);
        }
    }
}

/* G^T G as the same product of G^T, which is laid out a block of columns at a time. */
static void add_dual_product(size_t dim, size_t rank, const double *g, size_t stride, double *product) {
    enum { BLOCK = 64 };
    double block[LINALG_BLOCKED_DIM * BLOCK];
    for (size_t start = 0; start < dim; start += BLOCK) {
        const size_t n = dim - start < BLOCK ? dim - start : BLOCK;
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < rank; j++) block[j * BLOCK + k] = g[(start + k) * stride + j];
        add_product(rank, n, block, BLOCK, product);
    }
}

void lowrank_shape(size_t dim, size_t rank, const double *g, size_t stride, double *shape) {
    const size_t order = lowrank_order(dim, rank);
    const bool   dual = lowrank_is_dual(dim, rank);
    if (order >= LINALG_BLOCKED_DIM) { /* G row-major is G^T column-major */
        blocked_product(order, dual ? dim : rank, g, dual ? 1 : stride, dual ? stride : 1, shape);
        return;
    }
    for (size_t j = 0; j < order; j++) memset(shape + j * order + j, 0, (order - j) * sizeof *shape);
    if (dual)
        add_dual_product(dim, rank, g, stride, shape);
    else
        add_product(dim, rank, g, stride, shape);
}

/* factor := Cholesky of gamma2 I + nu2 shape; false where it is not positive definite. */
WIDE static bool try_factor(size_t order, double gamma2, double nu2, const double *shape, double *factor) {
    for (size_t j = 0; j < order; j++) {
        for (size_t i = j; i < order; i++) factor[j * order + i] = nu2 * shape[j * order + i];
        factor[j * order + j] += gamma2;
    }
    return chol_factor(order, factor) == 0;
}

/* The eighth jitter is the trace itself: after it only numbers that are not finite still fail. */
enum { RETRIES = 8 };

/* When dual the density divides the rounding of u.u by gamma^2, so gamma^2 below the first jitter would leave noise:
 * it starts there. */
void lowrank_factor(lowrank *c, double gamma, double nu, const double *shape, double *factor) {
    const size_t order = lowrank_order(c->dim, c->rank);
    const bool   dual = lowrank_is_dual(c->dim, c->rank);
    const double nu2 = nu * nu;
    double       trace = 0;
    for (size_t k = 0; k < order; k++) trace += nu2 * shape[k * order + k];
    double       jitter = 1e-14 * trace;
    const double least = dual && gamma * gamma < jitter ? jitter : gamma * gamma;
    double       gamma2 = least;
    bool         done = try_factor(order, gamma2, nu2, shape, factor);
    for (int retry = 0; !done && retry < RETRIES; retry++) {
        gamma2 = least + jitter;
        jitter *= 100;
        done = try_factor(order, gamma2, nu2, shape, factor);
    }
    c->nu = nu;
    c->gamma = gamma2 > gamma * gamma ? sqrt(gamma2) : gamma;
    c->log_det = done ? chol_log_det(order, factor) : (double)NAN;
    if (dual) c->log_det += (double)(c->dim - c->rank) * log(gamma2);
}

double lowrank_log_density(const lowrank *c, const double *factor, const double *u, const double *gtu, double *work) {
    const size_t order = lowrank_order(c->dim, c->rank);
    const bool   dual = lowrank_is_dual(c->dim, c->rank);
    memcpy(work, dual ? gtu : u, order * sizeof *work);
    tri_solve(order, factor, work);
    double square = vec_dot(order, work, work);
    if (dual) square = (vec_dot(c->dim, u, u) - c->nu * c->nu * square) / (c->gamma * c->gamma);
    return -0.5 * (square + c->log_det + (double)c->dim * log_two_pi);
}
