/* main.c - whether the bound on the probability of finding an unseen mode holds: the calibration in docs/trust.md.
 *
 *     unseen [--runs N] [--searches N] [--seed FIRST] [DENSITY...]
 *
 * Each run is a default run of jump. Then its memory is frozen and further searches are made; those that end in a mode, by the known
 * densities of its components, that the memory does not have are counted. The bound that the run stated should cover that share in
 * 95 % of the runs; the status is 1 if it does in less than 90 %. */
#include "base/unseen.h"
#include "chain/chain.h"
#include "density.h"
#include "jump/jump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 4, DRAWS = 10000, ROOM = 64 };
#define COVERAGE 0.9

static const char *const standard[] = {"bimodal:2",  "bimodal:8",  "bimodal:diagonal", "ten",        "five",
                                       "forty:2",    "forty:5",    "corners",          "shells:5",   "gaussian:10",
                                       "random:101", "random:102", "random:103",       "random:104", "random:105",
                                       "random:106", "random:107", "random:108",       "random:109", "random:110"};

static _Noreturn void stop(const char *what) {
    fprintf(stderr, "unseen: %s\n", what);
    exit(2);
}

static jump_state *state_of(ckam_chain *c) { return (void *)((char *)c->state + c->state->sampler); }

/* -- A default run ------------------------------------------------------------------------------------------------- */

static void create(ckam_chain *chain[CHAINS], const ckam_target *target, uint64_t seed) {
    ckam_options *options;
    if (ckam_options_create(&options, "jump", NULL)) stop("no options");
    ckam_setup setup = {
        .target = target, .options = options, .seed = seed, .horizon = DRAWS, .pooled = true, .chains = CHAINS};
    for (setup.chain = 0; setup.chain < CHAINS; setup.chain++)
        if (ckam_chain_create(&chain[setup.chain], &setup, NULL)) stop("a chain cannot be made");
    ckam_options_free(options);
}

/* As ckam_sample() does it. False if the chains cannot begin. */
static bool sample(ckam_chain *chain[CHAINS]) {
    size_t    draws = 0;
    ckam_step step;
    while (draws < DRAWS) {
        size_t begun = draws;
        for (size_t c = 0; c < CHAINS; c++)
            for (draws = begun; draws < DRAWS && !ckam_chain_waits(chain[c]); draws += step.draw)
                if (ckam_chain_step(chain[c], &step)) return false;
        if (draws == DRAWS) break;
        if (ckam_chain_found_late(chain, CHAINS)) draws = 0;
        if (ckam_chain_pool(chain, CHAINS, NULL)) return false;
    }
    return true;
}

/* -- Further searches ---------------------------------------------------------------------------------------------- */

/* As jump makes them: its walkers go on. Whether it ended in a mode that is not known. */
static bool search_once(jump_state *s, const density *d, const bool *known, rng *r, uint64_t *evaluations) {
    mixture     *m = jump_mixture(s);
    explorer    *e = jump_explorer(s);
    double       y[DIM_MOST], value;
    explore_news news = EXPLORE_GOES_ON;
    while (news == EXPLORE_GOES_ON) {
        rng_at(r, (*evaluations)++, RNG_STEP);
        explore_ask(e, m, r, y);
        if (d->log_density((void *)(uintptr_t)d, y, &value) || isnan(value)) value = -HUGE_VAL;
        news = explore_tell(e, m, r, value);
    }
    bool found = e->candidates && !known[d->owner(d, block_at(e, e->candidate_mean))];
    e->candidates = 0; /* so that it can be found again */
    return found;
}

typedef struct result {
    uint64_t searches, once, modes;
    double   bound, truth;
} result;

static bool measure(density *d, uint64_t seed, uint64_t searches, result *out) {
    ckam_target target = {.dim = d->dim, .log_density = d->log_density, .context = d};
    ckam_chain *chain[CHAINS] = {NULL};
    bool        known[ROOM] = {false}, good;
    create(chain, &target, seed);
    good = sample(chain);
    if (good) {
        jump_state   *s = state_of(chain[0]);
        mixture      *m = jump_mixture(s);
        search_counts counts;
        rng           r;
        uint64_t      found = 0, evaluations = 0;
        chain_search(chain[0], &counts);
        for (size_t c = 1; c < CHAINS; c++) {
            search_counts own;
            chain_search(chain[c], &own);
            counts.recent += own.recent;
        }
        for (size_t j = 0; j < m->count; j++) known[d->owner(d, mixture_mean(m, j))] = true;
        rng_init(&r, seed, UINT64_MAX);
        for (uint64_t i = 0; i < searches; i++) found += search_once(s, d, known, &r, &evaluations);
        uint64_t all = counts.searches + counts.recent;
        *out = (result){all, counts.once, counts.modes, unseen_bound(counts.once, counts.twice, all),
                        (double)found / (double)searches};
    }
    for (size_t c = 0; c < CHAINS; c++) ckam_chain_free(chain[c]);
    return good;
}

/* -- The table ----------------------------------------------------------------------------------------------------- */

typedef struct total {
    uint64_t runs, covered, unfinished;
} total;

static void do_density(const char *name, uint64_t first, uint64_t runs, uint64_t searches, total *sum) {
    density *d = density_create(name);
    total    own = {0};
    double   bound = 0.0, truth = 0.0, worst = 0.0;
    if (!d) stop(name);
    if (d->owner && !d->bounded) {
        for (uint64_t i = 0; i < runs; i++) {
            result r;
            if (!measure(d, first + i, searches, &r)) {
                own.unfinished++;
                continue;
            }
            own.runs++;
            own.covered += r.truth <= r.bound;
            bound += r.bound;
            truth += r.truth;
            worst = fmax(worst, r.truth / r.bound);
        }
        double n = fmax((double)own.runs, 1.0);
        printf("%-18s %4" PRIu64 " %8" PRIu64 " %10.4f %10.4f %10.2f\n", name, own.runs, own.covered, bound / n,
               truth / n, worst);
        (void)fflush(stdout);
    }
    sum->runs += own.runs;
    sum->covered += own.covered;
    sum->unfinished += own.unfinished;
    density_free(d);
}

static uint64_t number(const char *text) {
    char    *end;
    uint64_t value = text ? strtoull(text, &end, 10) : 0;
    if (!value || *end)
        stop("a number from 1 on must follow an option: unseen [--runs N] [--searches N] [--seed FIRST] [DENSITY...]");
    return value;
}

int main(int count, char **argument) {
    uint64_t    runs = 1, searches = 1000, seed = 1;
    const char *name[ROOM];
    size_t      names = 0;
    total       sum = {0};
    for (int i = 1; i < count; i++) {
        if (!strcmp(argument[i], "--runs"))
            runs = number(argument[++i]);
        else if (!strcmp(argument[i], "--searches"))
            searches = number(argument[++i]);
        else if (!strcmp(argument[i], "--seed"))
            seed = number(argument[++i]);
        else if (names < ROOM)
            name[names++] = argument[i];
    }
    printf("density            runs  covered  mean bound  mean truth  worst ratio\n");
    for (size_t i = 0; names ? i < names : i < sizeof standard / sizeof *standard; i++)
        do_density(names ? name[i] : standard[i], seed, runs, searches, &sum);
    double share = (double)sum.covered / fmax((double)sum.runs, 1.0);
    printf("all                %4" PRIu64 " %8" PRIu64 "   %.1f %% covered", sum.runs, sum.covered, 100.0 * share);
    if (sum.unfinished) printf(", %" PRIu64 " runs did not begin", sum.unfinished);
    printf("\n");
    return share < COVERAGE;
}
