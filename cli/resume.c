/* resume.c - `ckam resume`: goes on with a run where it stopped. */
#include "cli.h"

/* What may differ from what the run was begun with. */
static const char *const changeable[] = {"draws",   "evals",   "time-limit",       "until",
                                         "threads", "format",  "checkpoint-every", "progress",
                                         "workers", "timeout", "isolate",          NULL};

static int resume(const request *r) {
    ckam_plan  *plan;
    ckam_run   *run = NULL;
    ckam_error  error;
    ckam_status failed = CKAM_OK;
    if (r->words != 1)
        return complain(r->command, EX_USAGE,
                        r->words ? "one run at a time" : "which run? Name the directory that `ckam sample` made");
    if (ckam_plan_open(&plan, r->word[0], &error)) return complain_error(r->command, &error);
    for (size_t i = 0; i < r->settings && !failed; i++)
        failed = ckam_plan_set(plan, r->setting[i].name, r->setting[i].value, &error);
    int status = ranks_agree(failed ? complain_error(r->command, &error) : EX_OK);
    ckam_plan_comm(plan, ranks_comm());
    ckam_plan_notice(plan, progress_notice, NULL);
    set_crash_message(plan, r->word[0]);
    if (!status && ckam_run_resume(&run, plan, r->word[0], NULL, &error))
        status = complain_error(r->command, &error);
    else if (!status)
        status = execute_run(r->command, run, plan);
    ckam_run_free(run);
    ckam_plan_free(plan);
    return status;
}

int command_resume(int count, char **arguments) {
    const flag_group   groups[] = {{.title = "What may be changed:", .options = ckam_plan_list(), .only = changeable},
                                   {.options = NULL}};
    const command_line line = {
        .command = "resume",
        .arguments = "DIR",
        .about =
            "Goes on with the run in a directory where it stopped: killed, interrupted, or done and asked for "
            "more. Its draws are those of a run that was never stopped (and, asked for more, with its --horizon).\v"
            "Example, after `ckam sample ring --draws 1000 --out ring`:\n  ckam resume ring --draws 5000",
        .groups = groups};
    request r;
    int     status;
    if (request_read(&r, &line, count, arguments, &status)) status = resume(&r);
    request_free(&r);
    return status;
}
