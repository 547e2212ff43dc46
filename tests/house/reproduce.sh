#!/bin/sh
# reproduce.sh CKAM NODE - `ckam reproduce all` with a small budget: every figure of the paper is there and holds data;
# and what users type wrongly is answered.
set -eu
ckam=$1 node=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

bad=0
fail() { echo "reproduce: $*"; bad=1; }

# refused STATUS PIECE ARGUMENT...: ends with this status, and says this on stderr.
refused() {
    wanted=$1 piece=$2
    shift 2
    status=0
    "$ckam" reproduce "$@" >out 2>err || status=$?
    [ "$status" -eq "$wanted" ] || fail "status $status, not $wanted, of: reproduce $*"
    grep -qF -e "$piece" err || fail "'$piece' is not in what 'reproduce $*' says: $(cat err)"
}

refused 64 'which experiment'
refused 64 "did you mean 'bimodal'" bimodel
refused 66 'there is no experiment' something
refused 64 'are two' bimodal grid32
refused 64 "'evals=0'" bimodal --budget evals=0
refused 64 "'10'" bimodal --budget 10
refused 64 "'seconds=x'" bimodal --budget seconds=x
refused 64 "'0'" bimodal --seeds 0
refused 64 "'1.5'" bimodal --threads 1.5
refused 64 'did you mean --budget' bimodal --bugdet evals=5
mkdir full && touch full/file
refused 73 'full' bimodal --budget evals=200 --seeds 1 --out full

# A user's own experiment: a copy, changed.
mkdir mine
cat >mine/rw.json <<'END'
{"model": "mixture5", "sampler": "rw", "step-size": 2, "init": [0, 0], "warmup": 0}
END
cat >mine/experiment.json <<'END'
{"title": "Mine", "about": "My own.", "model": "mixture5", "runs": [{"name": "rw"}],
 "figures": [{"name": "marginal", "kind": "marginal", "title": "M", "caption": "C", "runs": ["rw"]}]}
END
"$ckam" reproduce ./mine --budget evals=2000 --seeds 2 >out 2>err || fail "an own experiment failed: $(cat err)"
[ -s ckam-reproduce-mine-1/figures/mine-marginal.svg ] || fail 'the figure of an own experiment is missing'
"$ckam" reproduce mine --budget seconds=0.01 --seeds 1 >out 2>err || fail "a budget of time failed: $(cat err)"
[ -s ckam-reproduce-mine-2/index.html ] || fail 'a second run did not choose the next directory'
"$ckam" sample --config mine/rw.json --draws 100 --format none >out 2>err || fail "a run file is not one: $(cat err)"

# The paper.
"$ckam" reproduce all --budget evals=8000 --seeds 2 --out paper >out 2>err || fail "all: $(cat err)"
tail -n 1 out | grep -qx 'paper/index.html' || fail 'the last line is not the path of the page'
"$node" "$here/figures.mjs" paper bimodal:step-sizes bimodal:true-density mixture5:true-density grid32:true-density \
    bimodal:kl-all mixture5:kl-all grid32:kl-all bimodal:kl-long mixture5:kl-long bimodal:marginal mixture5:marginal \
    bimodal:ess mixture5:ess grid32:ess bimodal:samples mixture5:samples grid32:samples bimodal:kl-kernels mixture5:kl-kernels \
    bimodal:changes bimodal:global bimodal:noise bimodal:settings bimodal:bias bimodal:transition grid32:kernel-scale ||
    fail 'a figure is missing, or holds no data'
# Its twin: a figure that nobody makes must be missed.
! "$node" "$here/figures.mjs" paper bimodal:no-such-figure >out || fail 'the check of figures cannot fail'

# A signal ends it, and the status says so. (In the background a shell has SIGINT ignored.)
"$ckam" reproduce ./mine --budget evals=1000000000 --seeds 1 --out stopped >out 2>err &
pid=$!
while [ ! -d stopped ]; do :; done
kill -TERM $pid 2>/dev/null || fail 'it was over before it could be stopped'
status=0
wait $pid || status=$?
[ "$status" -eq 143 ] || fail "status $status, not 143, after SIGTERM"

[ "$bad" -eq 0 ] || exit 1
echo 'reproduce: all right'
