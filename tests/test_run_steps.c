/* test_run_steps.c - the figure of step sizes and acceptance, against a chain driven by hand. */
#include "made_figures.h"
#include "run_support.h"

/* What a chain does, told by itself: phases, step sizes, acceptance. */
typedef struct told {
    size_t count;
    struct {
        ckam_phase phase;
        double     size, accept;
        bool       draw;
    } step[20000];
} told;

/* The chain 0 of a run of bimodal by this sampler and seed, until it has made so many draws. */
static told *drive(const char *spec, uint64_t seed, size_t draws, uint64_t horizon) {
    told         *t = calloc(1, sizeof *t);
    ckam_model   *model = model_of("bimodal");
    ckam_options *options;
    ckam_chain   *chain;
    ckam_step     step;
    assert_non_null(t);
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_setup setup = {.target = ckam_model_target(model), .options = options, .seed = seed, .horizon = horizon};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    for (size_t drawn = 0; drawn < draws;) {
        assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
        if (step.phase < CKAM_PHASE_EXPLORE) continue;
        assert_true(t->count < sizeof t->step / sizeof *t->step);
        t->step[t->count].phase = step.phase;
        t->step[t->count].size = step.step_size;
        t->step[t->count].accept = step.accept;
        t->step[t->count++].draw = step.draw;
        drawn += step.draw;
    }
    ckam_chain_free(chain);
    ckam_options_free(options);
    ckam_model_free(model);
    return t;
}

#define SAMPLER "ckam:cycle-length=100,explore=0.3,warmup=250"

static ckam_draws *run_draws(const char *out, const char *warmup, const char *sampler, const char *draws) {
    ckam_draws *d;
    run_to_end(PAIRS("model", "bimodal", "sampler", sampler, "chains", "2", "seed", "9", "draws", draws, "horizon",
                     "10000", "format", "csv", "save-warmup", warmup, "out", out),
               NULL);
    assert_int_equal(ckam_draws_open(&d, &out, 1, NULL), CKAM_OK);
    return d;
}

/* Spans are where the chain explored; sizes and acceptance are those of its steps, the latter in means of 20. */
static void steps_are_those_of_the_chain(void **unused) {
    (void)unused;
    ckam_draws *draws = run_draws("saved", "true", SAMPLER, "500");
    told       *t = drive(SAMPLER, 9, 500, 10000);
    run_facts   facts = {.draws = draws, .directory = "saved"};
    figure     *f = figure_of(&facts, "steps", 0, 0, 2000);
    const mark *spans = find_mark(f, 0, MARK_SPANS, 0), *sizes = find_mark(f, 0, MARK_LINE, 0);
    const mark *accepts = find_mark(f, 1, MARK_LINE, 0);
    size_t      next = 0;
    assert_int_equal(sizes->count, t->count);
    for (size_t i = 0; i < t->count; i++) {
        assert_true(sizes->x[i] == (double)i && sizes->y[i] == t->step[i].size);
        bool explores = t->step[i].phase == CKAM_PHASE_EXPLORE;
        bool before = i && t->step[i - 1].phase == CKAM_PHASE_EXPLORE;
        if (explores && !before) assert_close(spans->low[next], (double)i, 0.0);
        if (!explores && before) assert_close(spans->high[next++], (double)i, 0.0);
    }
    assert_int_equal(next, spans->count);
    assert_int_equal(find_mark(f, 1, MARK_SPANS, 0)->count, spans->count);
    for (size_t i = 0; i < accepts->count; i++) {
        double sum = 0.0, count = 0.0;
        for (size_t k = 20 * i; k < 20 * i + 20 && k < t->count; k++, count++) sum += t->step[k].accept;
        assert_relative(accepts->y[i], sum / count, 1e-12);
    }
    assert_null(strstr(f->caption, "save-warmup"));
    figure_free(f);
    /* gathered into fewer blocks, the first of each is shown, and means are those of longer blocks */
    f = figure_of(&facts, "steps", 0, 0, 30);
    sizes = find_mark(f, 0, MARK_LINE, 0);
    accepts = find_mark(f, 1, MARK_LINE, 0);
    assert_in_range(sizes->count, 15, 32);
    for (size_t i = 0; i < sizes->count; i++) assert_true(sizes->y[i] == t->step[(size_t)sizes->x[i]].size);
    double width = 2.0 * accepts->x[0] + 1.0, weighted = 0.0, all = 0.0; /* x is the middle of a block */
    assert_true(width > 20.0);
    for (size_t i = 0; i < t->count; i++) all += t->step[i].accept / (double)t->count;
    for (size_t i = 0; i < accepts->count; i++) {
        double begin = width * (double)i, end = fmin(begin + width, (double)t->count);
        assert_close(accepts->x[i], 0.5 * (begin + end - 1.0), 1e-12);
        weighted += accepts->y[i] * (end - begin) / (double)t->count;
    }
    assert_relative(weighted, all, 1e-12);
    figure_free(f);
    ckam_draws_free(draws);
    free(t);
}

/* Without the warm-up only draws are there, every second cycle is shaded, and the caption says what to do. With more
 * than 30 cycles the first ten are shown. */
static void steps_of_draws_alone(void **unused) {
    (void)unused;
    ckam_draws *draws = run_draws("alone", "false", SAMPLER, "700");
    run_facts   facts = {.draws = draws, .directory = "alone"};
    figure     *f = figure_of(&facts, "steps", 0, 0, 2000);
    const mark *spans = find_mark(f, 0, MARK_SPANS, 0), *sizes = find_mark(f, 0, MARK_LINE, 0);
    /* warm-up ends in cycle 2, of which 50 draws are left; cycles 3, 5, 7, 9, 11 are odd, and 70 draws long */
    assert_int_equal(sizes->count, 700);
    assert_int_equal(spans->count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_close(spans->low[i], (double)(50 + 140 * i + 1), 0.0);
        assert_close(spans->high[i], (double)(50 + 140 * i + 71), 0.0);
    }
    assert_non_null(strstr(f->caption, "--save-warmup"));
    assert_non_null(strstr(f->caption, "Acceptance is the mean of 20 draws."));
    figure_free(f);
    ckam_draws_free(draws);
    draws = run_draws("long", "true", SAMPLER, "4000");
    facts = (run_facts){.draws = draws, .directory = "long"};
    f = figure_of(&facts, "steps", 0, 0, 2000);
    assert_int_equal(find_mark(f, 0, MARK_LINE, 0)->count, 1000);
    assert_int_equal(find_mark(f, 0, MARK_SPANS, 0)->count, 10);
    assert_non_null(strstr(f->caption, "The first 10 of "));
    figure_free(f);
    ckam_draws_free(draws);
}

/* Without cycles all chains are shown, and nothing is shaded. Of thinned draws the iterations are counted. */
static void steps_without_cycles(void **unused) {
    (void)unused;
    const char *out = "thinned";
    ckam_draws *draws;
    run_to_end(PAIRS("model", "bimodal", "sampler", "gam:warmup=30", "chains", "2", "seed", "9", "draws", "50", "thin",
                     "3", "format", "csv", "save-warmup", "true", "out", out),
               NULL);
    assert_int_equal(ckam_draws_open(&draws, &out, 1, NULL), CKAM_OK);
    run_facts   facts = {.draws = draws, .directory = out};
    figure     *f = figure_of(&facts, "steps", 0, 0, 2000);
    const mark *first = find_mark(f, 0, MARK_LINE, 0), *second = find_mark(f, 0, MARK_LINE, 1);
    assert_int_equal(f->panel[0].marks, 2);
    assert_int_equal(first->count, 80);
    assert_int_equal(second->count, 80);
    for (size_t i = 0; i < 80; i++) assert_close(first->x[i], i < 30 ? (double)i : 30.0 + 3.0 * (double)(i - 30), 0.0);
    assert_non_null(strstr(f->caption, "Acceptance is the mean of 20 iterations that are in the files."));
    figure_free(f);
    /* the warm-up of one chain is lost: of both there are the draws */
    remove_tree("thinned/chain_2_warmup.csv");
    f = figure_of(&facts, "steps", 0, 0, 2000);
    for (size_t chain = 0; chain < 2; chain++) {
        const mark *line = find_mark(f, 0, MARK_LINE, chain);
        assert_int_equal(line->count, 50);
        for (size_t i = 0; i < 50; i++) assert_close(line->x[i], (double)(i + 1), 0.0);
    }
    figure_free(f);
    ckam_draws_free(draws);
}

static void draws_without_steps_say_so(void **unused) {
    (void)unused;
    made        m = made_model("gaussian:dim=1", 1, 10, 0.0, 1);
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    ckam_error  error = {.message = ""};
    figure     *f = NULL;
    assert_failure(kind_of("steps")->make(&facts, kind_of("steps"), 0, NULL, 100, &f, &error), CKAM_ERROR_FORMAT,
                   &error, "stepsize__");
    assert_null(f);
    ckam_draws_free(draws);
    made_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_those_of_the_chain),
                                       cmocka_unit_test(steps_of_draws_alone), cmocka_unit_test(steps_without_cycles),
                                       cmocka_unit_test(draws_without_steps_say_so)};
    return cmocka_run_group_tests_name("run steps", tests, enter_temporary, leave_temporary);
}
