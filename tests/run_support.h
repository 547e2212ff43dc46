/* run_support.h - what the tests of runs share: a directory of their own, plans from pairs, files and rows compared,
 * targets that act at a given evaluation. Includes failure.h. */
#ifndef CKAM_TESTS_RUN_SUPPORT_H
#define CKAM_TESTS_RUN_SUPPORT_H

#include "failure.h"

#include <stdatomic.h>

/* Setup and teardown of a group: the program works in a temporary directory, which is removed with all that is in it. */
int enter_temporary(void **unused);
int leave_temporary(void **unused);
/* Removes a file or a directory with all that is in it. */
void remove_tree(const char *path);

/* -- Plans and runs ----------------------------------------------------------------------------------------------- */

/* Names and values, ended by NULL: PAIRS("model", "bimodal", "seed", "1"). */
#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A plan with the seed 1. */
ckam_plan *plan_with(const char *const *pairs);
void       plan_change(ckam_plan *plan, const char *const *pairs);

/* Creates a run from pairs; whatever is wrong fails the test. */
ckam_run *run_with(const char *const *pairs, const ckam_target *target);
/* Takes up the run in a directory, with these changes of its plan. */
ckam_run *run_again(const char *directory, const char *const *changes, const ckam_target *target);
/* The same without failing the test. */
ckam_status try_again(ckam_run **run, const char *directory, const char *const *changes, const ckam_target *target,
                      ckam_error *error);
/* Goes, frees, and says how it ended. */
ckam_status go_and_free(ckam_run *run);
/* A whole run that must end well. */
void run_to_end(const char *const *pairs, const ckam_target *target);

/* -- Files -------------------------------------------------------------------------------------------------------- */

/* printf into a text that lives until the 32nd call after this one. */
const char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool        is_there(const char *path);
/* The whole file with a 0 behind it; yours to free. `size` may be NULL. */
char *slurp(const char *path, size_t *size);
void  spill(const char *path, const void *bytes, size_t size);
void  spill_text(const char *path, const char *text);
/* Replaces the first `old` in a file by `new`, which must be there. */
void edit_text(const char *path, const char *old, const char *new);
/* The lines that do not begin with '#': header and rows; yours to free. */
char *slurp_rows(const char *path);
/* Chains 1 ... `chains` of two directories have the same rows, to the byte; with `warmup` also chain_N_warmup.csv. */
void assert_same_rows(const char *one, const char *other, size_t chains, bool warmup);
/* Lines of a file that are rows. */
size_t count_rows(const char *path);

/* -- Targets ------------------------------------------------------------------------------------------------------ */

/* What happens at evaluation number `at` (from 1, of all chains together; 0: never) of a target, once. */
typedef enum trick { TRICK_NONE, TRICK_STOP_RUN, TRICK_STOP, TRICK_INFINITE, TRICK_CODE, TRICK_KILL } trick;
typedef struct tricky {
    ckam_target          inner;
    atomic_uint_fast64_t calls;
    uint64_t             at;
    trick                trick;
    ckam_run            *run;
    double               shift; /* added to every value */
} tricky;

/* The target that evaluates t->inner in this way. */
ckam_target tricky_target(tricky *t);

#endif
