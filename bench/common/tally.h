/* tally.h - counts of right, warned and silent runs, and the table that they are rows of. */
#ifndef CKAM_BENCH_TALLY_H
#define CKAM_BENCH_TALLY_H

#include "default_run.h"

extern const char *const verdict_word[VERDICTS];

typedef struct kind_counts {
    size_t kinds, count[KINDS];
    char   kind[KINDS][KIND];
} kind_counts;

typedef struct tally {
    size_t      runs, count[VERDICTS], false_alarms, several;
    size_t      evidence_runs, evidence[VERDICTS];
    kind_counts alone;    /* false alarms that have this kind of problem only */
    kind_counts findings; /* false alarms that have this kind of problem, with others or without */
} tally;

void tally_run(tally *t, const outcome *out);
void tally_add(tally *sum, const tally *t);

/* The head of a table in Markdown: the program's own columns ("| a | b |" without the first bar) stand before the counts and
 * between them and the tail. Then the cells of a row: runs, right, warned, silent, false alarms; and the tail, which is the evidence,
 * if there is such a column, and the kinds of problem of false alarms that have one kind only. */
void print_head(const char *before, const char *between, bool evidence);
void print_counts(const tally *t);
void print_tail(const tally *t, bool evidence);

/* Of `count` numbers, which are sorted. */
double median_of(double *value, size_t count);
/* "A-B" with A <= B, at most `most` numbers; else false. */
bool read_range(const char *text, uint64_t most, uint64_t *first, uint64_t *last);

#endif
