#!/usr/bin/env bash
# reproduce.sh CKAM [NODE] - `ckam reproduce all` with a small budget: every figure of the paper is there and holds data;
# and what users type wrongly is answered. Without Node the figures are not looked into.
set -eu
ckam=$(realpath "$1") node=${2-}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/house/tries.sh
. "$(dirname "$0")/tries.sh"

wrong 64 'which experiment' reproduce
wrong 64 "did you mean 'bimodal'" reproduce bimodel
wrong 66 'there is no experiment' reproduce something
wrong 64 'are two' reproduce bimodal grid32
wrong 64 "'evals=0'" reproduce bimodal --budget evals=0
wrong 64 "'10'" reproduce bimodal --budget 10
wrong 64 "'seconds=x'" reproduce bimodal --budget seconds=x
wrong 64 "'0'" reproduce bimodal --seeds 0
wrong 64 "'1.5'" reproduce bimodal --threads 1.5
wrong 64 'did you mean --budget' reproduce bimodal --bugdet evals=5
mkdir full && touch full/file
wrong 73 'full' reproduce bimodal --budget evals=200 --seeds 1 --out full

# A user's own experiment: a copy, changed.
mkdir mine
cat >mine/rw.json <<'END'
{"model": "mixture5", "sampler": "rw", "step-size": 2, "init": [0, 0], "warmup": 0}
END
cat >mine/experiment.json <<'END'
{"title": "Mine", "about": "My own.", "model": "mixture5", "runs": [{"name": "rw"}],
 "figures": [{"name": "marginal", "kind": "marginal", "title": "M", "caption": "C", "runs": ["rw"]}]}
END
try 0 out ckam-reproduce-mine-1/index.html reproduce ./mine --budget evals=2000 --seeds 2
! built_with cairo || check 'the figure of an own experiment is missing' [ -s ckam-reproduce-mine-1/figures/mine-marginal.svg ]
try 0 out ckam-reproduce-mine-2/index.html reproduce mine --budget seconds=0.01 --seeds 1
try 0 out 'mixture5 by rw' sample --config mine/rw.json --draws 100 --format none

# The paper.
try 0 out 'Difficult 2D bimodal' reproduce all --budget evals=8000 --seeds 2 --out paper
check 'the last line is not the path of the page' [ "$(tail -n 1 out)" = paper/index.html ]
if [ -n "$node" ] && built_with cairo; then
    "$node" "$here/figures.mjs" paper bimodal:step-sizes bimodal:true-density mixture5:true-density grid32:true-density \
        bimodal:kl-all mixture5:kl-all grid32:kl-all bimodal:kl-long mixture5:kl-long bimodal:marginal mixture5:marginal \
        bimodal:ess mixture5:ess grid32:ess bimodal:samples mixture5:samples grid32:samples bimodal:kl-kernels mixture5:kl-kernels \
        bimodal:changes bimodal:global bimodal:noise bimodal:settings bimodal:bias bimodal:transition grid32:kernel-scale ||
        fail 'a figure is missing, or holds no data'
    # Its twin: a figure that nobody makes must be missed.
    ! "$node" "$here/figures.mjs" paper bimodal:no-such-figure >out || fail 'the check of figures cannot fail'
else
    echo 'reproduce: there is no Node or no cairo, so the figures were not looked into'
fi

# There may be one of ours and one here of the same name; and a name may be missing.
mkdir bimodal && cp mine/* bimodal
wrong 64 './bimodal' reproduce bimodal
wrong 64 'empty' reproduce ./mine --out ''
wrong 73 'make the directory above' reproduce ./mine --out no/such
try 0 out ckam-reproduce-mine-3/index.html reproduce ./mine/ --budget evals=200 --seeds 1

# A signal ends it when it is under way, and the status says so. (In the background a shell has SIGINT ignored.)
rm out err
"$ckam" reproduce ./mine --budget evals=1000000000000 --seeds 1 --out stopped >out 2>err &
pid=$!
while [ ! -s err ] && kill -0 $pid; do sleep 0.1; done
kill -TERM $pid || fail 'it was over before it could be stopped'
status=0
wait $pid || status=$?
check "status $status, not 143, after SIGTERM" [ "$status" -eq 143 ]
check 'it did not say that it was stopped' grep -q 'stopped before a chain had ended' err
check 'it left an empty directory' [ ! -e stopped ]
