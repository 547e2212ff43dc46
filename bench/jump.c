/* jump.c - what jump reaches on densities whose answers are known: the table of docs/samplers/jump.md.
 *
 * One chain from one mode, unless said; medians over 10 seeds, with the worst. `bench_jump NAME` prints the rows whose
 * names begin with NAME. */
#include "ckam.h"
#include "gauss_mix.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SEEDS = 10, THREADS = 2, MODES = 25, DIM_MOST = 32, BINS = 100 };
static const double bins_from = -17.0, bins_to = 17.0;

static void stop(const char *message) {
    fprintf(stderr, "jump: %s\n", message);
    exit(1);
}

static void *take(size_t count) {
    void *memory = calloc(count ? count : 1, sizeof(double));
    if (!memory) stop("no memory");
    return memory;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Median and largest of SEEDS numbers, which are sorted. */
static double middle(double *value) {
    qsort(value, SEEDS, sizeof *value, by_size);
    return 0.5 * (value[(SEEDS - 1) / 2] + value[SEEDS / 2]);
}

/* -- Seeds over threads ------------------------------------------------------------------------------------------- */

typedef void job(void *what, size_t seed);

typedef struct worker {
    job   *work;
    void  *what;
    size_t first;
} worker;

static void *work(void *argument) {
    const worker *w = argument;
    for (size_t seed = w->first; seed < SEEDS; seed += THREADS) w->work(w->what, seed);
    return NULL;
}

static void over_seeds(job *run, void *what) {
    pthread_t thread[THREADS];
    worker    each[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        each[i] = (worker){run, what, i};
        if (pthread_create(&thread[i], NULL, work, &each[i])) stop("no thread");
    }
    for (size_t i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
}

/* One chain of `spec` for `evaluations`; the draws, a column a coordinate, `evaluations` numbers apart. Returns how many
 * there are. */
static size_t draw(const ckam_target *target, const char *spec, const double *start, size_t seed, size_t evaluations,
                   double *out) {
    ckam_options *options;
    ckam_chain   *chain;
    ckam_error    error;
    ckam_step     step;
    size_t        count = 0;
    if (ckam_options_create(&options, spec, &error)) stop(error.message);
    ckam_setup setup = {.target = target, .options = options, .start = start, .seed = seed + 1, .horizon = evaluations};
    if (ckam_chain_create(&chain, &setup, &error)) stop(error.message);
    for (size_t i = 0; i < evaluations; i++) {
        if (ckam_chain_step(chain, &step)) stop(ckam_chain_error(chain)->message);
        if (!step.draw) continue;
        for (size_t k = 0; k < target->dim; k++) out[k * evaluations + count] = step.x[k];
        count++;
    }
    ckam_chain_free(chain);
    ckam_options_free(options);
    return count;
}

static ckam_summary summary_of(const double *values, size_t count) {
    ckam_summary s;
    ckam_error   error;
    if (ckam_summarise(values, 1, count, &s, &error)) stop(error.message);
    return s;
}

/* -- Mixtures of round Gaussians ---------------------------------------------------------------------------------- */

typedef struct mixture {
    size_t dim, count;
    double mean[MODES][DIM_MOST], sd[MODES], weight[MODES];
} mixture;

static double part(const mixture *m, size_t j, const double *x) {
    double square = 0.0;
    for (size_t k = 0; k < m->dim; k++) square += (x[k] - m->mean[j][k]) * (x[k] - m->mean[j][k]);
    return log(m->weight[j]) - 0.5 * square / (m->sd[j] * m->sd[j]) -
           (double)m->dim * log(m->sd[j] * 2.50662827463100050242);
}

static int mixture_density(void *context, const double *x, double *value) {
    const mixture *m = context;
    double         each[MODES], most = -HUGE_VAL, sum = DBL_MIN; /* not 0 for the analysers */
    for (size_t j = 0; j < m->count; j++) {
        each[j] = part(m, j, x);
        most = fmax(most, each[j]);
    }
    for (size_t j = 0; j < m->count; j++) sum += exp(each[j] - most);
    *value = most + log(sum);
    return CKAM_OK;
}

static mixture two(size_t dim, double separation, double left) {
    mixture m = {.dim = dim, .count = 2, .sd = {sqrt(0.5), sqrt(2.0)}, .weight = {left, 1.0 - left}};
    m.mean[0][0] = -separation;
    m.mean[1][0] = separation;
    return m;
}

static mixture three(void) {
    mixture m = {.dim = 2, .count = 3, .sd = {0.5, 1.0, 3.0}, .weight = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}};
    m.mean[0][0] = -20.0;
    m.mean[2][0] = 20.0;
    return m;
}

static mixture grid(void) {
    mixture m = {.dim = 2, .count = MODES};
    for (size_t j = 0; j < MODES; j++) {
        m.mean[j][0] = 10.0 * (double)(j % 5);
        size_t line = j / 5;
        m.mean[j][1] = 10.0 * (double)line;
        m.sd[j] = 1.0;
        m.weight[j] = 1.0 / MODES;
    }
    return m;
}

typedef struct mass_row {
    mixture *m;
    size_t   from, evaluations;
    double  *error, *z, *visited, *divergence, *log_z; /* of the seeds; log_z in standard errors, or NULL */
    double  *se;
} mass_row;

/* jeffreys-KL of the first coordinate, with the exact probabilities of the bins. */
static double divergence(const mixture *m, const double *x, size_t count) {
    double hits[BINS] = {0}, width = (bins_to - bins_from) / BINS, n = 0.0, sum = 0.0, all = 0.0, p[BINS];
    for (size_t i = 0; i < count; i++) {
        double at = (x[i] - bins_from) / width;
        if (at < 0.0 || at >= BINS) continue;
        hits[(size_t)at] += 1.0;
        n += 1.0;
    }
    for (size_t b = 0; b < BINS; b++) {
        p[b] = 0.0;
        for (size_t j = 0; j < m->count; j++) {
            double low = (bins_from + width * (double)b - m->mean[j][0]) / m->sd[j], high = low + width / m->sd[j];
            p[b] += 0.5 * m->weight[j] * (erf(high / sqrt(2.0)) - erf(low / sqrt(2.0)));
        }
        all += p[b];
    }
    for (size_t b = 0; b < BINS; b++) {
        double a = (n * p[b] / all + 0.5) / (n + 0.5 * BINS), q = (hits[b] + 0.5) / (n + 0.5 * BINS);
        sum += (a - q) * log(a / q);
    }
    return sum;
}

static void evidence(const mass_row *row, const ckam_target *target, const double *x, size_t count, size_t seed) {
    double       *values = take(count * target->dim), *density = take(count);
    ckam_draws   *draws;
    ckam_error    error;
    ckam_evidence e;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < target->dim; k++) values[i * target->dim + k] = x[k * row->evaluations + i];
        target->log_density(target->context, values + i * target->dim, &density[i]);
    }
    if (ckam_draws_create(&draws, 1, count, target->dim, NULL, values, density, &error)) stop(error.message);
    if (ckam_evidence_estimate(draws, target, seed, &e, &error)) stop(error.message);
    row->log_z[seed] = fabs(e.log_z) / e.se;
    row->se[seed] = e.se;
    ckam_draws_free(draws);
    free(values);
    free(density);
}

static void mass_job(void *what, size_t seed) {
    const mass_row *row = what;
    mixture        *m = row->m;
    ckam_target     target = {.dim = m->dim, .log_density = mixture_density, .context = m};
    double         *x = take(row->evaluations * m->dim), *inside = take(row->evaluations), point[DIM_MOST];
    size_t         *owner = take(row->evaluations);
    size_t          count = draw(&target, "jump", m->mean[row->from], seed, row->evaluations, x);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < m->dim; k++) point[k] = x[k * row->evaluations + i];
        for (size_t j = 1; j < m->count; j++)
            if (part(m, j, point) > part(m, owner[i], point)) owner[i] = j;
    }
    row->error[seed] = row->z[seed] = row->visited[seed] = 0.0;
    for (size_t j = 0; j < m->count; j++) {
        for (size_t i = 0; i < count; i++) inside[i] = owner[i] == j;
        ckam_summary s = summary_of(inside, count);
        row->error[seed] = fmax(row->error[seed], fabs(s.mean - m->weight[j]));
        row->z[seed] = fmax(row->z[seed], fabs(s.mean - m->weight[j]) / s.mcse_mean);
        row->visited[seed] += s.mean > 0.0;
    }
    row->divergence[seed] = divergence(m, x, count);
    if (row->log_z) evidence(row, &target, x, count, seed);
    free(x);
    free(inside);
    free(owner);
}

/* The divergence of 12,500 exact draws, the median over seeds: the law of large numbers at its own pace. */
static double exact_divergence(void) {
    ckam_model *model;
    mixture     m = two(2, 8.0, 0.5);
    double      each[SEEDS], x[12500], point[2];
    if (ckam_model_create(&model, "bimodal", NULL)) stop("no model");
    for (size_t seed = 0; seed < SEEDS; seed++) {
        for (size_t i = 0; i < 12500; i++) {
            ckam_model_draw(model, seed, i, point);
            x[i] = point[0];
        }
        each[seed] = divergence(&m, x, 12500);
    }
    ckam_model_free(model);
    return middle(each);
}

static void mass(const char *name, mixture *m, size_t from, size_t evaluations, bool with_evidence) {
    double   error[SEEDS], z[SEEDS], visited[SEEDS], kl[SEEDS], log_z[SEEDS], se[SEEDS];
    mass_row row = {m, from, evaluations, error, z, visited, kl, with_evidence ? log_z : NULL, se};
    over_seeds(mass_job, &row);
    double middle_error = middle(error), middle_z = middle(z);
    middle(visited);
    printf("%-30s %8zu evaluations: mass error %.4f (%.4f), %.1f (%.1f) MCSE, modes visited %g to %g\n", name,
           evaluations, middle_error, error[SEEDS - 1], middle_z, z[SEEDS - 1], visited[0], visited[SEEDS - 1]);
    if (with_evidence) {
        double middle_log_z = middle(log_z), middle_se = middle(se);
        printf("%-30s log Z off by %.1f (%.1f) standard errors of %.4f (%.4f)\n", "", middle_log_z, log_z[SEEDS - 1],
               middle_se, se[SEEDS - 1]);
    }
    if (m->dim == 2 && m->count == 2 && m->mean[1][0] == 8.0 && m->weight[0] == 0.5) {
        double middle_kl = middle(kl);
        printf("%-30s jeffreys-KL of the marginal %.4f (%.4f); 12,500 exact draws %.4f\n", "", middle_kl, kl[SEEDS - 1],
               exact_divergence());
    }
    (void)fflush(stdout);
}

/* -- Built-in models ---------------------------------------------------------------------------------------------- */

typedef struct model_row {
    const ckam_model *model;
    const char       *spec;
    size_t            evaluations;
    double           *z, *second, *rhat, *ess, *log_z, *se; /* z: of means; second: of second moments */
    double           *worst; /* the least ESS over coordinates; of independent draws, how many. Or NULL */
    double           *miss;  /* squared error of the means in variances of the target, mean over coordinates; or NULL */
} model_row;

/* `count` independent draws. */
static size_t exact(const ckam_model *model, size_t seed, size_t count, size_t evaluations, double *x) {
    size_t dim = ckam_model_target(model)->dim;
    double point[DIM_MOST];
    for (size_t i = 0; i < count; i++) {
        ckam_model_draw(model, seed, i, point);
        for (size_t k = 0; k < dim; k++) x[k * evaluations + i] = point[k];
    }
    return count;
}

/* Means and second moments, where R-hat says that they can be trusted; the mean over coordinates of the ESS. */
static void model_job(void *what, size_t seed) {
    const model_row   *row = what;
    const ckam_target *target = ckam_model_target(row->model);
    size_t             dim = target->dim, n = row->evaluations;
    double            *x = take(n * dim), *mean = take(dim), *covariance = take(dim * dim), *start = take(dim);
    ckam_model_start(row->model, start);
    ckam_model_mean(row->model, mean);
    ckam_model_covariance(row->model, covariance);
    size_t count = row->spec ? draw(target, row->spec, start, seed, n, x)
                             : exact(row->model, seed, (size_t)row->worst[seed], n, x);
    row->z[seed] = row->second[seed] = row->rhat[seed] = row->ess[seed] = 0.0;
    if (row->log_z) {
        mass_row as = {.evaluations = n, .log_z = row->log_z, .se = row->se};
        evidence(&as, target, x, count, seed);
    }
    for (size_t k = 0; k < dim; k++) {
        double       truth[2] = {mean[k], covariance[k * dim + k]};
        ckam_summary s = summary_of(x + k * n, count);
        row->ess[seed] += s.ess_bulk / (double)dim;
        if (row->worst && row->spec) row->worst[seed] = k ? fmin(row->worst[seed], s.ess_bulk) : s.ess_bulk;
        if (row->miss) row->miss[seed] += (s.mean - mean[k]) * (s.mean - mean[k]) / truth[1] / (double)dim;
        for (int moment = 0; moment < 2; moment++) {
            row->rhat[seed] = fmax(row->rhat[seed], s.rhat);
            double *z = moment ? row->second + seed : row->z + seed;
            if (s.rhat < 1.01) *z = fmax(*z, fabs(s.mean - truth[moment]) / s.mcse_mean);
            for (size_t i = 0; i < count; i++) x[k * n + i] = (x[k * n + i] - mean[k]) * (x[k * n + i] - mean[k]);
            s = summary_of(x + k * n, count);
        }
    }
    free(x);
    free(mean);
    free(covariance);
    free(start);
}

/* Beside the chains independent draws: as many as the worst coordinate's ESS, so that the moments of heavy tails are seen for
 * what they are; and a tenth of the evaluations. */
static void curved(const char *name, size_t evaluations) {
    ckam_model *model;
    double      z[SEEDS], second[SEEDS], rhat[SEEDS], ess[SEEDS], worst[SEEDS];
    if (ckam_model_create(&model, name, NULL)) stop("no model");
    model_row row = {model, "jump", evaluations, z, second, rhat, ess, NULL, NULL, worst, NULL};
    over_seeds(model_job, &row);
    double middle_z = middle(z), middle_second = middle(second), middle_rhat = middle(rhat), middle_ess = middle(ess);
    printf("%-30s %8zu evaluations: means off by %.1f (%.1f), second moments by %.1f (%.1f) MCSE at most, "
           "R-hat %.4f (%.4f), ESS %.0f\n",
           name, evaluations, middle_z, z[SEEDS - 1], middle_second, second[SEEDS - 1], middle_rhat, rhat[SEEDS - 1],
           middle_ess);
    row.spec = NULL;
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; turn && i < SEEDS; i++) worst[i] = (double)evaluations / 10.0;
        over_seeds(model_job, &row);
        middle_z = middle(z);
        middle_second = middle(second);
        double draws = middle(worst);
        printf("%-30s with %.0f independent draws%s by %.1f (%.1f) and %.1f (%.1f)\n", "", draws,
               turn ? "" : ", the ESS of the worst coordinate,", middle_z, z[SEEDS - 1], middle_second,
               second[SEEDS - 1]);
    }
    (void)fflush(stdout);
    ckam_model_free(model);
}

/* Evaluations that jump needs for the ESS of gam, with 1 for those of gam: by the ESS as estimated from the draws, and by the
 * one that the errors of the means say, which is that of slow chains. */
static void compared(const char *name, size_t evaluations, bool with_evidence) {
    ckam_model *model;
    double      z[SEEDS], second[SEEDS], rhat[SEEDS], ours[SEEDS], gam[SEEDS], log_z[SEEDS], se[SEEDS], sum[2] = {0};
    double      miss[2][SEEDS] = {{0}}, all[2] = {0};
    if (ckam_model_create(&model, name, NULL)) stop("no model");
    model_row theirs = {model, "gam", evaluations, z, second, rhat, gam, NULL, NULL, NULL, miss[0]};
    model_row row = {model, "jump", evaluations, z, second, rhat, ours, with_evidence ? log_z : NULL,
                     se,    NULL,   miss[1]};
    over_seeds(model_job, &theirs);
    over_seeds(model_job, &row);
    for (size_t i = 0; i < SEEDS; i++) {
        sum[0] += gam[i] / SEEDS;
        sum[1] += ours[i] / SEEDS;
        all[0] += miss[0][i] / SEEDS;
        all[1] += miss[1][i] / SEEDS;
    }
    printf("%-30s %8zu evaluations: ESS %.0f, gam %.0f: jump needs %.2f times as many evaluations\n", name, evaluations,
           sum[1], sum[0], sum[0] / sum[1]);
    printf("%-30s by the errors of means ESS %.0f, gam %.0f: %.2f times\n", "", 1.0 / all[1], 1.0 / all[0],
           all[1] / all[0]);
    if (with_evidence) {
        double middle_log_z = middle(log_z), middle_se = middle(se);
        printf("%-30s log Z off by %.1f (%.1f) standard errors of %.4f (%.4f)\n", "", middle_log_z, log_z[SEEDS - 1],
               middle_se, se[SEEDS - 1]);
    }
    (void)fflush(stdout);
    ckam_model_free(model);
}

/* -- Mode changes, and a long run --------------------------------------------------------------------------------- */

/* The settings of the authors' scripts: the best that are known for it here. */
#define CKAM_BEST                                                                                                      \
    "ckam:step-size=11.3288,adapt-decay=2,noise=4,kernel-scale=2,subsample=50,cycle-length=1000,explore=0.4,"          \
    "noise-end=1,warmup=0"

static void changes(void) {
    static const char *const spec[] = {"rw:step-size=3.872983346207417,warmup=0", CKAM_BEST, "jump"};
    enum { N = 2000000 };
    double  count[3] = {0}, *x = take((size_t)2 * N), start[2] = {-8.0, 0.0};
    mixture m = two(2, 8.0, 0.5);
    for (int s = 0; s < 3; s++) {
        ckam_target target = {.dim = 2, .log_density = mixture_density, .context = &m};
        size_t      draws = draw(&target, spec[s], start, 0, N, x);
        for (size_t i = 1; i < draws; i++) count[s] += (x[i] > 0.0) != (x[i - 1] > 0.0);
    }
    printf("mode changes per %d evaluations of bimodal: rw %.0f, ckam %.0f, jump %.0f: %.0f and %.0f times\n", N,
           count[0], count[1], count[2], count[2] / count[0], count[2] / count[1]);
    free(x);
    (void)fflush(stdout);
}

static void long_run(void) {
    enum { N = 20000000 };
    mixture     m = two(2, 8.0, 0.5);
    ckam_target target = {.dim = 2, .log_density = mixture_density, .context = &m};
    double     *x = take((size_t)2 * N);
    size_t      draws = draw(&target, "jump", m.mean[0], 0, N, x);
    for (size_t i = 0; i < draws; i++) x[i] = x[i] > 0.0;
    ckam_summary s = summary_of(x, draws);
    printf("%-30s %8d evaluations: mass right of 0 %.5f, MCSE %.5f, off by %.1f MCSE\n", "bimodal, long", N, s.mean,
           s.mcse_mean, fabs(s.mean - 0.5) / s.mcse_mean);
    (void)fflush(stdout);
    free(x);
}

/* -- Two labellings of a mixture model ---------------------------------------------------------------------------- */

/* mu_1, mu_2, log sigma_1, log sigma_2, logit theta. */
static int labellings(void *context, const double *x, double *value) {
    (void)context;
    double s1 = exp(x[2]), s2 = exp(x[3]), theta = 1.0 / (1.0 + exp(-x[4]));
    double a = log(theta) - x[2], b = log1p(-theta) - x[3];
    *value = -0.125 * (x[0] * x[0] + x[1] * x[1] + s1 * s1 + s2 * s2) + x[2] + x[3];
    *value += 5.0 * (log(theta) + log1p(-theta));
    for (size_t i = 0; i < GAUSS_MIX_COUNT; i++) {
        double u = (gauss_mix_y[i] - x[0]) / s1, v = (gauss_mix_y[i] - x[1]) / s2;
        double p = a - 0.5 * u * u, q = b - 0.5 * v * v, most = fmax(p, q);
        *value += most + log1p(exp(fmin(p, q) - most));
    }
    return CKAM_OK;
}

static void labels_job(void *what, size_t seed) {
    double            *share = (double *)what + seed;
    static const char *settings[][2] = {{"sampler", "jump"}, {"chains", "4"},    {"threads", "1"},   {"evals", "50000"},
                                        {"draws", "50000"},  {"format", "none"}, {"model", "labels"}};
    ckam_target        target = {.dim = 5, .log_density = labellings};
    ckam_plan         *plan;
    ckam_run          *run = NULL;
    ckam_draws        *draws;
    ckam_error         error;
    char               text[16];
    if (ckam_plan_create(&plan, &error)) stop(error.message);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (ckam_plan_set(plan, settings[i][0], settings[i][1], &error)) stop(error.message);
    snprintf(text, sizeof text, "%zu", seed + 1);
    if (ckam_plan_set(plan, "seed", text, &error) || ckam_run_create(&run, plan, &target, &error)) stop(error.message);
    ckam_status status = ckam_run_go(run, NULL, NULL, &error);
    if (status) stop(error.message);
    if (ckam_run_draws(run, &draws, &error)) stop(error.message);
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    const double           *mu;
    if (ckam_draws_column(draws, shape->first, &mu, &error)) stop(error.message);
    *share = 0.0;
    for (size_t i = 0; i < shape->chains * shape->rows; i++) *share += mu[i] > 0.0;
    *share /= (double)(shape->chains * shape->rows);
    ckam_draws_free(draws);
    ckam_run_free(run);
    ckam_plan_free(plan);
}

static void labels(void) {
    double share[SEEDS];
    int    good = 0;
    over_seeds(labels_job, share);
    double m = middle(share);
    for (size_t i = 0; i < SEEDS; i++) good += fabs(share[i] - 0.5) <= 0.03;
    printf("%-30s    50000 evaluations a chain, 4 chains: share of one labelling %.3f (%.3f to %.3f), "
           "within 0.03 of a half for %d of %d seeds\n",
           "gauss_mix", m, share[0], share[SEEDS - 1], good, SEEDS);
    (void)fflush(stdout);
}

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : "";
#define WANTED(name) (!strncmp(name, wanted, strlen(wanted)))
    static const struct { size_t dim, evaluations; } sizes[] = {{2, 50000}, {8, 200000}, {16, 400000}, {32, 1000000}};
    char    name[40];
    mixture m;
    for (size_t i = 0; i < 4 && WANTED("bimodal"); i++) {
        m = two(sizes[i].dim, 8.0, 0.5);
        snprintf(name, sizeof name, "bimodal d = %zu", sizes[i].dim);
        mass(name, &m, 0, sizes[i].evaluations, true);
    }
    for (size_t dim = 2; dim <= 8 && WANTED("separation"); dim += 6) {
        m = two(dim, 16.0, 0.5);
        snprintf(name, sizeof name, "separation 16, d = %zu", dim);
        mass(name, &m, 0, 200000, false);
    }
    m = grid();
    if (WANTED("grid")) mass("25 Gaussians", &m, 0, 300000, true);
    for (size_t from = 0; from < 2 && WANTED("unequal"); from++) {
        m = two(2, 8.0, 0.9);
        snprintf(name, sizeof name, "0.9 / 0.1, from mode %zu", from + 1);
        mass(name, &m, from, 200000, false);
    }
    for (size_t from = 0; from < 3 && WANTED("three"); from++) {
        m = three();
        snprintf(name, sizeof name, "sd 0.5, 1, 3, from mode %zu", from + 1);
        mass(name, &m, from, 200000, false);
    }
    if (WANTED("curved")) {
        curved("ring", 500000);
        curved("banana", 500000);
        curved("funnel", 500000);
    }
    if (WANTED("labels")) labels();
    if (WANTED("gam")) {
        compared("gaussian:dim=2", 100000, true);
        compared("gaussian:dim=8", 100000, true);
        compared("gaussian:dim=32", 200000, true);
        compared("grid32", 480000, false);
    }
    if (WANTED("changes")) changes();
    if (WANTED("long")) long_run();
    return 0;
}
