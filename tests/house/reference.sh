#!/usr/bin/env bash
# reference.sh ROOT BUILD - the examples in examples/models against what is known about them. No silent wrong answer: where
# R-hat is below 1.01, means and standard deviations are right; where it is not, `ckam diagnose` says so and ends with 1.
#
# A number is right within 6 combined standard errors. About 230 are compared here, half of them with errors from 80 batches: were
# the seeds drawn, a right program would fail with 7e-6. The seed is 1 throughout. Twins below show that a wrong number is noticed.
set -eu
models=$(realpath "$1")/examples/models
ckam=$(realpath "$2")/ckam
# shellcheck source=tests/house/tries.sh
. "$(dirname "$0")/tries.sh"
export CKAM_CACHE="$PWD/cache"

# draw RUN FOLDER MODEL ARGUMENT...: a run of an example, into the directory RUN.
draw() {
    run=$1 folder=$2 model=$3
    shift 3
    try 0 out 'written to' sample "$models/$folder/$model.c" --data "$models/$folder/data.json" --seed 1 --format csv \
        --out "$run" "$@"
}

# agrees RUN REFERENCE: each mean and sd that REFERENCE has. The error of an sd s is that of the mean of (x - mean)^2, from 20
# batches a chain, over 2 s.
# shellcheck disable=SC2016 # the dollars are those of awk
agrees() {
    rows=$(grep -c '^[-0-9]' "$1/chain_1.csv")
    awk -F , -v reference="$2" -v summary="$1/summary.csv" -v size=$((rows / 20)) '
        BEGIN {
            getline <reference
            while ((getline <reference) > 0) { name[++count] = $1; known[$1] = $0 }
            getline <summary
            while ((getline <summary) > 0) { mean[$1] = $2; mcse[$1] = $3; sd[$1] = $4 }
        }
        FNR == 1 { batches += 20; row = 0 }
        /^lp__/ { for (i = 1; i <= NF; i++) column[$i] = i }
        /^[-0-9]/ && row < 20 * size {
            batch = batches - 20 + int(row / size)
            row++
            for (k = 1; k <= count; k++) square[k, batch] += ($column[name[k]] - mean[name[k]])^2 / size
        }
        function compare(what, ours, error, its, its_error) {
            if ((ours - its)^2 < 36 * (error^2 + its_error^2)) return
            printf "%s of %s is %g +- %g, not %g +- %g\n", what, name[k], ours, error, its, its_error
            bad = 1
        }
        END {
            for (k = 1; k <= count; k++) {
                split(known[name[k]], its, ",")
                sum = sum2 = 0
                for (b = 0; b < batches; b++) { sum += square[k, b]; sum2 += square[k, b]^2 }
                error = sqrt((sum2 / batches - (sum / batches)^2) / (batches - 1)) / (2 * sd[name[k]])
                compare("mean", mean[name[k]], mcse[name[k]], its[2], its[3])
                compare("sd", sd[name[k]], error, its[4], its[5])
            }
            exit bad || !count
        }' "$1"/chain_*.csv >out
}

# converged RUN: R-hat is below 1.01 for all parameters.
converged() { awk -F , 'NR > 2 && !($9 < 1.01) { bad = 1 } END { exit bad || NR < 3 }' "$1/summary.csv"; }

# right RUN FOLDER: it has converged, to the right numbers.
right() {
    check "the chains of $1 do not agree" converged "$1"
    check "$1 is not what is known" agrees "$1" "$models/$2/reference.csv"
}

# honest RUN FOLDER: right, or a problem is reported.
honest() { if converged "$1"; then right "$1" "$2"; else try 1 out 'problem' diagnose "$1"; fi; }

# share RUN CONDITION LOW HIGH: the share of draws for which CONDITION holds, in awk with names of columns as v["mu.1"].
share() {
    awk -F , '
        /^lp__/ { for (i = 1; i <= NF; i++) name[i] = $i }
        /^[-0-9]/ { for (i = 1; i <= NF; i++) v[name[i]] = $i; rows++; held += '"$2"' }
        END { printf "%s: %.4f\n", FILENAME, held / rows; exit !(held / rows > '"$3"' && held / rows < '"$4"') }' "$1"/chain_*.csv >out ||
        fail "the share of $2 in $1 is not between $3 and $4"
}

# local_samplers FOLDER MODEL ARGUMENT...: the samplers of the paper that jump and gam come from, which need longer than a test has.
local_samplers() {
    folder=$1 model=$2
    shift 2
    for sampler in rw am rbam kam; do
        draw "${folder}_$sampler" "$folder" "$model" --sampler $sampler "$@"
        honest "${folder}_$sampler" "$folder"
    done
}

# -- Eight schools: the form without the funnel is right. Of the other one no sampler gives a wrong answer without saying so.
draw schools_gam eight_schools noncentred --sampler gam --draws 20000
draw schools_ckam eight_schools noncentred --sampler ckam:covariance=global --draws 30000
draw schools_jump eight_schools noncentred --sampler jump --draws 30000
right schools_gam eight_schools
honest schools_ckam eight_schools
right schools_jump eight_schools
local_samplers eight_schools noncentred --draws 10000
for sampler in gam ckam jump; do
    draw "centred_$sampler" eight_schools centred --sampler "$sampler" --draws 20000
    honest "centred_$sampler" eight_schools
done

# Twins: a mean of tau as a chain that is stuck reports it, a standard deviation that is a fifth too large, and nothing at all.
reference=$models/eight_schools/reference.csv
sed 's/^tau,3.60/tau,2.90/' "$reference" >mean.csv
sed 's/,3.309296477,/,3.97,/' "$reference" >sd.csv
head -n 1 "$reference" >none.csv
for twin in mean sd none; do
    check "the twin $twin is the reference" [ -n "$(cmp $twin.csv "$reference" 2>&1)" ]
    ! agrees schools_jump $twin.csv || fail "the wrong $twin was not noticed"
done
! converged centred_gam || fail 'the funnel was not noticed'

# -- GARCH
draw garch_gam garch garch --sampler gam --draws 20000 --init 5,1,0.5,0.5
draw garch_ckam garch garch --sampler ckam --draws 30000
draw garch_jump garch garch --sampler jump --draws 20000
for sampler in gam ckam jump; do honest "garch_$sampler" garch; done
local_samplers garch garch --draws 20000 --init 5,1,0.5,0.5

# -- Lynx and hare
start=0.5,0.03,0.8,0.03,30,4,0.3,0.3
draw lynx_gam lynx_hare lynx_hare --sampler gam --draws 10000 --init $start
draw lynx_ckam lynx_hare lynx_hare --sampler ckam:covariance=global --draws 8000 --init $start
draw lynx_jump lynx_hare lynx_hare --sampler jump --draws 10000 --init $start
right lynx_gam lynx_hare
honest lynx_ckam lynx_hare
right lynx_jump lynx_hare
local_samplers lynx_hare lynx_hare --draws 3000 --init $start

# -- The mixture: jump finds both labellings, and gives each one half. A local chain sees one of them, and chains that sit in
# different ones are told apart.
draw mix_jump gauss_mix gauss_mix --sampler jump --warmup 20000 --draws 5000
right mix_jump gauss_mix
share mix_jump 'v["mu.1"] < v["mu.2"]' 0.47 0.53
one=-2.7,2.9,1,1,0.6 other=2.9,-2.7,1,1,0.4
draw mix_gam gauss_mix gauss_mix --sampler gam --draws 2000 --chains 2 --init $one,$other
share mix_gam 'v["mu.1"] < v["mu.2"]' 0.499 0.501
try 1 out 'no chain went from one to another' diagnose mix_gam
local_samplers gauss_mix gauss_mix --draws 2000 --chains 2 --init $one,$other
draw mix_ckam gauss_mix gauss_mix --sampler ckam --draws 2000 --chains 2 --init $one,$other
honest mix_ckam gauss_mix
draw mix_alone gauss_mix gauss_mix --sampler gam --draws 10000 --chains 1
try 1 out 'There is one chain' diagnose mix_alone
# Started in a labelling it does well there: then all that can be said is that there is one chain.
draw mix_half gauss_mix gauss_mix --sampler gam --draws 10000 --chains 1 --init $one
check 'the chain in one labelling has not converged' converged mix_half
share mix_half 'v["mu.1"] < v["mu.2"]' 0.999 1.001
"$ckam" diagnose mix_half >out 2>err || true
has 'There is one chain'

# -- Radial velocity: jump gives each period its weight, gam does not know them and says so. A share may be off by 0.018: 6
# standard errors, and what lies outside of these periods.
draw period_jump radial_velocity radial_velocity --sampler jump --warmup 20000 --draws 30000
right period_jump radial_velocity
tail -n +2 "$models/radial_velocity/modes.csv" >modes.csv
while IFS=, read -r low high weight; do
    share period_jump "v[\"period\"] > $low && v[\"period\"] < $high" "$weight - 0.018" "$weight + 0.018"
done <modes.csv
draw period_gam radial_velocity radial_velocity --sampler gam --draws 20000
try 1 out 'problem' diagnose period_gam
