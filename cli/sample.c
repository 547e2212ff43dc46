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

static ckam_status run(const request *r, const ckam_model *model, ckam_error *error) {
    const ckam_target *target = ckam_model_target(model);
    double            *draws = NULL;
    if (r->chains <= SIZE_MAX / sizeof *draws / target->dim / r->draws)
        draws = malloc(r->chains * r->draws * target->dim * sizeof *draws);
    if (!draws) return no_memory(r, error);
    double      start = seconds();
    ckam_status status = ckam_sample(target, r->sampler, NULL, r->seed, r->chains, r->draws, draws, error);
    if (!status) {
        printf("%s: %" PRIu64 " chains of %" PRIu64 " draws in %.2f s, seed %" PRIu64 "\nby %s\n\n", r->model,
               r->chains, r->draws, seconds() - start, r->seed, r->sampler);
        if (print_summary(model, r->chains, r->draws, draws)) status = no_memory(r, error);
    }
    free(draws);
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
