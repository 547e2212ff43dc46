/* test_threads.c - chains in threads of their own give the draws that they give one after the other.
 *
 * They share the target and the options, as chains of one run do. Also run under the thread sanitizer. */
#include "support.h"

#include "ckam.h"

#include <pthread.h>
#include <string.h>

enum { CHAINS = 8, STEPS = 600, DIM_MOST = 40 };

typedef struct job {
    const ckam_setup *setup; /* shared; the number of the chain is the job's own */
    uint64_t          chain;
    ckam_status       status;
    double            last[DIM_MOST];
} job;

static void *run(void *argument) {
    job        *j = argument;
    ckam_setup  setup = *j->setup;
    ckam_chain *chain;
    ckam_step   step;
    setup.chain = j->chain;
    j->status = ckam_chain_create(&chain, &setup, NULL);
    for (int i = 0; !j->status && i < STEPS; i++) j->status = ckam_chain_step(chain, &step);
    if (!j->status) memcpy(j->last, step.x, setup.target->dim * sizeof *step.x);
    ckam_chain_free(chain);
    return NULL;
}

static void check(const char *model_spec, const char *sampler_spec) {
    ckam_model   *model;
    ckam_options *options;
    job           alone[CHAINS], together[CHAINS];
    pthread_t     threads[CHAINS];
    assert_int_equal(ckam_model_create(&model, model_spec, NULL), CKAM_OK);
    assert_int_equal(ckam_options_create(&options, sampler_spec, NULL), CKAM_OK);
    ckam_setup setup = {.target = ckam_model_target(model), .options = options, .seed = 12};
    for (uint64_t c = 0; c < CHAINS; c++) {
        alone[c] = together[c] = (job){.setup = &setup, .chain = c};
        run(&alone[c]);
        assert_int_equal(alone[c].status, CKAM_OK);
    }
    for (int c = 0; c < CHAINS; c++) assert_int_equal(pthread_create(&threads[c], NULL, run, &together[c]), 0);
    for (int c = 0; c < CHAINS; c++) assert_int_equal(pthread_join(threads[c], NULL), 0);
    for (int c = 0; c < CHAINS; c++) assert_memory_equal(&alone[c], &together[c], sizeof alone[c]);
    ckam_options_free(options);
    ckam_model_free(model);
}

static void threads_change_nothing(void **unused) {
    (void)unused;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        check("banana", entry->name);
        check("gaussian:dim=40", entry->name); /* in blocks */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_change_nothing)};
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
