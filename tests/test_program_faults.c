/* test_program_faults.c - programs that misbehave: garbage, deaths, silence, and what is said of each. */
#include "held_clock.h"
#include "program_support.h"
#include "refusal.h"

#include "target/lag.h"

#include <unistd.h>

/* -- Answers that are none ---------------------------------------------------------------------------------------- */

/* The first answer is this text, as printf writes it. */
static void refuse_answer(const char *format, const char *piece, const char *quoted) {
    engine *e = opened_shell(text_of("read -r x; printf -- '%s'; read -r x", format), "x, y");
    assert_answer(e, 1.0, ENGINE_STOP, piece);
    assert_answer(e, 1.0, ENGINE_STOP, quoted);
    closed(e);
}

static void garbage_is_quoted(void **unused) {
    (void)unused;
    refuse_answer("hello\\n", "not all of which is a number; expected was one number", "'hello'");
    refuse_answer("1.5x\\n", "not all of which is a number", "'1.5x'");
    refuse_answer("1,5\\n", "not all of which is a number", "'1,5'");
    refuse_answer("[1] -2.5\\n", "not all of which is a number", "'[1] -2.5'");
    refuse_answer("0x10\\n", "not all of which is a number", "'0x10'");
    refuse_answer("-infinit\\n", "not all of which is a number", "'-infinit'");
    refuse_answer("rejected\\n", "not all of which is a number", "'rejected'");
    refuse_answer("1 2\\n", "2 numbers; expected was one number", "'1 2'");
    refuse_answer("\\n", "an empty line", "''");
    refuse_answer("  \\r\\n", "an empty line", "'  '");
    refuse_answer("1\\0002\\n", "which has a 0 byte in it", "'1?2'");
    refuse_answer("1\\0000\\n", "which has a 0 byte in it", "'1?0'");
    refuse_answer("\\033[2Jboo\\n", "not all of which is a number", "'?[2Jboo'");
    refuse_answer("%0100d x\\n", "not all of which is a number",
                  "'000000000000000000000000000000000000000000000000000000000000...'");
    refuse_answer("x%057d\\303\\244\\303\\244\\n", "not all", "00\303\244...'");
    refuse_answer("x%058d\\303\\244\\303\\244\\n", "not all", "000...'"); /* no half letters */
}

static void the_number_of_numbers_counts(void **unused) {
    (void)unused;
    static const char *const lines[][2] = {{"1", "1 number; expected was 3 numbers"},
                                           {"1 2", "2 numbers; expected was 3 numbers"},
                                           {"1 2 3 4", "4 numbers; expected was 3 numbers"},
                                           {"1 2 x", "'1 2 x', not all"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        engine *e = opened_shell(
            text_of("echo 'ckam 1 params x; derived a, b'; read -r x; echo '%s'; read -r x", lines[i][0]), NULL);
        assert_answer(e, 1.0, ENGINE_STOP, lines[i][1]);
        closed(e);
    }
}

static void endless_lines_are_cut(void **unused) {
    (void)unused;
    engine *e = opened("exec cat /dev/zero", "x");
    assert_answer(e, 1.0, ENGINE_STOP, "bytes without an end of line, beginning with '????");
    closed(e);
    e = opened_shell("while read -r x y; do case $x in 1) echo 1;; *) exec yes '' | tr '\\n' 7; esac; done", "x, y");
    value_at(e, (const double[]){1.0, 0.0});
    assert_answer(e, 2.0, ENGINE_STOP, "wrote 65568 bytes without an end of line, beginning with '7777");
    closed(e);
}

/* The answer to one point must not pass for that to the next. */
static void two_answers_are_one_too_many(void **unused) {
    (void)unused;
    engine *e = opened_shell("while read -r x; do printf '1\\n2\\n'; done", "x, y");
    assert_answer(e, 1.0, ENGINE_STOP, "more than one answer to a point: '2");
    closed(e);
    e = opened_shell("read -r x; echo 1; while [ ! -e go ]; do sleep 0.005; done; echo 2; : >both; read -r x", "x, y");
    value_at(e, (const double[]){1.0, 0.0});
    spill_text("go", "");
    while (!is_there("both")) pause_shortly();
    assert_answer(e, 1.0, ENGINE_STOP, "more than one answer to a point: '2");
    closed(e);
}

/* -- Answers of other points -------------------------------------------------------------------------------------- */

/* After this many answers, one too many that is under way whenever a point is asked: each later answer is held back until the next
 * question is there, so it is never seen too early. */
#define HELD_BACK                                                                                                      \
    "n=0; while read -r x y; do n=$((n + 1)); if [ $n -le %d ]; then echo \"$x\"; held=-99\n"                          \
    "else echo \"$held\"; held=$x; fi; done"
/* The same in binary. */
static const char binary_held_back[] = "import os, struct, sys\n"
                                       "os.write(1, b'ckam 1 params x, y; binary\\n')\n"
                                       "n, held = 0, struct.pack('=d', -99.0)\n"
                                       "while len(point := sys.stdin.buffer.read(16)) == 16:\n"
                                       "    n += 1\n"
                                       "    answer = point[:8]\n"
                                       "    if n > int(sys.argv[1]): answer, held = held, answer\n"
                                       "    os.write(1, answer)\n";

/* How many wrong answers there are before one is refused, of `count`; *why says how. */
static size_t wrong_answers(engine *e, int count, char *why) {
    size_t wrong = 0;
    why[0] = 0;
    for (int i = 0; i < count && !*why; i++) {
        double        x[] = {i + 1.0, 0.0}, value;
        engine_answer answer = asked(e, x, &value, why);
        if (answer == ENGINE_VALUE && value != x[0]) wrong++;
        if (answer != ENGINE_VALUE) assert_int_equal(answer, ENGINE_STOP);
    }
    return wrong;
}

static void refuse_late(engine *e, int after) {
    char why[ENGINE_WHY];
    assert_true(wrong_answers(e, after + LAG_EVERY + 1, why) <= LAG_EVERY);
    assert_non_null(strstr(why, "worker 1 of the program answers with values of other points"));
    assert_non_null(strstr(why, "may be wrong; let it write exactly one answer per point"));
    assert_true(e->shifted);
    assert_answer(e, 1.0, ENGINE_STOP, why); /* for ever */
    closed(e);
}

static void late_answers_are_noticed(void **unused) {
    (void)unused;
    static const int after[] = {1, 2, 3, 50, 63, 64, 200};
    spill_text("held.py", binary_held_back);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        refuse_late(opened_shell(text_of(HELD_BACK, after[i]), "x, y"), after[i]);
        if (i % 3) continue; /* Python takes its time to start */
        refuse_late(opened(text_of("exec /usr/bin/env python3 held.py %d", after[i]), NULL), after[i]);
    }
}

/* One too many that is there before the next question: not one wrong answer. */
static void extra_answers_are_noticed_at_once(void **unused) {
    (void)unused;
    char why[ENGINE_WHY];
    spill_text("extra.py", "import os, struct, sys\n"
                           "os.write(1, b'ckam 1 params x, y; binary\\n')\n"
                           "while len(point := sys.stdin.buffer.read(16)) == 16:\n"
                           "    twice = struct.unpack('=2d', point)[0] == 7\n"
                           "    os.write(1, point[:8] * (2 if twice else 1))\n");
    const char *text = "while read -r x y; do case $x in 7) printf '7\\n-1\\n';; *) echo \"$x\"; esac; done";
    for (int binary = 0; binary < 2; binary++) {
        engine *e = binary ? opened("exec /usr/bin/env python3 extra.py", NULL) : opened_shell(text, "x, y");
        assert_int_equal(wrong_answers(e, 20, why), 0);
        assert_non_null(strstr(why, "wrote more than one answer to a point: '"));
        assert_non_null(strstr(why, "its answers from 7 on may be wrong")); /* checked were 2, and 6 */
        assert_true(e->shifted);
        closed(e);
    }
}

/* The last answers are confirmed at the end, also those of a process that has ended. */
static void the_last_answers_are_confirmed(void **unused) {
    (void)unused;
    ckam_error error = {.message = ""};
    char       why[ENGINE_WHY];
    for (int fault = 74; fault <= 76; fault++) { /* 70 answers, and 5 points that were asked again */
        engine *e = opened_shell(text_of(HELD_BACK, fault), "x, y");
        assert_true(wrong_answers(e, 70, why) <= 1);
        assert_string_equal(why, "");
        if (fault == 76)
            assert_int_equal(e->type->verify(e, true, &error), CKAM_OK);
        else
            assert_failure(e->type->verify(e, true, &error), CKAM_ERROR_TARGET, &error, "values of other points",
                           "answers from 63 on");
        assert_int_equal(e->shifted, fault != 76);
        closed(e);
    }
    for (int late = 0; late < 2; late++) {
        engine *e = opened_shell(text_of("late=%d; [ -e second ] && late=0; : >second; held=-99\n"
                                         "while read -r x y; do if [ $x = 9 ]; then exit 1; fi\n"
                                         "if [ $late = 1 ] && [ $x -gt 6 ]; then echo $held; held=$x\n"
                                         "else echo $x; fi; done",
                                         late),
                                 "x, y");
        for (int i = 1; i <= 8; i++) {
            double value, x[] = {i, 0.0};
            assert_int_equal(asked(e, x, &value, why), ENGINE_VALUE);
        }
        assert_answer(e, 9.0, ENGINE_FAULT, "ended with exit status 1");
        assert_int_equal(e->type->verify(e, false, &error), CKAM_OK); /* nobody is there to ask */
        if (late)
            assert_failure(e->type->verify(e, true, &error), CKAM_ERROR_TARGET, &error, "values of other points");
        else
            assert_int_equal(e->type->verify(e, true, &error), CKAM_OK);
        closed(e);
        unlink("second");
    }
}

static void random_answers_are_not_refused(void **unused) {
    (void)unused;
    char    why[ENGINE_WHY];
    engine *e = opened_shell("n=0; while read -r x y; do n=$((n + 1)); echo \"$((n * n % 1009))\"; done", "x, y");
    wrong_answers(e, 200, why);
    assert_string_equal(why, "");
    assert_true(e->noisy);
    assert_false(e->shifted);
    assert_true(e->two_values[0] != e->two_values[1]);
    assert_int_equal(e->type->verify(e, true, NULL), CKAM_OK);
    closed(e);
}

/* A check costs that: the program is asked 65 times for 64 answers, and often at first. */
static void checks_are_rare(void **unused) {
    (void)unused;
    char    why[ENGINE_WHY];
    engine *e = opened_shell(": >calls; while read -r x y; do printf . >>calls; echo \"$x\"; done", "x, y");
    assert_int_equal(wrong_answers(e, 1086, why), 0);
    char *text = slurp("calls", NULL);
    assert_int_equal(strlen(text), 1086 + 5 + 15); /* after 2, 6, 14, 30, 62 answers, then after each 64 */
    free(text);
    closed(e);
}

static void a_fault_while_checking_costs_a_point(void **unused) {
    (void)unused;
    engine *e = opened_shell("n=0; [ -e second ] && n=99; while read -r x y; do n=$((n + 1))\n"
                             "if [ $n = 3 ]; then : >second; exit 5; fi; echo \"$x\"; done",
                             "x, y");
    value_at(e, (const double[]){1.0, 0.0});
    value_at(e, (const double[]){2.0, 0.0});
    assert_answer(e, 3.0, ENGINE_FAULT, "ended with exit status 5");
    assert_true(value_at(e, (const double[]){3.0, 0.0}) == 3.0);
    closed(e);
    unlink("second");
}

static void a_program_may_reject_and_stop(void **unused) {
    (void)unused;
    engine *e =
        opened_shell("while read -r x y; do case $x in 1) echo reject 'the matrix\tis singular ';; 2) echo reject;;\n"
                     "3) echo stop no data;; 4) echo stop;; 5) printf 'stop \\033x\\n';; *) echo 7; esac; done",
                     "x, y");
    char   why[ENGINE_WHY];
    double value, two[] = {2.0, 0.0};
    assert_answer(e, 1.0, ENGINE_REJECT, "the matrix?is singular");
    assert_int_equal(asked(e, two, &value, why), ENGINE_REJECT);
    assert_string_equal(why, "");
    assert_true(value_at(e, (const double[]){0.0, 0.0}) == 7.0);
    assert_answer(e, 3.0, ENGINE_STOP, "no data");
    assert_answer(e, 4.0, ENGINE_STOP, "the program said stop");
    assert_answer(e, 5.0, ENGINE_STOP, "?x");
    closed(e);
    e = opened_shell("echo stop no licence; exit 1", "x, y"); /* it did not even wait for a point */
    assert_answer(e, 1.0, ENGINE_STOP, "no licence");
    closed(e);
    e = opened_shell("echo stop no licence; exit 1", "x[50000]"); /* nor read it */
    static double x[50000];
    assert_int_equal(asked(e, x, &value, why), ENGINE_STOP);
    assert_string_equal(why, "no licence");
    closed(e);
}

/* -- Deaths ------------------------------------------------------------------------------------------------------- */

#define MORTAL                                                                                                         \
    "while read -r x y; do case $x in 1) exit 3;; 2) kill -SEGV $$;; 3) exit 0;; 4) exec >&-; sleep 1000;;\n"          \
    "5) exec 2>/dev/null; sh -c 'kill -ABRT $$'; exit $?;; *) echo \"$x\"; esac; done"

static void a_death_costs_one_point(void **unused) {
    (void)unused;
    static const char *const ways[] = {"ended with exit status 3 instead", "ended with SIGSEGV instead",
                                       "ended with exit status 0 instead", "closed its output or was ended by SIGKILL",
                                       "ended with exit status 134 (SIGABRT) instead"};
    engine                  *e = opened_shell("echo $$ >leader\n" MORTAL, "x, y");
    value_at(e, (const double[]){9.0, 0.0});
    for (int i = 0; i < 5; i++) {
        assert_answer(e, i + 1.0, ENGINE_FAULT, ways[i]);
        assert_reaped("leader");
        assert_answer(e, i + 1.0, ENGINE_FAULT, ways[i]); /* the new one, too */
        assert_true(value_at(e, (const double[]){8.0, 0.0}) == 8.0);
    }
    closed(e);
}

/* One that ends by itself has never the next answer: not by chance, how ever the two race. A new process has two: the first
 * confirms the last one of the process before it. */
static void a_death_between_two_points_is_noticed(void **unused) {
    (void)unused;
    engine *e = opened_shell("if [ -e second ]; then read -r x; echo 5; fi; : >second; read -r x; echo 5", "x, y");
    for (int i = 0; i < 10; i++) {
        assert_true(value_at(e, (const double[]){1.0, 0.0}) == 5.0);
        if (i % 2) pause_shortly();
        assert_answer(e, 1.0, ENGINE_FAULT, "ended with exit status 0 instead of answering");
    }
    closed(e);
    unlink("second");
}

static void who_never_answers_is_not_started_for_ever(void **unused) {
    (void)unused;
    engine *e = opened_shell("read -r x; exit 4", "x, y");
    assert_answer(e, 1.0, ENGINE_FAULT, "exit status 4");
    assert_answer(e, 1.0, ENGINE_STOP, "ended 2 times before it answered anything, the last time with exit status 4");
    closed(e);
    e = opened_shell("exit 4", "x, y[50000]"); /* a point that no pipe holds: writing fails */
    static double x[50001];
    double        value;
    char          why[ENGINE_WHY];
    assert_int_equal(asked(e, x, &value, why), ENGINE_FAULT);
    assert_int_equal(asked(e, x, &value, why), ENGINE_STOP);
    assert_non_null(strstr(why, "exit status 4"));
    closed(e);
}

static void no_such_command(void **unused) {
    (void)unused;
    ckam_error error = {.message = ""};
    engine    *e = opened("no-such-command-anywhere 2>/dev/null", "x, y");
    assert_answer(e, 1.0, ENGINE_STOP, "was not found (exit status 127): 'no-such-command-anywhere");
    closed(e);
    assert_failure(open_program(&e, "no-such-command-anywhere 2>/dev/null", NULL, 1, PLENTY, &error), CKAM_ERROR_TARGET,
                   &error, "was not found", "127", "no-such-command-anywhere");
    assert_null(e);
    spill_text("plain", "no program");
    e = opened("./plain 2>/dev/null", "x, y");
    assert_answer(e, 1.0, ENGINE_STOP, "cannot be run (exit status 126)");
    closed(e);
}

/* -- Time --------------------------------------------------------------------------------------------------------- */

static void who_is_too_slow_is_ended(void **unused) {
    (void)unused;
    spill_text("program.sh", "echo $$ >leader; while read -r x y; do case $x in\n"
                             "1) sleep 1000 & echo $! >child; : >hangs; wait;; 2) printf 12; : >hangs; sleep 1000;;\n"
                             "*) echo \"$x\"; esac; done");
    engine *e = opened_with("exec sh program.sh", "x, y", 1, 7200.0);
    double  start = clock_ahead;
    hold_clock("hangs");
    assert_answer(e, 1.0, ENGINE_FAULT, "took longer than 7200 s, from its start");
    assert_less(3600.0, clock_ahead - start); /* however long the program took to come to where it hangs */
    assert_less(clock_ahead - start, 7202.0);
    assert_reaped("leader");
    assert_gone("child");
    assert_true(value_at(e, (const double[]){8.0, 0.0}) == 8.0);
    assert_answer(e, 1.0, ENGINE_FAULT, "worker 1 of the program took longer than 7200 s");
    assert_answer(e, 2.0, ENGINE_FAULT, "took longer than 7200 s; it wrote '12' without an end of line");
    assert_true(value_at(e, (const double[]){8.0, 0.0}) == 8.0);
    hold_clock(NULL);
    closed(e);
}

/* The program answers only after the notice was given, so it was given while it was waited for. */
static void let_go(void *context, const char *sentence) {
    snprintf(context, 400, "%s", sentence);
    spill_text("go", "");
}

static void silence_before_the_first_answer_is_told(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "read -r x; while [ ! -e go ]; do sleep 0.005; done; echo 1; read -r x; sleep 0.2; echo 2",
        "while [ ! -e go ]; do sleep 0.005; done; echo ckam 1 params x; while read -r x; do echo 1; done"};
    params p = {0};
    assert_int_equal(params_read(&p, "x", "--params", true, NULL), CKAM_OK);
    unlink("go");
    for (size_t i = 0; i < 2; i++) {
        engine       *e = NULL;
        char          sentence[400] = "";
        program_setup setup = {"exec sh program.sh", i ? NULL : &p, 1, PLENTY, let_go, sentence, 0.05};
        spill_text("program.sh", texts[i]);
        assert_int_equal(program_open(&e, &setup, NULL), CKAM_OK);
        assert_true(value_at(e, (const double[]){1.0}) == 1.0);
        assert_non_null(strstr(sentence, "no answer from 'exec sh program.sh' for 0.05 s"));
        assert_non_null(strstr(sentence, "print(..., flush=True)"));
        sentence[0] = 0;
        value_at(e, (const double[]){2.0}); /* however long it takes */
        assert_string_equal(sentence, "");
        closed(e);
        unlink("go");
    }
    params_free(&p);
}

/* It does not read, and the point does not fit into a pipe. */
static void who_does_not_read_is_too_slow(void **unused) {
    (void)unused;
    static double x[50000];
    double        value;
    char          why[ENGINE_WHY];
    engine       *e = opened_with("exec sleep 1000", "x[50000]", 1, 0.1);
    assert_int_equal(asked(e, x, &value, why), ENGINE_FAULT);
    assert_non_null(strstr(why, "took longer than 0.1 s"));
    closed(e);
}

/* -- First lines -------------------------------------------------------------------------------------------------- */

static void refuse_first(const char *line, const char *piece) {
    engine    *e = NULL;
    ckam_error error = {.message = ""};
    spill_text("first", line);
    ckam_status status = open_program(&e, "cat first; read -r x", NULL, 1, PLENTY, &error);
    assert_true(status < 0);
    assert_failure(status, error.status, &error, piece);
    assert_null(e);
}

static void wrong_first_lines_are_refused(void **unused) {
    (void)unused;
    refuse_first(
        "-2.5\n",
        "begins with '-2.5', not with its parameters; give --params 'x, y', or let it begin with the line: ckam 1");
    refuse_first("\n", "begins with ''");
    refuse_first("CKAM 1 params x\n", "begins with 'CKAM 1 params x'");
    refuse_first("ckam 2 params x\n", "'ckam 2 params x'; expected was: ckam 1 params");
    refuse_first("ckam 1\n", "expected was: ckam 1 params");
    refuse_first("ckam 1 parameters x\n", "'ckam 1 parameters x'");
    refuse_first("ckam 1 params\n", "'params' of the program names nothing");
    refuse_first("ckam 1 params x, x\n", "x");
    refuse_first("ckam 1 params x > 2 < 1\n", "'params' of the program");
    refuse_first("ckam 1 params x ; text\n", "the part ' text'");
    refuse_first("ckam 1 params x ; binary ; binary\n", "once each");
    refuse_first("ckam 1 params x ; binary yes\n", "the part ' binary yes'");
    refuse_first("ckam 1 params x ;\n", "the part ''");
    refuse_first("ckam 1 params x ; derived\n", "'derived' of the program names nothing");
    refuse_first("ckam 1 params x ; derived a > 0\n", "'derived' of the program");
    refuse_first("ckam 1 params x, y ; derived a, y\n", "y");
    refuse_first("ckam 1 params x ; derived a ; derived b\n", "once each");
    refuse_first("stop it is too late\n", "it is too late");
    engine    *e = NULL;
    ckam_error error = {.message = ""};
    assert_failure(open_program(&e, "exit 1", NULL, 1, PLENTY, &error), CKAM_ERROR_TARGET, &error,
                   "ended with exit status 1 instead of answering");
    assert_null(e);
}

static void who_says_nothing_is_told_both_ways(void **unused) {
    (void)unused;
    engine    *e = NULL;
    ckam_error error = {.message = ""};
    hold_clock("hangs");
    assert_failure(
        open_program(&e, "echo $$ >leader; : >hangs; while read -r x; do echo 1; done", NULL, 1, 20.0, &error),
        CKAM_ERROR_TARGET, &error, "in 20 s", "--params 'x, y'", "ckam 1 params x, y");
    hold_clock(NULL);
    assert_null(e);
    assert_reaped("leader");
}

static void impossible_setups_are_refused(void **unused) {
    (void)unused;
    engine    *e = NULL;
    ckam_error error = {.message = ""};
    assert_failure(open_program(&e, "cat", "x", 0, 1.0, &error), CKAM_ERROR_ARGUMENT, &error, "1 worker");
    assert_failure(open_program(&e, "cat", "x", 1, 0.0, &error), CKAM_ERROR_ARGUMENT, &error, "time limit");
    assert_failure(open_program(&e, "cat", "x", 1, (double)NAN, &error), CKAM_ERROR_ARGUMENT, &error, "time limit");
}

static void disagree(const char *first, const char *declared, const char *piece) {
    engine *e = opened_shell(text_of("echo '%s'; while read -r x; do echo 1; done", first), declared);
    assert_answer(e, 1.0, ENGINE_STOP, piece);
    closed(e);
}

static void params_and_the_program_must_agree(void **unused) {
    (void)unused;
    disagree("ckam 1 params x", "x, y", "2 numbers in --params");
    disagree("ckam 1 params x, tau", "x, y", "tau");
    disagree("ckam 1 params y, x", "x, y", "number 1");
    disagree("ckam 1 params x, y > 0", "x, y", "leave out --params");
    disagree("ckam 1 params x, y ; derived z", "x, y", "leave out --params");
    disagree("ckam 1 params x, y ; binary", "x, y", "leave out --params");
    disagree("ckam 1 parms x, y", "x, y", "'ckam 1 parms x, y'");
}

/* The second process, started after the first has ended, begins in another way. */
static void all_workers_must_say_the_same(void **unused) {
    (void)unused;
    static const char *const greetings[][3] = {{"echo ckam 1 params x", "echo ckam 1 params y", NULL},
                                               {"echo ckam 1 params x", "echo 'ckam 1 params x > 0'", NULL},
                                               {"echo ckam 1 params x", "echo 'ckam 1 params  x'", "x"},
                                               {"echo ckam 1 params x", ":", "x"},
                                               {":", "echo ckam 1 params x", "x"}};
    for (size_t i = 0; i < sizeof greetings / sizeof *greetings; i++) {
        engine *e = opened_shell(text_of("if [ -e second ]; then %s; else %s; fi; : >second\n"
                                         "while read -r x; do case $x in 1) exit 1;; *) echo 1; esac; done",
                                         greetings[i][1], greetings[i][0]),
                                 greetings[i][2]);
        value_at(e, (const double[]){0.0});
        assert_answer(e, 1.0, ENGINE_FAULT, "exit status 1");
        assert_answer(e, 0.0, ENGINE_STOP, "all must say the same");
        closed(e);
        unlink("second");
    }
}

/* -- Binary ------------------------------------------------------------------------------------------------------- */

/* An x of 1 ends it, one of 2 makes it write half of an answer, one of 3 makes it write too much. */
static const char binary_program[] = "import os, struct, sys, time\n"
                                     "os.write(1, b'ckam 1 params x, y; derived d; binary\\n')\n"
                                     "while len(point := sys.stdin.buffer.read(16)) == 16:\n"
                                     "    x, y = struct.unpack('=2d', point)\n"
                                     "    if x == 1: sys.exit(9)\n"
                                     "    answer = struct.pack('=2d', y if x != 4 else float('nan'), x)\n"
                                     "    if x == 2:\n"
                                     "        os.write(1, answer[:12])\n"
                                     "        time.sleep(1000)\n"
                                     "    os.write(1, answer + answer[:x == 3])\n";

static void binary_programs_misbehave_alike(void **unused) {
    (void)unused;
    spill_text("binary.py", binary_program);
    engine *e = opened("exec /usr/bin/env python3 binary.py", NULL);
    double  x[] = {0.1, -1.0 / 3.0}, out;
    char    why[ENGINE_WHY];
    void   *handle = attached(e);
    assert_true(value_at(e, x) == -1.0 / 3.0);
    assert_int_equal(e->type->derive(e, handle, x, &out, why), ENGINE_VALUE);
    assert_true(out == 0.1);
    e->type->detach(e, handle);
    assert_true(isnan(value_at(e, (const double[]){4.0, 0.0})));
    assert_answer(e, 1.0, ENGINE_FAULT, "exit status 9");
    assert_true(value_at(e, x) == -1.0 / 3.0);
    assert_answer(e, 3.0, ENGINE_STOP, "more than one answer");
    closed(e);
    e = opened("printf 'ckam 1 params x, y; binary\\n12345'; sleep 1000", NULL);
    assert_answer(e, 0.0, ENGINE_STOP, "more than one answer to a point: '12345'");
    closed(e);
    e = opened("echo 'ckam 1 params x, y; binary'; head -c 16 >/dev/null; printf 12345; : >hangs; exec sleep 1000",
               NULL);
    hold_clock("hangs");
    assert_answer(e, 10.0, ENGINE_FAULT, "took longer than 600 s");
    hold_clock(NULL);
    closed(e);
}

/* -- Memory ------------------------------------------------------------------------------------------------------- */

/* All from opening to the end, one allocation refused. */
static bool survives(unsigned number, const char *command, const char *declared) {
    engine    *e = NULL;
    void      *handle = NULL;
    ckam_error error = {.message = ""};
    double     x[] = {1.0, 2.0}, value, out;
    char       why[ENGINE_WHY] = "";
    params     p = {0};
    if (declared) assert_int_equal(params_read(&p, declared, "--params", true, NULL), CKAM_OK);
    refusal_begin(number);
    program_setup setup = {.command = command, .declared = declared ? &p : NULL, .workers = 1, .timeout = PLENTY};
    ckam_status   status = program_open(&e, &setup, &error);
    engine_answer answer = ENGINE_VALUE;
    if (!status) status = e->type->attach(e, 0, &handle, &error);
    if (!status) answer = e->type->evaluate(e, handle, x, &value, why);
    if (!status && answer == ENGINE_VALUE && e->derived) answer = e->type->derive(e, handle, x, &out, why);
    bool refused = refusal_end();
    assert_int_equal(refused, status == CKAM_ERROR_MEMORY || status == CKAM_ERROR_TARGET || answer == ENGINE_STOP);
    if (status) assert_true(*error.message);
    if (answer != ENGINE_VALUE) assert_non_null(strstr(why, "emory"));
    if (handle) e->type->detach(e, handle);
    if (e) closed(e);
    params_free(&p);
    return refused;
}

static void every_refusal_of_memory_is_survived(void **unused) {
    (void)unused;
    unsigned number = 1;
    spill_text("program.sh", "echo 'ckam 1 params x, y; derived z'; while read -r x; do echo 1 2; done");
    while (survives(number, "exec sh program.sh", NULL)) number++;
    assert_true(number > 10);
    number = 1;
    spill_text("program.sh", "echo 'ckam 1 params x, y'; while read -r x; do echo 1; done");
    while (survives(number, "exec sh program.sh", "x, y")) number++;
    assert_true(number > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(garbage_is_quoted),
                                       cmocka_unit_test(the_number_of_numbers_counts),
                                       cmocka_unit_test(endless_lines_are_cut),
                                       cmocka_unit_test(two_answers_are_one_too_many),
                                       cmocka_unit_test(late_answers_are_noticed),
                                       cmocka_unit_test(extra_answers_are_noticed_at_once),
                                       cmocka_unit_test(the_last_answers_are_confirmed),
                                       cmocka_unit_test(random_answers_are_not_refused),
                                       cmocka_unit_test(checks_are_rare),
                                       cmocka_unit_test(a_fault_while_checking_costs_a_point),
                                       cmocka_unit_test(a_program_may_reject_and_stop),
                                       cmocka_unit_test(a_death_costs_one_point),
                                       cmocka_unit_test(a_death_between_two_points_is_noticed),
                                       cmocka_unit_test(who_never_answers_is_not_started_for_ever),
                                       cmocka_unit_test(no_such_command),
                                       cmocka_unit_test(who_is_too_slow_is_ended),
                                       cmocka_unit_test(silence_before_the_first_answer_is_told),
                                       cmocka_unit_test(who_does_not_read_is_too_slow),
                                       cmocka_unit_test(wrong_first_lines_are_refused),
                                       cmocka_unit_test(who_says_nothing_is_told_both_ways),
                                       cmocka_unit_test(impossible_setups_are_refused),
                                       cmocka_unit_test(params_and_the_program_must_agree),
                                       cmocka_unit_test(all_workers_must_say_the_same),
                                       cmocka_unit_test(binary_programs_misbehave_alike),
                                       cmocka_unit_test(every_refusal_of_memory_is_survived)};
    return cmocka_run_group_tests_name("program_faults", tests, enter_temporary, leave_temporary);
}
