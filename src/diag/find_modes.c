/* find_modes.c - see find_modes.h; docs/diagnostics.md has the method in full.
 *
 * A sample of rows that differ from the row before (row_sample.c); directions in which groups may be separated
 * (subspace.c); groups by persistence of the density, without those that autocorrelation has made (cluster.c); rare ones
 * that the sampler names. Then every row belongs to the mode of the sampled point nearest to it. */
#include "diag/find_modes.h"

#include "base/error.h"
#include "diag/cluster.h"
#include "diag/diag.h"
#include "diag/neighbours.h"
#include "diag/row_sample.h"
#include "diag/subspace.h"
#include "draws/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THIN_TIMES = 5 };
#define THIN_ENOUGH 0.95 /* with this share of the points kept, clustering again would change nothing */

/* -- Rare modes that the sampler names ---------------------------------------------------------------------------- */

/* Clustering cannot find a mode of a few points. Where the sampler names the mode of a draw (column mode__) it is found by
 * its name, but only where it is isolated: a wrong name does not make a mode. The points of a name have a centre (medians)
 * and a radius, that of 9 in 10. They are isolated if the shell from INNER to OUTER radii holds few points, of any name,
 * compared with the ball inside it. Points in the tail of a mode that have a name of their own do not pass: the shell
 * around them holds more than the ball. */

enum { POINTS_LEAST = 30, INSIDE_LEAST = 5 }; /* points: of the name; of the even sample, in the ball */
#define RARE   0.05                           /* of the even sample: with more of it clustering finds the group */
#define RADIUS 0.9
#define INNER  1.25
#define OUTER  1.75
#define SHELL  0.2 /* the most points in the shell, per point inside */
#define SAME   0.8 /* with this share of its points in a ball, a group is that mode */

/* A part of the subspace. */
typedef struct ball {
    double centre[SUBSPACE_DIM], square; /* its radius, squared */
} ball;

static double distance_to(const row_sample *s, const ball *b, size_t i) {
    return point_distance(SUBSPACE_DIM, s->place + i * SUBSPACE_DIM, b->centre);
}

static bool is_inside(const row_sample *s, const ball *b, size_t i) { return distance_to(s, b, i) <= b->square; }

/* Centre and radius of the points of a name; s->points serves as work space. False: too few points have the name. */
static bool measure_ball(const row_sample *s, size_t name, ball *b) {
    double *values = s->points;
    size_t  count = 0;
    for (size_t i = 0; i < s->count; i++) count += s->name[i] == name;
    if (count < POINTS_LEAST) return false;
    for (size_t c = 0; c < SUBSPACE_DIM; c++) {
        for (size_t i = 0, at = 0; i < s->count; i++)
            if (s->name[i] == name) values[at++] = s->place[i * SUBSPACE_DIM + c];
        diag_sort(values, count);
        b->centre[c] = values[count / 2];
    }
    for (size_t i = 0, at = 0; i < s->count; i++)
        if (s->name[i] == name) values[at++] = distance_to(s, b, i);
    diag_sort(values, count);
    b->square = values[(size_t)(RADIUS * (double)(count - 1))];
    return true;
}

static bool is_isolated(const row_sample *s, const ball *b) {
    double inside = 0.0, shell = 0.0;
    for (size_t i = 0; i < s->even; i++) {
        double square = distance_to(s, b, i);
        inside += square <= INNER * INNER * b->square;
        shell += square > INNER * INNER * b->square && square <= OUTER * OUTER * b->square;
    }
    return inside >= INSIDE_LEAST && inside <= RARE * (double)s->even && shell <= SHELL * inside;
}

/* Whether two names mean one place. */
static bool overlap(const ball *a, const ball *b) {
    return point_distance(SUBSPACE_DIM, a->centre, b->centre) <= fmax(a->square, b->square);
}

/* Fills balls[0 .. SAMPLE_NAMES-1] with such places and returns how many there are. The points of the sample are
 * overwritten; its places stay. */
static size_t find_isolated(const row_sample *s, ball *balls) {
    size_t count = 0;
    for (size_t name = 1; name < SAMPLE_NAMES; name++) {
        ball *b = balls + count, *other = balls;
        if (!measure_ball(s, name, b) || !is_isolated(s, b)) continue;
        b->square *= OUTER * OUTER;
        while (other < b && !overlap(other, b)) other++;
        count += other == b;
    }
    return count;
}

/* The group that a ball is, or else a new one, which its points then belong to. */
static uint32_t group_of(row_sample *s, const ball *b, size_t *groups) {
    size_t   inside[UINT8_MAX + 1] = {0}, all[UINT8_MAX + 1] = {0};
    uint32_t most = 0;
    for (size_t i = 0; i < s->count; i++) {
        all[s->label[i]]++;
        inside[s->label[i]] += is_inside(s, b, i);
    }
    for (uint32_t j = 1; j < *groups; j++)
        if (inside[j] > inside[most]) most = j;
    if ((double)inside[most] < SAME * (double)all[most]) most = (uint32_t)(*groups)++;
    for (size_t i = 0; i < s->count; i++)
        if (is_inside(s, b, i)) s->label[i] = most;
    return most;
}

/* s->label are groups of the even sample, or of what is left of it. What is in a ball becomes a group of its own, unless
 * it is one; the points of that name that are not in the even sample join it. */
static void split_isolated(row_sample *s, size_t count, const ball *balls, size_t *groups) {
    const size_t all = s->even + s->more;
    uint32_t     label[SAMPLE_NAMES];
    for (size_t j = 0; j < count; j++) label[j] = group_of(s, balls + j, groups);
    for (size_t i = s->even; i < all; i++)
        for (size_t j = 0; j < count; j++) {
            if (!is_inside(s, balls + j, i)) continue;
            memmove(s->place + s->count * SUBSPACE_DIM, s->place + i * SUBSPACE_DIM, SUBSPACE_DIM * sizeof *s->place);
            s->label[s->count++] = label[j];
            break;
        }
}

/* -- The groups --------------------------------------------------------------------------------------------------- */

/* Groups of the sampled points. A slow chain leaves peaks; so where there is more than one group the points are thinned
 * by the spread of their groups and looked at again. */
static ckam_status find_connected(row_sample *s, size_t rank, size_t *groups, ckam_error *error) {
    size_t before = 2 * s->count;
    for (int time = 0; time <= THIN_TIMES; time++) {
        if (s->count < CLUSTER_LEAST) {
            *groups = 1;
            memset(s->label, 0, s->count * sizeof *s->label);
            return CKAM_OK;
        }
        ckam_status status = cluster_find(s->count, rank, s->place, s->label, groups, error);
        if (status) return status;
        if (*groups == 1 || (double)s->count > THIN_ENOUGH * (double)before || time == THIN_TIMES) break;
        before = s->count;
        s->count = cluster_thin(s->count, s->place, s->chain, s->label, *groups);
    }
    cluster_join_slow(s->count, s->place, s->chain, s->label, groups);
    return CKAM_OK;
}

/* The groups of the even sample, and the rare modes that the sampler names. */
static ckam_status find_groups(row_sample *s, size_t rank, size_t *groups, ckam_error *error) {
    ball         balls[SAMPLE_NAMES];
    const size_t isolated = find_isolated(s, balls);
    s->count = s->even;
    ckam_status status = find_connected(s, rank, groups, error);
    if (!status) split_isolated(s, isolated, balls, groups);
    return status;
}

/* -- The mode of every row ---------------------------------------------------------------------------------------- */

typedef struct tally {
    const row_sample *sample;
    const subspace   *space;
    cloud             cloud; /* the sampled points */
    double           *safe;  /* of each sampled point, the squared distance within which every row has its mode */
    size_t           *core;  /* of each mode, the sampled point with the largest such distance */
    size_t            groups, rows, chains, now; /* now: the mode of the last row */
    uint8_t          *label;                     /* of every row */
    double           *before, *count;            /* the last row; rows of each mode so far */
    uint64_t         *visits;
    ckam_mode        *mode; /* arrivals and cycles are counted where they are wanted */
    moments           moments;
} tally;

/* The safe distance is half of that to the nearest sampled point of another mode. */
static void find_cores(tally *t) {
    const row_sample *s = t->sample;
    for (size_t i = 0; i < s->count; i++) t->safe[i] = HUGE_VAL;
    for (size_t i = 0; i < s->count; i++) {
        const double *square = cloud_distances(&t->cloud, s->place + i * SUBSPACE_DIM, i);
        for (size_t j = 0; j < i; j++) {
            if (s->label[i] == s->label[j]) continue;
            t->safe[i] = fmin(t->safe[i], 0.25 * square[j]);
            t->safe[j] = fmin(t->safe[j], 0.25 * square[j]);
        }
    }
    for (size_t i = s->count; i-- > 0;) t->core[s->label[i]] = i;
    for (size_t i = 0; i < s->count; i++)
        if (t->safe[i] > t->safe[t->core[s->label[i]]]) t->core[s->label[i]] = i;
}

/* The mode of the nearest sampled point. Most rows are so close to the core of a mode that no other point is compared. */
static size_t mode_of(const tally *t, const double *x) {
    const row_sample *s = t->sample;
    double            place[SUBSPACE_DIM];
    subspace_map(t->space, x, place);
    for (size_t j = 0; j < t->groups; j++) {
        size_t mode = (t->now + j) % t->groups, core = t->core[mode];
        if (point_distance(SUBSPACE_DIM, place, s->place + core * SUBSPACE_DIM) < t->safe[core]) return mode;
    }
    return s->label[cloud_nearest(&t->cloud, place)];
}

static void tally_row(void *context, size_t chain, size_t row, const double *values) {
    tally        *t = context;
    const double *x = values + t->sample->first;
    size_t        dim = t->sample->dim, mode = t->now;
    uint64_t      cycle = row_sample_cycle(t->sample, values);
    if (row == 0 || memcmp(t->before, x, dim * sizeof *x) != 0) {
        mode = mode_of(t, x);
        memcpy(t->before, x, dim * sizeof *x);
        t->mode[mode].arrivals += row > 0 && mode != t->now;
        t->now = mode;
    }
    if (cycle < t->mode[mode].found) t->mode[mode].found = cycle;
    t->label[chain * t->rows + row] = (uint8_t)mode;
    t->visits[mode * t->chains + chain]++;
    moments_add(&t->moments, mode, t->count[mode] += 1.0, x);
}

/* -- The table ---------------------------------------------------------------------------------------------------- */

/* Modes, then centres, spreads and visits, in one block; *m and *visits point into it. */
static bool table_create(mode_table *t, size_t count, size_t dim, size_t chains, moments *m, uint64_t **visits) {
    size_t numbers, size = count * sizeof *t->mode;
    *t = (mode_table){.count = count, .dim = dim, .chains = chains};
    if (!__builtin_mul_overflow(count, 2 * dim + chains, &numbers) && numbers < (SIZE_MAX - size) / sizeof(double))
        t->room = calloc(1, size + numbers * sizeof(double));
    if (!t->room) {
        *t = (mode_table){0};
        return false;
    }
    t->mode = t->room;
    *m = (moments){dim, (double *)(void *)(t->mode + count), (double *)(void *)(t->mode + count) + count * dim};
    *visits = (uint64_t *)(void *)(m->square + count * dim);
    for (size_t j = 0; j < count; j++) {
        t->mode[j].found = UINT64_MAX;
        t->mode[j].centre = m->mean + j * dim;
        t->mode[j].spread = m->square + j * dim;
        t->mode[j].visits = *visits + j * chains;
    }
    return true;
}

static ckam_status no_table(size_t count, size_t dim, ckam_error *error) {
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu modes in %zu dimensions", count, dim);
}

void mode_table_free(mode_table *table) {
    free(table->room);
    *table = (mode_table){0};
}

/* Turns sums of squares into standard deviations. */
static void finish_moments(const moments *m, size_t mode, double count) {
    double *square = m->square + mode * m->dim;
    for (size_t k = 0; k < m->dim; k++) square[k] = count > 1.0 ? sqrt(square[k] / (count - 1.0)) : 0.0;
}

static ckam_status one_mode(mode_table *table, const row_sample *s, const ckam_draws_shape *shape, ckam_error *error) {
    moments   m;
    uint64_t *visits;
    if (!table_create(table, 1, s->dim, shape->chains, &m, &visits)) return no_table(1, s->dim, error);
    memcpy(m.mean, s->moments.mean, s->dim * sizeof *m.mean);
    memcpy(m.square, s->moments.square, s->dim * sizeof *m.square);
    finish_moments(&m, 0, s->rows);
    for (size_t c = 0; c < shape->chains; c++) visits[c] = shape->rows;
    table->mode[0].weight = 1.0;
    table->mode[0].found = s->found;
    return CKAM_OK;
}

static int by_weight(const void *left, const void *right) {
    const ckam_mode *a = left, *b = right;
    return (a->weight < b->weight) - (a->weight > b->weight);
}

/* Checks the weights, the heaviest mode first. The table is sorted by now: the label of a mode follows from the place of its
 * centre. */
static ckam_status doubt_weights(mode_table *table, const tally *t, ckam_error *error) {
    const labels l = {.label = t->label, .chains = t->chains, .rows = t->rows, .modes = table->count};
    ckam_status  status = CKAM_OK;
    for (size_t j = 0; j < table->count && !status; j++) {
        const uint8_t label = (uint8_t)((size_t)(table->mode[j].centre - t->moments.mean) / t->moments.dim);
        status = weight_check(&l, label, j, table->mode[j].arrivals, &table->doubts, error);
    }
    return status;
}

/* Weights with their errors. A mode without rows, which is hardly possible, is left out. */
static ckam_status weigh(mode_table *table, const tally *t, ckam_error *error) {
    const size_t total = t->chains * t->rows;
    double      *series = malloc(total * sizeof *series);
    diag_work   *work = diag_work_create(t->chains, t->rows);
    const bool   enough = series && work;
    for (size_t j = 0; j < t->groups && enough; j++) {
        for (size_t i = 0; i < total; i++) series[i] = t->label[i] == j;
        table->mode[j].weight = t->count[j] / (double)total;
        table->mode[j].mcse =
            fmax(diag_mcse_mean(work, series), weight_error(table->mode[j].weight, table->mode[j].arrivals, total));
        finish_moments(&t->moments, j, t->count[j]);
    }
    diag_work_free(work);
    free(series);
    if (!enough)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the weights of modes of %zu rows", total);
    qsort(table->mode, table->count, sizeof *table->mode, by_weight);
    while (table->count > 1 && table->mode[table->count - 1].weight <= 0.0) table->count--;
    for (size_t j = 0; j < table->count; j++) table->crossings += table->mode[j].arrivals;
    return doubt_weights(table, t, error);
}

static ckam_status tally_create(tally *t, const row_sample *s, const subspace *space, size_t groups,
                                const ckam_draws_shape *shape, ckam_error *error) {
    *t = (tally){.sample = s, .space = space, .groups = groups, .rows = shape->rows, .chains = shape->chains};
    t->safe = calloc(s->count + s->dim + groups, sizeof *t->safe);
    t->core = calloc(groups, sizeof *t->core);
    t->label = malloc(t->rows * t->chains);
    if (!cloud_create(&t->cloud, s->count, space->rank) || !t->safe || !t->core || !t->label)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the modes of %zu rows", t->rows * t->chains);
    cloud_fill(&t->cloud, s->place);
    t->before = t->safe + s->count;
    t->count = t->before + s->dim;
    return CKAM_OK;
}

static ckam_status several_modes(mode_table *table, const row_sample *s, const subspace *space, size_t groups,
                                 ckam_draws *draws, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    tally                   t;
    ckam_status             status = tally_create(&t, s, space, groups, shape, error);
    if (!status && !table_create(table, groups, s->dim, shape->chains, &t.moments, &t.visits))
        status = no_table(groups, s->dim, error);
    if (!status) {
        t.mode = table->mode;
        find_cores(&t);
        status = draws_scan(draws, tally_row, &t, error);
    }
    if (!status) status = weigh(table, &t, error);
    cloud_free(&t.cloud);
    free(t.safe);
    free(t.core);
    free(t.label);
    if (status) mode_table_free(table);
    return status;
}

ckam_status find_modes(mode_table *table, ckam_draws *draws, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    row_sample              s;
    subspace                space = {0};
    size_t                  groups = 1;
    *table = (mode_table){0};
    if (shape->columns == shape->first || shape->chains * shape->rows < CLUSTER_LEAST) return CKAM_OK;
    ckam_status status = row_sample_create(&s, draws, error);
    if (!status) status = row_sample_take(&s, draws, error);
    if (!status && s.finite && s.count >= CLUSTER_LEAST) {
        status = subspace_find(&space, s.count, s.dim, s.points, s.place, error);
        if (!status) status = find_groups(&s, space.rank, &groups, error);
        if (!status && groups == 1) status = one_mode(table, &s, shape, error);
        if (!status && groups > 1) status = several_modes(table, &s, &space, groups, draws, error);
    }
    subspace_free(&space);
    row_sample_free(&s);
    return status;
}
