/* describe.c - an option in words, for help and for messages: its default, and all of a sampler or model. */
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
        ckam_option_range(option, range, sizeof range);
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
