#!/bin/sh
# Every kernel under compute-sanitizer, which comes with the CUDA toolkit: each form of each algorithm on small graphs, channels
# and the examples with kernels of their own.
#
#   scripts/sweep_sanitizer.sh [-t TOOL] [-k DIR] [-o PATTERN] DEVICES...
#       TOOL: racecheck (two threads of a block at one word of shared memory; the default), memcheck, synccheck or initcheck
#       DIR: keep what the tool said of each run there
#       PATTERN: only runs whose name matches it, an extended regular expression
#       DEVICES: a GPU or a range of them, cuda:0 cuda:0-1. All of them take part in each run.
#
# A line for each run, and how many were clean: no error, no warning. Exit status: 0 all of them; 1 some were not, or did not run;
# 2 bad usage. Environment: BUILD (build), SANITIZER (compute-sanitizer), LIMIT (seconds of a run; 90).
set -eu
build=${BUILD:-build} sanitizer=${SANITIZER:-compute-sanitizer} limit=${LIMIT:-90}
tool=racecheck only=. keep=
usage() {
    sed -n '5s/^# *//p' "$0" >&2
    exit 2
}
while getopts t:k:o: option; do
    case $option in
    t) tool=$OPTARG ;;
    k) keep=$OPTARG ;;
    o) only=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
[ -z "$keep" ] || mkdir -p "$keep"
case $tool in racecheck) more='--racecheck-report all' ;; memcheck | synccheck | initcheck) more= ;; *) usage ;; esac
command -v "$sanitizer" >/dev/null 2>&1 || { echo "sweep_sanitizer: there is no $sanitizer" >&2 && exit 1; }
[ -x "$build/weir" ] || { echo "sweep_sanitizer: $build/weir is not built" >&2 && exit 1; }
examples=$build/examples # of a bundle beside bin/
[ -d "$examples" ] || examples=$build/../examples
said=$(mktemp)
trap 'rm -f "$said"' EXIT
trap 'exit 130' INT TERM
clean=0 bad=0

# sanitized NAME PROGRAM ARGUMENTS...
sanitized() {
    name=$1
    shift
    echo "$name" | grep -Eq -- "$only" || return 0
    status=0
    # shellcheck disable=SC2086 # several options
    timeout "$limit" "$sanitizer" --tool "$tool" $more --print-limit 50 --error-exitcode 99 "$@" >"$said" 2>&1 || status=$?
    [ -z "$keep" ] || cp "$said" "$keep/$(echo "$tool $name" | tr -c 'A-Za-z0-9.\n' _).txt"
    summary=$(sed -n 's/^=* *\(RACECHECK SUMMARY\|ERROR SUMMARY\): *//p' "$said" | tail -n 1)
    # All numbers of the summary are of hazards, errors and warnings.
    if [ "$status" -eq 0 ] && [ -n "$summary" ] && ! echo "$summary" | grep -q '[1-9]'; then
        clean=$((clean + 1))
    else
        bad=$((bad + 1))
    fi
    echo "$name: ${summary:-no summary, exit status $status}"
}

# runs DEVICES
runs() {
    while read -r verb graph choices; do
        # shellcheck disable=SC2086 # several options
        sanitized "$verb $graph $choices $1" "$build/weir" "$verb" "$graph" --devices "$1" --partition edge --verify $choices </dev/null
    done <<END
bfs rmat:8 --undirected
bfs mesh:20x20 --undirected
bfs mesh:20x20 --direction push
bfs grid:30x30,0.8 --direction push
bfs mesh:20x20 --direction push --balance off
bfs mesh:20x20 --direction push --order bulk
bfs rmat:8 --undirected --direction push --worker thread
bfs rmat:8 --undirected --direction push --worker block
bfs rmat:8 --undirected --direction push --mapping merge
bfs mesh:20x20 --kernel live
bfs mesh:20x20 --kernel live --worker thread
bfs mesh:20x20 --kernel live --worker block
bfs rmat:7 --undirected --kernel live --queues 1
sssp rmat:8 --undirected
sssp rmat:8 --undirected --direction push
sssp mesh:20x20 --direction push --order soft
sssp mesh:60x60,shuffle --direction push --order soft:200
sssp grid:30x30,0.8 --direction push
sssp mesh:20x20 --direction push --kernel discrete
pr rmat:8 --undirected
pr rmat:10 --undirected --hubs 49152
pr rmat:10 --undirected --bins 3
pr rmat:8 --bins 50
pr grid:20x20,0.8 --direction push
pr rmat:8 --direction push
sssp rmat:8 --undirected --weights random:0-1f
cc rmat:8 --undirected
cc mesh:20x20
cc grid:60x50,0.6
color rmat:8 --undirected
color grid:20x20
color rmat:8 --undirected --direction push
color grid:20x20 --kernel live
bfs rmat:8 --undirected --direction down --parents
bfs complete:200 --direction pull --source 199 --parents
bfs rmat:13 --direction pull --parents
bfs rmat:8 --undirected --sources 20 --batch
bfs rmat:8 --undirected --memory host --direction push
END
    case $1 in *-*) blocks=$((${1##*-} - $(echo "${1%-*}" | sed 's/.*://') + 1)) ;; *) blocks=1 ;; esac
    for wire in list bitmap; do # as many blocks as devices
        sanitized "bfs 2d $wire $1" "$build/weir" bfs rmat:8 --undirected --devices "$1" --partition "2d:1x$blocks" --wire $wire --parents --verify
    done
    sanitized "pr 2d $1" "$build/weir" pr rmat:8 --devices "$1" --partition "2d:1x$blocks" --verify
    sanitized "cc 2d $1" "$build/weir" cc rmat:8 --devices "$1" --partition "2d:1x$blocks" --verify
    sanitized "cc 2d, a column, $1" "$build/weir" cc grid:20x20,0.6 --devices "$1" --partition "2d:${blocks}x1" --verify
    if [ "$blocks" -gt 1 ]; then
        for wire in auto bitmap; do
            sanitized "bfs $wire $1" "$build/weir" bfs rmat:12 --undirected --devices "$1" --partition block --direction down --wire $wire --parents --verify
        done
    fi
    sanitized "graph500 $1" "$build/weir" graph500 --scale 7 --sssp --devices "$1"
    for schedule in rows bins thread group merge; do
        sanitized "spmv $schedule $1" "$build/weir" spmv rmat:8 --schedule $schedule --devices "$1" --verify
    done
    sanitized "spmm $1" "$build/weir" spmm rmat:8 --columns 32 --devices "$1" --verify
    if [ "$blocks" -gt 1 ]; then # every level of this small graph is shared out
        export WEIR_STEAL_ARCS=16
        sanitized "bfs frontier $1" "$build/weir" bfs rmat:8,16,1,unshuffled --undirected --devices "$1" --partition block --direction down --balance frontier --verify
        sanitized "sssp frontier $1" "$build/weir" sssp rmat:10,16,1,unshuffled --undirected --devices "$1" --partition block --direction switch --order soft:1000 --balance frontier --verify
        sanitized "pr frontier $1" "$build/weir" pr rmat:8,16,1,unshuffled --devices "$1" --partition block --direction push --balance frontier --verify
        unset WEIR_STEAL_ARCS
        sanitized "bfs ownership $1" "$build/weir" bfs grid:40x40 --devices "$1" --partition block --direction down --balance ownership --verify
    fi
    sanitized "bench channels $1" "$build/weir" bench channels --devices "$1" --trials 1
    for example in 13_reach 18_halo; do
        sanitized "$example $1" "$examples/$example" "$1"
    done
    for example in 15_kcore 20_triangles 21_forest 22_betweenness 23_communities 24_kcore_work 25_widest; do
        sanitized "$example $1" "$examples/$example" "$1" rmat:8 1
    done
}

for spec; do
    case $spec in cuda:*,* | cuda) usage ;; cuda:*) runs "$spec" ;; *) usage ;; esac
done
echo "$clean clean, $bad not"
[ "$bad" -eq 0 ]
