/* ours.h - ckam's samplers as a user of the library runs them: one chain, in this thread. */
#ifndef CKAM_BENCH_OURS_H
#define CKAM_BENCH_OURS_H

#include "score.h"

/* So many evaluations, all draws kept. sample_free() the result. */
sample ours_run(const ckam_target *target, const char *spec, uint64_t seed, uint64_t evaluations, const double *start);
/* So many seconds; the draws go into the histogram. `horizon` is how many evaluations that will be, about. Returns
 * evaluations a second. */
double ours_run_for(double seconds, const ckam_target *target, const char *spec, uint64_t seed, uint64_t horizon,
                    const double *start, histogram *h);

#endif
