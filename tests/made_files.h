/* made_files.h - made draws as the files of a run, with columns that describe the sampler. For groups with
 * enter_temporary(). Includes made_draws.h and run_support.h. */
#ifndef CKAM_TESTS_MADE_FILES_H
#define CKAM_TESTS_MADE_FILES_H

#include "made_draws.h"
#include "run_support.h"

#include <stdio.h>
#include <sys/stat.h>

/* values[chain * rows + row] */
typedef struct made_column {
    const char *name;
    double     *values;
} made_column;

static inline double *made_values(const made *m) {
    double *values = calloc(m->chains * m->rows, sizeof *values);
    assert_non_null(values);
    return values;
}

static inline void made_write(const made *m, size_t chain, const made_column *columns, const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "lp__");
    for (const made_column *c = columns; c->name; c++) fprintf(file, ",%s", c->name);
    for (size_t k = 0; k < m->dim; k++) fprintf(file, ",x.%zu", k + 1);
    for (size_t i = chain * m->rows; i < (chain + 1) * m->rows; i++) {
        fprintf(file, "\n-1");
        for (const made_column *c = columns; c->name; c++) fprintf(file, ",%.17g", c->values[i]);
        for (size_t k = 0; k < m->dim; k++) fprintf(file, ",%.17g", made_at(m, i)[k]);
    }
    fprintf(file, "\n");
    assert_int_equal(fclose(file), 0);
}

/* `columns` are ended by one without a name. The files replace those of the last call. */
static inline ckam_draws *made_opened(const made *m, const made_column *columns) {
    const char *directory = "made";
    ckam_draws *draws = NULL;
    ckam_error  error = {.message = ""};
    if (is_there(directory)) remove_tree(directory);
    assert_int_equal(mkdir(directory, 0777), 0);
    for (size_t c = 0; c < m->chains; c++) made_write(m, c, columns, text_of("%s/chain_%zu.csv", directory, c + 1));
    if (ckam_draws_open(&draws, &directory, 1, &error)) fail_msg("%s", error.message);
    return draws;
}

#endif
