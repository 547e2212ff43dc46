/* test_character.c - what a terminal would take for an order, in texts that a stranger wrote. */
#include "failure.h"

#include "base/character.h"

#include "base/error.h"
#include <stdio.h>

/* Written with the bytes as they stand in a file. */
static const struct {
    const char *text, *shown;
    size_t      before;
} cases[] = {{"", "", 0},
             {"plain", "plain", 5},
             {"a\x1b[2Jb", "a?[2Jb", 1},
             {"del\x7f", "del?", 3},
             {"a\nb", "a?b", 1},
             {"a\xc2\x9b"
              "2J",
              "a??2J", 1},                                /* U+009B, control sequence introducer */
             {"\xc2\x80\xc2\x9f", "????", 0},             /* the first and the last of C1 */
             {"\xc2\xa0\xc2\xb5", "\xc2\xa0\xc2\xb5", 4}, /* no longer: a space that does not break, micro */
             {"a\x9b"
              "2J",
              "a?2J", 1},                                         /* alone */
             {"\xc4\x9b\xe2\x82\x9b", "\xc4\x9b\xe2\x82\x9b", 5}, /* the same byte within letters */
             {"\xf0\x9d\x9b\x9b", "\xf0\x9d\x9b\x9b", 4},
             {"\xe0\x9b\x9b", "\xe0??", 1}, /* overlong: no letter */
             {"\xc4\xc4\x9b\x9b", "\xc4\xc4\x9b?", 3},
             {"caf\xe9", "caf\xe9", 4}, /* Latin-1 does no harm */
             {"cut \xe2\x82", "cut \xe2?", 5}};

static void controls_are_found(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(character_until_control(cases[i].text), cases[i].before);
}

static void messages_hold_none(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_error error;
        error_fill(&error, CKAM_ERROR_FORMAT, "%s", cases[i].text);
        assert_string_equal(error.message, cases[i].shown);
    }
}

/* For JSON. */
static void what_is_not_utf8_is_mended(void **unused) {
    (void)unused;
    static const char *const pairs[][2] = {
        {"", ""},
        {"plain \t", "plain \t"},
        {"\xc4\x9b\xe2\x82\x9b\xf0\x9d\x9b\x9b", "\xc4\x9b\xe2\x82\x9b\xf0\x9d\x9b\x9b"},
        {"caf\xe9 \xff", "caf? ?"},
        {"cut \xe2\x82", "cut ??"},
        {"\xc4\xc4\x9b", "?\xc4\x9b"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s", pairs[i][0]);
        character_mend(text);
        assert_string_equal(text, pairs[i][1]);
    }
}

/* Settings are printed as they are: what would harm is refused, from run.json too. */
static void settings_hold_none(void **unused) {
    (void)unused;
    ckam_plan *plan;
    ckam_error error;
    assert_int_equal(ckam_plan_create(&plan, NULL), CKAM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_status status = ckam_plan_set(plan, "log-density", cases[i].text, &error);
        if (cases[i].text[cases[i].before])
            assert_failure(status, CKAM_ERROR_OPTION, &error, "log-density", "plain text");
    }
    assert_int_equal(ckam_plan_set(plan, "log-density", "\xc4\x9b\xc2\xb5", &error), CKAM_OK);
    ckam_plan_free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(controls_are_found), cmocka_unit_test(messages_hold_none),
                                       cmocka_unit_test(what_is_not_utf8_is_mended),
                                       cmocka_unit_test(settings_hold_none)};
    return cmocka_run_group_tests_name("character", tests, NULL, NULL);
}
