/* track.c - one chain from its start to its end: what it costs, and how far its draws are from the exact density.
 *
 * Steps are made in batches, and only they are timed; what is computed from their draws is not. */
#include "base/clock.h"
#include "base/error.h"
#include "diag/divergence.h"
#include "diag/multi_ess.h"
#include "experiment/experiment.h"

#include <math.h>
#include <stdlib.h>

const measure_entry measure_table[MEASURES] = {
    [KL_JEFFREYS] = {"kl-jeffreys", "symmetric KL (jeffreys)", true},
    [KL_PAPER] = {"kl-paper", "symmetric KL (paper)", true},
    [MARGINAL_JEFFREYS] = {"marginal-jeffreys", "symmetric KL of dimension 1 (jeffreys)", true},
    [MARGINAL_PAPER] = {"marginal-paper", "symmetric KL of dimension 1 (paper)", true},
    [MULTI_ESS] = {"multi-ess", "multi-ESS", true},
    [MODE_CHANGES] = {"mode-changes", "mode changes", false}};

/* A record after 100, 133, 178, ... evaluations: 8 per decade. */
#define RECORD_FIRST    100.0
#define RECORD_A_DECADE 8.0
enum { BATCH = 256, TRY = 400 };

typedef struct tracker {
    const truth     *truth;
    const run_entry *run;
    track           *track;
    ckam_chain      *chain; /* NULL: independent draws */
    running_ess     *ess;
    double          *draws; /* of a batch: BATCH * dim */
    size_t           count; /* in it */
    uint64_t         evaluations, changes;
    double           seconds;
    size_t           mode; /* of the last draw */
} tracker;

/* -- Steps -------------------------------------------------------------------------------------------------------- */

static void note_step(tracker *f, const ckam_step *step) {
    track *t = f->track;
    if (step->phase < CKAM_PHASE_EXPLORE || !t->step_size || t->steps == STEPS_MOST) return;
    t->step_size[t->steps] = step->step_size;
    t->explores[t->steps++] = step->phase == CKAM_PHASE_EXPLORE;
}

static ckam_status make_steps(tracker *f, size_t count, ckam_error *error) {
    const size_t dim = f->truth->dim;
    ckam_step    step;
    f->count = 0;
    if (!f->chain) {
        for (; f->count < count; f->count++)
            ckam_model_draw(f->truth->model, f->track->seed, f->evaluations + f->count, f->draws + f->count * dim);
        return CKAM_OK;
    }
    for (size_t i = 0; i < count; i++) {
        ckam_status status = ckam_chain_step(f->chain, &step);
        if (status) {
            if (error) *error = *ckam_chain_error(f->chain);
            return status;
        }
        note_step(f, &step);
        if (!step.draw) continue;
        for (size_t k = 0; k < dim; k++) f->draws[f->count * dim + k] = step.x[k];
        f->count++;
    }
    return CKAM_OK;
}

/* -- What draws say ----------------------------------------------------------------------------------------------- */

static size_t bin_of(const truth *t, size_t k, size_t bins, double x) {
    double place = (x - t->low[k]) / t->range[k] * (double)bins;
    if (!(place >= 1.0)) return 0;
    return place >= (double)bins - 1.0 ? bins - 1 : (size_t)place;
}

/* Merges pairs of groups when there is no room for another. */
static void halve_shares(track *t, size_t modes) {
    for (size_t i = 0; i < SHARE_ROWS / 2; i++)
        for (size_t j = 0; j < modes; j++)
            t->share[i * modes + j] = t->share[2 * i * modes + j] + t->share[(2 * i + 1) * modes + j];
    for (size_t i = SHARE_ROWS / 2 * modes; i < SHARE_ROWS * modes; i++) t->share[i] = 0;
    t->share_rows /= 2;
    t->share_length *= 2;
}

static void count_mode(tracker *f, size_t mode) {
    track *t = f->track;
    if (t->draws > 0 && mode != f->mode) f->changes++;
    f->mode = mode;
    if (t->share_rows == SHARE_ROWS) halve_shares(t, f->truth->modes);
    t->share[t->share_rows * f->truth->modes + mode]++;
    if (++t->share_count < t->share_length) return;
    t->share_count = 0;
    t->share_rows++;
}

static void digest(tracker *f) {
    const truth *t = f->truth;
    track       *out = f->track;
    for (size_t i = 0; i < f->count; i++) {
        const double *x = f->draws + i * t->dim;
        for (size_t k = 0; k < t->dim; k++) out->marginal[k * t->bins + bin_of(t, k, t->bins, x[k])]++;
        size_t column = bin_of(t, t->pair[0], t->side, x[t->pair[0]]);
        out->joint[bin_of(t, t->pair[1], t->side, x[t->pair[1]]) * t->side + column]++;
        count_mode(f, truth_mode(t, x));
        running_ess_add(f->ess, x);
        out->draws++;
    }
}

/* In two dimensions the divergence of the joint histogram; in more, the mean over the marginals. */
static divergence whole_divergence(const truth *t, const track *from) {
    divergence sum = {0.0, 0.0};
    if (t->dim == 2) return divergence_of(t->side * t->side, t->joint, from->joint, from->draws);
    for (size_t k = 0; k < t->dim; k++) {
        divergence one = divergence_of(t->bins, t->marginal + k * t->bins, from->marginal + k * t->bins, from->draws);
        sum.paper += one.paper / (double)t->dim;
        sum.jeffreys += one.jeffreys / (double)t->dim;
    }
    return sum;
}

/* With fewer draws than bins the half draw added to each bin outweighs the draws, and 'jeffreys' would always be small. */
static void keep_record(tracker *f) {
    const truth *t = f->truth;
    track       *out = f->track;
    if (out->records == RECORDS_MOST) return;
    record    *r = out->record + out->records++;
    divergence whole = whole_divergence(t, out), one = divergence_of(t->bins, t->marginal, out->marginal, out->draws);
    size_t     bins = t->dim == 2 ? t->side * t->side : t->bins;
    *r = (record){.evaluations = (double)f->evaluations, .seconds = f->seconds, .draws = (double)out->draws};
    r->value[KL_JEFFREYS] = out->draws < bins ? (double)NAN : whole.jeffreys;
    r->value[KL_PAPER] = whole.paper;
    r->value[MARGINAL_JEFFREYS] = out->draws < t->bins ? (double)NAN : one.jeffreys;
    r->value[MARGINAL_PAPER] = one.paper;
    r->value[MULTI_ESS] = running_ess_value(f->ess);
    r->value[MODE_CHANGES] = out->draws ? (double)f->changes : (double)NAN;
}

/* -- From start to end -------------------------------------------------------------------------------------------- */

static ckam_status make_chain(tracker *f, ckam_error *error) {
    const run_entry *run = f->run;
    if (!run->plan) return CKAM_OK;
    uint64_t horizon = run->plan->run.horizon;
    if (!horizon && run->seconds > 0.0 && run->cost > 0.0)
        horizon = (uint64_t)ceil(fmin(run->seconds / run->cost, 1e15));
    if (!horizon) horizon = run->evals;
    ckam_setup setup = {.target = ckam_model_target(f->truth->model),
                        .options = run->plan->sampler,
                        .start = run->start,
                        .seed = f->track->seed,
                        .horizon = horizon};
    return ckam_chain_create(&f->chain, &setup, error);
}

static ckam_status make_room(tracker *f, ckam_error *error) {
    const truth *t = f->truth;
    track       *out = f->track;
    f->draws = malloc(BATCH * t->dim * sizeof *f->draws);
    f->ess = running_ess_create(t->dim);
    out->record = calloc(RECORDS_MOST, sizeof *out->record);
    out->marginal = calloc(t->dim * t->bins, sizeof *out->marginal);
    out->joint = calloc(t->side * t->side, sizeof *out->joint);
    out->share = calloc(SHARE_ROWS * t->modes, sizeof *out->share);
    out->share_length = 1;
    if (f->draws && f->ess && out->record && out->marginal && out->joint && out->share) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to follow a chain of '%.60s'", f->run->name);
}

static bool is_over(const tracker *f) {
    return f->run->seconds > 0.0 ? f->seconds >= f->run->seconds : f->evaluations >= f->run->evals;
}

static ckam_status go_on(tracker *f, const atomic_bool *stop, atomic_uint_fast64_t *evaluations, ckam_error *error) {
    double next = RECORD_FIRST;
    while (!is_over(f)) {
        double due = ceil(next) - (double)f->evaluations;
        if (f->run->seconds == 0.0) due = fmin(due, (double)(f->run->evals - f->evaluations));
        size_t      count = due < BATCH ? (size_t)due : BATCH;
        double      begun = clock_seconds();
        ckam_status status = make_steps(f, count, error);
        f->seconds += clock_seconds() - begun;
        if (status) return status;
        f->evaluations += count;
        atomic_fetch_add(evaluations, count);
        digest(f);
        bool due_now = (double)f->evaluations >= ceil(next);
        if (due_now || is_over(f)) keep_record(f);
        if (due_now) next *= pow(10.0, 1.0 / RECORD_A_DECADE);
        if (atomic_load(stop)) return CKAM_STOP;
    }
    return CKAM_OK;
}

ckam_status track_run(const truth *t, const run_entry *run, track *out, const atomic_bool *stop,
                      atomic_uint_fast64_t *evaluations, ckam_error *error) {
    tracker     f = {.truth = t, .run = run, .track = out};
    ckam_status status = make_room(&f, error);
    if (!status) status = make_chain(&f, error);
    if (!status) status = go_on(&f, stop, evaluations, error);
    ckam_chain_free(f.chain);
    running_ess_free(f.ess);
    free(f.draws);
    return status;
}

ckam_status track_try(const truth *t, run_entry *run, ckam_error *error) {
    track                nowhere = {.seed = 1};
    run_entry            trial = *run;
    atomic_bool          stop = false;
    atomic_uint_fast64_t evaluations = 0;
    trial.seconds = 0.0;
    trial.evals = TRY;
    ckam_status status = track_run(t, &trial, &nowhere, &stop, &evaluations, error);
    if (!status) run->cost = nowhere.record[nowhere.records - 1].seconds / TRY;
    track_free(&nowhere);
    return status;
}

void track_free(track *t) {
    free(t->record);
    free(t->marginal);
    free(t->joint);
    free(t->share);
    free(t->step_size);
    free(t->explores);
}
