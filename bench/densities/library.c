/* library.c - see library.h. */
#include "library.h"

#include "density.h"
#include "measure.h"
#include "target/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_density {
    density      *catalogue; /* NULL: a posterior */
    source       *source;
    model_handle *handle;
    ckam_target   target;
};

bench_density *bench_open(const char *name) {
    density *d = density_create(name);
    if (!d) {
        fprintf(stderr, "there is no density '%s'\n", name);
        return NULL;
    }
    bench_density *b = take(sizeof *b);
    b->catalogue = d;
    b->target = (ckam_target){.dim = d->dim, .log_density = d->log_density, .context = d};
    return b;
}

bench_density *bench_open_posterior(const char *model, const char *data) {
    const source_request request = {.model = model,
                                    .log_density = "",
                                    .program = "",
                                    .params = "",
                                    .data = data,
                                    .bounds = "",
                                    .workers = 1,
                                    .timeout = HUGE_VAL};
    ckam_error           error;
    bench_density       *b = take(sizeof *b);
    ckam_status          status = source_open(&b->source, &request, &error);
    if (!status) status = model_attach(b->source, 0, &b->handle, &b->target, &error);
    if (!status) return b;
    fprintf(stderr, "%s: %s\n", model, error.message);
    bench_close(b);
    return NULL;
}

void bench_close(bench_density *b) {
    if (!b) return;
    density_free(b->catalogue);
    if (b->handle) model_detach(b->handle);
    if (b->source) source_close(b->source);
    free(b);
}

size_t bench_dim(const bench_density *b) { return b->target.dim; }
size_t bench_columns(const bench_density *b) { return b->source ? source_columns(b->source) : b->target.dim; }

const char *bench_column_name(const bench_density *b, size_t column) {
    return b->source ? source_names(b->source)[column] : "";
}

void bench_log_densities(bench_density *b, size_t count, const double *z, double *value) {
    for (size_t i = 0; i < count; i++)
        if (b->target.log_density(b->target.context, z + i * b->target.dim, value + i)) value[i] = -HUGE_VAL;
}

void bench_rows(bench_density *b, size_t count, const double *z, double *rows) {
    const size_t dim = b->target.dim, columns = bench_columns(b);
    ckam_error   error;
    if (!b->source) memcpy(rows, z, count * dim * sizeof *rows);
    for (size_t i = 0; b->source && i < count; i++)
        if (model_handle_row(b->handle, z + i * dim, rows + i * columns, &error)) stop(error.message);
}

int bench_bounds(const bench_density *b, double *lower, double *upper) {
    const density *d = b->catalogue;
    memcpy(lower, d->lower, d->dim * sizeof *lower);
    memcpy(upper, d->upper, d->dim * sizeof *upper);
    return d->bounded;
}

size_t bench_modes(const bench_density *b) { return b->catalogue->modes; }
size_t bench_events(const bench_density *b) { return b->catalogue->events; }
double bench_log_z(const bench_density *b) { return b->catalogue->log_z; }

void bench_shares(const bench_density *b, double *share) {
    memcpy(share, b->catalogue->share, b->catalogue->events * sizeof *share);
}

void bench_hits(const bench_density *b, size_t count, const double *z, bool *hit) {
    const density *d = b->catalogue;
    for (size_t i = 0; i < count; i++) density_events(d, z + i * d->dim, hit + i * d->events);
}
