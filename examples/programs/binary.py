#!/usr/bin/env python3
"""A density in Python that says what its parameters are, and talks in binary: good for many numbers.

    ckam sample --program 'python3 binary.py' --workers 2 --timeout 5 --chains 4

The same density as in density.py: standard normal numbers with correlation 0.8. The first line has the names, what is saved
with each draw besides them, and "binary". Then each point is 2 doubles, and each answer 1 + 2: the log density, and the
derived numbers.
"""
import struct
import sys

RHO = 0.8
POINT = struct.Struct("=2d")
ANSWER = struct.Struct("=3d")


def log_density(x, y):
    return -0.5 * (x * x - 2 * RHO * x * y + y * y) / (1 - RHO * RHO)


print("ckam 1 params x, y ; derived total, product ; binary", flush=True)
while len(point := sys.stdin.buffer.read(POINT.size)) == POINT.size:
    x, y = POINT.unpack(point)
    sys.stdout.buffer.write(ANSWER.pack(log_density(x, y), x + y, x * y))
    sys.stdout.buffer.flush()
