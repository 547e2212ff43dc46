/* findings.c - see findings.h, and ckam_search_findings() of ckam.h: what `ckam diagnose` says, as two tables of rules.
 *
 * A rule is a row: name, severity, test, sentence, advice. The test is a function that says whether the rule applies and
 * sets the values that sentence and advice name in braces. Problems come before notes. */
#include "diag/findings.h"

#include "base/unseen.h"
#include "diag/cluster.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -- Rules in general --------------------------------------------------------------------------------------------- */

/* What is judged: draws (facts), or the searches of a run for modes (search and what follows). */
typedef struct judged {
    const review_facts *facts;
    const ckam_search  *search;
    ckam_severity       severity; /* of the rule that is being tested */
    double              allowed;  /* up to this bound on unseen modes the search counts as saturated */
    size_t              dim;
} judged;

/* The values of the braces. */
enum { VALUES_MOST = 10, VALUE_TEXT = 160 };
typedef struct values {
    size_t      count;
    const char *name[VALUES_MOST];
    char        text[VALUES_MOST][VALUE_TEXT];
} values;

/* Whether the rule applies; sets the values. */
typedef bool rule_test(const judged *j, values *v);

/* Consecutive rules of one name are alternatives: the first that applies is reported. */
typedef struct rule {
    const char   *name;
    ckam_severity severity;
    rule_test    *test;
    const char   *sentence, *advice;
} rule;

static void set(values *v, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void set(values *v, const char *name, const char *format, ...) {
    va_list arguments;
    if (v->count == VALUES_MOST) return;
    v->name[v->count] = name;
    va_start(arguments, format);
    vsnprintf(v->text[v->count++], VALUE_TEXT, format, arguments);
    va_end(arguments);
}

static void set_count(values *v, const char *name, uint64_t count) { set(v, name, "%" PRIu64, count); }

/* The value of the name of `length` bytes; NULL where it was not set. */
static const char *value_of(const values *v, const char *name, size_t length) {
    for (size_t i = 0; i < v->count; i++)
        if (strlen(v->name[i]) == length && !memcmp(v->name[i], name, length)) return v->text[i];
    return NULL;
}

/* Writes a sentence with values in place of {name}, cut to `size`. */
static void fill_in(const char *sentence, const values *v, char *text, size_t size) {
    size_t used = 0;
    while (*sentence && used + 1 < size) {
        const char  *end = *sentence == '{' ? strchr(sentence, '}') : NULL;
        const char  *value = end ? value_of(v, sentence + 1, (size_t)(end - sentence) - 1) : NULL;
        const size_t length = value ? strlen(value) : 1, room = size - 1 - used;
        memcpy(text + used, value ? value : sentence, length < room ? length : room);
        used += length < room ? length : room;
        sentence = value ? end + 1 : sentence + 1;
    }
    text[used] = 0;
}

static size_t apply(const rule *rules, size_t count, judged j, ckam_finding *finding, size_t most) {
    size_t found = 0;
    bool   reported = false; /* an alternative to this rule applied */
    for (const rule *r = rules; r < rules + count && found < most; r++) {
        values v = {.count = 0};
        reported = reported && !strcmp(r->name, r[-1].name);
        j.severity = r->severity;
        if (reported || !r->test(&j, &v)) continue;
        finding[found].severity = r->severity;
        fill_in(r->sentence, &v, finding[found].text, sizeof finding[found].text);
        fill_in(r->advice, &v, finding[found].advice, sizeof finding[found].advice);
        reported = true;
        found++;
    }
    return found;
}

/* -- Of draws: tests ---------------------------------------------------------------------------------------------- */

#define RHAT_MOST      1.01
#define LOST_NOTE      0.001 /* the unit in the last place of lp__: see rounding() */
#define LOST_PROBLEM   0.01
#define WEIGHT_MATTERS 0.05 /* an error of a weight */
enum { ROWS_LEAST = 6, ESS_PER_CHAIN = 100, CROSSINGS_PER_MODE = 10, NAMED_MOST = 6, RATIO_MOST = 1000 };

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

static bool too_few_rows(const judged *j, values *v) {
    set_count(v, "rows", j->facts->review->rows);
    set(v, "least", "%d", ROWS_LEAST);
    return j->facts->review->rows < ROWS_LEAST;
}

static bool undefined_values(const judged *j, values *v) {
    const review_facts *f = j->facts;
    if (f->undefined == 0) return false;
    set_count(v, "count", f->undefined);
    set_count(v, "parameters", f->review->parameters);
    set_count(v, "values", f->undefined_values);
    set(v, "first", "%.60s", f->review->names[f->first_undefined]);
    return true;
}

static bool undefined_density(const judged *j, values *v) {
    const review_facts *f = j->facts;
    set_count(v, "count", f->density_undefined);
    set_count(v, "rows", f->review->chains * f->review->rows);
    return f->density_undefined > 0;
}

static bool huge_values(const judged *j, values *v) {
    const review_facts *f = j->facts;
    if (f->huge == 0) return false;
    set_count(v, "count", f->huge);
    set_count(v, "parameters", f->review->parameters);
    set(v, "first", "%.60s", f->review->names[f->first_huge]);
    set(v, "value", "%.3g", f->hugest);
    return true;
}

static bool draws_at_a_bound(const judged *j, values *v) {
    const review_facts *f = j->facts;
    if (f->edges == 0) return false;
    set(v, "first", "%.60s", f->review->names[f->first_edge]);
    set(v, "value", "%.17g", f->edge);
    set_count(v, "times", f->edge_rows);
    if (f->edges > 1)
        set(v, "more", " (%zu such ends)", f->edges);
    else
        set(v, "more", "%s", "");
    return true;
}

static bool chains_never_moved(const judged *j, values *v) {
    const ckam_review *r = j->facts->review;
    char               names[64];
    if (r->rows < 2 || r->parameters == 0) return false;
    const size_t count = name_chains(j->facts, never_moved, 0, names, sizeof names);
    set_count(v, "count", count);
    set_count(v, "chains", r->chains);
    set(v, "names", "%s", names);
    return count > 0;
}

static bool stuck_chain(const judged *j, values *v) {
    const stuck_stretch *s = &j->facts->stuck;
    set_count(v, "chain", s->chain + 1);
    set_count(v, "length", s->length);
    set_count(v, "row", s->row + 1);
    set(v, "accepted", "%.2g", s->accepted);
    return s->length > 0;
}

/* Two values of the log density differ by what is left after rounding. Each term of a sum is rounded too, so that 100
 * terms can be off by 50 units in the last place: 0.05 with a unit of 0.001, which distorts the density by 5 %, and 0.5
 * with 0.01, which makes acceptance probabilities meaningless. */
static bool rounding(const judged *j, values *v) {
    const double median = j->facts->review->log_density.median, size = fabs(median);
    const double unit = nextafter(size, HUGE_VAL) - size;
    set(v, "size", "%.2g", median);
    set(v, "unit", "%.2g", unit);
    return unit > LOST_NOTE && (unit > LOST_PROBLEM) == (j->severity == CKAM_PROBLEM);
}

static bool few_crossings(const judged *j, values *v) {
    const ckam_review *r = j->facts->review;
    if (r->modes < 2) return false;
    set_count(v, "modes", r->modes);
    set_count(v, "crossings", r->crossings);
    set_count(v, "wanted", CROSSINGS_PER_MODE * (r->modes - 1));
    return r->crossings < CROSSINGS_PER_MODE * (uint64_t)(r->modes - 1);
}

/* Chains are in different modes: lists which is where, as far as there is room. */
static bool no_crossing(const judged *j, values *v) {
    const ckam_review *r = j->facts->review;
    char               where[VALUE_TEXT] = "", names[64];
    size_t             used = 0, mode = 0;
    if (!few_crossings(j, v) || r->crossings > 0 || r->chains < 2) return false;
    for (; mode < r->modes && used + 60 < sizeof where; mode++) {
        size_t count = name_chains(j->facts, visits, mode, names, sizeof names);
        used += (size_t)snprintf(where + used, sizeof where - used, "%schain%s %s in mode %zu", mode ? ", " : "",
                                 count == 1 ? "" : "s", names, mode + 1);
    }
    set(v, "where", "%s", where);
    set(v, "more", "%s", mode < r->modes ? ", ..." : "");
    return true;
}

/* Sets the values that the rules on single modes share: the first of them, and how many of all modes they are. */
static void set_mode(const judged *j, size_t mode, size_t count, values *v) {
    const ckam_mode *m = j->facts->review->mode + mode;
    set_count(v, "mode", mode + 1);
    set(v, "weight", "%.3g", m->weight);
    set(v, "mcse", "%.2g", m->mcse);
    set_count(v, "arrivals", m->arrivals);
    set_count(v, "count", count);
    set_count(v, "modes", j->facts->review->modes);
}

static bool modes_of_one_chain(const judged *j, values *v) {
    const ckam_review *r = j->facts->review;
    char               name[64];
    size_t             count = 0, first = 0;
    if (r->chains < 2 || r->crossings == 0) return false;
    for (size_t mode = r->modes; mode-- > 0;)
        if (name_chains(j->facts, visits, mode, name, sizeof name) == 1) {
            count++;
            first = mode;
        }
    if (count == 0) return false;
    name_chains(j->facts, visits, first, name, sizeof name);
    set_mode(j, first, count, v);
    set(v, "chain", "%s", name);
    return true;
}

static bool late_modes(const judged *j, values *v) {
    const mode_doubts *d = &j->facts->doubts;
    if (d->late == 0) return false;
    set_mode(j, d->first_late, d->late, v);
    set(v, "absent", "%.3g", 100.0 * d->absent);
    set(v, "warmup", "%.0f", ceil(2.0 * d->absent * (double)j->facts->shape->shortest));
    return true;
}

/* Where crossings are few, that is what explains it. */
static bool uneven_weights(const judged *j, values *v) {
    const mode_doubts *d = &j->facts->doubts;
    values             unused = {.count = 0};
    if (d->uneven == 0 || few_crossings(j, &unused)) return false;
    set_mode(j, d->first_uneven, d->uneven, v);
    set(v, "least", "%.3g", d->least);
    set(v, "most", "%.3g", d->most);
    return true;
}

/* Modes that were entered seldom, where there are enough crossings in all: a problem for those whose weight has an error so
 * large that it matters. */
static bool seldom_entered(const judged *j, values *v) {
    const ckam_review *r = j->facts->review;
    values             unused = {.count = 0};
    size_t             count = 0, first = 0;
    if (few_crossings(j, &unused)) return false;
    for (size_t mode = r->modes; mode-- > 0 && r->modes > 1;)
        if (r->mode[mode].arrivals < CROSSINGS_PER_MODE &&
            (r->mode[mode].mcse > WEIGHT_MATTERS) == (j->severity == CKAM_PROBLEM)) {
            count++;
            first = mode;
        }
    if (count == 0) return false;
    set_mode(j, first, count, v);
    set(v, "least", "%d", CROSSINGS_PER_MODE);
    return true;
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

static bool high_rhat(const judged *j, values *v) {
    const ckam_review *r = j->facts->review;
    const offenders    o = find_offenders(r, rhat_of, RHAT_MOST);
    char               names[64];
    if (!o.worst) return false;
    set(v, "limit", "%.2f", RHAT_MOST);
    set(v, "names", "%s", name_offenders(&o, r, names));
    set(v, "worst", "%.60s", o.name);
    set(v, "rhat", "%.*g", o.worst->rhat < RHAT_MOST + 0.0005 ? 7 : 4, o.worst->rhat);
    set(v, "reason", "%s",
        o.worst == &r->log_density ? "the chains, or their halves, visit tails or regions of the density differently"
        : r->chains > 1            ? "the chains do not agree"
                                   : "the halves of the chain do not agree");
    return true;
}

static bool high_rhat_with_modes(const judged *j, values *v) { return j->facts->review->modes > 1 && high_rhat(j, v); }

static double least_ess(const ckam_summary *s) { return fmin(s->ess_bulk, s->ess_tail); /* of a NaN, the other */ }
static double lack_of_ess(const ckam_summary *s) { return -least_ess(s); }

/* How many times as many draws are wanted; 0 where there are enough. */
static double lack_ratio(const ckam_review *r, const offenders *o) {
    return o->worst ? (double)ESS_PER_CHAIN * (double)r->chains / least_ess(o->worst) : 0.0;
}

static offenders find_low_ess(const ckam_review *r) {
    return find_offenders(r, lack_of_ess, -(double)ESS_PER_CHAIN * (double)r->chains);
}

static bool low_ess(const judged *j, values *v) {
    const ckam_review *r = j->facts->review;
    const offenders    o = find_low_ess(r);
    char               names[64];
    if (!o.worst) return false;
    const double ess = least_ess(o.worst), ratio = lack_ratio(r, &o), draws = ratio * (double)j->facts->shape->shortest;
    const double digit = pow(10.0, floor(log10(draws)) - 1.0);
    set(v, "least", "%d", ESS_PER_CHAIN);
    set(v, "wanted", "%.0f", (double)ESS_PER_CHAIN * (double)r->chains);
    set(v, "names", "%s", name_offenders(&o, r, names));
    set(v, "worst", "%.60s", o.name);
    set(v, "ess", "%.0f", ess);
    set(v, "kind", "%s", o.worst->ess_bulk <= ess ? "bulk" : "tail");
    set_count(v, "rows", r->chains * r->rows);
    set(v, "ratio", "%.2g", ratio);
    set(v, "draws", "%.0f", ceil(draws / digit) * digit);
    return true;
}

static bool low_ess_within_reach(const judged *j, values *v) {
    const offenders o = find_low_ess(j->facts->review);
    return lack_ratio(j->facts->review, &o) <= RATIO_MOST && low_ess(j, v);
}

static bool one_chain(const judged *j, values *v) {
    (void)v;
    return j->facts->review->chains <= 1;
}

static bool constant_parameters(const judged *j, values *v) {
    const review_facts *f = j->facts;
    if (f->constant == 0 || f->review->rows * f->review->chains < 2) return false;
    set_count(v, "count", f->constant);
    set_count(v, "parameters", f->review->parameters);
    set(v, "first", "%.60s", f->review->names[f->first_constant]);
    return true;
}

static bool constant_density(const judged *j, values *v) {
    (void)v;
    return j->facts->density_constant && j->facts->constant != j->facts->review->parameters;
}

static bool different_lengths(const judged *j, values *v) {
    const ckam_draws_shape *s = j->facts->shape;
    set_count(v, "shortest", s->shortest);
    set_count(v, "longest", s->longest);
    return s->shortest != s->longest;
}

static bool thinned(const judged *j, values *v) {
    const ckam_draws_shape *s = j->facts->shape;
    set_count(v, "stride", s->stride);
    set_count(v, "rows", s->rows);
    set_count(v, "shortest", s->shortest);
    return s->stride > 1;
}

static bool modes_not_searched(const judged *j, values *v) {
    const ckam_review *r = j->facts->review;
    (void)v;
    return r->modes == 0 && r->rows >= ROWS_LEAST && j->facts->undefined == 0;
}

static bool many_modes(const judged *j, values *v) {
    set_count(v, "modes", j->facts->review->modes);
    return j->facts->review->modes >= CLUSTER_MOST;
}

/* -- Of draws: the table ------------------------------------------------------------------------------------------ */

static const rule draws_rules[] = {
    {"rows", CKAM_PROBLEM, too_few_rows,
     "Rows of a chain: {rows}. Effective sample sizes and standard errors need {least}.",
     "Draw more: --draws=1000 is a beginning, and aim at 100 effective draws per chain."},
    {"finite-values", CKAM_PROBLEM, undefined_values,
     "{count} of {parameters} parameters have values that are not finite ({values} in all; the first is "
     "{first}): their summaries are undefined, and modes are not searched.",
     "No chain of ckam visits such a point. Look at the program that wrote the rows: a run that stopped early, "
     "or a derived quantity that is undefined in places. Leave those rows or columns out."},
    {"finite-density", CKAM_PROBLEM, undefined_density,
     "lp__, the log density, is not finite in {count} of {rows} rows: a chain cannot be where the density is 0, "
     "infinite or not defined.",
     "No chain of ckam visits such a point. Look at the program that wrote the rows, and at the density there; "
     "leave those rows out."},
    {"huge-values", CKAM_PROBLEM, huge_values,
     "{count} of {parameters} parameters have draws beyond 1e150 (the first is {first}, with {value}): the "
     "density seems to have no finite integral.",
     "Check the density: in C, 1/2 is 0, and 0.5 is meant. Give the parameter a proper prior, or bounds on both "
     "sides."},
    {"bounds", CKAM_PROBLEM, draws_at_a_bound,
     "The chains came to {first} = {value} {times} times, the last number before a bound: the density beyond it "
     "is missing{more}.",
     "No floating-point number is closer to the bound. Use the distance from the bound as parameter, with the "
     "bound 0, or its logarithm, without a bound. If the density has no finite integral there, correct it."},
    {"never-moved", CKAM_PROBLEM, chains_never_moved,
     "{count} of {chains} chains never moved ({names}): all rows of such a chain are equal.",
     "The steps were too large there, or the start was bad: set a smaller step size (such as "
     "--sampler=gam:step-size=0.1), a longer warm-up (warmup=5000 after the same colon), or other starts "
     "(--init)."},
    {"stuck", CKAM_PROBLEM, stuck_chain,
     "Chain {chain} stood still for {length} rows, from row {row} on; elsewhere it moves in {accepted} of its "
     "rows. It was stuck where nearly every proposal is rejected: steps of this size seldom enter or leave that "
     "region.",
     "Look at the draws there (`ckam plot DIR trace`). The density is narrow there, as in the neck of a funnel: "
     "write it in other parameters (a non-centred form), or take smaller steps (step-size in --sampler) and more "
     "draws."},
    {"rounding", CKAM_PROBLEM, rounding,
     "lp__, the log density, is about {size}, where the next number is {unit} away: the differences that decide "
     "on proposals are lost in rounding.",
     "Subtract a constant from the log density, such as its value at the start, before its terms are added, and "
     "run again."},
    {"crossings", CKAM_PROBLEM, no_crossing,
     "The draws gather in {modes} modes, and no chain went from one to another: {where}{more}.",
     "The weights only reflect where the chains began. Draw with --sampler=jump, which searches for modes and "
     "jumps between them; with jump already, use a longer warm-up (--warmup=20000). If a longer run joins the "
     "modes, the chains were slow."},
    {"crossings", CKAM_PROBLEM, few_crossings,
     "The draws gather in {modes} modes, and the chains went from one to another only {crossings} times: neither "
     "the weights nor their errors can be trusted.",
     "Run until there are at least {wanted} crossings (--draws), or draw with --sampler=jump, which jumps "
     "between modes; with jump already, use a longer warm-up (--warmup=20000)."},
    {"one-chain-modes", CKAM_PROBLEM, modes_of_one_chain,
     "Mode {mode}, with {weight} of the weight, was visited by chain {chain} only; this holds for {count} of "
     "{modes} modes.",
     "The other chains missed it, and all of them may have missed further modes: run longer (--draws), or more "
     "chains from other starts (--chains, --init)."},
    {"late-modes", CKAM_PROBLEM, late_modes,
     "Mode {mode}, with {weight} of the weight, has no draw in the first {absent} % of any chain, and {arrivals} "
     "crossings into it after that: it was found late, and its weight is too small. This holds for {count} of "
     "{modes} modes.",
     "Earlier draws are from a part of the density. Run again with a longer warm-up (--warmup={warmup}), or "
     "resume until they are a small share (--draws). Other modes may not have been found at all."},
    {"uneven-weights", CKAM_PROBLEM, uneven_weights,
     "The weight of mode {mode}, {weight} +- {mcse}, ranges from {least} to {most} over the halves of the "
     "chains, more than chance explains: the error is too small. This holds for {count} of {modes} modes.",
     "The chains have not forgotten where they began, or the sampler is still adapting. Run longer (--draws, or "
     "`ckam resume` with it), or again with a longer warm-up (--warmup)."},
    {"seldom-entered", CKAM_PROBLEM, seldom_entered,
     "Mode {mode}, with {weight} +- {mcse} of the weight, was entered only {arrivals} times; {count} of {modes} "
     "modes were entered fewer than {least} times. Their weights are rough, and may be off by more than their "
     "errors say.",
     "Means and intervals over all modes depend on it. Draw more (--draws, or `ckam resume` with it)."},
    {"rhat", CKAM_PROBLEM, high_rhat_with_modes,
     "R-hat is above {limit} for {names}; the worst is {worst} with {rhat}: {reason}.",
     "The chains give the modes different weights. See the findings on modes first; means and intervals over all "
     "chains are not yet those of the density."},
    {"rhat", CKAM_PROBLEM, high_rhat, "R-hat is above {limit} for {names}; the worst is {worst} with {rhat}: {reason}.",
     "The chains mix too slowly or are in separate modes. Run longer (--draws, or --until=rhat=1.01), discard "
     "more of the beginning (warmup in --sampler), or try another sampler: `ckam list samplers`."},
    {"ess", CKAM_PROBLEM, low_ess_within_reach,
     "The effective sample size is below {least} per chain, {wanted} in all, for {names}; the worst is {worst} "
     "with {ess} ({kind}) of {rows} draws.",
     "About {ratio} times as many draws are needed: --draws={draws}, or `ckam resume` with it. A sampler that "
     "suits the density better may need fewer: `ckam list samplers`."},
    {"ess", CKAM_PROBLEM, low_ess,
     "The effective sample size is below {least} per chain, {wanted} in all, for {names}; the worst is {worst} "
     "with {ess} ({kind}) of {rows} draws.",
     "That needs {ratio} times as many draws: better try another sampler or other settings (--sampler, `ckam "
     "list samplers`), or other starts (--init)."},
    {"one-chain", CKAM_NOTE, one_chain,
     "There is one chain: R-hat compares its halves, and cannot show whether it missed a part of the density.",
     "Run several from different starts: --chains=4."},
    {"rounding", CKAM_NOTE, rounding,
     "lp__, the log density, is about {size}, where the next number is {unit} away: small differences are lost "
     "in rounding.",
     "Subtract a constant from the log density, such as its value at the start, before its terms are added, and "
     "run again."},
    {"constant-parameters", CKAM_NOTE, constant_parameters,
     "{count} of {parameters} parameters are constant (the first is {first}): they have no R-hat and no "
     "effective sample size.",
     "This is right if they are meant to be constant. If not, the density may not depend on them as it should, "
     "or be 0 off this value."},
    {"constant-density", CKAM_NOTE, constant_density,
     "lp__, the log density, is the same in all rows: the density is flat where the chains were.",
     "This is right if it is meant to be uniform. If not, it does not depend on the parameters: check it, and in "
     "C that no integer division makes it 0."},
    {"lengths", CKAM_NOTE, different_lengths,
     "The chains have from {shortest} to {longest} rows; only the first {shortest} of each are used.",
     "A run that was stopped leaves such chains: `ckam resume` makes them equally long. Or leave out the short "
     "chain."},
    {"thinned", CKAM_NOTE, thinned, "One row in {stride} was used for these numbers: {rows} of {shortest} per chain.",
     "That is enough to judge the run. Effective sample sizes are those of the rows used, so they are lower than "
     "those of all rows."},
    {"modes-not-searched", CKAM_NOTE, modes_not_searched, "Modes were not searched: there are too few distinct rows.",
     "Draw more (--draws); if most proposals are rejected, take smaller steps (step-size in --sampler)."},
    {"seldom-entered", CKAM_NOTE, seldom_entered,
     "Mode {mode}, with {weight} +- {mcse} of the weight, was entered only {arrivals} times; {count} of {modes} "
     "modes were entered fewer than {least} times. Their weights are rough, and may be off by more than their "
     "errors say.",
     "If these weights matter, draw more (--draws, or `ckam resume` with it)."},
    {"many-modes", CKAM_NOTE, many_modes,
     "There are {modes} modes, the most that are shown; further ones count as part of their neighbours.",
     "Read their weights as weights of regions. The search used a sample of at most 2000 rows."},
};

size_t findings_make(const review_facts *facts, ckam_finding *finding) {
    const judged j = {.facts = facts};
    return apply(draws_rules, sizeof draws_rules / sizeof *draws_rules, j, finding, FINDINGS_MOST);
}

/* -- Of the search for modes: tests ------------------------------------------------------------------------------- */

/* A share of draws in modes that were found late, or of the mass of a place that no draw has reached, is a problem from here on. */
#define SHARE 0.01
/* Above this dimension a search takes so many evaluations that a run has few of them: a wide bound alone is only a note. */
enum { MANY_DIMENSIONS = 100 };

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

void ckam_search_text(const ckam_search *s, char text[CKAM_SEARCH_TEXT]) {
    snprintf(text, CKAM_SEARCH_TEXT,
             "%" PRIu64 " independent searches ended in %" PRIu64
             " mode%s; a further search would find a new one with probability < %.2g %% (95 %%)",
             s->searches, s->modes, plural(s->modes), 100.0 * s->bound);
}

static bool late_search(const judged *j, values *v) {
    set(v, "share", "%.2g", 100.0 * j->search->late_share);
    return j->search->late_share >= SHARE;
}

static bool unvisited_mode(const judged *j, values *v) {
    set(v, "share", "%.2g", 100.0 * j->search->unvisited_share);
    return j->search->unvisited_share >= SHARE;
}

/* Two groups of chains search independently. What they have in common says how many modes neither has met. */
static bool missing_modes(const judged *j, values *v) {
    const ckam_search *s = j->search;
    if (s->unseen < 0.5) return false;
    set(v, "missing", "%.0f mode%s", ceil(s->unseen - 0.5), s->unseen < 1.5 ? "" : "s");
    set_count(v, "modes", s->modes);
    set_count(v, "once", s->once);
    set_count(v, "first", s->group[0]);
    set_count(v, "second", s->group[1]);
    set_count(v, "common", s->common);
    return true;
}

static bool missing_by_singletons(const judged *j, values *v) { return j->search->once > 1 && missing_modes(j, v); }

static bool not_saturated(const judged *j, values *v) {
    const ckam_search *s = j->search;
    const bool         quiet = j->dim >= MANY_DIMENSIONS && !s->once && s->unseen < 0.5 && !s->restarts;
    if (!(s->bound > j->allowed) || quiet != (j->severity == CKAM_NOTE)) return false;
    set_count(v, "searches", s->searches);
    set(v, "modes", "%" PRIu64 " mode%s", s->modes, plural(s->modes));
    set(v, "bound", "%.2g", 100.0 * s->bound);
    set(v, "allowed", "%.2g", 100.0 * j->allowed);
    if (s->once)
        set(v, "once", "; %" PRIu64 " mode%s found by one search only", s->once, s->once == 1 ? " was" : "s were");
    else
        set(v, "once", "%s", "");
    set(v, "wanted", "%.0f", ceil(3.0 / j->allowed) * (s->once ? 1.6 : 1.0));
    return true;
}

static bool saturated(const judged *j, values *v) {
    char text[CKAM_SEARCH_TEXT];
    ckam_search_text(j->search, text);
    set(v, "search", "%s", text);
    return j->search->bound <= j->allowed;
}

static bool restarted(const judged *j, values *v) {
    const ckam_search *s = j->search;
    set(v, "times", "%" PRIu64 " time%s", s->restarts, plural(s->restarts));
    set_count(v, "discarded", s->discarded);
    return s->restarts > 0;
}

/* -- Of the search for modes: the table --------------------------------------------------------------------------- */

static const rule search_rules[] = {
    {"late-modes", CKAM_PROBLEM, late_search,
     "Late modes: {share} % of the last draws are in modes that were found after the draws began, and the run "
     "ended before it could draw anew: the weights of all modes are wrong.",
     "Continue with a larger budget (`ckam resume` with --draws, --evals or --time-limit): the draws so far "
     "become warm-up."},
    {"unvisited-mode", CKAM_PROBLEM, unvisited_mode,
     "Unvisited mode: a search found a place that seems to carry {share} % of the mass, and the run ended before "
     "a draw reached it.",
     "Run longer (`ckam resume` with --draws): the chains will try to jump there."},
    {"missing-modes", CKAM_PROBLEM, missing_by_singletons,
     "Missing modes: the searches suggest {missing} more than the {modes} that are known. {once} of these were "
     "found by one search only.",
     "Search longer: more draws (--draws, or `ckam resume` with it), a longer warm-up (--warmup), or more "
     "chains."},
    {"missing-modes", CKAM_PROBLEM, missing_modes,
     "Missing modes: the searches suggest {missing} more than the {modes} that are known. Two groups of chains "
     "that search independently found {first} and {second} of them, {common} in common.",
     "Search longer: more draws (--draws, or `ckam resume` with it), a longer warm-up (--warmup), or more "
     "chains."},
    {"not-saturated", CKAM_PROBLEM, not_saturated,
     "Search not saturated: {searches} independent searches ended in {modes}; a further one may find a new mode "
     "with probability up to {bound} % (95 %), more than {allowed} %{once}.",
     "About {wanted} searches are needed: more draws (--draws, or `ckam resume` with it), a longer warm-up "
     "(--warmup) or more chains. Or allow more with --unseen, if further modes can be excluded for other "
     "reasons."},
    {"not-saturated", CKAM_NOTE, not_saturated,
     "Search not saturated: {searches} independent searches ended in {modes}; a further one may find a new mode "
     "with probability up to {bound} % (95 %), more than {allowed} %{once}.",
     "About {wanted} searches are needed: more draws (--draws, or `ckam resume` with it), a longer warm-up "
     "(--warmup) or more chains. Or allow more with --unseen, if further modes can be excluded for other "
     "reasons."},
    {"saturated", CKAM_NOTE, saturated, "search: {search}",
     "That is the probability for one more search like these. A mode whose basin such searches rarely enter may "
     "be missing, and may have any weight."},
    {"restarted", CKAM_NOTE, restarted,
     "A mode was found after the draws had begun, {times}: the {discarded} draws of each chain before it became "
     "warm-up.",
     "Nothing is wrong with the draws that are left. A longer warm-up (--warmup) finds modes sooner."},
};

size_t ckam_search_findings(const ckam_search *search, double allowed, size_t dim,
                            ckam_finding found[CKAM_SEARCH_FINDINGS]) {
    if (!search->searches) return 0;
    const double each = (double)search->evaluations / (double)search->searches;
    const judged j = {.search = search, .allowed = unseen_allowed(allowed, search->modes, dim, each), .dim = dim};
    return apply(search_rules, sizeof search_rules / sizeof *search_rules, j, found, CKAM_SEARCH_FINDINGS);
}
