/* compile.c - a user's model in C made into a shared object by his compiler: see engine.h.
 *
 * $CC with -O3 -march=native -fPIC -shared, and $CFLAGS behind them, so that these win; both are split at blanks, no shell is run. What
 * was compiled is kept (cache.h) under a print of all that it depends on: text, name and directory of the source, compiler, flags,
 * processor, ckam/model.h. Of files that it includes the content counts. */
#define _DEFAULT_SOURCE /* realpath(). NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "base/embed.h"
#include "base/error.h"
#include "target/cache.h"
#include "target/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

EMBEDDED(model_header);
EMBED(model_header, CKAM_MODEL_HEADER);

extern char **environ;

static const char flags[] = "-O3 -march=native -fPIC -shared";
/* What a compiler may take from the environment and that changes what it makes. */
static const char *const settings[] = {"CC", "CFLAGS", "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH"};

static const char no_memory[] = "there is no memory to compile a model";

typedef struct job {
    const char *source; /* the file; NULL: the text is in none */
    const char *text;
    size_t      size;
    const char *compiler;           /* with its arguments */
    char        program[FILE_PATH]; /* where it is */
} job;

/* -- Words and programs ---------------------------------------------------------------------------------------------- */

/* Goes to the next word and returns its length: 0 where there is none. */
static size_t next_word(const char **text) {
    static const char blanks[] = " \t\n";
    *text += strspn(*text, blanks);
    return strcspn(*text, blanks);
}

/* Writes each word with a 0 behind it. */
static void put_words(FILE *out, const char *text) {
    for (size_t length; (length = next_word(&text)); text += length) fprintf(out, "%.*s%c", (int)length, text, 0);
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static bool is_program(const char *path) {
    struct stat about;
    return !access(path, X_OK) && !stat(path, &about) && S_ISREG(about.st_mode);
}

/* As a shell finds it. */
static bool find_program(const char *name, size_t length, char path[FILE_PATH]) {
    const char *folders = memchr(name, '/', length) ? NULL : getenv("PATH");
    if (!folders) folders = memchr(name, '/', length) ? "" : "/usr/bin:/bin";
    for (size_t width;; folders += width + 1) {
        width = strcspn(folders, ":");
        int size = snprintf(path, FILE_PATH, "%.*s%s%.*s", (int)width, folders, width ? "/" : "", (int)length, name);
        if (size > 0 && size < FILE_PATH && is_program(path)) return true;
        if (!folders[width]) return false;
    }
}

static ckam_status find_compiler(job *j, ckam_error *error) {
    const char *name = setting("CC");
    size_t      length = next_word(&name);
    if (!length) name = "cc", length = strlen(name);
    j->compiler = name;
    if (find_program(name, length, j->program)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_INPUT,
                     "the C compiler '%.*s' was not found; install gcc or clang, or set CC to the one to use",
                     (int)(length < 100 ? length : 100), name);
}

/* -- The key --------------------------------------------------------------------------------------------------------- */

/* Which file each word of the compiler is, if it is one: in "ccache gcc" both count. */
static void put_compiler(FILE *out, const char *compiler) {
    char        path[FILE_PATH];
    struct stat about;
    for (size_t length; (length = next_word(&compiler)); compiler += length)
        if (find_program(compiler, length, path) && !stat(path, &about))
            fprintf(out, "%s %jd %jd.%09ld%c", path, (intmax_t)about.st_size, (intmax_t)about.st_mtim.tv_sec,
                    about.st_mtim.tv_nsec, 0);
}

/* What -march=native stands for. One processor is enough: all of them make a long file. */
static void put_processor(FILE *out) {
    static const char *const wanted[] = {"model name", "flags", "CPU part", "Features"};
    int                      file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    FILE                    *in = file < 0 ? NULL : fdopen(file, "r");
    char                    *line = NULL;
    size_t                   room = 0;
    if (!in && file >= 0) close(file);
    while (in && getline(&line, &room, in) > 1)
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (!strncmp(line, wanted[i], strlen(wanted[i]))) fputs(line, out);
    free(line);
    if (in) (void)fclose(in);
}

/* Where #include "..." looks first, and how the source calls itself. False, with errno, if that is not to be found. */
static bool put_place(FILE *out, const char *source) {
    const char *slash = strrchr(source, '/');
    char        folder[FILE_PATH];
    int length = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - source) + 1 : 1, slash ? source : ".");
    errno = ENAMETOOLONG;
    char *real = length < FILE_PATH ? realpath(folder, NULL) : NULL;
    bool  found = real;
    if (found) fprintf(out, "%c%s%c%s", 0, real, 0, source);
    free(real);
    return found;
}

static bool put_all(FILE *out, const job *j) {
    char here[FILE_PATH];
    bool any = false;
    put_compiler(out, j->compiler);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        fprintf(out, "%s%c", setting(settings[i]), 0);
        any = any || *setting(settings[i]);
    }
    if (any) fprintf(out, "%s%c", getcwd(here, sizeof here) ? here : "", 0); /* a flag may have a relative path */
    fprintf(out, "%s%c", flags, 0);
    put_processor(out);
    (void)fwrite(model_header_text, 1, model_header_length, out);
    (void)fwrite(j->text, 1, j->size, out);
    return !j->source || put_place(out, j->source);
}

static ckam_status make_key(const job *j, char key[PRINT_LENGTH + 1], ckam_error *error) {
    char  *text = NULL;
    size_t size;
    FILE  *out = open_memstream(&text, &size);
    bool   found = out && put_all(out, j);
    int    problem = errno;
    bool   good = out && !ferror(out);
    good = out && !fclose(out) && good;
    if (found && good) cache_print(text, size, key);
    free(text);
    if (!good) return fail_with(error, CKAM_ERROR_MEMORY, no_memory);
    if (found) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_INPUT, "cannot find the directory of %.110s: %s", j->source, strerror(problem));
}

/* -- Running the compiler -------------------------------------------------------------------------------------------- */

/* The header comes from the library, so that the two fit. */
static ckam_status supply_header(const cache *c, ckam_error *error) {
    static const char name[] = "include/ckam/model.h";
    char              path[FILE_PATH + sizeof name], *text = NULL;
    size_t            size = 0;
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    bool there = !file_read(NULL, path, &text, &size, NULL) && size == model_header_length &&
                 !memcmp(text, model_header_text, size);
    free(text);
    if (there) return CKAM_OK;
    snprintf(path, sizeof path, "%s/include", c->folder);
    mkdir(path, S_IRWXU);
    snprintf(path, sizeof path, "%s/include/ckam", c->folder);
    mkdir(path, S_IRWXU);
    return cache_put(c, name, model_header_text, model_header_length, error);
}

/* The source comes before $CFLAGS: a library that they name is searched for what the source needs. */
static void put_command(FILE *out, const job *j, const cache *c) {
    put_words(out, j->compiler);
    put_words(out, flags);
    fprintf(out, "-I%s/include%c", c->folder, 0);
    if (j->source)
        fprintf(out, "%s%s%c", strchr("-@", *j->source) ? "./" : "", j->source, 0); /* not an option */
    else
        fprintf(out, "%s/model.c%c", c->work, 0);
    put_words(out, setting("CFLAGS"));
    put_words(out, "-lm -MD -MT object -MF");
    fprintf(out, "%s/" CACHE_RULE "%c-o%c%s/" CACHE_OBJECT "%c", c->work, 0, 0, c->work, 0);
}

/* *words := the command, ended by NULL, in one block with its text, which is *text. Both yours to free. */
static ckam_status make_command(const job *j, const cache *c, char **text, char ***words, ckam_error *error) {
    size_t size, count = 0;
    *text = NULL;
    *words = NULL;
    FILE *out = open_memstream(text, &size);
    if (out) put_command(out, j, c);
    bool good = out && !ferror(out);
    good = out && !fclose(out) && good;
    for (size_t i = 0; good && i < size; i++) count += !(*text)[i];
    if (good) *words = calloc(count + 1, sizeof **words);
    if (!*words) return fail_with(error, CKAM_ERROR_MEMORY, no_memory);
    char *word = *text;
    for (size_t i = 0; i < count; i++, word += strlen(word) + 1) (*words)[i] = word;
    return CKAM_OK;
}

/* Starts it with nothing to read and its output on stderr, where its messages are; 0 or an errno. Signals that this program ignores or
 * holds back are not to disturb it. */
static int start(const char *program, char **words, pid_t *child) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          manner;
    sigset_t                   none, usual;
    int                        problem = posix_spawn_file_actions_init(&files);
    if (problem) return problem;
    problem = posix_spawnattr_init(&manner);
    if (!problem) {
        sigemptyset(&none);
        sigemptyset(&usual);
        sigaddset(&usual, SIGCHLD);
        sigaddset(&usual, SIGPIPE);
        posix_spawnattr_setsigmask(&manner, &none);
        posix_spawnattr_setsigdefault(&manner, &usual);
        posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        problem = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (!problem) problem = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
        if (!problem) problem = posix_spawn(child, program, &files, &manner, words, environ);
        posix_spawnattr_destroy(&manner);
    }
    posix_spawn_file_actions_destroy(&files);
    return problem;
}

/* How to see the messages again; "" where that is too long for a sentence. */
static void repeat_text(const job *j, const cache *c, char *text, size_t size) {
    int length =
        snprintf(text, size, "; to repeat it: %s -fsyntax-only -I%s/include %s", j->compiler, c->folder, j->source);
    if (length < 0 || (size_t)length >= size) text[0] = 0;
}

static ckam_status complain(const job *j, const cache *c, int outcome, ckam_error *error) {
    char again[160];
    if (WIFSIGNALED(outcome))
        return fail_with(error, CKAM_ERROR_INPUT, "the compiler %.120s was ended by signal %d", j->program,
                         WTERMSIG(outcome));
    if (!j->source)
        return fail_with(error, CKAM_ERROR_OPTION,
                         "cannot compile the expression of --log-density, see the compiler's message above; its "
                         "variables are the names of "
                         "--params, and a power is pow(x, 2) or x*x, not x^2");
    repeat_text(j, c, again, sizeof again);
    return fail_with(error, CKAM_ERROR_FORMAT, "%.40s does not compile, see the compiler's message above%s", j->source,
                     again);
}

static ckam_status run(const job *j, const cache *c, ckam_error *error) {
    char      **words, *text;
    pid_t       child;
    int         outcome = 0;
    ckam_status status = make_command(j, c, &text, &words, error);
    int         problem = status ? 0 : start(j->program, words, &child);
    if (problem)
        status =
            fail_with(error, CKAM_ERROR_INPUT, "cannot run the compiler %.120s: %s", j->program, strerror(problem));
    /* Where children are not waited for, because this program ignores SIGCHLD, there is no outcome: the object tells. */
    if (!status)
        while (waitpid(child, &outcome, 0) < 0 && errno == EINTR) continue;
    if (!status && outcome) status = complain(j, c, outcome, error);
    free(words);
    free(text);
    return status;
}

static ckam_status make(job *j, char **path, ckam_error *error) {
    cache           c;
    char            key[PRINT_LENGTH + 1];
    struct timespec since;
    ckam_status     status = find_compiler(j, error);
    if (!status) status = cache_open(&c, error);
    if (!status) status = make_key(j, key, error);
    if (!status) status = cache_find(&c, key, path, error);
    if (status || *path) return status;
    status = cache_begin(&c, error);
    if (!status) status = supply_header(&c, error);
    if (!status && !j->source) status = cache_write(&c, "model.c", j->text, j->size, error);
    clock_gettime(CLOCK_REALTIME, &since);
    if (!status) status = run(j, &c, error);
    if (!status) status = cache_keep(&c, key, since, path, error);
    cache_close(&c);
    return status;
}

ckam_status compile_file(const char *source, char **path, ckam_error *error) {
    struct stat about;
    job         j = {.source = source};
    char       *text;
    *path = NULL;
    if (!stat(source, &about) && !S_ISREG(about.st_mode)) /* the compiler has to read it, too */
        return fail_with(error, CKAM_ERROR_INPUT, "cannot compile %.120s: it is not a file", source);
    ckam_status status = file_read(NULL, source, &text, &j.size, error);
    if (status) return status;
    j.text = text;
    if (strlen(text) == j.size)
        status = make(&j, path, error);
    else
        status =
            fail_with(error, CKAM_ERROR_FORMAT, "%.120s is not a text in C: byte %zu is 0", source, strlen(text) + 1);
    free(text);
    return status;
}

ckam_status compile_expression(const char *expression, const params *p, char **path, ckam_error *error) {
    job   j = {.source = NULL};
    char *text;
    *path = NULL;
    ckam_status status = expression_source(expression, p, &text, &j.size, error);
    if (status) return status;
    j.text = text;
    status = make(&j, path, error);
    free(text);
    return status;
}
