/* good.c - a model with everything: bounds, data that may be missing, and what is derived. The mean mu of normal numbers y of standard
 * deviation tau, with N(0, 1) and log-normal priors. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"mu", "tau > 0", NULL};
const char *const ckam_derived[] = {"ratio", "both[2]", NULL};

static const double *y;
static size_t        count;

const char *read_data(const ckam_data *data) {
    y = data->numbers(data, "y", &count);
    return NULL;
}

double log_density(const double *x) {
    double mu = x[0], tau = x[1], log_tau = log(tau);
    double sum = -0.5 * mu * mu - 0.5 * log_tau * log_tau - log_tau;
    for (size_t i = 0; i < count; i++) sum -= 0.5 * (y[i] - mu) * (y[i] - mu) / (tau * tau) + log_tau;
    return sum;
}

void derive(const double *x, double *out) {
    out[0] = x[0] / x[1];
    out[1] = x[0] + x[1];
    out[2] = x[0] * x[1];
}
