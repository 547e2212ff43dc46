/* groups.c - see groups.h. */
#include "sampler/groups.h"

#include <string.h>

/* Component j of m := component k of another memory. */
static void put(modes *m, size_t j, const group_memory *from, size_t k) {
    size_t dim = m->dim;
    m->at[j] = from->at[k];
    m->at[j].freedom = 0.0; /* profiles are not exchanged: they are learned anew */
    memcpy(modes_mean(m, j), from->mean + k * dim, dim * sizeof(double));
    memcpy(modes_factor(m, j), from->factor + k * dim * dim, dim * dim * sizeof(double));
    modes_prepare(m, j);
}

static void load(modes *m, const group_memory *from) {
    m->count = from->count;
    m->retired = from->retired;
    m->named = from->named;
    m->level = from->level;
    for (size_t j = 0; j < m->count + m->retired; j++) put(m, j, from, j);
    modes_set_degrees(m, from->degrees);
}

/* Whether component k is the first of its mode that draws have reached. */
static bool is_first(const component *at, size_t k) {
    for (size_t j = 0; j < k; j++)
        if (at[j].mode == at[k].mode && at[j].reached) return false;
    return at[k].reached;
}

static uint64_t count_modes(const group_memory *g) {
    uint64_t count = 0;
    for (size_t k = 0; k < g->count; k++) count += is_first(g->at, k);
    return count;
}

/* Whether the mode of which component k is the first has a component that the second group has reached, too. */
static bool is_common(const group_memory *first, size_t k, const bool *shared) {
    for (size_t j = k; j < first->count; j++)
        if (first->at[j].mode == first->at[k].mode && shared[j]) return true;
    return false;
}

/* A component of the second group: as one of the `known` ones of the first, or a new one. */
static size_t add(modes *m, const group_memory *second, size_t k, size_t known) {
    put(m, m->capacity, second, k);
    size_t j = modes_known_as(m, m->capacity);
    if (j < known) {
        m->at[j].met += second->at[k].met;
        return j;
    }
    j = modes_add(m);
    if (j == m->capacity) return SIZE_MAX;
    modes_copy(m, j, m->capacity);
    m->at[j].mode = 0; /* numbers of the groups mean different modes */
    return j;
}

void groups_unite(jump_state *s, const group_memory *first, const group_memory *second, size_t place[MODES_MOST]) {
    modes     *m = (modes *)(void *)block_at(s, s->modes);
    jump_plan *p = &s->plan, *own = p;
    bool       shared[MODES_MOST] = {false};
    uint64_t   common = 0, modes_of[2] = {count_modes(first), count_modes(second)};
    double     searches = first->plan->searches + second->plan->searches;
    if (s->group) load(m, first);
    for (size_t j = 0; j < m->count + m->retired; j++) m->at[j].freedom = 0.0;
    if (first->plan != own) *p = *first->plan;
    for (size_t k = 0; k < second->count; k++) {
        place[k] = add(m, second, k, first->count);
        if (place[k] < first->count && second->at[k].reached) shared[place[k]] = true;
    }
    for (size_t k = 0; k < first->count; k++) common += is_first(first->at, k) && is_common(first, k, shared);
    p->apart = false;
    p->searches = searches;
    p->group[0] = modes_of[0];
    p->group[1] = modes_of[1];
    p->common = common < modes_of[1] ? common : modes_of[1];
    if (m->count) modes_normalise(m);
}
