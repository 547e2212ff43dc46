/* registry.c - all samplers, from samplers.def: as tables for the library and as a list for its users. */
#include "sampler/sampler.h"

const sampler *const sampler_registry[] = {
#define SAMPLER(name, summary) &name##_sampler,
#include "sampler/samplers.def"
#undef SAMPLER
};

static const ckam_entry entries[] = {
#define SAMPLER(name, summary) {#name, summary, name##_sampler_options},
#include "sampler/samplers.def"
#undef SAMPLER
    {NULL, NULL, NULL}};

const ckam_entry *ckam_sampler_list(void) { return entries; }
