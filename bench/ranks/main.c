/* main.c - a run over several processes: how it scales, what is sent, what to expect of many. See bench/README.md.
 *
 * Usage: ranks [scaling|bytes|forecast]... [--latency S] [--bandwidth B] [--nap S] [--spread X], where bench/models is.
 * The status is 1 when a bar is missed, or bytes are not those of the formula. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALING, BYTES, FORECAST, PARTS };
static const char *const parts[PARTS] = {"scaling", "bytes", "forecast"};

/* Where the number of a flag belongs; NULL: there is no such flag. */
static double *place_of(assumptions *a, const char *flag) {
    if (!strcmp(flag, "--latency")) return &a->latency;
    if (!strcmp(flag, "--bandwidth")) return &a->bandwidth;
    if (!strcmp(flag, "--nap")) return &a->nap;
    return strcmp(flag, "--spread") ? NULL : &a->spread;
}

/* False: a word is not understood. */
static bool read_words(char **words, assumptions *assumed, bool wanted[PARTS]) {
    bool all = true;
    for (; *words; words++) {
        double *place = place_of(assumed, *words);
        int     part = 0;
        char   *end;
        if (place && words[1]) {
            *place = strtod(*++words, &end);
            if (*end || !(*place >= 0.0)) return false;
            continue;
        }
        while (part < PARTS && strcmp(*words, parts[part]) != 0) part++;
        if (part == PARTS) return false;
        wanted[part] = true;
        all = false;
    }
    for (int part = 0; all && part < PARTS; part++) wanted[part] = true;
    return true;
}

int main(int count, char **words) {
    assumptions assumed = {.latency = 2e-6, .bandwidth = 1e10, .nap = 1e-3, .spread = 0.1};
    bool        wanted[PARTS] = {false}, met = true;
    if (count && !read_words(words + 1, &assumed, wanted)) {
        fprintf(stderr,
                "usage: ranks [scaling|bytes|forecast]... [--latency S] [--bandwidth B] [--nap S] [--spread X]\n");
        return 2;
    }
    bool jobs = (wanted[SCALING] || wanted[BYTES]) && job_possible();
    if (jobs && wanted[SCALING]) met = show_scaling();
    if (jobs && wanted[BYTES]) met = show_bytes() && met;
    if (wanted[FORECAST]) show_forecast(&assumed);
    return met ? 0 : 1;
}
