/* draws.h - inside a ckam_draws: where the columns come from, files or memory. */
#ifndef CKAM_DRAWS_DRAWS_H
#define CKAM_DRAWS_DRAWS_H

#include "base/file.h"
#include "ckam.h"

/* At most so many rows of all chains together, and numbers in them, are used; more are thinned evenly. But with many columns
 * not to fewer rows of a chain than can be judged: files are then read several times. */
#define DRAWS_ROWS_MOST    ((size_t)1 << 20)
#define DRAWS_NUMBERS_MOST ((size_t)1 << 23)
#define DRAWS_ROWS_LEAST   ((size_t)250)

/* Every used row in order, chain by chain: values has shape->columns numbers. */
typedef void draws_visit(void *context, size_t chain, size_t row, const double *values);
ckam_status  draws_scan(ckam_draws *draws, draws_visit *visit, void *context, ckam_error *error);

/* ckam_draws_open() with paths in the directory `in`, which must stay open as long as the draws; "." is itself. */
ckam_status draws_open(ckam_draws **draws, const open_directory *in, const char *const *paths, size_t count,
                       ckam_error *error);

/* The CSV files of a run's directory, chain_1.csv, chain_2.csv, ... as long as they are there: how many. */
size_t draws_files(const open_directory *in, const char *directory);
/* "directory/chain_7.csv", or with `warmup` "directory/chain_7_warmup.csv", for the chain 6 from 0. */
void draws_path(const char *directory, size_t chain, bool warmup, size_t size, char *path);

#endif
