"""open_in_python.py DIRECTORY... - xarray opens draws.nc of runs and finds in it what the CSV files have, bit for bit.

The file is read as ArviZ reads InferenceData: the groups by h5netcdf, each by xarray. Where ArviZ is there it opens
one too. A check has a twin with a changed bit, which it must notice. Exit status 1: something differs.
"""

import datetime
import os
import sys

import h5netcdf
import numpy
import xarray

STATISTICS = {"lp__": "lp", "accept_stat__": "acceptance_rate", "stepsize__": "step_size"}
WHOLE = {"cycle__", "phase__", "mode__", "move__"}
ATTRIBUTES = [
    "created_at", "creation_library", "creation_library_version", "creation_library_language", "inference_library",
    "inference_library_version", "name",
]  # fmt: skip

failures = 0


def report(good, text):
    global failures
    if not good:
        failures += 1
        print("FAILED:", text)


def read_chain(path):
    """Names, settings and rows of a CSV file."""
    settings, names, rows = {}, None, []
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith("#"):
                key, equals, value = line[1:].partition("=")
                if equals:
                    settings[key.strip()] = value.strip()
            elif names is None:
                names = line.strip().split(",")
            else:
                rows.append([float(number) for number in line.split(",")])
    return names, settings, rows


def read_run(directory):
    """Names, settings, and an array of chains x rows x columns, cut to the shortest chain."""
    chains = []
    while os.path.exists(path := os.path.join(directory, f"chain_{len(chains) + 1}.csv")):
        chains.append(read_chain(path))
    rows = min(len(chain[2]) for chain in chains)
    names = chains[0][0]
    numbers = numpy.array([chain[2][:rows] for chain in chains], dtype=float).reshape(len(chains), rows, len(names))
    return names, chains[0][1], numbers


def open_like_arviz(path):
    """Every group as a data set in memory."""
    with h5netcdf.File(path, "r") as file:
        groups = list(file.groups)
    found = {}
    for group in groups:
        with xarray.open_dataset(path, group=group, engine="h5netcdf") as data:
            found[group] = data.load()
    return found


def expected_variables(names, numbers):
    """group -> variable -> (dimensions, array)"""
    groups = {"posterior": {}, "sample_stats": {}}
    elements = {}
    for column, name in enumerate(names):
        if name.endswith("__"):
            array = numbers[:, :, column]
            groups["sample_stats"][STATISTICS.get(name, name[:-2])] = (
                ("chain", "draw"), array.astype("int64") if name in WHOLE else array
            )  # fmt: skip
        else:
            base, *indices = name.split(".")
            elements.setdefault(base, {})[tuple(int(i) - 1 for i in indices)] = column
    for base, columns in elements.items():
        shape = tuple(numpy.max(list(columns), axis=0) + 1) if () not in columns else ()
        array = numpy.full(numbers.shape[:2] + shape, numpy.nan)
        for index, column in columns.items():
            array[(slice(None), slice(None), *index)] = numbers[:, :, column]
        groups["posterior"][base] = (("chain", "draw", *(f"{base}_dim_{i}" for i in range(len(shape)))), array)
    return groups


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == numpy.ascontiguousarray(b).tobytes()


def check_group(what, data, variables):
    report(set(data.data_vars) == set(variables), f"{what} has the variables {sorted(data.data_vars)}")
    for name, (dimensions, array) in variables.items():
        if name not in data:
            continue
        report(data[name].dims == dimensions, f"{what}: {name} has the dimensions {data[name].dims}")
        found = data[name].values
        report(same_bits(found, array), f"{what}: {name} has other numbers than the CSV files")
        changed = numpy.array(array)
        changed.reshape(-1).view("int64")[changed.size // 2] ^= 1
        report(not same_bits(found, changed), f"{what}: a changed bit of {name} was not noticed")
    for dimension, size in data.sizes.items():
        coordinate = data.coords.get(dimension)
        report(
            coordinate is not None and same_bits(coordinate.values, numpy.arange(size, dtype="int64")),
            f"{what}: {dimension} is not counted from 0",
        )


def check_attributes(what, attributes, model):
    for name in ATTRIBUTES:
        report(isinstance(attributes.get(name), str), f"{what}: the attribute {name} is {attributes.get(name)!r}")
    report(list(attributes.get("sample_dims", [])) == ["chain", "draw"], f"{what}: sample_dims is not chain, draw")
    report(attributes.get("inference_library") == "ckam", f"{what}: inference_library is not ckam")
    report(attributes.get("name") == model, f"{what}: the name is {attributes.get('name')}, not {model}")
    try:
        datetime.datetime.fromisoformat(attributes["created_at"])
    except (KeyError, ValueError) as problem:
        report(False, f"{what}: created_at: {problem}")


def check_run(directory):
    run = os.path.basename(directory)
    path = os.path.join(directory, "draws.nc")
    names, settings, numbers = read_run(directory)
    found = open_like_arviz(path)
    report(set(found) == {"posterior", "sample_stats"}, f"{run}: draws.nc has the groups {list(found)}")
    with xarray.open_dataset(path, engine="h5netcdf") as top:
        check_attributes(run, top.attrs, settings.get("model"))
    for group, variables in expected_variables(names, numbers).items():
        check_group(f"{run}, {group}", found[group], variables)
        check_attributes(f"{run}, {group}", found[group].attrs, settings.get("model"))
    chains, rows, columns = numbers.shape
    print(f"{run}: xarray read {columns} columns of {chains} chains of {rows} rows")
    return path, found


def check_arviz(path, found):
    try:
        import arviz
    except ImportError:
        print("skipped: ArviZ is not there; its steps were done by h5netcdf and xarray")
        return
    data = arviz.from_netcdf(path)
    for group, variables in found.items():
        for name in variables.data_vars:
            report(same_bits(data[group][name].values, variables[name].values), f"ArviZ reads other numbers of {name}")
    print("ArviZ read the last one too")


for run_directory in sys.argv[1:]:
    last = check_run(run_directory)
check_arviz(*last)
sys.exit(failures > 0)
