#!/bin/sh
# Searches with --balance off, frontier, ownership and both, and on one device. A table in Markdown, and who looked along whose arcs.
# Of shortest paths (VERB=sssp) and PageRank (VERB=pr) off and frontier alone; of PageRank off is through the worklist.
#
#   scripts/bench_balance.sh [DEVICES...]    device specs; host:2 when none is given. On GPUs: cuda:0-1
#
# For each graph and spec: medians of milliseconds of the kernels on the first device alone and each way on all, the part of the time that devices
# wait if arcs take all of them equally long (with the last way: as arcs lie, as they were shared out), levels that were shared out, milliseconds of that, levels by one
# device, how often ownership moved, up to how many entries a level was narrow. All ways take turns, ROUNDS times TRIALS runs, and the first of each is
# verified. Environment: BUILD (build), GRAPHS (rmat:18,16,1,unshuffled rmat:18, a blank between; tail:LENGTH:GRAPH is a chain of so many vertices that leads
# into the vertex of that graph with the most arcs), VERB (bfs; sssp; pr), PARTITION (block), DIRECTION (down; of sssp switch, of pr push), ORDER (of sssp, as soft:1000; its own
# choice), SOURCE (the command's own choice; 0 of a tail, where it begins),
# ROUNDS (5), TRIALS (5).
set -eu
weir=${BUILD:-build}/weir
graphs=${GRAPHS:-rmat:18,16,1,unshuffled rmat:18} rounds=${ROUNDS:-5} trials=${TRIALS:-5}
verb=${VERB:-bfs} ways='off frontier ownership both' direction=${DIRECTION:-down} last=both
[ "$verb" = bfs ] || ways='off frontier' direction=${DIRECTION:-switch} last=frontier
[ "$verb" != pr ] || direction=${DIRECTION:-push}
[ $# -gt 0 ] || set -- host:2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# median NAME: of the numbers in its list; nothing where there is none.
median() {
    [ -f "$folder/list.$1" ] || return 0
    sort -g "$folder/list.$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# tail_of LENGTH GRAPH: a file of that.
tail_of() {
    "$weir" gen "$2" --undirected -o "$folder/head.el" >"$folder/text"
    awk -v chain="$1" '!/^[#%]/ { print chain + $1, chain + $2; if (++degree[$1] > most) { most = degree[$1]; hub = $1 } }
        END { for (v = 1; v < chain; v++) print v - 1, v; print chain - 1, chain + hub }' "$folder/head.el" >"$folder/tail.el"
    rm "$folder/head.el"
}

# search FILE DEVICES NAME [OPTIONS...]: a document of that name is there then.
search() {
    on=$1 by=$2 name=$3
    shift 3
    "$weir" "$verb" "$on" --undirected ${from:+--source "$from"} --devices "$by" --direction "$direction" ${ORDER:+--order "$ORDER"} --json "$folder/$name" "$@" >"$folder/text"
}

# search_way FILE DEVICES WAY [OPTIONS...]: one device, or a value of --balance.
search_way() {
    on=$1 by=$2 way=$3
    shift 3
    if [ "$way" = one ]; then
        search "$on" "$(echo "$by" | sed 's/^host:[0-9]*/host:1/; s/-.*//')" one "$@"
    else
        search "$on" "$by" "$way" --partition "${PARTITION:-block}" --balance "$way" "$@"
    fi
}

# figure MEMBER FILE: the last of that name, which is that of the last run.
figure() {
    tr -d ' \n' <"$2" | grep -o "\"$1\":[-0-9.e+]*" | tail -n 1 | sed 's/.*://'
}

echo '| graph | devices | ms, one device | off | frontier | ownership | both | stall as arcs lie | shared out | levels | ms of sharing out | levels by one | moves | narrow up to |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|'
for graph in $graphs; do
    file=$graph from=${SOURCE:-}
    case $graph in
    tail:*)
        rest=${graph#tail:}
        tail_of "${rest%%:*}" "${rest#*:}"
        file=$folder/tail.el from=${SOURCE:-0}
        ;;
    esac
    for devices in "$@"; do
        rm -f "$folder"/list.*
        for way in one $ways; do
            if ! search_way "$file" "$devices" "$way" --verify; then
                echo "bench_balance.sh: $graph on $devices, $way: it failed" >&2
                exit 1
            fi
        done
        for _ in $(seq "$rounds"); do
            for way in one $ways; do
                search_way "$file" "$devices" "$way" --trials "$trials" --stats
                figure median_kernel_ms "$folder/$way" >>"$folder/list.$way"
            done
        done
        sharing=$(sed -n 's/.*sharing out \([0-9.]*\) ms.*/\1/p' "$folder/text")
        sed -n '/arcs, of/,/items, from/p' "$folder/text" | sed '/items, from/d' >"$folder/matrix"
        awk -v graph="$graph" -v devices="$devices" -v one="$(median one)" -v off="$(median off)" -v frontier="$(median frontier)" \
            -v ownership="$(median ownership)" -v both="$(median both)" -v before="$(figure stall_before "$folder/$last")" \
            -v after="$(figure stall_after "$folder/$last")" -v levels="$(figure stolen_levels "$folder/$last")" -v sharing="${sharing:-0}" \
            -v lone="$(figure lone_levels "$folder/$last")" -v moves="$(figure lone_moves "$folder/$last")" -v entries="$(figure lone_entries "$folder/$last")" \
            'function ms(text) { return text == "" ? "" : sprintf("%.3f", text) }
             BEGIN { printf "| `%s` | %s | %s | %s | %s | %s | %s | %.1f %% | %.1f %% | %d | %s | %d | %d | %d |\n",
                     graph, devices, ms(one), ms(off), ms(frontier), ms(ownership), ms(both), 100 * before, 100 * after, levels, sharing, lone, moves, entries }'
        cat "$folder/matrix" >&2
    done
done
