/* adapt.c - pooled adaptation at the end of a cycle of jump: the mixture, step sizes, shares of moves and the
 * schedule are learned from the summaries of all chains, and are then the same for all.
 *
 * Summaries are used in the order of the chains, whichever came first. One chain alone is pooled with itself. */
#include "jump/groups.h"

#include "base/unseen.h"
#include "linalg/linalg.h"
#include "mixture/profile.h"
#include "mixture/tuning.h"

#include <stdlib.h>
#include <string.h>

static jump_state *chain(void *const *states, size_t c) { return states[c]; }

static row_block block_of(void *context, size_t index) { return ((const chain_summary *)context)[index].rows; }

/* -- After settling: one component per chain ---------------------------------------------------------------------- */

/* The trial component := mean and factor. */
static void put(mixture *m, const double *mean, const double *factor) {
    size_t a = m->capacity;
    m->at[a] = (component){.step = 1.0};
    memcpy(mixture_mean(m, a), mean, m->dim * sizeof *mean);
    memcpy(mixture_factor(m, a), factor, m->dim * m->dim * sizeof *factor);
    mixture_prepare(m, a);
}

/* The group of the chain with the c-th of the summaries that s learns from. */
static uint64_t group_of(const jump_state *s, size_t c) { return group_bit(s->plan.separate ? s->group : c % 2); }

static void first_components(jump_state *s, const chain_summary *summaries, size_t total) {
    mixture *m = jump_mixture(s);
    for (size_t c = 0; c < total; c++) {
        put(m, summaries[c].mean, summaries[c].factor);
        size_t j = mixture_match(m, m->capacity);
        if (j < m->count) {
            m->at[j].search_hits += 1.0;
            m->at[j].groups |= group_of(s, c);
            continue;
        }
        j = mixture_add(m);
        if (j == m->capacity) break;
        mixture_copy(m, j, m->capacity);
        m->at[j].search_hits = 1.0;
        m->at[j].groups = group_of(s, c);
        m->at[j].weight = 1.0;
        m->at[j].reached = true;
        m->at[j].step = summaries[c].step;
    }
    mixture_normalise(m);
}

/* -- Step sizes, shares, pruning ---------------------------------------------------------------------------------- */

/* place: the present index of each component of the chains with odd numbers; NULL: as it was. */
static jump_tally sum_tallies(const chain_summary *summaries, size_t total, const size_t *place) {
    jump_tally sum = {0};
    for (size_t c = 0; c < total; c++) {
        const jump_tally *t = summaries[c].tally;
        sum.searches += t->searches;
        sum.stuck += t->stuck;
        for (int k = 0; k < MOVES; k++) {
            sum.move[k].tried += t->move[k].tried;
            sum.move[k].efficiency += t->move[k].efficiency;
        }
        for (size_t k = 0; k < summaries[c].components; k++) {
            size_t j = place && c % 2 ? place[k] : k;
            if (j == SIZE_MAX) continue;
            sum.at[j].local += t->at[k].local;
            sum.at[j].accept += t->at[k].accept;
            sum.at[j].tried += t->at[k].tried;
            sum.at[j].reached += t->at[k].reached;
            sum.at[j].search_hits += t->at[k].search_hits;
        }
    }
    return sum;
}

/* `step` after n moves with the sum `accept` of acceptance probabilities; shrunk as if step_prior moves had had the
 * acceptance rate wanted. */
static double adapted(double step, double n, double accept, double wanted) {
    double change = tuning.moves.step_gain * (accept - n * wanted) / (n + tuning.moves.step_prior);
    return fmin(fmax(step * exp(change), 1e-8), 1e8);
}

static void mark_groups(jump_state *s, const chain_summary *summaries, size_t total, const size_t *place) {
    for (size_t c = 0; c < total; c++)
        for (size_t k = 0; k < summaries[c].components; k++) {
            size_t j = place && c % 2 ? place[k] : k;
            if (j != SIZE_MAX && summaries[c].tally->at[k].search_hits > 0.0)
                jump_mixture(s)->at[j].groups |= group_of(s, c);
        }
}

static void count_searches(jump_state *s, const jump_tally *t, size_t total) {
    mixture *m = jump_mixture(s);
    s->plan.search_evaluations += (double)(s->plan.explore * total);
    s->plan.searches += s->stage == STAGE_SETTLE ? (double)total : t->searches;
    for (size_t j = 0; j < m->count; j++) m->at[j].search_hits += t->at[j].search_hits;
}

/* One step for the mean acceptance rate of a cycle. It tends to Newton's step, not to 0 as a Robbins-Monro gain
 * does. */
static void adapt_steps(jump_state *s, const jump_tally *t) {
    mixture *m = jump_mixture(s);
    for (size_t j = 0; j < m->count; j++) {
        component *c = &m->at[j];
        double     wanted = s->settle.target_accept;
        c->step = adapted(c->step, t->at[j].local, t->at[j].accept, wanted);
    }
}

/* The efficiency of a move, by which it gets its share: its ESJD, less for jumps that are rarely accepted. */
static double efficiency_of(const jump_plan *p, jump_move move) {
    double efficiency = (p->efficiency[move] + tuning.moves.prior) / (p->tried[move] + 1.0);
    if (move == MOVE_LOCAL) return efficiency;
    return efficiency * efficiency / (efficiency + tuning.moves.rare);
}

/* Moves that need two components. */
static bool needs_two(int move) { return move == MOVE_AFFINE || move == MOVE_CARRY; }

/* Carried moves reach the tails that independent jumps miss: their least share grows as the efficiency of those
 * falls, if their own is not negligible. */
static double least_share(const jump_plan *p, int move) {
    const double least = tuning.moves.share_least, independent = efficiency_of(p, MOVE_INDEPENDENT);
    if (move == MOVE_LOCAL)
        return least + tuning.moves.local_share * (1.0 - pow(fmin(independent, 1.0), tuning.moves.local_power));
    if (move != MOVE_CARRY) return least;
    double use = fmin(1.0, efficiency_of(p, MOVE_CARRY) / tuning.moves.carry_good);
    return least + tuning.moves.carry_share * use * fmax(1.0 - independent, 0.0);
}

static void adapt_shares(jump_state *s, const jump_tally *t) {
    jump_plan *p = &s->plan;
    bool       two = jump_mixture(s)->count > 1;
    double     efficiency[MOVES], sum = 0.0, left = 1.0;
    for (int k = 0; k < MOVES; k++) {
        p->tried[k] = tuning.moves.discount * p->tried[k] + t->move[k].tried;
        p->efficiency[k] = tuning.moves.discount * p->efficiency[k] + t->move[k].efficiency;
        efficiency[k] = needs_two(k) && !two ? 0.0 : efficiency_of(p, (jump_move)k);
    }
    /* an affine jump changes the mode but not the place in it: it counts less the better independent jumps do both */
    efficiency[MOVE_AFFINE] *= 1.0 - efficiency[MOVE_INDEPENDENT] * efficiency[MOVE_INDEPENDENT];
    for (int k = 0; k < MOVES; k++) efficiency[k] = pow(efficiency[k], tuning.moves.power);
    /* carried moves go to the same places: they get only their least share where another jump is more efficient */
    if (efficiency[MOVE_CARRY] < fmax(efficiency[MOVE_AFFINE], efficiency[MOVE_INDEPENDENT]))
        efficiency[MOVE_CARRY] = 0.0;
    for (int k = 0; k < MOVES; k++) {
        p->share[k] = needs_two(k) && !two ? 0.0 : least_share(p, k);
        left -= p->share[k];
        sum += efficiency[k];
    }
    for (int k = 0; k < MOVES; k++) p->share[k] += left * efficiency[k] / sum;
}

/* The more iterations chains are stuck, as in the neck of a funnel, the larger the share of short local steps. */
static void adapt_short_share(jump_plan *p, const jump_tally *t) {
    p->stuck += t->stuck;
    for (int k = 0; k < MOVES; k++) p->sampled += t->move[k].tried;
    double more = tuning.moves.short_stuck * p->stuck / fmax(p->sampled, 1.0);
    p->short_share = fmin(tuning.moves.short_least + more, tuning.moves.short_most);
}

/* Takes out components that jumps failed to reach. One that no draw has ever reached was found by a search and is
 * retired, so that it is not added again; one that chains left for good on their way to higher density is forgotten. */
static void prune(jump_state *s, const jump_tally *t) {
    mixture *m = jump_mixture(s);
    for (size_t j = m->count; j-- > 0;) {
        const component *c = &m->at[j];
        double           tried = t->at[j].tried;
        bool             failed = tried >= tuning.unvisited.tries && t->at[j].reached < tuning.moves.rare * tried;
        if (m->count == 1 || !failed || c->rows >= 1.0 || t->at[j].local >= 1.0) continue;
        mixture_remove(m, j, !c->reached);
    }
}

/* -- Components that searches found ------------------------------------------------------------------------------- */

/* The largest weight of all unvisited components together, in units of the weight of all others. Unvisited: no draw
 * has reached it. */
static double unvisited_most(void) { return tuning.unvisited.share / (1.0 - tuning.unvisited.share); }

static void limit_unvisited(mixture *m) {
    double unvisited = 0.0, all = 0.0;
    for (size_t j = 0; j < m->count; j++) {
        all += m->at[j].weight;
        if (!m->at[j].reached) unvisited += m->at[j].weight;
    }
    if (unvisited <= tuning.unvisited.share * all) return;
    for (size_t j = 0; j < m->count; j++)
        if (!m->at[j].reached) m->at[j].weight *= unvisited_most() * (all - unvisited) / unvisited;
}

/* Whether a draw lies within the new component j. */
static bool has_draws(mixture *m, size_t j, const rows *data) {
    double most = mixture_typical_distance(m->dim);
    for (size_t b = 0; b < data->blocks; b++) {
        const row_block block = data->block(data->context, b);
        for (size_t i = 0; i < block.count; i += data->every)
            if (mixture_distance_within(m, j, block.at + i * block.stride + ROW_HEAD, most) < most) return true;
    }
    return false;
}

/* Adds the trial component, a candidate of a chain of that group, to the mixture, or counts its hits for the
 * component that is there already. */
static void add_candidate(mixture *m, const candidate *found, uint64_t group, const rows *data) {
    size_t j = mixture_match(m, m->capacity);
    if (j < m->count) {
        m->at[j].search_hits += found->search_hits;
        m->at[j].groups |= group;
    }
    if (j < m->count + m->retired) return;
    j = mixture_add(m);
    if (j == m->capacity) return;
    mixture_copy(m, j, m->capacity);
    m->at[j].search_hits = found->search_hits;
    m->at[j].groups = group;
    m->at[j].odds = exp(fmin(found->mass - m->log_z, 700.0));
    /* the others sum to 1 */
    m->at[j].weight = fmin(fmax(m->at[j].odds, tuning.unvisited.odds_least), unvisited_most());
    m->at[j].step = step_size_optimal(m->dim);
    m->at[j].established = has_draws(m, j, data);
}

static void add_candidates(jump_state *s, const chain_summary *summaries, size_t total, const rows *data) {
    mixture *m = jump_mixture(s);
    for (size_t c = 0; c < total; c++)
        for (size_t k = 0; k < summaries[c].candidates; k++) {
            put(m, summaries[c].candidate_mean + k * m->dim, summaries[c].candidate_factor + k * m->dim * m->dim);
            m->at[m->capacity].confirmed = summaries[c].candidate[k].confirmed;
            add_candidate(m, &summaries[c].candidate[k], group_of(s, c), data);
        }
    limit_unvisited(m);
    mixture_normalise(m);
}

/* Up to the end of the warm-up every component is known before the draws begin. */
static void establish(jump_state *s) {
    mixture *m = jump_mixture(s);
    for (size_t j = 0; j < m->count && s->plan.iterations < s->settle.now.warmup; j++) m->at[j].established = true;
}

/* -- The next cycle ----------------------------------------------------------------------------------------------- */

/* Acceptance rate of affine jumps, shrunk towards moves.rare. */
static double affine_rate(const jump_plan *p) {
    const double prior = tuning.search.affine_prior;
    return (p->efficiency[MOVE_AFFINE] + tuning.moves.rare * prior) / (p->tried[MOVE_AFFINE] + prior);
}

/* Cycles grow, so adaptation becomes ever rarer. The search is saturated when the bound on unseen modes is low
 * enough. Until then it gets half of the warm-up and most of the cycles that prolong it; after the warm-up a smaller
 * share, less where jumps do not reach what it finds. */
static void schedule(jump_state *s) {
    jump_plan        *p = &s->plan;
    double            length = (double)jump_cycle_length(s->settle.now.dim, p->cycle);
    const modes_tally hits = mixture_search_hits(jump_mixture(s));
    const double      allowed =
        unseen_allowed(p->unseen, hits.modes, jump_mixture(s)->dim, p->search_evaluations / p->searches);
    const double bound = unseen_bound(hits.once, hits.twice, (uint64_t)p->searches);
    bool         saturated = p->unseen >= 1.0 || bound <= tuning.search.saturated * allowed;
    bool         warm = p->iterations <= p->warmup;
    double       search_share = p->iterations < p->planned ? tuning.search.warmup : tuning.search.prolonged;
    if (!warm) {
        search_share = tuning.search.after_warmup * fmin(1.0, affine_rate(p) / tuning.moves.rare);
        length *= (double)p->pool_every;
    }
    if (saturated && p->iterations >= p->planned) search_share = tuning.search.least;
    search_share = fmax(search_share, tuning.search.least);
    p->length = (uint64_t)length;
    p->explore = (uint64_t)(length * search_share);
    bool may_grow = p->longest > p->planned && p->iterations < p->longest;
    if (warm && !saturated && may_grow && p->iterations + p->length > p->warmup) p->warmup = p->iterations + p->length;
}

/* The component with the largest responsibility for x. */
static size_t nearest_component(jump_state *s) {
    const mixture *m = jump_mixture(s);
    const double  *each = block_at(s, s->at_x);
    size_t         best = 0;
    for (size_t j = 1; j < m->count; j++)
        if (each[j] + m->at[j].log_weight > each[best] + m->at[best].log_weight) best = j;
    return best;
}

static void begin_cycle(jump_state *s) {
    mixture *m = jump_mixture(s);
    memset(&s->tally, 0, sizeof s->tally);
    s->t = 0;
    s->settle.now.warmup = s->plan.warmup;
    s->waits = false;
    s->settle.now.counts.modes = s->plan.modes;
    s->stage = s->plan.explore < s->plan.length ? STAGE_SAMPLE : STAGE_EXPLORE;
    s->log_q_x = mixture_log_density(m, now_x(&s->settle.now), block_at(s, s->at_x));
    if (!s->plan.cycle) explore_shape(jump_explorer(s), m, nearest_component(s));
    explore_cycle(jump_explorer(s), m);
}

/* Adapts the state of one chain from the summaries of all. */
static void learn(jump_state *s, chain_summary *summaries, size_t total, const size_t *place) {
    jump_plan      *p = &s->plan;
    mixture        *m = jump_mixture(s);
    rows            data = {summaries, total, m->dim, block_of, 1};
    mixture_overlap overlap;
    jump_tally      sum = sum_tallies(summaries, total, place);
    bool            structure = jump_tries_structure(s);
    p->iterations = jump_iterations(s);
    count_searches(s, &sum, total);
    mark_groups(s, summaries, total, place);
    if (s->stage == STAGE_SETTLE) {
        first_components(s, summaries, total);
    } else {
        p->cycle++;
        adapt_steps(s, &sum);
        prune(s, &sum);
    }
    if (structure) p->last_structure = p->iterations;
    const double ess_fraction = mixture_refit(m, &data, structure);
    profiles_learn(m, &data, ess_fraction, structure);
    m->log_z = mixture_log_z(m, &data, &overlap);
    add_candidates(s, summaries, total, &data);
    establish(s);
    p->modes = mixture_number_modes(m, &overlap, p->cycle);
    groups_compare(s);
    adapt_shares(s, &sum);
    adapt_short_share(p, &sum);
    schedule(s);
}

static void share(void *const *states, size_t count) {
    jump_state *first = chain(states, 0);
    for (size_t c = 0; c < count; c++) {
        jump_state *s = chain(states, c);
        if (c) {
            s->plan = first->plan;
            mixture_share(jump_mixture(s), jump_mixture(first));
        }
        if (s->plan.iterations < s->settle.now.warmup) history_forget(&s->history, block_at(s, s->rows));
        begin_cycle(s);
    }
}

size_t jump_summarise(void *state, size_t index, size_t total, void *bytes) {
    jump_state *s = state;
    s->group = index % 2;
    const chain_summary summary = chain_summary_of(s, index, total);
    return chain_summary_pack(&summary, s, bytes);
}

/* Pools the chains of one group. some, own: room for their summaries, and for those of their states that are in this
 * process. */
static void pool_group(void *const *states, size_t count, const chain_summary *all, size_t total, size_t group,
                       chain_summary *some, void **own) {
    size_t here = 0, members = 0;
    for (size_t c = 0; c < count; c++)
        if (chain(states, c)->group == group) own[here++] = states[c];
    for (size_t c = group; c < total; c += 2) some[members++] = all[c];
    if (!here) return;
    learn(own[0], some, members, NULL);
    share(own, here);
}

static void pool_all(void *const *states, size_t count, chain_summary *all, size_t total, bool join) {
    jump_state *first = chain(states, 0);
    size_t      place[MODES_MOST];
    if (join) groups_unite(first, &all[0].mixture, &all[1].mixture, place);
    learn(first, all, total, join ? place : NULL);
    share(states, count);
}

bool jump_pool(void *const *states, size_t count, void *const *summaries, size_t total) {
    chain_summary alone[2] = {0}, *all = total > 1 ? malloc(2 * total * sizeof *all) : alone;
    void         *one[1], **own = count > 1 ? malloc(count * sizeof *own) : one;
    jump_state   *first = chain(states, 0);
    bool separate = first->plan.separate && total > 1, join = separate && jump_groups_join(first), made = all && own;
    for (size_t c = 0; c < count && !summaries; c++) chain(states, c)->group = c % 2;
    for (size_t c = 0; made && c < total; c++)
        all[c] = summaries ? chain_summary_unpack(first, summaries[c]) : chain_summary_of(chain(states, c), c, total);
    if (made && separate && !join)
        for (size_t group = 0; group < 2; group++) pool_group(states, count, all, total, group, all + total, own);
    else if (made)
        pool_all(states, count, all, total, join);
    if (total > 1) free(all);
    if (count > 1) free(own);
    return made;
}
