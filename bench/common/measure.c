/* measure.c - see measure.h. */
#include "measure.h"

#include "ckam.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURN 0.01 /* seconds of work in a turn, at least */

static struct {
    const char *path;
    json_t     *rows;
    size_t      missed;
} table;

void stop(const char *message) {
    fprintf(stderr, "bench: %s\n", message);
    exit(2);
}

void *take(size_t bytes) {
    void *room = calloc(1, bytes);
    if (!room) stop("no memory");
    return room;
}

static double seconds(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now)) stop("no clock");
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double thread_seconds(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }
double wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }

/* -- The table ---------------------------------------------------------------------------------------------------- */

void table_open(const char *path) {
    table.path = path;
    table.rows = json_array();
    if (!table.rows) stop("no memory");
    printf("%-58s %10s %10s %8s  %-17s %s\n", "row", "above", "below", "ratio", "quartiles", "bar");
}

static const char *processor(char *text, int size) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, (size_t)size, "unknown");
    for (char line[256]; file && fgets(line, sizeof line, file);)
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            snprintf(text, (size_t)size, "%s", strchr(line, ':') + 2);
            text[strcspn(text, "\n")] = '\0';
            break;
        }
    if (file) fclose(file);
    return text;
}

size_t table_close(void) {
    char      cpu[128], date[32];
    time_t    now = time(NULL);
    struct tm day;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &day));
    printf("\n%zu of %zu rows missed their bar. %s, %s, ckam %s, %s\n", table.missed, json_array_size(table.rows),
           processor(cpu, sizeof cpu), date, CKAM_VERSION, __VERSION__);
    json_t *all = json_pack("{s:s, s:s, s:s, s:s, s:o}", "processor", cpu, "date", date, "version", CKAM_VERSION,
                            "compiler", __VERSION__, "rows", table.rows);
    if (!all || (table.path && json_dump_file(all, table.path, JSON_INDENT(2))))
        stop("the JSON file cannot be written");
    json_decref(all);
    return table.missed;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double part(double *values, size_t count, double p) {
    qsort(values, count, sizeof *values, by_value);
    return values[(size_t)(p * (double)(count - 1) + 0.5)];
}

/* A time in nanoseconds with a unit that reads well; other numbers as they are. */
static const char *number(double value, const char *unit, char *text, size_t size) {
    static const char *const names[] = {"ns", "us", "ms", "s"};
    int                      k = 0;
    if (strcmp(unit, "ns") != 0) {
        snprintf(text, size, value < 1e4 ? "%.4g%s" : "%.3g%s", value, unit);
        return text;
    }
    for (; k < 3 && value >= 1000.0; k++) value /= 1000.0;
    snprintf(text, size, "%.*f %s", value < 10.0 ? 2 : value < 100.0 ? 1 : 0, value, names[k]);
    return text;
}

static void add_row(const char *name, const char *unit, double above, double below, double *ratio, size_t turns,
                    bound what, double bar) {
    double middle = part(ratio, turns, 0.5), low = part(ratio, turns, 0.25), high = part(ratio, turns, 0.75);
    bool   met = what == AT_LEAST ? middle >= bar : what == AT_MOST ? middle <= bar : true;
    char   first[32], second[32] = "", spread[40], wanted[40] = "";
    snprintf(spread, sizeof spread, "(%.3g to %.3g)", low, high);
    if (what != ALONGSIDE) snprintf(wanted, sizeof wanted, "%s %g", what == AT_MOST ? "<=" : ">=", bar);
    if (!isnan(below)) number(below, unit, second, sizeof second);
    printf("%-58s %10s %10s %8.3g  %-17s %-8s%s\n", name, number(above, unit, first, sizeof first), second, middle,
           spread, wanted, met ? "" : " MISSED");
    fflush(stdout);
    table.missed += !met;
    json_t *row = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:I, s:b}", "row", name, "unit", unit, "above", above,
                            "ratio", middle, "low", low, "high", high, "turns", (json_int_t)turns, "met", met);
    if (row && !isnan(below)) json_object_set_new(row, "below", json_real(below));
    if (row && what != ALONGSIDE) json_object_set_new(row, what == AT_MOST ? "at_most" : "at_least", json_real(bar));
    if (!row || json_array_append_new(table.rows, row)) stop("no memory");
}

void row_of_turns(const char *name, const char *unit, size_t turns, double *above, double *below, bound what,
                  double bar) {
    double *ratio = take(turns * sizeof *ratio);
    for (size_t i = 0; i < turns; i++) ratio[i] = above[i] / below[i];
    add_row(name, unit, part(above, turns, 0.5), part(below, turns, 0.5), ratio, turns, what, bar);
    free(ratio);
}

void row_of_values(const char *name, const char *unit, size_t turns, double *values, bound what, double bar) {
    add_row(name, unit, part(values, turns, 0.5), (double)NAN, values, turns, what, bar);
}

/* -- Work --------------------------------------------------------------------------------------------------------- */

double work_seconds(work w, size_t steps) {
    double start = thread_seconds();
    w.go(w.context, steps);
    return thread_seconds() - start;
}

/* Steps that take long enough to be timed; what is cold is warm afterwards. */
static size_t steps_of_turn(work w) {
    size_t steps = 1;
    double taken = work_seconds(w, steps);
    while (taken < TURN) {
        steps = taken < TURN / 100.0 ? 10 * steps : (size_t)((double)steps * 1.2 * TURN / taken) + 1;
        taken = work_seconds(w, steps);
    }
    return steps;
}

void row_of_work(const char *name, work above, work below, bound what, double bar) {
    size_t above_steps = steps_of_turn(above), below_steps = steps_of_turn(below);
    double first[TURNS], second[TURNS];
    for (int i = 0; i < TURNS; i++) {
        if (i % 2) first[i] = work_seconds(above, above_steps);
        second[i] = work_seconds(below, below_steps);
        if (i % 2 == 0) first[i] = work_seconds(above, above_steps);
        first[i] *= 1e9 / (double)above_steps;
        second[i] *= 1e9 / (double)below_steps;
    }
    row_of_turns(name, "ns", TURNS, first, second, what, bar);
}
