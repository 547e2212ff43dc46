/* diagnose.c - `ckam diagnose`: what is wrong with the draws, and what to do about it. */
#include "cli.h"

enum { EXIT_PROBLEM = 1 };

static int diagnose(const request *r) {
    look l;
    int  status = look_open(&l, r);
    if (status) return status;
    ckam_finding found[CKAM_FINDINGS];
    size_t       count, problems = 0;
    ckam_error   error;
    if (ckam_run_findings(r->words == 1 ? r->word[0] : NULL, l.review, found, &count, &error)) {
        look_close(&l);
        return complain_error(r->command, &error);
    }
    problems = findings_print(found, count, CKAM_PROBLEM, true);
    if (!problems) printf(count ? "no problems found\n\n" : "no problems found\n");
    findings_print(found, count, CKAM_NOTE, true);
    if (l.review->modes > 1) modes_print(l.review);
    look_close(&l);
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
