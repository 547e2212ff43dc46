/* describe.c - an option in words, for help and for messages: its range and its default. */
#include "cli.h"

#include <math.h>
#include <string.h>

const char *const switch_words[] = {"false", "true", NULL};

bool describe_is_switch(const ckam_option *option) {
    const char *const *words = option->words;
    return option->type == CKAM_CHOICE && !strcmp(words[0], "false") && !strcmp(words[1], "true") && !words[2];
}

void describe_default(const ckam_option *option, char *text) {
    if (option->type == CKAM_TEXT)
        snprintf(text, DESCRIBE, "%s", option->words ? option->words[0] : "");
    else if (option->type == CKAM_CHOICE)
        snprintf(text, DESCRIBE, "%s", option->words[(size_t)option->initial]);
    else if (isnan(option->initial))
        snprintf(text, DESCRIBE, "auto");
    else
        snprintf(text, DESCRIBE, "%.10g", option->initial);
}

static void choice_range(const ckam_option *option, char *text) {
    size_t used = 0;
    for (size_t i = 0; option->words[i] && used < DESCRIBE; i++) {
        const char *before = i == 0 ? "" : option->words[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(text + used, DESCRIBE - used, "%s%s", before, option->words[i]);
    }
}

void describe_range(const ckam_option *option, char *text) {
    const char *what = option->type == CKAM_REAL ? "a number" : "a whole number";
    const char *or_auto = option->has_auto ? ", or auto" : "";
    if (option->type == CKAM_CHOICE)
        choice_range(option, text);
    else if (option->type == CKAM_TEXT)
        snprintf(text, DESCRIBE, "a text");
    else if (option->type == CKAM_WORD)
        snprintf(text, DESCRIBE, "%s from 0 on%s", what, or_auto);
    else if (isinf(option->high) || option->high >= 1e15) /* so large that nobody has to know */
        snprintf(text, DESCRIBE, "%s %s %.10g%s", what, option->open_low ? ">" : ">=", option->low, or_auto);
    else
        snprintf(text, DESCRIBE, "%s %s %.10g and %s %.10g%s", what, option->open_low ? ">" : ">=", option->low,
                 option->open_high ? "<" : "<=", option->high, or_auto);
}

const ckam_entry *entry_find(const ckam_entry *list, const char *name) {
    for (; list->name; list++)
        if (!strcmp(list->name, name)) return list;
    return NULL;
}

const ckam_option *option_find(const ckam_option *options, const char *name) {
    for (; options->name; options++)
        if (!strcmp(options->name, name)) return options;
    return NULL;
}

void describe_entry(const ckam_entry *entry, bool is_sampler) {
    enum { INDENT = 6 };
    char range[DESCRIBE], initial[DESCRIBE];
    printf("%s: ", entry->name);
    text_wrap(stdout, entry->summary, strlen(entry->name) + 2, strlen(entry->name) + 2);
    for (const ckam_option *option = entry->options; option->name; option++) {
        describe_range(option, range);
        describe_default(option, initial);
        printf("\n  %s%s\n%*s", is_sampler ? "--" : "", option->name, INDENT, "");
        text_wrap(stdout, option->help, INDENT, INDENT);
        printf("%*s%s; default %s\n", INDENT, "", range, initial);
    }
    printf(is_sampler ? "\nSet them with flags, or behind the name:\n"
                        "  ckam sample MODEL --sampler %s:OPTION=VALUE,...\n"
                      : "\nSet them behind the name:\n"
                        "  ckam sample %s:OPTION=VALUE,...\n",
           entry->name);
}
