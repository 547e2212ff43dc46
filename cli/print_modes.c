/* print_modes.c - prints the table of modes: weights, whether the chains agree on them, visits, and places. */
#include "cli.h"

#include <math.h>
#include <string.h>

enum { MODES_MOST = 25, CHAINS_MOST = 8, PLACES_MOST = 4, PLACES_WANTED = 2, CELL = 3 * NUMBER, SHARE = 5, RANGE = 13 };

typedef struct layout {
    size_t modes;
    int    digits;             /* of weights and their errors, behind the point */
    size_t chains;             /* whose shares are shown; 0: the range of them */
    int    into, found;        /* columns of the moves into a mode, and of the cycle of its first draw; 0: not shown */
    size_t places;             /* parameters whose centre is shown */
    size_t width[PLACES_MOST]; /* of each */
} layout;

/* "-8.01 (1.02)": the centre and the spread, both to a 30th of the spread or finer. */
static void write_place(const ckam_mode *mode, size_t k, char *text) {
    char   centre[NUMBER], spread[NUMBER];
    double grain = 0.3 * mode->spread[k];
    number_with_error(mode->centre[k], grain, centre);
    number_with_error(mode->spread[k], grain, spread);
    snprintf(text, CELL, "%s (%s)", centre, spread);
}

/* At least 3, and enough to show the smallest error. */
static int weight_digits(const ckam_review *review, size_t modes) {
    enum { USUAL = 3, MOST = 6 };
    int digits = USUAL;
    for (size_t m = 0; m < modes; m++)
        while (digits < MOST && review->mode[m].mcse > 0.0 && review->mode[m].mcse * pow(10.0, digits) < 0.95) digits++;
    return digits;
}

/* -- Layout ------------------------------------------------------------------------------------------------------- */

/* "   1  0.500 +- 0.012" */
static size_t weights_width(const layout *l) { return 6 + 2 * (2 + (size_t)l->digits) + 4; }

/* Columns of the shares by chain, which are not less than those of their heading. */
static size_t shares_width(const layout *l) {
    enum { HEADING = 15 };
    size_t columns = l->chains ? SHARE * l->chains : 1 + RANGE;
    return columns < HEADING ? HEADING : columns;
}

/* Of a number under a heading, with the gap before it. */
static int number_width(uint64_t most, const char *heading) {
    int digits = snprintf(NULL, 0, "%llu", (unsigned long long)most), letters = (int)strlen(heading);
    return 2 + (digits > letters ? digits : letters);
}

static void find_widths(layout *l, const ckam_review *review) {
    char     text[CELL];
    uint64_t into = 0, found = 0;
    for (size_t m = 0; m < l->modes; m++) {
        const ckam_mode *mode = review->mode + m;
        if (mode->arrivals > into) into = mode->arrivals;
        if (mode->found > found) found = mode->found;
    }
    l->into = number_width(into, "into");
    l->found = found ? number_width(found, "found") : 0; /* without cycles, or all in the first: nothing to say */
    for (size_t k = 0; k < review->parameters && k < PLACES_MOST; k++) {
        l->width[k] = text_columns(review->names[k]);
        for (size_t m = 0; m < l->modes; m++) {
            write_place(review->mode + m, k, text);
            if (strlen(text) > l->width[k]) l->width[k] = strlen(text);
        }
    }
}

static size_t table_width(const layout *l) {
    size_t used = weights_width(l) + shares_width(l) + (size_t)l->into + (size_t)l->found;
    for (size_t k = 0; k < l->places; k++) used += 2 + l->width[k];
    return used;
}

/* As many places as fit; the shares of many chains give way to two of them. */
static void fit(layout *l, const ckam_review *review) {
    const size_t width = text_width(stdout) - 1,
                 most = review->parameters < PLACES_MOST ? review->parameters : PLACES_MOST;
    l->modes = review->modes < MODES_MOST ? review->modes : MODES_MOST;
    l->digits = weight_digits(review, l->modes);
    l->chains = review->chains <= CHAINS_MOST ? review->chains : 0;
    find_widths(l, review);
    l->places = most < PLACES_WANTED ? most : PLACES_WANTED;
    if (table_width(l) > width) l->chains = 0;
    while (l->places && table_width(l) > width) l->places--;
    if (table_width(l) > width) l->found = 0;
    if (table_width(l) > width) l->into = 0;
    while (l->places && l->places < most) {
        l->places++;
        if (table_width(l) <= width) continue;
        l->places--;
        return;
    }
}

/* -- Lines -------------------------------------------------------------------------------------------------------- */

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

static void print_mode(const ckam_review *review, const layout *l, size_t m) {
    const ckam_mode *mode = review->mode + m;
    char             text[CELL];
    printf("%4zu  %.*f +- %.*f", m + 1, l->digits, mode->weight, l->digits, mode->mcse);
    int columns = print_shares(review, l, m);
    if (l->into || l->places) printf("%*s", (int)shares_width(l) - columns, "");
    if (l->into) printf("%*llu", l->into, (unsigned long long)mode->arrivals);
    if (l->found) printf("%*llu", l->found, (unsigned long long)mode->found);
    for (size_t k = 0; k < l->places; k++) {
        write_place(mode, k, text);
        printf("  %*s", (int)l->width[k], text);
    }
    printf("\n");
}

static void print_title(const ckam_review *review, const layout *l) {
    bool more = l->into || l->places;
    printf("mode  %-*s%-*s", (int)weights_width(l) - 6, "weight", more ? (int)shares_width(l) : 0, " share by chain");
    if (l->into) printf("%*s", l->into, "into");
    if (l->found) printf("%*s", l->found, "found");
    for (size_t k = 0; k < l->places; k++)
        printf("  %*s%s", (int)(l->width[k] - text_columns(review->names[k])), "", review->names[k]);
    printf("\n");
}

static void print_legend(const ckam_review *review, const layout *l) {
    char text[512];
    snprintf(text, sizeof text, "%s%s%s%s%s", l->into ? "into: how often a chain came to the mode from another. " : "",
             l->found ? "found: the cycle of its first draw. " : "",
             l->places ? "Last: the centre and, in brackets, the spread of each mode" : "",
             l->places && l->places < review->parameters ? ", for the first parameters" : "", l->places ? "." : "");
    if (*text) text_wrap(stdout, text, 0, 2);
}

void modes_print(const ckam_review *review) {
    layout l = {0};
    if (review->modes == 0) return;
    if (review->modes == 1) {
        printf("\n");
        printf("1 mode found\n");
        return;
    }
    fit(&l, review);
    printf("\n%zu modes, %llu move%s between modes\n", review->modes, (unsigned long long)review->crossings,
           text_plural(review->crossings));
    print_title(review, &l);
    for (size_t m = 0; m < l.modes; m++) print_mode(review, &l, m);
    if (review->modes > l.modes) printf("... and %zu more\n", review->modes - l.modes);
    print_legend(review, &l);
}
