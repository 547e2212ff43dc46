/* cli.h - what the commands share. A command is a client of ckam.h and of nothing else in the library. */
#ifndef CKAM_CLI_H
#define CKAM_CLI_H

#include <ckam.h>

/* Exit statuses, as in sysexits.h. */
enum { EXIT_USAGE = 64, EXIT_SOFTWARE = 70 };

/* One command: its name, one line of help, and its main. */
typedef struct command {
    const char *name, *summary;
    int (*run)(int count, char **arguments);
} command;

int command_sample(int count, char **arguments);
int command_list(int count, char **arguments);

/* The table of a finished run: draws[(chain * count + draw) * dim + k]. Returns 0, or -1 when there is no memory for
 * it. */
int print_summary(const ckam_model *model, size_t chains, size_t count, const double *draws);

#endif
