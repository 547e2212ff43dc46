/* lag.h - whether the answers of a process still belong to the points that it is asked.
 *
 * Answers of a program carry no mark of their question: after one answer too many, each later one belongs to an earlier point.
 * So a point is asked again now and then, and must have the answer that it had. For program.c, one lag_check per worker. */
#ifndef CKAM_TARGET_LAG_H
#define CKAM_TARGET_LAG_H

#include "target/engine.h"

enum {
    LAG_EVERY = 64, /* answers between two checks, at most; fewer after the start of a process: 2, 4, 8, ... */
    LAG_MOST = 8    /* answers too many that a check still tells from random answers */
};

typedef struct lag_check {
    size_t  dim;
    double *last, *other; /* points, each followed by its answer (NaN: rejected). The last one, and the latest before it
                           * that has another answer */
    bool    has_last, has_other;
    bool    repeats;            /* different points have had the same answer */
    uint64_t answered, checked; /* answers in all, and those that a check has confirmed */
    uint64_t gap;               /* answers from one check to the next */
} lag_check;

typedef struct lag_finding {
    enum {
        LAG_NONE,    /* the answers belong to their points */
        LAG_SHIFTED, /* they do not */
        LAG_NOISE    /* the values of one point differ: nothing can be said */
    } kind;
    size_t by;       /* LAG_SHIFTED: answers too many; 0: it is not known how many */
    double value[2]; /* LAG_NOISE: of one point */
} lag_finding;

/* Asks the process for a point. ENGINE_VALUE or ENGINE_REJECT; anything else ends the check. */
typedef engine_answer lag_ask(void *context, const double *x, double *value, char *why);

bool lag_begin(lag_check *c, size_t dim); /* false: there is no memory */
void lag_end(lag_check *c);
/* Another process answers from now on. */
void lag_restart(lag_check *c);
/* The process has answered a point: a number, or NaN for a reject. */
void lag_note(lag_check *c, const double *x, double answer);
bool lag_is_due(const lag_check *c);
/* Asks the last point again, and more where its answer differs. Returns ENGINE_VALUE and fills *finding, or what else was
 * answered, with `why`. */
engine_answer lag_verify(lag_check *c, lag_ask *ask, void *context, lag_finding *finding, char *why);

#endif
