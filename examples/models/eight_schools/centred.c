/* centred.c - eight schools, each school's effect drawn as it is: the form that looks natural, and is hard to sample.
 *
 *     y_j ~ N(theta_j, sigma_j)    theta_j ~ N(mu, tau)    mu ~ N(0, 5)    tau ~ half-Cauchy(0, 5)
 *
 * Where tau is small all theta_j must lie within tau of mu: a funnel, whose neck no single step size fits. */
#include <ckam/model.h>

enum { SCHOOLS = 8 };

const char *const ckam_parameters[] = {"theta[8]", "mu", "tau > 0", NULL};

static double y[SCHOOLS], sigma[SCHOOLS];

const char *read_data(const ckam_data *data) {
    size_t        effects, errors;
    const double *effect = data->numbers(data, "y", &effects), *error = data->numbers(data, "sigma", &errors);
    if (!effect || effects != SCHOOLS) return "there must be 8 numbers y";
    if (!error || errors != SCHOOLS) return "there must be 8 numbers sigma";
    for (int j = 0; j < SCHOOLS; j++) {
        if (!(error[j] > 0.0)) return "each sigma must be greater than 0";
        y[j] = effect[j];
        sigma[j] = error[j];
    }
    return NULL;
}

static double square(double a) { return a * a; }

double log_density(const double *x) {
    const double *theta = x, mu = x[8], tau = x[9];
    double        sum = -0.5 * square(mu / 5.0) - log1p(square(tau / 5.0)) - SCHOOLS * log(tau);
    for (int j = 0; j < SCHOOLS; j++)
        sum -= 0.5 * (square((theta[j] - mu) / tau) + square((y[j] - theta[j]) / sigma[j]));
    return sum;
}
