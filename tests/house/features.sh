#!/usr/bin/env bash
# features.sh CKAM - what can be built without: NetCDF and cairo do their work where they are, and elsewhere are refused at once, in a
# sentence that says what to do, while everything else works. CKAM_WITHOUT names what this build lacks.
set -eu
ckam=$(realpath "$1")
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tries.sh"

few=(sample bimodal --sampler gam --draws 50 --seed 1 --progress none)
try 0 out 'written to run' "${few[@]}" --out run
check 'there are no draws' [ -s run/chain_1.csv ]
if built_with netcdf; then
    check 'there is no draws.nc' [ -s run/draws.nc ]
    try 0 out 'written to both' "${few[@]}" --format netcdf --out both
    check 'there is no draws.nc where it was asked for' [ -s both/draws.nc ]
else
    check 'there is a draws.nc' [ ! -e run/draws.nc ]
    wrong 64 'built without NetCDF and writes CSV files only: use format csv' "${few[@]}" --format csv,netcdf --out both
    check 'a run that was refused has a directory' [ ! -e both ]
    # A run of another build of ckam wanted NetCDF, and has it.
    sed -i 's/"format": "csv"/"format": "csv,netcdf"/' run/run.json
    check 'run.json has no format' grep -q 'csv,netcdf' run/run.json
    wrong 64 'use format csv' resume run --draws 60 --progress none
    try 0 out 'written to run' resume run --draws 60 --format csv --progress none
    echo 'of another build' >run/draws.nc
    try 1 err 'draws.nc stays as it is' evidence run # 1: 50 draws are too few
    check 'the evidence is not kept' [ -s run/evidence.json ]
    rm run/draws.nc
fi
try 0 out 'lp__' summary run
try 0 out 'report.html' report run
if built_with cairo; then
    for ending in pdf svg png; do try 0 out f.$ending plot run density -o f.$ending; done
else
    for ending in pdf svg png; do
        wrong 73 "built without cairo and draws no PDF, SVG or PNG: use \`ckam report\`" plot run density -o f.$ending
    done
    check 'a figure that was refused is there' [ -z "$(find . -name 'f.*')" ]
    try 0 out index.html reproduce bimodal --budget evals=2000 --seeds 1 --out paper
    check 'the page does not say why there are no drawings' grep -q 'was built without cairo' paper/index.html
    check 'there are drawings' [ -z "$(ls paper/figures)" ]
fi
echo 'features: all as expected'
