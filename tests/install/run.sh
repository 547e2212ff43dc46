#!/bin/sh
# run.sh SOURCE BUILD CMAKE CC [SONAME...] - installs into a fresh folder and builds client.c against it: by pkg-config and by
# find_package, each with the shared and with the static library, and as a program without shared libraries. Installs below DESTDIR and
# uninstalls. SONAMEs are libraries that ckam loads and has to name. Needs no network and touches nothing else.
set -eu
source=$1 build=$2 cmake=$3 cc=$4
shift 4
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
cp -R "$prefix" "$work/stripped" # debuggers may know the sources
find "$work/stripped" \( -name 'libckam*' -o -path '*/bin/*' \) -type f -exec strip --strip-debug {} +
for place in "$source" "$build"; do
    ! grep -rF "$place" "$work/stripped" || fail "installed files name $place, where ckam was built"
done
! grep -F /lib "$lib/cmake/ckam/ckam-targets.cmake" | grep -v IMPORT || fail 'the CMake package names a place of this machine'

echo "-- libraries that are loaded: an ELF note names them"
for soname; do
    for file in "$lib/libckam.so" "$prefix/bin/ckam"; do
        readelf -p .note.dlopen "$file" | grep -qF "\"$soname\"" || fail "$file does not name $soname in .note.dlopen"
    done
done

echo "-- DESTDIR and uninstall"
quietly env DESTDIR="$work/staged" "$cmake" --install "$build" --prefix /opt/ckam-test
[ -x "$work/staged/opt/ckam-test/bin/ckam" ] || fail 'nothing was installed below DESTDIR'
[ ! -e /opt/ckam-test ] || fail 'something was installed outside DESTDIR'
diff -r "$prefix" "$work/staged/opt/ckam-test" >"$work/log" || { cat "$work/log"; fail 'DESTDIR changes what is installed'; }
echo mine >"$work/staged/opt/ckam-test/share/ckam/mine"
quietly env DESTDIR="$work/staged" "$cmake" "-DBUILD=$build" -DPREFIX=/opt/ckam-test -P "$source/cmake/uninstall.cmake"
left=$(cd "$work/staged" && find . ! -type d)
[ "$left" = ./opt/ckam-test/share/ckam/mine ] || fail "uninstall left, or took what is not ckam's: $left"
[ ! -e "$work/staged/opt/ckam-test/include/ckam" ] || fail 'uninstall left a folder of its own'

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
# shellcheck disable=SC2046 # flags are words
"$cc" -std=c17 -Wall -Wextra -pedantic -Werror -o "$work/checksums" "$client/checksums.c" $(pkg-config --cflags --libs ckam) "-Wl,-rpath,$lib"
"$work/checksums" >"$work/sums"
[ "$(sort -u -k 2 "$work/sums" | wc -l)" -eq 7 ] || fail "the samplers have no checksums of their own: $(cat "$work/sums")"

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

echo "-- pkg-config, no shared library at all"
if [ "$("$cc" -print-file-name=libc.a)" = libc.a ] || [ "$("$cc" -print-file-name=libjansson.a)" = libjansson.a ]; then
    echo "left out: there is no static libc or jansson"
else
    # The linker warns of dlopen(), which needs the C library of the build at run time.
    # shellcheck disable=SC2046 # flags are words
    quietly compile "$work/alone" -static $(pkg-config --static --cflags --libs ckam)
    ! readelf -d "$work/alone" | grep -q NEEDED || fail 'a static program needs shared libraries'
    "$work/alone"
fi
echo "install: all programs ran"
