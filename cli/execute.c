/* execute.c - runs the chains of `sample` and `resume`: progress, signals, rank 0's output, the exit status. */
#include "cli.h"

#include <string.h>

/* Reads the draws from the directory or, without one, from the run. */
static ckam_status print_outcome(const ckam_run *run, const ckam_plan *plan, const run_facts *facts,
                                 ckam_error *error) {
    outcome     r = {.directory = ckam_run_directory(run), .review = ckam_run_review(run), .facts = facts};
    ckam_status status =
        *r.directory ? ckam_draws_open(&r.draws, &r.directory, 1, error) : ckam_run_draws(run, &r.draws, error);
    if (status) return status;
    outcome_add_plan(&r, plan);
    outcome_print(&r);
    outcome_free(&r);
    ckam_draws_free(r.draws);
    return CKAM_OK;
}

static void stop_run(void *run) { ckam_run_stop(run); }
static void freeze_run(void *run) { ckam_run_freeze(run); }

/* The message of the second signal, whose handler can only write(). */
static void write_farewell(const char *directory, size_t size, char *text) {
    char command[QUOTED];
    snprintf(text, size, "%s", ranks_is_root() ? "\nended at once\n" : "");
    if (*directory && ranks_is_root())
        snprintf(text, size, "\nended at once; `%s` goes on from the last checkpoint\n",
                 text_command("resume", directory, command));
}

void set_crash_message(const ckam_plan *plan, const char *directory) {
    char command[QUOTED], model[DESCRIBE], text[QUOTED + DESCRIBE];
    ckam_plan_get(plan, "model", model, sizeof model, NULL);
    model[strcspn(model, ":")] = 0;
    if (entry_find(ckam_model_list(), model)) return;
    int used =
        snprintf(text, sizeof text, "\nthe model crashed. With --isolate that costs a point, which is written down\n");
    if (*directory)
        snprintf(text + used, sizeof text - (size_t)used, "`%s --isolate` goes on from the last checkpoint\n",
                 text_command("resume", directory, command));
    signals_crash(text);
}

/* For a run that stopped without a draw, or had converged before it was resumed. */
static int complain_without_draws(const char *command, const ckam_run *run, const run_facts *facts, bool interrupted) {
    char again[QUOTED];
    if (ckam_run_review(run)) {
        if (facts->before && facts->counts.evaluations == facts->before && !strcmp(facts->reason, "until"))
            complain(command, 0, "nothing was left to do: it had converged as asked; --until never goes on");
        return EX_OK;
    }
    if (interrupted) return complain(command, EX_OK, "it was stopped before every chain had a draw");
    complain(command, EX_TEMPFAIL, "it stopped before every chain had a draw%s%s", *ckam_run_shortfall(run) ? ": " : "",
             ckam_run_shortfall(run));
    if (*ckam_run_directory(run))
        fprintf(stderr, "`%s%s` goes on from here\n", text_command("resume", ckam_run_directory(run), again),
                strcmp(facts->reason, "evals") ? "" : " --evals N");
    return EX_TEMPFAIL;
}

int execute_run(const char *command, ckam_run *run, const ckam_plan *plan) {
    const char      *directory = ckam_run_directory(run);
    char             kind[16] = "auto", again[QUOTED], farewell[QUOTED + DESCRIBE];
    progress_display display;
    run_facts        facts;
    ckam_error       error, failure;
    bool             warned = *ckam_run_warning(run);
    if (warned) complain(command, 0, "warning: %s", ckam_run_warning(run));
    ckam_run_counts(run, &facts.counts);
    facts.before = facts.counts.evaluations;
    ckam_plan_get(plan, "progress", kind, sizeof kind, NULL);
    progress_begin(&display, ranks_is_root() ? kind : "none");
    write_farewell(directory, sizeof farewell, farewell);
    set_crash_message(plan, directory);
    signals_begin(&(interruption){stop_run, freeze_run, run, farewell});
    ckam_status status = ckam_run_go(run, ranks_is_root() ? progress_watch : NULL, &display, &failure);
    int         number = signals_end();
    signals_crash(NULL);
    facts.seconds = display.elapsed;
    progress_end(&display);
    facts.reason = ckam_run_reason(run);
    ckam_run_counts(run, &facts.counts);
    ckam_run_search(run, &facts.search);
    int exit = exit_status(status);
    if (!ranks_is_root()) return status == CKAM_STOP && number ? signals_status(number) : exit;
    if (ckam_run_review(run) && print_outcome(run, plan, &facts, &error)) exit = complain_error(command, &error);
    (void)fflush(stdout);
    if (!warned && *ckam_run_warning(run)) complain(command, 0, "warning: %s", ckam_run_warning(run));
    if (status < 0)
        complain_error(command, &failure);
    else if (!exit)
        exit = complain_without_draws(command, run, &facts, status == CKAM_STOP);
    bool begun = status > 0 || facts.counts.draws > 0; /* a failure before the first draw would only repeat itself */
    if (status && begun && *directory)
        fprintf(stderr, "`%s` goes on from here\n", text_command("resume", directory, again));
    return status == CKAM_STOP && number ? signals_status(number) : exit;
}
