/* refit.c - see refit.h. Split and merge around the passes of em.h. */
#include "base/fastmath.h"
#include "linalg/linalg.h"
#include "mixture/em.h"

#include <string.h>

enum { SEEDS = 6 }; /* ways to split a component, see seed() */
#define STILL 1e-12 /* a variance of u / (1 + |u|) that may be rounding */

/* Number of parameters of one component, its weight included. */
static double parameters(const mixture *m) {
    double d = (double)m->dim;
    return 1.0 + d + 0.5 * d * (d + 1.0);
}

/* -- Two components in place of one ------------------------------------------------------------------------------- */

/* out := the direction in which component j extends furthest, one standard deviation long: the first eigenvector of
 * the correlations, so that units do not matter. */
static void principal(mixture *m, size_t j, double *out) {
    size_t        dim = m->dim;
    const double *l = mixture_factor(m, j);
    double       *v = block_at(m, m->work), *sd = v + dim, norm = 1.0;
    for (size_t i = 0; i < dim; i++) {
        double square = 0.0;
        for (size_t k = 0; k <= i; k++) square += l[k * dim + i] * l[k * dim + i];
        sd[i] = sqrt(square);
        out[i] = 1.0 + 0.01 * (double)i;
    }
    for (int round = 0; round < 20;
         round++) { /* out := R out, R = D^-1 L L^T D^-1; its length tends to the eigenvalue */
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

/* An E step over the rows of `owner` for the components a and b alone. Returns the log likelihood. seen: the sums of
 * responsibilities over rows that do not repeat the one before. */
static double share_pair(fit *f, size_t a, size_t b, double owner, double seen[2]) {
    mixture *m = f->m;
    walk     w = {0};
    double  *row, *last = NULL, total = 0.0;
    em_clear(m, a);
    em_clear(m, b);
    seen[0] = seen[1] = 0.0;
    for (; (row = em_row(f, &w, owner)); last = row) {
        const double *x = row + ROW_HEAD;
        double        t_weight_a, t_weight_b;
        double        la = m->at[a].log_weight + mixture_log_t(m, a, mixture_distance(m, a, x), &t_weight_a);
        double        lb = m->at[b].log_weight + mixture_log_t(m, b, mixture_distance(m, b, x), &t_weight_b);
        double        other = exp_fast(la < lb ? la - lb : lb - la), most = la < lb ? lb : la;
        double        p = (la < lb ? other : 1.0) / (1.0 + other);
        total += most + log_fast(1.0 + other);
        if (p >= tuning.memory.responsibility) em_count(m, a, x, p, t_weight_a);
        if (1.0 - p >= tuning.memory.responsibility) em_count(m, b, x, 1.0 - p, t_weight_b);
        if (last && !memcmp(last + ROW_HEAD, x, m->dim * sizeof *x)) continue;
        seen[0] += p;
        seen[1] += 1.0 - p;
    }
    return total;
}

/* EM of the components a and b on the rows of `owner`. Returns the log likelihood; -HUGE_VAL when one of them has
 * too few rows, or when passes improve it so little that `wanted` is out of reach. Repeated rows do not count as
 * distinct: on one point, at which a chain was stuck, the density of a component would grow without bound. */
static double fit_pair(fit *f, size_t a, size_t b, double owner, double wanted) {
    mixture *m = f->m;
    double   seen[2], before = -HUGE_VAL, least = (double)m->dim + 1.0;
    int      passes = tuning.split.passes;
    for (int pass = 0;; pass++) {
        double total = share_pair(f, a, b, owner, seen), na = em_sums(m, a)[0], nb = em_sums(m, b)[0];
        if (f->ess_fraction * fmin(na, nb) < least) return -HUGE_VAL;
        if (pass + 1 == passes) return fmin(seen[0], seen[1]) < tuning.split.distinct * least ? -HUGE_VAL : total;
        double hope = tuning.split.extrapolation * (passes - pass) * (total - before);
        if (pass >= tuning.refit.passes && total + hope < wanted) return -HUGE_VAL;
        before = total;
        m->at[a].log_weight = log(na / (na + nb));
        m->at[b].log_weight = log(nb / (na + nb));
        em_maximise(m, a, f->ess_fraction);
        em_maximise(m, b, f->ess_fraction);
    }
}

/* EM of one component on the rows of `owner` and `other`. Returns the log likelihood. */
static double fit_one(fit *f, size_t a, double owner, double other, int passes) {
    mixture *m = f->m;
    double   total = 0.0;
    for (int pass = 0; pass <= passes; pass++) {
        double owners[2] = {owner, other}, *row;
        total = 0.0;
        em_clear(m, a);
        for (int side = 0; side < 2; side++) {
            walk w = {0};
            while (owners[side] >= 0.0 && (row = em_row(f, &w, owners[side]))) {
                double t_weight;
                total += mixture_log_t(m, a, mixture_distance(m, a, row + ROW_HEAD), &t_weight);
                em_count(m, a, row + ROW_HEAD, 1.0, t_weight);
            }
        }
        if (pass < passes) em_maximise(m, a, f->ess_fraction);
    }
    return total;
}

/* x := the row of component j at the largest Mahalanobis distance from it. */
static bool farthest(fit *f, size_t j, double *x) {
    walk   w = {0};
    double most = 0.0, *row;
    while ((row = em_row(f, &w, (double)j))) {
        double distance = mixture_distance(f->m, j, row + ROW_HEAD);
        if (distance <= most) continue;
        most = distance;
        memcpy(x, row + ROW_HEAD, f->m->dim * sizeof *x);
    }
    return most > 0.0;
}

/* x := its row after `thirds` thirds of them. */
static bool some_row(fit *f, size_t j, int thirds, double *x) {
    walk    w = {0};
    double *row = NULL;
    double  after = f->m->at[j].rows * thirds / 3.0;
    for (size_t i = 0; (double)i < after && (row = em_row(f, &w, (double)j)); i++)
        memcpy(x, row + ROW_HEAD, f->m->dim * sizeof *x);
    return row != NULL;
}

/* out := the axis of component j (a column of L) along which its rows have the least kurtosis: that is where two
 * clusters lie side by side. */
static void flattest(fit *f, size_t j, double *out) {
    mixture *m = f->m;
    size_t   dim = m->dim, best = 0;
    double  *u = out, *square = em_sums(m, m->capacity), *fourth = square + dim, least = HUGE_VAL, *row;
    walk     w = {0};
    memset(square, 0, 2 * dim * sizeof *square);
    while ((row = em_row(f, &w, (double)j))) {
        mixture_standardise(m, j, row + ROW_HEAD, u);
        for (size_t k = 0; k < dim; k++) {
            square[k] += u[k] * u[k];
            fourth[k] += u[k] * u[k] * u[k] * u[k];
        }
    }
    for (size_t k = 0; k < dim; k++) {
        double kurtosis = fourth[k] / (square[k] * square[k]);
        if (!(kurtosis < least)) continue;
        least = kurtosis;
        best = k;
    }
    memset(out, 0, dim * sizeof *out);
    memcpy(out + best, mixture_factor(m, j) + best * dim + best, (dim - best) * sizeof *out);
}

/* Trial components a and b from component j: on both sides of its centre, along the longest axis or that of least
 * kurtosis; or one in its place and one at a row, the farthest first, half as wide or narrower. A row finds one of
 * many equal clusters, which raises the likelihood when half of them would not. */
static bool seed(fit *f, size_t j, size_t a, size_t b, int how) {
    mixture *m = f->m;
    size_t   dim = m->dim;
    double  *shift = em_sums(m, b); /* not in use yet */
    mixture_copy(m, a, j);
    mixture_copy(m, b, j);
    m->at[a].log_weight = m->at[b].log_weight = -0.6931471805599453;
    m->at[a].profile_degrees = m->at[b].profile_degrees = 0.0; /* the profile is that of the whole */
    if (how < 2) {
        if (how == 0)
            principal(m, j, shift);
        else
            flattest(f, j, shift);
        for (size_t k = 0; k < dim; k++) {
            mixture_mean(m, a)[k] -= shift[k];
            mixture_mean(m, b)[k] += shift[k];
        }
    } else if (!(how < 4 ? farthest(f, j, mixture_mean(m, b)) : some_row(f, j, how - 3, mixture_mean(m, b)))) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        size_t  c = side ? b : a;
        double *l = mixture_factor(m, c);
        double  scale = how >= 2 && c == a ? 1.0 : how < 3 ? tuning.split.width : tuning.split.width_at_row;
        for (size_t k = 0; k < dim * dim; k++) l[k] *= scale;
        m->at[c].step /= scale; /* as long as it was */
        mixture_prepare(m, c);
    }
    return true;
}

/* The fit on every k-th row, if component j has many. The penalty is scaled from that of all rows, but for one unit
 * per parameter, the likelihood that two components gain by chance however few the rows. */
static fit thinned(const fit *f, size_t j) {
    const mixture *m = f->m;
    const double   terms = parameters(m), enough = fmax(tuning.split.rows, tuning.split.rows_per_parameter * terms);
    const double   thin = fmin(fmax(floor(m->at[j].rows / enough), 1.0), tuning.split.thinning);
    fit            some = *f;
    some.every *= (size_t)thin;
    some.ess_fraction = fmin(thin * f->ess_fraction, 1.0); /* thinned rows are less correlated */
    some.penalty = terms + (f->penalty - terms) * some.ess_fraction / (thin * f->ess_fraction);
    return some;
}

/* The log likelihood that two components must reach on the rows of component j. */
static double wanted_of_two(fit *f, size_t j) {
    return fit_one(f, j, (double)j, -1.0, 0) + f->penalty / f->ess_fraction;
}

/* Whether splitting component j raises the penalised likelihood; the best of the seeds is then in the trial
 * components. Seeds are compared on thinned rows, but for those at the farthest row, because a small cluster needs
 * all rows. All rows decide. */
static bool try_split(fit *f, size_t j) {
    fit          some = thinned(f, j);
    const double wanted = wanted_of_two(f, j), fewer = wanted_of_two(&some, j);
    const double thin = (double)some.every / (double)f->every;
    size_t       a = f->m->capacity, b = a + 1;
    double       best = 0.0;
    int          chosen = -1;
    for (int how = 0; how < SEEDS; how++) {
        if (!seed(f, j, a, b, how)) continue;
        double gain = how == 2 || how == 3 ? fit_pair(f, a, b, (double)j, wanted) - wanted
                                           : thin * (fit_pair(&some, a, b, (double)j, fewer) - fewer);
        if (gain <= best) continue;
        best = gain;
        chosen = how;
    }
    if (chosen < 0) return false;
    seed(f, j, a, b, chosen); /* again, as others overwrote it */
    return fit_pair(f, a, b, (double)j, wanted) > wanted;
}

/* log likelihood of all rows. */
static double likelihood(fit *f) {
    walk   w = {0};
    double total = 0.0, *row;
    while ((row = em_row(f, &w, -1.0))) total += em_log_density(f, row);
    return total;
}

/* Replaces component j by the trial components; both keep its mode and its step size. Rows of other components were
 * not part of the trial, so the likelihood of all rows decides again, and the split is undone if it gains less than
 * the penalty. *now: the log likelihood before and after. */
static bool split(fit *f, size_t j, double *now) {
    mixture *m = f->m;
    size_t   a = m->capacity, b = a + 1, added = mixture_add(m);
    double   weight = m->at[j].weight, pa = exp(m->at[a].log_weight), after;
    mixture_copy(m, added, b);
    mixture_copy(m, b, j);
    mixture_copy(m, j, a);
    m->at[j].weight = weight * pa;
    m->at[added].weight = weight * (1.0 - pa);
    mixture_normalise(m);
    after = likelihood(f);
    if ((after - *now) * f->ess_fraction > f->penalty) {
        *now = after;
        m->at[added].search_hits = 0.0; /* those of the whole are with j */
        return true;
    }
    mixture_copy(m, j, b);
    mixture_remove(m, added, false);
    mixture_normalise(m);
    return false;
}

/* Tries to split all components, then, in further rounds, those that came of a split. */
static void try_splits(fit *f) {
    mixture *m = f->m;
    bool     tried[MODES_MOST] = {false};
    for (int round = 0; round < tuning.refit.rounds; round++) {
        size_t before = m->count;
        double now = likelihood(f);
        for (size_t j = 0; j < before && m->count < m->capacity; j++) {
            bool enough = m->at[j].rows * f->ess_fraction >= 2.0 * ((double)m->dim + 1.0);
            tried[j] = tried[j] || !enough || !try_split(f, j) || !split(f, j, &now);
        }
        if (m->count == before) return;
        em_run(f, tuning.refit.passes);
        em_expect(f);
        em_reweigh(f);
    }
}

/* -- One component in place of two -------------------------------------------------------------------------------- */

/* Trial component a := one with the pooled moments of i and j. */
static bool pool_moments(mixture *m, size_t a, size_t i, size_t j) {
    size_t  dim = m->dim;
    double  total = m->at[i].weight + m->at[j].weight, p = m->at[i].weight / total, q = 1.0 - p;
    double *mean = mixture_mean(m, a), *factor = mixture_factor(m, a), *u = mixture_mean(m, i), *v = mixture_mean(m, j);
    m->at[a] = m->at[i];
    m->at[a].groups |= m->at[j].groups;
    m->at[a].profile_degrees = 0.0;
    m->at[a].confirmed = false;
    memset(factor, 0, dim * dim * sizeof *factor);
    em_add_square(dim, p, mixture_factor(m, i), factor);
    em_add_square(dim, q, mixture_factor(m, j), factor);
    for (size_t k = 0; k < dim; k++)
        for (size_t l = k; l < dim; l++) factor[k * dim + l] += p * q * (u[k] - v[k]) * (u[l] - v[l]);
    for (size_t k = 0; k < dim; k++) mean[k] = p * u[k] + q * v[k];
    if (chol_factor(dim, factor)) return false;
    mixture_prepare(m, a);
    return true;
}

/* log likelihood of i and j, as a mixture of the two, on their rows. */
static double pair_likelihood(fit *f, size_t i, size_t j) {
    mixture *m = f->m;
    double   total = 0.0, both = m->at[i].weight + m->at[j].weight;
    double   li = log(m->at[i].weight / both), lj = log(m->at[j].weight / both);
    for (int side = 0; side < 2; side++) {
        walk    w = {0};
        double *row;
        while ((row = em_row(f, &w, (double)(side ? j : i)))) {
            double a = li + mixture_log_t(m, i, mixture_distance(m, i, row + ROW_HEAD), NULL);
            double b = lj + mixture_log_t(m, j, mixture_distance(m, j, row + ROW_HEAD), NULL);
            double most = fmax(a, b);
            total += most + log_fast(exp_fast(a - most) + exp_fast(b - most));
        }
    }
    return total;
}

static bool try_merge(fit *f, size_t i, size_t j) {
    mixture *m = f->m;
    size_t   a = m->capacity;
    if (!pool_moments(m, a, i, j) || mixture_may_hide(m, a, i) || mixture_may_hide(m, a, j)) return false;
    double one = fit_one(f, a, (double)i, (double)j, tuning.merge.passes), two = pair_likelihood(f, i, j);
    return (two - one) * f->ess_fraction < f->penalty;
}

/* The nearest component of q to i that has been reached; count if there is none. */
static size_t nearest(mixture *m, size_t i, double within) {
    size_t best = m->count;
    for (size_t j = 0; j < m->count; j++) {
        double distance = j != i && m->at[j].reached ? mixture_separation(m, i, j) : HUGE_VAL;
        if (distance >= within) continue;
        within = distance;
        best = j;
    }
    return best;
}

static void try_merges(fit *f) {
    mixture *m = f->m;
    for (size_t i = 0; i < m->count; i++) {
        size_t j = m->at[i].reached ? nearest(m, i, tuning.merge.within) : m->count;
        if (j == m->count || !try_merge(f, i, j)) continue;
        double    weight = m->at[i].weight + m->at[j].weight;
        component older = m->at[m->at[i].first_cycle <= m->at[j].first_cycle ? i : j];
        double    step = m->at[m->at[i].weight >= m->at[j].weight ? i : j].step,
               hits = m->at[i].search_hits + m->at[j].search_hits;
        bool established = m->at[i].established || m->at[j].established;
        mixture_copy(m, i, m->capacity);
        m->at[i].mode = older.mode;
        m->at[i].first_cycle = older.first_cycle;
        m->at[i].weight = weight;
        m->at[i].step = step;
        m->at[i].search_hits = hits;
        m->at[i].established = established;
        m->at[i].reached = true;
        mixture_normalise(m);
        mixture_remove(m, j, false);
        em_expect(f); /* owners */
        em_reweigh(f);
        i = (size_t)-1; /* from the beginning */
    }
}

/* -- The fit ------------------------------------------------------------------------------------------------------ */

static double bounded(double x, double size) { return x / (size + fabs(x)); }

/* centre, size: the mean of each coordinate and the mean absolute deviation from it, thinned where rows are many. */
static void measure_size(const fit *f, double *centre, double *size) {
    size_t dim = f->data->dim, thin = tuning.refit.scale_thinning;
    fit    some = *f;
    some.every *= f->count >= (double)(thin * thin) ? thin : 1;
    memset(centre, 0, dim * sizeof *centre);
    memset(size, 0, dim * sizeof *size);
    for (int round = 0; round < 2; round++) {
        double *row, n = 0.0, *sum = round ? size : centre;
        walk    w = {0};
        while ((row = em_row(&some, &w, -1.0))) {
            n += 1.0;
            for (size_t k = 0; k < dim; k++) sum[k] += round ? fabs(row[ROW_HEAD + k] - centre[k]) : row[ROW_HEAD + k];
        }
        for (size_t k = 0; k < dim; k++) sum[k] /= n;
    }
}

/* Effective sample size per row: (1 - r) / (1 + r), r the largest lag-1 autocorrelation over the coordinates. It is
 * that of u / (1 + |u|), u a coordinate in mean absolute deviations from its mean, because a few rows far out would
 * decide alone otherwise. */
static double measure_ess_fraction(const fit *f) {
    size_t  dim = f->data->dim;
    double *centre = em_sums(f->m, f->m->capacity), *size = centre + dim; /* not in use yet: 6 dim numbers fit */
    double *sum = size + dim, *square = sum + dim, *product = square + dim, *before = product + dim;
    double *row, n = 0.0, pairs = 0.0, worst = 0.0;
    walk    w = {0};
    measure_size(f, centre, size);
    memset(sum, 0, 3 * dim * sizeof *sum);
    for (size_t block = SIZE_MAX; (row = em_row(f, &w, -1.0)); block = w.block) {
        bool follows = block == w.block;
        n += 1.0;
        pairs += follows;
        for (size_t k = 0; k < dim; k++) {
            double u = size[k] > 0.0 ? bounded(row[ROW_HEAD + k] - centre[k], size[k]) : 0.0;
            sum[k] += u;
            square[k] += u * u;
            if (follows) product[k] += u * before[k];
            before[k] = u;
        }
    }
    for (size_t k = 0; k < dim && pairs > 0.0; k++) {
        double middle = sum[k] / n, variance = square[k] / n - middle * middle;
        worst = fmax(worst, variance > STILL ? (product[k] / pairs - middle * middle) / variance : 1.0); /* 1: stuck */
    }
    worst = fmin(worst, 0.999);
    return (1.0 - worst) / (1.0 + worst);
}

static fit begin(mixture *m, const rows *data, size_t most) {
    fit    f = {.m = m, .data = data};
    size_t total = 0;
    for (size_t b = 0; b < data->blocks; b++) total += data->block(data->context, b).count;
    f.every = total / (most + 1) + 1;
    total /= f.every;
    f.count = (double)total;
    return f;
}

/* The effective sample size per row, and from it the penalty of one more component. */
static void set_prior(fit *f) {
    double terms = parameters(f->m);
    f->ess_fraction = measure_ess_fraction(f);
    /* BIC, or AIC plus aic_excess where that is less: with many parameters BIC adds components too late. */
    f->penalty = fmin(0.5 * terms * log(fmax(f->count * f->ess_fraction, 3.0)), terms + tuning.refit.aic_excess);
}

/* Fewer rows are enough for the parameters of the present components, as long as their number is not in question. */
size_t mixture_rows_used(const mixture *m, bool structure) {
    const double most = (double)tuning.memory.rows, wanted = tuning.refit.rows_per_parameter * (double)m->count;
    if (structure) return tuning.memory.rows;
    return (size_t)fmin(fmax(wanted * parameters(m), tuning.refit.rows_least * most), most);
}

double mixture_refit(mixture *m, rows *data, bool structure) {
    fit f = begin(m, data, mixture_rows_used(m, structure));
    data->every = f.every;
    if (f.count < 1.0) return 1.0;
    set_prior(&f);
    if (!structure) { /* one pass per cycle: EM goes on in the next */
        em_run(&f, 1);
        em_adapt_degrees(&f);
        return f.ess_fraction;
    }
    /* Before splits, so that heavy tails change the degrees of freedom and do not become components. */
    for (int round = 0; round < tuning.refit.rounds; round++) {
        em_run(&f, tuning.refit.passes);
        em_expect(&f);
        if (!em_adapt_degrees(&f)) break;
    }
    em_reweigh(&f);
    try_splits(&f);
    try_merges(&f);
    return f.ess_fraction;
}

static void share_row(const fit *f, double log_q, mixture_overlap *overlap) {
    const mixture *m = f->m;
    double         p[MODES_MOST];
    for (size_t j = 0; j < m->count; j++) {
        p[j] = exp_fast(f->each[j] + m->at[j].log_weight - log_q);
        overlap->draws[j] += p[j];
        for (size_t k = 0; k < j && p[j] >= tuning.memory.responsibility; k++) overlap->both[j][k] += p[j] * p[k];
    }
}

double mixture_log_z(mixture *m, const rows *data, mixture_overlap *overlap) {
    fit    f = begin(m, data, tuning.refit.log_z_rows);
    walk   w = {0};
    double total = 0.0, n = 0.0, *row;
    *overlap = (mixture_overlap){0};
    while ((row = em_row(&f, &w, -1.0))) {
        double log_q = em_log_density(&f, row);
        share_row(&f, log_q, overlap);
        total += row[ROW_LOG_DENSITY] - log_q;
        n += 1.0;
    }
    return n > 0.0 ? total / n : 0.0;
}
