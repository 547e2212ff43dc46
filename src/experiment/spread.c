/* spread.c - several seeds of a run as one: median and range of what was measured, and shares of modes. */
#include "base/error.h"
#include "diag/diag.h"
#include "experiment/experiment.h"

#include <math.h>
#include <stdlib.h>

double record_measure(const record *r, int which) { return r->value[which]; }

double record_seconds(const record *r, int which) {
    (void)which;
    return r->seconds;
}

const track *run_first(const run_entry *run) {
    for (uint64_t s = 0; s < run->seeds; s++)
        if (run->track[s].done) return run->track + s;
    return NULL;
}

size_t run_records(const run_entry *run) {
    size_t least = 0, ended = 0;
    for (uint64_t s = 0; s < run->seeds; s++) {
        if (!run->track[s].done) continue;
        if (!ended++ || run->track[s].records < least) least = run->track[s].records;
    }
    return least;
}

/* Without those that are not known: a chain that has no draws yet has no divergence. */
spread run_spread(const run_entry *run, size_t index, double (*of)(const record *, int), int which) {
    const double none = (double)NAN;
    spread       s = {none, none, none, 0};
    double      *values = malloc(run->seeds * sizeof *values);
    if (!values) return s;
    for (uint64_t i = 0; i < run->seeds; i++) {
        const track *t = run->track + i;
        if (!t->done || index >= t->records) continue;
        double value = of(t->record + index, which);
        if (isfinite(value)) values[s.seeds++] = value;
    }
    diag_sort(values, s.seeds);
    if (s.seeds) {
        s.low = values[0];
        s.high = values[s.seeds - 1];
        s.middle = 0.5 * (values[(s.seeds - 1) / 2] + values[s.seeds / 2]);
    }
    free(values);
    return s;
}

/* The groups of all chains, cut to the shortest chain and to equal lengths, are a series whose error is known. A chain
 * whose groups are shorter than those of another is not used; that is never so where all have the same length. */
ckam_status run_share(const truth *t, const run_entry *run, size_t mode, double *share, double *mcse,
                      ckam_error *error) {
    size_t   chains = 0, rows = SHARE_ROWS;
    uint64_t length = 0;
    *share = *mcse = (double)NAN;
    for (uint64_t s = 0; s < run->seeds; s++)
        if (run->track[s].done && run->track[s].share_length > length) length = run->track[s].share_length;
    for (uint64_t s = 0; s < run->seeds; s++) {
        const track *from = run->track + s;
        if (!from->done || from->share_length != length) continue;
        chains++;
        if (from->share_rows < rows) rows = from->share_rows;
    }
    if (!chains || !rows) return CKAM_OK;
    double *values = malloc(chains * rows * sizeof *values);
    if (!values) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu shares", chains * rows);
    size_t next = 0;
    for (uint64_t s = 0; s < run->seeds; s++) {
        const track *from = run->track + s;
        if (!from->done || from->share_length != length) continue;
        for (size_t i = 0; i < rows; i++) values[next++] = (double)from->share[i * t->modes + mode] / (double)length;
    }
    ckam_summary summary;
    ckam_status  status = ckam_summarise(values, chains, rows, &summary, error);
    *share = summary.mean;
    *mcse = summary.mcse_mean;
    free(values);
    return status;
}
