/* option.h - options as data: one table gives flags, run-file keys, help, checks and documentation.
 *
 * Samplers and models describe their settings as a table of ckam_option (ckam.h) over a plain struct. A real is
 * a double (auto is NaN), a count a uint64_t (auto is 0), a choice an int (the index of its word), a word of 64 bits a
 * uint64_t, a text a char[OPTION_TEXT]. */
#ifndef CKAM_BASE_OPTION_H
#define CKAM_BASE_OPTION_H

#include "ckam.h"

#include <math.h>

#define OPTION_AUTO ((double)NAN)
#define COUNT_MOST  9007199254740992.0 /* 2^53: every whole number up to it is exact as a double */
#define COUNT_AUTO  0                  /* how a count that may be auto is stored */
enum { OPTION_TEXT = 4096 };
#define OPTION_END                                                                                                     \
    { .name = NULL }

/* Fills `values` with the defaults of the table. */
void options_default(const ckam_option *table, void *values);
/* Sets one value from text. `owner` is the name of the sampler or model, for the message. */
ckam_status options_set(const ckam_option *table, void *values, const char *owner, const char *name, const char *text,
                        ckam_error *error);
/* The same from a number. */
ckam_status options_set_number(const ckam_option *table, void *values, const char *owner, const char *name,
                               double number, ckam_error *error);
/* Writes a value as text that options_set() takes back to the same bits. `values` may lie anywhere in memory. */
ckam_status options_get(const ckam_option *table, const void *values, const char *owner, const char *name, char *text,
                        size_t size, ckam_error *error);
/* Sets every "name=value" of a comma-separated list; "" sets nothing. */
ckam_status options_parse(const ckam_option *table, void *values, const char *owner, const char *list,
                          ckam_error *error);
#endif
