/* em.c - see em.h. */
#include "mixture/em.h"

#include "base/fastmath.h"
#include "linalg/linalg.h"

#include <float.h>
#include <string.h>

/* -- Going through the rows --------------------------------------------------------------------------------------- */

double *em_row(const fit *f, walk *w, double owner) {
    while (w->block < f->data->blocks) {
        if (!w->rows.at) {
            w->rows = f->data->block(f->data->context, w->block);
            w->row = 0;
        }
        for (; w->row < w->rows.count; w->row += f->every) {
            double *row = w->rows.at + w->row * w->rows.stride;
            if (owner >= 0.0 && row[ROW_OWNER] != owner) continue;
            w->row += f->every;
            return row;
        }
        w->rows.at = NULL;
        w->block++;
    }
    return NULL;
}

double em_log_density(fit *f, const double *row) {
    size_t owner = (size_t)row[ROW_OWNER]; /* of an earlier fit: there may be fewer components now */
    return mixture_log_density_near(f->m, row + ROW_HEAD, owner < f->m->count ? owner : 0, f->each);
}

/* -- Sums of a component ------------------------------------------------------------------------------------------ */

double *em_sums(mixture *m, size_t j) { return block_at(m, m->sums) + j * (2 + m->dim + m->dim * m->dim); }

void em_clear(mixture *m, size_t j) { memset(em_sums(m, j), 0, (2 + m->dim + m->dim * m->dim) * sizeof(double)); }

void em_count(mixture *m, size_t j, const double *x, double p, double t_weight) {
    size_t  dim = m->dim;
    double *s = em_sums(m, j), *u = block_at(m, m->work) + dim, weight = p * t_weight;
    s[0] += p;
    s[1] += weight;
    mixture_standardise(m, j, x, u);
    vec_axpy(dim, weight, u, s + 2);
    sym_add(dim, weight, u, s + 2 + dim);
}

void em_add_square(size_t dim, double scale, const double *l, double *out) {
    for (size_t k = 0; k < dim; k++)
        for (size_t j = k; j < dim; j++) vec_axpy(dim - j, scale * l[k * dim + j], l + k * dim + j, out + j * dim + j);
}

/* The shrinkage coefficient of the oracle approximating shrinkage estimator (OAS; Chen, Wiesel, Eldar and Hero,
 * 2010), for the covariance of n independent draws towards a multiple of I, from its trace and that of its square. */
static double shrinkage(double d, double n, double trace, double square) {
    const double chance = (1.0 - 2.0 / d) * square + trace * trace;
    const double excess = (n + 1.0 - 2.0 / d) * (square - trace * trace / d);
    return excess > chance ? chance / excess : 1.0;
}

/* tr A^2 of a symmetric matrix, or of the correlations that it has as a covariance. */
static double trace_of_square(size_t dim, const double *a, bool correlations) {
    double sum = 0.0;
    for (size_t k = 0; k < dim; k++)
        for (size_t i = k; i < dim; i++) {
            double value = a[k * dim + i] * a[k * dim + i] * (i > k ? 2.0 : 1.0);
            sum += correlations ? value / (a[k * dim + k] * a[i * dim + i]) : value;
        }
    return sum;
}

/* out := L W L^T, the lower triangle. v: dim numbers. */
static void unwhiten(size_t dim, const double *l, const double *w, double *v, double *out) {
    for (size_t k = 0; k < dim; k++) { /* v := W times row k of L; column k := L v */
        memset(v, 0, dim * sizeof *v);
        memset(out + k * dim, 0, dim * sizeof *out);
        for (size_t i = 0; i <= k; i++) {
            vec_axpy(dim - i, l[i * dim + k], w + i * dim + i, v + i);
            for (size_t n = 0; n < i; n++) v[n] += l[i * dim + k] * w[n * dim + i];
        }
        tri_multiply_add(dim, l, 1.0, v, out + k * dim);
    }
}

/* a := (1 - moved) a + moved D, D the diagonal matrix of `target`, or, where that is NaN, of a's own diagonal. */
static void shrink(size_t dim, double moved, double target, double *a) {
    for (size_t k = 0; k < dim; k++) {
        if (!isnan(target)) a[k * dim + k] += moved * (target - a[k * dim + k]);
        for (size_t i = k + 1; i < dim; i++) a[k * dim + i] *= 1.0 - moved;
    }
}

/* L := L M, lower triangles; column: dim numbers. */
static void multiply_factor(size_t dim, double *l, const double *factor, double *column) {
    for (size_t k = 0; k < dim; k++) { /* column k of the product needs columns k, k + 1, ... of L */
        memset(column + k, 0, (dim - k) * sizeof *column);
        for (size_t i = k; i < dim; i++) vec_axpy(dim - i, factor[k * dim + i], l + i * dim + i, column + i);
        memcpy(l + k * dim + k, column + k, (dim - k) * sizeof *column);
    }
}

/* L := L W^1/2, W diagonal. Returns false, with L as it was, if W is not positive definite. */
static bool scale_columns(size_t dim, double *l, const double *w) {
    for (size_t k = 0; k < dim; k++)
        if (!(w[k * dim + k] > 0.0 && w[k * dim + k] <= DBL_MAX)) return false;
    for (size_t k = 0; k < dim; k++) {
        const double root = sqrt(w[k * dim + k]);
        for (size_t i = k; i < dim; i++) l[k * dim + i] *= root;
    }
    return true;
}

/* L := a factor of the covariance L W L^T of n draws, shrunk towards the target that they contradict less, the one
 * with the larger OAS coefficient: a multiple of L L^T, or the diagonal in x. A trial component is shrunk towards
 * the diagonal only: its L is that of the component to be split, which is long where two modes are separated.
 * Returns false, with L as it was, if the result is not positive definite. */
static bool refactor(mixture *m, size_t j, double n, double *w) {
    size_t  dim = m->dim;
    double *l = mixture_factor(m, j), *x = em_sums(m, m->capacity + 2), *work = block_at(m, m->work);
    double  d = (double)dim, trace = 0.0;
    for (size_t k = 0; k < dim; k++) trace += w[k * dim + k];
    const bool   trial = j >= m->capacity;
    const double own = shrinkage(d, n, trace, trace_of_square(dim, w, false));
    if (own < 1.0 || trial) {
        unwhiten(dim, l, w, work, x);
        const double axes = shrinkage(d, n, d, trace_of_square(dim, x, true));
        if (axes > own || trial) {
            shrink(dim, axes, (double)NAN, x);
            if (chol_factor(dim, x)) return false;
            memcpy(l, x, dim * dim * sizeof *l);
            return true;
        }
    }
    shrink(dim, own, trace / d, w);
    if (own == 1.0) return scale_columns(dim, l, w);
    if (chol_factor(dim, w)) return false;
    multiply_factor(dim, l, w, work);
    return true;
}

/* A stuck chain repeats its point, at which the density of a component would grow without bound: so fewer distinct
 * points than a covariance needs leave the shape as it is. Trial components are rejected later (refit.c). */
static bool has_shape(const mixture *m, size_t j) { return j >= m->capacity || m->at[j].distinct > (double)m->dim; }

/* In the component's own coordinates, u = L^-1 (x - mu), the covariance W is I up to sampling error while the shape
 * is right. */
void em_maximise(mixture *m, size_t j, double ess_fraction) {
    size_t  dim = m->dim;
    double *s = em_sums(m, j), *first = s + 2, *w = first + dim, *shift = block_at(m, m->work) + dim;
    double  before = m->at[j].log_det;
    if (!(s[0] > 0.0) || !has_shape(m, j)) return;
    sym_add(dim, -1.0 / s[1], first, w);
    for (size_t k = 0; k < dim; k++) {
        first[k] /= s[1];
        for (size_t i = k; i < dim; i++) w[k * dim + i] /= s[0];
    }
    memset(shift, 0, dim * sizeof *shift);
    tri_multiply_add(dim, mixture_factor(m, j), 1.0, first, shift);
    if (!refactor(m, j, s[0] * ess_fraction, w)) return;
    vec_axpy(dim, 1.0, shift, mixture_mean(m, j));
    mixture_prepare(m, j);
    double shrunk = exp((before - m->at[j].log_det) / (double)dim); /* steps stay as long as they were */
    m->at[j].step *= shrunk;
}

/* -- EM of the whole ---------------------------------------------------------------------------------------------- */

double em_expect(fit *f) {
    mixture *m = f->m;
    walk     w = {0};
    double   total = 0.0, *row, *last = NULL;
    for (size_t j = 0; j < m->count; j++) {
        em_clear(m, j);
        m->at[j].distinct = 0.0;
    }
    for (; (row = em_row(f, &w, -1.0)); last = row) {
        const double *x = row + ROW_HEAD;
        const bool    repeats = last && !memcmp(last + ROW_HEAD, x, m->dim * sizeof *x);
        double        log_q = em_log_density(f, row), most = -1.0;
        total += log_q;
        for (size_t j = 0; j < m->count; j++) {
            double p = exp_fast(f->each[j] + m->at[j].log_weight - log_q);
            if (p > most) {
                most = p;
                row[ROW_OWNER] = (double)j;
            }
            if (p >= tuning.memory.responsibility) em_count(m, j, x, p, mixture_t_weight(m, j, f->each[j]));
            if (!repeats) m->at[j].distinct += p;
        }
    }
    return total;
}

void em_reweigh(fit *f) {
    mixture *m = f->m;
    double   kept = 0.0, seen = 0.0;
    for (size_t j = 0; j < m->count; j++) {
        component *c = &m->at[j];
        c->rows = em_sums(m, j)[0];
        c->reached = c->reached || c->rows >= 1.0;
        if (c->reached)
            seen += c->rows + 1.0;
        else
            kept += c->weight;
    }
    for (size_t j = 0; j < m->count && seen > 0.0; j++) {
        component *c = &m->at[j];
        if (c->reached) c->weight = (1.0 - fmin(kept, 0.9)) * (c->rows + 1.0) / seen;
    }
    mixture_normalise(m);
}

void em_run(fit *f, int passes) {
    for (int pass = 0; pass < passes; pass++) {
        em_expect(f);
        em_reweigh(f);
        for (size_t j = 0; j < f->m->count; j++) em_maximise(f->m, j, f->ess_fraction);
    }
}

bool em_adapt_degrees(fit *f) {
    enum { CHOICES = sizeof tuning.memory.degrees / sizeof *tuning.memory.degrees };
    const double *choice = tuning.memory.degrees;
    mixture      *m = f->m;
    double        d = (double)m->dim, count = 0.0, *row;
    double        total[3] = {0.0}; /* logs of t with fewer, as many, more degrees */
    walk          w = {0};
    int           now = 0, best = 0;
    while (now + 1 < CHOICES && choice[now] < m->degrees) now++;
    const int low = now > 0 ? -1 : 0, high = now + 1 < CHOICES ? 1 : 0;
    while ((row = em_row(f, &w, -1.0))) {
        count += 1.0;
        double distance = mixture_distance(m, (size_t)row[ROW_OWNER], row + ROW_HEAD);
        for (int k = low; k <= high; k++)
            total[k + 1] -= 0.5 * (choice[now + k] + d) * log_fast(1.0 + distance / choice[now + k]);
    }
    for (int k = low; k <= high; k++) total[k + 1] += count * mixture_log_constant(choice[now + k], d);
    if (high && (total[2] - total[1]) * f->ess_fraction > tuning.memory.degrees_gain)
        best = 1;
    else if (low && (total[0] - total[1]) * f->ess_fraction > tuning.memory.degrees_gain)
        best = -1;
    mixture_set_degrees(m, choice[now + best]);
    return best != 0;
}
