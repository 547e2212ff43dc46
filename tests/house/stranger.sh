#!/usr/bin/env bash
# stranger.sh CKAM - a run directory from a stranger is looked at: nothing hangs, nothing outside it changes, the terminal is safe.
set -eu
ckam=$1
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tries.sh"

# views DIR: every command that looks at a run ends by itself, and in good order. 124: it was still at it after 10 minutes.
views() {
    for view in summary diagnose report plot; do
        status=0
        if [ $view = plot ]; then set -- "$1" density -o figure.svg; else set -- "$1"; fi
        timeout 600 "$ckam" $view "$@" >out 2>err || status=$?
        case $status in
        0 | 1 | 65 | 66 | 73) ;;
        *) fail "'ckam $view $*' ended with $status" ;;
        esac
        case $view in # report and plot print a path: to a terminal another one than to a program, which this is
        summary | diagnose) check "'ckam $view $*': an order for the terminal" [ "$(tr -cd '\033\233' <out | wc -c)" -eq 0 ] ;;
        esac
    done
}

# copied NAME: the run, under another name.
copied() {
    rm -rf "$1"
    cp -r run "$1"
}

"$ckam" sample bimodal --sampler rw --draws 200 --seed 1 --out run >out 2>err
views run
! built_with cairo || check 'the figure is cut' grep -q '</svg>$' figure.svg

# What is put beside the file that is written must not lead elsewhere.
echo precious >victim
copied linked
ln -s "$work/victim" linked/report.html.new
ln -s "$work/nowhere" linked/other.html.new
try 0 out 'linked/report.html' report linked
try 0 out 'linked/other.html' report linked --out linked/other.html
check 'a link was followed' [ "$(cat victim)" = precious ]
check 'a link made a file' [ ! -e nowhere ]
rm linked/report.html
mkfifo linked/report.html.new
views linked
echo precious >victim
ln -sf "$work/victim" linked/report.html
views linked
check 'the page was written through a link' [ "$(cat victim)" = precious ]

# run.json: no file, one without an end, a large one, one that is damaged.
copied record
rm record/run.json
mkfifo record/run.json
views record
try 0 err 'record/run.json is not a regular file' summary record
rm record/run.json
ln -s /dev/zero record/run.json
views record
rm record/run.json
truncate -s 200M record/run.json
views record
try 0 err 'has 209715200 bytes' summary record
echo '{' >record/run.json
views record
try 0 err 'warning: record/run.json, line 2' summary record
printf '{"config": {"model": "\\u001b[2J\\u009b2J<script>alert(1)</script>"}}\n' >record/run.json
views record
check 'a script came into the page' sh -c '! grep -q "<script>alert" record/report.html'

# Chains: no file, no end, long names.
for what in fifo device loop; do
    copied chains
    rm chains/chain_1.csv
    case $what in
    fifo) mkfifo chains/chain_1.csv ;;
    device) ln -s /dev/zero chains/chain_1.csv ;;
    loop) ln -s chain_1.csv chains/chain_1.csv ;;
    esac
    views chains
done
mkdir names
{
    head -c 1000000 /dev/zero | tr '\0' A
    printf '\n1\n2\n3\n'
} >names/chain_1.csv
views names
try 65 err 'has 1000000 bytes' summary names

# A name of a directory that a terminal would obey.
copied "$(printf 'd\033[31m\302\2332Jx')"
views "$(printf 'd\033[31m\302\2332Jx')"
if command -v script >/dev/null; then
    script -qec "'$ckam' report d*Jx" /dev/null >out </dev/null
    check 'an order for the terminal in the path of the page' [ "$(tr -cd '\033\233' <out | wc -c)" -eq 0 ]
    has 'd?[31m??2Jx/report.html'
fi
echo 'stranger: all as expected'
