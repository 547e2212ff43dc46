#!/bin/sh
# words_twin.sh - words.sh refuses what it should: a name, a file and a sentence that it knows, each alone in a tree.
set -eu
here=$(realpath "$(dirname "$0")")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

refused() {
    if sh "$here/words.sh" "$tree" >/dev/null; then
        echo "words_twin: $1 was not refused"
        exit 1
    fi
}
fresh() {
    rm -rf "${tree:?}"/*
    for folder in src cli include examples docs tests bench report/src; do mkdir -p "$tree/$folder"; done
    touch "$tree/README.md" "$tree/CONTRIBUTING.md" "$tree/CHANGELOG.md"
    printf '/* One lane of a road is part of it. */\nconst char *text = "an offer";\nint chain;\n' >"$tree/src/plain.c"
}

fresh
sh "$here/words.sh" "$tree" || { echo 'words_twin: a comment and a string are refused'; exit 1; }
echo 'int lane;' >>"$tree/src/plain.c"
refused 'a name'
fresh
touch "$tree/src/halves.c"
refused 'a file'
fresh
echo 'Merged if the rows like it better.' >"$tree/docs/page.md"
refused 'a sentence'
