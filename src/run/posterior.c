/* posterior.c - the model of a plan, reopened on the unconstrained space, with the draws as points of that space. */
#include "base/error.h"
#include "run/plan.h"

#include <stdlib.h>
#include <string.h>

struct ckam_posterior {
    ckam_model   *model;  /* built in; NULL else */
    source       *source; /* a user's; NULL else */
    model_handle *handle;
    ckam_target   target;
    ckam_draws   *own;   /* made here; NULL: the draws are the caller's */
    ckam_draws   *draws; /* borrowed, or own */
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

/* Maps the draws of a user's model, which obey its bounds, to the unconstrained space. */
static ckam_status unconstrain_draws(ckam_posterior *p, ckam_draws *draws, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    size_t                  count = shape->chains * shape->rows, given = source_given(p->source), dim = p->target.dim;
    double                 *values = calloc(count ? count : 1, given * sizeof *values);
    double                 *points = calloc(count ? count : 1, dim * sizeof *points);
    double                 *log_density = calloc(count ? count : 1, sizeof *log_density);
    ckam_status             status = CKAM_OK;
    if (!values || !points || !log_density)
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the draws");
    if (!status) status = read_draws(draws, given, values, log_density, error);
    for (size_t i = 0; i < count && !status; i++)
        status = source_unconstrain(p->source, values + i * given, points + i * dim, error);
    if (!status) status = ckam_draws_create(&p->own, shape->chains, shape->rows, dim, NULL, points, log_density, error);
    free(values);
    free(points);
    free(log_density);
    p->draws = p->own;
    return status;
}

static ckam_status open_model(ckam_posterior *p, const ckam_plan *plan, ckam_draws *draws, ckam_error *error) {
    source_request request = plan_source(plan);
    if (!source_is_wanted(&request)) {
        if (!*plan->run.model)
            return fail_with(error, CKAM_ERROR_ARGUMENT,
                             "the run names no model: its density was handed over by a C program, where "
                             "ckam_evidence_estimate() takes it");
        ckam_status status = ckam_model_create(&p->model, plan->run.model, error);
        if (status) return status;
        p->target = *ckam_model_target(p->model);
        p->draws = draws;
        return CKAM_OK;
    }
    if (!request.workers) request.workers = 1;
    ckam_status status = source_open(&p->source, &request, error);
    if (!status) status = model_attach(p->source, 0, &p->handle, &p->target, error);
    return status ? status : unconstrain_draws(p, draws, error);
}

ckam_status ckam_posterior_open(ckam_posterior **posterior, const ckam_plan *plan, ckam_draws *draws,
                                ckam_error *error) {
    if (posterior) *posterior = NULL;
    if (!posterior || !plan || !draws) return fail_with(error, CKAM_ERROR_ARGUMENT, "the plan or the draws are NULL");
    ckam_posterior *p = *posterior = calloc(1, sizeof *p);
    if (!p) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a model");
    ckam_status status = open_model(p, plan, draws, error);
    if (!status) return CKAM_OK;
    ckam_posterior_free(p);
    *posterior = NULL;
    return status;
}

void ckam_posterior_free(ckam_posterior *p) {
    if (!p) return;
    ckam_draws_free(p->own);
    model_detach(p->handle);
    source_close(p->source);
    ckam_model_free(p->model);
    free(p);
}

const ckam_target *ckam_posterior_target(const ckam_posterior *p) { return &p->target; }
ckam_draws        *ckam_posterior_draws(const ckam_posterior *p) { return p->draws; }
