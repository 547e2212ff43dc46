/* refusal.h - one allocation that is refused, for tests of what happens then.
 *
 * The test is linked so that the library's calls of malloc and its relatives come here: wrap() in CMakeLists.txt. What the
 * C library and others allocate for themselves does not. */
#ifndef CKAM_TESTS_REFUSAL_H
#define CKAM_TESTS_REFUSAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool refusal_on;
static atomic_uint refusal_calls;
static unsigned    refusal_number; /* the call that gets no memory; 0: none */

static inline void refusal_begin(unsigned number) {
    atomic_store(&refusal_calls, 0);
    refusal_number = number;
    atomic_store(&refusal_on, true);
}

/* Whether it came to that. */
static inline bool refusal_end(void) {
    atomic_store(&refusal_on, false);
    return refusal_number && atomic_load(&refusal_calls) >= refusal_number;
}

static bool grant(void) {
    return !atomic_load(&refusal_on) || atomic_fetch_add(&refusal_calls, 1) + 1 != refusal_number;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size) { return grant() ? __real_malloc(size) : NULL; }
void *__wrap_calloc(size_t count, size_t size) { return grant() ? __real_calloc(count, size) : NULL; }
void *__wrap_realloc(void *block, size_t size) { return grant() ? __real_realloc(block, size) : NULL; }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return grant() ? __real_aligned_alloc(alignment, size) : NULL;
}
char *__wrap_strdup(const char *text) { return grant() ? __real_strdup(text) : NULL; }

#endif
