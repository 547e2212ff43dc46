/* score.c - see score.h. */
#include "score.h"

#include "diag/divergence.h"
#include "measure.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sample_free(sample *s) { free(s->x); }

double sample_ess(const sample *s) {
    double *column = take((s->chains * s->rows + 1) * sizeof *column), least = HUGE_VAL;
    for (size_t k = 0; k < s->dim; k++) {
        ckam_summary summary;
        ckam_error   error;
        for (size_t c = 0; c < s->chains; c++)
            for (size_t i = 0; i < s->rows; i++) column[c * s->rows + i] = s->x[(i * s->chains + c) * s->dim + k];
        if (ckam_summarise(column, s->chains, s->rows, &summary, &error)) stop(error.message);
        least = fmin(least, isnan(summary.ess_bulk) ? 0.0 : summary.ess_bulk);
    }
    free(column);
    return least;
}

enum { BINS = 100, EXACT = 100000, COORDINATES_MOST = 32 };

typedef struct marginal {
    double   low, width, probability[BINS];
    uint64_t count[BINS];
} marginal;

struct histogram {
    size_t   dim, coordinates;
    uint64_t total;
    marginal each[];
};

/* The bins span EXACT exact draws, so about 1e-5 is outside on each side; the outer ones go on for ever. */
static void find_ranges(histogram *h, const ckam_model *model) {
    double *x = take(h->dim * sizeof *x), high[COORDINATES_MOST];
    for (uint64_t i = 0; i < EXACT; i++) {
        ckam_model_draw(model, 1, i, x);
        for (size_t k = 0; k < h->coordinates; k++) {
            h->each[k].low = i ? fmin(h->each[k].low, x[k]) : x[k];
            high[k] = i ? fmax(high[k], x[k]) : x[k];
        }
    }
    for (size_t k = 0; k < h->coordinates; k++) h->each[k].width = (high[k] - h->each[k].low) / BINS;
    free(x);
}

static double edge(const marginal *m, size_t i) {
    return i == 0 ? -HUGE_VAL : i == BINS ? HUGE_VAL : m->low + m->width * (double)i;
}

histogram *histogram_create(const ckam_model *model, size_t coordinates) {
    histogram *h = take(sizeof *h + coordinates * sizeof *h->each);
    h->dim = ckam_model_target(model)->dim;
    h->coordinates = coordinates;
    find_ranges(h, model);
    for (size_t k = 0; k < coordinates; k++) {
        marginal *m = h->each + k;
        for (size_t i = 0; i < BINS; i++)
            m->probability[i] = ckam_model_probability(model, k, edge(m, i), edge(m, i + 1));
    }
    return h;
}

void histogram_free(histogram *h) { free(h); }

void histogram_clear(histogram *h) {
    h->total = 0;
    for (size_t k = 0; k < h->coordinates; k++) memset(h->each[k].count, 0, sizeof h->each[k].count);
}

void histogram_add(histogram *h, size_t count, const double *x) {
    h->total += count;
    for (; count; count--, x += h->dim)
        for (size_t k = 0; k < h->coordinates; k++) {
            marginal *m = h->each + k;
            double    place = (x[k] - m->low) / m->width;
            m->count[!(place >= 1.0) ? 0 : place >= BINS - 1.0 ? BINS - 1 : (size_t)place]++;
        }
}

double histogram_divergence(const histogram *h) {
    double sum = 0.0;
    for (size_t k = 0; k < h->coordinates; k++)
        sum += divergence_of(BINS, h->each[k].probability, h->each[k].count, h->total).jeffreys;
    return sum / (double)h->coordinates;
}
