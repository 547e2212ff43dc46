/* offer.h - what a chain of jump brings to the end of a cycle, so that all can learn from it.
 *
 * Chains of one process are looked at where they are. A chain of another process comes as bytes, which say the same: what is
 * learned does not depend on where chains are. The more chains there are, the fewer rows each of them brings. */
#ifndef CKAM_SAMPLER_OFFER_H
#define CKAM_SAMPLER_OFFER_H

#include "sampler/jump.h"

typedef struct jump_offer {
    const jump_tally *tally;         /* of components that there are; what follows in `at` is not to be looked at */
    const double     *mean, *factor; /* where the chain has settled; looked at after that stage */
    double            step;
    size_t            found;
    const double     *found_mass, *found_mean, *found_factor;
    row_block         rows;
} jump_offer;

/* What comes after the cycle that ends: iterations in all, and whether split and merge are tried. */
uint64_t jump_past(const jump_state *s);
bool     jump_tries_structure(const jump_state *s);

/* Borrowed from the chain number `index` of `total`. */
jump_offer offer_of(jump_state *s, size_t index, size_t total);
/* As bytes; returns how many. bytes == NULL: only that. */
size_t offer_pack(const jump_offer *offer, const jump_state *s, void *bytes);
/* Borrowed from the bytes, which are aligned as a double; `s`: any chain of the pool that is there. */
jump_offer offer_unpack(const jump_state *s, void *bytes);

#endif
