#!/usr/bin/env bash
# terminal.sh CKAM - what someone at a terminal sees while chains run: bars that are drawn again in place, and fit into any width.
set -eu
ckam=$1
# shellcheck source=tests/house/tries.sh
. "$(dirname "$0")/tries.sh"
command -v script >/dev/null || exit 77

# seen COLUMNS ARGUMENT...: `ckam sample bimodal` at a terminal of that width, with a line a line of the screen in `out`, and without its
# orders in `plain`.
seen() {
    columns=$1
    shift
    : >err
    script -qec "stty rows 50 cols $columns; TERM=xterm '$ckam' sample bimodal -s rw -r 1 --format none $*" raw </dev/null >/dev/null ||
        fail "'ckam sample $*' failed at a terminal"
    grep -v '^Script ' raw | tr '\r' '\n' >out
    sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' out >plain
}

for columns in 24 40 79 200; do
    seen $columns --draws 100000000 --thin 1000 --time-limit 1 --chains 3
    check "nothing is drawn again in place at $columns columns" grep -q "$(printf '\033')\[[0-9]*A" out
    check "there is no progress at $columns columns" grep -q ' %' plain
    widest=$(sed '/^bimodal by rw/,$d' plain | wc -L)
    check "a line has $widest of $columns columns" [ "$widest" -le "$columns" ]
    # The summary begins where they were, after they have been wiped away.
    check "bars are left at $columns columns" grep -q "$(printf '\033')\[[0-9]*A$(printf '\033')\[Jbimodal by rw" out
done
seen 80 --draws 50000000 --thin 100 --time-limit 2.5 --chains 2
check 'the time that is left is not shown' grep -q '[0-9]:[0-9][0-9]$' plain
seen 80 --draws 1000 --progress none
check 'there are bars that nobody asked for' [ -z "$(grep ' %.*sample' plain)" ]
echo 'terminal: all as expected'
