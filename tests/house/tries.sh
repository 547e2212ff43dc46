#!/usr/bin/env bash
# tries.sh - read by the scripts here that try the command: a folder of their own, and ways to say what must come of a call.
# $ckam is the command. What it last wrote is in the files out and err.
# shellcheck disable=SC2154 # the reader sets ckam
work=$(mktemp -d)
# A command that fails unexpectedly ends a script (set -e) and says nothing: the last words say which it was. Commands whose status
# is looked at, as in `try`, do not come here.
failed=
set -E # in functions, too
trap 'failed="${BASH_SOURCE[0]##*/}:$LINENO: \`$BASH_COMMAND\` ended with $?"' ERR
ended() {
    if [ -n "$failed" ]; then
        echo "$failed. The last output:"
        cat "$work/out" "$work/err" || true
    fi
    chmod -R u+w "$work"
    rm -rf "$work"
}
trap ended EXIT
cd "$work" || exit 1
export LC_ALL=C.UTF-8

fail() {
    echo "$(basename "$0" .sh): $1. It said:"
    cat out err
    exit 1
}

# try STATUS STREAM TEXT ARGUMENT...: the command ends with STATUS and its STREAM (out or err) holds TEXT.
try() {
    expected=$1 stream=$2 text=$3
    shift 3
    status=0
    "$ckam" "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || ! grep -qF -- "$text" "$stream"; then
        fail "'ckam $*' ended with $status, expected $expected, and on $stream '$text'"
    fi
}

# wrong STATUS TEXT ARGUMENT...: nothing on stdout, and one line on stderr that begins with the command's name.
wrong() {
    expected=$1 text=$2
    shift 2
    try "$expected" err "$text" "$@"
    check "'ckam $*' wrote to stdout" [ ! -s out ]
    check "'ckam $*' did not say it in one line" [ "$(wc -l <err)" -eq 1 ]
    check "'ckam $*' did not say who speaks" grep -q '^ckam' err
}

# has TEXT, lacks TEXT: what the last command wrote to stdout.
has() { grep -qF -- "$1" out || fail "there is no '$1'"; }
lacks() { if grep -qF -- "$1" out; then fail "there is '$1'"; fi; }
# built_with FEATURE: netcdf or cairo. CKAM_WITHOUT names what the build lacks.
built_with() { [[ " ${CKAM_WITHOUT-} " != *" $1 "* ]]; }
# check MESSAGE COMMAND...: the command succeeds.
check() {
    message=$1
    shift
    "$@" || fail "$message"
}
