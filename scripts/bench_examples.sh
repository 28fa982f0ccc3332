#!/bin/sh
# Times the examples that take a graph, on each of some device specs. A table in Markdown, as docs/programs.md has it.
#
#   scripts/bench_examples.sh [DEVICES...]    device specs; host:1 host:2 when none is given. On GPUs: cuda:0 cuda:0-1
#
# A cell is the median of TRIALS runs in milliseconds, as a caller sees them, behind one that warms up; every result is verified. A
# program that does not end in LIMIT seconds, with its serial check, or is wrong, makes the status 1, and its cell says so.
# Environment: BUILD (build; in a bundle bin), GRAPHS (rmat:16 grid:400x400, a blank between), TRIALS (5), LIMIT (600), PROGRAMS (all).
set -eu
cd "$(dirname "$0")/.."
examples=${BUILD:-build}/examples
[ -d "$examples" ] || examples=examples # in a bundle
graphs=${GRAPHS:-rmat:16 grid:400x400} trials=${TRIALS:-5} limit=${LIMIT:-600}
programs=${PROGRAMS:-20_triangles 21_forest 22_betweenness 23_communities 15_kcore 24_kcore_work 25_widest}
[ $# -gt 0 ] || set -- host:1 host:2
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
failed=0

# cell PROGRAM DEVICES GRAPH
cell() {
    rc=0
    timeout "$limit" "$examples/$1" "$2" "$3" "$trials" >"$room/out" 2>"$room/err" || rc=$?
    if [ $rc -eq 77 ]; then
        printf ' not on these |'
    elif [ $rc -ne 0 ] || [ "$(tail -n 1 "$room/out")" != verified ]; then
        printf ' status %s |' $rc
        failed=1
    else
        sed -n 's/.* devices: \([0-9.]*\) ms, the median of .*/ \1 |/p' "$room/out" | tr -d '\n'
    fi
}

printf '| program | graph |'
printf ' %s |' "$@"
printf '\n|---|---|'
for spec; do printf '%s|' "${spec:+---}"; done
printf '\n'
for program in $programs; do
    for graph in $graphs; do
        # shellcheck disable=SC2016 # a name in Markdown
        printf '| `%s` | %s |' "$program" "$graph"
        for spec; do cell "$program" "$spec" "$graph"; done
        printf '\n'
    done
done
exit $failed
