/* test_warmup.c - a warm-up of w iterations is w of them: no more and no fewer are left out of the draws. */
#include "support.h"

#include "ckam.h"

#include <stdio.h>

enum { STEPS = 60, LENGTH = 20, EXPLORE = 8 }; /* of a cycle of ckam */

/* Each iteration of the sampler, the start and the scale left out, is a draw from number `warmup` on; ckam's only where it
 * samples. */
static void check(const char *sampler, const char *more, unsigned warmup) {
    char          spec[128];
    ckam_model   *model;
    ckam_options *options;
    ckam_chain   *chain;
    ckam_step     step;
    ckam_counts   counts = {0};
    double        start[2];
    uint64_t      draws = 0;
    snprintf(spec, sizeof spec, "%s:warmup=%u%s", sampler, warmup, more);
    assert_int_equal(ckam_model_create(&model, "gaussian:dim=2", NULL), CKAM_OK);
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_model_start(model, start);
    ckam_setup setup = {.target = ckam_model_target(model), .options = options, .start = start, .seed = 1};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    while (counts.iterations < STEPS) {
        uint64_t before = counts.iterations;
        assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
        ckam_chain_counts(chain, &counts);
        bool samples = counts.iterations > before && (!*more || before % LENGTH >= EXPLORE);
        assert_int_equal(step.draw, samples && before >= warmup);
        draws += step.draw;
    }
    assert_int_equal(counts.draws, draws);
    ckam_chain_free(chain);
    ckam_options_free(options);
    ckam_model_free(model);
}

static void a_warmup_is_as_long_as_it_says(void **unused) {
    (void)unused;
    static const char *const samplers[] = {"rw", "am", "rbam", "gam", "kam"};
    static const unsigned    lengths[] = {0, 1, 30, 59, 60};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        for (size_t s = 0; s < sizeof samplers / sizeof *samplers; s++) check(samplers[s], "", lengths[k]);
        check("ckam", ",cycle-length=20,explore=0.4", lengths[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_warmup_is_as_long_as_it_says)};
    return cmocka_run_group_tests_name("warmup", tests, NULL, NULL);
}
