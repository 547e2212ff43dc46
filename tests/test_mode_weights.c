/* test_mode_weights.c - late and uneven modes: how often chains that are stationary are called so, and which are not missed. */
#include "support.h"

#include "diag/mode_weights.h"
#include "rng/rng.h"

#include <math.h>

enum { CHAINS = 4, ROWS = 2000 };

/* How a chain goes in and out of the mode: a share `weight` of its rows, for `stay` rows at a time on average. In a visit it may
 * flicker: be outside for single rows. Before row `first` it does not go there, and in chain c weights are multiplied by factor[c]. */
typedef struct habit {
    double weight, stay, flicker;
    size_t first;
    double factor[CHAINS];
} habit;

static uint64_t fill(const habit *h, rng *r, uint8_t *label) {
    uint64_t arrivals = 0;
    for (size_t c = 0; c < CHAINS; c++) {
        const double w = h->weight * (h->factor[c] > 0.0 ? h->factor[c] : 1.0), out = 1.0 / h->stay,
                     in = out * w / (1.0 - w);
        bool inside = h->first == 0 && rng_uniform(r) < w;
        for (size_t row = 0; row < ROWS; row++) {
            uint8_t *here = label + c * ROWS + row;
            if (row > h->first) inside = inside ? rng_uniform(r) >= out : rng_uniform(r) < in;
            *here = inside && rng_uniform(r) >= h->flicker;
            arrivals += row > 0 && *here && !here[-1];
        }
    }
    return arrivals;
}

static mode_doubts doubts_of(const habit *h, uint64_t seed) {
    static uint8_t label[CHAINS * ROWS];
    const labels   l = {.label = label, .chains = CHAINS, .rows = ROWS, .modes = 1};
    mode_doubts    d = {0};
    rng            r;
    rng_init(&r, seed, 0);
    const uint64_t arrivals = fill(h, &r, label);
    assert_int_equal(weight_check(&l, 1, 0, arrivals, &d, NULL), CKAM_OK);
    return d;
}

/* Of 6 x 1000 runs 1e-4 may be called late or uneven: 0.6 in the mean, more than 7 with a probability of 3e-7. */
static void stationary_chains_are_left_alone(void **state) {
    static const habit habits[] = {{.weight = 0.5, .stay = 2.0},   {.weight = 0.5, .stay = 20.0},
                                   {.weight = 0.05, .stay = 5.0},  {.weight = 0.003, .stay = 1.0},
                                   {.weight = 0.003, .stay = 4.0}, {.weight = 0.2, .stay = 10.0, .flicker = 0.3}};
    size_t             late = 0, uneven = 0;
    (void)state;
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        for (uint64_t seed = 1; seed <= 1000; seed++) {
            const mode_doubts d = doubts_of(habits + i, seed);
            late += d.late;
            uneven += d.uneven;
        }
    if (late + uneven > 7) fail_msg("%zu runs are called late and %zu uneven", late, uneven);
}

/* The twins: each is found in 20 runs of 20. */
static void what_is_not_stationary_is_found(void **state) {
    static const habit late = {.weight = 0.5, .stay = 5.0, .first = 1800},
                       rare = {.weight = 0.05, .stay = 2.0, .first = 1000},
                       uneven = {.weight = 0.3, .stay = 5.0, .factor = {0.4, 1.0, 1.0, 1.8}};
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        mode_doubts d = doubts_of(&late, seed);
        assert_int_equal(d.late, 1);
        assert_less(0.89, d.absent);
        assert_int_equal(doubts_of(&rare, seed).late, 1);
        d = doubts_of(&uneven, seed);
        assert_int_equal(d.uneven, 1);
        assert_int_equal(d.late, 0);
        assert_true(d.least < 0.2 && d.most > 0.4);
    }
}

/* Against the root of the mean square error of 400 runs with about 20 arrivals each: within 25 %. Where there are many, nothing. */
static void the_error_from_visits(void **state) {
    static uint8_t label[CHAINS * ROWS];
    const habit    h = {.weight = 0.2, .stay = 80.0};
    double         square = 0.0, claimed = 0.0;
    rng            r;
    (void)state;
    rng_init(&r, 1, 0);
    for (int run = 0; run < 400; run++) {
        const uint64_t arrivals = fill(&h, &r, label);
        double         w = 0.0;
        for (size_t i = 0; i < CHAINS * ROWS; i++) w += label[i] / (double)(CHAINS * ROWS);
        square += (w - 0.2) * (w - 0.2) / 400.0;
        claimed += pow(weight_error(w, arrivals, CHAINS * ROWS), 2.0) / 400.0;
    }
    assert_relative(sqrt(claimed), sqrt(square), 0.25);
    assert_close(weight_error(0.5, 0, 1000), 0.0, 0.0);
    assert_close(weight_error(0.5, 50, 1000), 0.0, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stationary_chains_are_left_alone),
                                       cmocka_unit_test(what_is_not_stationary_is_found),
                                       cmocka_unit_test(the_error_from_visits)};
    return cmocka_run_group_tests_name("mode_weights", tests, NULL, NULL);
}
