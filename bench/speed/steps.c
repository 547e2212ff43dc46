/* steps.c - what a step costs beside the density: rw against a bare loop, ckam and jump against rw; and the density of
 * grid32 against the loop that one would write first. */
#include "chains.h"
#include "rng/rng.h"
#include "rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- The floor: normals, one evaluation, accept, store ------------------------------------------------------------ */

typedef struct bare_walk {
    const ckam_target *target;
    rng                r;
    double             step, value;
    double            *x, *y, *kept;
} bare_walk;

static void bare_go(void *context, size_t steps) {
    bare_walk *b = context;
    size_t     dim = b->target->dim;
    for (size_t i = 0; i < steps; i++) {
        double value;
        rng_at(&b->r, b->r.iteration + 1, RNG_STEP);
        rng_normals(&b->r, dim, b->y);
        for (size_t k = 0; k < dim; k++) b->y[k] = b->x[k] + b->step * b->y[k];
        b->target->log_density(b->target->context, b->y, &value);
        if (log(rng_uniform(&b->r)) < value - b->value) {
            double *old = b->x;
            b->x = b->y;
            b->y = old;
            b->value = value;
        }
        memcpy(b->kept, b->x, dim * sizeof *b->kept);
    }
}

static void floor_row(const char *name, const char *spec, double step, double bar) {
    ckam_model        *model = model_of(spec);
    const ckam_target *target = ckam_model_target(model);
    size_t             size = target->dim * sizeof(double);
    bare_walk          bare = {target, .step = step, .x = take(size), .y = take(size), .kept = take(size)};
    char               text[64];
    ckam_model_start(model, bare.x);
    rng_init(&bare.r, 1, 1);
    target->log_density(target->context, bare.x, &bare.value);
    snprintf(text, sizeof text, "rw:step-size=%.17g", step);
    chain_work *walk = chain_work_create(target, text, bare.x, 1000);
    row_of_work(name, chain_work_of(walk), (work){bare_go, &bare}, AT_MOST, bar);
    chain_work_free(walk);
    free(bare.x);
    free(bare.y);
    free(bare.kept);
    ckam_model_free(model);
}

/* -- ckam's sampling phase ---------------------------------------------------------------------------------------- */

/* One long cycle: 1000 iterations of exploration are before the timed ones, which all sample. */
#define CKAM_LONG "ckam:cycle-length=100000000,explore=0.00001"

static void sampling_row(const char *name, const char *spec, double bar) {
    ckam_model        *model = model_of(spec);
    const ckam_target *target = ckam_model_target(model);
    chain_work        *ckam = chain_work_create(target, CKAM_LONG, NULL, 2000);
    chain_work        *walk = chain_work_create(target, "rw", NULL, 2000);
    row_of_work(name, chain_work_of(ckam), chain_work_of(walk), AT_MOST, bar);
    chain_work_free(ckam);
    chain_work_free(walk);
    ckam_model_free(model);
}

/* -- jump, with J modes ------------------------------------------------------------------------------------------- */

enum { DIM = 32, MODES_MOST_HERE = 25 };

/* J equal round Gaussians, on the axes of the first J coordinates. */
typedef struct many {
    size_t count;
    double centre[MODES_MOST_HERE][DIM];
} many;

static int many_density(void *context, const double *x, double *value) {
    const many *m = context;
    double      square[MODES_MOST_HERE], least = HUGE_VAL, sum = 1e-300;
    for (size_t j = 0; j < m->count; j++) {
        square[j] = 0.0;
        for (size_t k = 0; k < DIM; k++) square[j] += (x[k] - m->centre[j][k]) * (x[k] - m->centre[j][k]);
        least = fmin(least, square[j]);
    }
    for (size_t j = 0; j < m->count; j++)
        if (square[j] - least < 80.0) sum += exp(0.5 * (least - square[j]));
    *value = log(sum) - 0.5 * least;
    return CKAM_OK;
}

/* Turns that hold several cycles with their ends, after the chain has met the modes. */
static void jump_row(size_t count, double bar) {
    enum { BEFORE = 600000, STEPS = 200000, LONG_TURNS = 5 };
    many       *m = take(sizeof *m);
    ckam_target target = {.dim = DIM, .log_density = many_density, .context = m};
    double      above[LONG_TURNS], below[LONG_TURNS];
    char        name[80];
    m->count = count;
    for (size_t j = 0; j < count; j++) m->centre[j][j] = 20.0;
    chain_work *jump = chain_work_create(&target, "jump", m->centre[0], BEFORE);
    chain_work *walk = chain_work_create(&target, "rw:step-size=0.42", m->centre[0], 1000);
    for (int i = 0; i < LONG_TURNS; i++) {
        above[i] = 1e9 * work_seconds(chain_work_of(jump), STEPS) / STEPS;
        below[i] = 1e9 * work_seconds(chain_work_of(walk), STEPS) / STEPS;
    }
    snprintf(name, sizeof name, "jump, an evaluation / rw step: d = 32, %zu modes", count);
    row_of_turns(name, "ns", LONG_TURNS, above, below, AT_MOST, bar);
    chain_work_free(jump);
    chain_work_free(walk);
    free(m);
}

/* -- The density of grid32 ---------------------------------------------------------------------------------------- */

typedef struct evaluation {
    const ckam_target *target;
    const double      *points; /* many of them, DIM apart */
    size_t             count, next;
    double             sum;
} evaluation;

static void evaluate(void *context, size_t steps) {
    evaluation *e = context;
    for (size_t i = 0; i < steps; i++) {
        double value;
        e->target->log_density(e->target->context, e->points + e->next * DIM, &value);
        e->next = (e->next + 1) % e->count;
        e->sum += value;
    }
}

static int plain_grid(void *context, const double *x, double *value) {
    (void)context;
    *value = 0.0;
    for (int k = 0; k < DIM; k++) {
        double terms[5], most = -HUGE_VAL, sum = 0.0;
        for (int j = 0; j < 5; j++) {
            double away = x[k] - 15.0 * (j - 2);
            terms[j] = log(0.2) - 0.5 * log(2.0 * 3.14159265358979323846 * 15.0) - 0.5 * away * away / 15.0;
            most = fmax(most, terms[j]);
        }
        for (int j = 0; j < 5; j++) sum += exp(terms[j] - most);
        *value += most + log(sum);
    }
    return CKAM_OK;
}

static void grid_row(void) {
    enum { POINTS = 256 };
    ckam_model *model = model_of("grid32");
    double     *points = take(POINTS * DIM * sizeof *points), a, b;
    ckam_target plain = {.dim = DIM, .log_density = plain_grid};
    for (size_t i = 0; i < POINTS; i++) ckam_model_draw(model, 1, i, points + i * DIM);
    evaluation ours = {.target = ckam_model_target(model), .points = points, .count = POINTS};
    evaluation theirs = {.target = &plain, .points = points, .count = POINTS};
    ours.target->log_density(ours.target->context, points, &a);
    plain_grid(NULL, points, &b);
    if (!(fabs(a - b) < 1e-9)) stop("the two densities of grid32 are not the same");
    row_of_work("grid32: density / the same as a plain loop", (work){evaluate, &ours}, (work){evaluate, &theirs},
                AT_MOST, 0.15);
    free(points);
    ckam_model_free(model);
}

void rows_of_steps(void) {
    floor_row("rw step / bare loop: bimodal", "bimodal", 1.7, 1.5);
    floor_row("rw step / bare loop: mixture5", "mixture5", 3.0, 1.3);
    floor_row("rw step / bare loop: grid32", "grid32", 1.6, 1.1);
    sampling_row("ckam, a step of sampling / rw step: bimodal (d = 2)", "bimodal", 1.3);
    sampling_row("ckam, a step of sampling / rw step: gaussian, d = 32", "gaussian:dim=32", 1.6);
    sampling_row("ckam, a step of sampling / rw step: grid32", "grid32", 1.6);
    jump_row(2, 3.0);
    jump_row(25, 8.0);
    grid_row();
}
