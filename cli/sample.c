/* sample.c - `ckam sample`: runs chains on a built-in model and shows what came out beside the exact answers. */
#include "cli.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

typedef struct request {
    const char *model, *sampler;
    uint64_t    chains, draws, seed;
} request;

enum { KEY_SAMPLER = 's', KEY_CHAINS = 'c', KEY_DRAWS = 'n', KEY_SEED = 'r' };
static const struct argp_option flags[] = {
    {"sampler", KEY_SAMPLER, "SPEC", 0, "sampler, with options after a colon: kam:kernel=gaussian,noise=0.2 (ckam)", 0},
    {"chains", KEY_CHAINS, "N", 0, "number of chains (4)", 0},
    {"draws", KEY_DRAWS, "N", 0, "draws kept of each chain (10000)", 0},
    {"seed", KEY_SEED, "N", 0, "the same seed gives the same draws (default: drawn, and shown)", 0},
    {0}};

static uint64_t whole_number(struct argp_state *state, const char *flag, const char *text, uint64_t least) {
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    if (errno || !isdigit((unsigned char)*text) || *end || number < least)
        argp_error(state, "--%s is '%s'; it must be a whole number from %" PRIu64 " on", flag, text, least);
    return number;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    request *r = state->input;
    switch (key) {
    case KEY_SAMPLER:
        r->sampler = text;
        return 0;
    case KEY_CHAINS:
        r->chains = whole_number(state, "chains", text, 1);
        return 0;
    case KEY_DRAWS:
        r->draws = whole_number(state, "draws", text, 1);
        return 0;
    case KEY_SEED:
        r->seed = whole_number(state, "seed", text, 0);
        return 0;
    case ARGP_KEY_ARG:
        if (r->model) argp_error(state, "one model at a time: '%s' and '%s' are two", r->model, text);
        r->model = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which model? `ckam list models` shows them");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    flags, parse, "MODEL", "Draws from a built-in model: its name, with options after a colon, as in bimodal:dim=8.",
    NULL,  NULL,  NULL};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t random_seed(void) {
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = (uint32_t)time(NULL);
    return seed;
}

static ckam_status no_memory(const request *r, ckam_error *error) {
    error->status = CKAM_ERROR_MEMORY;
    snprintf(error->message, sizeof error->message,
             "there is no memory for %" PRIu64 " chains of %" PRIu64 " draws; ask for fewer", r->chains, r->draws);
    return error->status;
}

/* Warm-up and draws: what kam's schedules span. */
static uint64_t horizon(const request *r, const ckam_options *options) {
    char warmup[32] = "0";
    ckam_options_get(options, "warmup", warmup, sizeof warmup, NULL);
    return r->draws + strtoull(warmup, NULL, 10);
}

/* Runs one chain until it has its draws, and adds what it counted. */
static ckam_status run_chain(const ckam_setup *setup, uint64_t draws, double *out, ckam_counts *sum,
                             ckam_error *error) {
    size_t      dim = setup->target->dim;
    ckam_chain *chain;
    ckam_step   step;
    ckam_counts counts = {0};
    ckam_status status = ckam_chain_create(&chain, setup, error);
    if (status) return status;
    for (uint64_t count = 0; count < draws && !status; count += !status && step.draw) {
        status = ckam_chain_step(chain, &step);
        if (!status && step.draw) memcpy(out + count * dim, step.x, dim * sizeof *out);
    }
    if (status) *error = *ckam_chain_error(chain);
    ckam_chain_counts(chain, &counts);
    sum->evaluations += counts.evaluations;
    sum->iterations += counts.iterations;
    sum->accepted += counts.accepted;
    sum->undefined += counts.undefined;
    sum->floored += counts.floored;
    ckam_chain_free(chain);
    return status;
}

static void print_head(const request *r, const ckam_counts *sum, double time) {
    printf("%s: %" PRIu64 " chains of %" PRIu64 " draws, seed %" PRIu64 "\nby %s\n", r->model, r->chains, r->draws,
           r->seed, r->sampler);
    printf("%" PRIu64 " evaluations in %.2f s, %.0f %% of the proposals accepted\n\n", sum->evaluations, time,
           100.0 * (double)sum->accepted / (double)sum->iterations);
}

static void print_notes(const ckam_counts *sum) {
    if (sum->undefined)
        printf("%" PRIu64 " proposals were rejected because the density is 0 or not defined there.\n", sum->undefined);
    if (sum->floored)
        printf("The covariance was kept from degenerating %" PRIu64 " times: the gain may be too large.\n",
               sum->floored);
}

static ckam_status run_all(const request *r, const ckam_model *model, const ckam_options *options, double *draws,
                           ckam_error *error) {
    const ckam_target *target = ckam_model_target(model);
    ckam_setup         setup = {.target = target, .options = options, .seed = r->seed, .horizon = horizon(r, options)};
    ckam_counts        sum = {0};
    ckam_status        status = CKAM_OK;
    double             start = seconds();
    for (; setup.chain < r->chains && !status; setup.chain++)
        status = run_chain(&setup, r->draws, draws + setup.chain * r->draws * target->dim, &sum, error);
    if (status) return status;
    print_head(r, &sum, seconds() - start);
    if (print_summary(model, r->chains, r->draws, draws)) return no_memory(r, error);
    print_notes(&sum);
    return CKAM_OK;
}

static ckam_status run(const request *r, const ckam_model *model, ckam_error *error) {
    size_t        dim = ckam_model_target(model)->dim;
    double       *draws = NULL;
    ckam_options *options;
    ckam_status   status = ckam_options_create(&options, r->sampler, error);
    if (status) return status;
    if (r->chains <= SIZE_MAX / sizeof *draws / dim / r->draws)
        draws = malloc(r->chains * r->draws * dim * sizeof *draws);
    status = draws ? run_all(r, model, options, draws, error) : no_memory(r, error);
    free(draws);
    ckam_options_free(options);
    return status;
}

int command_sample(int count, char **arguments) {
    request     r = {.sampler = "ckam", .chains = 4, .draws = 10000, .seed = random_seed()};
    ckam_model *model;
    ckam_error  error;
    char        name[] = "ckam sample";
    arguments[0] = name;
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&parser, count, arguments, 0, NULL, &r);
    int status = ckam_model_create(&model, r.model, &error);
    if (!status) {
        status = run(&r, model, &error);
        ckam_model_free(model);
    }
    if (!status) return 0;
    fprintf(stderr, "ckam sample: %s\n", error.message);
    return status == CKAM_ERROR_OPTION || status == CKAM_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_SOFTWARE;
}
