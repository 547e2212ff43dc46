#!/bin/sh
# layers.sh ROOT OBJECTS - no file includes or calls upward. The table is the architecture: what a layer may use beside
# itself and ckam.h. The command and the examples are clients of ckam.h and see no layer at all. OBJECTS is the folder with
# the object files of src/: a symbol that one needs is defined by a layer that it may use, also where it was declared in
# ckam.h or by hand. In the layers of `one_way` calls between files make no cycle.
set -eu
cd "$1"
symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT

# Lines "run/loop.c: name type".
(cd "$2" && find . -name '*.o' | sort | xargs -r nm -A -P) | sed 's|^\./||; s|\.o: |: |' >"$symbols"

# shellcheck disable=SC2016 # the dollars are those of awk
{ find src cli examples -name '*.[ch]' | sort && echo "$symbols"; } | xargs awk -v symbols="$symbols" '
    BEGIN {
        may["base"]    = " "
        may["rng"]     = " base "
        may["linalg"]  = " base "
        may["kernel"]  = " base linalg "
        may["target"]  = " base rng "
        may["mixture"] = " base rng linalg "
        may["sampler"] = " base rng linalg kernel mixture "
        may["jump"]    = " base rng linalg mixture sampler "
        may["chain"]   = " base rng linalg kernel target sampler jump "
        may["draws"]   = " base "
        may["diag"]    = " base linalg draws "
        may["evidence"] = " base rng linalg target mixture draws diag "
        may["run"]     = " base rng linalg kernel target sampler chain draws diag "
        may["report"]  = " base target draws diag "
        may["experiment"] = " base target chain diag run report "
        one_way = " target chain run "
    }

    function complain(what) { print "layers: " FILENAME ":" FNR ": " what; bad = 1 }

    function layer_of(file) { return substr(file, 1, index(file, "/") - 1) }

    FILENAME == symbols {
        file = substr($1, 1, length($1) - 1)
        if (!("src/" file in present)) next # an object that is left from an earlier build
        if ($3 == "U") needs[file, $2] = 1
        else if ($3 ~ /[A-Z]/) definer[$2] = file
        next
    }

    FNR == 1 {
        split(FILENAME, path, "/")
        client = path[1] != "src"
        layer = path[2]
        present[FILENAME] = 1
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
        for (need in needs) {
            split(need, part, SUBSEP)
            if (!(part[2] in definer)) continue # of a system library
            defined++
            from = part[1]
            to = definer[part[2]]
            if (layer_of(from) != layer_of(to)) {
                if (index(may[layer_of(from)], " " layer_of(to) " ")) continue
                print "layers: src/" from " may not call " part[2] "() of src/" to
                bad = 1
            } else if (index(one_way, " " layer_of(from) " ")) {
                calls[from, to] = 1
                left[from] = left[to] = 1
            }
        }
        if (!defined) { print "layers: no symbol of another file was found in " symbols; bad = 1 }

        # Files that call none of those left are taken away, until there are none: what stays is in a cycle, or calls one.
        do {
            removed = 0
            for (from in left) {
                free = 1
                for (to in left) if ((from, to) in calls) free = 0
                if (free) { delete left[from]; removed = 1; break }
            }
        } while (removed)
        for (from in left) { print "layers: src/" from " is part of a cycle of calls, or calls one"; bad = 1 }
        exit bad
    }' /dev/null
