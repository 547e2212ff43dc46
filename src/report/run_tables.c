/* run_tables.c - what a review says, on a page: findings, the summary of the parameters, the modes. */
#include "report/run_page.h"

#include "base/character.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS_MOST = 1000, CHAINS_MOST = 8, PLACES_MOST = 4, ARRIVALS_LEAST = 10, EXACT_MOST = 2048 };

const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* -- Findings ----------------------------------------------------------------------------------------------------- */

void tables_findings(const run_scene *scene, document *d) {
    ckam_finding found[CKAM_FINDINGS];
    size_t       count;
    if (ckam_run_findings(scene->directory, scene->review, found, &count, NULL)) d->text.failed = true;
    for (size_t i = 0; i < count; i++) document_finding(d, found[i].severity, found[i].text, found[i].advice);
    if (!count || found[0].severity != CKAM_PROBLEM) document_paragraph(d, "The draws show no problem.");
}

/* -- Parameters --------------------------------------------------------------------------------------------------- */

/* What the model knows: a mean and a standard deviation for each parameter; mean is NULL where there are none. */
typedef struct exact {
    double *mean, *sd;
} exact;

/* Of very many parameters the covariance is too large. A want of memory is noted in the document. */
static exact exact_create(const ckam_model *model, document *d) {
    size_t dim = model ? ckam_model_target(model)->dim : 0;
    exact  e = {NULL, NULL};
    if (dim == 0 || dim > EXACT_MOST) return e;
    double *covariance = malloc(dim * dim * sizeof *covariance);
    e.mean = covariance ? malloc(2 * dim * sizeof *e.mean) : NULL;
    if (e.mean) {
        e.sd = e.mean + dim;
        ckam_model_mean(model, e.mean);
        ckam_model_covariance(model, covariance);
        for (size_t k = 0; k < dim; k++) e.sd[k] = sqrt(covariance[k * dim + k]);
    } else
        d->text.failed = true;
    free(covariance);
    return e;
}

/* An infinite R-hat is no number of JSON. */
static void add_number(document *d, double x, bool flagged) {
    if (isinf(x))
        document_cell_text(d, x > 0.0 ? "infinite" : "-infinite", flagged);
    else
        document_cell_number(d, x, flagged);
}

static void add_summary(document *d, const char *name, const ckam_summary *s, size_t chains, bool known, double mean,
                        double sd) {
    double enough = 100.0 * (double)chains;
    document_row(d);
    document_cell_text(d, name, false);
    add_number(d, s->mean, fabs(s->mean - mean) > 4.0 * s->mcse_mean);
    add_number(d, s->mcse_mean, false);
    if (known) add_number(d, mean, false);
    add_number(d, s->sd, false);
    if (known) add_number(d, sd, false);
    add_number(d, s->q5, false);
    add_number(d, s->median, false);
    add_number(d, s->q95, false);
    add_number(d, s->rhat, s->rhat > 1.01);
    add_number(d, s->ess_bulk, s->ess_bulk < enough);
    add_number(d, s->ess_tail, s->ess_tail < enough);
}

static void add_rows(const run_scene *scene, document *d, const exact *e, size_t rows) {
    const ckam_review *review = scene->review;
    const double       none = (double)NAN;
    size_t             first = ckam_draws_shape_of(scene->draws)->first;
    if (!isnan(review->log_density.mean))
        add_summary(d, "lp__", &review->log_density, review->chains, e->mean, none, none);
    for (size_t i = 0; i < rows; i++) {
        if (scene->columns[i] < first) continue; /* lp__ is there already */
        size_t k = scene->columns[i] - first;
        add_summary(d, review->names[k], review->summary + k, review->chains, e->mean, e->mean ? e->mean[k] : none,
                    e->mean ? e->sd[k] : none);
    }
}

void tables_summary(const run_scene *scene, document *d) {
    static const char *const labels[] = {"variable", "mean", "mcse", "sd",       "5%",
                                         "50%",      "95%",  "rhat", "ess_bulk", "ess_tail"};
    static const char *const exact_labels[] = {"variable", "mean", "mcse", "exact mean", "sd",       "exact sd",
                                               "5%",       "50%",  "95%",  "rhat",       "ess_bulk", "ess_tail"};
    size_t                   rows = scene->count < ROWS_MOST ? scene->count : ROWS_MOST;
    exact                    e = exact_create(scene->model, d);
    text_buffer              caption = {0};
    text_string(&caption,
                "mcse is the standard error of the mean. R-hat below 1.01 and effective sample sizes above 100 "
                "a chain are good; others are marked.");
    if (e.mean) text_string(&caption, " A mean is marked that is more than 4 standard errors from the exact one.");
    if (rows < scene->count)
        text_format(&caption, " The first %zu of %zu parameters; summary.csv and `ckam summary --all` have all.", rows,
                    scene->count);
    document_table(d, "summary", "Summary", caption.bytes, e.mean ? 12 : 10, e.mean ? exact_labels : labels);
    add_rows(scene, d, &e, rows);
    document_table_end(d);
    if (caption.failed) d->text.failed = true;
    text_free(&caption);
    free(e.mean);
}

/* -- Modes -------------------------------------------------------------------------------------------------------- */

/* The parameters whose place in each mode is shown: the first ones that are shown at all. */
typedef struct places {
    size_t count, parameter[PLACES_MOST];
} places;

static places places_of(const run_scene *scene) {
    size_t first = ckam_draws_shape_of(scene->draws)->first;
    places p = {0};
    for (size_t i = 0; i < scene->count && p.count < PLACES_MOST; i++)
        if (scene->columns[i] >= first) p.parameter[p.count++] = scene->columns[i] - first;
    return p;
}

static void add_shares(const ckam_review *review, const ckam_mode *mode, document *d) {
    double least = HUGE_VAL, most = 0.0;
    for (size_t c = 0; c < review->chains; c++) {
        double share = (double)mode->visits[c] / (double)review->rows;
        least = fmin(least, share);
        most = fmax(most, share);
        if (review->chains <= CHAINS_MOST) document_cell_number(d, share, false);
    }
    if (review->chains <= CHAINS_MOST) return;
    document_cell_number(d, least, false);
    document_cell_number(d, most, false);
}

/* How many bytes of a name there is room for: whole characters. */
static int fitting(const char *name, size_t room) {
    size_t used = 0;
    while (name[used]) {
        size_t length = character_length(name + used), end = used + (length ? length : 1);
        if (end > room) break;
        used = end;
    }
    return (int)used;
}

/* Whether it says something when modes were found: not without cycles, nor if all were found in the first. */
static bool has_cycles(const ckam_review *review) {
    for (size_t m = 0; m < review->modes; m++)
        if (review->mode[m].found > 0) return true;
    return false;
}

static void begin_modes(const run_scene *scene, const places *p, document *d) {
    const ckam_review *review = scene->review;
    enum { LABELS = 5 + CHAINS_MOST + 2 * PLACES_MOST, LABEL = 128 };
    char        text[LABELS][LABEL], caption[512];
    const char *labels[LABELS];
    size_t      count = 0;
    snprintf(text[count++], LABEL, "mode");
    snprintf(text[count++], LABEL, "weight");
    snprintf(text[count++], LABEL, "mcse");
    snprintf(text[count++], LABEL, "moves into");
    if (has_cycles(review)) snprintf(text[count++], LABEL, "found in cycle");
    for (size_t i = 0; i < p->count; i++) {
        const char *name = review->names[p->parameter[i]];
        snprintf(text[count++], LABEL, "%.*s", fitting(name, 100), name);
        snprintf(text[count++], LABEL, "sd of %.*s", fitting(name, 100), name);
    }
    for (size_t c = 0; c < review->chains && review->chains <= CHAINS_MOST; c++)
        snprintf(text[count++], LABEL, "chain %zu", c + 1);
    if (review->chains > CHAINS_MOST) {
        snprintf(text[count++], LABEL, "least of a chain");
        snprintf(text[count++], LABEL, "most of a chain");
    }
    for (size_t i = 0; i < count; i++) labels[i] = text[i];
    snprintf(caption, sizeof caption,
             "%" PRIu64 " move%s between modes. weight: the share of all draws, and mcse its standard error; both are "
             "marked where fewer than %d moves led into the mode. Then%s where it is: centre and standard deviation%s; "
             "and its share of each chain's draws.",
             review->crossings, plural(review->crossings), ARRIVALS_LEAST,
             has_cycles(review) ? " the cycle of its first draw, and" : "",
             p->count < review->parameters ? ", for the first parameters" : "");
    document_table(d, "modes", "Modes", caption, count, labels);
}

void tables_modes(const run_scene *scene, document *d) {
    const ckam_review *review = scene->review;
    places             p = places_of(scene);
    if (review->modes == 1) document_paragraph(d, "One mode: no part of the draws is apart from the others.");
    if (review->modes < 2) return;
    begin_modes(scene, &p, d);
    for (size_t m = 0; m < review->modes; m++) {
        const ckam_mode *mode = review->mode + m;
        document_row(d);
        document_cell_number(d, (double)(m + 1), false);
        document_cell_number(d, mode->weight, mode->arrivals < ARRIVALS_LEAST);
        document_cell_number(d, mode->mcse, mode->arrivals < ARRIVALS_LEAST);
        document_cell_number(d, (double)mode->arrivals, false);
        if (has_cycles(review)) document_cell_number(d, (double)mode->found, false);
        for (size_t i = 0; i < p.count; i++) {
            document_cell_number(d, mode->centre[p.parameter[i]], false);
            document_cell_number(d, mode->spread[p.parameter[i]], false);
        }
        add_shares(review, mode, d);
    }
    document_table_end(d);
}
