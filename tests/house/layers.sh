#!/bin/sh
# layers.sh ROOT - no file includes upward. The table is the architecture: what a layer may include beside itself
# and ckam.h. The command and the examples are clients of ckam.h and see no layer at all.
set -eu
cd "$1"

# shellcheck disable=SC2016 # the dollars are those of awk
find src cli examples -name '*.[ch]' | sort | xargs awk '
    BEGIN {
        may["base"]    = " "
        may["rng"]     = " base "
        may["linalg"]  = " base "
        may["kernel"]  = " base linalg "
        may["target"]  = " base rng "
        may["mixture"] = " base rng linalg "
        may["sampler"] = " base rng linalg kernel mixture "
        may["jump"]    = " base rng linalg mixture sampler "
        may["chain"]   = " base rng linalg kernel target sampler "
        may["draws"]   = " base "
        may["diag"]    = " base linalg draws "
        may["evidence"] = " base rng linalg target mixture draws diag "
        may["run"]     = " base rng linalg kernel target sampler chain draws diag "
        may["report"]  = " base draws diag "
        may["experiment"] = " base target chain diag run report "
    }

    function complain(what) { print "layers: " FILENAME ":" FNR ": " what; bad = 1 }

    FNR == 1 {
        split(FILENAME, path, "/")
        client = path[1] != "src"
        layer = path[2]
        if (!client && !(layer in may)) complain("the layer " layer " is not in the table of layers.sh")
    }

    /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
        split($0, part, /[<">]/)
        name = part[2]
        slash = index(name, "/")
        other = slash ? substr(name, 1, slash - 1) : ""
        seen++
        if (index($0, "<") && !(other in may)) next # of the system
        if (name == "ckam.h") next
        if (client ? slash : other != layer && !index(may[layer], " " other " "))
            complain((client ? path[1] : layer) " may not include " name)
    }

    END {
        if (!seen) { print "layers: no #include was found"; bad = 1 }
        exit bad
    }' /dev/null
