#!/bin/sh
# A density in shell: two numbers, standard normal each, with correlation 0.8.
#
#     ckam sample --program 'sh density.sh' --params 'x, y' --workers 2 --timeout 5 --chains 4
#
# Each line of input is a point, each line of output its log density, up to a constant. awk computes one point and ends, so
# it cannot keep the answer in a buffer. That costs about a millisecond a point.

while read -r x y; do
    awk -v x="$x" -v y="$y" 'BEGIN {
        rho = 0.8
        printf "%.17g\n", -0.5 * (x * x - 2 * rho * x * y + y * y) / (1 - rho * rho)
    }'
done
