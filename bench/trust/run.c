/* run.c - see run.h. */
#include "run.h"

#include "measure.h"
#include "rng/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- The density in other coordinates ------------------------------------------------------------------------------ */

typedef struct mapped {
    density *base;
    bool     plain;
    double   matrix[DIM_MOST][DIM_MOST];
    double   log_det; /* log |det M| */
} mapped;

static void map(const mapped *m, const double *x, double *z) {
    size_t dim = m->base->dim;
    for (size_t j = 0; j < dim; j++) {
        z[j] = m->plain ? x[j] : 0.0;
        for (size_t k = 0; !m->plain && k < dim; k++) z[j] += m->matrix[j][k] * x[k];
    }
}

static int mapped_density(void *context, const double *x, double *value) {
    const mapped *m = context;
    double        z[DIM_MOST];
    map(m, x, z);
    return m->base->log_density(m->base, z, value);
}

/* The columns of a Gaussian matrix, made orthonormal one after the other, have Haar's distribution. */
static void mapped_init(mapped *m, density *base, variant v, uint64_t seed) {
    const size_t dim = base->dim;
    rng          r;
    rng_init(&r, seed, UINT64_MAX); /* no chain has this number */
    *m = (mapped){.base = base, .plain = v == AS_IS};
    for (size_t k = 0; k < dim; k++) {
        for (size_t j = 0; j < dim; j++) m->matrix[j][k] = rng_normal(&r);
        for (size_t i = 0; i <= k; i++) {
            double product = 0.0;
            for (size_t j = 0; j < dim; j++) product += m->matrix[j][i] * m->matrix[j][k];
            for (size_t j = 0; j < dim; j++)
                m->matrix[j][k] = i < k ? m->matrix[j][k] - product * m->matrix[j][i] : m->matrix[j][k] / sqrt(product);
        }
    }
    for (size_t k = 0; v == UNITS && k < dim; k++) {
        double log_unit = (2.0 * rng_uniform(&r) - 1.0) * log(1e3);
        for (size_t j = 0; j < dim; j++) m->matrix[j][k] *= exp(log_unit);
        m->log_det += log_unit;
    }
}

/* -- What was said ------------------------------------------------------------------------------------------------- */

/* The first four words; those that begin with a digit become N. */
static void kind_of(const char *text, char kind[KIND]) {
    size_t used = 0;
    for (int word = 0; word < 4 && *text; word++) {
        size_t length = strcspn(text, " "), end = length;
        while (end && strchr(",.:;", text[end - 1])) end--;
        bool is_number = *text >= '0' && *text <= '9';
        used += (size_t)snprintf(kind + used, KIND - used, "%s%.*s", word ? " " : "", is_number ? 1 : (int)end,
                                 is_number ? "N" : text);
        if (used >= KIND) return;
        text += length + strspn(text + length, " ");
    }
}

static void add_kind(outcome *out, const char *text) {
    char kind[KIND];
    kind_of(text, kind);
    for (size_t i = 0; i < out->kinds; i++)
        if (!strcmp(out->kind[i], kind)) return;
    if (out->kinds < KINDS) memcpy(out->kind[out->kinds++], kind, KIND);
}

static void add_problems(outcome *out, const ckam_finding *found, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (found[i].severity == CKAM_PROBLEM) add_kind(out, found[i].text);
}

/* -- What came out ------------------------------------------------------------------------------------------------- */

/* hit[(event * chains + chain) * rows + row] of all draws. */
static bool *find_hits(const mapped *m, ckam_draws *draws) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    const size_t            dim = m->base->dim, all = shape->chains * shape->rows;
    double                 *x = take(all * dim * sizeof *x), z[DIM_MOST];
    bool                   *hit = take(all * m->base->events * sizeof *hit), now[EVENTS_MOST] = {false};
    ckam_error              error;
    for (size_t k = 0; k < dim; k++) {
        const double *column;
        if (ckam_draws_column(draws, shape->first + k, &column, &error)) stop(error.message);
        for (size_t i = 0; i < all; i++) x[i * dim + k] = column[i];
    }
    for (size_t i = 0; i < all; i++) {
        map(m, x + i * dim, z);
        density_events(m->base, z, now);
        for (size_t e = 0; e < m->base->events; e++) hit[e * all + i] = now[e];
    }
    free(x);
    return hit;
}

static void look_at_draws(const mapped *m, const ckam_target *target, const char *directory, uint64_t seed,
                          bool evidence, outcome *out) {
    ckam_draws   *draws;
    ckam_error    error;
    ckam_evidence e;
    if (ckam_draws_open(&draws, &directory, 1, &error)) stop(error.message);
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    bool                   *hit = find_hits(m, draws);
    out->verdict = judge(m->base->events, m->base->share, hit, shape->chains, shape->rows, out->kinds, &out->worst);
    free(hit);
    if (evidence) {
        bool failed = ckam_evidence_estimate(draws, target, seed, &e, &error) != CKAM_OK;
        out->log_z_error = failed ? HUGE_VAL : e.log_z - (m->base->log_z - m->log_det);
        out->log_z_se = failed ? 0.0 : e.se;
        out->evidence = judge_evidence(out->log_z_error, out->log_z_se, failed || !e.trusted || out->kinds > 0);
    }
    ckam_draws_free(draws);
}

/* -- The run ------------------------------------------------------------------------------------------------------- */

static void remove_folder(const char *folder) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) stop("a folder in $TMPDIR cannot be removed");
}

static ckam_plan *make_plan(uint64_t seed, const char *draws, const char *directory) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    const char *const settings[][2] = {{"model", "trust"}, {"seed", text},     {"threads", "1"},
                                       {"format", "csv"},  {"out", directory}, {"draws", draws ? draws : "auto"}};
    ckam_plan        *plan;
    ckam_error        error;
    if (ckam_plan_create(&plan, &error)) stop(error.message);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (ckam_plan_set(plan, settings[i][0], settings[i][1], &error)) stop(error.message);
    return plan;
}

void run_once(density *d, variant v, uint64_t seed, const char *draws, bool evidence, outcome *out) {
    const char  *parent = getenv("TMPDIR");
    char         folder[256], directory[272];
    mapped      *m = take(sizeof *m);
    ckam_target  target = {.dim = d->dim, .log_density = mapped_density, .context = m};
    ckam_run    *run;
    ckam_error   error;
    ckam_counts  counts;
    ckam_search  search;
    ckam_finding incident[CKAM_INCIDENTS];
    snprintf(folder, sizeof folder, "%.200s/ckam-trust-XXXXXX", parent ? parent : "/tmp");
    if (strchr(folder, '\'') || !mkdtemp(folder)) stop("no folder can be made in $TMPDIR");
    snprintf(directory, sizeof directory, "%s/run", folder);
    mapped_init(m, d, v, seed);
    *out = (outcome){.verdict = WARNED, .evidence = WARNED, .worst = 1.0};
    ckam_plan *plan = make_plan(seed, draws, directory);
    if (ckam_run_create(&run, plan, &target, &error)) stop(error.message);
    if (ckam_run_go(run, NULL, NULL, &error) < 0) add_kind(out, "the run ended with an error");
    ckam_run_counts(run, &counts);
    out->evaluations = counts.evaluations;
    ckam_run_search(run, &search);
    out->unseen_bound = search.bound;
    add_problems(out, incident, ckam_run_incidents(directory, incident));
    const ckam_review *review = ckam_run_review(run);
    if (review) {
        out->modes = review->modes;
        add_problems(out, review->finding, review->findings);
        look_at_draws(m, &target, directory, seed, evidence && !isnan(d->log_z), out);
    }
    ckam_run_free(run);
    ckam_plan_free(plan);
    remove_folder(folder);
    free(m);
}
