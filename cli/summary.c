/* summary.c - the table of a finished run: parameters beside their exact values, shapes, and modes. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PARAMETERS_MOST = 12,
    SHAPES_MOST = 3,
    MODES_MOST = 25,
    BINS = 48,
    BATCHES = 20,
    CHAINS_MOST = 8,
    CROSSINGS_FEW = 10
};

typedef struct column {
    size_t  chains, count, dim, k;
    double *sorted; /* chains * count numbers */
    double  mean, sd, error;
} column;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean of `count` draws of the parameter from `first` on. */
static double mean_of(const column *c, const double *draws, size_t first, size_t count) {
    double sum = 0.0;
    for (size_t i = first; i < first + count; i++) sum += draws[i * c->dim + c->k];
    return sum / (double)count;
}

/* Standard error of the mean of `parts` equal parts of the draws, from their own means. */
static double error_by_parts(const column *c, const double *draws, size_t parts) {
    size_t length = c->chains * c->count / parts;
    double square = 0.0;
    if (parts < 2) return 0.0;
    for (size_t i = 0; i < parts; i++) {
        double difference = mean_of(c, draws, i * length, length) - c->mean;
        square += difference * difference;
    }
    return sqrt(square / (double)(parts - 1) / (double)parts);
}

/* The error of the mean is the larger one by batches and by chains: chains that disagree make it large. */
static void measure(column *c, const double *draws) {
    size_t n = c->chains * c->count, batches = c->count >= BATCHES ? BATCHES : 1;
    double square = 0.0;
    c->mean = mean_of(c, draws, 0, n);
    for (size_t i = 0; i < n; i++) {
        c->sorted[i] = draws[i * c->dim + c->k];
        square += (c->sorted[i] - c->mean) * (c->sorted[i] - c->mean);
    }
    c->sd = sqrt(square / (double)n);
    c->error = fmax(error_by_parts(c, draws, c->chains), error_by_parts(c, draws, c->chains * batches));
    qsort(c->sorted, n, sizeof *c->sorted, by_value);
}

static double quantile(const column *c, double p) {
    return c->sorted[(size_t)(p * (double)(c->chains * c->count - 1))];
}

/* A row of bars, the tallest as high as a line. */
static void print_bars(const char *label, const double *height) {
    static const char *const bar[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double                   most = 0.0;
    for (int b = 0; b < BINS; b++) most = fmax(most, height[b]);
    printf("  %-8s", label);
    for (int b = 0; b < BINS; b++) printf("%s", bar[most > 0.0 ? (int)ceil(8.0 * height[b] / most - 0.02) : 0]);
    printf("\n");
}

/* The marginal as drawn above the exact one, from the 0.1 % to the 99.9 % point of the draws and the truth's bulk. */
static void print_shape(const ckam_model *model, const column *c, double exact_mean, double exact_sd) {
    double low = fmin(quantile(c, 0.001), exact_mean - 2.0 * exact_sd);
    double high = fmax(quantile(c, 0.999), exact_mean + 2.0 * exact_sd), width = (high - low) / BINS;
    double drawn[BINS] = {0}, exact[BINS];
    if (!(width > 0.0)) return;
    for (size_t i = 0; i < c->chains * c->count; i++) {
        double place = (c->sorted[i] - low) / width;
        if (place >= 0.0 && place < BINS) drawn[(int)place] += 1.0;
    }
    for (int b = 0; b < BINS; b++)
        exact[b] = ckam_model_probability(model, c->k, low + b * width, low + (b + 1) * width);
    printf("x.%zu from %.3g to %.3g\n", c->k + 1, low, high);
    print_bars("drawn", drawn);
    print_bars("exact", exact);
}

static size_t nearest(const double *x, size_t dim, size_t modes, const double *centres) {
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t m = 0; m < modes; m++) {
        double distance = 0.0;
        for (size_t k = 0; k < dim; k++) distance += (x[k] - centres[m * dim + k]) * (x[k] - centres[m * dim + k]);
        if (distance < least) {
            least = distance;
            best = m;
        }
    }
    return best;
}

/* Share of the draws nearest to each mode, in all and by chain, and how often a chain went from one to another. */
static void print_modes(size_t modes, const double *centres, size_t chains, size_t count, size_t dim,
                        const double *draws) {
    double  share[MODES_MOST] = {0}, crossings = 0.0;
    double *by_chain = calloc(chains * modes, sizeof *by_chain);
    if (!by_chain) return;
    for (size_t i = 0, before = 0; i < chains * count; i++) {
        size_t m = nearest(draws + i * dim, dim, modes, centres);
        if (i % count && m != before) crossings += 1.0;
        before = m;
        share[m] += 1.0 / (double)(chains * count);
        by_chain[i / count * modes + m] += 1.0 / (double)count;
    }
    printf("\nmode    share of draws nearest to it, in all and by chain\n");
    for (size_t m = 0; m < modes; m++) {
        printf("%-6zu  %.3f  ", m + 1, share[m]);
        for (size_t c = 0; c < chains && c < CHAINS_MOST; c++) printf(" %.2f", by_chain[c * modes + m]);
        printf("   at (");
        for (size_t k = 0; k < dim && k < 4; k++) printf("%s%.3g", k ? ", " : "", centres[m * dim + k]);
        printf(dim > 4 ? ", ...)\n" : ")\n");
    }
    printf("moves between modes: %.0f\n", crossings);
    if (crossings < CROSSINGS_FEW * (double)chains)
        printf("Few moves: the shares tell where the chains began, not what the modes weigh.\n");
    free(by_chain);
}

static void print_parameters(const ckam_model *model, column *c, const double *draws, const double *exact) {
    printf("%-7s %8s %7s %8s %8s %8s %8s | %8s %7s\n", "", "mean", "+-", "sd", "5%", "50%", "95%", "exact", "sd");
    for (c->k = 0; c->k < c->dim && c->k < PARAMETERS_MOST; c->k++) {
        measure(c, draws);
        printf("x.%-5zu %8.3g %7.2g %8.3g %8.3g %8.3g %8.3g | %8.3g %7.3g\n", c->k + 1, c->mean, c->error, c->sd,
               quantile(c, 0.05), quantile(c, 0.5), quantile(c, 0.95), exact[c->k],
               sqrt(exact[c->dim * (c->k + 1) + c->k]));
    }
    if (c->dim > PARAMETERS_MOST) printf("... and %zu more\n", c->dim - PARAMETERS_MOST);
    printf("\n");
    for (c->k = 0; c->k < c->dim && c->k < SHAPES_MOST; c->k++) {
        measure(c, draws);
        print_shape(model, c, exact[c->k], sqrt(exact[c->dim * (c->k + 1) + c->k]));
    }
}

int print_summary(const ckam_model *model, size_t chains, size_t count, const double *draws) {
    size_t  dim = ckam_model_target(model)->dim;
    double *exact = malloc((dim + 1) * dim * sizeof *exact); /* the mean, then the covariance */
    column  c = {.chains = chains, .count = count, .dim = dim, .sorted = malloc(chains * count * sizeof *c.sorted)};
    double *centres = malloc(MODES_MOST * dim * sizeof *centres);
    if (exact && c.sorted && centres) {
        ckam_model_mean(model, exact);
        ckam_model_covariance(model, exact + dim);
        print_parameters(model, &c, draws, exact);
        double modes = ckam_model_modes(model, MODES_MOST, centres, NULL);
        if (modes > 1.0 && modes <= MODES_MOST) print_modes((size_t)modes, centres, chains, count, dim, draws);
    }
    int status = exact && c.sorted && centres ? 0 : -1;
    free(exact);
    free(c.sorted);
    free(centres);
    return status;
}
