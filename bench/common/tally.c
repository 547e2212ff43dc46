/* tally.c - see tally.h. */
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_word[VERDICTS] = {"right", "warned", "silent"};

/* -- Counting ------------------------------------------------------------------------------------------------------ */

static void add_kind(kind_counts *k, const char *kind, size_t count) {
    size_t i = 0;
    while (i < k->kinds && strcmp(k->kind[i], kind) != 0) i++;
    if (i == KINDS) return;
    if (i == k->kinds) snprintf(k->kind[k->kinds++], KIND, "%s", kind);
    k->count[i] += count;
}

static void add_kinds(kind_counts *sum, const kind_counts *k) {
    for (size_t i = 0; i < k->kinds; i++) add_kind(sum, k->kind[i], k->count[i]);
}

void tally_run(tally *t, const outcome *out) {
    t->runs++;
    t->count[out->verdict]++;
    if (out->has_evidence) {
        t->evidence_runs++;
        t->evidence[out->evidence]++;
    }
    if (out->verdict != RIGHT || !out->kinds) return;
    t->false_alarms++;
    for (size_t i = 0; i < out->kinds; i++) add_kind(&t->findings, out->kind[i], 1);
    if (out->kinds == 1)
        add_kind(&t->alone, out->kind[0], 1);
    else
        t->several++;
}

void tally_add(tally *sum, const tally *t) {
    sum->runs += t->runs;
    sum->false_alarms += t->false_alarms;
    sum->several += t->several;
    sum->evidence_runs += t->evidence_runs;
    for (int v = 0; v < VERDICTS; v++) {
        sum->count[v] += t->count[v];
        sum->evidence[v] += t->evidence[v];
    }
    add_kinds(&sum->alone, &t->alone);
    add_kinds(&sum->findings, &t->findings);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *value, size_t count) {
    if (!count) return 0.0;
    qsort(value, count, sizeof *value, by_size);
    return 0.5 * (value[(count - 1) / 2] + value[count / 2]);
}

/* -- The table ----------------------------------------------------------------------------------------------------- */

static void print_rules(const char *names) {
    for (const char *c = names; *c; c++)
        if (*c == '|') printf("---|");
}

void print_head(const char *before, const char *between, bool evidence) {
    static const char counts[] = " runs | right | warned | silent | false alarms |";
    const char       *log_z = evidence ? " log Z right, warned, silent |" : "";
    printf("|%s%s%s%s only because of |\n|", before, counts, between, log_z);
    print_rules(before);
    print_rules(counts);
    print_rules(between);
    print_rules(log_z);
    printf("---|\n");
}

void print_counts(const tally *t) {
    printf(" %zu | %zu | %zu | %zu | %zu |", t->runs, t->count[RIGHT], t->count[WARNED], t->count[SILENT],
           t->false_alarms);
}

void print_tail(const tally *t, bool evidence) {
    const kind_counts *k = &t->alone;
    if (evidence && t->evidence_runs)
        printf(" %zu, %zu, %zu |", t->evidence[RIGHT], t->evidence[WARNED], t->evidence[SILENT]);
    else if (evidence)
        printf(" |");
    for (size_t i = 0; i < k->kinds; i++) printf("%s %zu '%s'", i ? "," : "", k->count[i], k->kind[i]);
    if (t->several) printf("%s %zu several", k->kinds ? "," : "", t->several);
    printf(" |\n");
    (void)fflush(stdout);
}

/* -- Arguments ----------------------------------------------------------------------------------------------------- */

bool read_range(const char *text, uint64_t most, uint64_t *first, uint64_t *last) {
    char *end;
    *first = strtoull(text, &end, 10);
    if (end == text || *end != '-' || end[1] < '0' || end[1] > '9') return false;
    *last = strtoull(end + 1, &end, 10);
    return !*end && *first <= *last && *last - *first < most;
}
