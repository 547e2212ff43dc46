/* main.c - the ckam command: finds the command and hands over. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static int command_help(int count, char **arguments);

static const command commands[] = {{"sample", "draw from a model and show a summary", command_sample},
                                   {"list", "show models, samplers, or the options of one", command_list},
                                   {"help", "show this", command_help}};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void usage(FILE *stream) {
    fprintf(stream, "Usage: ckam COMMAND ...\n\nDraws from densities that can only be evaluated.\n\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(stream, "  %-8s  %s\n", commands[i].name, commands[i].summary);
    fprintf(stream, "\n`ckam COMMAND --help` says more. A first try:\n\n  ckam sample bimodal\n");
}

static int command_help(int count, char **arguments) {
    (void)count, (void)arguments;
    usage(stdout);
    return 0;
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    if (!strcmp(name, "--version")) {
        printf("ckam %s\n", ckam_version());
        return 0;
    }
    if (!strcmp(name, "--help")) name = "help";
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(name, commands[i].name)) return commands[i].run(count - 1, arguments + 1);
    if (*name) fprintf(stderr, "ckam: there is no command '%s'\n\n", name);
    usage(stderr);
    return EXIT_USAGE;
}
