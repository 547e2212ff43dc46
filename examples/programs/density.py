#!/usr/bin/env python3
"""A density in plain Python: two numbers, standard normal each, with correlation 0.8.

    ckam sample --program 'python3 density.py' --params 'x, y' --workers 2 --timeout 5 --chains 4

Each line of input is a point, each line of output its log density, up to a constant. flush=True sends the answer at once:
without it ckam would wait for a line that lies in a buffer.
"""
import sys

RHO = 0.8


def log_density(x, y):
    return -0.5 * (x * x - 2 * RHO * x * y + y * y) / (1 - RHO * RHO)


for line in sys.stdin:
    x, y = map(float, line.split())
    print(log_density(x, y), flush=True)
