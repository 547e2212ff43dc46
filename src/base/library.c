/* library.c - see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

/* A pointer to a function and one to data are converted by their bytes: C has no cast for it, POSIX says it works. */
bool library_find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

void *library_load(const char *file, size_t count, const library_function *table, void *into) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library && i < count; i++)
        if (!library_find(library, table[i].name, (char *)into + table[i].offset)) return NULL;
    return library;
}
