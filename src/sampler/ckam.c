/* ckam.c - cyclical kernel adaptive Metropolis: the paper's Algorithm 2.
 *
 * Each cycle of L iterations starts a kernel walk afresh and explores with it for E = floor(beta L) iterations.
 * At the transition the walk's proposal at the state reached becomes Sigma; then plain random-walk steps
 * N(x, nu_t^2 Sigma), whose nu_t falls from the walk's along a cosine, give the draws. */
#include "sampler/kam.h"

const ckam_option ckam_sampler_options[] = {SETTING_STEP_SIZE,    SETTING_TARGET_ACCEPT, SETTING_ADAPT_DECAY,
                                            SETTING_ADAPT_GAIN,   SETTING_SUBSAMPLE,     SETTING_KERNEL,
                                            SETTING_KERNEL_SCALE, SETTING_KERNEL_ORDER,  SETTING_NOISE,
                                            SETTING_NOISE_END,    SETTING_NOISE_DECAY,   SETTING_REFRESH_HALF_LIFE,
                                            SETTING_CYCLE_LENGTH, SETTING_EXPLORE,       SETTING_TRANSITION,
                                            SETTING_COVARIANCE,   SETTING_WARMUP,        OPTION_END};

typedef struct ckam_state {
    kernel_walk walk;            /* first */
    uint64_t    length, explore; /* L, E */
    uint64_t    cycle;
    bool        delayed;       /* transition = delayed-rejection */
    double      nu_explored;   /* nu after the last adaptation, nu_exp */
    double      cosine;        /* cosine_at(E) */
    double      nu_ratio;      /* nu_t / nu_exp of this iteration */
    size_t      seen;          /* draws in mean and scatter (covariance = global) */
    size_t      mean, scatter; /* offsets: mean and scatter matrix of all past draws */
} ckam_state;

/* floor(beta L), where a product that is within rounding of a whole number counts as that number. */
static uint64_t explore_length(const settings *o) {
    return (uint64_t)floor(o->explore * (double)o->cycle_length * (1.0 + 1e-12));
}

static ckam_status ckam_check(const blueprint *plan, ckam_error *error) {
    const settings *o = plan->settings;
    uint64_t        explore = explore_length(o);
    if (explore < 1 || explore >= o->cycle_length)
        return fail_with(
            error, CKAM_ERROR_OPTION,
            "cycle-length is %llu and explore is %g: both phases need at least one iteration of a cycle, and "
            "exploration would have %llu",
            (unsigned long long)o->cycle_length, o->explore, (unsigned long long)explore);
    return kernel_walk_check(plan, error);
}

/* The first iteration after the warm-up that is not in the exploration of its cycle. */
static uint64_t ckam_first_draw(const blueprint *plan) {
    const settings *o = plan->settings;
    uint64_t        in_cycle = o->warmup % o->cycle_length, explore = explore_length(o);
    return o->warmup + (in_cycle < explore ? explore - in_cycle : 0) + 1;
}

static size_t ckam_layout(ckam_state *s, const blueprint *plan) {
    size_t end = sizeof *s, dim = plan->dim;
    s->explore = explore_length(plan->settings);
    s->length = plan->settings->cycle_length;
    kernel_walk_layout(&s->walk, plan, PROPOSALS, s->explore + 1, &end);
    if (s->walk.proposal.global) {
        s->mean = block_take(&end, dim, 1);
        s->scatter = block_take(&end, dim, dim);
    }
    return end;
}

static size_t ckam_size(const blueprint *plan) { return ckam_layout(&(ckam_state){0}, plan); }

/* covariance = global: proposals of this cycle have the covariance of all draws before it. */
static void use_global(ckam_state *s) {
    kernel_proposal_global(&s->walk.proposal, s, s->walk.proposals, s->seen, block_at(s, s->scatter));
}

static void ckam_begin(void *state, const blueprint *plan, const double *x, double log_density, double length) {
    ckam_state *s = state;
    ckam_layout(s, plan);
    s->cosine = cosine_at(s->explore, s->length);
    s->delayed = plan->settings->transition == TRANSITION_DELAYED;
    kernel_walk_begin(&s->walk, plan, (double)s->length, x, log_density, length);
    if (s->walk.proposal.global) use_global(s);
}

/* Sigma is the walk's C = gamma^2 I + nu^2 G G^T at the state reached, with the last z and gamma and nu after its
 * last adaptation; it is factored here and nowhere else. (The paper's Sigma is C / nu^2 and its step nu_t: the same
 * proposals.) */
static void transition(ckam_state *s) {
    kernel_walk *w = &s->walk;
    proposal_at *sigma = &w->proposals[PROPOSAL_SIGMA];
    s->nu_explored = kernel_walk_nu(w);
    proposal_at_measure(&w->proposal, s, sigma, now_x(&w->now));
    proposal_at_factor(s, sigma, w->gamma, s->nu_explored);
    w->now.counts.factorisations = sigma->factored;
}

/* Delayed rejection at the transition: theta' from the walk's proposal at x, whose rejection is forced, then theta''
 * around theta'. theta' is kept for the decision. */
static void propose_delayed(ckam_state *s, rng *r, double *y) {
    kernel_walk *w = &s->walk;
    proposal_at *at_x = kernel_walk_proposal_at(w, s->nu_explored), *between = &w->proposals[PROPOSAL_BETWEEN];
    proposal_at_draw(&w->proposal, s, at_x, r, 1.0, now_x(&w->now), y);
    proposal_at_measure(&w->proposal, s, between, y);
    proposal_at_draw(&w->proposal, s, &w->proposals[PROPOSAL_SIGMA], r, 1.0, y, y);
}

/* log of q(theta'|theta'') q_RW(x|theta') / (q(theta'|x) q_RW(theta''|theta')). */
static double delayed_ratio(ckam_state *s) {
    kernel_walk           *w = &s->walk;
    const kernel_proposal *p = &w->proposal;
    proposal_at *at_x = &w->proposals[w->here], *at_y = &w->proposals[!w->here], *sigma = &w->proposals[PROPOSAL_SIGMA];
    proposal_at *between = &w->proposals[PROPOSAL_BETWEEN];
    proposal_at_measure(p, s, at_y, now_y(&w->now));
    proposal_at_factor(s, at_y, w->gamma, s->nu_explored);
    return proposal_at_log_density(p, s, at_y, at_y, between) + proposal_at_log_density(p, s, sigma, between, at_x) -
           proposal_at_log_density(p, s, at_x, at_x, between) - proposal_at_log_density(p, s, sigma, between, at_y);
}

static bool is_delayed(const ckam_state *s) { return s->delayed && s->walk.t == s->explore; }

static const double *ckam_ask(void *state, rng *r) {
    ckam_state  *s = state;
    kernel_walk *w = &s->walk;
    double      *y = now_y(&w->now);
    if (w->t < s->explore) return kernel_walk_ask(w, r);
    s->nu_ratio = cosine_at(w->t, s->length) / s->cosine;
    if (is_delayed(s))
        propose_delayed(s, r, y);
    else
        proposal_at_draw(&w->proposal, s, &w->proposals[PROPOSAL_SIGMA], r, s->nu_ratio, now_x(&w->now), y);
    return y;
}

/* Welford's update of the mean and scatter of all draws. */
static void learn_global(ckam_state *s, const double *x) {
    size_t  dim = s->walk.now.dim;
    double *mean = block_at(s, s->mean), *scatter = block_at(s, s->scatter), weight;
    s->seen++;
    weight = (double)(s->seen - 1) / (double)s->seen;
    for (size_t j = 0; j < dim; j++) {
        double deviation = weight * (x[j] - mean[j]);
        for (size_t i = j; i < dim; i++) scatter[j * dim + i] += deviation * (x[i] - mean[i]);
    }
    for (size_t k = 0; k < dim; k++) mean[k] += (x[k] - mean[k]) / (double)s->seen;
}

static void tell_sampling(ckam_state *s, rng *r, double log_density, ckam_step *out) {
    kernel_walk *w = &s->walk;
    double       log_ratio_q = is_delayed(s) && log_density > -HUGE_VAL ? delayed_ratio(s) : 0.0;
    decide(&w->now, r, log_density, log_ratio_q, out);
    out->step_size = s->nu_explored * s->nu_ratio;
    if (w->proposal.global) learn_global(s, out->x);
    w->t++;
}

static void tell_exploring(ckam_state *s, rng *r, double log_density, ckam_step *out) {
    kernel_walk_tell(&s->walk, r, log_density, out);
    out->phase = CKAM_PHASE_EXPLORE;
    out->draw = false;
    if (s->walk.t == s->explore) transition(s);
}

static void ckam_tell(void *state, rng *r, double log_density, ckam_step *out) {
    ckam_state *s = state;
    if (s->walk.t < s->explore)
        tell_exploring(s, r, log_density, out);
    else
        tell_sampling(s, r, log_density, out);
    out->cycle = s->cycle;
    if (s->walk.t < s->length) return;
    s->cycle++;
    kernel_walk_restart(&s->walk);
    if (s->walk.proposal.global) use_global(s);
}

const sampler ckam_sampler = {.options_size = sizeof(settings),
                              .wants_scale = kernel_walk_wants_scale,
                              .check = ckam_check,
                              .first_draw = ckam_first_draw,
                              .size = ckam_size,
                              .begin = ckam_begin,
                              .ask = ckam_ask,
                              .tell = ckam_tell};
