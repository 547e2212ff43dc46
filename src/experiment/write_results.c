/* write_results.c - the output of an experiment: results.csv, summary.csv, figures, a page, and a table for a terminal. */
#include "base/error.h"
#include "base/number.h"
#include "experiment/experiment.h"
#include "report/draw.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { CELL = 128 };

static ckam_status write_text(const ckam_experiment *e, const char *name, text_buffer *text, ckam_error *error) {
    char        path[FILE_PATH + 64];
    ckam_status status = CKAM_OK;
    snprintf(path, sizeof path, "%s/%s", e->out, name);
    if (text->failed) status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %.120s", path);
    if (!status) status = file_replace(NULL, path, text->bytes, text->length, error);
    text_free(text);
    return status;
}

/* -- CSV ---------------------------------------------------------------------------------------------------------- */

static void add_number(text_buffer *t, double x) {
    char text[NUMBER_TEXT];
    number_write(x, text, sizeof text);
    text_format(t, ",%s", isnan(x) ? "" : text);
}

static ckam_status write_results(const ckam_experiment *all, ckam_error *error) {
    text_buffer t = {0};
    text_format(&t, "experiment,run,seed,evaluations,seconds,draws");
    for (int m = 0; m < MEASURES; m++) text_format(&t, ",%s", measure_table[m].name);
    text_format(&t, "\n");
    for (const experiment *e = all->experiment; e < all->experiment + all->count; e++)
        for (const run_entry *run = e->run; run < e->run + e->runs; run++)
            for (const track *from = run->track; from < run->track + run->seeds; from++)
                for (size_t i = 0; from->done && i < from->records; i++) {
                    const record *r = from->record + i;
                    text_format(&t, "%s,%s,%" PRIu64, e->name, run->name, from->seed);
                    add_number(&t, r->evaluations);
                    add_number(&t, r->seconds);
                    add_number(&t, r->draws);
                    for (int m = 0; m < MEASURES; m++) add_number(&t, r->value[m]);
                    text_format(&t, "\n");
                }
    return write_text(all, "results.csv", &t, error);
}

/* To the given number of digits, with a decimal point in every locale. */
static void add_rounded(text_buffer *t, const char *before, int digits, double x) {
    char text[NUMBER_TEXT] = "";
    if (isnan(x)) {
        text_format(t, "%s", before);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, x);
    number_write(strtod(text, NULL), text, sizeof text);
    text_format(t, "%s%s", before, text);
}

/* Shares of all modes in a cell, and their errors in another. */
static ckam_status add_shares(text_buffer *t, const experiment *e, const run_entry *run, ckam_error *error) {
    double      share[MODES_MOST] = {0}, mcse[MODES_MOST] = {0};
    ckam_status status = CKAM_OK;
    for (size_t i = 0; i < e->truth.modes && !status; i++)
        status = seeds_mode_share(&e->truth, run, i, share + i, mcse + i, error);
    if (status) return status;
    bool known = !isnan(share[0]);
    text_format(t, known ? "" : ",,");
    for (size_t i = 0; i < e->truth.modes && known; i++) add_rounded(t, i ? " " : ",", 6, share[i]);
    for (size_t i = 0; i < e->truth.modes && known; i++) add_rounded(t, i ? " " : ",", 3, mcse[i]);
    return CKAM_OK;
}

static ckam_status add_summary(text_buffer *t, const experiment *e, const run_entry *run, ckam_error *error) {
    text_format(t, "%s,%s,%zu", e->name, run->name, seeds_spread(run, LAST_RECORD, OF_SECONDS).ended);
    add_number(t, seeds_spread(run, LAST_RECORD, OF_EVALUATIONS).middle);
    add_number(t, seeds_spread(run, LAST_RECORD, OF_SECONDS).middle);
    for (int m = 0; m < MEASURES; m++) {
        spread s = seeds_spread(run, LAST_RECORD, m);
        add_number(t, s.middle);
        add_number(t, s.low);
        add_number(t, s.high);
    }
    ckam_status status = add_shares(t, e, run, error);
    text_format(t, "\n");
    return status;
}

static ckam_status write_summary(const ckam_experiment *all, ckam_error *error) {
    text_buffer t = {0};
    ckam_status status = CKAM_OK;
    text_format(&t, "experiment,run,seeds,evaluations,seconds");
    for (int m = 0; m < MEASURES; m++) {
        const char *name = measure_table[m].name;
        text_format(&t, ",%s,%s-low,%s-high", name, name, name);
    }
    text_format(&t, ",shares,shares-mcse\n");
    for (const experiment *e = all->experiment; e < all->experiment + all->count; e++)
        for (const run_entry *run = e->run; run < e->run + e->runs && !status; run++)
            if (seeds_first(run)) status = add_summary(&t, e, run, error);
    if (!status) return write_text(all, "summary.csv", &t, error);
    text_free(&t);
    return status;
}

/* -- The table: on the page, and for a terminal ------------------------------------------------------------------- */

/* Three significant digits, and all digits before the point. */
static void put_number(double x, char text[NUMBER_TEXT]) {
    snprintf(text, NUMBER_TEXT, fabs(x) >= 999.5 ? "%.0f" : "%.3g", x);
}

/* With non-breaking spaces. */
static void put_spread(spread s, char cell[CELL]) {
    char middle[NUMBER_TEXT], low[NUMBER_TEXT], high[NUMBER_TEXT];
    put_number(s.middle, middle);
    put_number(s.low, low);
    put_number(s.high, high);
    snprintf(cell, CELL, "%s", s.seeds ? middle : "-");
    if (s.low < s.high) snprintf(cell, CELL, "%s\u00a0[%s,\u00a0%s]", middle, low, high);
    size_t used = strlen(cell);
    if (s.seeds && s.seeds < s.ended) snprintf(cell + used, CELL - used, " (%zu of %zu seeds)", s.seeds, s.ended);
}

/* With its error for one mode of two; one after the other for more. */
static ckam_status put_share(const experiment *e, const run_entry *run, char cell[CELL], ckam_error *error) {
    size_t      modes = e->truth.modes, used = 0;
    ckam_status status = CKAM_OK;
    *cell = 0;
    for (size_t i = modes == 2; i < modes && !status; i++) {
        double share, mcse;
        status = seeds_mode_share(&e->truth, run, i, &share, &mcse, error);
        if (isnan(share)) {
            snprintf(cell, CELL, "-");
            return status;
        }
        used += (size_t)snprintf(cell + used, CELL - used, "%s%.*f", used ? " " : "", modes == 2 ? 3 : 2, share);
        if (modes == 2 && !isnan(mcse)) snprintf(cell + used, CELL - used, " +- %.3f", mcse);
    }
    return status;
}

/* A row of the page has medians with ranges; one of the terminal, which is narrower, the medians alone. */
static ckam_status put_row(ckam_experiment *all, const experiment *e, const run_entry *run, document *d,
                           ckam_error *error) {
    static const int shown[] = {KL_JEFFREYS, KL_PAPER, MULTI_ESS, MODE_CHANGES};
    char             share[CELL], cell[CELL];
    ckam_status      status = put_share(e, run, share, error);
    double           evaluations = seeds_spread(run, LAST_RECORD, OF_EVALUATIONS).middle;
    double           seconds = seeds_spread(run, LAST_RECORD, OF_SECONDS).middle;
    document_row(d);
    document_cell_text(d, run->label, false);
    document_cell_number(d, evaluations, false);
    document_cell_number(d, seconds, false);
    text_format(&all->table, "%-28.28s %9.3g", run->label, seconds);
    for (int i = 0; i < 4; i++) {
        spread s = seeds_spread(run, LAST_RECORD, shown[i]);
        put_spread(s, cell);
        document_cell_text(d, cell, false);
        if (s.seeds)
            text_format(&all->table, i < 2 ? " %8.3g" : " %8.0f", s.middle);
        else
            text_format(&all->table, " %8s", "-");
    }
    document_cell_text(d, share, false);
    text_format(&all->table, "  %s\n", share);
    return status;
}

static ckam_status add_tables(ckam_experiment *all, const experiment *e, document *d, ckam_error *error) {
    static const char *const labels[] = {"run",        "evaluations", "seconds",      "KL (jeffreys)",
                                         "KL (paper)", "multi-ESS",   "mode changes", "share of modes"};
    char                     name[FILE_PATH];
    ckam_status              status = CKAM_OK;
    snprintf(name, sizeof name, "%s-runs", e->name);
    text_format(&all->table, "\n%s\n%-28s %9s %8s %8s %8s %8s  %s\n", e->title, "", "seconds", "KL", "KL paper", "ESS",
                "changes", "share of modes");
    document_table(d, name, "Where the runs ended",
                   "Median over the seeds, and in brackets the least and the most. KL is that of the two-dimensional "
                   "histogram, or in more dimensions the mean of those of all marginals. The share of modes is that of "
                   "draws nearest to each centre; of two modes that of the second, with its standard error.",
                   sizeof labels / sizeof *labels, labels);
    for (const run_entry *run = e->run; run < e->run + e->runs && !status; run++)
        if (seeds_first(run)) status = put_row(all, e, run, d, error);
    document_table_end(d);
    return status;
}

/* -- Figures and the page ----------------------------------------------------------------------------------------- */

static ckam_status write_figure(const ckam_experiment *all, const experiment *e, const figure *f, ckam_error *error) {
    static const char *const endings[] = {"pdf", "svg"};
    ckam_status              status = CKAM_OK;
    for (int i = 0; i < 2 && !status; i++) {
        char path[2 * FILE_PATH];
        snprintf(path, sizeof path, "%s/figures/%s-%s.%s", all->out, e->name, f->name, endings[i]);
        status = draw_figure(f, path, error);
    }
    return status;
}

static ckam_status add_figures(const ckam_experiment *all, const experiment *e, document *d, ckam_error *error) {
    json_t     *entry;
    size_t      i;
    ckam_status status = CKAM_OK;
    json_array_foreach(e->figures, i, entry) {
        figure *f = NULL;
        status = experiment_figure(e, entry, &f, error);
        if (!status) document_figure(d, f);
        if (!status && draw_is_built()) status = write_figure(all, e, f, error);
        figure_free(f);
        if (status) break;
    }
    return status;
}

static void begin_page(const ckam_experiment *e, document *d) {
    char text[1024];
    document_begin(d, e->count == 1 ? e->experiment->title : "Cyclical Kernel Adaptive Metropolis, reproduced",
                   "samplers compared on densities whose answers are known");
    if (e->ended < e->chains) {
        snprintf(text, sizeof text, "It was stopped when %zu of %zu chains had ended. Only these are shown.", e->ended,
                 e->chains);
        document_finding(d, CKAM_PROBLEM, text, "");
    }
    snprintf(
        text, sizeof text,
        "Made by ckam %s in %.0f seconds. Bands are the range over the seeds, lines their median. Time is that of "
        "sampling alone. KL is the symmetric Kullback-Leibler divergence between the exact probabilities of bins and "
        "the histogram of all draws so far: 'paper' skips empty bins, which rewards a chain that never leaves a mode; "
        "'jeffreys' does not, and is the one to judge by. It is given "
        "as soon as there are as many draws as bins.",
        ckam_version(), e->seconds);
    document_paragraph(d, text);
    if (!draw_is_built())
        document_paragraph(
            d, "This ckam was built without cairo: the folder figures holds no PDF and SVG. The figures of this page "
               "can be saved as SVG.");
}

ckam_status experiment_write(ckam_experiment *all, ckam_error *error) {
    char     path[FILE_PATH + 64];
    document d = {0};
    snprintf(path, sizeof path, "%s/figures", all->out);
    if (mkdir(path, 0777) && errno != EEXIST)
        return fail_with(error, CKAM_ERROR_OUTPUT, "%.120s cannot be made: %s", path, strerror(errno));
    ckam_status status = write_results(all, error);
    if (!status) status = write_summary(all, error);
    begin_page(all, &d);
    for (const experiment *e = all->experiment; e < all->experiment + all->count && !status; e++) {
        document_heading(&d, e->title);
        document_paragraph(&d, e->about);
        status = add_tables(all, e, &d, error);
        if (!status) status = add_figures(all, e, &d, error);
    }
    if (status) {
        document_free(&d);
        return status;
    }
    if (all->table.failed) {
        document_free(&d);
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the table");
    }
    snprintf(path, sizeof path, "%s/index.html", all->out);
    return document_write(&d, path, error);
}
