/* main.c - ckam beside what users would pick instead, emcee and R's mcmc::metrop, by turns. See bench/README.md.
 *
 * Usage: peers [TARGET...] [--json FILE], where bench/peers is. The status is 1 when a row misses its bar, 2 when a peer
 * is not installed. */
#include "measure.h"
#include "ours.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 5, BUDGET = 75000, POINTS = 20, DIM_MOST = 32 };

/* -- Who takes part, in what, and what is compared ------------------------------------------------------------------ */

typedef enum name { EMCEE, EMCEE_MANY, EMCEE_BOX, METROP, METROP_LONG, JUMP, RW, CONTENDERS } name;

/* `how` is the word that a peer's script has for it, or the sampler of ours. */
static const struct contender {
    const char *label, *how;
    bool        two_modes; /* only where there are two modes, because it has to be told */
} contenders[CONTENDERS] = {[EMCEE] = {"emcee", "ball", false},
                            [EMCEE_MANY] = {"emcee 256", "many", false},
                            [EMCEE_BOX] = {"emcee box", "box", true},
                            [METROP] = {"metrop", "tuned", false},
                            [METROP_LONG] = {"metrop long", "3.872983346207417", true}, /* the paper's sqrt(15) */
                            [JUMP] = {"jump", "jump", false},
                            [RW] = {"rw", "rw", false}};

static const struct {
    const char *spec;
    bool        paper; /* its divergence has a bar */
    size_t      coordinates;
} targets[] = {{"bimodal", true, 1},
               {"mixture5", true, 1},
               {"grid32", true, 32},
               {"gaussian:dim=10", false, 1},
               {"banana", false, 1}};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef enum measure { SPEED, ESS_SECOND, ESS_EVALUATION, SPEED_TIMED, DIVERGENCE, MEASURES } measure;
static const struct {
    const char *label, *unit;
} measures[MEASURES] = {[SPEED] = {"evaluations", "/s"},
                        [ESS_SECOND] = {"ESS", "/s"},
                        [ESS_EVALUATION] = {"ESS per 1000 evaluations", ""},
                        [SPEED_TIMED] = {"evaluations at equal time", "/s"},
                        [DIVERGENCE] = {"KL at equal time", ""}};

static const struct {
    measure what;
    name    above, below;
    bound   wanted;
    double  bar;
} rows[] = {{SPEED, JUMP, EMCEE, AT_LEAST, 20.0},           {SPEED, RW, EMCEE, ALONGSIDE, 0.0},
            {SPEED, JUMP, EMCEE_MANY, ALONGSIDE, 0.0},      {SPEED, JUMP, METROP, ALONGSIDE, 0.0},
            {ESS_SECOND, JUMP, EMCEE, ALONGSIDE, 0.0},      {ESS_SECOND, JUMP, METROP, ALONGSIDE, 0.0},
            {ESS_EVALUATION, JUMP, EMCEE, ALONGSIDE, 0.0},  {ESS_EVALUATION, JUMP, METROP, ALONGSIDE, 0.0},
            {SPEED_TIMED, JUMP, EMCEE, ALONGSIDE, 0.0},     {DIVERGENCE, JUMP, EMCEE, AT_MOST, 1.0},
            {DIVERGENCE, JUMP, METROP, AT_MOST, 1.0},       {DIVERGENCE, JUMP, EMCEE_MANY, ALONGSIDE, 0.0},
            {DIVERGENCE, JUMP, RW, ALONGSIDE, 0.0},         {DIVERGENCE, JUMP, EMCEE_BOX, ALONGSIDE, 0.0},
            {DIVERGENCE, JUMP, METROP_LONG, ALONGSIDE, 0.0}};
enum { ROWS = sizeof rows / sizeof *rows };

/* -- A target ------------------------------------------------------------------------------------------------------- */

typedef struct match {
    peer       *emcee, *metrop;
    const char *spec;
    ckam_model *model;
    double      start[DIM_MOST];
    histogram  *truth;
    double      result[CONTENDERS][MEASURES][SEEDS];
} match;

static const ckam_target *target_of(const match *m) { return ckam_model_target(m->model); }

static bool takes_part(const match *m, name who) { return !contenders[who].two_modes || !strcmp(m->spec, "bimodal"); }

/* NULL: it is ours. */
static peer *peer_of(const match *m, name who) {
    return who == JUMP || who == RW ? NULL : who == METROP || who == METROP_LONG ? m->metrop : m->emcee;
}

/* Both densities are known up to a constant, so differences from the first point must agree. */
static void check_density(const match *m, peer *p) {
    const ckam_target *t = target_of(m);
    double             x[DIM_MOST], constant = 0.0;
    for (uint64_t i = 0; i < POINTS; i++) {
        double ours;
        ckam_model_draw(m->model, 1, i, x);
        for (size_t k = 0; k < t->dim && i % 2; k++) x[k] *= 1.5; /* also between the modes, and outside */
        if (t->log_density(t->context, x, &ours)) stop("a density is not computed");
        double off = peer_density(p, m->spec, t->dim, x) - ours;
        if (i == 0) constant = off;
        if (!(fabs(off - constant) <= 1e-10 * fmax(1.0, fabs(ours))))
            stop("the density of a peer is another one than ours: nothing can be compared");
    }
}

static sample run(const match *m, name who, uint64_t seed, uint64_t evaluations) {
    const ckam_target *t = target_of(m);
    const char        *how = contenders[who].how;
    peer              *p = peer_of(m, who);
    if (p) return peer_run(p, m->spec, how, seed, evaluations, t->dim, m->start);
    return ours_run(t, how, seed, evaluations, m->start);
}

/* Ours stop by the clock. A peer has to be told how many evaluations; its run of the budget is taken if it took that time,
 * or a tenth more or less. The draws go into the histogram; returns evaluations a second. */
static double run_for(const match *m, name who, uint64_t seed, double seconds, const sample *budget) {
    double expected = seconds * budget->evaluations / budget->seconds, speed;
    histogram_clear(m->truth);
    if (!peer_of(m, who))
        return ours_run_for(seconds, target_of(m), contenders[who].how, seed, (uint64_t)expected, m->start, m->truth);
    if (fabs(budget->seconds - seconds) <= 0.1 * seconds) {
        histogram_add(m->truth, budget->chains * budget->rows, budget->x);
        return budget->evaluations / budget->seconds;
    }
    sample s = run(m, who, seed, (uint64_t)expected);
    histogram_add(m->truth, s.chains * s.rows, s.x);
    speed = s.evaluations / s.seconds;
    sample_free(&s);
    return speed;
}

/* All contenders with one seed: each the budget, then as long as emcee took for it. */
static void turn(match *m, uint64_t seed) {
    double seconds = 0.0;
    for (name who = 0; who < CONTENDERS; who++) {
        if (!takes_part(m, who)) continue;
        sample s = run(m, who, seed, BUDGET);
        double ess = sample_ess(&s);
        if (who == EMCEE) seconds = s.seconds;
        m->result[who][SPEED][seed - 1] = s.evaluations / s.seconds;
        m->result[who][ESS_SECOND][seed - 1] = ess / s.seconds;
        m->result[who][ESS_EVALUATION][seed - 1] = 1000.0 * ess / s.evaluations;
        m->result[who][SPEED_TIMED][seed - 1] = run_for(m, who, seed, seconds, &s);
        m->result[who][DIVERGENCE][seed - 1] = histogram_divergence(m->truth);
        sample_free(&s);
    }
}

static void print_rows(const match *m, bool paper) {
    for (int i = 0; i < ROWS; i++) {
        double     above[SEEDS], below[SEEDS]; /* copies, because they are sorted */
        char       text[128];
        const name over = rows[i].above, under = rows[i].below;
        measure    what = rows[i].what;
        if (!takes_part(m, under)) continue;
        memcpy(above, m->result[over][what], sizeof above);
        memcpy(below, m->result[under][what], sizeof below);
        (void)snprintf(text, sizeof text, "%s: %s, %s / %s", m->spec, measures[what].label, contenders[over].label,
                       contenders[under].label);
        row_of_turns(text, measures[what].unit, SEEDS, above, below,
                     what == DIVERGENCE && !paper ? ALONGSIDE : rows[i].wanted, rows[i].bar);
    }
}

static void compare(peer *emcee, peer *metrop, int index) {
    match     *m = take(sizeof *m);
    ckam_error error;
    m->emcee = emcee;
    m->metrop = metrop;
    m->spec = targets[index].spec;
    if (ckam_model_create(&m->model, m->spec, &error)) stop(error.message);
    ckam_model_start(m->model, m->start);
    m->truth = histogram_create(m->model, targets[index].coordinates);
    check_density(m, emcee);
    check_density(m, metrop);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) turn(m, seed);
    print_rows(m, targets[index].paper);
    histogram_free(m->truth);
    ckam_model_free(m->model);
    free(m);
}

int main(int count, char **words) {
    const char *path = NULL;
    bool        wanted[TARGETS] = {0}, all = true;
    for (int i = 1; i < count; i++) {
        int t = 0;
        if (!strcmp(words[i], "--json") && i + 1 < count) {
            path = words[++i];
            continue;
        }
        while (t < TARGETS && strcmp(words[i], targets[t].spec) != 0) t++;
        if (t == TARGETS) {
            (void)fprintf(stderr,
                          "peers: there is no target '%s'; usage: peers [bimodal|mixture5|grid32|gaussian:dim=10|"
                          "banana]... [--json FILE]\n",
                          words[i]);
            return 2;
        }
        wanted[t] = true;
        all = false;
    }
    peer *emcee = peer_emcee(), *metrop = peer_metrop();
    table_open(path);
    for (int t = 0; t < TARGETS; t++)
        if (all || wanted[t]) compare(emcee, metrop, t);
    peer_close(emcee);
    peer_close(metrop);
    return table_close() ? 1 : 0;
}
