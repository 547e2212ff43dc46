/* plot.c - `ckam plot`: one figure of a run, for a paper. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const ckam_option own_options[] = {
    {.name = "params", .help = "the parameters to show, as in x.1,x.2; the first six", .type = CKAM_TEXT},
    {.name = "out", .help = "the file to write; .pdf, .svg or .png", .type = CKAM_TEXT},
    {.name = NULL}};
static const flag_group groups[] = {{.options = own_options}, {.options = NULL}};

enum { KINDS = 4096 };

static const ckam_plot_kind *find_kind(const char *name) {
    for (const ckam_plot_kind *kind = ckam_plot_list(); kind->name; kind++)
        if (!strcmp(kind->name, name)) return kind;
    return NULL;
}

/* "density, trace, ...": all names. */
static void list_kinds(char text[KINDS]) {
    size_t used = 0;
    for (const ckam_plot_kind *kind = ckam_plot_list(); kind->name && used < KINDS; kind++)
        used += (size_t)snprintf(text + used, KINDS - used, "%s%s", used ? ", " : "", kind->name);
}

/* The kind is the last word; the others are files. */
static int check_words(const request *r) {
    char        all[KINDS];
    const char *last = r->words ? r->word[r->words - 1] : "", *near = NULL;
    bool        known = find_kind(last);
    list_kinds(all);
    if (r->words == 0 || (known && r->words == 1))
        return complain(r->command, EX_USAGE, "of what? Name the directory of a run, or CSV files, and then a kind: %s",
                        all);
    if (known) return EX_OK;
    if (r->words == 1)
        return complain(r->command, EX_USAGE, "which kind of figure? Name one behind '%s': %s", last, all);
    near = ckam_nearest_name(ckam_plot_list(), sizeof(ckam_plot_kind), last);
    if (near) return complain(r->command, EX_USAGE, "there is no kind '%s'; did you mean '%s'?", last, near);
    return complain(r->command, EX_USAGE, "there is no kind '%s'; the last word is one of %s", last, all);
}

/* A figure of draws that are not to be trusted should not be taken for one of the density. */
static int warn_of_problems(const request *r) {
    reviewed_draws l;
    request        draws = {.command = r->command, .words = r->words - 1, .word = r->word};
    ckam_finding   found[CKAM_FINDINGS];
    size_t         count;
    ckam_error     error;
    int            status = reviewed_open(&l, &draws);
    if (status) return status;
    if (ckam_run_findings(draws.words == 1 ? draws.word[0] : NULL, l.review, found, &count, &error))
        status = complain_error(r->command, &error);
    for (size_t i = 0; i < count; i++)
        if (found[i].severity == CKAM_PROBLEM) complain(r->command, EX_OK, "problem: %s", found[i].text);
    reviewed_close(&l);
    return status;
}

static int plot(const request *r) {
    const char **names, *out = request_value(r, "out");
    ckam_error   error;
    int          wrong = check_words(r);
    if (wrong) return wrong;
    if (!out) return complain(r->command, EX_USAGE, "into which file? Name it with -o FILE.pdf, FILE.svg or FILE.png");
    if (!names_split(request_value(r, "params"), &names))
        return complain(r->command, EX_SOFTWARE, "there is no memory");
    ckam_status status = ckam_plot_write(r->word, r->words - 1, r->word[r->words - 1], names, out, &error);
    free(names);
    if (status) return complain_error(r->command, &error);
    text_print_path(out);
    return warn_of_problems(r);
}

/* The kinds with a line about each, for the help. */
static void write_about(char text[KINDS]) {
    size_t used = (size_t)snprintf(text, KINDS,
                                   "Draws one figure of a run, or of CSV files, into a file: PDF, SVG or PNG by its "
                                   "ending. `ckam report` has them all on one page. Problems of the draws go to "
                                   "stderr.\vKinds:\n");
    for (const ckam_plot_kind *kind = ckam_plot_list(); kind->name && used < KINDS; kind++)
        used += (size_t)snprintf(text + used, KINDS - used, "  %-16s%s\n", kind->name, kind->summary);
}

int command_plot(int count, char **arguments) {
    char         about[KINDS];
    command_line line = {.command = "plot", .arguments = "DIR KIND\nCSV... KIND", .about = about, .groups = groups};
    request      r;
    int          status;
    write_about(about);
    if (request_read(&r, &line, count, arguments, &status)) status = plot(&r);
    request_free(&r);
    return status;
}
