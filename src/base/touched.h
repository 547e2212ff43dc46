/* touched.h - memory that nobody has ever written to, as far as the system says. It is 0, and looking at it would take time and
 * page tables; a large block of which little is used is walked through in moments this way. */
#ifndef CKAM_BASE_TOUCHED_H
#define CKAM_BASE_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOUCHED_PAGES = 512 };

typedef struct touched {
    int       file; /* < 0: the system does not say, so all may have been touched */
    size_t    page; /* of the system, in bytes */
    uintptr_t first, count;
    uint64_t  pages[TOUCHED_PAGES]; /* what it says of the pages first ... first + count - 1 */
} touched;

/* To walk through `size` bytes of private memory; a small block is not worth asking about. */
void touched_begin(touched *t, size_t size);
/* False: these bytes are 0. They lie on two pages at most; it is fast when addresses grow. */
bool touched_at(touched *t, const void *bytes, size_t size);
void touched_end(touched *t);

#endif
