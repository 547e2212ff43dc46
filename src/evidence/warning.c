/* warning.c - see evidence.h. A rule is a function that gives a sentence and what to do; the gravest comes first. */
#include "evidence/evidence.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define RHAT_MOST     1.05
#define OVERLAP_LEAST 0.05
#define SE_MOST       0.5
#define APART_MOST    4.0 /* standard errors between the two halves */
enum { ESS_LEAST = 100, ESS_A_PARAMETER = 5, CROSSINGS_A_MODE = 10 };

typedef struct facts {
    ckam_evidence     *evidence;
    const bridge      *half;
    const halves      *halves;
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

static bool apart(const facts *f) {
    const ckam_evidence *e = f->evidence;
    if (isfinite(e->log_z) && isfinite(e->se) && e->overlap >= OVERLAP_LEAST) return false;
    return warn(
        f,
        "The overlap of the target and the mixture fitted to its draws is %.2g, and below %.2g the estimate can be "
        "far off. Draw more, or find parameters in which the density is less curved or has lighter tails.",
        e->overlap, OVERLAP_LEAST);
}

static bool few_crossings(const facts *f) {
    const ckam_review *r = f->review;
    if (r->modes < 2 || r->crossings >= CROSSINGS_A_MODE * (uint64_t)(r->modes - 1)) return false;
    f->evidence->doubted = true;
    return warn(f,
                "The draws gather in %zu modes, and the chains went from one to another %" PRIu64
                " times: what the modes weigh is not known, and so neither is log Z. Run longer, or with the sampler "
                "jump.",
                r->modes, r->crossings);
}

static bool piled(const facts *f) {
    const halves *s = f->halves;
    char          name[GIVEN_NAME];
    if (!s->piled) return false;
    given_name(f->target, f->draws, s->pile, name);
    return warn(f,
                "%zu of %zu draws have the same value at one end of %.40s: there is no number closer to the bound, and "
                "that part "
                "of the density is missing from log Z. Take the distance from the bound for the parameter.",
                s->piled, s->chains * HALVES * s->rows, name);
}

static bool high_rhat(const facts *f) {
    const ckam_review *r = f->review;
    char               name[GIVEN_NAME] = "lp__";
    double             worst = r->log_density.rhat;
    for (size_t k = 0; k < r->parameters; k++)
        if (!(r->summary[k].rhat <= worst)) {
            worst = r->summary[k].rhat;
            given_name(f->target, f->draws, k, name);
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
        return warn(
            f,
            "The effective sample size is %.0f, below %d a parameter, %.0f in all: too few to fit a mixture to. "
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

/* What is wrong with the draws is wrong with what is made of them. */
static bool bad_draws(const facts *f) {
    const ckam_review *r = f->review;
    f->evidence->doubted = r->findings && r->finding[0].severity == CKAM_PROBLEM;
    return f->evidence->doubted && warn(f, "%s", r->finding[0].text);
}

ckam_status warning_make(ckam_evidence *evidence, const bridge *half, const halves *s, const ckam_target *target,
                         ckam_draws *draws, ckam_error *error) {
    static bool (*const rules[])(const facts *) = {few_crossings, piled,    high_rhat,   low_ess,
                                                   apart,         disagree, large_error, bad_draws};
    ckam_review *review;
    ckam_status  status = ckam_review_create(&review, draws, error);
    if (status) return status;
    const facts f = {evidence, half, s, review, target, draws};
    evidence->trusted = true;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && evidence->trusted; i++) evidence->trusted = !rules[i](&f);
    ckam_review_free(review);
    return CKAM_OK;
}
