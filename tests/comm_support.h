/* comm_support.h - a communicator whose ranks are threads of this process, each with a run of its own.
 *
 * They meet at a table, where it is seen whether all have come to the same meeting. Includes run_support.h. */
#ifndef CKAM_TESTS_COMM_SUPPORT_H
#define CKAM_TESTS_COMM_SUPPORT_H

#include "run_support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { RANKS_MOST = 8, PATIENCE = 600 }; /* seconds */

typedef struct table table;

/* What a rank brings, does, and gets. */
typedef struct rank {
    ckam_comm   comm;
    table      *at;
    const void *bytes; /* of the present meeting */
    size_t      sizes[RANKS_MOST];
    bool        everywhere;
    ckam_plan  *plan;
    const char *again; /* the directory of a run that goes on; NULL: a new one */
    tricky      trick;
    ckam_target target;
    bool        has_target;
    bool        is_stopped; /* before it goes */
    bool        is_deaf;    /* wants no message */
    ckam_watch *watch;
    ckam_run   *run;
    ckam_status status;
    ckam_error  error;
    pthread_t   thread;
} rank;

struct table {
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    size_t          size, came;
    uint64_t        turns;
    void           *context; /* of watchers */
    rank            rank[RANKS_MOST];
};

/* cmocka cannot fail a test in another thread, and the other ranks would wait for ever. */
static inline void give_up(const char *what) {
    fprintf(stderr, "the ranks of the communicator %s\n", what);
    _exit(1);
}

/* Until all have come. */
static inline void come_together(table *t) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    pthread_mutex_lock(&t->lock);
    uint64_t turn = t->turns;
    if (++t->came == t->size) {
        t->came = 0;
        t->turns++;
        pthread_cond_broadcast(&t->changed);
    }
    while (t->turns == turn)
        if (pthread_cond_timedwait(&t->changed, &t->lock, &until)) give_up("wait for one that does not come");
    pthread_mutex_unlock(&t->lock);
}

static inline void gather(void *context, const void *bytes, const size_t *sizes, void *all, bool everywhere) {
    rank  *own = context;
    table *t = own->at;
    char  *place = all;
    own->bytes = bytes;
    own->everywhere = everywhere;
    memcpy(own->sizes, sizes, t->size * sizeof *sizes);
    come_together(t);
    for (size_t r = 0; r < t->size; r++) {
        const rank *other = &t->rank[r];
        if (memcmp(other->sizes, sizes, t->size * sizeof *sizes) != 0 || other->everywhere != everywhere)
            give_up("are in different meetings");
        if (!everywhere && own->comm.rank) continue;
        if (sizes[r]) memcpy(place, other->bytes, sizes[r]);
        place += sizes[r];
    }
    come_together(t);
}

static _Thread_local size_t this_rank = SIZE_MAX; /* in the thread that calls the library */

static inline void *run_rank(void *argument) {
    rank              *own = argument;
    const ckam_target *target = own->has_target ? &own->target : NULL;
    ckam_error        *error = own->is_deaf ? NULL : &own->error;
    this_rank = own->comm.rank;
    own->status = own->again ? ckam_run_resume(&own->run, own->plan, own->again, target, error)
                             : ckam_run_create(&own->run, own->plan, target, error);
    if (own->status) return NULL;
    own->trick.run = own->run;
    if (own->is_stopped) ckam_run_stop(own->run);
    own->status = ckam_run_go(own->run, own->watch, own->at->context, &own->error);
    return NULL;
}

/* A communicator at whose ranks something may still be changed. again: as above, with the changes `pairs`. */
static inline table *assemble(size_t size, const char *again, const char *const *pairs) {
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->size = size;
    for (size_t r = 0; r < size; r++) {
        rank *own = &t->rank[r];
        own->at = t;
        own->comm = (ckam_comm){.rank = r, .size = size, .neighbours = size, .context = own, .gather = gather};
        own->again = again;
        if (again)
            assert_int_equal(ckam_plan_open(&own->plan, again, NULL), CKAM_OK);
        else
            own->plan = plan_with(NULL);
        plan_change(own->plan, pairs);
        ckam_plan_comm(own->plan, &own->comm);
    }
    return t;
}

/* All go to the end of the run, and have the same status, message and reason. */
static inline ckam_status go(table *t) {
    for (size_t r = 0; r < t->size; r++)
        assert_int_equal(pthread_create(&t->rank[r].thread, NULL, run_rank, &t->rank[r]), 0);
    for (size_t r = 0; r < t->size; r++) assert_int_equal(pthread_join(t->rank[r].thread, NULL), 0);
    const rank *first = &t->rank[0];
    for (size_t r = 1; r < t->size; r++) {
        const rank *own = &t->rank[r];
        assert_int_equal(own->status, first->status);
        if (first->status < 0) assert_string_equal(own->error.message, first->error.message);
        assert_true(!own->run == !first->run);
        if (first->run) assert_string_equal(ckam_run_reason(own->run), ckam_run_reason(first->run));
    }
    return first->status;
}

static inline void dismiss(table *t) {
    for (size_t r = 0; r < t->size; r++) {
        ckam_run_free(t->rank[r].run);
        ckam_plan_free(t->rank[r].plan);
    }
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static inline void end_with(table *t, ckam_status status, const char *reason) {
    if (go(t) < 0 && status >= 0) print_error("%s\n", t->rank[0].error.message);
    assert_int_equal(t->rank[0].status, status);
    assert_string_equal(ckam_run_reason(t->rank[0].run), reason);
}

static inline void comm_to_end(size_t size, const char *again, const char *const *pairs, const char *reason) {
    table *t = assemble(size, again, pairs);
    end_with(t, CKAM_OK, reason);
    dismiss(t);
}

#endif
