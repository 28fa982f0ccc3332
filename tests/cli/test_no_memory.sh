#!/bin/sh
# Without memory the run fails: status 1 and one sentence, whatever the memory was for; not status 2, as if
# something were wrong with what was asked for.
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/common.sh"
for WRONG in "$BUILD/tests/cli/weir-wrong" "$here/weir-wrong"; do
    [ ! -x "$WRONG" ] || break
done
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

finish
