#!/bin/sh
# Runs bfs and sssp a thousand times in a row, each run verified and with a time limit: what hangs or
# goes wrong once in many runs shows here.
#
#   scripts/soak.sh [DEVICES...]       device specs; cuda:0 cuda:0-1 cuda:0-3 when none is given
#
# For each spec, verb and graph a line with the runs that passed; a process makes 50 runs of its own
# choices, one after the other. Environment: BUILD (build), WEIR_SOAK_RUNS (of each verb on each spec;
# 1000), WEIR_SOAK_LIMIT (seconds a run may take; 20), WEIR_SOAK_GRAPHS (rmat:13 grid:80x80,0.7 and the
# stars and hubs of make_hubs.sh),
# WEIR_SOAK_ARGS (more options of weir).
set -eu
usage() {
    echo 'usage: scripts/soak.sh [DEVICES...]' >&2
    exit 2
}
for spec; do
    case $spec in cuda* | host* | [0-9]*) ;; *) usage ;; esac
done
[ $# -gt 0 ] || set -- cuda:0 cuda:0-1 cuda:0-3
weir=${BUILD:-build}/weir
runs=${WEIR_SOAK_RUNS:-1000} limit=${WEIR_SOAK_LIMIT:-20}
batch=50
case $runs$limit in *[!0-9]*) usage ;; esac
[ -x "$weir" ] || {
    echo "soak: $weir is not built" >&2
    exit 1
}
made=$(mktemp -d)
log=$made/log
trap 'rm -rf "$made"' EXIT
graphs=${WEIR_SOAK_GRAPHS:-rmat:13 grid:80x80,0.7 $("$(dirname "$0")/make_hubs.sh" "$made")}
trap 'exit 130' INT TERM

# Choices of batch n: each order with each kernel that has rounds in ten batches of fifteen, kernel live in the others, which has
# one order; the rest goes around.
choices() {
    case $((n % 5)) in
    0) order=fifo ;; 1) order=soft ;; 2) order=soft:3 ;; 3) order=soft:400 ;; *) order=bulk ;;
    esac
    case $((n / 5 % 3)) in
    0) kernel=fused ;; 1) kernel=discrete ;; *) kernel=live order=fifo ;;
    esac
    case $((n % 4)) in
    0) route=direct ;; 1) route=ring ;; 2) route=tree ;; *) route=staged ;;
    esac
    case $((n % 3)) in
    0) worker=thread mapping=auto ;; 1) worker=warp mapping=merge ;; *) worker=block mapping=group:32 ;;
    esac
    echo "--order $order --kernel $kernel --route $route --worker $worker --mapping $mapping"
}

# soak VERB SPEC GRAPH RUNS: batches until so many runs are made.
soak() {
    verb=$1 spec=$2 graph=$3 left=$4
    good=0 bad=0 n=0
    while [ "$left" -gt 0 ]; do
        now=$((left < batch ? left : batch))
        left=$((left - now))
        case $verb in
        bfs | sssp) from="--sources 1 --seed $((n + 1))" ;; # another in each batch
        *) from= ;;
        esac
        # shellcheck disable=SC2046,SC2086 # options, separated by blanks
        set -- "$verb" "$graph" --devices "$spec" --trials "$now" $from --verify \
            --time-limit "$limit" $(choices) ${WEIR_SOAK_ARGS:-}
        n=$((n + 1))
        # The whole of a batch may take what all its runs may; twice that kills what does not listen.
        if timeout -k 10 $((2 * limit * (now + 1))) "$weir" "$@" >"$log" 2>&1 </dev/null; then
            good=$((good + now))
        else
            status=$?
            bad=$((bad + now))
            echo "     weir $*: exit $status"
            tail -n 5 "$log" | sed 's/^/     | /'
        fi
    done
    word='ok  '
    [ "$bad" = 0 ] || word=FAIL
    printf '%s %-5s %-12s %-20s %5d of %d runs\n' "$word" "$verb" "$spec" "$graph" "$good" $((good + bad))
    passed=$((passed + good)) failed=$((failed + bad))
}

passed=0 failed=0 skipped=0
specs=$*
# shellcheck disable=SC2086 # graphs, separated by blanks
set -- $graphs
each=$(((runs + $# - 1) / $#))
for spec in $specs; do
    if ! "$weir" bfs grid:2x2 --devices "$spec" >"$log" 2>&1 && grep -q 'no CUDA device\|does not exist' "$log"; then
        echo "skip $spec: $(head -n 1 "$log")"
        skipped=$((skipped + 1))
        continue
    fi
    for verb in bfs sssp; do
        for graph in $graphs; do
            soak "$verb" "$spec" "$graph" "$each"
        done
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
