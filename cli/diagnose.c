/* diagnose.c - `ckam diagnose`: what is wrong with the draws, and what to do about it. */
#include "cli.h"

enum { EXIT_PROBLEM = 1 };

static int diagnose(const request *r) {
    look l;
    int  status = look_open(&l, r);
    if (status) return status;
    const ckam_review *review = l.review;
    ckam_finding       incident[CKAM_INCIDENTS];
    size_t             incidents = r->words == 1 ? ckam_run_incidents(r->word[0], incident) : 0;
    size_t             problems = findings_print(incident, incidents, CKAM_PROBLEM, true);
    if (problems) printf("\n");
    problems += findings_print(review->finding, review->findings, CKAM_PROBLEM, true);
    if (!problems) printf(review->findings + incidents ? "no problems found\n\n" : "no problems found\n");
    if (findings_print(incident, incidents, CKAM_NOTE, true) && review->findings) printf("\n");
    findings_print(review->finding, review->findings, CKAM_NOTE, true);
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
