#!/bin/sh
# run.sh SOURCE BUILD CMAKE CC - installs into a fresh folder and builds client.c against it: by pkg-config and by
# find_package, each with the shared and with the static library. Needs no network and touches nothing else.
set -eu
source=$1 build=$2 cmake=$3 cc=$4
client=$source/tests/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR MAKEFLAGS MAKELEVEL

fail() {
    echo "install: $1"
    exit 1
}

# needs PROGRAM LIBRARY: the program is linked to that shared library.
needs() { readelf -d "$1" | grep NEEDED | grep -q "\[$2"; }

# quietly COMMAND...: shows what the command wrote only when it fails.
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "$*"; }; }

prefix=$work/prefix
quietly "$cmake" --install "$build" --prefix "$prefix"
pc=$(find "$prefix" -name ckam.pc)
lib=$(dirname "$(dirname "$pc")")

echo "-- files"
for file in "$prefix/bin/ckam" "$prefix/include/ckam.h" "$lib/libckam.a" "$lib/libckam.so.0" "$lib/libckam.so" \
    "$lib/cmake/ckam/ckam-config.cmake" "$prefix/share/doc/ckam/LICENSE"; do
    [ -s "$file" ] || fail "$file is missing"
done
"$prefix/bin/ckam" --help >/dev/null || fail "the installed command does not run"
for place in "$source" "$build"; do
    ! grep -rIF "$place" "$prefix" || fail "installed files name $place, where ckam was built"
done

echo "-- moved: an installation does not depend on its place"
mv "$prefix" "$work/moved"
prefix=$work/moved
pc=$(find "$prefix" -name ckam.pc)
lib=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH

# compile OUTPUT FLAG...: the client, as strictly as a user might.
compile() {
    output=$1
    shift
    "$cc" -std=c17 -Wall -Wextra -pedantic -Werror -o "$output" "$client/client.c" "$@"
}

echo "-- pkg-config, shared"
# shellcheck disable=SC2046 # flags are words
compile "$work/shared" $(pkg-config --cflags --libs ckam) "-Wl,-rpath,$lib"
needs "$work/shared" libckam.so.0 || fail "the program does not use the shared library"
"$work/shared"

echo "-- find_package, both"
quietly "$cmake" -S "$client" -B "$work/client" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DWANTED="$(pkg-config --modversion ckam)"
quietly "$cmake" --build "$work/client"
needs "$work/client/client_shared" libckam.so.0 || fail "ckam::ckam is not the shared library"
! needs "$work/client/client_static" libckam || fail "ckam::ckam_static is not the static library"
"$work/client/client_shared"
"$work/client/client_static"

echo "-- pkg-config, static: the shared library is taken away"
rm "$lib"/libckam.so*
# shellcheck disable=SC2046 # flags are words
compile "$work/static" $(pkg-config --static --cflags --libs ckam)
"$work/static"
echo "install: all programs ran"
