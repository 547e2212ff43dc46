/* sampler.c - the state that every sampler has, the Metropolis-Hastings decision, and the words of options. */
#include "sampler/sampler.h"

#include "base/fastmath.h"

#include <math.h>
#include <string.h>

const char *const transition_words[] = {"plain", "delayed-rejection", NULL};
const char *const covariance_words[] = {"kernel", "global", NULL};

void current_layout(current *now, size_t dim, size_t *end) {
    now->dim = dim;
    now->x = block_take(end, dim, 1);
    now->y = block_take(end, dim, 1);
}

void current_begin(current *now, uint64_t warmup, const double *x, double log_density) {
    memcpy(now_x(now), x, now->dim * sizeof *x);
    now->log_density = log_density;
    now->warmup = warmup;
    now->moved = true;
}

double decide(current *now, rng *r, double log_density, double log_ratio_q, ckam_step *out) {
    bool   defined = log_density > -HUGE_VAL;
    double log_ratio = defined ? log_density - now->log_density + log_ratio_q : -HUGE_VAL;
    double alpha = log_ratio >= 0.0 ? 1.0 : log_ratio > -HUGE_VAL ? exp_fast(log_ratio) : 0.0; /* NaN: 0 */
    bool   accepted = rng_uniform(r) < alpha;
    if (accepted) {
        size_t y = now->y;
        now->y = now->x;
        now->x = y;
        now->log_density = log_density;
        now->moved = true;
    }
    bool draw = now->counts.iterations >= now->warmup;
    now->counts.iterations++;
    now->counts.accepted += accepted;
    now->counts.undefined += !defined;
    out->x = now_x(now);
    out->log_density = now->log_density;
    out->accept = alpha;
    out->cycle = out->mode = out->move = 0;
    out->phase = CKAM_PHASE_SAMPLE;
    out->accepted = accepted;
    out->draw = draw;
    return alpha;
}
