/* bar.c - bars on a terminal, one a chain, drawn in place.
 *
 * Between two drawings the cursor is below the block, so that whatever ends the program leaves a clean terminal. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Columns after the bar, in this order; on a narrow terminal the least important is left out first. */
enum { RATE, ACCEPT, STEP, PHASE, LEFT, FIELDS };
static const struct {
    const char *title;
    size_t      width;
    int         importance;
} field[FIELDS] = {[RATE] = {"draws/s", 7, 3},
                   [ACCEPT] = {"accept", 6, 2},
                   [STEP] = {"step", 7, 0},
                   [PHASE] = {"phase", 13, 1},
                   [LEFT] = {"left", 8, 4}};
enum { LABEL = 12, FRAME = 1, GAP = 2, BAR_LEAST = 8, BAR_MOST = 30, ROOM = 16384 };

typedef struct row {
    char   label[NUMBER], cell[FIELDS][NUMBER];
    double fraction;
} row;

typedef struct canvas {
    bars  *bars;
    size_t width, bar_width, used;
    bool   shown[FIELDS];
    char   text[ROOM];
} canvas;

static void add(canvas *c, const char *text) {
    size_t length = strlen(text);
    if (c->used + length >= sizeof c->text) return;
    memcpy(c->text + c->used, text, length + 1);
    c->used += length;
}

/* As many fields as leave room for a bar. */
static void choose_fields(canvas *c) {
    size_t used = LABEL + BAR_LEAST + FRAME;
    for (int importance = FIELDS - 1; importance >= 0; importance--)
        for (int i = 0; i < FIELDS; i++) {
            if (field[i].importance != importance) continue;
            c->shown[i] = used + GAP + field[i].width < c->width;
            if (!c->shown[i]) importance = 0; /* nor what is less important */
            if (c->shown[i]) used += GAP + field[i].width;
        }
    c->bar_width = c->width > used ? BAR_LEAST + c->width - 1 - used : BAR_LEAST;
    if (c->bar_width > BAR_MOST) c->bar_width = BAR_MOST;
}

/* Ends a line of the block, and remembers how wide it is. */
static void end_line(canvas *c, size_t begin) {
    if (c->bars->lines < BAR_LINES) c->bars->columns[c->bars->lines++] = text_columns(c->text + begin);
    add(c, "\033[K\n");
}

static void add_bar(canvas *c, double fraction) {
    static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    bool                     utf8 = text_utf8();
    double                   cells = fraction > 0.0 ? fmin(fraction, 1.0) * (double)c->bar_width : 0.0;
    size_t                   full = (size_t)cells, eighths = utf8 ? (size_t)(8.0 * (cells - (double)full)) : 0;
    for (size_t i = 0; i < full; i++) add(c, utf8 ? "█" : "#");
    add(c, eighth[eighths]);
    for (size_t i = full + (eighths > 0); i < c->bar_width; i++) add(c, utf8 ? " " : ".");
    add(c, utf8 ? "▏" : " ");
}

static void add_row(canvas *c, const row *r) {
    size_t begin = c->used;
    char   text[2 * NUMBER];
    snprintf(text, sizeof text, "%5s ", r->label);
    add(c, text);
    if (isnan(r->fraction))
        add(c, "     ");
    else {
        snprintf(text, sizeof text, "%3.0f %%", floor(100.0 * r->fraction));
        add(c, text);
    }
    add(c, " ");
    add_bar(c, r->fraction);
    for (int i = 0; i < FIELDS; i++) {
        if (!c->shown[i]) continue;
        snprintf(text, sizeof text, i == PHASE ? "  %-*s" : "  %*s", (int)field[i].width, r->cell[i]);
        add(c, text);
    }
    end_line(c, begin);
}

static void add_title(canvas *c) {
    size_t begin = c->used;
    char   text[2 * NUMBER];
    snprintf(text, sizeof text, "%-*s", (int)(LABEL + c->bar_width + FRAME), "chain   done");
    add(c, text);
    for (int i = 0; i < FIELDS; i++) {
        if (!c->shown[i]) continue;
        snprintf(text, sizeof text, i == PHASE ? "  %-*s" : "  %*s", (int)field[i].width, field[i].title);
        add(c, text);
    }
    end_line(c, begin);
}

/* The run's fraction is that of the mean chain; a chain that has done more evaluations is further. */
static double chain_fraction(const ckam_progress *p, size_t i) {
    double all = 0.0;
    if (p->chain[i].done) return 1.0;
    for (size_t k = 0; k < p->chains; k++) all += (double)p->chain[k].evaluations;
    if (all == 0.0) return p->fraction;
    return fmin(p->fraction * (double)p->chain[i].evaluations * (double)p->chains / all, 1.0);
}

/* The speed of a chain is measured from when it is first seen to advance: before that it waits for a thread. */
static void follow_chain(bars *b, const ckam_progress *p, size_t i) {
    const ckam_chain_progress *now = p->chain + i;
    double                     fraction = chain_fraction(p, i);
    if (!b->chain[i].going) {
        bool moved = b->chain[i].seen && now->evaluations > b->chain[i].evaluations;
        b->chain[i].seen = true;
        b->chain[i].going = moved;
        b->chain[i].time = p->elapsed;
        b->chain[i].fraction = fraction;
        b->chain[i].evaluations = now->evaluations;
        b->chain[i].draws = now->draws;
        b->chain[i].rate = b->chain[i].left = (double)NAN;
        return;
    }
    double time = p->elapsed - b->chain[i].time, done = fraction - b->chain[i].fraction;
    if (now->done || time < 0.25) return;
    b->chain[i].rate = (double)(now->draws - b->chain[i].draws) / time;
    b->chain[i].left = done > 0.0 ? time * (1.0 - fraction) / done : (double)NAN;
}

static void write_phase(const ckam_chain_progress *chain, char *text) {
    const bool  warms = chain->phase == CKAM_PHASE_SAMPLE && !chain->cycle && !chain->draws;
    const char *name = warms ? "warm-up" : progress_phase(chain->phase);
    if (chain->done)
        snprintf(text, NUMBER, "done");
    else if (chain->cycle || chain->phase == CKAM_PHASE_EXPLORE)
        snprintf(text, NUMBER, "%s %llu", name, (unsigned long long)chain->cycle + 1);
    else
        snprintf(text, NUMBER, "%s", chain->evaluations ? name : "waits");
}

static void chain_row(const bars *b, const ckam_progress *p, size_t i, row *r) {
    const ckam_chain_progress *chain = p->chain + i;
    snprintf(r->label, NUMBER, "%zu", i + 1);
    r->fraction = chain_fraction(p, i);
    number_short(b->chain[i].rate, r->cell[RATE]);
    number_with_error(chain->accept, 0.01, r->cell[ACCEPT]);
    snprintf(r->cell[STEP], NUMBER, "%.3g", chain->step_size);
    write_phase(chain, r->cell[PHASE]);
    number_time(chain->done ? 0.0 : b->chain[i].left, r->cell[LEFT]);
}

static void row_of_all(const ckam_progress *p, row *r) {
    double step = 0.0;
    size_t done = 0, going = 0;
    for (size_t i = 0; i < p->chains; i++) {
        if (p->chain[i].step_size > 0.0) {
            step += p->chain[i].step_size;
            going++;
        }
        done += p->chain[i].done;
    }
    snprintf(r->label, NUMBER, "all");
    r->fraction = p->fraction;
    number_short(p->draws_per_second, r->cell[RATE]);
    number_with_error(progress_accept(p), 0.01, r->cell[ACCEPT]);
    snprintf(r->cell[STEP], NUMBER, "%.3g", going ? step / (double)going : 0.0);
    snprintf(r->cell[PHASE], NUMBER, "%zu/%zu done", done, p->chains);
    number_time(p->remaining, r->cell[LEFT]);
}

/* A line of words, cut to the width. */
static void add_line(canvas *c, char *text) {
    size_t begin = c->used;
    if (strlen(text) >= c->width) text[c->width - 1] = 0;
    add(c, text);
    end_line(c, begin);
}

/* R-hat, ESS and modes of the whole run, as far as they fit. */
static void add_findings(canvas *c, const ckam_progress *p) {
    char     text[4 * NUMBER] = "", modes[NUMBER];
    uint64_t count = progress_modes(p);
    if (p->elapsed > 3.0 && !isnan(p->rhat) && !isnan(p->ess))
        snprintf(text, sizeof text, "worst R-hat %.3f, least ESS %.0f", p->rhat, p->ess);
    size_t used = strlen(text);
    snprintf(modes, sizeof modes, "%s%" PRIu64 " mode%s", used ? ", " : "", count, text_plural(count));
    if (count && used + strlen(modes) < c->width) snprintf(text + used, sizeof text - used, "%s", modes);
    if (*text) add_line(c, text);
}

/* Back to the first line of the block. A terminal that has become narrower has broken lines. */
static void rewind_block(bars *b, canvas *c) {
    size_t up = 0;
    char   text[NUMBER];
    for (size_t i = 0; i < b->lines; i++) up += b->columns[i] ? (b->columns[i] + c->width - 1) / c->width : 1;
    if (up) {
        snprintf(text, sizeof text, "\r\033[%zuA", up);
        add(c, text);
    }
    b->lines = 0;
}

static void put(canvas *c) {
    add(c, "\033[J");
    (void)fwrite(c->text, 1, c->used, stderr);
    (void)fflush(stderr);
}

void bar_draw(bars *b, const ckam_progress *p) {
    canvas         c = {.bars = b, .width = text_width(stderr)};
    struct winsize size = {0};
    row            r;
    rewind_block(b, &c);
    choose_fields(&c);
    bool high = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_row || p->chains + 3 < size.ws_row;
    bool one_each = p->chains <= BAR_CHAINS && high;
    add_title(&c);
    for (size_t i = 0; i < p->chains && i < BAR_CHAINS; i++) follow_chain(b, p, i);
    for (size_t i = 0; one_each && i < p->chains; i++) {
        chain_row(b, p, i, &r);
        add_row(&c, &r);
    }
    if (!one_each) {
        row_of_all(p, &r);
        add_row(&c, &r);
    }
    add_findings(&c, p);
    if (p->writing) add_line(&c, (char[]){"writing the files, and looking at the draws"});
    put(&c);
}

void bar_erase(bars *b) {
    canvas c = {.bars = b, .width = text_width(stderr)};
    if (!b->lines) return;
    rewind_block(b, &c);
    put(&c);
}
