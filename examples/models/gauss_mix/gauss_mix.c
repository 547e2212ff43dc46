/* gauss_mix.c - a mixture of two normals, and nothing that says which is the first.
 *
 *     y_n ~ theta N(mu_1, sigma_1) + (1 - theta) N(mu_2, sigma_2)
 *     mu_k ~ N(0, 2)    sigma_k ~ N(0, 2), > 0    theta ~ Beta(5, 5)
 *
 * Exchanging (mu_1, sigma_1, theta) with (mu_2, sigma_2, 1 - theta) changes nothing: two modes of the same weight. */
#include <ckam/model.h>

enum { MOST = 10000 };

const char *const ckam_parameters[] = {"mu[2]", "sigma[2] > 0", "0 < theta < 1", NULL};

static double y[MOST];
static size_t count;

const char *read_data(const ckam_data *data) {
    const double *numbers = data->numbers(data, "y", &count);
    if (!numbers || count == 0 || count > MOST) return "there must be 1 to 10000 numbers y";
    for (size_t n = 0; n < count; n++) y[n] = numbers[n];
    return NULL;
}

static double square(double a) { return a * a; }

/* log sum_k w_k N(y; mu_k, sigma_k), up to a constant, with the greater term taken out: exp() of it might be 0. */
static double log_mixture(double a, double b) { return fmax(a, b) + log1p(exp(-fabs(a - b))); }

double log_density(const double *x) {
    const double *mu = x, *sigma = x + 2, theta = x[4];
    const double  first = log(theta / sigma[0]), second = log((1.0 - theta) / sigma[1]);
    double        sum = 4.0 * log(theta * (1.0 - theta));
    for (int k = 0; k < 2; k++) sum -= 0.5 * (square(mu[k] / 2.0) + square(sigma[k] / 2.0));
    for (size_t n = 0; n < count; n++)
        sum += log_mixture(first - 0.5 * square((y[n] - mu[0]) / sigma[0]),
                           second - 0.5 * square((y[n] - mu[1]) / sigma[1]));
    return sum;
}
