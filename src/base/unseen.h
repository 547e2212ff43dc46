/* unseen.h - what searches that ended in known modes say of modes that none has ended in.
 *
 * Modes are to searches what species are to a naturalist's catches. All numbers are of searches that are independent of each other;
 * none can see a mode whose basin no search enters. */
#ifndef CKAM_BASE_UNSEEN_H
#define CKAM_BASE_UNSEEN_H

#include <stddef.h>
#include <stdint.h>

/* The probability that one more search ends in a mode that none of `searches` has met: Good and Turing's estimate, from the number
 * of modes that one search met; NaN without searches. */
double unseen_probability(uint64_t once, uint64_t searches);
/* Its upper confidence bound at 95 %: that of a binomial proportion (Clopper and Pearson), wider by what the modes met twice add to the
 * variance of the estimate (Esty 1983): (once + 2 twice) / searches^2. About 3 / searches where no mode was met once or twice. 1 without
 * searches. */
double unseen_bound(uint64_t once, uint64_t twice, uint64_t searches);
/* The bound that is good enough where a user allows `setting`: half of it where more than one mode is known, and less by (10/d)^2 in more
 * than 10 dimensions, because there others are missing more often. While one mode is known in up to 10 dimensions it is wider where a search takes
 * more than two evaluations (`cost`, on average): by as many as it takes beyond its first, at most 8 (docs/trust.md). */
double unseen_allowed(double setting, uint64_t modes, size_t dim, double cost);
/* The number of such modes: Chao's lower bound, without bias, from the modes that one search and that two searches met. */
double unseen_modes(uint64_t once, uint64_t twice, uint64_t searches);
/* The same by capture and recapture (Chapman), where two groups that searched apart found `first` and `second` modes, `common` of them
 * both, and `known` are known now. */
double unseen_by_groups(uint64_t first, uint64_t second, uint64_t common, uint64_t known);

#endif
