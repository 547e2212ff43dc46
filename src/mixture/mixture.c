/* mixture.c - see mixture.h. */
#include "mixture/mixture.h"

#include "base/box.h"
#include "base/fastmath.h"
#include "base/wide.h"
#include "linalg/linalg.h"

#include <float.h>
#include <string.h>

enum { BYTES_MOST = 8 << 20, CAPACITY_LEAST = 4, TRIALS = 2 };
enum { SMALL = 8 }; /* dimensions up to which a whole distance costs no more than a bound on it */
#define FAR 50.0 /* truncation: a term of q below e^-50 of another is lost in their sum, and no label is drawn for it */

size_t mixture_capacity(size_t dim) {
    size_t fit = BYTES_MOST / sizeof(double) / dim / dim;
    if (fit > MODES_MOST) fit = MODES_MOST;
    return fit < CAPACITY_LEAST ? CAPACITY_LEAST : fit;
}

static size_t layout(mixture *m, size_t dim) {
    size_t end = sizeof *m, slots = mixture_capacity(dim) + TRIALS, square;
    if (__builtin_mul_overflow(dim, dim, &square) || square > SIZE_MAX / 4) return SIZE_MAX;
    m->dim = dim;
    m->capacity = mixture_capacity(dim);
    m->mean = block_take(&end, slots, dim);
    m->factor = block_take(&end, slots, square);
    m->spread = block_take(&end, slots, panels_size(dim));
    m->inverse = block_take(&end, slots, panels_size(dim));
    m->sums = block_take(&end, slots + 1, 2 + dim + square);
    m->work = block_take(&end, 2, dim);
    m->centre = block_take(&end, dim <= tuning.fit.dimensions ? slots : 0, dim);
    m->profile = block_take(&end, dim <= tuning.fit.dimensions ? slots : 0, square);
    m->boxed = block_take(&end, dim, 1);
    m->position = block_take(&end, dim, 1);
    return end;
}

static double *spread(mixture *m, size_t j) { return block_at(m, m->spread) + j * panels_size(m->dim); }
static double *inverse(mixture *m, size_t j) { return block_at(m, m->inverse) + j * panels_size(m->dim); }

size_t mixture_size(size_t dim) { return layout(&(mixture){0}, dim); }

void mixture_begin(mixture *m, size_t dim, const bool *boxed) {
    layout(m, dim);
    for (size_t k = 0; boxed && k < dim; k++) {
        block_at(m, m->boxed)[k] = boxed[k] ? 1.0 : 0.0;
        m->has_box = m->has_box || boxed[k];
    }
    mixture_set_degrees(m, tuning.memory.degrees_start);
}

/* The factor and its inverse in panels, column by column. */
static void make_panels(mixture *m, size_t j) {
    double *column = block_at(m, m->work);
    for (size_t k = 0; k < m->dim; k++) {
        panels_set_column(m->dim, spread(m, j), k, mixture_factor(m, j) + k * m->dim);
        memset(column, 0, m->dim * sizeof *column);
        column[k] = 1.0;
        tri_solve_from(m->dim, mixture_factor(m, j), k, column);
        panels_set_column(m->dim, inverse(m, j), k, column);
    }
}

/* log Gamma(x), x > 0: Stirling's series from x = 16 on. lgamma() writes a global variable. */
static double log_gamma(double x) {
    double product = 1.0;
    while (x < 16.0) {
        product *= x;
        x += 1.0;
    }
    double i = 1.0 / x, i2 = i * i;
    double series = i * (1.0 / 12.0 - i2 * (1.0 / 360.0 - i2 * (1.0 / 1260.0 - i2 * (1.0 / 1680.0 - i2 / 1188.0))));
    return (x - 0.5) * log(x) - x + 0.91893853320467274178 + series - log(product);
}

double mixture_log_constant(double degrees, double dim) {
    const double pi = 3.14159265358979323846;
    return log_gamma(0.5 * (degrees + dim)) - log_gamma(0.5 * degrees) - 0.5 * dim * log(degrees * pi);
}

void mixture_prepare(mixture *m, size_t j) {
    component *c = &m->at[j];
    make_panels(m, j);
    c->log_det = 0.5 * chol_log_det(m->dim, mixture_factor(m, j));
    c->log_constant = m->log_constant - c->log_det;
}

void mixture_set_degrees(mixture *m, double degrees) {
    m->degrees = degrees;
    m->log_constant = mixture_log_constant(degrees, (double)m->dim);
    for (size_t j = 0; j < m->count + m->retired; j++) m->at[j].log_constant = m->log_constant - m->at[j].log_det;
}

double mixture_log_t(const mixture *m, size_t j, double distance, double *t_weight) {
    const double order = m->degrees + (double)m->dim;
    if (t_weight) *t_weight = order / (m->degrees + distance);
    return m->at[j].log_constant - 0.5 * order * log_fast(1.0 + distance / m->degrees);
}

double mixture_t_weight(const mixture *m, size_t j, double log_t) {
    const double order =
        m->degrees + (double)m->dim; /* log t = log_constant - order/2 log((degrees + distance) / degrees) */
    return order / m->degrees * exp_fast(2.0 / order * (log_t - m->at[j].log_constant));
}

void mixture_normalise(mixture *m) {
    double sum = 0.0;
    for (size_t j = 0; j < m->count; j++) sum += m->at[j].weight;
    for (size_t j = 0; j < m->count; j++) {
        m->at[j].weight /= sum;
        m->at[j].log_weight = log(m->at[j].weight);
    }
}

void mixture_share(mixture *to, mixture *from) {
    size_t used = from->count + from->retired, dim = from->dim, panels = panels_size(dim);
    memcpy(to, from, sizeof *to);
    memcpy(mixture_mean(to, 0), mixture_mean(from, 0), used * dim * sizeof(double));
    memcpy(mixture_factor(to, 0), mixture_factor(from, 0), used * dim * dim * sizeof(double));
    memcpy(spread(to, 0), spread(from, 0), used * panels * sizeof(double));
    memcpy(inverse(to, 0), inverse(from, 0), used * panels * sizeof(double));
    if (dim > tuning.fit.dimensions) return;
    memcpy(mixture_centre(to, 0), mixture_centre(from, 0), used * dim * sizeof(double));
    memcpy(mixture_profile(to, 0), mixture_profile(from, 0), used * dim * dim * sizeof(double));
}

void mixture_copy(mixture *m, size_t to, size_t from) {
    size_t square = m->dim * m->dim * sizeof(double), panels = panels_size(m->dim) * sizeof(double);
    if (to == from) return;
    m->at[to] = m->at[from];
    memcpy(mixture_mean(m, to), mixture_mean(m, from), m->dim * sizeof(double));
    memcpy(mixture_factor(m, to), mixture_factor(m, from), square);
    memcpy(spread(m, to), spread(m, from), panels);
    memcpy(inverse(m, to), inverse(m, from), panels);
    if (!mixture_has_profile(&m->at[from])) return;
    memcpy(mixture_centre(m, to), mixture_centre(m, from), m->dim * sizeof(double));
    memcpy(mixture_profile(m, to), mixture_profile(m, from), square);
}

void mixture_remove(mixture *m, size_t j, bool retire) {
    size_t last = m->count + m->retired - 1, spare = m->capacity;
    mixture_copy(m, spare, j);
    for (size_t k = j; k < last; k++) mixture_copy(m, k, k + 1);
    m->count--;
    if (retire) {
        mixture_copy(m, last, spare);
        m->retired++;
    }
}

size_t mixture_add(mixture *m) {
    size_t all = m->count + m->retired;
    if (m->count == m->capacity) return m->capacity;
    if (all == m->capacity) { /* the oldest of the retired is forgotten */
        m->retired--;
        all--;
        for (size_t k = m->count; k < all; k++) mixture_copy(m, k, k + 1);
    }
    for (size_t k = all; k > m->count; k--) mixture_copy(m, k, k - 1);
    m->at[m->count] = (component){.step = 1.0};
    return m->count++;
}

void mixture_standardise(mixture *m, size_t j, const double *x, double *u) {
    const double *mean = mixture_mean(m, j);
    double       *centred = block_at(m, m->work);
    for (size_t k = 0; k < m->dim; k++) centred[k] = x[k] - mean[k];
    panels_multiply(m->dim, inverse(m, j), centred, u);
}

void mixture_shift(mixture *m, size_t j, double scale, const double *u, const double *from, double *to) {
    double *step = block_at(m, m->work);
    panels_multiply(m->dim, spread(m, j), u, step);
    for (size_t k = 0; k < m->dim; k++) to[k] = from[k] + scale * step[k];
}

void mixture_place(mixture *m, size_t j, const double *u, double *x) {
    mixture_shift(m, j, 1.0, u, mixture_mean(m, j), x);
}

double mixture_distance_within(mixture *m, size_t j, const double *x, double limit) {
    return panels_square(m->dim, inverse(m, j), x, mixture_mean(m, j), limit, block_at(m, m->work));
}

double mixture_distance(mixture *m, size_t j, const double *x) { return mixture_distance_within(m, j, x, HUGE_VAL); }

profile_point mixture_profile_point(mixture *m, const double *x) {
    double *position = block_at(m, m->position), sum = 0.0;
    if (!m->has_box) return (profile_point){x, x, 0.0};
    for (size_t k = 0; k < m->dim; k++) {
        double log_slope, distance;
        position[k] = x[k];
        if (block_at(m, m->boxed)[k] == 0.0) continue;
        distance = box_distance(x[k], &log_slope);
        position[k] = x[k] < 0.0 ? distance : 1.0 - distance;
        sum += log_slope;
    }
    return (profile_point){x, position, sum};
}

double mixture_predict(mixture *m, size_t j, const profile_point *at, double *peak) {
    const component *c = &m->at[j];
    double          *apart = block_at(m, m->work);
    if (!mixture_has_profile(c)) {
        *peak = m->log_z + c->log_weight + c->log_constant;
        return *peak - 0.5 * mixture_distance(m, j, at->x);
    }
    for (size_t k = 0; k < m->dim; k++) apart[k] = at->position[k] - mixture_centre(m, j)[k];
    tri_solve(m->dim, mixture_profile(m, j), apart);
    const double distance = vec_dot(m->dim, apart, apart), order = c->profile_degrees + (double)m->dim;
    *peak = c->profile_peak + at->log_slope;
    return *peak - 0.5 * (mixture_has_tail(c) ? order * log1p(distance / c->profile_degrees) : distance);
}

/* limit[j] := the squared distance at which log t of component j, whose greatest term in q is e^peak[j], has fallen
 * so far that its term is e^least: least = peak - order/2 log(1 + distance / degrees). */
WIDE static void find_limits(size_t count, double degrees, double order, double least, const double *restrict peak,
                             double *restrict limit) {
    for (size_t j = 0; j < count; j++) limit[j] = degrees * (exp_fast(2.0 / order * (peak[j] - least)) - 1.0);
}

static void limits_for(const mixture *m, double least, double *limit) {
    double peak[MODES_MOST];
    for (size_t j = 0; j < m->count; j++) peak[j] = m->at[j].log_constant + m->at[j].log_weight;
    find_limits(m->count, m->degrees, m->degrees + (double)m->dim, least, peak, limit);
}

/* log t of component j, unless x is beyond the limit. */
static bool log_t_within(mixture *m, size_t j, const double *x, double limit, double *out) {
    double distance = mixture_distance_within(m, j, x, limit);
    if (distance > limit) return false;
    *out = mixture_log_t(m, j, distance < DBL_MAX ? distance : DBL_MAX, NULL);
    return true;
}

/* Terms below e^-far of that of component `near` are truncated: see mixture_log_density_near(). */
static double log_density(mixture *m, const double *x, size_t near, double far, double *out) {
    double  room[MODES_MOST], sum = 0.0;
    double *limit = far < HUGE_VAL && m->count > 1 ? room : NULL;
    size_t  close[MODES_MOST], count = 0;
    log_t_within(m, near, x, HUGE_VAL, &out[near]);
    double most = out[near] + m->at[near].log_weight, least = most - far;
    if (limit) limits_for(m, least, limit);
    for (size_t j = 0; j < m->count; j++) {
        if (j != near && !log_t_within(m, j, x, limit ? limit[j] : HUGE_VAL, &out[j])) {
            out[j] = least - m->at[j].log_weight;
            continue;
        }
        const double term = out[j] + m->at[j].log_weight;
        most = term > most ? term : most;
        close[count++] = j;
    }
    if (count == 1) return most;
    for (size_t k = 0; k < count; k++) sum += exp_fast(out[close[k]] + m->at[close[k]].log_weight - most);
    return most + log_fast(sum);
}

double mixture_log_density(mixture *m, const double *x, double *out) { return log_density(m, x, 0, HUGE_VAL, out); }

double mixture_log_density_near(mixture *m, const double *x, size_t near, double *out) {
    return log_density(m, x, near, m->dim > SMALL ? FAR : HUGE_VAL, out);
}

size_t mixture_label(const mixture *m, rng *r, const double *each, double log_q) {
    double u = rng_uniform(r), sum = 0.0;
    for (size_t j = 0; j + 1 < m->count; j++) {
        sum += exp_fast(each[j] + m->at[j].log_weight - log_q);
        if (u < sum) return j;
    }
    return m->count - 1;
}

/* chi-squared with k > 2 degrees of freedom: Marsaglia and Tsang's method for the gamma distribution. */
static double chi_squared(rng *r, double k) {
    double d = 0.5 * k - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        double x = rng_normal(r), v = 1.0 + c * x;
        if (v <= 0.0) continue;
        v = v * v * v;
        if (log(rng_uniform(r)) < 0.5 * x * x + d - d * v + d * log(v)) return 2.0 * d * v;
    }
}

void mixture_draw(mixture *m, rng *r, size_t j, double *y) {
    double *z = block_at(m, m->work) + m->dim, scale = sqrt(m->degrees / chi_squared(r, m->degrees));
    rng_normals(r, m->dim, z);
    mixture_shift(m, j, scale, z, mixture_mean(m, j), y);
}

size_t mixture_choose(const mixture *m, rng *r, size_t without) {
    double total = without < m->count ? 1.0 - m->at[without].weight : 1.0;
    double u = rng_uniform(r) * total, sum = 0.0;
    size_t last = m->count;
    for (size_t j = 0; j < m->count; j++) {
        if (j == without) continue;
        sum += m->at[j].weight;
        last = j;
        if (u < sum) break;
    }
    return last;
}

void mixture_map(mixture *m, size_t from, size_t to, const double *x, double *y) {
    double *z = block_at(m, m->work) + m->dim;
    mixture_standardise(m, from, x, z);
    mixture_place(m, to, z, y);
}

double mixture_separation(mixture *m, size_t i, size_t j) {
    double a = sqrt(mixture_distance(m, i, mixture_mean(m, j))), b = sqrt(mixture_distance(m, j, mixture_mean(m, i)));
    return a > 0.0 && b > 0.0 ? 1.0 / (1.0 / a + 1.0 / b) : 0.0;
}

bool mixture_may_hide(const mixture *m, size_t k, size_t j) {
    const double wider = (m->at[k].log_det - m->at[j].log_det) / (double)m->dim;
    return m->at[j].confirmed && !m->at[k].confirmed && wider > log(tuning.significant);
}

size_t mixture_match(mixture *m, size_t j) {
    size_t nearest = m->count + m->retired;
    double least = 1.0, near = affine_at(tuning.known.radius, sqrt((double)m->dim));
    for (size_t k = 0; k < m->count + m->retired; k++) {
        double limit = (k < m->count ? 1.0 : tuning.known.failed) * near;
        double separation = mixture_separation(m, k, j) / limit;
        if (separation >= least || (k < m->count && mixture_may_hide(m, k, j))) continue;
        least = separation;
        nearest = k;
    }
    return nearest;
}

bool mixture_is_established(const mixture *m, size_t j) {
    for (size_t k = 0; k < m->count; k++)
        if (m->at[k].mode == m->at[j].mode && m->at[k].established) return true;
    return false;
}

/* The modes with the numbers a and b become one. */
static void unite(mixture *m, uint64_t a, uint64_t b) {
    uint64_t kept = a < b ? a : b, lost = a < b ? b : a, first = UINT64_MAX;
    for (size_t j = 0; j < m->count; j++) {
        component *c = &m->at[j];
        if (c->mode == lost) c->mode = kept;
        if (c->mode == kept && c->first_cycle < first) first = c->first_cycle;
    }
    for (size_t j = 0; j < m->count; j++)
        if (m->at[j].mode == kept) m->at[j].first_cycle = first;
}

static bool touch(mixture *m, const mixture_overlap *o, size_t i, size_t j) {
    double both = o->both[i > j ? i : j][i > j ? j : i], draws = fmin(o->draws[i], o->draws[j]);
    return both > tuning.memory.minor_share * draws || mixture_separation(m, i, j) < tuning.significant;
}

/* Components with the number of i that are not connected with i by touching ones get a new number. */
static void part_from(mixture *m, const mixture_overlap *overlap, size_t i) {
    bool     with[MODES_MOST] = {false}, grows = true;
    uint64_t number = m->at[i].mode, other = 0;
    with[i] = true;
    while (grows) {
        grows = false;
        for (size_t j = 0; j < m->count; j++)
            for (size_t k = 0; k < m->count && !with[j] && m->at[j].mode == number; k++)
                if (with[k] && j != k && touch(m, overlap, j, k)) grows = with[j] = true;
    }
    for (size_t j = 0; j < m->count; j++) {
        if (m->at[j].mode != number || with[j]) continue;
        if (!other) other = ++m->last_mode;
        m->at[j].mode = other;
    }
}

/* Whether i is the first component with its number, of those that have been reached if `reached`. */
static bool is_first(const mixture *m, size_t i, bool reached) {
    for (size_t j = 0; j < i; j++)
        if (m->at[j].mode == m->at[i].mode && (m->at[j].reached || !reached)) return false;
    return m->at[i].reached || !reached;
}

size_t mixture_number_modes(mixture *m, const mixture_overlap *overlap, uint64_t cycle) {
    size_t reached = 0;
    for (size_t j = 0; j < m->count; j++)
        if (!m->at[j].mode) {
            m->at[j].mode = ++m->last_mode;
            m->at[j].first_cycle = cycle;
        }
    for (size_t i = 0; i < m->count; i++)
        if (is_first(m, i, false)) part_from(m, overlap, i);
    for (size_t i = 0; i < m->count; i++)
        for (size_t j = 0; j < i; j++)
            if (m->at[i].mode != m->at[j].mode && touch(m, overlap, i, j)) unite(m, m->at[i].mode, m->at[j].mode);
    for (size_t i = 0; i < m->count; i++) reached += is_first(m, i, true);
    return reached;
}

modes_tally mixture_search_hits(const mixture *m) {
    modes_tally tally = {0};
    for (size_t i = 0; i < m->count; i++) {
        double hits = 0.0, weight = 0.0;
        if (!is_first(m, i, true)) continue;
        for (size_t j = 0; j < m->count; j++) {
            if (m->at[j].mode != m->at[i].mode) continue;
            hits += m->at[j].search_hits;
            weight += m->at[j].weight;
        }
        tally.modes++;
        tally.twice += hits == 2.0;
        tally.once += weight < tuning.memory.minor_share ? hits == 1.0 : hits <= 1.0;
    }
    return tally;
}
