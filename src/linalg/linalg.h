/* linalg.h - vectors, Cholesky factors, and Gaussians 'scaled identity plus low rank'.
 *
 * Matrices are column-major with leading dimension `dim`. Of a symmetric or triangular one only the lower
 * triangle is read and written. Nothing allocates. */
#ifndef CKAM_LINALG_LINALG_H
#define CKAM_LINALG_LINALG_H

#include "ckam.h"

#include <stdbool.h>
#include <stddef.h>

/* Products A A^T and Cholesky factors of this order and more are made in blocks (blocked.h). */
enum { LINALG_BLOCKED_DIM = 32 };

double vec_dot(size_t n, const double *a, const double *b);
double vec_sum(size_t n, const double *a);
void   vec_axpy(size_t n, double a, const double *x, double *y); /* y += a x */

/* A += weight v v^T. */
void sym_add(size_t dim, double weight, const double *v, double *a);
/* A = L L^T in place. Returns 0, or k > 0 when the k-th leading minor is not positive definite (then `a` holds
 * no factor). NaN and infinity in A are 'not positive definite'. */
size_t chol_factor(size_t dim, double *a);
/* log det(L L^T). */
double chol_log_det(size_t dim, const double *l);
/* L L^T := scale^2 L L^T + v v^T, O(dim^2); scale > 0; v is used up. */
void chol_update(size_t dim, double *l, double scale, double *v);
/* L L^T := L L^T - v v^T; v is used up. Returns false, with l unchanged, when the result would not be positive
 * definite. work: dim numbers. */
bool chol_downdate(size_t dim, double *l, double *v, double *work);
/* out += scale * L v. */
void tri_multiply_add(size_t dim, const double *l, double scale, const double *v, double *out);
/* v := L^-1 v. */
void tri_solve(size_t dim, const double *l, double *v);
/* The same bits, where v begins with so many zeros: these are not gone through. */
void tri_solve_from(size_t dim, const double *l, size_t zeros, double *v);

/* A, of which both triangles are given, becomes the diagonal matrix of its eigenvalues, v has the eigenvectors in its columns. */
void sym_eigen(size_t dim, double *a, double *v);

/* A lower triangle in another order, in which products are faster: so many numbers; its column j := that of a matrix (what
 * is above the diagonal is not read); out := L v. */
size_t panels_size(size_t dim);
void   panels_set_column(size_t dim, double *panels, size_t j, const double *column);
void   panels_multiply(size_t dim, const double *panels, const double *v, double *out);
/* |L (x - mean)|^2, with the bits of vec_dot() after panels_multiply(); or, of more than `limit`, some part that is more
 * than it, which takes less time. work: dim numbers. */
double panels_square(size_t dim, const double *panels, const double *x, const double *mean, double limit, double *work);

/* -- N(0, C), C = gamma^2 I + nu^2 G G^T, G of dim x rank -------------------------------------------------
 *
 * 'shape' is G G^T when dim <= rank and G^T G otherwise: the cheaper side, of order min(dim, rank).
 * G is row-major: row k (coordinate k) has `rank` numbers at g + k * stride. */
typedef struct lowrank {
    size_t dim, rank;
    double gamma, nu; /* as factored: gamma may have been raised by a trifle to keep C positive definite */
    double log_det;   /* of C                                                                            */
} lowrank;

static inline bool   lowrank_is_dual(size_t dim, size_t rank) { return dim > rank; }
static inline size_t lowrank_order(size_t dim, size_t rank) { return dim <= rank ? dim : rank; }

void lowrank_shape(size_t dim, size_t rank, const double *g, size_t stride, double *shape);
/* factor (order x order) := Cholesky of gamma^2 I + nu^2 shape. c->dim and c->rank are set before. Where rounding
 * leaves it not positive definite gamma^2 is raised, by 1e-14 of the trace of nu^2 shape, then 100 times more, and so
 * on. When dual gamma^2 is at least 1e-14 of the trace (below, the density would be noise). If gamma^2 I + nu^2 shape
 * is 0 or not finite there is no C: log_det, and with it every density, is NaN. */
void lowrank_factor(lowrank *c, double gamma, double nu, const double *shape, double *factor);
/* log N(u; 0, C). gtu = G^T u (rank numbers), needed when dual, else NULL. work: order numbers. When dual the error
 * is of the order 1e-16 u.u / gamma^2, from the difference of two large numbers. */
double lowrank_log_density(const lowrank *c, const double *factor, const double *u, const double *gtu, double *work);

#endif
