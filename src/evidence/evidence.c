/* evidence.c - ckam_evidence_estimate(). docs/evidence.md has the formulas.
 *
 * Each chain is cut into two halves. q is fitted to one and bridged with the other, then the other way round, so that
 * all draws are used and no draw meets a q that has seen it. */
#include "evidence/evidence.h"

#include "base/error.h"
#include "linalg/linalg.h"
#include "target/source.h"
#include "target/target.h"

#include <math.h>
#include <stdlib.h>

/* log pi - log q at as many draws of q as there are of the target. */
static ckam_status compare_at_q(halves *s, const ckam_target *target, mixture *q, rng *r, const bridge *b, double *out,
                                ckam_error *error) {
    double each[MODES_MOST], *z = malloc(s->dim * sizeof *z);
    if (!z) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a point of %zu parameters", s->dim);
    ckam_status status = CKAM_OK;
    for (size_t i = 0; i < b->count && !status; i++) {
        mixture_draw(q, r, mixture_choose(q, r, q->count), z);
        status = halves_evaluate(s, target, z, out + i, error);
        if (!status) out[i] -= mixture_log_density(q, z, each);
    }
    free(z);
    return status;
}

/* The same at the draws of the half that q has not seen. */
static void compare_at_target(const halves *s, mixture *q, size_t half, double *out) {
    double       each[MODES_MOST];
    const size_t stride = s->dim + ROW_HEAD;
    for (size_t i = 0; i < s->chains * s->rows; i++) {
        const double *row = halves_block(s, half, i / s->rows) + i % s->rows * stride;
        out[i] = row[ROW_LOG_DENSITY] - mixture_log_density(q, row + ROW_HEAD, each);
    }
}

/* q from the other half, bridged with the draws of this one. */
static ckam_status bridge_half(bridge *b, size_t *components, halves *s, const ckam_target *target, size_t half,
                               uint64_t seed, ckam_error *error) {
    const size_t n = s->chains * s->rows, count = n < BRIDGED_MOST / HALVES ? n : BRIDGED_MOST / HALVES;
    rng          r;
    mixture     *q = fit_create(s, 1 - half);
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
    if (!isfinite(evidence->se)) evidence->log_z = (double)NAN; /* the two do not meet */
}

/* Of a user's model: whether its answers belong to their points, or why it failed, which it knows better. */
static ckam_status confirm(const ckam_target *target, ckam_status status, ckam_error *error) {
    model_handle *handle;
    source       *s = source_of(target, &handle);
    if (s && !status) return source_verify(s, true, error);
    const ckam_error *deeper = s ? model_handle_failure(handle) : NULL;
    return deeper ? fail_with(error, deeper->status, "%s", deeper->message) : status;
}

ckam_status ckam_evidence_estimate(ckam_draws *draws, const ckam_target *target, uint64_t seed, ckam_evidence *evidence,
                                   ckam_error *error) {
    halves      s;
    bridge      half[HALVES];
    size_t      components[HALVES] = {0};
    ckam_status status = target_check(target, error);
    if (status) return status;
    if (!draws || !evidence || !target->log_density)
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "the draws, the target's log_density or the place for the evidence is NULL");
    *evidence = (ckam_evidence){.log_z = 0.0};
    status = halves_create(&s, draws, target, error);
    if (status) return status;
    for (size_t h = 0; h < HALVES && !status; h++)
        status = bridge_half(half + h, components + h, &s, target, h, seed, error);
    evidence->evaluations = s.evaluations;
    if (!status) {
        combine(half, evidence);
        evidence->components = components[0] > components[1] ? components[0] : components[1];
        status = warning_make(evidence, half, &s, target, draws, error);
    }
    halves_free(&s);
    return confirm(target, status, error);
}
