"""ensemble.py - emcee, as bench/peers runs it: asked in lines on stdin, answers as raw doubles on stdout.

                                            0 when it is ready
    density TARGET X...                     the log density at X
    run TARGET HOW SEED EVALUATIONS X...    seconds, evaluations, chains, rows; then the draws, row by row

HOW is where the walkers start, and how many there are: ball, box, or many (in a ball).
"""
import sys
import time

import emcee
import numpy as np

MANY = 256


# The densities: an array with a row a walker gives a number a walker. Sums go along the first axis where they are
# short, which is what numpy is fast at.
def bimodal(x):
    second = x[:, 1] ** 2
    left = (x[:, 0] + 8.0) ** 2 + second
    right = (x[:, 0] - 8.0) ** 2 + second
    return np.logaddexp(-left, -np.log(4.0) - 0.25 * right)


MIX_CENTRE = 2.5 * np.arange(5.0)[:, None]
MIX_VARIANCE = np.sqrt(np.arange(1.0, 6.0))[:, None]


def mixture5(x):
    square = (x[:, 0] - MIX_CENTRE) ** 2 + (x[:, 1] - MIX_CENTRE) ** 2
    terms = -0.5 * square / MIX_VARIANCE - np.log(MIX_VARIANCE)
    most = terms.max(axis=0)
    return most + np.log(np.exp(terms - most).sum(axis=0))


GRID_CENTRE = 15.0 * np.arange(-2.0, 3.0)[:, None, None]


def grid32(x):
    return np.log(np.exp((x - GRID_CENTRE) ** 2 / -30.0).sum(axis=0)).sum(axis=1)


def gaussian(x):
    return -0.5 * np.sum(x * x, axis=1)


def banana(x):
    straight = x[:, 1] - 0.03 * (x[:, 0] ** 2 - 100.0)
    return -0.5 * (x[:, 0] ** 2 / 100.0 + straight**2 + np.sum(x[:, 2:] ** 2, axis=1))


DENSITIES = {
    "bimodal": bimodal,
    "mixture5": mixture5,
    "grid32": grid32,
    "gaussian:dim=10": gaussian,
    "banana": banana,
}


def answer(*arrays):
    for array in arrays:
        sys.stdout.buffer.write(np.ascontiguousarray(array, dtype=float).data)
    sys.stdout.buffer.flush()


def run(target, how, seed, evaluations, start):
    dim = len(start)
    walkers = MANY if how == "many" else max(32, 2 * dim + 2)
    steps = -(-evaluations // walkers)
    np.random.seed(seed)
    if how == "box":
        first = np.random.uniform(-12.0, 12.0, (walkers, dim))
    else:
        first = start + 1e-4 * np.random.randn(walkers, dim)
    sampler = emcee.EnsembleSampler(walkers, dim, DENSITIES[target], vectorize=True)
    begun = time.perf_counter()
    sampler.run_mcmc(first, steps)
    seconds = time.perf_counter() - begun
    draws = sampler.get_chain(discard=steps // 10)  # (rows, walkers, dim)
    answer([seconds, walkers * (steps + 1), walkers, len(draws)], draws)


def main():
    print(f"emcee {emcee.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}", file=sys.stderr)
    answer(0.0)
    for line in sys.stdin:
        word = line.split()
        if word[0] == "density":
            answer(DENSITIES[word[1]](np.array([word[2:]], dtype=float)))
        else:
            run(word[1], word[2], int(word[3]), int(word[4]), np.array(word[5:], dtype=float))


main()
