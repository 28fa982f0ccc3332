#!/bin/sh
# The JSON documents: valid, complete, alone on standard output, exact.
. "$(dirname "$0")/common.sh"

if command -v python3 >/dev/null 2>&1 && python3 -c 'import json' 2>/dev/null; then
    TOOL=python3
elif command -v jq >/dev/null 2>&1; then
    TOOL=jq
else
    TOOL=
fi

# value FILE PATH: one member, PATH as a.b.0.c, in JSON's own spelling.
value() {
    if [ "$TOOL" = python3 ]; then
        python3 -c '
import json, sys
at = json.load(open(sys.argv[1]))
for step in sys.argv[2].split("."):
    at = at[int(step)] if isinstance(at, list) else at[step]
print(json.dumps(at))' "$1" "$2" 2>&1
    else
        jq -c --arg path "$2" \
            'getpath($path / "." | map(if test("^[0-9]+$") then tonumber else . end))' "$1" 2>&1
    fi
}

# is PATH WANT: the member of the last standard output.
is() {
    got=$(value "$OUT" "$1")
    if [ "$got" = "$2" ]; then
        pass
    else
        fail "$LAST: $1 should be $2, not $got"
    fi
}

present() {
    for path in "$@"; do
        got=$(value "$OUT" "$path")
        case $got in
        [0-9]* | '"'* | true | false) pass ;;
        *) fail "$LAST: $path is $got" ;;
        esac
    done
}

printf '0 1\n1 2\n2 3\n0 4\n6 0\n' >path.el
expect_ok bfs path.el --source 0 --devices host:2 --json -
if [ -z "$TOOL" ]; then
    skip "neither python3 nor jq to read JSON with"
    finish
fi

# ---- bfs ----
is schema 1
is command '"bfs"'
is graph.name '"path.el"'
is graph.vertices 7
is graph.arcs 5
is devices.0.label '"host:0"'
is devices.1.label '"host:1"'
is choices.partition '"edge"'
is choices.kernel '"discrete"'
is choices.worker '"thread"'
is choices.mapping '"thread"'
is choices.balance '"off"'
is choices.wire '"list"'
is choices.undirected false
is choices.seed 1
is trials.0.source 0
is trials.0.reached 5
is trials.0.max_level 3
is trials.0.sum_levels 7
is verified null
present devices.0.name choices.route choices.order choices.delta trials.0.ms trials.0.gteps \
    trials.0.items_processed trials.0.items_sent trials.0.items_spilled trials.0.rounds \
    summary.min_ms summary.median_ms summary.max_ms summary.gteps_harmonic_mean

expect_ok bfs path.el --devices host:3 --route ring --order soft:2 --partition random --seed 9 \
    --undirected --verify --json -
is verified true
is choices.route '"ring"'
is choices.order '"soft"'
is choices.partition '"random"'
is choices.undirected true
is choices.seed 9
is graph.arcs 10

for route in tree staged; do
    expect_ok bfs path.el --devices host:3 --route $route --json -
    is choices.route "\"$route\""
done

# ---- sources: different vertices with out-arcs, the same for the same seed ----
expect_ok bfs rmat:8,4 --sources 20 --trials 2 --devices host:1 --json -
is trials.39.max_level "$(value "$OUT" trials.38.max_level)"
: >sources
for i in 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38; do
    value "$OUT" trials.$i.source >>sources
done
[ "$(sort -u sources | wc -l)" -eq 20 ] || fail "--sources 20 should be 20 different vertices"
first=$(value "$OUT" trials.0.source)
expect_ok bfs rmat:8,4 --sources 20 --trials 2 --devices host:2 --json -
is trials.0.source "$first"

# ---- a lone vertex: nothing reached, no division by zero ----
expect_ok bfs path.el --source 5 --devices host:1 --json -
is trials.0.reached 1
is trials.0.gteps 0.0
is summary.gteps_harmonic_mean 0.0

# ---- files ----
expect_ok bfs path.el --source 0 --devices host:1 --json out.json -o out.txt
has "graph    path.el"
cp out.json "$OUT"
is graph.name '"path.el"'
for name in .weir-*; do
    [ -e "$name" ] && fail "$name was left behind"
done
refuse 2 "both write to" bfs path.el --json a -o a
refuse 2 "both write to" bfs path.el --json a -o ./a
refuse 2 "both write to" bfs path.el --json - -o /dev/stdout
printf '0 1\n' >"$(printf 'na\377me\n.el')"
expect_ok bfs "$(printf 'na\377me\n.el')" --devices host:1 --json -
is graph.vertices 2

# ---- info ----
expect_ok info path.el --json -
is command '"info"'
is graph.vertices 7
is graph.arcs 5
is graph.degree_max 2
is graph.degree_max_vertex 0
is graph.isolated 1
is graph.symmetric false
is graph.weights null
expect_ok info --config --json -
is config.0.environment '"WEIR_POOL_BYTES"'
finish
