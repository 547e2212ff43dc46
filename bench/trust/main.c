/* main.c - how often a default run is right, wrong and says so, or wrong in silence: the table of docs/trust.md.
 *
 * Without arguments four densities with seeds 1 to 5, about a minute. The status is 2 when it cannot go on. */
#include "measure.h"
#include "tally.h"

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MOST = 256, RUNS_MOST = 100000 };
static const char *const variant_word[VARIANTS] = {"asis", "rotated", "units"};
static const char *const variant_text[VARIANTS] = {"as is", "rotated", "rotated + units"};
static const char *const few[] = {"bimodal:2", "bimodal:8", "shells:5", "gaussian:10", NULL};

static const char usage[] =
    "trust [DENSITY...|all|random:SEED] [--seeds A-B] [--variant asis,rotated,units] [--draws N] [--threads N] "
    "[--evidence] [--json FILE], or trust --list";

typedef struct order {
    uint64_t    first, last; /* seeds */
    bool        variant[VARIANTS], evidence;
    const char *draws, *json;
    size_t      threads;
} order;

static _Noreturn void refuse(const char *what, const char *value) {
    fprintf(stderr, "trust: %s: '%s'\nusage: %s\n", what, value, usage);
    exit(2);
}

/* -- One row: the seeds over threads ------------------------------------------------------------------------------- */

typedef struct row {
    const order *o;
    density     *d;
    variant      v;
    size_t       runs;
    outcome     *out;
} row;

typedef struct worker {
    const row *r;
    size_t     first;
} worker;

static void *run_seeds(void *argument) {
    const worker *w = argument;
    const row    *r = w->r;
    mapping      *m = take(sizeof *m);
    for (size_t i = w->first; i < r->runs; i += r->o->threads) {
        mapping_of_variant(m, r->d, r->v, r->o->first + i);
        run_once(r->d, m, r->o->first + i, r->o->draws, r->o->evidence, r->out + i);
    }
    free(m);
    return NULL;
}

static void run_row(const row *r) {
    pthread_t thread[THREADS_MOST];
    worker    each[THREADS_MOST];
    for (size_t i = 0; i < r->o->threads; i++) {
        each[i] = (worker){r, i};
        if (pthread_create(&thread[i], NULL, run_seeds, &each[i])) stop("no thread");
    }
    for (size_t i = 0; i < r->o->threads; i++) pthread_join(thread[i], NULL);
}

/* -- The table and the JSON file ----------------------------------------------------------------------------------- */

static double median(const row *r, bool of_modes) {
    double *value = take(r->runs * sizeof *value);
    for (size_t i = 0; i < r->runs; i++) value[i] = of_modes ? (double)r->out[i].modes : (double)r->out[i].evaluations;
    double middle = median_of(value, r->runs);
    free(value);
    return middle;
}

static void print_row(const row *r, const tally *t) {
    printf("| %s | %s | %zu | %zu |", r->d->name, r->v == UNITS && r->d->bounded ? "units" : variant_text[r->v],
           r->d->dim, r->d->modes);
    print_counts(t);
    printf(" %.0f | %g |", median(r, false), median(r, true));
    print_tail(t, r->o->evidence);
}

static json_t *run_json(const row *r, size_t i) {
    const outcome *out = r->out + i;
    json_t        *problems = json_array();
    for (size_t k = 0; k < out->kinds; k++) json_array_append_new(problems, json_string(out->kind[k]));
    json_t *run =
        json_pack("{s:I, s:s, s:f, s:I, s:I, s:I, s:I, s:f, s:o}", "seed", (json_int_t)r->o->first + (json_int_t)i,
                  "verdict", verdict_word[out->verdict], "worst", out->worst, "evaluations",
                  (json_int_t)out->evaluations, "modes", (json_int_t)out->modes, "events", (json_int_t)out->events,
                  "met", (json_int_t)out->met, "unseen_bound", out->unseen_bound, "problems", problems);
    if (!run) stop("no memory");
    if (!out->has_evidence) return run;
    json_object_set_new(run, "evidence", json_string(verdict_word[out->evidence]));
    json_object_set_new(run, "evidence_evaluations", json_integer((json_int_t)out->evidence_evaluations));
    if (isfinite(out->log_z_error)) json_object_set_new(run, "log_z_error", json_real(out->log_z_error));
    if (isfinite(out->log_z_se)) json_object_set_new(run, "log_z_se", json_real(out->log_z_se));
    return run;
}

/* The file is written anew after each row: what was done is kept when the program is stopped. */
static void save_row(json_t *all, const row *r, const tally *t) {
    json_t *runs = json_array(), *alone = json_object();
    for (size_t i = 0; i < r->runs; i++) json_array_append_new(runs, run_json(r, i));
    for (size_t i = 0; i < t->alone.kinds; i++)
        json_object_set_new(alone, t->alone.kind[i], json_integer((json_int_t)t->alone.count[i]));
    json_t *line =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:f, s:f, s:o}", "density", r->d->name, "variant",
                  variant_word[r->v], "dim", (json_int_t)r->d->dim, "modes", (json_int_t)r->d->modes, "right",
                  (json_int_t)t->count[RIGHT], "warned", (json_int_t)t->count[WARNED], "silent",
                  (json_int_t)t->count[SILENT], "false_alarms", (json_int_t)t->false_alarms, "alone", alone,
                  "evaluations", median(r, false), "modes_found", median(r, true), "runs", runs);
    if (line && t->evidence_runs)
        json_object_set_new(line, "evidence",
                            json_pack("{s:I, s:I, s:I}", "right", (json_int_t)t->evidence[RIGHT], "warned",
                                      (json_int_t)t->evidence[WARNED], "silent", (json_int_t)t->evidence[SILENT]));
    if (!line || json_array_append_new(json_object_get(all, "rows"), line)) stop("no memory");
    if (r->o->json && json_dump_file(all, r->o->json, JSON_INDENT(1))) stop("the JSON file cannot be written");
}

static void do_density(const order *o, const char *name, tally *sum, json_t *all) {
    density *d = density_create(name);
    if (!d) refuse("this density is not known, see --list", name);
    for (variant v = AS_IS; v < VARIANTS; v++) {
        if (!o->variant[v] || (v == ROTATED && d->bounded)) continue;
        row r = {o, d, v, (size_t)(o->last - o->first + 1), NULL};
        r.out = take(r.runs * sizeof *r.out);
        run_row(&r);
        tally t = {0};
        for (size_t i = 0; i < r.runs; i++) tally_run(&t, r.out + i);
        print_row(&r, &t);
        save_row(all, &r, &t);
        tally_add(sum, &t);
        free(r.out);
    }
    density_free(d);
}

/* -- The command line ---------------------------------------------------------------------------------------------- */

static void set_seeds(order *o, const char *text) {
    if (!read_range(text, RUNS_MOST, &o->first, &o->last))
        refuse("--seeds takes two numbers, the smaller one first, and at most 100,000 seeds, as in 1001-1015", text);
}

static void set_variants(order *o, const char *text) {
    memset(o->variant, 0, sizeof o->variant);
    while (*text) {
        size_t length = strcspn(text, ","), v = 0;
        while (v < VARIANTS && (strlen(variant_word[v]) != length || strncmp(variant_word[v], text, length) != 0)) v++;
        if (v == VARIANTS) refuse("--variant takes asis, rotated, units, with commas between them", text);
        o->variant[v] = true;
        text += length + (text[length] == ',');
    }
}

static void set_threads(order *o, const char *text) {
    char *end;
    o->threads = strtoul(text, &end, 10);
    if (*end || o->threads < 1 || o->threads > THREADS_MOST) refuse("--threads takes a number from 1 to 256", text);
}

/* Options go into the order; names of densities stay in `name`. Returns how many they are. */
static size_t read_arguments(int count, char **argument, order *o, const char **name) {
    size_t names = 0;
    for (int i = 1; i < count; i++) {
        const char *flag = argument[i];
        if (!strcmp(flag, "--evidence")) {
            o->evidence = true;
            continue;
        }
        if (strncmp(flag, "--", 2) != 0) {
            if (!density_name(flag, 0)) refuse("this density is not known, see --list", flag);
            name[names++] = flag;
            continue;
        }
        if (i + 1 == count) refuse("this option is not known, or its value is missing", flag);
        const char *value = argument[++i];
        if (!strcmp(flag, "--seeds"))
            set_seeds(o, value);
        else if (!strcmp(flag, "--variant"))
            set_variants(o, value);
        else if (!strcmp(flag, "--threads"))
            set_threads(o, value);
        else if (!strcmp(flag, "--draws"))
            o->draws = value;
        else if (!strcmp(flag, "--json"))
            o->json = value;
        else
            refuse("this option is not known", flag);
    }
    return names;
}

static int list(void) {
    const char *name;
    for (size_t i = 0; (name = density_name("all", i)); i++) printf("%s\n", name);
    printf("random:SEED\n");
    return 0;
}

int main(int count, char **argument) {
    order        o = {.first = 1, .last = 5, .variant = {true, true, true}, .threads = 1};
    const char **name = take((size_t)(count + 8) * sizeof *name), *one;
    tally        sum = {0};
    if (count == 2 && !strcmp(argument[1], "--list")) return list();
    size_t  names = read_arguments(count, argument, &o, name);
    json_t *all = json_pack("{s:s, s:s, s:[]}", "version", ckam_version(), "draws", o.draws ? o.draws : "auto", "rows");
    if (!all) stop("no memory");
    for (size_t i = 0; !names && few[i]; i++) name[i] = few[i];
    print_head(" density | variant | d | modes |", " evaluations | modes found |", o.evidence);
    for (size_t i = 0; name[i]; i++)
        for (size_t k = 0; (one = density_name(name[i], k)); k++) do_density(&o, one, &sum, all);
    printf("| all | | | |");
    print_counts(&sum);
    printf(" | |");
    print_tail(&sum, o.evidence);
    json_decref(all);
    free(name);
    return 0;
}
