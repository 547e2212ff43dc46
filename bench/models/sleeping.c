/* sleeping.c - two Gaussians in the plane, and 2 ms of rest: a density that is slow and needs no processor. */
#include <ckam/model.h>

#include <time.h>

const char *const ckam_parameters[] = {"x[2]", NULL};

double log_density(const double *x) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    double left = (x[0] + 4.0) * (x[0] + 4.0), right = (x[0] - 4.0) * (x[0] - 4.0);
    double far = fabs(left - right);
    return -0.5 * (fmin(left, right) + x[1] * x[1]) + log1p(exp(-0.5 * far));
}
