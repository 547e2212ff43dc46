/* score.h - whether the shares of events in a set of draws are right, and what the run said about it. */
#ifndef CKAM_BENCH_COMMON_SCORE_H
#define CKAM_BENCH_COMMON_SCORE_H

#include <stdbool.h>
#include <stddef.h>

/* RIGHT: the answer is right. Else the run has said that there is a problem (WARNED), or not (SILENT). */
typedef enum verdict { RIGHT, WARNED, SILENT, VERDICTS } verdict;

typedef struct share {
    double value, mcse;
} share;

/* The share of an event among draws, hit[chain * rows + row], and its standard error MCSE = sqrt(max(W, B)). m_cb is the
 * mean of batch b of chain c, of 20 equal batches, m_c the mean of chain c, m that of all C chains:
 *
 *     W = sum_cb (m_cb - mean_b m_cb)^2 / (19 C) / (20 C),   B = sum_c (m_c - m)^2 / (C - 1) / C */
share share_of(const bool *hit, size_t chains, size_t rows);
/* Whether it is within max(0.03, min(4 MCSE, 0.1)) of the truth. An event of probability 0.01 or more must have a draw. */
bool share_is_right(share found, double truth);
/* Of events, hit[(event * chains + chain) * rows + row]: right if all shares are. *worst, or NULL, := the largest error. */
verdict judge(size_t events, const double *truth, const bool *hit, size_t chains, size_t rows, size_t problems,
              double *worst);
/* The same of log Z: right within 4 standard errors, or 0.05. */
verdict judge_evidence(double error, double se, bool doubted);

#endif
