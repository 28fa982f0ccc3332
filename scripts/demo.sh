#!/bin/sh
# Every algorithm on a generated road grid and a generated social network, verified in full, as a small
# table: on the default devices and on one device; on GPUs where there are any.
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
    grid=grid:400x400,0.65 rmat=rmat:15
fi

# The first value of a key behind "graph": our JSON has it there once, or in trials later.
value() { # KEY
    tr -d '\n' <"$tmp/json" | awk -v key="\"$1\"" '{
        sub(/.*"graph"[ ]*:/, "")
        if (!match($0, key "[ ]*:[ ]*")) { print "?"; exit }
        text = substr($0, RSTART + RLENGTH); sub(/[],} ].*/, "", text); gsub(/"/, "", text); print text }'
}

failed=0
row() { # VERB LABEL GRAPH OPTIONS...
    verb=$1 label=$2 graph=$3
    shift 3
    if ! "$weir" "$verb" "$graph" "$@" --verify --trials 3 --json "$tmp/json" >"$tmp/log" 2>&1; then
        echo "weir $verb $graph $*: failed"
        sed 's/^/  /' "$tmp/log"
        failed=1
        return
    fi
    verified=$(value verified)
    [ "$verified" = true ] || failed=1
    printf '%-5s %-22s %-11s %9s %9s %-9s %10.3f  %s\n' "$verb" "$graph" "$label" "$(value vertices)" \
        "$(value arcs)" "$(value direction | sed 's/^null$/-/')" "$(value median_ms)" "$verified"
}

"$weir" version 2>/dev/null | head -n 1 || true
printf '%-5s %-22s %-11s %9s %9s %-9s %10s  %s\n' verb graph devices vertices arcs direction 'median ms' verified
for verb in bfs sssp pr cc color; do
    row "$verb" "$all" "$grid"
    row "$verb" "$one" "$grid" --devices "$one"
    row "$verb" "$all" "$rmat" --undirected
    row "$verb" "$one" "$rmat" --undirected --devices "$one"
done
if [ "$failed" != 0 ]; then
    echo 'demo: something failed or was not verified' >&2
    exit 1
fi
