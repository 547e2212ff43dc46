#!/usr/bin/env bash
# models.sh CKAM MODELS STAN - models of users, as they meet the command: each way to give one, and each way in which one may
# misbehave, with exit status, message, and what is left behind. MODELS and STAN have shared objects made from tests/.
# shellcheck disable=SC2086,SC2016 # $short is several words; dollars in quotes are those of awk and of sh -c
set -eu
ckam=$(realpath "$1") models=$(realpath "$2") stan=$(realpath "$3")
# shellcheck source=tests/house/tries.sh
. "$(dirname "$0")/tries.sh"
export CKAM_CACHE="$work/cache"
short='--seed 1 --draws 500 --format csv'

# The mean of a column of summary.csv: mean DIR NAME.
mean() { awk -F, -v name="$2" '$1 == name { print $2 }' "$1/summary.csv"; }
# near VALUE TARGET TOLERANCE
near() { awk -v v="$1" -v t="$2" -v e="$3" 'BEGIN { exit !(v > t - e && v < t + e) }'; }

# -- A C file: bounds, derived quantities, data -------------------------------------------------------------------------
cat >model.c <<'MODEL'
#include <ckam/model.h>
const char *const ckam_parameters[] = {"mu", "tau > 0", "0 < p < 1", NULL};
const char *const ckam_derived[] = {"twice", NULL};
static double shift;
const char *read_data(const ckam_data *data) {
    size_t count;
    const double *given = data->numbers(data, "shift", &count);
    if (!given || count != 1) return "one number 'shift' is wanted";
    shift = given[0];
    return NULL;
}
void derive(const double *x, double *out) { out[0] = 2 * x[0]; }
double log_density(const double *x) {
    return -0.5 * (x[0] - shift) * (x[0] - shift) - x[1] + 2 * log(x[2]) + log1p(-x[2]);
}
MODEL
echo '{"shift": 3}' >data.json
try 0 out 'model.c by jump' sample model.c --data data.json --seed 1 --draws 4000 --horizon 4000 --unseen 1 --out c
check 'mu is not 3' near "$(mean c mu)" 3 0.15
check 'tau is not 1' near "$(mean c tau)" 1 0.15
check 'p is not 0.6' near "$(mean c p)" 0.6 0.03
check 'twice is not 6' near "$(mean c twice)" 6 0.3
check 'a draw is outside of its bounds' awk -F, '/^[-0-9]/ && ($9 <= 0 || $10 <= 0 || $10 >= 1) { exit 1 }' c/chain_1.csv
check 'something was written about failures' [ ! -e c/model-failures.log ]
# log Z: sqrt(2 pi) for mu, 1 for tau, B(3, 2) = 1/12 for p, so -1.566.
try 0 out 'log Z' evidence c
check 'log Z is not -1.566' near "$(awk '/^log Z/ { print $3 }' out)" -1.566 0.02
# Killed or not, a run goes on: the same draws.
try 0 out 'by jump' sample model.c --data data.json $short --horizon 4000 --unseen 1 --out half
try 0 out 'by jump' resume half --draws 4000 --format csv
check 'a resumed run has other draws' sh -c "grep -v '^#' half/chain_1.csv >a; grep -v '^#' c/chain_1.csv >b; cmp -s a b"
sed -i 's/-0.5/-0.4/' model.c
wrong 65 'the model has changed' resume half --draws 5000
wrong 66 'cannot read none.c' sample none.c
wrong 65 "one number 'shift' is wanted" sample model.c
wrong 64 'not within its bounds' sample model.c --data data.json --init 0,-1,0.5
echo 'double log_density(const double *x) { return x[0] }' >broken.c
try 65 err 'error: expected' sample broken.c --params x
check 'a run was made' [ ! -e ckam-run-broken-1 ]

# -- One line -----------------------------------------------------------------------------------------------------------
try 0 out 'by jump' sample --log-density '-0.5*(x*x + y*y/4)' --params x,y --seed 1 --draws 4000 --out line
check 'the spread of y is not 2' near "$(awk -F, '$1 == "y" { print $4 }' line/summary.csv)" 2 0.1
try 0 out 'by gam' sample --log-density '-s' --params 's > 0' --sampler gam --seed 1 --draws 20000 --out exponential
check 's is not 1' near "$(mean exponential s)" 1 0.15
echo 's < 2' >bounds
try 0 out 'by jump' sample --log-density '-s' --params 's > 0' --bounds bounds --seed 1 --draws 4000 --out bounded
check 's is not 1 - 2 / (e^2 - 1)' near "$(mean bounded s)" 0.687 0.04
try 64 err 'expected expression' sample --log-density 'x +' --params x
wrong 64 '--params' sample --log-density 'x'
wrong 64 'one model at a time' sample bimodal --log-density x --params x
wrong 64 'is for models of your own' sample bimodal --params x
wrong 64 'which model?' sample

# -- Shared objects -----------------------------------------------------------------------------------------------------
try 0 out 'ratio' sample "$models/good.so" $short --out good
try 0 out 'by jump' sample "$models/plain.so" --params x,y $short --out plain
wrong 64 '--params' sample "$models/plain.so" $short
wrong 65 'log_density' sample "$models/no_function.so" $short
wrong 65 'there is no list y' sample "$models/bad_data.so" $short
echo '{"N": 3, "y": [1, 2, 4]}' >stan.json
try 0 out 'new.2' sample "$stan/faithful.so" --data stan.json $short --out threads
try 0 out 'new.2' sample "$stan/serial.so" --data stan.json $short --out processes
check 'processes gave other draws than threads' sh -c \
    "grep -v '^#' threads/chain_2.csv >a; grep -v '^#' processes/chain_2.csv >b; cmp -s a b"
wrong 65 'variable N is not in the data' sample "$stan/serial.so"

# -- Programs -----------------------------------------------------------------------------------------------------------
cat >density.sh <<'PROGRAM'
while read -r x y; do echo "$x $y" | awk '{ print -0.5 * ($1 * $1 + $2 * $2 / 4) }'; done
PROGRAM
try 0 out 'sh density.sh by gam' sample --program 'sh density.sh' --params x,y --sampler gam --chains 2 --workers 2 \
    --seed 1 --draws 50 --format csv --out two
try 0 out 'by gam' sample --program 'sh density.sh' --params x,y --sampler gam --chains 2 --workers 1 --seed 1 --draws 50 \
    --format csv --out one
check 'the number of workers changed the draws' sh -c \
    "grep -v '^#' one/chain_2.csv >a; grep -v '^#' two/chain_2.csv >b; cmp -s a b"
try 70 err "hello" sample --program 'while read -r x; do echo hello; done' --params x $short --out garbage
try 70 err "1 2 3" sample --program 'while read -r x; do echo 1 2 3; done' --params x $short --out many
try 70 err 'not found' sample --program 'no-such-command' --params x $short --out none

# An answer too many that is under way whenever a point is asked: after $LATE answers each one is held back until the next question
# is there. It cannot be seen before a question, only by asking a point again. A file `mended` mends it.
cat >late.py <<'PROGRAM'
import os, struct, sys
late, binary, asked = int(os.environ["LATE"]), "binary" in sys.argv, 0
if os.path.exists("mended"): late = 10 ** 9
if binary: os.write(1, b"ckam 1 params x; binary\n")
held = struct.pack("=d", -9.0) if binary else b"-9\n"
while point := sys.stdin.buffer.read(8) if binary else sys.stdin.buffer.readline():
    asked += 1
    x = struct.unpack("=d", point)[0] if binary else float(point)
    answer = struct.pack("=d", -0.5 * x * x) if binary else b"%.17g\n" % (-0.5 * x * x)
    if asked > late: answer, held = held, answer
    os.write(1, answer)
open("asked", "w").write(str(asked))
PROGRAM
walk='--sampler rw:step-size=1 --chains 2 --seed 1 --draws 300 --format csv'
refuse_late() {
    try 70 err 'of the program answers with values of other points' sample "$@" $walk --out late --overwrite
    check 'the run is not recorded' grep -q '"stopped": "error"' late/run.json
    check 'there are rows of other points' [ "$(grep -c '^[-0-9]' late/chain_1.csv)" -eq 0 ]
    check 'there is a summary' [ ! -e late/summary.csv ]
    try 1 out 'The run ended with an error: ' diagnose late
}
export LATE=1000000
try 0 out 'by rw' sample --program 'python3 late.py' --params x $walk --workers 1 --out right
questions=$(cat asked) # the last one confirms the last answer
for LATE in 1 2 100 $((questions - 3)) $((questions - 2)) $((questions - 1)); do
    refuse_late --program 'python3 late.py' --params x --workers 1
    refuse_late --program 'python3 late.py binary' --workers 1
done
for LATE in 2 60; do
    refuse_late --program 'python3 late.py' --params x --workers 2
    refuse_late --program 'python3 late.py binary' --workers 2
done
LATE=$questions
try 0 out 'by rw' sample --program 'python3 late.py' --params x $walk --workers 1 --out late --overwrite
# What a checkpoint has was confirmed: mended, the run goes on to the same draws.
LATE=$((questions - 100))
try 70 err 'values of other points' sample --program 'python3 late.py' --params x $walk --workers 1 --checkpoint-every 0.001 \
    --out late --overwrite
: >mended
try 0 out 'by rw' resume late --format csv
check 'a run that was mended has other draws' sh -c \
    "grep -v '^#' right/chain_2.csv >a; grep -v '^#' late/chain_2.csv >b; cmp -s a b"
# Evidence asks the program, too.
rm mended
LATE=50
wrong 70 'values of other points' evidence right
# Values that differ later than at the start: a warning, too, and no shift.
try 0 err 'warning: the model gives different values' sample --params '0 < x < 1' $walk --workers 1 --out late --overwrite \
    --program 'n=0; while read -r x; do n=$((n + 1)); echo "-$((n > 20 ? n * n % 1009 : 5))"; done'
try 1 out 'different values for the same point' diagnose late
# A program that does not flush is told while it is waited for: it answers only after that.
"$ckam" sample --program 'while read -r x; do while [ ! -e heard ]; do sleep 0.05; done; echo 0; done' --params '0 < x < 1' \
    --sampler rw --chains 1 --draws 20 --format none >out 2>err &
while ! grep -qF 'print(..., flush=True)' err && kill -0 $! 2>/dev/null; do sleep 0.05; done
: >heard
status=0
wait $! || status=$?
check "a program that answers late ended with $status" [ "$status" -eq 0 ]
check 'nobody was told of a program that does not answer' grep -q "no answer from 'while read .* for 5 s; .*flush its output" err

# -- Misbehaviour -------------------------------------------------------------------------------------------------------
# NaN: rejected, counted, the first one kept.
try 0 out 'by jump' sample "$models/nan.so" $short --out nan
status=0
"$ckam" diagnose nan >out 2>err || status=$?
has 'points had no value and were rejected; the first, of chain'
has 'it is nan'
# +infinity: the run stops and names the point.
try 70 err 'the log density is +infinity' sample "$models/plus_infinity.so" $short --out infinite
check 'the point is not named' grep -q 'at x = ' err
check 'the run is not recorded' grep -q '"stopped": "error"' infinite/run.json
# Different values for the same point: a warning, and a problem for diagnose.
try 0 err 'warning: the model gives different values' sample "$models/noisy.so" $short --out noisy
try 1 out 'different values for the same point' diagnose noisy
# Crashes, isolated: a point each, written down; three in a row end the run. One that never ends takes all the time that it has.
for how in 'segfault Segmentation fault' 'abort Aborted' 'exit called exit with status 3' 'loop took longer than 0.5 s'; do
    name=${how%% *} limit=600
    [ "$name" != loop ] || limit=0.5
    try 70 err 'the model failed 3 times in a row' sample "$models/$name.so" --isolate --timeout $limit $short --out "$name"
    check "$name: why is not said" grep -qF "${how#* }" err
    check "$name: the point is not written down" grep -q 'chain [0-9]: .*; at x = ' "$name/model-failures.log"
    check "$name: the run is not recorded" grep -q '"stopped": "error"' "$name/run.json"
done
# One crash in many points: the run goes on, and diagnose says it.
cat >rare.c <<'MODEL'
#include <ckam/model.h>
#include <stdlib.h>
const char *const ckam_parameters[] = {"x", NULL};
double log_density(const double *x) {
    if (x[0] > 2.0 && x[0] < 2.02) abort();
    return -0.5 * x[0] * x[0];
}
MODEL
try 0 out 'by jump' sample rare.c --isolate --seed 1 --draws 2000 --format csv --out rare
try 1 out 'The model crashed or took too long at' diagnose rare
check 'the count differs from the lines' \
    [ "$(wc -l <rare/model-failures.log)" -eq "$(sed -n 's/.*"faults": \([0-9]*\).*/\1/p' rare/run.json)" ]
# Not isolated, a crash takes the command with it, which says so.
status=0
sh -c 'ulimit -c 0; exec "$@"' sh "$ckam" sample "$models/segfault.so" --seed 1 --draws 500 --format csv --out crash >out 2>err ||
    status=$?
check "a crash ended with $status" [ "$status" -eq 139 ]
check 'a crash is not explained' grep -q -- '--isolate' err
# Also at the first point, before there is a run.
status=0
sh -c 'ulimit -c 0; exec "$@"' sh "$ckam" sample --log-density '*(volatile int *)0' --params x --out first >out 2>err || status=$?
check "a crash at the first point ended with $status" [ "$status" -eq 139 ]
check 'a crash at the first point is not explained' grep -q 'the model crashed. With --isolate' err
# A run that ended with an error is not without problems, whatever its draws are.
try 70 err 'resume wrong' sample --program 'for i in 1 2 3 4 5 6 7 8 9; do for j in 1 2 3 4 5 6 7 8 9; do read -r x; echo 0; done; done; echo no' \
    --params '0 < x < 1' --sampler rw:step-size=1,warmup=10 --workers 1 --seed 1 --out wrong
try 1 out "The run ended with an error: chain" diagnose wrong
# Reasons that a program gives before any chain has begun are kept.
try 70 err 'not defined at 100 random starts' sample --program 'while read -r x; do echo reject bad data; done' --params x --out rejected
try 1 out 'bad data' diagnose rejected
# Nor does exit() end it in silence, whoever calls it first and how many do.
for seed in 1 2 3 4 5; do
    try 70 err 'the model called exit()' sample "$models/exit.so" --seed $seed --chains 8 --threads 4 --format csv --out left \
        --overwrite
done
# The log of failures belongs to a run, which may be overwritten.
try 0 out 'by gam' sample bimodal --sampler gam --draws 100 --format csv --out rare --overwrite
check 'the log of another run is left' [ ! -e rare/model-failures.log ]
# What is constant does not keep the others from having converged. If nothing moves at all, nothing has.
cat >constant.c <<'MODEL'
#include <ckam/model.h>
const char *const ckam_parameters[] = {"x", NULL};
const char *const ckam_derived[] = {"three", NULL};
void derive(const double *x, double *out) { out[0] = 3; }
double log_density(const double *x) { return -0.5 * x[0] * x[0]; }
MODEL
try 0 out 'converged as asked' sample constant.c --until ess=400 --evals 1000000 --seed 1 --format csv --out constant
# Nor does what is 0 or 1, and so has no tails.
cat >indicator.c <<'MODEL'
#include <ckam/model.h>
const char *const ckam_parameters[] = {"x", NULL};
const char *const ckam_derived[] = {"positive", NULL};
void derive(const double *x, double *out) { out[0] = x[0] > 0; }
double log_density(const double *x) { return -0.5 * x[0] * x[0]; }
MODEL
try 0 out 'converged as asked' sample indicator.c --until ess=1000 --evals 100000 --seed 1 --format csv --out indicator
# A density without an integral is noticed, also where a bound hides it; so is what lies beyond the last number.
try 0 out 'seems to have no finite' sample --log-density '-1/2*x*x' --params 'x > 0' $short --out half-line
try 1 out 'seems to have no finite integral' diagnose half-line
has 'points had no value and were rejected'
try 0 out 'by jump' sample --log-density '-0.95*(log(x)+log(1-x))' --params '0 < x < 1' --seed 1 --draws 5000 --format csv --out beta
try 1 out 'the density beyond it is missing' diagnose beta
# A checkpoint of another layout, whose number is in byte 8, is refused.
printf '\002' | dd of=beta/checkpoint/state bs=1 seek=8 conv=notrunc 2>/dev/null
try 65 err 'the checkpoint has layout 2, this build' resume beta --draws 6000
# Messages have the parameters as the user knows them.
try 70 err 'at the start x = 0.25, y = 3; give another' sample --log-density 'log(x - 0.5)' --params '0 < x < 1, y > 1' --init 0.25,3 --out nowhere
# The mean has as many digits as its error asks for.
try 0 out 'by jump' sample --log-density '-0.5*pow((t-2459000.5)/1e-4,2)' --params t --init 2459000.5 $short --out date
check 'the mean is cut' grep -Eq '^t +245900[01][.][0-9]{6}' out
# Fewer draws than there are: the record says how many there are.
try 0 out '500 draws' resume date --draws 100
check 'run.json has fewer draws than there are' grep -q '"draws": 500,' date/run.json
# Nobody is left behind.
check 'processes are left' [ -z "$(env -u CKAM_CACHE grep -lsaF "$CKAM_CACHE" /proc/[0-9]*/environ || true)" ]
