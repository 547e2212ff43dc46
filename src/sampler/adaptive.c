/* adaptive.c - see adaptive.h. */
#include "sampler/adaptive.h"

#include "linalg/linalg.h"

#include <string.h>

/* Sigma's standard deviations stay above this part of their initial ones (algorithm: a long run of rejections at
 * a constant gain shrinks Sigma geometrically, and a factor that has reached 0 never recovers). */
#define DIAGONAL_FLOOR 1e-10

bool adaptive_wants_scale(const settings *options) { return isnan(options->step_size); }

static size_t layout(adaptive_state *s, const blueprint *plan) {
    size_t end = sizeof *s;
    current_layout(&s->now, plan->dim, &end);
    s->mean = block_take(&end, plan->dim, 1);
    s->factor = block_take(&end, plan->dim, plan->dim);
    s->work = block_take(&end, plan->dim, 1);
    return end;
}

size_t adaptive_size(const blueprint *plan) { return layout(&(adaptive_state){0}, plan); }

double adaptive_touched(const blueprint *plan) {
    const double longer = fmax(0.0, (double)plan->dim - 512.0); /* than a page */
    return (double)adaptive_size(plan) - 0.5 * sizeof(double) * longer * longer;
}

void adaptive_begin(void *state, const blueprint *plan, const double *x, double log_density, double length) {
    adaptive_state *s = state;
    const settings *o = plan->settings;
    size_t          dim = plan->dim;
    bool            is_auto = adaptive_wants_scale(o);
    double          deviation = is_auto ? length : 1.0;
    layout(s, plan);
    current_begin(&s->now, o->warmup, x, log_density);
    memcpy(block_at(s, s->mean), x, dim * sizeof *x);
    for (size_t k = 0; k < dim; k++) block_at(s, s->factor)[k * dim + k] = deviation;
    s->floor = DIAGONAL_FLOOR * deviation;
    s->nu = s->nu_start = is_auto ? step_size_optimal(dim) : o->step_size;
    s->target_accept = o->target_accept;
    s->gain = gain_make(o);
}

const double *adaptive_ask(void *state, rng *r) {
    adaptive_state *s = state;
    size_t          dim = s->now.dim;
    double         *y = now_y(&s->now), *normals = block_at(s, s->work);
    rng_normals(r, dim, normals);
    memcpy(y, now_x(&s->now), dim * sizeof *y);
    tri_multiply_add(dim, block_at(s, s->factor), s->nu, normals, y);
    return y;
}

double adaptive_gain(const adaptive_state *s) { return gain_moments(&s->gain, s->now.counts.iterations, s->now.dim); }

void adaptive_learn_covariance(adaptive_state *s, double scale, double weight, const double *point) {
    size_t  dim = s->now.dim;
    double *tau = block_at(s, s->work), *mean = block_at(s, s->mean), root = sqrt(weight);
    for (size_t k = 0; k < dim; k++) tau[k] = root * (point[k] - mean[k]);
    chol_update(dim, block_at(s, s->factor), scale, tau);
}

void adaptive_learn(adaptive_state *s, double eta, const double *x) {
    double *mean = block_at(s, s->mean);
    adaptive_learn_covariance(s, sqrt(1.0 - eta), eta, x);
    for (size_t k = 0; k < s->now.dim; k++) mean[k] += eta * (x[k] - mean[k]);
    adaptive_keep_definite(s);
}

void adaptive_keep_definite(adaptive_state *s) {
    double *factor = block_at(s, s->factor);
    size_t  dim = s->now.dim;
    for (size_t k = 0; k < dim; k++)
        if (factor[k * dim + k] < s->floor) {
            factor[k * dim + k] = s->floor;
            s->now.counts.floored++;
        }
}
