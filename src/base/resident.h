/* resident.h - which pages of a block were ever written to, as far as the system says.
 *
 * A page that is neither in memory nor in swap space reads as 0, and reading it would cost time and a page table entry.
 * So a large block of which little is used is scanned in milliseconds. */
#ifndef CKAM_BASE_RESIDENT_H
#define CKAM_BASE_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RESIDENT_PAGES = 512 };

typedef struct resident_pages {
    int       file; /* < 0: the system does not say, so any page may hold data */
    size_t    page; /* its size in bytes */
    uintptr_t first, count;
    uint64_t  pages[RESIDENT_PAGES]; /* the pagemap words of the pages first .. first + count - 1 */
} resident_pages;

/* Begins a scan of `size` bytes of private memory. Of a small block every page counts as resident: asking would cost more. */
void resident_begin(resident_pages *r, size_t size);
/* False: these bytes are 0. They lie on at most 2 pages; calls with rising addresses are fast. */
bool resident_at(resident_pages *r, const void *bytes, size_t size);
void resident_end(resident_pages *r);

#endif
