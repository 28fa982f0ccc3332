#!/bin/sh
# Times what docs/benchmarks.md has goals for, on one device and on two that are both made to take part, and prints a
# table in Markdown with what is to pass and the goal. Rows that do not pass are rows like others.
#
#   scripts/goals_table.sh [ROW...]
#
#   ROW     what to run, as VERB-GRAPH with shell patterns: bfs-NE 'cc-*'; all but bfs-grid16000 and *-metis when none is given
#
# Each figure is the median kernel time of TRIALS runs after a warm-up, back to back, so that links between GPUs are awake. Another run of
# the same call line is verified in full, but for rows of graphs with 2^25 vertices, whose serial reference takes too long.
# PageRank is the time of an iteration. Environment: BUILD (build), TRIALS (10), ONE (cuda:0), TWO (cuda:0-1; none: that column is not run), WEIR_DATA (where
# USA-road.NE.mtx.xz lies; ../shared/data), BUDGET (seconds; rows that would begin later say that they were not run; a day),
# LIMIT (seconds of a run; 120), SMALL (1: small graphs, to try the script). One star passes, two reach the goal. Exit status: 0; 1 a run failed
# or was not found right; 2 bad usage.
set -eu
# shellcheck source=scripts/document.sh
. "$(dirname "$0")/document.sh"
weir=${BUILD:-build}/weir
trials=${TRIALS:-10} one=${ONE:-cuda:0} two=${TWO:-cuda:0-1} limit=${LIMIT:-120}
ends=$(($(date +%s) + ${BUDGET:-86400}))
data=${WEIR_DATA:-../shared/data}
json=$(mktemp) errors=$(mktemp)
trap 'rm -f "$json" "$errors"' EXIT

# VERB-GRAPH[-PARTITION]|to pass, goal on one|to pass, goal on two
rows='bfs-NE|2.4 1.6|3.0 1.8
bfs-grid|20 14|25 16
bfs-grid16000|88 60|105 55
bfs-tri|17 11|45 25
bfs-tri-metis|17 11|20 12
sssp-NE|4.8 3.5|6 4
sssp-grid|46 30|60 35
sssp-tri|58 40|130 80
sssp-tri-metis|58 40|75 45
bfs-rmat22|.2 .12|.2 .12
bfs-rmat25|.9 .5|.6 .3
bfs-urand25|3.5 2.5|2.1 1.4
sssp-rmat22|.6 .35|.6 .3
sssp-rmat25|2.5 1.6|1.6 1
sssp-urand25|22 14|13 8
cc-rmat22|.105 .07|.12 .07
cc-urand22|.31 .2|.25 .14
cc-NE|.09 .06|.12 .08
cc-rmat25|.8 .5|.6 .3
cc-urand25|2.8 1.8|1.6 1
cc-grid|2 1.2|1.2 .7
cc-tri|1.8 1.1|1.1 .6
pr-rmat22|.7 .4|.4 .22
pr-rmat25|5.5 3|3 1.6
pr-urand25|9 5|5 2.6
pr-tri|1.5 1|.8 .55'

# The graph of a row, with options of weir.
graph_of() {
    case ${SMALL:+small}$1 in
    NE) echo "$data/USA-road.NE.mtx.xz --source 1000" ;;
    grid) echo "grid:4900x4900,0.65 --source 4903" ;;
    grid16000) echo "grid:16000x16000,0.65 --source 16003" ;;
    tri) echo "mesh:4096x4096,shuffle --source 77" ;;
    rmat*) echo "rmat:${1#rmat} --undirected" ;;
    urand22) echo "uniform:22 --undirected --source 5" ;;
    urand25) echo "uniform:25 --undirected --source 3" ;;
    smallNE) echo "grid:30x40,0.7 --source 5" ;;
    smallgrid*) echo "grid:40x40,0.65 --source 43" ;;
    smalltri) echo "mesh:40x40,shuffle" ;;
    smallrmat*) echo "rmat:10 --undirected" ;;
    smallurand*) echo "uniform:10" ;;
    esac
}

# run TRIALS VERB GRAPH DEVICES OPTIONS...: its document in the file json. What fails is told.
run() {
    count=$1 verb=$2 graph=$3 devices=$4
    shift 4
    "$weir" "$verb" "$graph" --devices "$devices" --trials "$count" --time-limit "$limit" --json "$json" "$@" >/dev/null 2>"$errors" &&
        return
    echo "$verb $graph --devices $devices $*: $(tail -n 1 "$errors")" >&2
    return 1
}

# figure VERB GRAPH DEVICES OPTIONS: the median kernel time, of an iteration for PageRank, or why there is none.
figure() {
    verb=$1 devices=$3
    if [ "$devices" = none ] || [ $((ends - $(date +%s))) -le 5 ]; then
        echo 'not run'
        return
    fi
    # shellcheck disable=SC2046,SC2086 # options, separated by blanks
    set -- $(graph_of "$2" | sed "$([ "$verb" = bfs ] || [ "$verb" = sssp ] || echo 's/ --source [0-9]*//')") $4
    graph=$1
    shift
    if ! run "$trials" "$verb" "$graph" "$devices" "$@"; then
        echo failed
        return
    fi
    awk -v ms="$(member median_kernel_ms summary "$json")" -v steps="$(member steps trials "$json")" -v verb="$verb" \
        'BEGIN { printf "%.6g", verb == "pr" ? ms / steps : ms }'
    case $graph in rmat:25* | uniform:25*) return ;; esac
    run 1 "$verb" "$graph" "$devices" "$@" --verify || printf ' not verified'
}

# mark FIGURE PASS GOAL: the figure with three digits, and whether it passes, which goes by all of them.
mark() {
    awk -v x="$1" -v pass="$2" -v goal="$3" 'BEGIN {
        if (x + 0 == 0 || x ~ / /) print x
        else printf "%.3g%s\n", x, (x + 0 <= goal + 0 ? " **" : x + 0 <= pass + 0 ? " *" : "") }'
}

[ $# -gt 0 ] || set -- 'bfs-NE' 'bfs-grid' 'bfs-tri' '*-rmat22' 'sssp-NE' 'sssp-grid' 'sssp-tri' 'cc-*' 'pr-tri' '*-rmat25' '*-urand25'
for pattern; do # before anything runs
    found=
    for row in $rows; do
        # shellcheck disable=SC2254 # a pattern is wanted
        case ${row%%|*} in $pattern) found=1 && break ;; esac
    done
    [ -n "$found" ] || { echo "goals_table: no row $pattern" >&2 && exit 2; }
done
printf '| work | one | to pass | goal | two, both forced | to pass | goal |\n|---|---|---|---|---|---|---|\n'
done=' ' status=0
for pattern; do
    for row in $(echo "$rows" | tr ' ' ,); do
        name=${row%%|*}
        # shellcheck disable=SC2254 # a pattern is wanted
        case $name in $pattern) ;; *) continue ;; esac
        case $done in *" $name "*) continue ;; esac
        done="$done$name "
        verb=${name%%-*} rest=${name#*-}
        case $rest in *-*) cut=${rest#*-} ;; *) cut=edge ;; esac
        case $name in *-NE) cut=metis ;; esac
        limits=${row#*|}
        first=$(figure "$verb" "${rest%%-*}" "$one" '')
        second=$(figure "$verb" "${rest%%-*}" "$two" "--partition $cut")
        case "$first $second" in *failed* | *verified*) status=1 ;; esac
        a=${limits%|*} b=${limits#*|}
        printf '| %s %s, %s | %s | %s | %s | %s | %s | %s |\n' "$verb" "${rest%%-*}" "$cut" "$(mark "$first" "${a%,*}" "${a#*,}")" \
            "${a%,*}" "${a#*,}" "$(mark "$second" "${b%,*}" "${b#*,}")" "${b%,*}" "${b#*,}"
    done
done
exit "$status"
