/* rng.c - Threefry streams, and what is drawn from their words: see rng.h.
 *
 * Every number is a function of the words taken in order, so the same stream gives the same numbers. */
#include "rng/rng.h"

#include <Random123/threefry.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "rng/ziggurat_table.h"

void rng_init(rng *r, uint64_t seed, uint64_t chain) { *r = (rng){.seed = seed, .chain = chain}; }

void rng_at(rng *r, uint64_t iteration, uint64_t purpose) {
    r->iteration = iteration;
    r->purpose = purpose;
    r->block = 0;
    r->left = 0;
}

void rng_refill(rng *r) {
    const threefry4x64_ctr_t counter = {{r->block++, r->iteration, r->purpose, 0}};
    const threefry4x64_key_t key = {{r->seed, r->chain, 0, 0}};
    const threefry4x64_ctr_t cipher = threefry4x64_R(20, counter, key);
    for (int i = 0; i < 4; i++) r->word[i] = cipher.v[i];
    r->left = 4;
}

__extension__ typedef unsigned __int128 wide;

/* Lemire's method: word * bound / 2^64 rounded down, where words whose product has a low half below
 * 2^64 mod bound are refused, so that each result keeps equally many words. */
uint64_t rng_below(rng *r, uint64_t bound) {
    wide product = (wide)rng_word(r) * bound;
    if ((uint64_t)product < bound) { /* spares the division nearly always: 2^64 mod bound < bound */
        const uint64_t refused = (UINT64_MAX - bound + 1) % bound;
        while ((uint64_t)product < refused) product = (wide)rng_word(r) * bound;
    }
    return (uint64_t)(product >> 64);
}

/* The layer is the word's low 8 bits; sign and place within the layer are its high 53, which share no bit with
 * the layer: x = (m - (2^52 - 1/2)) 2^-52 x_layer, exactly symmetric about 0. True when x is not beyond the
 * layer above, so that the whole height of this layer lies under the density there: 98.5 % of the words. */
static inline bool ziggurat_inside(uint64_t word, double *x) {
    const size_t layer = word % ZIGGURAT_LAYERS;
    *x = ((double)(int64_t)(word >> 11) - 0x1.fffffffffffffp51) * (0x1p-52 * ziggurat_x[layer]);
    return fabs(*x) < ziggurat_x[layer + 1];
}

/* The normal beyond r (Marsaglia): r + s with s exponential of rate r, kept with probability exp(-s^2/2). */
static double normal_beyond(rng *r, double start) {
    double s, e;
    do {
        s = -log(rng_uniform(r)) / start;
        e = -log(rng_uniform(r));
    } while (2.0 * e < s * s);
    return start + s;
}

/* The rest of the method, for a word whose x is not inside: the tail, the test against the density in the
 * layer's wedge, and after a refusal a new word. */
static double normal_outside(rng *r, uint64_t word, double x) {
    do {
        const size_t layer = word % ZIGGURAT_LAYERS;
        if (layer == 0) return copysign(normal_beyond(r, ziggurat_x[1]), x);
        const double height = ziggurat_f[layer + 1] - ziggurat_f[layer];
        if (ziggurat_f[layer] + height * rng_uniform(r) < exp(-0.5 * x * x)) return x;
        word = rng_word(r);
    } while (!ziggurat_inside(word, &x));
    return x;
}

double rng_normal(rng *r) {
    const uint64_t word = rng_word(r);
    double         x;
    return ziggurat_inside(word, &x) ? x : normal_outside(r, word, x);
}

/* Whole blocks at a time, up to a word that needs more than the fast test: faster than calls one by one. */
void rng_normals(rng *r, size_t n, double *out) {
    size_t i = 0;
    while (i < n) {
        if (r->left == 0 && n - i >= 4) {
            rng_refill(r);
            size_t k = 0;
            while (k < 4 && ziggurat_inside(r->word[k], &out[i + k])) k++;
            r->left = 4 - k;
            i += k;
            if (k == 4) continue;
        }
        out[i++] = rng_normal(r);
    }
}

enum { SUBSET_FEW = 1 << 15 }; /* more than a history has states */

/* Floyd's algorithm: for last = total-n .. total-1 take a number of 0 .. last, or `last` if that one is taken. A bit for
 * each number says whether it is. */
static void subset_of_few(rng *r, uint64_t total, size_t n, uint64_t *out) {
    uint64_t taken[SUBSET_FEW / 64];
    memset(taken, 0, (total + 63) / 64 * sizeof *taken);
    for (uint64_t last = total - n; last < total; last++) {
        uint64_t value = rng_below(r, last + 1);
        if (taken[value / 64] >> value % 64 & 1) value = last;
        taken[value / 64] |= UINT64_C(1) << value % 64;
        *out++ = value;
    }
}

/* Puts value into a hash table of n slots with linear probing; false when it is there already. The hash keeps
 * the order: value * n / total, where scale = n / total. */
static bool insert(size_t n, uint64_t *slots, double scale, uint64_t value) {
    size_t slot = (size_t)((double)value * scale);
    for (;; slot++) {
        if (slot >= n) slot = 0;
        if (slots[slot] == value) return false;
        if (slots[slot] == UINT64_MAX) break;
    }
    slots[slot] = value;
    return true;
}

/* Where that would be too many bits the result is its own hash table, so nothing is allocated; it is full only at the
 * end, so n numbers cost O(n^1.5) on average. UINT64_MAX marks an empty slot; no number below total can be that. */
void rng_subset(rng *r, uint64_t total, size_t n, uint64_t *out) {
    if (total == n) { /* all of them: nothing is left to chance */
        for (size_t i = 0; i < n; i++) out[i] = i;
        return;
    }
    if (total <= SUBSET_FEW) {
        subset_of_few(r, total, n, out);
        return;
    }
    const double scale = (double)n / (double)total;
    for (size_t i = 0; i < n; i++) out[i] = UINT64_MAX;
    for (uint64_t last = total - n; last < total; last++)
        if (!insert(n, out, scale, rng_below(r, last + 1))) insert(n, out, scale, last);
}
