/* modes.c - the table of modes: what each weighs, whether the chains agree, and where it is. */
#include "cli.h"

#include <math.h>
#include <string.h>

enum { MODES_MOST = 12, CHAINS_MOST = 8, PLACES_MOST = 4, CELL = 3 * NUMBER, SHARE = 5, WEIGHTS = 21 };

typedef struct layout {
    size_t chains;             /* whose shares are shown; 0: the range of them */
    size_t places;             /* parameters whose centre is shown */
    size_t width[PLACES_MOST]; /* of each */
    size_t modes;
} layout;

/* "-8.01 (1.02)": the centre to a hundredth of the spread, and the spread. */
static void write_place(const ckam_mode *mode, size_t k, char *text) {
    char   centre[NUMBER], spread[NUMBER];
    double grain = 0.1 * mode->spread[k];
    number_with_error(mode->centre[k], grain, centre);
    number_with_error(mode->spread[k], grain, spread);
    snprintf(text, CELL, "%s (%s)", centre, spread);
}

/* Columns of the shares by chain, which are not less than those of their heading. */
static int shares_width(const layout *l) {
    enum { HEADING = 14 };
    int columns = SHARE * (int)l->chains;
    return columns < HEADING ? HEADING : columns;
}

static void fit(layout *l, const ckam_review *review) {
    char   text[CELL];
    size_t width = text_width(stdout) - 1, used;
    l->modes = review->modes < MODES_MOST ? review->modes : MODES_MOST;
    l->chains = review->chains <= CHAINS_MOST && WEIGHTS + 1 + SHARE * review->chains <= width ? review->chains : 0;
    used = WEIGHTS + 1 + (size_t)shares_width(l);
    for (size_t k = 0; k < review->parameters && k < PLACES_MOST; k++) {
        l->width[k] = text_columns(review->names[k]);
        for (size_t m = 0; m < l->modes; m++) {
            write_place(review->mode + m, k, text);
            if (strlen(text) > l->width[k]) l->width[k] = strlen(text);
        }
        used += 2 + l->width[k];
        if (used > width) return;
        l->places++;
    }
}

static double share(const ckam_review *review, size_t m, size_t chain) {
    return (double)review->mode[m].visits[chain] / (double)review->rows;
}

/* Returns how many columns it took. */
static int print_shares(const ckam_review *review, const layout *l, size_t m) {
    double least = HUGE_VAL, most = 0.0;
    int    columns = 0;
    for (size_t c = 0; c < l->chains; c++) columns += printf(" %.2f", share(review, m, c));
    if (l->chains) return columns;
    for (size_t c = 0; c < review->chains; c++) {
        least = fmin(least, share(review, m, c));
        most = fmax(most, share(review, m, c));
    }
    return printf(" %.2f to %.2f", least, most);
}

static void print_mode(const ckam_review *review, const layout *l, size_t m, int shares) {
    char text[CELL];
    printf("%4zu  %.3f +- %.3f ", m + 1, review->mode[m].weight, review->mode[m].mcse);
    int columns = print_shares(review, l, m);
    if (l->places) printf("%*s", shares - columns, "");
    for (size_t k = 0; k < l->places; k++) {
        write_place(review->mode + m, k, text);
        printf("  %*s", (int)l->width[k], text);
    }
    printf("\n");
}

static void print_title(const ckam_review *review, const layout *l, int shares) {
    printf("mode  %-15s%-*s", "weight", l->places ? shares + 1 : 0, " share by chain");
    for (size_t k = 0; k < l->places; k++)
        printf("  %*s%s", (int)(l->width[k] - text_columns(review->names[k])), "", review->names[k]);
    printf("\n");
}

void modes_print(const ckam_review *review) {
    layout l = {0};
    if (review->modes == 0) return;
    if (review->modes == 1) {
        printf("\n");
        text_wrap(stdout, "one mode: no part of the draws is apart from the others", 0, 2);
        return;
    }
    fit(&l, review);
    int shares = shares_width(&l);
    printf("\n%zu modes, %llu move%s between modes\n", review->modes, (unsigned long long)review->crossings,
           text_plural(review->crossings));
    print_title(review, &l, shares);
    for (size_t m = 0; m < l.modes; m++) print_mode(review, &l, m, shares);
    if (review->modes > l.modes) printf("... and %zu more\n", review->modes - l.modes);
    if (l.places)
        text_wrap(stdout,
                  l.places < review->parameters
                      ? "Last: the centre and, in brackets, the spread of each mode, for the first parameters."
                      : "Last: the centre and, in brackets, the spread of each mode.",
                  0, 2);
}
