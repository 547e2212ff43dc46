#!/bin/sh
# golden.sh CKAM FOLDER - runs that earlier versions have written, a folder a version, or VERSION-N while its files changed: all are
# read as they were, and those of this version go on. Another version's checkpoint is refused with its version, not misread.
set -eu
ckam=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
version=$("$ckam" --version | cut -d ' ' -f 2)
seen=0

fail() {
    echo "golden: $1"
    for file in out err; do [ ! -f $file ] || tail -n 5 $file; done
    exit 1
}

rows() { grep -v '^#' "$1"; }

for run in "$folder"/*/; do
    name=$(basename "$run") seen=$((seen + 1))
    rm -rf copy && cp -R "$run" copy
    "$ckam" summary copy --csv >out 2>err || [ $? -eq 1 ] || fail "$name: the summary cannot be made"
    cmp -s out copy/summary.csv || fail "$name: the summary is another one"
    "$ckam" report copy >out 2>err || fail "$name: there is no report"
    status=0
    "$ckam" resume copy --draws 40 --progress none >out 2>err || status=$?
    if [ "${name%%-*}" = "$version" ]; then
        [ $status -eq 0 ] || fail "$name: it does not go on"
    else
        [ $status -eq 65 ] || fail "$name: resuming ended with $status"
        grep -q "ckam ${name%%-*}" err || fail "$name: the refusal does not name the version"
    fi
    for chain in 1 2; do
        rows "$run/chain_$chain.csv" >before
        rows copy/chain_$chain.csv | head -n "$(wc -l <before)" | cmp -s - before || fail "$name: rows have changed"
    done
done
[ $seen -gt 0 ] || fail "there is nothing in $folder"
echo "golden: $seen"
