"""densities.py - the densities of the benchmarks, from the shared library that bench/densities builds: none is written twice."""
import ctypes
import math

import numpy as np

REAL = ctypes.POINTER(ctypes.c_double)
FLAG = ctypes.POINTER(ctypes.c_bool)
NO_DENSITY = -1e100  # in place of -infinity, which nested samplers refuse


def load(path):
    library = ctypes.CDLL(path)
    handle, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    for name, result, arguments in (
        ("open", handle, (text,)),
        ("open_posterior", handle, (text, text)),
        ("close", None, (handle,)),
        ("dim", size, (handle,)),
        ("columns", size, (handle,)),
        ("column_name", text, (handle, size)),
        ("log_densities", None, (handle, size, REAL, REAL)),
        ("rows", None, (handle, size, REAL, REAL)),
        ("bounds", ctypes.c_int, (handle, REAL, REAL)),
        ("modes", size, (handle,)),
        ("events", size, (handle,)),
        ("log_z", ctypes.c_double, (handle,)),
        ("shares", None, (handle, REAL)),
        ("hits", None, (handle, size, REAL, FLAG)),
    ):
        function = getattr(library, "bench_" + name)
        function.restype, function.argtypes = result, arguments
    return library


def real(array):
    return array.ctypes.data_as(REAL)


def matrix(points):
    return np.ascontiguousarray(np.atleast_2d(points), dtype=float)


class Density:
    """A log density with the box that the peers are given as a uniform prior."""

    def __init__(self, library, handle, box):
        if not handle:
            raise SystemExit("a density cannot be opened")
        self.library, self.handle = library, handle
        self.dim = library.bench_dim(handle)
        self.lower, self.upper = np.full(self.dim, float(box[0])), np.full(self.dim, float(box[1]))
        self.log_volume = self.dim * math.log(box[1] - box[0])
        self.evaluations = 0

    def log_densities(self, points):
        points = matrix(points)
        value = np.empty(len(points))
        self.evaluations += len(points)
        self.library.bench_log_densities(self.handle, len(points), real(points), real(value))
        return value


class Known(Density):
    """A density of the catalogue, whose shares and log Z are known."""

    def __init__(self, library, name, box):
        super().__init__(library, library.bench_open(name.encode()), box)
        self.modes, self.events = library.bench_modes(self.handle), library.bench_events(self.handle)
        self.log_z = library.bench_log_z(self.handle)
        self.truth = np.empty(self.events)
        library.bench_shares(self.handle, real(self.truth))

    def hits(self, points):
        points = matrix(points)
        hit = np.empty((len(points), self.events), dtype=bool)
        self.library.bench_hits(self.handle, len(points), real(points), hit.ctypes.data_as(FLAG))
        return hit


class Posterior(Density):
    """A model of examples/models, of which means and standard deviations are known."""

    def __init__(self, library, model, data, box):
        super().__init__(library, library.bench_open_posterior(model.encode(), data.encode()), box)
        columns = library.bench_columns(self.handle)
        self.names = [library.bench_column_name(self.handle, k).decode() for k in range(columns)]

    def rows(self, points):
        points = matrix(points)
        rows = np.empty((len(points), len(self.names)))
        self.library.bench_rows(self.handle, len(points), real(points), real(rows))
        return rows
