/* groups.h - two groups of chains that search and adapt separately at first, and then share one mixture.
 *
 * Chains with one mixture agree because they share it: their R-hat says nothing of a mode that the mixture lacks. So
 * up to half of the warm-up the chains with even numbers and those with odd ones are two replicates. Afterwards they
 * share a mixture, but searches are still counted per group: the numbers of modes that searches of one group ended
 * in, and of both, estimate how many modes are left to find (capture-recapture). A mode that one group found first
 * and that searches of the other end in later is one of both. */
#ifndef CKAM_JUMP_GROUPS_H
#define CKAM_JUMP_GROUPS_H

#include "jump/chain_summary.h"

/* In component.groups. */
static inline uint64_t group_bit(size_t group) { return (uint64_t)1 << group; }

/* The mixture and plan of `s` become those of the first group, plus the components of the second one that the first
 * lacks. place[j] := the index that component j of the second group has now; SIZE_MAX where there is no room. */
void groups_unite(jump_state *s, const group_mixture *first, const group_mixture *second, size_t place[MODES_MOST]);
/* Counts the modes of each group and of both, once they are joined: plan.group_modes, plan.common_modes. */
void groups_compare(jump_state *s);

#endif
