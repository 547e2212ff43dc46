/* made_draws.h - sets of draws for the tests of diagnostics: exact ones, repeated as a Metropolis chain repeats them.
 *
 * Includes models.h. */
#ifndef CKAM_TESTS_MADE_DRAWS_H
#define CKAM_TESTS_MADE_DRAWS_H

#include "models.h"

#include "rng/rng.h"

#include <stdlib.h>
#include <string.h>

typedef struct made {
    size_t  chains, rows, dim;
    double *x;           /* x[(chain * rows + row) * dim + k] */
    double *log_density; /* or NULL */
    rng     random;
} made;

static inline made made_room(size_t chains, size_t rows, size_t dim, uint64_t seed) {
    made m = {.chains = chains, .rows = rows, .dim = dim};
    m.x = calloc(chains * rows * dim, sizeof *m.x);
    assert_non_null(m.x);
    rng_init(&m.random, seed, 0);
    return m;
}

static inline void made_free(made *m) {
    free(m->x);
    free(m->log_density);
}

static inline double *made_at(const made *m, size_t i) { return m->x + i * m->dim; }

/* A row stays as it was with probability `hold`: repeats as those of rejected proposals. */
static inline void made_hold(made *m, double hold) {
    for (size_t i = 0; i < m->chains * m->rows; i++)
        if (i % m->rows && rng_uniform(&m->random) < hold)
            memcpy(made_at(m, i), made_at(m, i - 1), m->dim * sizeof *m->x);
}

/* Exact draws of a model, with their log densities. */
static inline made made_model(const char *spec, size_t chains, size_t rows, double hold, uint64_t seed) {
    ckam_model *model = model_of(spec);
    made        m = made_room(chains, rows, ckam_model_target(model)->dim, seed);
    m.log_density = calloc(chains * rows, sizeof *m.log_density);
    assert_non_null(m.log_density);
    for (size_t i = 0; i < chains * rows; i++) ckam_model_draw(model, seed, i, made_at(&m, i));
    made_hold(&m, hold);
    for (size_t i = 0; i < chains * rows; i++) m.log_density[i] = log_density(model, made_at(&m, i));
    ckam_model_free(model);
    return m;
}

/* Chains of a sampler. */
static inline made made_chains(const char *model_spec, const char *sampler, size_t chains, size_t rows, uint64_t seed) {
    ckam_model *model = model_of(model_spec);
    made        m = made_room(chains, rows, ckam_model_target(model)->dim, seed);
    assert_int_equal(ckam_sample(ckam_model_target(model), sampler, NULL, seed, chains, rows, m.x, NULL), CKAM_OK);
    ckam_model_free(model);
    return m;
}

static inline ckam_draws *made_draws(const made *m) {
    ckam_draws *draws = NULL;
    ckam_error  error = {.message = ""};
    if (ckam_draws_create(&draws, m->chains, m->rows, m->dim, NULL, m->x, m->log_density, &error))
        fail_msg("%s", error.message);
    return draws;
}

#endif
