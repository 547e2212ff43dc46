/* scaling.c - the same run with 1, 2 and 4 ranks, of a density that sleeps for 2 ms: how much of the ranks is used. */
#include "ranks.h"

#include <stdio.h>

static const double bar = 0.9; /* of 4 ranks */

/* Of three runs the one in the middle: a machine that does something else for a while is not what is measured. */
static account run_in_the_middle(size_t ranks, const char *arguments) {
    account a = job_run(ranks, arguments), b = job_run(ranks, arguments), c = job_run(ranks, arguments);
    account low = a.seconds < b.seconds ? a : b, high = a.seconds < b.seconds ? b : a;
    return c.seconds < low.seconds ? low : c.seconds > high.seconds ? high : c;
}

bool show_scaling(void) {
    static const char arguments[] = "bench/models/sleeping.c --chains 8 --warmup 1000 --draws 100000 --evals 2000";
    double            alone = 0.0, efficiency = 1.0;
    printf("8 chains of jump, a thread a rank, a density that sleeps for 2 ms, 2000 evaluations a chain.\n"
           "asleep: evaluations x 2 ms / (ranks x seconds); where efficiency falls, so does this\n\n");
    printf("ranks  seconds  evaluations/s  efficiency  asleep  exchange  pools  ms/pool  bytes/pool\n");
    for (size_t ranks = 1; ranks <= 4; ranks *= 2) {
        account a = ranks < 4 ? job_run(ranks, arguments) : run_in_the_middle(ranks, arguments);
        double  pools = (double)a.pools, share = a.pooling / a.seconds;
        if (ranks == 1) alone = a.seconds;
        efficiency = alone / a.seconds / (double)ranks;
        printf("%5zu %8.2f %14.0f %11.3f %7.3f", ranks, a.seconds, a.evaluations / a.seconds, efficiency,
               a.evaluations * 0.002 / a.seconds / (double)ranks);
        if (a.pools)
            printf(" %8.2f%% %6.0f %8.2f %11.0f", 100.0 * share, pools, 1e3 * a.pooling / pools,
                   (double)a.bytes / pools);
        printf("\n");
        (void)fflush(stdout);
    }
    printf("\nefficiency of 4 ranks %.3f, wanted %.1f%s\n\n", efficiency, bar, efficiency < bar ? ": MISSED" : "");
    return efficiency >= bar;
}
