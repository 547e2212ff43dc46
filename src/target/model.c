/* model.c - built-in densities: finding and making one, and the loops over its coordinates.
 *
 * The public functions of models, over the tables in models.def. */
#include "target/model.h"

#include "base/error.h"
#include "base/spec.h"

#include <stdlib.h>

static const ckam_entry entries[] = {
#define MODEL(name, summary) {#name, summary, name##_model_options},
#include "target/models.def"
#undef MODEL
    {NULL, NULL, NULL}};

static const model_type *const types[] = {
#define MODEL(name, summary) &name##_model,
#include "target/models.def"
#undef MODEL
};

const ckam_entry *ckam_model_list(void) { return entries; }

ckam_status ckam_model_create(ckam_model **model, const char *spec, ckam_error *error) {
    if (!model) return fail_with(error, CKAM_ERROR_ARGUMENT, "the place for the model is NULL");
    *model = NULL;
    size_t      index;
    ckam_status status = spec_find(entries, "model", spec, &index, error);
    if (status) return status;
    const model_type *type = types[index];
    ckam_model       *m = calloc(1, sizeof *m);
    if (!m || !(m->options = calloc(1, type->options_size))) goto no_memory;
    if ((status = spec_read(entries + index, spec, m->options, error))) {
        ckam_model_free(m);
        return status;
    }
    const uint64_t *first_option = m->options;
    size_t          dim = type->dim ? type->dim : (size_t)*first_option;
    m->cache = calloc(type->cache_size + type->cache_by_dim * dim, sizeof *m->cache);
    if (!m->cache) goto no_memory;
    m->type = type;
    m->target = (ckam_target){.dim = dim, .log_density = type->log_density, .context = m};
    type->prepare(m);
    *model = m;
    return CKAM_OK;
no_memory:
    ckam_model_free(m);
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the model '%s'", spec);
}

void ckam_model_free(ckam_model *model) {
    if (!model) return;
    free(model->options);
    free(model->cache);
    free(model);
}

const ckam_target *ckam_model_target(const ckam_model *model) { return &model->target; }

void ckam_model_start(const ckam_model *model, double *x) {
    for (size_t k = 0; k < model->target.dim; k++) x[k] = model->type->start ? model->type->start(model, k) : 0.0;
}

void ckam_model_mean(const ckam_model *model, double *mean) {
    for (size_t k = 0; k < model->target.dim; k++) mean[k] = model->type->mean ? model->type->mean(model, k) : 0.0;
}

void ckam_model_covariance(const ckam_model *model, double *covariance) {
    const size_t dim = model->target.dim;
    for (size_t j = 0; j < dim; j++)
        for (size_t k = 0; k < dim; k++) covariance[j * dim + k] = model->type->covariance(model, j, k);
}

double ckam_model_modes(const ckam_model *model, size_t most, double *centres, double *weights) {
    const model_type *type = model->type;
    if (!type->mode) return 0.0;
    double total = type->modes ? type->modes(model) : 1.0;
    for (size_t i = 0; i < most && (double)i < total; i++) {
        double weight = type->mode(model, i, centres + i * model->target.dim);
        if (weights) weights[i] = weight;
    }
    return total;
}

void ckam_model_draw(const ckam_model *model, uint64_t seed, uint64_t index, double *x) {
    rng r;
    rng_init(&r, seed, 0);
    rng_at(&r, index, RNG_EXACT);
    model->type->draw(model, &r, x);
}

double ckam_model_probability(const ckam_model *model, size_t k, double low, double high) {
    if (k >= model->target.dim || isnan(low) || isnan(high)) return (double)NAN;
    if (low >= high) return 0.0;
    if (isinf(low) && isinf(high)) return 1.0;
    return fmin(1.0, model->type->probability(model, k, low, high));
}

double ckam_model_box(const ckam_model *model, const double *low, const double *high) {
    bool empty = false;
    for (size_t k = 0; k < model->target.dim; k++) {
        if (isnan(low[k]) || isnan(high[k])) return (double)NAN;
        if (low[k] >= high[k]) empty = true;
    }
    if (empty) return 0.0;
    return model->type->box ? fmin(1.0, model->type->box(model, low, high)) : (double)NAN;
}
