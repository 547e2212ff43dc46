/* source.c - see source.h. */
#include "target/source.h"

#include "base/error.h"
#include "base/number.h"
#include "target/engine.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAULTS_MOST = 3, FIRST_TEXT = 400, SHOWN = 6 };
#define PATIENCE 5.0 /* seconds without a first answer of a program until that is said */

struct source {
    engine               *engine;
    bool                  bounded;
    bool                 *boxed; /* dim flags: with two bounds */
    size_t                columns;
    char                **names; /* borrowed from the engine */
    const open_directory *log_directory;
    const char           *log; /* a file in it; NULL: none */
};

struct model_handle {
    source    *source;
    void      *inside; /* the engine's */
    size_t     chain;
    double    *x;    /* within the bounds */
    double    *last; /* where the last row was made; NaN: nowhere */
    uint64_t   faults, in_a_row, outside;
    ckam_error failure;
    char       first[FIRST_TEXT];
};

/* -- Opening ------------------------------------------------------------------------------------------------------ */

static bool ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && !strcmp(text + length - tail, end);
}

static bool is_file(const char *model) { return ends_in(model, ".c") || ends_in(model, ".so"); }

bool source_is_wanted(const source_request *r) { return *r->log_density || *r->program || is_file(r->model); }

const char *source_name(const source_request *r) {
    return *r->log_density ? "log-density" : *r->program ? "program" : r->model;
}

/* Settings that have no meaning together. */
static ckam_status check(const source_request *r, ckam_error *error) {
    if (!!*r->model + !!*r->log_density + !!*r->program > 1)
        return fail_with(error, CKAM_ERROR_OPTION, "one model at a time: %s and %s are two; leave one out",
                         *r->model ? "the model" : "--log-density", *r->program ? "--program" : "--log-density");
    if (*r->log_density && !*r->params)
        return fail_with(error, CKAM_ERROR_OPTION,
                         "--log-density needs the names of its parameters, as in --params 'x, y > 0'");
    if (*r->data && (*r->program || *r->log_density))
        return fail_with(error, CKAM_ERROR_OPTION, "--data is for models in files; %s reads what it needs itself",
                         *r->program ? "a program" : "--log-density");
    return CKAM_OK;
}

/* A text: without a 0 before its end, which would cut it. */
static ckam_status read_text(const char *path, char **text, ckam_error *error) {
    size_t      size;
    ckam_status status = file_read(NULL, path, text, &size, error);
    if (status || strlen(*text) == size) return status;
    free(*text);
    *text = NULL;
    return fail_with(error, CKAM_ERROR_FORMAT, "%.120s has a 0 byte: it is not a text", path);
}

static ckam_status open_file(engine **e, const char *path, const params *declared, const char *data, uint64_t seed,
                             ckam_error *error) {
    char       *object = NULL;
    bool        is_stan = false;
    ckam_status status = CKAM_OK;
    if (ends_in(path, ".c"))
        status = compile_file(path, &object, error);
    else
        status = shared_kind(path, &is_stan, error);
    if (!status && is_stan && declared)
        status =
            fail_with(error, CKAM_ERROR_OPTION, "--params has no meaning for %.100s: a Stan model names its own", path);
    if (!status)
        status = is_stan ? stan_open(e, path, data, seed, error)
                         : shared_open(e, object ? object : path, declared, data, error);
    free(object);
    return status;
}

static ckam_status open_expression(engine **e, const char *text, const params *declared, ckam_error *error) {
    char       *object;
    ckam_status status = compile_expression(text, declared, &object, error);
    if (status) return status;
    status = shared_open(e, object, NULL, NULL, error);
    free(object);
    return status;
}

static ckam_status open_engine(engine **e, const source_request *r, const params *declared, ckam_error *error) {
    if (*r->program) {
        program_setup setup = {r->program, declared, r->workers, r->timeout, r->notice, r->context, PATIENCE};
        return program_open(e, &setup, error);
    }
    if (*r->log_density) return open_expression(e, r->log_density, declared, error);
    char       *data = NULL;
    ckam_status status = *r->data ? read_text(r->data, &data, error) : CKAM_OK;
    if (!status) status = open_file(e, r->model, declared, data, r->seed, error);
    free(data);
    return status;
}

static ckam_status add_bounds(engine *e, const char *path, ckam_error *error) {
    char *text;
    if (!e->params.count)
        return fail_with(error, CKAM_ERROR_OPTION, "--bounds has no meaning here: a Stan model has its own");
    ckam_status status = read_text(path, &text, error);
    if (status) return status;
    status = params_bound(&e->params, text, path, error);
    free(text);
    return status;
}

static ckam_status gather_names(source *s, ckam_error *error) {
    const engine *e = s->engine;
    s->columns = e->params.count + e->derived;
    s->names = calloc(s->columns ? s->columns : 1, sizeof *s->names);
    s->boxed = calloc(e->dim, sizeof *s->boxed);
    if (!s->names || !s->boxed)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the names of parameters");
    for (size_t k = 0; k < e->params.count; k++) {
        const param *p = &e->params.at[k];
        s->names[k] = p->name;
        s->boxed[k] = param_has_box(p);
        if (param_is_bounded(p)) s->bounded = true;
    }
    for (size_t k = 0; k < e->derived; k++) s->names[e->params.count + k] = e->derived_names[k];
    return CKAM_OK;
}

ckam_status source_open(source **out, const source_request *r, ckam_error *error) {
    params      declared = {0};
    ckam_status status = check(r, error);
    source     *s = *out = status ? NULL : calloc(1, sizeof *s);
    if (!status && !s) status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a model");
    if (status) return status;
    if (*r->params) status = params_read(&declared, r->params, "--params", true, error);
    if (!status) status = open_engine(&s->engine, r, *r->params ? &declared : NULL, error);
    params_free(&declared);
    if (!status && *r->bounds) status = add_bounds(s->engine, r->bounds, error);
    if (!status && (r->isolate || !s->engine->threads) && !*r->program)
        status = engine_isolate(&s->engine, r->timeout, error);
    if (!status) status = gather_names(s, error);
    if (!status) return CKAM_OK;
    source_close(s);
    *out = NULL;
    return status;
}

void source_close(source *s) {
    if (!s) return;
    if (s->engine) s->engine->type->close(s->engine);
    free(s->names);
    free(s->boxed);
    free(s);
}

size_t source_dim(const source *s) { return s->engine->dim; }
size_t source_columns(const source *s) { return s->columns; }
size_t source_given(const source *s) { return s->engine->given ? s->engine->given : s->engine->dim; }
bool   source_is_bounded(const source *s, size_t k) {
      return k < s->engine->params.count && param_is_bounded(&s->engine->params.at[k]);
}

const char *const *source_names(const source *s) { return (const char *const *)s->names; }

ckam_status source_verify(source *s, bool start, ckam_error *error) {
    return s->engine->type->verify ? s->engine->type->verify(s->engine, start, error) : CKAM_OK;
}

bool source_is_shifted(const source *s) { return s->engine->shifted; }

bool source_is_noisy(const source *s, double values[2]) {
    memcpy(values, s->engine->two_values, sizeof s->engine->two_values);
    return s->engine->noisy;
}

/* -- Misbehaviour ------------------------------------------------------------------------------------------------- */

void source_log_to(source *s, const open_directory *in, const char *name) {
    s->log_directory = in;
    s->log = name;
}

/* The point x in words, at most `shown` of its numbers and as many as fit: "mu = 1.5, tau = 3, ...". Where the model has no names
 * for what it is evaluated at (Stan), u.1 = ... */
static void write_point(const source *s, const double *x, size_t shown, size_t size, char *text) {
    static const char more[] = ", ...";
    size_t            used = 0, dim = s->engine->dim;
    text[0] = 0;
    for (size_t k = 0; k < dim; k++) {
        char   number[NUMBER_TEXT], name[32];
        size_t room = size - used - (k + 1 < dim ? sizeof more - 1 : 0);
        number_write(x[k], number, sizeof number);
        snprintf(name, sizeof name, "u.%zu", k + 1);
        int length = k < shown ? snprintf(text + used, room, "%s%s = %s", k ? ", " : "",
                                          s->engine->params.count ? s->names[k] : name, number)
                               : INT_MAX;
        if ((size_t)length >= room) {
            memcpy(text + used, more, sizeof more);
            return;
        }
        used += (size_t)length;
    }
}

/* Appended by one call: lines of different chains do not mix. That it cannot be written is no reason to stop a run. */
static void log_fault(const model_handle *s, const double *x, const char *why) {
    size_t dim = s->source->engine->dim, size = 256 + ENGINE_WHY + dim * 64;
    for (size_t k = 0; k < s->source->engine->params.count; k++) size += strlen(s->source->names[k]);
    char *text = malloc(size), *point = malloc(size);
    int   file = s->source->log ? openat(file_directory(s->source->log_directory), s->source->log,
                                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                                : -1;
    if (text && point && file >= 0) {
        write_point(s->source, x, dim, size, point);
        int length = snprintf(text, size, "chain %zu: %s; at %s\n", s->chain + 1, why, point);
        if ((size_t)length < size) (void)!write(file, text, (size_t)length);
    }
    if (file >= 0) close(file);
    free(text);
    free(point);
}

static int fail_at(model_handle *s, ckam_status status, const double *x, const char *what) {
    char point[120];
    write_point(s->source, x, SHOWN, sizeof point, point);
    error_fill(&s->failure, status, "%.190s%s%.100s", what, *point ? "; at " : "", point);
    return status;
}

static void note_reject(model_handle *s, const double *x, const char *why) {
    char point[FIRST_TEXT / 2];
    if (*s->first) return;
    write_point(s->source, x, SHOWN, sizeof point, point);
    snprintf(s->first, sizeof s->first, "%s: %s", point, why);
}

/* It crashed or was too slow. */
static int note_fault(model_handle *s, const double *x, const char *why) {
    char what[ENGINE_WHY + 40];
    s->faults++;
    log_fault(s, x, why);
    note_reject(s, x, why);
    if (++s->in_a_row < FAULTS_MOST) return CKAM_REJECT;
    snprintf(what, sizeof what, "the model failed %d times in a row: %s", FAULTS_MOST, why);
    return fail_at(s, CKAM_ERROR_TARGET, x, what);
}

/* -- Handles -------------------------------------------------------------------------------------------------------- */

/* The target of a chain. */
static int evaluate(void *context, const double *u, double *value) {
    model_handle *s = context;
    engine       *e = s->source->engine;
    const double *x = u;
    double        jacobian = 0.0;
    char          why[ENGINE_WHY];
    if (s->source->bounded) {
        jacobian = params_constrain(&e->params, u, s->x);
        x = s->x;
        if (!(jacobian > -HUGE_VAL)) { /* outside of a box, or beyond the range of numbers */
            s->outside += params_outside(&e->params, u);
            return CKAM_REJECT;
        }
    }
    why[0] = 0;
    switch (e->type->evaluate(e, s->inside, x, value, why)) {
    case ENGINE_VALUE:
        s->in_a_row = 0;
        if (*value == HUGE_VAL)
            return fail_at(s, CKAM_ERROR_INFINITE, x,
                           "the log density is +infinity; it must be finite, or -infinity where the density is 0");
        if (!(*value > -HUGE_VAL)) note_reject(s, x, isnan(*value) ? "it is nan" : "it is -infinity");
        *value += jacobian;
        return CKAM_OK;
    case ENGINE_REJECT:
        s->in_a_row = 0;
        note_reject(s, x, *why ? why : "the model rejects it");
        return CKAM_REJECT;
    case ENGINE_FAULT:
        return note_fault(s, x, why);
    default:
        return fail_at(s, CKAM_ERROR_TARGET, x, why);
    }
}

ckam_status model_attach(source *s, size_t chain, model_handle **handle, ckam_target *target, ckam_error *error) {
    engine *e = s->engine;
    model_handle *new = *handle = calloc(1, sizeof *new);
    if (new) new->x = calloc(e->dim, sizeof *new->x);
    if (new) new->last = calloc(e->dim, sizeof *new->last);
    if (!new || !new->x || !new->last) {
        model_detach(new);
        *handle = NULL;
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a chain of %zu parameters", e->dim);
    }
    new->source = s;
    new->chain = chain;
    new->last[0] = (double)NAN;
    ckam_status status = e->type->attach ? e->type->attach(e, chain, &new->inside, error) : CKAM_OK;
    if (status) {
        free(new->x);
        free(new->last);
        free(new);
        *handle = NULL;
        return status;
    }
    *target = (ckam_target){.dim = e->dim, .log_density = evaluate, .context = new, .boxed = s->boxed};
    return CKAM_OK;
}

source *source_of(const ckam_target *target, model_handle **handle) {
    if (target->log_density != evaluate) return NULL;
    *handle = target->context;
    (*handle)->last[0] = (double)NAN;
    return (*handle)->source;
}

void model_handle_point(model_handle *s, const double *u, size_t size, char *text) {
    if (s->source->bounded) params_constrain(&s->source->engine->params, u, s->x);
    write_point(s->source, s->source->bounded ? s->x : u, SHOWN, size, text);
}

void model_detach(model_handle *s) {
    if (!s) return;
    engine *e = s->source ? s->source->engine : NULL;
    if (e && e->type->detach) e->type->detach(e, s->inside);
    free(s->x);
    free(s->last);
    free(s);
}

ckam_status model_handle_row(model_handle *s, const double *u, double *row, ckam_error *error) {
    engine *e = s->source->engine;
    size_t  plain = e->params.count, bytes = e->dim * sizeof *u;
    char    why[ENGINE_WHY] = "";
    int     code = CKAM_OK;
    if (!memcmp(u, s->last, bytes)) return CKAM_OK;
    memcpy(s->last, u, bytes);
    if (s->source->bounded)
        params_constrain(&e->params, u, row);
    else if (plain)
        memcpy(row, u, bytes);
    if (!e->derived) return CKAM_OK;
    const double *x = plain ? row : u;
    double       *derived = row + plain;
    for (size_t k = 0; k < e->derived; k++) derived[k] = (double)NAN; /* for what is left out */
    engine_answer answer = e->type->derive(e, s->inside, x, derived, why);
    if (answer == ENGINE_VALUE) return CKAM_OK;
    if (answer == ENGINE_REJECT) note_reject(s, x, why);
    if (answer == ENGINE_FAULT) code = note_fault(s, x, why);
    if (answer == ENGINE_STOP) code = fail_at(s, CKAM_ERROR_TARGET, x, why);
    if (code == CKAM_OK || code == CKAM_REJECT) return CKAM_OK;
    *error = s->failure;
    return s->failure.status;
}

void source_spread(const source *s, double *u) { params_spread(&s->engine->params, u); }

ckam_status source_unconstrain(source *s, const double *given, double *u, ckam_error *error) {
    engine *e = s->engine;
    char    why[ENGINE_WHY] = "";
    size_t  wrong = 0;
    if (e->type->unconstrain) {
        if (e->type->unconstrain(e, given, u, why) == ENGINE_VALUE) return CKAM_OK;
        return fail_with(error, CKAM_ERROR_ARGUMENT, "%s", why);
    }
    if (params_unconstrain(&e->params, given, u, &wrong)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_ARGUMENT, "%.60s is %.10g, which is not within its bounds", s->names[wrong],
                     given[wrong]);
}

const ckam_error *model_handle_failure(const model_handle *s) { return s->failure.status ? &s->failure : NULL; }
const char       *model_handle_first_reject(const model_handle *s) { return s->first; }
uint64_t          model_handle_faults(const model_handle *s) { return s->faults; }
uint64_t          model_handle_outside(const model_handle *s) { return s->outside; }
