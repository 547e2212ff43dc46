/* row_sample.c - see row_sample.h. */
#include "diag/row_sample.h"

#include "base/error.h"
#include "diag/neighbours.h"
#include "diag/subspace.h"
#include "draws/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE_ROWS = 2000,
    SAMPLE_NUMBERS = 1 << 20,
    NAMED_ROWS = 50,   /* of a name that has fewer in the even sample */
    NAMED_MOST = 1000, /* of all such names */
    VISITS_LEAST = 10  /* a name that the chains entered less often is ignored */
};

void moments_add(const moments *m, size_t mode, double count, const double *x) {
    double *mean = m->mean + mode * m->dim, *square = m->square + mode * m->dim, share = 1.0 / count;
    for (size_t k = 0; k < m->dim; k++) {
        double difference = x[k] - mean[k];
        mean[k] += difference * share;
        square[k] += difference * (x[k] - mean[k]);
    }
}

/* -- Life --------------------------------------------------------------------------------------------------------- */

/* The number of a column that describes the sampler; SIZE_MAX where there is none. */
static size_t find_column(const ckam_draws *draws, const char *name) {
    const size_t first = ckam_draws_shape_of(draws)->first;
    for (size_t k = 0; k < first; k++)
        if (!strcmp(ckam_draws_name(draws, k), name)) return k;
    return SIZE_MAX;
}

/* Returns how many rows they need: twice the even sample, so that a reservoir that was just halved still fills it. */
static size_t place_reservoirs(row_sample *s) {
    const size_t each = SAMPLE_NUMBERS / s->stride / SAMPLE_NAMES;
    size_t       end = 2 * s->most;
    s->all = (reservoir){.most = end, .every = 1};
    for (size_t j = 1; j < SAMPLE_NAMES && s->mode != SIZE_MAX; j++) {
        s->named[j] = (reservoir){.at = end, .most = each < NAMED_ROWS ? each : NAMED_ROWS, .every = 1};
        end += s->named[j].most;
    }
    return end;
}

ckam_status row_sample_create(row_sample *s, const ckam_draws *draws, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    const size_t dim = shape->columns - shape->first, stride = point_stride(dim), total = shape->chains * shape->rows;
    *s = (row_sample){.first = shape->first, .dim = dim, .stride = stride, .found = UINT64_MAX, .finite = true};
    s->mode = find_column(draws, "mode__");
    s->cycle = find_column(draws, "cycle__");
    s->most = SAMPLE_NUMBERS / stride < SAMPLE_ROWS ? SAMPLE_NUMBERS / stride : SAMPLE_ROWS;
    if (s->most > total) s->most = total;
    const size_t rows = place_reservoirs(s);
    s->points = calloc(rows * (stride + SUBSPACE_DIM) + 3 * dim, sizeof *s->points);
    s->chain = malloc(2 * rows * sizeof *s->chain);
    s->name = malloc(rows);
    if (!s->points || !s->chain || !s->name)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to look for modes in %zu dimensions", dim);
    s->place = s->points + rows * stride;
    s->before = s->place + rows * SUBSPACE_DIM;
    s->moments = (moments){dim, s->before + dim, s->before + 2 * dim};
    s->label = s->chain + rows;
    return CKAM_OK;
}

void row_sample_free(row_sample *s) {
    free(s->points);
    free(s->chain);
    free(s->name);
}

/* -- Taking rows -------------------------------------------------------------------------------------------------- */

static bool is_finite(size_t dim, const double *x) {
    for (size_t k = 0; k < dim; k++)
        if (!isfinite(x[k])) return false;
    return true;
}

/* The number of a mode or of a cycle, at most `most`; 0 where it is NaN or below 1. */
static uint64_t whole(double number, uint64_t most) {
    if (!(number >= 1.0)) return 0;
    return number < (double)most ? (uint64_t)number : most;
}

uint64_t row_sample_cycle(const row_sample *s, const double *values) {
    return s->cycle == SIZE_MAX ? 0 : whole(values[s->cycle], (uint64_t)1 << 53);
}

static void move_row(row_sample *s, size_t from, size_t to) {
    memmove(s->points + to * s->stride, s->points + from * s->stride, s->stride * sizeof *s->points);
    s->chain[to] = s->chain[from];
    s->name[to] = s->name[from];
}

static void keep(row_sample *s, reservoir *r, size_t chain, const double *x) {
    const uint64_t move = r->moves++;
    if (r->most == 0 || move % r->every) return;
    if (r->count == r->most) {
        r->count = (r->count + 1) / 2;
        r->every *= 2;
        for (size_t i = 0; i < r->count; i++) move_row(s, r->at + 2 * i, r->at + i);
        if (move % r->every) return;
    }
    const size_t row = r->at + r->count++;
    memcpy(s->points + row * s->stride, x, s->dim * sizeof *x);
    s->chain[row] = (uint32_t)chain;
    s->name[row] = (uint8_t)s->now;
}

static void take_row(void *context, size_t chain, size_t row, const double *values) {
    row_sample    *s = context;
    const double  *x = values + s->first;
    const size_t   name = s->mode == SIZE_MAX ? 0 : (size_t)whole(values[s->mode], SAMPLE_NAMES - 1);
    const uint64_t cycle = row_sample_cycle(s, values);
    s->finite = s->finite && is_finite(s->dim, x);
    if (!s->finite) return;
    if (cycle < s->found) s->found = cycle;
    if (row == 0 || name != s->now) s->visits[name]++;
    s->now = name;
    moments_add(&s->moments, 0, s->rows += 1.0, x);
    if (row > 0 && !memcmp(s->before, x, s->dim * sizeof *x)) return;
    memcpy(s->before, x, s->dim * sizeof *x);
    keep(s, &s->all, chain, x);
    if (name > 0) keep(s, s->named + name, chain, x);
}

/* Moves the rows that are used to the front, one after the other. */
static void gather(row_sample *s) {
    size_t in[SAMPLE_NAMES] = {0}, kept = s->all.count;
    s->even = s->count = kept < s->most ? kept : s->most;
    for (size_t i = 0; i < s->even; i++) {
        move_row(s, i * kept / s->even, i);
        in[s->name[i]]++;
    }
    for (size_t j = 1; j < SAMPLE_NAMES; j++) {
        const reservoir *r = s->named + j;
        if (s->visits[j] < VISITS_LEAST || in[j] >= NAMED_ROWS || s->count + r->count > s->even + NAMED_MOST) continue;
        for (size_t i = 0; i < r->count; i++) move_row(s, r->at + i, s->count++);
    }
    s->more = s->count - s->even;
    for (size_t i = 0; i < s->count; i++)
        if (s->visits[s->name[i]] < VISITS_LEAST) s->name[i] = 0;
}

ckam_status row_sample_take(row_sample *s, ckam_draws *draws, ckam_error *error) {
    ckam_status status = draws_scan(draws, take_row, s, error);
    if (!status) gather(s);
    return status;
}
