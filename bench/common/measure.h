/* measure.h - ratios of times, measured by turns in one run, and the table that they are rows of.
 *
 * The two sides of a row take turns, each for some milliseconds, and each turn gives one ratio: so a machine that is slow
 * for a while is slow for both. The median counts; the quartiles are the spread. */
#ifndef CKAM_BENCH_MEASURE_H
#define CKAM_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

/* Work that can be repeated: go() does so many steps. */
typedef struct work {
    void (*go)(void *context, size_t steps);
    void *context;
} work;

/* What a ratio should be. */
typedef enum bound { AT_MOST, AT_LEAST, ALONGSIDE } bound;

enum { TURNS = 21 };

/* Opens the table, and the JSON file if `path` is not NULL; closes both. The result is the number of rows that missed. */
void   table_open(const char *path);
size_t table_close(void);
/* CPU seconds of this thread for so many steps. */
double work_seconds(work w, size_t steps);
/* A row: the time of a step of `above` over that of a step of `below`. CPU time of this thread. */
void row_of_work(const char *name, work above, work below, bound what, double bar);
/* The same, of numbers that were measured elsewhere: so many turns, in the unit given ("ns", "s", "/s"). They are sorted. */
void row_of_turns(const char *name, const char *unit, size_t turns, double *above, double *below, bound what,
                  double bar);
/* One number a turn, not a ratio. */
void row_of_values(const char *name, const char *unit, size_t turns, double *values, bound what, double bar);

/* Seconds: of this thread's work, and on the wall. */
double thread_seconds(void);
double wall_seconds(void);
/* Prints the message and ends the program with status 2. */
_Noreturn void stop(const char *message);
/* malloc(), or stop(). */
void *take(size_t bytes);

#endif
