#!/bin/sh
# mpi.sh CKAM CKAM_MPI MODELS - the same run over MPI: the same rows, for any number of ranks and whatever ends it.
#
# Every job is under `timeout`: what hangs is a failure. Faults are those of models/rank_fault.c, on one rank of several.
set -eu
ckam=$1 ckam_mpi=$2 models=$3
# In memory where there is room: what a run syncs when it is told to stop must not wait for a disk that others keep busy, as
# mpirun waits only so long.
memory=/dev/shm
[ "$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')" -gt 1000000 ] 2>/dev/null && [ -w "$memory" ] || memory=
work=$(mktemp -d ${memory:+-p "$memory"})
trap 'leave' EXIT
patience=600 # seconds
# As root and on few cores, as in a container; what a killed job leaves behind goes with the rest.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_backing_directory="$work" TMPDIR="$work"

# ours NAME...: the living processes of this test with these names. Zombies have no arguments, so they do not count.
ours() {
    # shellcheck disable=SC2013 # they are words
    for file in $(grep -als -- "$work/" /proc/[0-9]*/cmdline); do
        process=${file#/proc/} process=${process%/cmdline}
        name=$(cat "/proc/$process/comm" 2>/dev/null) || continue
        case " $* " in *" $name "*) echo "$process" ;; esac
    done
}

end_job() {
    # shellcheck disable=SC2046 # words
    kill -KILL $(ours timeout mpirun ckam-mpi ckam) 2>/dev/null || true
}

# gone WHAT: the last ones may take a moment, on a busy machine a long one.
gone() {
    tries=0
    while [ -n "$(ours mpirun ckam-mpi ckam)" ]; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || fail "$1 leaves processes behind"
        sleep 0.1
    done
}

leave() {
    end_job
    rm -rf "$work"
}

fail() {
    echo "mpi: $1"
    for file in "$work"/out "$work"/err; do [ ! -f "$file" ] || tail -n 12 "$file"; done
    exit 1
}

# alone DIR ...: a run of one process with the settings of the present case.
alone() {
    directory=$1
    shift
    # shellcheck disable=SC2086 # words
    "$ckam" sample $settings --seed 9 --out "$work/$directory" --overwrite --format csv --progress none "$@" \
        >"$work/out" 2>"$work/err" || fail "'ckam sample $settings $*' ended with $?"
}

# job RANKS ...: ckam-mpi, in place of the shell.
job() {
    ranks=$1
    shift
    exec env --default-signal=INT,TERM timeout -k 5 $patience mpirun -n "$ranks" "$ckam_mpi" "$@" >"$work/out" 2>"$work/err"
}

# begin RANKS DIR ...: a new run, the same over MPI.
begin() {
    ranks=$1 directory=$2
    shift 2
    # shellcheck disable=SC2086 # words
    job "$ranks" sample $settings --seed 9 --out "$work/$directory" --overwrite --format csv --progress none "$@"
}

# go_on RANKS DIR: 0 ranks are a run of one process.
go_on() {
    [ "$1" -gt 0 ] || exec timeout $patience "$ckam" resume "$work/$2" --progress none --threads 4 >"$work/out" 2>"$work/err"
    job "$1" resume "$work/$2" --progress none --threads 4
}

# same DIR WHAT: its rows are those of the run of one process.
same() {
    for file in "$work"/plain/chain_*.csv; do
        name=${file##*/}
        grep -v '^#' "$file" >"$work/expected"
        grep -v '^#' "$work/$1/$name" >"$work/rows" || fail "$2: '$settings' has no $name"
        cmp "$work/expected" "$work/rows" || fail "$2: $name of '$settings' is not that of one process"
    done
}

# to_end RANKS DIR WHAT: goes on to the end, and compares.
to_end() {
    (go_on "$1" "$2") || fail "$3: 'resume' with $1 ranks ended with $?"
    same "$2" "$3"
}

# -- The same rows --------------------------------------------------------------------------------------------------

# equal RANKS...: one process, with 1 and 2 threads, and as many as are named.
equal() {
    alone plain --threads 1
    alone threads --threads 2
    same threads '2 threads'
    for ranks in "$@"; do
        (begin "$ranks" ranks) || fail "$ranks ranks of '$settings' ended with $?"
        same ranks "$ranks ranks"
        cmp "$work/plain/summary.csv" "$work/ranks/summary.csv" || fail "$ranks ranks have another summary"
    done
    echo "mpi: '$settings': the same rows with $* ranks"
}

settings='bimodal --sampler rw --chains 4 --draws 2000 --save-warmup'
equal 1 2 4
settings='gaussian:dim=6 --sampler ckam:cycle-length=200 --chains 4 --draws 2000 --thin 2'
equal 1 2 4
settings='bimodal --sampler jump --chains 4 --draws 4000 --save-warmup'
equal 1 2 4 6
settings='bimodal --sampler jump --chains 64 --draws 1500'
equal 2
settings='gaussian:dim=3 --sampler jump --chains 4 --until ess=1000'
equal 3

# -- Killed ---------------------------------------------------------------------------------------------------------

# bytes DIR: the size of its rows.
bytes() { cat "$work/$1"/chain_*.csv 2>/dev/null | wc -c; }

# grown BYTES PID: waits until the rows are as large, or the job has ended.
grown() {
    while [ "$(bytes killed)" -lt "$1" ] && kill -0 "$2" 2>/dev/null; do sleep 0.01; done
}

# killed: SIGKILL of the whole job when it has this part of its rows, or while it begins; each time another number of ranks
# goes on.
killed() {
    hits=0
    rm -rf "$work/killed"
    alone plain --threads 4
    total=$(bytes plain)
    while [ $hits -lt 8 ]; do # those at 0 % always hit: it ends
        for next in 5:2 0:2 15:0 25:3 45:4 0:0 65:0 80:3; do
            [ $hits -lt 8 ] || break
            percent=${next%:*} ranks=${next#*:}
            if [ -f "$work/killed/run.json" ]; then
                go_on "$ranks" killed &
            else
                begin 2 killed --checkpoint-every 0.05 &
            fi
            pid=$!
            grown $((total * percent / 100)) $pid
            end_job
            status=0
            gone 'SIGKILL'
            wait $pid 2>"$work/shell" || status=$? # the shell itself says 'Killed'
            case $status in
            137) hits=$((hits + 1)) ;;
            0) # it was done before
                same killed 'SIGKILL'
                rm -r "$work/killed"
                ;;
            *) fail "a job that was killed $hits times ended with $status" ;;
            esac
        done
    done
    to_end 2 killed 'SIGKILL'
    echo "mpi: '$settings': killed $hits times, the same rows"
}

settings="$models/rank_fault.so --sampler ckam:cycle-length=100 --chains 4 --draws 1500"
killed
settings="$models/rank_fault.so --sampler jump:warmup=100 --chains 4 --draws 1500"
killed

# -- Faults of one rank ---------------------------------------------------------------------------------------------

# ended WHAT STATUS WANTED TEXT: how the job in `stopped` has ended; nobody is left, and one process goes on.
ended() {
    [ "$2" -eq "$3" ] || fail "$1 gave the exit status $2, not $3"
    grep -q -- "$4" "$work/err" || fail "$1: there is no '$4' in what was said"
    gone "$1"
    [ -s "$work/stopped/checkpoint/state" ] || fail "$1 leaves no checkpoint"
    to_end 0 stopped "$1"
    echo "mpi: $1: as expected"
}

# fault FAULT RANK: what models/rank_fault.c does, when there are some draws; the exit status in $status.
fault() {
    status=0
    (
        export FAULT="$1" FAULT_RANK="$2" FAULT_AT=1500
        begin 3 stopped --checkpoint-every 0.1
    ) || status=$?
}

# stopped WHAT: the run says so, and its chains have the same lengths.
stopped() {
    grep -q '"stopped": "interrupted"' "$work/stopped/run.json" || fail "$1: run.json does not say 'interrupted'"
    for file in "$work"/stopped/chain_*.csv; do
        [ "$(grep -cv '^#' "$file")" -eq "$(grep -cv '^#' "$work/stopped/chain_1.csv")" ] ||
            fail "$1 left chains of different lengths"
    done
}

settings="$models/rank_fault.so --sampler jump:warmup=100 --chains 4 --draws 2000"
alone plain --threads 4
fault infinity 1
ended 'model error on rank 1' $status 70 'chain 3: .*+infinity.*(rank 1)'
fault segv 2
ended 'crash on rank 2' $status 139 'the model crashed'
for rank in 0 1; do
    fault kill $rank
    ended "SIGKILL of rank $rank" $status 137 'signal 9'
    fault term $rank
    stopped "SIGTERM of rank $rank"
    ended "SIGTERM of rank $rank" $status 143 'goes on from here'
done

# interrupted SIGNAL: mpirun tells its processes, after 5 seconds, and kills them after 5 more; it would be 1, which is short
# on a machine that is busy: an idle one needs a quarter of a second. What it returns then is its own matter.
interrupted() {
    rm -rf "$work/stopped"
    (
        export OMPI_MCA_odls_base_sigkill_timeout=5
        begin 3 stopped --checkpoint-every 0.05
    ) &
    pid=$!
    while ! grep -qs '^[-0-9]' "$work/stopped/chain_4.csv"; do
        kill -0 $pid 2>/dev/null || fail "SIG$1: the job has ended before there was a draw"
        sleep 0.05
    done
    kill -"$1" "$(ours mpirun)"
    status=0
    wait $pid || status=$?
    case $status in 0 | 124) fail "SIG$1 of mpirun gave the exit status $status" ;; esac
    stopped "SIG$1 of mpirun"
    ended "SIG$1 of mpirun" $status $status 'goes on from here'
}
settings="$models/rank_fault.so --sampler jump:warmup=100 --chains 4 --draws 12000" # not done in 5 seconds
alone plain --threads 4
interrupted TERM
interrupted INT

# A full disk is a limit of the size of files, on one rank; shared memory of MPI is files, too.
cat >"$work/limited" <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" -ne 1 ] || ulimit -f 40
exec "$@"
END
chmod +x "$work/limited"
status=0
(
    export OMPI_MCA_btl=self,tcp
    # shellcheck disable=SC2086 # words
    exec timeout -k 5 $patience mpirun -n 3 "$work/limited" "$ckam_mpi" sample $settings --seed 9 --out "$work/stopped" \
        --overwrite --format csv --progress none --checkpoint-every 0.1 >"$work/out" 2>"$work/err"
) || status=$?
ended 'full disk of rank 1' $status 74 'cannot write .*/chain_3\.csv.*(rank 1)'

# -- Little memory on one rank ----------------------------------------------------------------------------------------

# The job ends with a message that names the rank; where there is just enough it ends well. What MPI itself needs is about 90 MB.
cat >"$work/limited" <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" -ne 1 ] || ulimit -v "$LIMIT"
exec "$@"
END
named=0
for LIMIT in 100000 140000 200000 260000 340000 400000; do
    export LIMIT
    status=0
    timeout -s KILL 60 mpirun -n 2 "$work/limited" "$ckam_mpi" sample gaussian:dim=100 --sampler jump --chains 2 --draws 50 \
        --seed 9 --format none --progress none >"$work/out" 2>"$work/err" || status=$?
    [ $status -ne 137 ] || fail "$LIMIT kB of memory on rank 1: the job hangs"
    [ $status -ne 70 ] || grep -q 'memory.*(rank 1)' "$work/err" || grep -q 'thread.*(rank 1)' "$work/err" ||
        fail "$LIMIT kB of memory on rank 1: the message does not name it"
    [ $status -ne 70 ] || named=$((named + 1))
done
[ $named -ge 1 ] || fail 'no job was short of memory: then this test says nothing'
echo "mpi: little memory on rank 1: as expected, $named of 6 jobs ended by it"

# -- Only the first rank speaks -------------------------------------------------------------------------------------

# once STATUS TEXT ...: the command ends so, and says it once.
once() {
    wanted=$1 text=$2
    shift 2
    status=0
    (job 2 "$@") || status=$?
    [ $status -eq "$wanted" ] || fail "'$*' gave the exit status $status, not $wanted"
    [ "$(cat "$work/out" "$work/err" | grep -c -- "$text")" -eq 1 ] || fail "'$*' does not say '$text' once"
}

once 0 '^ckam [0-9]' --version
once 64 'Usage: ckam' # no arguments
once 0 '^  jump ' list samplers
once 64 "did you mean 'bimodal'" sample bimodul
once 64 'did you mean --draws' sample bimodal --drws 5
once 73 "$work/out/run" sample bimodal --draws 100 --out "$work/out/run"
once 66 "no-such-run" resume "$work/no-such-run"
once 0 'all draws are there' sample bimodal --draws 500 --format csv --out "$work/spoken"

ldd "$ckam_mpi" | grep -qi mpi || fail 'ckam-mpi does not need MPI: then this test says nothing'
ldd "$ckam" | grep -i mpi && fail 'ckam needs MPI'
echo 'mpi: all as expected'
