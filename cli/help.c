/* help.c - `ckam help`: the commands, or more about a command, sampler or model. */
#include "cli.h"

static int help(const request *r) {
    if (!r->words) {
        commands_print(stdout);
        return EX_OK;
    }
    const char          *name = r->word[0];
    const command_entry *found = command_find(name);
    const ckam_entry    *sampler = entry_find(ckam_sampler_list(), name), *model = entry_find(ckam_model_list(), name);
    if (r->words > 1) return complain(r->command, EX_USAGE, "one at a time: '%s' is too much", r->word[1]);
    if (found) {
        char flag[] = "--help", *arguments[] = {flag, flag, NULL};
        return found->run(2, arguments);
    }
    if (sampler || model) {
        describe_entry(sampler ? sampler : model, sampler);
        return EX_OK;
    }
    const char *near = ckam_nearest_name(commands, sizeof *commands, name);
    if (!near) near = ckam_nearest_name(ckam_sampler_list(), sizeof *sampler, name);
    if (!near) near = ckam_nearest_name(ckam_model_list(), sizeof *model, name);
    if (near)
        return complain(r->command, EX_USAGE, "there is no command, sampler or model '%s'; did you mean '%s'?", name,
                        near);
    return complain(r->command, EX_USAGE, "there is no command, sampler or model '%s'; `ckam list` shows them", name);
}

int command_help(int count, char **arguments) {
    static const command_line line = {
        .command = "help",
        .arguments = "[COMMAND|SAMPLER|MODEL]",
        .about = "Shows the commands, or what a command takes, or the options of a sampler or model with their ranges "
                 "and defaults.",
    };
    request r;
    int     status;
    if (request_read(&r, &line, count, arguments, &status)) status = help(&r);
    request_free(&r);
    return status;
}
