#!/bin/sh
# --verify finds a single wrong level or distance: status 1, the vertex named, "verified": false, no
# levels or distances kept; and one element of a filtered array that is another's, is there twice, or is missing.
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/common.sh"
for WEIR in "$BUILD/tests/cli/weir-wrong" "$here/weir-wrong"; do
    [ ! -x "$WEIR" ] || break
done
if [ ! -x "$WEIR" ]; then
    echo "weir-wrong is not built"
    exit 77
fi

# 400 vertices; the last is one that nothing leads to.
{ printf '0 %s\n' 1 2 3; awk 'BEGIN { for (v = 0; v < 398; v++) print v, v + 1; print 399, 0 }'; } >chain.el
for what in "bfs level grid:20x20" "sssp distance grid:20x20" "sssp distance chain.el"; do
    # shellcheck disable=SC2086 # words
    set -- $what
    unset WEIR_TEST_WRONG
    expect_ok "$1" "$3" --source 0 --devices host:2 --verify -o right.out
    for vertex in 0 37 399; do
        rm -f report.json
        export WEIR_TEST_WRONG=$vertex
        run "$1" "$3" --source 0 --devices host:2 --verify --json report.json -o wrong.out
        if [ "$RC" -eq 1 ] && grep -q "vertex $vertex has $2 " "$ERR" && grep -q "1 of 400 differ" "$ERR" &&
            [ "$(wc -l <"$ERR")" -eq 1 ]; then
            pass
        else
            fail "a wrong $2 of vertex $vertex should be named"
            show
        fi
        if tr -d ' \n' <report.json | grep -q '"verified":false'; then pass; else fail "the report should say false"; fi
        if [ ! -e wrong.out ]; then pass; else fail "wrong values should not be kept"; fi
    done
    expect_ok "$1" "$3" --source 0 --devices host:2 -o unseen.out
done

unset WEIR_TEST_WRONG
expect_ok pbf --elements 1000 --devices host:2 --trials 2 --verify
# wrong_array WRONG SENTENCE
wrong_array() {
    export WEIR_TEST_WRONG="$1"
    rm -f report.json
    run pbf --elements 1000 --devices host:2 --trials 2 --verify --json report.json
    if [ "$RC" -eq 1 ] && grep -q "^weir: verification failed: .*$2" "$ERR" && [ "$(wc -l <"$ERR")" -eq 1 ]; then
        pass
    else
        fail "an element that is $1 should be told"
        show
    fi
    if grep -q "^verified: .*$2" "$OUT"; then pass; else fail "the report should tell it" && show; fi
    if tr -d ' \n' <report.json | grep -q '"verified":false'; then pass; else fail "the document should say false"; fi
}
wrong_array other "element 2 of the result, 4294967295"
wrong_array twice "element [12] of the result, .* is there twice"
wrong_array lost "the reference keeps"
expect_ok pbf --elements 1000 --devices host:2
finish
