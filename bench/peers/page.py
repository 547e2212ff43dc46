"""page.py - docs/benchmarks.md from the results of ckam and of the peers."""
import math
from statistics import median

FAMILIES = (
    ("shells", "Gaussian shells", "Two shells of radius 2 and width 0.1, 7 apart, in 2 to 30 dimensions."),
    (
        "eggbox",
        "Eggbox",
        "18 peaks, 8 of them at edges of the box and 2 at corners. ckam is run twice: with the bounds (`eggbox:box`), and without them, "
        "where the density is 0 outside (`eggbox`).",
    ),
    ("loggamma", "LogGamma", "Four modes with heavy tails on one side, on the unit cube, which ckam is given as bounds."),
    ("forty", "Forty Gaussians", "At random places in [-10, 10]^d, sd 0.5, weights within a factor of 2."),
    ("grid25", "A grid of 25 Gaussians", "Equal weights, sd 1, 10 apart, in the plane."),
    ("rosenbrock", "Rosenbrock", "One narrow curved ridge; ckam is given the bounds."),
    ("funnel", "The funnel", "v ~ N(0, 3^2), and four coordinates N(0, exp(v)). 0.27 % of the mass is outside of the box, which lowers log Z of the peers by 0.0027."),
    ("sensors", "Sensor localisation", "Four positions from noisy distances: 8 parameters, 8 modes of probability 0.0175 to 0.271."),
)

# From the publications and documentation of the peers: evaluations, log Z over the box, its error.
PUBLISHED = {
    "shells:2": ("dynesty", 19000, -1.75, 0.07),
    "shells:5": ("dynesty", 39000, -5.61, 0.11),
    "shells:10": ("dynesty", 99000, -14.47, 0.17),
    "eggbox:box": ("dynesty", 57000, 236.06, 0.11),
    "loggamma:2": ("dynesty", 122000, None, None),
    "loggamma:10": ("dynesty", 539000, 0.16, 0.25),
}
EQUAL = 1.1  # evaluations up to this multiple of ckam's count as equal
STOPS = {"own": "itself", "equal": "equal evaluations", "time": "time", "failed": "an error"}
WORDS = ("right", "warned", "silent")

HEAD = """# Benchmarks: ckam beside its peers

After reading this page you know, for each density of the standard suite, what a default run of ckam gives, how far off it is, whether it
says so, and what dynesty, nautilus, UltraNest and emcee give for the same density. Losses are listed, and so is what was not run. One command
makes the page:

    make benchmarks                      # or scripts/benchmarks --help
    scripts/benchmarks --ckam-only       # remakes ckam's rows, and takes the peers from bench/peers/results.json
"""

METHOD = """## How it was measured

All samplers evaluate the same compiled C functions ([density.c](../bench/common/density.c); [trust](trust.md#densities) describes them); the peers
load them as a shared library. The peers have their default settings in the versions {versions}.

| | what it is told | what it runs |
|---|---|---|
| ckam {version} | starts uniform on [-2, 2] in every coordinate; bounds where the density has them (`eggbox:box`, LogGamma, Rosenbrock), else no box | `ckam sample`, then `ckam evidence`, both with defaults |
| dynesty, nautilus, UltraNest | a uniform prior on the box given with each table. The box always holds the modes: ckam has to find that out | `NestedSampler`, `Sampler`, `ReactiveNestedSampler`; from 10 dimensions on UltraNest with its slice sampler of 2 d steps, as its manual advises |
| emcee | the same box, in which 100 walkers start | the stretch move; the first quarter is discarded; no log Z |

*Evaluations* are those of one run (median over seeds); of ckam the estimate of log Z is counted. The *cap* of a peer is what ckam used. A
peer that has not stopped by itself at the cap gives two rows: the estimate at the cap ('equal evaluations'), and the one at its own end
('itself'). Where dynesty has stopped by itself with less than two thirds of the cap, it is run again with so many live points that it uses it up, and nautilus
goes on drawing until then. UltraNest is not: it becomes too slow with many live points. It may thus have used far fewer evaluations than ckam; see its row. A run is given {seconds} s of processor time. 'time' is a run that was cut off there: dynesty and UltraNest then have no result,
nautilus has that of its last bound; neither is compared. Peers take 10 to 4000 us per evaluation beside the density.

*Error* of log Z: the median of |estimate - truth|, after the volume of the box is added to what the peer says. *Stated* is the median of the
standard error that the sampler gives; nautilus gives none, and 1 / sqrt(ESS) stands for it. *Modes found* have at least one in 40,000 draws. *Weight error* is the
largest error of the probability of a mode; of a density with one mode, of two half-spaces and a ball of probability 1/2.

*Right, warned, silent* counts runs by the rules of [trust](trust.md#what-the-words-mean), of weights and of log Z. A peer has warned if it did not stop by
itself, and emcee if its chains are shorter than 50 autocorrelation times. log Z is right within 4 stated errors, so a large one is right easily: compare the errors. ckam has seeds {seeds}; the peers have {peer_seeds}. So a
difference of a factor of 2 between medians is noise.

*Best* is the sampler with the least error of log Z among the rows with no more than {equal:.0%} of ckam's evaluations that were not cut off by time.
"""


def evaluations_of(run):
    """Those of the run and of the estimate of log Z."""
    return run["evaluations"] + run.get("evidence_evaluations", 0)


def middle(values):
    values = [value for value in values if value is not None and math.isfinite(value)]
    return median(values) if values else None


def number(value):
    """Two significant digits, without an exponent."""
    if value is None:
        return ""
    return f"{value:.{max(0, 1 - math.floor(math.log10(abs(value))))}f}" if 1e-9 < abs(value) < 10 else f"{value:.0f}"


class Row:
    """The runs of one sampler on one density that were made in the same way."""

    def __init__(self, sampler, stop, runs):
        self.sampler, self.stop, self.runs = sampler, stop, runs
        live = middle(run.get("live") for run in runs)
        self.label = f"{sampler}, {live:,.0f} live points" if live else sampler
        self.is_cut = any(run.get("stop") == "time" for run in runs)
        self.evaluations = middle(map(evaluations_of, runs))
        self.error = middle(abs(run["log_z_error"]) if "log_z_error" in run else None for run in runs)
        self.stated = middle(run.get("log_z_se") for run in runs)
        self.met = middle(run.get("met") for run in runs)
        self.worst = middle(run.get("worst") for run in runs)
        self.mean_error = middle(run.get("mean_error") for run in runs)

    def counts(self, key):
        count = [sum(run.get(key) == word for run in self.runs) for word in WORDS]
        return ", ".join(map(str, count)) if sum(count) else ""

    def found(self, events):
        return "" if self.met is None or events < 2 else f"{self.met:g} of {events}"


def peer_rows(runs):
    """Of one density: rows of each peer, those at equal evaluations first."""
    rows = []
    for peer in dict.fromkeys(run["peer"] for run in runs):
        first, later = [], []
        for seed in sorted({run["seed"] for run in runs if run["peer"] == peer}):
            results = [run for run in runs if (run["peer"], run["seed"]) == (peer, seed)]
            first.append(results[0])
            later += results[1:]
        for group in first, later:
            if group:
                stops = dict.fromkeys(STOPS[run["stop"]] for run in group)
                rows.append(Row(peer, ", ".join(stops), group))
    return sorted(rows, key=lambda row: ORDER.index(row.sampler))


ORDER = ("dynesty", "nautilus", "UltraNest", "emcee")


def fair_rows(rows, value, ckam):
    """Those that have a value at equal evaluations and were not cut off by time."""
    most = EQUAL * ckam.evaluations
    return [row for row in rows if value(row) is not None and row.evaluations <= most and not row.is_cut]


def best(rows, value):
    """The row with the least value; None where there is no peer to compare with. rows[0] is ckam."""
    fair = fair_rows(rows, value, rows[0])
    return min(fair, key=value) if len(fair) > 1 else None


def best_cell(rows, value):
    row = best(rows, value)
    return f"**{row.label}**" if row else ""


def log_z_error(row):
    return row.error


def mean_error(row):
    return row.mean_error


def line(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def heading(*cells):
    return [line(*cells), "|" + "---|" * len(cells)]


def published_line(name, known):
    sampler, evaluations, log_z, error = PUBLISHED[name]
    off = "" if log_z is None else number(abs(log_z + known.log_volume - known.log_z))
    stated = "" if error is None else number(error)
    return line("", "", "", f"{sampler}, published", "itself", f"{evaluations:,}", off, stated, "", "", "", "", "")


def density_lines(name, rows, known):
    lines = []
    for index, row in enumerate(rows):
        truth = (f"`{name}`", known.modes, f"{known.log_z:.4f}") if index == 0 else ("", "", "")
        lines.append(
            line(
                *truth,
                row.label,
                row.stop,
                f"{row.evaluations:,.0f}",
                number(row.error),
                number(row.stated),
                row.found(known.events if known.modes > 1 else 0),
                number(row.worst),
                row.counts("verdict"),
                row.counts("evidence"),
                best_cell(rows, log_z_error) if index == 0 else "",
            )
        )
    return lines + ([published_line(name, known)] if name in PUBLISHED else [])


COLUMNS = (
    "density",
    "modes",
    "log Z",
    "sampler",
    "stopped by",
    "evaluations",
    "error of log Z",
    "stated",
    "modes found",
    "weight error",
    "weights: right, warned, silent",
    "log Z: right, warned, silent",
    "best",
)


def box_text(names, boxes):
    low, high = next(boxes[name] for name in names if name in boxes)
    high = "10 pi" if abs(high - 10 * math.pi) < 1e-9 else f"{high:g}"
    return f"The box of the peers is [{low:g}, {high}]^d."


def family_lines(family, table, known, boxes):
    key, title, text = family
    names = [name for name in table if name.split(":")[0] == key]
    lines = [f"## {title}", "", f"{text} {box_text(names, boxes)}", "", *heading(*COLUMNS)]
    for name in names:
        lines += density_lines(name, table[name], known[name])
    return lines + [""]


def posterior_lines(posteriors):
    lines = [
        "## Posteriors of the examples",
        "",
        "The models of [examples/models](../examples/models/README.md), whose means and standard deviations are known, from posteriordb's reference draws or, for "
        "`radial_velocity`, by quadrature. log Z is not known. *Error of a mean* is the largest one, in true standard deviations. A run is right if that is at most 0.1, and "
        "weights of modes are within 0.03. Peers sample the unconstrained parameters; the box is [-30, 30]^d, and emcee starts on [-2, 2]^d like ckam. `centred` is a posterior "
        "that is known to be hard, and every sampler without a warning there deserves a look.",
        "",
        *heading(
            "model", "sampler", "stopped by", "evaluations", "error of a mean", "modes found", "weight error",
            "right, warned, silent", "best",
        ),
    ]
    for name, rows in posteriors.items():
        for index, row in enumerate(rows):
            events = max(run.get("events", 0) for run in rows[0].runs)
            lines.append(
                line(
                    f"`{name}`" if index == 0 else "",
                    row.label,
                    row.stop,
                    f"{row.evaluations:,.0f}",
                    number(row.mean_error),
                    row.found(events),
                    number(row.worst) if events else "",
                    row.counts("verdict"),
                    best_cell(rows, mean_error) if index == 0 else "",
                )
            )
    return lines + [""]


def first_runs(tables, sampler):
    """Runs with default settings: at equal evaluations, or of the peer's own end where that came first."""
    return [run for rows in tables for run in next((row.runs for row in rows if row.sampler == sampler), [])]


def counts_of(runs, key):
    return ", ".join(str(sum(run.get(key) == word for run in runs if run.get("stop") != "time")) for word in WORDS)


def wins(sampler, winners, tables, value):
    """How often it is the best; empty where it was never compared."""
    rows = [row for rows in tables for row in fair_rows(rows, value, rows[0])]
    return winners.count(sampler) if any(row.sampler == sampler for row in rows) else ""


def summary_lines(table, posteriors):
    """Who is best how often, and how the runs came out."""
    by_log_z = [row.sampler for row in (best(rows, log_z_error) for rows in table.values()) if row]
    by_means = [row.sampler for row in (best(rows, mean_error) for rows in posteriors.values()) if row]
    compared = [rows for rows in table.values() if len(rows) > 1]
    lines = ["## In short", ""]
    lines += heading(
        "sampler",
        f"best log Z at equal evaluations, of {len(by_log_z)} densities",
        f"best means, of {len(by_means)} posteriors",
        "weights and means: right, warned, silent",
        "log Z: right, warned, silent",
        "runs cut off by time",
    )
    for sampler in ("ckam", *ORDER):
        runs, of_log_z = first_runs([*compared, *posteriors.values()], sampler), first_runs(compared, sampler)
        lines.append(
            line(
                sampler,
                wins(sampler, by_log_z, table.values(), log_z_error),
                wins(sampler, by_means, posteriors.values(), mean_error),
                counts_of(runs, "verdict"),
                counts_of(of_log_z, "evidence") if sampler != "emcee" else "",
                sum(run.get("stop") == "time" for run in runs),
            )
        )
    return lines + ["", "Counts are of runs with default settings. Runs that were cut off by time are in the last column only.", "", *losses(table)]


def bullets(text, items):
    return [text, "", *(f"- {item}" for item in items), ""] if items else []


def is_right(row):
    return all(run.get("verdict") == run.get("evidence") == "right" for run in row.runs)


def losses(table):
    """What ckam loses at equal evaluations, and what the counts above do not show."""
    log_z, modes, cheaper, unfinished = [], [], [], []
    for name, rows in table.items():
        ckam, row = rows[0], best(rows, log_z_error)
        if row and row is not ckam:
            log_z.append(f"`{name}`: {row.label} is off by {number(row.error)}, ckam by {number(ckam.error)}")
        if row and not any(other.stop == STOPS["own"] for other in fair_rows(rows[1:], log_z_error, ckam)):
            unfinished.append(f"`{name}`")
        equal = [row for row in rows[1:] if row.met is not None and row.evaluations <= EQUAL * ckam.evaluations]
        most = max(equal, key=lambda row: row.met, default=ckam)
        if most.met > ckam.met:
            modes.append(f"`{name}`: {most.label} found {most.met:g}, ckam {ckam.met:g}")
        least = min((row for row in rows[1:] if is_right(row)), key=lambda row: row.evaluations, default=ckam)
        if 3 * least.evaluations <= ckam.evaluations:
            cheaper.append(f"`{name}`: {least.label} with {least.evaluations:,.0f}, off by {number(least.error)}")
    wrong = [f"`{name}`" for name, rows in table.items() if any(run["verdict"] != "right" for run in rows[0].runs)]
    lines = bullets("ckam does not have the best log Z at equal evaluations on:", log_z)
    lines += bullets("A peer found more modes than ckam at equal evaluations on:", modes)
    lines += bullets("A peer was right with at most a third of ckam's evaluations on (the error is that of its log Z; the tables have ckam's):", cheaper)
    if unfinished:
        lines += [
            "At as many evaluations as ckam used, no nested sampler had stopped by itself on " + ", ".join(unfinished) + ". What it gives there is "
            "not an estimate that its authors would stand by; to be best there says that ckam needs fewer evaluations, not that it is more accurate.",
            "",
        ]
    if wrong:
        lines += ["Not every default run of ckam has the weights right on " + ", ".join(wrong) + ".", ""]
    return lines


def stale_lines(table, peers):
    """Densities on which ckam now uses other numbers of evaluations than when the peers ran."""
    stale = []
    for name, rows in table.items():
        caps = [run["cap"] for run in peers["runs"] if run["density"] == name]
        if caps and not 1 / EQUAL <= rows[0].evaluations / median(caps) <= EQUAL:
            stale.append(f"`{name}` ({median(caps):,.0f}, now {rows[0].evaluations:,.0f})")
    if not stale:
        return []
    return ["The peers ran when ckam used another number of evaluations, so their caps differ from its number today: " + ", ".join(stale) + ".", ""]


def missing_lines(missing):
    """(density, peer) that bench/peers/results.json does not have."""
    if not missing:
        return []
    by_peer = {peer: [f"`{name}`" for name, other in missing if other == peer] for _, peer in missing}
    return ["Not run so far, and so without a row:", "", *(f"- {peer}: " + ", ".join(names) for peer, names in by_peer.items()), ""]


def write(path, ckam, peers, known, boxes, missing):
    def of_peers(name):
        return peer_rows([run for run in peers["runs"] if run["density"] == name])

    table = {row["density"]: [Row("ckam", "itself", row["runs"]), *of_peers(row["density"])] for row in ckam["rows"]}
    posteriors = {name: [Row("ckam", "itself", runs), *of_peers(name)] for name, runs in ckam["posteriors"].items()}
    seeds = [len({run["seed"] for run in row.runs}) for rows in table.values() for row in rows[1:]]
    method = METHOD.format(
        versions=", ".join(f"{name} {version}" for name, version in peers["versions"].items()),
        version=ckam["version"],
        seconds=" or ".join(f"{limit:g}" for limit in sorted({run["limit"] for run in peers["runs"]})),
        seeds=ckam["seeds"].replace("-", " to "),
        peer_seeds="seed 1" if max(seeds) == 1 else f"up to {max(seeds)}, and one where a run takes over 15 s",
        equal=EQUAL,
    )
    lines = [HEAD, *summary_lines(table, posteriors), method, *missing_lines(missing)]
    lines += stale_lines({**table, **posteriors}, peers)
    for family in FAMILIES:
        lines += family_lines(family, table, known, boxes)
    lines += posterior_lines(posteriors)
    path.write_text("\n".join(lines).rstrip() + "\n")
