/* groups.h - two groups of chains that have searched and learned apart come to share one memory.
 *
 * Chains that learn from one memory agree because they share it: their R-hat says nothing of a mode that the memory lacks. So up to
 * half of the warm-up the chains with even numbers and those with odd ones are replicates. Where they meet, the modes that both have
 * found, and those that only one has, say how many may be left (capture-recapture). */
#ifndef CKAM_SAMPLER_GROUPS_H
#define CKAM_SAMPLER_GROUPS_H

#include "sampler/offer.h"

/* The memory and plan of `s` become those of the first group, with what the second one knows beyond it; plan.group and
 * plan.common are set. place[j] := the component that component j of the second group is now; SIZE_MAX where there is no room. */
void groups_unite(jump_state *s, const group_memory *first, const group_memory *second, size_t place[MODES_MOST]);

#endif
