#!/bin/sh
# Times every algorithm with its arcs on the device and in host memory, on a graph that fits the device, and sets the arcs that kernels
# read a second beside what the host's link carries.
#
#   scripts/bench_memory.sh [DEVICE [GRAPH]]      cuda:0 and rmat:22; some 30 seconds on one GPU
#
# A row is the median of 5 verified runs. GB/s are bytes of arcs that were looked at, 4 each and 8 with a weight, by the time of
# kernels; "of link" sets them beside the bandwidth of copies from the host that `weir topo --measure` finds. Searches look at few
# arcs of a graph such as R-MAT in step, so both are searched through the worklist, too, which looks at all of them. Status 1: a run
# failed.
# Environment: BUILD (build).
set -eu
cd "$(dirname "$0")/.."
weir=${BUILD:-build}/weir
device=${1:-cuda:0}
graph=${2:-rmat:22}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
json=$room/run.json
failed=0

"$weir" topo --devices "$device" --measure --format json -o "$room/machine.json"
link=$(sed -n 's/.*"from": "numa[0-9]*", .*"bandwidth_gbs": \([0-9.e+]*\),.*/\1/p' "$room/machine.json" |
    sort -g | tail -1)
"$weir" gen "$graph" --undirected --weights random -o "$room/graph.gr" >/dev/null
printf 'graph %s, both directions; %s; copies from the host %.1f GB/s\n\n' "$graph" "$device" "$link"
echo '| run | memory | kernel ms | arcs looked at | GB/s | of link |'
echo '|---|---|---|---|---|---|'

# rows NAME BYTES VERB [OPTIONS...]: a row for each memory; BYTES of an arc.
rows() {
    name=$1 bytes=$2
    shift 2
    for memory in device host; do
        if ! "$weir" "$@" --devices "$device" --memory "$memory" --trials 5 --verify --json "$json" >/dev/null; then
            echo "| $name | $memory | failed | | | |"
            failed=1
            continue
        fi
        awk -v name="$name" -v memory="$memory" -v bytes="$bytes" -v link="$link" \
            -v ms="$(median kernel_ms)" -v arcs="$(median atoms)" 'BEGIN {
                rate = ms > 0 ? arcs * bytes / ms / 1e6 : 0
                part = link > 0 ? 100 * rate / link : 0
                printf "| %s | %s | %.3f | %.0f | %.1f | %.0f %% |\n", name, memory, ms, arcs, rate, part }'
    done
}

# median KEY: of the trials' members of this name.
median() {
    tr ',{}' '\n\n\n' <"$json" | sed -n "s/^ *\"$1\": *\([-0-9.e+]*\) *\$/\1/p" | sort -g |
        awk '{ value[NR] = $1 } END { print NR ? value[int((NR + 1) / 2)] : 0 }'
}

rows 'bfs in step' 4 bfs "$room/graph.gr"
rows 'bfs push' 4 bfs "$room/graph.gr" --direction push
rows 'sssp in step' 8 sssp "$room/graph.gr" --direction switch
rows 'sssp push' 8 sssp "$room/graph.gr" --direction push
rows 'pr' 4 pr "$room/graph.gr" --iterations 10
rows 'pr push' 4 pr "$room/graph.gr" --direction push --tolerance 1e-2
rows 'cc' 4 cc "$room/graph.gr" --stream off
exit "$failed"
