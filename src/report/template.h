/* template.h - the page's program with its two place-holders, as report/ builds it; part of the library. */
#ifndef CKAM_REPORT_TEMPLATE_H
#define CKAM_REPORT_TEMPLATE_H

#include <stdint.h>

/* Hidden, as all that is internal. */
extern const char     template_page[] __attribute__((visibility("hidden")));
extern const uint64_t template_length __attribute__((visibility("hidden")));

#endif
