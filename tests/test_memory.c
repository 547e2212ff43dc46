/* test_memory.c - only the create functions allocate, and each of them survives a refusal of any of its allocations.
 *
 * Linked so that the library's calls of malloc and its relatives come here (-Wl,--wrap). What other libraries and cmocka
 * allocate for themselves, as shared libraries, does not. */
#include "failure.h"

#include "chain/chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 128 };

/* -- The meter --------------------------------------------------------------------------------------------------- */

/* Volatile: the compiler believes that malloc changes no variable of this file. */
static volatile struct {
    bool     on;
    uint64_t calls;   /* of allocating functions while on            */
    uint64_t refuse;  /* the call that gets no memory; 0: none       */
    int64_t  live;    /* blocks allocated less blocks freed while on */
    bool     refused; /* it has happened                             */
} meter;

static void meter_start(uint64_t refuse) {
    meter.calls = 0;
    meter.refuse = refuse;
    meter.live = 0;
    meter.refused = false;
    meter.on = true;
}

static void meter_stop(void) { meter.on = false; }

/* Whether this allocation gets memory. */
static bool grant(void) {
    if (!meter.on) return true;
    if (++meter.calls != meter.refuse) return true;
    meter.refused = true;
    return false;
}

static void *born(void *block) {
    meter.live += meter.on && block;
    return block;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int   __real_posix_memalign(void **block, size_t alignment, size_t size);
int   __wrap_posix_memalign(void **block, size_t alignment, size_t size);
void  __real_free(void *block);
void  __wrap_free(void *block);

void *__wrap_malloc(size_t size) { return grant() ? born(__real_malloc(size)) : NULL; }

void *__wrap_calloc(size_t count, size_t size) { return grant() ? born(__real_calloc(count, size)) : NULL; }

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return grant() ? born(__real_aligned_alloc(alignment, size)) : NULL;
}

void *__wrap_realloc(void *block, size_t size) {
    if (!grant()) return NULL;
    void *moved = __real_realloc(block, size);
    return block ? moved : born(moved);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
    if (!grant()) return 12; /* ENOMEM */
    int failed = __real_posix_memalign(block, alignment, size);
    if (!failed) born(*block);
    return failed;
}

void __wrap_free(void *block) {
    meter.live -= meter.on && block;
    __real_free(block);
}

/* The meter counts what it must. */
static void allocations_are_noticed(void **unused) {
    (void)unused;
    void *volatile block;
    meter_start(3);
    block = malloc(8);
    free(block);
    assert_true(meter.calls == 1 && meter.live == 0);
    block = calloc(1, 8);
    assert_true(block && meter.calls == 2 && meter.live == 1 && !meter.refused);
    void *volatile none = aligned_alloc(64, 64);
    meter_stop();
    assert_true(!none && meter.calls == 3 && meter.live == 1 && meter.refused);
    free(block);
}

/* -- Nothing allocates after a chain is created ------------------------------------------------------------------ */

static ckam_model *new_model(const char *spec) {
    ckam_model *model;
    assert_int_equal(ckam_model_create(&model, spec, NULL), CKAM_OK);
    return model;
}

static ckam_options *new_options(const char *spec) {
    ckam_options *options;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    return options;
}

static uint64_t cycles_seen; /* by the last chain that was used */

/* Everything that can be called on a chain: steps, asks and tells, counts, snapshots, failures. */
static void use(ckam_chain *chain, const ckam_target *target, size_t steps, void *bytes) {
    ckam_step   step = {0};
    ckam_counts counts;
    for (size_t i = 0; i < steps; i++) {
        const double *x;
        double        value;
        ckam_chain_ask(chain, &x);
        target->log_density(target->context, x, &value);
        ckam_chain_tell(chain, value, &step);
        ckam_chain_step(chain, &step);
    }
    cycles_seen = step.cycle;
    size_t size = ckam_chain_snapshot_size(chain);
    assert_int_equal(ckam_chain_save(chain, bytes, size), CKAM_OK);
    assert_int_equal(ckam_chain_load(chain, bytes, size), CKAM_OK);
    assert_int_equal(ckam_chain_load(chain, bytes, size - 1), CKAM_ERROR_SNAPSHOT);
    assert_int_equal(ckam_chain_tell(chain, 0.0, &step), CKAM_ERROR_ORDER);
    ckam_chain_counts(chain, &counts);
    assert_int_equal(counts.evaluations, 2 * steps);
    assert_true(ckam_chain_error(chain)->status == CKAM_ERROR_ORDER);
}

static void check_no_allocation(const char *model_spec, const char *spec, size_t steps) {
    ckam_model        *model = new_model(model_spec);
    ckam_options      *options = new_options(spec);
    const ckam_target *target = ckam_model_target(model);
    ckam_setup         setup = {.target = target, .options = options, .seed = 3};
    ckam_chain        *chain;
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    void *bytes = malloc(2 * chain->size + 4096); /* a snapshot grows */
    assert_non_null(bytes);
    meter_start(0);
    use(chain, target, steps, bytes);
    meter_stop();
    if (meter.calls) print_error("%s on %s\n", spec, model_spec);
    assert_int_equal(meter.calls, 0);
    assert_int_equal(meter.live, 0);
    free(bytes);
    ckam_chain_free(chain);
    ckam_options_free(options);
    ckam_model_free(model);
}

/* dim = 2 and 40 are below a subsample of 50, 80 is above: the two ways to factor a proposal, small and in blocks. */
static void steps_allocate_nothing(void **unused) {
    (void)unused;
    static const char *const models[] = {"gaussian:dim=2", "gaussian:dim=40", "gaussian:dim=80"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
            char spec[TEXT];
            bool cycles = false;
            for (const ckam_option *o = entry->options; o->name; o++) cycles |= !strcmp(o->name, "cycle-length");
            snprintf(spec, sizeof spec, "%s%s", entry->name, cycles ? ":cycle-length=300" : "");
            check_no_allocation(models[m], spec, 2000);
            for (const ckam_option *o = entry->options; o->name; o++)
                for (size_t i = 0; o->type == CKAM_CHOICE && o->words[i]; i++) {
                    snprintf(spec, sizeof spec, "%s:%s=%s%s", entry->name, o->name, o->words[i],
                             cycles ? ",cycle-length=30" : "");
                    check_no_allocation("gaussian:dim=3", spec, 100);
                    check_no_allocation("gaussian:dim=60", spec, 50);
                }
        }
}

/* Nor does a chain of jump that learns by itself at the end of a cycle. */
static void the_end_of_a_cycle_allocates_nothing(void **unused) {
    (void)unused;
    static const struct {
        const char *model;
        size_t      steps; /* twice that: more than one cycle */
    } cases[] = {{"bimodal", 2000}, {"gaussian:dim=40", 6000}};
    for (size_t i = 0; i < 2; i++) {
        check_no_allocation(cases[i].model, "jump", cases[i].steps);
        assert_true(cycles_seen > 0);
    }
}

/* -- Out of memory ----------------------------------------------------------------------------------------------- */

/* Makes something and frees it again; on failure what it was to be is NULL. */
typedef ckam_status attempt(const char *spec, ckam_error *error);

static ckam_status try_options(const char *spec, ckam_error *error) {
    ckam_options *options = (ckam_options *)(void *)&options;
    ckam_status   status = ckam_options_create(&options, spec, error);
    assert_true((status == CKAM_OK) == (options != NULL));
    ckam_options_free(options);
    return status;
}

static ckam_status try_model(const char *spec, ckam_error *error) {
    ckam_model *model = (ckam_model *)(void *)&model;
    ckam_status status = ckam_model_create(&model, spec, error);
    assert_true((status == CKAM_OK) == (model != NULL));
    ckam_model_free(model);
    return status;
}

static int normal(void *context, const double *x, double *value) {
    (void)context;
    *value = -0.5 * (x[0] * x[0] + x[1] * x[1]);
    return CKAM_OK;
}
static const ckam_target target = {.dim = 2, .log_density = normal};

static ckam_status try_chain(const char *spec, ckam_error *error) {
    meter.on = false;
    ckam_options *options = new_options(spec);
    meter.on = true;
    ckam_chain *chain = (ckam_chain *)(void *)&chain;
    ckam_status status = ckam_chain_create(&chain, &(ckam_setup){.target = &target, .options = options}, error);
    assert_true((status == CKAM_OK) == (chain != NULL));
    ckam_chain_free(chain);
    meter.on = false;
    ckam_options_free(options);
    return status;
}

static ckam_status try_sample(const char *spec, ckam_error *error) {
    double out[3 * 4 * 2];
    return ckam_sample(&target, spec, NULL, 1, 3, 4, out, error);
}

/* Refuses the first allocation, then the second, ... until all are granted. Returns how many there are. */
static uint64_t check_refusals(attempt *make, const char *spec) {
    for (uint64_t n = 1;; n++) {
        ckam_error error = {.message = ""};
        meter_start(n);
        ckam_status status = make(spec, &error);
        meter_stop();
        assert_int_equal(meter.live, 0);
        if (!meter.refused) {
            assert_int_equal(status, CKAM_OK);
            return n - 1;
        }
        assert_failure(status, CKAM_ERROR_MEMORY, &error, "no memory");
        meter_start(n);
        assert_int_equal(make(spec, NULL), CKAM_ERROR_MEMORY);
        meter_stop();
        assert_int_equal(meter.live, 0);
    }
}

static void refused_memory_is_an_error(void **unused) {
    (void)unused;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        uint64_t options = check_refusals(try_options, entry->name), chain = check_refusals(try_chain, entry->name);
        assert_true(options >= 2 && chain >= 2);
        /* Two arrays for chains that go together: all of jump, each alone of the others. jump may also pool. */
        bool     together = !strcmp(entry->name, "jump");
        uint64_t exact = options + 3 * chain + (together ? 2 : 6), refusals = check_refusals(try_sample, entry->name);
        assert_true(together ? refusals >= exact : refusals == exact);
    }
    for (const ckam_entry *entry = ckam_model_list(); entry->name; entry++)
        assert_true(check_refusals(try_model, entry->name) >= 2);
}

/* A bad option, a bad setup or a failed run gives back all that was allocated before it was noticed. */
static void failures_leak_nothing(void **unused) {
    (void)unused;
    static const struct {
        attempt    *make;
        const char *spec;
    } cases[] = {{try_options, "ckam:explore=1.5"}, {try_options, "ckam:,"},          {try_model, "bimodal:dim=0"},
                 {try_model, "bimodal:"},           {try_chain, "ckam:explore=1e-9"}, {try_chain, "kam:noise-end=1"},
                 {try_sample, "ckam:explore=1e-9"}, {try_sample, "kam:noise-end=1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_error error;
        meter_start(0);
        assert_int_equal(cases[i].make(cases[i].spec, &error), CKAM_ERROR_OPTION);
        meter_stop();
        assert_true(meter.calls > 0);
        assert_int_equal(meter.live, 0);
    }
}

/* A test that fails may leave the meter on. */
static int switch_off(void **unused) {
    (void)unused;
    meter_stop();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(allocations_are_noticed, switch_off),
                                       cmocka_unit_test_teardown(steps_allocate_nothing, switch_off),
                                       cmocka_unit_test_teardown(the_end_of_a_cycle_allocates_nothing, switch_off),
                                       cmocka_unit_test_teardown(refused_memory_is_an_error, switch_off),
                                       cmocka_unit_test_teardown(failures_leak_nothing, switch_off)};
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
