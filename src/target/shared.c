/* shared.c - models in shared objects, as ckam/model.h wants them. See engine.h. */
#define _GNU_SOURCE /* memfd_create(). NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "base/error.h"
#include "base/file.h"
#include "target/data.h"
#include "target/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct shared {
    engine         engine;
    ckam_data     *data; /* the model has pointers into it */
    void          *object;
    struct shared *next; /* of those that are in use */
    double (*log_density)(const double *x);
    void (*derive)(const double *x, double *out);
} shared;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static shared         *in_use; /* models with data */

/* -- The engine ---------------------------------------------------------------------------------------------------- */

/* NOLINTNEXTLINE(readability-non-const-parameter): as an engine_type wants it */
static engine_answer evaluate(engine *e, void *handle, const double *x, double *value, char *why) {
    (void)handle, (void)why;
    *value = ((shared *)e)->log_density(x);
    return ENGINE_VALUE;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as an engine_type wants it */
static engine_answer derive_row(engine *e, void *handle, const double *x, double *out, char *why) {
    (void)handle, (void)why;
    ((shared *)e)->derive(x, out);
    return ENGINE_VALUE;
}

static void close_shared(engine *e) {
    pthread_mutex_lock(&lock);
    for (shared **place = &in_use; *place; place = &(*place)->next)
        if (*place == (shared *)e) {
            *place = (*place)->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    data_free(((shared *)e)->data);
    engine_clean(e);
    free(e);
}

static const engine_type shared_type = {.evaluate = evaluate, .derive = derive_row, .close = close_shared};

/* -- The file ------------------------------------------------------------------------------------------------------ */

/* It is never closed. A model may have started threads, or have left functions to be called at the end of a thread or of the
 * process, and their code must be there then. */
static ckam_status load(const char *path, void **object, ckam_error *error) {
    size_t size = strlen(path) + sizeof "./";
    char  *full = malloc(size); /* without a slash the system's folders would be searched */
    if (!full) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to load %s", shown_path(path, 120).text);
    snprintf(full, size, "%s%s", strchr(path, '/') ? "" : "./", path);
    *object = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    ckam_status status = CKAM_OK;
    if (!*object) {
        const char *reason = dlerror();
        size_t      length = strlen(full);
        if (reason && !strncmp(reason, full, length) && !strncmp(reason + length, ": ", 2)) reason += length + 2;
        status = fail_with(error, CKAM_ERROR_INPUT, "cannot load %s: %.120s", shown_path(path, 100).text,
                           reason ? reason : "no reason given");
    }
    free(full);
    return status;
}

/* The object once more, with variables of its own. Its file is in memory and stays open, so that its name is never another's:
 * what the system has loaded by a name it does not load again. */
static ckam_status load_apart(const char *path, void **object, ckam_error *error) {
    char        name[48], *bytes;
    size_t      size, done = 0;
    ckam_status status = file_read(NULL, path, &bytes, &size, error);
    if (status) return status;
    int file = memfd_create("model", MFD_CLOEXEC);
    while (file >= 0 && done < size) {
        ssize_t count = write(file, bytes + done, size - done);
        if (count <= 0 && errno != EINTR) break;
        done += count > 0 ? (size_t)count : 0;
    }
    free(bytes);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    *object = file >= 0 && done == size ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (*object) return CKAM_OK;
    if (file >= 0) close(file);
    return fail_with(error, CKAM_ERROR_INPUT,
                     "%s has data already for another run, and cannot be loaded a second time; take isolate for "
                     "one of them",
                     shown_path(path, 100).text);
}

/* A model keeps its data in its own variables: two that are in use at the same time need two of them. */
static ckam_status take_object(shared *s, const char *path, void *object, ckam_error *error) {
    ckam_status status = CKAM_OK;
    s->object = object;
    if (!dlsym(object, "read_data")) return CKAM_OK;
    pthread_mutex_lock(&lock);
    const shared *other = in_use;
    while (other && other->object != object) other = other->next;
    if (other) status = load_apart(path, &s->object, error);
    if (!status) {
        s->next = in_use;
        in_use = s;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* *function := the function of this name, or NULL. A function and a pointer to it have the same bytes in POSIX, but C has no
 * conversion between them. */
static bool find(void *object, const char *name, void *function) {
    void *symbol = dlsym(object, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

ckam_status shared_kind(const char *path, bool *is_stan, ckam_error *error) {
    void       *object;
    ckam_status status = load(path, &object, error);
    if (status) return status;
    *is_stan = dlsym(object, "bs_model_construct");
    if (*is_stan || dlsym(object, "log_density")) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_FORMAT,
                     "%s is no model: it has no function log_density that can be seen from outside, and no "
                     "bs_model_construct, as Stan models of BridgeStan have",
                     shown_path(path, 80).text);
}

/* -- What the model says ------------------------------------------------------------------------------------------- */

static ckam_status read_parameters(engine *e, void *object, const params *declared, ckam_error *error) {
    const char *const *list = dlsym(object, "ckam_parameters");
    ckam_status        status = CKAM_OK;
    if (list)
        status = params_list(&e->params, list, "ckam_parameters", true, error);
    else if (declared)
        status = params_copy(&e->params, declared, error);
    else
        status = fail_with(error, CKAM_ERROR_OPTION,
                           "the model does not name its parameters: add --params 'mu, tau > 0', or to the model: const "
                           "char *const ckam_parameters[] = {\"mu\", \"tau > 0\", NULL};");
    if (!status && list && declared) status = params_agree(&e->params, declared, "--params", "the model", error);
    e->dim = e->params.count;
    return status;
}

static ckam_status read_derived(shared *s, void *object, ckam_error *error) {
    const char *const *list = dlsym(object, "ckam_derived");
    bool               function = find(object, "derive", &s->derive);
    if (!list && !function) return CKAM_OK;
    if (!list || !function)
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "the model has %s, but no %s; it needs both for what is saved with each draw, or neither",
                         list ? "the list ckam_derived" : "a function derive",
                         list ? "function derive" : "list ckam_derived");
    params      derived;
    ckam_status status = params_list(&derived, list, "ckam_derived", false, error);
    if (!status) status = params_apart(&s->engine.params, &derived, "ckam_parameters and ckam_derived", error);
    if (!status) status = engine_name_derived(&s->engine, &derived, error);
    params_free(&derived);
    return status;
}

static ckam_status hand_over(shared *s, void *object, const char *data, ckam_error *error) {
    const char *(*function)(const ckam_data *);
    if (!find(object, "read_data", &function)) {
        if (!data) return CKAM_OK;
        return fail_with(error, CKAM_ERROR_OPTION,
                         "--data was given, but the model has no function read_data that would take it; leave --data "
                         "out, or write one");
    }
    ckam_status status = data_create(&s->data, data, error);
    if (status) return status;
    const char *problem = function(s->data);
    if (!problem) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_FORMAT, "the model refuses %s: %.*s",
                     data ? "its data" : "to start without --data", (int)strcspn(problem, "\r\n"), problem);
}

ckam_status shared_open(engine **e, const char *path, const params *declared, const char *data, ckam_error *error) {
    void       *object;
    ckam_status status = load(path, &object, error);
    *e = NULL;
    if (status) return status;
    shared *s = calloc(1, sizeof *s);
    if (!s) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a model");
    s->engine.type = &shared_type;
    s->engine.threads = true;
    status = take_object(s, path, object, error);
    object = s->object;
    if (!status && !find(object, "log_density", &s->log_density))
        status = fail_with(error, CKAM_ERROR_FORMAT,
                           "the model has no function log_density, or it is static: write double log_density(const "
                           "double *x)");
    if (!status) status = hand_over(s, object, data, error);
    if (!status) status = read_parameters(&s->engine, object, declared, error);
    if (!status) status = read_derived(s, object, error);
    if (status)
        close_shared(&s->engine);
    else
        *e = &s->engine;
    return status;
}
