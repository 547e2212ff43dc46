/* rk45.h - an ordinary differential equation by the Runge-Kutta pair of Dormand and Prince (1980), with error control.
 *
 * Each step is made with order 5, and once more with order 4 from the same 7 slopes; their difference is the error. A
 * step whose error, in units of tolerance * |z|, exceeds 1 is made again, shorter. The last slope is the first of the
 * next step. */
#ifndef RK45_H
#define RK45_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { RK45_DIM = 2, RK45_STAGES = 7, RK45_MOST = 5000 /* steps in all */ };

typedef void rk45_slope(const double *z, const double *theta,
                        double *dz); /* dz := dz/dt at z; t itself does not matter */

typedef struct rk45 {
    rk45_slope   *slope;
    const double *theta; /* for slope() */
    double        tolerance;
    double        t, step; /* the time that is reached, and the length to try next */
    int           left;    /* steps that may still be made */
    double        z[RK45_DIM], dz[RK45_DIM];
} rk45;

/* Row s of a: how the slopes so far make the point of stage s + 1. The last row is the step of order 5. */
static const double rk45_a[RK45_STAGES - 1][RK45_STAGES - 1] = {
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
/* Order 5 less order 4. */
static const double rk45_error[RK45_STAGES] = {71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                               -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static inline void rk45_begin(rk45 *r, rk45_slope *slope, const double *theta, double tolerance, const double *z) {
    *r = (rk45){.slope = slope, .theta = theta, .tolerance = tolerance, .step = 0.01, .left = RK45_MOST};
    memcpy(r->z, z, sizeof r->z);
    slope(r->z, theta, r->dz);
}

/* One step of length h from r->z: the new point and its slope, and the error, a root mean square. */
static inline double rk45_try(const rk45 *r, double h, double *z, double *dz) {
    double k[RK45_STAGES][RK45_DIM], squares = 0.0;
    memcpy(k[0], r->dz, sizeof k[0]);
    for (int s = 1; s < RK45_STAGES; s++) {
        for (int i = 0; i < RK45_DIM; i++) {
            double sum = 0.0;
            for (int j = 0; j < s; j++) sum += rk45_a[s - 1][j] * k[j][i];
            z[i] = r->z[i] + h * sum;
        }
        r->slope(z, r->theta, k[s]);
    }
    memcpy(dz, k[RK45_STAGES - 1], sizeof k[0]);
    for (int i = 0; i < RK45_DIM; i++) {
        double sum = 0.0;
        for (int s = 0; s < RK45_STAGES; s++) sum += rk45_error[s] * k[s][i];
        const double error = fabs(h * sum) / (r->tolerance * fmax(fabs(r->z[i]), fabs(z[i])));
        squares += error * error;
    }
    return sqrt(squares / RK45_DIM);
}

/* Goes on to time `end`. False if that takes too many steps: the equation is stiff, or its solution not finite. */
static inline bool rk45_advance(rk45 *r, double end) {
    while (r->t < end) {
        const bool   last = r->t + r->step >= end;
        const double h = last ? end - r->t : r->step;
        double       z[RK45_DIM], dz[RK45_DIM], error = rk45_try(r, h, z, dz);
        if (r->left-- == 0) return false;
        /* The error grows with h^5: this length would give 0.9^5 = 0.6. At most 5 times as long or short. */
        const double factor = isfinite(error) ? fmin(5.0, fmax(0.2, 0.9 * pow(error, -0.2))) : 0.2;
        if (error <= 1.0) {
            r->t = last ? end : r->t + h;
            memcpy(r->z, z, sizeof z);
            memcpy(r->dz, dz, sizeof dz);
            if (last && h * factor < r->step) continue; /* cut short only by the end: the next may be long again */
        }
        r->step = h * factor;
    }
    return true;
}

#endif
