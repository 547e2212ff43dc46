/* noncentred.c - eight schools, the effects in units of their spread: the same posterior without the funnel.
 *
 *     y_j ~ N(theta_j, sigma_j)    theta_j = mu + tau e_j    e_j ~ N(0, 1)    mu ~ N(0, 5)    tau ~ half-Cauchy(0, 5)
 *
 * e_j knows nothing of tau beforehand, and little afterwards. theta is saved with each draw. */
#include <ckam/model.h>

enum { SCHOOLS = 8 };

const char *const ckam_parameters[] = {"mu", "tau > 0", "e[8]", NULL};
const char *const ckam_derived[] = {"theta[8]", NULL};

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

void derive(const double *x, double *out) {
    for (int j = 0; j < SCHOOLS; j++) out[j] = x[0] + x[1] * x[2 + j];
}

double log_density(const double *x) {
    const double mu = x[0], tau = x[1], *e = x + 2;
    double       theta[SCHOOLS], sum = -0.5 * square(mu / 5.0) - log1p(square(tau / 5.0));
    derive(x, theta);
    for (int j = 0; j < SCHOOLS; j++) sum -= 0.5 * (square(e[j]) + square((y[j] - theta[j]) / sigma[j]));
    return sum;
}
