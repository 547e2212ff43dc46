/* snapshot.c - a chain as bytes: a head that says whose it is, the options, and the block.
 *
 * Load reads the head first, so that a snapshot of something else is refused by naming what differs. */
#include "chain/chain.h"

#include "base/checksum.h"

enum { SNAPSHOT_VERSION = 1 };

typedef struct head {
    char     magic[8];
    uint64_t version, size; /* of this format; of the whole snapshot, in bytes */
    char     library[16], sampler[32];
    uint64_t dim, seed, chain, horizon;
    uint64_t checksum; /* of all that follows the head */
} head;

static const char magic[8] = "ckamsnap";

static head make_head(const ckam_chain *c) {
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = SNAPSHOT_VERSION;
    h.size = ckam_chain_snapshot_size(c);
    memcpy(h.library, CKAM_VERSION, sizeof CKAM_VERSION);
    strncpy(h.sampler, c->options.entry->name, sizeof h.sampler - 1);
    h.dim = c->plan.dim;
    h.seed = c->state->rng.seed;
    h.chain = c->state->rng.chain;
    h.horizon = c->plan.horizon;
    return h;
}

size_t ckam_chain_snapshot_size(const ckam_chain *chain) {
    return sizeof(head) + chain->options.sampler->options_size + chain->size;
}

ckam_status ckam_chain_save(ckam_chain *chain, void *bytes, size_t size) {
    size_t options = chain->options.sampler->options_size;
    head   h = make_head(chain);
    char  *place = bytes;
    if (size != h.size)
        return fail_with(&chain->error, CKAM_ERROR_ARGUMENT,
                         "the room for the snapshot has %zu bytes; it must have %llu", size,
                         (unsigned long long)h.size);
    memcpy(place + sizeof h, chain->options.values, options);
    memcpy(place + sizeof h + options, chain->state, chain->size);
    h.checksum = checksum(place + sizeof h, size - sizeof h);
    memcpy(place, &h, sizeof h);
    return CKAM_OK;
}

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
    const ckam_option *table = c->options.entry->options;
    const char        *name = c->options.entry->name;
    for (const ckam_option *option = table; option->name; option++) {
        char ours_text[40], theirs_text[40];
        options_get(table, c->options.values, name, option->name, ours_text, sizeof ours_text, NULL);
        options_get(table, theirs, name, option->name, theirs_text, sizeof theirs_text, NULL);
        if (strcmp(ours_text, theirs_text) != 0)
            return fail_with(error, CKAM_ERROR_SNAPSHOT, "the snapshot's %s is %s, this chain's is %s", option->name,
                             theirs_text, ours_text);
    }
    return CKAM_OK;
}

static ckam_status compare_heads(const head *ours, const head *theirs, ckam_error *error) {
    if (memcmp(theirs->library, ours->library, sizeof ours->library) != 0 || theirs->version != ours->version)
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "the snapshot was saved by ckam %.15s, this is ckam %s",
                         theirs->library, ours->library);
    if (memcmp(theirs->sampler, ours->sampler, sizeof ours->sampler) != 0)
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "the snapshot's sampler is %.31s, this chain's is %s",
                         theirs->sampler, ours->sampler);
    return compare_numbers(ours, theirs, error);
}

ckam_status ckam_chain_load(ckam_chain *chain, const void *bytes, size_t size) {
    size_t      options = chain->options.sampler->options_size;
    head        ours = make_head(chain), theirs;
    const char *place = bytes;
    ckam_error *error = &chain->error;
    if (size < sizeof theirs || memcmp(place, magic, sizeof magic) != 0)
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "these %zu bytes are not a snapshot of a chain", size);
    memcpy(&theirs, place, sizeof theirs);
    ckam_status status = compare_heads(&ours, &theirs, error);
    if (status) return status;
    if (theirs.size != size || size < sizeof theirs + options ||
        checksum(place + sizeof theirs, size - sizeof theirs) != theirs.checksum)
        return fail_with(error, CKAM_ERROR_SNAPSHOT,
                         "the snapshot is cut or damaged: it has %zu bytes of %llu, or its checksum differs", size,
                         (unsigned long long)theirs.size);
    status = compare_options(chain, place + sizeof theirs, error);
    if (status) return status;
    if (size != ours.size)
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "the snapshot has %zu bytes, this chain's have %llu", size,
                         (unsigned long long)ours.size);
    memcpy(chain->state, place + sizeof theirs + options, chain->size);
    return CKAM_OK;
}
