/* main.c - right, warned or silent on random targets: a battery that a sampler cannot be tuned to.
 *
 *     battery --seeds 1-200 [--json FILE] [--jobs 2] [--family NAME] [--dim-max D] [--evidence] [--draws N] [--seed-of-run S]
 *     battery --check --seeds 1-20
 *
 * A seed is a target (target.h), and the seed of its run where --seed-of-run does not say another. What the words mean is as in
 * docs/trust.md. --family and --dim-max leave out the seeds of other targets. --jobs runs so many targets at a time, each in a process
 * of its own. --check makes no runs and prints whether the targets are as promised. Without arguments seeds 1 to 10. The status is 2
 * when it cannot go on. */
#include "measure.h"
#include "tally.h"
#include "target.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS_MOST = 256, SEEDS_MOST = 100000 };

static const char usage[] =
    "battery [--seeds A-B] [--json FILE] [--jobs N] [--family gauss|t|bent|ring|box] [--dim-max D] [--evidence] "
    "[--draws N] [--seed-of-run S] [--check]";

typedef struct order {
    uint64_t    first, last; /* seeds */
    uint64_t    jobs, dim_most, run_seed;
    bool        has_run_seed, evidence, check;
    family      family; /* FAMILIES: all */
    const char *draws, *json;
} order;

/* Shared with the process that does it. */
typedef struct result {
    uint64_t seed;
    family   family;
    size_t   dim, components;
    double   condition, reach;
    bool     has_units, is_done;
    outcome  out;
    pid_t    process; /* that does it; 0: not begun */
} result;

static _Noreturn void refuse(const char *what, const char *value) {
    fprintf(stderr, "battery: %s: '%s'\nusage: %s\n", what, value, usage);
    exit(2);
}

/* -- Runs ---------------------------------------------------------------------------------------------------------- */

static void do_target(const order *o, result *r) {
    random_target t;
    random_target_create(&t, r->seed);
    r->components = t.components;
    r->condition = t.condition;
    r->has_units = t.has_units;
    r->reach = random_target_reach(&t, r->seed);
    run_once(t.density, &t.map, o->has_run_seed ? o->run_seed : r->seed, o->draws, o->evidence, &r->out);
    random_target_free(&t);
    r->is_done = true;
}

static void start(const order *o, result *r) {
    (void)fflush(NULL);
    r->process = fork();
    if (r->process < 0) stop("no process can be started");
    if (r->process) return;
    do_target(o, r);
    _exit(0);
}

/* Waits for one of them. A run that has crashed is wrong, and nobody can miss it. */
static void await(const order *o, result *all, size_t count) {
    int   status;
    pid_t ended = wait(&status);
    if (ended < 0) stop("a process is lost");
    for (size_t i = 0; i < count; i++) {
        result *r = all + i;
        if (r->process != ended || r->is_done) continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2) exit(2); /* it has said why */
        r->out = (outcome){.verdict = WARNED, .evidence = WARNED, .worst = 1.0, .has_evidence = o->evidence};
        outcome_add_kind(&r->out, "the process has crashed");
        r->is_done = true;
    }
}

/* -- Lines --------------------------------------------------------------------------------------------------------- */

static size_t components_met(const result *r) { return r->components > 1 ? r->out.met : r->out.met > 0; }

static double fraction_met(const result *r) { return (double)components_met(r) / fmax((double)r->components, 1.0); }

static void print_line_head(bool evidence) {
    printf(" seed family  d comps   cond units verdict  evals   met  worst%s  false alarm, or problems\n",
           evidence ? "  log Z error    se verdict" : "");
}

static void print_line(const result *r, bool evidence) {
    const outcome *out = &r->out;
    printf("%5" PRIu64 " %-6s %2zu %5zu %6.0e %-5s %-7s %6" PRIu64 " %2zu/%-2zu %6.3f", r->seed, family_word[r->family],
           r->dim, r->components, r->condition, r->has_units ? "units" : "-", verdict_word[out->verdict],
           out->evaluations, components_met(r), r->components, out->worst);
    if (evidence && out->has_evidence)
        printf(" %12.3f %5.3f %-7s", out->log_z_error, out->log_z_se, verdict_word[out->evidence]);
    else if (evidence)
        printf(" %26s", "");
    printf("  %s", out->verdict == RIGHT ? out->kinds ? "false alarm: " : "no false alarm" : "");
    for (size_t k = 0; k < out->kinds; k++) printf("%s%s", k ? "; " : "", out->kind[k]);
    printf("\n");
    (void)fflush(stdout);
}

/* -- The table ----------------------------------------------------------------------------------------------------- */

typedef struct group {
    const char *name;
    family      family;              /* FAMILIES: all */
    size_t      dim_least, dim_most; /* both are in it */
    double      reach_least, reach_below;
} group;

static const group groups[] = {{"gauss", GAUSS, 0, SIZE_MAX, 0.0, 2.0},
                               {"t", STUDENT, 0, SIZE_MAX, 0.0, 2.0},
                               {"bent", BENT, 0, SIZE_MAX, 0.0, 2.0},
                               {"ring", RING, 0, SIZE_MAX, 0.0, 2.0},
                               {"box", BOX, 0, SIZE_MAX, 0.0, 2.0},
                               {"d <= 10", FAMILIES, 0, 10, 0.0, 2.0},
                               {"d > 10", FAMILIES, 11, SIZE_MAX, 0.0, 2.0},
                               {"reach >= 1e-3", FAMILIES, 0, SIZE_MAX, 1e-3, 2.0},
                               {"reach 1e-5 to 1e-3", FAMILIES, 0, SIZE_MAX, 1e-5, 1e-3},
                               {"reach < 1e-5", FAMILIES, 0, SIZE_MAX, 0.0, 1e-5},
                               {"all", FAMILIES, 0, SIZE_MAX, 0.0, 2.0}};

static tally print_group(const group *g, const result *all, size_t count, bool evidence) {
    tally   t = {0};
    double *evaluations = take((count + 1) * sizeof *evaluations), met = 0.0;
    for (size_t i = 0; i < count; i++) {
        const result *r = all + i;
        if (g->family != FAMILIES && r->family != g->family) continue;
        if (r->dim < g->dim_least || r->dim > g->dim_most) continue;
        if (r->reach < g->reach_least || r->reach >= g->reach_below) continue;
        evaluations[t.runs] = (double)r->out.evaluations;
        met += fraction_met(r);
        tally_run(&t, &r->out);
    }
    if (t.runs) {
        printf("| %s |", g->name);
        print_counts(&t);
        printf(" %.0f | %.3f |", median_of(evaluations, t.runs), met / (double)t.runs);
        print_tail(&t, evidence);
    }
    free(evaluations);
    return t;
}

static void print_table(const result *all, size_t count, bool evidence) {
    tally t = {0};
    printf("\n");
    print_head(" targets |", " evaluations | components met |", evidence);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) t = print_group(groups + i, all, count, evidence);
    printf("\nsilent seeds:");
    for (size_t i = 0; i < count; i++)
        if (all[i].out.verdict == SILENT) printf(" %" PRIu64, all[i].seed);
    printf("%s\n", t.count[SILENT] ? "" : " none");
    printf("problems reported in the %zu right runs:", t.count[RIGHT]);
    for (size_t i = 0; i < t.findings.kinds; i++)
        printf("%s %zu '%s'", i ? "," : "", t.findings.count[i], t.findings.kind[i]);
    printf("%s\n", t.findings.kinds ? "" : " none");
}

static void save(const order *o, const result *all, size_t count) {
    json_t *targets = json_array();
    for (size_t i = 0; i < count; i++) {
        const result  *r = all + i;
        const outcome *out = &r->out;
        json_t        *problems = json_array();
        for (size_t k = 0; k < out->kinds; k++) json_array_append_new(problems, json_string(out->kind[k]));
        json_t *line = json_pack(
            "{s:I, s:s, s:I, s:I, s:f, s:f, s:b, s:s, s:f, s:I, s:I, s:I, s:f, s:I, s:I, s:o}", "seed",
            (json_int_t)r->seed, "family", family_word[r->family], "dim", (json_int_t)r->dim, "components",
            (json_int_t)r->components, "condition", r->condition, "reach", r->reach, "units", r->has_units, "verdict",
            verdict_word[out->verdict], "worst", out->worst, "met", (json_int_t)components_met(r), "modes",
            (json_int_t)out->modes, "evaluations", (json_int_t)out->evaluations, "unseen_bound", out->unseen_bound,
            "searches", (json_int_t)out->searches, "sought", (json_int_t)out->sought, "problems", problems);
        if (line && out->has_evidence) {
            json_object_set_new(line, "evidence", json_string(verdict_word[out->evidence]));
            if (isfinite(out->log_z_error)) json_object_set_new(line, "log_z_error", json_real(out->log_z_error));
            if (isfinite(out->log_z_se)) json_object_set_new(line, "log_z_se", json_real(out->log_z_se));
        }
        if (!line || json_array_append_new(targets, line)) stop("no memory");
    }
    json_t *file = json_pack("{s:s, s:s, s:o}", "version", ckam_version(), "draws", o->draws ? o->draws : "auto",
                             "targets", targets);
    if (!file || json_dump_file(file, o->json, JSON_INDENT(1))) stop("the JSON file cannot be written");
    json_decref(file);
}

/* -- The battery --------------------------------------------------------------------------------------------------- */

/* The targets that are wanted, in memory that processes share: a file without a name, for POSIX has no anonymous memory. */
static result *choose(const order *o, size_t *count) {
    size_t  size = (size_t)(o->last - o->first + 1) * sizeof(result);
    FILE   *file = tmpfile();
    result *all = MAP_FAILED;
    if (file && !ftruncate(fileno(file), (off_t)size))
        all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (all == MAP_FAILED) stop("no memory");
    fclose(file);
    *count = 0;
    for (uint64_t seed = o->first; seed <= o->last; seed++) {
        family f;
        size_t dim;
        random_target_peek(seed, &f, &dim);
        if ((o->family != FAMILIES && f != o->family) || dim > o->dim_most) continue;
        all[(*count)++] = (result){.seed = seed, .family = f, .dim = dim};
    }
    return all;
}

static void run_all(const order *o) {
    size_t  count, begun = 0, ended = 0, printed = 0;
    result *all = choose(o, &count);
    print_line_head(o->evidence);
    while (printed < count) {
        while (begun < count && begun - ended < o->jobs) start(o, all + begun++);
        await(o, all, count);
        ended++;
        while (printed < count && all[printed].is_done) print_line(all + printed++, o->evidence);
    }
    print_table(all, count, o->evidence);
    if (o->json) save(o, all, count);
    munmap(all, (size_t)(o->last - o->first + 1) * sizeof *all);
}

static void check_one(uint64_t seed) {
    random_target t;
    target_check  c;
    random_target_create(&t, seed);
    random_target_check(&t, seed, &c);
    printf("%5" PRIu64 " %-6s %2zu %5zu %6.0e %7.1f %7.1f %7.1f %6.3f %6.3f", seed, family_word[t.family],
           t.density->dim, t.components, t.condition, c.volume_ratio, c.nearest_least, c.nearest_most, c.rarest,
           c.own_least);
    if (!isnan(c.integral)) printf(" %8.4f %6.4f %6.4f", c.integral, c.integral_se, c.share_error);
    printf("\n");
    (void)fflush(stdout);
    random_target_free(&t);
}

static void check_all(const order *o) {
    printf(" seed family  d comps   cond volumes nearest      to rarest    own integral     se shares\n");
    for (uint64_t seed = o->first; seed <= o->last; seed++) {
        family f;
        size_t dim;
        random_target_peek(seed, &f, &dim);
        if ((o->family == FAMILIES || f == o->family) && dim <= o->dim_most) check_one(seed);
    }
}

/* -- The command line ---------------------------------------------------------------------------------------------- */

static uint64_t number(const char *flag, const char *text, uint64_t least, uint64_t most) {
    char    *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < least || value > most) refuse(flag, text);
    return value;
}

static family family_of(const char *word) {
    for (int f = 0; f < FAMILIES; f++)
        if (!strcmp(word, family_word[f])) return (family)f;
    refuse("--family takes gauss, t, bent, ring or box", word);
}

static void read_option(order *o, const char *flag, const char *value) {
    if (!strcmp(flag, "--seeds")) {
        if (!read_range(value, SEEDS_MOST, &o->first, &o->last))
            refuse("--seeds takes two numbers, the smaller one first, and at most 100,000 seeds, as in 1-200", value);
    } else if (!strcmp(flag, "--jobs")) {
        o->jobs = number("--jobs takes a number from 1 to 256", value, 1, JOBS_MOST);
    } else if (!strcmp(flag, "--family")) {
        o->family = family_of(value);
    } else if (!strcmp(flag, "--dim-max")) {
        o->dim_most = number("--dim-max takes a number from 1 on", value, 1, UINT64_MAX);
    } else if (!strcmp(flag, "--seed-of-run")) {
        o->run_seed = number("--seed-of-run takes a number", value, 0, UINT64_MAX);
        o->has_run_seed = true;
    } else if (!strcmp(flag, "--draws")) {
        o->draws = value;
    } else if (!strcmp(flag, "--json")) {
        o->json = value;
    } else {
        refuse("this option is not known", flag);
    }
}

int main(int count, char **argument) {
    order o = {.first = 1, .last = 10, .jobs = 1, .dim_most = UINT64_MAX, .family = FAMILIES};
    for (int i = 1; i < count; i++) {
        const char *flag = argument[i];
        if (!strcmp(flag, "--evidence"))
            o.evidence = true;
        else if (!strcmp(flag, "--check"))
            o.check = true;
        else if (i + 1 < count)
            read_option(&o, flag, argument[++i]);
        else
            refuse("this option is not known, or its value is missing", flag);
    }
    if (o.check)
        check_all(&o);
    else
        run_all(&o);
    return 0;
}
