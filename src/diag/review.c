/* review.c - all that is known about a set of draws: summaries, modes, findings. See ckam.h. */
#include "base/error.h"
#include "diag/diag.h"
#include "diag/find_modes.h"
#include "diag/findings.h"
#include "draws/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MULTI_DIM = 200, MULTI_NUMBERS = 1 << 20 };
#define HUGE_MOST 1e150 /* beyond it squares overflow soon */

/* The public structure and what it points to. It comes first, so that its address is that of the whole. */
typedef struct review_data {
    ckam_review   review;
    char        **names; /* pointers and text, one block */
    ckam_summary *summary;
    ckam_finding *finding;
    bool         *moved;
    uint8_t      *same; /* of each row: whether it equals the one before */
    mode_table    modes;
    review_facts  facts;
} review_data;

void ckam_review_free(ckam_review *review) {
    review_data *w = (review_data *)(void *)review;
    if (!w) return;
    free(w->names);
    free(w->summary);
    free(w->finding);
    free(w->moved);
    free(w->same);
    mode_table_free(&w->modes);
    free(w);
}

static ckam_status no_memory(const review_data *w, ckam_error *error) {
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a review of %zu parameters and %zu rows",
                     w->review.parameters, w->review.chains * w->review.rows);
}

static char **copy_names(const ckam_draws *draws, size_t first, size_t count) {
    size_t size = count * sizeof(char *) + 1;
    for (size_t k = 0; k < count; k++) size += strlen(ckam_draws_name(draws, first + k)) + 1;
    char **names = malloc(size);
    if (!names) return NULL;
    char *text = (char *)(names + count);
    for (size_t k = 0; k < count; k++) {
        const char  *name = ckam_draws_name(draws, first + k);
        const size_t bytes = strlen(name) + 1;
        names[k] = memcpy(text, name, bytes);
        text += bytes;
    }
    return names;
}

static ckam_status reserve(review_data *w, const ckam_draws *draws, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    ckam_review            *r = &w->review;
    r->chains = shape->chains;
    r->rows = shape->rows;
    r->stride = shape->stride;
    r->parameters = shape->columns - shape->first;
    w->names = copy_names(draws, shape->first, r->parameters);
    w->summary = calloc(r->parameters + 1, sizeof *w->summary);
    w->finding = calloc(FINDINGS_MOST, sizeof *w->finding);
    w->moved = calloc(r->chains + 1, sizeof *w->moved);
    w->same = malloc(r->chains * r->rows + 1);
    if (!w->names || !w->summary || !w->finding || !w->moved || !w->same) return no_memory(w, error);
    memset(w->same, 1, r->chains * r->rows);
    r->names = (const char *const *)w->names;
    r->summary = w->summary;
    r->finding = w->finding;
    w->facts = (review_facts){.review = r, .shape = shape, .moved = w->moved};
    return CKAM_OK;
}

/* -- Columns ------------------------------------------------------------------------------------------------------ */

static void no_summary(ckam_summary *s) {
    const double none = (double)NAN;
    *s = (ckam_summary){none, none, none, none, none, none, none, none, none, none};
}

/* How often the chains came to exactly this number; consecutive equal rows count once. */
static size_t count_arrivals(const review_data *w, const double *values, double number) {
    size_t arrivals = 0;
    for (const double *chain = values; chain < values + w->review.chains * w->review.rows; chain += w->review.rows) {
        arrivals += chain[0] == number;
        for (size_t i = 1; i < w->review.rows; i++) arrivals += (chain[i] == number) & (chain[i - 1] != number);
    }
    return arrivals;
}

/* Rows close to this number: within 2^30 units in its last place, but beyond 8, which rounding explains. */
static size_t count_near(const review_data *w, const double *values, double number) {
    const double unit = nextafter(fabs(number), HUGE_VAL) - fabs(number);
    size_t       near = 0;
    for (size_t i = 0; i < w->review.chains * w->review.rows; i++) {
        const double away = fabs(values[i] - number);
        near += (away > 8.0 * unit) & (away < 0x1p30 * unit);
    }
    return near;
}

/* A parameter with a density does not return to the same number, unless that is the last one before a bound; then other draws
 * gather close to it. That condition excludes jumps back to a draw, values clipped to a limit, and discrete values. */
static void note_edge(review_data *w, size_t k, const double *values, double number) {
    enum { ARRIVALS = 3, ROWS_FOR_ONE = 10000 };
    const size_t  total = w->review.chains * w->review.rows, arrivals = count_arrivals(w, values, number);
    review_facts *f = &w->facts;
    if (number == rint(number) || arrivals < ARRIVALS || arrivals < total / ROWS_FOR_ONE ||
        count_near(w, values, number) < ARRIVALS)
        return;
    if (f->edges++ > 0) return;
    f->first_edge = k;
    f->edge = number;
    f->edge_rows = arrivals;
}

/* Facts on all values of a column. */
typedef struct column_facts {
    uint64_t undefined;
    double   least, greatest;
} column_facts;

/* Clears w->same where a row differs from the one before, and sets moved[chain], unless moved is NULL, if any two differ. */
static column_facts look_at_column(review_data *w, const double *values, bool *moved) {
    column_facts f = {0, values[0], values[0]};
    for (size_t c = 0; c < w->review.chains; c++) {
        const double *chain = values + c * w->review.rows;
        uint8_t      *same = w->same + c * w->review.rows;
        bool          differs = false;
        for (size_t i = 0; i < w->review.rows; i++) {
            f.undefined += isfinite(chain[i]) ? 0 : 1;
            differs |= chain[i] != chain[0];
            same[i] &= i > 0 && chain[i] == chain[i - 1];
            f.least = chain[i] < f.least ? chain[i] : f.least;
            f.greatest = chain[i] > f.greatest ? chain[i] : f.greatest;
        }
        if (moved) moved[c] |= differs;
    }
    return f;
}

/* Notes whether the parameter is constant, not finite somewhere, huge, or at a bound. */
static void note_parameter(review_data *w, size_t k, const double *values) {
    review_facts      *f = &w->facts;
    const column_facts column = look_at_column(w, values, w->moved);
    const double       least = column.least, greatest = column.greatest;
    if (column.undefined > 0 && f->undefined++ == 0) f->first_undefined = k;
    f->undefined_values += column.undefined;
    if (column.undefined > 0) return;
    if (least == greatest && f->constant++ == 0) f->first_constant = k;
    if (least == greatest) return;
    if (fmax(-least, greatest) > HUGE_MOST && f->huge++ == 0) {
        f->first_huge = k;
        f->hugest = -least > greatest ? least : greatest;
    }
    note_edge(w, k, values, least);
    note_edge(w, k, values, greatest);
}

static void note_density(review_data *w, const double *values) {
    const column_facts column = look_at_column(w, values, NULL);
    w->facts.density_undefined = column.undefined;
    w->facts.density_constant = column.least == column.greatest;
}

/* -- Stuck chains ------------------------------------------------------------------------------------------------- */

/* With a constant acceptance rate p the lengths of stretches of equal rows are geometric: P(one of n rows begins a stretch
 * of length L or more) is at most n p (1-p)^(L-1). In a good chain p depends on the place, so that alone says little. The
 * distinct draws with their repeats are weighted points, and the variance of a weighted mean grows with the sum of squared
 * weights (Kish 1965). So a stretch is too long if p does not explain it, and if its square is a large part of that sum:
 * then one event decides how large the standard errors are. */
#define FALSE_ALARM   1e-4 /* of a run whose acceptance rate is constant */
#define SQUARES_SHARE 0.07 /* of the sum of squares */

/* How many equal rows begin at this one. */
static size_t stretch_at(const uint8_t *same, size_t rows, size_t row) {
    size_t length = 1;
    while (row + length < rows && same[row + length]) length++;
    return length;
}

/* same[chain * rows + row]: whether the row equals the one before it. docs/diagnostics.md has what was measured. */
static stuck_stretch find_stuck(const uint8_t *same, size_t chains, size_t rows) {
    stuck_stretch worst = {.length = 0};
    double        squares = 0.0;
    for (size_t c = 0; c < chains; c++) {
        const uint8_t *chain = same + c * rows;
        stuck_stretch  longest = {.chain = c};
        double         count = 0.0;
        for (size_t row = 0, length; row < rows; row += length) {
            length = stretch_at(chain, rows, row);
            squares += (double)length * (double)length;
            count += 1.0;
            if (length <= longest.length) continue;
            longest.length = length;
            longest.row = row;
        }
        const double n = (double)rows, others = n - (double)longest.length,
                     p = others > 0.0 ? (count - 1.0) / others : 0.0;
        const double expected = (double)chains * n * p * pow(1.0 - p, (double)longest.length - 1.0);
        longest.accepted = p;
        if (p > 0.0 && expected < FALSE_ALARM && longest.length > worst.length) worst = longest;
    }
    if ((double)worst.length * (double)worst.length < SQUARES_SHARE * squares) worst.length = 0;
    return worst;
}

/* -- All columns -------------------------------------------------------------------------------------------------- */

/* In the order of the columns, so that a large file is read as few times as possible. */
static ckam_status summarise(review_data *w, ckam_draws *draws, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    ckam_review            *r = &w->review;
    diag_work              *work = NULL;
    ckam_status             status = CKAM_OK;
    no_summary(&r->log_density);
    for (size_t k = 0; k < r->parameters; k++) no_summary(w->summary + k);
    if (r->chains * r->rows == 0) return CKAM_OK;
    work = diag_work_create(r->chains, r->rows);
    if (!work) return no_memory(w, error);
    for (size_t c = 0; c < shape->columns && !status; c++) {
        const double *values;
        const bool    density = c < shape->first && !strcmp(ckam_draws_name(draws, c), "lp__");
        if (c < shape->first && !density) continue;
        status = ckam_draws_column(draws, c, &values, error);
        if (status) break;
        diag_summary(work, values, density ? &r->log_density : w->summary + (c - shape->first));
        if (density)
            note_density(w, values);
        else
            note_parameter(w, c - shape->first, values);
    }
    w->facts.stuck = find_stuck(w->same, r->chains, r->rows);
    diag_work_free(work);
    return status;
}

/* -- All parameters together -------------------------------------------------------------------------------------- */

typedef struct gathering {
    double *matrix;
    size_t  first, dim, rows, every; /* rows per chain that are kept: every k-th, k = every */
} gathering;

static void gather(void *context, size_t chain, size_t row, const double *values) {
    const gathering *g = context;
    if (row % g->every || row / g->every >= g->rows) return;
    memcpy(g->matrix + (chain * g->rows + row / g->every) * g->dim, values + g->first, g->dim * sizeof *values);
}

static ckam_status measure_multi_ess(review_data *w, ckam_draws *draws, ckam_error *error) {
    ckam_review *r = &w->review;
    gathering    g = {.first = ckam_draws_shape_of(draws)->first, .dim = r->parameters};
    r->multi_ess = (double)NAN;
    if (g.dim == 0 || g.dim > MULTI_DIM || r->chains * g.dim > MULTI_NUMBERS / 4 || w->facts.undefined > 0)
        return CKAM_OK;
    g.every = r->chains * r->rows * g.dim / MULTI_NUMBERS + 1;
    g.rows = r->rows / g.every;
    const size_t numbers = r->chains * g.rows * g.dim;
    if (g.rows < 4 || numbers == 0) return CKAM_OK;
    g.matrix = malloc(numbers * sizeof *g.matrix);
    if (!g.matrix) return no_memory(w, error);
    ckam_status status = draws_scan(draws, gather, &g, error);
    if (!status) status = diag_multi_ess(g.matrix, r->chains, g.rows, g.dim, &r->multi_ess, error);
    free(g.matrix);
    return status;
}

ckam_status ckam_review_create(ckam_review **review, ckam_draws *draws, ckam_error *error) {
    review_data *w = calloc(1, sizeof *w);
    *review = NULL;
    if (!w) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a review");
    ckam_status status = reserve(w, draws, error);
    if (!status) status = summarise(w, draws, error);
    if (!status) status = measure_multi_ess(w, draws, error);
    if (!status) status = find_modes(&w->modes, draws, error);
    if (status) {
        ckam_review_free(&w->review);
        return status;
    }
    w->review.modes = w->modes.count;
    w->review.mode = w->modes.mode;
    w->review.crossings = w->modes.crossings;
    w->facts.doubts = w->modes.doubts;
    w->review.findings = findings_make(&w->facts, w->finding);
    w->facts = (review_facts){0}; /* it points into the draws, which may be freed before the review */
    *review = &w->review;
    return CKAM_OK;
}
