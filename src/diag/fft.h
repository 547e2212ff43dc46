/* fft.h - Fourier transforms of complex series, for autocovariances.
 *
 * A spectrum is left in an order of its own, which fft_backward() takes: a power spectrum needs no other, and putting
 * it in order would cost two passes. Real and imaginary parts are arrays of their own, so that loops become vector
 * code. */
#ifndef CKAM_DIAG_FFT_H
#define CKAM_DIAG_FFT_H

#include <stddef.h>

/* The smallest size >= least that there are transforms for: 2^k or 3 * 2^k; 0 when it does not fit into a size_t. */
size_t fft_size(size_t least);
/* How many numbers the table of roots of unity for such a size has: below 0.9 size + 1. */
size_t fft_table_count(size_t size);
void   fft_table_fill(size_t size, double *table);
/* The longest series, 2^k points and at most `most`, that a transform of `size` comes to on its way; 0 if none. From
 * *root on the table for `size` is the one for it. */
size_t fft_inner(size_t size, size_t most, size_t *root);

/* X_k := sum_j x_j exp(-2 pi i j k / size), in an order of its own. For 2^k points, from 4 on, k is even in the first and
 * third quarter of it, and odd in the others. */
void fft_forward(size_t size, const double *table, double *re, double *im);
/* x_j := sum_k X_k exp(2 pi i j k / size), from that order; `size` times what was transformed forward. */
void fft_backward(size_t size, const double *table, double *re, double *im);

#endif
