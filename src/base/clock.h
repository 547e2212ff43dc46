/* clock.h - time that passes, and the time of day as text. */
#ifndef CKAM_BASE_CLOCK_H
#define CKAM_BASE_CLOCK_H

#include <time.h>

/* Seconds since some moment; never goes back. */
static inline double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds that this process has had a processor, all threads together. */
static inline double clock_processor(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

enum { CLOCK_TEXT = 32 };

/* Now, in ISO 8601 and UTC: "2026-11-15T21:30:00Z". */
static inline void clock_text(char text[CLOCK_TEXT]) {
    time_t    now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, CLOCK_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

#endif
