/* kernel_proposal.h - KAM's proposal: y ~ N(x, C(x)), C(x) = gamma^2 I + nu^2 G G^T.
 *
 * G = M H, M = 2 [grad k(x, z_1) ... grad k(x, z_n)], H the centring matrix. The gradients are g_i (z_i - x), so
 * everything comes from the n slopes g_i. The cheaper of G G^T (dim <= n) and G^T G (dim > n) is factored; for
 * dim > n the inner products of z are kept while z is, and G is never formed: a new point costs O(dim n + n^3).
 * Used by kam, ckam and whatever explores by kernels. All lengths are relative to the centre of z. */
#ifndef CKAM_SAMPLER_KERNEL_PROPOSAL_H
#define CKAM_SAMPLER_KERNEL_PROPOSAL_H

#include "kernel/kernel.h"
#include "linalg/linalg.h"
#include "rng/rng.h"
#include "sampler/settings.h"

/* The Gaussian proposal at one point x: N(x, C(x)). The arrays are offsets from the start of the block. */
typedef struct proposal_at {
    size_t   place;         /* x less the centre of z: dim */
    size_t   slope, inner;  /* g_i; z_i . x (dim > n): n   */
    size_t   shape, factor; /* G G^T or G^T G; its factor with gamma and nu: order^2 */
    double   square;        /* |x|^2 */
    double   gamma, nu;     /* that it is factored for; NaN: it is not */
    double   stretch;       /* C is this squared times the one that is factored */
    lowrank  gaussian;
    uint64_t factored; /* how often */
} proposal_at;

typedef struct kernel_proposal {
    size_t dim, most;  /* d; the largest n */
    size_t stride;     /* of a row of z and G */
    size_t n;          /* size of z now */
    size_t states;     /* that shape the proposal: n, or the draws behind the global covariance */
    bool   auto_scale; /* kernel-scale = auto */
    bool   global;     /* the shape is a given covariance, the same at every point */
    double distance;   /* median of distances in z; 0 while all of z is one point */
    kernel kernel;
    size_t z, centre;   /* offsets: z coordinate-major (dim x stride), less its mean; the mean */
    size_t gram;        /* z_i . z_j (dim > n)    */
    size_t g;           /* G (dim <= n)           */
    size_t work, index; /* 3 max(dim, n) numbers; n whole numbers */
} kernel_proposal;

/* Proposals 0 and 1 are those at the state and at the proposed point, in turn; ckam has one at the intermediate
 * point of delayed rejection and one that is kept for a sampling phase. */
enum { PROPOSAL_BETWEEN = 2, PROPOSAL_SIGMA = 3, PROPOSALS = 4 };

/* The largest n: the option subsample, or 4 dim within 50 and 200. */
size_t kernel_proposal_most(const settings *options, size_t dim);
/* Reserves the arrays behind *end, also those of `count` proposals: all offsets are from the start of the block, `base`
 * below. */
void kernel_proposal_layout(kernel_proposal *p, size_t count, proposal_at *proposals, size_t dim,
                            const settings *options, size_t *end);
/* Settings that the layout does not need. The kernel's options have been checked. */
void kernel_proposal_begin(kernel_proposal *p, const settings *options);

/* z := min(most, count) of the `count` states in rows (dim numbers each), without replacement. */
void kernel_proposal_subsample(kernel_proposal *p, void *base, rng *r, size_t count, const double *rows);
/* Instead of z: C(x) = gamma^2 I + nu^2 scatter / (states - 1) everywhere (the second part is 0 for fewer than 2
 * states). */
void kernel_proposal_global(kernel_proposal *p, void *base, proposal_at *proposals, size_t states,
                            const double *scatter);

/* The shape of C at x, G G^T or G^T G. */
void proposal_at_measure(const kernel_proposal *p, void *base, proposal_at *at, const double *x);
/* The factor of C for these gamma and nu. Nothing is done where it is factored for them, or for others of the same
 * ratio, of which C is a multiple (noise = auto follows the step size). */
void proposal_at_factor(void *base, proposal_at *at, double gamma, double nu);
/* y := x + scale * (a draw of N(0, C)). y may be x. */
void proposal_at_draw(const kernel_proposal *p, void *base, const proposal_at *at, rng *r, double scale,
                      const double *x, double *y);
/* log N(to - from; 0, C at `at`). */
double proposal_at_log_density(const kernel_proposal *p, void *base, const proposal_at *at, const proposal_at *from,
                               const proposal_at *to);

/* The natural unit of nu: l^2 / sqrt(n) for radial kernels, 1 / sqrt(n) for the linear one, 1 when global. */
double kernel_proposal_unit(const kernel_proposal *p);
/* About the standard deviation of a coordinate in what shapes the proposal; 0 while that is one point. */
double kernel_proposal_spread(const kernel_proposal *p);

#endif
