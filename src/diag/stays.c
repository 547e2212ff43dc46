/* stays.c - see stays.h.
 *
 * With a constant acceptance rate p stays are geometric: P(one of n rows begins a stay of length L or more) is at most
 * n p (1-p)^(L-1). In a good chain p depends on the place, so that alone says little. Draws with their stays are weighted
 * points, and the variance of a weighted mean goes with the sum of the squares of the weights (Kish 1965). So a stay is
 * too long if p does not explain it, and if its square is a large part of that sum: then one event decides how large the
 * errors are said to be. */
#include "diag/stays.h"

#include <math.h>

#define FALSE_ALARM 1e-4 /* of a run whose acceptance rate is constant */
#define PART        0.07 /* of the sum of squares */

/* The stay that begins at a row. */
static size_t stay_at(const uint8_t *same, size_t rows, size_t row) {
    size_t length = 1;
    while (row + length < rows && same[row + length]) length++;
    return length;
}

stays stays_find(const uint8_t *same, size_t chains, size_t rows) {
    stays  worst = {.length = 0};
    double squares = 0.0;
    for (size_t c = 0; c < chains; c++) {
        const uint8_t *chain = same + c * rows;
        stays          longest = {.chain = c};
        double         count = 0.0;
        for (size_t row = 0, length; row < rows; row += length) {
            length = stay_at(chain, rows, row);
            squares += (double)length * (double)length;
            count += 1.0;
            if (length <= longest.length) continue;
            longest.length = length;
            longest.row = row;
        }
        const double n = (double)rows, others = n - (double)longest.length,
                     p = others > 0.0 ? (count - 1.0) / others : 0.0;
        const double expected = (double)chains * n * p * pow(1.0 - p, (double)longest.length - 1.0);
        longest.accepted = p;
        if (p > 0.0 && expected < FALSE_ALARM && longest.length > worst.length) worst = longest;
    }
    if ((double)worst.length * (double)worst.length < PART * squares) worst.length = 0;
    return worst;
}
