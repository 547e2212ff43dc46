"""samplers.py - the peers, each with its defaults, on one density: weighted draws and log Z.

A peer is a generator. It yields what it has once it has made as many evaluations as ckam, or has stopped by itself before that. If it had not
stopped by itself, it yields once more when it has. If they had stopped early, dynesty yields once more with so many live points that it uses up what ckam used, and
nautilus after as many more draws; UltraNest is too slow with many live points. When the processor time is used up, the density raises OutOfTime; nautilus, which always has
an estimate, yields that instead.
"""
import logging
import time
import warnings
from dataclasses import dataclass

import dynesty
import emcee
import nautilus
import numpy as np
import ultranest
import ultranest.stepsampler
from densities import NO_DENSITY

NEARLY = 0.98  # of the evaluations of ckam: a peer is not run for the rest
EARLY = 1.5  # a peer that stops with less than 1 / EARLY of the evaluations of ckam has stopped early
DYNESTY_LIVE = 500  # its default
DYNESTY_DLOGZ = 0.509  # its default with 500 live points; with more of them the default stops earlier
PORTION = 1000  # evaluations of nautilus between two looks at the clock
MANY_DIMENSIONS = 10  # from here UltraNest's manual advises a step sampler


class OutOfTime(Exception):
    pass


@dataclass
class Draws:
    points: np.ndarray
    weights: np.ndarray  # their sum is 1
    converged: bool  # by the peer's own rule
    ess: float
    log_z: float = np.nan  # over the box, as the peer gives it: the mean of the density
    log_z_se: float = np.nan
    live: int = 0  # live points, where they are not the default


class Likelihood:
    """The density for a peer: evaluations at points of the unit cube or of the box, until time is up."""

    def __init__(self, density, seconds):
        self.density, self.seconds = density, seconds
        self.interrupts = True  # where the peer cannot look at the clock itself
        self.restart()

    def restart(self):
        self.begun, self.density.evaluations = time.process_time(), 0

    def spent(self):
        return time.process_time() - self.begun

    def is_over(self):
        return self.spent() > self.seconds

    def many(self, points):
        if self.is_over() and self.interrupts:
            raise OutOfTime
        return np.maximum(self.density.log_densities(points), NO_DENSITY)

    def one(self, point):
        return float(self.many(point)[0])

    def from_cube(self, cube):
        return self.density.lower + (self.density.upper - self.density.lower) * cube


def weighted(points, weights, **more):
    weights = np.asarray(weights, dtype=float) / np.sum(weights)
    return Draws(np.asarray(points), weights, ess=1.0 / np.sum(weights**2), **more)


def more_live_points(likelihood, cap):
    """How many would use up the evaluations: they are proportional. 0 where the default comes near enough."""
    used = likelihood.density.evaluations
    return 0 if EARLY * used > cap else int(DYNESTY_LIVE * cap / used)


def run_dynesty(likelihood, seed, cap, live=0):
    sampler = dynesty.NestedSampler(
        likelihood.one,
        likelihood.from_cube,
        likelihood.density.dim,
        nlive=live or DYNESTY_LIVE,
        rstate=np.random.default_rng(seed),
    )

    def draws(converged):
        found = sampler.results
        return weighted(
            found.samples,
            found.importance_weights(),
            converged=converged,
            log_z=float(found.logz[-1]),
            log_z_se=float(found.logzerr[-1]),
            live=live,
        )

    # dynesty also counts proposals outside of the cube, at which the density is not evaluated: so it is given the rest again
    converged = False
    while not converged and likelihood.density.evaluations < NEARLY * cap:
        before, rest = sampler.ncall, cap - likelihood.density.evaluations
        sampler.run_nested(maxcall=rest, dlogz=DYNESTY_DLOGZ, print_progress=False)
        converged = sampler.ncall - before <= rest
    yield draws(converged)
    if not converged and not live:
        sampler.run_nested(dlogz=DYNESTY_DLOGZ, print_progress=False)
        yield draws(True)
    elif not live and (more := more_live_points(likelihood, cap)):
        likelihood.restart()
        yield from run_dynesty(likelihood, seed, cap, more)


def run_nautilus(likelihood, seed, cap):
    likelihood.interrupts = False
    sampler = nautilus.Sampler(
        likelihood.from_cube, likelihood.many, n_dim=likelihood.density.dim, vectorized=True, pass_dict=False, seed=seed
    )

    def draws(converged):
        points, log_weight, _ = sampler.posterior()
        # nautilus states no error; its authors give 1 / sqrt(ESS) as the order of it
        return weighted(
            points,
            np.exp(log_weight),
            converged=converged,
            log_z=float(sampler.log_z),
            log_z_se=float(sampler.n_eff) ** -0.5,
        )

    def advance(most, ess=10000):
        """In portions, because nautilus cannot be interrupted in one; its own limit is on the wall."""
        converged, limit = False, sampler.n_like
        while not converged and limit < most and not likelihood.is_over():
            limit = min(limit + PORTION, most)
            converged = sampler.run(n_like_max=limit, n_eff=ess)
        return converged

    converged = advance(cap)
    yield draws(converged)
    if converged and EARLY * likelihood.density.evaluations < cap:
        likelihood.seconds += likelihood.seconds
        advance(cap, np.inf)  # it goes on drawing until it has used what ckam used
        yield draws(True)
    elif not converged and not likelihood.is_over():
        yield draws(advance(np.inf))


def run_ultranest(likelihood, seed, cap):
    logging.getLogger("ultranest").setLevel(logging.ERROR)
    np.random.seed(seed)
    dim = likelihood.density.dim
    names = [f"x{k}" for k in range(dim)]
    sampler = ultranest.ReactiveNestedSampler(names, likelihood.many, likelihood.from_cube, vectorized=True)
    if dim >= MANY_DIMENSIONS:
        sampler.stepsampler = ultranest.stepsampler.SliceSampler(
            nsteps=2 * dim, generate_direction=ultranest.stepsampler.generate_mixture_random_direction
        )

    def draws(converged):
        found = sampler.results
        return weighted(
            found["weighted_samples"]["points"],
            found["weighted_samples"]["weights"],
            converged=converged,
            log_z=float(found["logz"]),
            log_z_se=float(found["logzerr"]),
        )

    quiet = {"show_status": False, "viz_callback": False}
    sampler.run(max_ncalls=cap, **quiet)
    converged = sampler.ncall < cap
    yield draws(converged)
    if not converged:
        sampler.run(**quiet)
        yield draws(True)


def run_emcee(likelihood, seed, cap, start=None):
    """Walkers start uniform on the box, or on [-start, start]; the first quarter is discarded. No log Z."""
    density = likelihood.density
    walkers = max(100, 2 * density.dim + 2)
    steps = cap // walkers
    np.random.seed(seed)
    low, high = (density.lower, density.upper) if start is None else (-start, start)
    first = np.random.uniform(low, high, (walkers, density.dim))

    def log_density(points):
        inside = np.all((points >= density.lower) & (points <= density.upper), axis=1)
        value = np.full(len(points), -np.inf)
        value[inside] = likelihood.many(points[inside])
        return value

    sampler = emcee.EnsembleSampler(walkers, density.dim, log_density, vectorize=True)
    sampler.run_mcmc(first, steps)
    chain = sampler.get_chain(discard=steps // 4)
    try:
        time_scale, converged = emcee.autocorr.integrated_time(chain), True
    except emcee.autocorr.AutocorrError as error:
        time_scale, converged = error.tau, False
    points = chain.reshape(-1, density.dim)
    ess = len(points) / np.nanmax([1.0, *time_scale])
    yield Draws(points, np.full(len(points), 1.0 / len(points)), converged, ess)


PEERS = {"emcee": run_emcee, "dynesty": run_dynesty, "UltraNest": run_ultranest, "nautilus": run_nautilus}
MODULES = {"dynesty": dynesty, "nautilus": nautilus, "UltraNest": ultranest, "emcee": emcee}


def versions():
    return {name: module.__version__ for name, module in MODULES.items()}


def quiet():
    warnings.filterwarnings("ignore")
    np.seterr(all="ignore")
