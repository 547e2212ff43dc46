/* score.c - see score.h. */
#include "score.h"

#include <math.h>

#define TOLERANCE      0.03
#define MCSE_MOST      4.0
#define ERROR_MOST     0.1 /* even where the chains disagree so much that 4 MCSE are more */
#define RARE           0.01
#define LOG_Z_ACCURACY 0.05
enum { BATCHES = 20 };

share share_of(const bool *hit, size_t chains, size_t rows) {
    size_t length = rows / BATCHES;
    double sum = 0.0, squares = 0.0, within = 0.0;
    for (size_t c = 0; c < chains; c++) {
        double batch[BATCHES], mean = 0.0, all = 0.0;
        for (size_t b = 0; b < BATCHES; b++) {
            size_t count = 0;
            for (size_t i = 0; i < length; i++) count += hit[c * rows + b * length + i];
            batch[b] = length ? (double)count / (double)length : 0.0;
            mean += batch[b] / BATCHES;
        }
        for (size_t b = 0; b < BATCHES; b++) within += (batch[b] - mean) * (batch[b] - mean);
        for (size_t i = 0; i < rows; i++) all += hit[c * rows + i];
        all /= (double)rows;
        sum += all;
        squares += all * all;
    }
    double n = (double)chains, mean = sum / n;
    double between = chains > 1 ? fmax(0.0, squares - n * mean * mean) / (n - 1.0) / n : 0.0;
    within /= n * (BATCHES - 1.0) * n * BATCHES;
    return (share){mean, sqrt(fmax(within, between))};
}

bool share_is_right(share found, double truth) {
    if (truth >= RARE && found.value == 0.0) return false;
    return fabs(found.value - truth) <= fmax(TOLERANCE, fmin(MCSE_MOST * found.mcse, ERROR_MOST));
}

static verdict verdict_of(bool right, bool said) { return right ? RIGHT : said ? WARNED : SILENT; }

verdict judge(size_t events, const double *truth, const bool *hit, size_t chains, size_t rows, size_t problems,
              double *worst) {
    bool   right = true;
    double most = 0.0;
    for (size_t e = 0; e < events; e++) {
        share found = share_of(hit + e * chains * rows, chains, rows);
        right &= share_is_right(found, truth[e]);
        most = fmax(most, fabs(found.value - truth[e]));
    }
    if (worst) *worst = most;
    return verdict_of(right, problems > 0);
}

verdict judge_evidence(double error, double se, bool doubted) {
    return verdict_of(fabs(error) <= fmax(LOG_Z_ACCURACY, MCSE_MOST * se), doubted);
}
