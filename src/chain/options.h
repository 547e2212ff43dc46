/* options.h - inside a ckam_options: the sampler and the values of its options. */
#ifndef CKAM_CHAIN_OPTIONS_H
#define CKAM_CHAIN_OPTIONS_H

#include "sampler/sampler.h"

struct ckam_options {
    const sampler    *sampler;
    const ckam_entry *entry; /* its name and table */
    settings         *values;
};

enum { OPTION_ROOM = 40 };
/* The first option in which values of the same sampler differ, with both as text; NULL if they are the same. */
const char *options_difference(const ckam_options *ours, const void *theirs, char ours_text[OPTION_ROOM],
                               char theirs_text[OPTION_ROOM]);

#endif
