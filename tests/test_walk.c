/* test_walk.c - the kernel walk, run as kam: z, nu, gamma, each proposal and each decision, repeated from what the
 * documentation says with the random numbers of the chain; and what it saves itself to compute. */
#include "support.h"

#include "driven.h"
#include "sampler/kam.h"
#include "textbook.h"

enum { DIM = 2, STEPS_MOST = 2000 };

static int curved(void *context, const double *x, double *value) {
    (void)context;
    double b = x[1] - 0.3 * x[0] * x[0];
    *value = -0.5 * (x[0] * x[0] + 4.0 * b * b);
    return CKAM_OK;
}

static const double      start[DIM] = {0.5, -0.3};
static const ckam_target curved_target = {.dim = DIM, .log_density = curved};

/* -- z ----------------------------------------------------------------------------------------------------------- */

/* Which states z was drawn from is scratch room of the draw: a mark there tells whether there was one. */
static uint64_t *drawn(kernel_walk *w) { return (uint64_t *)(void *)block_at(w, w->proposal.index); }
static void      mark(kernel_walk *w) { drawn(w)[0] = UINT64_MAX; }
static bool      redrawn(kernel_walk *w) { return drawn(w)[0] != UINT64_MAX; }

/* z is `n` of the `count` states visited, each at most once. Returns how many are of the older half. */
static size_t check_subset(kernel_walk *w, size_t n, size_t count, double (*visited)[DIM]) {
    const double   *z = block_at(w, w->proposal.z), *centre = block_at(w, w->proposal.centre);
    const uint64_t *index = drawn(w);
    size_t          older = 0;
    assert_int_equal(w->proposal.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(index[i] < count);
        for (size_t j = 0; j < i; j++) assert_true(index[i] != index[j]);
        for (size_t k = 0; k < DIM; k++)
            assert_close(z[k * w->proposal.stride + i] + centre[k], visited[index[i]][k], 1e-14);
        older += index[i] < count / 2;
    }
    return older;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double apart(const kernel_walk *w, size_t i, size_t j) {
    const double *z = block_at_const(w, w->proposal.z), *next = z + w->proposal.stride;
    return hypot(z[i] - z[j], next[i] - next[j]);
}

/* The middle one of the sorted distances of the pairs (z_i, z_(i + n/2)) that are not 0; without any, the largest from
 * z_0. *lone counts how often it came to that. */
static double median_distance(const kernel_walk *w, int *lone) {
    double distance[STEPS_MOST], largest = 0.0;
    size_t n = w->proposal.n, half = n / 2, count = 0;
    for (size_t i = 0; i < half; i++)
        if (apart(w, i, i + half) > 0.0) distance[count++] = apart(w, i, i + half);
    qsort(distance, count, sizeof *distance, by_value);
    if (count) return distance[count / 2];
    for (size_t i = 0; i < n; i++) largest = fmax(largest, apart(w, 0, i));
    *lone += largest > 0.0;
    return largest;
}

/* min(most, t + 1) states, uniformly: of the older half as many as there should be, within 5 standard deviations of the
 * hypergeometric distribution, which is a false alarm in 1.7 million. */
static void check_subsample(const char *spec, size_t most) {
    enum { STEPS = 300 };
    static double visited[STEPS + 1][DIM];
    driven        d = driven_begin(&curved_target, spec, start, 5, STEPS);
    kernel_walk  *w = d.state;
    double        older = 0.0, expected = 0.0, variance = 0.0;
    memcpy(visited[0], start, sizeof visited[0]);
    for (size_t t = 0; t < STEPS; t++) {
        size_t before = w->proposal.n, count = t + 1, n = count < most ? count : most;
        double size = (double)count, part = (double)(count / 2) / size;
        mark(w);
        iteration i = driven_ask(&d);
        if (redrawn(w)) {
            older += (double)check_subset(w, n, count, visited);
            expected += (double)n * part;
            if (count > n) variance += (double)n * part * (1.0 - part) * (size - (double)n) / (size - 1.0);
        } else {
            assert_int_equal(w->proposal.n, before);
        }
        driven_tell(&d, &i);
        memcpy(visited[t + 1], i.step.x, sizeof visited[0]);
    }
    assert_true(fabs(older - expected) <= 5.0 * sqrt(variance) + 1e-9); /* no variance where all are taken */
    driven_end(&d);
}

static void z_is_a_subset_of_the_past(void **unused) {
    (void)unused;
    check_subsample("kam:subsample=1,refresh-half-life=1000", 1);
    check_subsample("kam:subsample=5,refresh-half-life=1000", 5);
    check_subsample("kam:subsample=20,refresh-half-life=1", 20);
    check_subsample("kam:refresh-half-life=1", 50);
    check_subsample("kam:subsample=5000,refresh-half-life=1000,kernel=gaussian", 5000);
}

/* For each n from 1 to 20, chains that hardly move among them. */
static void the_distance_is_the_median_of_the_pairs(void **unused) {
    (void)unused;
    static const char *const specs[] = {
        "kam:subsample=5,refresh-half-life=1000", "kam:subsample=6,refresh-half-life=1000",
        "kam:subsample=20,refresh-half-life=1000", "kam:subsample=20,refresh-half-life=1000,step-size=20,noise=5"};
    int lone = 0;
    for (size_t c = 0; c < sizeof specs / sizeof *specs; c++) {
        driven             d = driven_begin(&curved_target, specs[c], start, 6, 300);
        const kernel_walk *w = d.state;
        for (int t = 0; t < 300; t++) {
            iteration i = driven_ask(&d);
            double    distance = median_distance(w, &lone);
            assert_relative(w->proposal.distance, distance, 1e-14);
            assert_true(w->proposal.kernel.scale == (distance > 0.0 ? w->proposal.distance : 1.0));
            driven_tell(&d, &i);
        }
        driven_end(&d);
    }
    assert_true(lone > 0);
}

/* Redraws at t, over many walks, against the sum of p_t = 2^(-t/h): 5 standard deviations for each of the bins, which
 * is a false alarm in 1.7 million of them. Walks are chains of kam, and cycles of ckam, in which t starts afresh. */
static void check_redraws(const char *spec, int chains, int cycles, int explore, int length, double half_life) {
    enum { BINS = 8 };
    double counted[BINS] = {0.0}, expected[BINS] = {0.0}, variance[BINS] = {0.0};
    for (int c = 0; c < chains; c++) {
        driven       d = driven_begin(&curved_target, spec, start, 100 + (uint64_t)c, (uint64_t)(cycles * length));
        kernel_walk *w = d.state;
        for (int t = 0; t < cycles * length; t++) {
            int    now = t % length, bin = now * BINS / explore;
            double p = exp(-log(2.0) * now / half_life);
            mark(w);
            driven_step(&d);
            if (now >= explore) continue;
            counted[bin] += redrawn(w);
            expected[bin] += p;
            variance[bin] += p * (1.0 - p);
        }
        driven_end(&d);
    }
    for (int bin = 0; bin < BINS; bin++) assert_less(fabs(counted[bin] - expected[bin]), 5.0 * sqrt(variance[bin]));
}

static void z_is_redrawn_ever_more_seldom(void **unused) {
    (void)unused;
    check_redraws("kam:subsample=5,kernel=gaussian", 100, 1, 400, 400, 80.0);
    check_redraws("kam:subsample=5,kernel=gaussian,refresh-half-life=0.5", 100, 1, 400, 400, 200.0);
    check_redraws("ckam:subsample=5,kernel=gaussian,cycle-length=100,explore=0.8", 1, 400, 80, 100, 20.0);
}

/* -- Each step ---------------------------------------------------------------------------------------------------- */

/* What a spec says. 0: auto. */
typedef struct plan {
    const char *spec;
    bool        linear;
    double      step_size, kernel_scale, noise, noise_end, noise_decay; /* noise: all three or none */
    double      eps, target_accept;
    size_t      most;
    int         steps, horizon;
} plan;

/* gamma_t = a (b+t)^-decay: rho = (end/start)^(1/decay), b = horizon rho / (1-rho), a = start b^decay. */
static double written_noise(const plan *p, int t) {
    double rho = pow(p->noise_end / p->noise, 1.0 / p->noise_decay), b = p->horizon * rho / (1.0 - rho);
    return p->noise * pow(b, p->noise_decay) * pow(b + t, -p->noise_decay);
}

/* part * (nu / initial nu) * (2.38 / sqrt(dim)) * spread, the spread a median distance's share of a coordinate, but not
 * below `length` until ten times as many states are seen as z has. */
static double automatic_noise(const plan *p, int t, size_t n, double distance, double growth, double length) {
    double spread = distance / sqrt(2.0 * DIM), part = n > 1 ? fmax(0.1, 1.0 / sqrt((double)n)) : 1.0;
    if (t + 1 < 10 * (int)p->most || distance == 0.0) spread = fmax(spread, length);
    return part * growth * 2.38 / sqrt(DIM) * spread;
}

/* nu and gamma of iteration t, from the scale that was adapted, `growth` times the initial one. */
static void assert_sizes(const kernel_walk *w, const plan *p, int t, double growth, double length) {
    int    lone = 0;
    size_t n = w->proposal.n;
    double distance = median_distance(w, &lone), l = distance > 0.0 ? distance : 1.0;
    if (p->kernel_scale > 0.0) l = p->kernel_scale;
    double unit = (p->linear ? 1.0 : l * l) / sqrt((double)n);
    double nu = p->step_size > 0.0 ? p->step_size : 0.5 * 2.38 / sqrt(DIM) * unit;
    assert_relative(w->nu, growth * nu, 1e-12);
    assert_relative(w->gamma, p->noise > 0.0 ? written_noise(p, t) : automatic_noise(p, t, n, distance, growth, length),
                    1e-12);
}

/* sqrt(2) lengths from the start, in the direction that was tried, the log density has fallen by 1. */
static void assert_length(const driven *d, double length) {
    const double *direction = block_at_const(d->chain->state, d->chain->state->direction);
    double        far[DIM], here, there;
    for (size_t k = 0; k < DIM; k++) far[k] = start[k] + sqrt(2.0) * length * direction[k];
    curved(NULL, start, &here);
    curved(NULL, far, &there);
    assert_close(here - there, 1.0, 1e-9);
}

/* Sizes, proposal, decision and adaptation: log nu += eta (alpha - alpha*), eta = (1+t)^-eps, t from 0. */
static void check_steps(const plan *p) {
    driven       d = driven_begin(&curved_target, p->spec, start, 12, (uint64_t)p->horizon);
    kernel_walk *w = d.state;
    double       growth = 1.0, length = w->length;
    int          between = 0;
    if (p->noise == 0.0) assert_length(&d, length);
    for (int t = 0; t < p->steps; t++) {
        double    normals[DIM], y[DIM];
        iteration i = driven_ask(&d);
        assert_sizes(w, p, t, growth, length);
        dense at_x = textbook_kernel(&w->proposal, w, i.x, w->gamma, w->nu);
        dense at_y = textbook_kernel(&w->proposal, w, i.y, w->gamma, w->nu);
        rng_normals(&i.numbers, DIM, normals);
        textbook_draw(&at_x, 1.0, normals, i.x, y);
        for (size_t k = 0; k < DIM; k++) assert_close(i.y[k], y[k], 1e-10);
        if (w->proposal.n == 1) rng_normal(&i.numbers); /* fewer states than dimensions: those of G, too */
        driven_tell(&d, &i);
        check_decision(&i, DIM, textbook_log_density(&at_y, i.y, i.x) - textbook_log_density(&at_x, i.x, i.y),
                       i.numbers);
        assert_relative(i.step.step_size, w->nu, 1e-15);
        growth *= exp(pow(1.0 + t, -p->eps) * (i.step.accept - p->target_accept));
        between += i.step.accept > 0.1 && i.step.accept < 0.9;
    }
    assert_true(between > p->steps / 20);
    driven_end(&d);
}

static void each_step_is_as_written(void **unused) {
    (void)unused;
    static const plan plans[] = {
        {"kam:step-size=3,kernel-scale=2,noise=2,noise-end=0.5,subsample=20,adapt-decay=0.6,target-accept=0.3", false,
         3.0, 2.0, 2.0, 0.5, 0.55, 0.6, 0.3, 20, 500, 300},
        {"kam:step-size=1,noise=4,noise-end=0.01,noise-decay=2,kernel=gaussian,subsample=10", false, 1.0, 0.0, 4.0,
         0.01, 2.0, 0.75, 0.234, 10, 500, 500},
        {"kam:subsample=20", false, 0.0, 0.0, 0.0, 0.0, 0.0, 0.75, 0.234, 20, 1000, 1000},
        {"kam:subsample=150,kernel=gaussian,kernel-scale=2", false, 0.0, 2.0, 0.0, 0.0, 0.0, 0.75, 0.234, 150,
         STEPS_MOST, 10000},
        {"kam:kernel=linear,target-accept=0.5", true, 0.0, 0.0, 0.0, 0.0, 0.0, 0.75, 0.5, 50, 600, 10000}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) check_steps(&plans[i]);
}

/* -- What is not computed again ----------------------------------------------------------------------------------- */

/* z is drawn at t = 0 alone, nu and gamma stay: only a new point needs a factor. */
#define FIXED "kam:step-size=1,kernel-scale=2,noise=1,adapt-gain=0,subsample=20,refresh-half-life=1e-6"

static uint64_t factored(const kernel_walk *w) { return w->proposals[0].factored + w->proposals[1].factored; }

/* Tells `log_density` of a proposal, which needs `factors` of them; that of the proposal at x is there before. */
static void check_factors(driven *d, double log_density, bool accepted, uint64_t factors) {
    const kernel_walk *w = d->state;
    uint64_t           before = factored(w);
    iteration          i = driven_ask(d);
    assert_int_equal(factored(w), before);
    i.log_y = log_density;
    driven_tell(d, &i);
    assert_int_equal(i.step.accepted, accepted);
    assert_int_equal(factored(w), before + factors);
}

/* The same where nu adapts and gamma follows it: C at x changes by a factor. */
#define FOLLOWING "kam:subsample=20,refresh-half-life=1e-6"

static void check_kept_factors(const char *spec) {
    driven d = driven_begin(&curved_target, spec, start, 12, 1000);
    driven_step(&d);
    for (int t = 0; t < 20; t++) {
        check_factors(&d, -HUGE_VAL, false, 0); /* rejected unseen */
        check_factors(&d, -1e6, false, 1);      /* the proposal at y */
        check_factors(&d, 1e6 * t, true, 1);    /* the proposal at y becomes the one at x */
    }
    driven_end(&d);
}

static void factors_are_kept_while_nothing_changes(void **unused) {
    (void)unused;
    check_kept_factors(FIXED);
    check_kept_factors(FOLLOWING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(z_is_a_subset_of_the_past), cmocka_unit_test(the_distance_is_the_median_of_the_pairs),
        cmocka_unit_test(z_is_redrawn_ever_more_seldom), cmocka_unit_test(each_step_is_as_written),
        cmocka_unit_test(factors_are_kept_while_nothing_changes)};
    return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
