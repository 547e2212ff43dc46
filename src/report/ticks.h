/* ticks.h - the ticks of an axis and their labels. */
#ifndef CKAM_REPORT_TICKS_H
#define CKAM_REPORT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

enum { TICKS_MOST = 128, TICK_TEXT = 32 };

typedef struct ticks {
    size_t count;
    double at[TICKS_MOST];               /* rising, from low to high */
    char   label[TICKS_MOST][TICK_TEXT]; /* reads back as the number; "": a small tick between the others */
} ticks;

/* Ticks for low < high, both finite, and > 0 where the axis is logarithmic. About `wanted` labels: at least 2, at
 * most 1.6 times as many and 1 more, or 6. Steps are 1, 2 or 5 times a power of ten; on a logarithmic axis that
 * has two of them, powers of ten. */
void ticks_make(ticks *t, double low, double high, bool logarithmic, size_t wanted);

#endif
