/* main.c - how often a default run is right, wrong and says so, or wrong in silence: the table of docs/trust.md.
 *
 * Without arguments four densities with seeds 1 to 5, about a minute. The status is 2 when it cannot go on. */
#include "measure.h"
#include "run.h"

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MOST = 256, RUNS_MOST = 100000 };
static const char *const variant_word[VARIANTS] = {"asis", "rotated", "units"};
static const char *const variant_text[VARIANTS] = {"as is", "rotated", "rotated + units"};
static const char *const verdict_word[VERDICTS] = {"right", "warned", "silent"};
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
    for (size_t i = w->first; i < r->runs; i += r->o->threads)
        run_once(r->d, r->v, r->o->first + i, r->o->draws, r->o->evidence, r->out + i);
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

/* -- Counting ------------------------------------------------------------------------------------------------------ */

typedef struct tally {
    size_t runs, count[VERDICTS], false_alarms, several;
    size_t evidence_runs, evidence[VERDICTS];
    size_t kinds, alone[KINDS]; /* false alarms that have this kind of problem only */
    char   kind[KINDS][KIND];
} tally;

static void add_alone(tally *t, const char *kind, size_t count) {
    size_t i = 0;
    while (i < t->kinds && strcmp(t->kind[i], kind) != 0) i++;
    if (i == KINDS) return;
    if (i == t->kinds) snprintf(t->kind[t->kinds++], KIND, "%s", kind);
    t->alone[i] += count;
}

static tally count_row(const row *r) {
    tally t = {.runs = r->runs};
    for (size_t i = 0; i < r->runs; i++) {
        const outcome *out = r->out + i;
        t.count[out->verdict]++;
        if (r->o->evidence && !isnan(r->d->log_z)) {
            t.evidence_runs++;
            t.evidence[out->evidence]++;
        }
        if (out->verdict != RIGHT || !out->kinds) continue;
        t.false_alarms++;
        if (out->kinds == 1)
            add_alone(&t, out->kind[0], 1);
        else
            t.several++;
    }
    return t;
}

static void add_tally(tally *sum, const tally *t) {
    sum->runs += t->runs;
    sum->false_alarms += t->false_alarms;
    sum->several += t->several;
    sum->evidence_runs += t->evidence_runs;
    for (int v = 0; v < VERDICTS; v++) {
        sum->count[v] += t->count[v];
        sum->evidence[v] += t->evidence[v];
    }
    for (size_t i = 0; i < t->kinds; i++) add_alone(sum, t->kind[i], t->alone[i]);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const row *r, bool of_modes) {
    double *value = take(r->runs * sizeof *value);
    for (size_t i = 0; i < r->runs; i++) value[i] = of_modes ? (double)r->out[i].modes : (double)r->out[i].evaluations;
    qsort(value, r->runs, sizeof *value, by_size);
    double middle = 0.5 * (value[(r->runs - 1) / 2] + value[r->runs / 2]);
    free(value);
    return middle;
}

/* -- The table and the JSON file ----------------------------------------------------------------------------------- */

static void print_head(bool evidence) {
    printf("| density | variant | d | modes | runs | right | warned | silent | false alarms | evaluations | "
           "modes found |%s only because of |\n|---|---|---|---|---|---|---|---|---|---|---|%s---|\n",
           evidence ? " log Z right, warned, silent |" : "", evidence ? "---|" : "");
}

static void print_counts(const tally *t) {
    printf(" %zu | %zu | %zu | %zu | %zu |", t->runs, t->count[RIGHT], t->count[WARNED], t->count[SILENT],
           t->false_alarms);
}

static void print_tail(const tally *t, bool evidence) {
    if (evidence && t->evidence_runs)
        printf(" %zu, %zu, %zu |", t->evidence[RIGHT], t->evidence[WARNED], t->evidence[SILENT]);
    else if (evidence)
        printf(" |");
    for (size_t i = 0; i < t->kinds; i++) printf("%s %zu '%s'", i ? "," : "", t->alone[i], t->kind[i]);
    if (t->several) printf("%s %zu several", t->kinds ? "," : "", t->several);
    printf(" |\n");
    (void)fflush(stdout);
}

static void print_row(const row *r, const tally *t) {
    printf("| %s | %s | %zu | %zu |", r->d->name, variant_text[r->v], r->d->dim, r->d->modes);
    print_counts(t);
    printf(" %.0f | %g |", median(r, false), median(r, true));
    print_tail(t, r->o->evidence);
}

static json_t *run_json(const row *r, size_t i) {
    const outcome *out = r->out + i;
    json_t        *problems = json_array();
    for (size_t k = 0; k < out->kinds; k++) json_array_append_new(problems, json_string(out->kind[k]));
    json_t *run =
        json_pack("{s:I, s:s, s:f, s:I, s:I, s:f, s:o}", "seed", (json_int_t)r->o->first + (json_int_t)i, "verdict",
                  verdict_word[out->verdict], "worst", out->worst, "evaluations", (json_int_t)out->evaluations, "modes",
                  (json_int_t)out->modes, "unseen_bound", out->unseen_bound, "problems", problems);
    if (!run) stop("no memory");
    if (!r->o->evidence || isnan(r->d->log_z)) return run;
    json_object_set_new(run, "evidence", json_string(verdict_word[out->evidence]));
    if (isfinite(out->log_z_error)) json_object_set_new(run, "log_z_error", json_real(out->log_z_error));
    if (isfinite(out->log_z_se)) json_object_set_new(run, "log_z_se", json_real(out->log_z_se));
    return run;
}

/* The file is written anew after each row: what was done is kept when the program is stopped. */
static void save_row(json_t *all, const row *r, const tally *t) {
    json_t *runs = json_array(), *alone = json_object();
    for (size_t i = 0; i < r->runs; i++) json_array_append_new(runs, run_json(r, i));
    for (size_t i = 0; i < t->kinds; i++) json_object_set_new(alone, t->kind[i], json_integer((json_int_t)t->alone[i]));
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
        if (!o->variant[v]) continue;
        row r = {o, d, v, (size_t)(o->last - o->first + 1), NULL};
        r.out = take(r.runs * sizeof *r.out);
        run_row(&r);
        tally t = count_row(&r);
        print_row(&r, &t);
        save_row(all, &r, &t);
        add_tally(sum, &t);
        free(r.out);
    }
    density_free(d);
}

/* -- The command line ---------------------------------------------------------------------------------------------- */

static void set_seeds(order *o, const char *text) {
    char *end;
    o->first = strtoull(text, &end, 10);
    bool is_range = end > text && *end == '-' && end[1] >= '0' && end[1] <= '9';
    if (is_range) o->last = strtoull(end + 1, &end, 10);
    if (!is_range || *end) refuse("--seeds takes two numbers, as in 1001-1015", text);
    if (o->last < o->first || o->last - o->first >= RUNS_MOST)
        refuse("--seeds takes the smaller number first, and at most 100,000 seeds", text);
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
    print_head(o.evidence);
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
