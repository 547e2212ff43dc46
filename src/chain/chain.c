/* chain.c - one chain: its start, the scale of its target where that is needed, then its sampler, asked and told.
 *
 * All that changes is in one flat block. Random numbers depend on (seed, chain, iteration of the sampler), so the same
 * iteration has the same bits wherever and whenever it runs. */
#include "chain/chain.h"

#include "base/fastmath.h"
#include "base/wide.h"
#include "target/source.h"
#include "target/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { START_TRIES = 100, HORIZON = 10000 };
enum { SCALE_USUAL = 20 }; /* evaluations for the scale; 13 were the most on the models that are built in */
#define UNSEEN 1.5e-4
/* For functions off the path of a step: inlined, their arrays on the stack would add stack protection to every step. */
#define COLD        __attribute__((cold, noinline))
#define SCALE_LEAST 1e-12 /* relative to a coordinate: below it steps are lost in rounding */

static void *sampler_state(const ckam_chain *c) { return (char *)c->state + c->state->sampler; }

/* The layout of the block; returns its size. */
static size_t layout(chain_state *s, const ckam_chain *c) {
    size_t end = sizeof *s, size = c->options.sampler->size(&c->plan);
    s->start = block_take(&end, c->plan.dim, 1);
    s->point = block_take(&end, c->plan.dim, 1);
    s->direction = block_take(&end, c->plan.dim, 1);
    s->sampler = block_take(&end, size / sizeof(double) + 1, 1);
    return size == SIZE_MAX ? SIZE_MAX : end;
}

static ckam_status check_setup(const ckam_setup *setup, ckam_error *error) {
    if (!setup || !setup->options) return fail_with(error, CKAM_ERROR_ARGUMENT, "the setup or its options are NULL");
    ckam_status status = target_check(setup->target, error);
    for (size_t k = 0; !status && setup->start && k < setup->target->dim; k++)
        if (!isfinite(setup->start[k]))
            status = fail_with(error, CKAM_ERROR_ARGUMENT, "coordinate %zu of the start is %g; it must be finite",
                               k + 1, setup->start[k]);
    return status;
}

/* Allocates what the chain owns; what is missing stays NULL. */
static ckam_status allocate(ckam_chain *c, const ckam_setup *setup, ckam_error *error) {
    c->options = *setup->options;
    c->options.values = malloc(c->options.sampler->options_size);
    if (!c->options.values) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a chain");
    memcpy(c->options.values, setup->options->values, c->options.sampler->options_size);
    c->plan = (blueprint){.dim = setup->target->dim,
                          .horizon = setup->horizon ? setup->horizon : HORIZON,
                          .settings = c->options.values,
                          .chains = setup->chains,
                          .unseen = setup->unseen > 0.0 ? setup->unseen : UNSEEN,
                          .random_start = !setup->start,
                          .boxed = setup->target->boxed};
    c->plan.may_extend_warmup = c->options.sampler->warmup && c->options.values->warmup == COUNT_AUTO;
    if (c->plan.may_extend_warmup) c->options.values->warmup = c->options.sampler->warmup(&c->plan);
    if (c->options.sampler->check) {
        ckam_status status = c->options.sampler->check(&c->plan, error);
        if (status) return status;
    }
    chain_state scratch = {0};
    c->size = layout(&scratch, c);
    if (c->size < SIZE_MAX - (size_t)2 * BLOCK_ALIGNMENT) {
        c->size = (c->size + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
        c->room = calloc(1, c->size + BLOCK_ALIGNMENT); /* untouched pages take no memory: jump reserves many modes */
    }
    if (!c->room)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a chain of %s in %zu dimensions (%.3g MB)",
                         c->options.entry->name, c->plan.dim, (double)c->size / 1e6);
    uintptr_t over = (uintptr_t)c->room % BLOCK_ALIGNMENT;
    c->state = (chain_state *)(void *)((char *)c->room + (over ? BLOCK_ALIGNMENT - over : 0));
    return CKAM_OK;
}

ckam_status ckam_chain_create(ckam_chain **chain, const ckam_setup *setup, ckam_error *error) {
    if (!chain) return fail_with(error, CKAM_ERROR_ARGUMENT, "the place for the chain is NULL");
    *chain = NULL;
    ckam_status status = check_setup(setup, error);
    if (status) return status;
    ckam_chain *c = calloc(1, sizeof *c);
    if (!c) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a chain");
    status = allocate(c, setup, error);
    if (status) {
        ckam_chain_free(c);
        return status;
    }
    c->target = *setup->target;
    c->pooled = setup->pooled;
    layout(c->state, c);
    rng_init(&c->state->rng, setup->seed, setup->chain);
    c->state->random_start = !setup->start;
    if (setup->start) memcpy(block_at(c->state, c->state->start), setup->start, c->plan.dim * sizeof(double));
    *chain = c;
    return CKAM_OK;
}

void ckam_chain_free(ckam_chain *chain) {
    if (!chain) return;
    free(chain->options.values);
    free(chain->room);
    free(chain);
}

/* -- The start: given, or uniform on [-2, 2], or on the box of two bounds, until the density is finite there -------- */

static const double *ask_start(ckam_chain *c) {
    chain_state  *s = c->state;
    double       *x = block_at(s, s->start);
    model_handle *handle;
    rng_at(&s->rng, s->tries, RNG_START);
    for (size_t k = 0; s->random_start && k < c->plan.dim; k++) x[k] = 4.0 * rng_uniform(&s->rng) - 2.0;
    const source *model = source_of(&c->target, &handle);
    if (s->random_start && model) source_spread(model, x);
    return x;
}

/* The density is 0 or not defined at a start: tries another one, if it may. */
static ckam_status refuse_start(ckam_chain *c) {
    chain_state  *s = c->state;
    char          point[POINT_TEXT];
    model_handle *handle;
    if (s->random_start && ++s->tries < START_TRIES) return CKAM_OK;
    target_point_text(&c->target, block_at(s, s->start), point);
    if (s->random_start)
        return fail_with(&c->error, CKAM_ERROR_START,
                         "the density is 0 or not defined at %d random starts%s, the last one %s; give a start",
                         START_TRIES, source_of(&c->target, &handle) ? "" : " in [-2, 2]", point);
    return fail_with(&c->error, CKAM_ERROR_START, "the density is 0 or not defined at the start %s; give another",
                     point);
}

static void begin_sampler(ckam_chain *c, double length) {
    chain_state *s = c->state;
    s->phase = CKAM_PHASE_SAMPLE;
    c->options.sampler->begin(sampler_state(c), &c->plan, block_at(s, s->start), s->log_density, length);
}

static ckam_status tell_start(ckam_chain *c, double log_density) {
    chain_state *s = c->state;
    s->log_density = log_density;
    if (!(log_density > -HUGE_VAL)) return refuse_start(c);
    if (c->options.sampler->wants_scale(c->options.values)) {
        s->phase = CKAM_PHASE_SCALE;
        rng_at(&s->rng, 0, RNG_SCALE);
        scale_begin(&s->scale, &s->rng, c->plan.dim, block_at(s, s->direction), log_density);
    } else {
        begin_sampler(c, 1.0);
    }
    return CKAM_OK;
}

/* -- The scale of the density, for options that are auto ---------------------------------------------------------- */

static const double *ask_scale(chain_state *s, size_t dim) {
    double *point = block_at(s, s->point);
    scale_ask(&s->scale, dim, block_at(s, s->start), block_at(s, s->direction), point);
    return point;
}

static ckam_status tell_scale(ckam_chain *c, double log_density) {
    double      length;
    ckam_status status = scale_tell(&c->state->scale, log_density, &length, &c->error);
    if (status || length == 0.0) return status;
    const double *start = block_at(c->state, c->state->start);
    for (size_t k = 0; k < c->plan.dim; k++)
        if (length < SCALE_LEAST * fabs(start[k]))
            return fail_with(
                &c->error, CKAM_ERROR_SCALE,
                "the scale of the density around the start is %.3g, too small beside coordinate %zu, which "
                "is %g; shift it, or check that the start is not an isolated point",
                length, k + 1, start[k]);
    begin_sampler(c, length);
    return CKAM_OK;
}

/* -- Ask, tell, step ---------------------------------------------------------------------------------------------- */

/* The point that was asked and not yet told. */
static const double *pending(ckam_chain *c) {
    chain_state *s = c->state;
    if (s->phase == CKAM_PHASE_START) return block_at(s, s->start);
    if (s->phase == CKAM_PHASE_SCALE) return block_at(s, s->point);
    return now_y(sampler_state(c));
}

static bool waits(const ckam_chain *c) {
    const sampler *table = c->options.sampler;
    return table->waits && c->state->phase == CKAM_PHASE_SAMPLE && table->waits(sampler_state(c));
}

COLD static void learn_alone(ckam_chain *c) {
    (void)c->options.sampler->pool((void *[]){sampler_state(c)}, 1, NULL, 1);
}

static const double *next_point(ckam_chain *c) {
    chain_state *s = c->state;
    if (s->asked) return pending(c);
    s->asked = true;
    if (s->phase == CKAM_PHASE_START) return ask_start(c);
    if (s->phase == CKAM_PHASE_SCALE) return ask_scale(s, c->plan.dim);
    current *now = sampler_state(c);
    if (waits(c)) learn_alone(c);
    rng_at(&s->rng, now->counts.iterations, RNG_STEP);
    return c->options.sampler->ask(now, &s->rng);
}

WIDE static bool all_finite_wide(size_t dim, const double *x) { return all_finite(dim, x); }

static bool is_finite_point(size_t dim, const double *x) {
    enum { FEW = 8 }; /* numbers that are looked at sooner than a function is called */
    return dim < FEW ? all_finite(dim, x) : all_finite_wide(dim, x);
}

COLD static ckam_status refuse_point(ckam_chain *c, const double *x) {
    size_t k = 0;
    while (isfinite(x[k])) k++;
    return fail_with(&c->error, CKAM_ERROR_RANGE,
                     "coordinate %zu of a proposal is %g: the chain has left the range of numbers; the density "
                     "may not have a finite integral",
                     k + 1, x[k]);
}

static ckam_status check_point(ckam_chain *c, const double *x) {
    return is_finite_point(c->plan.dim, x) ? CKAM_OK : refuse_point(c, x);
}

static ckam_status ask(ckam_chain *c, const double **x) {
    if (c->pooled && waits(c))
        return fail_with(&c->error, CKAM_ERROR_ORDER,
                         "the chain waits at the end of a cycle for the others; call ckam_chain_pool() first");
    *x = next_point(c);
    return check_point(c, *x);
}

/* Before the sampler begins. */
COLD static ckam_status tell_before(ckam_chain *c, double log_density, ckam_step *out) {
    chain_state *s = c->state;
    *out = (ckam_step){.x = block_at(s, s->start), .phase = s->phase};
    ckam_status status = s->phase == CKAM_PHASE_START ? tell_start(c, log_density) : tell_scale(c, log_density);
    out->log_density = s->log_density;
    return status;
}

static ckam_status tell(ckam_chain *c, double log_density, ckam_step *out) {
    chain_state *s = c->state;
    s->asked = false;
    s->evaluations++;
    if (s->phase == CKAM_PHASE_SAMPLE) {
        c->options.sampler->tell(sampler_state(c), &s->rng, log_density, out);
        s->draws += out->draw;
        return CKAM_OK;
    }
    return tell_before(c, log_density, out);
}

ckam_status ckam_chain_ask(ckam_chain *chain, const double **x) { return ask(chain, x); }

ckam_status ckam_chain_tell(ckam_chain *chain, double log_density, ckam_step *step) {
    if (!chain->state->asked)
        return fail_with(&chain->error, CKAM_ERROR_ORDER, "tell was called without an ask before it");
    ckam_status status = check_point(chain, pending(chain)); /* ask may have refused it */
    if (!status) status = target_judge(&chain->target, pending(chain), &log_density, &chain->nans, &chain->error);
    return status ? status : tell(chain, log_density, step);
}

ckam_status ckam_chain_step(ckam_chain *chain, ckam_step *step) {
    double log_density;
    if (!chain->target.log_density)
        return fail_with(&chain->error, CKAM_ERROR_ARGUMENT, "the target has no log_density; use ask and tell");
    const double *x;
    ckam_status   status = ask(chain, &x);
    if (!status) status = target_evaluate(&chain->target, x, &log_density, &chain->nans, &chain->error);
    return status ? status : tell(chain, log_density, step);
}

bool chain_point(const ckam_chain *chain, const double **x, double *log_density) {
    chain_state *s = chain->state;
    bool         sampling = s->phase == CKAM_PHASE_SAMPLE;
    current     *now = sampler_state(chain);
    *x = sampling ? now_x(now) : block_at(s, s->start);
    *log_density = sampling ? now->log_density : s->log_density;
    return s->phase != CKAM_PHASE_START;
}

bool chain_search(const ckam_chain *chain, search_counts *counts) {
    const sampler *table = chain->options.sampler;
    *counts = (search_counts){0};
    if (!table->search || chain->state->phase != CKAM_PHASE_SAMPLE) return false;
    table->search(sampler_state(chain), counts);
    return true;
}

uint64_t chain_warmup(const ckam_chain *chain) {
    const current *now = sampler_state(chain);
    return chain->state->phase == CKAM_PHASE_SAMPLE ? now->warmup : chain->plan.settings->warmup;
}

uint64_t chain_first_draw(const ckam_options *options, size_t dim, uint64_t horizon) {
    const sampler  *table = options->sampler;
    const blueprint plan = {.dim = dim,
                            .horizon = horizon,
                            .settings = options->values,
                            .may_extend_warmup = table->warmup && options->values->warmup == COUNT_AUTO};
    uint64_t        scale = table->wants_scale(options->values) ? SCALE_USUAL : 0;
    return 1 + scale + (table->first_draw ? table->first_draw(&plan) : options->values->warmup + 1);
}

void chain_set_horizon(ckam_chain *chain, uint64_t horizon) {
    chain->plan.horizon = horizon;
    if (chain->plan.may_extend_warmup) chain->options.values->warmup = chain->options.sampler->warmup(&chain->plan);
}

void chain_restart(ckam_chain *chain) {
    if (chain->options.sampler->restart) chain->options.sampler->restart(sampler_state(chain));
}

bool chain_draws_are_late(ckam_chain *const *chains, size_t count) {
    search_counts sum = {0};
    for (size_t i = 0; i < count; i++) {
        search_counts own;
        chain_search(chains[i], &own);
        sum.draws += own.draws;
        sum.late += own.late;
    }
    return search_is_late(sum.draws, sum.late);
}

bool ckam_chain_found_late(ckam_chain *const *chains, size_t count) {
    bool late = chain_draws_are_late(chains, count);
    for (size_t i = 0; i < count && late; i++) chain_restart(chains[i]);
    return late;
}

bool ckam_chain_waits(const ckam_chain *chain) { return waits(chain); }

/* Whether a chain may learn with the first one: what they keep must be of one form. */
static ckam_status check_partner(const ckam_chain *first, const ckam_chain *c, size_t number, ckam_error *error) {
    char               ours[OPTION_ROOM], theirs[OPTION_ROOM];
    const ckam_counts *own = &((const current *)sampler_state(c))->counts,
                      *one = &((const current *)sampler_state(first))->counts;
    if (c->options.sampler != first->options.sampler || c->plan.dim != first->plan.dim)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "chain %zu has another sampler or dimension than the first",
                         number);
    const char *option = options_difference(&c->options, first->options.values, ours, theirs);
    if (option)
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "%s of chain %zu is %s, and %s of the first; only chains with the same "
                         "options are pooled",
                         option, number, ours, theirs);
    if (own->iterations != one->iterations)
        return fail_with(error, CKAM_ERROR_ORDER,
                         "chain %zu waits after %llu iterations, the first after %llu; pool chains "
                         "at the same cycle, all of them each time",
                         number, (unsigned long long)own->iterations, (unsigned long long)one->iterations);
    return CKAM_OK;
}

static ckam_status check_pool(ckam_chain *const *chains, size_t count, ckam_error *error) {
    ckam_status status = CKAM_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (!chains[i] || !waits(chains[i]))
            return fail_with(error, CKAM_ERROR_ORDER, "chain %zu of %zu does not wait to be pooled; step it first",
                             i + 1, count);
        for (size_t j = 0; j < i; j++)
            if (chains[i] == chains[j])
                return fail_with(error, CKAM_ERROR_ARGUMENT, "chains %zu and %zu are the same one", j + 1, i + 1);
        status = check_partner(chains[0], chains[i], i + 1, error);
    }
    return status;
}

size_t chain_summarise(ckam_chain *chain, size_t index, size_t total, void *bytes) {
    return chain->options.sampler->summarise(sampler_state(chain), index, total, bytes);
}

ckam_status chain_learn(ckam_chain *const *chains, size_t count, void *const *summaries, size_t total,
                        ckam_error *error) {
    void **states = malloc(count * sizeof *states);
    for (size_t i = 0; states && i < count; i++) states[i] = sampler_state(chains[i]);
    bool pooled = states && chains[0]->options.sampler->pool(states, count, summaries, total);
    free(states);
    return pooled ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to pool %zu chains", total);
}

ckam_status ckam_chain_pool(ckam_chain *const *chains, size_t count, ckam_error *error) {
    if (!chains || !count) return fail_with(error, CKAM_ERROR_ARGUMENT, "there are no chains to pool");
    ckam_status status = check_pool(chains, count, error);
    return status ? status : chain_learn(chains, count, NULL, count, error);
}

const ckam_error *ckam_chain_error(const ckam_chain *chain) { return &chain->error; }

void ckam_chain_counts(const ckam_chain *chain, ckam_counts *counts) {
    *counts = (ckam_counts){0};
    if (chain->state->phase == CKAM_PHASE_SAMPLE) *counts = ((const current *)sampler_state(chain))->counts;
    counts->evaluations = chain->state->evaluations;
    counts->draws = chain->state->draws;
}
