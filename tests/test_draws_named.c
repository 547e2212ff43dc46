/* test_draws_named.c - files of draws by name: each is one chain, once, and the warm-up of one is none. */
#include "failure.h"
#include "folder.h"

static void assert_opens(const char *const *paths, size_t count) {
    ckam_draws *draws;
    ckam_error  error;
    if (ckam_draws_open(&draws, paths, count, &error)) fail_msg("%s", error.message);
    assert_int_equal(ckam_draws_shape_of(draws)->chains, count);
    ckam_draws_free(draws);
}

/* By its name, by other names of it, and in a directory. Its twin, another file with the same bytes, is no such thing. */
static void a_file_counts_once(void **unused) {
    (void)unused;
    static const char *const names[] = {"chain_1.csv", "linked.csv", "pointing.csv", "./chain_1.csv"};
    ckam_draws              *draws;
    ckam_error               error;
    folder_clear();
    const char *one = in_folder("chain_1.csv"), *twin = in_folder("twin.csv"), *directory = folder;
    write_text(one, "x\n1\n2\n");
    write_text(twin, "x\n1\n2\n");
    assert_int_equal(link(one, in_folder("linked.csv")), 0);
    assert_int_equal(symlink("chain_1.csv", in_folder("pointing.csv")), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const paths[] = {one, twin, in_folder(names[i])};
        char              second[80];
        snprintf(second, sizeof second, "/%s are the same file", names[i]);
        assert_failure(ckam_draws_open(&draws, paths, 3, &error), CKAM_ERROR_INPUT, &error, "/chain_1.csv and ", second,
                       "name each file once");
        assert_null(draws);
    }
    assert_opens((const char *const[]){one, twin}, 2);
    assert_int_equal(symlink("chain_1.csv", in_folder("chain_2.csv")), 0);
    assert_failure(ckam_draws_open(&draws, &directory, 1, &error), CKAM_ERROR_INPUT, &error, "/chain_1.csv and ",
                   "/chain_2.csv are");
}

/* Of paths that do not fit into a sentence its end is shown, which tells them apart. */
static void long_paths_are_shown_by_their_ends(void **unused) {
    (void)unused;
    char        path[2][500] = {"", ""};
    ckam_draws *draws;
    ckam_error  error;
    folder_clear();
    for (size_t i = 0; i < 2; i++) {
        strcpy(path[i], folder);
        while (strlen(path[i]) < 300) strcat(path[i], "/.");
        strcat(path[i], i ? "/b_warmup.csv" : "/a.csv");
    }
    write_text(in_folder("a.csv"), "x\n1\n");
    assert_failure(ckam_draws_open(&draws, (const char *const[]){path[0], in_folder("a.csv"), path[0]}, 3, &error),
                   CKAM_ERROR_INPUT, &error, "/./a.csv and ", "name each file once");
    assert_failure(ckam_draws_open(&draws, (const char *const[]){path[0], path[1]}, 2, &error), CKAM_ERROR_INPUT,
                   &error, "/./b_warmup.csv is", "the run's directory");
}

/* As `ckam summary run/chain_*.csv` names them. Draws alone, and warm-ups alone, are read. */
static void warmup_is_not_mixed_with_draws(void **unused) {
    (void)unused;
    static const char *const names[] = {"chain_1.csv",        "chain_1_warmup.csv", "chain_2.csv",
                                        "chain_2_warmup.csv", "my_warmup.csv.csv",  "warmup.csv"};
    const char              *path[6];
    ckam_draws              *draws;
    ckam_error               error;
    folder_clear();
    for (size_t i = 0; i < 6; i++) {
        path[i] = in_folder(names[i]);
        write_text(path[i], "x\n1\n2\n");
    }
    assert_failure(ckam_draws_open(&draws, path, 4, &error), CKAM_ERROR_INPUT, &error, names[1],
                   "give the run's directory", "leave the files *_warmup.csv out");
    assert_null(draws);
    assert_failure(ckam_draws_open(&draws, path + 2, 2, &error), CKAM_ERROR_INPUT, &error, names[3]);
    assert_failure(ckam_draws_open(&draws, path + 3, 2, &error), CKAM_ERROR_INPUT, &error, names[3]);
    const char *const alike[][3] = {{path[1], path[3]}, {path[0], path[2]}, {path[0], path[4], path[5]}};
    for (size_t i = 0; i < 3; i++) assert_opens(alike[i], i < 2 ? 2 : 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_counts_once),
                                       cmocka_unit_test(long_paths_are_shown_by_their_ends),
                                       cmocka_unit_test(warmup_is_not_mixed_with_draws)};
    return cmocka_run_group_tests_name("draws_named", tests, folder_begin, folder_end);
}
