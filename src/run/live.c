/* live.c - R-hat and ESS of the draws that are in memory, while the chains go on. */
#include "base/error.h"
#include "diag/diag.h"
#include "run/run.h"

#include <stdlib.h>

enum { ROWS_LEAST = 8 };

struct live {
    ckam_run  *run;
    double    *values; /* all stores, a column after the other */
    diag_work *work;
    size_t     rows; /* that the work is for */
};

ckam_status live_create(live **l, ckam_run *run, ckam_error *error) {
    const store *s = run->stores[0];
    size_t       chains = (size_t)run->plan->run.chains;
    *l = calloc(1, sizeof **l);
    if (*l) (*l)->values = calloc(chains * s->most, s->columns * sizeof(double));
    if (*l && (*l)->values) {
        (*l)->run = run;
        return CKAM_OK;
    }
    live_free(*l);
    *l = NULL;
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to follow %zu chains", chains);
}

void live_free(live *l) {
    if (!l) return;
    diag_work_free(l->work);
    free(l->values);
    free(l);
}

static bool is_constant(const double *values, size_t count) {
    size_t i = 1;
    while (i < count && values[i] == values[0]) i++;
    return i == count;
}

/* A quantity that is constant in all chains, such as a diagonal entry of a correlation matrix, has no R-hat and is left out. */
void live_look(live *l, double *rhat, double *ess) {
    size_t chains = (size_t)l->run->plan->run.chains;
    size_t rows = store_gather(l->run->stores, chains, l->values);
    *rhat = *ess = (double)NAN;
    if (rows < ROWS_LEAST) return;
    if (rows != l->rows) {
        diag_work_free(l->work);
        l->work = diag_work_create(chains, rows);
        l->rows = l->work ? rows : 0;
        if (!l->work) return; /* out of memory: R-hat and ESS stay NaN, and no stop rule applies */
    }
    for (size_t k = l->run->own; k < l->run->stores[0]->columns; k++) {
        const double *values = l->values + k * chains * rows;
        double        r, e;
        if (is_constant(values, chains * rows)) continue;
        diag_convergence(l->work, values, &r, &e);
        if (isnan(r) || isnan(e)) {
            *rhat = *ess = (double)NAN;
            return;
        }
        *rhat = fmax(*rhat, r); /* fmax and fmin ignore a NaN */
        *ess = fmin(*ess, e);
    }
}
