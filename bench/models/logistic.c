/* logistic.c - a logistic regression with 6 coefficients on 200 data made here, a prior N(0, 25): an easy posterior,
 * for bench/versions. */
#include <ckam/model.h>
#include <stdint.h>

enum { COEFFICIENTS = 6, DATA = 200 };

const char *const ckam_parameters[] = {"beta[6]", NULL};

static double row[DATA][COEFFICIENTS], sign[DATA];

const char *read_data(const ckam_data *data) {
    uint64_t state = 20240601;
    (void)data;
    for (int i = 0; i < DATA; i++) {
        double linear = 0.5, uniform;
        for (int k = 0; k <= COEFFICIENTS; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            uniform = (double)(state >> 11) * 0x1p-53;
            if (k == COEFFICIENTS) break;
            row[i][k] = k == 0 ? 1.0 : 4.0 * uniform - 2.0 + (k > 1 ? 0.7 * row[i][k - 1] : 0.0);
            linear += (k % 2 ? -0.6 : 0.4) * row[i][k];
        }
        sign[i] = uniform < 1.0 / (1.0 + exp(-linear)) ? 1.0 : -1.0;
    }
    return NULL;
}

double log_density(const double *beta) {
    double sum = 0.0;
    for (int k = 0; k < COEFFICIENTS; k++) sum -= 0.02 * beta[k] * beta[k];
    for (int i = 0; i < DATA; i++) {
        double linear = 0.0;
        for (int k = 0; k < COEFFICIENTS; k++) linear += row[i][k] * beta[k];
        sum -= log1p(exp(-sign[i] * linear));
    }
    return sum;
}
