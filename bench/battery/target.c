/* target.c - see target.h. */
#include "target.h"

#include "components.h"
#include "measure.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COUNT_MOST = 12,
    STREAM = 2000, /* of the random numbers that make targets: no chain has this number */
    TRIES = 10000,
    REACH_DRAWS = 100000,
    PILOT_DRAWS = 2000,    /* of a component, whether a box leaves enough of it */
    ROUND_DRAWS = 40000,   /* of all components, for the shares */
    SHARE_DRAWS = 400000,  /* at most */
    HALVES_DRAWS = 200000, /* for medians, of a target with one component */
    CHECK_DRAWS = 200000,
    CHECK_DIM_MOST = 4
};
#define DISTANCE_LEAST 4.0
#define DISTANCE_MOST  100.0
#define WEIGHT_LEAST   0.03
#define INSIDE_LEAST   0.05  /* probability of a box under each component */
#define SHARE_SE       0.001 /* standard error of shares from exact draws */

const char *const family_word[FAMILIES] = {"gauss", "t", "bent", "ring", "box"};

typedef struct random_mixture {
    size_t    count;
    double    weight[COUNT_MOST]; /* of the components before bounds cut them */
    component at[COUNT_MOST];
} random_mixture;

static double between(rng *r, double low, double high) { return low + (high - low) * rng_uniform(r); }
static double log_between(rng *r, double low, double high) { return exp(between(r, log(low), log(high))); }

static const random_mixture *mixture_of(const density *d) { return d->own; }

/* -- The density --------------------------------------------------------------------------------------------------- */

static int log_density(void *context, const double *z, double *value) {
    const density        *d = context;
    const random_mixture *m = mixture_of(d);
    double                each[COUNT_MOST], most = -HUGE_VAL, sum = DBL_MIN; /* not 0 for the analysers */
    for (size_t j = 0; j < m->count; j++) {
        each[j] = log(m->weight[j]) + component_log_density(&m->at[j], d->dim, z);
        most = fmax(most, each[j]);
    }
    for (size_t j = 0; j < m->count; j++) sum += exp(each[j] - most);
    *value = most + log(sum);
    return isfinite(*value) ? CKAM_OK : CKAM_REJECT;
}

static size_t owner(const density *d, const double *z) {
    const random_mixture *m = mixture_of(d);
    double                most = -HUGE_VAL;
    size_t                found = 0;
    for (size_t j = 0; j < m->count; j++) {
        double each = log(m->weight[j]) + component_log_density(&m->at[j], d->dim, z);
        if (each <= most) continue;
        most = each;
        found = j;
    }
    return found;
}

static bool is_inside(const density *d, const double *z) {
    for (size_t k = 0; d->bounded && k < d->dim; k++)
        if (!(d->lower[k] < z[k] && z[k] < d->upper[k])) return false;
    return true;
}

static void draw(const density *d, rng *r, double *z) {
    const random_mixture *m = mixture_of(d);
    do {
        double u = rng_uniform(r);
        size_t j = 0;
        while (j + 1 < m->count && u >= m->weight[j]) u -= m->weight[j++];
        component_draw_from(&m->at[j], d->dim, r, z);
    } while (!is_inside(d, z));
}

/* -- Components ---------------------------------------------------------------------------------------------------- */

static void make_shape(component *c, family f, size_t dim, size_t index, double freedom, rng *r) {
    c->shape = f == STUDENT ? T : f == BENT ? TWISTED : GAUSSIAN;
    c->freedom = freedom;
    if (f == BENT) {
        c->a = rng_below(r, dim);
        c->b = (c->a + 1 + rng_below(r, dim - 1)) % dim;
        c->bend = log_between(r, 0.5, 3.0);
    }
    if (f == RING && (!index || rng_below(r, 2))) {
        c->shape = SPHERE;
        c->span = rng_below(r, 2) ? dim : 2;
        c->width = log_between(r, 0.02, 0.2);
    }
    component_finish(c, dim);
}

/* The distance of two centres in units of the larger sd along the line between them. */
static double distance(const component *a, const component *b, size_t dim) {
    double u[DIM_MOST], length = 0.0;
    for (size_t k = 0; k < dim; k++) {
        u[k] = b->centre[k] - a->centre[k];
        length += u[k] * u[k];
    }
    length = sqrt(length);
    for (size_t k = 0; k < dim; k++) u[k] /= length;
    return length / fmax(component_sd(a, dim, u), component_sd(b, dim, u));
}

static bool is_apart(const random_mixture *m, size_t j, size_t dim) {
    for (size_t i = 0; i < j; i++)
        if (!(distance(&m->at[i], &m->at[j], dim) >= DISTANCE_LEAST)) return false;
    return true;
}

/* False where there is no room. */
static bool place(random_mixture *m, size_t j, size_t dim, rng *r) {
    component *c = &m->at[j];
    if (!j) return true;
    for (int i = 0; i < TRIES; i++) {
        const component *near = &m->at[rng_below(r, j)];
        double           u[DIM_MOST], length = 0.0, away = log_between(r, 1.01 * DISTANCE_LEAST, DISTANCE_MOST);
        for (size_t k = 0; k < dim; k++) {
            u[k] = rng_normal(r);
            length += u[k] * u[k];
        }
        for (size_t k = 0; k < dim; k++) u[k] /= sqrt(length);
        away *= fmax(component_sd(near, dim, u), component_sd(c, dim, u));
        for (size_t k = 0; k < dim; k++) c->centre[k] = near->centre[k] + away * u[k];
        if (is_apart(m, j, dim)) return true;
    }
    return false;
}

static void make_weights(random_mixture *m, rng *r) {
    double sum = 0.0, rest = 1.0 - WEIGHT_LEAST * (double)m->count;
    for (size_t j = 0; j < m->count; j++) sum += m->weight[j] = -log(rng_uniform(r));
    for (size_t j = 0; j < m->count; j++) m->weight[j] = WEIGHT_LEAST + rest * m->weight[j] / sum;
}

/* The overall scale and location. */
static void settle(random_mixture *m, size_t dim, rng *r) {
    double mean[DIM_MOST] = {0.0}, square = 0.0, scale = log_between(r, 0.5, 50.0);
    for (size_t j = 0; j < m->count; j++)
        for (size_t k = 0; k < dim; k++) mean[k] += m->weight[j] * m->at[j].centre[k];
    for (size_t k = 0; k < dim; k++) {
        double axis[DIM_MOST] = {0.0};
        axis[k] = 1.0;
        for (size_t j = 0; j < m->count; j++) {
            double sd = component_sd(&m->at[j], dim, axis), off = m->at[j].centre[k] - mean[k];
            square += m->weight[j] * (sd * sd + off * off);
        }
    }
    double factor = scale / sqrt(square / (double)dim);
    for (size_t j = 0; j < m->count; j++) component_scale(&m->at[j], dim, factor);
    for (size_t k = 0; k < dim; k++) {
        double shift = scale * rng_normal(r) - factor * mean[k];
        for (size_t j = 0; j < m->count; j++) m->at[j].centre[k] += shift;
    }
}

/* -- The box ------------------------------------------------------------------------------------------------------- */

/* The probability of the box under component j, from exact draws. */
static double probability_inside(const density *d, size_t j, rng *r, size_t draws) {
    double z[DIM_MOST];
    size_t inside = 0;
    for (size_t i = 0; i < draws; i++) {
        component_draw_from(&mixture_of(d)->at[j], d->dim, r, z);
        inside += is_inside(d, z);
    }
    return (double)inside / (double)draws;
}

static bool leaves_all(const density *d, rng *r) {
    for (size_t j = 0; j < mixture_of(d)->count; j++)
        if (probability_inside(d, j, r, PILOT_DRAWS) < INSIDE_LEAST) return false;
    return true;
}

/* The component that reaches furthest up (sign 1) or down (-1) in coordinate k: *sd := its own there. */
static const component *outermost(const density *d, size_t k, double sign, double *sd) {
    const random_mixture *m = mixture_of(d);
    const component      *found = NULL;
    double                most = -HUGE_VAL, axis[DIM_MOST] = {0.0};
    axis[k] = 1.0;
    for (size_t j = 0; j < m->count; j++) {
        double own = component_sd(&m->at[j], d->dim, axis), reach = sign * m->at[j].centre[k] + 3.0 * own;
        if (reach <= most) continue;
        most = reach;
        found = &m->at[j];
        *sd = own;
    }
    return found;
}

/* Sides are 3 to 6 sd from the centre of the outermost component; 1 to 3 of them cut it at -1 to 1.5 sd, so that it is piled up there,
 * but for cuts that would leave less than INSIDE_LEAST of a component. */
static void make_box(density *d, rng *r) {
    double sd = 0.0;
    d->bounded = true;
    for (size_t k = 0; k < d->dim; k++) {
        const component *low = outermost(d, k, -1.0, &sd);
        d->lower[k] = low->centre[k] - between(r, 3.0, 6.0) * sd;
        const component *high = outermost(d, k, 1.0, &sd);
        d->upper[k] = high->centre[k] + between(r, 3.0, 6.0) * sd;
    }
    for (size_t cuts = 1 + rng_below(r, 3); cuts; cuts--) {
        size_t           k = rng_below(r, d->dim);
        double           sign = rng_below(r, 2) ? 1.0 : -1.0;
        double          *side = sign > 0.0 ? &d->upper[k] : &d->lower[k], before = *side;
        const component *c = outermost(d, k, sign, &sd);
        *side = c->centre[k] + sign * between(r, -1.0, 1.5) * sd;
        if (!(d->lower[k] < d->upper[k]) || !leaves_all(d, r)) *side = before;
    }
}

/* Makes the weights those of the components within the bounds, about. */
static void reweight(density *d, random_mixture *m, rng *r) {
    double sum = 0.0;
    for (size_t j = 0; j < m->count; j++) {
        m->weight[j] /= fmax(probability_inside(d, j, r, 10 * PILOT_DRAWS), 0.5 * INSIDE_LEAST);
        sum += m->weight[j];
    }
    for (size_t j = 0; j < m->count; j++) m->weight[j] /= sum;
}

/* -- Answers ------------------------------------------------------------------------------------------------------- */

typedef struct counts {
    size_t draws; /* of each component */
    size_t hit[COUNT_MOST][EVENTS_MOST], inside[COUNT_MOST];
} counts;

static void draw_round(const density *d, rng *r, counts *n) {
    const random_mixture *m = mixture_of(d);
    size_t                each = ROUND_DRAWS / m->count;
    double                z[DIM_MOST];
    bool                  hit[EVENTS_MOST];
    for (size_t j = 0; j < m->count; j++)
        for (size_t i = 0; i < each; i++) {
            component_draw_from(&m->at[j], d->dim, r, z);
            if (!is_inside(d, z)) continue;
            n->inside[j]++;
            density_events(d, z, hit);
            for (size_t e = 0; e < d->events; e++) n->hit[j][e] += hit[e];
        }
    n->draws += each;
}

/* share[e] = sum_j w_j P_j(event e) / sum_j w_j P_j(box). Returns the largest standard error. */
static double estimate_shares(density *d, const counts *n) {
    const random_mixture *m = mixture_of(d);
    double                draws = (double)n->draws, inside = 0.0, worst = 0.0;
    for (size_t j = 0; j < m->count; j++) inside += m->weight[j] * (double)n->inside[j] / draws;
    for (size_t e = 0; e < d->events; e++) {
        double sum = 0.0, variance = 0.0;
        for (size_t j = 0; j < m->count; j++) {
            double p = (double)n->hit[j][e] / draws;
            sum += m->weight[j] * p;
            variance += m->weight[j] * m->weight[j] * p * (1.0 - p) / draws;
        }
        d->share[e] = sum / inside;
        worst = fmax(worst, sqrt(variance) / inside);
    }
    d->log_z = log(inside);
    return worst;
}

/* Rounds of exact draws until the shares are known well enough. */
static void find_answers(density *d, rng *r) {
    counts *n = take(sizeof *n);
    if (mixture_of(d)->count > 1) {
        d->owner = owner;
        density_regions(d, mixture_of(d)->count);
    } else {
        density_halves(d, HALVES_DRAWS);
    }
    do draw_round(d, r, n);
    while (estimate_shares(d, n) > SHARE_SE && n->draws * mixture_of(d)->count < SHARE_DRAWS);
    for (size_t e = 0; !d->owner && e < d->events; e++) d->share[e] = 0.5; /* as the cuts were chosen */
    free(n);
}

/* -- Targets ------------------------------------------------------------------------------------------------------- */

static void begin(rng *r, uint64_t seed, family *f, size_t *dim) {
    rng_init(r, seed, STREAM);
    *f = (family)rng_below(r, FAMILIES);
    *dim = rng_below(r, 2) ? 1 + rng_below(r, 5) : 6 + rng_below(r, 15);
    if ((*f == BENT || *f == RING) && *dim == 1) *dim = 2; /* they need a plane */
}

void random_target_peek(uint64_t seed, family *f, size_t *dim) {
    rng r;
    begin(&r, seed, f, dim);
}

static void make_components(random_target *t, random_mixture *m, size_t dim, rng *r) {
    size_t most = dim <= 5 ? COUNT_MOST : dim <= 10 ? 8 : 5, wanted = 1 + rng_below(r, most);
    double worst = rng_below(r, 10) < 3 ? 1.0 : log_between(r, 1.0, 1e6);
    double freedom = rng_below(r, 2) ? 5.0 : 3.0 + (double)rng_below(r, 8);
    for (size_t j = 0; j < wanted; j++) {
        component *c = &m->at[j];
        component_axes(c, dim, r, between(r, 0.0, log(1e3)), j ? log_between(r, 1.0, worst) : worst);
        make_shape(c, t->family, dim, j, freedom, r);
        if (!place(m, j, dim, r)) break;
        m->count++;
        t->condition = fmax(t->condition, c->condition);
    }
    t->components = m->count;
}

void random_target_create(random_target *t, uint64_t seed) {
    density        *d = take(sizeof *d);
    random_mixture *m = take(sizeof *m);
    double          unit[DIM_MOST];
    rng             r;
    *t = (random_target){.density = d, .condition = 1.0};
    begin(&r, seed, &t->family, &d->dim);
    snprintf(d->name, sizeof d->name, "%s", family_word[t->family]);
    d->own = m;
    d->log_density = log_density;
    d->draw = draw;
    make_components(t, m, d->dim, &r);
    make_weights(m, &r);
    settle(m, d->dim, &r);
    t->has_units = rng_below(&r, 2);
    for (size_t k = 0; k < d->dim; k++) unit[k] = t->has_units ? log_between(&r, 1e-3, 1e3) : 1.0;
    mapping_of_units(&t->map, d->dim, unit);
    if (t->family == BOX) {
        make_box(d, &r);
        reweight(d, m, &r);
    }
    find_answers(d, &r);
}

void random_target_free(random_target *t) { density_free(t->density); }

/* -- Reach --------------------------------------------------------------------------------------------------------- */

static void draw_heated(const component *c, size_t dim, rng *r, double *z) {
    double heat = sqrt(log_between(r, 10.0, 3000.0)), u[DIM_MOST];
    for (size_t k = 0; k < dim; k++) u[k] = heat * rng_normal(r);
    for (size_t i = 0; i < dim; i++) {
        z[i] = c->centre[i];
        for (size_t k = 0; k < dim; k++) z[i] += c->frame[i][k] * u[k];
    }
}

double random_target_reach(const random_target *t, uint64_t seed) {
    const density        *d = t->density;
    const random_mixture *m = mixture_of(d);
    size_t                met[COUNT_MOST] = {0}, drawn[COUNT_MOST] = {0};
    double                least = 1.0, z[DIM_MOST];
    rng                   r;
    rng_init(&r, seed, STREAM + 2);
    for (size_t i = 0; m->count > 1 && i < REACH_DRAWS; i++) {
        size_t from = rng_below(&r, m->count);
        draw_heated(&m->at[from], d->dim, &r, z);
        drawn[from]++;
        if (!is_inside(d, z)) continue;
        size_t in = owner(d, z);
        if (in != from) met[in]++;
    }
    for (size_t j = 0; m->count > 1 && j < m->count; j++)
        least = fmin(least, (double)met[j] / (double)(REACH_DRAWS - drawn[j]));
    return least;
}

/* -- Checks -------------------------------------------------------------------------------------------------------- */

/* Each component as a t distribution with 5 degrees of freedom and 1.5 times its sds: what importance sampling draws from. */
static void widen(const random_mixture *m, size_t dim, random_mixture *wide) {
    *wide = *m;
    for (size_t j = 0; j < m->count; j++) {
        component *c = &wide->at[j];
        for (size_t k = 0; k < dim; k++) {
            double factor = c->shape == TWISTED && k == c->b ? 1.5 * sqrt(1.0 + 2.0 * c->bend * c->bend) : 1.5;
            for (size_t i = 0; i < dim; i++) {
                c->frame[i][k] *= factor;
                c->whitening[k][i] /= factor;
            }
            c->log_volume += log(factor);
        }
        c->shape = T;
        c->freedom = 5.0;
        component_finish(c, dim);
        wide->weight[j] = 1.0 / (double)m->count;
    }
}

/* What importance sampling says of the integral and the shares. */
static void check_integral(density *d, uint64_t seed, target_check *check) {
    random_mixture *wide = take(sizeof *wide), *m = d->own;
    double          z[DIM_MOST], above, below, sum = 0.0, squares = 0.0, mass[EVENTS_MOST] = {0.0};
    bool            hit[EVENTS_MOST], bounded = d->bounded;
    rng             r;
    rng_init(&r, seed, STREAM + 1);
    widen(m, d->dim, wide);
    for (size_t i = 0; i < CHECK_DRAWS; i++) {
        d->own = wide;
        d->bounded = false;
        draw(d, &r, z);
        (void)log_density(d, z, &below);
        d->own = m;
        d->bounded = bounded;
        if (log_density(d, z, &above) || !is_inside(d, z)) continue;
        double weight = exp(above - below - d->log_z);
        sum += weight / CHECK_DRAWS;
        squares += weight * weight / CHECK_DRAWS;
        density_events(d, z, hit);
        for (size_t e = 0; e < d->events; e++) mass[e] += weight * hit[e] / CHECK_DRAWS;
    }
    for (size_t e = 0; e < d->events; e++)
        check->share_error = fmax(check->share_error, fabs(mass[e] / sum - d->share[e]));
    check->integral = sum;
    check->integral_se = sqrt((squares - sum * sum) / CHECK_DRAWS);
    free(wide);
}

/* The least of P_j(region j) / P_j(box), by exact draws. */
static double least_own_share(const density *d, uint64_t seed) {
    const random_mixture *m = mixture_of(d);
    double                least = 1.0, z[DIM_MOST];
    rng                   r;
    rng_init(&r, seed, STREAM + 2);
    for (size_t j = 0; j < m->count && d->owner; j++) {
        size_t inside = 0, own = 0;
        for (size_t i = 0; i < PILOT_DRAWS; i++) {
            component_draw_from(&m->at[j], d->dim, &r, z);
            if (!is_inside(d, z)) continue;
            inside++;
            own += owner(d, z) == j;
        }
        least = fmin(least, (double)own / fmax((double)inside, 1.0));
    }
    return least;
}

void random_target_check(const random_target *t, uint64_t seed, target_check *check) {
    density              *d = t->density;
    const random_mixture *m = mixture_of(d);
    double                low = HUGE_VAL, high = -HUGE_VAL;
    *check = (target_check){.nearest_least = HUGE_VAL, .rarest = 1.0, .integral = (double)NAN};
    for (size_t j = 0; j < m->count; j++) {
        double nearest = HUGE_VAL;
        for (size_t i = 0; i < m->count; i++)
            if (i != j) nearest = fmin(nearest, distance(&m->at[i], &m->at[j], d->dim));
        check->nearest_least = fmin(check->nearest_least, nearest);
        check->nearest_most = fmax(check->nearest_most, nearest);
        low = fmin(low, m->at[j].log_volume);
        high = fmax(high, m->at[j].log_volume);
    }
    check->volume_ratio = exp(high - low);
    for (size_t e = 0; e < d->events; e++) check->rarest = fmin(check->rarest, d->share[e]);
    check->own_least = least_own_share(d, seed);
    if (d->dim <= CHECK_DIM_MOST) check_integral(d, seed, check);
}
