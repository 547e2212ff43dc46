/* wide.h - loops compiled twice: for every x86-64, and for those with AVX2, chosen when the program is loaded.
 *
 * Only for loops whose operations are the same at any width, so both give the same bits (there is no fused multiply-add, and sums
 * have a fixed order). Only for static functions: gcc exports others whatever their visibility is, and clang 14 does not link
 * them, so it gets one version. So do sanitizers, which are not ready yet when the choice is made. */
#ifndef CKAM_BASE_WIDE_H
#define CKAM_BASE_WIDE_H

#include <features.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(CKAM_NARROW)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#endif
