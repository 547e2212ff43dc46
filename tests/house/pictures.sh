#!/usr/bin/env bash
# pictures.sh CKAM - `ckam report` and `ckam plot` as a user meets them: what they write, where, and what they refuse.
# shellcheck disable=SC2016 # backquotes are printed
set -eu
ckam=$(realpath "$1")
# shellcheck source=tests/house/tries.sh
. "$(dirname "$0")/tries.sh"

# document PAGE: its JSON, a block a line.
document() { sed -n '/<script type="application\/json" id="document">/,/<\/script>/p' "$1" >blocks; }
# shows KIND TEXT, omits TEXT: in the document.
shows() { check "there is no $1 with '$2'" grep -qF -- "$2" blocks; }
omits() { if grep -qF -- "$1" blocks; then fail "the page has '$1'"; fi; }
size() { wc -c <"$1"; }
# page FILE ARGUMENT...: `ckam report` writes FILE and prints it.
page() {
    name=$1
    shift
    try 0 out "$name" report "$@"
    check "'ckam report $*' printed more than the path" [ "$(cat out)" = "$name" ]
    check "'ckam report $*' wrote to stderr" [ ! -s err ]
    check "$name is not there" [ -s "$name" ]
    check "something was left beside $name" [ ! -e "$name.new" ]
    document "$name"
    shows document '"blocks":['
}

"$ckam" sample bimodal -s ckam -n 500 -r 1 -o run --save-warmup --format csv >out 2>err
"$ckam" sample gaussian:dim=1 -s gam -n 300 -r 1 --chains 1 -o single --format csv >out 2>err
"$ckam" sample bimodal -s jump -n 2000 -r 1 -o jumps --format csv >out 2>err
"$ckam" sample gaussian:dim=200 -s rw -n 1000 -r 1 -o wide --format csv >out 2>err

# -- Help
for command in report plot; do
    try 0 out "Usage: ckam $command" "$command" --help
    check 'a line is wider than 80 columns' [ "$(wc -L <out)" -le 80 ]
    try 0 out "Usage: ckam $command" help "$command"
done
try 0 out 'autocorrelation ' plot --help

# -- A page: where it goes, and what is on it
page run/report.html run
for text in '"title":"bimodal by ckam"' '4 chains x 500 draws, seed 1' '"kind":"finding"' '"name":"summary"' 'exact mean' \
    '"kind":"figures","name":"density"' '"name":"trace"' '"name":"rank"' '"name":"mean"' '"name":"autocorrelation"' \
    '"kind":"pairs"' '"kind":"figure","name":"steps"' '"exploration"' '"name":"settings"' '"cycle-length",1000' \
    'all draws are there' 'ckam sample bimodal -s ckam -n 500 -r 1 -o run'; do
    shows block "$text"
done
page run/report.html run/
page other.html run --out other.html
page other.html run -o other.html --params x.2
omits '"parameter":"x.1"'
omits '"kind":"pairs"'
shows figure '"parameter":"x.2"'
page other.html run -o other.html --params lp__,x.1,x.1
shows caption 'Dashed, where it is known: the exact density.'
shows caption 'Dashed, where it is known: the exact mean.'
check 'x.1 is there twice' [ "$(grep -o '"parameter":"x.1"' blocks | wc -l)" -eq 5 ]
page other.html run -o other.html --params lp__
omits 'Dashed'
page other.HTM run -o other.HTM
page report.html run/chain_1.csv run/chain_2.csv
shows title '"title":"chain_1.csv and 1 more"'
shows subtitle '2 chains x 500 draws'
omits '"name":"settings"'
omits 'exact mean'

page jumps/report.html jumps
for text in '"kind":"table","name":"modes"' '"weight","mcse","moves into"' '"kind":"figure","name":"modes"' '"independent"'; do
    shows block "$text"
done
cut -d, -f1-5,8- jumps/chain_1.csv >unnamed.csv
page report.html unnamed.csv
omits '"kind":"figure","name":"modes"'

# -- What it refuses, before it works for long
wrong 64 'of what?' report
wrong 66 'missing' report missing
mkdir empty
wrong 66 'holds no chain_1.csv' report empty
wrong 73 'cannot make missing/page.html' report run --out missing/page.html
wrong 73 'is a directory' report run --out empty
cp -r run valuable
wrong 64 'holds draws that are to be shown' report valuable --out valuable/chain_2.csv
wrong 64 'must be .html or .htm' report valuable --out valuable/run.json
wrong 64 'must be .html or .htm' report valuable --out page
cp run/chain_1.csv valuable/draws.html
ln -s draws.html valuable/link.htm
cp run/chain_1.csv valuable/draws.png
wrong 64 'holds draws that are to be shown' report valuable/chain_1.csv valuable/draws.html -o valuable/link.htm
ln valuable/chain_2.csv valuable/hard.html
wrong 64 'holds draws that are to be shown' report valuable -o valuable/hard.html
check 'draws.html was lost' cmp run/chain_1.csv valuable/draws.html
check 'chain_2.csv was lost' cmp run/chain_2.csv valuable/chain_2.csv
mkfifo pipe
wrong 66 'is a pipe' report pipe
wrong 64 "there is no parameter 'x.3'; did you mean 'x.1'?" report run --params x.3
wrong 64 "there is no parameter 'height'; there are 2, from 'x.1' to 'x.2'" report run --params height
wrong 64 'no parameter was named' report run --params ,
wrong 64 'there is no option --parms; did you mean --params?' report run --parms x.1
printf 'lp__,mu\n-1,0.5\n-2,zero\n' >broken.csv
wrong 65 'broken.csv' report broken.csv
printf 'lp__\n-1\n-2\n' >bare.csv
wrong 65 'no parameters' report bare.csv
status=0
(ulimit -f 40 && "$ckam" report run -o full.html >out 2>err) || status=$?
check "a full disk ended with $status" [ "$status" -eq 74 ]
check 'a page that is not whole is there' [ ! -e full.html ]

# -- Odd runs
page single/report.html single
omits '"kind":"pairs"'
shows note 'one chain'
printf 'lp__,a,b\n' >nothing.csv
page report.html nothing.csv
printf 'lp__,a,b\n-1,1,2\n' >row.csv
page report.html row.csv
printf 'lp__,a,b\n-1,nan,2\n-1,1,2\n-1,inf,2\n-1,3,2\n-1,4,2\n' >odd.csv
page report.html odd.csv
shows cell '["a",null,null'
printf '<script>alert(1)</script>,q&\\,\377\376,it'\''s\n1,2,3,4\n2,3,4,1\n3,1,2,5\n2,4,1,3\n1,1,1,2\n' >names.csv
page report.html names.csv
omits '<script>alert'
shows name '\u003cscript\u003ealert(1)\u003c/script\u003e'
shows name '\ufffd\ufffd'
mkdir '<b>&dir'
cp names.csv '<b>&dir/chain_1.csv'
page '<b>&dir/report.html' '<b>&dir'
check 'the title is not escaped' grep -q '<title>&lt;b&gt;&amp;dir</title>' '<b>&dir/report.html'
cp -r run damaged
echo '{"ckam": ' >damaged/run.json
page damaged/report.html damaged
shows note 'run.json is no JSON'
rm damaged/run.json
page damaged/report.html damaged
cp -r run killed
sed 's/"ended": .*/"ended": null,/; s/"stopped": .*/"stopped": null,/' run/run.json >killed/run.json
page killed/report.html killed
shows note 'has not ended'
sed "s/\"stopped\": .*/\"stopped\": \"error\",/; s/\"message\": null/\"message\": \"a$(printf '%0400d' 0 | sed 's/0/\xc3\xa4/g')\"/" run/run.json >killed/run.json
page killed/report.html killed
shows problem 'The run ended with an error: a'
omits '\ufffd'
truncate -s 0 killed/chain_1_warmup.csv
page killed/report.html killed
shows note 'killed/chain_1_warmup.csv'
shows advice 'The figure of the steps is left out.'
omits '"name":"steps"'
page wide/report.html wide
check "a page of 200 parameters has $(size wide/report.html) bytes" [ "$(size wide/report.html)" -lt 5000000 ]
shows parameter '"parameter":"x.200"'

# -- Many chains: what there is no room for is said
for i in $(seq 64); do
    cp wide/chain_$((i % 4 + 1)).csv "many_$i.csv"
done
page report.html many_*.csv
check "a page of 64 chains has $(size report.html) bytes" [ "$(size report.html)" -lt 5000000 ]
shows paragraph 'of the 200 parameters; `ckam report --params NAME,NAME`'

# -- The browser
mkdir bin
printf '#!/bin/sh\necho "$1" >opened\n' >bin/xdg-open
chmod +x bin/xdg-open
PATH="$work/bin:$PATH" "$ckam" report run --open >out 2>err || fail 'it cannot be opened'
check 'another page was opened' [ "$(cat opened)" = run/report.html ]
printf '#!/bin/sh\nexit 3\n' >bin/xdg-open
status=0
PATH="$work/bin:$PATH" "$ckam" report run --open >out 2>err || status=$?
check "a browser that fails ended with $status" [ "$status" -eq 69 ]
check 'it does not say what to do' grep -q 'open the file in a browser' err
check 'the path is not there' [ "$(cat out)" = run/report.html ]
status=0
PATH="$work" "$ckam" report run --open >out 2>err || status=$?
check "no browser ended with $status" [ "$status" -eq 69 ]
check 'it does not say what is missing' grep -q 'there is no xdg-open' err

# -- Figures, where they can be drawn: features.sh has what is said elsewhere
if ! built_with cairo; then
    echo 'pictures: all as expected, without figures'
    exit 0
fi
wrong 64 'holds draws that are to be shown' plot valuable/draws.png mean -o valuable/draws.png
check 'draws.png was lost' cmp run/chain_1.csv valuable/draws.png
wrong 65 'chain_1_warmup.csv' plot killed steps -o f.pdf
for kind in density trace rank mean autocorrelation pair steps; do
    for ending in pdf svg png; do
        try 0 out "$kind.$ending" plot run "$kind" -o "$kind.$ending"
        check "$kind.$ending is small" [ "$(size "$kind.$ending")" -gt 2000 ]
    done
    check "$kind.svg is cut" [ "$(tail -c 7 "$kind.svg")" = '</svg>' ]
    try 0 out "single.svg" plot single "$kind" -o single.svg
done
for ending in pdf svg png; do
    try 0 out "modes.$ending" plot jumps modes -o "modes.$ending"
    check "modes.$ending is small" [ "$(size "modes.$ending")" -gt 2000 ]
done
check 'a PDF is none' [ "$(head -c 5 pair.pdf)" = '%PDF-' ]
check 'an SVG is none' grep -q '<svg' pair.svg
try 0 out two.svg plot run density --params x.2,lp__ --out two.svg
try 0 out files.svg plot run/chain_1.csv run/chain_2.csv trace -o files.svg
try 0 out wide.svg plot wide density -o wide.svg
try 0 out odd.svg plot odd.csv density -o odd.svg
printf 'lp__,a\n-1,5e-324\n-1,0\n-1,1e-323\n-1,0\n-1,5e-324\n' >tiny.csv
for kind in density trace rank mean autocorrelation pair; do
    try 0 out tiny.png plot tiny.csv "$kind" -o tiny.png
done
try 0 out names.svg plot names.csv pair -o names.svg
wrong 64 'of what? Name the directory of a run, or CSV files, and then a kind: density, trace,' plot
wrong 64 'of what?' plot density -o f.pdf
wrong 64 "which kind of figure? Name one behind 'run': density, trace, rank, mean" plot run -o f.pdf
wrong 64 "there is no kind 'densty'; did you mean 'density'?" plot run densty -o f.pdf
wrong 64 "there is no kind 'xyzzy'; the last word is one of density" plot run xyzzy -o f.pdf
wrong 64 'into which file?' plot run trace
wrong 64 '.pdf' plot run trace -o f.jpeg
wrong 64 '-o (--out) wants a value' plot run trace -o
wrong 66 'missing' plot missing trace -o f.pdf
wrong 73 'cannot make' plot run trace -o missing/f.pdf
wrong 64 "did you mean 'x.1'?" plot run trace -o f.pdf --params x.11
wrong 64 'too many for one figure; name 6 at most' plot wide pair -o f.pdf --params x.1,x.2,x.3,x.4,x.5,x.6,x.7
wrong 64 'the steps are not those of a parameter' plot run steps -o f.pdf --params x.1
wrong 65 'no column stepsize__' plot odd.csv steps -o f.pdf
wrong 65 'name no modes (column mode__)' plot run modes -o f.pdf
wrong 64 'the modes are not those of a parameter' plot jumps modes -o f.pdf --params x.1
check 'a figure that was refused is there' [ ! -e f.pdf ]
echo 'pictures: all as expected'
