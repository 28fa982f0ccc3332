#!/bin/sh
# Times BFS through the worklist on the graphs of docs/benchmarks.md and prints a row of its table for each run.
#
#   scripts/bench_bfs.sh [DEVICES...]      device specs; cuda:0 cuda:0-1 cuda:0-3 when none is given
#
# Each row is the median of 10 runs after a warm-up, every one of them verified in full.
# Environment: BUILD (build), WEIR_DATA (folder with the real graphs; ../shared/data).
set -eu
weir=${BUILD:-build}/weir
data=${WEIR_DATA:-../shared/data}
[ $# -gt 0 ] || set -- cuda:0 cuda:0-1 cuda:0-3
json=$(mktemp)
trap 'rm -f "$json"' EXIT

# number KEY: the first number behind "KEY" in the document.
number() {
    tr -d '\n' <"$json" | sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p"
}

# row NAME GRAPH PARTITION ROUTE [OPTIONS...]: one for each device spec.
row() {
    name=$1 graph=$2 partition=$3 route=$4
    shift 4
    for devices in $specs; do
        if ! timeout 280 "$weir" bfs "$graph" --devices "$devices" --partition "$partition" \
            --direction push --route "$route" --trials 10 --verify --json "$json" "$@" >/dev/null; then
            echo "| $name | $devices | $partition | $route | failed | | |"
            continue
        fi
        printf '| %s | %s | %s | %s | %.2f | %.2f | %.2f |\n' "$name" "$devices" "$partition" "$route" \
            "$(number median_ms)" "$(number min_ms)" "$(number max_ms)"
    done
}

specs=$*
echo '| graph | devices | partition | route | median ms | min | max |'
echo '|---|---|---|---|---|---|---|'
if [ -f "$data/USA-road.NE.mtx.xz" ]; then
    row NE "$data/USA-road.NE.mtx.xz" edge direct --source 1000
    row NE "$data/USA-road.NE.mtx.xz" metis direct --source 1000
    row NE "$data/USA-road.NE.mtx.xz" metis ring --source 1000
fi
if [ -f "$data/ego-Twitter.txt.xz" ]; then
    row 'ego-Twitter, directed' "$data/ego-Twitter.txt.xz" edge direct
    row ego-Twitter "$data/ego-Twitter.txt.xz" edge direct --undirected
fi
row 'rmat:22, directed' rmat:22 edge direct
row rmat:22 rmat:22 edge direct --undirected
row rmat:22 rmat:22 random direct --undirected
row rmat:22 rmat:22 random ring --undirected
row grid:2000x2000,0.65 grid:2000x2000,0.65 edge direct
row grid:2000x2000,0.65 grid:2000x2000,0.65 metis direct
