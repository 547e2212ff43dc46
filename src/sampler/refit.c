/* refit.c - see refit.h. */
#include "sampler/refit.h"

#include "base/fastmath.h"
#include "linalg/linalg.h"

#include <float.h>
#include <string.h>

enum { ROWS_MOST = 4096, PASSES = 2, LOCAL_PASSES = 8, SEEDS = 2 };

/* What one fit works with. */
typedef struct fit {
    modes      *m;
    const rows *data;
    size_t      every;   /* one row in `every` is used */
    double      count;   /* of the rows that are */
    double      part;    /* of them that counts */
    double      prior;   /* rows that the earlier value of a component counts for */
    double      penalty; /* of one component more, in log likelihood of all rows */
    double      each[MODES_MOST];
} fit;

/* -- Going through the rows --------------------------------------------------------------------------------------- */

typedef struct walk {
    size_t  block, row, count;
    double *rows;
} walk;

/* The next row that is used; NULL after the last. `owner`: only its rows, or -1. */
static double *next_row(const fit *f, walk *w, double owner) {
    size_t stride = f->data->dim + ROW_HEAD;
    while (w->block < f->data->blocks) {
        if (!w->rows) {
            w->rows = f->data->block(f->data->context, w->block, &w->count);
            w->row = 0;
        }
        for (; w->row < w->count; w->row += f->every) {
            double *row = w->rows + w->row * stride;
            if (owner >= 0.0 && row[ROW_OWNER] != owner) continue;
            w->row += f->every;
            return row;
        }
        w->rows = NULL;
        w->block++;
    }
    return NULL;
}

/* -- Sums of a component ------------------------------------------------------------------------------------------ */

static double *sums(modes *m, size_t j) { return block_at(m, m->share) + j * (2 + m->dim + m->dim * m->dim); }

static void clear(modes *m, size_t j) { memset(sums(m, j), 0, (2 + m->dim + m->dim * m->dim) * sizeof(double)); }

/* A row that belongs to component j with probability p, and has this pull. */
static void count_row(modes *m, size_t j, const double *x, double p, double pull) {
    size_t        dim = m->dim;
    double       *s = sums(m, j), *first = s + 2, *second = first + dim, *dx = block_at(m, m->work);
    const double *mean = modes_mean(m, j);
    double        weight = p * pull;
    s[0] += p;
    s[1] += weight;
    for (size_t k = 0; k < dim; k++) dx[k] = x[k] - mean[k];
    for (size_t k = 0; k < dim; k++) {
        first[k] += weight * dx[k];
        vec_axpy(dim - k, weight * dx[k], dx + k, second + k * dim + k);
    }
}

/* out += scale L L^T, the lower triangle. */
static void add_square(size_t dim, double scale, const double *l, double *out) {
    for (size_t k = 0; k < dim; k++)
        for (size_t j = k; j < dim; j++) vec_axpy(dim - j, scale * l[k * dim + j], l + k * dim + j, out + j * dim + j);
}

/* The M step of component j. With few draws that count, its covariances are drawn towards 0. What is not positive
 * definite leaves it as it was. */
static void maximise(modes *m, size_t j, double prior) {
    size_t  dim = m->dim;
    double *s = sums(m, j), *first = s + 2, *second = first + dim, *mean = modes_mean(m, j);
    if (!(s[0] > 0.0)) return;
    double keep = s[0] / (s[0] + prior) / s[0];
    for (size_t k = 0; k < dim; k++) {
        vec_axpy(dim - k, -first[k] / s[1], first + k, second + k * dim + k);
        second[k * dim + k] /= s[0];
        for (size_t i = k + 1; i < dim; i++) second[k * dim + i] *= keep;
    }
    if (chol_factor(dim, second)) return;
    for (size_t k = 0; k < dim; k++) mean[k] += first[k] / s[1];
    memcpy(modes_factor(m, j), second, dim * dim * sizeof(double));
    modes_prepare(m, j);
}

/* -- EM of the whole ---------------------------------------------------------------------------------------------- */

/* One pass: sums and owners. Returns the log likelihood. */
static double expect(fit *f) {
    modes *m = f->m;
    walk   w = {0};
    double total = 0.0, *row;
    for (size_t j = 0; j < m->count; j++) clear(m, j);
    while ((row = next_row(f, &w, -1.0))) {
        const double *x = row + ROW_HEAD;
        double        log_q = modes_log_density(m, x, f->each), most = -1.0;
        total += log_q;
        for (size_t j = 0; j < m->count; j++) {
            double p = exp_fast(f->each[j] + m->at[j].log_weight - log_q);
            if (p > most) {
                most = p;
                row[ROW_OWNER] = (double)j;
            }
            if (p < 1e-4) continue;
            double pull;
            modes_log_t(m, j, modes_distance(m, j, x), &pull);
            count_row(m, j, x, p, pull);
        }
    }
    return total;
}

/* Weights follow the rows; what has none keeps its weight. */
static void reweigh(fit *f) {
    modes *m = f->m;
    double kept = 0.0, seen = 0.0;
    for (size_t j = 0; j < m->count; j++) {
        component *c = &m->at[j];
        c->rows = sums(m, j)[0];
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

static void em(fit *f, int passes) {
    for (int pass = 0; pass < passes; pass++) {
        expect(f);
        reweigh(f);
        for (size_t j = 0; j < f->m->count; j++) maximise(f->m, j, f->prior);
    }
}

/* Degrees of freedom, a step up or down if the rows like it better. The owners' distances decide. */
static void adapt_degrees(fit *f) {
    static const double choice[] = {3, 5, 7, 10, 15, 25, 50, 100};
    enum { CHOICES = sizeof choice / sizeof *choice };
    modes *m = f->m;
    double total[3] = {-HUGE_VAL, 0.0, -HUGE_VAL}, *row;
    int    now = 0;
    while (now + 1 < CHOICES && choice[now] < m->degrees) now++;
    for (int k = -1; k <= 1; k++) {
        walk w = {0};
        if (now + k < 0 || now + k >= CHOICES) continue;
        modes_set_degrees(m, choice[now + k]);
        total[k + 1] = 0.0;
        while ((row = next_row(f, &w, -1.0))) {
            size_t j = (size_t)row[ROW_OWNER];
            total[k + 1] += modes_log_t(m, j, modes_distance(m, j, row + ROW_HEAD), NULL);
        }
    }
    int best = (total[2] - total[1]) * f->part > 3.0 ? 1 : (total[0] - total[1]) * f->part > 3.0 ? -1 : 0;
    modes_set_degrees(m, choice[now + best]);
}

/* -- Two components in place of one ------------------------------------------------------------------------------- */

/* out := the direction in which component j extends furthest, one standard deviation long: the first eigenvector of
 * the correlations, so that units do not matter. */
static void principal(modes *m, size_t j, double *out) {
    size_t        dim = m->dim;
    const double *l = modes_factor(m, j);
    double       *v = block_at(m, m->work), *sd = v + dim, norm = 1.0;
    for (size_t i = 0; i < dim; i++) {
        double square = 0.0;
        for (size_t k = 0; k <= i; k++) square += l[k * dim + i] * l[k * dim + i];
        sd[i] = sqrt(square);
        out[i] = 1.0 + 0.01 * (double)i;
    }
    for (int turn = 0; turn < 20; turn++) { /* out := R out, R = D^-1 L L^T D^-1; its length tends to the eigenvalue */
        norm = sqrt(vec_dot(dim, out, out));
        for (size_t i = 0; i < dim; i++) out[i] /= norm * sd[i];
        for (size_t k = 0; k < dim; k++) v[k] = vec_dot(dim - k, l + k * dim + k, out + k);
        memset(out, 0, dim * sizeof *out);
        tri_multiply_add(dim, l, 1.0, v, out);
        for (size_t i = 0; i < dim; i++) out[i] /= sd[i];
    }
    norm = sqrt(vec_dot(dim, out, out));
    for (size_t i = 0; i < dim; i++) out[i] *= sd[i] / sqrt(norm);
}

/* Components a and b on the rows of `owner` and, if it is not -1, `other`: some passes of EM between the two. Returns
 * the log likelihood, -HUGE_VAL when one of them has lost its rows. */
static double fit_pair(fit *f, size_t a, size_t b, double owner, double other) {
    modes *m = f->m;
    double total = -HUGE_VAL;
    double least = (double)m->dim + 1.0;
    for (int pass = 0; pass < LOCAL_PASSES; pass++) {
        double owners[2] = {owner, other}, *row;
        total = 0.0;
        clear(m, a);
        clear(m, b);
        for (int side = 0; side < 2; side++) {
            walk w = {0};
            while (owners[side] >= 0.0 && (row = next_row(f, &w, owners[side]))) {
                const double *x = row + ROW_HEAD;
                double        da = modes_distance(m, a, x), db = modes_distance(m, b, x);
                double        pull_a, pull_b;
                double        la = m->at[a].log_weight + modes_log_t(m, a, da, &pull_a);
                double        lb = m->at[b].log_weight + modes_log_t(m, b, db, &pull_b);
                double        most = fmax(la, lb), sum = exp_fast(la - most) + exp_fast(lb - most);
                double        p = exp_fast(la - most) / sum;
                total += most + log_fast(sum);
                count_row(m, a, x, p, pull_a);
                count_row(m, b, x, 1.0 - p, pull_b);
            }
        }
        double na = sums(m, a)[0], nb = sums(m, b)[0];
        if (f->part * na < least || f->part * nb < least) return -HUGE_VAL;
        if (pass + 1 == LOCAL_PASSES) break;
        m->at[a].log_weight = log(na / (na + nb));
        m->at[b].log_weight = log(nb / (na + nb));
        maximise(m, a, f->prior);
        maximise(m, b, f->prior);
    }
    return total;
}

/* One component on the rows of `owner` and `other`, refined by some passes. Returns the log likelihood. */
static double fit_one(fit *f, size_t a, double owner, double other, int passes) {
    modes *m = f->m;
    double total = 0.0;
    for (int pass = 0; pass <= passes; pass++) {
        double owners[2] = {owner, other}, *row;
        total = 0.0;
        clear(m, a);
        for (int side = 0; side < 2; side++) {
            walk w = {0};
            while (owners[side] >= 0.0 && (row = next_row(f, &w, owners[side]))) {
                double pull;
                total += modes_log_t(m, a, modes_distance(m, a, row + ROW_HEAD), &pull);
                count_row(m, a, row + ROW_HEAD, 1.0, pull);
            }
        }
        if (pass < passes) maximise(m, a, f->prior);
    }
    return total;
}

/* The row of component j that lies furthest from it, into x. */
static bool farthest(fit *f, size_t j, double *x) {
    walk   w = {0};
    double most = 0.0, *row;
    while ((row = next_row(f, &w, (double)j))) {
        double distance = modes_distance(f->m, j, row + ROW_HEAD);
        if (distance <= most) continue;
        most = distance;
        memcpy(x, row + ROW_HEAD, f->m->dim * sizeof *x);
    }
    return most > 0.0;
}

/* Trial components a and b from component j: to both sides of its middle along the longest axis, or where it is and at
 * its farthest row. */
static bool seed(fit *f, size_t j, size_t a, size_t b, int how) {
    modes  *m = f->m;
    size_t  dim = m->dim;
    double *shift = sums(m, b); /* not in use yet */
    modes_copy(m, a, j);
    modes_copy(m, b, j);
    m->at[a].log_weight = m->at[b].log_weight = -0.6931471805599453;
    if (how == 0) {
        principal(m, j, shift);
        for (size_t k = 0; k < dim; k++) {
            modes_mean(m, a)[k] -= shift[k];
            modes_mean(m, b)[k] += shift[k];
        }
    } else if (!farthest(f, j, modes_mean(m, b))) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        size_t  c = side ? b : a;
        double *l = modes_factor(m, c);
        if (how == 0 || c == b)
            for (size_t k = 0; k < dim * dim; k++) l[k] *= 0.5;
        modes_prepare(m, c);
    }
    return true;
}

/* Whether component j is better told as two; the better of the seeds is then in the trial places. */
static bool try_split(fit *f, size_t j) {
    modes *m = f->m;
    size_t a = m->capacity, b = a + 1;
    double one = fit_one(f, j, (double)j, -1.0, 0), best = -HUGE_VAL;
    int    chosen = -1;
    for (int how = 0; how < SEEDS; how++) {
        if (!seed(f, j, a, b, how)) continue;
        double two = fit_pair(f, a, b, (double)j, -1.0);
        if (two > best) {
            best = two;
            chosen = how;
        }
    }
    if (chosen < 0 || !((best - one) * f->part > f->penalty)) return false;
    if (chosen != SEEDS - 1) { /* again, as the last one overwrote it */
        seed(f, j, a, b, chosen);
        fit_pair(f, a, b, (double)j, -1.0);
    }
    return true;
}

/* Component j becomes the trial components; both keep its number, and its step size. */
static void split(fit *f, size_t j) {
    modes    *m = f->m;
    size_t    a = m->capacity, b = a + 1;
    component was = m->at[j];
    double    pa = exp(m->at[a].log_weight);
    modes_copy(m, j, a);
    size_t added = modes_add(m);
    modes_copy(m, added, b);
    m->at[j].weight = was.weight * pa;
    m->at[added].weight = was.weight * (1.0 - pa);
    modes_normalise(m);
}

static void try_splits(fit *f) {
    modes *m = f->m;
    for (int round = 0; round < 6; round++) {
        size_t before = m->count;
        for (size_t j = 0; j < before && m->count < m->capacity; j++) {
            if (m->at[j].rows * f->part < 2.0 * ((double)m->dim + 1.0) || !try_split(f, j)) continue;
            split(f, j);
        }
        if (m->count == before) return;
        em(f, PASSES);
        expect(f);
        reweigh(f);
    }
}

/* -- One component in place of two -------------------------------------------------------------------------------- */

/* Trial component a := the moments of i and j together. */
static bool pool_moments(modes *m, size_t a, size_t i, size_t j) {
    size_t  dim = m->dim;
    double  total = m->at[i].weight + m->at[j].weight, p = m->at[i].weight / total, q = 1.0 - p;
    double *mean = modes_mean(m, a), *factor = modes_factor(m, a), *u = modes_mean(m, i), *v = modes_mean(m, j);
    m->at[a] = m->at[i];
    memset(factor, 0, dim * dim * sizeof *factor);
    add_square(dim, p, modes_factor(m, i), factor);
    add_square(dim, q, modes_factor(m, j), factor);
    for (size_t k = 0; k < dim; k++)
        for (size_t l = k; l < dim; l++) factor[k * dim + l] += p * q * (u[k] - v[k]) * (u[l] - v[l]);
    for (size_t k = 0; k < dim; k++) mean[k] = p * u[k] + q * v[k];
    if (chol_factor(dim, factor)) return false;
    modes_prepare(m, a);
    return true;
}

/* log likelihood of i and j on their rows, weights between the two. */
static double pair_likelihood(fit *f, size_t i, size_t j) {
    modes *m = f->m;
    double total = 0.0, both = m->at[i].weight + m->at[j].weight;
    double li = log(m->at[i].weight / both), lj = log(m->at[j].weight / both);
    for (int side = 0; side < 2; side++) {
        walk    w = {0};
        double *row;
        while ((row = next_row(f, &w, (double)(side ? j : i)))) {
            double a = li + modes_log_t(m, i, modes_distance(m, i, row + ROW_HEAD), NULL);
            double b = lj + modes_log_t(m, j, modes_distance(m, j, row + ROW_HEAD), NULL);
            double most = fmax(a, b);
            total += most + log_fast(exp_fast(a - most) + exp_fast(b - most));
        }
    }
    return total;
}

static bool try_merge(fit *f, size_t i, size_t j) {
    modes *m = f->m;
    size_t a = m->capacity;
    if (!pool_moments(m, a, i, j)) return false;
    double one = fit_one(f, a, (double)i, (double)j, 3), two = pair_likelihood(f, i, j);
    return (two - one) * f->part < f->penalty;
}

/* The nearest component of q to i that has been reached; count if there is none. */
static size_t nearest(modes *m, size_t i, double within) {
    size_t best = m->count;
    for (size_t j = 0; j < m->count; j++) {
        double distance = j != i && m->at[j].reached ? modes_separation(m, i, j) : HUGE_VAL;
        if (distance >= within) continue;
        within = distance;
        best = j;
    }
    return best;
}

static void try_merges(fit *f) {
    modes *m = f->m;
    for (size_t i = 0; i < m->count; i++) {
        size_t j = m->at[i].reached ? nearest(m, i, 4.0) : m->count;
        if (j == m->count || !try_merge(f, i, j)) continue;
        double    weight = m->at[i].weight + m->at[j].weight;
        component older = m->at[m->at[i].found <= m->at[j].found ? i : j];
        double    step = m->at[m->at[i].weight >= m->at[j].weight ? i : j].step;
        modes_copy(m, i, m->capacity);
        m->at[i].mode = older.mode;
        m->at[i].found = older.found;
        m->at[i].weight = weight;
        m->at[i].step = step;
        m->at[i].reached = true;
        modes_normalise(m);
        modes_remove(m, j, false);
        expect(f); /* owners */
        reweigh(f);
        i = (size_t)-1; /* from the beginning */
    }
}

/* -- The fit ------------------------------------------------------------------------------------------------------ */

/* The part of the rows that counts: (1 - r) / (1 + r), r the largest correlation between a row and the next, over the
 * coordinates. */
static double measure_part(const fit *f) {
    size_t dim = f->data->dim, stride = dim + ROW_HEAD, count;
    double worst = 0.0;
    for (size_t k = 0; k < dim; k++) {
        double n = 0.0, mean = 0.0, square = 0.0, product = 0.0, pairs = 0.0;
        for (size_t b = 0; b < f->data->blocks; b++) {
            const double *value = f->data->block(f->data->context, b, &count) + ROW_HEAD + k;
            for (size_t i = 0; i < count; i += f->every) {
                double delta = value[i * stride] - mean;
                n += 1.0;
                mean += delta / n;
                square += delta * (value[i * stride] - mean);
            }
        }
        for (size_t b = 0; b < f->data->blocks; b++) {
            const double *value = f->data->block(f->data->context, b, &count) + ROW_HEAD + k;
            for (size_t i = 0; i + f->every < count; i += f->every) {
                product += (value[i * stride] - mean) * (value[(i + f->every) * stride] - mean);
                pairs += 1.0;
            }
        }
        if (square > 0.0 && pairs > 0.0) worst = fmax(worst, product / pairs * n / square);
    }
    worst = fmin(worst, 0.999);
    return (1.0 - worst) / (1.0 + worst);
}

static fit begin(modes *m, const rows *data) {
    fit    f = {.m = m, .data = data, .every = 1};
    size_t total = 0, count;
    double d = (double)m->dim;
    for (size_t b = 0; b < data->blocks; b++) {
        data->block(data->context, b, &count);
        total += count;
    }
    while (total / f.every > ROWS_MOST) f.every++;
    f.count = (double)(total / f.every);
    f.part = total ? measure_part(&f) : 1.0;
    f.prior = (d + 1.0) / f.part;
    f.penalty = 0.5 * (1.0 + d + 0.5 * d * (d + 1.0)) * log(fmax(f.count * f.part, 3.0));
    return f;
}

double modes_refit(modes *m, rows *data, bool structure) {
    fit f = begin(m, data);
    data->every = f.every;
    if (f.count < 1.0) return 1.0;
    em(&f, PASSES);
    expect(&f);
    adapt_degrees(&f);
    if (structure) {
        reweigh(&f);
        try_splits(&f);
        try_merges(&f);
    }
    return f.part;
}

double modes_level(modes *m, const rows *data) {
    fit    f = begin(m, data);
    walk   w = {0};
    double total = 0.0, n = 0.0, *row;
    while ((row = next_row(&f, &w, -1.0))) {
        total += row[ROW_LOG_DENSITY] - modes_log_density(m, row + ROW_HEAD, f.each);
        n += 1.0;
    }
    return n > 0.0 ? total / n : 0.0;
}
