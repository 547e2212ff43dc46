/* sample.c - `ckam sample` makes a plan from a file and flags, and runs it; `ckam resume` goes on with a run where it stopped. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const ckam_option own_options[] = {
    {.name = "config",
     .help = "read settings from a file: {\"model\": \"ring\", \"draws\": 500}; flags win",
     .type = CKAM_TEXT},
    {.name = NULL}};

static const char about[] =
    "Runs chains on a model, writes a directory with the draws, and prints a summary. The model is your own, a file in "
    "C or "
    "a shared object, or --log-density, or --program; or a built-in one with its options after a colon, as in "
    "bimodal:dim=8; `ckam list models` shows them. The default of an option is in brackets.\v"
    "Examples:\n"
    "  ckam sample bimodal\n"
    "  ckam sample model.c --data data.json\n"
    "  ckam sample --log-density '-0.5*(x*x + y*y/4)' --params x,y\n"
    "  ckam sample --program 'python3 density.py' --params 'mu, sigma > 0'\n"
    "  ckam sample banana --sampler gam --draws 20000 --seed 7\n"
    "  ckam sample ring --sampler ckam --explore 0.5 --chains 8 --out ring\n"
    "\n"
    "--sampler gam --help shows the options of gam; `ckam help gam` also has their ranges.";

/* The plan's settings, those of the command, and those of every sampler. */
enum { GROUPS_MOST = 64, TITLE = 80, COMMAND = 4096 };
typedef struct all_groups {
    flag_group group[GROUPS_MOST];
    char       title[GROUPS_MOST][TITLE];
} all_groups;

static void make_groups(all_groups *all) {
    size_t count = 0;
    all->group[count++] = (flag_group){.title = "The run:", .options = ckam_plan_list()};
    all->group[count++] = (flag_group){.options = own_options};
    for (const ckam_entry *sampler = ckam_sampler_list(); sampler->name && count < GROUPS_MOST - 1; sampler++) {
        snprintf(all->title[count], TITLE, "Options of the sampler %s:", sampler->name);
        all->group[count] =
            (flag_group){.title = all->title[count], .options = sampler->options, .sampler = sampler->name};
        count++;
    }
    all->group[count] = (flag_group){.options = NULL};
}

/* A flag of a sampler that is not the plan's. */
static int refuse_foreign(const request *r, const char *flag, const char *sampler) {
    char        owners[DESCRIBE] = "";
    const char *last = NULL; /* of them: written when it is known whether another follows */
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        if (!option_find(entry->options, flag)) continue;
        size_t used = strlen(owners);
        if (last) snprintf(owners + used, sizeof owners - used, "%s%s", used ? ", " : "", last);
        last = entry->name;
    }
    size_t used = strlen(owners);
    snprintf(owners + used, sizeof owners - used, "%s%s", used ? " and " : "", last);
    return complain(r->command, EX_USAGE, "--%s is an option of %s, not of %s", flag, owners, sampler);
}

static int set(const request *r, ckam_plan *plan, const char *name, const char *value) {
    ckam_error error;
    return ckam_plan_set(plan, name, value, &error) ? complain_error(r->command, &error) : EX_OK;
}

static int read_config(const request *r, ckam_plan *plan, const char *path) {
    ckam_error  error;
    ckam_status status = ckam_plan_read(plan, path, request_value(r, "sampler"), &error);
    int         exit = exit_status(status);
    if (!status) return EX_OK;
    return complain(r->command, exit == EX_NOINPUT || exit == EX_SOFTWARE ? exit : EX_CONFIG, "%s", error.message);
}

/* What stands behind the name in "gam:warmup=5,..." wins over a file, as other flags do. */
static int set_behind(const request *r, ckam_plan *plan, const char *spec) {
    char text[COMMAND], *rest = NULL;
    int  status = EX_OK;
    snprintf(text, sizeof text, "%s", spec + strcspn(spec, ":"));
    for (char *name = strtok_r(text, ":,", &rest); name && !status; name = strtok_r(NULL, ",", &rest)) {
        size_t length = strcspn(name, "=");
        if (!name[length]) continue;
        name[length] = 0;
        status = set(r, plan, name, name + length + 1);
    }
    return status;
}

/* A sampler's options belong to the sampler that is set before them. */
static int fill(const request *r, ckam_plan *plan) {
    const char *config = request_value(r, "config"), *spec = request_value(r, "sampler");
    char        sampler[DESCRIBE];
    int         status = spec ? set(r, plan, "sampler", spec) : EX_OK;
    if (!status && config) status = read_config(r, plan, config);
    if (!status && config && spec) status = set_behind(r, plan, spec);
    if (!status && r->words) status = set(r, plan, "model", r->word[0]);
    if (status) return status;
    ckam_plan_get(plan, "sampler", sampler, sizeof sampler, NULL);
    sampler[strcspn(sampler, ":")] = 0;
    const ckam_entry *entry = entry_find(ckam_sampler_list(), sampler);
    for (size_t i = 0; i < r->settings && !status; i++) {
        const char *name = r->setting[i].name;
        if (!strcmp(name, "config") || !strcmp(name, "sampler")) continue;
        if (!option_find(ckam_plan_list(), name) && entry && !option_find(entry->options, name))
            return refuse_foreign(r, name, sampler);
        status = set(r, plan, name, r->setting[i].value);
    }
    if (status) return status;
    static const char *const kinds[] = {"model", "log-density", "program"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char value[2];
        ckam_plan_get(plan, kinds[i], value, sizeof value, NULL);
        if (*value) return EX_OK;
    }
    return complain(r->command, EX_USAGE,
                    "which model? Name a file, model.c, or a built-in one: `ckam list models` shows them");
}

/* The command as it was typed, for run.json. */
static void write_command(int count, char **arguments, char text[COMMAND]) {
    size_t used = (size_t)snprintf(text, COMMAND, "ckam");
    for (int i = 0; i < count && used < COMMAND - 1; i++) {
        text[used++] = ' ';
        used += text_quote(arguments[i], text + used, COMMAND - used);
    }
}

static int sample(const request *r, const char *typed) {
    ckam_plan *plan;
    ckam_run  *run;
    ckam_error error;
    if (r->words > 1 || (r->words && request_value(r, "model")))
        return complain(r->command, EX_USAGE, "one model at a time: '%s' and '%s' are two", r->word[0],
                        r->words > 1 ? r->word[1] : request_value(r, "model"));
    if (ckam_plan_create(&plan, &error)) return complain_error(r->command, &error);
    ckam_plan_command(plan, typed);
    int status = ranks_agree(fill(r, plan));
    ckam_plan_comm(plan, ranks_comm());
    ckam_plan_notice(plan, progress_notice, NULL);
    set_crash_message(plan, "");
    if (!status && ckam_run_create(&run, plan, NULL, &error))
        status = complain_error(r->command, &error);
    else if (!status) {
        status = execute_run(r->command, run, plan);
        ckam_run_free(run);
    }
    ckam_plan_free(plan);
    return status;
}

int command_sample(int count, char **arguments) {
    all_groups   all;
    command_line line = {.command = "sample", .arguments = "MODEL", .about = about, .groups = all.group};
    request      r;
    int          status;
    char         typed[COMMAND];
    make_groups(&all);
    write_command(count, arguments, typed);
    if (request_read(&r, &line, count, arguments, &status)) status = sample(&r, typed);
    request_free(&r);
    return status;
}

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
