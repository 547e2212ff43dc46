/* em.c - see em.h. */
#include "sampler/em.h"

#include "base/fastmath.h"
#include "linalg/linalg.h"

#include <string.h>

#define CHANCE_TIMES 4.0

/* -- Going through the rows --------------------------------------------------------------------------------------- */

/* The next row that is used; NULL after the last. `owner`: only its rows, or -1. */
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
    return modes_log_density_near(f->m, row + ROW_HEAD, owner < f->m->count ? owner : 0, f->each);
}

/* -- Sums of a component ------------------------------------------------------------------------------------------ */

double *em_sums(modes *m, size_t j) { return block_at(m, m->share) + j * (2 + m->dim + m->dim * m->dim); }

void em_clear(modes *m, size_t j) { memset(em_sums(m, j), 0, (2 + m->dim + m->dim * m->dim) * sizeof(double)); }

/* dx := x - mean; first += weight dx. */
static inline void add_first(size_t dim, double weight, const double *restrict x, const double *restrict mean,
                             double *restrict dx, double *restrict first) {
    for (size_t k = 0; k < dim; k++) {
        dx[k] = x[k] - mean[k];
        first[k] += weight * dx[k];
    }
}

/* A row that belongs to component j with probability p, and has this pull. */
void em_count(modes *m, size_t j, const double *x, double p, double pull) {
    size_t  dim = m->dim;
    double *s = em_sums(m, j), *dx = block_at(m, m->work), weight = p * pull;
    s[0] += p;
    s[1] += weight;
    add_first(dim, weight, x, modes_mean(m, j), dx, s + 2);
    sym_add(dim, weight, dx, s + 2 + dim);
}

/* out += scale L L^T, the lower triangle. */
void em_add_square(size_t dim, double scale, const double *l, double *out) {
    for (size_t k = 0; k < dim; k++)
        for (size_t j = k; j < dim; j++) vec_axpy(dim - j, scale * l[k * dim + j], l + k * dim + j, out + j * dim + j);
}

/* The part of covariances that is kept. They are drawn towards 0 as if `prior` more rows had seen none, but not by more than some
 * times the share that chance has in the correlations r: the sum of (1 - r^2)^2 / n over that of r^2, where n rows count. On a
 * narrow ridge that is next to nothing; shrunk it would be a wide one, on which chains stand still, so that ever fewer rows
 * count. */
static double kept(size_t dim, double count, double prior, const double *sums) {
    const double least = count / (count + prior), n = count * ((double)dim + 1.0) / prior;
    double       chance = 0.0, seen = 0.0;
    for (size_t k = 0; k < dim; k++)
        for (size_t i = k + 1; i < dim; i++) {
            const double r = sums[k * dim + i];
            const double square = fmin(r * r / (sums[k * dim + k] * sums[i * dim + i]), 1.0);
            chance += (1.0 - square) * (1.0 - square) / n;
            seen += square;
        }
    return fmax(least, 1.0 - CHANCE_TIMES * chance / fmax(seen, 1e-300));
}

/* The M step of component j. With few draws that count, its covariances are drawn towards 0. What is not positive
 * definite leaves it as it was. */
void em_maximise(modes *m, size_t j, double prior) {
    size_t  dim = m->dim;
    double *s = em_sums(m, j), *first = s + 2, *second = first + dim, *mean = modes_mean(m, j);
    if (!(s[0] > 0.0)) return;
    sym_add(dim, -1.0 / s[1], first, second);
    double keep = kept(dim, s[0], prior, second) / s[0];
    for (size_t k = 0; k < dim; k++) {
        second[k * dim + k] /= s[0];
        for (size_t i = k + 1; i < dim; i++) second[k * dim + i] *= keep;
    }
    if (chol_factor(dim, second)) return;
    double before = m->at[j].log_det;
    for (size_t k = 0; k < dim; k++) mean[k] += first[k] / s[1];
    memcpy(modes_factor(m, j), second, dim * dim * sizeof(double));
    modes_prepare(m, j);
    double shrunk = exp((before - m->at[j].log_det) / (double)dim); /* steps stay as long as they were */
    m->at[j].step *= shrunk;
    m->at[j].kernel_step *= shrunk;
}

/* -- EM of the whole ---------------------------------------------------------------------------------------------- */

/* One pass: sums and owners. Returns the log likelihood. */
double em_expect(fit *f) {
    modes *m = f->m;
    walk   w = {0};
    double total = 0.0, *row;
    for (size_t j = 0; j < m->count; j++) em_clear(m, j);
    while ((row = em_row(f, &w, -1.0))) {
        const double *x = row + ROW_HEAD;
        double        log_q = em_log_density(f, row), most = -1.0;
        total += log_q;
        for (size_t j = 0; j < m->count; j++) {
            double p = exp_fast(f->each[j] + m->at[j].log_weight - log_q);
            if (p > most) {
                most = p;
                row[ROW_OWNER] = (double)j;
            }
            if (p >= EM_SHARE) em_count(m, j, x, p, modes_pull(m, j, f->each[j]));
        }
    }
    return total;
}

/* Weights follow the rows; what has none keeps its weight. */
void em_reweigh(fit *f) {
    modes *m = f->m;
    double kept = 0.0, seen = 0.0;
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
    modes_normalise(m);
}

void em_run(fit *f, int passes) {
    for (int pass = 0; pass < passes; pass++) {
        em_expect(f);
        em_reweigh(f);
        for (size_t j = 0; j < f->m->count; j++) em_maximise(f->m, j, f->prior);
    }
}

/* Degrees of freedom, a step up or down if the rows like it better, which is returned. The owners' distances decide. */
bool em_adapt_degrees(fit *f) {
    static const double choice[] = {3, 5, 7, 10, 15, 25, 50, 100};
    enum { CHOICES = sizeof choice / sizeof *choice };
    modes *m = f->m;
    double d = (double)m->dim, total[3] = {0.0}, count = 0.0, *row; /* logs of t with fewer, as many, more degrees */
    walk   w = {0};
    int    now = 0, best = 0;
    while (now + 1 < CHOICES && choice[now] < m->degrees) now++;
    const int low = now > 0 ? -1 : 0, high = now + 1 < CHOICES ? 1 : 0;
    while ((row = em_row(f, &w, -1.0))) {
        count += 1.0;
        double distance = modes_distance(m, (size_t)row[ROW_OWNER], row + ROW_HEAD);
        for (int k = low; k <= high; k++)
            total[k + 1] -= 0.5 * (choice[now + k] + d) * log_fast(1.0 + distance / choice[now + k]);
    }
    for (int k = low; k <= high; k++) total[k + 1] += count * modes_height(choice[now + k], d);
    if (high && (total[2] - total[1]) * f->part > 3.0)
        best = 1;
    else if (low && (total[0] - total[1]) * f->part > 3.0)
        best = -1;
    modes_set_degrees(m, choice[now + best]);
    return best != 0;
}
