#!/bin/sh
# layers_twin.sh COMPILER - layers.sh must accept a good tree and refuse each of these bad ones.
set -eu
layers=$(dirname "$0")/layers.sh
compiler=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/base" "$tree/src/chain" "$tree/src/run" "$tree/cli" "$tree/examples" "$tree/objects"

good() {
    sh "$layers" "$tree" "$tree/objects" || { echo "layers.sh refused a good tree"; exit 1; }
}

# bad FILE LINE: with this line in this file the tree must be refused, and accepted again without it.
bad() {
    mkdir -p "$(dirname "$tree/$1")"
    echo "$2" >"$tree/$1"
    if sh "$layers" "$tree" "$tree/objects"; then
        echo "layers.sh accepted $2 in $1"
        exit 1
    fi
    rm "$tree/$1"
    good
}

# compiled FILE TEXT: a source that is in the tree with its object.
compiled() {
    echo "$2" >"$tree/src/$1"
    mkdir -p "$(dirname "$tree/objects/$1")"
    "$compiler" -c -o "$tree/objects/$1.o" "$tree/src/$1"
}

# bad_call FILE TEXT: the same as bad, by what the object calls.
bad_call() {
    compiled "$1" "$2"
    if sh "$layers" "$tree" "$tree/objects"; then
        echo "layers.sh accepted $2 in $1"
        exit 1
    fi
    rm "$tree/src/$1"
    good # its object is there, and does not count
}

if sh "$layers" "$tree" "$tree/objects"; then
    echo "layers.sh accepted a tree without files"
    exit 1
fi
echo '#include "sampler/sampler.h"' >"$tree/src/chain/chain.c"
echo '#include "ckam.h"' >"$tree/src/base/error.h"
echo '#include "command.h"' >"$tree/cli/main.c"
echo '#include <ckam.h>' >"$tree/examples/first.c"
if sh "$layers" "$tree" "$tree/objects"; then
    echo "layers.sh accepted a tree without objects"
    exit 1
fi
compiled base/below.c 'int below(void) { return 1; }'
compiled chain/above.c 'int below(void); int above(void) { return below(); }'
compiled run/second.c 'int above(void); int third(void); int second(void) { return above() + third(); }'
good
bad src/base/upward.c '#include "rng/rng.h"'
bad src/sampler/upward.h '  #  include "target/target.h"'
bad src/sampler/jump.c '#include "jump/jump.h"'
bad src/kernel/sideways.c '#include "rng/rng.h"'
bad src/rng/angle.c '#include <linalg/linalg.h>'
bad src/rng/parent.c '#include "../chain/chain.h"'
bad src/rng/bare.c '#include "rng.h"'
bad src/unknown/layer.c '#include "ckam.h"'
bad cli/private.c '#include "base/error.h"'
bad examples/private.c '#include "base/error.h"'
bad_call base/upward.c 'int above(void); int upward(void) { return above(); }'
bad_call chain/upward.c 'extern int (*hook)(void); int second(void); int (*hook)(void) = second;'
bad_call run/third.c 'int second(void); int third(void) { return second(); }'
