/* report.c - `ckam report`: the page of a run, and a browser for it. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const ckam_option own_options[] = {
    {.name = "params", .help = "the parameters to show, as in x.1,x.2; all that there is room for", .type = CKAM_TEXT},
    {.name = "out", .help = "the file to write, .html or .htm; report.html in the run's directory", .type = CKAM_TEXT},
    {.name = "open", .help = "show it in the browser", .type = CKAM_CHOICE, .words = switch_words},
    {.name = NULL}};
static const flag_group groups[] = {{.options = own_options}, {.options = NULL}};

/* -- The browser -------------------------------------------------------------------------------------------------- */

/* Starts a program in a session of its own: without a terminal, and not reached by Ctrl-C. */
static int start(const char *program, const char *path, pid_t *process) {
    char                      *arguments[] = {strdup(program), strdup(path), NULL};
    extern char              **environ;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          attributes;
    int                        failure = ENOMEM;
    if (arguments[0] && arguments[1] && !posix_spawn_file_actions_init(&files)) {
        if (!posix_spawnattr_init(&attributes)) {
            for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
                posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0);
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
            failure = posix_spawnp(process, program, &files, &attributes, arguments, environ);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&files);
    }
    free(arguments[0]);
    free(arguments[1]);
    return failure;
}

/* A browser that fails exits at once; one that runs after a second has opened the page. */
static int ended_badly(pid_t process) {
    const struct timespec pause = {.tv_nsec = 50000000};
    int                   status = 0;
    for (int i = 0; i < 20; i++) {
        pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended == process) return status;
        if (ended < 0 && errno != EINTR) return 0;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static int open_page(const request *r, const char *path) {
    static const char *const programs[] = {"xdg-open", "open"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        pid_t process;
        if (start(programs[i], path, &process)) continue;
        if (!ended_badly(process)) return EX_OK;
        return complain(r->command, EX_UNAVAILABLE, "%s could not show it; open the file in a browser", programs[i]);
    }
    return complain(r->command, EX_UNAVAILABLE, "there is no xdg-open here; open the file in a browser");
}

/* -- The command -------------------------------------------------------------------------------------------------- */

/* "DIR/report.html"; for files, "report.html" here. */
static void default_place(const request *r, char *path, size_t size) {
    struct stat about;
    const char *directory = r->words == 1 && !stat(r->word[0], &about) && S_ISDIR(about.st_mode) ? r->word[0] : "";
    size_t      length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/') length--;
    snprintf(path, size, "%.*s%sreport.html", (int)length, directory, *directory ? "/" : "");
}

static int report(const request *r) {
    enum { PATH = 4200 };
    const char **names, *out = request_value(r, "out");
    char         place[PATH];
    ckam_error   error;
    if (!r->words) return complain(r->command, EX_USAGE, "of what? Name the directory of a run, or CSV files");
    if (!names_split(request_value(r, "params"), &names))
        return complain(r->command, EX_SOFTWARE, "there is no memory");
    default_place(r, place, sizeof place);
    if (!out) out = place;
    ckam_status status = ckam_report_write(r->word, r->words, names, out, &error);
    free(names);
    if (status) return complain_error(r->command, &error);
    text_print_path(out);
    if (!request_value(r, "open")) return EX_OK;
    (void)fflush(stdout);
    return open_page(r, out);
}

int command_report(int count, char **arguments) {
    static const command_line line = {
        .command = "report",
        .arguments = "DIR\nCSV...",
        .about = "Writes one HTML page with the tables, findings and figures of a run, or of CSV files, and prints its "
                 "path. The page needs no network.\v"
                 "For CSV files it is report.html in the current directory. `ckam plot` gives single figures.",
        .groups = groups};
    request r;
    int     status;
    if (request_read(&r, &line, count, arguments, &status)) status = report(&r);
    request_free(&r);
    return status;
}
