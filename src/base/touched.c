/* touched.c - see touched.h. Linux has a word a page in /proc/self/pagemap: bit 63, it is in memory; 62, it is in the swap space. */
#include "base/touched.h"

#include <fcntl.h>
#include <unistd.h>

enum { WORTH_ASKING = 1 << 20 };
#define HOLDS_SOMETHING ((uint64_t)3 << 62)

static bool may_hold(touched *t, const void *byte) {
    if (t->file < 0) return true;
    uintptr_t page = (uintptr_t)byte / t->page;
    if (page - t->first >= t->count) { /* smaller ones are far above, without sign */
        ssize_t got = pread(t->file, t->pages, sizeof t->pages, (off_t)(page * sizeof *t->pages));
        t->first = page;
        t->count = got > 0 ? (size_t)got / sizeof *t->pages : 0;
    }
    return !t->count || t->pages[page - t->first] & HOLDS_SOMETHING;
}

/* A system that does not know of *t, which has just been written to, is not believed. */
void touched_begin(touched *t, size_t size) {
    long page = sysconf(_SC_PAGESIZE);
    t->first = t->count = 0;
    t->file = page > 0 && size >= WORTH_ASKING ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    t->page = (size_t)page;
    if (may_hold(t, t)) return;
    touched_end(t);
    t->file = -1;
}

bool touched_at(touched *t, const void *bytes, size_t size) {
    return may_hold(t, bytes) || may_hold(t, (const char *)bytes + size - 1);
}

void touched_end(touched *t) {
    if (t->file >= 0) close(t->file);
}
