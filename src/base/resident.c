/* resident.c - see resident.h. Linux has one word per page in /proc/self/pagemap: bit 63, the page is in memory; bit 62, it is in swap space. */
#include "base/resident.h"

#include <fcntl.h>
#include <unistd.h>

enum { WORTH_ASKING = 1 << 20 }; /* bytes */
#define IN_MEMORY_OR_SWAP ((uint64_t)3 << 62)

static bool may_hold(resident_pages *r, const void *byte) {
    if (r->file < 0) return true;
    uintptr_t page = (uintptr_t)byte / r->page;
    if (page - r->first >= r->count) { /* below `first`, too: the difference is unsigned */
        ssize_t got = pread(r->file, r->pages, sizeof r->pages, (off_t)(page * sizeof *r->pages));
        r->first = page;
        r->count = got > 0 ? (size_t)got / sizeof *r->pages : 0;
    }
    return !r->count || r->pages[page - r->first] & IN_MEMORY_OR_SWAP;
}

/* *r has just been written to, so its page is resident. A pagemap that denies it is not used: some kernels and sandboxes
 * hide the bits. */
void resident_begin(resident_pages *r, size_t size) {
    long page = sysconf(_SC_PAGESIZE);
    r->first = r->count = 0;
    r->file = page > 0 && size >= WORTH_ASKING ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    r->page = (size_t)page;
    if (may_hold(r, r)) return;
    resident_end(r);
    r->file = -1;
}

bool resident_at(resident_pages *r, const void *bytes, size_t size) {
    return may_hold(r, bytes) || may_hold(r, (const char *)bytes + size - 1);
}

void resident_end(resident_pages *r) {
    if (r->file >= 0) close(r->file);
}
