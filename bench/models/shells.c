/* shells.c - two shells of radius 2 and width 0.1 around (-3.5, 0) and (3.5, 0), in a box: for bench/small_budgets. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"-6 < x[2] < 6", NULL};

static double shell(double centre, const double *x) {
    double off = (hypot(x[0] - centre, x[1]) - 2.0) / 0.1;
    return exp(-0.5 * off * off) / 0.1 / sqrt(2.0 * 3.14159265358979323846);
}

double log_density(const double *x) { return log(shell(-3.5, x) + shell(3.5, x)); }
