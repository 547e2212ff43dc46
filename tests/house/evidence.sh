#!/usr/bin/env bash
# evidence.sh CKAM - `ckam evidence` as a user meets it: the numbers, the exit status, and what it cannot do.
set -eu
ckam=$(realpath "$1")
# shellcheck source=tests/house/tries.sh
. "$(dirname "$0")/tries.sh"

try 0 out 'Usage: ckam evidence' evidence --help
check 'a line is wider than 80 columns' [ "$(wc -L <out)" -le 80 ]

# The integral of a built-in model is 1.
try 0 out 'ess' sample gaussian:dim=2 --sampler gam --seed 1 --draws 8000 --format csv --out good
try 0 out 'log Z        ' evidence good
awk '/^log Z/ { found = $3 < 0.05 && $3 > -0.05 && $4 == "+-" && $5 > 0 && $5 < 0.05 } END { exit !found }' out ||
    fail 'log Z is not 0 within 0.05'
has 'with a mixture of 1 component'
lacks 'problem'
cp out first
try 0 out 'log Z' evidence good
check 'the same seed gave another estimate' cmp -s out first
try 0 out 'log Z' evidence good --seed 2
! cmp -s out first || fail 'another seed gave the same estimate'
try 0 out 'ess tail' summary good --evidence
check 'the summary does not end with the evidence' [ "$(tail -n 4 out)" = "$(cat first)" ]

# What is not to be trusted is said, and is the exit status.
try 0 out 'ess' sample bimodal --sampler rw:step-size=0.1 --seed 1 --draws 200 --format csv --out bad
try 1 out 'problem: ' evidence bad
check 'a line is wider than 80 columns' [ "$(wc -L <out)" -le 80 ]
try 1 out 'problem: ' summary bad --evidence

# What it cannot do.
wrong 64 'Name the directory of a run' evidence
wrong 66 'cannot read nothing' evidence nothing
wrong 66 'ckam_evidence_estimate()' evidence good/chain_1.csv
wrong 64 'ckam_evidence_estimate()' evidence good/chain_1.csv good/chain_2.csv
wrong 64 'one run at a time' evidence good/chain_1.csv good/chain_2.csv
wrong 64 "seed is 'x'" evidence good --seed x
wrong 64 '--csv has no room for --evidence' summary good --csv --evidence
sed 's/gaussian:dim=2/my-own/' good/run.json >run.json && cp run.json good
wrong 65 "the model of good cannot be opened again: there is no model 'my-own'" evidence good
sed 's/my-own/gaussian:dim=2,condition=3/' run.json >good/run.json
wrong 65 'the draws are not of this target' evidence good
