/* checkpoint.c - checkpoint/state of a run's directory, through ckam_run_resume(). The first byte says whether the rest is the file,
 * or edits of a good one's head and of what chains keep: places and values, after which that checksum is made right.
 *
 * run.json stays as it was: it may name a command, which resuming runs. */
#include "base/checksum.h"
#include "fuzz.h"
#include "run/run.h"

enum { CHAINS = 2, HEAD = 4168, CHECKSUM_AT = 64, MODEL_AT = 72, ENTRY = sizeof(struct chain_kept) + sizeof(uint64_t) };
enum { KEPT = CHAINS * ENTRY };

/* The files that resuming reads or changes, as they were. */
static struct kept_file {
    const char *name;
    uint8_t    *bytes;
    size_t      size;
} files[] = {{"run/checkpoint/state", NULL, 0},
             {"run/run.json", NULL, 0},
             {"run/chain_1.csv", NULL, 0},
             {"run/chain_2.csv", NULL, 0}};
enum { FILES = sizeof files / sizeof *files };

static void keep(struct kept_file *f) {
    struct stat about;
    FILE       *file = fopen(in_folder(f->name), "r");
    DEMAND(file && !fstat(fileno(file), &about));
    f->size = (size_t)about.st_size;
    f->bytes = malloc(f->size + 1);
    DEMAND(f->bytes && fread(f->bytes, 1, f->size, file) == f->size);
    fclose(file);
}

static void prepare(void) {
    static const char *const settings[][2] = {{"model", "gaussian:dim=2"},
                                              {"sampler", "gam:warmup=5"},
                                              {"chains", "2"},
                                              {"draws", "10"},
                                              {"threads", "1"},
                                              {"seed", "1"},
                                              {"format", "csv"}};
    ckam_plan               *plan;
    ckam_run                *run;
    uint64_t                 stored;
    DEMAND(!ckam_plan_create(&plan, NULL));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        DEMAND(!ckam_plan_set(plan, settings[i][0], settings[i][1], NULL));
    DEMAND(!ckam_plan_set(plan, "out", in_folder("run"), NULL));
    DEMAND(!ckam_run_create(&run, plan, NULL, NULL));
    DEMAND(!ckam_run_go(run, NULL, NULL, NULL));
    ckam_run_free(run);
    ckam_plan_free(plan);
    for (size_t i = 0; i < FILES; i++) keep(&files[i]);
    DEMAND(files[0].size > HEAD + KEPT);
    memcpy(&stored, files[0].bytes + CHECKSUM_AT, sizeof stored);
    DEMAND(stored == checksum(files[0].bytes + HEAD, KEPT));
}

/* Most of the model's name is 0: places go over what is in the head, and over what the chains keep. */
static void put_edited(const uint8_t *edits, size_t size) {
    enum { NAME = 32 };
    size_t   all = files[0].size;
    uint8_t *bytes = malloc(all);
    DEMAND(bytes);
    memcpy(bytes, files[0].bytes, all);
    for (size_t i = 0; i + 2 < size; i += 3) {
        size_t place = (edits[i] + 256u * edits[i + 1]) % (MODEL_AT + NAME + KEPT);
        if (place >= MODEL_AT + NAME) place += HEAD - MODEL_AT - NAME;
        bytes[place] = edits[i + 2];
    }
    uint64_t sum = checksum(bytes + HEAD, KEPT);
    memcpy(bytes + CHECKSUM_AT, &sum, sizeof sum);
    put_file(files[0].name, bytes, all);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    ckam_plan *plan;
    ckam_run  *run;
    ckam_error error = {.message = ""};
    char       directory[300];
    if (!size) return -1;
    if (!files[0].bytes) prepare();
    for (size_t i = 1; i < FILES; i++) put_file(files[i].name, files[i].bytes, files[i].size);
    if (bytes[0] < 128)
        put_edited(bytes + 1, size - 1);
    else
        put_file(files[0].name, bytes + 1, size - 1);
    snprintf(directory, sizeof directory, "%s", in_folder("run"));
    DEMAND(!ckam_plan_open(&plan, directory, NULL));
    ckam_status status = ckam_run_resume(&run, plan, directory, NULL, &error);
    if (status) DEMAND(!run);
    if (status) demand_error(status, &error);
    ckam_run_free(run);
    ckam_plan_free(plan);
    return 0;
}
