/* params.h - parameters as a user declares them: names, lengths, bounds. And the way from the whole line to within the bounds.
 *
 * One syntax everywhere, on the command line, in files, in models: "mu", "tau > 0", "0 < p < 1", "theta[8]". Declarations are
 * separated by commas or ends of lines. A number x with bounds is drawn as u on the whole line:
 *     x                          no bounds
 *     lower + exp(u)             a lower bound; upper - exp(u) an upper one
 *     lower + (upper - lower) / (1 + exp(-u))
 * and log |dx/du| belongs to the log density. */
#ifndef CKAM_TARGET_PARAMS_H
#define CKAM_TARGET_PARAMS_H

#include "ckam.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct param {
    char  *name;         /* as in files: "theta.3" */
    double lower, upper; /* -HUGE_VAL, HUGE_VAL where there is none */
} param;

typedef struct params {
    size_t count;
    param *at;
} params;

/* Reads declarations. `where` stands in messages, as in "--params" or a file's name. '#' begins a comment in a file. Two equal
 * names, lower >= upper, a length of 0 and more than PARAMS_MOST numbers are refused. `bounds`: may there be bounds? Then they are
 * parameters, and there must be one. On failure *p is empty. */
enum { PARAMS_MOST = 1000000 };
ckam_status params_read(params *p, const char *text, const char *where, bool bounds, ckam_error *error);
/* The same from a list of declarations, one each, that ends with NULL. */
ckam_status params_list(params *p, const char *const *declarations, const char *where, bool bounds, ckam_error *error);
/* Bounds from a file for parameters that are declared: each name in it must be one of them (or the name of a vector, for all of its
 * numbers). A side that is not given stays as it was. */
ckam_status params_bound(params *p, const char *text, const char *where, ckam_error *error);
/* What a model says (`p`) and what a user has declared must have the same names in the same order. Bounds of `declared` take the place
 * of those of `p`, each side for itself. `where` and `whose` stand for the two in messages. */
ckam_status params_agree(params *p, const params *declared, const char *where, const char *whose, ckam_error *error);
/* No name of `b` may be one of `a`: they are columns of the same file. */
ckam_status params_apart(const params *a, const params *b, const char *where, ckam_error *error);
ckam_status params_copy(params *p, const params *from, ckam_error *error);
void        params_free(params *p);

/* x := from u. Returns log |dx/du|, the sum. Where x rounds to a bound it is moved to the nearest number inside. */
double params_constrain(const params *p, const double *u, double *x);
/* u := from x. False, and *wrong is its index, where x is not inside of its bounds. */
bool params_unconstrain(const params *p, const double *x, double *u, size_t *wrong);

#endif
