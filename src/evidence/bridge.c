/* bridge.c - see evidence.h. X.-L. Meng and W. H. Wong (1996), Statistica Sinica 6, 831-860; the error by S.
 * Fruehwirth-Schnatter (2004), Econometrics Journal 7, 143-167. With l = log pi - log q, shares s + t = 1 of the draws and
 * u = log Z the optimal bridge has
 *     mean over q of 1 / (s + t exp(u - l)) = mean over pi of 1 / (s exp(l - u) + t).
 * The left side falls with u and the right side rises: there is one root. No term leaves [0, 1/s] or [0, 1/t]. */
#include "base/error.h"
#include "diag/diag.h"
#include "evidence/evidence.h"

#include <math.h>
#include <stdlib.h>

/* What both sides are made of, at the value u. */
static double at_target(double l, double u, double share) { return 1.0 / (share * exp(l - u) + (1.0 - share)); }
static double at_q(double l, double u, double share) { return 1.0 / (share + (1.0 - share) * exp(u - l)); }

/* The left side less the right side. */
static double imbalance(const bridge *b, double u, double share) {
    const size_t n = b->chains * b->rows;
    double       left = 0.0, right = 0.0;
    for (size_t i = 0; i < b->count; i++) left += at_q(b->at_q[i], u, share);
    for (size_t i = 0; i < n; i++) right += at_target(b->at_target[i], u, share);
    return left / (double)b->count - right / (double)n;
}

/* The root: steps from `from` that double until they have passed it, then halves. */
static double root(const bridge *b, double from, double share) {
    double step = imbalance(b, from, share) > 0.0 ? 1.0 : -1.0, low = from, high = from + step;
    while (imbalance(b, high, share) * step > 0.0 && fabs(step) < 1e300) {
        low = high;
        step *= 2.0;
        high += step;
    }
    for (;;) {
        double middle = 0.5 * (low + high);
        if (fabs(high - low) <= 1e-12 || middle == low || middle == high) return middle;
        if (imbalance(b, middle, share) * step > 0.0)
            low = middle;
        else
            high = middle;
    }
}

/* Mean, and variance / mean^2, of n numbers. */
static double moments(const double *value, size_t n, double *relative) {
    double mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) mean += value[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (value[i] / mean - 1.0) * (value[i] / mean - 1.0);
    *relative = squares / (double)(n - 1);
    return mean;
}

/* Solves with this share; then the variances and the ESS of what is averaged. `term` has room for both sides. */
static void solve(bridge *b, double from, double share, diag_work *work, double *term) {
    const size_t n = b->chains * b->rows;
    double       relative;
    b->log_z = root(b, from, share);
    for (size_t i = 0; i < b->count; i++) term[i] = at_q(b->at_q[i], b->log_z, share);
    moments(term, b->count, &relative);
    b->q_variance = relative / (double)b->count;
    for (size_t i = 0; i < n; i++) term[i] = at_target(b->at_target[i], b->log_z, share);
    b->overlap = moments(term, n, &relative);
    const double error = diag_mcse_mean(work, term) / b->overlap;
    b->ess = error > 0.0 ? fmin(relative / (error * error), (double)n) : (double)n; /* all equal: as good as can be */
    b->target_variance = relative / b->ess;
}

static double median(double *value, size_t n) {
    diag_sort(value, n);
    return value[n / 2];
}

/* First as if both sides had as many draws, which gives the overlap, then with the share that the ESS leaves. */
ckam_status bridge_solve(bridge *b, ckam_error *error) {
    const size_t n = b->chains * b->rows;
    diag_work   *work = diag_work_create(b->chains, b->rows);
    double      *term = malloc((n + b->count) * sizeof *term);
    if (work && term) {
        for (size_t i = 0; i < n; i++) term[i] = b->at_target[i];
        solve(b, median(term, n), 0.5, work, term);
        const double overlap = b->overlap;
        solve(b, b->log_z, b->ess / (b->ess + (double)b->count), work, term);
        b->overlap = overlap;
    }
    ckam_status status =
        work && term ? CKAM_OK
                     : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the evidence of %zu draws", n);
    diag_work_free(work);
    free(term);
    return status;
}
