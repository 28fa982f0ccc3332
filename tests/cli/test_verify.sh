#!/bin/sh
# --verify finds a single wrong level: status 1, the vertex named, "verified": false, no levels kept.
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/common.sh"
for WEIR in "$BUILD/tests/cli/weir-wrong" "$here/weir-wrong"; do
    [ ! -x "$WEIR" ] || break
done
if [ ! -x "$WEIR" ]; then
    echo "weir-wrong is not built"
    exit 77
fi

expect_ok bfs grid:20x20 --source 0 --devices host:2 --verify -o right.out
for vertex in 0 37 399; do
    export WEIR_TEST_WRONG=$vertex
    run bfs grid:20x20 --source 0 --devices host:2 --verify --json report.json -o wrong.out
    if [ "$RC" -eq 1 ] && grep -q "vertex $vertex has level" "$ERR" && grep -q "1 of 400 differ" "$ERR" &&
        [ "$(wc -l <"$ERR")" -eq 1 ]; then
        pass
    else
        fail "a wrong level of vertex $vertex should be named"
        show
    fi
    if tr -d ' \n' <report.json | grep -q '"verified":false'; then pass; else fail "the report should say false"; fi
    if [ ! -e wrong.out ]; then pass; else fail "wrong levels should not be kept"; fi
done
expect_ok bfs grid:20x20 --source 0 --devices host:2 -o unseen.out
finish
