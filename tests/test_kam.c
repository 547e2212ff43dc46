/* test_kam.c - KAM's proposal against the textbook: M, H and C formed in full, one column at a time, in long double. */
#include "sampler/kernel_proposal.h"
#include "support.h"
#include "textbook.h"

#include "base/block.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A kernel proposal, at PROPOSALS points, in a block of its own. */
typedef struct bench {
    kernel_proposal proposal;
    proposal_at     proposals[PROPOSALS];
} bench;

static void fill(size_t count, double *x, uint64_t seed) {
    rng r;
    rng_init(&r, seed, 7);
    rng_at(&r, 0, 0);
    rng_normals(&r, count, x);
}

/* d dimensions, n of `count` random states around a point that is far from the origin. */
static bench *make(size_t d, size_t n, size_t count, int type, double *rows) {
    settings o = {.subsample = n, .kernel = type, .kernel_order = 4.0, .kernel_scale = (double)NAN};
    bench    scratch = {0};
    size_t   end = sizeof scratch;
    rng      r;
    kernel_proposal_layout(&scratch.proposal, PROPOSALS, scratch.proposals, d, &o, &end);
    size_t size = (end + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    bench *b = aligned_alloc(BLOCK_ALIGNMENT, size);
    assert_non_null(b);
    memset(b, 0, size);
    end = sizeof *b;
    kernel_proposal_layout(&b->proposal, PROPOSALS, b->proposals, d, &o, &end);
    kernel_proposal_begin(&b->proposal, &o);
    fill(count * d, rows, d * 1000 + n);
    for (size_t i = 0; i < count * d; i++) rows[i] = 100.0 + 2.0 * rows[i];
    rng_init(&r, 3, 4);
    rng_at(&r, 9, RNG_SUBSAMPLE);
    kernel_proposal_subsample(&b->proposal, b, &r, count, rows);
    return b;
}

/* Every coordinate of every point of z, and that their mean is 0, whatever the number of coordinates. */
static void z_is_the_points_less_their_mean(void **unused) {
    (void)unused;
    enum { N = 7, COUNT = 20, DIM_MOST = 35 };
    static double rows[COUNT * DIM_MOST];
    for (size_t d = 1; d <= DIM_MOST; d++) {
        bench          *b = make(d, N, COUNT, KERNEL_MATERN, rows);
        const double   *z = block_at(b, b->proposal.z), *centre = block_at(b, b->proposal.centre);
        const uint64_t *index = (const uint64_t *)(const void *)block_at(b, b->proposal.index);
        for (size_t k = 0; k < d; k++) {
            double sum = 0.0;
            for (size_t i = 0; i < N; i++) {
                assert_close(z[k * b->proposal.stride + i] + centre[k], rows[index[i] * d + k], 1e-12);
                sum += z[k * b->proposal.stride + i];
            }
            assert_close(sum, 0.0, 1e-12);
        }
        free(b);
    }
}

/* C(x) as it is written, d x d. */
static long double *textbook(const bench *b, const double *x, double gamma, double nu) {
    long double *c = malloc(b->proposal.dim * b->proposal.dim * sizeof *c);
    assert_non_null(c);
    textbook_covariance(&b->proposal, b, x, gamma, nu, c);
    return c;
}

static void check_density(size_t d, size_t n, int type, double gamma, double nu) {
    size_t  count = 2 * n + 1;
    double *rows = malloc(count * d * sizeof *rows), *x = malloc(2 * d * sizeof *x), *y = x + d;
    assert_true(rows && x);
    bench *b = make(d, n, count, type, rows);
    nu *= kernel_proposal_unit(&b->proposal);
    fill(2 * d, x, 77);
    for (size_t k = 0; k < 2 * d; k++) x[k] = 100.0 + 1.5 * x[k];
    for (int i = 0; i < 2; i++) {
        proposal_at_measure(&b->proposal, b, &b->proposals[i], i ? y : x);
        if (i)
            proposal_at_factor(b, &b->proposals[i], 3.0 * gamma,
                               3.0 * nu); /* a multiple of what is wanted: it serves */
        proposal_at_factor(b, &b->proposals[i], gamma, nu);
        assert_int_equal(b->proposals[i].factored, 1);
    }
    double forward = proposal_at_log_density(&b->proposal, b, &b->proposals[0], &b->proposals[0], &b->proposals[1]);
    double back = proposal_at_log_density(&b->proposal, b, &b->proposals[1], &b->proposals[1], &b->proposals[0]);
    long double *at_x = textbook(b, x, gamma, nu), *at_y = textbook(b, y, gamma, nu);
    assert_close(forward, textbook_density(d, at_x, x, y), 1e-10);
    assert_close(back, textbook_density(d, at_y, y, x), 1e-10);
    free(at_x);
    free(at_y);
    free(b);
    free(rows);
    free(x);
}

static void densities_agree_with_the_textbook(void **unused) {
    (void)unused;
    static const size_t dims[] = {1, 2, 5, 32, 200}, sizes[] = {1, 2, 30, 100};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 4; j++) {
            check_density(dims[i], sizes[j], KERNEL_MATERN, 0.5, 1.0);
            check_density(dims[i], sizes[j], KERNEL_GAUSSIAN, 0.2, 3.0);
            check_density(dims[i], sizes[j], KERNEL_LINEAR, 1.0, 0.3);
        }
}

/* Empirical covariance of proposal_at_draw, every element within 2 % of gamma^2 I + nu^2 M H M^T (relative to the variances of
 * its row and column). 200,000 draws leave a standard error of at most 0.32 %, so 2 % is over 6 of them. */
static void check_covariance(size_t d, size_t n, int type) {
    enum { DRAWS = 200000 };
    size_t  count = 2 * n;
    double *rows = malloc(count * d * sizeof *rows), *x = malloc(3 * d * sizeof *x), *y = x + d, *mean = y + d;
    double *sum = calloc(d * d, sizeof *sum), gamma = 0.6, nu;
    rng     r;
    assert_true(rows && x && sum);
    bench *b = make(d, n, count, type, rows);
    nu = 2.0 * kernel_proposal_unit(&b->proposal);
    memset(mean, 0, d * sizeof *mean);
    for (size_t k = 0; k < d; k++) x[k] = 101.0 - (double)k;
    proposal_at_measure(&b->proposal, b, &b->proposals[0], x);
    proposal_at_factor(b, &b->proposals[0], gamma, nu);
    rng_init(&r, 8, 8);
    for (uint64_t i = 0; i < DRAWS; i++) {
        rng_at(&r, i, RNG_STEP);
        proposal_at_draw(&b->proposal, b, &b->proposals[0], &r, 1.0, x, y);
        for (size_t k = 0; k < d; k++) {
            mean[k] += (y[k] - x[k]) / DRAWS;
            for (size_t l = 0; l < d; l++) sum[k * d + l] += (y[k] - x[k]) * (y[l] - x[l]) / DRAWS;
        }
    }
    long double *exact = textbook(b, x, gamma, nu);
    for (size_t k = 0; k < d; k++) {
        double variance = (double)exact[k * d + k];
        assert_less(fabs(mean[k]), 5.0 * sqrt(variance / DRAWS));
        for (size_t l = 0; l < d; l++)
            assert_less(fabs(sum[k * d + l] - (double)exact[k * d + l]),
                        0.02 * sqrt(variance * (double)exact[l * d + l]));
    }
    free(exact);
    free(b);
    free(rows);
    free(x);
    free(sum);
}

static void draws_have_the_covariance_of_the_textbook(void **unused) {
    (void)unused;
    check_covariance(2, 30, KERNEL_MATERN);
    check_covariance(4, 30, KERNEL_GAUSSIAN);
    check_covariance(5, 3, KERNEL_MATERN); /* more dimensions than states: drawn without a factor */
    check_covariance(3, 2, KERNEL_LINEAR);
    check_covariance(3, 1, KERNEL_GAUSSIAN); /* one state alone has no shape: gamma^2 I */
}

static void the_automatic_scale_is_the_median_distance(void **unused) {
    (void)unused;
    double rows[2 * 3] = {0.0, 0.0, 3.0, 4.0, 0.0, 0.0};
    bench *b = make(2, 2, 2, KERNEL_GAUSSIAN, rows);
    double at[4] = {1.0, 1.0, 4.0, 5.0};
    rng    r;
    rng_init(&r, 1, 1);
    kernel_proposal_subsample(&b->proposal, b, &r, 2, at);
    assert_relative(b->proposal.distance, 5.0, 1e-14);
    assert_relative(b->proposal.kernel.scale, 5.0, 1e-14);
    at[2] = at[3] = 1.0; /* the same point twice: no distance, and the kernel's scale does not matter */
    kernel_proposal_subsample(&b->proposal, b, &r, 2, at);
    assert_true(b->proposal.distance == 0.0);
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(z_is_the_points_less_their_mean),
                                       cmocka_unit_test(densities_agree_with_the_textbook),
                                       cmocka_unit_test(draws_have_the_covariance_of_the_textbook),
                                       cmocka_unit_test(the_automatic_scale_is_the_median_distance)};
    return cmocka_run_group_tests_name("kam", tests, NULL, NULL);
}
