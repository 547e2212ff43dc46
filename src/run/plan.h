/* plan.h - inside a ckam_plan: the settings of a run and those of its sampler. */
#ifndef CKAM_RUN_PLAN_H
#define CKAM_RUN_PLAN_H

#include "base/option.h"
#include "ckam.h"
#include "target/source.h"

#include <jansson.h>

enum { DRAWS_DEFAULT = 10000, DRAWS_UNTIL = 1000000, HORIZON_DEFAULT = 10000 };

typedef struct run_settings {
    char model[OPTION_TEXT], sampler[OPTION_TEXT], until[OPTION_TEXT], init[OPTION_TEXT], out[OPTION_TEXT],
        format[OPTION_TEXT];
    char log_density[OPTION_TEXT], params[OPTION_TEXT], program[OPTION_TEXT], data[OPTION_TEXT], bounds[OPTION_TEXT];
    uint64_t workers;
    double   timeout;
    int      isolate;
    uint64_t chains, threads, draws, thin, evals, horizon, seed;
    double   time_limit, checkpoint_every, unseen;
    int      overwrite, save_warmup, progress;
} run_settings;

struct ckam_plan {
    run_settings     run;
    ckam_options    *sampler;
    char             command[OPTION_TEXT]; /* the command line, for run.json */
    const ckam_comm *comm;                 /* who carries it out; NULL: one process */
    ckam_notice     *notice;               /* or NULL */
    void            *context;              /* for it */
};

/* When a run has converged: NaN where nothing is asked. */
typedef struct until_rule {
    double rhat, ess;
} until_rule;

ckam_status plan_until(const char *text, until_rule *rule, ckam_error *error);

/* Which files a run writes; none has neither. NetCDF is made from CSV, so it never comes alone. */
typedef struct plan_format {
    bool csv, netcdf;
} plan_format;

ckam_status plan_formats(const char *text, plan_format *format, ckam_error *error);

/* What the plan says about a user's model. */
source_request plan_source(const ckam_plan *plan);

/* A copy that lives on its own. */
ckam_status plan_copy(ckam_plan **copy, const ckam_plan *plan, ckam_error *error);
/* CKAM_ERROR_OPTION, by naming it, if a setting differs that cannot change when a run is resumed. */
ckam_status plan_compare(const ckam_plan *ours, const ckam_plan *theirs, ckam_error *error);
/* Whether evals, time-limit or until differ, and draws does not. */
bool plan_has_new_rule(const ckam_plan *ours, const ckam_plan *before);
/* ckam_plan_open() with a path in the directory `in`; "." is itself. */
ckam_status plan_open(ckam_plan **plan, const open_directory *in, const char *directory, ckam_error *error);
/* All settings as a JSON object; NULL for want of memory. */
json_t *plan_json(const ckam_plan *plan);
/* A number as the value that keeps all its bits: JSON's integers have 63. */
json_t *plan_json_word(uint64_t word);

#endif
