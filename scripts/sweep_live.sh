#!/bin/sh
# Kernel live against kernels with rounds: Atos's Figure 4, and a table of work and time.
#
#   scripts/sweep_live.sh map PICTURE GRAPH DEVICES [OPTIONS of weir...]
#       runs --kernel live with every worker (thread, warp, block) and 1, 2, 4 ... 512 items a pop, and draws a heat map of
#       milliseconds by gnuplot; the figures lie beside it in PICTURE.csv
#   scripts/sweep_live.sh table GRAPH[@OPTIONS]... -- DEVICES...
#       for each graph and set of devices, bulk, fifo and soft order of rounds against live with several queues and with one:
#       items for each vertex reached, rounds, pops, steals, median ms; a table in Markdown. OPTIONS are of weir, with commas
#       for blanks: rmat:22@--undirected
#
# Every run is verified in full. Environment: BUILD (build), VERBS (bfs; "bfs sssp"), TRIALS (5), FORMAT of the picture (svg; or
# png), LIMIT (seconds of a run; 60).
set -eu
weir=${BUILD:-build}/weir
verbs=${VERBS:-bfs} trials=${TRIALS:-5} format=${FORMAT:-svg} limit=${LIMIT:-60}
here=$(dirname "$0")
# shellcheck source=scripts/sweep.sh
. "$here/sweep.sh"

usage() {
    echo 'usage: scripts/sweep_live.sh map PICTURE GRAPH DEVICES [OPTIONS...]' >&2
    echo '       scripts/sweep_live.sh table GRAPH[@OPTIONS]... -- DEVICES...' >&2
    exit 2
}

# median KEY: of all trials.
median() {
    sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*\$/\1/p" "$json" | sort -g |
        awk '{ v[NR] = $1 } END { if (NR) printf "%.6g", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

map() {
    [ $# -ge 3 ] || usage
    picture=$1 graph=$2 devices=$3
    shift 3
    command -v gnuplot >/dev/null 2>&1 || { echo 'sweep_live: gnuplot is not installed' >&2 && exit 1; }
    case $format in
    svg) terminal='svg font "sans,12" background "white" size 720,320' ;;
    png) terminal='pngcairo font "sans,11" size 720,320' ;;
    *) echo "sweep_live: FORMAT=$format: choose svg or png" >&2 && exit 2 ;;
    esac
    verb=${verbs%% *}
    echo 'worker,fetch,ms' >"$picture.csv"
    for worker in thread warp block; do
        for fetch in 1 2 4 8 16 32 64 128 256 512; do
            run "$verb" "$graph" "$devices" --verify --kernel live --worker "$worker" --fetch "$fetch" "$@" || continue
            echo "$worker,$fetch,$(median kernel_ms)" | tee -a "$picture.csv"
        done
    done
    # A row a worker, a column a number of items; what failed is a gap.
    awk -F, 'NR > 1 { row = $1 == "thread" ? 0 : $1 == "warp" ? 1 : 2; print log($2) / log(2), row, $3 }' "$picture.csv" >"$errors"
    title=$(printf '%s of %s on %s, kernel live: ms' "$verb" "${graph##*/}" "$devices" | tr '\140"\134{}' '_____')
    gnuplot <<END
set terminal $terminal
set output "$picture"
set title "$title" noenhanced
set xlabel "items a pop (--fetch)"
set ylabel "worker"
set xrange [-0.5:9.5]
set yrange [-0.5:2.5]
set xtics ("1" 0, "2" 1, "4" 2, "8" 3, "16" 4, "32" 5, "64" 6, "128" 7, "256" 8, "512" 9)
set ytics ("thread" 0, "warp" 1, "block" 2)
set palette defined (0 "#f7fbff", 1 "#2171b5")
set logscale cb
unset key
plot "$errors" using 1:2:3 with image pixels, "" using 1:2:(sprintf("%.3g", \$3)) with labels
END
}

# row VERB GRAPH DEVICES NAME OPTIONS...
row() {
    verb=$1 graph=$2 devices=$3 name=$4
    shift 4
    if run "$verb" "$graph" "$devices" --verify "$@"; then
        items=$(median items_processed) reached=$(median reached)
        printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$verb" "${graph##*/}" "$devices" "$name" \
            "$(awk -v a="$items" -v b="$reached" 'BEGIN { printf "%.3f", b ? a / b : 0 }')" \
            "$(median rounds)" "$(median pops)" "$(median steals)" "$(median kernel_ms)"
    else
        printf '| %s | %s | %s | %s | failed | | | | |\n' "$verb" "${graph##*/}" "$devices" "$name"
    fi
}

# forms GRAPH DEVICES OPTIONS...: a row for each form of the engine.
forms() {
    of=$1 on=$2
    shift 2
    row "$form_verb" "$of" "$on" bulk --order bulk "$@"
    row "$form_verb" "$of" "$on" fifo --order fifo "$@"
    row "$form_verb" "$of" "$on" soft --order soft "$@"
    row "$form_verb" "$of" "$on" live --kernel live "$@"
    row "$form_verb" "$of" "$on" 'live, one queue' --kernel live --queues 1 "$@"
}

table() {
    echo '| verb | graph | devices | form | items a vertex | rounds | pops | steals | ms |'
    echo '|---|---|---|---|---|---|---|---|---|'
    for form_verb in $verbs; do
        for_each forms "$@"
    done
}

case ${1:-} in
map | table) what=$1 && shift && "$what" "$@" ;;
*) usage ;;
esac
[ "$failed" -eq 0 ]
