/* checkpoint.c - all chains of a run in one file, checkpoint/state: a head, an entry a chain, the snapshots.
 *
 * Rows are synced first; then the checkpoint is written to a temporary file and renamed. So it never counts rows that are not on the
 * disk; rows after it are cut off when the run is resumed. */
#include "base/checksum.h"
#include "base/error.h"
#include "chain/chain.h"
#include "draws/draws.h"
#include "run/comm.h"
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the file. A checkpoint of another version of the library is refused by that version, before this one is looked at. */
enum { CHECKPOINT_VERSION = 5 };

typedef struct head {
    char     magic[8];
    uint64_t version;
    char     library[16];
    uint64_t chains, dim, thin, save_warmup, checksum; /* of the entries */
    char     model[OPTION_TEXT];
} head;

/* Of a chain. */
typedef struct entry {
    struct chain_kept kept;
    uint64_t          size; /* of its snapshot */
} entry;

static const char magic[8] = "ckamrun1";

static head make_head(const ckam_run *run) {
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = CHECKPOINT_VERSION;
    memcpy(h.library, CKAM_VERSION, sizeof CKAM_VERSION);
    h.chains = run->plan->run.chains;
    h.dim = run->target.dim;
    h.thin = run->plan->run.thin;
    h.save_warmup = (uint64_t)run->plan->run.save_warmup;
    snprintf(h.model, sizeof h.model, "%s", run->plan->run.model); /* what is behind it is 0 */
    return h;
}

/* -- Saving ------------------------------------------------------------------------------------------------------- */

/* Rows that were discarded may still be in the file. */
static void note_lengths(run_chain *c) {
    c->kept.cut = c->kept.length = c->kept.draws ? c->draws.length : c->kept.top;
    c->kept.warmup_length = c->warmup.length;
}

/* run.json, and the names of all files: what nobody synced when they were made. */
static ckam_status settle(ckam_run *run, ckam_error *error) {
    ckam_status status = file_sync(&run->place.folder, "run.json", error);
    run->settled = !status;
    return status;
}

ckam_status checkpoint_sync(ckam_run *run, ckam_error *error) {
    ckam_status status = run->settled || !comm_is_root(run) ? CKAM_OK : settle(run, error);
    for (size_t i = run->first; i < run->last && !status; i++) {
        run_chain *c = &run->chains[i];
        status = csv_begin_sync(&c->draws, error);
        if (!status && c->warmup.file >= 0) status = csv_begin_sync(&c->warmup, error);
    }
    for (size_t i = run->first; i < run->last && !status; i++) {
        run_chain *c = &run->chains[i];
        status = csv_sync(&c->draws, error);
        if (!status && c->warmup.file >= 0) status = csv_sync(&c->warmup, error);
        note_lengths(c);
    }
    return comm_agree(run, status, error);
}

ckam_status checkpoint_begin(ckam_run *run, ckam_error *error) {
    for (size_t i = run->first; i < run->last; i++) note_lengths(&run->chains[i]);
    return checkpoint_write(run, error);
}

/* Bytes of snapshots that are in memory at a time, unless one is larger. */
enum { SNAPSHOTS_MOST = 64 << 20 };

/* Buffers for the snapshots of this rank and, on rank 0, of all. A snapshot takes the room of the largest. */
typedef struct parts {
    size_t largest;
    size_t batch; /* chains per gather */
    char  *own, *all;
    entry *own_entries, *all_entries;
} parts;

static void free_parts(parts *p) {
    free(p->own);
    free(p->all);
    free(p->own_entries);
    free(p->all_entries);
}

static ckam_status agree_on_memory(ckam_run *run, bool made, ckam_error *error) {
    ckam_status status = made ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a checkpoint");
    return comm_agree(run, status, error);
}

static ckam_status make_entries(ckam_run *run, parts *p, ckam_error *error) {
    size_t chains = (size_t)run->plan->run.chains, own = run->last - run->first, largest = 1;
    bool   collects = run->comm && comm_is_root(run);
    p->own_entries = calloc(own + 1, sizeof *p->own_entries);
    p->all_entries = collects ? calloc(chains, sizeof *p->all_entries) : NULL;
    ckam_status status = agree_on_memory(run, p->own_entries && (p->all_entries || !collects), error);
    if (status) return status;
    for (size_t i = 0; p->own_entries && i < own; i++) {
        const run_chain *c = &run->chains[run->first + i];
        p->own_entries[i] = (entry){c->kept, ckam_chain_snapshot_size(c->chain)};
        if (p->own_entries[i].size > largest) largest = (size_t)p->own_entries[i].size;
    }
    p->largest = (size_t)comm_max(run, largest);
    return CKAM_OK;
}

static ckam_status make_parts(ckam_run *run, parts *p, ckam_error *error) {
    size_t      chains = (size_t)run->plan->run.chains, own = run->last - run->first;
    bool        collects = run->comm && comm_is_root(run);
    ckam_status status = make_entries(run, p, error);
    if (status) return status;
    p->batch = SNAPSHOTS_MOST / p->largest + 1;
    if (p->batch > chains) p->batch = chains;
    p->own = calloc((own < p->batch ? own : p->batch) + 1, p->largest); /* zeroed, because a gather sends all of it */
    p->all = collects ? malloc(p->batch * p->largest + 1) : NULL;
    return agree_on_memory(run, p->own && (p->all || !collects), error);
}

static ckam_status add_head(ckam_run *run, const entry *entries, file_aside *aside, ckam_error *error) {
    size_t bytes = (size_t)run->plan->run.chains * sizeof *entries;
    head   h = make_head(run);
    h.checksum = checksum(entries, bytes);
    ckam_status status = file_begin(aside, &run->place.folder, "checkpoint/state", error);
    aside->unsynced = !run->settled;
    if (!status) status = file_add(aside, &h, sizeof h, error);
    return status ? status : file_add(aside, entries, bytes, error);
}

/* Rank 0 writes the file. If that fails it still takes part in the gathers, and reports the failure after the last. */
static ckam_status write_parts(ckam_run *run, parts *p, file_aside *aside, ckam_error *error) {
    size_t       chains = (size_t)run->plan->run.chains;
    ckam_status  status = CKAM_OK;
    const entry *entries = comm_gather_chains(run, p->own_entries, sizeof *entries, 0, chains, p->all_entries);
    if (entries) status = add_head(run, entries, aside, error);
    for (size_t from = 0; from < chains; from += p->batch) {
        size_t to = from + p->batch < chains ? from + p->batch : chains, used = 0;
        for (size_t i = from; i < to; i++)
            if (run->first <= i && i < run->last) chain_pack(run->chains[i].chain, p->own + used++ * p->largest);
        const char *all = comm_gather_chains(run, p->own, p->largest, from, to, p->all);
        for (size_t i = from; entries && all && i < to && !status; i++)
            status = file_add(aside, all + (i - from) * p->largest, (size_t)entries[i].size, error);
    }
    if (entries && !status) status = file_commit(aside, error);
    return comm_agree(run, status, error);
}

ckam_status checkpoint_write(ckam_run *run, ckam_error *error) {
    file_aside  aside = {.file = -1};
    parts       p = {0};
    ckam_status status = make_parts(run, &p, error);
    if (!status) status = write_parts(run, &p, &aside, error);
    file_abandon(&aside);
    free_parts(&p);
    return status;
}

ckam_status checkpoint_save(ckam_run *run, ckam_error *error) {
    ckam_status status = checkpoint_sync(run, error);
    return status ? status : checkpoint_write(run, error);
}

/* -- Loading ------------------------------------------------------------------------------------------------------ */

/* Where two texts begin to differ, and a bit before. */
static size_t difference(const char *one, const char *other) {
    enum { BEFORE = 40 };
    size_t at = 0;
    while (one[at] && one[at] == other[at]) at++;
    return at > BEFORE ? at - BEFORE : 0;
}

static ckam_status damaged_head(ckam_error *error) {
    return fail_with(error, CKAM_ERROR_SNAPSHOT,
                     "the head of the checkpoint is damaged; an older copy of it may be whole");
}

static ckam_status compare(const head *ours, const head *theirs, ckam_error *error) {
    const struct {
        const char *name;
        uint64_t    ours, theirs;
    } numbers[] = {{"number of chains is", ours->chains, theirs->chains},
                   {"dimension is", ours->dim, theirs->dim},
                   {"thin is", ours->thin, theirs->thin},
                   {"save-warmup is", ours->save_warmup, theirs->save_warmup}};
    if (memcmp(theirs->library, ours->library, sizeof ours->library) != 0)
        return fail_with(error, CKAM_ERROR_SNAPSHOT,
                         "the checkpoint was saved by ckam %.15s, this is ckam %s; resume it with that version",
                         theirs->library, ours->library);
    if (theirs->version != CHECKPOINT_VERSION)
        return fail_with(
            error, CKAM_ERROR_SNAPSHOT,
            "the checkpoint has layout %u, this build of ckam %s reads layout %u; resume it with the build that "
            "saved it, or sample again",
            (unsigned)theirs->version, ours->library, (unsigned)CHECKPOINT_VERSION);
    if (strncmp(theirs->model, ours->model, sizeof ours->model) != 0) {
        const size_t from = difference(ours->model, theirs->model);
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "the checkpoint's model is %s%.80s, run.json has %s%.80s",
                         from ? "..." : "", theirs->model + from, from ? "..." : "", ours->model + from);
    }
    if (memcmp(theirs->model, ours->model, sizeof ours->model) != 0) return damaged_head(error);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].ours != numbers[i].theirs)
            return fail_with(error, CKAM_ERROR_SNAPSHOT, "the checkpoint's %s %llu, this run's %llu", numbers[i].name,
                             (unsigned long long)numbers[i].theirs, (unsigned long long)numbers[i].ours);
    return CKAM_OK;
}

/* The model must still say what it said when the checkpoint was made. */
static ckam_status look_again(const ckam_run *run, size_t index, ckam_error *error) {
    const double *x;
    double        stored, value;
    char          point[POINT_TEXT];
    if (!chain_point(run->chains[index].chain, &x, &stored)) return CKAM_OK;
    ckam_status status = target_evaluate(&run->chains[index].target, x, &value, NULL, error);
    if (status) return status;
    if (fabs(value - stored) <= 1e-10 * (1.0 + fabs(stored))) return CKAM_OK;
    target_point_text(&run->chains[index].target, x, point);
    if (run->chains[index].handle && model_handle_faults(run->chains[index].handle))
        return fail_with(
            error, CKAM_ERROR_SNAPSHOT,
            "the model crashed or did not answer at %.120s, where it did before; a program runs in the present "
            "folder: resume from where the run began",
            point);
    return fail_with(error, CKAM_ERROR_SNAPSHOT,
                     "the model has changed: at %.120s its log density is %.10g, and was %.10g when chain %zu stopped",
                     point, value, stored, index + 1);
}

static ckam_status load_chain(ckam_run *run, size_t index, const entry *e, const char *bytes, ckam_error *error) {
    run_chain  *c = &run->chains[index];
    ckam_counts counts;
    ckam_status status = ckam_chain_load(c->chain, bytes, (size_t)e->size);
    if (status)
        return fail_with(error, status, "the checkpoint of chain %zu: %s", index + 1,
                         ckam_chain_error(c->chain)->message);
    ckam_chain_counts(c->chain, &counts);
    c->kept = e->kept;
    c->evaluations = counts.evaluations;
    return look_again(run, index, error);
}

static ckam_status open_files(ckam_run *run, size_t index, ckam_error *error) {
    run_chain  *c = &run->chains[index];
    char        path[FILE_PATH];
    ckam_status status = equal_rows_restore(run, index, error);
    if (status || !run->plan->run.save_warmup) return status;
    draws_path(".", index, true, sizeof path, path);
    return csv_continue(&c->warmup, &run->place.folder, path, c->kept.warmup_length, &run->gate, error);
}

static ckam_status cut_short(const char *path, ckam_error *error) {
    return fail_with(error, CKAM_ERROR_SNAPSHOT, "%.120s is cut or damaged, or not a checkpoint of ckam", path);
}

/* Whether the snapshots are as large as what there is of them. */
static bool have_size(const entry *entries, size_t chains, uint64_t all) {
    for (size_t i = 0; i < chains; i++) {
        if (entries[i].size > all) return false;
        all -= entries[i].size;
    }
    return all == 0;
}

/* *before := where the snapshots begin. */
static ckam_status load_entries(ckam_run *run, const char *path, int file, entry *entries, uint64_t *before,
                                ckam_error *error) {
    head        ours = make_head(run), theirs;
    struct stat about;
    if (!file_read_at(file, &theirs, sizeof theirs, 0) || memcmp(theirs.magic, magic, sizeof magic) != 0)
        return cut_short(path, error);
    ckam_status status = compare(&ours, &theirs, error);
    if (status) return status;
    size_t chains = (size_t)run->plan->run.chains, size = chains * sizeof *entries;
    *before = sizeof theirs + size;
    if (fstat(file, &about) || (uint64_t)about.st_size < *before || !file_read_at(file, entries, size, sizeof theirs) ||
        checksum(entries, size) != theirs.checksum)
        return cut_short(path, error);
    return have_size(entries, chains, (uint64_t)about.st_size - *before) ? CKAM_OK : cut_short(path, error);
}

static ckam_status load_snapshots(ckam_run *run, const char *path, int file, const entry *entries, uint64_t at,
                                  ckam_error *error) {
    uint64_t largest = 0;
    for (size_t i = run->first; i < run->last; i++)
        if (entries[i].size > largest) largest = entries[i].size;
    char       *bytes = malloc((size_t)largest + 1); /* no more than the file has */
    ckam_status status = bytes ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a checkpoint");
    for (size_t i = 0; i < run->first; i++) at += entries[i].size;
    for (size_t i = run->first; i < run->last && !status; i++) {
        status = file_read_at(file, bytes, (size_t)entries[i].size, at) ? load_chain(run, i, &entries[i], bytes, error)
                                                                        : cut_short(path, error);
        at += entries[i].size;
    }
    free(bytes);
    return status;
}

static ckam_status load(ckam_run *run, const char *path, int file, ckam_error *error) {
    entry   *entries = calloc(run->plan->run.chains, sizeof *entries);
    uint64_t before = 0;
    if (!entries) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a checkpoint");
    ckam_status status = load_entries(run, path, file, entries, &before, error);
    if (!status) status = load_snapshots(run, path, file, entries, before, error);
    free(entries);
    return status;
}

ckam_status checkpoint_load(ckam_run *run, ckam_error *error) {
    char path[FILE_SHOWN];
    file_show(&run->place.folder, "checkpoint/state", path);
    int         file = openat(run->place.folder.file, "checkpoint/state", O_RDONLY | O_CLOEXEC);
    ckam_status status = file < 0 ? fail_with(error, CKAM_ERROR_INPUT, "cannot read %.120s: %s", path, strerror(errno))
                                  : load(run, path, file, error);
    if (file >= 0) close(file);
    /* Files are cut when all chains have been judged. */
    status = comm_agree(run, status, error);
    for (size_t i = run->first; i < run->last && !status; i++) status = open_files(run, i, error);
    return comm_agree(run, status, error);
}
