/* outcome.c - the output of a run on stdout: what was run and how it went, then its parts in order. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

/* Appends to a text of TEXT bytes, truncating. */
static void append(char *text, const char *before, const char *more) {
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used, "%s%s", before, more);
}

/* "ckam, explore 0.5": a sampler and what differs from its defaults. */
static void write_sampler(const ckam_plan *plan, char *text) {
    char       name[DESCRIBE], value[DESCRIBE], initial[DESCRIBE];
    ckam_plan *fresh;
    ckam_plan_get(plan, "sampler", name, sizeof name, NULL);
    name[strcspn(name, ":")] = 0;
    append(text, "", name);
    const ckam_entry *entry = entry_find(ckam_sampler_list(), name);
    if (!entry || ckam_plan_create(&fresh, NULL)) return;
    ckam_plan_set(fresh, "sampler", name, NULL);
    for (const ckam_option *option = entry->options; option->name; option++) {
        if (ckam_plan_get(plan, option->name, value, sizeof value, NULL)) continue;
        if (ckam_plan_get(fresh, option->name, initial, sizeof initial, NULL) || !strcmp(value, initial)) continue;
        append(text, ", ", option->name);
        append(text, " ", value);
    }
    ckam_plan_free(fresh);
}

static void print_plan(const ckam_plan *plan) {
    static const char *const kinds[] = {"model", "log-density", "program"};
    char                     text[TEXT] = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !*text; i++)
        ckam_plan_get(plan, kinds[i], text, sizeof text, NULL);
    append(text, " by ", "");
    write_sampler(plan, text);
    text_wrap(stdout, text, 0, 2);
}

/* Number of chains and rows; how many rows are used where draws were thinned to fit in memory. */
static void print_shape(const outcome *r) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(r->draws);
    char                    text[TEXT], seed[NUMBER];
    uint64_t                rows = shape->shortest, thin = 1;
    if (r->facts && !*r->directory) { /* the draws are those that were kept in memory */
        if (!ckam_plan_get(r->plan, "thin", text, sizeof text, NULL)) thin = strtoull(text, NULL, 10);
        if (!thin) thin = 1;
        rows = (r->facts->counts.draws / shape->chains + thin - 1) / thin; /* the first is kept, then every thin-th */
    }
    snprintf(text, sizeof text, "%zu chain%s x %" PRIu64 " draw%s", shape->chains, text_plural(shape->chains), rows,
             text_plural(rows));
    if (rows > shape->rows) {
        append(text, " (of which ", "");
        size_t used = strlen(text);
        snprintf(text + used, TEXT - used, "%zu, evenly spread, are used here)", shape->rows);
    }
    if (r->plan && !ckam_plan_get(r->plan, "seed", seed, sizeof seed, NULL)) append(text, ", seed ", seed);
    if (shape->longest > shape->shortest) append(text, "; longer chains were cut to the shortest", "");
    text_wrap(stdout, text, 0, 2);
}

/* Why the run stopped, and the rule (--until) that it did not reach. */
static void write_reason(const outcome *r, char *text) {
    const char *reason = r->facts->reason;
    char        until[DESCRIBE];
    append(text, "stopped because ", ckam_reason_text(reason));
    if (!strcmp(reason, "until") || ckam_plan_get(r->plan, "until", until, sizeof until, NULL)) return;
    if (!strcmp(until, "never")) return;
    append(text, ", before ", until);
    append(text, " was reached", "");
}

static void print_facts(const outcome *r) {
    const run_facts *facts = r->facts;
    char             text[TEXT], in_all[NUMBER * 2] = "";
    double           proposals = facts->counts.iterations ? (double)facts->counts.iterations : 1.0;
    if (facts->before) snprintf(in_all, sizeof in_all, " (%" PRIu64 " in all)", facts->counts.evaluations);
    snprintf(text, sizeof text, "%" PRIu64 " evaluations in %.2f s%s, %.0f %% of the proposals accepted",
             facts->counts.evaluations - facts->before, facts->seconds, in_all,
             100.0 * (double)facts->counts.accepted / proposals);
    text_wrap(stdout, text, 0, 2);
    *text = 0;
    write_reason(r, text);
    if (*r->directory) append(text, "; written to ", r->directory);
    text_show(text);
    text_wrap(stdout, text, 0, 2);
}

static void print_place(const char *directory) {
    char text[TEXT];
    snprintf(text, sizeof text, "in %s", directory);
    text_show(text);
    printf("%s\n", text);
}

static void print_head(const outcome *r) {
    if (r->plan) print_plan(r->plan);
    print_shape(r);
    if (r->facts)
        print_facts(r);
    else if (*r->directory)
        print_place(r->directory);
}

size_t findings_print(const ckam_finding *findings, size_t all, ckam_severity severity, bool advice) {
    const char *label = severity == CKAM_PROBLEM ? "problem: " : "note: ";
    size_t      count = 0;
    for (size_t i = 0; i < all; i++) {
        const ckam_finding *finding = findings + i;
        if (finding->severity != severity) continue;
        count++;
        if (i && advice) printf("\n");
        printf("%s", label);
        text_wrap(stdout, finding->text, strlen(label), 2);
        if (!advice || !*finding->advice) continue;
        printf("  ");
        text_wrap(stdout, finding->advice, 2, 2);
    }
    return count;
}

/* The exact mean and standard deviation, if there is memory for the covariance that they come with. */
static void add_exact(outcome *r, size_t dim) {
    enum { DIM_MOST = 4096 }; /* 128 MB; above, it would take longer than the rest of the table */
    double *covariance = dim <= DIM_MOST ? malloc(dim * dim * sizeof *covariance) : NULL;
    r->exact_mean = malloc(dim * sizeof *r->exact_mean);
    r->exact_sd = malloc(dim * sizeof *r->exact_sd);
    if (covariance && r->exact_mean && r->exact_sd) {
        ckam_model_mean(r->model, r->exact_mean);
        ckam_model_covariance(r->model, covariance);
        for (size_t k = 0; k < dim; k++) r->exact_sd[k] = sqrt(covariance[k * dim + k]);
    } else {
        free(r->exact_mean);
        free(r->exact_sd);
        r->exact_mean = r->exact_sd = NULL;
    }
    free(covariance);
}

void outcome_add_plan(outcome *r, const ckam_plan *plan) {
    enum { SPEC = 4096 };
    char spec[SPEC];
    r->plan = plan;
    if (ckam_plan_get(plan, "model", spec, sizeof spec, NULL) || ckam_model_create(&r->model, spec, NULL)) {
        r->model = NULL;
        return;
    }
    size_t dim = ckam_model_target(r->model)->dim;
    if (dim == r->review->parameters)
        add_exact(r, dim);
    else { /* a file or directory may have the name of a built-in model */
        ckam_model_free(r->model);
        r->model = NULL;
    }
}

void outcome_free(outcome *r) {
    ckam_model_free(r->model);
    free(r->exact_mean);
    free(r->exact_sd);
}

/* The counts of a run without run.json. */
static void print_counts(const ckam_counts *counts) {
    char text[DESCRIBE];
    if (counts->undefined) {
        snprintf(text, sizeof text, "%" PRIu64 " proposal%s rejected because the density is 0 or not defined there.",
                 counts->undefined, counts->undefined == 1 ? " was" : "s were");
        printf("note: ");
        text_wrap(stdout, text, 6, 2);
    }
    if (counts->floored) {
        snprintf(text, sizeof text,
                 "The covariance was kept from degenerating %" PRIu64 " time%s: the gain may be too large.",
                 counts->floored, text_plural(counts->floored));
        printf("note: ");
        text_wrap(stdout, text, 6, 2);
    }
    if (counts->runaways) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " of %" PRIu64
                 " searches for modes were stopped far outside: the density has heavy tails, or "
                 "no finite integral.",
                 counts->runaways, counts->scouts);
        printf("note: ");
        text_wrap(stdout, text, 6, 2);
    }
}

/* Findings on the search for modes, of a run without a directory. `found` has room: there are none from run.json. */
static size_t find_search(const outcome *r, ckam_finding *found) {
    char allowed[NUMBER];
    if (ckam_plan_get(r->plan, "unseen", allowed, sizeof allowed, NULL)) return 0;
    return ckam_search_findings(&r->facts->search, strtod(allowed, NULL), r->review->parameters, found);
}

void outcome_print(const outcome *r) {
    char         command[QUOTED];
    ckam_finding found[CKAM_FINDINGS];
    const bool   kept = *r->directory;
    size_t       count;
    ckam_error   error;
    if (ckam_run_findings(kept ? r->directory : NULL, r->review, found, &count, &error))
        complain("", EX_OK, "warning: the findings are lacking: %s", error.message);
    if (!kept && r->facts) count += find_search(r, found + count);
    print_head(r);
    printf("\n");
    table_print(r);
    shapes_print(r);
    modes_print(r->review);
    if (count) printf("\n");
    size_t problems = findings_print(found, count, CKAM_PROBLEM, !kept);
    findings_print(found, count, CKAM_NOTE, !kept);
    if (r->facts && !kept) print_counts(&r->facts->counts);
    if (problems && kept) printf("`%s` says what to do.\n", text_command("diagnose", r->directory, command));
}
