/* textbook.h - Gaussian proposals as they are written: M, H and C in full, in long double. For tests of what the
 * samplers propose and accept. Matrices have both triangles; `dense` holds one of at most TEXTBOOK_DIM dimensions.
 * Include it behind support.h. */
#ifndef CKAM_TESTS_TEXTBOOK_H
#define CKAM_TESTS_TEXTBOOK_H

#include "linalg_reference.h"

#include "base/block.h"
#include "sampler/kernel_proposal.h"

enum { TEXTBOOK_DIM = 3 };

/* d x d, both triangles. */
typedef struct dense {
    size_t      d;
    long double c[TEXTBOOK_DIM * TEXTBOOK_DIM];
} dense;

/* c := gamma^2 I + nu^2 M H M^T at x with the proposal's z: the columns of M are 2 grad k(x, z_i), H takes their mean
 * off. */
static inline void textbook_covariance(const kernel_proposal *p, const void *base, const double *x, double gamma,
                                       double nu, long double *c) {
    size_t        d = p->dim, n = p->n;
    const double *z = block_at_const(base, p->z), *centre = block_at_const(base, p->centre);
    double       *m = doubles(d * n), *point = doubles(d);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d; k++) point[k] = z[k * p->stride + i] + centre[k];
        kernel_gradient(&p->kernel, d, x, point, m + i * d);
    }
    for (size_t k = 0; k < d; k++)
        for (size_t l = 0; l < d; l++) {
            long double products = 0, sum_k = 0, sum_l = 0;
            for (size_t i = 0; i < n; i++) {
                products += 4 * product(m[i * d + k], m[i * d + l]);
                sum_k += 2 * (long double)m[i * d + k];
                sum_l += 2 * (long double)m[i * d + l];
            }
            c[k * d + l] = product(nu, nu) * (products - sum_k * sum_l / (long double)n);
            if (k == l) c[k * d + l] += product(gamma, gamma);
        }
    free(m);
    free(point);
}

static inline dense textbook_kernel(const kernel_proposal *p, const void *base, const double *x, double gamma,
                                    double nu) {
    dense made = {.d = p->dim};
    textbook_covariance(p, base, x, gamma, nu, made.c);
    return made;
}

/* y := x + scale L n, L L^T = C. */
static inline void textbook_draw(const dense *c, double scale, const double *normals, const double *x, double *y) {
    long double l[TEXTBOOK_DIM * TEXTBOOK_DIM];
    slow_factor(c->d, c->c, l);
    for (size_t k = 0; k < c->d; k++) {
        long double step = 0;
        for (size_t j = 0; j <= k; j++) step += l[j * c->d + k] * (long double)normals[j];
        y[k] = (double)((long double)x[k] + (long double)scale * step);
    }
}

/* log N(to; from, C). */
static inline double textbook_density(size_t d, const long double *c, const double *from, const double *to) {
    long double *l = malloc((d + 1) * d * sizeof *l), *v = l + d * d, sum = 0;
    assert_non_null(l);
    slow_factor(d, c, l);
    for (size_t k = 0; k < d; k++) {
        v[k] = (long double)to[k] - (long double)from[k];
        for (size_t j = 0; j < k; j++) v[k] -= l[j * d + k] * v[j];
        v[k] /= l[k * d + k];
        sum += v[k] * v[k] + 2 * logl(l[k * d + k]) + logl(2 * acosl(-1.0L));
    }
    free(l);
    return (double)(-0.5L * sum);
}

static inline double textbook_log_density(const dense *c, const double *from, const double *to) {
    return textbook_density(c->d, c->c, from, to);
}

#endif
