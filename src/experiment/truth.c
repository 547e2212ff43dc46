/* truth.c - the exact probabilities of bins under a built-in density, for comparison with histograms of draws. */
#include "base/error.h"
#include "experiment/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The probability beyond the bins' range on each side; the outermost bins include it. */
#define OUTSIDE 1e-5

/* The p-quantile of x_k, by bisection. The interval is doubled until it contains it. */
static double quantile(const ckam_model *m, size_t k, double p) {
    double low = -1.0, high = 1.0;
    while (ckam_model_probability(m, k, -HUGE_VAL, low) > p && low > -1e300) low *= 2.0;
    while (ckam_model_probability(m, k, -HUGE_VAL, high) < p && high < 1e300) high *= 2.0;
    for (int i = 0; i < 200 && low < high; i++) {
        double middle = low + 0.5 * (high - low);
        if (middle == low || middle == high) break;
        if (ckam_model_probability(m, k, -HUGE_VAL, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The edge below bin i of n: infinite at both ends. */
static double edge(const truth *t, size_t k, size_t i, size_t n) {
    if (i == 0) return -HUGE_VAL;
    return i == n ? HUGE_VAL : t->low[k] + t->range[k] * (double)i / (double)n;
}

static ckam_status fill_joint(truth *t, ckam_error *error) {
    double *low = malloc(2 * t->dim * sizeof *low), *high;
    if (!low) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a box of %zu dimensions", t->dim);
    high = low + t->dim;
    for (size_t k = 0; k < t->dim; k++) {
        low[k] = -HUGE_VAL;
        high[k] = HUGE_VAL;
    }
    for (size_t i = 0; i < t->side * t->side; i++) {
        const size_t at[2] = {i % t->side, i / t->side};
        for (int c = 0; c < 2; c++) {
            low[t->pair[c]] = edge(t, t->pair[c], at[c], t->side);
            high[t->pair[c]] = edge(t, t->pair[c], at[c] + 1, t->side);
        }
        t->joint[i] = ckam_model_box(t->model, low, high);
    }
    free(low);
    return CKAM_OK;
}

/* Draws are assigned to the nearest centre: by the first two coordinates where there are few modes, by the first alone on a
 * grid of very many, whose distinct first coordinates come first in the list. */
static ckam_status find_centres(truth *t, ckam_error *error) {
    double *centres = malloc(CENTRES_MOST * t->dim * sizeof *centres), total;
    if (!centres) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the centres of the modes");
    total = ckam_model_modes(t->model, CENTRES_MOST, centres, NULL);
    bool   grid = total > MODES_MOST;
    size_t listed = total < CENTRES_MOST ? (size_t)total : CENTRES_MOST;
    t->coordinates = grid || t->dim == 1 ? 1 : 2;
    for (size_t i = 0; i < listed && t->modes < MODES_MOST; i++) {
        bool seen = false;
        for (size_t j = 0; j < t->modes && grid; j++) seen = seen || t->centre[2 * j] == centres[i * t->dim];
        if (seen) continue;
        memcpy(t->centre + 2 * t->modes++, centres + i * t->dim, t->coordinates * sizeof *centres);
    }
    if (!t->modes) t->modes = 1;
    free(centres);
    return CKAM_OK;
}

ckam_status truth_create(truth *t, const char *model, size_t bins, size_t side, const size_t pair[2],
                         ckam_error *error) {
    *t = (truth){.bins = bins, .side = side, .pair = {pair[0], pair[1]}};
    ckam_status status = ckam_model_create(&t->model, model, error);
    if (status) return status;
    t->dim = ckam_model_target(t->model)->dim;
    if (t->dim < 2 || pair[0] >= t->dim || pair[1] >= t->dim || pair[0] == pair[1])
        return fail_with(error, CKAM_ERROR_OPTION,
                         "coordinates %zu and %zu of the model '%.60s', which has %zu: two different ones are wanted",
                         pair[0] + 1, pair[1] + 1, model, t->dim);
    t->low = calloc(2 * t->dim + t->dim * bins + side * side, sizeof *t->low);
    if (!t->low) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu bins", t->dim * bins);
    t->range = t->low + t->dim;
    t->marginal = t->range + t->dim;
    t->joint = t->marginal + t->dim * bins;
    for (size_t k = 0; k < t->dim; k++) {
        t->low[k] = quantile(t->model, k, OUTSIDE);
        t->range[k] = quantile(t->model, k, 1.0 - OUTSIDE) - t->low[k];
        for (size_t i = 0; i < bins; i++)
            t->marginal[k * bins + i] =
                ckam_model_probability(t->model, k, edge(t, k, i, bins), edge(t, k, i + 1, bins));
    }
    status = fill_joint(t, error);
    if (!status) status = find_centres(t, error);
    if (!status && isnan(t->joint[0]))
        status = fail_with(
            error, CKAM_ERROR_OPTION,
            "the model '%.60s' does not know the probabilities of boxes; bimodal, mixture5 and grid32 do", model);
    return status;
}

void truth_free(truth *t) {
    ckam_model_free(t->model);
    free(t->low);
}

size_t truth_mode(const truth *t, const double *x) {
    double nearest = HUGE_VAL;
    size_t best = 0;
    for (size_t i = 0; i < t->modes; i++) {
        double square = 0.0;
        for (size_t k = 0; k < t->coordinates; k++)
            square += (x[k] - t->centre[2 * i + k]) * (x[k] - t->centre[2 * i + k]);
        if (square < nearest) {
            nearest = square;
            best = i;
        }
    }
    return best;
}
