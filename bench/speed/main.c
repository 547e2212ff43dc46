/* main.c - one table of what ckam costs: ratios, each measured by turns in this run, with its bar. See bench/README.md.
 *
 * Usage: speed [GROUP...] [--json FILE]. The status is 1 when a row misses its bar. */
#include "measure.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*rows)(void);
} groups[] = {
    {"steps", rows_of_steps}, {"kernels", rows_of_kernels}, {"growth", rows_of_growth}, {"commands", rows_of_commands}};
enum { GROUPS = sizeof groups / sizeof *groups };

int main(int count, char **words) {
    const char *path = NULL;
    bool        wanted[GROUPS] = {0}, all = true;
    for (int i = 1; i < count; i++) {
        int g = 0;
        if (!strcmp(words[i], "--json") && i + 1 < count) {
            path = words[++i];
            continue;
        }
        while (g < GROUPS && strcmp(words[i], groups[g].name) != 0) g++;
        if (g == GROUPS) {
            fprintf(stderr,
                    "speed: there is no group '%s'; usage: speed [steps|kernels|growth|commands]... [--json FILE]\n",
                    words[i]);
            return 2;
        }
        wanted[g] = true;
        all = false;
    }
    table_open(path);
    for (int g = 0; g < GROUPS; g++)
        if (all || wanted[g]) groups[g].rows();
    return table_close() ? 1 : 0;
}
