/* number.h - numbers as text with a decimal point, whatever the locale of the program. */
#ifndef CKAM_BASE_NUMBER_H
#define CKAM_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* *number := the text, if all of it is one. */
bool number_read(const char *text, double *number);
/* With 15 digits, or 16 or 17 where it takes them to read back the same bits. */
void number_write(double number, char *text, size_t size);

#endif
