#!/bin/sh
# exports.sh NM SHARED STATIC HEADER - the two libraries give a program the same names, those of the header.
set -eu
nm=$1 shared=$2 static=$3 header=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "exports: $1"
    exit 1
}

# names OPTION... LIBRARY: what the library defines for others. nm's portable format is 'name type value size'.
names() { "$nm" --extern-only --defined-only --format=posix "$@" | awk 'NF >= 2 { print $1 }' | sort; }

names --dynamic "$shared" >"$work/shared"
names "$static" >"$work/static"
grep -qx ckam_version "$work/shared" || fail "$shared does not export ckam_version"
! grep -hv '^ckam_' "$work/shared" "$work/static" || fail "the names above do not begin with ckam_"
cmp "$work/shared" "$work/static" || fail "the two libraries do not give the same names"
tr '\n' ' ' <"$header" | grep -o 'CKAM_API [^;(]*(' | grep -o 'ckam_[a-z0-9_]* *($' | tr -d '( ' | sort >"$work/header"
cmp "$work/header" "$work/shared" || fail "the header and the library do not have the same names"
echo "exports: $(wc -l <"$work/shared") names"
