/* run.c - your own density in a run: chains over threads, files that other tools open, until the draws are good enough.
 * `ckam summary my-run` shows the result again. (A run of a density from C is resumed from C: ckam_run_resume().) */
#include <ckam.h>
#include <stdio.h>

static int log_density(void *context, const double *x, double *value) {
    const double *rate = context;
    if (x[1] <= 0.0) return CKAM_REJECT; /* the density is 0 there */
    *value = -0.5 * x[0] * x[0] / x[1] - 0.5 * *rate * x[1];
    return CKAM_OK;
}

static void show(void *context, const ckam_progress *p) {
    (void)context;
    if (p->writing) printf("%.0f draws a second\n", p->draws_per_second);
}

static ckam_status sample(ckam_plan *plan, ckam_error *error) {
    double                   rate = 2.0;
    const char *const        names[] = {"location", "variance"};
    const ckam_target        target = {.dim = 2, .log_density = log_density, .context = &rate, .names = names};
    static const char *const settings[][2] = {{"model", "mine"},    {"sampler", "gam"}, {"until", "rhat=1.02,ess=400"},
                                              {"init", "0.5,1"},    {"seed", "1"},      {"out", "my-run"},
                                              {"overwrite", "true"}};
    ckam_run                *run = NULL;
    ckam_status              status = CKAM_OK;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !status; i++)
        status = ckam_plan_set(plan, settings[i][0], settings[i][1], error);
    if (!status) status = ckam_run_create(&run, plan, &target, error);
    if (!status) status = ckam_run_go(run, show, NULL, error);
    if (!status) {
        const ckam_review *review = ckam_run_review(run);
        printf("stopped by: %s\n", ckam_run_reason(run));
        for (size_t k = 0; k < review->parameters; k++)
            printf("%-10s mean %7.3f +- %.3f, R-hat %.3f\n", review->names[k], review->summary[k].mean,
                   review->summary[k].mcse_mean, review->summary[k].rhat);
    }
    ckam_run_free(run);
    return status;
}

int main(void) {
    ckam_plan  *plan;
    ckam_error  error;
    ckam_status status = ckam_plan_create(&plan, &error);
    if (!status) status = sample(plan, &error);
    ckam_plan_free(plan);
    if (!status) return 0;
    fprintf(stderr, "run: %s\n", error.message);
    return 1;
}
