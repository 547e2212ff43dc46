/* library.h - the densities of the benchmarks as a shared library, for samplers in other languages: bench/peers/densities.py.
 *
 * A handle is a density of the catalogue (density.h), with its truth, or the posterior of a C file as `ckam sample FILE.c` compiles it, on
 * the space that is sampled: all parameters without bounds, the log-Jacobian included. */
#ifndef CKAM_BENCH_LIBRARY_H
#define CKAM_BENCH_LIBRARY_H

#include "ckam.h"

typedef struct bench_density bench_density;

/* NULL where there is no such density, or the model cannot be opened; then the reason is on stderr. */
CKAM_API bench_density *bench_open(const char *name);
CKAM_API bench_density *bench_open_posterior(const char *model, const char *data);
CKAM_API void           bench_close(bench_density *b);

CKAM_API size_t bench_dim(const bench_density *b);
/* Numbers per row of bench_rows(), and the name of each; without an own name "". */
CKAM_API size_t      bench_columns(const bench_density *b);
CKAM_API const char *bench_column_name(const bench_density *b, size_t column);
/* value[i] := the log density at z + i dim; -infinity where it is 0 or cannot be computed. */
CKAM_API void bench_log_densities(bench_density *b, size_t count, const double *z, double *value);
/* rows[i * columns ...] := parameters within their bounds and derived quantities; of the catalogue z itself. */
CKAM_API void bench_rows(bench_density *b, size_t count, const double *z, double *rows);

/* Of the catalogue only. Whether the sampler is given bounds, and which. */
CKAM_API int    bench_bounds(const bench_density *b, double *lower, double *upper);
CKAM_API size_t bench_modes(const bench_density *b);
CKAM_API size_t bench_events(const bench_density *b);
CKAM_API double bench_log_z(const bench_density *b); /* NaN: not known */
/* share[e] := the probability of event e; hit[i * events + e] := whether z + i dim is in it. */
CKAM_API void bench_shares(const bench_density *b, double *share);
CKAM_API void bench_hits(const bench_density *b, size_t count, const double *z, bool *hit);

#endif
