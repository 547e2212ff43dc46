/* embed.h - a file as it is, put into the library by the assembler.
 *
 * EMBED(page, "path") in one source defines what EMBEDDED(page) declares: page_text, with a 0 behind it, and page_length. The build
 * gives the path, and must say that the source depends on it. */
#ifndef CKAM_BASE_EMBED_H
#define CKAM_BASE_EMBED_H

#include <stdint.h>

/* Hidden, as all that is internal. */
#define EMBEDDED(name)                                                                                                 \
    extern const char     name##_text[] __attribute__((visibility("hidden")));                                         \
    extern const uint64_t name##_length __attribute__((visibility("hidden")))

#define EMBED(name, path)                                                                                              \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global " #name "_text\n"                                                                                 \
            ".hidden " #name "_text\n"                                                                                 \
            ".global " #name "_length\n"                                                                               \
            ".hidden " #name "_length\n" #name "_text:\n"                                                              \
            ".incbin \"" path "\"\n" #name "_end:\n"                                                                   \
            ".byte 0\n"                                                                                                \
            ".balign 8\n" #name "_length:\n"                                                                           \
            ".quad " #name "_end - " #name "_text\n"                                                                   \
            ".popsection\n")

#endif
