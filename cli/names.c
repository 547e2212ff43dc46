/* names.c - a list of names on the command line. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* One block: the pointers, then the text. */
bool names_split(const char *text, const char ***names) {
    size_t most = 2;
    *names = NULL;
    if (!text) return true;
    for (const char *c = text; *c; c++) most += *c == ',';
    const char **list = malloc(most * sizeof *list + strlen(text) + 1);
    if (!list) return false;
    size_t count = 0;
    char  *copy = memcpy(list + most, text, strlen(text) + 1), *rest = NULL;
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) list[count++] = name;
    list[count] = NULL;
    *names = list;
    return true;
}
