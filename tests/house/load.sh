#!/bin/sh
# load.sh CKAM [SECONDS [CHAINS]] - many chains of a density in 100 dimensions on 2 threads: memory stays below what docs/runs.md
# states, no row is lost, and a run that was killed goes on. Then a stream of draws, whose memory and open files must not
# grow.
#
# SECONDS (6): sampling of jump; gam and ckam have a quarter of it each; what is before and after it comes on top. CHAINS: 100.
set -eu
ckam=$1 seconds=${2:-6} chains=${3:-100}
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null || true; rm -rf "$work"' EXIT
dim=100

fail() {
    echo "load: $1"
    for file in "$work"/out "$work"/err; do [ ! -f "$file" ] || tail -n 5 "$file"; done
    exit 1
}

# status NAME: a number of kB of the process in $pid; nothing when it has ended.
status() { sed -n "s/^$1:[^0-9]*\([0-9]*\) kB/\1/p" /proc/$pid/status 2>/dev/null || true; }

# watch: until the process in $pid has ended; $peak is the most memory that it had, in kB, $ended its exit status.
watch() {
    peak=0
    while kill -0 $pid 2>/dev/null; do
        now=$(status VmHWM)
        [ -z "$now" ] || peak=$now
        sleep 0.1
    done
    ended=0
    wait $pid || ended=$?
    pid=
}

# start COMMAND...: in the background, as $pid.
start() {
    "$@" >"$work/out" 2>"$work/err" &
    pid=$!
}

# whole DIR: every file has as many rows as the first, all complete, and as many as run.json says of the shortest chain.
whole() {
    awk -F , '
        FNR == 1 { rows[FILENAME] = columns = 0 }
        /^#/ || !NF { next }
        !columns { columns = NF; next }
        { last = ++rows[FILENAME]; if (NF != columns || !/[0-9]$/) bad = FILENAME ":" FNR }
        END {
            for (file in rows) { files++; if (rows[file] != last + 0) bad = file }
            if (bad == "") print last + 0, files
            else { print bad; exit 1 }
        }' "$1"/chain_*.csv >"$work/rows" || fail "a file of $1 is not whole: $(cat "$work/rows")"
    read -r rows files <"$work/rows"
    [ "$files" -eq "$chains" ] || fail "$1 has $files files, not $chains"
    least=$(sed -n '/"draws": \[/,/\]/p' "$1/run.json" | tr -dc '0-9\n' | sort -n | sed '/^$/d' | head -n 1)
    [ "$rows" -eq "$least" ] || fail "the files of $1 have $rows rows, run.json says $least"
}

# The memory of a run in kB: what it takes however many chains it has, and a chain beside its state of $1 kB: rows that are to be
# written, and twice 128 draws.
most() { echo $((150000 + chains * ($1 + 256 + 2 * 128 * (dim + 7) * 8 / 1024))); }

# in_order: the command ended as it should: by its time, with draws or, where there are many chains, before there were any.
in_order() { [ $ended -eq 0 ] || { [ $ended -eq 75 ] && grep -q 'before every chain had a draw' "$work/err"; }; }

# crowd SAMPLER SECONDS STATE: so long, then on from a kill; the state of a chain takes STATE kB at most.
crowd() {
    bound=$(most "$3")
    run=$work/${1%%:*}
    start "$ckam" sample gaussian:dim=$dim --chains "$chains" --sampler "$1" --seed 1 --threads 2 --time-limit "$2" \
        --progress none --format csv --out "$run"
    watch
    in_order || fail "$1 with $chains chains ended with $ended"
    first=$peak
    [ "$peak" -le "$bound" ] || fail "$chains chains of $1 took $peak kB, not $bound at most"
    whole "$run"
    before=$rows
    touch "$work/mark"
    start "$ckam" resume "$run" --time-limit 1000 --checkpoint-every 1 --progress none
    while kill -0 $pid 2>/dev/null && [ -z "$(find "$run/checkpoint/state" -newer "$work/mark")" ]; do
        sleep 0.1 # until there is a checkpoint of this session, and some more
    done
    sleep 1
    kill -9 $pid 2>/dev/null || fail "$1: 'ckam resume' had ended before it was killed"
    watch
    start "$ckam" resume "$run" --time-limit 2 --progress none
    watch
    in_order || fail "$1: 'ckam resume' ended with $ended after a kill"
    [ "$peak" -le "$bound" ] || fail "$chains chains of $1, resumed, took $peak kB, not $bound at most"
    whole "$run"
    [ "$rows" -ge "$before" ] || fail "$1: there were $before rows, and $rows after a kill"
    echo "load: $chains chains of $1: $((first / 1000)) MB, resumed $((peak / 1000)) MB, of $((bound / 1000)) that are allowed;" \
        "$(($(du -sk "$run/checkpoint" | cut -f 1) / 1000)) MB on the disk to resume; $rows rows each"
    rm -rf "$run"
}

# stream DRAWS: 100 parameters in 4 chains; memory and files of the last quarter are those of the first.
stream() {
    begun=$(date +%s)
    start "$ckam" sample gaussian:dim=$dim --chains 4 --sampler gam:warmup=1000 --seed 1 --threads 2 --draws "$1" \
        --checkpoint-every 1 --progress none --format csv --out "$work/stream"
    : >"$work/levels"
    while kill -0 $pid 2>/dev/null; do
        kill -STOP $pid 2>/dev/null || true # it waits while it is looked at, however slow that is
        [ ! -s "$work/stream/summary.csv" ] || break # the end has needs of its own
        now=$(status VmRSS)
        open=$(find /proc/$pid/fd -mindepth 1 2>/dev/null | wc -l)
        [ -z "$now" ] || echo "$now $open $(du -sk "$work/stream" 2>/dev/null | cut -f 1)" >>"$work/levels"
        kill -CONT $pid 2>/dev/null || true
        sleep 0.05
    done
    kill -CONT $pid 2>/dev/null || true
    watch
    [ $ended -eq 0 ] || fail "the stream ended with $ended"
    took=$(($(date +%s) - begun + 1))
    awk -v draws="$1" -v columns=$((dim + 5)) '
        { memory[NR] = $1; open[NR] = $2; written[NR] = $3 }
        END {
            all = written[NR]
            for (i = 1; i <= NR; i++) {
                part = written[i] / all
                if (part > 0.1 && part <= 0.3 && memory[i] > early) early = memory[i]
                if (part > 0.1 && part <= 0.3 && open[i] > few) few = open[i]
                if (part > 0.75 && part < 0.98 && memory[i] > late) late = memory[i]
                if (part > 0.75 && part < 0.98 && open[i] > many) many = open[i]
            }
            print early + 0, late + 0, few + 0, many + 0
        }' "$work/levels" >"$work/level"
    read -r early late few many <"$work/level"
    [ $((early * late)) -gt 0 ] || fail "the stream was over before it could be watched"
    [ "$late" -le $((early + 16384)) ] || fail "a stream grew from $early to $late kB" # its draws are 80 MB
    [ "$many" -le $((few + 1)) ] || fail "a stream had $few files open, then $many"
    written=$((4 * $1 * dim))
    rate=$((written * 3600 / took))
    [ $rate -gt 10000000 ] || fail "only $rate parameters times draws an hour"
    echo "load: $((written / 1000000)) million parameters times draws in $took s, $((rate / 1000000)) million an hour; $early kB early, $late kB late"
}

# jump: 1.8 MB, 0.34 MB a component, and 0.83 kB a draw that it keeps; the numbers of these are those of docs/architecture.md.
components=$((4000000000 / 336000 / chains))
[ $components -ge 16 ] || components=16
[ $components -le 64 ] || components=64
draws=$((16384 / chains))
[ $draws -ge 64 ] || draws=64

crowd gam:warmup=100 $((seconds / 4)) 90
crowd ckam:cycle-length=100 $((seconds / 4)) 1600
crowd jump:warmup=200 "$seconds" $((1800 + 340 * components + draws))
stream 25000
echo 'load: all as expected'
