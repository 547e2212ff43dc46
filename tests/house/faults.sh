#!/bin/sh
# faults.sh CKAM LIBRARY STRIDE - one call that fails: memory, write, sync, rename, fork, load, thread; one run for each call.
#
# LIBRARY is that of tests/preload. After each fault: no crash and no hang, a message where it did not succeed, no more memory in use
# at the end than without, and the checkpoint that was there is good: the run goes on to the rows of one that was left alone.
# STRIDE: every so many calls for memory (1: every one). Of the other kinds every call is tried.
set -eu
ckam=$1 library=$2 stride=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tried=0

fail() {
    echo "faults: $1"
    for file in out err; do [ ! -f $file ] || tail -n 3 $file; done
    exit 1
}

# with FAULT COMMAND...: its exit status is in $status, what it wrote in out and err, the counts in counts.
with() {
    fault=$1
    shift
    status=0
    timeout 600 env CKAM_FAULT="$fault" CKAM_FAULT_COUNTS="$work/counts" LD_PRELOAD="$library" "$@" >out 2>err </dev/null ||
        status=$?
}

count() { awk -v kind="$1" '$1 == kind { print $2 }' counts; }

# after FAULT: what must hold after any of them. One block more: the buffer of stderr, where something was said.
after() {
    tried=$((tried + 1))
    [ $status -lt 124 ] || fail "$1: $what ended with $status"
    [ $status -eq 0 ] || [ $status -eq "$usual" ] || [ -s err ] || fail "$1: $what ended with $status and said nothing"
    [ "$(count live)" -le $((live + 1)) ] || fail "$1: $what left $(count live) blocks of memory, $live without a fault"
}

rows() { grep -v '^#' "$1"; }

# good DIR FAULT: it goes on, and has the rows of the run left alone.
good() {
    "$ckam" resume "$1" --draws 150 --progress none >out 2>err || fail "$2: after $what the run cannot be resumed"
    for chain in 1 2; do
        rows "$1/chain_$chain.csv" >got
        rows "alone/chain_$chain.csv" >wanted
        cmp -s got wanted || fail "$2: after $what chain $chain is not that of the run left alone"
    done
}

# kinds PREPARE CHECK COMMAND...: all faults of all kinds. PREPARE comes before, CHECK FAULT after each.
kinds() {
    prepare=$1 check=$2
    shift 2
    $prepare
    with memory:0 "$@"
    [ $status -le 1 ] || fail "$what does not succeed without a fault" # 1: it found something
    usual=$status live=$(count live)
    cp counts reached
    for kind in memory write sync rename fork load thread; do
        last=$(awk -v kind=$kind '$1 == kind { print $2 }' reached) step=1
        [ $kind != memory ] || step=$stride
        n=1
        while [ $n -le "$last" ]; do
            $prepare
            with $kind:$n "$@"
            after "$kind:$n"
            $check "$kind:$n"
            n=$((n + step))
        done
    done
}

nothing() { :; }

# -- A run that begins: what is left is a run that goes on, or one that never was.
settings='--draws 100 --chains 2 --seed 1 --progress none --format csv'
begin() { rm -rf run; }
begun() {
    [ $status -eq 0 ] || [ -f run/run.json ] || return 0
    good run "$1"
}
# shellcheck disable=SC2086 # words
"$ckam" sample gaussian:dim=2 $settings --out before >/dev/null
cp -R before alone
"$ckam" resume alone --draws 150 --progress none >/dev/null
what='a new run'
# shellcheck disable=SC2086
kinds begin begun "$ckam" sample gaussian:dim=2 $settings --out run

# -- One that goes on.
again() { rm -rf run && cp -R before run; }
gone() { good run "$1"; }
what='a run that goes on'
kinds again gone "$ckam" resume run --draws 150 --progress none

# -- A model that is compiled, loaded, and evaluated by another process.
export XDG_CACHE_HOME="$work/cache"
printf '#include <ckam/model.h>\ndouble log_density(const double *x) { return -0.5 * (x[0] * x[0] + x[1] * x[1]); }\n' >model.c
what='a model of the user'
fresh() { rm -rf run cache; }
# shellcheck disable=SC2086
kinds fresh nothing "$ckam" sample model.c --params 'x, y' --isolate $settings --out run

# -- Readers change nothing.
rm -rf run && cp -R alone run
what='the summary'
kinds nothing nothing "$ckam" summary run
what='the report'
kinds nothing nothing "$ckam" report run
what='a figure'
case " ${CKAM_WITHOUT-} " in # what the build lacks
*' cairo '*) ;;
*) kinds nothing nothing "$ckam" plot run density --out figure.svg ;;
esac
what='the evidence'
kinds nothing nothing "$ckam" evidence run
for chain in 1 2; do cmp -s run/chain_$chain.csv alone/chain_$chain.csv || fail 'a reader changed the draws'; done

echo "faults: $tried calls failed, all as expected"
