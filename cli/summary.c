/* summary.c - `ckam summary`: the table of a run, or of CSV files that other samplers wrote. */
#include "cli.h"

static const ckam_option own_options[] = {
    {.name = "all", .help = "all parameters, not only the first 12", .type = CKAM_CHOICE, .words = switch_words},
    {.name = "csv", .help = "as CSV with all digits, for other programs", .type = CKAM_CHOICE, .words = switch_words},
    {.name = "evidence", .help = "log Z, too, as `ckam evidence` has it", .type = CKAM_CHOICE, .words = switch_words},
    {.name = NULL}};
static const flag_group groups[] = {{.options = own_options}, {.options = NULL}};

/* Files have no plan, and that is fine. One that cannot be used is not passed over in silence. */
static void print(const request *r, const look *l) {
    ckam_plan  *plan = NULL;
    ckam_error  error;
    outcome     out = {.directory = "", .all = request_value(r, "all"), .draws = l->draws, .review = l->review};
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
    look l;
    bool csv = request_value(r, "csv"), evidence = request_value(r, "evidence");
    if (csv && evidence) return complain(r->command, EX_USAGE, "--csv has no room for --evidence; ask for one of them");
    int status = look_open(&l, r);
    if (status) return status;
    if (csv)
        table_print_csv(l.review);
    else
        print(r, &l);
    if (evidence) {
        printf("\n");
        status = evidence_print(r, l.draws);
    }
    look_close(&l);
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
