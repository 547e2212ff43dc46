/* kernel_proposal.c - see kernel_proposal.h. */
#include "sampler/kernel_proposal.h"

#include "base/block.h"
#include "base/wide.h"

#include <string.h>

enum { SUBSAMPLE_LEAST = 50, SUBSAMPLE_MOST = 200 };

size_t kernel_proposal_most(const settings *options, size_t dim) {
    if (options->subsample != COUNT_AUTO) return options->subsample;
    if (dim > SUBSAMPLE_MOST / 4) return SUBSAMPLE_MOST;
    return 4 * dim > SUBSAMPLE_LEAST ? 4 * dim : SUBSAMPLE_LEAST;
}

void kernel_proposal_layout(kernel_proposal *p, size_t count, proposal_at *proposals, size_t dim,
                            const settings *options, size_t *end) {
    size_t n = kernel_proposal_most(options, dim), most = dim > n ? dim : n;
    p->global = options->covariance == COVARIANCE_GLOBAL;
    size_t order = p->global ? dim : lowrank_order(dim, n);
    p->dim = dim;
    p->most = n;
    p->stride = (n + 7) / 8 * 8;
    p->z = block_take(end, dim, p->stride);
    p->centre = block_take(end, dim, 1);
    p->gram = block_take(end, order, order);
    p->g = block_take(end, dim <= n ? dim : 1, p->stride);
    p->work = block_take(end, most, 3);
    p->index = block_take(end, n, 1);
    for (size_t i = 0; i < count; i++) {
        proposals[i].place = block_take(end, dim, 1);
        proposals[i].slope = block_take(end, n, 1);
        proposals[i].inner = block_take(end, n, 1);
        proposals[i].shape = block_take(end, order, order);
        proposals[i].factor = block_take(end, order, order);
    }
}

void kernel_proposal_begin(kernel_proposal *p, const settings *options) {
    p->auto_scale = isnan(options->kernel_scale);
    kernel_init(&p->kernel, options->kernel, options->kernel_order, p->auto_scale ? 1.0 : options->kernel_scale, NULL);
}

/* The k-th smallest of n numbers by counting those below each: n^2, but without a branch that depends on them. */
WIDE static double select_few(const double *a, size_t n, size_t k) {
    for (size_t j = 0; j + 1 < n; j++) {
        int64_t below = 0, equal = 0;
        for (size_t i = 0; i < n; i++) {
            below += a[i] < a[j];
            equal += a[i] == a[j];
        }
        if (below <= (int64_t)k && (int64_t)k < below + equal) return a[j];
    }
    return a[n - 1];
}

/* The same by halves (quickselect) as long as they are many; they are reordered. */
static double select_kth(double *a, size_t n, size_t k) {
    enum { FEW = 64 };
    size_t low = 0, high = n - 1;
    while (high - low >= FEW) {
        double pivot = a[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i >= j) break;
            double t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return select_few(a + low, high - low + 1, k - low);
}

/* square[i] := squared distance of z_i and z_j, j = i + shift, for i < pairs; shift 0 is the distance from z_0. */
static void squared_distances(const kernel_proposal *p, void *base, size_t pairs, size_t shift, double *square) {
    const double *z = block_at(base, p->z);
    memset(square, 0, pairs * sizeof *square);
    for (size_t k = 0; k < p->dim; k++, z += p->stride)
        for (size_t i = 0; i < pairs; i++) {
            double difference = z[i] - z[shift ? i + shift : 0];
            square[i] += difference * difference;
        }
}

/* Median distance of the pairs (z_i, z_(i + n/2)), i < n/2, those of one point with itself left out; where none is
 * left, the largest distance from z_0, which is 0 only if z is one point. A short past is in the
 * order of time, so neighbours would be too close; all pairs would cost n times as much. */
static double median_distance(const kernel_proposal *p, void *base) {
    double *square = block_at(base, p->work), largest = 0.0;
    size_t  half = p->n / 2, count = 0;
    if (half) squared_distances(p, base, half, half, square);
    for (size_t i = 0; i < half; i++)
        if (square[i] > 0.0) square[count++] = square[i];
    if (count) return sqrt(select_kth(square, count, count / 2));
    squared_distances(p, base, p->n, 0, square);
    for (size_t i = 0; i < p->n; i++) largest = fmax(largest, square[i]);
    return sqrt(largest);
}

/* Points become columns of z, less their mean: a few coordinates at a time, so that what is read twice and what is
 * written stays in the cache. rows, centre and z begin at the first of them. */
enum { TILE = 8 };

static inline void centre_tile(const kernel_proposal *p, size_t width, const uint64_t *index, const double *rows,
                               double *centre, double *z) {
    double sum[TILE] = {0};
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < width; k++) sum[k] += (rows + index[i] * p->dim)[k];
    for (size_t k = 0; k < width; k++) centre[k] = sum[k] / (double)p->n;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < width; k++) z[k * p->stride + i] = (rows + index[i] * p->dim)[k] - centre[k];
}

WIDE static void centre_points(const kernel_proposal *p, void *base, const double *rows) {
    const uint64_t *index = (const uint64_t *)(const void *)block_at(base, p->index);
    double         *centre = block_at(base, p->centre), *z = block_at(base, p->z);
    size_t          k = 0, width = TILE;
    for (; k + width <= p->dim; k += width) centre_tile(p, TILE, index, rows + k, centre + k, z + k * p->stride);
    for (width = 2; k + width <= p->dim; k += width) centre_tile(p, 2, index, rows + k, centre + k, z + k * p->stride);
    if (k < p->dim) centre_tile(p, 1, index, rows + k, centre + k, z + k * p->stride);
}

void kernel_proposal_subsample(kernel_proposal *p, void *base, rng *r, size_t count, const double *rows) {
    size_t dim = p->dim, n = p->n = p->states = count < p->most ? count : p->most;
    rng_subset(r, count, n, (uint64_t *)(void *)block_at(base, p->index));
    centre_points(p, base, rows);
    if (lowrank_is_dual(dim, n)) lowrank_shape(dim, n, block_at(base, p->z), p->stride, block_at(base, p->gram));
    p->distance = median_distance(p, base);
    if (p->auto_scale) kernel_set_scale(&p->kernel, p->distance > 0.0 ? p->distance : 1.0);
}

void kernel_proposal_global(kernel_proposal *p, void *base, proposal_at *proposals, size_t states,
                            const double *scatter) {
    double weight = states > 1 ? 1.0 / (double)(states - 1) : 0.0, trace = 0.0;
    p->n = p->dim;
    p->states = states;
    for (size_t l = 0; l < PROPOSALS; l++)
        for (size_t i = 0; i < p->dim * p->dim; i++) block_at(base, proposals[l].shape)[i] = weight * scatter[i];
    for (size_t k = 0; k < p->dim; k++) trace += weight * scatter[k * p->dim + k];
    p->distance = sqrt(2.0 * trace);
}

/* square[i] := |z_i - x|^2, four coordinates at a time. */
static inline void distances(const kernel_proposal *p, const double *z, const double *x, double *square) {
    size_t k = 0;
    memset(square, 0, p->n * sizeof *square);
    for (; k + 4 <= p->dim; k += 4) {
        const double *a = z + k * p->stride, *b = a + p->stride, *c = b + p->stride, *d = c + p->stride;
        for (size_t i = 0; i < p->n; i++) {
            double u = a[i] - x[k], v = b[i] - x[k + 1], w = c[i] - x[k + 2], t = d[i] - x[k + 3];
            square[i] += (u * u + v * v) + (w * w + t * t);
        }
    }
    for (; k < p->dim; k++)
        for (size_t i = 0; i < p->n; i++) square[i] += (z[k * p->stride + i] - x[k]) * (z[k * p->stride + i] - x[k]);
}

/* Row k of G: 2 g_i (z_i - x)_k, less its mean over i. */
WIDE static void measure_primal(const kernel_proposal *p, void *base, proposal_at *at) {
    size_t        n = p->n;
    const double *z = block_at(base, p->z), *x = block_at(base, at->place);
    double       *square = block_at(base, p->work), *slope = block_at(base, at->slope);
    distances(p, z, x, square);
    kernel_slopes(&p->kernel, n, square, slope);
    double sum = vec_sum(n, slope);
    for (size_t k = 0; k < p->dim; k++, z += p->stride) {
        double *row = block_at(base, p->g) + k * p->stride;
        double  mean = 2.0 * (vec_dot(n, slope, z) - x[k] * sum) / (double)n;
        for (size_t i = 0; i < n; i++) row[i] = 2.0 * slope[i] * (z[i] - x[k]) - mean;
    }
    lowrank_shape(p->dim, n, block_at(base, p->g), p->stride, block_at(base, at->shape));
}

/* W = M^T M has W_ij = 4 g_i g_j (z_i - x).(z_j - x), from the inner products; the shape is H W H. */
static void measure_dual(const kernel_proposal *p, void *base, proposal_at *at) {
    size_t        n = p->n;
    const double *z = block_at(base, p->z), *x = block_at(base, at->place), *gram = block_at(base, p->gram);
    double       *mean = block_at(base, p->work), *slope = block_at(base, at->slope);
    double       *inner = block_at(base, at->inner), *shape = block_at(base, at->shape), total = 0.0;
    memset(inner, 0, n * sizeof *inner);
    for (size_t k = 0; k < p->dim; k++) vec_axpy(n, x[k], z + k * p->stride, inner);
    at->square = vec_dot(p->dim, x, x);
    for (size_t i = 0; i < n; i++) mean[i] = fmax(0.0, gram[i * n + i] - 2.0 * inner[i] + at->square);
    kernel_slopes(&p->kernel, n, mean, slope);
    memset(mean, 0, n * sizeof *mean);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double w = 4.0 * slope[i] * slope[j] * (gram[j * n + i] - inner[i] - inner[j] + at->square);
            shape[j * n + i] = w;
            mean[i] += w;
            if (i > j) mean[j] += w;
        }
    for (size_t i = 0; i < n; i++) total += mean[i] /= (double)n;
    total /= (double)n;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) shape[j * n + i] += total - mean[i] - mean[j];
}

void proposal_at_measure(const kernel_proposal *p, void *base, proposal_at *at, const double *x) {
    const double *centre = block_at(base, p->centre);
    double       *place = block_at(base, at->place);
    at->gaussian.dim = p->dim;
    at->gaussian.rank = p->n;
    at->gamma = (double)NAN;
    for (size_t k = 0; k < p->dim; k++) place[k] = x[k] - centre[k];
    if (p->global) return;
    if (lowrank_is_dual(p->dim, p->n))
        measure_dual(p, base, at);
    else
        measure_primal(p, base, at);
}

void proposal_at_factor(void *base, proposal_at *at, double gamma, double nu) {
    at->stretch = nu / at->nu;
    if (fabs(gamma / at->gamma / at->stretch - 1.0) <= 1e-14)
        return; /* the ratio of the two is the same but for rounding */
    lowrank_factor(&at->gaussian, gamma, nu, block_at(base, at->shape), block_at(base, at->factor));
    at->gamma = gamma;
    at->nu = nu;
    at->stretch = 1.0;
    at->factored++;
}

void proposal_at_draw(const kernel_proposal *p, void *base, const proposal_at *at, rng *r, double scale,
                      const double *x, double *y) {
    size_t        dim = p->dim, n = p->n;
    const double *z = block_at(base, p->z), *place = block_at(base, at->place), *slope = block_at(base, at->slope);
    double       *normals = block_at(base, p->work);
    scale *= at->stretch;
    if (!lowrank_is_dual(dim, n)) {
        rng_normals(r, dim, normals);
        if (y != x) memcpy(y, x, dim * sizeof *y);
        tri_multiply_add(dim, block_at(base, at->factor), scale, normals, y);
        return;
    }
    /* G n2 = 2 sum_i w_i (z_i - x) with w_i = g_i (n2_i - mean of n2). */
    double *w = normals, *noise = w + n, mean = 0.0, sum = 0.0;
    rng_normals(r, dim, noise);
    rng_normals(r, n, w);
    for (size_t i = 0; i < n; i++) mean += w[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) sum += w[i] = slope[i] * (w[i] - mean);
    for (size_t k = 0; k < dim; k++) {
        double low_rank = 2.0 * (vec_dot(n, w, z + k * p->stride) - place[k] * sum);
        y[k] = x[k] + scale * (at->gaussian.gamma * noise[k] + at->gaussian.nu * low_rank);
    }
}

double proposal_at_log_density(const kernel_proposal *p, void *base, const proposal_at *at, const proposal_at *from,
                               const proposal_at *to) {
    size_t        dim = p->dim, n = p->n, most = dim > n ? dim : n;
    const double *a = block_at(base, from->place), *b = block_at(base, to->place), *x = block_at(base, at->place);
    const double *slope = block_at(base, at->slope);
    double       *u = block_at(base, p->work), *gtu = NULL, *room = u + 2 * most, inverse = 1.0 / at->stretch;
    for (size_t k = 0; k < dim; k++) u[k] = inverse * (b[k] - a[k]);
    if (lowrank_is_dual(dim, n)) { /* (G^T u)_i = 2 g_i (z_i - x).u, less the mean over i */
        const double *inner_a = block_at(base, from->inner), *inner_b = block_at(base, to->inner);
        double        xu = vec_dot(dim, x, u), mean = 0.0;
        gtu = u + most;
        for (size_t i = 0; i < n; i++) mean += gtu[i] = 2.0 * slope[i] * (inverse * (inner_b[i] - inner_a[i]) - xu);
        mean /= (double)n;
        for (size_t i = 0; i < n; i++) gtu[i] -= mean;
    }
    return lowrank_log_density(&at->gaussian, block_at(base, at->factor), u, gtu, room) -
           (double)dim * log(at->stretch);
}

double kernel_proposal_unit(const kernel_proposal *p) {
    if (p->global) return 1.0;
    double l = p->kernel.type == KERNEL_LINEAR ? 1.0 : p->kernel.scale;
    return l * l / sqrt((double)p->n);
}

double kernel_proposal_spread(const kernel_proposal *p) { return p->distance / sqrt(2.0 * (double)p->dim); }
