/* held_clock.h - time limits without a race. After hold_clock(SIGN) a wait of the library ends when there is something to read, or
 * when a program has made the file SIGN, however long that takes; then the clock says that the wait was as long as it may be.
 *
 * The test is linked so that the library's calls of poll() and clock_gettime() come here: wrap() in CMakeLists.txt. */
#ifndef CKAM_TESTS_HELD_CLOCK_H
#define CKAM_TESTS_HELD_CLOCK_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static const char *clock_sign;  /* NULL: time passes as ever */
static double      clock_ahead; /* seconds */

int __real_poll(struct pollfd *files, nfds_t count, int wait);
int __wrap_poll(struct pollfd *files, nfds_t count, int wait);
int __real_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);

static inline void hold_clock(const char *sign) {
    if (sign) unlink(sign);
    clock_sign = sign;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *now) {
    int status = __real_clock_gettime(id, now);
    now->tv_sec += (time_t)clock_ahead;
    return status;
}

int __wrap_poll(struct pollfd *files, nfds_t count, int wait) {
    if (!clock_sign || wait <= 0) return __real_poll(files, count, wait);
    for (;;) {
        bool over = access(clock_sign, F_OK) == 0; /* before the look: what was written before the sign is seen */
        int  ready = __real_poll(files, count, over ? 0 : 5);
        if (ready) return ready;
        if (!over) continue;
        unlink(clock_sign);
        clock_ahead += wait / 1000 + 1;
        return 0;
    }
}

#endif
