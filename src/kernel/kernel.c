/* kernel.c - see kernel.h. */
#include "kernel/kernel.h"

#include "base/error.h"
#include "base/fastmath.h"
#include "linalg/linalg.h"

#include <math.h>

const char *const kernel_words[] = {"linear", "gaussian", "matern", NULL};

ckam_status kernel_init(kernel *k, int type, double order, double scale, ckam_error *error) {
    if (!(scale > 0.0 && isfinite(scale)))
        return fail_with(error, CKAM_ERROR_OPTION, "kernel-scale is %.10g; it must be a number > 0", scale);
    if (type == KERNEL_MATERN && !(order > 1.0 && order <= KERNEL_ORDER_MAX))
        return fail_with(
            error, CKAM_ERROR_OPTION,
            "kernel-order is %.10g; it must be a number > 1 and <= %.10g (the gradient of the matern kernel "
            "is not bounded for orders up to 1)",
            order, KERNEL_ORDER_MAX);
    *k = (kernel){.type = type, .order = order, .scale = scale};
    if (type == KERNEL_MATERN) {
        matern_table_init(&k->value, order);
        matern_table_init(&k->slope, order - 1.0);
    }
    return CKAM_OK;
}

void kernel_set_scale(kernel *k, double scale) { k->scale = scale; }

void kernel_values(const kernel *k, size_t n, const double *r2, double *value) {
    double square = k->scale * k->scale;
    if (k->type == KERNEL_MATERN)
        matern_phis(&k->value, n, 2.0 * k->order / square, r2, 1.0, value);
    else
        for (size_t i = 0; i < n; i++) value[i] = exp_fast(-0.5 / square * r2[i]);
}

/* d phi_v / dt = -t phi_(v-1) / (2 (v - 1)) at the same t = sqrt(2 v) r / l; by the chain rule, v / (l^2 (v - 1)). */
void kernel_slopes(const kernel *k, size_t n, const double *r2, double *g) {
    double square = k->scale * k->scale;
    if (k->type == KERNEL_MATERN)
        matern_phis(&k->slope, n, 2.0 * k->order / square, r2, k->order / (k->order - 1.0) / square, g);
    else if (k->type == KERNEL_GAUSSIAN)
        for (size_t i = 0; i < n; i++) g[i] = 1.0 / square * exp_fast(-0.5 / square * r2[i]);
    else
        for (size_t i = 0; i < n; i++) g[i] = 1.0;
}

static double squared_distance(size_t dim, const double *x, const double *z) {
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) sum += (x[i] - z[i]) * (x[i] - z[i]);
    return sum;
}

double kernel_value(const kernel *k, size_t dim, const double *x, const double *z) {
    if (k->type == KERNEL_LINEAR) return vec_dot(dim, x, z);
    double r2 = squared_distance(dim, x, z), value;
    kernel_values(k, 1, &r2, &value);
    return value;
}

void kernel_gradient(const kernel *k, size_t dim, const double *x, const double *z, double *gradient) {
    double r2 = squared_distance(dim, x, z), g;
    kernel_slopes(k, 1, &r2, &g);
    for (size_t i = 0; i < dim; i++) gradient[i] = k->type == KERNEL_LINEAR ? z[i] : g * (z[i] - x[i]);
}
