/* rng.h - random numbers as a function of (seed, chain, iteration, purpose).
 *
 * Threefry4x64-20 (Random123) with key (seed, chain) and counter (block, iteration, purpose): no state to share,
 * any iteration can be repeated anywhere. An rng is a plain value: a copy goes on with the same bits. */
#ifndef CKAM_RNG_RNG_H
#define CKAM_RNG_RNG_H

#include <stddef.h>
#include <stdint.h>

/* One number for each independent use of random bits within an iteration. */
enum rng_purpose {
    RNG_STEP,      /* proposal and decision, in order    */
    RNG_SUBSAMPLE, /* whether and which z                */
    RNG_START,     /* random starts                      */
    RNG_SCALE,     /* directions of the scale search     */
    RNG_EXACT,     /* exact draws of built-in models     */
    RNG_CLIMB,     /* jump's way from the start to a mode */
    RNG_EVIDENCE   /* draws of q for the evidence        */
};

/* Without padding, so that its bytes can be written and compared. */
typedef struct rng {
    uint64_t seed, chain;
    uint64_t iteration, purpose, block; /* block: the next counter value to encrypt */
    uint64_t word[4];                   /* the words of the last block              */
    uint64_t left;                      /* how many of them are not used yet        */
} rng;

/* At the start of the stream of (iteration 0, purpose 0). */
void rng_init(rng *r, uint64_t seed, uint64_t chain);
/* Goes to the start of the stream of (iteration, purpose). */
void rng_at(rng *r, uint64_t iteration, uint64_t purpose);
/* Encrypts the next block: four new words. For rng_word() and rng.c. */
void rng_refill(rng *r);

static inline uint64_t rng_word(rng *r) {
    if (r->left == 0) rng_refill(r);
    return r->word[4 - r->left--];
}

/* Uniform on the open interval (0, 1): the middles of 2^52 equal cells, so never 0, never 1. */
static inline double rng_uniform(rng *r) { return ((double)(int64_t)(rng_word(r) >> 12) + 0.5) * 0x1p-52; }

/* Uniform on 0 .. bound-1, without bias; bound >= 1. */
uint64_t rng_below(rng *r, uint64_t bound);
/* Standard normal (256-layer ziggurat). */
double rng_normal(rng *r);
/* The same numbers as n calls of rng_normal(). */
void rng_normals(rng *r, size_t n, double *out);
/* n distinct numbers of 0 .. total-1, every subset equally likely (n <= total). The order means nothing; all of them come in
 * theirs, and take no words. */
void rng_subset(rng *r, uint64_t total, size_t n, uint64_t *out);

#endif
