/* test_refit.c - the memory of jump fitted to draws: how many components, and where, from rows whose law is known.
 *
 * A number that is estimated from n draws is compared within 5.5 standard errors (false alarms: 4e-8 each, below 1e-5 for
 * all of this file) and, for covariances, 3 % that t components differ from Gaussian draws. Seeds are fixed. */
#include "support.h"

#include "linalg/linalg.h"
#include "memory_of_modes.h"
#include "mixture/em.h"

enum { ROWS = 4096, BLOCKS_MOST = 5 };

/* -- Rows --------------------------------------------------------------------------------------------------------- */

typedef struct sample {
    size_t  dim, blocks, count[BLOCKS_MOST];
    double *at; /* all rows, block after block */
} sample;

static row_block block_of(void *context, size_t index) {
    sample *s = context;
    size_t  before = 0, stride = s->dim + ROW_HEAD;
    for (size_t b = 0; b < index; b++) before += s->count[b];
    return (row_block){s->at + before * stride, s->count[index], stride};
}

static size_t total(const sample *s) {
    size_t n = 0;
    for (size_t b = 0; b < s->blocks; b++) n += s->count[b];
    return n;
}

static double *row(const sample *s, size_t i) { return s->at + i * (s->dim + ROW_HEAD) + ROW_HEAD; }

static sample make_rows(size_t dim, size_t blocks, size_t each) {
    sample s = {.dim = dim, .blocks = blocks, .at = calloc(blocks * each, (dim + ROW_HEAD) * sizeof(double))};
    assert_non_null(s.at);
    for (size_t b = 0; b < blocks; b++) s.count[b] = each;
    return s;
}

/* The centre of the j-th of `count` Gaussians, `distance` apart: in a row, or 25 of them on a grid in the plane. */
static size_t place_of(const sample *s, size_t count, size_t j, double distance, double *mean) {
    for (size_t k = 0; k < s->dim; k++) mean[k] = distance * (double)(count == 25 ? (k ? j % 5 : j / 5) : j);
    return j;
}

static double deviation_of(size_t j) { return j % 2 ? 2.0 : 1.0; }

/* Independent draws, each Gaussian equally likely. */
static sample draw_mixture(size_t dim, size_t count, double distance, uint64_t seed) {
    sample s = make_rows(dim, 1, ROWS);
    double mean[64];
    rng    r;
    rng_init(&r, seed, 0);
    for (size_t i = 0; i < ROWS; i++) {
        size_t j = place_of(&s, count, rng_below(&r, count), distance, mean);
        for (size_t k = 0; k < dim; k++) row(&s, i)[k] = mean[k] + deviation_of(j) * rng_normal(&r);
    }
    return s;
}

static void done(mixture *m, sample *s) {
    free(m);
    free(s->at);
}

static void refit(mixture *m, sample *s, int times, bool structure) {
    rows data = {s, s->blocks, s->dim, block_of, 1};
    for (int i = 0; i < times; i++) {
        double ess_fraction = mixture_refit(m, &data, structure);
        assert_true(ess_fraction > 0.0 && ess_fraction <= 1.0);
    }
}

/* One component that spans all rows. */
static mixture *one_component(const sample *s) {
    mixture *m = memory_make(s->dim);
    double   mean[64], *factor = calloc(s->dim * s->dim, sizeof *factor), n = (double)total(s);
    assert_non_null(factor);
    for (size_t k = 0; k < s->dim; k++) {
        double sum = 0.0, square = 0.0;
        for (size_t i = 0; i < total(s); i++) sum += row(s, i)[k];
        mean[k] = sum / n;
        for (size_t i = 0; i < total(s); i++) square += (row(s, i)[k] - mean[k]) * (row(s, i)[k] - mean[k]);
        factor[k * s->dim + k] = sqrt(square / n);
    }
    memory_add(m, mean, factor, 0.0, 1.0);
    m->at[0].reached = true;
    free(factor);
    return m;
}

static double covariance(mixture *m, size_t j, size_t a, size_t b) {
    const double *l = mixture_factor(m, j);
    double        sum = 0.0;
    for (size_t k = 0; k <= (a < b ? a : b); k++) sum += l[k * m->dim + a] * l[k * m->dim + b];
    return sum;
}

static void check_finite(mixture *m) {
    double sum = 0.0;
    assert_true(m->count >= 1);
    for (size_t j = 0; j < m->count; j++) {
        sum += m->at[j].weight;
        assert_true(isfinite(m->at[j].log_det) && isfinite(m->at[j].log_weight) && m->at[j].weight > 0.0);
        for (size_t k = 0; k < m->dim; k++) {
            assert_true(isfinite(mixture_mean(m, j)[k]));
            assert_true(mixture_factor(m, j)[k * m->dim + k] > 0.0);
        }
    }
    assert_close(sum, 1.0, 1e-12);
}

/* Component j is N(mean, deviation^2 I), seen in n rows. A shrinkage of (d + 1) rows is for covariances. */
static void check_component(mixture *m, size_t j, const double *mean, double deviation, double n) {
    double error = 1.0 / sqrt(n), bias = 0.03 + ((double)m->dim + 2.0) / n, square = deviation * deviation;
    for (size_t a = 0; a < m->dim; a++) {
        assert_less(fabs(mixture_mean(m, j)[a] - mean[a]), 5.5 * error * deviation);
        for (size_t b = 0; b <= a; b++) {
            double truth = a == b ? square : 0.0, spread = sqrt(a == b ? 2.0 : 1.0) * error + (a == b ? bias : 0.0);
            assert_less(fabs(covariance(m, j, a, b) - truth), 5.5 * spread * square);
        }
    }
}

/* -- How many, and where ------------------------------------------------------------------------------------------ */

static void one_gaussian_stays_one(void **unused) {
    (void)unused;
    static const size_t dims[] = {1, 2, 8, 32};
    for (size_t d = 0; d < 4; d++) {
        sample   s = draw_mixture(dims[d], 1, 0.0, 40 + d);
        mixture *m = one_component(&s);
        double   mean[32] = {0};
        refit(m, &s, 3, true);
        assert_int_equal(m->count, 1);
        check_component(m, 0, mean, 1.0, ROWS);
        assert_true(m->at[0].weight == 1.0);
        assert_true(m->degrees >= (dims[d] > 2 ? 50.0 : 25.0)); /* in few dimensions 25 and 50 are alike */
        done(m, &s);
    }
}

static void separate_gaussians_are_found(void **unused) {
    (void)unused;
    static const struct {
        size_t dim, count;
        double distance;
    } cases[] = {{1, 2, 20}, {2, 2, 20}, {8, 2, 10}, {2, 3, 15}, {1, 3, 20}, {2, 25, 20}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t   count = cases[c].count;
        sample   s = draw_mixture(cases[c].dim, count, cases[c].distance, 50 + c);
        mixture *m = one_component(&s);
        bool     seen[25] = {false};
        refit(m, &s, 3, true);
        assert_int_equal(m->count, count);
        double part = 1.0 / (double)count, n = ROWS * part, mean[8];
        n -= 5.5 * sqrt(n); /* at least so many rows */
        for (size_t j = 0; j < count; j++) {
            size_t near = 0;
            for (size_t i = 1; i < count; i++) {
                double best[8];
                place_of(&s, count, near, cases[c].distance, best);
                place_of(&s, count, i, cases[c].distance, mean);
                if (mixture_distance(m, j, mean) < mixture_distance(m, j, best)) near = i;
            }
            assert_false(seen[near]);
            seen[near] = true;
            place_of(&s, count, near, cases[c].distance, mean);
            check_component(m, j, mean, deviation_of(near), n);
            /* one row more is counted for each */
            assert_less(fabs(m->at[j].weight - part), 5.5 * sqrt(part * (1.0 - part) / ROWS) + 1.0 / ROWS);
            assert_true(m->at[j].reached);
        }
        check_finite(m);
        done(m, &s);
    }
}

static void what_was_split_for_nothing_is_merged(void **unused) {
    (void)unused;
    sample   s = draw_mixture(2, 1, 0.0, 61);
    mixture *m = memory_make(2);
    double   left[2] = {-0.5, 0.0}, right[2] = {0.5, 0.0}, zero[2] = {0};
    memory_add(m, left, NULL, 0.8, 1.0);
    memory_add(m, right, NULL, 0.8, 1.0);
    for (size_t j = 0; j < 2; j++) m->at[j].reached = true;
    m->at[0].mode = 7;
    m->at[0].first_cycle = 4;
    m->at[1].mode = 3;
    m->at[1].first_cycle = 2;
    refit(m, &s, 5, true);
    assert_int_equal(m->count, 1);
    assert_int_equal(m->at[0].mode, 3); /* of the older */
    assert_int_equal(m->at[0].first_cycle, 2);
    check_component(m, 0, zero, 1.0, ROWS);
    done(m, &s);
}

/* A component that no row has come to keeps its place and weight. */
static void hearsay_keeps_its_weight(void **unused) {
    (void)unused;
    sample   s = draw_mixture(2, 2, 20.0, 62);
    mixture *m = one_component(&s);
    double   far[2] = {-500.0, 300.0};
    size_t   j = memory_add(m, far, NULL, 1.0, 0.25); /* beside 1: a weight of 0.2 */
    refit(m, &s, 3, true);
    assert_int_equal(m->count, 3);
    assert_true(mixture_mean(m, j)[0] == -500.0 && mixture_mean(m, j)[1] == 300.0 && mixture_factor(m, j)[0] == 1.0);
    assert_false(m->at[j].reached);
    assert_close(m->at[j].weight, 0.2, 1e-6);
    check_finite(m);
    done(m, &s);
}

/* -- Tails, dependence -------------------------------------------------------------------------------------------- */

static void degrees_follow_the_tails(void **unused) {
    (void)unused;
    for (size_t dim = 1; dim <= 4; dim += 3) {
        sample   heavy = make_rows(dim, 1, ROWS), light = draw_mixture(dim, 1, 0.0, 63);
        mixture *source = memory_make(dim), *m;
        double   zero[4] = {0};
        rng      r;
        rng_init(&r, 64, 0);
        memory_add(source, zero, NULL, 1.0, 1.0);
        mixture_set_degrees(source, 5.0);
        for (size_t i = 0; i < ROWS; i++) mixture_draw(source, &r, 0, row(&heavy, i));
        m = one_component(&heavy);
        refit(m, &heavy, 2, true);
        assert_int_equal(m->count, 1);
        assert_true(m->degrees >= 3.0 && m->degrees <= 7.0);
        assert_less(fabs(covariance(m, 0, 0, 0) - 1.0), 0.25);
        mixture_set_degrees(m, 3.0); /* and back */
        refit(m, &light, 3, true);
        assert_true(m->degrees >= 15.0); /* in one dimension the rest is worth less than 4 in the likelihood */
        done(m, &heavy);
        done(source, &light);
    }
}

/* AR(1) with the correlation 0.99: ROWS rows are worth about 20, and look like several lumps. */
static void rows_that_follow_closely_do_not_split(void **unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < 10; seed++) {
        sample s = make_rows(2, 1, ROWS);
        double x[2] = {0};
        rng    r;
        rng_init(&r, 65, seed);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = 0; k < 2; k++) row(&s, i)[k] = x[k] = 0.99 * x[k] + sqrt(1 - 0.99 * 0.99) * rng_normal(&r);
        mixture *m = one_component(&s);
        refit(m, &s, 3, true);
        assert_int_equal(m->count, 1);
        done(m, &s);
    }
}

/* A chain that was stuck far out: one point, again and again, is no mode, however dense it is. */
static void a_point_that_is_repeated_is_no_component(void **unused) {
    (void)unused;
    for (size_t repeats = 3; repeats <= 24; repeats += 7) {
        sample s = draw_mixture(2, 1, 0.0, 160);
        for (size_t i = 0; i < repeats; i++) row(&s, 1000 + i)[0] = row(&s, 1000 + i)[1] = 4.5;
        mixture *m = one_component(&s);
        refit(m, &s, 2, true);
        assert_int_equal(m->count, 1);
        done(m, &s);
    }
}

/* -- Odd rows ----------------------------------------------------------------------------------------------------- */

static void odd_rows_do_no_harm(void **unused) {
    (void)unused;
    sample   s = draw_mixture(2, 2, 20.0, 66);
    mixture *m = one_component(&s);
    size_t   size = mixture_size(2);
    mixture *before = memory_make(2);
    for (size_t i = 0; i < ROWS; i++) row(&s, i)[1] = 3.0; /* a constant */
    refit(m, &s, 3, true);
    assert_int_equal(m->count, 1); /* rows that do not move are no evidence */
    check_finite(m);
    for (size_t i = 0; i < ROWS; i++) row(&s, i)[0] = -1.0; /* a single point */
    refit(m, &s, 3, true);
    assert_int_equal(m->count, 1);
    check_finite(m);
    s.count[0] = 1; /* a single row */
    refit(m, &s, 2, true);
    check_finite(m);
    s.count[0] = 0;
    memcpy(before, m, size);
    refit(m, &s, 1, true);
    assert_memory_equal(before, m, size);
    free(before);
    done(m, &s);
}

static void blocks_may_differ_in_length(void **unused) {
    (void)unused;
    static const size_t lengths[] = {0, 5, 2000, 91, 2000};
    sample              s = draw_mixture(2, 2, 20.0, 67), parts = s;
    mixture            *m = one_component(&s), *other = one_component(&s);
    parts.blocks = 5;
    memcpy(parts.count, lengths, sizeof lengths);
    assert_int_equal(total(&parts), ROWS);
    refit(m, &s, 3, true);
    refit(other, &parts, 3, true);
    assert_int_equal(m->count, 2);
    assert_int_equal(other->count, 2);
    for (size_t j = 0; j < 2; j++) { /* in whatever order */
        size_t i = fabs(mixture_mean(m, j)[0] - mixture_mean(other, 0)[0]) < 10.0 ? (size_t)0 : 1;
        assert_close(m->at[j].weight, other->at[i].weight, 1e-6);
        for (size_t k = 0; k < 2; k++) assert_close(mixture_mean(m, j)[k], mixture_mean(other, i)[k], 1e-3);
    }
    free(other);
    done(m, &s);
}

/* 9000 rows: one in three is used, and has its owner in it. */
static void many_rows_are_thinned(void **unused) {
    (void)unused;
    sample s = make_rows(1, 3, 3000);
    rng    r;
    rng_init(&r, 68, 0);
    for (size_t i = 0; i < 9000; i++) {
        row(&s, i)[0] = (i % 2 ? 30.0 : 0.0) + rng_normal(&r);
        row(&s, i)[(int)ROW_OWNER - (int)ROW_HEAD] = -7.0;
    }
    mixture *m = one_component(&s);
    rows     data = {&s, 3, 1, block_of, 1};
    mixture_refit(m, &data, true);
    assert_int_equal(data.every, 3);
    assert_int_equal(m->count, 2);
    size_t owned = 0;
    for (size_t i = 0; i < 9000; i++) {
        double owner = row(&s, i)[(int)ROW_OWNER - (int)ROW_HEAD];
        if (owner == -7.0) continue;
        assert_less(fabs(mixture_mean(m, (size_t)owner)[0] - row(&s, i)[0]), 10.0);
        owned++;
    }
    assert_int_equal(owned, 3000);
    done(m, &s);
}

/* -- Likelihood and level ----------------------------------------------------------------------------------------- */

static double slow_log_likelihood(mixture *m, const sample *s) {
    const double pi = 3.14159265358979323846, nu = m->degrees, d = (double)m->dim;
    double       sum = 0.0;
    for (size_t i = 0; i < total(s); i++) {
        double q = 0.0;
        for (size_t j = 0; j < m->count; j++) {
            double height = lgamma(0.5 * (nu + d)) - lgamma(0.5 * nu) - 0.5 * d * log(nu * pi);
            for (size_t k = 0; k < m->dim; k++) height -= log(mixture_factor(m, j)[k * m->dim + k]);
            q += m->at[j].weight * exp(height - 0.5 * (nu + d) * log1p(mixture_distance(m, j, row(s, i)) / nu));
        }
        sum += log(q);
    }
    return sum;
}

/* One pass of EM for one component, from a place that is far off, as a textbook has it: each row counts for (nu + d) /
 * (nu + its squared distance). The covariance is then shrunk by the OAS coefficient, towards the last shape or the diagonal. */
static double oas(double n, double trace, double square) { /* d = 2 */
    return fmin(1.0, trace * trace / (n * (square - 0.5 * trace * trace)));
}

static void a_pass_is_one_of_em(void **unused) {
    (void)unused;
    sample   s = draw_mixture(2, 1, 0.0, 75);
    mixture *m = memory_make(2);
    double   mean[2] = {3.0, -2.0}, factor[4] = {2.0, 0.5, 0.0, 1.5};
    double   cov[3] = {4.0, 1.0, 0.25 + 2.25}; /* xx, xy, yy */
    rows     data = {&s, 1, 2, block_of, 1};
    memory_add(m, mean, factor, 0.0, 1.0);
    mixture_set_degrees(m, 5.0);
    double ess_fraction = mixture_refit(m, &data, false), used = ceil((double)ROWS / (double)data.every),
           n = used * ess_fraction;
    double weight = 0.0, first[2] = {0.0}, second[3] = {0.0}, det = cov[0] * cov[2] - cov[1] * cov[1];
    double t_weight[ROWS];
    for (size_t i = 0; i < ROWS; i += data.every) {
        double a = row(&s, i)[0] - mean[0], b = row(&s, i)[1] - mean[1];
        t_weight[i] = 7.0 / (5.0 + (cov[2] * a * a - 2.0 * cov[1] * a * b + cov[0] * b * b) / det);
        weight += t_weight[i];
        for (size_t k = 0; k < 2; k++) first[k] += t_weight[i] * row(&s, i)[k];
    }
    for (size_t k = 0; k < 2; k++) mean[k] = first[k] / weight;
    for (size_t i = 0; i < ROWS; i += data.every) {
        double a = row(&s, i)[0] - mean[0], b = row(&s, i)[1] - mean[1];
        second[0] += t_weight[i] * a * a;
        second[1] += t_weight[i] * a * b;
        second[2] += t_weight[i] * b * b;
    }
    for (size_t k = 0; k < 3; k++) second[k] /= used;
    /* A = C^-1 S, C the last covariance: tr A, tr A^2 = (tr A)^2 - 2 det A */
    double trace = (cov[2] * second[0] - 2.0 * cov[1] * second[1] + cov[0] * second[2]) / det;
    double own = oas(n, trace, trace * trace - 2.0 * (second[0] * second[2] - second[1] * second[1]) / det);
    double axes = oas(n, 2.0, 2.0 + 2.0 * second[1] * second[1] / (second[0] * second[2]));
    for (size_t k = 0; k < 3; k++)
        cov[k] =
            axes > own ? second[k] * (k == 1 ? 1.0 - axes : 1.0) : (1.0 - own) * second[k] + own * 0.5 * trace * cov[k];
    for (size_t k = 0; k < 2; k++) assert_close(mixture_mean(m, 0)[k], mean[k], 1e-9);
    assert_close(covariance(m, 0, 0, 0), cov[0], 1e-9);
    assert_close(covariance(m, 0, 0, 1), cov[1], 1e-9);
    assert_close(covariance(m, 0, 1, 1), cov[2], 1e-9);
    done(m, &s);
}

/* Rows and memory transformed by x -> A x: the fit is the transformed one, where the last shape is the target of the shrinkage. `count` rows,
 * few of them or many; rows of N(0, B B^T) and a memory with that shape, B lower triangular. */
static void check_equivariance(size_t count, uint64_t seed) {
    enum { DIM = 4 };
    sample   s = make_rows(DIM, 1, count), turned = make_rows(DIM, 1, count);
    mixture *m = memory_make(DIM), *other = memory_make(DIM);
    double   mean[DIM] = {0.0}, b[DIM * DIM] = {0.0}, a[DIM * DIM], ab[DIM * DIM], factor[DIM * DIM] = {0.0};
    rng      r;
    rng_init(&r, seed, 0);
    for (size_t k = 0; k < DIM; k++)
        for (size_t i = 0; i < DIM; i++) {
            if (i >= k) b[k * DIM + i] = i == k ? 1.0 : 3.0 * rng_normal(&r); /* columns; far from the diagonal */
            a[k * DIM + i] = rng_normal(&r) + (i == k ? 2.0 : 0.0);
        }
    memset(ab, 0, sizeof ab);
    for (size_t k = 0; k < DIM; k++)
        for (size_t i = 0; i < DIM; i++)
            for (size_t l = 0; l < DIM; l++) ab[k * DIM + i] += a[l * DIM + i] * b[k * DIM + l];
    for (size_t k = 0; k < DIM; k++) sym_add(DIM, 1.0, ab + k * DIM, factor);
    assert_int_equal(chol_factor(DIM, factor), 0);
    for (size_t n = 0; n < count; n++) {
        double z[DIM];
        rng_normals(&r, DIM, z);
        for (size_t k = 0; k < DIM; k++) {
            vec_axpy(DIM, z[k], b + k * DIM, row(&s, n));
            vec_axpy(DIM, z[k], ab + k * DIM, row(&turned, n));
        }
    }
    memory_add(m, mean, b, 0.0, 1.0);
    memory_add(other, mean, factor, 0.0, 1.0);
    /* the effective sample size per row is measured along the user's axes, so it is given */
    fit one = {
        .m = m, .data = &(rows){&s, 1, DIM, block_of, 1}, .every = 1, .count = (double)count, .ess_fraction = 0.3};
    fit two = {.m = other,
               .data = &(rows){&turned, 1, DIM, block_of, 1},
               .every = 1,
               .count = (double)count,
               .ess_fraction = 0.3};
    em_run(&one, 3);
    em_run(&two, 3);
    for (size_t i = 0; i < DIM; i++)
        for (size_t k = 0; k <= i; k++) {
            double value = 0.0;
            for (size_t p = 0; p < DIM; p++)
                for (size_t q = 0; q < DIM; q++) value += a[p * DIM + i] * covariance(m, 0, p, q) * a[q * DIM + k];
            double size = sqrt(covariance(other, 0, i, i) * covariance(other, 0, k, k));
            assert_close(covariance(other, 0, i, k) / size, value / size, 1e-9);
        }
    free(other);
    free(turned.at);
    done(m, &s);
}

static void the_shrinkage_is_affine_equivariant(void **unused) {
    (void)unused;
    static const size_t count[] = {3, 10, 50, 300, 4096};
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t i = 0; i < sizeof count / sizeof *count; i++) check_equivariance(count[i], 200 + seed);
}

/* EM climbs. Shrunk covariances, one row more for each weight, and rows that are left out where they count for less than
 * 1e-4 cost a trifle at the top. */
static void the_likelihood_never_falls(void **unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < 3; seed++) {
        sample   s = draw_mixture(2, 3, 4.0, 70 + seed); /* they overlap */
        mixture *m = memory_make(2);
        double   mean[3][2] = {{-2, 3}, {3, 0}, {6, 12}};
        for (size_t j = 0; j < 3; j++) memory_add(m, mean[j], NULL, 3.0, 1.0);
        double first = slow_log_likelihood(m, &s), before = first;
        for (int turn = 0; turn < 15; turn++) {
            refit(m, &s, 1, false);
            double now = slow_log_likelihood(m, &s);
            assert_less(before - 0.05, now);
            before = now;
        }
        assert_int_equal(m->count, 3); /* structure was not asked for */
        assert_less(first + 100.0, before);
        done(m, &s);
    }
}

/* The rows are draws from 1000 pi with pi the mixture itself: log Z is log 1000. */
static void the_level_is_log_z(void **unused) {
    (void)unused;
    sample   s = draw_mixture(2, 2, 20.0, 80);
    mixture *m = one_component(&s);
    rows     data = {&s, 1, 2, block_of, 1};
    for (size_t i = 0; i < ROWS; i++) {
        const double *x = row(&s, i);
        double        a = exp(-0.5 * (x[0] * x[0] + x[1] * x[1]));
        double        b = exp(-0.125 * ((x[0] - 20) * (x[0] - 20) + (x[1] - 20) * (x[1] - 20))) / 4.0;
        row(&s, i)[(int)ROW_LOG_DENSITY - (int)ROW_HEAD] = log(1000.0 * 0.5 * (a + b) / (2.0 * 3.14159265358979));
    }
    refit(m, &s, 6, true);
    mixture_overlap overlap;
    assert_close(mixture_log_z(m, &data, &overlap), log(1000.0), 0.005);
    assert_int_equal(m->count, 2);
    assert_less(overlap.both[1][0], 1e-6); /* 20 standard deviations apart */
    done(m, &s);
}

/* -- Units -------------------------------------------------------------------------------------------------------- */

static void units_do_not_matter(void **unused) {
    (void)unused;
    static const double unit[2] = {1e6, 1e-6};
    static const struct {
        size_t count;
        double distance;
    } cases[] = {{3, 15.0}, {3, 5.0}};
    for (size_t c = 0; c < 2; c++) {
        sample s = draw_mixture(2, cases[c].count, cases[c].distance, 90 + c);
        sample scaled = make_rows(2, 1, ROWS);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = 0; k < 2; k++) row(&scaled, i)[k] = unit[k] * row(&s, i)[k];
        mixture *m = one_component(&s), *other = one_component(&scaled);
        refit(m, &s, 3, true);
        refit(other, &scaled, 3, true);
        assert_int_equal(m->count, other->count);
        assert_true(m->degrees == other->degrees);
        for (size_t j = 0; j < m->count; j++) {
            assert_relative(other->at[j].weight, m->at[j].weight, 1e-6);
            for (size_t k = 0; k < 2; k++) {
                double size = sqrt(covariance(m, j, k, k));
                assert_less(fabs(mixture_mean(other, j)[k] / unit[k] - mixture_mean(m, j)[k]), 1e-6 * size);
                assert_relative(covariance(other, j, k, k), covariance(m, j, k, k) * unit[k] * unit[k], 1e-6);
            }
        }
        done(m, &s);
        done(other, &scaled);
    }
}

/* 20 of the 4096 rows, which a trial with one row in four would see as 5: one in four such trials finds them. */
static void a_small_cluster_is_not_lost(void **unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < 4; seed++) {
        sample s = draw_mixture(2, 1, 0.0, 170 + seed);
        for (size_t i = 0; i < 20; i++) row(&s, 199 * i + 50)[0] += 10.0;
        mixture *m = one_component(&s);
        refit(m, &s, 1, true);
        check_finite(m);
        assert_true(m->count >= 2);
        done(m, &s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_gaussian_stays_one),
                                       cmocka_unit_test(separate_gaussians_are_found),
                                       cmocka_unit_test(what_was_split_for_nothing_is_merged),
                                       cmocka_unit_test(hearsay_keeps_its_weight),
                                       cmocka_unit_test(degrees_follow_the_tails),
                                       cmocka_unit_test(rows_that_follow_closely_do_not_split),
                                       cmocka_unit_test(a_point_that_is_repeated_is_no_component),
                                       cmocka_unit_test(odd_rows_do_no_harm),
                                       cmocka_unit_test(blocks_may_differ_in_length),
                                       cmocka_unit_test(many_rows_are_thinned),
                                       cmocka_unit_test(a_pass_is_one_of_em),
                                       cmocka_unit_test(the_shrinkage_is_affine_equivariant),
                                       cmocka_unit_test(the_likelihood_never_falls),
                                       cmocka_unit_test(the_level_is_log_z),
                                       cmocka_unit_test(a_small_cluster_is_not_lost),
                                       cmocka_unit_test(units_do_not_matter)};
    return cmocka_run_group_tests_name("refit", tests, NULL, NULL);
}
