/* library.h - a shared library that is loaded when it is wanted, not linked: a start without it is faster, and who does not
 * want it need not have it. What is loaded stays loaded. */
#ifndef CKAM_BASE_LIBRARY_H
#define CKAM_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* LIBRARY_FUNCTION(functions, name, "nc_name"): an element of a table, for the member `name` of a struct of pointers. */
typedef struct library_function {
    const char *name;
    size_t      offset;
} library_function;
#define LIBRARY_FUNCTION(type, member, symbol)                                                                         \
    { symbol, offsetof(type, member) }

/* Loads a file and fills `into` by the table. NULL where it cannot be loaded or lacks a function: dlerror() says why. */
void *library_load(const char *file, size_t count, const library_function *table, void *into);
/* Puts the function of that name into *function, a pointer to it; false if there is none. */
bool library_find(void *library, const char *name, void *function);

#endif
