#!/bin/sh
# weir bfs --sources N --batch: what each source finds is what it finds alone, on every number of devices; batches of fewer
# and of more than 64; files, documents, wrong results; what is refused.
. "$(dirname "$0")/common.sh"

# figures FILE: source, reached, largest level, sum of levels of each trial, from the report.
figures() { awk '$1 == "source" && $2 == "ms" { on = 1; next } on && NF < 8 { on = 0 } on { print $1, $(NF - 4), $(NF - 3), $(NF - 2) }' "$1"; }

printf '0 1\n1 2\n2 3\n0 4\n6 0\n' >path.el
for graph in rmat:9,8 "rmat:9,8 --undirected" grid:40x25,0.8; do
    # shellcheck disable=SC2086 # words
    expect_ok bfs $graph --sources 70 --devices host:2
    figures "$OUT" >alone
    [ "$(wc -l <alone)" -eq 70 ] || fail "70 trials are expected"
    for devices in host:1 host:2 host:3 host:4 host:8 host:2x3; do
        for direction in switch pull; do
            # shellcheck disable=SC2086 # as above
            expect_ok bfs $graph --sources 70 --batch --devices $devices --partition random --direction $direction --verify
            has "verified: ok"
            has "batch    70 sources in 2 batches of up to 64"
            figures "$OUT" >shared
            same alone shared "$graph on $devices, $direction"
        done
    done
done

# ---- several runs, and few sources ----
expect_ok bfs path.el --sources 3 --batch --trials 2 --devices host:2 --partition random --verify
has "summary  6 runs"
has "3 sources in 1 batches of up to 64"
has ", in batches, order bulk"
expect_ok bfs path.el --sources 1 --batch --devices host:1 --verify
has " ms: the first run"
expect_ok bfs rmat:8 --sources 5 --batch --trials 2 --devices host:2 --stats --verify-by certificate --verify
has "verified: ok by certificate"

# ---- files: the last source's levels, and documents ----
expect_ok bfs rmat:8 --sources 9 --seed 5 --devices host:2 -o alone.out
expect_ok bfs rmat:8 --sources 9 --seed 5 --devices host:2 --batch -o batch.out
same alone.out batch.out "levels of the last source"
expect_ok bfs rmat:8 --sources 70 --batch --devices host:2 --json -
if [ "$TOOL" = python3 ]; then
    cat >look.py <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
t, s = d["trials"], d["summary"]["batch"]
assert len(t) == 70 and s["batches"] == 2 and s["most"] == 64
assert [r["batch"] for r in t] == [0] * 64 + [1] * 6
assert [r["batch_sources"] for r in t] == [64] * 64 + [6] * 6
assert len({r["ms"] for r in t}) == 2
ms = t[0]["ms"] + t[64]["ms"]
assert abs(s["ms_per_source"] - ms / 70) < 1e-9
assert abs(s["gteps"] - sum(r["stats"]["arcs_reached"] for r in t) / ms / 1e6) < 1e-9
assert d["choices"]["direction"] == "switch"
PY
    if python3 look.py "$OUT" 2>"$ERR"; then pass; else fail "the document of a batch" && show; fi
fi

# ---- wrong results ----
if [ -x "$WRONG" ]; then
    RIGHT=$WEIR
    WEIR=$WRONG
    for wrong in "17:vertex 17 has level .* 1 of 400 differ" "count:the devices counted 400 vertices reached"; do
        WEIR_TEST_WRONG=${wrong%%:*}
        export WEIR_TEST_WRONG
        run bfs grid:20x20 --sources 4 --batch --devices host:2 --verify -o wrong.out
        if [ "$RC" -eq 1 ] && grep -q "verification failed: .*${wrong#*:}" "$ERR" && [ ! -e wrong.out ]; then
            pass
        else
            fail "$wrong should be told" && show
        fi
        [ "${wrong%%:*}" = count ] || [ "$(figures "$OUT" | wc -l)" -eq 2 ] || fail "the wrong source is the last one told"
    done
    unset WEIR_TEST_WRONG
    WEIR=$RIGHT
else
    skip "weir-wrong is not built"
fi

# ---- what is refused, before a graph is read ----
refuse 2 "--batch says how --sources are searched: give that too" bfs missing.el --batch
refuse 2 "--batch says how --sources are searched: give that too" bfs missing.el --batch --source 1
whom="has no effect on breadth-first search of a batch of sources: leave it out"
refuse 2 "--parents $whom" bfs missing.el --sources 2 --batch --parents
refuse 2 "--output-parents $whom" bfs missing.el --sources 2 --batch --output-parents p
refuse 2 "--route $whom" bfs missing.el --sources 2 --batch --route ring
refuse 2 "--order $whom" bfs missing.el --sources 2 --batch --order bulk
refuse 2 "--kernel $whom" bfs missing.el --sources 2 --batch --kernel fused
refuse 2 "--worker $whom" bfs missing.el --sources 2 --batch --worker warp
refuse 2 "--fetch $whom" bfs missing.el --sources 2 --batch --fetch 2
refuse 2 "--mapping $whom" bfs missing.el --sources 2 --batch --mapping merge
refuse 2 "a batch of sources is searched in step" bfs missing.el --sources 2 --batch --direction push
refuse 2 "option" sssp missing.el --sources 2 --batch
refuse 2 "the graph has only" bfs path.el --sources 64 --batch

# ---- levels that do not fit are refused; what needs none goes on ----
WEIR_POOL_BYTES=8MiB
export WEIR_POOL_BYTES
expect_ok bfs grid:200x200 --sources 64 --batch --devices host:1
refuse 1 "grid:200x200" bfs grid:200x200 --sources 64 --batch --devices host:1 --verify
unset WEIR_POOL_BYTES
expect_ok help bfs
has "--batch"
finish
