#!/bin/sh
# BFS on a generated road grid and a generated R-MAT graph, verified, as a small table: on the
# default devices and on one device; on GPUs where there are any.
set -eu
weir=${BUILD:-build}/weir
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Default devices, one device, and graphs that end within a minute on two cores.
if "$weir" bfs grid:4x4 --devices cuda >/dev/null 2>&1; then
    all='cuda (all)' one=cuda:0
    grid=grid:1000x1000,0.65 rmat=rmat:18
else
    all=host:4 one=host:1
    grid=grid:600x600,0.65 rmat=rmat:16
fi

# The first value of a key behind "graph": our JSON has it there once, or in trials later.
value() { # KEY
    tr -d '\n' <"$tmp/json" | awk -v key="\"$1\"" '{
        sub(/.*"graph"[ ]*:/, "")
        if (!match($0, key "[ ]*:[ ]*")) { print "?"; exit }
        text = substr($0, RSTART + RLENGTH); sub(/[],} ].*/, "", text); print text }'
}

failed=0
row() { # LABEL GRAPH OPTIONS...
    label=$1 graph=$2
    shift 2
    if ! "$weir" bfs "$graph" "$@" --verify --trials 3 --json "$tmp/json" >"$tmp/log" 2>&1; then
        echo "weir bfs $graph $*: failed"
        sed 's/^/  /' "$tmp/log"
        failed=1
        return
    fi
    verified=$(value verified)
    [ "$verified" = true ] || failed=1
    printf '%-22s %-11s %9s %9s %10.3f %8.4f  %s\n' "$graph" "$label" "$(value vertices)" \
        "$(value arcs)" "$(value median_ms)" "$(value gteps_harmonic_mean)" "$verified"
}

"$weir" version 2>/dev/null | head -n 1 || true
printf '%-22s %-11s %9s %9s %10s %8s  %s\n' graph devices vertices arcs 'median ms' GTEPS verified
row "$all" "$grid"
row "$one" "$grid" --devices "$one"
row "$all" "$rmat" --undirected
row "$one" "$rmat" --undirected --devices "$one"
if [ "$failed" != 0 ]; then
    echo 'demo: something failed or was not verified' >&2
    exit 1
fi
