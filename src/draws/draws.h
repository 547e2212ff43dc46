/* draws.h - inside a ckam_draws: where the columns come from, files or memory. */
#ifndef CKAM_DRAWS_DRAWS_H
#define CKAM_DRAWS_DRAWS_H

#include "base/file.h"
#include "ckam.h"

/* The most rows, and numbers in them, that are used of all chains together; longer chains are thinned to every k-th row. With
 * many columns at least DRAWS_ROWS_LEAST rows per chain are kept, and files are read several times instead. */
#define DRAWS_ROWS_MOST    ((size_t)1 << 20)
#define DRAWS_NUMBERS_MOST ((size_t)1 << 23)
#define DRAWS_ROWS_LEAST   ((size_t)250)

/* Every used row in order, chain by chain: values has shape->columns numbers. */
typedef void draws_visit(void *context, size_t chain, size_t row, const double *values);
ckam_status  draws_scan(ckam_draws *draws, draws_visit *visit, void *context, ckam_error *error);

/* ckam_draws_open() with paths in the directory `in`, which must stay open as long as the draws; "." is itself. */
ckam_status draws_open(ckam_draws **draws, const open_directory *in, const char *const *paths, size_t count,
                       ckam_error *error);

/* How many CSV files a run's directory has: chain_1.csv, chain_2.csv, ... up to the first that is missing. */
size_t draws_files(const open_directory *in, const char *directory);
/* "directory/chain_7.csv", or with `warmup` "directory/chain_7_warmup.csv", for the chain 6 from 0. */
void draws_path(const char *directory, size_t chain, bool warmup, size_t size, char *path);

#endif
