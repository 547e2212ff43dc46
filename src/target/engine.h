/* engine.h - one kind of user's model: a shared object, Stan's, a program, or one of these in a process of its own.
 *
 * A table of functions and what all kinds have in common. source.c puts bounds, counting and messages around it. Calls for one
 * handle never overlap; calls for different handles do, from different threads. */
#ifndef CKAM_TARGET_ENGINE_H
#define CKAM_TARGET_ENGINE_H

#include "target/params.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What came of an evaluation. With all but the first, `why` is filled with one sentence (or is "", of a reject). */
typedef enum engine_answer {
    ENGINE_VALUE,  /* a number, which may be NaN or infinite: that is judged elsewhere */
    ENGINE_REJECT, /* the model says that it cannot be computed here */
    ENGINE_FAULT,  /* it crashed, or took too long; the next evaluation is as good as new */
    ENGINE_STOP    /* it makes no sense to go on: an answer that is none, a process that cannot be started */
} engine_answer;

enum { ENGINE_WHY = 200 }; /* room for the sentence */

typedef struct engine engine;

typedef struct engine_type {
    /* *handle := the engine's state for one chain; NULL where it needs none. */
    ckam_status (*attach)(engine *e, size_t chain, void **handle, ckam_error *error);
    void (*detach)(engine *e, void *handle);
    /* log density at x (dim numbers). */
    engine_answer (*evaluate)(engine *e, void *handle, const double *x, double *value, char *why);
    /* What is saved with a draw at x: `derived` numbers. For engines with params x is what evaluate() got, too. NULL where there
     * is nothing. */
    engine_answer (*derive)(engine *e, void *handle, const double *x, double *out, char *why);
    /* u := the point at which evaluate() would be called for these values of the first columns. NULL: params do it. */
    engine_answer (*unconstrain)(engine *e, const double *columns, double *u, char *why);
    /* Whether all answers so far were those of their points, as far as the engine can tell; no evaluation is under way. With
     * `start` a process is started for it where one has ended. NULL: they cannot be others. */
    ckam_status (*verify)(engine *e, bool start, ckam_error *error);
    void (*close)(engine *e); /* frees all, `e` too */
} engine_type;

/* Begins the struct of each kind. */
struct engine {
    const engine_type *type;
    size_t             dim; /* numbers that evaluate() takes */
    params params;  /* count == dim: x obeys these bounds, and its numbers come first in a row of draws. count == 0
                                 * (Stan): x is on the whole line, and derive() gives the whole row */
    size_t derived; /* numbers that derive() gives */
    char **derived_names; /* of them; owned */
    bool   threads;       /* evaluate() may run in several threads at once, for different handles */
    bool
        random; /* derive() uses random numbers (generated quantities): those of the chain and the point, so that a row can be
                           * made again */
    size_t given; /* numbers that unconstrain() takes; 0: dim */
    /* Of a program, found by asking points again: */
    atomic_bool shifted; /* answers since the last good verify() belong to other points: nothing is answered any more */
    atomic_bool noisy;   /* one point has different values, */
    double      two_values[2]; /* as these */
};

/* engine.c: frees what the struct owns, for close(). */
void engine_clean(engine *e);
/* Takes the names of `p` for derived_names. */
ckam_status engine_name_derived(engine *e, const params *p, ckam_error *error);

/* -- The kinds. `data` is the text of a JSON file, or NULL. On failure *e is NULL. -------------------------------------- */

/* compile.c: *path := the shared object made from a C file, yours to free. Made once for the same text, compiler and flags. What a
 * compiler has printed goes to stderr as it is. */
ckam_status compile_file(const char *source, char **path, ckam_error *error);
/* The same for one line: an expression in the parameters `p`, whose names are variables (a vector is an array that begins at 0). */
ckam_status compile_expression(const char *expression, const params *p, char **path, ckam_error *error);

/* expression.c: *text := the source of a model whose log density is this expression in the parameters; yours to free. */
ckam_status expression_source(const char *expression, const params *p, char **text, size_t *size, ckam_error *error);

/* shared.c: a shared object that keeps ckam/model.h. `declared`: --params, or NULL; it must agree with the list in the model, if
 * there is one. */
ckam_status shared_open(engine **e, const char *path, const params *declared, const char *data, ckam_error *error);
/* stan.c: a model of BridgeStan. `seed` is that of generated quantities. */
ckam_status stan_open(engine **e, const char *path, const char *data, uint64_t seed, ckam_error *error);
/* Which of the two a file is: CKAM_OK and *is_stan, or what is wrong with it. */
ckam_status shared_kind(const char *path, bool *is_stan, ckam_error *error);
/* program.c: a command that answers lines, by so many workers. */
typedef struct program_setup {
    const char   *command;
    const params *declared; /* --params, or NULL: the program must say */
    size_t        workers;
    double        timeout; /* seconds an evaluation may take; HUGE_VAL: any time */
    ckam_notice  *notice;  /* or NULL: told, once, that there was no first answer for `patience` seconds */
    void         *context;
    double        patience;
} program_setup;
ckam_status program_open(engine **e, const program_setup *setup, ckam_error *error);
/* isolate.c: *e := the same model, evaluated in one process per handle, so that it cannot harm this one. Takes over the inner
 * engine, also when it fails. */
ckam_status engine_isolate(engine **e, double timeout, ckam_error *error);

#endif
