/* ranks.c - see ranks.h; diag_sort() of diag.h.
 *
 * Quicksort whose pivot is the middle between the least and the greatest number, counted in doubles: each pass halves
 * the range that is left, so 64 of them leave nothing, whatever the numbers. It takes about as many passes as with a
 * median of three, and equal numbers need no care. */
#include "diag/ranks.h"

#include "base/fastmath.h"
#include "diag/diag.h"

#include <math.h>
#include <stdbool.h>

/* -- Sorting ------------------------------------------------------------------------------------------------------ */

enum {
    INSERTION = 24, /* as many or fewer are sorted by insertion; measured */
    PASSES = 65     /* at most, over any number */
};

/* Doubles as whole numbers in the same order; 0 for -0 too. */
static uint64_t place_of(double x) {
    const uint64_t bits = bits_of(x + 0.0), sign = UINT64_C(1) << 63;
    return bits & sign ? ~bits : bits | sign;
}

static double at_place(uint64_t place) {
    const uint64_t sign = UINT64_C(1) << 63;
    return double_of(place & sign ? place ^ sign : ~place);
}

/* A number above the least and not above the greatest; NaN when all are equal. */
static double middle_of(const double *values, size_t count) {
    double least = values[0], greatest = values[0];
    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        greatest = values[i] > greatest ? values[i] : greatest;
    }
    if (!(least < greatest)) return (double)NAN;
    const uint64_t low = place_of(least), high = place_of(greatest);
    return at_place(high - (high - low) / 2);
}

/* Brings what is below the pivot to the front and returns how many that are. Every number is moved, whether it has to
 * be or not: a branch would be mispredicted every other time. */
static size_t partition(double *values, uint32_t *order, size_t count, double pivot) {
    size_t below = 0;
    for (size_t i = 0; i < count; i++) {
        const double x = values[i];
        values[i] = values[below];
        values[below] = x;
        if (order) {
            const uint32_t from = order[i];
            order[i] = order[below];
            order[below] = from;
        }
        below += x < pivot;
    }
    return below;
}

static void insert(double *values, uint32_t *order, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const double   x = values[i];
        const uint32_t from = order ? order[i] : 0;
        size_t         k = i;
        for (; k > 0 && x < values[k - 1]; k--) {
            values[k] = values[k - 1];
            if (order) order[k] = order[k - 1];
        }
        values[k] = x;
        if (order) order[k] = from;
    }
}

void sort_with_order(double *values, uint32_t *order, size_t count) {
    size_t later[PASSES], waiting = 0, start = 0; /* later: the ends of the parts that follow, the nearest last */
    for (size_t end = count;; end = later[--waiting]) {
        double pivot;
        while (end - start > INSERTION && !isnan(pivot = middle_of(values + start, end - start))) {
            later[waiting++] = end;
            end = start + partition(values + start, order ? order + start : NULL, end - start, pivot);
        }
        if (end - start <= INSERTION) insert(values + start, order ? order + start : NULL, end - start);
        start = end;
        if (waiting == 0) return;
    }
}

void diag_sort(double *values, size_t count) {
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            const double x = values[i];
            values[i] = values[numbers];
            values[numbers++] = x;
        }
    sort_with_order(values, NULL, numbers);
}

/* -- Normal scores ------------------------------------------------------------------------------------------------ */

/* (p0 + p1 x + ... + p7 x^7) / (q0 + q1 x + ... + q7 x^7). */
typedef struct rational {
    double p[8], q[8];
} rational;

static double ratio(const rational *f, double x) {
    double above = f->p[7], below = f->q[7];
    for (int k = 6; k >= 0; k--) {
        above = above * x + f->p[k];
        below = below * x + f->q[k];
    }
    return above / below;
}

/* The coefficients of M. J. Wichura (1988), Algorithm AS 241, PPND16, Applied Statistics 37, 477-484: the middle, and
 * two parts of the tails in r = sqrt(-log p). */
static const rational middle = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
    {1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
     3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}};
static const rational near_tail = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
static const rational far_tail = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

double normal_quantile(double p) {
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) return q * ratio(&middle, 0.180625 - q * q);
    const double r = sqrt(-log(q < 0 ? p : 1 - p));
    const double z = r <= 5 ? ratio(&near_tail, r - 1.6) : ratio(&far_tail, r - 5);
    return q < 0 ? -z : z;
}

/* What is ranked: the value at a place of the sorted list, or its distance from the centre. */
typedef struct ranked {
    const double   *values;
    const uint32_t *order;
    bool            by_distance;
    double          centre;
} ranked;

static inline double key(const ranked *r, size_t place) {
    const double value = r->values[r->order[place]];
    return r->by_distance ? fabs(value - r->centre) : value;
}

/* Walks the list from `start` in both directions, always to the lesser key, so that keys come in their order.
 * [low, high) was visited. The walk by value begins at the least and goes one way. */
static inline void write_scores(const ranked *r, size_t start, size_t count, double *scores) {
    for (size_t low = start, high = start; high - low < count;) {
        const size_t from = low, to = high;
        const double left = low > 0 ? key(r, low - 1) : HUGE_VAL, right = high < count ? key(r, high) : HUGE_VAL;
        const double least = left < right ? left : right;
        while (low > 0 && key(r, low - 1) <= least) low--;
        while (high < count && key(r, high) <= least) high++;
        /* The offset 3/8 of Blom (1958). The ranks of equal keys are to - from + 1, ..., high - low. */
        const double rank = 0.5 * (double)(to - from + 1 + high - low);
        const double score = normal_quantile((rank - 0.375) / ((double)count + 0.25));
        for (size_t i = low; i < from; i++) scores[r->order[i]] = score;
        for (size_t i = to; i < high; i++) scores[r->order[i]] = score;
    }
}

void scores_of_values(const double *values, const uint32_t *order, size_t count, double *scores) {
    const ranked r = {.values = values, .order = order, .by_distance = false};
    write_scores(&r, 0, count, scores);
}

void scores_of_distances(const double *values, const uint32_t *order, size_t count, double centre, double *scores) {
    const ranked r = {.values = values, .order = order, .by_distance = true, .centre = centre};
    size_t       start = 0;
    for (size_t end = count; start < end;) { /* the first value that is not below the centre */
        const size_t half = start + (end - start) / 2;
        if (values[order[half]] < centre)
            start = half + 1;
        else
            end = half;
    }
    write_scores(&r, start, count, scores);
}
