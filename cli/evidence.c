/* evidence.c - `ckam evidence`: the logarithm of the integral of the density, from the draws of a run. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { EXIT_PROBLEM = 1 };

/* All findings of the run and its draws, which tell whether to trust the estimate. */
typedef struct doubts {
    ckam_finding found[CKAM_FINDINGS];
    size_t       count;
} doubts;

/* The estimate, and why it is not to be trusted. Returns whether it is. */
static bool print(const ckam_evidence *e, const doubts *d) {
    static const char label[] = "problem: ";
    char              value[NUMBER];
    number_with_error(e->log_z, e->se, value);
    printf("log Z        %s", value);
    if (!isnan(e->log_z)) printf(" +- %.2g", e->se);
    printf("\n");
    printf("overlap      %.3f with a mixture of %zu component%s\n", e->overlap, e->components,
           text_plural(e->components));
    printf("ESS          %.0f\n", e->ess);
    printf("evaluations  %" PRIu64 "\n", e->evaluations);
    const size_t problems = findings_print(d->found, d->count, CKAM_PROBLEM, false);
    if (!e->trusted && !(e->doubted && problems)) { /* the problems of the draws are printed above */
        printf("%s", label);
        text_wrap(stdout, e->warning, sizeof label - 1, 2);
    }
    return e->trusted && !problems;
}

static ckam_status find_doubts(const char *directory, ckam_draws *draws, doubts *d, ckam_error *error) {
    ckam_review *review;
    ckam_status  status = ckam_review_create(&review, draws, error);
    if (status) return status;
    status = ckam_run_findings(directory, review, d->found, &d->count, error);
    ckam_review_free(review);
    return status;
}

/* The model and the seed of the plan. */
static int estimate(const char *command, const char *directory, const ckam_plan *plan, ckam_draws *draws) {
    char            seed[NUMBER];
    ckam_posterior *posterior;
    ckam_error      error;
    ckam_evidence   e;
    doubts          d;
    if (ckam_plan_get(plan, "seed", seed, sizeof seed, &error)) return complain_error(command, &error);
    if (ckam_posterior_open(&posterior, plan, draws, &error))
        return complain(command, EX_DATAERR, "the model of %.80s cannot be opened again: %s", directory, error.message);
    ckam_status failed = ckam_evidence_estimate(ckam_posterior_draws(posterior), ckam_posterior_target(posterior),
                                                strtoull(seed, NULL, 10), &e, &error);
    ckam_posterior_free(posterior);
    if (failed)
        return complain(command, failed == CKAM_ERROR_ARGUMENT ? EX_DATAERR : exit_status(failed), "%s", error.message);
    if (find_doubts(directory, draws, &d, &error)) return complain_error(command, &error);
    const bool trusted = print(&e, &d);
    if (ckam_evidence_write(directory, &e, strtoull(seed, NULL, 10), ckam_draws_shape_of(draws)->shortest, d.found,
                            d.count, &error))
        complain(command, EX_OK,
                 "warning: the estimate is not in every file of the run (evidence.json, run.json, draws.nc): %s",
                 error.message);
    return trusted ? EX_OK : EXIT_PROBLEM;
}

int evidence_print(const request *r, ckam_draws *draws) {
    static const char hint[] = "of CSV files alone the density is not known; in C, ckam_evidence_estimate() takes both";
    const char       *seed = request_value(r, "seed");
    ckam_plan        *plan;
    ckam_error        error;
    if (r->words != 1) return complain(r->command, EX_USAGE, "one run at a time: %s", hint);
    if (ckam_plan_open(&plan, r->word[0], &error))
        return complain(r->command, exit_status(error.status), "%s; %s", error.message, hint);
    int status = seed && ckam_plan_set(plan, "seed", seed, &error) ? complain_error(r->command, &error) : EX_OK;
    ckam_plan_notice(plan, progress_notice, NULL);
    if (!status) status = estimate(r->command, r->word[0], plan, draws);
    ckam_plan_free(plan);
    return status;
}

static int evidence(const request *r) {
    ckam_draws *draws;
    ckam_error  error;
    if (!r->words) return complain(r->command, EX_USAGE, "of what? Name the directory of a run");
    if (ckam_draws_open(&draws, r->word, r->words, &error)) return complain_error(r->command, &error);
    int status = evidence_print(r, draws);
    ckam_draws_free(draws);
    return status;
}

int command_evidence(int count, char **arguments) {
    static const ckam_option own_options[] = {
        {.name = "seed", .help = "same seed, same numbers (default: the seed of the run)", .type = CKAM_WORD},
        {.name = NULL}};
    static const flag_group   groups[] = {{.options = own_options}, {.options = NULL}};
    static const command_line line = {
        .command = "evidence",
        .arguments = "DIR",
        .about =
            "Estimates log Z, the logarithm of the integral of the density, by bridge sampling between the draws of "
            "a run and a mixture that is fitted to others of them. The model is evaluated about as many times as "
            "there are draws, at most 20,000 times.\v"
            "It is kept in the run's directory: evidence.json, run.json and draws.nc. The exit status is 1 when the "
            "estimate is not to be trusted, as when `ckam diagnose` finds a problem.",
        .groups = groups};
    request r;
    int     status;
    if (request_read(&r, &line, count, arguments, &status)) status = evidence(&r);
    request_free(&r);
    return status;
}
