#!/bin/sh
# Searches whose cut is skewed, with --balance off and frontier. A table in Markdown, and who looked along whose arcs.
#
#   scripts/bench_balance.sh [DEVICES...]    device specs; host:2 when none is given. On GPUs: cuda:0-1
#
# For each graph and spec: medians of milliseconds of the kernels both ways, how many times as fast the second is, the part of the time
# that devices wait if arcs take all of them equally long (as arcs lie, as they were shared out), levels that were shared out,
# bytes read of the memory of others, milliseconds of sharing out. Both ways take turns, ROUNDS times TRIALS runs, and the first of each is verified.
# Environment: BUILD (build), GRAPHS (rmat:18,16,1,unshuffled rmat:18, a blank between), PARTITION (block), DIRECTION (down), SOURCE
# (the command's own choice), ROUNDS (5), TRIALS (5).
set -eu
weir=${BUILD:-build}/weir
graphs=${GRAPHS:-rmat:18,16,1,unshuffled rmat:18} rounds=${ROUNDS:-5} trials=${TRIALS:-5}
[ $# -gt 0 ] || set -- host:2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# median FILE: of the numbers in it.
median() {
    sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# search GRAPH DEVICES BALANCE [OPTIONS...]: a document of that name is there then.
search() {
    on=$1 by=$2 balance=$3
    shift 3
    "$weir" bfs "$on" --undirected ${SOURCE:+--source "$SOURCE"} --devices "$by" --partition "${PARTITION:-block}" \
        --direction "${DIRECTION:-down}" --balance "$balance" --json "$folder/$balance" "$@" >"$folder/text"
}

# figure MEMBER FILE: the last of that name, which is that of the last run.
figure() {
    tr -d ' \n' <"$2" | grep -o "\"$1\":[-0-9.e+]*" | tail -n 1 | sed 's/.*://'
}

echo '| graph | devices | ms, off | frontier | times as fast | stall as arcs lie | shared out | levels | bytes of others | ms of sharing out |'
echo '|---|---|---|---|---|---|---|---|---|---|'
for graph in $graphs; do
    for devices in "$@"; do
        rm -f "$folder"/list.*
        for balance in off frontier; do
            if ! search "$graph" "$devices" "$balance" --verify; then
                echo "bench_balance.sh: $graph on $devices, balance $balance: it failed" >&2
                exit 1
            fi
        done
        for _ in $(seq "$rounds"); do
            for balance in off frontier; do
                search "$graph" "$devices" "$balance" --trials "$trials" --stats
                figure median_kernel_ms "$folder/$balance" >>"$folder/list.$balance"
            done
        done
        off=$(median "$folder/list.off") frontier=$(median "$folder/list.frontier")
        sharing=$(sed -n 's/.*sharing out \([0-9.]*\) ms.*/\1/p' "$folder/text")
        sed -n '/arcs, of/,/items, from/p' "$folder/text" | sed '/items, from/d' >"$folder/matrix"
        awk -v graph="$graph" -v devices="$devices" -v off="$off" -v with="$frontier" \
            -v before="$(figure stall_before "$folder/frontier")" -v after="$(figure stall_after "$folder/frontier")" \
            -v levels="$(figure stolen_levels "$folder/frontier")" -v bytes="$(figure stolen_bytes "$folder/frontier")" -v sharing="$sharing" \
            'BEGIN { printf "| `%s` | %s | %.3f | %.3f | %.2f | %.1f %% | %.1f %% | %d | %d | %s |\n",
                     graph, devices, off, with, off / with, 100 * before, 100 * after, levels, bytes, sharing }'
        cat "$folder/matrix" >&2
    done
done
