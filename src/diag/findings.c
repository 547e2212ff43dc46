/* findings.c - see findings.h. A rule is a function; the problems come first. */
#include "diag/findings.h"

#include "diag/cluster.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define RHAT_MOST      1.01
#define LOST_NOTE      0.001 /* the unit in the last place of lp__: see lost_in_rounding() */
#define LOST_PROBLEM   0.01
#define WEIGHT_MATTERS 0.05 /* an error of a weight */
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

/* -- Problems ----------------------------------------------------------------------------------------------------- */

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

static void undefined_density(list *l) {
    const review_facts *f = l->facts;
    if (f->density_undefined == 0) return;
    add(l, CKAM_PROBLEM,
        "lp__, the log density, is not finite in %" PRIu64 " of %zu rows: a chain cannot be where the density is 0, "
        "infinite or not defined.",
        f->density_undefined, f->review->chains * f->review->rows);
    advise(l,
           "No chain of ckam visits such a point. Look at the program that wrote the rows, and at the density there; "
           "leave those rows out.");
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

static void stuck_chain(list *l) {
    const stuck_stretch *s = &l->facts->stuck;
    if (s->length == 0) return;
    add(l, CKAM_PROBLEM,
        "Chain %zu stood still for %zu rows, from row %zu on; elsewhere it moves in %.2g of its rows. It was caught "
        "where "
        "nearly every proposal is rejected, a place that steps of this size seldom enter or leave.",
        s->chain + 1, s->length, s->row + 1, s->accepted);
    advise(l,
           "Look at the draws there (`ckam plot DIR trace`). The density is narrow there, as in the neck of a funnel: "
           "write it in other parameters (a non-centred form), or take smaller steps (step-size in --sampler) and "
           "more draws.");
}

/* Two values of the log density differ by what is left after rounding. Each term of a sum is rounded too, so that 100
 * terms can be off by 50 units in the last place: 0.05 with a unit of 0.001, which distorts the density by 5 %, and 0.5
 * with 0.01, which takes the sense from acceptance probabilities. */
static void lost_in_rounding(list *l, ckam_severity severity) {
    const double size = fabs(l->facts->review->log_density.median), unit = nextafter(size, HUGE_VAL) - size;
    if (!(unit > LOST_NOTE) || (unit > LOST_PROBLEM) != (severity == CKAM_PROBLEM)) return;
    add(l, severity, "lp__, the log density, is about %.2g, where the next number is %.2g away: %s lost in rounding.",
        l->facts->review->log_density.median, unit,
        severity == CKAM_PROBLEM ? "the differences that decide about proposals are" : "small differences are");
    advise(l,
           "Subtract a constant from the log density, such as its value at the start, before the terms are added up, "
           "and run again.");
}

static void lost_density(list *l) { lost_in_rounding(l, CKAM_PROBLEM); }
static void rounded_density(list *l) { lost_in_rounding(l, CKAM_NOTE); }

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

static void late_modes(list *l) {
    const ckam_review *r = l->facts->review;
    const mode_doubts *d = &l->facts->doubts;
    if (d->late == 0) return;
    add(l, CKAM_PROBLEM,
        "Mode %zu, with %.3g of the weight, has no draw in the first %.3g %% of any chain, and %" PRIu64
        " crossings into it after that: it was found late, and its weight is too small. %zu of %zu modes are so.",
        d->first_late + 1, r->mode[d->first_late].weight, 100.0 * d->absent, r->mode[d->first_late].arrivals, d->late,
        r->modes);
    advise(l,
           "The draws before are those of a part of the density. Run again with a warm-up that is longer than that "
           "(--warmup=%.0f), or resume until they are few (--draws); there may be modes that were not found at all.",
           ceil(2.0 * d->absent * (double)l->facts->shape->shortest));
}

static void uneven_weights(list *l) {
    const ckam_review *r = l->facts->review;
    const mode_doubts *d = &l->facts->doubts;
    if (d->uneven == 0 || has_few_crossings(r)) return; /* that says it already */
    const ckam_mode *m = r->mode + d->first_uneven;
    add(l, CKAM_PROBLEM,
        "The weight of mode %zu, %.3g +- %.2g, is from %.3g to %.3g in the halves of the chains, which differ by more "
        "than chance: the error is too small. %zu of %zu modes are so.",
        d->first_uneven + 1, m->weight, m->mcse, d->least, d->most, d->uneven, r->modes);
    advise(l,
           "The chains have not forgotten where they began, or the sampler still learns. Run longer (--draws, or `ckam "
           "resume` with it), or again with a longer warm-up (--warmup).");
}

/* The quantities that break a rule: parameters, and lp__, which is number `parameters`. */
typedef struct offenders {
    size_t              count; /* of the parameters */
    bool                density;
    const ckam_summary *worst;
    const char         *name; /* of the worst one */
} offenders;

/* Those whose measure is above the limit, all but NaN. */
static offenders find_offenders(const ckam_review *r, double (*measure)(const ckam_summary *), double limit) {
    offenders o = {.worst = NULL};
    for (size_t k = 0; k <= r->parameters; k++) {
        const bool          density = k == r->parameters;
        const ckam_summary *s = density ? &r->log_density : r->summary + k;
        if (!(measure(s) > limit)) continue;
        o.count += !density;
        o.density |= density;
        if (o.worst && !(measure(s) > measure(o.worst))) continue;
        o.worst = s;
        o.name = density ? "lp__, the log density," : r->names[k];
    }
    return o;
}

/* "2 of 5 parameters", "lp__", or both. */
static const char *name_offenders(const offenders *o, const ckam_review *r, char text[64]) {
    const char *density = !o->density ? "" : o->count ? " and lp__" : "lp__";
    if (o->count)
        snprintf(text, 64, "%zu of %zu parameters%s", o->count, r->parameters, density);
    else
        snprintf(text, 64, "%s", density);
    return text;
}

static double rhat_of(const ckam_summary *s) { return s->rhat; }

static void high_rhat(list *l) {
    const ckam_review *r = l->facts->review;
    const offenders    o = find_offenders(r, rhat_of, RHAT_MOST);
    char               names[64];
    if (!o.worst) return;
    const double rhat = o.worst->rhat;
    add(l, CKAM_PROBLEM, "R-hat is above %.2f for %s; the worst is %.60s with %.*g: %s.", RHAT_MOST,
        name_offenders(&o, r, names), o.name, rhat < RHAT_MOST + 0.0005 ? 7 : 4, rhat,
        o.worst == &r->log_density ? "the chains, or their halves, visit tails or regions of the density differently"
        : r->chains > 1            ? "the chains do not agree"
                                   : "the halves of the chain do not agree");
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
static double lack_of_ess(const ckam_summary *s) { return -least_ess(s); }

static void low_ess(list *l) {
    const ckam_review *r = l->facts->review;
    const double       wanted = (double)ESS_A_CHAIN * (double)r->chains;
    const offenders    o = find_offenders(r, lack_of_ess, -wanted);
    char               names[64];
    if (!o.worst) return;
    const double ess = least_ess(o.worst), ratio = wanted / ess, draws = ratio * (double)l->facts->shape->shortest;
    const double digit = pow(10.0, floor(log10(draws)) - 1.0);
    add(l, CKAM_PROBLEM,
        "The effective sample size is below %d a chain, %.0f in all, for %s; the worst is %.60s "
        "with %.0f "
        "(%s) of %zu draws.",
        ESS_A_CHAIN, wanted, name_offenders(&o, r, names), o.name, ess, o.worst->ess_bulk <= ess ? "bulk" : "tail",
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

/* -- Notes -------------------------------------------------------------------------------------------------------- */

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

static void constant_density(list *l) {
    const review_facts *f = l->facts;
    if (!f->density_constant || f->constant == f->review->parameters) return;
    add(l, CKAM_NOTE, "lp__, the log density, is the same in all rows: the density is flat where the chains went.");
    advise(
        l,
        "Well if it is meant to be uniform. If not, it does not depend on the parameters: check it, and in C that no "
        "division of whole numbers makes it 0.");
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

/* Modes that were entered seldom, where there are crossings enough in all: a problem for those whose weight may be off by
 * so much that it matters. */
static void seldom_entered(list *l, ckam_severity severity) {
    const ckam_review *r = l->facts->review;
    size_t             count = 0, first = 0;
    if (has_few_crossings(r)) return;
    for (size_t mode = r->modes; mode-- > 0 && r->modes > 1;)
        if (r->mode[mode].arrivals < CROSSINGS_A_MODE &&
            (r->mode[mode].mcse > WEIGHT_MATTERS) == (severity == CKAM_PROBLEM)) {
            count++;
            first = mode;
        }
    if (count == 0) return;
    add(l, severity,
        "Mode %zu, with %.3g +- %.2g of the weight, was entered only %" PRIu64
        " times; %zu of %zu modes were entered fewer than "
        "%d times. Their weights are rough, and may be farther off than their errors say.",
        first + 1, r->mode[first].weight, r->mode[first].mcse, r->mode[first].arrivals, count, r->modes,
        CROSSINGS_A_MODE);
    advise(l, "%sraw more (--draws, or `ckam resume` with it).",
           severity == CKAM_PROBLEM ? "Means and intervals over all modes depend on it. D"
                                    : "If these weights matter, d");
}

static void rough_weights(list *l) { seldom_entered(l, CKAM_PROBLEM); }
static void rough_small_weights(list *l) { seldom_entered(l, CKAM_NOTE); }

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
    static void (*const rules[])(list *) = {
        too_few_rows,      undefined_values, undefined_density,   boundless,        at_the_edge,
        chains_that_stand, stuck_chain,      lost_density,        few_crossings,    lonely_modes,
        late_modes,        uneven_weights,   rough_weights,       high_rhat,        low_ess,
        one_chain,         rounded_density,  constant_parameters, constant_density, different_lengths,
        thinned,           modes_not_tried,  rough_small_weights, many_modes};
    _Static_assert(sizeof rules / sizeof *rules == FINDINGS_MOST, "a rule finds at most one thing");
    list l = {.facts = facts, .finding = finding};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) rules[i](&l);
    return l.count;
}
