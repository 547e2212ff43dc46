/* flags.c - the command line of a command: argp, with its options made from tables of ckam_option; and an option in words.
 *
 * argp reads and shows; error messages are written here, one line with the nearest name. */
#include "cli.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
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

/* The names that have a short form, or a value that is not just a number or a word. */
static const struct {
    const char *name, *value;
    int         letter;
} special[] = {{"sampler", "SPEC", 's'}, {"chains", NULL, 'c'}, {"draws", NULL, 'n'},   {"seed", NULL, 'r'},
               {"out", "PATH", 'o'},     {"help", NULL, 'h'},   {"version", NULL, 'V'}, {"config", "FILE.json", 0},
               {"model", "SPEC", 0},     {"init", "START", 0},  {"until", "RULE", 0},   {"params", "NAMES", 0},
               {NULL, NULL, 0}};

static const ckam_option common_options[] = {
    {.name = "help", .help = "show this", .type = CKAM_CHOICE, .words = switch_words},
    {.name = "usage", .help = "show it in short", .type = CKAM_CHOICE, .words = switch_words},
    {.name = "version", .help = "show the version", .type = CKAM_CHOICE, .words = switch_words},
    {.name = NULL}};
static const flag_group common_group = {.options = common_options};

enum { HELP = 4 * DESCRIBE };

/* argp's table of options, and for each row the ckam_option behind it. */
typedef struct flags {
    size_t              count, most;
    struct argp_option *row;
    const ckam_option **option; /* NULL for a heading */
    const char        **name;   /* without gaps, ended by NULL */
    size_t              names;
    char (*help)[HELP];
} flags;

static void flags_free(flags *f) {
    free(f->row);
    free(f->option);
    free(f->name);
    free(f->help);
}

static bool is_flag(const flag_group *group, const ckam_option *option) {
    if (!group->only) return true;
    for (const char *const *name = group->only; *name; name++)
        if (!strcmp(*name, option->name)) return true;
    return false;
}

/* "help (default)". A choice names its words. */
static void write_help(const ckam_option *option, char *text) {
    char words[DESCRIBE], initial[DESCRIBE];
    ckam_option_range(option, words, sizeof words);
    describe_default(option, initial);
    bool choice = option->type == CKAM_CHOICE && !describe_is_switch(option);
    bool none = option->type == CKAM_WORD || (option->type == CKAM_COUNT && option->initial < option->low);
    bool shown = *initial && !describe_is_switch(option) && !none; /* a seed is drawn */
    snprintf(text, HELP, "%s%s%s%s%s%s", option->help, choice ? ": " : "", choice ? words : "", shown ? " (" : "",
             shown ? initial : "", shown ? ")" : "");
}

static void add_option(flags *f, const ckam_option *option, int group) {
    struct argp_option *row = f->row + f->count;
    for (size_t i = 0; i < f->count; i++)
        if (f->option[i] && !strcmp(f->option[i]->name, option->name)) return; /* several samplers have it */
    write_help(option, f->help[f->count]);
    *row = (struct argp_option){
        .name = option->name, .key = 256 + (int)f->count, .doc = f->help[f->count], .group = group};
    if (!describe_is_switch(option))
        row->arg = option->type == CKAM_REAL                                 ? "X"
                   : option->type == CKAM_COUNT || option->type == CKAM_WORD ? "N"
                                                                             : "WORD";
    for (size_t i = 0; special[i].name; i++)
        if (!strcmp(special[i].name, option->name)) {
            if (special[i].letter) row->key = special[i].letter;
            if (special[i].value) row->arg = special[i].value;
        }
    f->option[f->count++] = option;
    f->name[f->names++] = option->name;
}

static void add_group(flags *f, const flag_group *group, int number) {
    if (group->title) {
        f->row[f->count] = (struct argp_option){.doc = group->title, .group = number};
        f->option[f->count++] = NULL;
    }
    for (const ckam_option *option = group->options; option->name; option++)
        if (is_flag(group, option)) add_option(f, option, number);
}

/* The rows of all groups, or of those that belong to no sampler but this one. */
static bool flags_create(flags *f, const flag_group *groups, const char *sampler) {
    int number = 0;
    *f = (flags){.most = 2};
    for (const ckam_option *option = common_options; option->name; option++) f->most++;
    for (const flag_group *g = groups; g && g->options; g++, f->most++)
        for (const ckam_option *option = g->options; option->name; option++) f->most++;
    f->row = calloc(f->most, sizeof *f->row); /* the last one stays empty and ends the list */
    f->option = calloc(f->most, sizeof(const ckam_option *));
    f->name = calloc(f->most, sizeof *f->name);
    f->help = calloc(f->most, sizeof *f->help);
    if (!f->row || !f->option || !f->name || !f->help) return false;
    for (const flag_group *g = groups; g && g->options; g++)
        if (!sampler || !g->sampler || !strcmp(g->sampler, sampler)) add_group(f, g, number += g->title != NULL);
    add_group(f, &common_group, -1); /* where argp puts help and version by itself */
    return true;
}

/* -- Error messages ----------------------------------------------------------------------------------------------- */

/* An unknown flag: it may belong to `sample`, or be misspelt. */
static void explain_unknown(const flags *f, const char *command, const char *name) {
    const char *near = ckam_nearest_name(f->name, sizeof *f->name, name);
    const char *there = ckam_nearest_name(ckam_plan_list(), sizeof(ckam_option), name);
    bool        sampling = option_find(ckam_plan_list(), name);
    for (const ckam_entry *sampler = ckam_sampler_list(); sampler->name; sampler++)
        sampling = sampling || option_find(sampler->options, name);
    if (sampling)
        complain(command, EX_USAGE, "--%s is an option of `ckam sample`, not of `ckam %s`", name, command);
    else if (near)
        complain(command, EX_USAGE, "there is no option --%s; did you mean --%s?", name, near);
    else if (there)
        complain(command, EX_USAGE, "there is no option --%s; did you mean --%s, of `ckam sample`?", name, there);
    else
        complain(command, EX_USAGE, "there is no option --%s; `ckam %s --help` lists them", name, command);
}

/* "--draw=5": an ambiguous abbreviation, a misspelt name, or a flag without a value. */
static void explain_long(const flags *f, const char *command, const char *word) {
    size_t             length = strcspn(word, "="), matches = 0;
    const ckam_option *match = NULL;
    char               could_be[DESCRIBE] = "", name[64], range[DESCRIBE];
    snprintf(name, sizeof name, "%.*s", length > 60 ? 60 : (int)length, word);
    for (size_t i = 0; i < f->count; i++) {
        if (!f->option[i] || strncmp(f->option[i]->name, word, length) != 0) continue;
        match = f->option[i];
        bool exactly = strlen(match->name) == length;
        if (exactly) matches = 0;
        size_t used = matches++ ? strlen(could_be) : 0;
        snprintf(could_be + used, sizeof could_be - used, "%s--%s", used ? " or " : "", match->name);
        if (exactly) break;
    }
    if (matches > 1)
        complain(command, EX_USAGE, "--%s may be %s", name, could_be);
    else if (match && word[length])
        complain(command, EX_USAGE, "--%s takes no value", match->name);
    else if (match) {
        ckam_option_range(match, range, sizeof range);
        complain(command, EX_USAGE, "--%s wants a value: %s", match->name, range);
    } else
        explain_unknown(f, command, name);
}

/* "-x5": the first letter that is no flag, or has no value. True when one was found. */
static bool explain_short(const flags *f, const char *command, const char *word) {
    for (; *word; word++) {
        const struct argp_option *row = NULL;
        for (size_t i = 0; i < f->count; i++)
            if (f->row[i].key == *word) row = f->row + i;
        if (row && row->arg && word[1]) return false;
        if (row && !row->arg) continue;
        if (row)
            complain(command, EX_USAGE, "-%c (--%s) wants a value", *word, row->name);
        else
            complain(command, EX_USAGE, "there is no option -%c; `ckam %s --help` lists them", *word, command);
        return true;
    }
    return false;
}

typedef struct parsing {
    const flags *flags;
    request     *request;
} parsing;

/* argp stops after the word that it cannot parse or, if that is one of several short flags, before it. */
static void explain(const parsing *p, const struct argp_state *state) {
    const char *command = p->request->command;
    for (int i = state->next - 1; i <= state->next && i < state->argc; i++) {
        const char *word = state->argv[i];
        if (!strncmp(word, "--", 2)) {
            explain_long(p->flags, command, word + 2);
            return;
        }
        if (word[0] == '-' && explain_short(p->flags, command, word + 1)) return;
    }
    complain(command, EX_USAGE, "the command line is wrong; `ckam %s --help` says what it may be", command);
}

/* -- Reading and showing ------------------------------------------------------------------------------------------ */

/* NOLINTNEXTLINE(readability-non-const-parameter): what argp wants */
static error_t take(int key, char *text, struct argp_state *state) {
    parsing *p = state->input;
    request *r = p->request;
    if (key == ARGP_KEY_ARG) {
        r->word[r->words++] = text;
        return 0;
    }
    if (key == ARGP_KEY_ERROR && !request_value(r, "help")) explain(p, state);
    for (size_t i = 0; i < p->flags->count; i++)
        if (p->flags->option[i] && p->flags->row[i].key == key) {
            r->setting[r->settings++] = (setting){p->flags->option[i]->name, text ? text : "true"};
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

static void show_help(const request *r, const command_line *line, unsigned what) {
    char        name[DESCRIBE], format[64], sampler[DESCRIBE], initial[DESCRIBE];
    flags       f;
    const char *spec = request_value(r, "sampler");
    describe_default(option_find(ckam_plan_list(), "sampler"), initial);
    snprintf(sampler, sizeof sampler, "%s", spec ? spec : initial);
    sampler[strcspn(sampler, ":")] = 0;
    if (!entry_find(ckam_sampler_list(), sampler)) snprintf(sampler, sizeof sampler, "%s", initial);
    snprintf(name, sizeof name, "ckam %s", r->command);
    size_t width = text_width(stdout);
    snprintf(format, sizeof format, "no-dup-args-note,rmargin=%zu", (width < 80 ? width : 80) - 1);
    setenv("ARGP_HELP_FMT", format, 0);
    if (flags_create(&f, line->groups, sampler)) {
        struct argp shown = {.options = f.row, .args_doc = line->arguments, .doc = line->about};
        argp_help(&shown, stdout, what, name);
    }
    flags_free(&f);
}

/* Help and version are shown here, so that no command has to. True when the command is to go on. */
static bool go_on(const request *r, const command_line *line) {
    if (request_value(r, "help"))
        show_help(r, line, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
    else if (request_value(r, "usage"))
        show_help(r, line, ARGP_HELP_USAGE);
    else if (request_value(r, "version"))
        printf("ckam %s\n", ckam_version());
    else
        return true;
    return false;
}

bool request_read(request *r, const command_line *line, int count, char **arguments, int *status) {
    flags  f;
    size_t letters = 1; /* no flag is shorter than a letter */
    for (int i = 0; i < count; i++) letters += strlen(arguments[i]);
    *r = (request){.command = line->command,
                   .word = calloc((size_t)count + 1, sizeof *r->word),
                   .setting = calloc(letters, sizeof *r->setting)};
    *status = EX_SOFTWARE;
    bool        ready = flags_create(&f, line->groups, NULL) && r->word && r->setting, go = false;
    parsing     p = {.flags = &f, .request = r};
    struct argp parser = {.options = f.row, .parser = take};
    int         problem = ready ? argp_parse(&parser, count, arguments, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &p) : ENOMEM;
    if (problem == ENOMEM)
        complain(r->command, EX_SOFTWARE, "there is no memory");
    else if (problem && !request_value(r, "help"))
        *status = EX_USAGE;
    else {
        *status = EX_OK;
        go = go_on(r, line);
    }
    flags_free(&f);
    return go;
}

void request_free(request *r) {
    free(r->word);
    free(r->setting);
}

const char *request_value(const request *r, const char *name) {
    for (size_t i = r->settings; i-- > 0;)
        if (!strcmp(r->setting[i].name, name)) return r->setting[i].value;
    return NULL;
}
