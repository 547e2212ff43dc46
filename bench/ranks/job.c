/* job.c - mpirun ckam-mpi, and what it writes about itself. */
#include "measure.h"
#include "ranks.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND = 2 * PATH_MAX };

/* BUILD/ckam-mpi; this program is BUILD/bench/ranks. */
static void find_program(char program[PATH_MAX]) {
    char    here[PATH_MAX - sizeof "/ckam-mpi"];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    if (length <= 0) stop("this program does not know where it is");
    here[length] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(here, '/');
        if (slash) *slash = 0;
    }
    snprintf(program, PATH_MAX, "%s/ckam-mpi", here);
}

bool job_possible(void) {
    char program[PATH_MAX];
    find_program(program);
    if (access(program, X_OK) == 0 && system("command -v mpirun >/dev/null") == 0) return true;
    printf("There is no MPI here: what needs ckam-mpi and mpirun is left out.\n");
    return false;
}

static uint64_t whole(const json_t *object, const char *key) {
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static account read_account(const char *path) {
    json_error_t why;
    json_t      *json = json_load_file(path, 0, &why);
    if (!json) stop(why.text);
    const json_t *ranks = json_object_get(json, "ranks"), *counts = json_object_get(json, "counts");
    account       a = {.seconds = json_number_value(json_object_get(json, "seconds")),
                       .evaluations = (double)whole(counts, "evaluations"),
                       .pools = whole(ranks, "pools"),
                       .bytes = whole(ranks, "bytes"),
                       .pooling = json_number_value(json_object_get(ranks, "seconds"))};
    json_decref(json);
    return a;
}

account job_run(size_t ranks, const char *arguments) {
    char folder[] = "/tmp/ckam-ranks-XXXXXX", program[PATH_MAX], command[COMMAND], path[sizeof folder + 16];
    find_program(program);
    if (!mkdtemp(folder)) stop("no folder can be made in /tmp");
    /* More ranks than processors, and root, are no mistake here. */
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    snprintf(command, sizeof command,
             "mpirun -n %zu '%s' sample %s --seed 1 --threads 1 --format csv --progress none --out %s/run >/dev/null",
             ranks, program, arguments, folder);
    if (system(command)) stop("mpirun ckam-mpi failed");
    snprintf(path, sizeof path, "%s/run/run.json", folder);
    account a = read_account(path);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command)) stop("the files of the runs cannot be removed");
    return a;
}
