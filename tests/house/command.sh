#!/usr/bin/env bash
# command.sh CKAM - the command as a user meets it: what it prints, where, and with which exit status.
# shellcheck disable=SC2016 # backquotes are printed
set -eu
ckam=$(realpath "$1")
# shellcheck source=tests/house/tries.sh
. "$(dirname "$0")/tries.sh"

# fits: no line of the last output is wider than 80 columns.
fits() { check 'a line is wider than 80 columns' [ "$(wc -L <out)" -le 80 ]; }

# -- Help: everywhere, on stdout, narrow enough
try 0 out 'ckam 0.' --version
try 0 out 'sample' --help
try 0 out 'sample' help
try 64 err 'Usage: ckam COMMAND'
wrong 64 "there is no command 'smaple'; did you mean 'sample'?" smaple bimodal
wrong 64 "there is no command 'xyzzy'; \`ckam help\` lists them" xyzzy
for command in sample resume summary diagnose list help; do
    try 0 out "Usage: ckam $command" "$command" --help
    fits
    cp out one
    try 0 out "Usage: ckam $command" help "$command"
    cmp out one
    try 0 out "Usage: ckam $command" "$command" --usage
    fits
    try 0 out 'ckam 0.' "$command" --version
done
try 0 out '--target-accept=X' sample --help
try 0 out '--explore=X' sample --help --sampler ckam
try 0 out 'Options of the sampler gam' sample --help --sampler gam:warmup=5
lacks '--explore=X'
try 0 out 'a number > 0 and < 1; default 0.4' help ckam
fits
try 0 out 'a whole number >= 1 and <= 10000; default 2' help bimodal
wrong 64 "did you mean 'gam'?" help gamm
wrong 64 "there is no command, sampler or model 'xyzzy'" help xyzzy
wrong 64 "'gam' is too much" help ckam gam

# -- Lists
try 0 out 'bimodal' list
has '  rw '
has '  matern'
fits
try 0 out 'rw' list samplers
lacks bimodal
try 0 out 'bimodal' list models
try 0 out 'gaussian' list kernels
try 0 out 'explore' list options ckam
fits
try 0 out 'separation' list options bimodal
try 0 out 'explore' list ckam
wrong 64 "there is no sampler or model 'foo'" list foo
wrong 64 "did you mean 'bimodal'?" list options bimodl
wrong 64 'options of which sampler?' list options
wrong 64 "'models' is too much" list samplers models

# -- Flags: from the tables, abbreviated, misspelt, misplaced
wrong 64 'which model?' sample
wrong 64 "one model at a time: 'ring' and 'banana' are two" sample ring banana
wrong 64 "did you mean 'bimodal'?" sample bimodl
wrong 64 "did you mean 'kam'?" sample ring --sampler kamm
wrong 64 "there is no option --drws; did you mean --draws?" sample ring --drws 5
wrong 64 "there is no option --xyzzyxyzzy" sample ring --xyzzyxyzzy
wrong 64 'there is no option -x' sample ring -n5 -x
wrong 64 '--draws wants a value: a whole number' sample ring --draws
wrong 64 '-n (--draws) wants a value' sample ring -n
wrong 64 '--overwrite takes no value' sample ring --overwrite=true
wrong 64 '--s may be --sampler or --seed or' sample ring --s 5
wrong 64 '--explore is an option of ckam, not of gam' sample ring --sampler gam --explore 0.4
wrong 64 '--kernel is an option of kam and ckam, not of rw' sample ring -s rw --kernel linear
wrong 64 "explore is '2'; it must be a number > 0 and < 1" sample ring -s ckam --explore 2
wrong 64 "explore is '2'; it must be a number > 0 and < 1" sample ring --sampler ckam:explore=2
wrong 64 "draws is '0'" sample ring --draws 0
wrong 64 "chains is 'x'" sample ring --chains x
wrong 64 'evals is 500, and jump in 2 dimensions needs 1286 evaluations of each chain' sample bimodal --evals 500
wrong 64 'use --evals=1022 or more, or a shorter warm-up (--warmup)' sample bimodal --evals 500 --sampler gam
wrong 64 "seed is '-1'" sample ring --seed -1
wrong 64 "until is 'soon'" sample ring --until soon
wrong 64 '--seed is an option of `ckam sample`, not of `ckam resume`' resume run --seed 5
wrong 64 '--draws is an option of `ckam sample`, not of `ckam summary`' summary run --draws 5
wrong 64 '--explore is an option of `ckam sample`, not of `ckam resume`' resume run --explore 0.5
wrong 64 'there is no option --chians; did you mean --chains, of `ckam sample`?' resume run --chians 5
wrong 64 'there is no option --drws; did you mean --draws?' resume run --drws 5
wrong 64 'format none' sample ring --format none --out run
check 'a run that was refused left a directory' [ -z "$(find . -name 'ckam-run*')" ]

# -- A run, what it prints and where it writes
# Two chains begin in each mode, and stay there.
try 0 out '4 chains x 500 draws, seed 1' sample bimodal -n 500 -r 1 -o run -s rw --init -8,0,8,0,-8,0,8,0
check 'a short run wrote to stderr' [ ! -s err ]
fits
for text in 'bimodal by rw' 'stopped because all draws are there' 'exact' 'drawn' 'share by chain' \
    'written to run' 'problem: ' '`ckam diagnose run` says what to do' '██'; do
    has "$text"
done
check 'there is no fourth chain' [ -s run/chain_4.csv ]
check 'run.json lacks the command' grep -qF 'ckam sample bimodal -n 500 -r 1 -o run -s rw' run/run.json
wrong 73 'run is there already' sample bimodal -o run
try 0 out '2 chains x 100 draws' sample bimodal -o run --overwrite --chains 2 --dra 100 --sam gam
wrong 73 'cannot make' sample ring --out missing/run
try 0 out 'gam, target-accept 0.3, warmup 20' sample ring -n 50 -s gam --warmup 20 --target-accept 0.3
check 'there is no directory' [ -d ckam-run-ring-1 ]
try 0 out '... and 20 more; `ckam summary wide --all`' sample grid32 -n 50 -s gam -o wide
fits
try 0 out '4 chains x 100 draws' sample ring -n 100 --format none
check 'a run without files made a directory' [ ! -e ckam-run-ring-2 ]
wrong 70 'chain 1: ' sample gaussian --init 1e300,0 --format none
try 0 out 'kept from degenerating' sample ring -n 2000 -r 1 -s am --adapt-gain 0.99 --step-size 1000 --format none
LC_ALL=C "$ckam" summary run >out
check 'in the locale C there is more than ASCII' [ "$(LC_ALL=C tr -d '\n -~' <out | wc -c)" -eq 0 ]

# The same seed gives the same draws, and the time is all that differs.
"$ckam" sample banana -r 7 -n 500 --format none | grep -v ' s, ' >one
"$ckam" sample banana -r 7 -n 500 --format none | grep -v ' s, ' >two
cmp one two

# -- A file of settings; flags win
echo '{"model": "ring", "sampler": "gam", "warmup": 50, "draws": 60, "chains": 2, "out": "configured"}' >good.json
try 0 out '2 chains x 70 draws' sample --config good.json --draws 70
has 'ring by gam, warmup 50'
check 'the file was not used' grep -q '"warmup": 50' configured/run.json
try 0 out 'ring by am, warmup 50' sample --config good.json --sampler am --overwrite
# With another sampler the file's settings stay, and those that do not fit it are refused.
echo '{"model": "gaussian", "warmup": 50, "draws": 100}' >half.json
try 0 out 'gaussian by gam, warmup 50' sample --config half.json --sampler gam --out half
check 'the warm-up of the file is lost' grep -q '"warmup": 50' half/run.json
try 0 out 'gaussian by gam, warmup 7' sample --config half.json --sampler gam:warmup=7 --format none
try 0 out 'gaussian by gam, warmup 8' sample --config half.json --sampler gam --warmup 8 --format none
wrong 64 "did you mean 'gam'?" sample --config half.json --sampler gamm
echo '{"model": "gaussian", "explore": 0.5}' >bad.json
wrong 78 'explore is an option of the sampler ckam, not of gam' sample --config bad.json --sampler gam
echo '{"model": "ring", "drws": 60}' >bad.json
wrong 78 "did you mean 'draws'?" sample --config bad.json
echo '{"model": ' >bad.json
wrong 78 'bad.json' sample --config bad.json
wrong 66 'missing.json' sample --config missing.json

# -- Summary and diagnosis
try 0 out 'bimodal by gam' summary run
has exact
fits
try 0 out 'x.32' summary wide --all
try 0 out 'variable,mean,mcse_mean,sd,median,mad,q5,q95,rhat,ess_bulk,ess_tail' summary --csv run
check 'the CSV has another shape' [ "$(awk -F, '{ n += NF } END { print NR, n }' out)" = '4 44' ]
try 0 out '2 chains x 100 draws' summary run/chain_1.csv run/chain_2.csv
lacks exact
printf 'lp__,mu\n-1,0.5\n-2,0.25\n-1.5,0.125\n-1.25,1\n-1,0.75\n' >other.csv
try 0 out 'mu' summary other.csv
printf 'lp__,mu\n-1,0.5\n' >single.csv
try 0 out '1 chain x 1 draw' summary single.csv
lacks '1 draws'
printf 'lp__,mu\n-1,0.5\n-1,0.5\n-1,0.5\n-1,0.5\n-1,0.5\n' >same.csv
try 0 out '1 chain x 5 draws' summary same.csv # without a marginal
check 'there are two blank lines in a row' [ "$(cat -s out | cmp - out 2>&1)" = '' ]
printf 'lp__,mu\n-1,0.5\n-2,zero\n' >broken.csv
wrong 65 'broken.csv' summary broken.csv
wrong 66 'missing' summary missing
wrong 64 'of what?' summary
wrong 64 'of what?' diagnose
wrong 66 'missing' diagnose missing
# 30 modes in a row, in cycles of 100 draws
awk 'BEGIN { srand(1); print "lp__,cycle__,a_long_name,b"
    for (i = 0; i < 3000; i++) {
        m = i < 15 ? 0 : int(30 * rand()); r = sqrt(-2 * log(1 - rand())); t = 6.2831853 * rand()
        printf "-1,%d,%.6f,%.6f\n", i / 100, 30 * m + r * cos(t), r * sin(t)
    } }' >many.csv
try 0 out 'mode  weight' summary many.csv
fits
for text in '30 modes, ' '... and 5 more' 'into: how often' 'a_long_name'; do has "$text"; done
check 'not 25 modes are shown' [ "$(grep -c '^ *[0-9]* *0[.][0-9]* +- ' out)" -eq 25 ]
try 1 out 'problem: ' diagnose run
fits
try 0 out '1 mode found' sample gaussian:dim=2 -s gam -n 20000 -r 1 -o good
try 0 out 'no problems found' diagnose good

# -- Going on
wrong 64 'which run?' resume
wrong 64 'one run at a time' resume run good
wrong 66 'missing' resume missing
try 0 out '2 chains x 150 draws' resume run --draws 150
printf 'x' | dd of=run/checkpoint/state bs=1 seek=200 conv=notrunc 2>dd.err
wrong 65 'checkpoint' resume run --draws 200

# -- Commands that are printed can be pasted
pasted() {
    "$ckam" sample grid32 -n 50 -r 1 -s gam -o "$1" >out 2>err
    grep -o '`ckam [^`]*`' out | sed 's/^`ckam //; s/`$//' >commands
    check "'$1': there are not two commands" [ "$(wc -l <commands)" -eq 2 ]
    while read -r command; do
        status=0
        eval "\"\$ckam\" $command" >out 2>err || status=$?
        check "'ckam $command' ended with $status" [ "$status" -le 1 ]
    done <commands
    check "'$1' is kept otherwise" grep -qF -- "$2" "$1/run.json"
}
pasted "it's a \$run" "-o 'it'\\\\''s a \$run'"
pasted ./-dash '-o ./-dash'
try 0 out '`ckam diagnose ./-dash2` says what to do' sample bimodal -n 100 -r 1 -s rw -o -dash2

# -- A rule that was not reached
try 0 out 'all draws are there, before rhat=1.0001,ess=50000 was' \
    sample gaussian -n 200 --until rhat=1.0001,ess=50000 --format none

# -- More chains than files may be open by default
(ulimit -Sn 20 && "$ckam" sample gaussian -n 10 --chains 40 -o many >out 2>err) || fail '40 chains ended badly'
check 'there is no last chain' [ -s many/chain_40.csv ]

# -- Closed streams: nothing of what was meant for them is in the files
"$ckam" sample gaussian -n 100 -r 1 -o open >out 2>err
"$ckam" sample gaussian -n 100 -r 1 -o closed --progress json >&- 2>&- <&- || fail "closed streams ended with $?"
for chain in 1 2 3 4; do
    for directory in open closed; do grep -v '^#' "$directory/chain_$chain.csv" >"$directory.rows"; done
    cmp open.rows closed.rows
    check 'a line is neither row nor comment' [ "$(grep -cv '^[#l0-9-]' "closed/chain_$chain.csv")" -eq 0 ]
done

# -- Full disks and readers that leave
status=0
"$ckam" list >/dev/full 2>err || status=$?
check "a full standard output ended with $status" [ "$status" -eq 74 ]
status=0
(ulimit -f 40 && "$ckam" sample bimodal -n 100000 -o full >out 2>err) || status=$?
check "a full disk ended with $status" [ "$status" -eq 74 ]
check 'the full file was not named' grep -q 'full/' err
"$ckam" list 2>err | true
check 'a pipe that was closed made a noise' [ ! -s err ]

# -- Signals. long DIR: a run without end, which begins to draw at once.
long='-n 100000000 --thin 100 --sampler rw --checkpoint-every 0.1'
# drawn DIR: waits until every chain of the run $pid has a row in its file.
drawn() {
    for chain in 1 2 3 4; do
        until grep -q '^[-0-9]' "$1/chain_$chain.csv" 2>/dev/null; do
            kill -0 "$pid" || fail "it ended before chain $chain had a row"
            sleep 0.01
        done
    done
}
# signalled DIR SIGNAL...: what came of it is in $status. A shell starts what is in the background without SIGINT.
signalled() {
    # shellcheck disable=SC2086 # words
    env --default-signal=INT,TERM,HUP "$ckam" sample bimodal $long -o "$1" >out 2>err &
    pid=$!
    drawn "$1"
    shift
    for signal; do kill -"$signal" $pid; done
    status=0
    wait $pid || status=$?
    has 'it was interrupted'
}
interrupted() {
    signalled "stopped$1" "$1"
    check "SIG$1 ended with $status, not $2" [ "$status" -eq "$2" ]
    check "SIG$1 was not answered" grep -q 'stopping after this iteration' err
    check "SIG$1 did not say how to go on" grep -qF "\`ckam resume stopped$1\` goes on" err
}
interrupted INT 130
interrupted TERM 143
interrupted HUP 143
try 0 out 'it has converged as asked' resume stoppedINT --until rhat=99
try 0 err 'nothing was left to do: it had converged as asked; --until never goes on' resume stoppedINT --draws 200000000
# A rule that ends a run before there are draws leaves nothing that a script could go on with.
# The climb on this density is longer than that of a density which is easy to start from.
try 75 err 'it stopped before every chain had a draw: chain ' sample flower --evals 2426 --seed 1 -o few
check 'it is not said what would be enough' grep -q 'went to the start and the way to a mode, .* allow --evals=[0-9]* or more' err
check 'how to go on is not said' grep -qF '`ckam resume few --evals N` goes on' err
try 0 out '4 chains x' resume few --evals 100000 -n 100
# Fewer evaluations than were made cannot be had, and are no reason for more.
try 0 out '0 evaluations in' resume few --evals 50
# Jumps lead back to a draw at times: that is no bound.
try 0 out '2 modes' sample bimodal --sampler jump --seed 1 -n 1000 --unseen 1 -o back
try 0 out 'no problems found' diagnose back
# The number of draws is that of those that are kept.
try 0 out '2 chains x 1000 draws' sample bimodal --sampler gam --format none --thin 5 --draws 1000 --chains 2 --seed 1
# Two that come together are one: of two kinds, which the system cannot merge, and of `timeout` without --foreground.
for i in 1 2 3 4; do
    signalled "both$i" STOP TERM HUP CONT # it gets both when it goes on
    check "SIGTERM and SIGHUP ended with $status" [ "$status" -eq 143 ]
done
for i in 1 2 3 4; do
    # shellcheck disable=SC2086
    env --default-signal=INT timeout --preserve-status -s INT 1000 "$ckam" sample bimodal $long -o "together$i" >out 2>err &
    pid=$!
    drawn "together$i"
    kill -ALRM $pid # as if its time were over
    status=0
    wait $pid || status=$?
    check "the signals of timeout ended with $status" [ "$status" -eq 130 ]
    has 'it was interrupted'
done

# -- Progress
# shows PATTERN ARGUMENT...: a run without end, until there is a line like this in its progress; else it hangs.
shows() {
    pattern=$1
    shift
    "$ckam" sample bimodal -n 100000000 --thin 100 --format none --progress json "$@" >out 2>err &
    pid=$!
    until grep -q "$pattern" err; do
        kill -0 $pid || fail "it ended before there was '$pattern'"
        sleep 0.05
    done
    kill -TERM $pid
    wait $pid || true
}
shows '^{"elapsed":.*"chains":\[{"draws":.*"modes":0.*}\]}$' --sampler gam
shows '"modes":2' --sampler jump
# Bars begin half a second after the start. How far the run comes in its time is the machine's affair: 75 is a run without draws, and
# a line about the limit is no bar, which is drawn by escape sequences.
"$ckam" sample bimodal -n 100000000 --thin 100 --sampler rw --time-limit 0.7 --format none --progress bar >out 2>err ||
    check "a run that may show bars ended with $?" [ $? -eq 75 ]
check 'bars were drawn where there is no terminal' [ "$(tr -cd '\033' <err | wc -c)" -eq 0 ]
echo 'command: all as expected'
