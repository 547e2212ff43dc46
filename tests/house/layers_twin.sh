#!/bin/sh
# layers_twin.sh - layers.sh must accept a good tree and refuse each of these bad ones.
set -eu
layers=$(dirname "$0")/layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/base" "$tree/src/chain" "$tree/cli" "$tree/examples"

good() {
    sh "$layers" "$tree" || { echo "layers.sh refused a good tree"; exit 1; }
}

# bad FILE LINE: with this line in this file the tree must be refused, and accepted again without it.
bad() {
    mkdir -p "$(dirname "$tree/$1")"
    echo "$2" >"$tree/$1"
    if sh "$layers" "$tree"; then
        echo "layers.sh accepted $2 in $1"
        exit 1
    fi
    rm "$tree/$1"
    good
}

if sh "$layers" "$tree"; then
    echo "layers.sh accepted a tree without files"
    exit 1
fi
echo '#include "sampler/sampler.h"' >"$tree/src/chain/chain.c"
echo '#include "ckam.h"' >"$tree/src/base/error.h"
echo '#include "command.h"' >"$tree/cli/main.c"
echo '#include <ckam.h>' >"$tree/examples/first.c"
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
