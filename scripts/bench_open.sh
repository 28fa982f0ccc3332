#!/bin/sh
# What opening a file takes beside reading its bytes: speed and peak memory, a table in Markdown.
#
#   scripts/bench_open.sh [FILE...]        files of graphs; without any, rmat:SCALE is written in all formats
#
# For each file: MB/s of `wc -l`, of `cat` into /dev/null (a copy of the bytes into memory that is in a cache) and of weir
# opening it, each the median of TRIALS runs that take turns, and the largest peak memory of the whole process over the size of
# the graph in memory. The file lies in the page cache. On a machine that does other things as well only the ratios of a
# row mean anything.
# Environment: BUILD (build), BEFORE (none: another build, which opens each file in turn with this one, for a column of its own), SCALE (19), TRIALS (7), TMPDIR (/tmp), RUN (a command in front of each that is timed: `chrt -f 1`
# puts them before all else that a shared machine does).
set -eu
# shellcheck source=scripts/document.sh
. "$(dirname "$0")/document.sh"
weir=${BUILD:-build}/weir
before=${BEFORE:+$BEFORE/weir}
scale=${SCALE:-19} trials=${TRIALS:-7} run=${RUN:-}
command -v /usr/bin/time >/dev/null || {
    echo 'bench_open.sh: /usr/bin/time is needed, for the peak memory (apt install time)' >&2
    exit 2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
json=$folder/json

# make_file NAME GRAPH [OPTIONS...]: a file of the folder.
make_file() {
    file=$folder/$1 from=$2
    shift 2
    "$weir" convert "$from" "$file" "$@" >/dev/null
}

# median FILE: of the numbers in it.
median() {
    sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# took NAME COMMAND...: milliseconds into the list of that name, the start of the process included.
took() {
    list=$folder/list.$1
    shift
    begin=$(date +%s%N)
    # shellcheck disable=SC2086 # words
    $run "$@" >/dev/null
    end=$(date +%s%N)
    awk -v t=$((end - begin)) 'BEGIN { print t / 1e6 }' >>"$list"
}

# opened LIST COMMAND FILE: milliseconds that it says opening took, into the list of that name.
opened() {
    # shellcheck disable=SC2086 # words
    $run /usr/bin/time -f %M -o "$folder/peak" "$2" convert "$3" /dev/null --json "$json" >/dev/null
    member opening_ms choices "$json" >>"$folder/list.$1"
}

# row FILE
row() {
    rm -f "$folder"/list.*
    "$weir" info "$1" --brief --json "$json" >/dev/null
    vertices=$(member vertices graph "$json") arcs=$(member arcs graph "$json")
    each=4
    case $(member weights graph "$json") in
    '{') [ "$(member kind weights "$json")" = integers ] && each=8 || each=12 ;;
    esac
    for _ in $(seq "$trials"); do
        took wc wc -l "$1"
        took cat cat "$1"
        [ -z "$before" ] || opened before "$before" "$1"
        opened open "$weir" "$1"
        cat "$folder/peak" >>"$folder/list.peak"
    done
    was=0
    [ -z "$before" ] || was=$(median "$folder/list.before")
    awk -v was="$was" -v name="${1##*/}" -v bytes="$(wc -c <"$1")" -v graph="$((8 * (vertices + 1) + each * arcs))" \
        -v wc="$(median "$folder/list.wc")" -v cat="$(median "$folder/list.cat")" \
        -v open="$(median "$folder/list.open")" -v peak="$(sort -g "$folder/list.peak" | tail -1)" 'BEGIN {
            printf "| %s | %.0f | %.0f | %.0f | ", name, bytes / 1e6, bytes / wc / 1e3, bytes / cat / 1e3
            if (was) printf "%.0f, %.2f | ", bytes / was / 1e3, wc / was
            printf "%.0f | %.2f | %.2f | %.0f | %.2f |\n", bytes / open / 1e3, wc / open, cat / open, graph / 1e6,
                peak * 1024 / graph }'
}

echo "$(uname -m), $(nproc) cores, rmat:$scale, medians of $trials"
echo
echo "| file | MB | wc -l, MB/s | cat, MB/s |${before:+ before, MB/s and of wc -l |} opening, MB/s | of wc -l | of cat | graph, MB | peak over graph |"
echo "|---|---|---|---|${before:+---|}---|---|---|---|---|"
if [ $# -gt 0 ]; then
    for file; do row "$file"; done
    exit 0
fi
weights="--weights random:1-255"
make_file graph.gr "rmat:$scale"
graph=$folder/graph.gr
for suffix in mtx el; do
    make_file plain.$suffix "$graph"
    row "$folder/plain.$suffix"
done
shuf "$folder/plain.el" >"$folder/shuffled.el"
row "$folder/shuffled.el"
rm -f "$folder"/plain.* "$folder"/shuffled.*
# shellcheck disable=SC2086 # two words
for suffix in mtx el dimacs; do
    make_file weights.$suffix "$graph" $weights
    row "$folder/weights.$suffix"
done
shuf "$folder/weights.el" >"$folder/shuffled-weights.el"
row "$folder/shuffled-weights.el"
sed 's/$/.5/' "$folder/weights.el" >"$folder/fractions.el"
row "$folder/fractions.el"
rm -f "$folder"/weights.* "$folder"/shuffled-weights.* "$folder"/fractions.*
row "$graph"
# shellcheck disable=SC2086 # two words
for suffix in sg wsg; do
    case $suffix in wsg) set -- $weights ;; esac
    make_file binary.$suffix "$graph" "$@"
    row "$folder/binary.$suffix"
    rm -f "$folder/binary.$suffix"
done
rm -f "$graph"
make_file undirected.gr "rmat:$scale" --undirected
graph=$folder/undirected.gr
make_file metis.graph "$graph"
row "$folder/metis.graph"
rm -f "$folder/metis.graph"
# shellcheck disable=SC2086 # two words
make_file weights.graph "$graph" $weights
row "$folder/weights.graph"
