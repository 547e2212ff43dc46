#!/usr/bin/env bash
# full.sh CKAM - a file system without room: a tmpfs of a few hundred kilobytes, which is then made larger.
#
# A run says which file it could not write and keeps what it has; with room made, `resume` ends with the rows of a run left alone.
# Mounting needs root, or a user of one's own name space: where neither is allowed, the test is skipped (77).
set -eu
if [ "${2:-}" != mounted ]; then
    for way in '-m' '-rm'; do
        ! unshare $way sh -c 'mount -t tmpfs -o size=64k none /mnt' 2>/dev/null || exec unshare $way bash "$0" "$1" mounted
    done
    echo 'full: nothing can be mounted here'
    exit 77
fi
ckam=$1
# shellcheck source=tests/house/tries.sh
. "$(dirname "$0")/tries.sh"
mkdir disk
trap 'cd /; umount "$work/disk" 2>/dev/null || true; ended' EXIT

# room SIZE [FILES]: the disk, empty; more SIZE: the same with what is on it.
room() {
    umount disk 2>/dev/null || true
    mount -t tmpfs -o "size=$1,nr_inodes=${2:-100}" none disk
}
more() { mount -o "remount,size=$1" disk; }
fill() { dd if=/dev/zero of=disk/filler bs=4096 2>/dev/null || true; }
# rows DIR: what a run has drawn.
rows() { cat "$1"/chain_*.csv | grep -v '^#'; }
# left NUMBER: so many files are on the disk, beside the filler.
left() { check "the disk has other files than expected: $(find disk -type f)" [ "$(find disk -type f ! -name filler | wc -l)" -eq "$1" ]; }

# bytes FILE...: their sizes, together.
bytes() { cat "$@" | wc -c; }

# -- The rows do not fit. What the checkpoint counts on is there, whatever was written last.
for sampler in gam ckam:cycle-length=200 jump; do
    set -- sample bimodal --sampler "$sampler" --draws 5000 --chains 2 --seed 4 --format csv --progress none
    try 0 out 'written to' "$@" --out plain --overwrite
    rows plain >expected
    state=$(bytes plain/checkpoint/state)
    # Room for so many hundredths of the rows and for the last state: with all rows that never fits.
    for part in 40 70; do
        room $(($(bytes plain/chain_*.csv) * part / 100 + state + 65536))
        try 74 err 'No space left on device; make room and' "$@" --out disk/run --checkpoint-every 0.01
        check 'it does not say how to go on' grep -q 'ckam resume disk/run' err
        try 0 out 'draws' summary disk/run
        more 20m
        try 0 out 'written to' resume disk/run --progress none
        rows disk/run >found
        check "$sampler: the rows after resuming are not those of a run left alone" cmp expected found
    done
done

# -- No room at all, and no name for a file: nothing begins, and nothing is left behind.
room 64k
fill
wrong 74 'No space left on device; make room and try again' sample bimodal --draws 100 --out disk/run --progress none
left 0
room 1m 4
wrong 73 'No space left on device' sample bimodal --draws 100 --out disk/run --progress none
left 0

# -- What is made from a run: the whole file, or none, and never less than what was there.
# make_file FILE STATUS STREAM TEXT: by the command that makes such files; see try.
make_file() {
    file=$1
    shift
    case $file in
    *.html) try "$@" report plain --out "$file" ;;
    *) try "$@" plot plain density --out "$file" ;;
    esac
}
room 4m
for name in disk/report.html disk/figure.png disk/figure.svg; do
    [ "$name" = disk/report.html ] || built_with cairo || continue
    make_file $name 0 out ''
    cp $name before
    fill
    make_file $name 74 err "$name"
    check "$name was damaged" cmp $name before
    rm disk/*
    fill
    make_file $name 74 err "$name"
    left 0
    rm disk/filler
done
umount disk
echo 'full: all as expected'
