/* data.h - what --data gives to a model in C: the numbers of a JSON file, by their keys. */
#ifndef CKAM_TARGET_DATA_H
#define CKAM_TARGET_DATA_H

#include "ckam.h"

#include <ckam/model.h>

/* `text` is that of the file; NULL: there are no keys. A key that holds a number, true, false, or a list of these (nested or not) can be
 * had; others are there for somebody else. */
ckam_status data_create(ckam_data **data, const char *text, ckam_error *error);
void        data_free(ckam_data *data);

#endif
