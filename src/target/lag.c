/* lag.c - see lag.h. */
#include "target/lag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums in another order, as several threads make them, differ in the last digits: that is no other answer. */
static const double tolerance = 1e-9;

static bool same(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

bool lag_begin(lag_check *c, size_t dim) {
    *c = (lag_check){.dim = dim, .gap = 2};
    c->last = calloc(dim + 1, sizeof *c->last);
    c->other = calloc(dim + 1, sizeof *c->other);
    return c->last && c->other;
}

void lag_end(lag_check *c) {
    free(c->last);
    free(c->other);
}

/* What the process before it has answered since its last check is left for this one to confirm. */
void lag_restart(lag_check *c) { c->gap = c->answered > c->checked ? 1 : 2; }

/* `other` keeps an answer that differs from the last one. A point that was asked twice does not tell the two apart. */
void lag_note(lag_check *c, const double *x, double answer) {
    size_t size = c->dim * sizeof *x;
    c->answered++;
    if (c->has_last && memcmp(c->last, x, size) != 0) {
        if (same(answer, c->last[c->dim])) {
            c->repeats = true;
        } else {
            double *before = c->last;
            c->last = c->other;
            c->other = before;
            c->has_other = true;
        }
    }
    memcpy(c->last, x, size);
    c->last[c->dim] = answer;
    c->has_last = true;
}

bool lag_is_due(const lag_check *c) { return c->answered - c->checked >= c->gap; }

typedef struct questions {
    lag_check *check;
    lag_ask   *ask;
    void      *context;
    char      *why;
} questions;

static engine_answer put(const questions *q, const double *x, double *value) {
    engine_answer answer = q->ask(q->context, x, value, q->why);
    if (answer == ENGINE_REJECT) *value = (double)NAN;
    return answer == ENGINE_REJECT ? ENGINE_VALUE : answer;
}

/* *finding has two values of one point. The last point is asked until all answers that are under way must be its own, then once
 * the other point, then the last one again. The answer to the other point comes in its turn, or `by` answers late; or the answer
 * that the last point had is that of the other one, which was asked before it: of a process that has ended since. */
static engine_answer find(const questions *q, lag_finding *finding) {
    const lag_check *c = q->check;
    double           before = (double)NAN, now = before, value;
    engine_answer    answer = ENGINE_VALUE;
    for (size_t i = 0; i < LAG_MOST + 2 && answer == ENGINE_VALUE; i++) {
        before = now;
        answer = put(q, c->last, &now);
    }
    if (answer != ENGINE_VALUE || !same(before, now)) return answer;
    value = now;
    if (c->has_other) answer = put(q, c->other, &value);
    if (answer != ENGINE_VALUE) return answer;
    if (same(value, now) || same(value, c->last[c->dim])) finding->kind = LAG_SHIFTED;
    for (size_t i = 1; i <= LAG_MOST && same(value, now) && c->has_other; i++) {
        answer = put(q, c->last, &value);
        if (answer != ENGINE_VALUE) return answer;
        if (!same(value, now)) finding->by = i;
    }
    return ENGINE_VALUE;
}

/* Whether a point has the answer that it had; else *finding has both. */
static engine_answer compare(const questions *q, const double *point, lag_finding *finding) {
    double        value, was = point[q->check->dim];
    engine_answer answer = put(q, point, &value);
    if (answer == ENGINE_VALUE && !same(value, was)) *finding = (lag_finding){LAG_NOISE, 0, {was, value}};
    return answer;
}

/* Where points have the same answer, that of the last point may be the one of a point before it: the other point tells. */
/* NOLINTNEXTLINE(readability-non-const-parameter): `ask` writes to it */
engine_answer lag_verify(lag_check *c, lag_ask *ask, void *context, lag_finding *finding, char *why) {
    const questions q = {c, ask, context, why};
    *finding = (lag_finding){.kind = LAG_NONE};
    engine_answer answer = compare(&q, c->last, finding);
    if (answer == ENGINE_VALUE && finding->kind == LAG_NONE && c->repeats && c->has_other)
        answer = compare(&q, c->other, finding);
    if (answer != ENGINE_VALUE) return answer;
    if (finding->kind != LAG_NONE) return find(&q, finding);
    c->checked = c->answered;
    c->gap = 2 * c->gap < LAG_EVERY ? 2 * c->gap : LAG_EVERY;
    return ENGINE_VALUE;
}
