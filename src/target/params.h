/* params.h - parameters as a user declares them: names, lengths, bounds. And the coordinates u in which chains move.
 *
 * One syntax everywhere, on the command line, in files, in models: "mu", "tau > 0", "0 < p < 1", "theta[8]". Declarations are
 * separated by commas or ends of lines. For each parameter x a chain has a coordinate u:
 *     x = u                                           no bounds
 *     x = lower + exp(u)                              a lower bound; upper - exp(u) an upper one
 *     x = lower + (upper - lower) / (1 + exp(-l)),    two bounds: l = 4 c y / (1 - y^2), y = u / 2, -2 < u < 2, c = BOX_SHAPE (base/box.h)
 * and log |dx/du| is added to the log density. Outside of (-2, 2) the density is 0, and the model is not called. From 10 to 90 % of
 * the box x is linear, |dx/du| within 10 % of its mean there, so exploration sees the box as it is. Further out the distance
 * from the bound goes to 0 as exp(-c / (1 - |y|)) does: faster than any power. So the density of u goes to 0 at the ends
 * of the box, whatever integrable power of the distance that of x is, and x next to a bound keeps all its digits. */
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

bool param_is_bounded(const param *p); /* on one side, or on both */
bool param_has_box(const param *p);    /* on both */

/* x := from u. Returns log |dx/du|, the sum; -HUGE_VAL where there is no density. x is never on a bound: where it rounds to one, or
 * u is outside of the box, it is the nearest number inside. */
double params_constrain(const params *p, const double *u, double *x);
/* Whether u is outside of the box of two bounds. */
bool params_outside(const params *p, const double *u);
/* u, uniform on [-2, 2], := the point that is uniform over the box in x, where there are two bounds. */
void params_spread(const params *p, double *u);
/* u := from x. False, and *wrong is its index, where x is not inside of its bounds. */
bool params_unconstrain(const params *p, const double *x, double *u, size_t *wrong);

#endif
