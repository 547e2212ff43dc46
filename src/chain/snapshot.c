/* snapshot.c - a chain as bytes: a head that identifies it, the options, and the block without its empty pages.
 *
 * jump has room for many modes, most of which is never touched. So a bit a page says which pages are not all zero, and those
 * follow. Load reads the head first, so that a snapshot of something else is refused by naming what differs. */
#include "chain/chain.h"

#include "base/checksum.h"
#include "base/resident.h"

/* In version 1 the whole block followed the options. */
enum { SNAPSHOT_VERSION = 2, SNAPSHOT_WHOLE = 1 };
enum { PAGE = 512 };

typedef struct head {
    char     magic[8];
    uint64_t version, size; /* of this format; of the whole snapshot, in bytes */
    char     library[16], sampler[32];
    uint64_t dim, seed, chain, horizon;
    uint64_t checksum; /* of all that follows the head */
} head;

static const char magic[8] = "ckamsnap";

/* -- Pages -------------------------------------------------------------------------------------------------------- */

static size_t page_count(const ckam_chain *c) { return (c->size + PAGE - 1) / PAGE; }
static size_t map_size(const ckam_chain *c) { return (page_count(c) + 63) / 64 * sizeof(uint64_t); }

/* The last page may be shorter. */
static size_t page_size(const ckam_chain *c, size_t page) {
    size_t left = c->size - page * PAGE;
    return left < PAGE ? left : PAGE;
}

static char *page_at(const ckam_chain *c, size_t page) { return (char *)c->state + page * PAGE; }

/* Sizes are multiples of 64, as that of the block is. */
static bool is_empty(const char *page, size_t size) {
    for (size_t i = 0; i < size; i += 64) {
        uint64_t words[8], any = 0;
        memcpy(words, page + i, sizeof words);
        for (int k = 0; k < 8; k++) any |= words[k];
        if (any) return false;
    }
    return true;
}

static bool page_is_empty(const ckam_chain *c, resident_pages *t, size_t page) {
    size_t size = page_size(c, page);
    return !resident_at(t, page_at(c, page), size) || is_empty(page_at(c, page), size);
}

/* A page that was never written is not touched, so that it takes no memory. */
static void put_page(const ckam_chain *c, resident_pages *t, size_t page, const char *from) {
    size_t size = page_size(c, page);
    if (from && !is_empty(from, size))
        memcpy(page_at(c, page), from, size);
    else if (!page_is_empty(c, t, page))
        memset(page_at(c, page), 0, size);
}

/* Map and pages, and returns their end. */
static char *put_pages(const ckam_chain *c, char *map) {
    char          *place = map + map_size(c);
    resident_pages t;
    resident_begin(&t, c->size);
    memset(map, 0, map_size(c));
    for (size_t i = 0; i < page_count(c); i++) {
        size_t size = page_size(c, i);
        if (page_is_empty(c, &t, i)) continue;
        map[i / 8] = (char)((unsigned char)map[i / 8] | 1u << i % 8);
        memcpy(place, page_at(c, i), size);
        place += size;
    }
    resident_end(&t);
    return place;
}

static bool is_marked(const char *map, size_t page) { return (unsigned char)map[page / 8] >> page % 8 & 1; }

/* Bytes of the map and of the pages that it names. */
static size_t mapped_size(const ckam_chain *c, const char *map) {
    size_t size = map_size(c);
    for (size_t i = 0; i < page_count(c); i++)
        if (is_marked(map, i)) size += page_size(c, i);
    return size;
}

/* -- Saving ------------------------------------------------------------------------------------------------------- */

static head make_head(const ckam_chain *c) {
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = SNAPSHOT_VERSION;
    memcpy(h.library, CKAM_VERSION, sizeof CKAM_VERSION);
    strncpy(h.sampler, c->options.entry->name, sizeof h.sampler - 1);
    h.dim = c->plan.dim;
    h.seed = c->state->rng.seed;
    h.chain = c->state->rng.chain;
    h.horizon = c->plan.horizon;
    return h;
}

/* Before the pages. */
static size_t fixed_size(const ckam_chain *c) { return sizeof(head) + c->options.sampler->options_size; }

size_t ckam_chain_snapshot_size(const ckam_chain *chain) {
    size_t         size = fixed_size(chain) + map_size(chain);
    resident_pages t;
    resident_begin(&t, chain->size);
    for (size_t i = 0; i < page_count(chain); i++)
        if (!page_is_empty(chain, &t, i)) size += page_size(chain, i);
    resident_end(&t);
    return size;
}

void chain_pack(const ckam_chain *chain, void *bytes) {
    head  h = make_head(chain);
    char *place = bytes;
    memcpy(place + sizeof h, chain->options.values, chain->options.sampler->options_size);
    h.size = (size_t)(put_pages(chain, place + fixed_size(chain)) - place);
    h.checksum = checksum(place + sizeof h, h.size - sizeof h);
    memcpy(place, &h, sizeof h);
}

ckam_status ckam_chain_save(ckam_chain *chain, void *bytes, size_t size) {
    size_t needed = ckam_chain_snapshot_size(chain);
    if (size != needed)
        return fail_with(&chain->error, CKAM_ERROR_ARGUMENT,
                         "the room for the snapshot has %zu bytes; it must have %zu", size, needed);
    chain_pack(chain, bytes);
    return CKAM_OK;
}

/* -- Loading ------------------------------------------------------------------------------------------------------ */

/* Names the first number of the head that differs, if one does. */
static ckam_status compare_numbers(const head *ours, const head *theirs, ckam_error *error) {
    const struct {
        const char *name;
        uint64_t    ours, theirs;
    } numbers[] = {{"dimension", ours->dim, theirs->dim},
                   {"seed", ours->seed, theirs->seed},
                   {"chain number", ours->chain, theirs->chain},
                   {"horizon", ours->horizon, theirs->horizon}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].ours != numbers[i].theirs)
            return fail_with(error, CKAM_ERROR_SNAPSHOT, "the snapshot's %s is %llu, this chain's is %llu",
                             numbers[i].name, (unsigned long long)numbers[i].theirs,
                             (unsigned long long)numbers[i].ours);
    return CKAM_OK;
}

static ckam_status compare_options(const ckam_chain *c, const void *theirs, ckam_error *error) {
    char        ours_text[OPTION_ROOM], theirs_text[OPTION_ROOM];
    const char *name = options_difference(&c->options, theirs, ours_text, theirs_text);
    if (!name) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_SNAPSHOT, "the snapshot's %s is %s, this chain's is %s", name, theirs_text,
                     ours_text);
}

static ckam_status compare_heads(const head *ours, const head *theirs, ckam_error *error) {
    if (memcmp(theirs->library, ours->library, sizeof ours->library) != 0)
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "the snapshot was saved by ckam %.15s, this is ckam %s",
                         theirs->library, ours->library);
    if (theirs->version != SNAPSHOT_VERSION && theirs->version != SNAPSHOT_WHOLE)
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "the head of the snapshot is damaged: its version is %llu",
                         (unsigned long long)theirs->version);
    if (memcmp(theirs->sampler, ours->sampler, sizeof ours->sampler) != 0)
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "the snapshot's sampler is %.31s, this chain's is %s",
                         theirs->sampler, ours->sampler);
    return compare_numbers(ours, theirs, error);
}

/* The block, from what follows the options. */
static ckam_status load_block(ckam_chain *c, const char *bytes, size_t size, bool whole) {
    size_t expected = whole ? c->size : map_size(c);
    if (!whole && size >= expected) expected = mapped_size(c, bytes);
    if (size != expected)
        return fail_with(&c->error, CKAM_ERROR_SNAPSHOT, "the snapshot has %zu bytes of state, this chain's have %zu",
                         size, expected);
    const char    *place = whole ? bytes : bytes + map_size(c);
    resident_pages t;
    resident_begin(&t, c->size);
    for (size_t i = 0; i < page_count(c); i++) {
        bool there = whole || is_marked(bytes, i);
        put_page(c, &t, i, there ? place : NULL);
        if (there) place += page_size(c, i);
    }
    resident_end(&t);
    return CKAM_OK;
}

ckam_status ckam_chain_load(ckam_chain *chain, const void *bytes, size_t size) {
    size_t      fixed = fixed_size(chain);
    head        ours = make_head(chain), theirs;
    const char *place = bytes;
    ckam_error *error = &chain->error;
    if (size < sizeof theirs || memcmp(place, magic, sizeof magic) != 0)
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "these %zu bytes are not a snapshot of a chain", size);
    memcpy(&theirs, place, sizeof theirs);
    ckam_status status = compare_heads(&ours, &theirs, error);
    if (status) return status;
    if (theirs.size != size || size < fixed || checksum(place + sizeof theirs, size - sizeof theirs) != theirs.checksum)
        return fail_with(error, CKAM_ERROR_SNAPSHOT,
                         "the snapshot is cut or damaged: it has %zu bytes of %llu, or its checksum differs", size,
                         (unsigned long long)theirs.size);
    status = compare_options(chain, place + sizeof theirs, error);
    return status ? status : load_block(chain, place + fixed, size - fixed, theirs.version == SNAPSHOT_WHOLE);
}
