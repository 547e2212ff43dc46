/* grid25.c - 25 Gaussians of equal weight and sd 1 on a grid of 5 x 5 points, 10 apart, in a box: for bench/small_budgets. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"-30 < x[2] < 30", NULL};

double log_density(const double *x) {
    double sum = 0.0;
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++)
            sum += exp(-0.5 * ((x[0] - 10.0 * i) * (x[0] - 10.0 * i) + (x[1] - 10.0 * j) * (x[1] - 10.0 * j)));
    return log(sum / 25.0 / (2.0 * 3.14159265358979323846));
}
