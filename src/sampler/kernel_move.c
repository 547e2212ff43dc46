/* kernel_move.c - see kernel_move.h. */
#include "sampler/kernel_move.h"

#include "sampler/schedule.h"

#include <string.h>

enum { POINTS_LEAST = 20 };
#define STEP  0.5 /* nu and gamma in their units, as kam has them: docs/samplers/kam.md */
#define NOISE 0.1

void kernel_move_layout(kernel_move *k, size_t dim, const settings *options, size_t *end) {
    kernel_proposal_layout(&k->proposal, 2, k->laws, dim, options, end);
    k->u = block_take(end, dim, 1);
    k->v = block_take(end, dim, 1);
    k->points = block_take(end, modes_capacity(dim) * dim, k->proposal.most);
}

void kernel_move_begin(kernel_move *k, const settings *options) {
    kernel_proposal_begin(&k->proposal, options);
    kernel_move_clear(k);
}

void kernel_move_clear(kernel_move *k) {
    memset(k->of, 0, sizeof k->of);
    k->loaded = MODES_MOST;
}

static double *points_of(kernel_move *k, void *base, size_t j) {
    return block_at(base, k->points) + j * k->proposal.most * k->proposal.dim;
}

void kernel_move_add(kernel_move *k, void *base, modes *m, size_t j, const double *x) {
    if (k->of[j] == k->proposal.most) return;
    modes_standardise(m, j, x, points_of(k, base, j) + k->of[j]++ * m->dim);
}

void kernel_move_share(kernel_move *to, void *base, const kernel_move *from, const void *from_base) {
    size_t dim = from->proposal.dim, room = from->proposal.most * dim;
    kernel_move_clear(to);
    memcpy(to->of, from->of, sizeof to->of);
    for (size_t j = 0; j < modes_capacity(dim); j++) /* what is not in use is not touched: it is most of the room */
        memcpy(block_at(base, to->points) + j * room, block_at_const(from_base, from->points) + j * room,
               (size_t)from->of[j] * dim * sizeof(double));
}

bool kernel_move_is_ready(const kernel_move *k, size_t j) { return k->of[j] >= POINTS_LEAST; }

/* The points of component j into the proposal: all of them, so the generator does not matter. */
static void load(kernel_move *k, void *base, size_t j, const rng *r) {
    rng copy = *r;
    if (k->loaded == j) return;
    kernel_proposal_subsample(&k->proposal, base, &copy, (size_t)k->of[j], points_of(k, base, j));
    k->loaded = j;
}

/* The law at u, factored for the step of component j. */
static void prepare(kernel_move *k, void *base, law *at, const double *u) {
    const kernel_proposal *p = &k->proposal;
    double                 step = k->step * step_size_optimal(p->dim);
    law_measure(p, base, at, u);
    law_factor(base, at, NOISE * step * kernel_proposal_spread(p), STEP * step * kernel_proposal_unit(p));
}

void kernel_move_ask(kernel_move *k, void *base, modes *m, size_t j, rng *r, const double *x, double *y) {
    double *u = block_at(base, k->u), *v = block_at(base, k->v);
    load(k, base, j, r);
    k->step = m->at[j].kernel_step;
    modes_standardise(m, j, x, u);
    prepare(k, base, &k->laws[0], u);
    law_draw(&k->proposal, base, &k->laws[0], r, 1.0, u, v);
    modes_place(m, j, v, y);
}

double kernel_move_ratio(kernel_move *k, void *base) {
    law *at_u = &k->laws[0], *at_v = &k->laws[1];
    prepare(k, base, at_v, block_at(base, k->v));
    return law_log_density(&k->proposal, base, at_v, at_v, at_u) -
           law_log_density(&k->proposal, base, at_u, at_u, at_v);
}
