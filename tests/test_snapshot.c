/* test_snapshot.c - a chain saved and loaded goes on with the same bits; what belongs elsewhere is refused by name. */
#include "failure.h"

#include "base/checksum.h"
#include "chain/chain.h"

#include <stdio.h>
#include <stdlib.h>

enum { DIM = 3, HORIZON = 4000 };

static int density(void *context, const double *x, double *value) {
    (void)context;
    *value = -0.5 * (x[0] * x[0] + 4.0 * (x[1] - x[0] * x[0]) * (x[1] - x[0] * x[0]) + x[2] * x[2]);
    return CKAM_OK;
}

typedef struct birth {
    const char *spec;
    size_t      dim;
    uint64_t    seed, chain, horizon;
} birth;

static ckam_chain *create_at(birth b, const double *start) {
    ckam_options *options;
    ckam_chain   *chain;
    ckam_target   of = {.dim = b.dim, .log_density = density};
    assert_int_equal(ckam_options_create(&options, b.spec, NULL), CKAM_OK);
    ckam_setup setup = {
        .target = &of, .options = options, .start = start, .seed = b.seed, .chain = b.chain, .horizon = b.horizon};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    ckam_options_free(options);
    return chain;
}

static ckam_chain *create(birth b) { return create_at(b, NULL); }

static void run(ckam_chain *chain, int steps) {
    ckam_step step;
    while (steps--) assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
}

static void *save(ckam_chain *chain, size_t *size) {
    *size = ckam_chain_snapshot_size(chain);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(ckam_chain_save(chain, bytes, *size), CKAM_OK);
    return bytes;
}

/* Runs `before` steps (and asks, if told so), saves, and compares the chain with one that was loaded. */
static void check_continues(const char *spec, int before, bool asked) {
    birth         b = {spec, DIM, 21, 3, HORIZON};
    ckam_chain   *one = create(b), *two = create(b);
    const double *point, *again;
    size_t        size;
    run(one, before);
    if (asked) ckam_chain_ask(one, &point);
    void *bytes = save(one, &size);
    run(two, 137); /* somewhere else */
    assert_int_equal(ckam_chain_load(two, bytes, size), CKAM_OK);
    if (asked) {
        ckam_chain_ask(two, &again);
        assert_memory_equal(point, again, DIM * sizeof *point);
    }
    for (int i = 0; i < 500; i++) {
        ckam_step a, c;
        assert_int_equal(ckam_chain_step(one, &a), CKAM_OK);
        assert_int_equal(ckam_chain_step(two, &c), CKAM_OK);
        assert_memory_equal(a.x, c.x, DIM * sizeof *a.x);
        assert_true(a.log_density == c.log_density && a.accept == c.accept && a.step_size == c.step_size);
        assert_true(a.cycle == c.cycle && a.phase == c.phase && a.draw == c.draw);
        assert_true(a.mode == c.mode && a.move == c.move);
    }
    ckam_counts a, c;
    ckam_chain_counts(one, &a);
    ckam_chain_counts(two, &c);
    assert_memory_equal(&a, &c, sizeof a);
    free(bytes);
    ckam_chain_free(one);
    ckam_chain_free(two);
}

/* Before the start, in the search of the scale, and in every phase of every sampler. */
static void a_loaded_chain_goes_on_with_the_same_bits(void **unused) {
    (void)unused;
    static const char *const specs[] = {"rw",
                                        "am",
                                        "rbam",
                                        "gam",
                                        "kam",
                                        "kam:subsample=2",
                                        "ckam:cycle-length=100",
                                        "ckam:cycle-length=100,covariance=global",
                                        "ckam:cycle-length=100,transition=delayed-rejection",
                                        "jump"};
    static const int         moments[] = {0, 1, 4, 40, 150, 1000};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (size_t m = 0; m < sizeof moments / sizeof *moments; m++) {
            check_continues(specs[s], moments[m], false);
            check_continues(specs[s], moments[m], true);
        }
}

/* Saved by one that has not begun and loaded into one that was to start elsewhere. `given`: the saved one's start. */
static void check_start(const char *spec, const double *given, const double *other) {
    const birth   b = {spec, DIM, 21, 3, HORIZON};
    ckam_chain   *one = create_at(b, given), *two = create_at(b, other);
    const double *mine, *theirs;
    double        elsewhere[DIM];
    size_t        size;
    void         *bytes = save(one, &size);
    assert_int_equal(ckam_chain_ask(two, &theirs), CKAM_OK);
    memcpy(elsewhere, theirs, sizeof elsewhere);
    assert_int_equal(ckam_chain_load(two, bytes, size), CKAM_OK);
    assert_int_equal(ckam_chain_ask(one, &mine), CKAM_OK);
    assert_int_equal(ckam_chain_ask(two, &theirs), CKAM_OK);
    assert_memory_equal(mine, theirs, sizeof elsewhere);
    assert_memory_not_equal(elsewhere, theirs, sizeof elsewhere);
    if (given) assert_memory_equal(theirs, given, sizeof elsewhere);
    for (int i = 0; i < 200; i++) {
        ckam_step a, c;
        assert_int_equal(ckam_chain_step(one, &a), CKAM_OK);
        assert_int_equal(ckam_chain_step(two, &c), CKAM_OK);
        assert_memory_equal(a.x, c.x, DIM * sizeof *a.x);
    }
    free(bytes);
    ckam_chain_free(one);
    ckam_chain_free(two);
}

static void the_start_is_part_of_the_snapshot(void **unused) {
    (void)unused;
    const double given[DIM] = {0.25, -1.5, 3.0}, another[DIM] = {0.0, 0.0, 1.0};
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        check_start(entry->name, NULL, given);
        check_start(entry->name, given, NULL);
        check_start(entry->name, given, another);
    }
}

static void foreign_snapshots_are_refused_by_name(void **unused) {
    (void)unused;
    const birth home = {"ckam:cycle-length=100", DIM, 1, 0, HORIZON};
    static const struct {
        birth       other;
        const char *what, *theirs, *ours;
    } cases[] = {{{"kam", DIM, 1, 0, HORIZON}, "sampler", "kam", "ckam"},
                 {{"ckam:cycle-length=100", 4, 1, 0, HORIZON}, "dimension", "4", "3"},
                 {{"ckam:cycle-length=100", DIM, 2, 0, HORIZON}, "seed", "2", "1"},
                 {{"ckam:cycle-length=100", DIM, 1, 5, HORIZON}, "chain number", "5", "0"},
                 {{"ckam:cycle-length=100", DIM, 1, 0, 77}, "horizon", "77", "4000"},
                 {{"ckam:cycle-length=100,explore=0.5", DIM, 1, 0, HORIZON}, "explore", "0.5", "0.4"},
                 {{"ckam:cycle-length=100,kernel=linear", DIM, 1, 0, HORIZON}, "kernel", "linear", "matern"},
                 {{"ckam:cycle-length=200", DIM, 1, 0, HORIZON}, "cycle-length", "200", "100"}};
    ckam_chain *chain = create(home);
    run(chain, 60);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t      size;
        ckam_chain *other = create(cases[i].other);
        void       *bytes = save(other, &size);
        assert_failure(ckam_chain_load(chain, bytes, size), CKAM_ERROR_SNAPSHOT, ckam_chain_error(chain), cases[i].what,
                       cases[i].theirs, cases[i].ours);
        free(bytes);
        ckam_chain_free(other);
    }
    run(chain, 60); /* unharmed */
    ckam_chain_free(chain);
}

static void damaged_snapshots_are_refused(void **unused) {
    (void)unused;
    birth       home = {"gam", DIM, 1, 0, HORIZON};
    ckam_chain *chain = create(home);
    size_t      size;
    run(chain, 200);
    unsigned char *bytes = save(chain, &size);
    for (size_t cut = 0; cut < size; cut += 13)
        assert_int_equal(ckam_chain_load(chain, bytes, cut), CKAM_ERROR_SNAPSHOT);
    for (size_t i = 0; i < size; i++) { /* every byte matters */
        bytes[i] ^= 0x20;
        assert_int_equal(ckam_chain_load(chain, bytes, size), CKAM_ERROR_SNAPSHOT);
        bytes[i] ^= 0x20;
    }
    assert_int_equal(ckam_chain_load(chain, bytes, size), CKAM_OK);
    free(bytes);
    ckam_chain_free(chain);
}

/* Nothing is written into it. */
static void room_of_another_size_is_refused(void **unused) {
    (void)unused;
    const birth       home = {"gam", DIM, 1, 0, HORIZON};
    const size_t      off[] = {(size_t)-1, 1, 64};
    ckam_chain       *chain = create(home);
    const ckam_error *error = ckam_chain_error(chain);
    char              right[32], wrong[32];
    size_t            size;
    run(chain, 50);
    unsigned char *bytes = save(chain, &size);
    snprintf(right, sizeof right, "must have %zu", size);
    memset(bytes, 7, size);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        snprintf(wrong, sizeof wrong, "has %zu bytes", size + off[i]);
        assert_failure(ckam_chain_save(chain, bytes, size + off[i]), CKAM_ERROR_ARGUMENT, error, wrong, right);
    }
    assert_failure(ckam_chain_save(chain, bytes, 0), CKAM_ERROR_ARGUMENT, error, "has 0 bytes", right);
    for (size_t i = 0; i < size; i++) assert_int_equal(bytes[i], 7);
    free(bytes);
    ckam_chain_free(chain);
}

/* -- Pages -------------------------------------------------------------------------------------------------------- */

enum { HEAD = 112, VERSION_AT = 8, SIZE_AT = 16, CHECKSUM_AT = 104, WIDE = 100, PAGE = 512 }; /* of snapshot.c */

static int wide_density(void *context, const double *x, double *value) {
    (void)context;
    *value = 0.0;
    for (size_t k = 0; k < WIDE; k++) *value -= 0.5 * x[k] * x[k];
    return CKAM_OK;
}

static ckam_chain *create_wide(void) {
    ckam_chain *chain = create((birth){"jump", WIDE, 21, 3, HORIZON});
    chain->target.log_density = wide_density;
    return chain;
}

/* Size and checksum of bytes that were changed are made right, so that what is behind them is looked at. */
static void make_right(char *bytes, uint64_t size) {
    uint64_t sum = checksum(bytes + HEAD, size - HEAD);
    memcpy(bytes + SIZE_AT, &size, sizeof size);
    memcpy(bytes + CHECKSUM_AT, &sum, sizeof sum);
}

/* As version 1 had it: head, options, the whole block. */
static char *save_whole(ckam_chain *chain, size_t *size) {
    const uint64_t version = 1;
    size_t         options = chain->options.sampler->options_size, pages;
    char          *with_pages = save(chain, &pages), *bytes;
    *size = HEAD + options + chain->size;
    bytes = malloc(*size);
    assert_non_null(bytes);
    memcpy(bytes, with_pages, HEAD + options);
    memcpy(bytes + HEAD + options, chain->state, chain->size);
    memcpy(bytes + VERSION_AT, &version, sizeof version);
    make_right(bytes, *size);
    free(with_pages);
    return bytes;
}

static void assert_same_state(const ckam_chain *a, const ckam_chain *b) {
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->state, b->state, a->size);
}

/* A new chain of jump in 100 dimensions has 24 MB of room and uses little of it; so it is after some cycles. Both forms load,
 * also into a chain that has gone elsewhere, and give the same block to the last byte. */
static void a_snapshot_has_only_what_is_used(void **unused) {
    (void)unused;
    ckam_chain *one = create_wide(), *fresh = create_wide(), *used = create_wide();
    size_t      size, whole;
    assert_true(one->size > (size_t)20 << 20);
    assert_true(ckam_chain_snapshot_size(one) < 50000);
    run(one, 20000); /* past the first cycle: its memory is in use */
    char *bytes = save(one, &size), *old = save_whole(one, &whole);
    assert_in_range(size, 500000, 6000000);
    assert_int_equal(ckam_chain_load(fresh, bytes, size), CKAM_OK);
    assert_same_state(one, fresh);
    run(used, 22000);
    assert_int_equal(ckam_chain_load(used, bytes, size), CKAM_OK);
    assert_same_state(one, used);
    run(used, 300);
    assert_int_equal(ckam_chain_load(used, old, whole), CKAM_OK);
    assert_same_state(one, used);
    assert_int_equal(ckam_chain_snapshot_size(used), size);
    run(one, 300);
    run(used, 300);
    assert_same_state(one, used);
    free(bytes);
    free(old);
    ckam_chain_free(one);
    ckam_chain_free(fresh);
    ckam_chain_free(used);
}

/* Load says what is wrong with it and leaves the chain as it was. */
static void assert_refused(ckam_chain *chain, char *bytes, size_t size) {
    size_t now;
    char  *before = save(chain, &now), *after;
    make_right(bytes, size);
    assert_failure(ckam_chain_load(chain, bytes, size), CKAM_ERROR_SNAPSHOT, ckam_chain_error(chain), "bytes of state");
    after = save(chain, &now);
    assert_memory_equal(before, after, now);
    free(before);
    free(after);
}

/* With the right checksum: a bit of the map more or less, a cut anywhere, something behind the end. */
static void a_map_that_says_something_else_is_refused(void **unused) {
    (void)unused;
    const birth home = {"jump", DIM, 1, 0, HORIZON};
    ckam_chain *chain = create(home), *other = create(home);
    size_t      size, map = HEAD + chain->options.sampler->options_size, pages = (chain->size + PAGE - 1) / PAGE;
    run(chain, 3000);
    char *good = save(chain, &size), *bytes = calloc(1, size + chain->size);
    assert_non_null(bytes);
    for (size_t i = 0; i < pages; i++) {
        memcpy(bytes, good, size);
        bytes[map + i / 8] = (char)((unsigned char)bytes[map + i / 8] ^ 1u << i % 8);
        assert_refused(other, bytes, size);
    }
    memset(bytes + map, 0xff, (pages + 63) / 64 * 8); /* all of them */
    assert_refused(other, bytes, size);
    for (size_t length = map; length < size; length += 97) {
        memcpy(bytes, good, size);
        assert_refused(other, bytes, length);
    }
    memcpy(bytes, good, size);
    assert_refused(other, bytes, size + 1);
    assert_refused(other, bytes, size + PAGE);
    free(good);
    good = save_whole(chain, &size);
    memcpy(bytes, good, size - PAGE);
    assert_refused(other, bytes, size - PAGE); /* version 1, too short */
    free(good);
    free(bytes);
    ckam_chain_free(chain);
    ckam_chain_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_loaded_chain_goes_on_with_the_same_bits),
                                       cmocka_unit_test(the_start_is_part_of_the_snapshot),
                                       cmocka_unit_test(foreign_snapshots_are_refused_by_name),
                                       cmocka_unit_test(damaged_snapshots_are_refused),
                                       cmocka_unit_test(room_of_another_size_is_refused),
                                       cmocka_unit_test(a_snapshot_has_only_what_is_used),
                                       cmocka_unit_test(a_map_that_says_something_else_is_refused)};
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
