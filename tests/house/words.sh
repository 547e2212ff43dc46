#!/bin/sh
# words.sh ROOT - names and sentences that hid what they stood for do not come back. Names: whole identifiers of the code, comments and strings aside.
# Sentences: in every file that git knows, or in all but what is built where there is no git.
set -eu
cd "$1"
bad=0

names='crew ckam_crew lane lanes seat seats source_sit offer offers jump_offer hearsay vain past brief pull part worth law law_measure ckam_subject
standing meet turn follow'
files='apart.c slow.c touched.c look.c even.c halves.c given.c together.c carry_out.c go.c lane.c crew.c offer.c subject.c'
sentences='what no draw has met|no part of the draws is apart|let what is 0 or 1 converge|let a stranger.s directory|global state that you would notice
something between the two, which is faster|if the rows like it better|is better told as two|the answer of the dead|until then it is hearsay|is not worth a noise
is ckam.s affair'

# Code without comments and strings; lines keep their numbers.
code() { perl -0pe 's{("(?:\\.|[^"\\\n])*")|(/\*.*?\*/|//[^\n]*)}{my $t = $&; $t =~ s/[^\n]//g; $t}gse' "$1"; }

pattern=$(printf '%s' "$names" | tr -s ' \n' '|')
for file in $(find src cli include examples -name '*.[ch]' | sort); do
    found=$(code "$file" | grep -nwE "$pattern" | sed -n 1p) && [ -n "$found" ] && { echo "words: $file:$found"; bad=1; }
done
for file in $files; do
    found=$(find src cli -name "$file") && [ -n "$found" ] && { echo "words: $found"; bad=1; }
done
pattern=$(printf '%s' "$sentences" | tr '\n' '|')
found=$(grep -rniE "$pattern" --include='*.[chj]' --include='*.md' --include='*.mjs' --include='*.js' --include='*.sh' --exclude='words*.sh' --exclude-dir=node_modules \
    src cli include examples docs tests bench report/src README.md CONTRIBUTING.md CHANGELOG.md | sed -n 1,20p) || true
[ -z "$found" ] || { echo "$found" | sed 's/^/words: /'; bad=1; }
exit $bad
