/* test_experiment.c - experiments from their files to what they write: every mistake is said before any work, and the
 * results do not depend on threads. */
#include "failure.h"
#include "folder.h"

#include "ckam.h"
#include "report/draw.h"

#include <jansson.h>
#include <math.h>

#define RW "{\"model\": \"bimodal\", \"sampler\": \"rw\", \"step-size\": 3, \"init\": [-8, 0], \"warmup\": 0}"
#define CKAM                                                                                                           \
    "{\"model\": \"bimodal\", \"sampler\": \"ckam\", \"step-size\": 11, \"adapt-decay\": 2, \"noise\": 4, "            \
    "\"warmup\": 0}"
#define HEAD "\"title\": \"T\", \"about\": \"A\", \"model\": \"bimodal\", \"evals\": 3000, \"seeds\": 3"
#define RUNS                                                                                                           \
    "\"runs\": [{\"name\": \"rw\"}, {\"name\": \"two\", \"file\": \"ckam.json\", \"label\": \"cKAM\"}, {\"name\": "    \
    "\"exact\"}]"
#define FIGURE "\"name\": \"f\", \"title\": \"F\", \"caption\": \"C\""
#define ALL    "\"runs\": [\"rw\", \"two\", \"exact\"]"
#define CURVES                                                                                                         \
    "{" FIGURE ", \"kind\": \"curves\", \"measures\": [\"kl-paper\", \"multi-ess\"], \"against\": [\"time\"], " ALL "}"

static char out_path[300];

static ckam_status create(ckam_experiment **e, const char *text, const ckam_experiment_setup *setup,
                          ckam_error *error) {
    const char *const directory = folder;
    write_text(in_folder("rw.json"), RW);
    write_text(in_folder("ckam.json"), CKAM);
    write_text(in_folder("experiment.json"), text);
    snprintf(out_path, sizeof out_path, "%s-out", folder);
    return ckam_experiment_create(e, &directory, 1, setup, out_path, error);
}

static void remove_out(void) {
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", out_path);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): a folder of this test */
}

static const char *in_out(const char *name) {
    static char path[800];
    snprintf(path, sizeof path, "%s/%s", out_path, name);
    return path;
}

/* -- Mistakes ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text, *pieces[3];
} mistakes[] = {
    {"{", {"experiment.json", "line"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"ends\", \"measure\": \"share\", \"mode\": 2.5, " ALL
     "}]}",
     {"mode", "whole number"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"truth\"}, {" FIGURE ", \"kind\": \"truth\"}]}",
     {"two figures", "'f'"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE
     ", \"kind\": \"curves\", \"measures\": [], \"against\": [\"time\"], " ALL "}]}",
     {"measures", "empty"}},
    {"{\"title\": \"T\", \"about\": \"A\", \"model\": \"bimodal\", \"runs\": [{\"name\": \"rw\", \"times\": 1e6}], "
     "\"evals\": 1e15, \"figures\": []}",
     {"rw", "1e+21"}},
    {"[]", {"object"}},
    {"{\"title\": \"T\"}", {"about"}},
    {"{" HEAD ", " RUNS "}", {"figures"}},
    {"{" HEAD ", \"figures\": []}", {"runs"}},
    {"{" HEAD ", \"runs\": [], \"figures\": []}", {"runs", "empty"}},
    {"{" HEAD ", \"runs\": [3], \"figures\": []}", {"runs", "objects"}},
    {"{" HEAD ", \"figure\": [], " RUNS "}", {"figure", "did you mean 'figures'"}},
    {"{" HEAD ", \"side\": 0, \"figures\": [], " RUNS "}", {"side", "0"}},
    {"{" HEAD ", \"bins\": 2.5, \"figures\": [], " RUNS "}", {"bins", "2.5"}},
    {"{" HEAD ", \"bins\": \"many\", \"figures\": [], " RUNS "}", {"bins", "number"}},
    {"{" HEAD ", \"coordinates\": [1], \"figures\": [], " RUNS "}", {"coordinates", "two"}},
    {"{" HEAD ", \"coordinates\": [1, 3], \"figures\": [], " RUNS "}", {"3", "bimodal"}},
    {"{" HEAD ", \"runs\": [{\"name\": \"a b\"}], \"figures\": []}", {"a b", "letters"}},
    {"{" HEAD ", \"runs\": [{\"name\": \"../rw\"}], \"figures\": []}", {"../rw"}},
    {"{" HEAD ", \"runs\": [{\"name\": \"rw\"}, {\"name\": \"rw\"}], \"figures\": []}", {"two runs", "rw"}},
    {"{" HEAD ", \"runs\": [{\"name\": \"none\"}], \"figures\": []}", {"none.json"}},
    {"{" HEAD ", \"runs\": [{\"name\": \"rw\", \"times\": 0}], \"figures\": []}", {"times", "0"}},
    {"{" HEAD ", \"runs\": [{\"name\": \"rw\", \"seeds\": 0.5}], \"figures\": []}", {"seeds", "0.5"}},
    {"{" HEAD ", \"runs\": [{\"name\": \"rw\", \"sedes\": 1}], \"figures\": []}", {"sedes", "seeds"}},
    {"{\"title\": \"T\", \"about\": \"A\", \"model\": \"mixture5\", \"figures\": [], " RUNS "}",
     {"rw.json", "mixture5"}},
    {"{\"title\": \"T\", \"about\": \"A\", \"model\": \"banana\", \"figures\": [], " RUNS "}", {"banana", "boxes"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"pie\"}]}", {"pie", "curves"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"samples\"}]}", {"runs"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"samples\", \"runs\": [\"am\"]}]}", {"am"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"samples\", \"runs\": []}]}", {"empty"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"truth\", \"mode\": 1}]}", {"mode"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"curves\", \"measures\": [\"kl\"], \"against\": "
     "[\"time\"], " ALL "}]}",
     {"kl", "kl-jeffreys"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE
     ", \"kind\": \"curves\", \"measures\": [\"multi-ess\"], \"against\": "
     "[3], " ALL "}]}",
     {"against", "time"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"ends\", \"measure\": \"share\", \"mode\": 3, " ALL
     "}]}",
     {"modes 1 to 2"}},
    {"{" HEAD ", " RUNS ", \"figures\": [{" FIGURE ", \"kind\": \"ends\", \"measure\": \"share\", \"mode\": 0, " ALL
     "}]}",
     {"modes 1 to 2"}},
    {"{" HEAD ", " RUNS
     ", \"figures\": [{\"name\": \"a/b\", \"title\": \"F\", \"caption\": \"C\", \"kind\": \"truth\"}]}",
     {"a/b"}}};

static void every_mistake_is_said_before_any_work(void **unused) {
    (void)unused;
    ckam_experiment_setup setup = {0};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        ckam_experiment *e;
        ckam_error       error = {0};
        ckam_status      status = create(&e, mistakes[i].text, &setup, &error);
        if (!status) print_error("accepted: %s\n", mistakes[i].text);
        assert_true(status < 0);
        assert_null(e);
        check_failure(status, error.status, &error, mistakes[i].pieces, __FILE__, __LINE__);
        assert_int_equal(access(out_path, F_OK), -1);
    }
}

static void a_run_file_leaves_to_the_experiment_what_is_its(void **unused) {
    (void)unused;
    static const char *const settings[][2] = {{"thin", "10"}, {"chains", "7"}, {"draws", "5"}, {"evals", "50"}};
    const char *const        directory = folder;
    for (size_t i = 0; i < 4; i++) {
        ckam_experiment_setup setup = {0};
        ckam_experiment      *e;
        ckam_error            error;
        char                  text[200];
        create(&e, "{}", &setup, &error);
        write_text(in_folder("experiment.json"), "{" HEAD ", \"runs\": [{\"name\": \"rw\"}], \"figures\": []}");
        snprintf(text, sizeof text, "{\"model\": \"bimodal\", \"sampler\": \"rw\", \"%s\": %s}", settings[i][0],
                 settings[i][1]);
        write_text(in_folder("rw.json"), text);
        assert_failure(ckam_experiment_create(&e, &directory, 1, &setup, out_path, &error), CKAM_ERROR_FORMAT, &error,
                       "rw.json", settings[i][0], settings[i][1], "take it out");
    }
}

static void bad_arguments_are_refused(void **unused) {
    (void)unused;
    ckam_experiment      *e;
    ckam_error            error;
    ckam_experiment_setup setup = {.seconds = -1.0};
    const char *const     nowhere = "no-such-folder";
    const char           *text = "{" HEAD ", " RUNS ", \"figures\": []}";
    assert_failure(create(&e, text, &setup, &error), CKAM_ERROR_ARGUMENT, &error, "-1");
    setup.seconds = 0.0;
    setup.seeds = 20000;
    assert_failure(create(&e, text, &setup, &error), CKAM_ERROR_ARGUMENT, &error, "seeds is 20000", "10000");
    setup.seeds = 0;
    const char *const twice[] = {folder, folder};
    assert_failure(ckam_experiment_create(&e, twice, 2, &setup, out_path, &error), CKAM_ERROR_INPUT, &error,
                   "the same last name");
    assert_failure(ckam_experiment_create(&e, &nowhere, 1, &setup, "x", &error), CKAM_ERROR_INPUT, &error,
                   "no-such-folder/experiment.json");
    assert_failure(ckam_experiment_create(&e, &nowhere, 0, &setup, "x", &error), CKAM_ERROR_ARGUMENT, &error, "needs");
    const char *const here = folder; /* which holds files */
    assert_failure(ckam_experiment_create(&e, &here, 1, &setup, folder, &error), CKAM_ERROR_OUTPUT, &error, folder,
                   "--out");
    assert_failure(ckam_experiment_create(&e, &here, 1, &setup, "/no/such/place", &error), CKAM_ERROR_OUTPUT, &error,
                   "/no/such/place");
}

/* A run that cannot start says which one it is. */
static void a_run_that_fails_is_named(void **unused) {
    (void)unused;
    ckam_experiment      *e;
    ckam_error            error;
    ckam_experiment_setup setup = {0};
    assert_int_equal(create(&e, "{" HEAD ", " RUNS ", \"figures\": []}", &setup, &error), CKAM_OK);
    ckam_experiment_free(e);
    remove_out();
    const char *const directory = folder;
    write_text(in_folder("rw.json"),
               "{\"model\": \"bimodal\", \"sampler\": \"rw\", \"step-size\": 3, \"init\": [1e200, 0]}");
    assert_int_equal(ckam_experiment_create(&e, &directory, 1, &setup, out_path, &error), CKAM_OK);
    assert_failure(ckam_experiment_go(e, NULL, NULL, &error), CKAM_ERROR_START, &error, "rw", "1e+200");
    assert_string_equal(ckam_experiment_table(e), "");
    ckam_experiment_free(e);
    remove_out();
}

/* -- Results ------------------------------------------------------------------------------------------------------ */

/* results.csv without its times, which are the fifth column. */
static char *results(size_t threads, const ckam_experiment_setup *like) {
    ckam_experiment      *e;
    ckam_error            error = {0};
    ckam_experiment_setup setup = *like;
    size_t                size, kept = 0;
    setup.threads = threads;
    assert_int_equal(create(&e, "{" HEAD ", " RUNS ", \"figures\": [" CURVES "]}", &setup, &error), CKAM_OK);
    assert_int_equal(ckam_experiment_go(e, NULL, NULL, &error), CKAM_OK);
    ckam_experiment_free(e);
    char *text = read_text(in_out("results.csv"), &size);
    for (size_t i = 0, column = 1; i < size; i++) {
        if (text[i] == ',') column++;
        if (text[i] == '\n') column = 1;
        if (column != 5) text[kept++] = text[i];
    }
    text[kept] = 0;
    remove_out();
    return text;
}

static void threads_do_not_matter(void **unused) {
    (void)unused;
    ckam_experiment_setup setup = {0};
    char                 *one = results(1, &setup), *three = results(3, &setup);
    assert_string_equal(one, three);
    assert_non_null(strstr(one, "\n"));
    setup.evals = 2000;
    char *fewer = results(2, &setup);
    assert_string_not_equal(one, fewer);
    free(one);
    free(three);
    free(fewer);
}

static size_t count(const char *text, const char *piece) {
    size_t found = 0;
    for (; (text = strstr(text, piece)); text++) found++;
    return found;
}

static void seeds_and_evaluations_are_those_of_the_setup(void **unused) {
    (void)unused;
    ckam_experiment_setup setup = {.evals = 100, .seeds = 2};
    char                 *text = results(2, &setup); /* a record each, at 100 */
    assert_int_equal(count(text, "\n"), 1 + 3 * 2);
    assert_int_equal(count(text, ",rw,1,100,") + count(text, ",rw,2,100,"), 2);
    assert_int_equal(count(text, ",exact,2,"), 1);
    assert_int_equal(count(text, ",exact,3,"), 0);
    free(text);
}

static json_t *document_of_page(void) {
    size_t       size;
    json_error_t why;
    char        *page = read_text(in_out("index.html"), &size);
    char        *begin = strstr(page, "id=\"document\">");
    assert_non_null(begin);
    begin += strlen("id=\"document\">");
    char *end = strstr(begin, "</script>");
    assert_non_null(end);
    json_t *document = json_loadb(begin, (size_t)(end - begin), 0, &why);
    assert_non_null(document);
    free(page);
    return document;
}

static double number_at(const json_t *list, size_t index) { return json_number_value(json_array_get(list, index)); }

/* The curve on the page is what results.csv has: the median of three seeds between the least and the most. */
static void the_page_holds_the_curves(void **unused) {
    (void)unused;
    ckam_experiment      *e;
    ckam_error            error;
    ckam_experiment_setup setup = {0};
    size_t                size, figures = 0;
    assert_int_equal(create(&e, "{" HEAD ", " RUNS ", \"figures\": [" CURVES "]}", &setup, &error), CKAM_OK);
    assert_int_equal(ckam_experiment_go(e, NULL, NULL, &error), CKAM_OK);
    assert_non_null(strstr(ckam_experiment_table(e), "cKAM"));
    json_t *document = document_of_page(), *block;
    size_t  i;
    json_array_foreach(json_object_get(document, "blocks"), i, block) {
        if (strcmp(json_string_value(json_object_get(block, "kind")), "figure") != 0) continue;
        json_t *first_panel = json_array_get(json_object_get(block, "panels"), 0),
               *marks = json_object_get(first_panel, "marks");
        assert_int_equal(json_array_size(marks), 6);
        for (size_t run = 0; run < 3; run++) {
            json_t *band = json_array_get(marks, 2 * run), *line = json_array_get(marks, 2 * run + 1);
            json_t *low = json_object_get(band, "low"), *high = json_object_get(band, "high"),
                   *y = json_object_get(line, "y");
            assert_int_equal(json_array_size(y), 13); /* 100 to 3000, eight a decade, and the end */
            for (size_t k = 0; k < json_array_size(y); k++) {
                if (json_is_null(json_array_get(y, k))) continue;
                assert_true(number_at(low, k) <= number_at(y, k) && number_at(y, k) <= number_at(high, k));
            }
            assert_true(number_at(low, 12) < number_at(high, 12));
        }
        figures++;
    }
    assert_int_equal(figures, 1);
    const char *const endings[] = {"pdf", "svg"};
    for (size_t f = 0; f < 2 && draw_is_built(); f++) {
        char name[400];
        snprintf(name, sizeof name, "figures/%s-f.%s", strrchr(folder, '/') + 1, endings[f]);
        free(read_text(in_out(name), &size));
        assert_true(size > 1000);
    }
    free(read_text(in_out("summary.csv"), &size));
    assert_true(size > 100);
    json_decref(document);
    ckam_experiment_free(e);
    remove_out();
}

static void look(void *unused, const ckam_experiment_progress *p) {
    (void)unused;
    assert_true(p->fraction <= 1.0 && p->done <= p->chains && p->now[0]);
}

/* Chains end at different evaluations, and the table is that of their ends. A second go is refused. */
static void time_ends_every_chain(void **unused) {
    (void)unused;
    ckam_experiment      *e;
    ckam_error            error;
    ckam_experiment_setup setup = {.seconds = 0.02, .threads = 3};
    assert_int_equal(create(&e, "{" HEAD ", " RUNS ", \"figures\": [" CURVES "]}", &setup, &error), CKAM_OK);
    assert_int_equal(ckam_experiment_go(e, look, NULL, &error), CKAM_OK);
    size_t size;
    char  *summary = read_text(in_out("summary.csv"), &size), *row = strstr(summary, ",rw,3,");
    assert_non_null(row);
    assert_less(0.0199, strtod(strchr(row + 6, ',') + 1, NULL)); /* seconds, behind the evaluations */
    free(summary);
    assert_failure(ckam_experiment_go(e, NULL, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "once");
    ckam_experiment_free(e);
    remove_out();
}

static void stop_at_once(void *experiment, const ckam_experiment_progress *p) {
    assert_true(p->fraction >= 0.0 && p->fraction <= 1.0);
    assert_int_equal(p->chains, 9);
    if (p->done) ckam_experiment_stop(experiment);
}

/* What has ended by then is written. */
static void a_stop_keeps_what_has_ended(void **unused) {
    (void)unused;
    ckam_experiment      *e;
    ckam_error            error;
    ckam_experiment_setup setup = {.evals = 30000000, .threads = 1};
    const char           *text = "{" HEAD ", \"runs\": [{\"name\": \"rw\", \"times\": 0.0001}, {\"name\": \"two\", "
                                 "\"file\": \"ckam.json\", \"times\": 0.0001}, {\"name\": \"exact\"}], \"figures\": "
                                 "[" CURVES "]}";
    assert_int_equal(create(&e, text, &setup, &error), CKAM_OK);
    assert_int_equal(ckam_experiment_go(e, stop_at_once, e, &error), CKAM_STOP);
    assert_string_not_equal(ckam_experiment_table(e), "");
    json_t     *document = document_of_page(), *first = json_array_get(json_object_get(document, "blocks"), 0);
    const char *said = json_string_value(json_object_get(first, "text"));
    assert_non_null(said);
    assert_non_null(strstr(said, "of 9 chains had ended"));
    json_decref(document);
    ckam_experiment_free(e);
    remove_out();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_said_before_any_work),
        cmocka_unit_test(a_run_file_leaves_to_the_experiment_what_is_its),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(time_ends_every_chain),
        cmocka_unit_test(a_run_that_fails_is_named),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(seeds_and_evaluations_are_those_of_the_setup),
        cmocka_unit_test(the_page_holds_the_curves),
        cmocka_unit_test(a_stop_keeps_what_has_ended),
    };
    return cmocka_run_group_tests_name("experiment", tests, folder_begin, folder_end);
}
