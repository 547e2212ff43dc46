/* print_table.c - the table of the parameters, for readers and as CSV. */
#include "cli.h"

#include <math.h>
#include <string.h>

enum { PARAMETERS_MOST = 12, NAME_LEAST = 8, NAME_MOST = 40 };
enum { MEAN, MCSE, SD, Q5, Q50, Q95, RHAT, BULK, TAIL, COLUMNS };
static const char *const title[COLUMNS] = {"mean", "mcse", "sd", "5%", "50%", "95%", "rhat", "ess", "ess tail"};
/* Columns that a narrow terminal leaves out, in this order. */
static const int spare[] = {Q50, TAIL, Q5, Q95, MCSE, BULK};

typedef char cells[COLUMNS][NUMBER];

typedef struct layout {
    size_t name, width[COLUMNS]; /* columns; a width of 0 is not shown */
    int    gap;
} layout;

static void write_cells(const ckam_summary *s, cells cell) {
    const double value[] = {
        [MEAN] = s->mean, [MCSE] = s->mcse_mean, [SD] = s->sd, [Q5] = s->q5, [Q50] = s->median, [Q95] = s->q95};
    for (int i = MEAN; i <= Q95; i++) number_with_error(value[i], s->mcse_mean, cell[i]);
    snprintf(cell[RHAT], NUMBER, isnan(s->rhat) ? "-" : s->rhat < 100.0 ? "%.3f" : "%.0f", s->rhat);
    snprintf(cell[BULK], NUMBER, isnan(s->ess_bulk) ? "-" : "%.0f", s->ess_bulk);
    snprintf(cell[TAIL], NUMBER, isnan(s->ess_tail) ? "-" : "%.0f", s->ess_tail);
}

static void write_exact(const outcome *r, size_t k, cells cell) {
    memset(cell, 0, sizeof(cells));
    number_with_error(r->exact_mean[k], r->review->summary[k].mcse_mean, cell[MEAN]);
    number_with_error(r->exact_sd[k], r->review->summary[k].mcse_mean, cell[SD]);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static void widen(layout *l, const char *name, cells cell) {
    l->name = larger(l->name, text_columns(name));
    for (int i = 0; i < COLUMNS; i++) l->width[i] = larger(l->width[i], strlen(cell[i]));
}

static size_t total(const layout *l) {
    size_t sum = l->name;
    for (int i = 0; i < COLUMNS; i++) sum += l->width[i] ? l->width[i] + (size_t)l->gap : 0;
    return sum;
}

/* First long names give way, then gaps, then columns. */
static void fit(layout *l, size_t width) {
    if (l->name > NAME_MOST) l->name = NAME_MOST;
    while (total(l) > width && l->name > NAME_LEAST) l->name--;
    if (total(l) > width) l->gap = 1;
    for (size_t i = 0; i < sizeof spare / sizeof *spare && total(l) > width; i++) l->width[spare[i]] = 0;
    if (!l->width[Q5]) l->width[Q95] = 0; /* they belong together */
}

/* A name that is too long keeps its end, where the index is. */
static void print_name(const char *name, size_t width) {
    size_t columns = text_columns(name), tail = width / 2;
    if (columns <= width) {
        printf("%s%*s", name, (int)(width - columns), "");
        return;
    }
    const char *rest = name;
    for (size_t shown = 0; shown < width - tail - 1; shown++) do
            putchar(*rest++);
        while (((unsigned char)*rest & 0xc0) == 0x80);
    putchar('~');
    for (rest = name + strlen(name); tail > 0; tail--) do
            rest--;
        while (((unsigned char)*rest & 0xc0) == 0x80);
    printf("%s", rest);
}

static void print_row(const layout *l, const char *name, cells cell) {
    print_name(name, l->name);
    int last = COLUMNS - 1; /* no blanks at the end of a line */
    while (last >= 0 && !(l->width[last] && *cell[last])) last--;
    for (int i = 0; i <= last; i++)
        if (l->width[i]) printf("%*s", l->gap + (int)l->width[i], cell[i]);
    printf("\n");
}

static void print_rows(const outcome *r, const layout *l, size_t count) {
    cells cell;
    if (!isnan(r->review->log_density.mean)) {
        write_cells(&r->review->log_density, cell);
        print_row(l, "lp__", cell);
    }
    for (size_t k = 0; k < count; k++) {
        write_cells(r->review->summary + k, cell);
        print_row(l, r->review->names[k], cell);
        if (!r->exact_mean) continue;
        write_exact(r, k, cell);
        print_row(l, "  exact", cell);
    }
}

void table_print(const outcome *r) {
    const ckam_review *review = r->review;
    size_t             count = review->parameters;
    layout             l = {.name = NAME_LEAST, .gap = 2};
    cells              cell;
    char               command[QUOTED];
    if (!r->all && count > PARAMETERS_MOST) count = PARAMETERS_MOST;
    for (int i = 0; i < COLUMNS; i++) snprintf(cell[i], NUMBER, "%s", title[i]);
    widen(&l, "", cell);
    write_cells(&review->log_density, cell);
    widen(&l, "lp__", cell);
    for (size_t k = 0; k < count; k++) {
        write_cells(review->summary + k, cell);
        widen(&l, review->names[k], cell);
        if (!r->exact_mean) continue;
        write_exact(r, k, cell);
        widen(&l, "", cell);
    }
    fit(&l, text_width(stdout) - 1);
    for (int i = 0; i < COLUMNS; i++) snprintf(cell[i], NUMBER, "%s", title[i]);
    print_row(&l, "", cell);
    print_rows(r, &l, count);
    if (count == review->parameters) return;
    printf("... and %zu more", review->parameters - count);
    if (*r->directory) printf("; `%s --all`", text_command("summary", r->directory, command));
    printf("\n");
}

static void print_csv_row(const char *name, const ckam_summary *s) {
    const double value[] = {s->mean, s->mcse_mean, s->sd,   s->median,   s->mad,
                            s->q5,   s->q95,       s->rhat, s->ess_bulk, s->ess_tail};
    char         text[NUMBER];
    printf("%s", name);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        number_exact(value[i], text);
        printf(",%s", text);
    }
    printf("\n");
}

void table_print_csv(const ckam_review *review) {
    printf("variable,mean,mcse_mean,sd,median,mad,q5,q95,rhat,ess_bulk,ess_tail\n");
    if (!isnan(review->log_density.mean)) print_csv_row("lp__", &review->log_density);
    for (size_t k = 0; k < review->parameters; k++) print_csv_row(review->names[k], review->summary + k);
}
