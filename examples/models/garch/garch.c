/* garch.c - GARCH(1,1): a series whose spread today follows what happened yesterday.
 *
 *     y_t ~ N(mu, s_t)    s_t^2 = alpha0 + alpha1 (y_(t-1) - mu)^2 + beta1 s_(t-1)^2    s_1 is given
 *     alpha0 > 0, 0 < alpha1 < 1, 0 < beta1 < 1 - alpha1, flat
 *
 * The bound of beta1 depends on alpha1. So what is drawn is share = beta1 / (1 - alpha1), between 0 and 1;
 * d beta1 / d share = 1 - alpha1 keeps beta1 flat. beta1 is saved with each draw. */
#include <ckam/model.h>

enum { MOST = 10000 };

const char *const ckam_parameters[] = {"mu", "alpha0 > 0", "0 < alpha1 < 1", "0 < share < 1", NULL};
const char *const ckam_derived[] = {"beta1", NULL};

static double y[MOST], sigma1;
static size_t count;

const char *read_data(const ckam_data *data) {
    size_t        one;
    const double *numbers = data->numbers(data, "y", &count), *first = data->numbers(data, "sigma1", &one);
    if (!numbers || count == 0 || count > MOST) return "there must be 1 to 10000 numbers y";
    if (!first || one != 1 || !(*first > 0.0)) return "there must be one number sigma1, greater than 0";
    for (size_t t = 0; t < count; t++) y[t] = numbers[t];
    sigma1 = *first;
    return NULL;
}

void derive(const double *x, double *out) { out[0] = x[3] * (1.0 - x[2]); }

double log_density(const double *x) {
    const double mu = x[0], alpha0 = x[1], alpha1 = x[2];
    double       beta1, variance = sigma1 * sigma1, sum = log1p(-alpha1);
    derive(x, &beta1);
    for (size_t t = 0; t < count; t++) {
        const double square = (y[t] - mu) * (y[t] - mu);
        sum -= 0.5 * (log(variance) + square / variance);
        variance = alpha0 + alpha1 * square + beta1 * variance;
    }
    return sum;
}
