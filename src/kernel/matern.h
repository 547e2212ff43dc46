/* matern.h - the Matern function phi(t) = t^m K_m(t) / (Gamma(m) 2^(m-1)), t >= 0, phi(0) = 1, from a table.
 *
 * K_m is the modified Bessel function of the second kind. The table holds log phi as a function of s = t^2, which a
 * squared distance gives without a root. It is a plain value without pointers. Called by kernel.c alone. */
#ifndef CKAM_KERNEL_MATERN_H
#define CKAM_KERNEL_MATERN_H

#include <stddef.h>

/* Orders from 1e-10 up to this one were checked against 40-digit values: the relative error is below 5e-13 wherever
 * phi is a normal number, and below 1e-13 where phi > 1e-20. */
#define MATERN_ORDER_MAX 50.0

/* Polynomials of degree 8 on 8 equal pieces of each octave of s, from 2^-32 to 2^20. */
enum {
    MATERN_TERMS = 9,
    MATERN_PIECE_BITS = 3,
    MATERN_LOW = -32,
    MATERN_HIGH = 20,
    MATERN_PIECES = (MATERN_HIGH - MATERN_LOW) << MATERN_PIECE_BITS
};

typedef struct matern_table {
    double order;
    double rest; /* of the expansion below the table, see matern.c */
    double coefficient[MATERN_PIECES][MATERN_TERMS];
} matern_table;

void matern_table_init(matern_table *table, double order);

/* phi(t), for any t >= 0, also where t^2 would underflow. */
double matern_phi(const matern_table *table, double t);
/* value[i] = factor * phi(sqrt(scale * r2[i])); value may be r2 itself. Where the product underflows t is 0. */
void matern_phis(const matern_table *table, size_t n, double scale, const double *r2, double factor, double *value);

#endif
