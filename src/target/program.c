/* program.c - a user's program in any language as an engine: points go to its input, answers come from its output.
 *
 * There are several processes of it, the workers. A chain takes one that is free for one evaluation, so the chains' points are
 * under way at once, and which worker answers does not matter. worker.h has the processes, protocol.h the lines, lag.h the test
 * whether answers still belong to the points that were asked. */
#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "target/engine.h"
#include "target/lag.h"
#include "target/protocol.h"
#include "target/worker.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
    LINE_MOST = 65536,    /* bytes of an answer, */
    NUMBER_MOST = 32,     /* and for each number in it */
    FIRST_MOST = 4194304, /* of a first line, which may have many names */
    NAMES_MOST = 120000,  /* of CKAM_PARAMS: Linux refuses to start a process with more than 131072 in one text */
    STARTS_MOST = 2,      /* that may come to nothing before the first answer */
    VERIFY_MOST = 3       /* faults of a process whose answers are checked */
};
static const double greeting_patience = 60.0, ending_patience = 1.0; /* seconds */

/* A slot for a worker. */
typedef struct slot {
    worker        worker;
    size_t        number; /* from 1 */
    bool          busy;
    bool          known;    /* this process has said its first line */
    bool          sent;     /* it has read the whole point that it was asked last */
    double        deadline; /* for its answer */
    engine_answer posed;    /* of program_verify(): whether its first question is under way */
    lag_check     lag;      /* of all processes that were here */
} slot;

typedef struct program {
    engine          engine; /* first */
    char           *command;
    double          timeout, patience;
    ckam_notice    *notice;
    void           *context;
    atomic_bool     heard; /* no notice is due: there was an answer, the notice was given, or there is no callback */
    bool            declared, binary;
    char            dim_text[40], *names_text; /* for the environment; "" and NULL where there is nothing to say */
    pthread_mutex_t lock;                      /* for all below, `busy`, and what the engine has found */
    pthread_cond_t  freed;
    bool            spoken;            /* some worker has said its first line */
    char           *first;             /* which was this greeting; NULL: it was an answer */
    char            shift[ENGINE_WHY]; /* why answers are not to be trusted */
    size_t          early;             /* processes that ended before that */
    size_t          workers;
    slot            slots[];
} program;

typedef struct program_handle {
    char   *line;         /* a point as text */
    double *spare;        /* derived numbers that are not used */
    double *last, *drawn; /* points with what was derived there: of the last evaluation, and of the last derive() */
    bool    has_last, has_drawn;
} program_handle;

/* -- Processes ---------------------------------------------------------------------------------------------------- */

extern char **environ;

/* Our environment with what is ours in it; yours to free, but not the texts. */
static char **make_environment(char *const *added) {
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **list = calloc(count + 4, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        bool ours = !strncmp(environ[i], "CKAM_DIM=", 9) || !strncmp(environ[i], "CKAM_PARAMS=", 12) ||
                    !strncmp(environ[i], "CKAM_WORKER=", 12);
        if (!ours) list[kept++] = environ[i];
    }
    for (size_t i = 0; list && added[i]; i++) list[kept++] = added[i];
    return list;
}

/* False, and why is filled. */
static bool start(program *p, slot *s, char *why) {
    char  number[40], *added[4] = {number, NULL};
    char *texts[] = {*p->dim_text ? p->dim_text : NULL, p->names_text};
    for (size_t i = 0, count = 1; i < 2; i++)
        if (texts[i]) added[count++] = texts[i];
    snprintf(number, sizeof number, "CKAM_WORKER=%zu", s->number);
    char **environment = make_environment(added);
    int    failure = environment ? worker_start(&s->worker, p->command, environment) : ENOMEM;
    free(environment);
    s->known = false;
    s->worker.most = FIRST_MOST;
    lag_restart(&s->lag);
    if (failure)
        snprintf(why, ENGINE_WHY, "worker %zu of the program cannot be started: %s", s->number, strerror(failure));
    return !failure;
}

/* The process ended or closed its output. */
static engine_answer gone(program *p, slot *s, char *why) {
    char how[WORKER_TEXT];
    int  status = worker_end(&s->worker), code = status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    worker_ending(status, how);
    pthread_mutex_lock(&p->lock);
    bool   spoken = p->spoken;
    size_t early = ++p->early;
    pthread_mutex_unlock(&p->lock);
    if (!spoken && (code == 127 || code == 126)) {
        snprintf(why, ENGINE_WHY, "the command %s (exit status %d): '%.80s'; see what the shell printed",
                 code == 127 ? "was not found" : "cannot be run", code, p->command);
        return ENGINE_STOP;
    }
    if (!spoken && early >= STARTS_MOST) {
        snprintf(why, ENGINE_WHY,
                 "the program ended %zu times before it answered anything, the last time with %s: '%.60s'", early, how,
                 p->command);
        return ENGINE_STOP;
    }
    bool closed = status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    snprintf(why, ENGINE_WHY, "worker %zu of the program %s %s instead of answering", s->number,
             closed ? "closed its output or was ended by" : "ended with", how);
    return ENGINE_FAULT;
}

/* What the state of a worker that is not good means; `limit` are the seconds that it had. */
static engine_answer judge(program *p, slot *s, worker_state state, double limit, char *why) {
    char   shown[QUOTE_TEXT];
    size_t there = s->worker.end - s->worker.begin;
    quote(there ? s->worker.bytes + s->worker.begin : "", there, shown);
    if (state == WORKER_GONE) return gone(p, s, why);
    if (state == WORKER_LATE && p->binary)
        snprintf(why, ENGINE_WHY, "worker %zu of the program took longer than %g s", s->number, limit);
    else if (state == WORKER_LATE && there)
        snprintf(why, ENGINE_WHY,
                 "worker %zu of the program took longer than %g s; it wrote '%s' without an end of line", s->number,
                 limit, shown);
    else if (state == WORKER_LATE)
        snprintf(why, ENGINE_WHY, "worker %zu of the program took longer than %g s%s", s->number, limit,
                 s->known ? "" : ", from its start; does it flush its output?");
    else if (state == WORKER_FLOOD)
        snprintf(why, ENGINE_WHY,
                 "the program wrote %zu bytes without an end of line, beginning with '%s'; expected was a line", there,
                 shown);
    else
        snprintf(why, ENGINE_WHY, "there is no memory for what worker %zu of the program writes", s->number);
    return state == WORKER_LATE ? ENGINE_FAULT : ENGINE_STOP;
}

/* Waits for output; until the first answer it gives one notice when `patience` has passed. */
static void await_first(program *p, slot *s, double deadline) {
    char sentence[ENGINE_WHY + 100];
    if (atomic_load_explicit(&p->heard, memory_order_relaxed)) return;
    double soon = clock_seconds() + p->patience;
    if (s->worker.end > s->worker.begin || soon >= deadline) return;
    if (worker_look(&s->worker, soon) == WORKER_GONE || s->worker.end > s->worker.begin) return;
    if (atomic_exchange(&p->heard, true)) return;
    snprintf(sentence, sizeof sentence,
             "no answer from '%.120s' for %g s; if it prints answers, does it flush its output? In Python: "
             "print(..., flush=True)",
             p->command, p->patience);
    p->notice(p->context, sentence);
}

/* -- The first line ----------------------------------------------------------------------------------------------- */

/* The greeting of the first process, which holds for all. Under the lock. */
static bool learn(program *p, const char *line, size_t length, char *why) {
    greeting   g;
    ckam_error error;
    if (!greeting_is(line)) return p->spoken = true;
    if (greeting_read(&g, line, length, &error)) {
        snprintf(why, ENGINE_WHY, "%.*s", ENGINE_WHY - 1, error.message);
        return false;
    }
    bool good = greeting_agrees(&g, &p->engine.params, why);
    greeting_free(&g);
    p->first = good ? strdup(line) : NULL;
    if (good && !p->first) snprintf(why, ENGINE_WHY, "there is no memory for the first line of a program");
    return p->spoken = p->first;
}

/* The greeting of every other process must be the same. */
static bool same(const program *p, const slot *s, const char *line, size_t length, char *why) {
    char now[QUOTE_TEXT], before[QUOTE_TEXT] = "";
    if (p->first ? !strcmp(p->first, line) : !greeting_is(line)) return true;
    quote(line, length, now);
    if (p->first) quote(p->first, strlen(p->first), before);
    snprintf(why, ENGINE_WHY,
             "worker %zu of the program begins with '%.40s', another one %s%.40s%s; all must say the same", s->number,
             now, p->first ? "with '" : "with an answer", before, p->first ? "'" : "");
    return false;
}

static bool check_first(program *p, slot *s, const char *line, size_t length, char *why) {
    pthread_mutex_lock(&p->lock);
    bool good = p->spoken ? same(p, s, line, length, why) : learn(p, line, length, why);
    pthread_mutex_unlock(&p->lock);
    s->known = true;
    s->worker.most = LINE_MOST + NUMBER_MOST * (1 + p->engine.derived);
    return good;
}

/* Waits for the greeting of a process, where there must be one. */
static engine_answer await_greeting(program *p, slot *s, char *why) {
    double limit = fmin(p->timeout, greeting_patience);
    char  *line;
    size_t length;
    double deadline = clock_seconds() + limit;
    await_first(p, s, deadline);
    worker_state state = worker_line(&s->worker, deadline, &line, &length);
    if (state) return judge(p, s, state, limit, why);
    if (answer_is_stop(line, why)) return ENGINE_STOP;
    return check_first(p, s, line, length, why) ? ENGINE_VALUE : ENGINE_STOP;
}

/* -- One evaluation ----------------------------------------------------------------------------------------------- */

static size_t write_point(const double *x, size_t dim, char *line) {
    char *end = line;
    for (size_t k = 0; k < dim; k++) {
        end += number_put(x[k], end);
        *end++ = k + 1 < dim ? ' ' : '\n';
    }
    return (size_t)(end - line);
}

static engine_answer receive_numbers(program *p, slot *s, double *value, double *derived, char *why) {
    const char  *bytes;
    size_t       rest = p->engine.derived * sizeof *derived;
    worker_state state = worker_take(&s->worker, sizeof *value + rest, s->deadline, &bytes);
    if (state) return judge(p, s, state, p->timeout, why);
    memcpy(value, bytes, sizeof *value);
    if (rest) memcpy(derived, bytes + sizeof *value, rest);
    return ENGINE_VALUE;
}

static engine_answer receive_line(program *p, slot *s, double *value, double *derived, char *why) {
    char        *line;
    size_t       length;
    bool         fresh = !s->known;
    worker_state state = worker_line(&s->worker, s->deadline, &line, &length);
    if (!state && fresh) {
        if (answer_is_stop(line, why)) return ENGINE_STOP;
        if (!check_first(p, s, line, length, why)) return ENGINE_STOP;
        if (greeting_is(line)) state = worker_line(&s->worker, s->deadline, &line, &length);
    }
    if (state) return judge(p, s, state, p->timeout, why);
    return answer_read(line, length, p->engine.derived, value, derived, why);
}

/* Answers since the last check may belong to other points: every further evaluation fails with this message. */
static engine_answer distrust(program *p, const char *why) {
    pthread_mutex_lock(&p->lock);
    if (!p->engine.shifted) snprintf(p->shift, sizeof p->shift, "%s", why);
    p->engine.shifted = true;
    pthread_mutex_unlock(&p->lock);
    return ENGINE_STOP;
}

#define ONE_ANSWER "its answers from %llu on may be wrong; let it write exactly one answer per point"

/* Unrequested output of a worker would be read as the answer to the next point. */
static engine_answer check_silence(program *p, const slot *s, char *why) {
    char   shown[QUOTE_TEXT];
    size_t there = s->worker.end - s->worker.begin;
    if (!there) return ENGINE_VALUE;
    quote(s->worker.bytes + s->worker.begin, there, shown);
    snprintf(why, ENGINE_WHY,
             "worker %zu of the program wrote more than one answer to a point: '%.24s' was not asked for; " ONE_ANSWER,
             s->number, shown, (unsigned long long)s->lag.checked + 1);
    return distrust(p, why);
}

/* Asks a process that runs. */
static engine_answer pose(program *p, slot *s, program_handle *handle, const double *x, char *why) {
    engine_answer answer = ENGINE_VALUE;
    if (!s->known && !p->declared) answer = await_greeting(p, s, why);
    if (s->known && answer == ENGINE_VALUE) {
        if (worker_look(&s->worker, 0.0) == WORKER_GONE) return gone(p, s, why);
        answer = check_silence(p, s, why);
    }
    if (answer != ENGINE_VALUE) return answer;
    s->deadline = clock_seconds() + p->timeout;
    size_t       dim = p->engine.dim, size = p->binary ? dim * sizeof *x : write_point(x, dim, handle->line);
    const void  *bytes = p->binary ? (const void *)x : handle->line;
    worker_state state = worker_send(&s->worker, bytes, size, s->deadline);
    s->sent = state == WORKER_GOOD;
    if (!s->sent && state != WORKER_GONE) return judge(p, s, state, p->timeout, why);
    return ENGINE_VALUE; /* also when it did not read all: it may have said why */
}

static engine_answer collect(program *p, slot *s, double *value, double *derived, char *why) {
    await_first(p, s, s->deadline);
    engine_answer answer = (p->binary ? receive_numbers : receive_line)(p, s, value, derived, why);
    if (!s->sent && (answer == ENGINE_VALUE || answer == ENGINE_REJECT)) return gone(p, s, why);
    if (answer != ENGINE_VALUE && answer != ENGINE_REJECT) return answer;
    atomic_store_explicit(&p->heard, true, memory_order_relaxed);
    engine_answer silent = check_silence(p, s, why);
    return silent == ENGINE_VALUE ? answer : silent;
}

/* -- Answers that are late ---------------------------------------------------------------------------------------- */

typedef struct question {
    program        *program;
    slot           *slot;
    program_handle *handle;
    bool            posed; /* the first one, already */
} question;

static engine_answer ask_again(void *context, const double *x, double *value, char *why) {
    question     *q = context;
    engine_answer answer = q->posed ? ENGINE_VALUE : pose(q->program, q->slot, q->handle, x, why);
    q->posed = false;
    return answer == ENGINE_VALUE ? collect(q->program, q->slot, value, q->handle->spare, why) : answer;
}

/* Whether the answers of a worker belong to the points that it was asked. */
static engine_answer verify(question *q, char *why) {
    program      *p = q->program;
    slot         *s = q->slot;
    char          late[40] = "";
    lag_finding   found;
    engine_answer answer = lag_verify(&s->lag, ask_again, q, &found, why);
    if (answer != ENGINE_VALUE || found.kind == LAG_NONE) return answer;
    if (found.kind == LAG_NOISE) {
        pthread_mutex_lock(&p->lock);
        if (!p->engine.noisy) memcpy(p->engine.two_values, found.value, sizeof found.value);
        p->engine.noisy = true;
        pthread_mutex_unlock(&p->lock);
        return ENGINE_VALUE;
    }
    if (found.by) snprintf(late, sizeof late, " (%zu too late)", found.by);
    snprintf(why, ENGINE_WHY, "worker %zu of the program answers with values of other points%s: " ONE_ANSWER, s->number,
             late, (unsigned long long)s->lag.checked + 1);
    return distrust(p, why);
}

static engine_answer exchange(program *p, slot *s, program_handle *handle, const double *x, double *value,
                              double *derived, char *why) {
    engine_answer answer = ENGINE_VALUE;
    if (p->engine.shifted) {
        snprintf(why, ENGINE_WHY, "%s", p->shift);
        return ENGINE_STOP;
    }
    if (!s->worker.pid && !start(p, s, why)) return ENGINE_STOP;
    /* Random values cannot be told from those of other points. */
    if (lag_is_due(&s->lag) && !p->engine.noisy) answer = verify(&(question){p, s, handle, false}, why);
    if (answer == ENGINE_VALUE) answer = pose(p, s, handle, x, why);
    if (answer == ENGINE_VALUE) answer = collect(p, s, value, derived, why);
    if (answer == ENGINE_VALUE) lag_note(&s->lag, x, *value);
    if (answer == ENGINE_REJECT) lag_note(&s->lag, x, (double)NAN);
    return answer;
}

static slot *take_slot(program *p) {
    slot *found = NULL;
    pthread_mutex_lock(&p->lock);
    while (!found) {
        for (size_t i = 0; i < p->workers && !found; i++)
            if (!p->slots[i].busy) found = &p->slots[i];
        if (!found) pthread_cond_wait(&p->freed, &p->lock);
    }
    found->busy = true;
    pthread_mutex_unlock(&p->lock);
    return found;
}

/* A worker with a wrong answer is ended: its state is unknown. */
static engine_answer ask(program *p, program_handle *handle, const double *x, double *value, double *derived,
                         char *why) {
    slot         *s = take_slot(p);
    engine_answer answer = exchange(p, s, handle, x, value, derived, why);
    if (answer != ENGINE_VALUE && answer != ENGINE_REJECT) worker_end(&s->worker);
    pthread_mutex_lock(&p->lock);
    s->busy = false;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->lock);
    return answer;
}

/* -- The engine --------------------------------------------------------------------------------------------------- */

static void program_detach(engine *e, void *of) {
    (void)e;
    program_handle *handle = of;
    if (!handle) return;
    free(handle->line);
    free(handle->spare);
    free(handle->last);
    free(handle->drawn);
    free(handle);
}

static ckam_status program_attach(engine *e, size_t chain, void **of, ckam_error *error) {
    (void)chain;
    program_handle *handle = *of = calloc(1, sizeof *handle);
    size_t          room = e->dim + e->derived;
    if (handle) {
        handle->line = malloc((e->dim + 1) * NUMBER_TEXT);
        handle->spare = calloc(e->derived + 1, sizeof *handle->spare);
        handle->last = calloc(room, sizeof *handle->last);
        handle->drawn = calloc(room, sizeof *handle->drawn);
    }
    if (handle && handle->line && handle->spare && handle->last && handle->drawn) return CKAM_OK;
    program_detach(e, handle);
    *of = NULL;
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a chain of %zu parameters", e->dim);
}

static engine_answer program_evaluate(engine *e, void *of, const double *x, double *value, char *why) {
    program_handle *handle = of;
    handle->has_last = false;
    engine_answer answer = ask((program *)e, handle, x, value, handle->last + e->dim, why);
    if (answer != ENGINE_VALUE || !e->derived) return answer;
    memcpy(handle->last, x, e->dim * sizeof *x);
    handle->has_last = true;
    return ENGINE_VALUE;
}

/* A draw is where the last evaluation was, or, if that was not accepted, where the last draw was. So the program is asked again
 * only where draws are left out between two that are saved, and after a run was taken up again. */
static engine_answer program_derive(engine *e, void *of, const double *x, double *out, char *why) {
    program_handle *handle = of;
    size_t          size = e->dim * sizeof *x, all = size + e->derived * sizeof *x;
    double          value;
    if (!handle->has_drawn || memcmp(handle->drawn, x, size) != 0) {
        if (!handle->has_last || memcmp(handle->last, x, size) != 0) {
            engine_answer answer = program_evaluate(e, of, x, &value, why);
            if (answer != ENGINE_VALUE) return answer;
        }
        memcpy(handle->drawn, handle->last, all);
        handle->has_drawn = true;
    }
    memcpy(out, handle->drawn + e->dim, all - size);
    return ENGINE_VALUE;
}

/* A fault is not the fault of the point that is asked again, which was answered before: another process may do better. */
static engine_answer verify_worker(question *q, bool restart, char *why) {
    slot         *s = q->slot;
    engine_answer answer = ENGINE_FAULT;
    for (int tries = 0; tries < VERIFY_MOST && answer == ENGINE_FAULT; tries++) {
        if (!s->worker.pid && !restart) return ENGINE_VALUE;
        if (!s->worker.pid && !start(q->program, s, why)) return ENGINE_STOP;
        answer = verify(q, why);
        if (answer != ENGINE_VALUE) worker_end(&s->worker);
    }
    return answer;
}

/* All workers are asked before the first answer is awaited: they compute at the same time. */
static ckam_status program_verify(engine *e, bool restart, ckam_error *error) {
    program    *p = (program *)e;
    void       *handle = NULL;
    char        why[ENGINE_WHY];
    ckam_status status = CKAM_OK;
    if (e->shifted) return fail_with(error, CKAM_ERROR_TARGET, "%s", p->shift);
    if (!e->noisy) status = program_attach(e, 0, &handle, error);
    for (size_t i = 0; handle && i < p->workers; i++) {
        slot *s = &p->slots[i];
        s->posed = ENGINE_FAULT;
        if (s->lag.answered > s->lag.checked && s->worker.pid) s->posed = pose(p, s, handle, s->lag.last, why);
        if (s->posed == ENGINE_STOP) status = fail_with(error, CKAM_ERROR_TARGET, "%s", why);
    }
    for (size_t i = 0; handle && i < p->workers; i++) {
        slot    *s = &p->slots[i];
        question q = {p, s, handle, s->posed == ENGINE_VALUE};
        if (s->posed == ENGINE_STOP || s->lag.answered == s->lag.checked) continue;
        if (verify_worker(&q, restart, why) != ENGINE_VALUE && !status)
            status = fail_with(error, CKAM_ERROR_TARGET, "the last answers cannot be confirmed: %s", why);
    }
    program_detach(e, handle);
    return status;
}

static void program_close(engine *e) {
    program *p = (program *)e;
    double   deadline = clock_seconds() + ending_patience;
    for (size_t i = 0; i < p->workers; i++) worker_hang_up(&p->slots[i].worker);
    for (size_t i = 0; i < p->workers; i++) {
        if (p->slots[i].worker.pid) worker_await(&p->slots[i].worker, deadline);
        worker_end(&p->slots[i].worker);
        lag_end(&p->slots[i].lag);
    }
    pthread_cond_destroy(&p->freed);
    pthread_mutex_destroy(&p->lock);
    engine_clean(e);
    free(p->command);
    free(p->names_text);
    free(p->first);
    free(p);
}

static const engine_type program_type = {.attach = program_attach,
                                         .detach = program_detach,
                                         .evaluate = program_evaluate,
                                         .derive = program_derive,
                                         .verify = program_verify,
                                         .close = program_close};

/* -- Opening ------------------------------------------------------------------------------------------------------ */

#define BOTH_WAYS "give --params 'x, y', or let it begin with the line: ckam 1 params x, y"

static ckam_status no_memory(ckam_error *error) {
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a program's parameters");
}

/* The names for the environment: nothing where they are too long for it. */
static ckam_status write_names(program *p, ckam_error *error) {
    const params *of = &p->engine.params;
    size_t        size = sizeof "CKAM_PARAMS=", used;
    for (size_t k = 0; k < of->count; k++) size += strlen(of->at[k].name) + 1;
    snprintf(p->dim_text, sizeof p->dim_text, "CKAM_DIM=%zu", of->count);
    if (size > NAMES_MOST) return CKAM_OK;
    p->names_text = malloc(size);
    if (!p->names_text) return no_memory(error);
    used = (size_t)snprintf(p->names_text, size, "CKAM_PARAMS=");
    for (size_t k = 0; k < of->count; k++)
        used += (size_t)snprintf(p->names_text + used, size - used, "%s%s", k ? "," : "", of->at[k].name);
    return CKAM_OK;
}

static ckam_status declare(program *p, const params *declared, ckam_error *error) {
    p->declared = true;
    p->engine.dim = declared->count;
    ckam_status status = params_copy(&p->engine.params, declared, error);
    return status ? status : write_names(p, error);
}

/* The program says what it computes, and nobody else. */
static ckam_status adopt(program *p, const char *line, size_t length, ckam_error *error) {
    greeting    g;
    ckam_status status = greeting_read(&g, line, length, error);
    if (status) return status;
    p->first = strdup(line);
    p->spoken = true;
    p->binary = g.binary;
    p->engine.params = g.params;
    p->engine.dim = g.params.count;
    g.params = (params){0};
    status = p->first ? engine_name_derived(&p->engine, &g.derived, error) : no_memory(error);
    greeting_free(&g);
    return status;
}

/* Waits for the first process to greet. */
static ckam_status shake_hands(program *p, ckam_error *error) {
    slot  *s = &p->slots[0];
    double limit = fmin(p->timeout, greeting_patience);
    char  *line, why[ENGINE_WHY], shown[QUOTE_TEXT];
    size_t length;
    double deadline = clock_seconds() + limit;
    await_first(p, s, deadline);
    worker_state state = worker_line(&s->worker, deadline, &line, &length);
    if (state == WORKER_LATE)
        return fail_with(error, CKAM_ERROR_TARGET,
                         "the program has not said in %g s what its parameters are; " BOTH_WAYS, limit);
    if (state) {
        judge(p, s, state, limit, why);
        return fail_with(error, CKAM_ERROR_TARGET, "%s", why);
    }
    if (answer_is_stop(line, why)) return fail_with(error, CKAM_ERROR_TARGET, "%s", why);
    if (!greeting_is(line)) {
        quote(line, length, shown);
        return fail_with(error, CKAM_ERROR_TARGET, "the program begins with '%s', not with its parameters; " BOTH_WAYS,
                         shown);
    }
    ckam_status status = adopt(p, line, length, error);
    if (!status) check_first(p, s, p->first, strlen(p->first), why);
    return status;
}

ckam_status program_open(engine **e, const program_setup *setup, ckam_error *error) {
    char why[ENGINE_WHY];
    *e = NULL;
    if (setup->workers < 1 || !(setup->timeout > 0.0))
        return fail_with(error, CKAM_ERROR_ARGUMENT, "a program needs 1 worker at least, and a time limit above 0");
    program *p = calloc(1, sizeof *p + setup->workers * sizeof *p->slots);
    if (!p) return no_memory(error);
    p->engine.type = &program_type;
    p->engine.threads = true;
    p->workers = setup->workers;
    p->timeout = setup->timeout;
    p->patience = setup->patience;
    p->notice = setup->notice;
    p->context = setup->context;
    p->heard = !p->notice;
    for (size_t i = 0; i < p->workers; i++) p->slots[i].number = i + 1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->freed, NULL);
    p->command = strdup(setup->command);
    ckam_status status = p->command ? CKAM_OK : no_memory(error);
    if (!status && setup->declared) status = declare(p, setup->declared, error);
    if (!status && !start(p, &p->slots[0], why)) status = fail_with(error, CKAM_ERROR_TARGET, "%s", why);
    if (!status && !setup->declared) status = shake_hands(p, error);
    for (size_t i = 0; i < p->workers && !status; i++)
        if (!lag_begin(&p->slots[i].lag, p->engine.dim)) status = no_memory(error);
    if (status)
        program_close(&p->engine);
    else
        *e = &p->engine;
    return status;
}
