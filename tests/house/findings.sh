#!/usr/bin/env bash
# findings.sh CKAM EXAMPLES - a problem of a run is said by every command that uses its draws, and is in what they write.
set -eu
ckam=$(realpath "$1")
examples=$(realpath "$2")
# shellcheck source=tests/house/tries.sh
. "$(dirname "$0")/tries.sh"

# told DIRECTORY TEXT: `diagnose` and `evidence` fail with it, `summary` and `plot` say it, the page and evidence.json have it.
told() {
    try 1 out "$2" diagnose "$1"
    try 0 out "$2" summary "$1"
    has "\`ckam diagnose $1\` says what to do."
    try 1 out "$2" evidence "$1"
    check "evidence.json lacks '$2'" grep -qF "$2" "$1/evidence.json"
    check "evidence.json trusts it" grep -q '"trusted": false' "$1/evidence.json"
    check "run.json lacks the evidence" grep -qF "$2" "$1/run.json"
    try 0 out report.html report "$1"
    check "the page lacks '$2'" grep -qF "$2" "$1/report.html"
    ! built_with cairo || try 0 err "$2" plot "$1" trace -o trace.svg
}

# A constant of 1e17 leaves no digits for the density: the sd comes out as 2.3 in place of 1.
try 0 out 'lost in rounding' sample --log-density '1e17-0.5*x*x' --params x --seed 1 --draws 2000 --format csv --out large
told large 'lp__, the log density, is about'
try 0 out 'ess' sample --log-density '1e6-0.5*x*x' --params x --seed 1 --draws 5000 --unseen 1 --format csv --out small
try 0 out 'no problems found' diagnose small
try 0 out 'log Z' evidence small
check 'a good estimate is not trusted' grep -q '"trusted": true' small/evidence.json

# NaN is not a density of 0.
try 0 out 'was NaN at' sample --log-density '-0.5*x*x+0*sqrt(x+0.5)' --params x --seed 1 --draws 5000 --format csv --out nan
told nan 'The log density was NaN at'
grep -q '"nan": [1-9]' nan/run.json || fail 'run.json does not count NaN'
try 0 out 'ess' sample --log-density 'x<-0.5?-INFINITY:-0.5*x*x' --params x --seed 1 --draws 5000 --unseen 1 --format csv --out zero
try 0 out 'no problems found' diagnose zero
has 'points had no value and were rejected'
grep -q '"nan": 0' zero/run.json || fail 'a density of 0 was counted as NaN'

# Two groups of chains, those with even and those with odd numbers, search apart in the first half of the warm-up. Between two islands,
# 2e6 apart and 12 wide, the density is 0, and no search of one meets the other. Where each group starts on its own island the
# groups find different modes, which is a problem; the twin starts the same four chains so that each group has both islands.
islands='fabs(fabs(x)-1e6)>6||fabs(y)>6?-INFINITY:-0.5*((fabs(x)-1e6)*(fabs(x)-1e6)+y*y)'
printf '%s\n' '-1e6 0' '1e6 0' '-1e6 0' '1e6 0' >apart.txt
printf '%s\n' '-1e6 0' '-1e6 0' '1e6 0' '1e6 0' >both.txt
for starts in apart both; do
    try 0 out '2 modes' sample --log-density "$islands" --params x,y --init $starts.txt --chains 4 --seed 1 --draws 2000 \
        --unseen 1 --format csv --out $starts
done
told apart 'Missing modes: the searches suggest 1 mode more than the 2'
try 1 out 'found 1 and 1 of them,' diagnose apart
try 0 out 'no problems found' diagnose both
lacks 'Missing modes'

# The neck of the funnel.
try 0 out 'ess' sample "$examples/eight_schools/centred.c" --data "$examples/eight_schools/data.json" --sampler gam --seed 1 \
    --draws 5000 --format csv --out neck
told neck 'stood still for'

# The estimate belongs to the draws: a run that goes on takes it away, and one that is running is left alone.
try 0 out 'ess' resume small --draws 6000
check 'evidence.json outlives its draws' [ ! -e small/evidence.json ]
! grep -q '"evidence"' small/run.json || fail 'run.json keeps the evidence of fewer draws'
try 0 out 'log Z' evidence small
check 'evidence.json does not say of how many draws it is' grep -q '"draws": 6000' small/evidence.json
if command -v flock >/dev/null; then
    rm small/evidence.json
    flock small/checkpoint/lock "$ckam" evidence small >out 2>err || fail 'an estimate that cannot be kept is lost'
    check 'it is not said that the estimate is not kept' grep -q 'not in every file of the run .*: process .* is running' err
    check 'it wrote to a run that goes on' [ ! -e small/evidence.json ]
fi
try 0 out 'ess' sample gaussian --seed 1 --draws 100 --format csv --out small --overwrite
