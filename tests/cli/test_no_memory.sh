#!/bin/sh
# Without memory the run fails: status 1 and one sentence, whatever the memory was for; not status 2, as if
# something were wrong with what was asked for.
. "$(dirname "$0")/common.sh"
if [ ! -x "$WRONG" ]; then
    echo "weir-wrong is not built"
    exit 77
fi
PLAIN=$WEIR

# ---- files of results, and results that are read back ----
cat >result.json <<'END'
{"schema": 1, "command": "bench", "version": "0", "simulated": true, "machine": {"name": "m"}, "devices": [],
 "options": {"bytes": null}, "tables": [{"name": "packets", "title": "t", "unit": "GB/s", "x": "", "skipped": null,
 "larger_is_better": true, "rows": [{"series": "s", "from": "", "to": "", "x": 1, "median": 2.5, "low": 1, "high": 3,
 "trials": 1, "verified": true}]}]}
END
WEIR=$WRONG
unset WEIR_TEST_NO_MEMORY
expect_ok bench --from result.json --compare result.json
export WEIR_TEST_NO_MEMORY=open
refuse 1 "--output out.txt: cannot be written: Cannot allocate memory" bfs grid:3x3 --devices host:1 --output out.txt
refuse 1 "--json out.json: cannot be written: Cannot allocate memory" bfs grid:3x3 --devices host:1 --json out.json
refuse 1 "--json out.json: cannot be written: Cannot allocate memory" bench --from result.json --json out.json
for option in from compare; do
    nth=1
    while [ $nth -lt 1000 ]; do
        export WEIR_TEST_NO_MEMORY=$nth
        if [ $option = from ]; then run bench --from result.json; else run bench --from result.json --compare result.json; fi
        [ "$RC" -ne 0 ] || break
        if [ "$RC" -eq 1 ] && [ "$(wc -l <"$ERR")" -eq 1 ] && grep -q "^weir: .*no memory" "$ERR"; then
            pass
        else
            fail "without memory for allocation $nth of JSON it should fail with the run" && show
        fi
        nth=$((nth + 1))
    done
    if [ $nth -gt 50 ]; then pass; else fail "the JSON parser should have been without memory"; fi
done
unset WEIR_TEST_NO_MEMORY
WEIR=$PLAIN

# ---- graphs that do not fit ----
# A line of text asks for arrays of 20 million values. What they come to is known before any of them is there.
echo "0 20000000" >sparse.el
limit() { # KIB COMMAND...
    (
        # shellcheck disable=SC3045 # dash and bash have it
        ulimit -v "$1" || exit 77
        shift
        exec "$@"
    )
}
if limit 500000 "$PLAIN" version >"$OUT" 2>&1; then
    for what in "bfs --direction switch|breadth-first search" "bfs --parents|breadth-first search" \
        "bfs --direction push|breadth-first search" "sssp --direction switch|shortest paths" \
        "sssp --direction push|shortest paths" "pr --direction pull|PageRank" "pr --direction push|PageRank" \
        "pr --tolerance 1e-12 --verify|PageRank" "cc --stream off|connected components" \
        "cc --stream on --verify|connected components"; do
        # shellcheck disable=SC2086 # words
        set -- ${what%|*}
        verb=$1
        shift
        LAST="weir $verb sparse.el $* (ulimit -v 600000)"
        limit 600000 timeout 60 "$PLAIN" "$verb" sparse.el "$@" --devices host:2 >"$OUT" 2>"$ERR"
        RC=$?
        if [ $RC -eq 1 ] && [ "$(wc -l <"$ERR")" -eq 1 ] && [ ! -s "$OUT" ] &&
            grep -q "^weir: ${what#*|} of sparse.el: [0-9]* MiB of memory are needed, and .* has [0-9]* MiB left" "$ERR"; then
            pass
        else
            fail "what does not fit should be refused" && show
        fi
    done
    limit 160000 "$PLAIN" info sparse.el >"$OUT" 2>"$ERR"
    RC=$?
    LAST="weir info sparse.el (ulimit -v 160000)"
    if [ $RC -eq 1 ] && grep -q "a graph of 20000001 vertices and 1 arcs: 1[0-9]* MiB of memory are needed" "$ERR"; then
        pass
    else
        fail "a graph that does not fit should be refused" && show
    fi
    # What is known of a graph is said, whatever else does not fit.
    limit 500000 timeout 60 "$PLAIN" info sparse.el --devices host:1 --json info.json >"$OUT" 2>"$ERR"
    RC=$?
    LAST="weir info sparse.el --json info.json (ulimit -v 500000)"
    if [ $RC -eq 0 ] && [ ! -s "$ERR" ] && grep -q "^vertices         20000001" "$OUT" &&
        grep -q "^components       not found: .* of sparse.el: [0-9]* MiB of memory are needed" "$OUT" &&
        ! grep -q "^diameter" "$OUT" && grep -q "^bfs      cannot run: " "$OUT"; then
        pass
    else
        fail "facts that fit should be said" && show
    fi
    cp info.json "$OUT"
    is shape.components null
    is_not shape.failed null
    limit 700000 "$PLAIN" pbf --elements 200000000 --devices host:1 >"$OUT" 2>"$ERR"
    RC=$?
    # shellcheck disable=SC2034 # show() prints it
    LAST="weir pbf (ulimit -v 700000)"
    if [ $RC -eq 1 ] && grep -q "an array of 200000000 elements and its result: 1[0-9]* MiB of memory are needed" "$ERR"; then
        pass
    else
        fail "an array that does not fit should be refused" && show
    fi
else
    skip "a program of this build cannot run in little address space"
fi
finish
