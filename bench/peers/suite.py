"""suite.py - the standard suite: ckam and its peers on the same densities. Writes docs/benchmarks.md; scripts/benchmarks calls it.

ckam's results come from build/bench/trust and from the command, the peers' from samplers.py. The latter are kept in results.json, which
is part of the repository, and only what is missing there is run.
"""
import argparse
import csv
import json
import math
import multiprocessing
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import densities
import page
import samplers

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = HERE / "results.json"
PI = math.pi

# The box that the peers are given: that of the density, or one that holds it.
BOXES = {
    "shells:2": (-6, 6),
    "shells:5": (-6, 6),
    "shells:10": (-6, 6),
    "shells:20": (-6, 6),
    "shells:30": (-6, 6),
    "eggbox:box": (0, 10 * PI),
    "loggamma:2": (0, 1),
    "loggamma:5": (0, 1),
    "loggamma:10": (0, 1),
    "loggamma:20": (0, 1),
    "forty:2": (-30, 30),
    "forty:5": (-30, 30),
    "forty:10": (-30, 30),
    "grid25": (-30, 30),
    "rosenbrock": (-5, 5),
    "funnel": (-100, 100),
    "sensors": (-30, 30),
}
CKAM_ONLY = ["eggbox"]  # the density without the bounds: for the peers it is eggbox:box
# Model, and the variables whose order, or whose intervals in modes.csv, tell the modes apart.
POSTERIORS = {
    "eight_schools/noncentred": None,
    "eight_schools/centred": None,
    "garch/garch": None,
    "gauss_mix/gauss_mix": ("mu.1", "mu.2"),
    "lynx_hare/lynx_hare": None,
    "radial_velocity/radial_velocity": "period",
}
POSTERIOR_BOX = (-30, 30)  # of the unconstrained parameters
START = 2.0  # posteriors: emcee starts where ckam does, uniform on [-2, 2]
POSTERIOR_PEERS = ["dynesty", "UltraNest", "emcee"]
CHEAP = 15.0  # seconds: a run that takes longer is made with one seed only
RARE, TOLERANCE, MEAN_TOLERANCE, LOG_Z_TOLERANCE = 0.01, 0.03, 0.1, 0.05
LEAST_SHARE = 1 / 40000  # one draw of a default run of ckam


# -- Scores: the rules of docs/trust.md ----------------------------------------------------------------------------------


def verdict(right, said):
    return "right" if right else "warned" if said else "silent"


def shares_are_right(share, truth, ess):
    error = np.sqrt(truth * (1 - truth) / ess)
    allowed = np.maximum(TOLERANCE, np.minimum(4 * error, 0.1))
    return bool(np.all(np.abs(share - truth) <= allowed) and np.all(share[truth >= RARE] >= LEAST_SHARE))


def score_known(density, draws):
    share = draws.weights @ density.hits(draws.points)
    said = not draws.converged
    result = {
        "verdict": verdict(shares_are_right(share, density.truth, draws.ess), said),
        "worst": float(np.max(np.abs(share - density.truth))),
        "met": int(np.sum(share >= LEAST_SHARE)),
        "ess": round(draws.ess),
    }
    if math.isfinite(draws.log_z):
        error = draws.log_z + density.log_volume - density.log_z
        result["log_z_error"], result["log_z_se"] = error, draws.log_z_se
        result["evidence"] = verdict(abs(error) <= max(LOG_Z_TOLERANCE, 4 * draws.log_z_se), said)
    return result


def read_table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def modes_of(name, column):
    """The truth about modes, and which draws are in which: (draws, modes) of bool."""
    what = POSTERIORS[name]
    if what is None:
        return np.empty(0), np.empty((len(next(iter(column.values()))), 0), dtype=bool)
    if isinstance(what, tuple):
        first = column[what[0]] < column[what[1]]
        return np.array([0.5, 0.5]), np.column_stack([first, ~first])
    rows = read_table(ROOT / "examples/models" / Path(name).parent / "modes.csv")
    value = column[what]
    inside = [(value > float(row["low"])) & (value < float(row["high"])) for row in rows]
    return np.array([float(row["weight"]) for row in rows]), np.column_stack(inside)


def score_posterior(name, column, weights, said):
    """Errors of means in true standard deviations, and of the weights of modes where there are several."""
    reference = read_table(ROOT / "examples/models" / Path(name).parent / "reference.csv")
    errors = [abs(weights @ column[r["variable"]] - float(r["mean"])) / float(r["sd"]) for r in reference]
    truth, inside = modes_of(name, column)
    share = weights @ inside
    worst = float(np.max(np.abs(share - truth), initial=0.0))
    right = max(errors) <= MEAN_TOLERANCE and worst <= TOLERANCE
    return {
        "verdict": verdict(right, said),
        "mean_error": float(max(errors)),
        "worst": worst,
        "met": int(np.sum(share >= LEAST_SHARE)),
        "events": len(truth),
    }


# -- ckam ------------------------------------------------------------------------------------------------------------------


def ckam_densities(build, seeds, into):
    # "eggbox" stands for eggbox:box, too
    names = [*CKAM_ONLY, *(name for name in BOXES if name.split(":")[0] not in CKAM_ONLY)]
    command = [f"{build}/bench/trust", *names, "--variant", "asis", "--seeds", seeds, "--threads", "2", "--evidence"]
    subprocess.run([*command, "--json", str(into)], check=True, stdout=sys.stderr)
    return json.loads(into.read_text())


def read_chain(path):
    with open(path) as file:
        lines = [line for line in file if not line.startswith("#")]
    return lines[0].strip().split(","), np.loadtxt(lines[1:], delimiter=",")


def ckam_posterior(build, name, seed):
    folder = ROOT / "examples/models" / Path(name).parent
    with tempfile.TemporaryDirectory() as scratch:
        run = f"{scratch}/run"
        settings = ["--data", folder / "data.json", "--seed", str(seed), "--format", "csv", "--out", run]
        command = [f"{build}/ckam", "sample", ROOT / f"examples/models/{name}.c", *settings]
        subprocess.run(command, check=True, capture_output=True)
        said = subprocess.run([f"{build}/ckam", "diagnose", run], capture_output=True).returncode != 0
        chains = [read_chain(path) for path in sorted(Path(run).glob("chain_*.csv"))]
        evaluations = json.loads(Path(f"{run}/run.json").read_text())["counts"]["evaluations"]
    rows = np.vstack([values for _, values in chains])
    column = dict(zip(chains[0][0], rows.T))
    weights = np.full(len(rows), 1.0 / len(rows))
    return {"seed": seed, "evaluations": evaluations, **score_posterior(name, column, weights, said)}


def run_ckam(build, seeds):
    """Writes build/benchmarks-ckam.json."""
    into = Path(build) / "benchmarks-ckam.json"
    found = ckam_densities(build, seeds, into)
    first, last = map(int, seeds.split("-"))
    found["seeds"] = seeds
    found["posteriors"] = {
        name: [ckam_posterior(build, name, seed) for seed in range(first, last + 1)] for name in POSTERIORS
    }
    into.write_text(json.dumps(found, indent=1))
    return found


def budgets(ckam):
    """Evaluations of ckam's default run and of its estimate of log Z together: median over the seeds."""
    budget = {}
    for row in ckam["rows"]:
        budget[row["density"]] = round(np.median([page.evaluations_of(run) for run in row["runs"]]))
    for name, runs in ckam["posteriors"].items():
        budget[name] = round(np.median([run["evaluations"] for run in runs]))
    return budget


# -- Peers -----------------------------------------------------------------------------------------------------------------


def open_density(library, name):
    if name in BOXES:
        return densities.Known(library, name, BOXES[name])
    folder = ROOT / "examples/models" / Path(name).parent
    return densities.Posterior(library, f"{ROOT}/examples/models/{name}.c", f"{folder}/data.json", POSTERIOR_BOX)


def score(name, density, draws):
    if name in BOXES:
        return score_known(density, draws)
    column = dict(zip(density.names, density.rows(draws.points).T))
    return score_posterior(name, column, draws.weights, not draws.converged)


def run_peer(job):
    """One peer, one density, one seed: a list of results. stop: by itself ('own'), at ckam's evaluations ('equal'), 'time'."""
    build, name, peer, seed, cap, seconds = job
    samplers.quiet()
    density = open_density(densities.load(f"{build}/bench/libbench_densities.so"), name)
    likelihood = samplers.Likelihood(density, seconds)
    results = []

    def result(stop):
        return {
            "density": name,
            "peer": peer,
            "seed": seed,
            "cap": cap,
            "stop": stop,
            "evaluations": density.evaluations,
            "seconds": round(likelihood.spent(), 1),
            "limit": seconds,
        }

    more = {"start": START} if peer == "emcee" and name in POSTERIORS else {}
    try:
        for draws in samplers.PEERS[peer](likelihood, seed, cap, **more):
            is_cut = likelihood.is_over() and (results or density.evaluations < samplers.NEARLY * cap)
            stop = "own" if draws.converged else "time" if is_cut else "equal"
            live = {"live": draws.live} if draws.live else {}
            results.append(result(stop) | live | score(name, density, draws))
    except samplers.OutOfTime:
        if not results or results[-1]["stop"] != "time":
            results.append(result("time"))
    except Exception as error:  # a peer that fails is a result, too
        results.append(result("failed") | {"reason": f"{type(error).__name__}: {error}"[:200]})
    return results


def key_of(run):
    return run["density"], run["peer"], run["seed"]


def wanted(kept, budget, seed, names, seconds):
    """Jobs without a result, or cut off by a lower limit of time; for a further seed only where the first one was cheap."""
    cut = {key_of(run) for run in kept["runs"] if run["stop"] == "time" and run["limit"] < seconds}
    done = {key_of(run) for run in kept["runs"]} - cut
    spent = {}
    for run in kept["runs"]:
        key = run["density"], run["peer"]
        spent[key] = max(spent.get(key, 0.0), run["seconds"])
    jobs = [(name, peer) for name in names for peer in (samplers.PEERS if name in BOXES else POSTERIOR_PEERS)]
    for name, peer in sorted(jobs, key=lambda job: job[1] == "nautilus"):  # the slowest one comes last
        if (name, peer, seed) not in done and (seed == 1 or spent.get((name, peer), 0.0) <= CHEAP):
            yield name, peer, seed, budget[name]


def run_peers(build, budget, seeds, seconds, jobs, names):
    kept = {"versions": {}, "runs": []}
    if KEPT.exists():
        kept = json.loads(KEPT.read_text())
    kept["versions"] = samplers.versions()
    for seed in range(1, seeds + 1):
        todo = [(build, *job, seconds) for job in wanted(kept, budget, seed, names, seconds)]
        with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=1) as pool:
            for results in pool.imap_unordered(run_peer, todo):
                kept["runs"] = [run for run in kept["runs"] if key_of(run) != key_of(results[0])] + results
                kept["runs"].sort(key=lambda run: (run["density"], run["peer"], run["seed"], run["evaluations"]))
                KEPT.write_text(dump(kept))
                print(*results, sep="\n", file=sys.stderr, flush=True)


def dump(kept):
    """JSON with one run per line."""
    runs = ",\n".join("  " + json.dumps(run) for run in kept["runs"])
    head = json.dumps({key: value for key, value in kept.items() if key != "runs"}, indent=1)
    return head[:-2] + ',\n "runs": [\n' + runs + "\n ]\n}\n"


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("densities", nargs="*", help="run the peers on these only")
    parser.add_argument("--build", default="build")
    parser.add_argument("--seeds", default="1-5", help="of ckam (default: 1-5)")
    parser.add_argument("--peer-seeds", type=int, default=3, help="seeds per cheap row of a peer (default: 3)")
    parser.add_argument("--seconds", type=float, default=120, help="processor time per run of a peer (default: 120)")
    parser.add_argument("--jobs", type=int, default=2, help="peers that run at the same time (default: 2)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--ckam-only", action="store_true", help="run ckam, and take the peers from results.json")
    what.add_argument("--peers-only", action="store_true", help="take ckam from the last run in the build directory")
    what.add_argument("--page-only", action="store_true", help="run nothing")
    return parser.parse_args()


def main():
    o = arguments()
    last = Path(o.build) / "benchmarks-ckam.json"
    ckam = json.loads(last.read_text()) if o.peers_only or o.page_only else run_ckam(o.build, o.seeds)
    if not (o.ckam_only or o.page_only):
        names = o.densities or [*BOXES, *POSTERIORS]
        run_peers(o.build, budgets(ckam), o.peer_seeds, o.seconds, o.jobs, names)
    library = densities.load(f"{o.build}/bench/libbench_densities.so")
    known = {name: densities.Known(library, name, BOXES.get(name, (0, 1))) for name in [*BOXES, *CKAM_ONLY]}
    kept = json.loads(KEPT.read_text())
    missing = [(name, peer) for name, peer, *_ in wanted(kept, budgets(ckam), 1, [*BOXES, *POSTERIORS], 0)]
    page.write(ROOT / "docs/benchmarks.md", ckam, kept, known, BOXES, missing)


if __name__ == "__main__":
    main()
