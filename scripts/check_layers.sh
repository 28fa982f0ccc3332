#!/bin/sh
# Folders include only what lies below them; nobody outside runtime knows its backends; only CUDA
# code sees CUDA's headers. Tests may include everything.
set -eu
find runtime topology router worklist algorithms examples tests \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -exec awk '
    BEGIN {
        folders = split("runtime topology router worklist algorithms examples tests", order, " ")
        for (i = 1; i <= folders; i++) rank[order[i]] = i
    }
    function complain(text) { print FILENAME ":" FNR ": " text; bad = 1 }
    FNR == 1 { split(FILENAME, part, "/"); from = part[1] }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\""); to = quoted[2]; split(to, target, "/")
        if (!(target[1] in rank)) complain(FILENAME " includes " to ", which names no folder of the tree")
        else if (rank[target[1]] > rank[from]) complain(FILENAME " includes " to)
        else if (to ~ /^runtime\/(host|cuda|sim)\// && from != "runtime" && from != "tests")
            complain(FILENAME " includes " to ", a backend that only runtime knows")
    }
    /^[ \t]*#[ \t]*include[ \t]*[<"](cuda|cooperative_groups|cub\/|thrust\/|nccl|nvml)/ {
        if (FILENAME !~ /\.cuh?$/ && FILENAME !~ /^runtime\/cuda\//) complain(FILENAME " includes a CUDA header")
    }
    END { exit bad }' {} +
