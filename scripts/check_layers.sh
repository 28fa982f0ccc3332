#!/bin/sh
# Folders include only what lies below them, and so do the rooms of algorithms and worklist; a private header
# (internal.h) crosses one border at most; nobody outside runtime knows its backends; only CUDA code sees CUDA's
# headers, and the stand-in for CUDA. Tests may include everything.
set -eu
find runtime topology router worklist algorithms examples tests \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -exec awk '
    BEGIN {
        folders = split("runtime topology router worklist algorithms examples tests", order, " ")
        for (i = 1; i <= folders; i++) rank[order[i]] = i
        # rooms of algorithms: graph knows no algorithm, common none by name, algorithms not each other
        room["graph"] = 1; room["common"] = 2; room["cli"] = 4
        room["bfs"] = room["sssp"] = room["pr"] = room["cc"] = room["pbf"] = room["color"] = room["spmv"] = 3
        room["matrix"] = 2
        # Products are written as a program would be: on public headers, and those of runtime that every folder has.
        shown = " runtime/runtime.h runtime/dialect.h runtime/sync.h runtime/support.h runtime/observe.h runtime/room.h worklist/worklist.h worklist/schedule.h worklist/steps.h algorithms/algorithms.h algorithms/matrix.h algorithms/rows.h algorithms/part.h "
    }
    function complain(text) { print FILENAME ":" FNR ": " text; bad = 1 }
    FNR == 1 { split(FILENAME, part, "/"); from = part[1] }
    # Programs, and so the examples, name public headers as they are installed; the library and its tests by the tree.
    /^[ \t]*#[ \t]*include[ \t]*<weir\// && from != "examples" && from != "tests" { complain(FILENAME " includes <weir/...>: write the path in the tree") }
    /^[ \t]*#[ \t]*include[ \t]*"/ && from == "examples" && !/"examples\// { complain(FILENAME ": an example writes <weir/...>, as a program does") }
    /^[ \t]*#[ \t]*include[ \t]*(<weir\/|")/ {
        to = $0; sub(/^[^"<]*(<weir\/|")/, "", to); sub(/[">].*/, "", to); split(to, target, "/")
        if (!(target[1] in rank)) complain(FILENAME " includes " to ", which names no folder of the tree")
        else if (rank[target[1]] > rank[from]) complain(FILENAME " includes " to)
        else if (to ~ /^runtime\/(host|cuda|sim)\// && from != "runtime" && from != "tests")
            complain(FILENAME " includes " to ", a backend that only runtime knows")
        else if (to == "runtime/internal.h" && (from == "algorithms" || from == "examples"))
            complain(FILENAME " includes " to ", which is for the layers right above runtime")
        else if (to ~ /\/internal\.h$/ && target[1] != "runtime" && target[1] != from && from != "tests")
            complain(FILENAME " includes " to ", which is private to " target[1])
        else if (from == "algorithms" && target[1] == "algorithms" && (part[2] in room) && (target[2] in room) &&
                 (room[target[2]] > room[part[2]] || (room[target[2]] == 3 && room[part[2]] == 3 && part[2] != target[2])))
            complain(FILENAME " includes " to ", another room that it stands beside or below")
        else if (FILENAME ~ /^algorithms\/spmv\// && to !~ /^algorithms\/spmv\// && !index(shown, " " to " "))
            complain(FILENAME " includes " to ", but products stand on public headers alone")
        else if (from == "worklist" && part[2] == "engine" && target[1] == "worklist" && target[2] ~ /^(host|steps)$/)
            complain(FILENAME " includes " to ": device text knows no host")
    }
    /^[ \t]*#[ \t]*include[ \t]*[<"](cuda|cooperative_groups|cub\/|thrust\/|nccl|nvml)/ {
        if (FILENAME !~ /\.cuh?$/ && FILENAME !~ /^(runtime\/cuda|tests\/standin)\//) complain(FILENAME " includes a CUDA header")
    }
    END { exit bad }' {} +

# Nor does a header include itself by way of others.
circles=$(find runtime topology router worklist algorithms examples tests \( -name '*.h' -o -name '*.cuh' \) -exec awk '
    /^[ \t]*#[ \t]*include[ \t]*["<]/ { to = $0; sub(/^[^"<]*["<](weir\/)?/, "", to); sub(/[">].*/, "", to); print FILENAME, to }' {} + |
    tsort 2>&1 >/dev/null) || :
if [ -n "$circles" ]; then
    echo 'headers include each other in a circle:'
    echo "$circles"
    exit 1
fi
