/* evidence.c - ckam_evidence_estimate(). docs/evidence.md has the formulas.
 *
 * Each chain is cut into two halves. q is fitted to one and bridged with the other, then the other way round, so that
 * all draws are used, and each is evaluated under a q that was fitted without it. */
#include "evidence/evidence.h"

#include "base/error.h"
#include "linalg/linalg.h"
#include "target/source.h"
#include "target/target.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* log pi - log q at draws of q: as many as there are of the target, at most BRIDGED_MOST / 2. */
static ckam_status compare_at_q(split_draws *s, const ckam_target *target, mixture *q, rng *r, const bridge *b,
                                double *out, ckam_error *error) {
    double each[MODES_MOST], *z = malloc(s->dim * sizeof *z);
    if (!z) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a point of %zu parameters", s->dim);
    ckam_status status = CKAM_OK;
    for (size_t i = 0; i < b->count && !status; i++) {
        mixture_draw(q, r, mixture_choose(q, r, q->count), z);
        status = split_draws_evaluate(s, target, z, out + i, error);
        if (!status) out[i] -= mixture_log_density(q, z, each);
    }
    free(z);
    return status;
}

/* The same at the draws of the half that q was not fitted to. */
static void compare_at_target(const split_draws *s, mixture *q, size_t half, double *out) {
    double       each[MODES_MOST];
    const size_t stride = s->dim + ROW_HEAD;
    for (size_t i = 0; i < s->chains * s->rows; i++) {
        const double *row = split_draws_block(s, half, i / s->rows) + i % s->rows * stride;
        out[i] = row[ROW_LOG_DENSITY] - mixture_log_density(q, row + ROW_HEAD, each);
    }
}

/* q fitted to the other half, bridged with the draws of this one. */
static ckam_status bridge_half(bridge *b, size_t *components, split_draws *s, const ckam_target *target, size_t half,
                               uint64_t seed, ckam_error *error) {
    const size_t n = s->chains * s->rows, count = n < BRIDGED_MOST / HALVES ? n : BRIDGED_MOST / HALVES;
    rng          r;
    mixture     *q = bridge_fit(s, 1 - half);
    double      *values = malloc((n + count) * sizeof *values);
    ckam_status  status = CKAM_OK;
    if (!q || !values)
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the evidence of %zu parameters", s->dim);
    if (!status) {
        *b = (bridge){.chains = s->chains, .rows = s->rows, .count = count, .at_target = values, .at_q = values + n};
        *components = q->count;
        rng_init(&r, seed, half);
        rng_at(&r, 0, RNG_EVIDENCE);
        compare_at_target(s, q, half, values);
        status = compare_at_q(s, target, q, &r, b, values + n, error);
    }
    if (!status) status = bridge_solve(b, error);
    free(values);
    free(q);
    return status;
}

/* The mean of both. The draws of one half are bridged with a q that the other half has shaped, and the other way round:
 * where q is near the target its errors of fitting are most of what is left, and then the two sums over the draws of the
 * target are the same double sum. So these errors are added as if they were one; those of the draws of q are independent. */
static void combine(const bridge half[HALVES], ckam_evidence *evidence) {
    double target = 0.0, q = 0.0;
    for (size_t h = 0; h < HALVES; h++) {
        evidence->log_z += half[h].log_z / HALVES;
        evidence->ess += half[h].ess;
        evidence->overlap += half[h].overlap / HALVES;
        target += sqrt(half[h].target_variance) / HALVES;
        q += half[h].q_variance / (HALVES * HALVES);
    }
    evidence->se = sqrt(target * target + q);
    if (!isfinite(evidence->se)) evidence->log_z = (double)NAN; /* target and q do not overlap */
}

/* -- Whether to trust it ------------------------------------------------------------------------------------------ */

/* A rule is a function that writes a sentence with what to do. The gravest comes first. */

#define RHAT_MOST     1.05
#define OVERLAP_LEAST 0.05
#define SE_MOST       0.5
#define APART_MOST    4.0 /* standard errors between the two halves */
enum { ESS_LEAST = 100, ESS_A_PARAMETER = 5, CROSSINGS_A_MODE = 10 };

typedef struct facts {
    ckam_evidence     *evidence;
    const bridge      *half;
    const split_draws *split;
    const ckam_review *review;
    const ckam_target *target;
    const ckam_draws  *draws;
} facts;

static bool warn(const facts *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool warn(const facts *f, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->evidence->warning, sizeof f->evidence->warning, format, arguments);
    va_end(arguments);
    return true;
}

static bool small_overlap(const facts *f) {
    const ckam_evidence *e = f->evidence;
    if (isfinite(e->log_z) && isfinite(e->se) && e->overlap >= OVERLAP_LEAST) return false;
    return warn(f,
                "The overlap of the target and the mixture fitted to its draws is %.2g; below %.2g the estimate can be "
                "far off. "
                "Draw more, or reparametrise so that the density is less curved or has lighter tails.",
                e->overlap, OVERLAP_LEAST);
}

static bool few_crossings(const facts *f) {
    const ckam_review *r = f->review;
    if (r->modes < 2 || r->crossings >= CROSSINGS_A_MODE * (uint64_t)(r->modes - 1)) return false;
    f->evidence->doubted = true;
    return warn(f,
                "The draws gather in %zu modes, and the chains went from one to another %" PRIu64
                " times: the weights of the modes are not known, and so neither is log Z. Run longer, or with the "
                "sampler jump.",
                r->modes, r->crossings);
}

static bool ties_at_end(const facts *f) {
    const split_draws *s = f->split;
    char               name[USER_PARAMETER_NAME];
    if (!s->tied) return false;
    user_parameter_name(f->target, f->draws, s->tied_at, name);
    return warn(f,
                "%zu of %zu draws have the same value at one end of %.40s: there is no number closer to the bound, and "
                "that part "
                "of the density is missing from log Z. Use the distance from the bound as the parameter.",
                s->tied, s->chains * HALVES * s->rows, name);
}

static bool high_rhat(const facts *f) {
    const ckam_review *r = f->review;
    char               name[USER_PARAMETER_NAME] = "lp__";
    double             worst = r->log_density.rhat;
    for (size_t k = 0; k < r->parameters; k++)
        if (!(r->summary[k].rhat <= worst)) {
            worst = r->summary[k].rhat;
            user_parameter_name(f->target, f->draws, k, name);
        }
    if (!(worst > RHAT_MOST)) return false;
    f->evidence->doubted = true;
    return warn(f,
                "R-hat of %s is %.4g, above %.4g: the chains, or their halves, do not agree. Run longer, or leave "
                "out more of the beginning.",
                name, worst, RHAT_MOST);
}

static bool low_ess(const facts *f) {
    const ckam_review *r = f->review;
    const double       a_parameter = (double)ESS_A_PARAMETER * (double)r->parameters;
    double             least = fmin(f->evidence->ess, r->log_density.ess_bulk); /* of a NaN, the other */
    for (size_t k = 0; k < r->parameters; k++)
        least = fmin(least, fmin(r->summary[k].ess_bulk, r->summary[k].ess_tail));
    if (least < ESS_LEAST)
        return warn(f,
                    "The effective sample size is %.0f, below %d: the standard error is itself uncertain. Draw more.",
                    least, ESS_LEAST);
    if (least < a_parameter)
        return warn(f,
                    "The effective sample size is %.0f, below %d per parameter, %.0f in all: too few to fit a mixture. "
                    "Draw more.",
                    least, ESS_A_PARAMETER, a_parameter);
    return false;
}

static bool disagree(const facts *f) {
    const bridge *a = f->half, *b = f->half + 1;
    const double  difference = fabs(a->log_z - b->log_z);
    const double  error = sqrt(a->target_variance + a->q_variance + b->target_variance + b->q_variance);
    if (!(difference > APART_MOST * error)) return false;
    return warn(f,
                "The two halves of the draws give %.4g and %.4g, which is %.1f standard errors apart: a part of the "
                "density may have been missed. Draw more.",
                a->log_z, b->log_z, difference / error);
}

static bool large_error(const facts *f) {
    if (!(f->evidence->se > SE_MOST)) return false;
    return warn(f, "The standard error is %.2g, and above %.2g it is itself uncertain. Draw more.", f->evidence->se,
                SE_MOST);
}

/* A problem of the draws is one of the estimate. */
static bool bad_draws(const facts *f) {
    const ckam_review *r = f->review;
    f->evidence->doubted = r->findings && r->finding[0].severity == CKAM_PROBLEM;
    return f->evidence->doubted && warn(f, "%s", r->finding[0].text);
}

ckam_status evidence_warning(ckam_evidence *evidence, const bridge *half, const split_draws *s,
                             const ckam_target *target, ckam_draws *draws, ckam_error *error) {
    static bool (*const rules[])(const facts *) = {few_crossings, ties_at_end, high_rhat,   low_ess,
                                                   small_overlap, disagree,    large_error, bad_draws};
    ckam_review *review;
    ckam_status  status = ckam_review_create(&review, draws, error);
    if (status) return status;
    const facts f = {evidence, half, s, review, target, draws};
    evidence->trusted = true;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && evidence->trusted; i++) evidence->trusted = !rules[i](&f);
    ckam_review_free(review);
    return CKAM_OK;
}

/* -- The estimate ------------------------------------------------------------------------------------------------- */

/* Of a user's model: checks that its answers belong to the points asked for; after a failure, takes the model's own
 * message, which is more precise. */
static ckam_status confirm(const ckam_target *target, ckam_status status, ckam_error *error) {
    model_handle *handle;
    source       *s = source_of(target, &handle);
    if (s && !status) return source_verify(s, true, error);
    const ckam_error *deeper = s ? model_handle_failure(handle) : NULL;
    return deeper ? fail_with(error, deeper->status, "%s", deeper->message) : status;
}

ckam_status ckam_evidence_estimate(ckam_draws *draws, const ckam_target *target, uint64_t seed, ckam_evidence *evidence,
                                   ckam_error *error) {
    split_draws s;
    bridge      half[HALVES];
    size_t      components[HALVES] = {0};
    ckam_status status = target_check(target, error);
    if (status) return status;
    if (!draws || !evidence || !target->log_density)
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "the draws, the target's log_density or the place for the evidence is NULL");
    *evidence = (ckam_evidence){.log_z = 0.0};
    status = split_draws_create(&s, draws, target, error);
    if (status) return status;
    for (size_t h = 0; h < HALVES && !status; h++)
        status = bridge_half(half + h, components + h, &s, target, h, seed, error);
    evidence->evaluations = s.evaluations;
    if (!status) {
        combine(half, evidence);
        evidence->components = components[0] > components[1] ? components[0] : components[1];
        status = evidence_warning(evidence, half, &s, target, draws, error);
    }
    split_draws_free(&s);
    return confirm(target, status, error);
}
