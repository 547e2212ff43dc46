/* unseen.c - what a run says about modes that its searches may have missed. */
#include "ckam.h"

#include "base/unseen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* From this share on, of draws in modes that were found late, or of the mass of a place that no draw has reached, it is a problem. */
#define SHARE 0.01
/* Searches take so many evaluations from here on that a run has few of them: a wide bound is a note, if nothing speaks for more modes. */
enum { MANY_DIMENSIONS = 100 };

/* -- In words ----------------------------------------------------------------------------------------------------- */

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

void ckam_search_text(const ckam_search *s, char text[CKAM_SEARCH_TEXT]) {
    snprintf(text, CKAM_SEARCH_TEXT,
             "%" PRIu64 " independent searches ended in %" PRIu64
             " mode%s; a further search would find a new one with probability < %.2g %% (95 %%)",
             s->searches, s->modes, plural(s->modes), 100.0 * s->bound);
}

static ckam_finding *add(ckam_finding *found, size_t *count, ckam_severity severity) {
    ckam_finding *f = &found[(*count)++];
    *f = (ckam_finding){.severity = severity};
    return f;
}

static void add_late(const ckam_search *s, ckam_finding *found, size_t *count) {
    if (s->late_share < SHARE) return;
    ckam_finding *f = add(found, count, CKAM_PROBLEM);
    snprintf(f->text, sizeof f->text,
             "Late modes: %.2g %% of the last draws are in modes that were found after the draws began, and the run "
             "ended before it could "
             "draw anew: the weights of all modes are wrong.",
             100.0 * s->late_share);
    snprintf(f->advice, sizeof f->advice,
             "Go on with a larger budget (`ckam resume` with --draws, --evals or --time-limit): the draws so far "
             "become warm-up.");
}

static void add_unvisited(const ckam_search *s, ckam_finding *found, size_t *count) {
    if (s->unvisited_share < SHARE) return;
    ckam_finding *f = add(found, count, CKAM_PROBLEM);
    snprintf(f->text, sizeof f->text,
             "Unvisited mode: a search found a place that seems to carry %.2g %% of the mass, and the run ended before "
             "a draw reached it.",
             100.0 * s->unvisited_share);
    snprintf(f->advice, sizeof f->advice,
             "Run longer (`ckam resume` with --draws): the chains will try to jump there.");
}

/* Whether the modes that were met seldom, or by one group only, make it likely that there are others. */
static void add_missing(const ckam_search *s, ckam_finding *found, size_t *count) {
    if (s->unseen < 0.5) return;
    ckam_finding *f = add(found, count, CKAM_PROBLEM);
    int           used = snprintf(f->text, sizeof f->text,
                                  "Missing modes: the searches speak for %.0f mode%s more than the %" PRIu64 " that are known. ",
                                  ceil(s->unseen - 0.5), s->unseen < 1.5 ? "" : "s", s->modes);
    if (s->once > 1)
        snprintf(f->text + used, sizeof f->text - (size_t)used, "%" PRIu64 " of these were met by one search only.",
                 s->once);
    else
        snprintf(f->text + used, sizeof f->text - (size_t)used,
                 "Two groups of chains that search apart found %" PRIu64 " and %" PRIu64 " of them, %" PRIu64
                 " in common.",
                 s->group[0], s->group[1], s->common);
    snprintf(
        f->advice, sizeof f->advice,
        "Search longer: more draws (--draws, or `ckam resume` with it), a longer warm-up (--warmup), or more chains.");
}

/* A wide bound. */
static void add_unsaturated(const ckam_search *s, double allowed, size_t dim, ckam_finding *found, size_t *count) {
    if (!(s->bound > allowed)) return;
    bool          quiet = dim >= MANY_DIMENSIONS && !s->once && s->unseen < 0.5 && !s->restarts;
    ckam_finding *f = add(found, count, quiet ? CKAM_NOTE : CKAM_PROBLEM);
    int           used =
        snprintf(f->text, sizeof f->text,
                 "Search not saturated: %" PRIu64 " independent searches ended in %" PRIu64
                 " mode%s; a further one may find a new mode with probability up to %.2g %% (95 %%), more than %.2g %%",
                 s->searches, s->modes, plural(s->modes), 100.0 * s->bound, 100.0 * allowed);
    if (s->once)
        snprintf(f->text + used, sizeof f->text - (size_t)used, "; %" PRIu64 " mode%s met by one search only.", s->once,
                 s->once == 1 ? " was" : "s were");
    else
        snprintf(f->text + used, sizeof f->text - (size_t)used, ".");
    snprintf(f->advice, sizeof f->advice,
             "About %.0f searches would do: more draws (--draws, or `ckam resume` with it), a longer warm-up "
             "(--warmup) or more chains. Or "
             "allow more with --unseen, if other reasons exclude further modes.",
             ceil(3.0 / allowed) * (s->once ? 1.6 : 1.0));
}

/* What the number means, and what it does not. */
static void add_saturated(const ckam_search *s, double allowed, ckam_finding *found, size_t *count) {
    if (s->bound > allowed) return;
    ckam_finding *f = add(found, count, CKAM_NOTE);
    snprintf(f->text, sizeof f->text, "search: ");
    ckam_search_text(s, f->text + strlen(f->text));
    snprintf(f->advice, sizeof f->advice,
             "That is the chance of one more search like these. A mode whose basin they enter more rarely may be "
             "missing, and "
             "may carry any mass.");
}

static void add_restarts(const ckam_search *s, ckam_finding *found, size_t *count) {
    if (!s->restarts) return;
    ckam_finding *f = add(found, count, CKAM_NOTE);
    snprintf(f->text, sizeof f->text,
             "A mode was found after the draws had begun, %" PRIu64 " time%s: the %" PRIu64
             " draws of each chain before it became warm-up.",
             s->restarts, plural(s->restarts), s->discarded);
    snprintf(f->advice, sizeof f->advice,
             "Nothing is wrong with the draws that are left. A longer warm-up (--warmup) finds modes sooner.");
}

size_t ckam_search_findings(const ckam_search *search, double allowed, size_t dim,
                            ckam_finding found[CKAM_SEARCH_FINDINGS]) {
    size_t count = 0;
    if (!search->searches) return 0;
    allowed = unseen_allowed(allowed, search->modes, dim, (double)search->evaluations / (double)search->searches);
    add_late(search, found, &count);
    add_unvisited(search, found, &count);
    add_missing(search, found, &count);
    add_unsaturated(search, allowed, dim, found, &count);
    add_saturated(search, allowed, found, &count);
    add_restarts(search, found, &count);
    return count;
}
