/* list.c - `ckam list`: what there is, from the library's tables. */
#include "cli.h"

#include <string.h>

enum { NAME = 10, OPTION = 18, DEFAULT = 10 }; /* columns */

static void print_entries(const char *title, const ckam_entry *list) {
    printf("%s\n", title);
    for (; list->name; list++) {
        printf("  %-*s ", NAME, list->name);
        text_wrap(stdout, list->summary, 3 + NAME, 3 + NAME);
    }
}

/* Kernels are the words of an option: the one of the first sampler that has it. */
static void print_kernels(void) {
    const ckam_option *option = NULL;
    printf("Kernels, for --kernel of");
    for (const ckam_entry *sampler = ckam_sampler_list(); sampler->name; sampler++) {
        const ckam_option *found = option_find(sampler->options, "kernel");
        if (!found) continue;
        printf("%s %s", option ? "," : "", sampler->name);
        option = found;
    }
    printf("\n");
    for (size_t i = 0; option && option->words[i]; i++)
        printf("  %s%s\n", option->words[i], i == (size_t)option->initial ? " (the default)" : "");
}

static void print_options(const ckam_entry *entry) {
    char initial[DESCRIBE];
    printf("%s: ", entry->name);
    text_wrap(stdout, entry->summary, strlen(entry->name) + 2, strlen(entry->name) + 2);
    if (!entry->options->name) {
        printf("It has no options.\n");
        return;
    }
    printf("\n  %-*s default\n", OPTION, "option");
    for (const ckam_option *option = entry->options; option->name; option++) {
        describe_default(option, initial);
        printf("  %-*s %-*s ", OPTION, option->name, DEFAULT, initial);
        text_wrap(stdout, option->help, 4 + OPTION + DEFAULT, 4 + OPTION + DEFAULT);
    }
    printf("\n`ckam help %s` also has their ranges.\n", entry->name);
}

static int list_options(const request *r, const char *name) {
    const ckam_entry *entry = entry_find(ckam_sampler_list(), name);
    if (!entry) entry = entry_find(ckam_model_list(), name);
    if (entry) {
        print_options(entry);
        return EX_OK;
    }
    const char *near = ckam_nearest_name(ckam_sampler_list(), sizeof *entry, name);
    if (!near) near = ckam_nearest_name(ckam_model_list(), sizeof *entry, name);
    if (near)
        return complain(r->command, EX_USAGE, "there is no sampler or model '%s'; did you mean '%s'?", name, near);
    return complain(r->command, EX_USAGE, "there is no sampler or model '%s'; `ckam list` shows them all", name);
}

static int list(const request *r) {
    const char *what = r->words ? r->word[0] : "";
    bool        all = !*what, options = !strcmp(what, "options");
    if (options && r->words < 2)
        return complain(r->command, EX_USAGE, "options of which sampler? `ckam list samplers` shows them");
    if (r->words > (options ? 2 : 1))
        return complain(r->command, EX_USAGE, "one at a time: '%s' is too much", r->word[r->words - 1]);
    if (options) return list_options(r, r->word[1]);
    bool samplers = all || !strcmp(what, "samplers"), kernels = all || !strcmp(what, "kernels");
    bool models = all || !strcmp(what, "models");
    if (!samplers && !kernels && !models) return list_options(r, what);
    if (samplers) print_entries("Samplers", ckam_sampler_list());
    if (all) printf("\n");
    if (models) print_entries("Models", ckam_model_list());
    if (all) printf("\n");
    if (kernels) print_kernels();
    if (all) printf("\n`ckam list options NAME` shows the options of a sampler or model.\n");
    return EX_OK;
}

int command_list(int count, char **arguments) {
    static const command_line line = {
        .command = "list",
        .arguments = "[models|samplers|kernels]\noptions NAME",
        .about = "Shows what there is; with `options`, the options of a sampler or model.",
    };
    request r;
    int     status;
    if (request_read(&r, &line, count, arguments, &status)) status = list(&r);
    request_free(&r);
    return status;
}
