/* print_shapes.c - marginals as rows of bars: as drawn and, for a built-in model, below it as they are. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES_MOST = 3, BINS_MOST = 60, INDENT = 8 };

typedef struct shape {
    size_t  k, count, bins; /* parameter, numbers, bars */
    double *values;
    double  low, high;
    bool    any; /* was shown */
} shape;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The number that would be at `place` if all were sorted; they change their places. Quickselect: some passes over ever
 * fewer of them. Numbers that are made to need many passes are sorted after all. */
static double number_at(double *values, size_t count, size_t place) {
    enum { PASSES = 100 };
    size_t low = 0, high = count - 1;
    for (int pass = 0; low < high && pass < PASSES; pass++) {
        double pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;; i++, j--) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i >= j) break;
            double other = values[i];
            values[i] = values[j];
            values[j] = other;
        }
        if (place <= j)
            high = j;
        else
            low = j + 1;
    }
    if (low < high) qsort(values + low, high - low + 1, sizeof *values, by_value);
    return values[place];
}

/* From 0 to 8; a small height is rounded up so that it is visible. */
static int level(double height, double most) { return most > 0.0 ? (int)ceil(8.0 * height / most - 0.02) : 0; }

/* A row of bars, the tallest as high as a line. */
static void print_bars(const char *label, const double *height, size_t bins) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
    const char *const       *step = text_utf8() ? blocks : letters;
    double                   most = 0.0;
    size_t                   last = 0;
    for (size_t b = 0; b < bins; b++) most = fmax(most, height[b]);
    for (size_t b = 0; b < bins; b++)
        if (level(height[b], most)) last = b + 1; /* no blanks at the end of a line */
    printf("%*s  ", INDENT - 2, label);
    for (size_t b = 0; b < last; b++) printf("%s", step[level(height[b], most)]);
    printf("\n");
}

static void print_drawn(const shape *s) {
    double height[BINS_MOST] = {0}, width = (s->high - s->low) / (double)s->bins;
    for (size_t i = 0; i < s->count; i++) {
        double place = (s->values[i] - s->low) / width;
        if (!(place >= 0.0) || s->values[i] > s->high) continue;
        size_t bin = (size_t)place;
        height[bin < s->bins ? bin : s->bins - 1] += 1.0; /* the end belongs to the last bar */
    }
    print_bars("drawn", height, s->bins);
}

static void print_exact(const outcome *r, const shape *s) {
    double height[BINS_MOST], width = (s->high - s->low) / (double)s->bins;
    for (size_t b = 0; b < s->bins; b++)
        height[b] = fmax(
            ckam_model_probability(r->model, s->k, s->low + (double)b * width, s->low + (double)(b + 1) * width), 0.0);
    print_bars("exact", height, s->bins);
}

/* From the 0.1 % to the 99.9 % point of the draws and, where it is known, the bulk of the truth. */
static void print_shape(const outcome *r, shape *s) {
    char low[NUMBER], high[NUMBER], range[3 * NUMBER];
    s->low = number_at(s->values, s->count, (size_t)(0.001 * (double)(s->count - 1)));
    s->high = number_at(s->values, s->count, (size_t)(0.999 * (double)(s->count - 1)));
    if (r->exact_mean) {
        s->low = fmin(s->low, r->exact_mean[s->k] - 2.0 * r->exact_sd[s->k]);
        s->high = fmax(s->high, r->exact_mean[s->k] + 2.0 * r->exact_sd[s->k]);
    }
    if (!(s->high - s->low > 0.0) || !isfinite(s->high - s->low)) return;
    number_with_error(s->low, (s->high - s->low) / 50.0, low);
    number_with_error(s->high, (s->high - s->low) / 50.0, high);
    snprintf(range, sizeof range, "from %s to %s", low, high);
    printf("%s%s ", s->any ? "" : "\n", r->review->names[s->k]);
    s->any = true;
    text_wrap(stdout, range, text_columns(r->review->names[s->k]) + 1, INDENT);
    print_drawn(s);
    if (r->exact_mean) print_exact(r, s);
}

void shapes_print(const outcome *r) {
    const ckam_draws_shape *draws = ckam_draws_shape_of(r->draws);
    size_t                  width = text_width(stdout) - 1 - INDENT;
    shape                   s = {.count = draws->chains * draws->rows, .bins = width < BINS_MOST ? width : BINS_MOST};
    const double           *values;
    if (s.count < 2 || !(s.values = malloc(s.count * sizeof *s.values))) return;
    for (; s.k < r->review->parameters && s.k < SHAPES_MOST; s.k++) {
        if (isnan(r->review->summary[s.k].mean)) continue; /* not all of them are numbers */
        if (ckam_draws_column(r->draws, draws->first + s.k, &values, NULL)) continue;
        memcpy(s.values, values, s.count * sizeof *s.values);
        print_shape(r, &s);
    }
    free(s.values);
}
