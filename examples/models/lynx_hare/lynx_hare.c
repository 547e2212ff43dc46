/* lynx_hare.c - hares u and lynxes v, counted each year by their pelts: the equations of Lotka and Volterra.
 *
 *     du/dt = (theta_1 - theta_2 v) u    dv/dt = (-theta_3 + theta_4 u) v    (u, v) = z_init at time 0
 *     log y_nk ~ N(log z_k(t_n), sigma_k)    log y_init_k ~ N(log z_init_k, sigma_k)
 *     theta_1, theta_3 ~ N(1, 0.5)    theta_2, theta_4 ~ N(0.05, 0.05)
 *     log z_init_k ~ N(log 10, 1)    log sigma_k ~ N(-1, 1) */
#include <ckam/model.h>

#include "rk45.h"

enum { MOST = 1000 };

/* In the posterior the log density is then right to 1e-8. */
#define TOLERANCE 1e-10

const char *const ckam_parameters[] = {"theta[4] > 0", "z_init[2] > 0", "sigma[2] > 0", NULL};

static size_t count;
static double ts[MOST], log_y[MOST][2], log_y_init[2];

/* to := log of `expected` positive numbers. */
static const char *read_logs(const ckam_data *data, const char *key, size_t expected, double *to,
                             const char *complaint) {
    size_t        size;
    const double *numbers = data->numbers(data, key, &size);
    if (!numbers || size != expected) return complaint;
    for (size_t i = 0; i < size; i++) {
        if (!(numbers[i] > 0.0)) return complaint;
        to[i] = log(numbers[i]);
    }
    return NULL;
}

const char *read_data(const ckam_data *data) {
    const double *times = data->numbers(data, "ts", &count);
    if (!times || count == 0 || count > MOST) return "there must be 1 to 1000 times ts";
    for (size_t n = 0; n < count; n++) {
        ts[n] = times[n];
        if (!(ts[n] > (n ? ts[n - 1] : 0.0))) return "the times ts must be greater than 0 and in order";
    }
    const char *wrong = read_logs(data, "y_init", 2, log_y_init, "there must be 2 numbers y_init, greater than 0");
    return wrong
               ? wrong
               : read_logs(data, "y", 2 * count, log_y[0], "there must be 2 numbers y for each of ts, greater than 0");
}

static double square(double a) { return a * a; }

static void slope(const double *z, const double *theta, double *dz) {
    dz[0] = (theta[0] - theta[1] * z[1]) * z[0];
    dz[1] = (theta[3] * z[0] - theta[2]) * z[1];
}

double log_density(const double *x) {
    const double *theta = x, *z_init = x + 4, *sigma = x + 6;
    double        sum = -0.5 * (square((theta[0] - 1.0) / 0.5) + square((theta[2] - 1.0) / 0.5) +
                         square((theta[1] - 0.05) / 0.05) + square((theta[3] - 0.05) / 0.05));
    for (int k = 0; k < 2; k++) {
        const double log_init = log(z_init[k]), log_sigma = log(sigma[k]);
        sum -= log_init + 0.5 * square(log_init - log(10.0));
        sum -= log_sigma + 0.5 * square(log_sigma + 1.0);
        sum -= 0.5 * square((log_y_init[k] - log_init) / sigma[k]) + (double)(count + 1) * log_sigma;
    }
    rk45 r;
    rk45_begin(&r, slope, theta, TOLERANCE, z_init);
    for (size_t n = 0; n < count; n++) {
        if (!rk45_advance(&r, ts[n])) return -HUGE_VAL;
        for (int k = 0; k < 2; k++) sum -= 0.5 * square((log_y[n][k] - log(r.z[k])) / sigma[k]);
    }
    return sum;
}
