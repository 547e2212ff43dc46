/* library.h - a shared library that is loaded when it is wanted, not linked: a start without it is faster, and who does not
 * want it need not have it. What is loaded stays loaded. */
#ifndef CKAM_BASE_LIBRARY_H
#define CKAM_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LIBRARY_FUNCTION(functions, name, "nc_name"): an element of a table, for the member `name` of a struct of pointers. */
typedef struct library_function {
    const char *name;
    size_t      offset;
} library_function;
#define LIBRARY_FUNCTION(type, member, symbol)                                                                         \
    { symbol, offsetof(type, member) }

/* LIBRARY_NOTE(netcdf, "libnetcdf.so.19", "what for"): an ELF note of type 0x407c0c0a in the section .note.dlopen, by which packagers
 * and their tools see a library that no DT_NEEDED names (the ELF dlopen metadata of the UAPI group). Plain letters only. */
#define LIBRARY_NOTE(feature, soname, purpose)                                                                         \
    LIBRARY_NOTE_OF(feature, "[{\"feature\":\"" #feature "\",\"description\":\"" purpose                               \
                             "\",\"priority\":\"recommended\",\"soname\":[\"" soname "\"]}]")
#define LIBRARY_NOTE_OF(feature, json)                                                                                 \
    __attribute__((used, section(".note.dlopen"), aligned(4))) static const struct {                                   \
        uint32_t name_size, json_size, type;                                                                           \
        char     name[4], text[(sizeof(json) + 3) / 4 * 4];                                                            \
    } library_note_##feature = {4, sizeof(json), 0x407c0c0a, "FDO", json}

/* Loads a file and fills `into` by the table. NULL where it cannot be loaded or lacks a function: dlerror() says why. */
void *library_load(const char *file, size_t count, const library_function *table, void *into);
/* Puts the function of that name into *function, a pointer to it; false if there is none. */
bool library_find(void *library, const char *name, void *function);

#endif
