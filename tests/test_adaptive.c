/* test_adaptive.c - am, rbam and gam beside a dense mu, Sigma and nu in long double, which follow the formulas of the
 * specification from what the chain proposed and accepted; and the floor below which Sigma does not fall. */
#include "support.h"

#include "driven.h"
#include "sampler/adaptive.h"
#include "textbook.h"

#include <stdio.h>

enum { DIM = 3, STEPS = 300 };

/* A curved density, or a round Gaussian of this deviation; nothing while it is closed. */
typedef struct density {
    double deviation;
    bool   closed;
} density;

static int curved(void *context, const double *x, double *value) {
    (void)context;
    double b = x[1] - 0.3 * x[0] * x[0], c = x[2] - 0.7 * x[1];
    *value = -0.5 * (x[0] * x[0] + 4.0 * b * b + 2.0 * c * c);
    return CKAM_OK;
}

static int isotropic(void *context, const double *x, double *value) {
    const density *d = context;
    double         sum = 0.0;
    for (size_t k = 0; k < DIM; k++) sum += x[k] * x[k];
    *value = d->closed ? -HUGE_VAL : -0.5 * sum / (d->deviation * d->deviation);
    return CKAM_OK;
}

static const double start[DIM] = {0.5, -0.3, 0.1};

/* -- What is learned --------------------------------------------------------------------------------------------- */

typedef struct gains {
    const char *options;
    double      decay, constant; /* 0: not set */
    double      target_accept;
} gains;

typedef struct reference {
    dense       sigma;
    long double mu[DIM], nu;
} reference;

/* t from 1. */
static long double gain_of_moments(const gains *g, int t) {
    if (g->constant > 0.0) return (long double)g->constant;
    return g->decay > 0.0 ? powl(1.0L + t, -(long double)g->decay) : 2.0L / (t + 2.0L + 10.0L * DIM);
}

/* t from 0. */
static long double gain_of_nu(const gains *g, int t) {
    if (g->constant > 0.0) return (long double)g->constant;
    return powl(1.0L + t, g->decay > 0.0 ? -(long double)g->decay : -0.75L);
}

/* mu += eta sum_i w_i (p_i - mu); Sigma += eta [sum_i w_i (p_i - mu)(p_i - mu)^T - Sigma], both with the old mu;
 * w_1 = weight, w_0 = 1 - weight. */
static void learn(reference *r, long double eta, long double weight, const double *p0, const double *p1) {
    long double old[DIM];
    memcpy(old, r->mu, sizeof old);
    for (size_t k = 0; k < DIM; k++) {
        long double a = (long double)p0[k] - old[k], b = (long double)p1[k] - old[k];
        r->mu[k] += eta * (weight * b + (1.0L - weight) * a);
        for (size_t l = 0; l < DIM; l++) {
            long double c = (long double)p0[l] - old[l], d = (long double)p1[l] - old[l];
            r->sigma.c[k * DIM + l] += eta * (weight * b * d + (1.0L - weight) * a * c - r->sigma.c[k * DIM + l]);
        }
    }
}

/* Sigma = L L^T, mu and nu of the sampler are those of the reference. */
static void assert_learned(const adaptive_state *s, const reference *r) {
    const double *l = block_at_const(s, s->factor), *mean = block_at_const(s, s->mean);
    assert_relative(s->nu, (double)r->nu, 1e-12);
    for (size_t i = 0; i < DIM; i++) {
        assert_close(mean[i], (double)r->mu[i], 1e-12);
        for (size_t j = 0; j <= i; j++) {
            long double sum = 0;
            for (size_t k = 0; k <= j; k++) sum += product(l[k * DIM + i], l[k * DIM + j]);
            assert_close((double)sum, (double)r->sigma.c[i * DIM + j], 1e-10);
        }
    }
}

/* Sigma as it is at the start: deviation^2 I. */
static reference reference_at(const double *x, double deviation, double nu) {
    reference r = {.sigma.d = DIM, .nu = (long double)nu};
    for (size_t k = 0; k < DIM; k++) {
        r.mu[k] = (long double)x[k];
        r.sigma.c[k * DIM + k] = product(deviation, deviation);
    }
    return r;
}

/* Every step: y = x + nu L n with the normals of its stream, the decision, and what is learned from it. */
static void check_learning(const char *name, const char *step_size, const gains *g) {
    char        spec[200];
    ckam_target target = {.dim = DIM, .log_density = curved};
    snprintf(spec, sizeof spec, "%s:step-size=%s,warmup=0,%s", name, step_size, g->options);
    driven          d = driven_begin(&target, spec, start, 17, 0);
    adaptive_state *s = d.state;
    bool            is_auto = strcmp(step_size, "auto") == 0;
    double          deviation = is_auto ? block_at(s, s->factor)[0] : 1.0; /* auto: see below */
    reference       r = reference_at(start, deviation, is_auto ? 2.38 / sqrt(DIM) : atof(step_size));
    int             between = 0;
    for (int t = 0; t < STEPS; t++) {
        iteration i = driven_ask(&d);
        double    normals[DIM], y[DIM];
        rng_normals(&i.numbers, DIM, normals);
        textbook_draw(&r.sigma, (double)r.nu, normals, i.x, y);
        for (size_t k = 0; k < DIM; k++) assert_close(i.y[k], y[k], 1e-10);
        driven_tell(&d, &i);
        check_decision(&i, DIM, 0.0, i.numbers);
        assert_relative(i.step.step_size, (double)r.nu, 1e-12);
        long double alpha = (long double)i.step.accept, eta = gain_of_moments(g, t + 1);
        between += i.step.accept > 0.1 && i.step.accept < 0.9;
        if (strcmp(name, "rbam") == 0)
            learn(&r, eta, alpha, i.x, i.y);
        else
            learn(&r, eta, 1.0L, i.x, i.step.x);
        if (strcmp(name, "gam") == 0) /* log nu^2 += eta (alpha - alpha*) */
            r.nu = sqrtl(expl(2.0L * logl(r.nu) + gain_of_nu(g, t) * (alpha - (long double)g->target_accept)));
        assert_learned(s, &r);
    }
    assert_true(between > STEPS / 20); /* alphas that tell the formulas apart */
    assert_int_equal(s->now.counts.floored, 0);
    driven_end(&d);
}

static void learning_follows_the_formulas(void **unused) {
    (void)unused;
    static const gains cases[] = {{"adapt-decay=0.75", 0.75, 0.0, 0.234},
                                  {"adapt-decay=1", 1.0, 0.0, 0.234},
                                  {"adapt-gain=0.05", 0.0, 0.05, 0.234},
                                  {"adapt-gain=auto,adapt-decay=auto", 0.0, 0.0, 0.234}};
    static const gains lower = {"target-accept=0.4", 0.0, 0.0, 0.4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_learning("am", "0.8", &cases[i]);
        check_learning("am", "auto", &cases[i]);
        check_learning("rbam", "0.8", &cases[i]);
        check_learning("rbam", "auto", &cases[i]);
        check_learning("gam", "0.8", &cases[i]);
        check_learning("gam", "auto", &cases[i]);
    }
    check_learning("gam", "auto", &lower);
}

/* -- Where it begins --------------------------------------------------------------------------------------------- */

static const char *const samplers[] = {"am", "rbam", "gam"};
enum { SAMPLERS = sizeof samplers / sizeof *samplers };

static void assert_begins(const char *name, const char *step_size, double deviation, double nu) {
    char            spec[80];
    density         round = {.deviation = 0.37};
    ckam_target     target = {.dim = DIM, .log_density = isotropic, .context = &round};
    double          origin[DIM] = {0.0};
    const reference r = reference_at(origin, deviation, nu);
    snprintf(spec, sizeof spec, "%s:step-size=%s", name, step_size);
    driven d = driven_begin(&target, spec, origin, 3, 0);
    assert_learned(d.state, &r);
    driven_end(&d);
}

/* At the mode of a round Gaussian the length that is found is its deviation. */
static void sigma_starts_at_the_identity_or_at_the_length(void **unused) {
    (void)unused;
    for (size_t i = 0; i < SAMPLERS; i++) {
        assert_begins(samplers[i], "1.7", 1.0, 1.7);
        assert_begins(samplers[i], "auto", 0.37, 2.38 / sqrt(3.0));
    }
}

/* rw has nothing to learn: y = x + nu n, nu as given or 2.38 / sqrt(d) lengths. */
static void rw_steps_have_one_size(void **unused) {
    (void)unused;
    static const char *const specs[] = {"rw:step-size=0.6,warmup=0", "rw:warmup=0"};
    const double             sizes[] = {0.6, 2.38 / sqrt(3.0) * 0.37};
    for (size_t c = 0; c < 2; c++) {
        density     round = {.deviation = 0.37};
        ckam_target target = {.dim = DIM, .log_density = isotropic, .context = &round};
        driven      d = driven_begin(&target, specs[c], (double[DIM]){0.0}, 3, 0);
        for (int t = 0; t < STEPS; t++) {
            iteration i = driven_step(&d);
            double    normals[DIM];
            rng_normals(&i.numbers, DIM, normals);
            for (size_t k = 0; k < DIM; k++) assert_close(i.y[k], i.x[k] + sizes[c] * normals[k], 1e-9);
            assert_relative(i.step.step_size, sizes[c], 1e-9);
            check_decision(&i, DIM, 0.0, i.numbers);
        }
        driven_end(&d);
    }
}

/* -- The floor --------------------------------------------------------------------------------------------------- */

/* While all is rejected at a gain of 1/2, Sigma halves: the diagonal of its factor is 2^(-t/2) of the initial one,
 * which is below 1e-10 from t = 67 on. */
static void check_floor(const char *name, const char *step_size, double initial) {
    char        spec[80];
    density     round = {.deviation = 1000.0};
    ckam_target target = {.dim = DIM, .log_density = isotropic, .context = &round};
    double      origin[DIM] = {0.0};
    snprintf(spec, sizeof spec, "%s:step-size=%s,adapt-gain=0.5", name, step_size);
    driven          d = driven_begin(&target, spec, origin, 8, 0);
    adaptive_state *s = d.state;
    const double   *factor = block_at(s, s->factor);
    round.closed = true;
    for (int t = 1; t <= 200; t++) {
        assert_int_equal(driven_step(&d).step.accepted, false);
        for (size_t k = 0; k < DIM; k++)
            assert_relative(factor[k * DIM + k], initial * fmax(exp2(-0.5 * t), 1e-10), 1e-9);
        assert_int_equal(s->now.counts.floored, t < 67 ? 0 : DIM * (t - 66));
    }
    round.closed = false; /* it goes on from there */
    uint64_t accepted = 0;
    for (int t = 0; t < 2000; t++) {
        iteration i = driven_step(&d);
        accepted += i.step.accepted;
        for (size_t k = 0; k < DIM; k++) {
            assert_true(isfinite(i.step.x[k]));
            assert_true(factor[k * DIM + k] >= 0.999999 * 1e-10 * initial);
        }
    }
    assert_true(accepted > 100);
    driven_end(&d);
}

static void rejections_stop_at_the_floor(void **unused) {
    (void)unused;
    for (size_t i = 0; i < SAMPLERS; i++) {
        check_floor(samplers[i], "1", 1.0);
        check_floor(samplers[i], "auto", 1000.0);
    }
}

/* Not where some are rejected, nor where none is: so wide a density is flat. */
static void the_floor_is_far_below_what_is_learned(void **unused) {
    (void)unused;
    static const char *const options[] = {"step-size=auto", "step-size=1,adapt-gain=0.05"};
    for (size_t i = 0; i < 2 * SAMPLERS; i++) {
        char        spec[80];
        density     wide = {.deviation = 1e200};
        bool        flat = i % 2;
        ckam_target target = {.dim = DIM, .log_density = flat ? isotropic : curved, .context = &wide};
        snprintf(spec, sizeof spec, "%s:%s", samplers[i / 2], options[i % 2]);
        driven         d = driven_begin(&target, spec, start, 8, 0);
        const current *now = d.state;
        for (int t = 0; t < 150; t++) driven_step(&d);
        assert_int_equal(now->counts.floored, 0);
        assert_int_equal(now->counts.accepted == now->counts.iterations, flat);
        driven_end(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learning_follows_the_formulas),
        cmocka_unit_test(sigma_starts_at_the_identity_or_at_the_length), cmocka_unit_test(rw_steps_have_one_size),
        cmocka_unit_test(rejections_stop_at_the_floor), cmocka_unit_test(the_floor_is_far_below_what_is_learned)};
    return cmocka_run_group_tests_name("adaptive", tests, NULL, NULL);
}
