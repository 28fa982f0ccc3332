#!/bin/sh
# Times what a user waits for: commands from their start to their exit, beside what docs/benchmarks.md has goals for, as a table in
# Markdown.
#
#   scripts/bench_command.sh [ROW...]
#
#   ROW     rmat22 rmat25 rmat26 gr25 NE host20, or names by shell patterns; all but gr25 when none is given
#
# A figure is the median of RUNS runs after one that is not counted, with the least and the most; behind it are the stages of the last run. A file is
# read from the page cache. gr25 writes a file of 4.2 GiB to WORK first. Environment: BUILD (build), RUNS (5), DEVICES (cuda:0), WORK (a folder for files, which
# is left as it was; a temporary one), WEIR_DATA (where USA-road.NE.mtx.xz lies; ../shared/data), LIMIT (seconds of a run; 120). Exit status: 0; 1 a
# run failed; 2 bad usage.
set -eu
# shellcheck source=scripts/document.sh
. "$(dirname "$0")/document.sh"
weir=${BUILD:-build}/weir runs=${RUNS:-5} devices=${DEVICES:-cuda:0} limit=${LIMIT:-120}
data=${WEIR_DATA:-../shared/data}
case $runs in '' | *[!0-9]* | 0)
    echo 'bench_command: RUNS is a number from 1 on' >&2
    exit 2
    ;;
esac
made=$(mktemp -d)
work=${WORK:-$made}
json=$made/json errors=$made/errors
trap 'rm -rf "$made" "$work/weir-r25.gr"' EXIT
trap 'exit 130' INT TERM

# Name, seconds to pass, goal, arguments of weir.
rows="rmat22|1.0|0.7|bfs rmat:22 --undirected --devices $devices
rmat25|2.5|1.2|bfs rmat:25 --undirected --devices $devices
rmat26|||bfs rmat:26 --undirected --devices $devices
gr25|3|1.5|bfs $work/weir-r25.gr --devices $devices
NE|0.9||bfs $data/USA-road.NE.mtx.xz --devices $devices
host20|2||bfs rmat:20 --undirected --devices host:2"

wanted() {
    name=$1
    shift
    [ $# -gt 0 ] || [ "$name" = gr25 ] || return 0
    for pattern; do
        # shellcheck disable=SC2254 # patterns are meant
        case $name in $pattern) return 0 ;; esac
    done
    return 1
}

# run ARGUMENT...: milliseconds of one run.
run() {
    begin=$(date +%s%N)
    timeout "$limit" "$weir" "$@" --trials 1 --json "$json" >/dev/null 2>"$errors" || return 1
    echo $((($(date +%s%N) - begin) / 1000000))
}

seconds() {
    awk -v ms="$1" 'BEGIN { printf "%.2f", ms / 1000 }'
}

# The stages of the last run.
stages() {
    for stage in opening partition placing copying; do
        member "${stage}_ms" prepared "$json" | awk '{ printf "%.0f ", $1 }'
    done
}

for pattern; do
    known=
    for name in rmat22 rmat25 rmat26 gr25 NE host20; do
        # shellcheck disable=SC2254 # patterns are meant
        case $name in $pattern) known=1 ;; esac
    done
    [ -n "$known" ] || {
        echo "bench_command: no row is called $pattern" >&2
        exit 2
    }
done
commit=$(cat "$(dirname "$0")/../commit" 2>/dev/null || git rev-parse --short HEAD 2>/dev/null || echo unknown)
echo "Commit $commit, $(nproc) cores, devices $devices, medians of $runs runs (least to most):"
echo
echo '| command | seconds | to pass, goal | opening, partition, placing, copying, ms |'
echo '|---|---|---|---|'
echo "$rows" | while IFS='|' read -r name pass goal arguments; do
    wanted "$name" "$@" || continue
    shown=$(echo "$arguments" | sed "s#$work/weir-##; s#$data/##; s# --devices [^ ]*##")
    if [ "$name" = NE ] && [ ! -e "$data/USA-road.NE.mtx.xz" ]; then
        echo "| \`$shown\` | not run: the file is not there | $pass $goal | |"
        continue
    fi
    if [ "$name" = gr25 ] && ! "$weir" convert rmat:25 --undirected "$work/weir-r25.gr" >/dev/null 2>"$errors"; then
        echo "| \`$shown\` | no file: $(head -n 1 "$errors") | $pass $goal | |"
        echo failed >"$made/failed"
        continue
    fi
    : >"$made/times"
    i=0
    while [ "$i" -le "$runs" ]; do
        # shellcheck disable=SC2086 # arguments are words
        ms=$(run $arguments) || break
        [ "$i" -eq 0 ] || echo "$ms" >>"$made/times"
        i=$((i + 1))
    done
    if [ "$i" -le "$runs" ]; then
        echo "| \`$shown\` | failed: $(head -n 1 "$errors") | $pass $goal | |"
        echo failed >"$made/failed"
        continue
    fi
    sort -n "$made/times" >"$made/sorted"
    median=$(sed -n "$(((runs + 1) / 2))p" "$made/sorted")
    echo "| \`$shown\` | $(seconds "$median") ($(seconds "$(head -n 1 "$made/sorted")") to $(seconds "$(tail -n 1 "$made/sorted")")) | $pass $goal | $(stages)|"
done
[ ! -e "$made/failed" ]
