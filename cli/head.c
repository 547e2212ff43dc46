/* head.c - the head of what came out: what was run, and how it went. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

/* Adds to a text, and cuts what has no room. */
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

/* Rows of a chain: of files, of what was thinned to have room in memory, of what was used. */
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

/* Why it stopped, and what it should have waited for. */
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

void head_print(const outcome *r) {
    if (r->plan) print_plan(r->plan);
    print_shape(r);
    if (r->facts)
        print_facts(r);
    else if (*r->directory)
        print_place(r->directory);
}
