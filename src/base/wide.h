/* wide.h - loops compiled twice: for every x86-64, and for those with AVX2, chosen when the program is loaded.
 *
 * Only for loops whose operations are the same at any width, so both give the same bits (there is no fused multiply-add, and sums
 * have a fixed order). Sanitizers are not ready yet when the choice is made, so with them there is one version. */
#ifndef CKAM_BASE_WIDE_H
#define CKAM_BASE_WIDE_H

#include <features.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(CKAM_NARROW)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#endif
