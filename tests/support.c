/* support.c - see support.h. */
#include "support.h"

#include <math.h>

void check_close(double a, double b, double tolerance, double least, const char *what, const char *file, int line) {
    double size = fmax(least, fabs(b));
    if (fabs(a - b) <= tolerance * size) return;
    print_error("%s is %.17g, expected %.17g: off by %.3g, allowed %.3g\n", what, a, b, fabs(a - b), tolerance * size);
    _fail(file, line);
}

void check_less(double a, double b, const char *what, const char *file, int line) {
    if (a < b) return;
    print_error("%s does not hold: %.17g, %.17g\n", what, a, b);
    _fail(file, line);
}
