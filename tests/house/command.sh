#!/bin/sh
# command.sh CKAM - the command as a user meets it: what it prints, where, and with which exit status.
set -eu
ckam=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# try STATUS STREAM TEXT ARGUMENT...: the command ends with STATUS and its STREAM (out or err) holds TEXT.
try() {
    expected=$1 stream=$2 text=$3
    shift 3
    status=0
    "$ckam" "$@" >"$work/out" 2>"$work/err" || status=$?
    if [ "$status" -ne "$expected" ] || ! grep -qF -- "$text" "$work/$stream"; then
        echo "command: 'ckam $*' ended with $status, expected $expected, and on $stream '$text'. It said:"
        cat "$work/out" "$work/err"
        exit 1
    fi
}

try 0 out 'ckam 0.' --version
try 0 out 'sample' --help
try 0 out 'sample' help
try 64 err 'Usage: ckam COMMAND'
try 64 err "no command 'smaple'" smaple bimodal
try 0 out 'ckam list [models|samplers|NAME]' list --help
try 0 out 'rw' list samplers
try 0 out 'bimodal' list models
try 0 out 'explore' list ckam
try 0 out 'separation' list bimodal
try 64 err "no sampler or model 'foo'" list foo
try 0 out '--sampler' sample --help
try 64 err 'which model?' sample
try 64 err 'one model at a time' sample ring banana
try 64 err "did you mean 'bimodal'?" sample bimodl
try 64 err "did you mean 'kam'?" sample ring --sampler kamm
try 64 err "explore is '2'; it must be a number > 0 and < 1" sample ring --sampler ckam:explore=2
try 64 err "--draws is '0'" sample ring --draws 0
try 64 err "--chains is 'x'" sample ring --chains x
try 64 err "--seed is '-1'" sample ring --seed -1
try 70 err 'no memory' sample ring --draws 4000000000000000000
try 0 out 'exact' sample ring --draws 100 --chains 2 --sampler gam
try 0 out 'moves between modes' sample bimodal --draws 100 --sampler rw --seed 1
try 0 out 'Few moves' sample bimodal --draws 100 --sampler rw --seed 1

try 0 out 'kept from degenerating' sample ring --draws 2000 --seed 1 --sampler am:adapt-gain=0.99,step-size=1000

# The same seed gives the same draws, and the time is all that differs; nothing goes to stderr.
"$ckam" sample banana --seed 7 --draws 500 2>"$work/err" | grep -v ' s, ' >"$work/one"
"$ckam" sample banana --seed 7 --draws 500 2>>"$work/err" | grep -v ' s, ' >"$work/two"
cmp "$work/one" "$work/two"
[ ! -s "$work/err" ]
echo 'command: all as expected'
