#!/usr/bin/env bash
# moved.sh CKAM - a run is renamed while it goes, and another begins in its old place: each ends where it is, and says so.
#
# The model does it: a program that at its 60th point renames the directory, runs the command there, and dies.
set -eu
ckam=$1
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tries.sh"

cat >flat.sh <<'EOF'
n=0
while read -r _; do
    n=$((n + 1))
    if [ $n -eq 60 ] && [ -n "${MOVE:-}" ] && [ ! -e moved ]; then
        mv run moved
        "$MOVE" sample bimodal --sampler rw --draws 50 --seed 2 --out run --progress none >second.out 2>second.err
        kill -KILL $$
    fi
    echo 0
done
EOF
# first NAME=VALUE...: the run of the program, with these variables.
first() {
    env "$@" "$ckam" sample --program 'sh flat.sh' --params '0 < x < 1' --workers 1 --chains 2 --sampler rw --draws 100 \
        --seed 1 --out run --progress none --checkpoint-every 0 >out 2>err || fail 'the first run did not succeed'
}
rows() { cat "$1"/chain_*.csv | grep -v '^#'; }

# A path that still leads there is said as it was given.
first MOVE=
has '; written to run'
rm -r run

first MOVE="$ckam"
has "$work/moved"
lacks 'written to run'
check 'the second run did not say where it is' grep -q 'written to run$' second.out
check 'the failure of the model is not in the log' [ "$(wc -l <moved/model-failures.log)" -eq 1 ]
check 'it is in the log of another run' [ ! -e run/model-failures.log ]
"$ckam" sample bimodal --sampler rw --draws 50 --seed 2 --out alone --progress none >out 2>err
rows alone >expected
rows run >found
check 'the second run has other rows' cmp expected found
check 'the first run has other rows' [ "$(rows moved | wc -l)" -eq 202 ]

for run in run moved; do
    for file in run.json summary.csv checkpoint/state; do check "$run/$file is missing" [ -s $run/$file ]; done
    ! built_with netcdf || check "$run/draws.nc is missing" [ -s $run/draws.nc ]
    check "something was left in $run" [ -z "$(find $run -name '*.new')" ]
    try 0 out 'draws' summary $run
    try 0 out "written to $run" resume $run --draws 200 --progress none
done
try 1 out 'R-hat' diagnose run
try 1 out 'model-failures.log' diagnose moved

echo 'moved: all as expected'
