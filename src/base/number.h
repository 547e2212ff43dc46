/* number.h - numbers as text with a decimal point, whatever the locale of the program.
 *
 * Text that was written here reads back as the same bits, and reading is correctly rounded always. */
#ifndef CKAM_BASE_NUMBER_H
#define CKAM_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the shortest text that reads back as the same bits, without a final 0, and returns its length: 3, -0, 0.1,
 * 1.5e-7, 1e+22, nan, inf, -inf. Numbers from 1e-5 to 1e17 are written without an exponent. `text` has room for
 * NUMBER_TEXT bytes, all of which may be written to. */
enum { NUMBER_TEXT = 32 };
size_t number_put(double number, char *text);
/* The same with a final 0, cut to `size` bytes. */
void number_write(double number, char *text, size_t size);

/* Reads the longest number that begins at `text` and does not reach beyond `end`; returns the place behind it, or NULL
 * where there is none. nan and inf may have any case; every number may have a sign; no blanks. Too large is inf. */
const char *number_scan(const char *text, const char *end, double *number);
/* *number := the text, if all of it is one. */
bool number_read(const char *text, double *number);

#endif
