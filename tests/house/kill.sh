#!/bin/sh
# kill.sh CKAM [ROUNDS] - runs that are killed, interrupted or out of room go on to the rows of one that was left alone.
#
# The moments are fractions of the time that the undisturbed run took. The outcome must be right whatever the moment is. A run
# that was done before its next kill is compared, and another one begins, which is killed sooner. ROUNDS: 60 kills each; 1 if it is
# not given.
set -eu
ckam=$1 rounds=${2:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chains=3

fail() {
    echo "kill: $1"
    for file in "$work"/out "$work"/err; do [ ! -f "$file" ] || tail -n 5 "$file"; done
    exit 1
}

# begin DIR ...: a new run with the settings of the present case, without progress. In place of the shell: `begin ... &`
# gives the process of ckam itself, to which SIGINT means what it means at a terminal.
begin() {
    directory=$1
    shift
    # shellcheck disable=SC2086 # words
    exec env --default-signal=INT,TERM "$ckam" sample $settings --seed 9 --chains $chains --out "$work/$directory" \
        --overwrite --format csv --progress none --checkpoint-every 0.05 "$@" >"$work/out" 2>"$work/err"
}

go_on() {
    exec env --default-signal=INT,TERM "$ckam" resume "$work/$1" --progress none >"$work/out" 2>"$work/err"
}

# finish: how the process in $pid ended, in $status.
finish() {
    status=0
    wait "$pid" 2>"$work/shell" || status=$? # the shell itself says 'Killed'
}

# same DIR WHAT: its rows are those of the undisturbed run.
same() {
    chain=1
    while [ $chain -le $chains ]; do
        for directory in plain "$1"; do
            grep -v '^#' "$work/$directory/chain_$chain.csv" >"$work/$directory.rows"
        done
        cmp "$work/plain.rows" "$work/$1.rows" || fail "$2: chain $chain of '$settings' is not that of the run left alone"
        chain=$((chain + 1))
    done
}

# to_end DIR WHAT: goes on to the end, and compares.
to_end() {
    (go_on "$1") || fail "$2: 'ckam resume' ended with $?"
    same "$1" "$2"
}

# drawn DIR: waits until the run in $pid has written a row of each chain.
drawn() {
    chain=1
    while [ $chain -le $chains ]; do
        if grep -q '^[-0-9]' "$work/$1/chain_$chain.csv" 2>/dev/null; then
            chain=$((chain + 1))
        else
            kill -0 $pid 2>/dev/null || fail "the run in $1 has ended, and chain $chain has no row"
            sleep 0.01
        fi
    done
}

# taken: waits until the process in $pid has taken the SIGINT that it was sent, or has ended.
taken() { while grep -qs '^S[ih][gd]Pnd:.*[2367abef]$' /proc/$pid/status; do :; done; }

now() { date +%s.%N; }

# plain: the undisturbed run, and the time that it takes.
plain() {
    before=$(now)
    (begin plain) || fail "'ckam sample $settings' ended with $?"
    seconds=$(echo "$before $(now)" | awk '{ print $2 - $1 }')
}

# hit FRACTION: SIGKILL at this part of the time, after going on from where the last kill left the run.
hit() {
    # A run that was killed before it had begun leaves no run.json and begins again.
    if [ -f "$work/killed/run.json" ]; then
        go_on killed &
    else
        anew=$((anew + 1))
        begin killed &
    fi
    pid=$!
    sleep "$(echo "$1 $seconds" | awk '{ print $1 * $2 }')"
    kill -KILL $pid 2>/dev/null || true
    finish
    case $status in
    137) hits=$((hits + 1)) ;;
    0) # it was done before
        same killed 'SIGKILL'
        rm -r "$work/killed"
        seconds=$(echo "$seconds" | awk '{ print $1 / 2 }')
        ;;
    *) fail "a run that was killed $hits times ended with $status" ;;
    esac
}

# killed: at 20 moments of a run, each time until the same rows are there.
killed() {
    round=0
    while [ $round -lt "$rounds" ]; do
        hits=0 anew=0 round=$((round + 1))
        rm -rf "$work/killed"
        while [ $hits -lt 20 ]; do # the more often a run was missed, the sooner the next kill comes: it ends
            for fraction in .07 .02 .11 .05 .09 .03 .13 .06 .01 .10 .04 .12 .08 .02 .06 .14 .03 .09 .05 .07; do
                [ $hits -ge 20 ] || hit "$(echo "$fraction $round" | awk '{ print $1 * (0.8 + 0.2 * $2 % 0.7) }')"
            done
        done
        to_end killed 'SIGKILL'
        echo "kill: '$settings': $seconds s, killed $hits times, begun $anew times, the same rows"
    done
}

# interrupted SIGNAL STATUS: the first one stops the run in good order.
interrupted() {
    rm -rf "$work/stopped"
    begin stopped &
    pid=$!
    drawn stopped
    kill -"$1" $pid
    finish
    [ $status -eq "$2" ] || fail "SIG$1 gave the exit status $status, not $2"
    grep -q '"stopped": "interrupted"' "$work/stopped/run.json" || fail "run.json does not say 'interrupted'"
    "$ckam" summary "$work/stopped" >"$work/out" 2>"$work/err" || fail "SIG$1 left files that cannot be read"
    [ "$(grep -cv '^#' "$work/stopped/chain_1.csv")" -eq "$(grep -cv '^#' "$work/stopped/chain_$chains.csv")" ] ||
        fail "SIG$1 left chains of different lengths"
    to_end stopped "SIG$1"
}

# twice: the second one ends the process at once, between two rows. The first may already have been enough: then again.
# What comes within 0.1 s counts as one; the process sleeps meanwhile, as it might be done by then.
twice() {
    tries=0
    until grep -q 'ended at once' "$work/err" && [ $tries -gt 0 ]; do
        tries=$((tries + 1))
        [ $tries -le 20 ] || fail 'a second SIGINT never ended a run at once'
        rm -rf "$work/stopped"
        begin stopped --draws 100000000 &
        pid=$!
        drawn stopped
        kill -INT $pid
        taken
        kill -STOP $pid 2>/dev/null || true
        sleep 0.2
        kill -INT $pid 2>/dev/null || true
        kill -CONT $pid 2>/dev/null || true
        finish
        [ $status -eq 130 ] || fail "two SIGINT gave the exit status $status, not 130"
    done
    for file in "$work"/stopped/chain_*.csv; do
        awk -F , '!/^#/ { if (columns && NF != columns || !/[0-9a-z]$/) exit 1; columns = NF }' "$file" ||
            fail "$file has a row that is cut"
    done
    "$ckam" summary "$work/stopped" >"$work/out" 2>"$work/err" || fail 'two SIGINT left files that cannot be read'
}

# full: a disk without room, as a limit of the size of files.
full() {
    rm -rf "$work/stopped"
    status=0
    (ulimit -f 200 && begin stopped) || status=$?
    [ $status -eq 74 ] || fail "a full disk gave the exit status $status, not 74"
    grep -q 'cannot write .*chain_[0-9]*\.csv' "$work/err" || fail 'a full disk: the message does not name the file'
    to_end stopped 'full disk'
}

settings='gaussian:dim=16 --sampler ckam:cycle-length=200 --thin 2 --draws 20000'
plain
killed
interrupted INT 130

settings='bimodal --sampler jump --thin 5 --draws 30000'
plain
killed

settings='bimodal --sampler gam --thin 100 --draws 30000'
plain
killed
interrupted TERM 143
full
twice
echo 'kill: all as expected'
