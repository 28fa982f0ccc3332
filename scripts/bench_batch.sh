#!/bin/sh
# Searches from many sources: one after another, and in batches of up to 64 that share each look at an arc. A table in Markdown.
#
#   scripts/bench_batch.sh [DEVICES...]    device specs; host:1 host:2 when none is given. On GPUs: cuda:0 cuda:0-1
#
# For each graph and spec: milliseconds a source by each way, all sources added up and divided; how many times as fast the batches are;
# 1e9 arcs a second that the sources of a batch reach together; arcs that a batch looks at, beside those of the graph. Both ways take
# turns, TRIALS times, and the medians are shown. Each result is verified once, outside of what is timed.
# Environment: BUILD (build), GRAPHS (rmat:18 grid:500x500, a blank between), SOURCES (64), TRIALS (5).
set -eu
# shellcheck source=scripts/document.sh
. "$(dirname "$0")/document.sh"
weir=${BUILD:-build}/weir
graphs=${GRAPHS:-rmat:18 grid:500x500} sources=${SOURCES:-64} trials=${TRIALS:-5}
[ $# -gt 0 ] || set -- host:1 host:2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
json=$folder/json

# median FILE: of the numbers in it.
median() {
    sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# search GRAPH DEVICES [OPTIONS...]: the document is there then.
search() {
    on=$1 by=$2
    shift 2
    "$weir" bfs "$on" --undirected --sources "$sources" --devices "$by" --json "$json" "$@" >/dev/null
}

# The mean of the times of all trials, each of which is a run of its own.
alone_ms() {
    tr -d ' \n' <"$json" | sed 's/.*"trials":\[//; s/"summary".*//' | grep -o '"source":[0-9]*,"ms":[0-9.e+-]*' |
        sed 's/.*"ms"://' | awk '{ sum += $1 } END { printf "%.6f\n", sum / NR }'
}

# in_batch MEMBER: of summary.batch.
in_batch() {
    tr -d ' \n' <"$json" | sed 's/.*"summary"//' | grep -o "\"$1\":[0-9.e+-]*" | head -n 1 | sed 's/.*://'
}

echo '| graph | devices | ms a source, one after another | in batches | times as fast | GTEPS of all sources | looks by arcs |'
echo '|---|---|---|---|---|---|---|'
for graph in $graphs; do
    for devices in "$@"; do
        if ! search "$graph" "$devices" --batch --verify; then
            echo "bench_batch.sh: $graph on $devices is wrong" >&2
            exit 1
        fi
        rm -f "$folder"/list.*
        for _ in $(seq "$trials"); do
            search "$graph" "$devices"
            alone_ms >>"$folder/list.alone"
            search "$graph" "$devices" --batch --trials 2 # behind a warm-up
            in_batch ms_per_source >>"$folder/list.batch"
            in_batch gteps >>"$folder/list.gteps"
        done
        arcs=$(member arcs graph "$json")
        looks=$(tr -d ' \n' <"$json" | grep -o '"atoms":[0-9]*' | head -n 1 | sed 's/.*://')
        awk -v name="$graph" -v by="$devices" -v alone="$(median "$folder/list.alone")" \
            -v batch="$(median "$folder/list.batch")" -v gteps="$(median "$folder/list.gteps")" \
            -v looks="$looks" -v arcs="$arcs" 'BEGIN {
                printf "| %s | %s | %.3f | %.3f | %.1f | %.2f | %.2f |\n", name, by, alone, batch, alone / batch, gteps, looks / arcs
            }'
    done
done
