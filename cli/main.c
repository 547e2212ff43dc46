/* main.c - the ckam command: finds the command and runs it; `ckam help`. */
#include "cli.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int help(const request *r) {
    if (!r->words) {
        commands_print(stdout);
        return EX_OK;
    }
    const char          *name = r->word[0];
    const command_entry *found = command_find(name);
    const ckam_entry    *sampler = entry_find(ckam_sampler_list(), name), *model = entry_find(ckam_model_list(), name);
    if (r->words > 1) return complain(r->command, EX_USAGE, "one at a time: '%s' is too much", r->word[1]);
    if (found) {
        char flag[] = "--help", *arguments[] = {flag, flag, NULL};
        return found->run(2, arguments);
    }
    if (sampler || model) {
        describe_entry(sampler ? sampler : model, sampler);
        return EX_OK;
    }
    const char *near = ckam_nearest_name(commands, sizeof *commands, name);
    if (!near) near = ckam_nearest_name(ckam_sampler_list(), sizeof *sampler, name);
    if (!near) near = ckam_nearest_name(ckam_model_list(), sizeof *model, name);
    if (near)
        return complain(r->command, EX_USAGE, "there is no command, sampler or model '%s'; did you mean '%s'?", name,
                        near);
    return complain(r->command, EX_USAGE, "there is no command, sampler or model '%s'; `ckam list` shows them", name);
}

int command_help(int count, char **arguments) {
    static const command_line line = {
        .command = "help",
        .arguments = "[COMMAND|SAMPLER|MODEL]",
        .about = "Shows the commands, or what a command takes, or the options of a sampler or model with their ranges "
                 "and defaults.",
    };
    request r;
    int     status;
    if (request_read(&r, &line, count, arguments, &status)) status = help(&r);
    request_free(&r);
    return status;
}

const command_entry commands[] = {
    {"sample", "run chains, write a run directory, print the summary", command_sample, true},
    {"resume", "go on with a run where it stopped", command_resume, true},
    {"summary", "the table of a run, or of other samplers' CSV files", command_summary, false},
    {"diagnose", "what is wrong with the draws, and what to do about it", command_diagnose, false},
    {"evidence", "log Z, the integral of the density, from the draws of a run", command_evidence, false},
    {"report", "a page for a browser: tables and figures of a run", command_report, false},
    {"plot", "a figure of a run for a paper: PDF, SVG or PNG", command_plot, false},
    {"reproduce", "the experiments of the paper, or your own of that form", command_reproduce, false},
    {"list", "models, samplers, kernels, and their options", command_list, false},
    {"help", "more about a command, sampler or model", command_help, false},
    {.name = NULL}};

const command_entry *command_find(const char *name) {
    for (const command_entry *c = commands; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

void commands_print(FILE *stream) {
    fprintf(stream, "Usage: ckam COMMAND ...\n\n"
                    "Draws from probability densities that can only be evaluated.\n\n");
    for (const command_entry *c = commands; c->name; c++) fprintf(stream, "  %-10s %s\n", c->name, c->summary);
    fprintf(stream, "\n`ckam COMMAND --help` says more. A first try:\n\n  ckam sample bimodal\n");
}

static int dispatch(int count, char **arguments) {
    if (count < 2) {
        if (ranks_is_root()) commands_print(stderr);
        return EX_USAGE;
    }
    const char *name = arguments[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V"))
        return ranks_is_root() ? printf("ckam %s\n", ckam_version()) < 0 : EX_OK;
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
    const command_entry *found = command_find(name);
    if (found) return found->collective || ranks_is_root() ? found->run(count - 1, arguments + 1) : EX_OK;
    const char *near = ckam_nearest_name(commands, sizeof *commands, name);
    if (near) return complain("", EX_USAGE, "there is no command '%s'; did you mean '%s'?", name, near);
    return complain("", EX_USAGE, "there is no command '%s'; `ckam help` lists them", name);
}

/* A failed write to a pipe means that its reader closed it (EPIPE), which is no error. */
static bool is_pipe(FILE *stream) {
    struct stat about;
    return !fstat(fileno(stream), &about) && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

/* If a standard stream is closed, the next file opened gets its descriptor, and what is printed would go there. */
static bool open_streams(void) {
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", O_RDWR) != i) return false;
    return true;
}

/* Every chain has a file of its own, and there may be thousands. */
static void allow_files(void) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files)) return;
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
}

int main(int count, char **arguments) {
    if (!open_streams()) return EX_OSERR; /* there is no stream for a message */
    allow_files();
    setlocale(LC_CTYPE, ""); /* never LC_NUMERIC: numbers have a decimal point */
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write (EPIPE), which must not end a run */
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write */
    const ckam_comm *comm = comm_open();
    ranks_begin(comm);
    signals_expect();
    signals_guard(!comm); /* MPI itself calls exit() */
    int status = ranks_agree(dispatch(count, arguments));
    signals_guard(false);
    comm_close();
    if ((fflush(stdout) || ferror(stdout)) && !is_pipe(stdout) && !status)
        return complain("", EX_IOERR, "the standard output cannot be written");
    return status;
}
