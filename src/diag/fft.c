/* fft.c - see fft.h.
 *
 * Decimation in frequency: a pass of radix r makes of a series of length m r series of length m / r, which are then
 * transformed one after the other, while they are in the cache. The backward transform undoes the passes in turn. */
#include "diag/fft.h"

#include "base/wide.h"

#include <math.h>
#include <stdint.h>

#define PI          3.14159265358979323846
#define HALF_ROOT_3 0.86602540378443864676

size_t fft_size(size_t least) {
    for (size_t two = 1; two <= SIZE_MAX / 4; two *= 2) {
        if (two >= least) return two;
        if (two >= 2 && two / 2 * 3 >= least) return two / 2 * 3;
    }
    return 0;
}

/* A pass over series of length radix * span. Its roots are exp(2 pi i j / length), j < span: cosines, then sines. */
typedef struct pass {
    size_t radix, span, root;
} pass;

enum { PASSES = 64, CACHED = 4096 }; /* series of CACHED points and below are transformed to the end in one go */

/* The passes of a transform, the last of length 4, 3 or 2; returns how many, and in *roots the length of the table. */
static size_t list_passes(size_t size, pass *list, size_t *roots) {
    size_t count = 0;
    *roots = 0;
    for (size_t length = size; length > 1; length = list[count++].span) {
        const size_t radix = length % 3 == 0 ? 3 : length % 4 == 0 ? 4 : 2;
        list[count] = (pass){radix, length / radix, *roots};
        if (radix > 2) *roots += 2 * (length / radix); /* radix 2 comes last, and turns nothing */
    }
    return count;
}

size_t fft_table_count(size_t size) {
    pass   list[PASSES];
    size_t roots;
    list_passes(size, list, &roots);
    return roots;
}

void fft_table_fill(size_t size, double *table) {
    pass         list[PASSES];
    size_t       roots;
    const size_t count = list_passes(size, list, &roots);
    for (const pass *p = list; p < list + count && p->radix > 2; p++)
        for (size_t j = 0; j < p->span; j++) {
            const double angle = 2 * PI * (double)j / (double)(p->radix * p->span);
            table[p->root + j] = cos(angle);
            table[p->root + p->span + j] = sin(angle);
        }
}

size_t fft_inner(size_t size, size_t most, size_t *root) {
    pass         list[PASSES];
    size_t       roots;
    const size_t count = list_passes(size, list, &roots);
    for (size_t k = 0; k < count; k++) {
        const size_t length = list[k].radix * list[k].span;
        *root = list[k].root;
        if (list[k].radix == 4 && length <= most) return length;
    }
    return 0;
}

typedef struct point {
    double re, im;
} point;

static inline point plus(point a, point b) { return (point){a.re + b.re, a.im + b.im}; }
static inline point minus(point a, point b) { return (point){a.re - b.re, a.im - b.im}; }
static inline point times(point a, point b) { return (point){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
/* a i b for a real number a: a quarter turn. */
static inline point quarter(double a, point b) { return (point){-a * b.im, a * b.re}; }

/* Point j of span k. */
#define PART(k)        ((point){re##k[j], im##k[j]})
#define SET_PART(k, x) (re##k[j] = (x).re, im##k[j] = (x).im)

static inline void forward_3(size_t span, const double *restrict root, double *restrict re, double *restrict im) {
    double *restrict re1 = re + span, *restrict im1 = im + span, *restrict re2 = re1 + span, *restrict im2 = im1 + span;
    double *restrict re0 = re, *restrict im0 = im;
    for (size_t j = 0; j < span; j++) {
        const point w = {root[j], -root[span + j]}, a = PART(0), b = PART(1), c = PART(2), sum = plus(b, c);
        const point middle = {a.re - 0.5 * sum.re, a.im - 0.5 * sum.im}, side = quarter(-HALF_ROOT_3, minus(b, c));
        const point first = times(plus(middle, side), w), second = times(minus(middle, side), times(w, w));
        SET_PART(0, plus(a, sum));
        SET_PART(1, first);
        SET_PART(2, second);
    }
}

static inline void backward_3(size_t span, const double *restrict root, double *restrict re, double *restrict im) {
    double *restrict re1 = re + span, *restrict im1 = im + span, *restrict re2 = re1 + span, *restrict im2 = im1 + span;
    double *restrict re0 = re, *restrict im0 = im;
    for (size_t j = 0; j < span; j++) {
        const point w = {root[j], root[span + j]}, a = PART(0);
        const point b = times(PART(1), w), c = times(PART(2), times(w, w)), sum = plus(b, c);
        const point middle = {a.re - 0.5 * sum.re, a.im - 0.5 * sum.im}, side = quarter(HALF_ROOT_3, minus(b, c));
        SET_PART(0, plus(a, sum));
        SET_PART(1, plus(middle, side));
        SET_PART(2, minus(middle, side));
    }
}

static inline void forward_4(size_t span, const double *restrict root, double *restrict re, double *restrict im) {
    double *restrict re0 = re, *restrict re1 = re + span, *restrict re2 = re1 + span, *restrict re3 = re2 + span;
    double *restrict im0 = im, *restrict im1 = im + span, *restrict im2 = im1 + span, *restrict im3 = im2 + span;
    for (size_t j = 0; j < span; j++) {
        const point w = {root[j], -root[span + j]}, w2 = times(w, w), w3 = times(w2, w);
        const point a = PART(0), b = PART(1), c = PART(2), d = PART(3);
        const point ac = plus(a, c), a_c = minus(a, c), bd = plus(b, d), b_d = quarter(-1, minus(b, d));
        const point x1 = times(plus(a_c, b_d), w), x2 = times(minus(ac, bd), w2), x3 = times(minus(a_c, b_d), w3);
        SET_PART(0, plus(ac, bd));
        SET_PART(1, x1);
        SET_PART(2, x2);
        SET_PART(3, x3);
    }
}

static inline void backward_4(size_t span, const double *restrict root, double *restrict re, double *restrict im) {
    double *restrict re0 = re, *restrict re1 = re + span, *restrict re2 = re1 + span, *restrict re3 = re2 + span;
    double *restrict im0 = im, *restrict im1 = im + span, *restrict im2 = im1 + span, *restrict im3 = im2 + span;
    for (size_t j = 0; j < span; j++) {
        const point w = {root[j], root[span + j]}, w2 = times(w, w), w3 = times(w2, w);
        const point x0 = PART(0), x1 = times(PART(1), w), x2 = times(PART(2), w2), x3 = times(PART(3), w3);
        const point even = plus(x0, x2), even_ = minus(x0, x2), odd = plus(x1, x3), odd_ = quarter(1, minus(x1, x3));
        SET_PART(0, plus(even, odd));
        SET_PART(1, plus(even_, odd_));
        SET_PART(2, minus(even, odd));
        SET_PART(3, minus(even_, odd_));
    }
}

/* Its own inverse. */
static void both_2(double *re, double *im) {
    const point a = {re[0], im[0]}, b = {re[1], im[1]}, sum = plus(a, b), difference = minus(a, b);
    re[0] = sum.re, im[0] = sum.im;
    re[1] = difference.re, im[1] = difference.im;
}

/* A pass over all series among `count` points. */
WIDE static void forward_pass(const pass *p, const double *table, size_t count, double *re, double *im) {
    for (size_t start = 0; start < count; start += p->radix * p->span)
        if (p->radix == 4)
            forward_4(p->span, table + p->root, re + start, im + start);
        else if (p->radix == 3)
            forward_3(p->span, table + p->root, re + start, im + start);
        else
            both_2(re + start, im + start);
}

WIDE static void backward_pass(const pass *p, const double *table, size_t count, double *re, double *im) {
    for (size_t start = 0; start < count; start += p->radix * p->span)
        if (p->radix == 4)
            backward_4(p->span, table + p->root, re + start, im + start);
        else if (p->radix == 3)
            backward_3(p->span, table + p->root, re + start, im + start);
        else
            both_2(re + start, im + start);
}

/* How many passes go over series longer than CACHED, and in *length how long those are that they leave. */
static size_t count_far(const pass *list, size_t size, size_t *length) {
    size_t far = 0;
    for (*length = size; *length > CACHED; *length = list[far++].span) {
    }
    return far;
}

void fft_forward(size_t size, const double *table, double *re, double *im) {
    pass         list[PASSES];
    size_t       roots, length;
    const size_t count = list_passes(size, list, &roots), far = count_far(list, size, &length);
    for (size_t k = 0; k < far; k++) forward_pass(list + k, table, size, re, im);
    for (size_t start = 0; start < size; start += length)
        for (size_t k = far; k < count; k++) forward_pass(list + k, table, length, re + start, im + start);
}

void fft_backward(size_t size, const double *table, double *re, double *im) {
    pass         list[PASSES];
    size_t       roots, length;
    const size_t count = list_passes(size, list, &roots), far = count_far(list, size, &length);
    for (size_t start = 0; start < size; start += length)
        for (size_t k = count; k > far; k--) backward_pass(list + k - 1, table, length, re + start, im + start);
    for (size_t k = far; k > 0; k--) backward_pass(list + k - 1, table, size, re, im);
}
