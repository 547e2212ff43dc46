/* run_ranks.c - how the ranks of all draws are spread over the chains, a panel a chain. */
#include "report/run_parts.h"

#include "base/error.h"
#include "diag/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 20, ACROSS = 4 };

/* How many draws of each chain are in each bin of ranks. */
typedef struct ranking {
    size_t    chains, rows, count; /* count: draws that are numbers */
    double   *sorted;
    uint32_t *order;
    double   *share; /* of the bins, chain by chain */
    double   *equal; /* by chain, among draws of one value */
} ranking;

static bool ranking_create(ranking *r, const ckam_draws_shape *shape, const double *values) {
    size_t total = shape->chains * shape->rows;
    *r = (ranking){.chains = shape->chains, .rows = shape->rows};
    r->sorted = malloc((total + 1) * sizeof *r->sorted);
    r->order = malloc((total + 1) * sizeof *r->order);
    r->share = calloc((BINS + 1) * shape->chains + 1, sizeof *r->share);
    if (!r->sorted || !r->order || !r->share || total > UINT32_MAX) return false;
    r->equal = r->share + BINS * shape->chains;
    for (size_t i = 0; i < total; i++) {
        if (isnan(values[i])) continue;
        r->sorted[r->count] = values[i];
        r->order[r->count++] = (uint32_t)i;
    }
    sort_with_order(r->sorted, r->order, r->count);
    return true;
}

static void ranking_free(ranking *r) {
    free(r->sorted);
    free(r->order);
    free(r->share);
}

/* Draws with the ranks from..to-1 are equal: each has a part of all these ranks. */
static void spread(ranking *r, size_t from, size_t to) {
    double width = (double)r->count / BINS, each = 1.0 / (double)(to - from);
    for (size_t i = from; i < to; i++) r->equal[r->order[i] / r->rows] += each;
    for (size_t bin = (size_t)((double)from / width); bin < BINS; bin++) {
        double low = fmax((double)from, width * (double)bin), high = fmin((double)to, width * (double)(bin + 1));
        if (width * (double)bin >= (double)to) break;
        for (size_t chain = 0; chain < r->chains && high > low; chain++)
            r->share[chain * BINS + bin] += r->equal[chain] * (high - low);
    }
    memset(r->equal, 0, r->chains * sizeof *r->equal);
}

static void rank_all(ranking *r) {
    for (size_t from = 0, to; from < r->count; from = to) {
        for (to = from + 1; to < r->count && r->sorted[to] == r->sorted[from];) to++;
        spread(r, from, to);
    }
}

/* -- The figure --------------------------------------------------------------------------------------------------- */

/* What independent draws of one distribution would give: a bin has a 20th of them, and its number is binomial. */
static void add_expected(figure *f, panel *p, double draws) {
    double expected = draws / BINS, sd = sqrt(expected * (1.0 - 1.0 / BINS));
    mark  *band = panel_mark(f, p, MARK_BAND, NULL, COLOUR_MUTED, 2);
    for (size_t i = 0; band && i < 2; i++) {
        band->x[i] = (double)i;
        band->low[i] = fmax(0.0, expected - 2.0 * sd);
        band->high[i] = expected + 2.0 * sd;
    }
    mark *rule = panel_mark(f, p, MARK_RULE, NULL, COLOUR_INK, 1);
    if (rule) rule->y[0] = expected;
}

static void add_chain(figure *f, const ranking *r, size_t chain, double highest) {
    char   name[CHAIN_NAME];
    panel *p = figure_panel(f, chain, chain_name(chain, name), "rank, as a share of all", "draws");
    double draws = 0.0;
    mark  *bars = panel_mark(f, p, MARK_BARS, NULL, (int)chain, BINS);
    for (size_t bin = 0; bars && bin < BINS; bin++) {
        bars->low[bin] = (double)bin / BINS;
        bars->high[bin] = (double)(bin + 1) / BINS;
        bars->y[bin] = r->share[chain * BINS + bin];
        draws += bars->y[bin];
    }
    add_expected(f, p, draws);
    p->x.low = p->y.low = 0.0;
    p->x.high = 1.0;
    if (highest > 0.0) p->y.high = 1.05 * highest;
}

ckam_status run_rank(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                     size_t points, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    const double           *values;
    figure                 *f;
    ranking                 r;
    double                  highest = 0.0;
    (void)count, (void)points;
    ckam_status status = run_begin(facts, kind, columns[0], shape->chains, &f, &values, error);
    if (status) return status;
    f->small = true;
    f->across = shape->chains < ACROSS ? shape->chains : ACROSS;
    if (ranking_create(&r, shape, values)) {
        rank_all(&r);
        for (size_t i = 0; i < shape->chains * BINS; i++) highest = fmax(highest, r.share[i]);
        for (size_t chain = 0; chain < shape->chains; chain++) add_chain(f, &r, chain, highest);
    } else
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the ranks of %zu draws",
                           shape->chains * shape->rows);
    ranking_free(&r);
    return run_end(status, f, out, error);
}
