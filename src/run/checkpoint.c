/* checkpoint.c - all chains of a run in one file, checkpoint/state: a head, what each chain keeps, the snapshots.
 *
 * It is written aside and renamed after the rows that it counts on are on the disk. So whatever happens, the file that is
 * there belongs to the rows that are there: those after it are cut off when the run goes on. */
#include "base/checksum.h"
#include "base/error.h"
#include "chain/chain.h"
#include "draws/draws.h"
#include "run/crew.h"
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHECKPOINT_VERSION = 1 };

typedef struct head {
    char     magic[8];
    uint64_t version;
    char     library[16];
    uint64_t chains, dim, thin, save_warmup, checksum; /* of what the chains keep */
    char     model[OPTION_TEXT];
} head;

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

static void note_lengths(lane *l) {
    l->kept.cut = l->kept.length = l->draws.length;
    l->kept.warmup_length = l->warmup.length;
}

/* run.json, and the names of all files: what nobody synced when they were made. */
static ckam_status settle(ckam_run *run, ckam_error *error) {
    char path[FILE_PATH];
    directory_file(&run->place, "run.json", path);
    ckam_status status = file_sync(path, error);
    run->settled = !status;
    return status;
}

ckam_status checkpoint_sync(ckam_run *run, ckam_error *error) {
    ckam_status status = run->settled || !crew_is_first(run) ? CKAM_OK : settle(run, error);
    for (size_t i = run->first; i < run->last && !status; i++) {
        lane *l = &run->lanes[i];
        status = csv_sync(&l->draws, error);
        if (!status && l->warmup.file >= 0) status = csv_sync(&l->warmup, error);
        note_lengths(l);
    }
    return crew_agree(run, status, error);
}

ckam_status checkpoint_begin(ckam_run *run, ckam_error *error) {
    for (size_t i = run->first; i < run->last; i++) note_lengths(&run->lanes[i]);
    return checkpoint_write(run, error);
}

/* Bytes of snapshots that are in memory at a time, unless one is larger. */
enum { SNAPSHOTS_MOST = 64 << 20 };

/* Of this process; and, in the first of several, of all. */
typedef struct parts {
    size_t            size; /* of a snapshot */
    size_t            turn; /* so many chains at a time */
    char             *own, *all;
    struct lane_kept *own_kept, *all_kept;
} parts;

static void free_parts(parts *p) {
    free(p->own);
    free(p->all);
    free(p->own_kept);
    free(p->all_kept);
}

static ckam_status make_parts(ckam_run *run, parts *p, ckam_error *error) {
    size_t chains = (size_t)run->plan->run.chains, own = run->last - run->first;
    *p = (parts){.size = crew_is_first(run) ? ckam_chain_snapshot_size(run->lanes[0].chain) : 0};
    crew_tell(run, &p->size, sizeof p->size);
    p->turn = SNAPSHOTS_MOST / p->size + 1;
    if (p->turn > chains) p->turn = chains;
    p->own = malloc((own < p->turn ? own : p->turn) * p->size + 1);
    p->own_kept = calloc(own + 1, sizeof *p->own_kept);
    bool made = p->own && p->own_kept;
    if (run->crew && crew_is_first(run)) {
        p->all = malloc(p->turn * p->size);
        p->all_kept = calloc(chains, sizeof *p->all_kept);
        made = made && p->all && p->all_kept;
    }
    ckam_status status = made ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a checkpoint");
    return crew_agree(run, status, error);
}

static ckam_status add_head(ckam_run *run, const struct lane_kept *kept, file_aside *aside, ckam_error *error) {
    size_t bytes = (size_t)run->plan->run.chains * sizeof *kept;
    head   h = make_head(run);
    char   path[FILE_PATH];
    h.checksum = checksum(kept, bytes);
    directory_file(&run->place, "checkpoint/state", path);
    ckam_status status = file_begin(aside, path, error);
    aside->unsynced = !run->settled;
    if (!status) status = file_add(aside, &h, sizeof h, error);
    return status ? status : file_add(aside, kept, bytes, error);
}

/* The first process writes all of it. A failure of its own is told when the others have said what they have. */
static ckam_status write_parts(ckam_run *run, parts *p, file_aside *aside, ckam_error *error) {
    size_t      chains = (size_t)run->plan->run.chains;
    ckam_status status = CKAM_OK;
    for (size_t i = run->first; i < run->last; i++) p->own_kept[i - run->first] = run->lanes[i].kept;
    const void *kept = crew_collect(run, p->own_kept, sizeof *p->own_kept, 0, chains, p->all_kept);
    if (kept) status = add_head(run, kept, aside, error);
    for (size_t from = 0; from < chains; from += p->turn) {
        size_t to = from + p->turn < chains ? from + p->turn : chains, used = 0;
        for (size_t i = from; i < to; i++)
            if (run->first <= i && i < run->last)
                ckam_chain_save(run->lanes[i].chain, p->own + used++ * p->size, p->size);
        const void *all = crew_collect(run, p->own, p->size, from, to, p->all);
        if (all && !status) status = file_add(aside, all, (to - from) * p->size, error);
    }
    if (kept && !status) status = file_commit(aside, error);
    return crew_agree(run, status, error);
}

ckam_status checkpoint_write(ckam_run *run, ckam_error *error) {
    file_aside  aside = {.file = -1};
    parts       p;
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

static ckam_status compare(const head *ours, const head *theirs, ckam_error *error) {
    const struct {
        const char *name;
        uint64_t    ours, theirs;
    } numbers[] = {{"number of chains is", ours->chains, theirs->chains},
                   {"dimension is", ours->dim, theirs->dim},
                   {"thin is", ours->thin, theirs->thin},
                   {"save-warmup is", ours->save_warmup, theirs->save_warmup}};
    if (theirs->version != ours->version || memcmp(theirs->library, ours->library, sizeof ours->library) != 0)
        return fail_with(error, CKAM_ERROR_SNAPSHOT,
                         "the checkpoint was saved by ckam %.15s, this is ckam %s; resume it with that version",
                         theirs->library, ours->library);
    if (memcmp(theirs->model, ours->model, sizeof ours->model) != 0)
        return fail_with(error, CKAM_ERROR_SNAPSHOT, "the checkpoint's model is %.80s, run.json has %.80s",
                         theirs->model, ours->model);
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
    if (!chain_point(run->lanes[index].chain, &x, &stored)) return CKAM_OK;
    ckam_status status = target_evaluate(&run->lanes[index].target, x, &value, error);
    if (status) return status;
    if (fabs(value - stored) <= 1e-10 * (1.0 + fabs(stored))) return CKAM_OK;
    target_point_text(&run->target, x, point);
    return fail_with(error, CKAM_ERROR_SNAPSHOT,
                     "the model has changed: at %.120s its log density is %.10g, and was %.10g when chain %zu stopped",
                     point, value, stored, index + 1);
}

static ckam_status load_chain(ckam_run *run, size_t index, const struct lane_kept *kept, const char *bytes, size_t size,
                              ckam_error *error) {
    lane       *l = &run->lanes[index];
    ckam_counts counts;
    ckam_status status = ckam_chain_load(l->chain, bytes, size);
    if (status)
        return fail_with(error, status, "the checkpoint of chain %zu: %s", index + 1,
                         ckam_chain_error(l->chain)->message);
    ckam_chain_counts(l->chain, &counts);
    l->kept = *kept;
    l->evaluations = counts.evaluations;
    return look_again(run, index, error);
}

static ckam_status open_files(ckam_run *run, size_t index, ckam_error *error) {
    lane       *l = &run->lanes[index];
    char        path[FILE_PATH];
    ckam_status status = even_restore(run, index, error);
    if (status || !run->plan->run.save_warmup) return status;
    draws_path(run->place.path, index, true, sizeof path, path);
    return csv_continue(&l->warmup, path, l->kept.warmup_length, &run->gate, error);
}

static ckam_status cut_short(const char *path, ckam_error *error) {
    return fail_with(error, CKAM_ERROR_SNAPSHOT, "%.120s is cut or damaged, or not a checkpoint of ckam", path);
}

/* What the chains keep, for this process's: *kept has room for all. */
static ckam_status load_kept(ckam_run *run, const char *path, int file, struct lane_kept *kept, ckam_error *error) {
    head   ours = make_head(run), theirs;
    size_t size = (size_t)run->plan->run.chains * sizeof *kept;
    if (!file_read_at(file, &theirs, sizeof theirs, 0) || memcmp(theirs.magic, magic, sizeof magic) != 0)
        return cut_short(path, error);
    ckam_status status = compare(&ours, &theirs, error);
    if (status) return status;
    if (!file_read_at(file, kept, size, sizeof theirs) || checksum(kept, size) != theirs.checksum)
        return cut_short(path, error);
    return CKAM_OK;
}

static ckam_status load_snapshots(ckam_run *run, const char *path, int file, const struct lane_kept *kept,
                                  ckam_error *error) {
    size_t      chains = (size_t)run->plan->run.chains, before = sizeof(head) + chains * sizeof *kept;
    struct stat about;
    if (fstat(file, &about) || (size_t)about.st_size < before || ((size_t)about.st_size - before) % chains)
        return cut_short(path, error);
    size_t      each = ((size_t)about.st_size - before) / chains; /* another one than ours is judged by its head */
    char       *bytes = malloc(each + 1);
    ckam_status status = bytes ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a checkpoint");
    for (size_t i = run->first; i < run->last && !status; i++)
        status = file_read_at(file, bytes, each, before + i * each) ? load_chain(run, i, &kept[i], bytes, each, error)
                                                                    : cut_short(path, error);
    free(bytes);
    return status;
}

static ckam_status load(ckam_run *run, const char *path, int file, ckam_error *error) {
    struct lane_kept *kept = calloc(run->plan->run.chains, sizeof *kept);
    if (!kept) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a checkpoint");
    ckam_status status = load_kept(run, path, file, kept, error);
    if (!status) status = load_snapshots(run, path, file, kept, error);
    free(kept);
    return status;
}

ckam_status checkpoint_load(ckam_run *run, ckam_error *error) {
    char path[FILE_PATH];
    directory_file(&run->place, "checkpoint/state", path);
    int         file = open(path, O_RDONLY | O_CLOEXEC);
    ckam_status status = file < 0 ? fail_with(error, CKAM_ERROR_INPUT, "cannot read %.120s: %s", path, strerror(errno))
                                  : load(run, path, file, error);
    if (file >= 0) close(file);
    /* Files are cut when all chains have been judged. */
    status = crew_agree(run, status, error);
    for (size_t i = run->first; i < run->last && !status; i++) status = open_files(run, i, error);
    return crew_agree(run, status, error);
}
