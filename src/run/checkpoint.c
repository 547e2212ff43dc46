/* checkpoint.c - all chains of a run in one file, checkpoint/state: a head, what each chain keeps, the snapshots.
 *
 * It is written aside and renamed after the rows that it counts on are on the disk. So whatever happens, the file that is
 * there belongs to the rows that are there: those after it are cut off when the run goes on. */
#include "base/checksum.h"
#include "base/error.h"
#include "chain/chain.h"
#include "draws/draws.h"
#include "run/run.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>

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
    ckam_status status = run->settled ? CKAM_OK : settle(run, error);
    for (size_t i = 0; i < run->plan->run.chains && !status; i++) {
        lane *l = &run->lanes[i];
        status = csv_sync(&l->draws, error);
        if (!status && l->warmup.file >= 0) status = csv_sync(&l->warmup, error);
        note_lengths(l);
    }
    return status;
}

ckam_status checkpoint_begin(ckam_run *run, ckam_error *error) {
    for (size_t i = 0; i < run->plan->run.chains; i++) note_lengths(&run->lanes[i]);
    return checkpoint_write(run, error);
}

static ckam_status add_snapshots(ckam_run *run, file_aside *aside, ckam_error *error) {
    ckam_status status = CKAM_OK;
    size_t      size = ckam_chain_snapshot_size(run->lanes[0].chain);
    void       *bytes = malloc(size);
    if (!bytes) status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a checkpoint (%zu bytes)", size);
    for (size_t i = 0; i < run->plan->run.chains && !status; i++) {
        ckam_chain_save(run->lanes[i].chain, bytes, size);
        status = file_add(aside, bytes, size, error);
    }
    free(bytes);
    return status;
}

ckam_status checkpoint_write(ckam_run *run, ckam_error *error) {
    size_t            chains = (size_t)run->plan->run.chains;
    struct lane_kept *kept = calloc(chains, sizeof *kept);
    char              path[FILE_PATH];
    file_aside        aside = {.file = -1};
    if (!kept) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a checkpoint");
    directory_file(&run->place, "checkpoint/state", path);
    head h = make_head(run);
    for (size_t i = 0; i < chains; i++) kept[i] = run->lanes[i].kept;
    h.checksum = checksum(kept, chains * sizeof *kept);
    ckam_status status = file_begin(&aside, path, error);
    aside.unsynced = !run->settled;
    if (!status) status = file_add(&aside, &h, sizeof h, error);
    if (!status) status = file_add(&aside, kept, chains * sizeof *kept, error);
    if (!status) status = add_snapshots(run, &aside, error);
    if (!status) status = file_commit(&aside, error);
    file_abandon(&aside);
    free(kept);
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

static ckam_status load(ckam_run *run, const char *path, const char *bytes, size_t size, ckam_error *error) {
    size_t chains = (size_t)run->plan->run.chains, each = ckam_chain_snapshot_size(run->lanes[0].chain);
    head   ours = make_head(run), theirs;
    if (size < sizeof theirs || memcmp(bytes, magic, sizeof magic) != 0) return cut_short(path, error);
    memcpy(&theirs, bytes, sizeof theirs);
    ckam_status status = compare(&ours, &theirs, error);
    if (status) return status;
    size_t            kept_size = chains * sizeof(struct lane_kept);
    struct lane_kept *kept = malloc(kept_size);
    if (!kept) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a checkpoint");
    if (size >= sizeof theirs + kept_size) memcpy(kept, bytes + sizeof theirs, kept_size);
    if (size < sizeof theirs + kept_size || checksum(kept, kept_size) != theirs.checksum)
        status = cut_short(path, error);
    const char *snapshots = bytes + sizeof theirs + kept_size;
    size_t      left = size - sizeof theirs - kept_size;
    if (!status && left % chains) status = cut_short(path, error);
    for (size_t i = 0; i < chains && !status; i++) {
        /* A snapshot of other settings has another size: then the first is judged by its head. */
        size_t own = left == chains * each ? each : left / chains;
        status = load_chain(run, i, &kept[i], snapshots + i * own, own, error);
    }
    /* Files are cut when all chains have been judged. */
    for (size_t i = 0; i < chains && !status; i++) status = open_files(run, i, error);
    free(kept);
    return status;
}

ckam_status checkpoint_load(ckam_run *run, ckam_error *error) {
    char   path[FILE_PATH], *bytes;
    size_t size;
    directory_file(&run->place, "checkpoint/state", path);
    ckam_status status = file_read(path, &bytes, &size, error);
    if (status) return status;
    status = load(run, path, bytes, size, error);
    free(bytes);
    return status;
}
