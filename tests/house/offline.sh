#!/usr/bin/env bash
# offline.sh SOURCE - builds a copy of the tree as a packager does, with `make install`, where there is no network, no Node, no npm and
# no npm package; runs what was installed, and uninstalls it. Shows that these are not needed, not that the Debian packages suffice: those
# of this machine are there. Exit status: 77 where this user cannot make a namespace.
set -eu
source=$(realpath "$1")
if [ "${2-}" != inside ]; then
    if ! unshare -rmn true 2>/dev/null; then
        echo 'skipped: unshare cannot make namespaces here'
        exit 77
    fi
    exec unshare -rmn bash "$0" "$source" inside
fi

fail() {
    echo "offline: $1"
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in node nodejs npm npx; do
    for place in $(type -ap "$name") "/usr/bin/$name"; do
        if [ -x "$place" ]; then mount --bind /dev/null "$(realpath "$place")"; fi
        [ ! -x "$place" ] || fail "$place can still be run"
    done
done
[ "$(grep -c : /proc/net/dev)" -eq 1 ] || fail 'there is a network' # the loopback device only

mkdir "$work/tree"
tar -C "$source" --exclude='./build*' --exclude=./.git --exclude=./report/node_modules -cf - . | tar -C "$work/tree" -xf -
cd "$work/tree"
unset MAKEFLAGS MAKELEVEL
staged=(PREFIX=/usr DESTDIR="$work/staged")
make install "${staged[@]}" >"$work/log" 2>&1 || { tail -n 20 "$work/log" && fail 'make install failed'; }
cmp report/page.html "$source/report/page.html" || fail 'the build changed the page'
ckam="$work/staged/usr/bin/ckam"
"$ckam" sample bimodal --sampler gam --draws 100 --seed 1 --out "$work/run" --progress none >"$work/out"
"$ckam" report "$work/run" >"$work/out" || fail 'there is no report'
grep -q '<script>' "$work/run/report.html" || fail 'the report has no program'
make uninstall "${staged[@]}" >"$work/log" 2>&1 || { tail -n 20 "$work/log" && fail 'make uninstall failed'; }
[ -z "$(find "$work/staged" ! -type d)" ] || fail "uninstall left $(find "$work/staged" ! -type d)"
echo 'offline: built, installed, run and uninstalled'
