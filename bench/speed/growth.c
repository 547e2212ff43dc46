/* growth.c - how the cost of a step grows with the dimension: d and 4d where it should be linear, d and 2d where it is
 * quadratic; alongside what grows faster. The density is a Gaussian of linear cost. */
#include "chains.h"
#include "linalg/linalg.h"
#include "rng/rng.h"
#include "rows.h"
#include "textbook.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ckam_model *gaussian(size_t dim) {
    char spec[40];
    snprintf(spec, sizeof spec, "gaussian:dim=%zu", dim);
    return model_of(spec);
}

/* A chain's step in the dimensions `large` and `small`, after so many steps that are not timed. */
static void growth_row(const char *name, const char *spec, size_t large, size_t small, size_t before) {
    ckam_model *above = gaussian(large), *below = gaussian(small);
    chain_work *first = chain_work_create(ckam_model_target(above), spec, NULL, before);
    chain_work *second = chain_work_create(ckam_model_target(below), spec, NULL, before);
    row_of_work(name, chain_work_of(first), chain_work_of(second), AT_MOST, 4.5);
    chain_work_free(first);
    chain_work_free(second);
    ckam_model_free(above);
    ckam_model_free(below);
}

/* -- KAM with a dense covariance -------------------------------------------------------------------------------------- */

static textbook *dense(const ckam_model *model) {
    double dim = (double)ckam_model_target(model)->dim;
    return textbook_create(
        model, (textbook_plan){.n = 100, .refresh = true, .length = sqrt(2.0 * dim), .nu = 1.0, .gamma = 0.2});
}

/* A step of the larger one takes about half a second: few turns, of one step. */
static void dense_row(void) {
    enum { FEW = 3, STEPS = 10 };
    ckam_model *above = gaussian(1024), *below = gaussian(256);
    textbook   *first = dense(above), *second = dense(below);
    double      large[FEW], small[FEW];
    for (int i = 0; i < FEW; i++) {
        large[i] = 1e9 * work_seconds(textbook_work(first), 1);
        small[i] = 1e9 * work_seconds(textbook_work(second), STEPS) / STEPS;
    }
    row_of_turns("  dense, and factored at x and y in each step", "ns", FEW, large, small, ALONGSIDE, 0.0);
    textbook_free(first);
    textbook_free(second);
    ckam_model_free(above);
    ckam_model_free(below);
}

/* -- am with a covariance that is factored anew in each step ---------------------------------------------------------- */

typedef struct refactoring {
    const ckam_target *target;
    rng                r;
    double             value;
    double            *x, *y, *normals, *mean, *covariance, *factor, *kept;
} refactoring;

static void learn(refactoring *a, double gain) {
    size_t dim = a->target->dim;
    for (size_t j = 0; j < dim; j++)
        for (size_t i = j; i < dim; i++) {
            double *c = &a->covariance[j * dim + i];
            *c += gain * ((a->x[i] - a->mean[i]) * (a->x[j] - a->mean[j]) - *c);
        }
    for (size_t k = 0; k < dim; k++) a->mean[k] += gain * (a->x[k] - a->mean[k]);
    memcpy(a->factor, a->covariance, dim * dim * sizeof *a->factor);
    if (chol_factor(dim, a->factor)) stop("the covariance of am has no factor");
}

static void refactoring_go(void *context, size_t steps) {
    refactoring *a = context;
    size_t       dim = a->target->dim;
    for (size_t i = 0; i < steps; i++) {
        double value;
        rng_at(&a->r, a->r.iteration + 1, RNG_STEP);
        rng_normals(&a->r, dim, a->normals);
        memcpy(a->y, a->x, dim * sizeof *a->y);
        tri_multiply_add(dim, a->factor, 2.38 / sqrt((double)dim), a->normals, a->y);
        a->target->log_density(a->target->context, a->y, &value);
        if (log(rng_uniform(&a->r)) < value - a->value) {
            memcpy(a->x, a->y, dim * sizeof *a->x);
            a->value = value;
        }
        learn(a, 2.0 / ((double)a->r.iteration + 2.0 + 10.0 * (double)dim));
        memcpy(a->kept, a->x, dim * sizeof *a->kept);
    }
}

static void refactoring_init(refactoring *a, const ckam_model *model) {
    size_t dim = ckam_model_target(model)->dim, size = dim * sizeof(double);
    *a = (refactoring){ckam_model_target(model), .x = take(size), .y = take(size), .normals = take(size)};
    a->mean = take(size);
    a->kept = take(size);
    a->covariance = take(dim * size);
    a->factor = take(dim * size);
    for (size_t k = 0; k < dim; k++) a->covariance[k * dim + k] = a->factor[k * dim + k] = 1.0;
    rng_init(&a->r, 1, 1);
    a->target->log_density(a->target->context, a->x, &a->value);
}

static void refactoring_free(refactoring *a) {
    double *const rooms[] = {a->x, a->y, a->normals, a->mean, a->covariance, a->factor, a->kept};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
}

static void refactoring_row(void) {
    ckam_model *above = gaussian(512), *below = gaussian(256);
    refactoring first, second;
    refactoring_init(&first, above);
    refactoring_init(&second, below);
    row_of_work("  am, factored anew in each step", (work){refactoring_go, &first}, (work){refactoring_go, &second},
                ALONGSIDE, 0.0);
    refactoring_free(&first);
    refactoring_free(&second);
    ckam_model_free(above);
    ckam_model_free(below);
}

/* kam draws z anew in nearly each of these steps (the chance is above 0.99): the most that it does. */
/* -- What jump does before its first cycle ------------------------------------------------------------------------ */

/* CPU seconds of a new chain up to its first draw; of jump up to its first cycle, with its first memory made. */
static double start_seconds(const ckam_model *model, const char *sampler) {
    ckam_options *options;
    ckam_chain   *chain;
    ckam_error    error;
    ckam_step     step = {0};
    const double  before = thread_seconds();
    if (ckam_options_create(&options, sampler, &error)) stop(error.message);
    const ckam_setup setup = {.target = ckam_model_target(model), .options = options, .seed = 1, .pooled = true};
    if (ckam_chain_create(&chain, &setup, &error)) stop(error.message);
    while (!step.draw && !ckam_chain_waits(chain))
        if (ckam_chain_step(chain, &step)) stop(ckam_chain_error(chain)->message);
    if (ckam_chain_waits(chain) && ckam_chain_pool(&chain, 1, &error)) stop(error.message);
    ckam_chain_free(chain);
    ckam_options_free(options);
    return thread_seconds() - before;
}

static void start_row(size_t dim) {
    enum { FEW = 5 };
    ckam_model *model = gaussian(dim);
    double      above[FEW], below[FEW];
    char        name[80];
    for (int i = 0; i < FEW; i++) {
        above[i] = start_seconds(model, "jump");
        below[i] = start_seconds(model, "gam");
    }
    snprintf(name, sizeof name, "jump, before its first cycle / gam, up to its first draw: d = %zu", dim);
    row_of_turns(name, "s", FEW, above, below, AT_MOST, 3.0);
    ckam_model_free(model);
}

void rows_of_growth(void) {
    growth_row("kam step, n = 100: d = 1024 / d = 256", "kam:subsample=100", 1024, 256, 300);
    dense_row();
    growth_row("am step: d = 512 / d = 256", "am", 512, 256, 300);
    growth_row("gam step: d = 512 / d = 256", "gam", 512, 256, 300);
    refactoring_row();
    growth_row("ckam, a step of sampling, n = 100: d = 1024 / d = 256",
               "ckam:cycle-length=100000000,explore=0.000003,subsample=100", 1024, 256, 400);
    start_row(500);
    start_row(1000);
}
