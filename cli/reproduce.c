/* reproduce.c - `ckam reproduce`: the experiments of the paper, or a user's own of the same form. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const papers[] = {"bimodal", "mixture5", "grid32"};
enum { PAPERS = 3, PATH = 4400, OUT_MOST = 100000 };

#define LINE_EVERY 10.0 /* seconds, where there is no terminal */

static const ckam_option own_options[] = {
    {.name = "budget",
     .help = "for each chain: evals=N, or seconds=S of sampling (default: what the experiment says)",
     .type = CKAM_TEXT},
    {.name = "seeds",
     .help = "chains of each run: seeds 1, 2, ... (default, and most for long runs: what the experiment says)",
     .type = CKAM_COUNT,
     .low = 1,
     .high = 10000},
    {.name = "threads",
     .help = "chains at a time (default: one a processor)",
     .type = CKAM_COUNT,
     .low = 1,
     .high = 10000},
    {.name = "out", .help = "directory to make (default: ckam-reproduce-NAME-N)", .type = CKAM_TEXT},
    {.name = NULL}};
static const flag_group groups[] = {{.options = own_options}, {.options = NULL}};

/* -- What was asked for ------------------------------------------------------------------------------------------- */

static bool read_count(const request *r, const char *name, double most, double *count) {
    const char *text = request_value(r, name);
    char       *end;
    *count = 0.0;
    if (!text) return true;
    *count = strtod(text, &end);
    if (end != text && !*end && *count >= 1.0 && *count <= most && *count == floor(*count)) return true;
    complain(r->command, EX_USAGE, "--%s is '%s'; a whole number from 1 to %.0f is wanted", name, text, most);
    return false;
}

static bool read_budget(const request *r, ckam_experiment_setup *setup) {
    const char *text = request_value(r, "budget");
    char       *end = NULL;
    if (!text) return true;
    bool   evals = !strncmp(text, "evals=", 6), seconds = !strncmp(text, "seconds=", 8);
    double number = evals || seconds ? strtod(strchr(text, '=') + 1, &end) : 0.0;
    bool   whole = end && *end == 0 && number <= 1e15;
    if (evals && whole && number >= 1.0 && number == floor(number)) {
        setup->evals = (uint64_t)number;
        return true;
    }
    if (seconds && whole && number > 0.0) {
        setup->seconds = number;
        return true;
    }
    complain(r->command, EX_USAGE, "--budget is '%s'; evals=100000 or seconds=2.5 is wanted", text);
    return false;
}

static bool is_experiment(const char *directory) {
    char path[PATH + 32];
    return (size_t)snprintf(path, sizeof path, "%s/experiment.json", directory) < sizeof path && !access(path, F_OK);
}

/* One of ours: in the share of the installed command, or beside the one that was built, wherever that is. */
static bool find_ours(const char *word, char path[PATH]) {
    static const char *const places[] = {"../share/ckam/experiments", "experiments"};
    char                     self[PATH];
    ssize_t                  length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (strchr(word, '/') || length < 0) return false;
    self[length] = 0;
    if (strrchr(self, '/')) *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if ((size_t)snprintf(path, PATH, "%s/%s/%s", self, places[i], word) < PATH && is_experiment(path)) return true;
    return false;
}

static bool is_same(const char *one, const char *other) {
    struct stat a, b;
    return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int refuse(const request *r, const char *word) {
    const char *const list[] = {papers[0], papers[1], papers[2], "all", NULL};
    const char       *near = ckam_nearest_name(list, sizeof *list, word);
    if (near && !strcmp(near, word))
        return complain(
            r->command, EX_NOINPUT,
            "the experiments of the paper are not where they belong, in ../share/ckam/experiments beside the "
            "command; install ckam anew, or give the directory of '%s'",
            word);
    if (near) return complain(r->command, EX_USAGE, "there is no experiment '%s'; did you mean '%s'?", word, near);
    return complain(
        r->command, EX_NOINPUT,
        "there is no experiment '%s': bimodal, mixture5, grid32, all, or a directory with an experiment.json", word);
}

/* One of ours by its name, or any by its path. A user's own of the same name is not passed over silently. */
static int find_experiment(const request *r, const char *word, char path[PATH]) {
    bool ours = find_ours(word, path), here = is_experiment(word);
    if (ours && here && !is_same(word, path))
        return complain(r->command, EX_USAGE, "there are two: ./%s for the one here, or %s", word, path);
    if (!ours) snprintf(path, PATH, "%s", word);
    return ours || here ? EX_OK : refuse(r, word);
}

/* The first ckam-reproduce-NAME-N that is free. */
static void choose_out(const char *path, char out[PATH]) {
    size_t end = strlen(path), begin;
    while (end > 1 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--) {
    }
    bool named = path[begin] != '.';
    for (int n = 1; n < OUT_MOST; n++) {
        snprintf(out, PATH, "ckam-reproduce-%.*s%s%d", named ? (int)(end - begin) : 0, path + begin, named ? "-" : "",
                 n);
        if (access(out, F_OK)) return;
    }
}

/* -- Progress ----------------------------------------------------------------------------------------------------- */

typedef struct display {
    bool   terminal;
    double next; /* seconds: when to show again */
} display;

static void show(void *context, const ckam_experiment_progress *p) {
    display *d = context;
    char     left[NUMBER], line[512];
    if (p->elapsed < d->next) return;
    number_time(p->remaining, left);
    snprintf(line, sizeof line, "%3.0f %%, %zu of %zu chains, %s left; %s", floor(100.0 * p->fraction), p->done,
             p->chains, left, p->now);
    if (!d->terminal) {
        fprintf(stderr, "%s\n", line);
        d->next = p->elapsed + LINE_EVERY;
        return;
    }
    size_t width = text_width(stderr);
    if (strlen(line) >= width) line[width - 1] = 0;
    fprintf(stderr, "\r\033[K%s", line);
    (void)fflush(stderr);
}

static void show_end(const display *d) {
    if (d->terminal) fprintf(stderr, "\r\033[K");
}

/* -- The command -------------------------------------------------------------------------------------------------- */

static void stop_experiment(void *experiment) { ckam_experiment_stop(experiment); }

static int carry_out_experiment(const request *r, ckam_experiment *experiment, const char *out) {
    ckam_error error;
    display    d = {.terminal = progress_terminal()};
    signals_begin(&(interruption){.stop = stop_experiment, .object = experiment, .farewell = "\nended at once\n"});
    ckam_status status = ckam_experiment_go(experiment, show, &d, &error);
    int         caught = signals_end();
    show_end(&d);
    if (status < 0) {
        (void)rmdir(out); /* if it holds nothing */
        return complain_error(r->command, &error);
    }
    const char *table = ckam_experiment_table(experiment);
    if (!*table) {
        (void)rmdir(out); /* which holds nothing */
        return complain(r->command, signals_status(caught), "stopped before a chain had ended");
    }
    if (caught) fprintf(stderr, "stopped: what follows is that of the chains that had ended\n");
    printf("%s\nwritten to %s: results.csv, summary.csv, figures, and the page\n%s/index.html\n", table + 1, out, out);
    return caught ? signals_status(caught) : EX_OK;
}

static int reproduce(const request *r) {
    char                  path[PAPERS][PATH], out[PATH];
    const char           *list[PAPERS] = {path[0], path[1], path[2]};
    ckam_experiment_setup setup = {0};
    ckam_experiment      *experiment;
    ckam_error            error;
    double                seeds, threads;
    if (r->words != 1)
        return complain(r->command, EX_USAGE,
                        r->words ? "one experiment at a time: '%s' and '%s' are two"
                                 : "which experiment? bimodal, mixture5, grid32, all, or a directory",
                        r->words ? r->word[0] : "", r->words ? r->word[1] : "");
    bool        all = !strcmp(r->word[0], "all");
    const char *given = request_value(r, "out");
    if (!read_count(r, "seeds", 10000, &seeds) || !read_count(r, "threads", 10000, &threads) || !read_budget(r, &setup))
        return EX_USAGE;
    setup.seeds = (uint64_t)seeds;
    setup.threads = (size_t)threads;
    if (given && !*given) return complain(r->command, EX_USAGE, "--out is empty; name a directory");
    for (size_t i = 0; i < (all ? PAPERS : 1); i++) {
        int status = find_experiment(r, all ? papers[i] : r->word[0], path[i]);
        if (status) return status;
    }
    if (given)
        snprintf(out, sizeof out, "%s", given);
    else
        choose_out(r->word[0], out);
    if (ckam_experiment_create(&experiment, list, all ? PAPERS : 1, &setup, out, &error))
        return complain_error(r->command, &error);
    int status = carry_out_experiment(r, experiment, out);
    ckam_experiment_free(experiment);
    return status;
}

int command_reproduce(int count, char **arguments) {
    static const command_line line = {
        .command = "reproduce",
        .arguments = "bimodal|mixture5|grid32|all|DIR",
        .about =
            "Carries out an experiment of the paper 'Cyclical Kernel Adaptive Metropolis', or one of your own: every "
            "sampler with several seeds, followed by how near it comes to the truth. Writes tables, figures as PDF and "
            "SVG, and a page.\v"
            "An experiment is a directory with an experiment.json and run files, which `ckam sample --config` takes "
            "too. Copy one, change it, and give its path.",
        .groups = groups};
    request r;
    int     status;
    if (request_read(&r, &line, count, arguments, &status)) status = reproduce(&r);
    request_free(&r);
    return status;
}
