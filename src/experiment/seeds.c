/* seeds.c - several seeds of a run as one: median and range of what was measured, and shares of modes. */
#include "base/error.h"
#include "diag/diag.h"
#include "experiment/experiment.h"

#include <math.h>
#include <stdlib.h>

static double value_of(const record *r, int which) {
    if (which == OF_SECONDS) return r->seconds;
    return which == OF_EVALUATIONS ? r->evaluations : r->value[which];
}

const track *seeds_first(const run_entry *run) {
    for (uint64_t s = 0; s < run->seeds; s++)
        if (run->track[s].done) return run->track + s;
    return NULL;
}

/* Chains that a time limit ended have different numbers of evaluations. */
size_t seeds_records(const run_entry *run) {
    const track *first = seeds_first(run);
    size_t       count = first ? first->records : 0;
    for (uint64_t s = 0; s < run->seeds; s++) {
        const track *t = run->track + s;
        size_t       same = 0;
        if (!t->done) continue;
        while (same < count && same < t->records && t->record[same].evaluations == first->record[same].evaluations)
            same++;
        count = same;
    }
    return count;
}

/* NaN is left out: a chain without draws has no divergence. */
spread seeds_spread(const run_entry *run, size_t index, int which) {
    const double none = (double)NAN;
    spread       s = {none, none, none, 0, 0};
    double      *values = malloc(run->seeds * sizeof *values);
    if (!values) return s;
    for (uint64_t i = 0; i < run->seeds; i++) {
        const track *t = run->track + i;
        size_t       at = index == LAST_RECORD ? t->records - 1 : index;
        if (!t->done) continue;
        s.ended++;
        double value = at < t->records ? value_of(t->record + at, which) : none;
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

/* -- Shares of modes ---------------------------------------------------------------------------------------------- */

/* A group length, and a number of groups per chain, that all ended chains have. */
typedef struct common {
    size_t   chains, rows;
    uint64_t length;
} common;

static common common_groups(const run_entry *run) {
    common c = {.rows = SHARE_ROWS, .length = 1};
    for (uint64_t s = 0; s < run->seeds; s++) {
        const track *t = run->track + s;
        if (t->done) c.chains++;
        if (t->done && t->share_length > c.length) c.length = t->share_length;
    }
    for (uint64_t s = 0; s < run->seeds; s++) {
        const track *t = run->track + s;
        size_t       rows = t->done ? (size_t)(t->share_rows * t->share_length / c.length) : SHARE_ROWS;
        if (rows < c.rows) c.rows = rows;
    }
    return c;
}

/* Draws of a chain in a mode, in the groups from `first` on. */
static double count_groups(const truth *t, const track *from, size_t mode, size_t first, size_t count) {
    double sum = 0.0;
    for (size_t i = first; i < first + count; i++) sum += (double)from->share[i * t->modes + mode];
    return sum;
}

/* The share is that of all draws. Its error is that of the series of groups that all chains have, as much smaller as
 * there are more draws than in these. */
ckam_status seeds_mode_share(const truth *t, const run_entry *run, size_t mode, double *share, double *mcse,
                             ckam_error *error) {
    common c = common_groups(run);
    double inside = 0.0, draws = 0.0;
    size_t next = 0;
    *share = *mcse = (double)NAN;
    if (!c.chains || !c.rows) return CKAM_OK;
    double *values = malloc(c.chains * c.rows * sizeof *values);
    if (!values) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu shares", c.chains * c.rows);
    for (uint64_t s = 0; s < run->seeds; s++) {
        const track *from = run->track + s;
        if (!from->done) continue;
        size_t fold = (size_t)(c.length / from->share_length), open = from->share_rows < SHARE_ROWS;
        inside += count_groups(t, from, mode, 0, from->share_rows + open); /* with the incomplete one */
        draws += (double)from->draws;
        for (size_t i = 0; i < c.rows; i++)
            values[next++] = count_groups(t, from, mode, i * fold, fold) / (double)c.length;
    }
    ckam_summary summary = {0};
    ckam_status  status = ckam_summarise(values, c.chains, c.rows, &summary, error);
    free(values);
    *share = inside / draws;
    *mcse = summary.mcse_mean * sqrt((double)(c.chains * c.rows) * (double)c.length / draws);
    return status;
}
