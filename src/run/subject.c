/* subject.c - the model of a plan, opened again, with draws as points of the space that was sampled. */
#include "base/error.h"
#include "run/plan.h"

#include <stdlib.h>
#include <string.h>

struct ckam_subject {
    ckam_model *model;  /* built in; NULL else */
    source     *source; /* a user's; NULL else */
    seat       *seat;
    ckam_target target;
    ckam_draws *own;   /* made here; NULL: the draws are the caller's */
    ckam_draws *draws; /* borrowed, or own */
};

/* values[i * given + k] := column k of the parameters; log_density := lp__. */
static ckam_status read_draws(ckam_draws *draws, size_t given, double *values, double *log_density, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    size_t                  count = shape->chains * shape->rows;
    const double           *column;
    ckam_status             status = CKAM_OK;
    if (shape->columns - shape->first < given)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "the draws have %zu parameters, the model %zu",
                         shape->columns - shape->first, given);
    if (!shape->first || strcmp(ckam_draws_name(draws, 0), "lp__") != 0)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "the draws have no column lp__");
    for (size_t k = 0; k < given && !status; k++) {
        status = ckam_draws_column(draws, shape->first + k, &column, error);
        for (size_t i = 0; i < count && !status; i++) values[i * given + k] = column[i];
    }
    if (!status) status = ckam_draws_column(draws, 0, &column, error);
    if (!status) memcpy(log_density, column, count * sizeof *column);
    return status;
}

/* The draws of a user's model, whose numbers are within bounds, as points of the whole space. */
static ckam_status release(ckam_subject *s, ckam_draws *draws, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    size_t                  count = shape->chains * shape->rows, given = source_given(s->source), dim = s->target.dim;
    double                 *values = calloc(count ? count : 1, given * sizeof *values);
    double                 *points = calloc(count ? count : 1, dim * sizeof *points);
    double                 *log_density = calloc(count ? count : 1, sizeof *log_density);
    ckam_status             status = CKAM_OK;
    if (!values || !points || !log_density)
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the draws");
    if (!status) status = read_draws(draws, given, values, log_density, error);
    for (size_t i = 0; i < count && !status; i++)
        status = source_unconstrain(s->source, values + i * given, points + i * dim, error);
    if (!status) status = ckam_draws_create(&s->own, shape->chains, shape->rows, dim, NULL, points, log_density, error);
    free(values);
    free(points);
    free(log_density);
    s->draws = s->own;
    return status;
}

static ckam_status open_model(ckam_subject *s, const ckam_plan *plan, ckam_draws *draws, ckam_error *error) {
    source_request request = plan_source(plan);
    if (!source_is_wanted(&request)) {
        if (!*plan->run.model)
            return fail_with(error, CKAM_ERROR_ARGUMENT,
                             "the run names no model: its density was handed over by a C program, where "
                             "ckam_evidence_estimate() takes it");
        ckam_status status = ckam_model_create(&s->model, plan->run.model, error);
        if (status) return status;
        s->target = *ckam_model_target(s->model);
        s->draws = draws;
        return CKAM_OK;
    }
    if (!request.workers) request.workers = 1;
    ckam_status status = source_open(&s->source, &request, error);
    if (!status) status = source_sit(s->source, 0, &s->seat, &s->target, error);
    return status ? status : release(s, draws, error);
}

ckam_status ckam_subject_open(ckam_subject **subject, const ckam_plan *plan, ckam_draws *draws, ckam_error *error) {
    if (subject) *subject = NULL;
    if (!subject || !plan || !draws) return fail_with(error, CKAM_ERROR_ARGUMENT, "the plan or the draws are NULL");
    ckam_subject *s = *subject = calloc(1, sizeof *s);
    if (!s) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a model");
    ckam_status status = open_model(s, plan, draws, error);
    if (!status) return CKAM_OK;
    ckam_subject_free(s);
    *subject = NULL;
    return status;
}

void ckam_subject_free(ckam_subject *s) {
    if (!s) return;
    ckam_draws_free(s->own);
    seat_leave(s->seat);
    source_close(s->source);
    ckam_model_free(s->model);
    free(s);
}

const ckam_target *ckam_subject_target(const ckam_subject *s) { return &s->target; }
ckam_draws        *ckam_subject_draws(const ckam_subject *s) { return s->draws; }
