/* kernel.h - RKHS kernels: linear, gaussian, matern of any real order > 1; values and gradients.
 *
 * The gradient in x of a radial kernel is g(r) (z - x) with r = |x - z|; the samplers need only g, for a whole
 * subsample at once. A kernel is a plain value without pointers, so it may live in a sampler's state. */
#ifndef CKAM_KERNEL_KERNEL_H
#define CKAM_KERNEL_KERNEL_H

#include "ckam.h"
#include "kernel/matern.h"

#include <stddef.h>

#define KERNEL_ORDER_MAX MATERN_ORDER_MAX /* the highest order that was checked */

enum kernel_type { KERNEL_LINEAR, KERNEL_GAUSSIAN, KERNEL_MATERN };
/* "linear", "gaussian", "matern", NULL: the words of the option `kernel`, in the order of the enum. */
extern const char *const kernel_words[];

typedef struct kernel {
    int          type;
    double       order, scale; /* matern's v; l */
    matern_table value, slope; /* of orders v and v - 1; matern only */
} kernel;

/* Prepares a kernel; matern takes about 2 ms for its tables. order is used by matern only, and must be > 1 and
 * <= KERNEL_ORDER_MAX; scale must be > 0 and finite. Else CKAM_ERROR_OPTION, which names kernel-order or
 * kernel-scale, the value and the range. */
ckam_status kernel_init(kernel *k, int type, double order, double scale, ckam_error *error);
/* Another scale; costs nothing. */
void kernel_set_scale(kernel *k, double scale);

double kernel_value(const kernel *k, size_t dim, const double *x, const double *z);
void   kernel_gradient(const kernel *k, size_t dim, const double *x, const double *z, double *gradient);
/* g[i] for squared distances r2[i], such that the gradient in x of k(x, z_i) is g[i] (z_i - x). For the linear
 * kernel, whose gradient is z_i, g = 1: what is missing, x, is the same for every column and centring removes it.
 * The result for r2[i] has the same bits whatever n and i are; the output may be r2 itself. */
void kernel_slopes(const kernel *k, size_t n, const double *r2, double *g);
/* k(x, z_i) for squared distances, in the same way; radial kernels only. */
void kernel_values(const kernel *k, size_t n, const double *r2, double *value);

#endif
