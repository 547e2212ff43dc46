/* list.c - `ckam list`: what there is, from the library's tables. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_entries(const char *title, const ckam_entry *list) {
    printf("%s\n", title);
    for (; list->name; list++) printf("  %-10s %s\n", list->name, list->summary);
}

static void print_initial(const ckam_option *option) {
    if (option->type == CKAM_CHOICE)
        printf("%-12s", option->words[(int)option->initial]);
    else if (isnan(option->initial))
        printf("%-12s", "auto");
    else
        printf("%-12g", option->initial);
}

static void print_options(const ckam_entry *entry) {
    printf("%s: %s\n\n  %-18s %-12s\n", entry->name, entry->summary, "option", "default");
    for (const ckam_option *option = entry->options; option->name; option++) {
        printf("  %-18s ", option->name);
        print_initial(option);
        printf("%s", option->help);
        for (size_t i = 0; option->type == CKAM_CHOICE && option->words[i]; i++)
            printf("%s%s", i ? " | " : ": ", option->words[i]);
        printf("\n");
    }
}

static int print_options_of(const ckam_entry *list, const char *name) {
    for (; list->name; list++)
        if (!strcmp(list->name, name)) {
            print_options(list);
            return 1;
        }
    return 0;
}

int command_list(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    if (!strcmp(what, "--help")) {
        printf("Usage: ckam list [models|samplers|NAME]\n\nNAME is a sampler or model: its options are shown.\n");
        return 0;
    }
    if (!*what || !strcmp(what, "samplers")) print_entries("Samplers", ckam_sampler_list());
    if (!*what) printf("\n");
    if (!*what || !strcmp(what, "models")) print_entries("Models", ckam_model_list());
    if (!*what || !strcmp(what, "samplers") || !strcmp(what, "models")) return 0;
    if (print_options_of(ckam_sampler_list(), what) || print_options_of(ckam_model_list(), what)) return 0;
    fprintf(stderr, "ckam list: there is no sampler or model '%s'; `ckam list` shows them all\n", what);
    return EXIT_USAGE;
}
