/* outcome.c - what came out, on stdout: puts its parts in order. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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
    else { /* something else of the same name */
        ckam_model_free(r->model);
        r->model = NULL;
    }
}

void outcome_free(outcome *r) {
    ckam_model_free(r->model);
    free(r->exact_mean);
    free(r->exact_sd);
}

/* What the run counted, where it has no run.json to say it. */
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

/* What the search for modes says, of a run that has no directory; there is room for it where run.json has no findings. */
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
    head_print(r);
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
