/* chains.h - a chain as work to be timed. */
#ifndef CKAM_BENCH_CHAINS_H
#define CKAM_BENCH_CHAINS_H

#include "ckam.h"
#include "measure.h"

/* A chain of the sampler `spec`, from `start` (NULL: random), that has done `before` steps; each step stores its point. */
typedef struct chain_work chain_work;
chain_work *chain_work_create(const ckam_target *target, const char *spec, const double *start, size_t before);
void        chain_work_free(chain_work *w);
work        chain_work_of(chain_work *w);

/* A built-in model, or stop(). */
ckam_model *model_of(const char *spec);

#endif
