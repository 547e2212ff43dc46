/* moves.c - see moves.h. */
#include "jump/moves.h"

#include "linalg/linalg.h"
#include "mixture/tuning.h"

static jump_move choose_move(const jump_state *s, rng *r) {
    double u = rng_uniform(r);
    for (int move = 0; move < MOVES; move++) {
        u -= s->plan.share[move];
        if (u < 0.0 && s->plan.share[move] > 0.0) return (jump_move)move;
    }
    return MOVE_LOCAL;
}

const double *moves_ask(jump_state *s, rng *r) {
    current *now = &s->settle.now;
    mixture *m = jump_mixture(s);
    double  *y = now_y(now), *z = block_at(s, s->settle.work);
    s->label = mixture_label(m, r, block_at(s, s->at_x), s->log_q_x); /* Gibbs: costs no evaluation */
    s->move = choose_move(s, r);
    s->source = s->target = s->label;
    switch (s->move) {
    case MOVE_CARRY:
        s->source = mixture_choose(m, r, m->count);
        /* fall through */
    case MOVE_AFFINE:
        s->target = mixture_choose(m, r, s->source);
        mixture_map(m, s->source, s->target, now_x(now), y);
        break;
    case MOVE_INDEPENDENT:
        s->target = mixture_choose(m, r, m->count);
        mixture_draw(m, r, s->target, y);
        break;
    default:
        rng_normals(r, now->dim, z);
        s->short_step = rng_uniform(r) < s->plan.short_share ? pow(tuning.moves.shortest, rng_uniform(r)) : 1.0;
        mixture_shift(m, s->label, s->short_step * m->at[s->label].step, z, now_x(now), y);
    }
    return y;
}

/* log of the Metropolis-Hastings ratio but for pi(y) / pi(x), on the augmented target pi(x) rho_i(x), rho_i(x) = w_i
 * t_i(x) / q(x). */
static double log_ratio(jump_state *s) {
    mixture         *m = jump_mixture(s);
    const component *from = &m->at[s->source], *to = &m->at[s->target];
    const double    *at_x = block_at(s, s->at_x), *at_y = block_at(s, s->at_y);
    double           rho_x = from->log_weight + at_x[s->source] - s->log_q_x,
           rho_y = to->log_weight + at_y[s->target] - s->log_q_y;
    if (s->move == MOVE_LOCAL) return rho_y - rho_x;
    if (s->move == MOVE_INDEPENDENT) return s->log_q_x - s->log_q_y;
    if (s->move == MOVE_CARRY) return log1p(-from->weight) - log1p(-to->weight) + to->log_det - from->log_det;
    /* the target is drawn from w without the label: w_i / (1 - w_j) against w_j / (1 - w_i); and the Jacobian |L_j|
     * / |L_i| */
    double choice = from->log_weight - log1p(-to->weight) - to->log_weight + log1p(-from->weight);
    return rho_y - rho_x + choice + to->log_det - from->log_det;
}

/* Squared jump distance of the proposal in the coordinates of the component, relative to that between independent
 * draws, 2 d. Its mean weighted by acceptance, the expected squared jump distance (ESJD), is the efficiency of a
 * move. Affine and independent jumps count as 1. */
static double squared_jump(jump_state *s) {
    mixture      *m = jump_mixture(s);
    current      *now = &s->settle.now;
    double       *z = block_at(s, s->settle.work), twice = 2.0 * (double)now->dim;
    const double *x = now_x(now), *y = now_y(now), *mean = mixture_mean(m, s->label);
    double        scale = s->short_step * m->at[s->label].step;
    if (s->move == MOVE_AFFINE || s->move == MOVE_INDEPENDENT) return 1.0;
    if (s->move == MOVE_LOCAL) return scale * scale * vec_dot(now->dim, z, z) / twice; /* z as it was drawn */
    for (size_t k = 0; k < now->dim; k++) z[k] = mean[k] + (y[k] - x[k]);
    return fmin(mixture_distance_within(m, s->label, z, twice) / twice, 1.0);
}

static void tally(jump_state *s, double alpha, double distance) {
    jump_tally *t = &s->tally;
    t->move[s->move].tried += 1.0;
    if (alpha > 0.0) t->move[s->move].efficiency += alpha * distance;
    if (s->move == MOVE_LOCAL && s->short_step < 1.0) return; /* the step size is that of the long ones */
    if (s->move == MOVE_LOCAL) {
        t->at[s->label].local += 1.0;
        t->at[s->label].accept += alpha;
    } else if (s->move != MOVE_CARRY) {
        t->at[s->target].tried += 1.0;
        t->at[s->target].reached += alpha;
    }
}

void moves_tell(jump_state *s, rng *r, double log_density, ckam_step *out) {
    current *now = &s->settle.now;
    mixture *m = jump_mixture(s);
    double   ratio = 0.0, distance = 0.0;
    if (log_density > -HUGE_VAL) {
        s->log_q_y = mixture_log_density_near(m, now_y(now), s->target, block_at(s, s->at_y));
        ratio = log_ratio(s);
        distance = squared_jump(s);
    }
    double alpha = decide(now, r, log_density, ratio, out);
    tally(s, alpha, distance);
    s->rejected = out->accepted ? 0 : s->rejected + 1;
    if (s->rejected > tuning.moves.stuck) s->tally.stuck += 1.0;
    if (out->accepted) {
        size_t at = s->at_x;
        s->at_x = s->at_y;
        s->at_y = at;
        s->log_q_x = s->log_q_y;
        s->label = s->move == MOVE_CARRY ? mixture_label(m, r, block_at(s, s->at_x), s->log_q_x) : s->target;
    }
    s->tally.at[s->label].visits += 1.0;
    out->step_size = m->at[s->label].step;
    out->mode = m->at[s->label].mode;
    out->move = s->move + 1;
    jump_remember(s, out->x, out->log_density);
}
