/* carry_out.c - a run from begin to end: progress, signals, and the report. For `sample` and `resume`. */
#include "cli.h"

#include <signal.h>

/* The draws are in the directory or, where none was made, in the run. */
static ckam_status print_report(const ckam_run *run, const ckam_plan *plan, const run_facts *facts, ckam_error *error) {
    report      r = {.directory = ckam_run_directory(run), .review = ckam_run_review(run), .facts = facts};
    ckam_status status =
        *r.directory ? ckam_draws_open(&r.draws, &r.directory, 1, error) : ckam_run_draws(run, &r.draws, error);
    if (status) return status;
    report_add_plan(&r, plan);
    report_print(&r);
    report_free(&r);
    ckam_draws_free(r.draws);
    return CKAM_OK;
}

int carry_out(const char *command, ckam_run *run, const ckam_plan *plan) {
    const char      *directory = ckam_run_directory(run);
    char             kind[16] = "auto", again[QUOTED];
    progress_display display;
    run_facts        facts;
    ckam_error       error, failure;
    ckam_run_counts(run, &facts.counts);
    facts.before = facts.counts.evaluations;
    ckam_plan_get(plan, "progress", kind, sizeof kind, NULL);
    progress_begin(&display, kind);
    signals_begin(run);
    ckam_status status = ckam_run_go(run, progress_watch, &display, &failure);
    int         number = signals_end();
    facts.seconds = display.elapsed;
    progress_end(&display);
    facts.reason = ckam_run_reason(run);
    ckam_run_counts(run, &facts.counts);
    int exit = exit_status(status);
    if (ckam_run_review(run) && print_report(run, plan, &facts, &error)) exit = complain_error(command, &error);
    (void)fflush(stdout);
    if (status < 0)
        complain_error(command, &failure);
    else if (!ckam_run_review(run))
        complain(command, 0,
                 "it stopped before every chain had a draw; allow more evaluations or time, or a shorter warm-up");
    bool begun = status > 0 || facts.counts.draws > 0; /* what fails at the start fails again */
    if (status && begun && *directory)
        fprintf(stderr, "`%s` goes on from here\n", text_command("resume", directory, again));
    return status == CKAM_STOP && number ? 128 + (number == SIGINT ? SIGINT : SIGTERM) : exit;
}
