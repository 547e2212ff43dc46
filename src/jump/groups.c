/* groups.c - see groups.h. */
#include "jump/groups.h"

#include <string.h>

/* Component j of m := component k of another mixture. */
static void put(mixture *m, size_t j, const group_mixture *from, size_t k) {
    size_t dim = m->dim;
    m->at[j] = from->at[k];
    m->at[j].profile_degrees = 0.0; /* profiles are not exchanged: they are learned anew */
    memcpy(mixture_mean(m, j), from->mean + k * dim, dim * sizeof(double));
    memcpy(mixture_factor(m, j), from->factor + k * dim * dim, dim * dim * sizeof(double));
    mixture_prepare(m, j);
}

static void load(mixture *m, const group_mixture *from) {
    m->count = from->count;
    m->retired = from->retired;
    m->last_mode = from->last_mode;
    m->log_z = from->log_z;
    for (size_t j = 0; j < m->count + m->retired; j++) put(m, j, from, j);
    mixture_set_degrees(m, from->degrees);
}

/* A component that draws of a group have reached counts as found by that group. */
static uint64_t found_by(const component *c, size_t group) { return c->groups | (c->reached ? group_bit(group) : 0); }

/* Adds component k of the second group, or counts it for the one of the `known` components of the first that is at
 * the same place. */
static size_t add(mixture *m, const group_mixture *second, size_t k, size_t known) {
    put(m, m->capacity, second, k);
    m->at[m->capacity].groups = found_by(&second->at[k], 1);
    size_t j = mixture_match(m, m->capacity);
    if (j < known) {
        m->at[j].search_hits += second->at[k].search_hits;
        m->at[j].groups |= m->at[m->capacity].groups;
        return j;
    }
    j = mixture_add(m);
    if (j == m->capacity) return SIZE_MAX;
    mixture_copy(m, j, m->capacity);
    m->at[j].mode = 0; /* the groups have numbered their modes separately */
    return j;
}

void groups_unite(jump_state *s, const group_mixture *first, const group_mixture *second, size_t place[MODES_MOST]) {
    mixture   *m = jump_mixture(s);
    jump_plan *p = &s->plan, *own = p;
    double     searches = first->plan->searches + second->plan->searches;
    double     search_evaluations = first->plan->search_evaluations + second->plan->search_evaluations;
    if (s->group) load(m, first);
    for (size_t j = 0; j < m->count + m->retired; j++) {
        m->at[j].groups = found_by(&m->at[j], 0);
        m->at[j].profile_degrees = 0.0;
    }
    if (first->plan != own) *p = *first->plan;
    for (size_t k = 0; k < second->count; k++) place[k] = add(m, second, k, first->count);
    p->separate = false;
    p->joined = true;
    p->searches = searches;
    p->search_evaluations = search_evaluations;
    if (m->count) mixture_normalise(m);
}

/* Whether component k is the first of its mode that draws have reached. */
static bool is_first(const mixture *m, size_t k) {
    for (size_t j = 0; j < k; j++)
        if (m->at[j].mode == m->at[k].mode && m->at[j].reached) return false;
    return m->at[k].reached;
}

void groups_compare(jump_state *s) {
    const mixture *m = (const mixture *)(const void *)block_at(s, s->mixture);
    jump_plan     *p = &s->plan;
    p->group_modes[0] = p->group_modes[1] = p->common_modes = 0;
    for (size_t k = 0; k < m->count && p->joined; k++) {
        uint64_t by = 0;
        for (size_t j = 0; j < m->count; j++) by |= m->at[j].mode == m->at[k].mode ? m->at[j].groups : 0;
        if (!is_first(m, k)) continue;
        p->group_modes[0] += (by & group_bit(0)) != 0;
        p->group_modes[1] += (by & group_bit(1)) != 0;
        p->common_modes += by == (group_bit(0) | group_bit(1));
    }
}
