/* ckam/model.h - what a model in C gives to ckam. `ckam sample model.c` compiles it, with this header supplied.
 *
 *     #include <ckam/model.h>
 *
 *     const char *const ckam_parameters[] = {"mu", "tau > 0", "0 < p < 1", "theta[8]", NULL};
 *
 *     double log_density(const double *x) { ... x[0] is mu, x[1] tau, x[2] p, x[3] .. x[10] theta ... }
 *
 * One function is needed, and the list, or --params on the command line. Everything else is optional. Chains call from
 * several threads at once: what the functions change must be their own (or _Thread_local), else run with --isolate.
 * Write at file level only what is declared here; the rest of your functions should be static. */
#ifndef CKAM_MODEL_H
#define CKAM_MODEL_H

#include <math.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parameters, in the order in which they stand in x, and NULL. Each is a name, with a length in brackets if it is a
 * vector, and bounds if it has some: "x", "x > 0", "x < 1", "-1 < x < 1", "x[3] > 0". Names in files are x, or x.1, x.2, ... */
extern const char *const ckam_parameters[];

/* The log density at x, up to a constant, in these parameters, which are inside of their bounds, never on them: ckam adds the
 * log-Jacobian of bounded parameters.
 * -INFINITY where it is 0, NAN where it cannot be computed: the point is rejected, and counted. Much NAN is a problem of the run. */
double log_density(const double *x);

/* What is saved with each draw besides the parameters: names like those above, without bounds, and NULL. */
extern const char *const ckam_derived[];
/* Their values at x, as many numbers as the names stand for. */
void derive(const double *x, double *out);

/* What --data gave. numbers(): those of a key, a number or a list; nested lists one after the other, row by row. NULL if there
 * is no such key, or if it is something else. They stay where they are until the run ends. */
typedef struct ckam_data ckam_data;
struct ckam_data {
    const double *(*numbers)(const ckam_data *data, const char *key, size_t *count);
};
/* Called once, before anything else. NULL, or what is wrong, in words: then there is no run. `data` has no keys if there was no
 * --data. A file that is opened here must be read here: with --isolate it is closed before the first point. Two runs of one process
 * that are in use at the same time have variables of their own. */
const char *read_data(const ckam_data *data);

#ifdef __cplusplus
}
#endif

#endif
