/* cli.h - what the commands share. A command is a client of ckam.h and of nothing else in the library. */
#ifndef CKAM_CLI_H
#define CKAM_CLI_H

#include <ckam.h>

#include <stdio.h>
#include <sysexits.h>

/* -- Commands: one file each ------------------------------------------------------------------------------------- */
typedef struct command_entry {
    const char *name, *summary;
    int (*run)(int count, char **arguments); /* arguments[0] is the name; returns the exit status */
    bool collective;                         /* all ranks run it; else rank 0 does */
} command_entry;

extern const command_entry commands[]; /* ended by one without a name */
const command_entry       *command_find(const char *name);
/* The list of commands, for a user who asked or has to be told. */
void commands_print(FILE *stream);

int command_sample(int count, char **arguments);
int command_resume(int count, char **arguments);
int command_summary(int count, char **arguments);
int command_diagnose(int count, char **arguments);
int command_evidence(int count, char **arguments);
int command_report(int count, char **arguments);
int command_plot(int count, char **arguments);
int command_reproduce(int count, char **arguments);
int command_list(int count, char **arguments);
int command_help(int count, char **arguments);

/* -- messages.c: how a command ends ------------------------------------------------------------------------------ */
int exit_status(ckam_status status);
/* One line to stderr, "ckam COMMAND: ..."; returns `status`. An empty command is the program itself. */
int complain(const char *command, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for what the library said. */
int complain_error(const char *command, const ckam_error *error);

/* -- comm_single.c or comm_mpi.c, and messages.c: one process or several ------------------------------------------ */
/* Opens and closes the communicator of the program; NULL where the program is for one process. */
const ckam_comm *comm_open(void);
void             comm_close(void);

void             ranks_begin(const ckam_comm *opened);
const ckam_comm *ranks_comm(void);    /* NULL: one process */
bool             ranks_is_root(void); /* whether this process prints */
/* Collective; called once, before a run begins or at the latest before the process ends. Returns `status`, or that of the lowest rank
 * that failed, whose message rank 0 then prints. */
int ranks_agree(int status);

/* -- flags.c: the command line, from tables of options ----------------------------------------------------------- */
typedef struct flag_group {
    const char        *title; /* a heading in the help, or NULL */
    const ckam_option *options;
    const char *const *only;    /* the names that are flags, ended by NULL; NULL: all */
    const char        *sampler; /* shown in the help when this is the sampler; NULL: always */
} flag_group;

typedef struct command_line {
    const char       *command, *arguments; /* "sample", "MODEL" */
    const char       *about;               /* help: text above the options and, after \v, below them */
    const flag_group *groups;              /* ended by one without options; may be NULL */
} command_line;

typedef struct setting {
    const char *name, *value;
} setting;

/* What was asked for; points into the arguments. */
typedef struct request {
    const char  *command;
    size_t       words, settings;
    const char **word; /* what is not a flag */
    setting     *setting;
} request;

/* Reads the arguments. Returns true when the command is to go on; else *status is how it ends: help was shown, or there
 * was an error. request_free() in both cases. */
bool request_read(request *r, const command_line *line, int count, char **arguments, int *status);
void request_free(request *r);
/* The last value given for a flag, "true" for one without a value; NULL if it was not given. */
const char *request_value(const request *r, const char *name);

/* An option in words. */
enum { DESCRIBE = 256 }; /* room for what these write */
/* "false", "true": a choice of these is a flag without a value. */
extern const char *const switch_words[];
bool                     describe_is_switch(const ckam_option *option);
void                     describe_default(const ckam_option *option, char *text);
/* The entry of a list that ends without a name, or NULL. */
const ckam_entry  *entry_find(const ckam_entry *list, const char *name);
const ckam_option *option_find(const ckam_option *options, const char *name);
/* All options of a sampler or model with their ranges and defaults. */
void describe_entry(const ckam_entry *entry, bool is_sampler);

/* -- format.c: text and numbers for readers ----------------------------------------------------------------------- */
bool   text_utf8(void);                /* the locale can show bars */
size_t text_width(FILE *stream);       /* columns of the terminal, 80 where there is none */
size_t text_columns(const char *text); /* that a text takes */
/* Prints words from column `column` on, with `indent` blanks before each further line, and ends the line. */
void text_wrap(FILE *stream, const char *text, size_t column, size_t indent);
/* "s", or "" for one. */
const char *text_plural(uint64_t count);
/* A word as a shell reads it back: in single quotes where it must be. As with snprintf(), what has no room is cut, and
 * the length is that without a cut. */
size_t text_quote(const char *word, char *text, size_t size);
enum { QUOTED = 4 * 4096 + 64 }; /* room for any path */
/* Puts a question mark for what a terminal would take for an order, as the name of a directory may hold. */
void text_show(char *text);
/* A path on a line of its own: as it is for a program, shown on a terminal. */
void text_print_path(const char *path);
/* "ckam VERB DIRECTORY", to be pasted and shown; returns `text`, which has room for QUOTED. */
const char *text_command(const char *verb, const char *directory, char *text);

enum { NUMBER = 32 }; /* room for what these write */
/* With as many digits as an error of size `error` leaves meaning; 4 where it is 0 or unknown. "-" for NaN. */
void number_with_error(double x, double error, char *text);
/* The fewest digits that read back as the same number. */
void number_exact(double x, char *text);
/* A count in at most 6 letters: 87, 12345, 1.2M. */
void number_short(double x, char *text);
/* 0:07, 12:30, 3:12:30, 2 d 3 h; "-" for NaN. */
void number_time(double seconds, char *text);
/* The names in "x.1,x.2", ended by NULL, or NULL where `text` is; yours to free. False for want of memory. */
bool names_split(const char *text, const char ***names);

/* -- execute.c, signals.c, progress.c, bar.c: running the chains of a plan ------------------------------------------ */
/* Runs, shows progress, reports, and returns the exit status. */
int execute_run(const char *command, ckam_run *run, const ckam_plan *plan);
/* Prepares the message for a crash of a user's model in this process. directory: of the run, or "". */
void set_crash_message(const ckam_plan *plan, const char *directory);

/* Long work that a signal may end: stop() and freeze() are called from a handler, freeze() (or NULL) when the process is
 * about to end at once, after which the farewell is printed. */
typedef struct interruption {
    void (*stop)(void *object);
    void (*freeze)(void *object);
    void       *object;
    const char *farewell;
} interruption;

/* From now on such a signal also ends the programs that were started. */
void signals_expect(void);
/* Between the two, the first SIGINT, SIGTERM or SIGHUP stops the work, the second ends the process. The end returns the
 * signal that came, or 0. */
void signals_begin(const interruption *what);
int  signals_end(void);
/* From now on this is printed when the process crashes; NULL: nothing, as at first. What does not fit is cut. */
void signals_crash(const char *text);
/* Whether exit() before main() is done is said to be what a model did. */
void signals_guard(bool on);
/* The exit status of a command that this signal ended. */
int signals_status(int number);
int signals_caught(void);

enum { BAR_CHAINS = 8, BAR_LINES = BAR_CHAINS + 3 }; /* with more chains, one line for all of them */
typedef struct bars {
    size_t lines, columns[BAR_LINES]; /* on the screen now, and how wide */
    struct {
        double   time, fraction; /* when the chain was first seen to go, and where it was */
        uint64_t evaluations, draws;
        double   rate, left; /* draws a second since, and seconds to its end */
        bool     seen, going;
    } chain[BAR_CHAINS];
} bars;

void bar_draw(bars *b, const ckam_progress *progress);
void bar_erase(bars *b);

typedef struct progress_display {
    enum { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_PLAIN, PROGRESS_JSON } kind;
    double next;     /* seconds: when to show again */
    double elapsed;  /* seconds of sampling */
    bool   stopping; /* said so */
    bars   bars;
} progress_display;

/* Whether stderr is a terminal on which lines can be drawn again. */
bool progress_terminal(void);
/* The words of the plan's setting "progress". */
void progress_begin(progress_display *display, const char *kind);
void progress_end(progress_display *display);
/* "start", "scale", ... */
const char *progress_phase(ckam_phase phase);
/* The mean acceptance of the chains that have begun; NaN where none has. */
double progress_accept(const ckam_progress *progress);
/* The most modes that a chain knows; 0 where the sampler has none. */
uint64_t progress_modes(const ckam_progress *progress);
/* For ckam_plan_notice(). */
void progress_notice(void *unused, const char *sentence);
/* For ckam_run_go(); the context is a progress_display. */
void progress_watch(void *context, const ckam_progress *progress);

/* -- summary.c: draws with their review --------------------------------------------------------------------------- */
typedef struct reviewed_draws {
    ckam_draws  *draws;
    ckam_review *review;
} reviewed_draws;

/* Opens the directory or the files that the words of a request name, and reviews their draws. Returns an exit status, after
 * complaining; reviewed_close() only after success. */
int  reviewed_open(reviewed_draws *d, const request *r);
void reviewed_close(reviewed_draws *d);

/* -- evidence.c: for `evidence` and `summary` ----------------------------------------------------------------------- */
/* Estimates and prints the evidence of the run that the request names. Returns the exit status, after complaining; 1
 * where the estimate is not to be trusted. */
int evidence_print(const request *r, ckam_draws *draws);

/* -- outcome.c, print_table.c, print_shapes.c, print_modes.c: the output of a run --------------------------------- */
typedef struct outcome {
    const char        *directory; /* of a run; "" where there is none */
    bool               all;       /* parameters */
    ckam_draws        *draws;
    const ckam_review *review;
    /* What the plan says: with a built-in model also what the answers are, a number a parameter; both or none. */
    const ckam_plan *plan;
    ckam_model      *model;
    double          *exact_mean, *exact_sd;
    /* Of a run that has just ended; NULL else. */
    const struct run_facts *facts;
} outcome;

typedef struct run_facts {
    ckam_counts counts; /* of the whole run */
    ckam_search search;
    uint64_t    before;  /* evaluations before it was resumed */
    double      seconds; /* since then */
    const char *reason;
} run_facts;

/* The plan must outlive the outcome; its model is looked for. */
void outcome_add_plan(outcome *r, const ckam_plan *plan);
void outcome_print(const outcome *r);
void outcome_free(outcome *r); /* what outcome_add_plan() made */

void table_print(const outcome *r);
void table_print_csv(const ckam_review *review);
void shapes_print(const outcome *r);
void modes_print(const ckam_review *review);
/* The findings of one severity, with or without advice; returns how many there were. */
size_t findings_print(const ckam_finding *findings, size_t all, ckam_severity severity, bool advice);

#endif
