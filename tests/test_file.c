/* test_file.c - files that are there whole or not at all. */
#include "run_support.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void assert_content(const char *path, const void *bytes, size_t size) {
    size_t length;
    char  *content = slurp(path, &length);
    assert_int_equal(length, size);
    assert_memory_equal(content, bytes, size);
    free(content);
}

/* -- Replacing ---------------------------------------------------------------------------------------------------- */

static void a_file_is_made_and_replaced(void **unused) {
    (void)unused;
    assert_int_equal(file_replace(NULL, "made", "first", 5, NULL), CKAM_OK);
    assert_content("made", "first", 5);
    assert_int_equal(file_replace(NULL, "made", "a\0b", 3, NULL), CKAM_OK);
    assert_content("made", "a\0b", 3);
    assert_int_equal(file_replace(NULL, "made", "", 0, NULL), CKAM_OK);
    assert_content("made", "", 0);
    assert_false(is_there("made.new"));
    mkdir("folder", 0777);
    assert_int_equal(file_replace(NULL, "folder/made", "x", 1, NULL), CKAM_OK);
    assert_content("folder/made", "x", 1);
}

/* Somebody who has the old file open still reads it whole: the new one is another file. */
static void readers_of_the_old_file_are_left_alone(void **unused) {
    (void)unused;
    char room[16] = "";
    assert_int_equal(file_replace(NULL, "read", "old", 3, NULL), CKAM_OK);
    int file = open("read", O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(file_replace(NULL, "read", "newer", 5, NULL), CKAM_OK);
    assert_int_equal(read(file, room, sizeof room), 3);
    close(file);
    assert_string_equal(room, "old");
    assert_content("read", "newer", 5);
}

/* The limit of a file's size in this process. Its signal would end it: that must not happen. */
static void limit_files(rlim_t most) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A full disk at any byte: the old file stays, and nothing lies about. */
static void a_failed_write_leaves_the_old_file(void **unused) {
    (void)unused;
    enum { SIZE = 100000 };
    char *bytes = calloc(1, SIZE);
    assert_non_null(bytes);
    assert_int_equal(file_replace(NULL, "kept", "valuable", 8, NULL), CKAM_OK);
    static const rlim_t limits[] = {0, 1, 4096, SIZE - 1};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        ckam_error error;
        sigset_t   pending;
        limit_files(limits[i]);
        ckam_status status = file_replace(NULL, "kept", bytes, SIZE, &error);
        limit_files(RLIM_INFINITY);
        assert_failure(status, CKAM_ERROR_WRITE, &error, "kept", "File too large");
        assert_int_equal(sigpending(&pending), 0);
        assert_false(sigismember(&pending, SIGXFSZ)); /* nor later */
        assert_content("kept", "valuable", 8);
        assert_false(is_there("kept.new"));
    }
    limit_files(SIZE); /* the twin: just enough room */
    ckam_status status = file_replace(NULL, "kept", bytes, SIZE, NULL);
    limit_files(RLIM_INFINITY);
    assert_int_equal(status, CKAM_OK);
    assert_content("kept", bytes, SIZE);
    free(bytes);
}

static void what_cannot_be_replaced_is_named(void **unused) {
    (void)unused;
    ckam_error error;
    assert_failure(file_replace(NULL, "no/such/file", "x", 1, &error), CKAM_ERROR_OUTPUT, &error, "no/such/file",
                   "No such file");
    assert_int_equal(mkdir("full", 0777), 0);
    assert_int_equal(mkdir("full/inner", 0777), 0);
    assert_failure(file_replace(NULL, "full", "x", 1, &error), CKAM_ERROR_WRITE, &error, "full", "directory");
    assert_false(is_there("full.new"));
    assert_true(is_there("full/inner"));
    assert_int_equal(file_replace(NULL, "full", "x", 1, NULL), CKAM_ERROR_WRITE);
    assert_int_equal(mkfifo("device", 0600), 0); /* or a device, which must stay what it is */
    assert_failure(file_replace(NULL, "device", "x", 1, &error), CKAM_ERROR_OUTPUT, &error, "device", "name another");
    char long_path[FILE_PATH + 10];
    for (size_t length = FILE_PATH - 6; length < FILE_PATH + 5; length++) {
        memset(long_path, 'x', length);
        long_path[length] = 0;
        assert_failure(file_replace(NULL, long_path, "x", 1, &error), CKAM_ERROR_OUTPUT, &error, "xxxx");
    }
}

static void what_is_written_aside_is_seen_only_after_the_commit(void **unused) {
    (void)unused;
    file_aside a;
    assert_int_equal(file_replace(NULL, "parts", "old", 3, NULL), CKAM_OK);
    assert_int_equal(file_begin(&a, NULL, "parts", NULL), CKAM_OK);
    assert_int_equal(file_add(&a, "one ", 4, NULL), CKAM_OK);
    assert_int_equal(file_add(&a, "two", 3, NULL), CKAM_OK);
    assert_content("parts", "old", 3);
    assert_int_equal(file_commit(&a, NULL), CKAM_OK);
    assert_content("parts", "one two", 7);
    file_abandon(&a); /* after a commit there is nothing to abandon */
    assert_content("parts", "one two", 7);
    assert_int_equal(file_begin(&a, NULL, "parts", NULL), CKAM_OK);
    assert_int_equal(file_add(&a, "three", 5, NULL), CKAM_OK);
    file_abandon(&a);
    file_abandon(&a);
    assert_content("parts", "one two", 7);
    assert_false(is_there("parts.new"));
}

static void a_file_may_be_synced_later(void **unused) {
    (void)unused;
    file_aside a;
    ckam_error error;
    assert_int_equal(file_begin(&a, NULL, "later", NULL), CKAM_OK);
    assert_false(a.unsynced);
    a.unsynced = true;
    assert_int_equal(file_add(&a, "text", 4, NULL), CKAM_OK);
    assert_int_equal(file_commit(&a, NULL), CKAM_OK);
    assert_content("later", "text", 4);
    assert_false(is_there("later.new"));
    assert_int_equal(file_sync(NULL, "later", NULL), CKAM_OK);
    assert_failure(file_sync(NULL, "never", &error), CKAM_ERROR_WRITE, &error, "never", strerror(ENOENT));
}

/* What a program that was killed left aside is in nobody's way. */
static void leftovers_are_overwritten(void **unused) {
    (void)unused;
    spill_text("left.new", "a long half-written text");
    assert_int_equal(file_replace(NULL, "left", "short", 5, NULL), CKAM_OK);
    assert_content("left", "short", 5);
    assert_false(is_there("left.new"));
}

/* What lies where a file is written aside is not written to: it may be a link to something else. */
static void what_lies_aside_is_replaced(void **unused) {
    (void)unused;
    spill("elsewhere", "precious", 8);
    assert_int_equal(symlink("elsewhere", "page.new"), 0);
    assert_int_equal(file_replace(NULL, "page", "bytes", 5, NULL), CKAM_OK);
    assert_content("page", "bytes", 5);
    assert_content("elsewhere", "precious", 8);
    assert_int_equal(symlink("nowhere", "page.new"), 0);
    assert_int_equal(file_replace(NULL, "page", "other", 5, NULL), CKAM_OK);
    assert_content("page", "other", 5);
    assert_false(is_there("nowhere"));
}

/* -- Reading ------------------------------------------------------------------------------------------------------ */

static void refuse_to_read(const char *path, const char *piece) {
    ckam_error error;
    char      *bytes = (char *)&error;
    size_t     size = 9;
    assert_failure(file_read(NULL, path, &bytes, &size, &error), CKAM_ERROR_INPUT, &error, path, piece);
    assert_null(bytes);
}

static void files_are_read_whole(void **unused) {
    (void)unused;
    enum { SIZE = 300001 };
    char  *expected = malloc(SIZE), *bytes;
    size_t size;
    assert_non_null(expected);
    for (size_t i = 0; i < SIZE; i++) expected[i] = (char)(i * 7919 % 256);
    spill("big", expected, SIZE);
    assert_int_equal(file_read(NULL, "big", &bytes, &size, NULL), CKAM_OK);
    assert_int_equal(size, SIZE);
    assert_memory_equal(bytes, expected, SIZE);
    assert_int_equal(bytes[SIZE], 0);
    free(bytes);
    free(expected);
    spill("none", "", 0);
    assert_int_equal(file_read(NULL, "none", &bytes, &size, NULL), CKAM_OK);
    assert_int_equal(size, 0);
    assert_string_equal(bytes, "");
    free(bytes);
}

static void what_cannot_be_read_is_named(void **unused) {
    (void)unused;
    refuse_to_read("missing", "No such file");
    refuse_to_read(".", "directory");
    refuse_to_read("/", "directory");
}

static void records_are_regular_and_not_too_large(void **unused) {
    (void)unused;
    ckam_error error;
    char      *bytes;
    size_t     size;
    spill("record", "{}", 2);
    assert_int_equal(file_read_record(NULL, "record", &bytes, &size, NULL), CKAM_OK);
    assert_string_equal(bytes, "{}");
    free(bytes);
    assert_int_equal(truncate("record", FILE_RECORD), 0);
    assert_int_equal(file_read_record(NULL, "record", &bytes, &size, NULL), CKAM_OK);
    assert_int_equal(size, FILE_RECORD);
    free(bytes);
    assert_int_equal(truncate("record", FILE_RECORD + 1), 0);
    assert_failure(file_read_record(NULL, "record", &bytes, &size, &error), CKAM_ERROR_FORMAT, &error, "record",
                   "33554433");
    assert_null(bytes);
    assert_int_equal(mkfifo("silent", 0666), 0); /* nobody will write: it must not wait */
    assert_failure(file_read_record(NULL, "silent", &bytes, &size, &error), CKAM_ERROR_FORMAT, &error, "silent",
                   "regular");
    assert_failure(file_read_record(NULL, ".", &bytes, &size, &error), CKAM_ERROR_FORMAT, &error, "regular");
    assert_failure(file_read_record(NULL, "missing", &bytes, &size, &error), CKAM_ERROR_INPUT, &error, "No such file");
}

/* A pipe, such as /dev/stdin or what a shell makes of <(command), has no size that could be asked for. */
static void a_pipe_is_read_to_its_end(void **unused) {
    (void)unused;
    enum { SIZE = 200000 };
    assert_int_equal(mkfifo("pipe", 0666), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static char text[SIZE];
        size_t      done = 0;
        int         file = open("pipe", O_WRONLY);
        memset(text, 'y', SIZE);
        for (ssize_t count; done < SIZE && (count = write(file, text + done, SIZE - done)) > 0;) done += (size_t)count;
        _exit(done < SIZE);
    }
    char       *bytes;
    size_t      size;
    ckam_status status = file_read(NULL, "pipe", &bytes, &size, NULL);
    int         ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(status, CKAM_OK);
    assert_int_equal(size, SIZE);
    assert_int_equal(strspn(bytes, "y"), SIZE);
    free(bytes);
}

static void bytes_are_read_from_their_place(void **unused) {
    (void)unused;
    char room[8] = "-------";
    spill("place", "0123456789", 10);
    int file = open("place", O_RDONLY);
    assert_true(file >= 0);
    assert_true(file_read_at(file, room, 3, 4));
    assert_string_equal(room, "456----");
    assert_true(file_read_at(file, room, 4, 6)); /* to the end */
    assert_string_equal(room, "6789---");
    assert_true(file_read_at(file, room, 0, 100));
    assert_false(file_read_at(file, room, 5, 6)); /* a file that is cut */
    assert_false(file_read_at(file, room, 1, 10));
    close(file);
    assert_false(file_read_at(file, room, 1, 0));
    assert_false(file_read_at(-1, room, 1, 0));
}

/* -- Writing at a place ------------------------------------------------------------------------------------------- */

static void bytes_are_written_where_they_belong(void **unused) {
    (void)unused;
    int file = open("places", O_RDWR | O_CREAT, 0666);
    assert_true(file >= 0);
    assert_true(file_write(file, "0123456789", 10, 0));
    assert_true(file_write(file, "abc", 3, 4));
    assert_true(file_write(file, "xyz", 3, 9));
    assert_true(file_write(file, "", 0, 1000));
    close(file);
    assert_content("places", "0123abc78xyz", 12);
}

static void a_full_device_is_noticed(void **unused) {
    (void)unused;
    int file = open("/dev/full", O_WRONLY);
    if (file < 0) skip();
    assert_false(file_write(file, "x", 1, 0));
    close(file);
    assert_false(file_write(-1, "x", 1, 0));
    assert_true(file_write(-1, "x", 0, 0));
}

/* -- In a directory that is open ---------------------------------------------------------------------------------- */

static void an_open_directory_is_the_same_after_a_rename(void **unused) {
    (void)unused;
    open_directory in = {.path = "open/"};
    ckam_error     error;
    char          *bytes;
    size_t         size;
    mkdir("open", 0777);
    in.file = open("open", O_RDONLY | O_DIRECTORY);
    assert_true(in.file >= 0);
    assert_int_equal(rename("open", "renamed"), 0);
    mkdir("open", 0777);
    mkdir("renamed/inner", 0777);
    assert_int_equal(file_replace(&in, "inner/made", "bytes", 5, NULL), CKAM_OK);
    assert_true(is_there("renamed/inner/made") && !is_there("renamed/inner/made.new") && !is_there("open/inner"));
    assert_int_equal(file_sync(&in, "inner/made", NULL), CKAM_OK);
    assert_int_equal(file_read(&in, "inner/made", &bytes, &size, NULL), CKAM_OK);
    assert_string_equal(bytes, "bytes");
    free(bytes);
    spill_text("open/other", "not in it");
    assert_failure(file_read_record(&in, "other", &bytes, &size, &error), CKAM_ERROR_INPUT, &error, "open//other");
    assert_failure(file_replace(&in, "no/file", "x", 1, &error), CKAM_ERROR_OUTPUT, &error, "open//no/file.new");
    assert_failure(file_sync(&in, "none", &error), CKAM_ERROR_WRITE, &error, "open//none");
    close(in.file);
}

static void paths_are_shown_as_they_were_given(void **unused) {
    (void)unused;
    char           text[FILE_SHOWN], name[150];
    open_directory in = {.file = -1, .path = "a/b"};
    assert_string_equal(file_show(NULL, "./c", text), "./c");
    assert_string_equal(file_show(&in, "./c", text), "a/b/c");
    assert_string_equal(file_show(&in, "c/d", text), "a/b/c/d");
    assert_string_equal(file_show(&in, ".", text), "a/b");
    memset(name, 'x', sizeof name - 1);
    memcpy(name + sizeof name - 5, ".csv", 5);
    file_show(&in, name, text);
    assert_int_equal(strlen(text), FILE_SHOWN - 1);
    assert_string_equal(text + FILE_SHOWN - 1 - 5, "x.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_is_made_and_replaced),
                                       cmocka_unit_test(readers_of_the_old_file_are_left_alone),
                                       cmocka_unit_test(a_failed_write_leaves_the_old_file),
                                       cmocka_unit_test(what_cannot_be_replaced_is_named),
                                       cmocka_unit_test(what_is_written_aside_is_seen_only_after_the_commit),
                                       cmocka_unit_test(a_file_may_be_synced_later),
                                       cmocka_unit_test(leftovers_are_overwritten),
                                       cmocka_unit_test(files_are_read_whole),
                                       cmocka_unit_test(what_lies_aside_is_replaced),
                                       cmocka_unit_test(records_are_regular_and_not_too_large),
                                       cmocka_unit_test(what_cannot_be_read_is_named),
                                       cmocka_unit_test(a_pipe_is_read_to_its_end),
                                       cmocka_unit_test(bytes_are_read_from_their_place),
                                       cmocka_unit_test(bytes_are_written_where_they_belong),
                                       cmocka_unit_test(a_full_device_is_noticed),
                                       cmocka_unit_test(an_open_directory_is_the_same_after_a_rename),
                                       cmocka_unit_test(paths_are_shown_as_they_were_given)};
    return cmocka_run_group_tests_name("file", tests, enter_temporary, leave_temporary);
}
