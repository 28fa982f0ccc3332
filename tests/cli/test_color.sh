#!/bin/sh
# Colourings: verified on every number of devices, on the host and by certificate; files, documents, --permute; what is refused.
. "$(dirname "$0")/common.sh"

# colored GRAPH: ends of no line of an edge list have the same line of got.out.
colored() {
    awk 'NR == FNR { color[NR - 1] = $1; next } $1 != $2 && color[$1] == color[$2] { exit 1 }' got.out "$1"
}

printf '0 1\n1 2\n2 0\n2 3\n3 4\n4 4\n6 5\n' >few.el # directed; a loop; vertex 7 is not there
for devices in host:1 host:2 host:3 host:8 host:2x3; do
    for graph in few.el rmat:9 "rmat:9,4 --undirected" grid:40x30 complete:70 star:500 star:1; do
        for more in "" "--permute 11" "--verify-by certificate" "--partition random --memory host" \
            "--direction push" "--kernel live --permute 4" "--order bulk --memory host"; do
            # shellcheck disable=SC2086 # words
            expect_ok color $graph --devices $devices $more --verify -o got.out
            has "verified: ok"
        done
        [ "$graph" != few.el ] || colored few.el && pass || fail "ends of an arc have one colour"
    done
done
[ "$(wc -l <got.out)" -eq 1 ] && [ "$(cat got.out)" = 0 ] && pass || fail "a lone vertex has colour 0"

# ---- what is known ----
expect_ok color complete:70 --devices host:2 --json -
is trials.0.colors 70
is trials.0.largest_class 1
is trials.0.greedy_colors null
is choices.permute 0
expect_ok color star:500 --devices host:3 --permute 5 --verify --json -
is trials.0.colors 2
is trials.0.largest_class 499
is trials.0.greedy_colors 2
is choices.permute 5
is verified true
expect_ok color grid:20x20 --devices host:1 --verify
has "2 colors, of a serial greedy coloring 2"
expect_ok color rmat:9 --devices host:2 --stats --trials 3
has "take"
has "check"
expect_ok color grid:30x30 --devices host:1 --order soft --verify --json -
is choices.direction '"push"'
is choices.order '"soft"'
is trials.0.items_processed 1800
is trials.0.steps 0
expect_ok color few.el --devices host:2 -o -
[ "$(wc -l <"$OUT")" -eq 7 ] && pass || fail "-o - writes 7 lines"

# ---- a device has colours of its own vertices and of its halo: of a strip of 100 rows those of one row on each side of it ----
expect_ok plan grid:400x400 color --devices host:4 --partition block
[ "$(awk '$1 == "color" && $2 == 1 { print $3 }' "$OUT" | tr '\n' ' ')" = "40400 40800 40800 40400 " ] && pass || fail "own colours and those of two rows more"
expect_ok plan grid:400x400 color --devices host:1
[ "$(awk '$1 == "color" && $2 == 1 { print $3 }' "$OUT")" = 160000 ] && pass || fail "all colours"
expect_ok plan --vertices 1000000 --arcs 2000000 color --undirected --devices host:4
[ "$(awk '$1 == "color" && $2 == 1 && $3 > 250000 && $3 < 1000000' "$OUT" | wc -l)" -eq 4 ] && pass || fail "a halo as usual"
expect_ok color grid:400x400 --devices host:4 --partition block --json -
SENT=$(value "$OUT" trials.0.items_sent)
[ "$SENT" -ge 2400 ] && [ "$SENT" -le 9600 ] && pass || fail "$SENT colours of 6 rows were told"

# ---- refused ----
refuse 2 "--permute" color few.el --permute 0
refuse 2 "--permute" color few.el --permute on
refuse 2 "--permute: bfs has no such option" bfs few.el --permute 3
refuse 2 "--source" color few.el --source 1
refuse 2 "--kernel" color few.el --kernel live --direction pull
refuse 2 "--direction" color few.el --direction switch
refuse 2 "worker block" color few.el --worker block
finish
