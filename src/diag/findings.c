/* findings.c - see findings.h. A rule is a function; the problems come first. */
#include "diag/findings.h"

#include "diag/cluster.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define RHAT_MOST 1.01
enum { ROWS_LEAST = 6, ESS_A_CHAIN = 100, CROSSINGS_A_MODE = 10, NAMED_MOST = 6 };

typedef struct list {
    const review_facts *facts;
    ckam_finding       *finding;
    size_t              count;
} list;

static void add(list *l, ckam_severity severity, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void advise(list *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(list *l, ckam_severity severity, const char *format, ...) {
    ckam_finding *f = l->finding + l->count++;
    va_list       arguments;
    *f = (ckam_finding){.severity = severity};
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
}

/* The advice of the last finding. */
static void advise(list *l, const char *format, ...) {
    ckam_finding *f = l->finding + l->count - 1;
    va_list       arguments;
    va_start(arguments, format);
    vsnprintf(f->advice, sizeof f->advice, format, arguments);
    va_end(arguments);
}

typedef bool chain_test(const review_facts *facts, size_t chain, size_t which);

/* "1, 2 and 5", or "1, 2, 3, 4, 5, 6 and 40 more", for the chains that pass a test. Returns how many they are. */
static size_t name_chains(const review_facts *facts, chain_test *test, size_t which, char *text, size_t size) {
    const size_t chains = facts->review->chains;
    size_t       count = 0, named = 0, used = 0;
    for (size_t c = 0; c < chains; c++) count += test(facts, c, which);
    text[0] = 0;
    for (size_t c = 0; c < chains && named < NAMED_MOST && used < size; c++) {
        if (!test(facts, c, which)) continue;
        const char *before = named == 0 ? "" : named + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%zu", before, c + 1);
        named++;
    }
    if (named < count && used < size) snprintf(text + used, size - used, " and %zu more", count - named);
    return count;
}

static bool never_moved(const review_facts *facts, size_t chain, size_t unused) {
    (void)unused;
    return !facts->moved[chain];
}

static bool visits(const review_facts *facts, size_t chain, size_t mode) {
    return facts->review->mode[mode].visits[chain] > 0;
}

/* -- Problems ------------------------------------------------------------------------------------------------------ */

static void too_few_rows(list *l) {
    const ckam_review *r = l->facts->review;
    if (r->rows >= ROWS_LEAST) return;
    add(l, CKAM_PROBLEM, "Rows of a chain: %zu. Effective sample sizes and standard errors need %d.", r->rows,
        ROWS_LEAST);
    advise(l, "Draw more: --draws=1000 is a beginning, and 100 effective draws a chain are the aim.");
}

static void undefined_values(list *l) {
    const review_facts *f = l->facts;
    if (f->undefined == 0) return;
    add(l, CKAM_PROBLEM,
        "%zu of %zu parameters have values that are not finite (%" PRIu64
        " in all; the first is %.60s): their numbers cannot be given, and no modes are looked for.",
        f->undefined, f->review->parameters, f->undefined_values, f->review->names[f->first_undefined]);
    advise(
        l,
        "No chain of ckam visits such a point. Look at the program that wrote the rows: a run that stopped early, or a "
        "derived quantity that is undefined in places. Leave those rows or columns out.");
}

static void boundless(list *l) {
    const review_facts *f = l->facts;
    if (f->huge == 0) return;
    add(l, CKAM_PROBLEM,
        "The draws of %zu of %zu parameters have no end (the first is %.60s, with %.3g): the density seems to have no "
        "finite "
        "integral.",
        f->huge, f->review->parameters, f->review->names[f->first_huge], f->hugest);
    advise(l,
           "Check the density: in C, 1/2 is 0, and 0.5 is meant. Give the parameter a prior that is proper, or bounds "
           "on both sides.");
}

static void at_the_edge(list *l) {
    const review_facts *f = l->facts;
    char                more[64] = "";
    if (f->edges == 0) return;
    if (f->edges > 1) snprintf(more, sizeof more, " (%zu such ends)", f->edges);
    add(l, CKAM_PROBLEM,
        "The chains came to %.60s = %.17g %zu times, the last number before a bound: what the density has beyond it is "
        "lacking%s.",
        f->review->names[f->first_edge], f->edge, f->edge_rows, more);
    advise(l,
           "No number is nearer to the bound. Write the density for the distance from the bound, with the bound 0, or "
           "for its logarithm, without a bound. If it has no finite integral there, mend it.");
}

static void chains_that_stand(list *l) {
    char names[64];
    if (l->facts->review->rows < 2 || l->facts->review->parameters == 0) return;
    size_t count = name_chains(l->facts, never_moved, 0, names, sizeof names);
    if (count == 0) return;
    add(l, CKAM_PROBLEM, "%zu of %zu chains never moved (%s): all rows of such a chain are equal.", count,
        l->facts->review->chains, names);
    advise(l, "The steps were too large there, or the start was bad: set a smaller step size (such as "
              "--sampler=gam:step-size=0.1), a longer warm-up (warmup=5000 behind the same colon), or other starts "
              "(--init).");
}

/* Chains are in different modes: which is where, as far as there is room. */
static void never_crossed(list *l) {
    const ckam_review *r = l->facts->review;
    char               where[160] = "", names[64];
    size_t             used = 0, mode = 0;
    for (; mode < r->modes && used + 60 < sizeof where; mode++) {
        size_t count = name_chains(l->facts, visits, mode, names, sizeof names);
        used += (size_t)snprintf(where + used, sizeof where - used, "%schain%s %s in mode %zu", mode ? ", " : "",
                                 count == 1 ? "" : "s", names, mode + 1);
    }
    add(l, CKAM_PROBLEM, "The draws gather in %zu modes, and no chain went from one to another: %s%s.", r->modes, where,
        mode < r->modes ? ", ..." : "");
    advise(
        l,
        "The weights only say where the chains began. Draw with --sampler=jump, which looks for modes and goes between "
        "them; if it was that one, with a longer warm-up (--warmup=20000). If a longer run joins them they were slow "
        "chains, not modes.");
}

static bool has_few_crossings(const ckam_review *r) {
    return r->modes > 1 && r->crossings < CROSSINGS_A_MODE * (uint64_t)(r->modes - 1);
}

static void few_crossings(list *l) {
    const ckam_review *r = l->facts->review;
    if (!has_few_crossings(r)) return;
    if (r->crossings == 0 && r->chains > 1) {
        never_crossed(l);
        return;
    }
    add(l, CKAM_PROBLEM,
        "The draws gather in %zu modes, and the chains went from one to another only %" PRIu64
        " times: neither the weights nor their errors are to be trusted.",
        r->modes, r->crossings);
    advise(l,
           "Run until there are %d crossings and more (--draws), or draw with --sampler=jump, which goes between "
           "modes; if "
           "it was that one, with a longer warm-up (--warmup=20000).",
           CROSSINGS_A_MODE * (int)(r->modes - 1));
}

static void lonely_modes(list *l) {
    const ckam_review *r = l->facts->review;
    char               name[64];
    size_t             lonely = 0, first = 0;
    if (r->chains < 2 || r->crossings == 0) return;
    for (size_t mode = r->modes; mode-- > 0;)
        if (name_chains(l->facts, visits, mode, name, sizeof name) == 1) {
            lonely++;
            first = mode;
        }
    if (lonely == 0) return;
    name_chains(l->facts, visits, first, name, sizeof name);
    add(l, CKAM_PROBLEM, "Mode %zu, with %.3g of the weight, was visited by chain %s only; %zu of %zu modes are so.",
        first + 1, r->mode[first].weight, name, lonely, r->modes);
    advise(l,
           "The other chains have missed it, and all may have missed others: run longer (--draws), or more chains from "
           "other starts (--chains, --init).");
}

static void high_rhat(list *l) {
    const ckam_review *r = l->facts->review;
    size_t             count = 0, worst = 0;
    for (size_t k = 0; k < r->parameters; k++) {
        if (!(r->summary[k].rhat > RHAT_MOST)) continue;
        if (count++ == 0 || r->summary[k].rhat > r->summary[worst].rhat) worst = k;
    }
    if (count == 0) return;
    const double rhat = r->summary[worst].rhat;
    add(l, CKAM_PROBLEM, "R-hat is above %.2f for %zu of %zu parameters; the worst is %.60s with %.*g: %s.", RHAT_MOST,
        count, r->parameters, r->names[worst], rhat < RHAT_MOST + 0.0005 ? 7 : 4, rhat,
        r->chains > 1 ? "the chains do not agree" : "the halves of the chain do not agree");
    if (r->modes > 1)
        advise(l,
               "The chains weigh the modes differently. See what is said of the modes first; intervals and means over "
               "all chains are not yet those of the density.");
    else
        advise(
            l,
            "The chains are too slow or sit in separate modes. Run longer (--draws, or --until=rhat=1.01), leave out "
            "more of the beginning (warmup in --sampler), or try another sampler: `ckam list samplers`.");
}

static double least_ess(const ckam_summary *s) { return fmin(s->ess_bulk, s->ess_tail); /* of a NaN, the other */ }

static void low_ess(list *l) {
    const ckam_review *r = l->facts->review;
    const double       wanted = (double)ESS_A_CHAIN * (double)r->chains;
    size_t             count = 0, worst = 0;
    for (size_t k = 0; k < r->parameters; k++) {
        if (!(least_ess(r->summary + k) < wanted)) continue;
        if (count++ == 0 || least_ess(r->summary + k) < least_ess(r->summary + worst)) worst = k;
    }
    if (count == 0) return;
    const ckam_summary *s = r->summary + worst;
    const double        ess = least_ess(s), ratio = wanted / ess, draws = ratio * (double)l->facts->shape->shortest;
    const double        digit = pow(10.0, floor(log10(draws)) - 1.0);
    add(l, CKAM_PROBLEM,
        "The effective sample size is below %d a chain, %.0f in all, for %zu of %zu parameters; the worst is %.60s "
        "with %.0f "
        "(%s) of %zu draws.",
        ESS_A_CHAIN, wanted, count, r->parameters, r->names[worst], ess, s->ess_bulk <= ess ? "bulk" : "tail",
        r->chains * r->rows);
    if (ratio <= 1000.0)
        advise(
            l,
            "About %.2g times as many draws would do: --draws=%.0f, or `ckam resume` with it. A sampler that suits the "
            "density better may need fewer: `ckam list samplers`.",
            ratio, ceil(draws / digit) * digit);
    else
        advise(l,
               "It would take %.2g times as many draws: rather try another sampler or other settings (--sampler, `ckam "
               "list samplers`), or other starts (--init).",
               ratio);
}

/* -- Notes --------------------------------------------------------------------------------------------------------- */

static void one_chain(list *l) {
    if (l->facts->review->chains > 1) return;
    add(l, CKAM_NOTE, "There is one chain: R-hat compares its halves, and nothing shows whether it missed a part.");
    advise(l, "Run several from different starts: --chains=4.");
}

static void constant_parameters(list *l) {
    const review_facts *f = l->facts;
    if (f->constant == 0 || f->review->rows * f->review->chains < 2) return;
    add(l, CKAM_NOTE,
        "%zu of %zu parameters are constant (the first is %.60s): they have no R-hat and no effective sample size.",
        f->constant, f->review->parameters, f->review->names[f->first_constant]);
    advise(l, "Well if they are meant to be. If not, the density may not depend on them as it should, or be 0 off this "
              "value.");
}

static void different_lengths(list *l) {
    const ckam_draws_shape *s = l->facts->shape;
    if (s->shortest == s->longest) return;
    add(l, CKAM_NOTE,
        "The chains have from %" PRIu64 " to %" PRIu64 " rows; only the first %" PRIu64 " of each are used.",
        s->shortest, s->longest, s->shortest);
    advise(
        l,
        "A run that was stopped ends so: `ckam resume` makes the chains equally long. Or leave out the short chain.");
}

static void thinned(list *l) {
    const ckam_draws_shape *s = l->facts->shape;
    if (s->stride <= 1) return;
    add(l, CKAM_NOTE, "One row in %" PRIu64 " was used for these numbers: %zu of %" PRIu64 " a chain.", s->stride,
        s->rows, s->shortest);
    advise(l, "It is enough to judge the run. Effective sample sizes are those of the rows used, so rather too small.");
}

/* Where there are crossings enough in all. */
static void seldom_entered(list *l) {
    const ckam_review *r = l->facts->review;
    size_t             count = 0, first = 0;
    if (has_few_crossings(r)) return;
    for (size_t mode = r->modes; mode-- > 0 && r->modes > 1;)
        if (r->mode[mode].arrivals < CROSSINGS_A_MODE) {
            count++;
            first = mode;
        }
    if (count == 0) return;
    add(l, CKAM_NOTE,
        "Mode %zu, with %.3g of the weight, was entered only %" PRIu64
        " times; %zu of %zu modes were entered fewer than "
        "%d times. Their weights are rough, and may be farther off than their errors say.",
        first + 1, r->mode[first].weight, r->mode[first].arrivals, count, r->modes, CROSSINGS_A_MODE);
    advise(l, "If these weights matter, draw more (--draws, or `ckam resume` with it).");
}

static void modes_not_tried(list *l) {
    const ckam_review *r = l->facts->review;
    if (r->modes > 0 || r->rows < ROWS_LEAST || l->facts->undefined > 0) return;
    add(l, CKAM_NOTE, "Modes were not looked for: there are too few rows that differ.");
    advise(l, "Draw more (--draws); if most proposals are rejected, take smaller steps (step-size in --sampler).");
}

static void many_modes(list *l) {
    if (l->facts->review->modes < CLUSTER_MOST) return;
    add(l, CKAM_NOTE, "There are %zu modes, the most that are shown; further ones are counted with their neighbours.",
        l->facts->review->modes);
    advise(l, "Read their weights as those of regions. A sample of at most 2000 rows was searched.");
}

size_t findings_make(const review_facts *facts, ckam_finding *finding) {
    static void (*const rules[])(list *) = {too_few_rows,      undefined_values, boundless,           at_the_edge,
                                            chains_that_stand, few_crossings,    lonely_modes,        high_rhat,
                                            low_ess,           one_chain,        constant_parameters, different_lengths,
                                            thinned,           modes_not_tried,  seldom_entered,      many_modes};
    list l = {.facts = facts, .finding = finding};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) rules[i](&l);
    return l.count;
}
