/* snapshot.c - a chain as bytes. The first byte says which sampler, and whether the rest are the bytes, or edits of a good
 * snapshot's head and options: places and values, after which its checksum is made right.
 *
 * The block behind them is trusted where its checksum is right: whoever can make that can also change run.json. */
#include "base/checksum.h"
#include "chain/chain.h"
#include "fuzz.h"

enum { HEAD = 112, CHECKSUM_AT = 104, DIM = 2 }; /* of snapshot.c */

static const char *const samplers[] = {
    "rw", "am:warmup=5", "rbam", "gam", "ckam:cycle-length=20,subsample=5", "jump:warmup=50"};
enum { SAMPLERS = sizeof samplers / sizeof *samplers };

typedef struct subject {
    ckam_chain *chain;
    size_t      size;
    uint8_t    *good; /* a snapshot of it */
} subject;

static int log_density(void *unused, const double *x, double *value) {
    (void)unused;
    *value = -0.5 * (x[0] * x[0] + x[1] * x[1]);
    return CKAM_OK;
}

static void prepare(subject *s, const char *spec) {
    const ckam_target target = {.dim = DIM, .log_density = log_density};
    ckam_options     *options;
    ckam_step         step;
    DEMAND(!ckam_options_create(&options, spec, NULL));
    const ckam_setup setup = {.target = &target, .options = options, .seed = 7, .chain = 1, .horizon = 100};
    DEMAND(!ckam_chain_create(&s->chain, &setup, NULL));
    ckam_options_free(options);
    for (int i = 0; i < 60; i++) DEMAND(!ckam_chain_step(s->chain, &step));
    s->size = ckam_chain_snapshot_size(s->chain);
    s->good = malloc(s->size);
    DEMAND(s->good && !ckam_chain_save(s->chain, s->good, s->size));
    uint64_t stored, sum = checksum(s->good + HEAD, s->size - HEAD);
    memcpy(&stored, s->good + CHECKSUM_AT, sizeof stored);
    DEMAND(stored == sum);
}

static void load(const subject *s, const uint8_t *bytes, size_t size) {
    ckam_step   step;
    ckam_status status = ckam_chain_load(s->chain, bytes, size);
    if (status) {
        demand_error(status, ckam_chain_error(s->chain));
        return;
    }
    size_t   now = ckam_chain_snapshot_size(s->chain); /* as it was, or of version 1 and smaller now */
    uint8_t *again = malloc(now);
    size_t   before = HEAD + s->chain->options.sampler->options_size;
    DEMAND(again && now <= size && !ckam_chain_save(s->chain, again, now));
    if (now == size) DEMAND(!memcmp(again + before, bytes + before, now - before));
    free(again);
    DEMAND(!ckam_chain_step(s->chain, &step));
}

static void load_edited(const subject *s, const uint8_t *edits, size_t size) {
    size_t   most = HEAD + s->chain->options.sampler->options_size;
    uint8_t *bytes = malloc(s->size);
    DEMAND(bytes);
    memcpy(bytes, s->good, s->size);
    for (size_t i = 0; i + 2 < size; i += 3) bytes[(edits[i] + 256u * edits[i + 1]) % most] = edits[i + 2];
    uint64_t sum = checksum(bytes + HEAD, s->size - HEAD);
    memcpy(bytes + CHECKSUM_AT, &sum, sizeof sum);
    load(s, bytes, s->size);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static subject subjects[SAMPLERS];
    if (!size) return -1;
    subject *s = &subjects[bytes[0] % SAMPLERS];
    if (!s->chain) prepare(s, samplers[bytes[0] % SAMPLERS]);
    if (bytes[0] < 128)
        load_edited(s, bytes + 1, size - 1);
    else
        load(s, bytes + 1, size - 1);
    return 0;
}
