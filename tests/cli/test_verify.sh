#!/bin/sh
# --verify finds a single wrong level, distance, rank, label or parent: status 1, the vertex named, "verified":
# false, no values kept; and one element of a filtered array that is another's, is there twice, or is missing.
. "$(dirname "$0")/common.sh"
WEIR=$WRONG
if [ ! -x "$WEIR" ]; then
    echo "weir-wrong is not built"
    exit 77
fi

# 400 vertices; the last is one that nothing leads to.
{ printf '0 %s\n' 1 2 3; awk 'BEGIN { for (v = 0; v < 398; v++) print v, v + 1; print 399, 0 }'; } >chain.el
for what in "bfs level grid:20x20" "sssp distance grid:20x20" "sssp distance chain.el" "cc label grid:20x20" \
    "cc label chain.el"; do
    # shellcheck disable=SC2086 # words
    set -- $what
    from="--source 0"
    [ "$1" != cc ] || from=
    unset WEIR_TEST_WRONG
    # shellcheck disable=SC2086 # two words or none
    expect_ok "$1" "$3" $from --devices host:2 --verify -o right.out
    for vertex in 0 37 399; do
        rm -f report.json
        export WEIR_TEST_WRONG=$vertex
        # shellcheck disable=SC2086 # as above
        run "$1" "$3" $from --devices host:2 --verify --json report.json -o wrong.out
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
    # shellcheck disable=SC2086 # as above
    expect_ok "$1" "$3" $from --devices host:2 -o unseen.out
done

# unverified SENTENCE OPTIONS: status 1 and that sentence, in the document too, and no file of values.
unverified() {
    sentence=$1
    shift
    rm -f report.json
    run "$@" --verify --json report.json -o wrong.out
    if [ "$RC" -eq 1 ] && grep -q "^weir: verification failed: .*$sentence" "$ERR" && [ "$(wc -l <"$ERR")" -eq 1 ]; then
        pass
    else
        fail "should be told: $sentence"
        show
    fi
    if grep -q "^verified: .*$sentence" "$OUT"; then pass; else fail "the report should tell it" && show; fi
    if tr -d ' \n' <report.json | grep -q '"verified":false'; then pass; else fail "the document should say false"; fi
    if [ ! -e wrong.out ] && [ ! -e wrong.parents ]; then pass; else fail "wrong values should not be kept"; fi
}

# ---- ranks: of one vertex, each in the limits of the tolerance or not, none, and all of them by little ----
unset WEIR_TEST_WRONG
for tolerance in 1e-2 1e-6 1e-8; do
    expect_ok pr grid:20x20 --devices host:2 --tolerance $tolerance --verify -o right.out
    has "verified: ok (an exact iteration changes "
done
for tolerance in 1e-9 1e-10; do
    expect_ok pr grid:20x20 --devices host:2 --tolerance $tolerance --verify -o right.out
    has "verified: ok (ranks differ from the reference's by "
done
for vertex in 0 37 399; do
    export WEIR_TEST_WRONG=$vertex:0.01
    unverified "iteration changes ranks by .* vertex $vertex has rank .* the iteration gives" pr grid:20x20 --devices host:2
    unverified "iteration changes ranks by .* vertex $vertex has rank" pr grid:20x20 --devices host:2 --direction push
    unverified "ranks differ by .* vertex $vertex has rank .* the reference" pr grid:20x20 --devices host:2 --tolerance 1e-9
    expect_ok pr grid:20x20 --devices host:2 --tolerance .01 --dangling ignore --verify # no more than asked for
    export WEIR_TEST_WRONG=$vertex:nan
    unverified "vertex $vertex has rank -*nan" pr grid:20x20 --devices host:2
    unverified "vertex $vertex has rank -*nan" pr grid:20x20 --devices host:2 --tolerance 1e-9
    export WEIR_TEST_WRONG=$vertex:1e-5
    unverified "iteration changes ranks by .* vertex $vertex has rank" pr grid:20x20 --devices host:2 --tolerance 1e-8
    export WEIR_TEST_WRONG=$vertex:1e-7
    unverified "vertex $vertex has rank .*e-0[78] of it" pr grid:20x20 --devices host:2 --tolerance 1e-10
done
unset WEIR_TEST_WRONG
# At a high damping the same tolerance leaves more: right ranks pass, and those that are off by more do not.
for damping in 0.95 0.99 0.999; do
    for tolerance in 1e-6 1e-8 1e-10 1e-12; do
        for direction in pull push; do
            expect_ok pr rmat:8 --devices host:2 --damping $damping --tolerance $tolerance --direction $direction --verify
        done
    done
    for vertex in 2 200; do
        export WEIR_TEST_WRONG=$vertex:1e-6
        unverified "vertex $vertex has rank .* the reference" pr rmat:8 --devices host:2 --damping $damping --tolerance 1e-10
        export WEIR_TEST_WRONG=$vertex:0.5
        unverified "iteration changes ranks by .* vertex $vertex has rank" \
            pr rmat:8 --devices host:2 --damping $damping --tolerance 1e-6
        unset WEIR_TEST_WRONG
    done
done
export WEIR_TEST_WRONG=37:0.01
unverified "iteration changes ranks by .* vertex 37 has rank" pr rmat:8 --devices host:2 --damping 0.9999999 \
    --tolerance 1e-7
unset WEIR_TEST_WRONG
# A bound that any ranks keep verifies nothing, whether it comes from the ranks or from the tolerance.
nothing="of the true ones in all, which says nothing"
unverified "$nothing" pr rmat:8 --devices host:2 --damping 0.999999999999
unverified "$nothing.* a tolerance of some 1e-12 or less" pr rmat:8 --devices host:2 --damping 0.999999999999 --tolerance 1e-9
unverified "$nothing" pr rmat:8 --devices host:2 --damping 0.99 --tolerance 0.3 --direction pull
unverified "$nothing" pr rmat:8 --devices host:2 --damping 0.99999 --iterations 3
expect_ok pr rmat:8 --devices host:2 --damping 0.999999999999 -o unseen.out
expect_ok pr rmat:8 --devices host:2 --damping 0.999999999999 --tolerance 1e-12 --verify
export WEIR_TEST_WRONG=all:1e-8 WEIR_TEST_VERTICES=400
unverified "ranks sum to 1.0000000[01]" pr grid:20x20 --devices host:2 --direction pull
expect_ok pr grid:20x20 --devices host:2 --direction pull --dangling ignore --verify # within the tolerance, no sum known
expect_ok pr grid:20x20 --devices host:2 -o unseen.out
unset WEIR_TEST_WRONG WEIR_TEST_VERTICES

# ---- colours: there are many colourings, so the rules are what is broken ----
for by in reference certificate; do
    expect_ok color grid:20x20 --devices host:2 --verify --verify-by $by
    export WEIR_TEST_WRONG=37
    unverified "vertex [0-9]* has color [0-9]* and an arc to vertex [0-9]*, which has the same" \
        color grid:20x20 --devices host:2 --verify-by $by
    export WEIR_TEST_WRONG=37:9
    unverified "vertex 37 has color 9, but no vertex has more than 4 " color grid:20x20 --devices host:2 --verify-by $by
    unset WEIR_TEST_WRONG
done

# ---- products: each element has a bound of its own ----
expect_ok spmv grid:20x20 --devices host:2 --verify
for element in 0 37 399; do
    export WEIR_TEST_WRONG=$element:0.00001
    unverified "row $element, column 0 is .*, but the reference has .*, and may be off by" spmv grid:20x20 --devices host:2
done
export WEIR_TEST_WRONG=37:0.00001
unverified "row 12, column 1 is .*, but the reference has" spmm grid:20x20 --columns 3 --devices host:2
unset WEIR_TEST_WRONG

# ---- trees: grid:20x20 from 0, whose levels are all right ----
expect_ok bfs grid:20x20 --source 0 --devices host:2 --parents --verify --output-parents right.parents
tree() {
    export WEIR_TEST_PARENT="$1"
    unverified "$2" bfs grid:20x20 --source 0 --devices host:2 --output-parents wrong.parents
}
tree 0:1 "vertex 0 at level 0 has parent 1, but the source must be its own parent"
tree 37:-1 "vertex 37 .* must have a parent"
tree 37:400 "vertex 37 .* a parent must be a vertex"
tree 37:-2 "vertex 37 .* a parent must be a vertex"
tree 37:37 "vertex 37 .* one level below its parent"
tree 37:38 "vertex 37 .* one level below its parent"
tree 399:0 "vertex 399 .* one level below its parent"
tree 42:20 "vertex 42 .* one level below its parent"
tree 42:60 "vertex 42 .* an arc must lead from a parent"
expect_ok bfs grid:20x20 --source 0 --devices host:2 --parents --output-parents unseen.parents
unset WEIR_TEST_PARENT

# The same of shortest paths, whose distances are all right.
expect_ok sssp grid:20x20 --source 0 --devices host:2 --weights unit --parents --verify --output-parents right.parents
paths() {
    export WEIR_TEST_PATH="$1"
    for way in reference certificate; do
        unverified "$2" sssp grid:20x20 --source 0 --devices host:2 --weights unit --output-parents wrong.parents --verify-by $way
    done
}
paths 0:1 "vertex 0 at distance 0 has parent 1, but the source must be its own parent"
paths 37:-1 "vertex 37 .* distances and tree must have reached the same"
paths 37:400 "vertex 37 .* a parent must be a vertex"
paths 37:-2 "vertex 37 .* a parent must be a vertex"
paths 37:37 "vertex 37 .* no path through it is that long"
paths 37:38 "vertex 37 .* no path through it is that long"
paths 399:0 "vertex 399 .* no path through it is that long"
expect_ok sssp grid:20x20 --source 0 --devices host:2 --parents --output-parents unseen.parents
unset WEIR_TEST_PATH

# ---- the same by certificate: on the devices, without a reference ----
by="--devices host:3 --verify-by certificate"
for what in "bfs grid:20x20 --source 0" "bfs rmat:9 --parents" "bfs rmat:9 --sources 3 --trials 2" "sssp grid:20x20 --source 0" \
    "sssp rmat:9 --weights random:0-3 --sources 3" "sssp chain.el --source 0" "cc grid:20x20,0.5" "cc chain.el --stream on" \
    "pr rmat:9" "pr rmat:9 --tolerance 1e-12" "pr rmat:9 --direction push --tolerance 1e-10"; do
    rm -f report.json
    # shellcheck disable=SC2086 # words
    expect_ok $what $by --verify --json report.json
    has "verified: ok by certificate in "
    if tr -d ' \n' <report.json | grep -q '"verified_by":"certificate","verify_ms":[0-9]'; then pass; else fail "$what: by what?" && show; fi
done
certificate() { # WRONG SENTENCE OPTIONS
    export WEIR_TEST_WRONG="$1"
    sentence=$2
    shift 2
    # shellcheck disable=SC2086 # words
    unverified "$sentence" "$@" $by
    unset WEIR_TEST_WRONG
}
certificate 0 "vertex 0 at level 1, but the source must be at level 0" bfs grid:20x20 --source 0
certificate 37 "vertex 17 at level 17 has an arc to vertex 37 at level 19, but no arc may lead more" bfs grid:20x20 --source 0
certificate 0 "vertex 0 has distance .*, but it is the source" sssp grid:20x20 --source 0
certificate 37 "vertex [0-9]* at distance .* offers vertex 37 a distance of" sssp grid:20x20 --source 0
certificate 399 "vertex 399 has distance .*, but no path from the source is that long" sssp chain.el --source 0
certificate 37 "vertex 17 has label 0 and an arc to vertex 37 with label 1, but both ends" cc grid:20x20
certificate 399 "vertex 399 has label 1, but that vertex has label 0 itself" cc chain.el
for vertex in 0 37 399; do
    certificate $vertex:0.01 "iteration changes ranks by .* vertex $vertex has rank .* the iteration gives" pr grid:20x20
    certificate $vertex:1e-5 "iteration changes ranks by .* vertex $vertex has rank" pr grid:20x20 --tolerance 1e-9
    certificate $vertex:1e-7 "iteration changes ranks by .* vertex $vertex has rank" pr grid:20x20 --tolerance 1e-11
    certificate $vertex:nan "vertex $vertex has rank -*nan" pr grid:20x20
done
# What is little of all ranks is much of one.
certificate 37:1e-8 "vertex 37 has rank .*, an exact iteration gives .*: it changes by .* of it" pr grid:20x20 --tolerance 1e-10
export WEIR_TEST_PARENT=42:60
# shellcheck disable=SC2086 # words
unverified "vertex 42 .* an arc must lead from a parent" bfs grid:20x20 --source 0 --output-parents wrong.parents $by
unset WEIR_TEST_PARENT
# Where the device has no room beside what the runs hold, what the last one held makes room; before it there is none.
export WEIR_POOL_BYTES=7MiB
full="pr rmat:16,8 --undirected --devices host:1 --direction pull --memory device --verify --verify-by certificate"
# shellcheck disable=SC2086 # words
expect_ok $full --json report.json
has "verified: ok by certificate in "
if tr -d ' \n' <report.json | grep -q '"placing_ms":[0-9.]*[1-9]'; then pass; else fail "what it took to prepare" && show; fi
# shellcheck disable=SC2086 # words
refuse 1 "its pool of 7 MiB (WEIR_POOL_BYTES) has 6 MiB in use and cannot give" $full --trials 2
unset WEIR_POOL_BYTES
# By a reference when that is asked for, and as a rule.
for way in "" "--verify-by auto" "--verify-by reference"; do
    rm -f report.json
    # shellcheck disable=SC2086 # words
    expect_ok bfs grid:20x20 --devices host:2 --verify $way --json report.json
    if tr -d ' \n' <report.json | grep -q '"verified_by":"reference"'; then pass; else fail "by reference: $way" && show; fi
done
expect_ok bfs grid:20x20 --devices host:2 --json report.json
if tr -d ' \n' <report.json | grep -q '"verified_by":null,"verify_ms":null'; then pass; else fail "nobody judged" && show; fi
for verb in bfs sssp pr cc color; do
    refuse 2 "--verify-by says how --verify judges: give that too" $verb grid:20x20 --devices host:2 --verify-by certificate
    refuse 2 "--verify-by trust: unknown; choose one of: auto, reference, certificate" $verb grid:20x20 --verify --verify-by trust
done
refuse 2 "--verify-by: pbf has no such option" pbf --verify --verify-by certificate

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
