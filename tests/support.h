/* support.h - what the tests share: assertions on doubles, and statistics.
 *
 * cmocka's own float assertion casts to float, so doubles are compared here. Include this header alone. */
#ifndef CKAM_TESTS_SUPPORT_H
#define CKAM_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "statistics.h"

/* |a - b| <= tolerance * max(1, |b|). NaN fails. */
#define assert_close(a, b, tolerance) check_close((a), (b), (tolerance), 1.0, #a, __FILE__, __LINE__)
/* |a - b| <= tolerance * |b|. NaN fails. */
#define assert_relative(a, b, tolerance) check_close((a), (b), (tolerance), 0.0, #a, __FILE__, __LINE__)
/* a < b, showing both. NaN fails. */
#define assert_less(a, b) check_less((a), (b), #a " < " #b, __FILE__, __LINE__)

void check_close(double a, double b, double tolerance, double least, const char *what, const char *file, int line);
void check_less(double a, double b, const char *what, const char *file, int line);

#endif
