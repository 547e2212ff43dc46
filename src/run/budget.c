/* budget.c - how much warm-up the stop rules allow: chooses the horizon, and refuses a budget that leaves no draw.
 *
 * A sampler that plans its own warm-up (jump) takes up to half of the horizon for it, and may add as much as the horizon while its
 * search for modes is not saturated. So the horizon says how much exploration a run can afford. It is written to run.json, and a
 * run that goes on keeps it. */
#include "base/error.h"
#include "chain/chain.h"
#include "run/comm.h"

#include <stdio.h>
#include <string.h>

#define ESS_USUAL     400.0 /* where until has R-hat alone: with less R-hat says little (Vehtari et al. 2021) */
#define PER_EFFECTIVE 4.0   /* draws per effective draw; jump needs 1 to 4 on easy targets */
#define WARMUP_SHARE  0.5   /* of the evaluations: draws should begin by then */
#define SPARE         1.5   /* safety factor on the time that is advised */

static bool plans_warmup(const ckam_plan *plan) {
    return plan->sampler->sampler->warmup && plan->sampler->values->warmup == COUNT_AUTO;
}

static uint64_t first_draw(const ckam_run *run, uint64_t horizon) {
    return chain_first_draw(run->plan->sampler, run->target.dim, horizon);
}

/* Draws of each chain that reach the goal if they are nearly independent. */
static double goal_draws(const ckam_run *run) {
    double ess = isnan(run->until.ess) ? ESS_USUAL : run->until.ess;
    return fmax(ceil(PER_EFFECTIVE * ess / (double)run->plan->run.chains), GOAL_FIRST);
}

/* The horizon, or its half, quarter, ... with which draws begin in the first half of the evaluations; 1 where none does. */
static uint64_t fit(const ckam_run *run, uint64_t horizon, double evaluations) {
    while (horizon > 1 && (double)first_draw(run, horizon) > WARMUP_SHARE * evaluations) horizon /= 2;
    return horizon;
}

void budget_plan(ckam_run *run) {
    run_settings *plan = &run->plan->run;
    bool          plans = plans_warmup(run->plan), has_until = !isnan(run->until.rhat) || !isnan(run->until.ess);
    double        warmup = (double)run->plan->sampler->values->warmup; /* 0 where it is auto, or the sampler has none */
    double        thin = (double)plan->thin, horizon = HORIZON_DEFAULT;
    if (plan->horizon) return;
    if (plan->draws)
        horizon = warmup + (double)plan->draws * thin;
    else if (plan->evals)
        horizon = (double)plan->evals;
    if (plans && has_until) horizon = fmin(horizon, goal_draws(run) * thin);
    plan->horizon = (uint64_t)fmin(horizon, COUNT_MOST);
    if (plans && plan->evals) plan->horizon = fit(run, plan->horizon, (double)plan->evals);
}

ckam_status budget_check(const ckam_run *run, ckam_error *error) {
    const run_settings *plan = &run->plan->run;
    if (!plan->evals) return CKAM_OK;
    uint64_t least = first_draw(run, plan->horizon);
    if (plan->evals >= least) return CKAM_OK;
    return fail_with(
        error, CKAM_ERROR_OPTION,
        "evals is %llu, and %s in %zu dimension%s needs %llu evaluations of each chain for its warm-up and "
        "one draw; use --evals=%llu or more%s",
        (unsigned long long)plan->evals, plan->sampler, run->target.dim, run->target.dim == 1 ? "" : "s",
        (unsigned long long)least, (unsigned long long)least,
        run->plan->sampler->values->warmup == 1 ? "" : ", or a shorter warm-up (--warmup)");
}

/* -- Time --------------------------------------------------------------------------------------------------------- */

bool budget_is_time(const ckam_plan *plan) {
    const run_settings *r = &plan->run;
    return plans_warmup(plan) && !r->horizon && !r->draws && !r->evals && !isnan(r->time_limit) &&
           !strcmp(r->until, "never");
}

void budget_plan_time(ckam_run *run, double seconds) {
    run_settings *plan = &run->plan->run;
    double        own = (double)(run->last - run->first), threads = fmin((double)plan->threads, own);
    uint64_t      horizon = plan->horizon;
    if (comm_is_root(run) && seconds > 0.0) horizon = fit(run, horizon, plan->time_limit * threads / (own * seconds));
    comm_broadcast(run, &horizon, sizeof horizon);
    plan->horizon = horizon;
    for (size_t i = run->first; i < run->last; i++) chain_set_horizon(run->chains[i].chain, horizon);
    if (run->first < run->last) run->warmup = run->chains[run->first].chain->plan.settings->warmup;
}

/* -- A run without draws ------------------------------------------------------------------------------------------ */

void budget_explain(ckam_run *run) {
    const run_settings *plan = &run->plan->run;
    size_t              worst = 0;
    bool                timed = !strcmp(run->reason, "time-limit");
    if (!timed && strcmp(run->reason, "evals") != 0) return;
    for (size_t i = 1; i < plan->chains; i++) /* the one that is furthest from a draw */
        if (run->chains[i].counts.iterations < run->chains[worst].counts.iterations) worst = i;
    if (run->chains[worst].shown.draws) return;
    const ckam_counts *c = &run->chains[worst].counts;
    double before = (double)(c->evaluations - c->iterations), needed = before + (double)first_draw(run, plan->horizon);
    int    used =
        snprintf(run->shortfall, sizeof run->shortfall,
                 "chain %zu had no draw when %s: of its %llu evaluations %.0f went to the start and the way to a "
                 "mode, %llu to the warm-up after that; allow ",
                 worst + 1, timed ? "the time was up" : "its evaluations were used up",
                 (unsigned long long)c->evaluations, before, (unsigned long long)c->iterations);
    char  *rest = run->shortfall + used;
    size_t room = sizeof run->shortfall - (size_t)used;
    if (timed)
        snprintf(rest, room, "--time-limit=%.2g or more, or a shorter warm-up (--warmup) in a new run",
                 SPARE * plan->time_limit * needed / fmax((double)c->evaluations, 1.0));
    else
        snprintf(rest, room, "--evals=%.0f or more, or a shorter warm-up (--warmup) in a new run", ceil(needed));
}
