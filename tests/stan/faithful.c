/* faithful.c - a shared object that behaves as a model compiled with BridgeStan does, in C and without Stan.
 *
 * Keys of the data make it misbehave: see has(). Macros make variants: FAITHFUL_VERSION (0: it does not say),
 * FAITHFUL_SERIAL, FAITHFUL_MISSING, FAITHFUL_SILENT. */
#include "interface.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* data { int N; vector[N] y; }
 * parameters { real mu; real<lower=0> sigma; vector[3] theta; simplex[2] w; }
 * transformed parameters { real precision = 1 / sigma^2; }
 * model {
 *     mu ~ normal(0, 10); sigma ~ exponential(1); theta ~ normal(mu, 2); w ~ dirichlet([1, 1]');
 *     y ~ normal(mu, sigma);
 * }
 * generated quantities { tuple(real, real) new = (normal_rng(mu, sigma), uniform_rng(0, 1)); }
 *
 * It cannot be computed where sigma > 1e6; there are no generated quantities where mu > 100. */

#ifndef FAITHFUL_VERSION
#define FAITHFUL_VERSION 2
#endif

enum { UNCONSTRAINED = 6, CONSTRAINED = 7, TRANSFORMED = 1, GENERATED = 2, MOST = 64 };

static const double log_2_pi = 1.83787706640934548356;

#if FAITHFUL_VERSION
int bs_major_version = FAITHFUL_VERSION, bs_minor_version = 6, bs_patch_version = 1;
#endif

atomic_int  test_models_alive, test_rngs_alive, test_errors_alive, test_paths;
atomic_uint test_model_seed;
atomic_bool test_rng_fails;

struct bs_model {
    char  *data;
    size_t count;
    double y[MOST];
};

struct bs_rng {
    uint64_t state;
};

/* -- Messages ----------------------------------------------------------------------------------------------------- */

static void (*callback)(const char *text, size_t size);

static void print(const char *text) {
    if (callback) {
        callback(text, strlen(text));
        return;
    }
    fputs(text, stdout);
    fflush(stdout);
}

/* Two lines and an end of line, as BridgeStan's are. Gives -1. */
static int fail(char **message, const char *function, const char *what) {
    if (!message) return -1;
    size_t size = strlen(function) + strlen(what) + 100;
    *message = malloc(size);
    if (!*message) return -1;
    snprintf(*message, size, "%s() failed with exception: %s\n(in 'faithful.stan', line 5, column 2 to column 40)\n",
             function, what);
    atomic_fetch_add(&test_errors_alive, 1);
    return -1;
}

void bs_free_error_msg(char *message) {
    if (message) atomic_fetch_sub(&test_errors_alive, 1);
    free(message);
}

#ifndef FAITHFUL_SILENT
int bs_set_print_callback(void (*new_callback)(const char *text, size_t size), char **message) {
    (void)message;
    callback = new_callback;
    return 0;
}
#endif

/* -- Data --------------------------------------------------------------------------------------------------------- */

/* A key of the data: "refuse", "refuse_long", "empty" (no parameters), "plain" (nothing generated), "nameless" (a name too
 * few), "no_precision" (its computation fails), "print". */
static const char *has(const bs_model *m, const char *key) {
    char quoted[MOST];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *found = m->data ? strstr(m->data, quoted) : NULL;
    return found ? found + strlen(quoted) : NULL;
}

/* BridgeStan opens the file then; here it is counted. */
static bool is_path(const char *data) {
    size_t length = strlen(data);
    return length >= 5 && !strcmp(data + length - 5, ".json");
}

static const char *read_numbers(bs_model *m) {
    const char *at = has(m, "N");
    if (!at) return "variable N is not in the data";
    long wanted = strtol(at + strcspn(at, "0123456789-"), NULL, 10);
    if (wanted < 0 || wanted > MOST) return "N is out of range";
    at = has(m, "y");
    at = at ? strchr(at, '[') : NULL;
    if (!at) return "variable y is not in the data";
    for (char *end; m->count < (size_t)wanted; m->count++) {
        m->y[m->count] = strtod(at + 1, &end);
        if (end == at + 1) break;
        at = end + strspn(end, " ");
        if (*at != ',') at = "]";
    }
    return m->count == (size_t)wanted ? NULL : "y does not have N numbers";
}

static const char *read_data(bs_model *m) {
    static char long_text[1000];
    if (m->data && m->data[strspn(m->data, " \t\r\n")] != '{') return "the data is no JSON";
    if (has(m, "refuse")) return "N is\t7;\r\n  the model wants 8";
    if (has(m, "refuse_long")) { /* of two bytes a letter, after an odd number of bytes */
        snprintf(long_text, sizeof long_text, "%s", has(m, "refuse_odd") ? "x" : "");
        for (size_t i = strlen(long_text); i + 2 < sizeof long_text; i += 2) memcpy(long_text + i, "\xc3\xa9", 3);
        return long_text;
    }
    return read_numbers(m);
}

bs_model *bs_model_construct(const char *data, unsigned int seed, char **message) {
    bs_model *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    atomic_fetch_add(&test_models_alive, 1);
    atomic_store(&test_model_seed, seed);
    if (data && is_path(data)) atomic_fetch_add(&test_paths, 1);
    if (data && *data) m->data = strdup(data);
    if (has(m, "print")) print("transformed data\n");
    const char *wrong = read_data(m);
    if (!wrong) return m;
    fail(message, "model_construct", wrong);
    bs_model_destruct(m);
    return NULL;
}

void bs_model_destruct(bs_model *m) {
    if (m) {
        atomic_fetch_sub(&test_models_alive, 1);
        free(m->data);
    }
    free(m);
}

/* -- Names -------------------------------------------------------------------------------------------------------- */

const char *bs_name(const bs_model *m) {
    (void)m;
    return "faithful_model";
}

const char *bs_model_info(const bs_model *m) {
    (void)m;
#ifdef FAITHFUL_SERIAL
    return "BridgeStan version: 2.6.1\nStan C++ Defines:\n\tSTAN_THREADS=false\n\tSTAN_MPI=false\n";
#else
    return "BridgeStan version: 2.6.1\nStan C++ Defines:\n\tSTAN_THREADS=true\n\tSTAN_MPI=false\n";
#endif
}

#define PARAMETERS "mu,sigma,theta.1,theta.2,theta.3,w.1,w.2"

const char *bs_param_names(const bs_model *m, bool transformed, bool generated) {
    if (has(m, "empty")) return "";
    if (has(m, "nameless")) return PARAMETERS;
    generated = generated && !has(m, "plain");
    if (transformed && generated) return PARAMETERS ",precision,new:1,new:2";
    if (transformed) return PARAMETERS ",precision";
    return generated ? PARAMETERS ",new:1,new:2" : PARAMETERS;
}

const char *bs_param_unc_names(const bs_model *m) {
    return has(m, "empty") ? "" : "mu,sigma,theta.1,theta.2,theta.3,w.1";
}

int bs_param_num(const bs_model *m, bool transformed, bool generated) {
    if (has(m, "empty")) return 0;
    return CONSTRAINED + (transformed ? TRANSFORMED : 0) + (generated && !has(m, "plain") ? GENERATED : 0);
}

int bs_param_unc_num(const bs_model *m) { return has(m, "empty") ? 0 : UNCONSTRAINED; }

/* -- Random numbers ----------------------------------------------------------------------------------------------- */

bs_rng *bs_rng_construct(unsigned int seed, char **message) {
    bs_rng *r = atomic_load(&test_rng_fails) ? NULL : malloc(sizeof *r);
    if (!r) {
        fail(message, "construct_rng", "there are no random numbers today");
        return NULL;
    }
    atomic_fetch_add(&test_rngs_alive, 1);
    r->state = seed;
    return r;
}

void bs_rng_destruct(bs_rng *r) {
    if (r) atomic_fetch_sub(&test_rngs_alive, 1);
    free(r);
}

/* SplitMix64, on (0, 1). */
static double uniform(bs_rng *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 12) + 0.5) * 0x1p-52;
}

/* -- The model ---------------------------------------------------------------------------------------------------- */

static void constrain(const double *u, double *x) {
    memcpy(x, u, 5 * sizeof *x);
    x[1] = exp(u[1]);
    x[5] = 1.0 / (1.0 + exp(-u[5]));
    x[6] = 1.0 / (1.0 + exp(u[5]));
}

int bs_log_density(const bs_model *m, bool propto, bool jacobian, const double *u, double *value, char **message) {
    double x[CONSTRAINED], sum, constants = 0.5 * log_2_pi;
    constrain(u, x);
    if (has(m, "print")) print("evaluated\n");
    if (x[1] > 1e6) return fail(message, "log_density", "Exception: normal_lpdf: Scale parameter is too large");
    sum = -0.005 * x[0] * x[0] - x[1];
    for (size_t k = 2; k < 5; k++) sum -= 0.125 * (x[k] - x[0]) * (x[k] - x[0]);
    for (size_t i = 0; i < m->count; i++) sum -= 0.5 * pow((m->y[i] - x[0]) / x[1], 2.0) + u[1];
    if (!propto) sum -= (double)(4 + m->count) * constants + log(10.0) + 3.0 * log(2.0);
    if (jacobian) sum += u[1] + log(x[5]) + log(x[6]);
    *value = sum;
    return 0;
}

int bs_param_constrain(const bs_model *m, bool transformed, bool generated, const double *u, double *out, bs_rng *r,
                       char **message) {
    double row[CONSTRAINED + TRANSFORMED + GENERATED], *at = row + CONSTRAINED;
    generated = generated && !has(m, "plain");
    if (generated && !r) return fail(message, "param_constrain", "generated quantities need a generator");
    constrain(u, row);
    if (transformed || generated) {
        if (has(m, "no_precision")) return fail(message, "param_constrain", "precision is not today");
        if (transformed) *at++ = 1.0 / (row[1] * row[1]);
    }
    if (generated) {
        if (row[0] > 100.0) return fail(message, "param_constrain", "normal_rng: mu is too large");
        double radius = sqrt(-2.0 * log(uniform(r)));
        *at++ = row[0] + row[1] * radius * cos(6.283185307179586 * uniform(r));
        *at++ = uniform(r);
    }
    memcpy(out, row, (size_t)(at - row) * sizeof *out);
    return 0;
}

#ifndef FAITHFUL_MISSING
int bs_param_unconstrain(const bs_model *m, const double *x, double *u, char **message) {
    (void)m;
    if (!(x[1] > 0.0)) return fail(message, "param_unconstrain", "lb_free: Lower bounded variable is not above 0");
    if (!(fabs(x[5] + x[6] - 1.0) <= 1e-8)) return fail(message, "param_unconstrain", "w is not a valid simplex");
    memcpy(u, x, 5 * sizeof *u);
    u[1] = log(x[1]);
    u[5] = log(x[5] / x[6]);
    return 0;
}
#endif
