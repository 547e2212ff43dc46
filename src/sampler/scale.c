/* scale.c - see scale.h. */
#include "sampler/scale.h"

#include "base/error.h"
#include "linalg/linalg.h"

#include <math.h>

enum { TRIES_MOST = 120 };
static const double tolerance = 1e-10, farthest = 1e280;

void scale_begin(scale_search *s, rng *r, size_t dim, double *direction, double log_density) {
    *s = (scale_search){.log_density = log_density, .high = HUGE_VAL, .distance = 1.0, .factor = 4.0};
    rng_normals(r, dim, direction);
    double norm = sqrt(vec_dot(dim, direction, direction));
    for (size_t k = 0; k < dim; k++) direction[k] /= norm;
}

void scale_ask(const scale_search *s, size_t dim, const double *x, const double *direction, double *y) {
    for (size_t k = 0; k < dim; k++) y[k] = x[k] + s->distance * direction[k];
}

/* One end of the bracket is known: go the other way, with growing steps. */
static void extend(scale_search *s) {
    s->distance *= isinf(s->high) ? s->factor : 1.0 / s->factor;
    s->factor *= s->factor;
}

/* Both ends are known: the secant in logarithms, where a Gaussian is a straight line, with the Illinois rule (the end
 * that stays twice counts half); the middle where the fall has no logarithm. */
static void refine(scale_search *s, int side) {
    double a = log(s->fall_low), b = log(s->fall_high);
    double fraction = 0.5;
    if (isfinite(a) && isfinite(b)) {
        if (side == s->side && side > 0) a *= 0.5;
        if (side == s->side && side < 0) b *= 0.5;
        fraction = a / (a - b);
    }
    s->side = side;
    double ratio = log(s->high / s->low);
    s->distance = s->low * exp(fraction * ratio);
    if (!(s->distance > s->low && s->distance < s->high)) s->distance = s->low * exp(0.5 * ratio);
}

ckam_status scale_tell(scale_search *s, double log_density, double *length, ckam_error *error) {
    double fall = s->log_density - log_density; /* +INFINITY where the density is not defined */
    int    side = fall < 1.0 ? -1 : 1;
    *length = 0.0;
    s->tries++;
    if (side < 0) {
        s->low = s->distance;
        s->fall_low = fall;
    } else {
        s->high = s->distance;
        s->fall_high = fall;
    }
    bool bracketed = s->low > 0.0 && !isinf(s->high);
    if (fabs(fall - 1.0) <= tolerance || (bracketed && s->high - s->low <= tolerance * s->low) ||
        (bracketed && s->tries >= TRIES_MOST)) {
        *length = s->distance / sqrt(2.0);
        return CKAM_OK;
    }
    if (bracketed)
        refine(s, side);
    else
        extend(s);
    if (s->distance > farthest || s->distance < 1.0 / farthest)
        return fail_with(error, CKAM_ERROR_SCALE,
                         "a step of %.3g from the start %s; check the density, or set what is measured here, as in "
                         "--sampler=gam:step-size=1",
                         side < 0 ? s->low : s->high,
                         side < 0 ? "lowers the log density by less than 1: it may not have a finite integral"
                                  : "still lowers the log density by more than 1: the start may be an isolated point");
    return CKAM_OK;
}
