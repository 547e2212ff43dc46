/* isolate.c - evaluates a model in one process per handle: see engine_isolate() in engine.h.
 *
 * A worker answers one point at a time. One that dies or takes too long is a fault of that evaluation; the next one gets
 * a new worker, forked from the model as it was when the run began, for the same chain. So what is random in
 * derive() should follow from the chain and the point, as in stan.c: a generator that goes on would begin anew. */
#include "base/clock.h"
#include "base/error.h"
#include "target/engine.h"
#include "target/fork_server.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALL_EVALUATE = 1, CALL_DERIVE };

typedef struct request {
    uint32_t call, number;
    double   x[];
} request;

typedef struct reply {
    uint32_t number, answer; /* that of the request: a model could write into our socket */
    double   value;
    char     why[ENGINE_WHY];
    double   derived[]; /* sent for CALL_DERIVE */
} reply;

/* Room for one of each. */
typedef struct letters {
    request *request;
    reply   *reply;
} letters;

typedef struct isolate {
    engine          base; /* what it points to is the inner engine's */
    engine_type     type;
    engine         *inner;
    double          timeout;
    letters         letters; /* a worker's, once it is forked */
    fork_server     server;
    pthread_mutex_t lock; /* of the inner engine in this process */
} isolate;

typedef struct process_handle {
    size_t      chain;
    fork_worker worker;
    letters     letters;
} process_handle;

static isolate *isolate_of(engine *e) { return (isolate *)e; }

static size_t request_size(const engine *e) { return sizeof(request) + e->dim * sizeof(double); }
static size_t reply_size(const engine *e, uint32_t call) {
    return sizeof(reply) + (call == CALL_DERIVE ? e->derived * sizeof(double) : 0);
}

static bool letters_make(letters *l, const engine *e) {
    l->request = calloc(1, request_size(e));
    l->reply = calloc(1, reply_size(e, CALL_DERIVE));
    return l->request && l->reply;
}

static void letters_free(letters *l) {
    free(l->request);
    free(l->reply);
}

/* -- Bytes over a socket, until a moment of clock_seconds() ------------------------------------------------------ */

typedef enum passage { PASSED, PASSED_NOT, PASSED_LATE } passage;

static passage wait_for(int socket, short event, double deadline) {
    struct pollfd wait = {.fd = socket, .events = event};
    for (;;) {
        double left = fmax(0.0, ceil(1e3 * (deadline - clock_seconds())));
        int    count = poll(&wait, 1, isinf(left) ? -1 : (int)fmin(left, 1e6));
        if (count > 0) return PASSED;
        if (count < 0 && errno != EINTR && errno != EAGAIN) return PASSED_NOT;
        if (count == 0 && left == 0.0) return PASSED_LATE; /* after a look, also if the deadline was over before */
    }
}

static passage send_all(int socket, const void *bytes, size_t size, double deadline) {
    const char *at = bytes;
    passage     way = PASSED;
    while (size && !way) {
        ssize_t count = send(socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0)
            at += count, size -= (size_t)count;
        else if (errno == EAGAIN)
            way = wait_for(socket, POLLOUT, deadline);
        else if (errno != EINTR)
            way = PASSED_NOT;
    }
    return way;
}

static passage receive_all(int socket, void *bytes, size_t size, double deadline) {
    char   *at = bytes;
    passage way = PASSED;
    while (size && !way) {
        if (!isinf(deadline)) way = wait_for(socket, POLLIN, deadline);
        if (way) return way;
        ssize_t count = recv(socket, at, size, 0);
        if (count > 0)
            at += count, size -= (size_t)count;
        else if (count == 0 || errno != EINTR)
            way = PASSED_NOT;
    }
    return way;
}

/* -- In a worker -------------------------------------------------------------------------------------------------- */

static void work(void *context, int socket, size_t number) {
    isolate   *i = context;
    engine    *inner = i->inner;
    request   *q = i->letters.request;
    reply     *r = i->letters.reply;
    void      *handle = NULL;
    ckam_error hello = {.status = CKAM_OK, .message = ""};
    if (inner->type->attach) hello.status = inner->type->attach(inner, number, &handle, &hello);
    if (send_all(socket, &hello, sizeof hello, HUGE_VAL) || hello.status) return;
    while (!receive_all(socket, q, request_size(inner), HUGE_VAL)) {
        r->number = q->number;
        r->why[0] = '\0';
        if (q->call == CALL_DERIVE)
            for (size_t k = 0; k < inner->derived; k++) r->derived[k] = (double)NAN;
        r->answer = q->call == CALL_DERIVE ? inner->type->derive(inner, handle, q->x, r->derived, r->why)
                                           : inner->type->evaluate(inner, handle, q->x, &r->value, r->why);
        (void)fflush(stdout); /* what the model has printed: there is no other moment for it */
        if (send_all(socket, r, reply_size(inner, q->call), HUGE_VAL)) return;
    }
}

/* -- In the parent ------------------------------------------------------------------------------------------------ */

static const char server_died[] = "the process that starts those of the model has died";

/* How the worker has ended, in words. False if that cannot be known: the server has died, too. */
static bool end_worker(isolate *i, process_handle *p, passage way, char *why) {
    int status = 0;
    if (fork_server_end(&i->server, &p->worker, way != PASSED_NOT, &status)) {
        snprintf(why, ENGINE_WHY, "%s", server_died);
        return false;
    }
    if (way == PASSED_LATE)
        snprintf(why, ENGINE_WHY, "the model took longer than %g s", i->timeout);
    else if (way == PASSED)
        snprintf(why, ENGINE_WHY, "the model wrote into the socket that its answers come from");
    else if (WIFSIGNALED(status))
        snprintf(why, ENGINE_WHY, "the model died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(why, ENGINE_WHY, "the model called exit with status %d", WEXITSTATUS(status));
    return true;
}

/* Starts the worker of an attached chain. */
static ckam_status start_worker(isolate *i, process_handle *p, ckam_error *error) {
    ckam_error hello;
    char       why[ENGINE_WHY];
    int        problem = fork_server_start(&i->server, p->chain, &p->worker);
    if (problem)
        return fail_with(error, CKAM_ERROR_TARGET, "cannot start a process for the model: %s",
                         problem == EPIPE ? server_died : strerror(problem));
    /* No evaluation yet: a short time for one must not keep a busy machine from starting. */
    passage way = receive_all(p->worker.socket, &hello, sizeof hello, clock_seconds() + fmax(i->timeout, 30.0));
    if (way) {
        end_worker(i, p, way, why);
        return fail_with(error, CKAM_ERROR_TARGET, "before the first evaluation in its process, %s", why);
    }
    if (!hello.status) return CKAM_OK;
    fork_server_end(&i->server, &p->worker, true, &problem);
    hello.message[sizeof hello.message - 1] = '\0';
    return fail_with(error, hello.status, "%s", hello.message);
}

static engine_answer call(isolate *i, process_handle *p, uint32_t what, const double *x, char *why) {
    request   *q = p->letters.request;
    reply     *r = p->letters.reply;
    ckam_error error;
    if (p->worker.socket < 0 && start_worker(i, p, &error)) {
        snprintf(why, ENGINE_WHY, "%.*s", ENGINE_WHY - 1, error.message);
        return ENGINE_STOP;
    }
    double deadline = clock_seconds() + i->timeout;
    q->call = what;
    q->number++;
    memcpy(q->x, x, i->base.dim * sizeof *x);
    passage way = send_all(p->worker.socket, q, request_size(&i->base), deadline);
    if (!way) way = receive_all(p->worker.socket, r, reply_size(&i->base, what), deadline);
    if (way || r->number != q->number || r->answer > ENGINE_STOP)
        return end_worker(i, p, way, why) ? ENGINE_FAULT : ENGINE_STOP;
    if (r->answer != ENGINE_VALUE) snprintf(why, ENGINE_WHY, "%.*s", ENGINE_WHY - 1, r->why);
    return (engine_answer)r->answer;
}

static engine_answer isolate_evaluate(engine *e, void *handle, const double *x, double *value, char *why) {
    process_handle *p = handle;
    engine_answer   answer = call(isolate_of(e), p, CALL_EVALUATE, x, why);
    if (answer == ENGINE_VALUE) *value = p->letters.reply->value;
    return answer;
}

static engine_answer isolate_derive(engine *e, void *handle, const double *x, double *out, char *why) {
    process_handle *p = handle;
    engine_answer   answer = call(isolate_of(e), p, CALL_DERIVE, x, why);
    if (answer <= ENGINE_REJECT) memcpy(out, p->letters.reply->derived, e->derived * sizeof *out); /* what can be had */
    return answer;
}

static engine_answer isolate_unconstrain(engine *e, const double *columns, double *u, char *why) {
    isolate *i = isolate_of(e);
    pthread_mutex_lock(&i->lock);
    engine_answer answer = i->inner->type->unconstrain(i->inner, columns, u, why);
    pthread_mutex_unlock(&i->lock);
    return answer;
}

static void isolate_detach(engine *e, void *handle) {
    process_handle *p = handle;
    int             status;
    if (!p) return;
    if (p->worker.socket >= 0) fork_server_end(&isolate_of(e)->server, &p->worker, true, &status);
    letters_free(&p->letters);
    free(p);
}

static ckam_status isolate_attach(engine *e, size_t chain, void **handle, ckam_error *error) {
    process_handle *p = calloc(1, sizeof *p);
    *handle = NULL;
    if (p) *p = (process_handle){.chain = chain, .worker = {.socket = -1}};
    ckam_status status = p && letters_make(&p->letters, e)
                             ? start_worker(isolate_of(e), p, error)
                             : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the points of a process");
    if (status)
        isolate_detach(e, p);
    else
        *handle = p;
    return status;
}

static void isolate_close(engine *e) {
    isolate *i = isolate_of(e);
    fork_server_close(&i->server);
    i->inner->type->close(i->inner);
    pthread_mutex_destroy(&i->lock);
    letters_free(&i->letters);
    free(i);
}

ckam_status engine_isolate(engine **e, double timeout, ckam_error *error) {
    engine  *inner = *e;
    isolate *i = calloc(1, sizeof *i);
    if (i) {
        *i = (isolate){.base = *inner, .inner = inner, .timeout = timeout};
        i->type = (engine_type){.attach = isolate_attach,
                                .detach = isolate_detach,
                                .evaluate = isolate_evaluate,
                                .derive = inner->type->derive ? isolate_derive : NULL,
                                .unconstrain = inner->type->unconstrain ? isolate_unconstrain : NULL,
                                .close = isolate_close};
        i->base.type = &i->type;
        i->base.threads = true;
        pthread_mutex_init(&i->lock, NULL);
    }
    ckam_status status = i && letters_make(&i->letters, inner)
                             ? fork_server_open(&i->server, work, i, error)
                             : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the model's processes");
    *e = i ? &i->base : NULL;
    if (!status) return CKAM_OK;
    inner->type->close(inner);
    if (i) letters_free(&i->letters);
    free(i);
    *e = NULL;
    return status;
}
