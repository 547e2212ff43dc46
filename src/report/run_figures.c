/* run_figures.c - the table of the kinds of figures of a run, and what they share. See run_figures.h. */
#include "report/run_figures.h"

#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Name, whether there is one per parameter, title, summary for a list, caption. */
#define KINDS(X)                                                                                                       \
    X(density, true, "Marginal density by chain", "the marginal density of a parameter, a line a chain",               \
      "How often each value was drawn, a line for each chain. Lines that differ say that the chains do not agree.")    \
    X(trace, true, "Trace", "the values of a parameter in the order of the draws",                                     \
      "The draws in their order, a line for each chain. Good chains look alike, and like noise.")                      \
    X(rank, true, "Ranks by chain", "how the ranks of a parameter are spread over the chains",                         \
      "All draws of all chains are ranked, from the least to the greatest; here is how many of each chain have which " \
      "rank. Chains that agree are level. The band is two standard deviations wide on each side for independent "      \
      "draws; those of a chain depend on each other and are rougher.")                                                 \
    X(mean, true, "Running mean", "the mean of a parameter up to each draw",                                           \
      "The mean of all draws of a chain up to each one. Lines that settle at one height say that there are enough "    \
      "draws.")                                                                                                        \
    X(autocorrelation, true, "Autocorrelation", "how long a chain remembers where it was",                             \
      "The correlation of draws that are so many draws apart. The sooner it falls to 0, the more the draws are "       \
      "worth.")                                                                                                        \
    X(pair, false, "Pairs of parameters", "up to 6 parameters against each other",                                     \
      "Below the diagonal: where the draws of all chains are, the darker the more. Above: some draws of each chain. "  \
      "On the diagonal: marginal densities by chain.")                                                                 \
    X(steps, false, "Step size and acceptance", "step size and acceptance over the iterations, cycles shaded",         \
      "The step size of the proposals, and how many were accepted.")                                                   \
    X(modes, false, "Modes and moves", "the mode of each draw and the moves, of a sampler that names them",            \
      "The mode that each draw belongs to, as the sampler numbers them (`mode__`): in the order in which it found "    \
      "them, where the table of modes has the heaviest first. A chain that goes from mode to mode has dots at all "    \
      "heights all along; where dots make a line alone, it stayed.")

#define FIGURE_KIND(kind, by_parameter, title, summary, caption) {#kind, title, caption, by_parameter, run_##kind},
const figure_kind figure_kinds[] = {KINDS(FIGURE_KIND){.name = NULL}};

#define PLOT_KIND(kind, by_parameter, title, summary, caption) {#kind, summary},
const ckam_plot_kind *ckam_plot_list(void) {
    static const ckam_plot_kind list[] = {KINDS(PLOT_KIND){.name = NULL}};
    return list;
}

/* -- What they share ---------------------------------------------------------------------------------------------- */

const char *chain_name(size_t chain, char text[CHAIN_NAME]) {
    snprintf(text, CHAIN_NAME, "chain %zu", chain + 1);
    return text;
}

ckam_status figure_begin(const run_facts *facts, const figure_kind *kind, size_t column, size_t panels, figure **f,
                         const double **values, ckam_error *error) {
    ckam_status status = ckam_draws_column(facts->draws, column, values, error);
    if (status) return status;
    *f = figure_create(kind->name, kind->title, kind->caption, panels);
    if (!*f) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a figure");
    figure_text(*f, &(*f)->parameter, ckam_draws_name(facts->draws, column));
    return CKAM_OK;
}

void caption_add(figure *f, const char *format, ...) {
    char        text[1024];
    va_list     arguments;
    const char *caption = f->caption ? f->caption : "";
    size_t      used = (size_t)snprintf(text, sizeof text, "%s ", caption);
    if (used >= sizeof text) return;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    if (!strstr(caption, text + used)) figure_text(f, &f->caption, text);
}

ckam_status figure_end(ckam_status status, figure *f, figure **out, ckam_error *error) {
    if (!status && f->failed) status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a figure");
    if (status)
        figure_free(f);
    else
        *out = f;
    return status;
}

size_t thinning(size_t rows, size_t points) { return rows > points ? (rows + points - 1) / points : 1; }

/* The place in a block is a hash of its number, the finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
size_t row_of_block(size_t rows, size_t count, size_t i) {
    size_t   from = i * rows / count, to = (i + 1) * rows / count;
    uint64_t hash = i;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return from + (size_t)((hash ^ (hash >> 31)) % (to - from));
}

double draw_number(const ckam_draws_shape *shape, size_t row) { return (double)row * (double)shape->stride + 1.0; }
