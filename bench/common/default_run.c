/* default_run.c - see default_run.h. */
#include "default_run.h"

#include "measure.h"
#include "rng/rng.h"
#include "target/params.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- The density in other coordinates ------------------------------------------------------------------------------ */

/* What is sampled: x, or with bounds u on the whole space, as ckam does it for parameters with bounds (target/params.h). */
typedef struct subject {
    const density *base;
    const mapping *map;
    params         bounds; /* of x; count 0: none */
    param          at[DIM_MOST];
    bool           boxed[DIM_MOST];
} subject;

static void map(const mapping *m, const double *x, double *z) {
    for (size_t j = 0; j < m->dim; j++) {
        z[j] = m->plain ? x[j] : m->diagonal ? m->matrix[j][j] * x[j] : 0.0;
        for (size_t k = 0; !m->plain && !m->diagonal && k < m->dim; k++) z[j] += m->matrix[j][k] * x[k];
    }
}

/* u is what was sampled. Returns log |dx/du|. */
static double subject_point(const subject *s, const double *u, double *z) {
    double        x[DIM_MOST];
    const double *from = s->bounds.count ? x : u;
    double        jacobian = s->bounds.count ? params_constrain(&s->bounds, u, x) : 0.0;
    map(s->map, from, z);
    return jacobian;
}

static int subject_density(void *context, const double *u, double *value) {
    const subject *s = context;
    double         z[DIM_MOST], jacobian = subject_point(s, u, z);
    int            status = s->base->log_density((void *)(uintptr_t)s->base, z, value);
    *value += status ? 0.0 : jacobian;
    return status;
}

static void subject_init(subject *s, const density *d, const mapping *m) {
    *s = (subject){.base = d, .map = m, .bounds = {d->bounded ? d->dim : 0, s->at}};
    if (d->bounded && !m->plain && !m->diagonal) stop("a density with bounds cannot be rotated");
    for (size_t k = 0; d->bounded && k < d->dim; k++) {
        double unit = m->plain ? 1.0 : m->matrix[k][k];
        s->boxed[k] = true;
        s->at[k] = (param){.lower = d->lower[k] / unit, .upper = d->upper[k] / unit};
    }
}

/* The columns of a Gaussian matrix, made orthonormal one after the other, have Haar's distribution. */
void mapping_of_variant(mapping *m, const density *d, variant v, uint64_t seed) {
    const size_t dim = d->dim;
    rng          r;
    rng_init(&r, seed, UINT64_MAX); /* no chain has this number */
    *m = (mapping){.dim = dim, .plain = v == AS_IS || (v == ROTATED && d->bounded), .diagonal = d->bounded};
    for (size_t k = 0; k < dim; k++) {
        for (size_t j = 0; j < dim; j++) m->matrix[j][k] = rng_normal(&r);
        for (size_t i = 0; i <= k; i++) {
            double product = 0.0;
            for (size_t j = 0; j < dim; j++) product += m->matrix[j][i] * m->matrix[j][k];
            for (size_t j = 0; j < dim; j++)
                m->matrix[j][k] = i < k ? m->matrix[j][k] - product * m->matrix[j][i] : m->matrix[j][k] / sqrt(product);
        }
    }
    for (size_t j = 0; d->bounded && j < dim; j++)
        for (size_t k = 0; k < dim; k++) m->matrix[j][k] = j == k;
    for (size_t k = 0; v == UNITS && k < dim; k++) {
        double log_unit = (2.0 * rng_uniform(&r) - 1.0) * log(1e3);
        for (size_t j = 0; j < dim; j++) m->matrix[j][k] *= exp(log_unit);
        m->log_det += log_unit;
    }
}

void mapping_of_units(mapping *m, size_t dim, const double *unit) {
    *m = (mapping){.dim = dim, .diagonal = true};
    for (size_t k = 0; k < dim; k++) {
        m->matrix[k][k] = unit[k];
        m->log_det += log(unit[k]);
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

void outcome_add_kind(outcome *out, const char *text) {
    char kind[KIND];
    kind_of(text, kind);
    for (size_t i = 0; i < out->kinds; i++)
        if (!strcmp(out->kind[i], kind)) return;
    if (out->kinds < KINDS) memcpy(out->kind[out->kinds++], kind, KIND);
}

static void add_problems(outcome *out, const ckam_finding *found, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (found[i].severity == CKAM_PROBLEM) outcome_add_kind(out, found[i].text);
}

/* -- Bounds: the draws as a user sees them -------------------------------------------------------------------------- */

/* A row of Stan's CSV: `dim` numbers at its end, which are u, become x. */
static void write_bounded(const subject *s, const char *row, FILE *to) {
    const size_t dim = s->base->dim;
    size_t       commas = 0;
    double       u[DIM_MOST], x[DIM_MOST];
    for (const char *c = row; *c; c++) commas += *c == ',';
    const char *number = row;
    for (size_t k = 0; k + dim < commas + 1; k++) number = strchr(number, ',') + 1;
    fwrite(row, 1, (size_t)(number - row), to);
    for (size_t k = 0; k < dim; k++) {
        char *end;
        u[k] = strtod(number, &end);
        number = end + 1;
    }
    params_constrain(&s->bounds, u, x);
    for (size_t k = 0; k < dim; k++) fprintf(to, "%.17g%c", x[k], k + 1 < dim ? ',' : '\n');
}

static bool bound_file(const subject *s, const char *directory, size_t chain) {
    char path[300], new_path[310], *line = NULL;
    snprintf(path, sizeof path, "%s/chain_%zu.csv", directory, chain);
    snprintf(new_path, sizeof new_path, "%s.new", path);
    FILE *from = fopen(path, "r"), *to = from ? fopen(new_path, "w") : NULL;
    if (!from) return false;
    if (!to) stop("a file in $TMPDIR cannot be written");
    for (size_t size = 0; getline(&line, &size, from) > 0;)
        if (strchr("-+.0123456789", *line))
            write_bounded(s, line, to);
        else
            fputs(line, to);
    free(line);
    fclose(from);
    if (fclose(to) || rename(new_path, path)) stop("a file in $TMPDIR cannot be written");
    return true;
}

/* A run whose target is a C function has no bounds: its draws and its review are those of u. So that the findings are those of a
 * model with bounds, the files are rewritten and reviewed again. */
static void review_bounded(const subject *s, const char *directory, outcome *out) {
    ckam_draws  *draws;
    ckam_review *review;
    ckam_error   error;
    size_t       chain = 1;
    while (bound_file(s, directory, chain)) chain++;
    if (ckam_draws_open(&draws, &directory, 1, &error) || ckam_review_create(&review, draws, &error))
        stop(error.message);
    out->modes = review->modes;
    add_problems(out, review->finding, review->findings);
    ckam_review_free(review);
    ckam_draws_free(draws);
}

/* -- What came out ------------------------------------------------------------------------------------------------- */

/* hit[(event * chains + chain) * rows + row] of all draws. */
static bool *find_hits(const subject *s, ckam_draws *draws) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    const size_t            dim = s->base->dim, events = s->base->events, all = shape->chains * shape->rows;
    double                 *u = take(all * dim * sizeof *u), z[DIM_MOST];
    bool                   *hit = take(all * events * sizeof *hit), now[EVENTS_MOST] = {false};
    ckam_error              error;
    for (size_t k = 0; k < dim; k++) {
        const double *column;
        if (ckam_draws_column(draws, shape->first + k, &column, &error)) stop(error.message);
        for (size_t i = 0; i < all; i++) u[i * dim + k] = column[i];
    }
    for (size_t i = 0; i < all; i++) {
        subject_point(s, u + i * dim, z);
        density_events(s->base, z, now);
        for (size_t e = 0; e < events; e++) hit[e * all + i] = now[e];
    }
    free(u);
    return hit;
}

/* True where the estimate says itself that it is not to be trusted. */
static bool estimate_evidence(const subject *s, const ckam_target *target, ckam_draws *draws, uint64_t seed,
                              outcome *out) {
    ckam_evidence e;
    ckam_error    error;
    bool          failed = ckam_evidence_estimate(draws, target, seed, &e, &error) != CKAM_OK;
    out->log_z_error = failed ? HUGE_VAL : e.log_z - (s->base->log_z - s->map->log_det);
    out->log_z_se = failed ? 0.0 : e.se;
    out->evidence_evaluations = failed ? 0 : e.evaluations;
    return failed || !e.trusted;
}

static void look_at_draws(const subject *s, const ckam_target *target, const char *directory, uint64_t seed,
                          outcome *out) {
    ckam_draws *draws;
    ckam_error  error;
    bool        doubted = false;
    if (ckam_draws_open(&draws, &directory, 1, &error)) stop(error.message);
    const ckam_draws_shape shape = *ckam_draws_shape_of(draws);
    const size_t           all = shape.chains * shape.rows, events = s->base->events;
    bool                  *hit = find_hits(s, draws);
    if (out->has_evidence) doubted = estimate_evidence(s, target, draws, seed, out);
    ckam_draws_free(draws);
    if (s->bounds.count) review_bounded(s, directory, out);
    out->verdict = judge(events, s->base->share, hit, shape.chains, shape.rows, out->kinds, &out->worst);
    if (out->has_evidence) out->evidence = judge_evidence(out->log_z_error, out->log_z_se, doubted || out->kinds > 0);
    for (size_t e = 0; e < events; e++) out->met += memchr(hit + e * all, 1, all) != NULL;
    free(hit);
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
    const char *const settings[][2] = {{"model", "bench"}, {"seed", text},     {"threads", "1"},
                                       {"format", "csv"},  {"out", directory}, {"draws", draws ? draws : "auto"}};
    ckam_plan        *plan;
    ckam_error        error;
    if (ckam_plan_create(&plan, &error)) stop(error.message);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (ckam_plan_set(plan, settings[i][0], settings[i][1], &error)) stop(error.message);
    return plan;
}

void run_once(const density *d, const mapping *m, uint64_t seed, const char *draws, bool evidence, outcome *out) {
    const char  *parent = getenv("TMPDIR");
    char         folder[256], directory[272];
    subject     *s = take(sizeof *s);
    ckam_target  target = {.dim = d->dim, .log_density = subject_density, .context = s};
    ckam_run    *run;
    ckam_error   error;
    ckam_counts  counts;
    ckam_search  search;
    ckam_finding incident[CKAM_INCIDENTS] = {{0}};
    snprintf(folder, sizeof folder, "%.200s/ckam-bench-XXXXXX", parent ? parent : "/tmp");
    if (strchr(folder, '\'') || !mkdtemp(folder)) stop("no folder can be made in $TMPDIR");
    snprintf(directory, sizeof directory, "%s/run", folder);
    subject_init(s, d, m);
    target.boxed = s->boxed;
    *out = (outcome){.verdict = WARNED, .evidence = WARNED, .worst = 1.0, .log_z_error = HUGE_VAL, .events = d->events};
    out->has_evidence = evidence && !isnan(d->log_z);
    ckam_plan *plan = make_plan(seed, draws, directory);
    if (ckam_run_create(&run, plan, &target, &error)) stop(error.message);
    if (ckam_run_go(run, NULL, NULL, &error) < 0) outcome_add_kind(out, "The run ended with an error");
    ckam_run_counts(run, &counts);
    out->evaluations = counts.evaluations;
    ckam_run_search(run, &search);
    out->unseen_bound = search.bound;
    out->searches = search.searches;
    out->sought = search.evaluations;
    size_t incidents = ckam_run_incidents(directory, incident);
    add_problems(out, incident, incidents);
    const ckam_review *review = ckam_run_review(run);
    if (review) {
        out->modes = review->modes;
        if (!d->bounded) add_problems(out, review->finding, review->findings);
        look_at_draws(s, &target, directory, seed, out);
    }
    ckam_run_free(run);
    ckam_plan_free(plan);
    remove_folder(folder);
    free(s);
}
