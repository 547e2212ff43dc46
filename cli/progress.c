/* progress.c - how far a run is, on stderr: bars on a terminal, a line now and then, or JSON for a program. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAIN_EVERY 10.0 /* seconds */
#define JSON_EVERY  1.0
#define BAR_FROM    0.5 /* a run that is over before needs no bar */

static atomic_bool interrupted; /* a line was written below the bars */

/* From any thread, and also before there are bars. */
void progress_notice(void *unused, const char *sentence) {
    (void)unused;
    complain("", 0, "%s", sentence);
    atomic_store(&interrupted, true);
}

bool progress_terminal(void) {
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

void progress_begin(progress_display *display, const char *kind) {
    *display = (progress_display){.kind = progress_terminal() ? PROGRESS_BAR : PROGRESS_PLAIN};
    if (!strcmp(kind, "plain")) display->kind = PROGRESS_PLAIN;
    if (!strcmp(kind, "json")) display->kind = PROGRESS_JSON;
    if (!strcmp(kind, "none")) display->kind = PROGRESS_NONE;
    if (display->kind == PROGRESS_BAR) display->next = BAR_FROM;
    if (display->kind == PROGRESS_PLAIN) display->next = PLAIN_EVERY;
}

/* Once, above the bars. */
static void say_stopping(progress_display *display) {
    if (display->stopping || !signals_caught() || display->kind == PROGRESS_JSON) return;
    display->stopping = true;
    bar_erase(&display->bars);
    fprintf(stderr, "stopping after this iteration%s\n",
            signals_caught() == SIGINT ? "; Ctrl-C again ends at once" : "");
}

const char *progress_phase(ckam_phase phase) {
    static const char *const name[] = {"start", "scale", "explore", "sample"};
    return name[phase];
}

double progress_accept(const ckam_progress *p) {
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < p->chains; i++) {
        if (isnan(p->chain[i].accept)) continue;
        sum += p->chain[i].accept;
        count++;
    }
    return count ? sum / (double)count : (double)NAN;
}

uint64_t progress_modes(const ckam_progress *p) {
    uint64_t most = 0;
    for (size_t i = 0; i < p->chains; i++)
        if (p->chain[i].modes > most) most = p->chain[i].modes;
    return most;
}

static void show_plain(const ckam_progress *p) {
    char     rate[NUMBER], left[NUMBER], accept[NUMBER];
    uint64_t modes = progress_modes(p);
    number_with_error(progress_accept(p), 0.1, accept);
    number_short(p->draws_per_second, rate);
    number_time(p->remaining, left);
    if (!isnan(p->fraction)) fprintf(stderr, "%.0f %%, ", 100.0 * p->fraction);
    fprintf(stderr, "%s draws/s, acceptance %s", rate, accept);
    if (modes) fprintf(stderr, ", %" PRIu64 " mode%s", modes, text_plural(modes));
    if (p->search.searches)
        fprintf(stderr, ", %" PRIu64 " searches (new mode < %.2g %%)", p->search.searches, 100.0 * p->search.bound);
    if (!isnan(p->rhat)) fprintf(stderr, ", worst R-hat %.3f, least ESS %.0f", p->rhat, p->ess);
    if (!isnan(p->remaining)) fprintf(stderr, ", %s left", left);
    fputc('\n', stderr);
}

/* JSON has no NaN. */
static void json_number(const char *before, double x) {
    if (isfinite(x))
        fprintf(stderr, "%s%.9g", before, x);
    else
        fprintf(stderr, "%snull", before);
}

static void show_json(const ckam_progress *p) {
    json_number("{\"elapsed\":", p->elapsed);
    json_number(",\"fraction\":", p->fraction);
    json_number(",\"remaining\":", p->remaining);
    json_number(",\"draws_per_second\":", p->draws_per_second);
    json_number(",\"rhat\":", p->rhat);
    json_number(",\"ess\":", p->ess);
    if (p->search.searches) {
        fprintf(stderr, ",\"searches\":%" PRIu64 ",\"search_modes\":%" PRIu64 ",\"restarts\":%" PRIu64,
                p->search.searches, p->search.modes, p->search.restarts);
        json_number(",\"unseen_bound\":", p->search.bound);
    }
    fprintf(stderr, ",\"stopping\":%s,\"chains\":[", signals_caught() ? "true" : "false");
    for (size_t i = 0; i < p->chains; i++) {
        const ckam_chain_progress *c = p->chain + i;
        fprintf(stderr, "%s{\"draws\":%" PRIu64 ",\"evaluations\":%" PRIu64 ",\"cycle\":%" PRIu64 ",\"modes\":%" PRIu64,
                i ? "," : "", c->draws, c->evaluations, c->cycle, c->modes);
        json_number(",\"accept\":", c->accept);
        json_number(",\"step_size\":", c->step_size);
        fprintf(stderr, ",\"phase\":\"%s\",\"done\":%s}", progress_phase(c->phase), c->done ? "true" : "false");
    }
    fprintf(stderr, "]}\n");
}

void progress_watch(void *context, const ckam_progress *p) {
    progress_display *display = context;
    display->elapsed = p->elapsed;
    if (atomic_exchange(&interrupted, false)) display->bars.lines = 0; /* the next ones are drawn below it */
    say_stopping(display);
    if (p->writing && display->kind == PROGRESS_PLAIN && (display->stopping || p->elapsed > PLAIN_EVERY))
        fprintf(stderr, "writing the files, and looking at the draws\n");
    if (p->elapsed < display->next || display->kind == PROGRESS_NONE) return;
    if (display->kind == PROGRESS_BAR) bar_draw(&display->bars, p);
    if (display->kind == PROGRESS_PLAIN) show_plain(p);
    if (display->kind == PROGRESS_JSON) show_json(p);
    if (display->kind == PROGRESS_PLAIN) display->next = PLAIN_EVERY * (1.0 + floor(p->elapsed / PLAIN_EVERY));
    if (display->kind == PROGRESS_JSON) display->next = p->elapsed + JSON_EVERY;
}

void progress_end(progress_display *display) {
    if (display->kind == PROGRESS_BAR) bar_erase(&display->bars);
}
