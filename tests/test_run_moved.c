/* test_run_moved.c - a directory that is renamed while its run goes on: the run ends there, and what has its old path is left
 * alone.
 *
 * The target does it, at a fixed evaluation: it renames the directory, and carries out a second run in the old place. Both are
 * then compared with runs that nobody disturbed. */
#include "comm_support.h"

#include "draws/netcdf.h"

#include <limits.h>
#include <sys/stat.h>

enum { CHAINS = 3 };
static ckam_model *model;

/* -- The move ----------------------------------------------------------------------------------------------------- */

typedef struct mover {
    ckam_target          inner;
    atomic_uint_fast64_t calls;
    uint64_t             at;      /* evaluation, from 1; 0: never */
    const char          *to;      /* the new path of "run"; NULL: the process goes to another directory instead */
    bool                 removed; /* and then it is gone */
    ckam_plan           *second;  /* NULL: nothing is put in the old place */
    ckam_run            *run;     /* to be stopped behind `stop` more evaluations; NULL: it goes on */
    uint64_t             stop;
    bool                 failed; /* cmocka can fail a test only in its own thread */
} mover;

static void move(mover *m) {
    ckam_run *second = NULL;
    m->failed = m->to ? rename("run", m->to) != 0 : chdir("/") != 0;
    if (m->removed) remove_tree(m->to);
    if (!m->second || m->failed) return;
    m->failed = ckam_run_create(&second, m->second, NULL, NULL) || ckam_run_go(second, NULL, NULL, NULL) ||
                strcmp(ckam_run_directory(second), "run") != 0;
    ckam_run_free(second);
}

static int evaluate_and_move(void *context, const double *x, double *value) {
    mover   *m = context;
    uint64_t call = atomic_fetch_add(&m->calls, 1) + 1;
    if (m->at && call == m->at) move(m);
    if (m->run && call == m->at + m->stop) ckam_run_stop(m->run);
    return m->inner.log_density(m->inner.context, x, value);
}

static ckam_target moving_target(mover *m) {
    m->inner = *ckam_model_target(model);
    ckam_target target = m->inner;
    target.log_density = evaluate_and_move;
    target.context = m;
    return target;
}

/* -- The runs ----------------------------------------------------------------------------------------------------- */

/* With a checkpoint whenever one is possible, before the move and after it. */
#define FIRST(out)                                                                                                     \
    PAIRS("model", "own", "sampler", "gam:warmup=20", "seed", "11", "chains", "3", "draws", "200", "threads", "1",     \
          "save-warmup", "true", "checkpoint-every", "0", "out", out)
#define SECOND(out)                                                                                                    \
    PAIRS("model", "ring", "sampler", "rw:warmup=10", "seed", "22", "chains", "3", "draws", "100", "save-warmup",      \
          "true", "out", out)
enum { EVALUATIONS = CHAINS * 220 };

static void assert_same_bytes(const char *one, const char *other, size_t differences) {
    size_t size[2], count = 0;
    char  *bytes[2] = {slurp(one, &size[0]), slurp(other, &size[1])};
    assert_int_equal(size[0], size[1]);
    for (size_t i = 0; i < size[0]; i++) count += bytes[0][i] != bytes[1][i];
    if (count > differences) print_error("%s and %s differ in %zu bytes\n", one, other, count);
    assert_true(count <= differences);
    free(bytes[0]);
    free(bytes[1]);
}

/* All that was drawn and made of it. draws.nc has three times the time of day, with checksums. */
static void assert_same_run(const char *one, const char *other, const char *seed) {
    assert_same_rows(one, other, CHAINS, true);
    assert_same_bytes(text_of("%s/summary.csv", one), text_of("%s/summary.csv", other), 0);
    if (!netcdf_check(NULL)) assert_same_bytes(text_of("%s/draws.nc", one), text_of("%s/draws.nc", other), 100);
    char *record = slurp(text_of("%s/run.json", other), NULL);
    assert_non_null(strstr(record, seed));
    assert_non_null(strstr(record, "\"stopped\": \"draws\""));
    free(record);
    ckam_draws  *draws;
    ckam_review *review;
    ckam_finding found[CKAM_INCIDENTS];
    assert_int_equal(ckam_draws_open(&draws, &other, 1, NULL), CKAM_OK);
    assert_int_equal(ckam_review_create(&review, draws, NULL), CKAM_OK);
    assert_int_equal(ckam_run_incidents(other, found), 0);
    ckam_review_free(review);
    ckam_draws_free(draws);
}

/* The two runs, and both after 50 more draws, as nobody disturbed them. */
static int make_straight(void **unused) {
    if (enter_temporary(unused) || ckam_model_create(&model, "gaussian:dim=2", NULL)) return -1;
    for (int more = 0; more < 2; more++) {
        run_to_end(FIRST(more ? "first-more" : "first"), ckam_model_target(model));
        run_to_end(SECOND(more ? "second-more" : "second"), NULL);
    }
    run_to_end(FIRST("earlier"), ckam_model_target(model));
    assert_int_equal(go_and_free(run_again("first-more", PAIRS("draws", "250"), ckam_model_target(model))), CKAM_OK);
    assert_int_equal(go_and_free(run_again("second-more", PAIRS("draws", "150"), NULL)), CKAM_OK);
    return 0;
}

static int free_straight(void **unused) {
    ckam_model_free(model);
    return leave_temporary(unused);
}

static int clear(void **unused) {
    (void)unused;
    remove_tree("run");
    remove_tree("moved");
    return 0;
}

/* Where a run says that it is: an absolute path that leads to `path`. */
static void assert_found(const ckam_run *run, const char *path) {
    struct stat said, there;
    assert_int_equal(*ckam_run_directory(run), '/');
    assert_int_equal(stat(ckam_run_directory(run), &said), 0);
    assert_int_equal(stat(path, &there), 0);
    assert_true(said.st_dev == there.st_dev && said.st_ino == there.st_ino);
}

static void assert_both_go_on(void) {
    assert_int_equal(go_and_free(run_again("moved", PAIRS("draws", "250"), ckam_model_target(model))), CKAM_OK);
    assert_int_equal(go_and_free(run_again("run", PAIRS("draws", "150"), NULL)), CKAM_OK);
    assert_same_run("first-more", "moved", "\"seed\": 11,");
    assert_same_run("second-more", "run", "\"seed\": 22,");
}

/* -- Tests -------------------------------------------------------------------------------------------------------- */

static void both_runs_are_whole(void **unused) {
    (void)unused;
    static const uint64_t moments[] = {1, 30, EVALUATIONS / 2, EVALUATIONS};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        clear(NULL);
        mover       m = {.at = moments[i], .to = "moved", .second = plan_with(SECOND("run"))};
        ckam_target target = moving_target(&m);
        ckam_run   *run = run_with(FIRST("run"), &target);
        assert_string_equal(ckam_run_directory(run), "run");
        assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
        assert_false(m.failed);
        assert_same_run("first", "moved", "\"seed\": 11,");
        assert_same_run("second", "run", "\"seed\": 22,");
        assert_found(run, "moved");
        ckam_run_free(run);
        ckam_plan_free(m.second);
    }
    assert_both_go_on();
}

/* Nobody else wants the old place: nothing appears there. */
static void nothing_is_left_in_the_old_place(void **unused) {
    (void)unused;
    mover       m = {.at = 300, .to = "moved"};
    ckam_target target = moving_target(&m);
    assert_int_equal(go_and_free(run_with(FIRST("run"), &target)), CKAM_OK);
    assert_false(m.failed);
    assert_false(is_there("run"));
    assert_same_run("first", "moved", "\"seed\": 11,");
}

/* One chain is ahead of the others, so that some of its rows go to checkpoint/ and come back. */
static void a_run_that_is_stopped_can_be_resumed(void **unused) {
    (void)unused;
    mover       m = {.at = 300, .to = "moved", .second = plan_with(SECOND("run")), .stop = 10};
    ckam_target target = moving_target(&m);
    m.run = run_with(FIRST("run"), &target);
    assert_int_equal(ckam_run_go(m.run, NULL, NULL, NULL), CKAM_STOP);
    assert_false(m.failed);
    assert_found(m.run, "moved");
    ckam_run_free(m.run);
    ckam_plan_free(m.second);
    assert_true(is_there("moved/checkpoint/rest_1") || is_there("moved/checkpoint/rest_2"));
    assert_int_equal(go_and_free(run_again("moved", NULL, ckam_model_target(model))), CKAM_OK);
    assert_same_run("first", "moved", "\"seed\": 11,");
    assert_same_run("second", "run", "\"seed\": 22,");
    assert_both_go_on();
}

/* A run that was taken up again is moved, too. */
static void a_resumed_run_keeps_its_directory(void **unused) {
    (void)unused;
    assert_int_equal(rename("earlier", "run"), 0);
    mover       m = {.at = 60, .to = "moved", .second = plan_with(SECOND("run"))};
    ckam_target target = moving_target(&m);
    ckam_run   *run = run_again("run", PAIRS("draws", "250"), &target);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_false(m.failed);
    assert_found(run, "moved");
    ckam_run_free(run);
    ckam_plan_free(m.second);
    assert_same_run("first-more", "moved", "\"seed\": 11,");
    assert_same_run("second", "run", "\"seed\": 22,");
}

static void a_relative_path_outlives_a_change_of_directory(void **unused) {
    (void)unused;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    mover       m = {.at = 300};
    ckam_target target = moving_target(&m);
    ckam_run   *run = run_with(FIRST("run"), &target);
    ckam_status status = ckam_run_go(run, NULL, NULL, NULL);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(status, CKAM_OK);
    assert_false(m.failed);
    assert_found(run, "run");
    ckam_run_free(run);
    assert_same_run("first", "run", "\"seed\": 11,");
}

/* Its own files are gone: that is a failure, and not to be made good with those of another. */
static void a_run_without_its_directory_fails(void **unused) {
    (void)unused;
    ckam_error  error;
    mover       m = {.at = 300, .to = "moved", .removed = true, .second = plan_with(SECOND("run"))};
    ckam_target target = moving_target(&m);
    ckam_run   *run = run_with(FIRST("run"), &target);
    ckam_status status = ckam_run_go(run, NULL, NULL, &error); /* at its first checkpoint after that, or a later one */
    assert_failure(status, status == CKAM_ERROR_WRITE ? status : CKAM_ERROR_OUTPUT, &error, "run/", "No such file");
    assert_false(m.failed);
    assert_string_equal(ckam_run_directory(run), "");
    ckam_run_free(run);
    ckam_plan_free(m.second);
    assert_same_run("second", "run", "\"seed\": 22,");
}

/* -- Several processes -------------------------------------------------------------------------------------------- */

static void all_ranks_go_along(void **unused) {
    (void)unused;
    mover  m[CHAINS] = {{.at = 0}, {.at = 90, .to = "moved", .second = plan_with(SECOND("run"))}};
    table *t = assemble(CHAINS, NULL, FIRST("run"));
    for (size_t r = 0; r < CHAINS; r++) {
        t->rank[r].target = moving_target(&m[r]);
        t->rank[r].has_target = true;
    }
    end_with(t, CKAM_OK, "draws");
    assert_false(m[1].failed);
    for (size_t r = 0; r < CHAINS; r++) assert_found(t->rank[r].run, "moved");
    dismiss(t);
    ckam_plan_free(m[1].second);
    assert_same_run("first", "moved", "\"seed\": 11,");
    assert_same_run("second", "run", "\"seed\": 22,");
    assert_both_go_on();
}

/* A path that leads another rank to another run, as after a move at the wrong moment, or on another machine's own disk. */
static void a_rank_with_another_directory_is_refused(void **unused) {
    (void)unused;
    run_to_end(SECOND("run"), NULL);
    run_to_end(SECOND("moved"), NULL);
    table *t = assemble(2, "run", PAIRS("draws", "150"));
    t->rank[1].again = "moved";
    assert_failure(go(t), CKAM_ERROR_INPUT, &t->rank[0].error, "moved is not the directory that rank 0", "(rank 1)");
    dismiss(t);
    assert_same_run("second", "run", "\"seed\": 22,");
    assert_same_run("second", "moved", "\"seed\": 22,");
    comm_to_end(2, "run", PAIRS("draws", "150"), "draws");
    assert_same_run("second-more", "run", "\"seed\": 22,");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(both_runs_are_whole, clear),
        cmocka_unit_test_setup(nothing_is_left_in_the_old_place, clear),
        cmocka_unit_test_setup(a_run_that_is_stopped_can_be_resumed, clear),
        cmocka_unit_test_setup(a_resumed_run_keeps_its_directory, clear),
        cmocka_unit_test_setup(a_relative_path_outlives_a_change_of_directory, clear),
        cmocka_unit_test_setup(a_run_without_its_directory_fails, clear),
        cmocka_unit_test_setup(all_ranks_go_along, clear),
        cmocka_unit_test_setup(a_rank_with_another_directory_is_refused, clear),
    };
    return cmocka_run_group_tests_name("run_moved", tests, make_straight, free_straight);
}
