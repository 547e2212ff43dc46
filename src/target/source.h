/* source.h - a user's model as a run needs it: a target for each chain, and the row of a draw.
 *
 * Around an engine (engine.h): opening it from what the user said, bounds, what happens when it misbehaves. A point that cannot
 * be computed is rejected, and the first one kept; a model that crashes or takes too long loses that point, which is logged,
 * and three such points in a row end the run; an invalid answer ends it at once. */
#ifndef CKAM_TARGET_SOURCE_H
#define CKAM_TARGET_SOURCE_H

#include "base/file.h"
#include "ckam.h"

/* The settings of a user's model; a text that is not set is "". */
typedef struct source_request {
    const char  *model;         /* a path that ends in .c or .so */
    const char  *log_density;   /* one line of C */
    const char  *program;       /* a command */
    const char  *params;        /* declarations */
    const char  *data, *bounds; /* paths */
    size_t       workers;       /* of a program */
    double       timeout;       /* seconds an evaluation may take; HUGE_VAL: any time */
    bool         isolate;
    uint64_t     seed;   /* of generated quantities */
    ckam_notice *notice; /* of a program that does not answer; or NULL */
    void        *context;
} source_request;

typedef struct source       source;
typedef struct model_handle model_handle;

/* Whether a user's model is asked for; else the model is built in. */
bool source_is_wanted(const source_request *r);
/* May fork, so it is to be called before there are threads. */
ckam_status source_open(source **out, const source_request *r, ckam_error *error);
void        source_close(source *s); /* after all handles */
/* A name for files: that of the file, or what kind of model it is. */
const char *source_name(const source_request *r);

size_t             source_dim(const source *s);     /* of the space in which chains move */
size_t             source_columns(const source *s); /* numbers of a row: parameters, then derived ones */
const char *const *source_names(const source *s);   /* of the columns */
size_t source_given(const source *s); /* numbers of a start, as a user gives it: parameters within their bounds */
/* Whether the model declares bounds for number k of a point. */
bool source_is_bounded(const source *s, size_t k);
/* Points at which the model fails are added to this file. Both are borrowed. */
void source_log_to(source *s, const open_directory *in, const char *name);

/* Checks that the answers so far belong to their points; no evaluation is under way. `start`: also those of processes that have
 * ended, by new ones. */
ckam_status source_verify(source *s, bool start, ckam_error *error);
/* Whether answers since the last good source_verify() were those of other points. */
bool source_is_shifted(const source *s);
/* Whether different values of one point were met; then they are `values`. */
bool source_is_noisy(const source *s, double values[2]);

/* *handle := one chain's handle on the model; *target is for that chain alone. */
ckam_status model_attach(source *s, size_t chain, model_handle **handle, ckam_target *target, ckam_error *error);
void        model_detach(model_handle *s);
/* The source behind a target that model_attach() made, and its handle, whose next row is computed even if the point is the same; NULL
 * for other targets. */
source *source_of(const ckam_target *target, model_handle **handle);
/* The point of a chain in words, by the names and within the bounds that the user knows: "mu = 1.5, tau = 3, ...". At least 8 bytes. */
void model_handle_point(model_handle *s, const double *u, size_t size, char *text);
/* The row of a draw at u, columns numbers, into `row`, which holds the row of the draw before it. What cannot be computed is NaN. */
ckam_status model_handle_row(model_handle *s, const double *u, double *row, ckam_error *error);
/* u, uniform on [-2, 2], := a random start: uniform in x between two bounds. */
void source_spread(const source *s, double *u);
/* u := the point of a chain for such a start, or the beginning of a row; or what is wrong with it. */
ckam_status source_unconstrain(source *s, const double *given, double *u, ckam_error *error);
/* Why the target of this handle has failed; NULL if it has not. */
const ckam_error *model_handle_failure(const model_handle *s);
/* The first point that was rejected, in words with the reason, as in "mu = 1.5, tau = 3: it is nan"; "" if there was none. */
const char *model_handle_first_reject(const model_handle *s);
uint64_t    model_handle_faults(const model_handle *s);
uint64_t    model_handle_outside(const model_handle *s); /* points outside of the bounds: the model was not called */

#endif
