/* groups.h - two groups of chains that have searched and learned apart come to share one memory.
 *
 * Chains that learn from one memory agree because they share it: their R-hat says nothing of a mode that the memory lacks. So up to
 * half of the warm-up the chains with even numbers and those with odd ones are replicates. From there on they share a memory, but each
 * group still has searches of its own: the modes that those of both have ended in, and those that only one has met, say how many may be left
 * (capture-recapture). A mode that one group found first and that searches of the other met later is one of both. */
#ifndef CKAM_JUMP_GROUPS_H
#define CKAM_JUMP_GROUPS_H

#include "jump/chain_summary.h"

/* In component.groups. */
static inline uint64_t group_bit(size_t group) { return (uint64_t)1 << group; }

/* The memory and plan of `s` become those of the first group, with what the second one knows beyond it. place[j] := the component that component j of the second group is now; SIZE_MAX where there is no room. */
void groups_unite(jump_state *s, const group_memory *first, const group_memory *second, size_t place[MODES_MOST]);
/* Counts the modes that the groups have found, once they have met: plan.group_modes, plan.common_modes. */
void groups_compare(jump_state *s);

#endif
