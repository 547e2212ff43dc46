/* bytes.c - what ranks send each other when they pool, as run.json counts it, beside the formula.
 *
 * The same chains are run here, in one process: at each of their pools the formula says what they would send. */
#include "crowd.h"
#include "measure.h"
#include "ranks.h"

#include <stdio.h>

enum { HORIZON = 10000 };

static const struct {
    const char *model;
    size_t      chains;
    bool        left; /* all start in the left mode: searches find the other */
} cases[] = {{"bimodal", 2, false},          {"bimodal", 16, false},        {"bimodal", 16, true},
             {"bimodal", 64, false},         {"grid32:dim=2", 16, false},   {"gaussian:dim=10", 4, false},
             {"gaussian:dim=10", 64, false}, {"gaussian:dim=100", 4, false}};

static bool row(const char *spec, size_t chains, bool left) {
    char        arguments[160];
    ckam_model *model;
    ckam_error  error;
    uint64_t    formula = 0, first = 0, last = 0;
    snprintf(arguments, sizeof arguments, "%s --chains %zu --draws 12000 --horizon %d%s", spec, chains, HORIZON,
             left ? " --init=-8,0" : "");
    account a = job_run(2, arguments);
    if (ckam_model_create(&model, spec, &error)) stop(error.message);
    crowd c =
        crowd_create(ckam_model_target(model), "jump", left ? (const double[]){-8.0, 0.0} : NULL, chains, HORIZON);
    size_t most = 0, found = 0;
    for (uint64_t pool = 0; pool < a.pools; pool++) {
        crowd_go(&c);
        last = 0;
        for (size_t i = 0; i < chains; i++) {
            last += crowd_summary_bytes(&c, i);
            found += crowd_explorer(&c, i)->candidates;
        }
        formula += last;
        if (pool == 0) first = last;
        if (crowd_components(&c) > most) most = crowd_components(&c);
        crowd_pool(&c);
    }
    printf("%-17s %4zu %7zu %5.0f %5zu %6zu %12.0f %12.0f %12.0f %12.0f%s\n", spec, ckam_model_target(model)->dim,
           chains, (double)a.pools, most, found, (double)first, (double)last, (double)formula, (double)a.bytes,
           formula == a.bytes ? "" : "  DIFFERS");
    (void)fflush(stdout);
    crowd_free(&c);
    ckam_model_free(model);
    return formula == a.bytes;
}

bool show_bytes(void) {
    bool equal = true;
    printf("Bytes that 2 ranks bring together when they pool, by the formula and as run.json counts them.\n"
           "J: most components; found: places found by searches, of all chains and pools\n\n");
    printf("%-17s %4s %7s %5s %5s %6s %12s %12s %12s %12s\n", "model", "d", "chains", "pools", "J", "found",
           "first pool", "last pool", "all: formula", "measured");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        equal = row(cases[i].model, cases[i].chains, cases[i].left) && equal;
    printf("\n");
    return equal;
}
