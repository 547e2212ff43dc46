/* options.h - inside a ckam_options: the sampler and the values of its options. */
#ifndef CKAM_CHAIN_OPTIONS_H
#define CKAM_CHAIN_OPTIONS_H

#include "sampler/sampler.h"

struct ckam_options {
    const sampler    *sampler;
    const ckam_entry *entry; /* its name and table */
    settings         *values;
};

#endif
