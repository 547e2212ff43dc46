#!/bin/sh
# run.sh CKAM - other people's tools open the files of runs: R's rstan and posterior, Python's xarray with h5netcdf.
# A tool that is not there is skipped, and named. Exit status: 0 all agree; 1 something differs; 77 no tool is there.
set -eu
ckam=$1
here=$(dirname "$0")
# Debian's Python is the one that has Debian's packages; another may come first in PATH.
python=${PYTHON:-/usr/bin/python3}
folder=$(mktemp -d "${TMPDIR:-/tmp}/ckam_ecosystem_XXXXXX")
pid=
# shellcheck disable=SC2317 # called by the trap
clean() {
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
    rm -rf "$folder"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

has_r() { Rscript -e "if (!requireNamespace('$1', quietly = TRUE)) quit(status = 1)" >/dev/null 2>&1; }

r=true
python_too=true
has_r posterior || has_r rstan || { r=false && echo 'skipped: R with posterior or rstan is not there'; }
"$python" -c 'import h5netcdf, xarray' 2>/dev/null ||
    { python_too=false && echo "skipped: $python with xarray and h5netcdf is not there"; }
$r || $python_too || exit 77

sample() { # NAME ARGUMENT... - a run into a directory of that name
    name=$1
    shift
    "$ckam" sample bimodal --chains 3 --seed 1 --out "$folder/$name" "$@" >"$folder/$name.log" 2>&1 ||
        { echo "FAILED: ckam sample, $name run:" && cat "$folder/$name.log" && exit 1; }
}
sample plain --draws 500
sample thinned --draws 500 --thin 3
sample warm --draws 300 --save-warmup

# A run that would take very long is stopped when each chain has rows.
"$ckam" sample bimodal --chains 3 --seed 1 --out "$folder/interrupted" --draws 1000000000 --thin 100 \
    >"$folder/interrupted.log" 2>&1 &
pid=$!
have_rows() {
    for chain in 1 2 3; do
        [ "$(grep -c '^[-0-9]' "$folder/interrupted/chain_$chain.csv" 2>/dev/null)" -gt 20 ] 2>/dev/null || return 1
    done
}
until have_rows; do
    if ! kill -0 "$pid" 2>/dev/null; then
        echo 'FAILED: the run that was to be interrupted wrote no rows:'
        cat "$folder/interrupted.log"
        exit 1
    fi
    sleep 0.1
done
kill -TERM "$pid"
wait "$pid" || true # it says by its exit status that it was stopped
pid=

set -- "$folder/plain" "$folder/thinned" "$folder/warm" "$folder/interrupted"
status=0
if $r; then Rscript --no-init-file "$here/open_in_r.R" "$@" || status=1; fi
if $python_too; then "$python" "$here/open_in_python.py" "$@" || status=1; fi
exit $status
