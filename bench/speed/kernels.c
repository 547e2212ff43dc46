/* kernels.c - a step of KAM beside the formulas as they stand in textbooks (textbook.h).
 *
 * Both sides evaluate the density once a step, adapt nu and store their point. The subsample z is the same to both: kept
 * from step to step, or drawn anew from the past in each, which are the two ends of what an exploration does (ckam's
 * begins with the second, and at its end z is drawn anew in one step of four). */
#include "chains.h"
#include "linalg/linalg.h"
#include "rng/rng.h"
#include "rows.h"
#include "sampler/kernel_proposal.h"
#include "textbook.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* K_n by its integral, int exp(-x cosh w) cosh(n w) dw over w > 0: the trapezoid rule is exact to rounding. */
static void check_bessel(void) {
    const double step = 1.0 / 64.0;
    for (int n = 0; n < TEXTBOOK_ORDER; n++)
        for (int j = 0; j < 120; j++) {
            double x = 1e-3 * pow(1.1, j), sum = 0.5;
            for (int i = 1; i < 1000; i++) sum += exp(x - x * cosh(i * step)) * cosh(n * i * step);
            double ratio = textbook_bessel(n, x) / (sum * step * exp(-x));
            if (!(fabs(ratio - 1.0) < 1e-12)) stop("a Bessel function of the textbook is wrong");
        }
}

/* Two proposals of ours, at two points, as the samplers have them. */
typedef struct two_proposals {
    kernel_proposal proposal;
    proposal_at     at[2];
} two_proposals;

/* log q(y|x) of both sides, with the same z: points[0 .. n-1], x and y behind them. */
static void check_law(const ckam_model *model, textbook_plan plan, textbook *book) {
    size_t   dim = ckam_model_target(model)->dim, end = sizeof(two_proposals);
    settings given = {.kernel = KERNEL_MATERN, .kernel_order = TEXTBOOK_ORDER, .kernel_scale = plan.length};
    rng      r;
    given.subsample = plan.n;
    kernel_proposal_layout(&(kernel_proposal){0}, 2, (proposal_at[2]){0}, dim, &given, &end);
    two_proposals *ours = take(end);
    double        *points = take((plan.n + 2) * dim * sizeof *points), *x = points + plan.n * dim, *y = x + dim;
    for (size_t i = 0; i < plan.n + 2; i++) ckam_model_draw(model, 2, i, points + i * dim);
    end = sizeof *ours;
    kernel_proposal_layout(&ours->proposal, 2, ours->at, dim, &given, &end);
    kernel_proposal_begin(&ours->proposal, &given);
    rng_init(&r, 1, 1);
    kernel_proposal_subsample(&ours->proposal, ours, &r, plan.n, points);
    proposal_at_measure(&ours->proposal, ours, &ours->at[0], x);
    proposal_at_measure(&ours->proposal, ours, &ours->at[1], y);
    proposal_at_factor(ours, &ours->at[0], plan.gamma, plan.nu);
    double a = proposal_at_log_density(&ours->proposal, ours, &ours->at[0], &ours->at[0], &ours->at[1]);
    double b = textbook_log_q(book, points, x, y);
    if (!(fabs(a - b) < 1e-9 * (1.0 + fabs(a)))) stop("the textbook's proposals are not ours");
    free(points);
    free(ours);
}

/* How often z is drawn anew: in every step, or (a half-life of 100 iterations) not once after the first thousand or so. */
typedef struct refreshing {
    const char *name, *half_life;
    bool        always;
    bound       what;
} refreshing;

/* Ours has its defaults but for n. The textbook's l, nu and gamma are about what ours comes to: l is the distance of two
 * typical points. */
static void kernel_row(size_t dim, size_t n, refreshing z) {
    textbook_plan plan = {.n = n, .refresh = z.always, .length = sqrt(2.0 * (double)dim)};
    char          text[100];
    plan.nu = 2.38 / sqrt((double)dim) * plan.length * plan.length / sqrt((double)n) / 2.0;
    plan.gamma = 0.1 * 2.38 / sqrt((double)dim);
    snprintf(text, sizeof text, "gaussian:dim=%zu", dim);
    ckam_model *model = model_of(text);
    textbook   *book = textbook_create(model, plan);
    check_law(model, plan, book);
    snprintf(text, sizeof text, "kam:kernel=matern,kernel-order=%d,subsample=%zu,refresh-half-life=%s", TEXTBOOK_ORDER,
             n, z.half_life);
    chain_work *ours = chain_work_create(ckam_model_target(model), text, NULL, 3000);
    snprintf(text, sizeof text, "kam step, %s: textbook / ours, d = %zu, n = %zu", z.name, dim, n);
    row_of_work(text, textbook_work(book), chain_work_of(ours), z.what, 25.0);
    chain_work_free(ours);
    textbook_free(book);
    ckam_model_free(model);
}

void rows_of_kernels(void) {
    const refreshing kept = {"z kept", "0.0001", false, AT_LEAST}, anew = {"z anew", "1000", true, ALONGSIDE};
    check_bessel();
    kernel_row(2, 50, kept);
    kernel_row(32, 100, kept);
    kernel_row(2, 50, anew);
    kernel_row(32, 100, anew);
}
