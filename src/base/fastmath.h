/* fastmath.h - exp and log without branches or tables, so that loops over arrays become vector code.
 *
 * For inner loops; any layer may call them. The same argument gives the same bits, alone or anywhere in an
 * array, because every operation is rounded the same way at any vector width. */
#ifndef CKAM_BASE_FASTMATH_H
#define CKAM_BASE_FASTMATH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts; the first has 40 bits, so a binary exponent times it is exact. */
#define FASTMATH_LN2_HIGH 0x1.62e42fefa2p-1
#define FASTMATH_LN2_LOW  0x1.9ef35793c7673p-41

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Whether none of n numbers is infinite or NaN: those have an exponent of ones, to which one more carries into the sign. */
static inline bool all_finite(size_t n, const double *x) {
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) carry |= (bits_of(x[i]) & 0x7fffffffffffffff) + 0x0010000000000000;
    return carry >> 63 == 0;
}

/* e^x for -1400 <= x <= 709.78, or NaN, which stays NaN: to 1.1 units in the last place. Denormal results are
 * rounded like the others; below -745.13 it is 0.
 *
 * e^x = 2^k e^r with k the integer nearest x / ln 2 and |r| <= ln 2 / 2. e^r = 1 + (r + r^2 p(r)), p of degree 9
 * the minimax polynomial of (e^r - 1 - r) / r^2; it adds an error of 1.2e-17. */
static inline double exp_bounded(double x) {
    /* Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits; 2046 keeps those non-negative. */
    const double shift = 0x1.8p52 + 2046.0;
    double       shifted = x * 0x1.71547652b82fep0 + shift;
    double       k = shifted - shift;
    double       r = (x - k * FASTMATH_LN2_HIGH) - k * FASTMATH_LN2_LOW;
    double       r2 = r * r, r4 = r2 * r2;
    double       p01 = 0x1.0000000000001p-1 + r * 0x1.5555555555558p-3;
    double       p23 = 0x1.5555555553d62p-5 + r * 0x1.111111110f803p-7;
    double       p45 = 0x1.6c16c1788c44dp-10 + r * 0x1.a01a01b00c2c6p-13;
    double       p67 = 0x1.a019b90bc3fbdp-16 + r * 0x1.71ddf6b3f10d1p-19;
    double       p89 = 0x1.289186d6aea07p-22 + r * 0x1.af632ad6abee8p-26;
    double       r2p = r2 * (p01 + r2 * p23) + (r2 * r4) * ((p45 + r2 * p67) + r4 * p89);
    double       e = 1.0 + (r + r2p);
    /* 2^k as a product of two normal numbers, whose exponents are the halves of k + 2046: no special case at
     * either end of the range, and one rounding where the result is denormal. */
    uint64_t whole = bits_of(shifted), half = (whole >> 1) << 52;
    return e * double_of(half) * double_of((whole << 52) - half);
}

/* The same for every x: 0 down to -infinity, +infinity above 709.78, NaN for NaN. */
static inline double exp_fast(double x) {
    double e = exp_bounded(x); /* meaningless outside its range, and replaced there */
    e = x < -746.0 ? 0.0 : e;
    return x > 710.0 ? (double)INFINITY : e;
}

/* log x to 0.9 units in the last place, for positive normal x only: anything else gives a meaningless number.
 *
 * x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); s = f / (2 + f), z = s^2:
 * log(1 + f) = 2 atanh s = 2 s + s z R(z) = f - (f^2/2 - s (f^2/2 + z R(z))), where the last form keeps f, which
 * is exact, apart from the small rest. R of degree 6 is a minimax polynomial; it adds a relative error of 5e-18. */
static inline double log_fast(double x) {
    const uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
    uint64_t       exponent = (bits_of(x) + (one - root_half)) >> 52; /* of x, with the bias of 1023 */
    double         f = double_of(bits_of(x) - (exponent << 52) + one) - 1.0;
    double         k = double_of(exponent | 0x4330000000000000) - (0x1p52 + 1023.0);
    double         s = f / (2.0 + f), z = s * s, z2 = z * z, half_square = 0.5 * f * f;
    double         r01 = 0x1.5555555555558p-1 + z * 0x1.9999999995223p-2;
    double         r23 = 0x1.2492492e03f8ep-2 + z * 0x1.c71c62d01e6a8p-3;
    double         r45 = 0x1.7462ba3129dc3p-3 + z * 0x1.39fdb821d8835p-3;
    double         r = r01 + z2 * (r23 + z2 * (r45 + z2 * 0x1.2b5fcc46709e6p-3));
    double         rest = s * (half_square + z * r) + k * FASTMATH_LN2_LOW;
    return k * FASTMATH_LN2_HIGH + (f - (half_square - rest));
}

#endif
