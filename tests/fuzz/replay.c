/* replay.c - a main for a fuzz target without libFuzzer: hands it every file of the folder that is named, and the empty input,
 * which no folder has. */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "fuzz.h"

#include <dirent.h>
#include <ftw.h>

static void feed(const char *folder_of_inputs, const char *name) {
    char        path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder_of_inputs, name);
    FILE *file = fopen(path, "r");
    DEMAND(file && !fstat(fileno(file), &about));
    size_t   size = (size_t)about.st_size;
    uint8_t *bytes = malloc(size + !size);
    DEMAND(bytes && fread(bytes, 1, size, file) == size);
    fclose(file);
    fprintf(stderr, "%s\n", name); /* the last one that is named is the one that failed */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
}

static int discard(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    return remove(path);
}

int main(int count, char **arguments) {
    char                 temporary[200];
    const char          *parent = getenv("TMPDIR");
    DIR                 *inputs = count == 2 ? opendir(arguments[1]) : NULL;
    const struct dirent *entry;
    size_t               fed = 0;
    DEMAND(inputs);
    snprintf(temporary, sizeof temporary, "%s/ckam-replay-XXXXXX", parent ? parent : "/tmp");
    DEMAND(mkdtemp(temporary) && !setenv("TMPDIR", temporary, 1));
    while ((entry = readdir(inputs))) {
        if (entry->d_name[0] == '.') continue;
        feed(arguments[1], entry->d_name);
        fed++;
    }
    closedir(inputs);
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    nftw(temporary, discard, 16, FTW_DEPTH | FTW_PHYS);
    return fed ? EXIT_SUCCESS : EXIT_FAILURE;
}
