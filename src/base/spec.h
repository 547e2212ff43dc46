/* spec.h - reading "name:option=value,..." against a list of what there is: samplers and models alike. */
#ifndef CKAM_BASE_SPEC_H
#define CKAM_BASE_SPEC_H

#include "ckam.h"

/* *index := the entry that `spec` names. An unknown name is CKAM_ERROR_OPTION, with the nearest one or all of them.
 * `kind` is "sampler" or "model", for the message. */
ckam_status spec_find(const ckam_entry *list, const char *kind, const char *spec, size_t *index, ckam_error *error);
/* Fills `values` with the entry's defaults and what `spec` sets. */
ckam_status spec_read(const ckam_entry *entry, const char *spec, void *values, ckam_error *error);

#endif
