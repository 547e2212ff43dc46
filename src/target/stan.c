/* stan.c - a model of Stan's, compiled to a shared object by BridgeStan (version 2 of its C interface).
 *
 * Sampled on the unconstrained space, where the model adds the Jacobian itself; a row of draws is what the model makes of a
 * point: parameters, transformed parameters, generated quantities. docs/stan.md is for users. */
#include "base/checksum.h"
#include "base/error.h"
#include "rng/rng.h"
#include "target/engine.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 2 };

typedef struct bs_model bs_model;
typedef struct bs_rng   bs_rng;

/* The functions that are called. A failure is a code that is not 0, or NULL, and a message that is ours to free with
 * free_error_msg(); what they should have written is as it was. */
typedef struct stan_calls {
    bs_model *(*model_construct)(const char *data, unsigned seed, char **message);
    void (*model_destruct)(bs_model *model);
    void (*free_error_msg)(char *message);
    const char *(*model_info)(const bs_model *model);
    const char *(*param_names)(const bs_model *model, bool transformed, bool generated);
    int (*param_num)(const bs_model *model, bool transformed, bool generated);
    int (*param_unc_num)(const bs_model *model);
    int (*param_constrain)(const bs_model *model, bool transformed, bool generated, const double *u, double *out,
                           bs_rng *numbers, char **message);
    int (*param_unconstrain)(const bs_model *model, const double *x, double *u, char **message);
    int (*log_density)(const bs_model *model, bool drop_constants, bool jacobian, const double *u, double *value,
                       char **message);
    bs_rng *(*rng_construct)(unsigned seed, char **message);
    void (*rng_destruct)(bs_rng *numbers);
    int (*set_print_callback)(void (*print)(const char *text, size_t size), char **message);
} stan_calls;

typedef struct stan {
    engine     base; /* first */
    stan_calls call;
    bs_model  *model;
    uint64_t   seed;
} stan;

/* -- Words -------------------------------------------------------------------------------------------------------- */

/* A message of the model on one line of ENGINE_WHY bytes, and frees it. "log_density() failed with exception: " in front of it
 * is left out: where it happened stands at the end, and shall fit. */
static void take_message(const stan *s, char *message, char *why) {
    const char *prefix = " failed with exception: ";
    const char *text = message ? message : "", *found = strstr(text, prefix);
    size_t      used = 0;
    if (found) text = found + strlen(prefix);
    for (; *text && used + 1 < ENGINE_WHY; text++) {
        char letter = *text;
        if (isspace((unsigned char)letter) || iscntrl((unsigned char)letter)) letter = ' ';
        if (letter != ' ' || (used && why[used - 1] != ' ')) why[used++] = letter;
    }
    if (*text) /* cut: not within a character of UTF-8 */
        while (used && ((unsigned char)*text & 0xC0) == 0x80) text--, used--;
    while (used && why[used - 1] == ' ') used--;
    why[used] = 0;
    if (message) s->call.free_error_msg(message);
}

/* What a model prints must not mix with what the command prints. The model calls this for one text at a time. */
static void print(const char *text, size_t size) {
    while (size) {
        ssize_t count = write(STDERR_FILENO, text, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        text += count;
        size -= (size_t)count;
    }
}

/* -- Chains ------------------------------------------------------------------------------------------------------- */

/* A chain needs its number alone, for the seeds of its rows. */
static ckam_status attach(engine *e, size_t chain, void **handle, ckam_error *error) {
    const stan *s = (const stan *)e;
    rng        *r = *handle = malloc(sizeof *r);
    if (!r) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a chain");
    rng_init(r, s->seed, chain);
    return CKAM_OK;
}

static void detach(engine *e, void *handle) {
    (void)e;
    free(handle);
}

static engine_answer evaluate(engine *e, void *handle, const double *x, double *value, char *why) {
    const stan *s = (const stan *)e;
    char       *message = NULL;
    (void)handle;
    if (!s->call.log_density(s->model, false, true, x, value, &message)) return ENGINE_VALUE;
    take_message(s, message, why);
    return ENGINE_REJECT;
}

/* The random numbers of a row. The state of a bs_rng cannot be saved, and a run that goes on must write what it would have
 * written: so each row has its own, seeded by the run's seed, the chain and the point. A chain that stays where it is keeps its
 * generated quantities, as it keeps its parameters. RNG_EXACT is free here: it belongs to built-in models. */
static bs_rng *row_numbers(const stan *s, const rng *handle, const double *x, char **message) {
    rng r = *handle;
    rng_at(&r, checksum(x, s->base.dim * sizeof *x), RNG_EXACT);
    return s->call.rng_construct((unsigned)(rng_word(&r) >> 32), message);
}

/* Of a row that fails, what can be had: the parameters, and the transformed ones. The rest is NaN. */
static void salvage(const stan *s, const double *x, double *out) {
    for (size_t k = 0; k < s->base.derived; k++) out[k] = (double)NAN;
    if (!s->call.param_constrain(s->model, false, false, x, out, NULL, NULL))
        (void)s->call.param_constrain(s->model, true, false, x, out, NULL, NULL);
}

static engine_answer derive(engine *e, void *handle, const double *x, double *out, char *why) {
    const stan *s = (const stan *)e;
    char       *message = NULL;
    bs_rng     *numbers = e->random ? row_numbers(s, handle, x, &message) : NULL;
    if (e->random && !numbers) {
        take_message(s, message, why);
        return ENGINE_STOP;
    }
    int code = s->call.param_constrain(s->model, true, e->random, x, out, numbers, &message);
    if (numbers) s->call.rng_destruct(numbers);
    if (!code) return ENGINE_VALUE;
    take_message(s, message, why);
    salvage(s, x, out);
    return ENGINE_REJECT;
}

static engine_answer unconstrain(engine *e, const double *columns, double *u, char *why) {
    const stan *s = (const stan *)e;
    char       *message = NULL;
    if (!s->call.param_unconstrain(s->model, columns, u, &message)) return ENGINE_VALUE;
    take_message(s, message, why);
    return ENGINE_REJECT;
}

/* The shared object stays loaded: unloading C++ with threads about can lock up. */
static void shut(engine *e) {
    stan *s = (stan *)e;
    if (s->model) s->call.model_destruct(s->model);
    engine_clean(e);
    free(s);
}

static const engine_type stan_type = {.attach = attach,
                                      .detach = detach,
                                      .evaluate = evaluate,
                                      .derive = derive,
                                      .unconstrain = unconstrain,
                                      .close = shut};

/* -- Opening ------------------------------------------------------------------------------------------------------ */

/* A name without a slash would be looked for in the system's folders. */
static ckam_status load(void **library, const char *path, ckam_error *error) {
    size_t size = strlen(path) + sizeof "./";
    char  *here = malloc(size);
    if (!here) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a path");
    snprintf(here, size, "%s%s", strchr(path, '/') ? "" : "./", path);
    *library = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    free(here);
    if (*library) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_INPUT, "cannot load the Stan model: %.200s", dlerror());
}

static ckam_status find_calls(stan_calls *calls, void *library, const char *path, ckam_error *error) {
#define CALL(name)                                                                                                     \
    { "bs_" #name, offsetof(stan_calls, name) }
    static const struct {
        const char *name;
        size_t      offset;
    } table[] = {CALL(model_construct),   CALL(model_destruct),    CALL(free_error_msg), CALL(model_info),
                 CALL(param_names),       CALL(param_num),         CALL(param_unc_num),  CALL(param_constrain),
                 CALL(rng_construct),     CALL(param_unconstrain), CALL(rng_destruct),   CALL(log_density),
                 CALL(set_print_callback)};
#undef CALL
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        void *symbol = dlsym(library, table[i].name);
        bool  optional = table[i].offset == offsetof(stan_calls, set_print_callback);
        if (!symbol && !optional)
            return fail_with(error, CKAM_ERROR_FORMAT,
                             "%.120s lacks the function %s of BridgeStan %d; make it anew with BridgeStan", path,
                             table[i].name, VERSION);
        memcpy((char *)calls + table[i].offset, &symbol, sizeof symbol);
    }
    return CKAM_OK;
}

static ckam_status find_symbols(stan *s, const char *path, ckam_error *error) {
    void       *library;
    ckam_status status = load(&library, path, error);
    if (status) return status;
    const int *version = dlsym(library, "bs_major_version");
    if (!version)
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "%.120s lacks bs_major_version, so it is no model of BridgeStan %d; make it anew with that",
                         path, VERSION);
    if (*version != VERSION)
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "%.120s was made with version %d of BridgeStan; version %d is needed, make it anew with that",
                         path, *version, VERSION);
    return find_calls(&s->call, library, path, error);
}

/* BridgeStan takes a text that ends in .json for a path, and an empty one for no data. One that is an object is neither. */
static bool is_object(const char *data) {
    const char *spaces = " \t\r\n";
    size_t      length = strlen(data);
    while (length && strchr(spaces, data[length - 1])) length--;
    return data[strspn(data, spaces)] == '{' && data[length - 1] == '}';
}

static ckam_status construct(stan *s, const char *path, const char *data, ckam_error *error) {
    char *message = NULL, why[ENGINE_WHY];
    if (data && !is_object(data))
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "the data for %.120s is no JSON object: it must begin with { and end with }", path);
    if (s->call.set_print_callback) (void)s->call.set_print_callback(print, NULL);
    /* Seeds transformed data. Below 2^32 it is the seed itself, as in other programs that use BridgeStan. */
    s->model = s->call.model_construct(data, (unsigned)(s->seed ^ s->seed >> 32), &message);
    if (s->model) return CKAM_OK;
    take_message(s, message, why);
    return fail_with(error, CKAM_ERROR_FORMAT, "the Stan model fails %s: %s", data ? "with its data" : "without --data",
                     *why ? why : "it does not say why");
}

/* Splits "mu,theta.1,theta.2". */
static ckam_status split_names(engine *e, const char *list, const char *path, ckam_error *error) {
    size_t count = 1;
    for (const char *at = list; *at; at++) count += *at == ',';
    if (count != e->derived)
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "%.120s gives %zu names for %zu numbers; make it anew with BridgeStan", path, count,
                         e->derived);
    e->derived_names = calloc(count, sizeof *e->derived_names);
    for (size_t k = 0; e->derived_names && k < count; k++) {
        size_t length = strcspn(list, ",");
        e->derived_names[k] = strndup(list, length);
        if (!e->derived_names[k]) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the names");
        for (char *at = e->derived_names[k]; *at; at++)
            if (*at == ':') *at = '.'; /* of tuples; other tools know no such names */
        list += length + 1;
    }
    return e->derived_names ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the names");
}

static ckam_status describe(stan *s, const char *path, ckam_error *error) {
    engine     *e = &s->base;
    int         dim = s->call.param_unc_num(s->model), columns = s->call.param_num(s->model, true, true);
    const char *info = s->call.model_info(s->model), *names = s->call.param_names(s->model, true, true);
    if (dim <= 0 || columns <= 0)
        return fail_with(error, CKAM_ERROR_FORMAT, "%.120s has no parameters, so there is nothing to draw", path);
    e->dim = (size_t)dim;
    e->derived = (size_t)columns;
    e->random = columns != s->call.param_num(s->model, true, false);
    int given = s->call.param_num(s->model, false, false);
    e->given = given > 0 ? (size_t)given : 0;
    e->threads = info && strstr(info, "STAN_THREADS=true");
    return split_names(e, names ? names : "", path, error);
}

ckam_status stan_open(engine **e, const char *path, const char *data, uint64_t seed, ckam_error *error) {
    stan *s = calloc(1, sizeof *s);
    *e = NULL;
    if (!s) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a model");
    s->base.type = &stan_type;
    s->seed = seed;
    ckam_status status = find_symbols(s, path, error);
    if (!status) status = construct(s, path, data, error);
    if (!status) status = describe(s, path, error);
    if (status)
        shut(&s->base);
    else
        *e = &s->base;
    return status;
}
