/* test_checkpoint.c - what a run does not go on from: each refusal names what differs, and changes nothing. */
#include "run_support.h"

#include "base/checksum.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const pairs[] = {
    "model", "gaussian:dim=2", "sampler", "gam:warmup=20", "seed", "8",         "chains", "3", "draws", "60", "out",
    "run",   "format",         "csv",     "thin",          "2",    "overwrite", "true",   NULL};

/* -- A copy of a directory, to compare and to restore ------------------------------------------------------------ */

static const char *const files[] = {"run.json", "chain_1.csv", "chain_2.csv", "chain_3.csv", "checkpoint/state"};
enum { FILES = sizeof files / sizeof *files };

typedef struct copy {
    char  *bytes[FILES];
    size_t size[FILES];
} copy;

static void take(copy *c) {
    for (size_t i = 0; i < FILES; i++) c->bytes[i] = slurp(text_of("run/%s", files[i]), &c->size[i]);
}

static void restore(const copy *c) {
    for (size_t i = 0; i < FILES; i++) spill(text_of("run/%s", files[i]), c->bytes[i], c->size[i]);
}

static void assert_unchanged(const copy *c) {
    for (size_t i = 0; i < FILES; i++) {
        size_t size;
        char  *bytes = slurp(text_of("run/%s", files[i]), &size);
        if (size != c->size[i] || memcmp(bytes, c->bytes[i], size) != 0) print_error("%s has changed\n", files[i]);
        assert_int_equal(size, c->size[i]);
        assert_memory_equal(bytes, c->bytes[i], size);
        free(bytes);
    }
}

static void drop(copy *c) {
    for (size_t i = 0; i < FILES; i++) free(c->bytes[i]);
}

/* A run that was stopped in the middle, in run/; `good` is what is there. */
static copy good;

static void stop_early(void *context, const ckam_progress *progress) {
    (void)progress;
    ckam_run_stop(context);
}

static int make_run(void **unused) {
    if (enter_temporary(unused)) return 1;
    run_to_end(PAIRS("model", "gaussian:dim=2", "sampler", "gam:warmup=20", "seed", "8", "chains", "3", "draws", "90",
                     "thin", "2", "out", "straight", "format", "csv", "horizon", "140"),
               NULL);
    run_to_end(pairs, NULL);
    take(&good);
    return 0;
}

static int free_run(void **unused) {
    drop(&good);
    return leave_temporary(unused);
}

/* Refused, twice the same, and what is there now stays. */
static void refuse(const char *const *changes, const ckam_target *target, ckam_status expected, const char *piece) {
    ckam_run  *run;
    ckam_error error = {.message = ""};
    copy       now;
    take(&now);
    assert_failure(try_again(&run, "run", changes, target, &error), expected, &error, piece);
    assert_null(run);
    assert_int_equal(try_again(&run, "run", changes, target, NULL), expected);
    assert_unchanged(&now);
    drop(&now);
}

/* After all the refusals the run still goes on, and to the right rows. */
static void the_run_still_goes_on(void **unused) {
    (void)unused;
    restore(&good);
    assert_int_equal(go_and_free(run_again("run", PAIRS("draws", "90"), NULL)), CKAM_OK);
    assert_same_rows("straight", "run", 3, false);
    restore(&good);
}

/* -- Another plan ------------------------------------------------------------------------------------------------- */

static void another_plan_is_refused(void **unused) {
    (void)unused;
    restore(&good);
    refuse(PAIRS("model", "ring"), NULL, CKAM_ERROR_OPTION, "model is ring");
    refuse(PAIRS("chains", "4"), NULL, CKAM_ERROR_OPTION, "chains is 4");
    refuse(PAIRS("seed", "9"), NULL, CKAM_ERROR_OPTION, "seed is 9");
    refuse(PAIRS("thin", "3"), NULL, CKAM_ERROR_OPTION, "thin is 3");
    refuse(PAIRS("save-warmup", "true"), NULL, CKAM_ERROR_OPTION, "save-warmup is true");
    refuse(PAIRS("sampler", "am"), NULL, CKAM_ERROR_OPTION, "sampler is am");
    refuse(PAIRS("warmup", "21"), NULL, CKAM_ERROR_OPTION, "warmup is 21");
    refuse(PAIRS("target-accept", "0.3"), NULL, CKAM_ERROR_OPTION, "target-accept is 0.3");
    refuse(PAIRS("horizon", "7"), NULL, CKAM_ERROR_OPTION, "horizon is 7");
    refuse(PAIRS("init", "1,2"), NULL, CKAM_ERROR_OPTION, "init is 1,2");
    refuse(PAIRS("format", "none"), NULL, CKAM_ERROR_OPTION, "format none");
}

/* Somebody edits run.json, so that plan and file agree with each other but not with the checkpoint. */
static void an_edited_file_is_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *old, *new;
        ckam_status status;
        const char *piece;
    } cases[] = {{"\"gaussian:dim=2\"", "\"gaussian:dim=3\"", CKAM_ERROR_SNAPSHOT, "model"},
                 {"\"gaussian:dim=2\"", "\"banana\"", CKAM_ERROR_SNAPSHOT, "model"},
                 {"\"chains\": 3", "\"chains\": 2", CKAM_ERROR_SNAPSHOT, "chains"},
                 {"\"thin\": 2", "\"thin\": 1", CKAM_ERROR_SNAPSHOT, "thin"},
                 {"\"save-warmup\": false", "\"save-warmup\": true", CKAM_ERROR_SNAPSHOT, "save-warmup"},
                 {"\"seed\": 8", "\"seed\": 9", CKAM_ERROR_SNAPSHOT, "seed"},
                 {"\"warmup\": 20", "\"warmup\": 19", CKAM_ERROR_SNAPSHOT, "warmup"},
                 {"\"target-accept\": 0.234", "\"target-accept\": 0.5", CKAM_ERROR_SNAPSHOT, "target-accept"},
                 {"\"horizon\": 140", "\"horizon\": 141", CKAM_ERROR_SNAPSHOT, "horizon"},
                 {"\"sampler\": \"gam\"", "\"sampler\": \"am\"", CKAM_ERROR_OPTION, "not of am"},
                 {"\"sampler\": \"gam\"", "\"sampler\": \"ckam\"", CKAM_ERROR_SNAPSHOT, "sampler"},
                 {"\"thin\": 2", "\"thin\": 2.5", CKAM_ERROR_OPTION, "thin"},
                 {"\"config\"", "\"confog\"", CKAM_ERROR_FORMAT, "config"},
                 {"\"thin\": 2,", "\"thin\": 2", CKAM_ERROR_FORMAT, "line"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        restore(&good);
        edit_text("run/run.json", cases[i].old, cases[i].new);
        refuse(NULL, NULL, cases[i].status, cases[i].piece);
    }
    restore(&good);
    unlink("run/run.json");
    ckam_run  *run;
    ckam_error error;
    assert_failure(try_again(&run, "run", NULL, NULL, &error), CKAM_ERROR_INPUT, &error, "run.json");
    restore(&good);
}

/* -- Another target ----------------------------------------------------------------------------------------------- */

static void another_target_is_refused(void **unused) {
    (void)unused;
    static const char *const names[] = {"a", "b"};
    ckam_model              *model;
    restore(&good);
    assert_int_equal(ckam_model_create(&model, "gaussian:dim=3", NULL), CKAM_OK);
    refuse(NULL, ckam_model_target(model), CKAM_ERROR_SNAPSHOT, "dimension");
    ckam_model_free(model);
    assert_int_equal(ckam_model_create(&model, "gaussian:dim=2", NULL), CKAM_OK);
    tricky      t = {.inner = *ckam_model_target(model), .shift = 1e-6};
    ckam_target target = tricky_target(&t);
    refuse(NULL, &target, CKAM_ERROR_SNAPSHOT, "the model has changed");
    t.shift = -1000.0;
    refuse(NULL, &target, CKAM_ERROR_SNAPSHOT, "chain 1");
    t = (tricky){.inner = t.inner, .at = 2, .trick = TRICK_INFINITE};
    ckam_run  *run;
    ckam_error error;
    assert_failure(try_again(&run, "run", NULL, &target, &error), CKAM_ERROR_INFINITE, &error, "+infinity");
    assert_unchanged(&good);
    t = (tricky){.inner = t.inner, .at = 3, .trick = TRICK_STOP};
    assert_failure(try_again(&run, "run", NULL, &target, &error), CKAM_STOP, &error, "stop");
    assert_unchanged(&good);
    target = t.inner;
    target.names = names; /* the columns would have other names than those that are there */
    assert_failure(try_again(&run, "run", NULL, &target, &error), CKAM_ERROR_FORMAT, &error, "chain_1.csv");
    restore(&good);
    ckam_model_free(model);
}

/* -- A damaged checkpoint ----------------------------------------------------------------------------------------- */

static void damage(size_t at, unsigned char bits) {
    size_t size;
    char  *bytes = slurp("run/checkpoint/state", &size);
    assert_true(at < size);
    bytes[at] = (char)((unsigned char)bytes[at] ^ bits);
    spill("run/checkpoint/state", bytes, size);
    free(bytes);
}

static void another_version_is_refused(void **unused) {
    (void)unused;
    restore(&good);
    damage(8, 1); /* the version of the file */
    refuse(NULL, NULL, CKAM_ERROR_SNAPSHOT, "the checkpoint has layout 4, this build");
    restore(&good);
    damage(16 + 2, '2' ^ '7'); /* that of the library: 0.2.0 */
    refuse(NULL, NULL, CKAM_ERROR_SNAPSHOT, "saved by ckam 0.7.0, this is ckam 0.2.0");
    restore(&good);
    damage(0, 1);
    refuse(NULL, NULL, CKAM_ERROR_SNAPSHOT, "checkpoint/state");
}

/* One bit anywhere: 400 places, and every byte of the head's first part. */
static void a_changed_bit_is_noticed(void **unused) {
    (void)unused;
    size_t size = good.size[4];
    for (size_t i = 0; i < 400; i++) {
        size_t     at = i < 100 ? i : (i * 2654435761u) % size;
        ckam_run  *run;
        ckam_error error = {.message = ""};
        restore(&good);
        damage(at, (unsigned char)(1u << (i % 8)));
        ckam_status status = try_again(&run, "run", NULL, NULL, &error);
        if (status != CKAM_ERROR_SNAPSHOT) print_error("bit %zu of byte %zu\n", i % 8, at);
        assert_failure(status, CKAM_ERROR_SNAPSHOT, &error, "checkpoint");
    }
    restore(&good);
}

static void a_cut_checkpoint_is_noticed(void **unused) {
    (void)unused;
    size_t size = good.size[4];
    for (size_t i = 0; i < 100; i++) {
        size_t length = i < 20 ? i * 8 : (i * 2654435761u) % size;
        if (i == 99) length = size - 1;
        restore(&good);
        spill("run/checkpoint/state", good.bytes[4], length);
        refuse(NULL, NULL, CKAM_ERROR_SNAPSHOT, "checkpoint");
    }
    char *longer = calloc(1, size + 9);
    assert_non_null(longer);
    memcpy(longer, good.bytes[4], size);
    for (size_t more = 1; more <= 9; more += 4) {
        spill("run/checkpoint/state", longer, size + more);
        refuse(NULL, NULL, CKAM_ERROR_SNAPSHOT, "checkpoint");
    }
    free(longer);
    spill_text("run/checkpoint/state", "lp__,x.1\n1,2\n");
    refuse(NULL, NULL, CKAM_ERROR_SNAPSHOT, "not a checkpoint");
    spill_text("run/checkpoint/state", "");
    refuse(NULL, NULL, CKAM_ERROR_SNAPSHOT, "not a checkpoint");
    unlink("run/checkpoint/state");
    ckam_run  *run;
    ckam_error error;
    assert_failure(try_again(&run, "run", NULL, NULL, &error), CKAM_ERROR_INPUT, &error, "checkpoint/state");
    restore(&good);
}

/* Sizes of snapshots that add up to something else, or are huge, with the checksum made right. */
static void a_forged_size_is_refused(void **unused) {
    (void)unused;
    enum { CHECKSUM_AT = 64, HEAD = 4168, ENTRY = sizeof(struct chain_kept) + sizeof(uint64_t), CHAINS = 3 };
    static const struct {
        uint64_t add[CHAINS];
    } cases[] = {{{1, 0, 0}},
                 {{0, 0, (uint64_t)-1}},
                 {{(uint64_t)1 << 40, 0, 0}},
                 {{(uint64_t)1 << 63, (uint64_t)1 << 63, 0}}, /* the sum overflows to what it was */
                 {{8, (uint64_t)-8, 0}},                      /* the sum is right: the snapshots notice */
                 {{0, (uint64_t)-8, 8}}};
    restore(&good);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        char  *bytes = slurp("run/checkpoint/state", &size);
        for (size_t c = 0; c < CHAINS; c++) {
            uint64_t each;
            char    *place = bytes + HEAD + (c + 1) * ENTRY - sizeof each;
            memcpy(&each, place, sizeof each);
            each += cases[i].add[c];
            memcpy(place, &each, sizeof each);
        }
        uint64_t sum = checksum(bytes + HEAD, (size_t)CHAINS * ENTRY);
        memcpy(bytes + CHECKSUM_AT, &sum, sizeof sum);
        spill("run/checkpoint/state", bytes, size);
        free(bytes);
        refuse(NULL, NULL, CKAM_ERROR_SNAPSHOT, i < 4 ? "cut or damaged, or not a checkpoint" : "snapshot");
        restore(&good);
    }
}

/* The checkpoint of another run, of the same plan but for one thing. */
static void the_checkpoint_of_another_run_is_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *name, *value, *piece;
    } cases[] = {{"seed", "9", "seed"},
                 {"chains", "2", "chains"},
                 {"sampler", "am:warmup=20", "sampler"},
                 {"warmup", "30", "warmup"},
                 {"model", "gaussian:dim=3", "model"},
                 {"sampler", "ckam", "sampler"},
                 {"horizon", "77", "horizon"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_plan *plan = plan_with(pairs);
        ckam_run  *run;
        size_t     size;
        plan_change(plan, PAIRS("horizon", "140", "out", "other", cases[i].name, cases[i].value));
        assert_int_equal(ckam_run_create(&run, plan, NULL, NULL), CKAM_OK);
        assert_int_equal(go_and_free(run), CKAM_OK);
        ckam_plan_free(plan);
        char *bytes = slurp("other/checkpoint/state", &size);
        restore(&good);
        spill("run/checkpoint/state", bytes, size);
        free(bytes);
        refuse(NULL, NULL, CKAM_ERROR_SNAPSHOT, cases[i].piece);
    }
    restore(&good);
}

/* -- Damaged rows ------------------------------------------------------------------------------------------------- */

static void rows_that_are_missing_are_noticed(void **unused) {
    (void)unused;
    size_t length = (size_t)(strstr(good.bytes[2], "\n#\n#  Elapsed") + 1 - good.bytes[2]);
    for (size_t less = 1; less < length; less += 97) {
        restore(&good);
        spill("run/chain_2.csv", good.bytes[2], length - less);
        ckam_run  *run;
        ckam_error error;
        assert_failure(try_again(&run, "run", NULL, NULL, &error), CKAM_ERROR_FORMAT, &error, "chain_2.csv");
    }
    restore(&good);
    unlink("run/chain_3.csv");
    ckam_run  *run;
    ckam_error error;
    assert_failure(try_again(&run, "run", NULL, NULL, &error), CKAM_ERROR_INPUT, &error, "chain_3.csv");
    restore(&good);
}

/* What stands behind the rows that the checkpoint knows of is cut off: half a row, other rows, garbage. */
static void what_is_behind_the_rows_is_cut_off(void **unused) {
    (void)unused;
    static const char *const tails[] = {"", "-1.5,0.25,0.7", "1,2,3,4,5,6,7\n1,2,3,4,5,6,7\n", "\xff\xfe garbage\n\n\n",
                                        "#\n"};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        restore(&good);
        for (size_t chain = 1; chain <= 3; chain++) {
            size_t length = (size_t)(strstr(good.bytes[chain], "\n#\n#  Elapsed") + 1 - good.bytes[chain]);
            char   text[8192];
            snprintf(text, sizeof text, "%s", good.bytes[chain]);
            snprintf(text + length, sizeof text - length, "%s", tails[i]);
            spill_text(text_of("run/chain_%zu.csv", chain), text);
        }
        assert_int_equal(go_and_free(run_again("run", PAIRS("draws", "90"), NULL)), CKAM_OK);
        assert_same_rows("straight", "run", 3, false);
    }
    restore(&good);
}

/* -- Names -------------------------------------------------------------------------------------------------------- */

/* A setting that was longer before leaves no trace. */
static void a_plan_that_was_changed_often_goes_on(void **unused) {
    (void)unused;
    ckam_plan *plan = plan_with(PAIRS("model", "gaussian:dim=40", "out", "a/very/long/way", "init", "1,2,3,4,5,6,7,8"));
    ckam_run  *run;
    plan_change(plan, PAIRS("model", "ring", "out", "often", "init", "random", "sampler", "gam:warmup=5", "draws", "20",
                            "format", "csv"));
    assert_int_equal(ckam_run_create(&run, plan, NULL, NULL), CKAM_OK);
    assert_int_equal(ckam_run_go(run, stop_early, run, NULL) < 0, 0);
    ckam_run_free(run);
    ckam_plan_free(plan);
    assert_int_equal(go_and_free(run_again("often", NULL, NULL)), CKAM_OK);
}

static void a_moved_directory_goes_on(void **unused) {
    (void)unused;
    restore(&good);
    assert_int_equal(rename("run", "moved"), 0);
    ckam_run *run = run_again("moved/", PAIRS("draws", "90"), NULL);
    assert_int_equal(go_and_free(run), CKAM_OK);
    assert_same_rows("straight", "moved", 3, false);
    ckam_plan *plan;
    char       out[64];
    assert_int_equal(ckam_plan_open(&plan, "moved", NULL), CKAM_OK);
    assert_int_equal(ckam_plan_get(plan, "out", out, sizeof out, NULL), CKAM_OK);
    assert_int_equal(strncmp(out, "moved", 5), 0);
    ckam_plan_free(plan);
    assert_int_equal(rename("moved", "run"), 0);
    restore(&good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_still_goes_on),
        cmocka_unit_test(another_plan_is_refused),
        cmocka_unit_test(an_edited_file_is_refused),
        cmocka_unit_test(another_target_is_refused),
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(a_changed_bit_is_noticed),
        cmocka_unit_test(a_cut_checkpoint_is_noticed),
        cmocka_unit_test(a_forged_size_is_refused),
        cmocka_unit_test(the_checkpoint_of_another_run_is_refused),
        cmocka_unit_test(rows_that_are_missing_are_noticed),
        cmocka_unit_test(what_is_behind_the_rows_is_cut_off),
        cmocka_unit_test(a_plan_that_was_changed_often_goes_on),
        cmocka_unit_test(a_moved_directory_goes_on),
        cmocka_unit_test(the_run_still_goes_on),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, make_run, free_run);
}
