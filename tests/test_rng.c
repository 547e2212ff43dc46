/* test_rng.c - streams against the cipher's published answers, distributions against exact ones.
 *
 * A check on a statistic refuses beyond 6 sigma (2e-9) or at a p-value outside 1e-8 .. 1 - 1e-8: a right generator
 * had a chance of about 1e-6 to fail anywhere in this file with the fixed seeds, and can never fail again. */
#include "support.h"

#include <Random123/threefry.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rng/rng.h"
#include "rng/ziggurat_table.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- Statistics */

/* Neither too far from the hypothesis nor too close to it. */
static bool plausible(double p) { return p > 1e-8 && p < 1.0 - 1e-8; }

/* p-value of counts that are equally likely. */
static double equal_counts(size_t bins, const uint64_t *count) {
    double total = 0.0, statistic = 0.0;
    for (size_t i = 0; i < bins; i++) total += (double)count[i];
    const double expected = total / (double)bins;
    for (size_t i = 0; i < bins; i++)
        statistic += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
    return chi_square_tail(statistic, (double)bins - 1.0);
}

/* A Poisson count of that mean: P(N <= k) = Q(k + 1, mean), Q the incomplete gamma function. */
static bool plausible_count(uint64_t count, double mean) {
    const double at_most = chi_square_tail(2.0 * mean, 2.0 * (double)count + 2.0);
    const double below = count == 0 ? 0.0 : chi_square_tail(2.0 * mean, 2.0 * (double)count);
    return at_most > 1e-8 && 1.0 - below > 1e-8;
}

/* The mean of n values of known expectation and variance. */
static bool within_6_sigma(double sum, size_t n, double expectation, double variance) {
    return fabs(sum / (double)n - expectation) < 6.0 * sqrt(variance / (double)n);
}

static int by_word(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool all_distinct(size_t n, uint64_t *words) {
    qsort(words, n, sizeof *words, by_word);
    for (size_t i = 1; i < n; i++)
        if (words[i] == words[i - 1]) return false;
    return true;
}

/* An rng whose next words are the given ones. */
static rng holding(const uint64_t word[4]) {
    rng r;
    rng_init(&r, 5, 6);
    memcpy(r.word, word, sizeof r.word);
    r.left = 4;
    return r;
}

/* ---- Streams */

/* The answers published with Random123 (kat_vectors): counter, key, result. */
static void test_threefry_known_answers(void **state) {
    (void)state;
#define ONES 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff
    static const struct {
        threefry4x64_ctr_t counter;
        threefry4x64_key_t key;
        uint64_t           result[4];
    } known[] = {{{{0}}, {{0}}, {0x09218ebde6c85537, 0x55941f5266d86105, 0x4bd25e16282434dc, 0xee29ec846bd2e40b}},
                 {{{ONES}}, {{ONES}}, {0x29c24097942bba1b, 0x0371bbfb0f6f4e11, 0x3c231ffa33f83a1c, 0xcd29113fde32d168}},
                 {{{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}},
                  {{0x452821e638d01377, 0xbe5466cf34e90c6c, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd}},
                  {0xa7e8fde591651bd9, 0xbaafd0c30138319b, 0x84a5c1a729e685b9, 0x901d406ccebc1ba4}}};
    for (size_t i = 0; i < LENGTH(known); i++) {
        const threefry4x64_ctr_t result = threefry4x64_R(20, known[i].counter, known[i].key);
        assert_memory_equal(result.v, known[i].result, sizeof result.v);
    }
    rng r;
    rng_init(&r, 0, 0);
    for (int i = 0; i < 4; i++) assert_int_equal(rng_word(&r), known[0].result[i]);
}

/* Forward and back again: what was drawn before does not matter. */
static void test_words_are_the_cipher_of_the_place(void **state) {
    (void)state;
    static const uint64_t    iterations[] = {0, 1, UINT64_C(1) << 40, UINT64_MAX, 1, 0};
    const threefry4x64_key_t key = {{0x0123456789abcdef, UINT64_MAX, 0, 0}};
    rng                      r;
    rng_init(&r, 0x0123456789abcdef, UINT64_MAX);
    for (size_t t = 0; t < LENGTH(iterations); t++)
        for (uint64_t purpose = 0; purpose < 3; purpose++) {
            rng_at(&r, iterations[t], purpose);
            for (uint64_t i = 0; i < 21 + purpose; i++) {
                const threefry4x64_ctr_t counter = {{i / 4, iterations[t], purpose, 0}};
                assert_int_equal(rng_word(&r), threefry4x64_R(20, counter, key).v[i % 4]);
            }
        }
}

/* Two of 5184 equal words of 64 bits: probability 7e-13. */
static void test_streams_differ(void **state) {
    (void)state;
    static const uint64_t places[] = {0, 1, 2, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
    enum { PLACES = LENGTH(places), WORDS = 4 };
    static uint64_t words[PLACES * PLACES * PLACES * PLACES * WORDS];
    size_t          n = 0;
    for (size_t i = 0; n < LENGTH(words); i++) {
        uint64_t place[4];
        for (size_t k = 0, digits = i; k < 4; k++, digits /= PLACES) place[k] = places[digits % PLACES];
        rng r;
        rng_init(&r, place[0], place[1]);
        rng_at(&r, place[2], place[3]);
        for (int k = 0; k < WORDS; k++) words[n++] = rng_word(&r);
    }
    assert_true(all_distinct(n, words));
}

/* Save and load by bytes, with every number of words left (4 only right after a refill). */
static void test_copy_goes_on(void **state) {
    (void)state;
    for (int left = 0; left <= 4; left++) {
        rng           r, copy;
        unsigned char saved[sizeof r];
        rng_init(&r, 8, 2);
        rng_at(&r, 3, RNG_EXACT);
        rng_refill(&r);
        while (r.left > (uint64_t)left) (void)rng_word(&r);
        memcpy(saved, &r, sizeof r);
        memcpy(&copy, saved, sizeof r);
        for (int i = 0; i < 50; i++) assert_int_equal(rng_word(&r), rng_word(&copy));
        assert_memory_equal(&r, &copy, sizeof r);
    }
}

/* ---- Uniform numbers */

static double uniform_twin_none(double u, size_t i) { return (void)i, u; }
static double uniform_twin_squeezed(double u, size_t i) { return (void)i, 0.999 * u; }
static double uniform_twin_too_even(double u, size_t i) { /* multiples of the golden section */
    return (void)u, fmod((double)i * 0.6180339887498949, 1.0);
}
static double uniform_twin_coarse(double u, size_t i) { return (void)i, floor(u * 0x1p48) * 0x1p-48; }

/* Mean, variance, and the chi-square of 256 bins by the highest and by the lowest of the 52 bits. */
static bool uniform_is_right(double (*twin)(double, size_t)) {
    enum { N = 4000000 };
    uint64_t high[256] = {0}, low[256] = {0};
    double   sum = 0.0, square = 0.0;
    rng      r;
    rng_init(&r, 11, 0);
    for (size_t i = 0; i < N; i++) {
        const double u = twin(rng_uniform(&r), i);
        sum += u;
        square += (u - 0.5) * (u - 0.5);
        high[(size_t)(u * 256.0)]++;
        low[(uint64_t)(u * 0x1p52) % 256]++;
    }
    return within_6_sigma(sum, N, 1.0 / 2.0, 1.0 / 12.0) && within_6_sigma(square, N, 1.0 / 12.0, 1.0 / 180.0) &&
           plausible(equal_counts(256, high)) && plausible(equal_counts(256, low));
}

static void test_uniform_distribution(void **state) {
    (void)state;
    assert_true(uniform_is_right(uniform_twin_none));
    assert_false(uniform_is_right(uniform_twin_squeezed));
    assert_false(uniform_is_right(uniform_twin_too_even));
    assert_false(uniform_is_right(uniform_twin_coarse));
}

static void test_uniform_is_inside_the_open_interval(void **state) {
    (void)state;
    rng r = holding((const uint64_t[4]){0, UINT64_MAX, 0xfff, UINT64_C(1) << 63});
    assert_true(rng_uniform(&r) == 0x1p-53);
    assert_true(rng_uniform(&r) == 1.0 - 0x1p-53);
    assert_true(rng_uniform(&r) == 0x1p-53);
    assert_true(rng_uniform(&r) == 0.5 + 0x1p-53);
}

/* With bound 3 * 2^62, 2^64 / bound is 4/3: without refusals one residue modulo 3 would come twice as often. */
static void test_below(void **state) {
    (void)state;
    rng r;
    rng_init(&r, 12, 0);
    static const uint64_t bounds[] = {2, 3, 7, 10};
    for (size_t b = 0; b < LENGTH(bounds); b++) {
        uint64_t count[10] = {0};
        for (int i = 0; i < 200000; i++) count[rng_below(&r, bounds[b])]++;
        assert_true(plausible(equal_counts(bounds[b], count)));
    }
    const uint64_t bound = UINT64_C(3) << 62;
    uint64_t       residue[3] = {0}, third[3] = {0};
    for (int i = 0; i < 200000; i++) {
        const uint64_t value = rng_below(&r, bound);
        assert_true(value < bound);
        residue[value % 3]++;
        third[value >> 62]++;
    }
    assert_true(plausible(equal_counts(3, residue)) && plausible(equal_counts(3, third)));
    for (int i = 0; i < 100; i++) assert_int_equal(rng_below(&r, 1), 0);
    r = holding((const uint64_t[4]){UINT64_MAX, 0, 5, 5}); /* 0 * bound has the low half 0 < 2^64 mod bound */
    assert_int_equal(rng_below(&r, UINT64_MAX), UINT64_MAX - 1);
    assert_int_equal(rng_below(&r, UINT64_MAX), 4);
}

/* ---- Normal numbers */

static void test_ziggurat_table(void **state) {
    (void)state;
    const double *x = ziggurat_x, *f = ziggurat_f, r = x[1];
    const double  v = r * f[1] + sqrt(acos(-1.0) / 2.0) * erfc(r / sqrt(2.0));
    assert_relative(x[0] * f[1], v, 1e-14);
    for (size_t i = 0; i < ZIGGURAT_LAYERS; i++) {
        assert_relative(f[i], exp(-0.5 * x[i] * x[i]), 1e-14);
        assert_less(x[i + 1], x[i]);
        assert_less(f[i], f[i + 1]);
        if (i > 0) assert_close(x[i] * (f[i + 1] - f[i]), v, 1e-15);
    }
    assert_true(x[ZIGGURAT_LAYERS] == 0.0 && f[ZIGGURAT_LAYERS] == 1.0);
}

/* Every number has its exact mirror: the word whose 53 high bits are complemented. All layers, all paths. */
static void test_normal_is_symmetric_bit_by_bit(void **state) {
    (void)state;
    rng source;
    rng_init(&source, 13, 0);
    for (int i = 0; i < 200000; i++) {
        uint64_t word[4];
        for (int k = 0; k < 4; k++) word[k] = rng_word(&source);
        if (i % 2) word[0] -= word[0] % ZIGGURAT_LAYERS; /* half of them in the base layer, for the tail */
        rng          r = holding(word);
        const double x = rng_normal(&r);
        /* A refused word has a successor, which would have to be mirrored too. */
        const bool refused = word[0] % ZIGGURAT_LAYERS != 0 && (r.block > 0 || r.left < 2);
        if (refused) continue;
        word[0] ^= UINT64_MAX << 11;
        rng mirror = holding(word);
        assert_true(rng_normal(&mirror) == -x);
        assert_int_equal(rng_word(&mirror), rng_word(&r));
    }
}

/* Goes to a stream of its own whose first word lies in the given layer, |x| uniform on x_(layer+1) .. x_layer,
 * where the fast test fails. */
static void start_slow(rng *r, uint64_t iteration, size_t layer) {
    rng_at(r, iteration, layer);
    const double ratio = ziggurat_x[layer + 1] / ziggurat_x[layer];
    const double place = ratio + (1.0 - ratio) * rng_uniform(r);
    rng_refill(r);
    r->word[0] = ((UINT64_C(1) << 52) + (uint64_t)(place * 0x1p52)) << 11 | layer;
}

/* In layer i such a word is kept with probability (mean of f there - f_i) / (f_(i+1) - f_i), using two words. */
static void test_normal_in_the_wedges(void **state) {
    (void)state;
    enum { N = 4000 };
    double statistic = 0.0;
    rng    r;
    rng_init(&r, 19, 0);
    for (size_t i = 1; i < ZIGGURAT_LAYERS; i++) {
        const double right = ziggurat_x[i], left = ziggurat_x[i + 1], f = ziggurat_f[i];
        const double area = sqrt(2.0 * acos(-1.0)) * (normal_tail(left) - normal_tail(right));
        const double p = (area / (right - left) - f) / (ziggurat_f[i + 1] - f);
        double       kept = 0.0;
        for (uint64_t k = 0; k < N; k++) {
            start_slow(&r, k, i);
            (void)rng_normal(&r);
            kept += r.block == 2 && r.left == 2;
        }
        statistic += (kept - N * p) * (kept - N * p) / (N * p * (1.0 - p));
    }
    assert_true(plausible(chi_square_tail(statistic, ZIGGURAT_LAYERS - 1.0)));
}

/* Beyond r the ratio of the tails, P(X > x) / P(X > r), is uniform. */
static void test_normal_in_the_tail(void **state) {
    (void)state;
    uint64_t bin[256] = {0};
    rng      r;
    rng_init(&r, 20, 0);
    for (uint64_t i = 0; i < 500000; i++) {
        start_slow(&r, i, 0);
        bin[(size_t)fmin(255.0, 256.0 * normal_tail(rng_normal(&r)) / normal_tail(ziggurat_x[1]))]++;
    }
    assert_true(plausible(equal_counts(256, bin)));
}

static void test_normals_are_single_calls(void **state) {
    (void)state;
    enum { MOST = 100000 };
    static double bulk[MOST];
    for (size_t n = 0; n <= MOST; n = n < 40 ? n + 1 : n * 50)
        for (int before = 0; before < 5; before++) {
            rng r, single;
            rng_init(&r, n, 14);
            for (int i = 0; i < before; i++) (void)rng_word(&r);
            single = r;
            rng_normals(&r, n, bulk);
            for (size_t i = 0; i < n; i++) assert_true(rng_normal(&single) == bulk[i]);
            for (int i = 0; i < 10; i++) assert_int_equal(rng_word(&r), rng_word(&single));
        }
}

/* What the normal checker found wrong. */
enum { MEAN = 1, VARIANCE = 2, THIRD = 4, FOURTH = 8, LAG = 16, BALANCE = 32, SHAPE = 64, TAILS = 128 };

/* What a twin makes of x[0]; may look at x[-1]. */
typedef double spoiler(const double *x);

enum { CHUNK = 5000, BINS = 1024, THRESHOLDS = 5 };

typedef struct {
    double   power[4], lag;
    uint64_t positive, bin[BINS], above[THRESHOLDS], below[THRESHOLDS];
} normal_sums;

static const double thresholds[THRESHOLDS] = {3.0, 3.654152885361009 /* r */, 4.0, 4.5, 5.0};

static void add_chunk(normal_sums *s, const double *x) {
    for (size_t i = 0; i < CHUNK; i++) {
        const double square = x[i] * x[i];
        s->power[0] += x[i];
        s->power[1] += square;
        s->power[2] += square * x[i];
        s->power[3] += square * square;
        if (i > 0) s->lag += x[i] * x[i - 1];
        s->positive += x[i] > 0.0;
        s->bin[(size_t)fmin(BINS - 1.0, BINS * normal_tail(x[i]))]++;
        for (size_t t = 0; t < THRESHOLDS && square > 9.0; t++) {
            s->above[t] += x[i] > thresholds[t];
            s->below[t] += x[i] < -thresholds[t];
        }
    }
}

/* Draws n normals, spoils them if asked to, and says what is wrong with them. E x^2k = (2k-1)!!. */
static int faults_of_normals(size_t n, spoiler *spoil) {
    normal_sums s = {0};
    double      x[CHUNK];
    rng         r;
    rng_init(&r, 15, 0);
    for (size_t i = 0; i < n; i += CHUNK) {
        rng_normals(&r, CHUNK, x);
        for (size_t k = CHUNK; spoil && --k > 0;) x[k] = spoil(&x[k]);
        add_chunk(&s, x);
    }
    int faults = 0;
    if (!within_6_sigma(s.power[0], n, 0.0, 1.0)) faults |= MEAN;
    if (!within_6_sigma(s.power[1], n, 1.0, 2.0)) faults |= VARIANCE;
    if (!within_6_sigma(s.power[2], n, 0.0, 15.0)) faults |= THIRD;
    if (!within_6_sigma(s.power[3], n, 3.0, 105.0 - 9.0)) faults |= FOURTH;
    if (!within_6_sigma(s.lag, n, 0.0, 1.0)) faults |= LAG;
    if (!within_6_sigma((double)s.positive, n, 0.5, 0.25)) faults |= BALANCE;
    if (!plausible(equal_counts(BINS, s.bin))) faults |= SHAPE;
    for (size_t t = 0; t < THRESHOLDS; t++) {
        const double expected = (double)n * normal_tail(thresholds[t]);
        if (!plausible_count(s.above[t], expected) || !plausible_count(s.below[t], expected)) faults |= TAILS;
    }
    return faults;
}

static void test_normal_distribution(void **state) {
    (void)state;
    assert_int_equal(faults_of_normals(20000000, NULL), 0);
}

static double shift(const double *x) { return x[0] + 0.005; }
static double scale(const double *x) { return x[0] * 1.005; }
static double cut_tail(const double *x) { return fmod(x[0], ziggurat_x[1]); }
static double fold_tail(const double *x) { return x[0] < -ziggurat_x[1] ? -x[0] : x[0]; }
static double fold_some(const double *x) { return x[-1] > 2.3 ? fabs(x[0]) : x[0]; }
static double correlate(const double *x) { return 0.9999875 * x[0] + 0.005 * x[-1]; }
static double coarsen(const double *x) { return copysign(floor(fabs(x[0]) * 512.0) + 0.5, x[0]) / 512.0; }

/* Each is nearly normal, and the checker has to see what is not. */
static void test_normal_twins_are_refused(void **state) {
    (void)state;
    static const struct {
        spoiler *spoil;
        int      faults;
    } twins[] = {{shift, MEAN},      {scale, VARIANCE | FOURTH},   {cut_tail, TAILS},
                 {fold_tail, TAILS}, {fold_some, BALANCE | THIRD}, {correlate, LAG},
                 {coarsen, SHAPE}};
    for (size_t i = 0; i < LENGTH(twins); i++)
        assert_int_equal(faults_of_normals(3000000, twins[i].spoil) & twins[i].faults, twins[i].faults);
}

/* ---- Subsets */

typedef void chooser(rng *r, uint64_t total, size_t n, uint64_t *out);

/* p-value of all subsets of n among `total` being equally likely, over 2000 draws for each subset. */
static double subsets_equally_likely(uint64_t total, size_t n, chooser *choose) {
    uint64_t of_mask[1 << 8] = {0}, count[1 << 8], out[8];
    size_t   subsets = 1, seen = 0;
    for (size_t i = 0; i < n; i++) subsets = subsets * (total - i) / (i + 1);
    rng r;
    rng_init(&r, 16, n);
    for (size_t i = 0; i < 2000 * subsets; i++) {
        size_t mask = 0;
        choose(&r, total, n, out);
        for (size_t k = 0; k < n; k++) mask |= (size_t)1 << out[k];
        of_mask[mask]++;
    }
    for (size_t mask = 0; mask < LENGTH(of_mask); mask++)
        if (of_mask[mask] > 0) count[seen++] = of_mask[mask];
    assert_int_equal(seen, subsets);
    return equal_counts(subsets, count);
}

/* A twin: the next free number where a number is taken already. Favours neighbours. */
static void choose_next_free(rng *r, uint64_t total, size_t n, uint64_t *out) {
    for (size_t i = 0; i < n; i++) {
        out[i] = rng_below(r, total);
        for (size_t k = 0; k < i; k++)
            if (out[k] == out[i]) {
                out[i] = (out[i] + 1) % total;
                k = (size_t)-1;
            }
    }
}

static void test_subsets_are_equally_likely(void **state) {
    (void)state;
    static const struct {
        uint64_t total;
        size_t   n;
    } cases[] = {{7, 1}, {6, 2}, {8, 2}, {7, 3}, {8, 4}, {8, 6}, {6, 5}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_true(plausible(subsets_equally_likely(cases[i].total, cases[i].n, rng_subset)));
    assert_false(plausible(subsets_equally_likely(6, 2, choose_next_free)));
}

static void test_subset_is_distinct_and_in_range(void **state) {
    (void)state;
    const uint64_t half = UINT64_C(1) << 63;
    const uint64_t totals[] = {400, 401, 1000, half >> 10, half - 1, half, UINT64_MAX};
    enum { N = 400, DRAWS = 50 };
    rng r;
    rng_init(&r, 17, 0);
    for (size_t t = 0; t < LENGTH(totals); t++) {
        uint64_t upper_half = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            uint64_t out[N];
            rng_subset(&r, totals[t], N, out);
            assert_true(all_distinct(N, out));
            assert_true(out[N - 1] < totals[t]);
            for (size_t i = 0; i < N; i++) upper_half += out[i] >= totals[t] / 2;
        }
        assert_true(within_6_sigma((double)upper_half, (size_t)N * DRAWS, 0.5, 0.25));
    }
}

static void test_subset_of_all_and_of_none(void **state) {
    (void)state;
    rng r;
    rng_init(&r, 18, 0);
    uint64_t  out[500];
    const rng before = r;
    for (size_t n = 1; n <= LENGTH(out); n++) {
        rng_subset(&r, n, n, out);
        for (size_t i = 0; i < n; i++) assert_int_equal(out[i], i);
    }
    rng_subset(&r, 10, 0, out);
    rng_subset(&r, 0, 0, out);
    assert_memory_equal(&r, &before, sizeof r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threefry_known_answers),
        cmocka_unit_test(test_words_are_the_cipher_of_the_place),
        cmocka_unit_test(test_streams_differ),
        cmocka_unit_test(test_copy_goes_on),
        cmocka_unit_test(test_uniform_distribution),
        cmocka_unit_test(test_uniform_is_inside_the_open_interval),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_ziggurat_table),
        cmocka_unit_test(test_normal_is_symmetric_bit_by_bit),
        cmocka_unit_test(test_normal_in_the_wedges),
        cmocka_unit_test(test_normal_in_the_tail),
        cmocka_unit_test(test_normals_are_single_calls),
        cmocka_unit_test(test_normal_distribution),
        cmocka_unit_test(test_normal_twins_are_refused),
        cmocka_unit_test(test_subsets_are_equally_likely),
        cmocka_unit_test(test_subset_is_distinct_and_in_range),
        cmocka_unit_test(test_subset_of_all_and_of_none),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
