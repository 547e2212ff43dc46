/* init.c - see init.h. */
#include "run/init.h"

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char separators[] = ", \t\r\n[];";

/* Reads numbers into starts[0 .. most); *count is how many there are, at most most + 1. The text is cut up. */
static ckam_status read_numbers(char *text, const char *name, size_t most, double *starts, size_t *count,
                                ckam_error *error) {
    char *next = NULL;
    *count = 0;
    for (char *word = strtok_r(text, separators, &next); word && *count <= most;
         word = strtok_r(NULL, separators, &next), ++*count) {
        double number;
        if (!number_read(word, &number) || !isfinite(number))
            return fail_with(error, CKAM_ERROR_OPTION, "init: '%.40s' in %.100s is not a finite number", word, name);
        if (*count < most) starts[*count] = number;
    }
    return CKAM_OK;
}

static ckam_status spread(double *starts, size_t count, size_t chains, size_t dim, const char *name,
                          ckam_error *error) {
    if (count == chains * dim) return CKAM_OK;
    if (count != dim)
        return fail_with(error, CKAM_ERROR_OPTION,
                         "init: %.100s has %s%zu numbers; %zu are wanted, for all chains, or %zu, for each of the %zu "
                         "chains its own",
                         name, count > chains * dim ? "more than " : "", count > chains * dim ? chains * dim : count,
                         dim, chains * dim, chains);
    for (size_t i = dim; i < chains * dim; i++) starts[i] = starts[i - dim];
    return CKAM_OK;
}

ckam_status init_read(const char *text, size_t chains, size_t dim, double **starts, ckam_error *error) {
    char  *words;
    size_t size, count;
    bool   numbers = strspn(text, "0123456789+-.eE, \t[];") == strlen(text);
    *starts = NULL;
    if (!strcmp(text, "random")) return CKAM_OK;
    if (numbers) {
        size = strlen(text) + 1;
        words = malloc(size);
        if (words) memcpy(words, text, size);
    } else {
        ckam_error  inner;
        ckam_status status = file_read(NULL, text, &words, &size, &inner);
        if (status)
            return fail_with(error, status, "init is neither random nor a list of numbers, and as a file: %.160s",
                             inner.message);
    }
    if (words && strlen(words) + numbers != size) words[0] = '?'; /* a 0 byte: not a text, and not a number */
    double     *room = words ? calloc(chains, dim * sizeof *room) : NULL;
    const char *name = numbers ? "the list" : text;
    ckam_status status = CKAM_OK;
    if (!room) status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the starts of %zu chains", chains);
    if (!status) status = read_numbers(words, name, chains * dim, room, &count, error);
    if (!status) status = spread(room, count, chains, dim, name, error);
    free(words);
    if (status)
        free(room);
    else
        *starts = room;
    return status;
}
