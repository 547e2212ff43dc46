#!/bin/sh
# limits.sh CKAM - runs under a limit of memory or time: each ends by itself, and says why if it has no draws.
#
# `timeout` sends SIGKILL, and only guards against a hang: what ends that way fails.
set -eu
ckam=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "limits: $1"
    for file in "$work"/out "$work"/err; do [ ! -f "$file" ] || tail -n 5 "$file"; done
    exit 1
}

# limited KBYTES ...: `ckam sample ...` with so much address space; its exit status in $status.
limited() {
    memory=$1
    shift
    status=0
    (
        # shellcheck disable=SC3045 # POSIX has no -v, and every shell that is /bin/sh has
        ulimit -v "$memory"
        exec timeout -s KILL 120 "$ckam" sample "$@" --seed 1 --format none --progress none >"$work/out" 2>"$work/err"
    ) || status=$?
}

# -- Little memory: a run that fits ends well, and one that does not says so ------------------------------------------

for sampler in kam ckam jump; do
    for memory in 320000 160000 80000 40000; do
        limited $memory gaussian:dim=100 --sampler $sampler --draws 50 --chains 2
        case $status in
        0) ;;
        70) grep -q 'memory' "$work/err" || fail "$sampler with $memory kB does not name the memory" ;;
        *) fail "$sampler with $memory kB of memory ended with $status" ;;
        esac
        [ "$memory" -lt 320000 ] || [ $status -eq 0 ] || fail "$sampler does not run in $memory kB"
    done
done
echo 'limits: little memory: all as expected'

# -- More memory than any machine has: refused before the first evaluation, with numbers and what would fit ------------

status=0
timeout -s KILL 120 "$ckam" sample gaussian:dim=10000 --sampler gam --chains 10000 --evals 2000 --seed 1 --format none \
    --progress none >"$work/out" 2>"$work/err" || status=$?
[ $status -eq 70 ] || fail "a run that needs 4 TB of memory ended with $status"
grep -q 'needs about .* GB of memory (10000 chains of .* MB.*are available.*--sampler rw' "$work/err" ||
    fail 'the refusal does not say what is needed, what there is and what would fit'
echo 'limits: too much memory: refused'
