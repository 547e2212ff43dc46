/* checksum.h - notices bytes that were cut or damaged by accident. */
#ifndef CKAM_BASE_CHECKSUM_H
#define CKAM_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a over words of 8 bytes, the rest padded with 0. */
static inline uint64_t checksum(const void *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, (const char *)bytes + i, size - i < sizeof word ? size - i : sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

#endif
