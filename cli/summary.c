/* summary.c - `ckam summary` and `ckam diagnose`: the table of draws, and what is wrong with them. */
#include "cli.h"

int reviewed_open(reviewed_draws *d, const request *r) {
    ckam_error error;
    *d = (reviewed_draws){NULL, NULL};
    if (!r->words) return complain(r->command, EX_USAGE, "of what? Name the directory of a run, or CSV files");
    if (ckam_draws_open(&d->draws, r->word, r->words, &error)) return complain_error(r->command, &error);
    if (!ckam_review_create(&d->review, d->draws, &error)) return EX_OK;
    ckam_draws_free(d->draws);
    return complain_error(r->command, &error);
}

void reviewed_close(reviewed_draws *d) {
    ckam_review_free(d->review);
    ckam_draws_free(d->draws);
}

static const ckam_option own_options[] = {
    {.name = "all", .help = "all parameters, not only the first 12", .type = CKAM_CHOICE, .words = switch_words},
    {.name = "csv", .help = "as CSV with all digits, for other programs", .type = CKAM_CHOICE, .words = switch_words},
    {.name = "evidence", .help = "log Z, too, as `ckam evidence` has it", .type = CKAM_CHOICE, .words = switch_words},
    {.name = NULL}};
static const flag_group groups[] = {{.options = own_options}, {.options = NULL}};

/* Files have no plan, and that is fine. One that cannot be used is not passed over in silence. */
static void print(const request *r, const reviewed_draws *d) {
    ckam_plan  *plan = NULL;
    ckam_error  error;
    outcome     out = {.directory = "", .all = request_value(r, "all"), .draws = d->draws, .review = d->review};
    ckam_status status = r->words == 1 ? ckam_plan_open(&plan, r->word[0], &error) : CKAM_ERROR_INPUT;
    if (!status) {
        out.directory = r->word[0];
        outcome_add_plan(&out, plan);
    } else if (status != CKAM_ERROR_INPUT) {
        complain(r->command, 0, "warning: %s", error.message);
    }
    outcome_print(&out);
    outcome_free(&out);
    ckam_plan_free(plan);
}

static int summary(const request *r) {
    reviewed_draws d;
    bool           csv = request_value(r, "csv"), evidence = request_value(r, "evidence");
    if (csv && evidence) return complain(r->command, EX_USAGE, "--csv has no room for --evidence; ask for one of them");
    int status = reviewed_open(&d, r);
    if (!d.review) return status;
    if (csv)
        table_print_csv(d.review);
    else
        print(r, &d);
    if (evidence) {
        printf("\n");
        status = evidence_print(r, d.draws);
    }
    reviewed_close(&d);
    return status;
}

int command_summary(int count, char **arguments) {
    static const command_line line = {
        .command = "summary",
        .arguments = "DIR\nCSV...",
        .about =
            "Prints the summary of a run, or of CSV files that ckam or another Stan-like sampler wrote, one file a "
            "chain.\v"
            "mcse is the standard error of the mean. rhat below 1.01 and ess above 100 a chain are good.",
        .groups = groups};
    request r;
    int     status;
    if (request_read(&r, &line, count, arguments, &status)) status = summary(&r);
    request_free(&r);
    return status;
}

enum { EXIT_PROBLEM = 1 };

static int diagnose(const request *r) {
    reviewed_draws d;
    int            status = reviewed_open(&d, r);
    if (!d.review) return status;
    ckam_finding found[CKAM_FINDINGS];
    size_t       count, problems = 0;
    ckam_error   error;
    if (ckam_run_findings(r->words == 1 ? r->word[0] : NULL, d.review, found, &count, &error)) {
        reviewed_close(&d);
        return complain_error(r->command, &error);
    }
    problems = findings_print(found, count, CKAM_PROBLEM, true);
    if (!problems) printf(count ? "no problems found\n\n" : "no problems found\n");
    findings_print(found, count, CKAM_NOTE, true);
    if (d.review->modes > 1) modes_print(d.review);
    reviewed_close(&d);
    return problems ? EXIT_PROBLEM : EX_OK;
}

int command_diagnose(int count, char **arguments) {
    static const command_line line = {
        .command = "diagnose",
        .arguments = "DIR\nCSV...",
        .about =
            "Says what is wrong with the draws of a run, or of CSV files, and what to do about it. The exit status "
            "is 1 when there is a problem, and 0 when none was found."};
    request r;
    int     status;
    if (request_read(&r, &line, count, arguments, &status)) status = diagnose(&r);
    request_free(&r);
    return status;
}
